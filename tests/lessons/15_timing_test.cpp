// Lesson 15: what each watch shows, against a host and a device written down here; and the answers of its exercises against a clock
// that is read before each line of the program.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "lessons/15_timing/watches.h"
#include "lessons/check.h"
#include "lessons/exercise.h"
#include "lessons/host_clock.h"
#include "lessons/host_code.h"
#include "tests/lessons/lesson_run.h"

namespace warpbook::lessons {
namespace {

using testing::LessonRun;
using testing::number;

// The T4's launch overhead, which tests run on, and the host's share of it; a blocked host needs 20 µs to wake up.
constexpr double overhead = 2.7, share = 0.6 * overhead, wake = 20, lookup = 0.3;

class Timing : public LessonRun {
 protected:
  Timing() : LessonRun("15") {}

  [[nodiscard]] static const HostTimeline& timeline(const Outcome& outcome) { return testing::figure<HostTimeline>(outcome); }
  static void expect_watches(const Outcome& outcome, double cpu, double no_wait, double wait, double events) {
    EXPECT_NEAR(number(outcome, "cpu_us"), cpu, 1e-6);
    EXPECT_NEAR(number(outcome, "no_wait_us"), no_wait, 1e-6);
    EXPECT_NEAR(number(outcome, "wait_us"), wait, 1e-6);
    EXPECT_NEAR(number(outcome, "events_us"), events, 1e-6);
    EXPECT_EQ(number(outcome, "wrong"), 0);
  }
};

TEST_F(Timing, AHostThatSpinsBurnsCpuTimeAsLongAsTheWallClockGoes) {
  const Outcome outcome = run({});
  const double kernel = number(outcome, "kernel_us");
  // 8,192 dependent steps of four cycles at 1.59 GHz.
  EXPECT_NEAR(kernel, 8192 * 4 / 1590.0, 2);
  expect_watches(outcome, overhead + kernel, share, overhead + kernel, overhead + kernel);
  EXPECT_NEAR(number(outcome, "cpu_share"), 100, 1e-9);
  EXPECT_EQ(number(outcome, "agreeing"), 3);
  EXPECT_EQ(number(outcome, "compile_us"), 0) << "the warm-up has done it";
  EXPECT_TRUE(outcome.report.findings.empty());
  EXPECT_EQ(outcome.note, "Off by more than a quarter of the kernel's time: Wall clock, no wait.");
}

TEST_F(Timing, AHostThatBlocksHasNoCpuTimeAndWakesUpLate) {
  const Outcome outcome = run({{"wait", "block"}});
  const double kernel = number(outcome, "kernel_us");
  expect_watches(outcome, share + 2 * lookup, share, overhead + kernel + wake, overhead + kernel);
  EXPECT_EQ(number(outcome, "agreeing"), 1) << "the events";
  EXPECT_LT(number(outcome, "cpu_share"), 20);
}

TEST_F(Timing, AShortKernelIsHiddenByItsLaunch) {
  const Outcome one = run({{"steps", "1"}});
  EXPECT_LT(number(one, "kernel_us"), 1);
  EXPECT_EQ(number(one, "agreeing"), 0);
  EXPECT_GT(number(one, "events_us"), overhead);
  const Outcome eight = run({{"steps", "1"}, {"launches", "8"}});
  EXPECT_EQ(number(eight, "agreeing"), 0);
  EXPECT_NEAR(number(eight, "events_us"), 7 * share + overhead + number(one, "kernel_us"), 0.01) << "the device waits for the host";
  EXPECT_NEAR(number(eight, "no_wait_us"), 8 * share, 1e-6);
}

TEST_F(Timing, ManyLaunchesOfALongKernelComeNearer) {
  const Outcome one = run({{"steps", "4096"}}), eight = run({{"steps", "4096"}, {"launches", "8"}});
  const double kernel = number(one, "kernel_us");
  EXPECT_NEAR(number(eight, "kernel_us"), 8 * kernel, 0.1);
  for (const char* watch : {"cpu_us", "wait_us", "events_us"})
    EXPECT_LT(number(eight, watch) / 8 - kernel, (number(one, watch) - kernel) / 7) << watch;
  EXPECT_LT(number(eight, "no_wait_us"), number(eight, "kernel_us") / 4);
}

TEST_F(Timing, OnlyEventsLeaveOutWhatWasInTheQueueBefore) {
  const Outcome outcome = run({{"steps", "4096"}, {"before", "2"}});
  const double kernel = number(outcome, "kernel_us");
  EXPECT_NEAR(number(outcome, "events_us"), kernel, 1e-6);
  // The clock is read when the host has made two launches and has recorded an event.
  EXPECT_NEAR(number(outcome, "wait_us"), overhead + 3 * kernel - (2 * share + lookup), 0.1);
  EXPECT_NEAR(number(outcome, "cpu_us"), number(outcome, "wait_us"), 1e-6);
  EXPECT_EQ(number(outcome, "agreeing"), 1);
  ASSERT_EQ(timeline(outcome).lanes.at(1).spans.size(), 3U);
  EXPECT_EQ(timeline(outcome).lanes.at(1).spans[1].label, "earlier");
}

TEST_F(Timing, EveryWatchCountsTheCompilerOfAFirstCall) {
  Host host(device(), {.kernel_file = lesson().kernel_file, .kernel_text = kernel(), .defines = {}, .job = nullptr});
  const auto first = lesson().run(host, values({{"warm_up", "off"}}), nullptr);
  ASSERT_TRUE(first);
  const double compile = 1000 * host.program()->compile_ms, kernel_us = number(*first, "kernel_us");
  EXPECT_GT(compile, 1000) << "no compiler takes less than a millisecond";
  EXPECT_EQ(number(*first, "compile_us"), compile);
  const double all = compile + overhead + kernel_us;
  expect_watches(*first, all, compile + share, all, all);
  EXPECT_EQ(number(*first, "agreeing"), 0);
  const auto& host_lane = timeline(*first).lanes.at(0).spans;
  EXPECT_EQ(host_lane.at(0).label, "compiles (measured)");
  EXPECT_NEAR(host_lane.at(0).end - host_lane.at(0).begin, compile, 1e-6);

  const Outcome earlier = run({{"warm_up", "off"}, {"before", "1"}});
  EXPECT_EQ(number(earlier, "compile_us"), 0) << "none of it while the watches go";
  EXPECT_NEAR(number(earlier, "events_us"), number(earlier, "kernel_us"), 1e-6);
  EXPECT_GT(number(earlier, "wait_us"), 1.5 * number(earlier, "kernel_us")) << "the first call's kernel";
  EXPECT_EQ(timeline(earlier).lanes.at(0).spans.at(0).label, "compiles (measured)");
}

TEST_F(Timing, TheRulersLieWhereTheWatchesRan) {
  const Outcome outcome = run({{"before", "1"}, {"wait", "block"}, {"steps", "1024"}});
  const HostTimeline& t = timeline(outcome);
  ASSERT_EQ(t.rulers.size(), 4U);
  const char* names[] = {"cpu_us", "no_wait_us", "wait_us", "events_us"};
  for (std::size_t r = 0; r < 4; ++r) {
    double sum = 0;
    for (const auto& part : t.rulers[r].parts) {
      EXPECT_GE(part.begin, 0);
      EXPECT_LE(part.end, t.end + 1e-9);
      sum += part.end - part.begin;
    }
    EXPECT_NEAR(sum, number(outcome, names[r]), 1e-6);
    EXPECT_NEAR(t.rulers[r].of_kernel, sum / number(outcome, "kernel_us"), 1e-6);
  }
  EXPECT_EQ(std::count_if(t.rulers.begin(), t.rulers.end(), [](const auto& r) { return r.agrees; }), number(outcome, "agreeing"));
  const auto& timed = t.lanes.at(1).spans.back();
  EXPECT_EQ(t.ruled.begin, timed.begin);
  EXPECT_EQ(t.ruled.end, timed.end);
  EXPECT_EQ(t.rulers[3].parts.at(0).end, timed.end);
}

TEST_F(Timing, AnEditedKernelIsJudged) {
  std::string edited = kernel();
  edited.replace(edited.find("+ 0.25f"), 7, "+ 0.5f ");
  Host host(device(), {.kernel_file = lesson().kernel_file, .kernel_text = edited, .defines = {}, .job = nullptr});
  const auto outcome = lesson().run(host, values({{"steps", "16"}}), nullptr);
  ASSERT_TRUE(outcome);
  EXPECT_GT(number(*outcome, "wrong"), 1000);
  EXPECT_NE(outcome->note.find("wrong"), std::string::npos) << outcome->note;
}

TEST_F(Timing, TheHostProgramReadsItsClocksWhereTheLessonDoes) {
  Host host(device(), {.kernel_file = lesson().kernel_file, .kernel_text = kernel(), .defines = {}, .job = nullptr});
  ASSERT_TRUE(lesson().run(host, values({{"steps", "1"}}), nullptr));
  const auto cuda = host_code(kernel(), host.defines(), host.calls());
  ASSERT_TRUE(cuda);
  std::size_t at = cuda->text.find("int main");
  for (const char* words : {"cudaDeviceScheduleSpin", "relax<<<8, 256>>>", "cudaDeviceSynchronize", "cudaEventRecord(event_1",
                            "clocks_1 = read_clocks()", "relax<<<8, 256>>>", "clocks_2 = read_clocks()", "cudaEventRecord(event_2",
                            "cudaDeviceSynchronize", "clocks_3 = read_clocks()", "cudaEventElapsedTime(&ms, event_1, event_2)"}) {
    at = cuda->text.find(words, at);
    ASSERT_NE(at, std::string::npos) << words << "\n" << cuda->text;
  }
  const auto numba = numba_code(*numba_text(lesson()), host.defines(), host.calls());
  ASSERT_TRUE(numba) << numba.error().message;
  EXPECT_NE(numba->text.find("time.process_time()"), std::string::npos) << numba->text;
}

TEST(TimingWatches, AreReadFromARecord) {
  using Kind = HostCall::Kind;
  const auto call = [](Kind kind, double begin, double end, double device_begin = 0, double device_end = 0) {
    HostCall made;
    made.kind = kind;
    made.begin = begin;
    made.end = made.wait_begin = end;
    made.device_begin = device_begin;
    made.device_end = device_end;
    return made;
  };
  std::vector<HostCall> calls{call(Kind::launch, 0, 2, 3, 13), call(Kind::read_clock, 2, 2), call(Kind::launch, 2, 4, 13, 23),
                              call(Kind::read_clock, 4, 4), call(Kind::synchronize, 4, 30)};
  calls.back().wait_begin = 5;
  EXPECT_EQ(timing::timed_launches(calls), std::vector<std::size_t>{2});
  const auto spins = timing::readings_of(calls, {.blocks = false, .events_us = 10});
  EXPECT_EQ(spins.kernel_us, 10);
  EXPECT_EQ(spins.no_wait.reading, 2);
  EXPECT_EQ(spins.waiting.reading, 28);
  EXPECT_EQ(spins.cpu.reading, 28);
  EXPECT_EQ(spins.events.parts.at(0).begin, 13);
  EXPECT_EQ(timing::readings_of(calls, {.blocks = true, .events_us = 10}).cpu.reading, 3);
  const auto later = timing::readings_of(timing::with_compile(calls, 2, 1000), {.blocks = true, .events_us = 1010});
  EXPECT_EQ(later.cpu.reading, 1003);
  EXPECT_EQ(later.no_wait.reading, 1002);
  EXPECT_EQ(later.waiting.reading, 1028);
  EXPECT_EQ(later.events.parts.at(0).begin, 13);
  EXPECT_EQ(timing::readings_of(std::span(calls).first(2), {}).waiting.reading, 0) << "nothing was timed";
}

// ---- exercises ------------------------------------------------------------------------------------------------------------------

/// The clock before each line of the exercise's program: launches take 3 µs to begin, the kernel 50, a copy 20. A first call
/// compiles for 1,000 µs, and its kernel takes longer, because the caches are empty.
std::vector<double> clock_before_lines(const std::vector<std::string>& lines) {
  HostClock clock(2);
  std::vector<double> before;
  bool called = false;
  for (const std::string& line : lines) {
    before.push_back(clock.now);
    const auto has = [&](const char* words) { return line.find(words) != std::string::npos && !line.starts_with("//"); };
    if (has("relax<<<")) {
      if (!called) clock.now += 1000;
      (void)clock.work(0, HostClock::Engine::kernels, clock.now + 3, called ? 50 : 60);
      called = true;
      clock.now += 2;
    } else if (has("cudaMemcpy(") || has("cudaMemset(")) {
      clock.now = clock.work(0, HostClock::Engine::to_host, clock.now, 20).end;
    } else if (has("cudaMalloc(") || has("cudaFree(")) {
      clock.now = clock.all_done() + 10;
    } else if (has("Synchronize(")) {
      clock.now = std::max(clock.now, clock.all_done());
    }
  }
  return before;
}

TEST(TimingExercises, TheClockIsReadWhereItShowsTheKernelAndNowhereElse) {
  const auto exercise = find_exercise("time_it");
  ASSERT_TRUE(exercise);
  std::vector<std::string> lines;
  std::istringstream text(*read_text(start_file(**exercise)));
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  const std::vector<double> clock = clock_before_lines(lines);
  int right = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (std::size_t j = i + 1; j < lines.size(); ++j) {
      if (!lines[i].ends_with(";") || !lines[j].ends_with(";")) continue;
      std::string marked;
      for (std::size_t k = 0; k < lines.size(); ++k) marked += lines[k] + (k == i || k == j ? "  // here\n" : "\n");
      const auto report = check_answers(**exercise, {.file = "start.cu", .text = marked}, {});
      ASSERT_TRUE(report) << report.error().message;
      const double measured = clock[j] - clock[i];
      const bool shows = measured > 52 && measured < 55;  // from the launch's call to the kernel's end
      EXPECT_EQ(report->all_passed(), shows) << lines[i] << "\n" << lines[j] << "\n" << measured;
      right += shows;
    }
  }
  EXPECT_EQ(right, 4);
}

TEST(TimingExercises, TheQuizAboutTheFirstCallCanBeAdded) {
  const auto found = find_exercise("first_call");
  ASSERT_TRUE(found);
  const auto& questions = (*found)->questions;
  ASSERT_EQ(questions.size(), 6U);
  EXPECT_DOUBLE_EQ(std::stod(questions[0].answer), (400 + 9 * 2) / 10.0);
  EXPECT_DOUBLE_EQ(std::stod(questions[1].answer), (400 + 999 * 2) / 1000.0);
  // Question 3: with a record in which the first call compiles for 1,000 µs, events show that, too; 5: what an earlier launch left.
  EXPECT_EQ(questions[2].answer, "b");
  EXPECT_EQ(questions[4].answer, "b");
}

}  // namespace
}  // namespace warpbook::lessons
