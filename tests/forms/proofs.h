// Which test proves which form of which instruction, collected from the tests themselves:
//
// - a case that runs (tests/cases/launch, tests/cases/findings) proves the forms of its PTX, of its .cu file as NVRTC compiles it;
// - so does CUDA C++ in a raw string of tests/gpu/*_test.cpp, for the test it stands in;
// - a test of the semantics (tests/gpu/ops_*_test.cpp) proves the opcodes whose functions it calls: ops::mul_hi is mul's;
// - a case that is only parsed (tests/cases/ptx) proves instructions that do nothing when they run.
//
//     const Proofs proofs = collect_proofs(compiler);
//     proofs.opcodes[Opcode::add]         // {"Integers.ArithmeticWrapsAsTheWideResultDoes", …}
//     proofs.forms["add.f32"]             // opcode and types
//     proofs.suffixes["add.rz"]           // opcode and one suffix
//     std::string page = forms_page(proofs);   // Markdown
#pragma once

#include <map>
#include <set>
#include <string>

#include "gpu/compiler.h"
#include "gpu/virtual/ptx/opcodes.h"

namespace warpbook::gpu::test {

using Names = std::set<std::string>;

struct Proofs {
  std::map<ptx::Opcode, Names> opcodes;
  std::map<std::string, Names> forms, suffixes;
};

[[nodiscard]] Proofs collect_proofs(Compiler& compiler);
[[nodiscard]] std::string forms_page(const Proofs& proofs);

}  // namespace warpbook::gpu::test
