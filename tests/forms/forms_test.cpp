// Every spelling of every opcode of the table, run and compared with an oracle. One test an opcode.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/forms/page.h"

namespace warpbook::gpu::test {
namespace {

Bench& bench() {
  static Bench one;
  return one;
}

class Forms : public testing::TestWithParam<const ptx::OpcodeRow*> {};

TEST_P(Forms, DoWhatTheIsaSays) {
  const Proof proof = prove(bench(), *GetParam());
  ASSERT_FALSE(proof.prover.empty()) << "no oracle for " << GetParam()->spelling << ": write one in tests/forms";
  EXPECT_GE(proof.spellings.size(), 1);
  EXPECT_EQ(proof.outcome.agreed.size() + proof.outcome.wrong.size(), proof.spellings.size());
  for (std::size_t at = 0; at < std::min<std::size_t>(proof.outcome.wrong.size(), 10); ++at)
    ADD_FAILURE() << proof.outcome.wrong[at];
  EXPECT_EQ(proof.outcome.wrong.size(), 0);
}

std::vector<const ptx::OpcodeRow*> rows() {
  std::vector<const ptx::OpcodeRow*> all;
  for (const ptx::OpcodeRow& row : ptx::opcode_table()) all.push_back(&row);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Of, Forms, testing::ValuesIn(rows()), [](const auto& of) {
  std::string name(of.param->spelling);
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

}  // namespace
}  // namespace warpbook::gpu::test
