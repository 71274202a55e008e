// What holds of every instruction of the opcode table, by rapidcheck: random ones, shrunk where they fail.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdlib>

#include "gpu/virtual/ptx/opcodes.h"
#include "gpu/virtual/ptx/parser.h"
#include "tests/gpu/ptx/random_module.h"
#include "tests/gpu/ptx/same_module.h"

namespace warpbook::gpu::ptx::test {
namespace {

/// rapidcheck reads how much to try, and from which seed, from the environment; RC_PARAMS=max_success=100000 tries more.
[[maybe_unused]] const int tried = setenv("RC_PARAMS", "max_success=3000", 0);

/// Any of n, from the first case on: rapidcheck would begin with small numbers, which are the first rows of the table.
unsigned choose(unsigned n) { return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0u, n)); }

RC_GTEST_PROP(PtxProperties, AnInstructionsTextIsAFixedPoint, ()) {
  const std::string statement = random_statement(choose);
  const std::size_t from = statement.starts_with('@') ? statement.find(' ') + 1 : 0;
  const std::string text = statement.substr(from, statement.find_first_of(" ;", from) - from);
  const Result<DecodedOpcode> decoded = decode_opcode(text);
  RC_ASSERT(decoded);
  const std::string canonical = opcode_text(decoded->instruction);
  const Result<DecodedOpcode> again = decode_opcode(canonical);
  RC_ASSERT(again);
  RC_ASSERT(again->instruction == decoded->instruction);
  RC_ASSERT(opcode_text(again->instruction) == canonical);
}

RC_GTEST_PROP(PtxProperties, ModulesPrintAndParseToThemselves, ()) {
  const std::string text = random_module(choose, 12);
  const Result<Module> module = parse(text);
  if (!module) RC_FAIL(module.error().message + "\n" + text);
  const std::string lost = lost_by_printing(*module);
  if (!lost.empty()) RC_FAIL(lost + "\n" + text);
}

}  // namespace
}  // namespace warpbook::gpu::ptx::test
