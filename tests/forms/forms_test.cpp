// Every opcode of the table has a test that runs it or calls its semantics.
#include <gtest/gtest.h>

#include "tests/forms/proofs.h"

namespace warpbook::gpu::test {
namespace {

TEST(Forms, EveryOpcodeIsProven) {
  Compiler compiler;
  if (!compiler.status().available) GTEST_SKIP() << "the cases are compiled with NVRTC";
  const Proofs proofs = collect_proofs(compiler);
  for (const ptx::OpcodeRow& row : ptx::opcode_table())
    EXPECT_TRUE(proofs.opcodes.contains(row.op)) << row.spelling << ": write a case in tests/cases/launch (its README says how)";
  const std::string page = forms_page(proofs);
  EXPECT_NE(page.find("## fma"), page.npos);
  EXPECT_NE(page.find("| `add.u32` | `"), page.npos);
}

}  // namespace
}  // namespace warpbook::gpu::test
