// Lesson 18: calls, their lanes and their stack, and the ensemble against float64, on the virtual GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lessons/18_device_functions/calls.h"
#include "tests/lessons/lesson_run.h"

namespace warpbook::lessons {
namespace {

using testing::LessonRun;
using testing::number;
using testing::Settings;

constexpr std::uint32_t all_lanes = ~0u;

class DeviceFunctions : public LessonRun {
 protected:
  DeviceFunctions() : LessonRun("18") {}

  /// A kernel of the test's own, of one thread, with an array of four floats.
  [[nodiscard]] static Result<gpu::LaunchReport> launch_one(Host& host, float first) {
    const std::array<float, 4> values{first};
    const auto x = host.to_device<float>("x", values);
    if (!x) return failure(x.error());
    return host.launch("k", {1}, {1}, {*x});
  }
};

const CallTree& tree_of(const Outcome& outcome) { return testing::figure<CallTree>(outcome); }

/// How often a lane called each function.
std::map<std::string, int> calls_of_lane(const CallTree& tree, std::uint32_t lane) {
  std::map<std::string, int> calls;
  for (const CallTree::Call& call : tree.calls) {
    if ((call.lanes >> lane & 1) != 0) ++calls[tree.functions[call.function].name];
  }
  return calls;
}

std::uint64_t bytes_of(const CallTree& tree, const std::string& name) {
  for (const CallTree::Function& function : tree.functions) {
    if (function.name == name) return function.bytes.value_or(0);
  }
  ADD_FAILURE() << "no call of " << name;
  return 0;
}

/// What every tree must be: each instruction in one stretch, each call inside the one that made it, lanes among that one's.
void expect_whole(const CallTree& tree) {
  EXPECT_TRUE(tree.whole);
  ASSERT_FALSE(tree.calls.empty());
  EXPECT_EQ(tree.calls[0].parent, CallTree::none);
  std::vector<int> covered(tree.instructions);
  for (std::size_t i = 0; i < tree.calls.size(); ++i) {
    const CallTree::Call& call = tree.calls[i];
    for (const CallTree::Stretch& stretch : call.stretches) {
      EXPECT_EQ(stretch.mask & ~call.lanes, 0U) << i;
      EXPECT_GE(stretch.first, call.first);
      EXPECT_LE(stretch.first + stretch.instructions, call.last);
      for (std::uint32_t k = 0; k < stretch.instructions; ++k) ++covered.at(stretch.first + k);
    }
    if (i == 0) continue;
    ASSERT_LT(call.parent, i) << "a call is behind the one that made it";
    const CallTree::Call& outer = tree.calls[call.parent];
    EXPECT_EQ(call.depth, outer.depth + 1);
    EXPECT_EQ(call.lanes & ~outer.lanes, 0U);
    EXPECT_GE(call.first, outer.first);
    EXPECT_LE(call.last, outer.last);
  }
  EXPECT_TRUE(std::all_of(covered.begin(), covered.end(), [](int times) { return times == 1; }));
}

TEST_F(DeviceFunctions, InlinedAThreadMakesNoCall) {
  for (const char* pass : {"reference", "value"}) {
    const Outcome outcome = run({{"pass", pass}});
    EXPECT_EQ(number(outcome, "calls"), 0);
    EXPECT_EQ(number(outcome, "deepest"), 0);
    const CallTree& tree = tree_of(outcome);
    expect_whole(tree);
    EXPECT_EQ(tree.calls.size(), 1U);
    EXPECT_EQ(tree.functions.at(0).name, "ensemble");
    EXPECT_NE(tree.title.find("No function is called"), std::string::npos) << tree.title;
  }
  const Outcome by_cell = run({{"work", "cell"}});
  EXPECT_EQ(number(by_cell, "calls"), 0);
}

TEST_F(DeviceFunctions, NotInlinedItCallsStepOnceAndSlopeFourTimes) {
  for (const char* work : {"member", "cell"}) {
    const Outcome outcome = run({{"inlined", "off"}, {"work", work}});
    EXPECT_EQ(number(outcome, "calls"), 5);
    EXPECT_EQ(number(outcome, "deepest"), 2);
    const CallTree& tree = tree_of(outcome);
    expect_whole(tree);
    const std::map<std::string, int> expected{{"ensemble", 1}, {"step", 1}, {"slope", 4}};
    EXPECT_EQ(calls_of_lane(tree, 0), expected);
    EXPECT_EQ(calls_of_lane(tree, 31), expected);
    EXPECT_EQ(tree.title, "Each thread makes 5 calls, at most 2 within one another");
    for (const CallTree::Call& call : tree.calls) {
      EXPECT_EQ(call.lanes, all_lanes);
      if (tree.functions[call.function].name != "slope") continue;
      EXPECT_EQ(tree.functions[tree.calls[call.parent].function].name, "step");
      EXPECT_NE(line(call.line).find("slope("), std::string::npos) << call.line;
    }
  }
}

TEST_F(DeviceFunctions, ByValueACallTakesTheStateAndGivesOneBack) {
  const Outcome reference = run({{"inlined", "off"}}), value = run({{"inlined", "off"}, {"pass", "value"}});
  EXPECT_EQ(number(value, "calls"), 5);
  EXPECT_EQ(bytes_of(tree_of(reference), "slope"), 16U) << "two addresses";
  EXPECT_EQ(bytes_of(tree_of(value), "slope"), 256U) << "32 floats in, 32 out";
  EXPECT_EQ(number(reference, "wrong") + number(value, "wrong"), 0);
  // What a reference names has an address; a copy may stay in registers, of which there are more then.
  EXPECT_GT(number(reference, "machine_stack"), number(value, "machine_stack"));
  EXPECT_LT(number(reference, "registers"), number(value, "registers"));
}

TEST_F(DeviceFunctions, RecursionGoesAsDeepAsEachLaneAsks) {
  const Outcome outcome = run({{"inlined", "off"}, {"halved", "on"}});
  EXPECT_EQ(number(outcome, "calls"), 15 + 8 + 32);
  EXPECT_EQ(number(outcome, "deepest"), 6) << "four of advance(), then step() and slope()";
  EXPECT_EQ(number(outcome, "wrong") + number(outcome, "late"), 0);
  const CallTree& tree = tree_of(outcome);
  expect_whole(tree);
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    const int steps = 1 << (lane % 4);
    const std::map<std::string, int> expected{{"ensemble", 1}, {"advance", 2 * steps - 1}, {"step", steps}, {"slope", 4 * steps}};
    EXPECT_EQ(calls_of_lane(tree, lane), expected) << lane;
  }
  EXPECT_EQ(number(outcome, "stack"), static_cast<double>(bytes_of(tree, "ensemble") + 4 * bytes_of(tree, "advance") +
                                                          bytes_of(tree, "step") + bytes_of(tree, "slope")));
  EXPECT_EQ(tree.title, "A thread makes 6 to 55 calls, at most 6 within one another");
  EXPECT_EQ(fewest_calls(tree), 1U + 1 + 4) << "of a lane that does not halve";
  EXPECT_LT(number(outcome, "stack"), 512) << "as the page says of this recursion";
  EXPECT_LT(number(run({{"inlined", "off"}, {"halved", "on"}, {"pass", "value"}}), "stack"), 512);
  EXPECT_FALSE(testing::findings(outcome, gpu::FindingKind::divergence).empty());
  EXPECT_LT(number(outcome, "lanes_on"), 0.8 * number(run({{"inlined", "off"}}), "lanes_on"));
}

TEST_F(DeviceFunctions, OfAnInlinedRecursionTheRecursionAndItsStepAreLeft) {
  const Outcome outcome = run({{"halved", "on"}});
  EXPECT_EQ(number(outcome, "calls"), 15 + 8);
  EXPECT_EQ(number(outcome, "deepest"), 5);
  const CallTree& tree = tree_of(outcome);
  expect_whole(tree);
  std::set<std::string> names;
  for (const CallTree::Function& function : tree.functions) names.insert(function.name);
  EXPECT_EQ(names, (std::set<std::string>{"ensemble", "advance", "step"}));
}

TEST_F(DeviceFunctions, OneMemberABlockKeepsItsLanesTogether) {
  const Outcome outcome = run({{"inlined", "off"}, {"halved", "on"}, {"work", "cell"}});
  EXPECT_EQ(number(outcome, "calls"), 15 + 8 + 32) << "a member that halves three times is shown";
  const CallTree& tree = tree_of(outcome);
  expect_whole(tree);
  EXPECT_EQ(tree.block % 4, 3U);
  for (const CallTree::Call& call : tree.calls) EXPECT_EQ(call.lanes, all_lanes);
}

/// Any method of Runge and Kutta by its table, in float64: not written as the lesson's is.
std::vector<double> stepped(const std::vector<double>& x, double h) {
  const std::array<double, 4> at{0, 0.5, 0.5, 1}, weights{1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  const int n = static_cast<int>(x.size());
  std::vector<double> sum = x, slopes(x.size(), 0.0);
  for (std::size_t k = 0; k < at.size(); ++k) {
    std::vector<double> z = x;
    for (std::size_t i = 0; i < x.size(); ++i) z[i] += at[k] * h * slopes[i];
    const auto cell = [&](int i) { return z[static_cast<std::size_t>((i + n) % n)]; };
    for (int i = 0; i < n; ++i) slopes[static_cast<std::size_t>(i)] = (cell(i + 1) - cell(i - 2)) * cell(i - 1) - cell(i) + 8;
    for (std::size_t i = 0; i < x.size(); ++i) sum[i] += weights[k] * h * slopes[i];
  }
  return sum;
}

TEST_F(DeviceFunctions, EveryVersionIsRight) {
  constexpr std::size_t members = 37, cells = 32;
  std::vector<float> before(members * cells);
  for (std::size_t i = 0; i < before.size(); ++i)
    before[i] = 2.5F + 4 * static_cast<float>(std::sin(0.7 * static_cast<double>(i * i % 97)));
  for (int version = 0; version < 16; ++version) {
    const bool by_cell = (version & 1) != 0, halved = (version & 2) != 0, inlined = (version & 4) != 0, by_value = version >= 8;
    if (by_cell && by_value) continue;
    Host host(device(), {.kernel_file = lesson().kernel_file, .kernel_text = kernel(), .defines = {}, .job = nullptr});
    for (const auto& [name, on] : {std::pair{"WORK", by_cell}, {"HALVED", halved}, {"INLINED", inlined}, {"BY_VALUE", by_value}})
      host.define(name, on ? "1" : "0");
    const auto x = host.to_device<float>("x", before);
    const auto time = host.zeros<float>("time", {members});
    ASSERT_TRUE(x && time);
    const std::uint32_t blocks = by_cell ? members : 2, threads = by_cell ? cells : 32;
    const auto report =
        host.launch("ensemble", {blocks}, {threads}, {*x, *time, gpu::Scalar::of(std::int32_t{members}), gpu::Scalar::of(0.05F)},
                    {.observe = gpu::Observe::all(), .seed = {}});
    ASSERT_TRUE(report && report->ok()) << version;
    for (const gpu::Finding& finding : report->findings)
      EXPECT_TRUE(finding.kind == gpu::FindingKind::coalescing || finding.kind == gpu::FindingKind::divergence)
          << in_english(finding.message);
    const auto after = host.copy_to_host<float>(*x);
    const auto times = host.copy_to_host<float>(*time);
    ASSERT_TRUE(after && times);
    for (std::size_t m = 0; m < members; ++m) {
      EXPECT_EQ((*times)[m], 0.05F) << m;
      std::vector<double> right(&before[m * cells], &before[m * cells] + cells);
      const int steps = halved ? 1 << (m % 4) : 1;
      for (int k = 0; k < steps; ++k) right = stepped(right, double{0.05F} / steps);
      for (std::size_t i = 0; i < cells; ++i) ASSERT_NEAR((*after)[m * cells + i], right[i], 1e-5) << version << ", " << m;
    }
  }
}

TEST_F(DeviceFunctions, AThreadForEachCellIsNotAsManyTimesAsFast) {
  const Outcome member = run({}), cell = run({{"work", "cell"}});
  EXPECT_GT(number(member, "faster"), 1.25) << "by the model";
  EXPECT_LT(number(member, "faster"), 10) << "by the model";
  EXPECT_EQ(number(member, "faster"), number(cell, "faster")) << "both pages time both launches";
  EXPECT_EQ(number(member, "us"), number(member, "us_member"));
  EXPECT_EQ(number(cell, "us"), number(cell, "us_cell"));
  const SmTimeline& both = testing::figure<SmTimeline>(cell);
  ASSERT_EQ(both.runs.size(), 2U);
  EXPECT_EQ(both.runs[0].label, "a thread a cell");
}

TEST_F(DeviceFunctions, EveryPresetIsRight) {
  for (const Preset& preset : lesson().presets) {
    Settings settings;
    for (const auto& [id, value] : preset.values) {
      const auto control =
          std::find_if(lesson().controls.begin(), lesson().controls.end(), [&](const auto& c) { return c.id == id; });
      ASSERT_NE(control, lesson().controls.end()) << id;
      settings.emplace_back(id, value_text(*control, value));
    }
    settings.emplace_back("members", "8");
    const Outcome outcome = run(settings);
    EXPECT_EQ(number(outcome, "wrong") + number(outcome, "late"), 0) << in_english(preset.label);
    EXPECT_LT(number(outcome, "largest_error"), 1e-5) << in_english(preset.label);
    EXPECT_NE(outcome.note.find("All 8 members are right"), std::string::npos) << outcome.note;
    expect_whole(tree_of(outcome));
  }
}

TEST_F(DeviceFunctions, AStepThatIsNotRungeAndKuttasIsWrong) {
  std::string text = kernel();
  const std::string weights = "const int weight = k % 3 == 1 ? 1 : 2;";
  ASSERT_NE(text.find(weights), std::string::npos);
  text.replace(text.find(weights), weights.size(), "const int weight = 1;");
  Host host(device(), {.kernel_file = lesson().kernel_file, .kernel_text = text, .defines = {}, .job = nullptr});
  const auto outcome = lesson().run(host, values({{"members", "8"}}), nullptr);
  ASSERT_TRUE(outcome);
  EXPECT_GT(number(*outcome, "wrong"), 240) << "of 256";
  EXPECT_NE(outcome->note.find("are wrong"), std::string::npos) << outcome->note;
}

// What the page says of the stack's end: thousands of calls pass here, and 512 KB a thread is the last.
TEST_F(DeviceFunctions, TheVirtualGpuLetsThousandsOfCallsPass) {
  Host host(device(), {.kernel_file = "deep.cu",
                       .kernel_text = "__device__ int deep(int n) { return n == 0 ? 0 : 1 + 2 * deep(n - 1); }\n"
                                      "extern \"C\" __global__ void k(float* x) { x[0] = deep((int)x[0]) != 0; }\n",
                       .defines = {},
                       .job = nullptr});
  const auto passes = launch_one(host, 5000), ends = launch_one(host, 40'000);
  ASSERT_TRUE(passes && ends);
  EXPECT_TRUE(passes->ok()) << say(passes->message);
  EXPECT_EQ(ends->status, "cudaErrorIllegalAddress");
  EXPECT_NE(say(ends->message).find("512 KB"), std::string::npos) << say(ends->message);
}

TEST_F(DeviceFunctions, ThePageQuotesTheCompiler) {
  const auto page = read_text(data_directory() / "lessons/18_device_functions/text.en.md");
  ASSERT_TRUE(page);
  const std::array<std::pair<std::string, std::string>, 2> refused{
      {{"float half(float x) { return x / 2; }\nextern \"C\" __global__ void k(float* x) { x[0] = half(x[0]); }\n",
        "calling a __host__ function(\"half(float)\") from a __global__ function(\"k\") is not allowed"},
       {"__global__ void other(float* x) { x[1] = 2; }\nextern \"C\" __global__ void k(float* x) { other<<<1, 1>>>(x); }\n",
        "device-side kernel launch could not be processed as the required runtime APIs are not declared"}}};
  for (const auto& [text, words] : refused) {
    EXPECT_NE(page->find(words), std::string::npos) << words;
    Host host(device(), {.kernel_file = "refused.cu", .kernel_text = text, .defines = {}, .job = nullptr});
    const auto report = launch_one(host, 1);
    ASSERT_FALSE(report);
    ASSERT_TRUE(host.failure_of_compile());
    const auto& said = host.failure_of_compile()->diagnostics;
    EXPECT_TRUE(std::any_of(said.begin(), said.end(), [&](const auto& d) { return d.message.find(words) != std::string::npos; }));
  }
}

/// A kernel that calls add() `times` times in a thread, one after the other.
constexpr const char* caller =
    "__device__ __noinline__ float add(float a, int k) { return a + k; }\n"
    "extern \"C\" __global__ void k(float* x, int times)\n"
    "{\n"
    "    float sum = 0;\n"
    "    for (int k = 0; k < times; ++k) sum = add(sum, k);\n"
    "    x[blockIdx.x * blockDim.x + threadIdx.x] = sum;\n"
    "}\n";

Result<gpu::LaunchReport> launch_caller(Host& host, std::uint32_t blocks, std::int32_t times, std::size_t history_bytes) {
  const auto x = host.zeros<float>("x", {std::size_t{blocks} * 32});
  if (!x) return failure(x.error());
  gpu::Observe observe;
  observe.history = history_bytes;
  return host.launch("k", {blocks}, {32}, {*x, gpu::Scalar::of(times)},
                     {.observe = observe, .schedule = gpu::Schedule::clock, .seed = {}});
}

TEST_F(DeviceFunctions, BehindTheMostCallsThatAreKeptTheKernelGoesOn) {
  Host host(device(), {.kernel_file = "caller.cu", .kernel_text = caller, .defines = {}, .job = nullptr});
  const auto report = launch_caller(host, 1, 5000, gpu::Observe::history_bytes);
  ASSERT_TRUE(report && report->ok());
  ASSERT_EQ(report->history->dropped(), 0U);
  const CallTree tree = calls_of(*report->history, {});
  EXPECT_FALSE(tree.whole);
  EXPECT_EQ(tree.calls.size(), 4096U);
  for (std::size_t i = 1; i < tree.calls.size(); ++i) ASSERT_EQ(tree.calls[i].parent, 0U) << i;
  EXPECT_EQ(tree.calls[0].last, tree.instructions) << "its last instruction stands behind calls that are not kept";
}

TEST_F(DeviceFunctions, OfALongLaunchAWarpIsShownThatIsKeptWhole) {
  Host host(device(), {.kernel_file = "caller.cu", .kernel_text = caller, .defines = {}, .job = nullptr});
  const auto report = launch_caller(host, 2000, 4, std::size_t{8} << 20);
  ASSERT_TRUE(report && report->ok());
  ASSERT_GT(report->history->dropped(), 0U);
  const CallTree tree = calls_of(*report->history, {});
  expect_whole(tree);
  const std::map<std::string, int> expected{{"k", 1}, {"add", 4}};
  EXPECT_EQ(calls_of_lane(tree, 0), expected);
  EXPECT_EQ(calls_of_lane(tree, 31), expected);
}

TEST(StackBytes, AreLocalVariablesArgumentsAndResults) {
  const auto bytes = stack_bytes(
      ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b)\n;\n"
      ".func  (.param .align 4 .b8 func_retval0[160]) _Z5slope5State(\n\t.param .align 4 .b8 _Z5slope5State_param_0[160]\n)\n{\n"
      "\t.reg .b32 %r<3>;\n\tld.local.f32 %f1, [%rd1+8];\n\tret;\n}\n"
      ".func _Z4stepR5Statef(\n\t.param .b64 _Z4stepR5Statef_param_0,\n\t.param .b32 _Z4stepR5Statef_param_1\n)\n{\n"
      "\t.local .align 4 .b8 \t__local_depot1[320];\n\tret;\n}\n"
      "\t// .globl\tensemble\n.visible .entry ensemble(\n\t.param .u64 ensemble_param_0,\n\t.param .u32 ensemble_param_1\n)\n{\n"
      "\t.local .align 8 .b8 \t__local_depot3[16];\n\tret;\n}\n");
  const std::map<std::string, std::uint64_t> expected{{"_Z5slope5State", 320}, {"_Z4stepR5Statef", 332}, {"ensemble", 16}};
  EXPECT_EQ(bytes, expected);
}

}  // namespace
}  // namespace warpbook::lessons
