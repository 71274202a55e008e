// What the stepper shows, without a window: a lesson's run recorded through the worker, gone through, and read as a learner reads
// it.
#include "app/session/steps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <thread>

#include "app/worker/runner.h"
#include "lessons/catalog.h"

namespace warpbook::app {
namespace {

using namespace std::chrono_literals;

/// Records the lesson as it comes, on a worker of its own.
std::shared_ptr<const Steps> recorded(const std::string& lesson, const std::map<std::string, double>& values,
                                      const std::string& text = {}, const std::map<std::string, std::string>& texts = {}) {
  Session session = make_session(*lessons::find_lesson(lesson), Appearance::dark);
  for (const auto& [name, value] : values) session.lesson().values.set(name, value);
  for (const auto& [name, value] : texts) session.lesson().values.set_text(name, value);
  Runner runner({.device = {.profile = "T4", .gpu = {}}, .wake = {}, .make_device = {}});
  runner.record(
      {.lesson = session.open, .values = session.lesson().values, .text = text.empty() ? session.lesson().text.str() : text});
  const auto end = std::chrono::steady_clock::now() + 120s;
  while (std::chrono::steady_clock::now() < end) {
    if (auto steps = runner.news().steps) return steps;
    std::this_thread::sleep_for(1ms);
  }
  return nullptr;
}

/// The row of a variable or an expression; the line's group comes first.
const StepView::Variable* variable(const StepView& view, std::string_view name) {
  for (const StepView::Group& group : view.groups)
    for (const StepView::Variable& row : group.rows)
      if (row.name == name) return &row;
  return nullptr;
}

const StepView::Row* row_of(const StepView& view, std::string_view name) {
  const auto found = std::find_if(view.registers.begin(), view.registers.end(), [&](const auto& row) { return row.name == name; });
  return found == view.registers.end() ? nullptr : &*found;
}

TEST(Steps, AddingArraysLineByLine) {
  Stepper stepper;
  const auto steps = recorded("01", {{"blocks", 2}, {"threads", 64}});
  ASSERT_TRUE(steps);
  ASSERT_EQ(steps->launches.size(), 1u) << steps->problem;
  take(stepper, steps);
  EXPECT_EQ(stepper.view.position, steps->launches[0].history->next_of(0, {0, 0}));
  EXPECT_EQ(stepper.view.lanes_words, "all 32 lanes on");
  const auto line_with = [&](const std::string& code) {
    return static_cast<std::uint32_t>(
        std::count(steps->text.begin(), steps->text.begin() + static_cast<std::ptrdiff_t>(steps->text.rfind(code)), '\n') + 1);
  };
  const std::uint32_t sum = line_with("out[i] = a[i] + b[i]");
  ASSERT_TRUE(run_to_line(stepper, sum));
  EXPECT_EQ(stepper.view.line, sum);
  EXPECT_FALSE(run_to_line(stepper, 4000));
  EXPECT_EQ(stepper.view.line, sum) << "what is never reached moves nothing";
  // To the store: its value is the sum of two loads, in every lane.
  EXPECT_TRUE(stepper.view.registers.empty());
  show_ptx(stepper, true);
  stepper.by = gpu::Stride::instruction;
  while (!stepper.view.instruction.starts_with("st.") && stepper.view.position < stepper.view.end) stride(stepper, Way::forward);
  const std::string& text = stepper.view.instruction;
  const std::string name = text.substr(text.rfind('%'), text.find(';') - text.rfind('%'));
  const StepView::Row* value = row_of(stepper.view, name);
  ASSERT_TRUE(value) << text;
  EXPECT_TRUE(value->used);
  const std::size_t before = stepper.view.position;
  stride(stepper, Way::forward);
  stride(stepper, Way::back);
  EXPECT_EQ(stepper.view.position, before);
  show_ptx(stepper, false);
  EXPECT_EQ(stepper.by, gpu::Stride::line) << "instructions are gone through only where they are shown";
  to_end(stepper);
  EXPECT_EQ(stepper.view.lanes_words, "the warp has ended");
  EXPECT_TRUE(stepper.view.instruction.empty());
  to_start(stepper);
  EXPECT_EQ(stepper.view.lanes_words, "all 32 lanes on");
}

TEST(Steps, VariablesOfTheSource) {
  Stepper stepper;
  const auto steps = recorded("01", {{"blocks", 2}, {"threads", 64}});
  ASSERT_TRUE(steps && steps->launches.size() == 1 && steps->launches[0].debug);
  take(stepper, steps);
  choose_warp(stepper, Way::forward);
  const auto line_of = [&](const std::string& code) {
    return static_cast<std::uint32_t>(
        std::count(steps->text.begin(), steps->text.begin() + static_cast<std::ptrdiff_t>(steps->text.rfind(code)), '\n') + 1);
  };
  ASSERT_TRUE(run_to_line(stepper, line_of("int i =")));
  ASSERT_TRUE(variable(stepper.view, "i"));
  const std::string before_it_is_set = variable(stepper.view, "i")->remark;  // clang keeps it in memory, NVRTC in a register
  EXPECT_TRUE(before_it_is_set == "not computed yet" || before_it_is_set == "not written yet") << before_it_is_set;
  // The order of a function's variables is the source's, wherever the warp stands.
  const auto names = [&] {
    std::vector<std::string> all;
    for (const StepView::Variable& row : stepper.view.groups.back().rows) all.push_back(row.name);
    return all;
  };
  const std::vector<std::string> before = names();
  EXPECT_EQ(before, (std::vector<std::string>{"a", "b", "out", "n", "i"}));
  ASSERT_TRUE(run_to_line(stepper, line_of("out[i] = a[i] + b[i]")));
  EXPECT_EQ(names(), before);
  const StepView::Variable* i = variable(stepper.view, "i");
  ASSERT_TRUE(i);
  EXPECT_EQ(i->type, "const int");
  EXPECT_TRUE(i->remark.empty() && !i->uniform && i->used);
  for (unsigned l = 0; l < 32; ++l) EXPECT_EQ(i->lanes[l], std::to_string(32 + l));
  const StepView::Variable* n = variable(stepper.view, "n");
  ASSERT_TRUE(n && n->uniform && !n->used);
  EXPECT_EQ(n->lanes[3], "4096");
  EXPECT_EQ(variable(stepper.view, "a")->lanes[0], "&a[0]");
  ASSERT_TRUE(variable(stepper.view, "a[i]"));
  EXPECT_EQ(variable(stepper.view, "a[i]")->lanes[5], "37");
  EXPECT_EQ(stepper.view.groups.front().title, "In line 10");
  to_end(stepper);
  EXPECT_EQ(stepper.view.groups.front().title, "Variables of add") << "no line is next";
}

TEST(Steps, DeviceVariablesHoldWhatTheHostAndTheSourceGaveThem) {
  const std::string kernel =
      "__constant__ float weights[3];\n"
      "__device__ int left = 3;\n"
      "extern \"C\" __global__ void weighted(float* out)\n"
      "{\n"
      "    const float w = weights[threadIdx.x % 3];\n"
      "    out[threadIdx.x] = w + left;\n"
      "}\n";
  Stepper stepper;
  const auto steps = recorded("playground", {{"blocks", 1}, {"threads", 32}}, kernel,
                              {{"weighted/out", "[32]=zeros"}, {"__device__/weights", "[3]=2"}});
  ASSERT_TRUE(steps && !steps->launches.empty()) << (steps ? steps->problem : "");
  take(stepper, steps);
  ASSERT_TRUE(run_to_line(stepper, 6));
  ASSERT_TRUE(variable(stepper.view, "w"));
  EXPECT_EQ(variable(stepper.view, "w")->lanes[7], "2") << "given to the program, not to the one compiled for stepping";
  ASSERT_TRUE(variable(stepper.view, "left"));
  EXPECT_EQ(variable(stepper.view, "left")->lanes[0], "3");
}

TEST(Steps, WhatAStepChangesIsMarked) {
  const std::string loop =
      "extern \"C\" __global__ void add(const int* a, const int* b, int* out, int n)\n"
      "{\n"
      "    int sum = 0;\n"
      "    int lane = threadIdx.x % 32;\n"
      "    for (int k = 0; k < 3; ++k)\n"
      "        if (lane > 20)\n"
      "            sum += k + lane;\n"
      "    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;\n"
      "}\n";
  Stepper stepper;
  const auto steps = recorded("01", {{"blocks", 1}, {"threads", 32}}, loop);
  ASSERT_TRUE(steps && !steps->launches.empty()) << (steps ? steps->problem : "");
  take(stepper, steps);
  ASSERT_TRUE(run_to_line(stepper, 7));
  EXPECT_EQ(stepper.view.lanes_words, "11 of 32 lanes on, 21 wait");
  stride(stepper, Way::forward);
  const StepView::Variable* sum = variable(stepper.view, "sum");
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->changed, ~0u << 21) << "of the lanes that were on";
  EXPECT_EQ(sum->lanes[30], "30");
  EXPECT_EQ(variable(stepper.view, "lane")->changed, 0u);
  stride(stepper, Way::back);
  EXPECT_EQ(variable(stepper.view, "sum")->changed, ~0u << 21) << "backwards too";
  EXPECT_EQ(variable(stepper.view, "sum")->lanes[30], "0");
}

TEST(Steps, OfAnExerciseAreTheLearnersInTheFirstCaseThatFails) {
  const std::string no_guard =
      "__global__ void square(const float* in, float* out, int n)\n"
      "{\n"
      "    int mine = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "    out[mine] = in[mine] * in[mine];\n"
      "}\n";
  const auto steps = recorded("01_first_kernel/square", {}, no_guard);
  ASSERT_TRUE(steps);
  ASSERT_EQ(steps->launches.size(), 1u) << steps->problem;
  EXPECT_EQ(steps->of, "A grid that is too large");
  EXPECT_EQ(steps->launches[0].history->warps().back().block, 39u) << "of 40";
  Stepper stepper;
  take(stepper, steps);
  EXPECT_TRUE(run_to_line(stepper, 4)) << "of the learner's text";
  EXPECT_FALSE(run_to_line(stepper, 6)) << "of the solution's";

  EXPECT_EQ(recorded("01_first_kernel/square", {}, "__global__ void square(const float* in, float* out, int n) { *out = 1; }")->of,
            "32 blocks of 128")
      << "all fail";
  const auto renamed = recorded("01_first_kernel/square", {}, "__global__ void cube() {}");
  EXPECT_TRUE(renamed->launches.empty());
  EXPECT_NE(renamed->problem.find("no kernel named square"), std::string::npos) << renamed->problem;
}

TEST(Steps, WarpsAreChosenAndAllGoInTurn) {
  Stepper stepper;
  const auto steps = recorded("01", {{"blocks", 2}, {"threads", 64}});
  ASSERT_TRUE(steps && !steps->launches.empty());
  take(stepper, steps);
  EXPECT_EQ(stepper.view.warp, "Block 0, warp 0");
  choose_warp(stepper, Way::forward);
  EXPECT_EQ(stepper.view.warp, "Block 0, warp 1");
  choose_warp(stepper, Way::back);
  choose_warp(stepper, Way::back);
  EXPECT_EQ(stepper.view.warp, "Block 1, warp 1");  // round
  choose_all_warps(stepper, true);
  stepper.by = gpu::Stride::instruction;
  to_start(stepper);
  std::size_t made = 0;
  for (; stepper.view.position < stepper.view.end; ++made) stride(stepper, Way::forward);
  EXPECT_EQ(made, stepper.view.end);
}

TEST(Steps, AKernelThatDoesNotCompileIsSaidSo) {
  const auto steps = recorded("01", {}, "wrong");
  ASSERT_TRUE(steps);
  EXPECT_TRUE(steps->launches.empty());
  EXPECT_EQ(steps->problem, "The kernel does not compile: nothing has run.");
  Stepper stepper;
  take(stepper, steps);
  stride(stepper, Way::forward);  // nowhere to go
  EXPECT_FALSE(stepper.replay);
}

TEST(Steps, EachOfALessonsKernelsIsKeptOnce) {
  const auto steps = recorded("05", {{"trials", 3}});
  ASSERT_TRUE(steps);
  EXPECT_EQ(steps->launches.size(), 1u);
}

TEST(Steps, ValuesAsTheirTypesPrintThem) {
  gpu::History::Recording recording;
  recording.arrays.push_back({.name = "data", .base = 4096, .bytes = 64, .type = gpu::ScalarType::float32});
  const gpu::History history(std::move(recording));
  EXPECT_EQ(value_text(history, "s32", 0xfffffffe), "-2");
  EXPECT_EQ(value_text(history, "u32", 0xfffffffe), "4294967294");
  EXPECT_EQ(value_text(history, "f32", std::bit_cast<std::uint32_t>(0.1f)), "0.1");
  EXPECT_EQ(value_text(history, "f64", std::bit_cast<std::uint64_t>(-2.5)), "-2.5");
  EXPECT_EQ(value_text(history, "pred", 1), "true");
  EXPECT_EQ(value_text(history, "b64", 4096 + 20), "&data[5]");
  EXPECT_EQ(value_text(history, "s64", 64), "64");
}

}  // namespace
}  // namespace warpbook::app
