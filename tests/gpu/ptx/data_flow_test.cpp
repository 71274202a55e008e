// Where values and addresses come from, on PTX written for it.
#include "gpu/virtual/ptx/data_flow.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "gpu/virtual/ptx/opcodes.h"
#include "gpu/virtual/ptx/parser.h"

namespace warpbook::gpu::ptx {
namespace {

Module flow_kernel(const char* body) {
  auto module =
      parse(fmt::format(".version 8.0\n.target sm_75\n.address_size 64\n"
                        ".visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n) {{\n"
                        ".reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %rd<16>;\n"
                        "ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u32 %r1, [n];\n"
                        "cvta.to.global.u64 %rd3, %rd1; cvta.to.global.u64 %rd4, %rd2;\n{}\nret;\n}}\n",
                        body));
  EXPECT_TRUE(module) << module.error().message;
  return module ? *module : Module{};
}

/// The nth load from global memory, store or barrier.
std::uint32_t nth(const Function& function, Opcode op, int n) {
  for (std::uint32_t pc = 0; pc < function.code.size(); ++pc)
    if (function.code[pc].op == op && function.code[pc].space != Space::param && n-- == 0) return pc;
  ADD_FAILURE() << "no such instruction";
  return 0;
}

TEST(DataFlow, AValueRoundALoop) {
  const Module module = flow_kernel(
      "ld.global.u32 %r2, [%rd3]; mov.u32 %r3, 0;\n"
      "$L: add.s32 %r2, %r2, 2; add.s32 %r3, %r3, 1; setp.lt.s32 %p1, %r3, %r1; @%p1 bra $L;\n"
      "st.global.u32 [%rd3], %r2;");
  const Function& k = module.functions.front();
  DataFlow flow(k);
  const std::uint32_t load = nth(k, Opcode::ld, 0), store = nth(k, Opcode::st, 0);
  EXPECT_EQ(flow.value_of(store).loads, std::vector<std::uint32_t>{load});
  EXPECT_FALSE(flow.value_of(store).unknown);
  EXPECT_TRUE(flow.same_place(load, store));
}

TEST(DataFlow, PlacesAreTheSameWhereTheyAreComputedInTheSameWay) {
  const Module module = flow_kernel(
      "mov.u32 %r2, %tid.x; mul.wide.u32 %rd5, %r2, 4; add.s64 %rd6, %rd3, %rd5; ld.global.u32 %r3, [%rd6];\n"
      "mul.wide.u32 %rd7, %r2, 4; add.s64 %rd8, %rd3, %rd7; st.global.u32 [%rd8], %r3;\n"
      "st.global.u32 [%rd8+4], %r3;\n"
      "add.s64 %rd9, %rd4, %rd7; st.global.u32 [%rd9], %r3;");
  const Function& k = module.functions.front();
  DataFlow flow(k);
  const std::uint32_t load = nth(k, Opcode::ld, 0);
  EXPECT_TRUE(flow.same_place(load, nth(k, Opcode::st, 0)));
  EXPECT_FALSE(flow.same_place(load, nth(k, Opcode::st, 1))) << "the next element";
  EXPECT_TRUE(flow.perhaps_same_array(load, nth(k, Opcode::st, 1)));
  EXPECT_FALSE(flow.same_place(load, nth(k, Opcode::st, 2))) << "another array";
  EXPECT_FALSE(flow.perhaps_same_array(load, nth(k, Opcode::st, 2)));
  EXPECT_TRUE(flow.address_of(load).uses(Special::tid_x));
  EXPECT_FALSE(flow.address_of(load).uses_block());
}

TEST(DataFlow, AnIndexThatChangesInBetweenIsAnotherPlace) {
  const Module module =
      flow_kernel("mov.u64 %rd5, %rd3; ld.global.u32 %r3, [%rd5]; add.s64 %rd5, %rd5, 4; st.global.u32 [%rd5], %r3;");
  const Function& k = module.functions.front();
  DataFlow flow(k);
  EXPECT_FALSE(flow.same_place(nth(k, Opcode::ld, 0), nth(k, Opcode::st, 0)));
}

TEST(DataFlow, AnAddressThatEachTurnOfALoopChanges) {
  const Module module = flow_kernel(
      "mov.u32 %r2, %tid.x; mul.wide.u32 %rd5, %r2, 4; add.s64 %rd6, %rd3, %rd5; mov.u32 %r3, 64;\n"
      "$L: mul.wide.u32 %rd7, %r3, 4; add.s64 %rd8, %rd6, %rd7; ld.global.u32 %r4, [%rd8+8];\n"
      "add.s64 %rd9, %rd3, %rd5; st.global.u32 [%rd9], %r4; st.global.u32 [%rd8], %r4;\n"
      "shr.u32 %r5, %r3, 1; mov.u32 %r3, %r5; setp.gt.u32 %p1, %r3, 0; @%p1 bra $L;\n"
      "ld.global.u32 %r6, [%rd6+4];");
  const Function& k = module.functions.front();
  DataFlow flow(k);
  const std::uint32_t load = nth(k, Opcode::ld, 0), store = nth(k, Opcode::st, 0);
  EXPECT_TRUE(flow.address_changes_in_loop(load));
  EXPECT_FALSE(flow.address_changes_in_loop(store)) << "computed anew in each turn, and always the same";
  EXPECT_FALSE(flow.equally_far(load, store));
  EXPECT_TRUE(flow.equally_far(load, nth(k, Opcode::st, 1))) << "two elements apart in each turn";
  EXPECT_TRUE(flow.equally_far(nth(k, Opcode::ld, 1), store)) << "one element apart";
}

TEST(DataFlow, WhatIsLoadedAndWhatCallsReturn) {
  const Module module = flow_kernel(
      "ld.global.u32 %r2, [%rd3]; mul.wide.u32 %rd5, %r2, 4; add.s64 %rd6, %rd4, %rd5; mov.u32 %r4, %ctaid.y;\n"
      "st.global.u32 [%rd6], %r4; max.s32 %r5, %r2, %r4; st.global.u32 [%rd3], %r5;");
  const Function& k = module.functions.front();
  DataFlow flow(k);
  EXPECT_EQ(flow.address_of(nth(k, Opcode::st, 0)).loads, std::vector<std::uint32_t>{nth(k, Opcode::ld, 0)});
  EXPECT_TRUE(flow.value_of(nth(k, Opcode::st, 0)).uses(Special::ctaid_y));
  EXPECT_TRUE(flow.value_of(nth(k, Opcode::st, 0)).loads.empty());
  EXPECT_EQ(flow.update_of(nth(k, Opcode::st, 1)), Update::max);
}

TEST(DataFlow, WaysWithAndWithoutABarrier) {
  const Module module = flow_kernel(
      "mov.u32 %r3, 0;\n"
      "$L: st.global.u32 [%rd3], %r3; bar.sync 0; ld.global.u32 %r2, [%rd3]; add.s32 %r3, %r3, 1; st.global.u32 [%rd4], %r2;\n"
      "setp.lt.s32 %p1, %r3, %r1; @%p1 bra $L;");
  const Function& k = module.functions.front();
  const DataFlow flow(k);
  const std::uint32_t load = nth(k, Opcode::ld, 0), store = nth(k, Opcode::st, 0);
  EXPECT_TRUE(flow.reaches(store, load));
  EXPECT_FALSE(flow.reaches(store, load, Between::no_barrier));
  EXPECT_TRUE(flow.reaches(load, store, Between::no_barrier)) << "round the loop";
  EXPECT_TRUE(flow.barrier_on_a_way(store, load));
  EXPECT_TRUE(flow.barrier_on_a_way(store, store));
  EXPECT_FALSE(flow.in_divergent_branch(load));
}

TEST(DataFlow, OneSideOfABranchThatVaries) {
  const Module module = flow_kernel(
      "mov.u32 %r2, %tid.x; setp.ne.s32 %p1, %r2, 0; @%p1 bra $M; st.global.u32 [%rd3], %r2;\n"
      "$M: ld.global.u32 %r3, [%rd3];");
  const Function& k = module.functions.front();
  const DataFlow flow(k);
  EXPECT_TRUE(flow.in_divergent_branch(nth(k, Opcode::st, 0)));
  EXPECT_FALSE(flow.in_divergent_branch(nth(k, Opcode::ld, 0)));
}

TEST(DataFlow, WhatDecidesWhetherItIsExecuted) {
  const Module module = flow_kernel(
      "ld.global.u32 %r2, [%rd3]; setp.ne.s32 %p1, %r2, 0; @%p1 bra $M; st.global.u32 [%rd3], 1;\n"
      "$M: st.global.u32 [%rd4], 2; ld.global.u32 %r3, [%rd4]; setp.eq.s32 %p2, %r3, 0; @%p2 st.global.u32 [%rd4], 3;");
  const Function& k = module.functions.front();
  DataFlow flow(k);
  EXPECT_EQ(flow.condition_of(nth(k, Opcode::st, 0)).loads, std::vector<std::uint32_t>{nth(k, Opcode::ld, 0)});
  EXPECT_TRUE(flow.condition_of(nth(k, Opcode::st, 1)).loads.empty()) << "both sides come to it";
  EXPECT_EQ(flow.condition_of(nth(k, Opcode::st, 2)).loads, std::vector<std::uint32_t>{nth(k, Opcode::ld, 1)});
}

TEST(DataFlow, AmongThousandsOfBranchesItGivesUpInTime) {
  constexpr int many = 40'000;
  std::string body = "mov.u32 %r2, %tid.x; setp.lt.u32 %p1, %r2, 4;\n";
  for (int i = 0; i < many; ++i) body += fmt::format("@%p1 bra L{};\n", i);
  for (int i = many; i-- > 0;) body += fmt::format("L{}: add.u32 %r3, %r3, 1;\n", i);
  const Module module = flow_kernel((body + "st.global.u32 [%rd3], %r3;").c_str());
  const Function& k = module.functions.front();
  DataFlow flow(k);
  const std::uint32_t store = nth(k, Opcode::st, 0);
  const auto begin = std::chrono::steady_clock::now();
  const Origin condition = flow.condition_of(store);
  for (int n = 0; n < 20; ++n) (void)flow.in_divergent_branch(store);
  EXPECT_TRUE(condition.unknown) << "it was not looked at to the end, and must not be called known";
  // Two walks through all of it for each branch would be billions of steps a question.
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), 20);
}

}  // namespace
}  // namespace warpbook::gpu::ptx
