// A prover runs every spelling of its opcodes on the virtual GPU and compares the contents of memory with an oracle of its own,
// written from the text of the PTX ISA.
//
//     for (const Prover& prover : provers())
//       if (prover.knows(row)) Outcome o = prover.prove(bench, spellings_of(row));
//
// To add an instruction: its row in opcodes.def, its line in the table of the file that holds its kind (integers.cpp, floats.cpp
// …).
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tests/forms/bench.h"
#include "tests/forms/spellings.h"

namespace warpbook::gpu::test {

struct Outcome {
  std::vector<std::string> agreed;  // spellings
  std::vector<std::string> wrong;   // a sentence for each spelling that differs or does not run
};

struct Prover {
  std::string_view name;     // the file, for the page: "integers"
  std::string_view opcodes;  // as in rows, separated by spaces
  std::function<Outcome(Bench&, std::span<const Spelling>)> prove;

  [[nodiscard]] bool knows(const ptx::OpcodeRow& row) const;
};

[[nodiscard]] const std::vector<Prover>& provers();

// One function for each file: its provers.
[[nodiscard]] std::vector<Prover> integer_provers();
[[nodiscard]] std::vector<Prover> float_provers();
[[nodiscard]] std::vector<Prover> approximation_provers();
[[nodiscard]] std::vector<Prover> comparison_provers();
[[nodiscard]] std::vector<Prover> conversion_provers();
[[nodiscard]] std::vector<Prover> video_provers();
[[nodiscard]] std::vector<Prover> memory_provers();
[[nodiscard]] std::vector<Prover> atomic_provers();
[[nodiscard]] std::vector<Prover> texture_provers();
[[nodiscard]] std::vector<Prover> warp_provers();
[[nodiscard]] std::vector<Prover> barrier_provers();
[[nodiscard]] std::vector<Prover> control_provers();

}  // namespace warpbook::gpu::test
