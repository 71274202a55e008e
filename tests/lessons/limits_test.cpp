// What a kernel that computes rightly may cost: each limit with a kernel that does not keep it and one that does, which differ in
// nothing else.
#include "lessons/limits.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "lessons/case_launch.h"
#include "lessons/catalog.h"
#include "lessons/check.h"
#include "lessons/experiment.h"
#include "tests/lessons/virtual_gpu.h"

namespace warpbook::lessons {
namespace {

namespace fs = std::filesystem;

class LimitTest : public ::testing::Test {
 protected:
  LimitTest() { fs::create_directories(folder_); }
  ~LimitTest() override { fs::remove_all(folder_); }

  /// One case, the first of whose arguments is `const float* in` of 4096 elements, and the second `float* out` of as many.
  Result<CheckReport> check_one(const std::string& limits, const std::string& solution, const std::string& learners,
                                const std::string& start = {}, int threads = 256) {
    std::ofstream(folder_ / "solution.cu") << solution;
    std::ofstream(folder_ / "start.cu") << start;
    std::ofstream(folder_ / "task.toml") << "title = \"t\"\nkernel = \"k\"\n[limits]\n" + limits +
                                                "\n[[case]]\nname = \"c\"\ngrid = [" + std::to_string(4096 / threads) +
                                                "]\nblock = [" + std::to_string(threads) +
                                                "]\narguments = " + "[\"float32[4096]=uniform:-1:1:1\", \"float32[4096]=9\"]\n";
    auto exercise = read_exercise(*find_lesson("01"), folder_);
    if (!exercise) return failure(exercise.error());
    return check(testing::virtual_gpu(), *exercise, {.file = "mine.cu", .text = learners});
  }
  Checks::Over over(const std::string& limits, const std::string& solution, const std::string& learners,
                    const std::string& start = {}, int threads = 256) {
    const auto report = check_one(limits, solution, learners, start, threads);
    EXPECT_TRUE(report) << (report ? "" : report.error().message);
    if (!report || report->cases.empty()) return {};
    const CheckReport::Case& one = report->cases.at(0);
    EXPECT_EQ(one.verdict, Checks::Verdict::over_limit) << name_of(one.verdict) << " " << one.message;
    EXPECT_TRUE(one.over && one.over->message == one.message) << one.message;
    EXPECT_FALSE(hints_for(one).empty());
    return one.over.value_or(Checks::Over{});
  }
  void expect_kept(const std::string& limits, const std::string& solution, const std::string& learners,
                   const std::string& start = {}, int threads = 256) {
    const auto report = check_one(limits, solution, learners, start, threads);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->cases.at(0).verdict, Checks::Verdict::passed) << report->cases.at(0).message;
  }
  fs::path folder_ = fs::temp_directory_path() / ("warpbook_limits_" + std::to_string(getpid()));
};

/// Each thread doubles the element i; `body` stands in a line of its own, the fourth.
std::string kernel(const std::string& index, const std::string& body = "out[i] = 2 * in[i];") {
  return "extern \"C\" __global__ void k(const float* in, float* out)\n{\n    const int t = blockIdx.x * blockDim.x + threadIdx.x, "
         "i = " +
         index + ";\n    " + body + "\n}\n";
}
const std::string plain = kernel("t");

TEST_F(LimitTest, SectorsAreThoseOfTheFewestThatCouldHoldWhatIsAskedFor) {
  // Neighbouring lanes 64 elements apart: each of a warp's 32 floats lies in a sector of its own, where 4 would do.
  const std::string scattered = kernel("t % 64 * 64 + t / 64");
  const Checks::Over found = over("sectors = 1.25", plain, scattered);
  EXPECT_EQ(found.limit, "sectors");
  EXPECT_EQ(found.amount, 2 * 4096);
  EXPECT_EQ(found.allowed, 1.25 * 2 * 4096 / 8);
  EXPECT_EQ(found.line, 4U);
  EXPECT_NE(found.message.find("8192 sectors of global memory, 8.00 times the fewest"), std::string::npos) << found.message;
  expect_kept("sectors = 8", plain, scattered);
  expect_kept("sectors = 1", plain, kernel("4095 - t"));
}

TEST_F(LimitTest, SectorsOfTheStart) {
  const std::string thrice =
      "extern \"C\" __global__ void k(const float* in, float* out)\n{\n    const int i = blockIdx.x * blockDim.x + "
      "threadIdx.x;\n    volatile float* v = out;\n    v[i] = in[i];\n    v[i] = 2 * v[i];\n}\n";
  const Checks::Over found = over("sectors_of_start = 0.6", plain, thrice, thrice);
  EXPECT_EQ(found.limit, "sectors_of_start");
  EXPECT_EQ(found.amount, 4 * 512);
  EXPECT_EQ(found.allowed, 0.6 * 4 * 512);
  expect_kept("sectors_of_start = 0.6", plain, plain, thrice);
}

TEST_F(LimitTest, BankConflictsAreThePassesBeyondOneARequest) {
  const auto through_shared = [](const std::string& width) {
    return "extern \"C\" __global__ void k(const float* in, float* out)\n{\n    __shared__ float s[8][" + width +
           "];\n    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n    s[t % 8][t / 8] = in[i];\n    "
           "__syncthreads();\n"
           "    out[i] = 2 * s[t % 8][t / 8];\n}\n";
  };
  const Checks::Over found = over("bank_conflicts = 0", plain, through_shared("32"));
  EXPECT_EQ(found.limit, "bank_conflicts");
  // 32 lanes, 8 rows, 4 columns: 8 words of each of 4 banks, so 7 passes too many in each of 128 warps, stored and loaded.
  EXPECT_EQ(found.amount, 7 * 128 * 2);
  EXPECT_TRUE(found.line == 5 || found.line == 7) << found.line;
  expect_kept("bank_conflicts = 0", plain, through_shared("36"));
}

TEST_F(LimitTest, AtomicsAreCountedByThreads) {
  const auto by = [](const std::string& who) {
    return "extern \"C\" __global__ void k(const float* in, float* out)\n{\n    const int i = blockIdx.x * blockDim.x + "
           "threadIdx.x;\n"
           "    out[i] = 2 * in[i];\n    __shared__ int n;\n    if (threadIdx.x == 0) n = 0;\n    __syncthreads();\n    if (" +
           who + ") atomicAdd(&n, 1);\n}\n";
  };
  const Checks::Over found = over("atomics = 1", by("i % 32 == 0"), by("true"));
  EXPECT_EQ(found.limit, "atomics");
  EXPECT_EQ(found.amount, 4096);
  EXPECT_EQ(found.allowed, 128);
  EXPECT_EQ(found.line, 8U);
  expect_kept("atomics = 1", by("i % 32 == 0"), by("i % 64 == 1"));
}

TEST_F(LimitTest, InstructionsOfWarps) {
  const std::string again = kernel("t", "for (int k = 0; k < 8; ++k) ((volatile float*)out)[i] = 2 * in[i];");
  const Checks::Over found = over("instructions = 1.5", plain, again);
  EXPECT_EQ(found.limit, "instructions");
  EXPECT_EQ(found.line, 4U);
  EXPECT_GT(found.amount, found.allowed);
  expect_kept("instructions = 1.5", plain, kernel("t", "out[i] = in[i] + in[i];"));
}

TEST_F(LimitTest, InstructionsInDoublePrecision) {
  const Checks::Over found = over("float64_instructions = 0", plain, kernel("t", "volatile double two = 2; out[i] = in[i] * two;"));
  EXPECT_EQ(found.limit, "float64_instructions");
  EXPECT_EQ(found.line, 4U);
  // A warp widens, multiplies and narrows: at least one of the three computes in double precision, and they are no more.
  EXPECT_GE(found.amount, 128);
  EXPECT_LE(found.amount, 3 * 128);
  expect_kept("float64_instructions = 0", plain, kernel("t", "volatile float two = 2; out[i] = in[i] * two;"));
}

TEST_F(LimitTest, TimeIsThatOfTheProfileThatIsNamed) {
  const std::string alone =
      "extern \"C\" __global__ void k(const float* in, float* out)\n{\n    if (blockIdx.x + threadIdx.x == 0)\n"
      "        for (int i = 0; i < 4096; ++i) out[i] = 2 * in[i];\n}\n";
  const Checks::Over found = over("time = 1.5\nprofile = \"A40\"", plain, alone);
  EXPECT_EQ(found.limit, "time");
  EXPECT_EQ(found.line, 4U);
  EXPECT_NE(found.message.find("by the model of the A40"), std::string::npos) << found.message;
  expect_kept("time = 1.5\nprofile = \"A40\"", plain, kernel("4095 - t"));
}

TEST_F(LimitTest, OccupancyIsThatOfTheProfileThatIsNamed) {
  // An A40's multiprocessor has 1536 places: a block of 1024 fills two thirds of them, and of a T4's 1024 all.
  const Checks::Over found = over("occupancy = 1\nprofile = \"A40\"", plain, plain, {}, 1024);
  EXPECT_EQ(found.limit, "occupancy");
  EXPECT_NEAR(found.amount, 1024.0 / 1536, 1e-9);
  EXPECT_EQ(found.allowed, 1);
  expect_kept("occupancy = 1\nprofile = \"T4\"", plain, plain, {}, 1024);
  expect_kept("occupancy = 0.66\nprofile = \"A40\"", plain, plain, {}, 1024);
}

TEST_F(LimitTest, AWrongResultAndAFindingComeFirst) {
  const auto wrong = check_one("sectors = 0", plain, kernel("t", "out[i] = in[i];"));
  ASSERT_TRUE(wrong) << wrong.error().message;
  EXPECT_EQ(wrong->cases.at(0).verdict, Checks::Verdict::wrong);
  const auto racing = check_one("sectors = 0", plain, kernel("t", "out[i] = 2 * in[i]; out[i ^ 1] = 2 * in[i ^ 1];"));
  ASSERT_TRUE(racing) << racing.error().message;
  EXPECT_EQ(racing->cases.at(0).verdict, Checks::Verdict::finding);
}

TEST_F(LimitTest, WhatIsNotObservedHoldsNobodyUp) {
  gpu::LaunchReport report;
  report.lines.push_back({.line = 3, .sectors = 100, .fewest_sectors = 1});
  Limits limits;
  limits[Limit::sectors] = 1;
  EXPECT_FALSE(first_over(limits, {.learners = {.counted = &report}, .solution = {}})) << "coalescing was not looked for";
  EXPECT_FALSE(first_over(limits, {.learners = {}, .solution = {}}));
  report.observed[gpu::FindingKind::coalescing] = gpu::Observation::observed;
  EXPECT_TRUE(first_over(limits, {.learners = {.counted = &report}, .solution = {}}));
}

TEST_F(LimitTest, AProfileThatThereIsNotIsTheTasksFault) {
  const auto report = check_one("time = 1\nprofile = \"A41\"", plain, plain);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, "bad_task");
  EXPECT_NE(report.error().message.find("A41"), std::string::npos) << report.error().message;
}

/// µs of `tune`'s case by the model of its profile.
double tuned(gpu::Device& device, const Exercise& tune, const gpu::ProgramPtr& program, std::uint32_t blocks,
             std::uint32_t threads) {
  const Exercise launch = chosen(tune, "blocks = " + std::to_string(blocks) + "\nthreads = " + std::to_string(threads) + "\n");
  const auto launched =
      launch_once(device, {program, program->find(tune.kernel)}, launch.cases.at(0), {.schedule = gpu::Schedule::clock}, nullptr);
  EXPECT_TRUE(launched && launched->report.ok());
  return launched ? microseconds(launched->report) : 0;
}

TEST_F(LimitTest, TheSolutionOfTuneIsTheBestOfASweepAndFewOthersPass) {
  const auto tune = find_exercise("tune");
  ASSERT_TRUE(tune) << tune.error().message;
  gpu::Compiler compiler;
  const auto device = gpu::make_virtual_device(compiler, (*tune)->limits.profile);
  ASSERT_TRUE(device);
  const auto program = (*device)->compile({.file = "kernel.cu", .text = *read_text((*tune)->folder / "kernel.cu")});
  ASSERT_TRUE(program) << program.error().message;
  const double solution = tuned(**device, **tune, *program, 84, 1024);
  std::size_t pass = 0, tried = 0;
  for (const std::uint32_t blocks : {42U, 84U, 168U, 336U}) {
    for (const std::uint32_t threads : {64U, 256U, 512U, 1024U}) {
      const double us = tuned(**device, **tune, *program, blocks, threads);
      EXPECT_GE(us, 0.98 * solution) << blocks << " blocks of " << threads;
      ++tried;
      pass += us <= *(*tune)->limits[Limit::time] * solution;
    }
  }
  EXPECT_LE(pass, tried / 4) << "whoever guesses passes";
}

}  // namespace
}  // namespace warpbook::lessons
