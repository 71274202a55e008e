// Lesson 03: CUDA's documented rules, held against each call's answer; and what the report adds.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "lessons/03_when_it_fails/runtime.h"
#include "lessons/host_code.h"
#include "tests/lessons/lesson_run.h"

namespace warpbook::lessons {
namespace {

using testing::LessonRun;
using testing::number;

class WhenItFails : public LessonRun {
 protected:
  WhenItFails() : LessonRun("03") {}

  [[nodiscard]] static std::vector<std::string> answers(const Outcome& outcome) {
    std::vector<std::string> all;
    for (const auto& call : testing::figure<HostTimeline>(outcome).calls) all.push_back(call.answer);
    return all;
  }
  [[nodiscard]] static std::vector<std::string> texts(const Outcome& outcome) {
    std::vector<std::string> all;
    for (const auto& call : testing::figure<HostTimeline>(outcome).calls) all.push_back(call.text);
    return all;
  }
  [[nodiscard]] static std::size_t kernels_run(const Outcome& outcome) {
    const auto& spans = testing::figure<HostTimeline>(outcome).lanes.at(1).spans;
    return static_cast<std::size_t>(
        std::count_if(spans.begin(), spans.end(), [](const auto& span) { return span.kind == HostTimeline::Span::Kind::kernel; }));
  }
};

const std::string ok = "cudaSuccess", none, illegal = "cudaErrorIllegalAddress", invalid = "cudaErrorInvalidConfiguration";

TEST_F(WhenItFails, WithoutAMistakeEveryCallSucceeds) {
  for (const char* asks : {"each", "end", "wait"}) {
    const Outcome outcome = run({{"wrong", "nothing"}, {"asks", asks}});
    for (const std::string& answer : answers(outcome)) EXPECT_TRUE(answer == ok || answer.empty()) << answer;
    EXPECT_EQ(number(outcome, "made_at"), 0);
    EXPECT_EQ(number(outcome, "told_by"), 0);
    EXPECT_EQ(number(outcome, "right"), 4096);
    EXPECT_EQ(kernels_run(outcome), 2U);
    EXPECT_TRUE(outcome.report.findings.empty());
  }
}

TEST_F(WhenItFails, ABadIndexIsToldByTheCopyThreeCallsLaterAndSticks) {
  const Outcome outcome = run({});
  EXPECT_EQ(texts(outcome),
            (std::vector<std::string>{"cudaMalloc(&x, 16384)", "cudaMalloc(&out, 16384)", "cudaMemcpy(x, host, 16384)",
                                      "fail<<<32, 128>>>", "cudaGetLastError()", "twice<<<32, 128>>>", "cudaGetLastError()",
                                      "cudaMemcpy(host, out, 16384)", "cudaFree(x)", "cudaFree(out)"}));
  EXPECT_EQ(answers(outcome), (std::vector<std::string>{ok, ok, ok, none, ok, none, ok, illegal, illegal, illegal}));
  EXPECT_EQ(number(outcome, "made_at"), 4);
  EXPECT_EQ(number(outcome, "told_by"), 8);
  EXPECT_EQ(number(outcome, "calls_between"), 3);
  EXPECT_EQ(number(outcome, "right"), 0) << "the copy brought nothing";
  EXPECT_EQ(kernels_run(outcome), 1U) << "after the error nothing is carried out";
  EXPECT_EQ(outcome.report.status, illegal);
}

TEST_F(WhenItFails, WaitingAfterEachLaunchFindsTheCall) {
  const Outcome outcome = run({{"asks", "wait"}});
  EXPECT_EQ(texts(outcome)[5], "cudaDeviceSynchronize()");
  EXPECT_EQ(number(outcome, "told_by"), 6);
  EXPECT_EQ(number(outcome, "calls_between"), 1);
  const auto all = answers(outcome);
  EXPECT_EQ(all[4], ok) << "the kernel had not failed when cudaGetLastError looked";
  for (std::size_t i = 5; i < all.size(); ++i)
    EXPECT_EQ(all[i], texts(outcome)[i].find("<<<") != std::string::npos ? none : illegal);
  EXPECT_EQ(kernels_run(outcome), 1U);
}

TEST_F(WhenItFails, ARefusedLaunchIsToldAtOnceAndDoesNotStick) {
  for (const char* asks : {"each", "wait"}) {
    const Outcome outcome = run({{"wrong", "threads"}, {"asks", asks}});
    EXPECT_EQ(outcome.report.status, invalid);
    EXPECT_EQ(number(outcome, "made_at"), 4);
    EXPECT_EQ(number(outcome, "told_by"), 5);
    EXPECT_EQ(number(outcome, "calls_between"), 0);
    EXPECT_EQ(number(outcome, "errors"), 1) << "cudaGetLastError has cleared it, and a synchronise knows nothing of it";
    EXPECT_EQ(kernels_run(outcome), 1U) << "twice ran";
    EXPECT_EQ(number(outcome, "right"), 0);
  }
}

TEST_F(WhenItFails, AHostThatAsksOnlyAtTheEndLearnsTheNameButNotTheCall) {
  for (const auto& [wrong, error] : {std::pair{"threads", invalid}, {"index", illegal}}) {
    const Outcome outcome = run({{"wrong", wrong}, {"asks", "end"}});
    EXPECT_EQ(texts(outcome)[6], "cudaGetLastError()");
    EXPECT_EQ(number(outcome, "told_by"), 7) << wrong;
    EXPECT_EQ(answers(outcome)[6], error);
    const auto& calls = testing::figure<HostTimeline>(outcome).calls;
    EXPECT_EQ(std::count_if(calls.begin(), calls.end(), [](const auto& call) { return call.looked_at; }), 1);
  }
}

TEST_F(WhenItFails, TheReportNamesTheAccessAndNotTheLineThatIsWrong) {
  const Outcome outcome = run({});
  const auto found = testing::findings(outcome, gpu::FindingKind::memory);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].buffer, "x");
  EXPECT_EQ(found[0].index, 4096);
  EXPECT_EQ(found[0].at.block.x, 31U);
  EXPECT_EQ(found[0].at.thread.x, 127U);
  EXPECT_EQ(number(outcome, "reported_line"), found[0].at.line);
  EXPECT_EQ(line(found[0].at.line), "    out[i] = x[next] - x[i];");
  std::uint32_t wrong = 1;
  while (wrong < 40 && line(wrong) != "    const int next = i + 1;") ++wrong;
  EXPECT_LT(wrong, found[0].at.line);
  const Outcome early = run({{"wrong", "assert"}, {"asks", "wait"}});
  EXPECT_EQ(early.report.status, "cudaErrorAssert");
  EXPECT_EQ(line(static_cast<std::uint32_t>(number(early, "reported_line"))), "    assert(next < n);");
  EXPECT_GT(number(early, "reported_line"), wrong) << "closer to the cause";
  EXPECT_LT(number(early, "reported_line"), number(outcome, "reported_line"));
  EXPECT_NE(say(early.report.message).find("Thread (127,0,0) of block (31,0,0)"), std::string::npos) << say(early.report.message);
  EXPECT_EQ(number(early, "told_by"), 6);
  EXPECT_EQ(answers(early).back(), "cudaErrorAssert") << "sticky, too";
}

TEST_F(WhenItFails, BytesForElementsAreToldByNoCall) {
  for (const char* asks : {"each", "end", "wait"}) {
    const Outcome outcome = run({{"wrong", "bytes"}, {"asks", asks}});
    EXPECT_EQ(texts(outcome)[2], "cudaMemcpy(x, host, 4096)");
    EXPECT_EQ(number(outcome, "made_at"), 3);
    EXPECT_EQ(number(outcome, "told_by"), 0);
    EXPECT_EQ(number(outcome, "errors"), 0);
    EXPECT_EQ(number(outcome, "right"), 1023) << "of 1024 copied values the last has no next one";
    const auto found = testing::findings(outcome, gpu::FindingKind::init);
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found[0].buffer, "x");
    EXPECT_GE(found[0].index.value_or(0), 1024);
    EXPECT_EQ(line(found[0].at.line), "    out[i] = x[next] - x[i];");
  }
}

TEST_F(WhenItFails, ThePrintedLinesAreTheKernels) {
  const Outcome outcome = run({});
  const std::string& printed = testing::figure<HostTimeline>(outcome).printed;
  EXPECT_EQ(std::count(printed.begin(), printed.end(), '\n'), 5) << printed;
  EXPECT_NE(printed.find("i = 4000, next = 4001\n"), std::string::npos) << printed;
  EXPECT_EQ(testing::figure<HostTimeline>(run({{"wrong", "threads"}})).printed, "") << "a kernel that never ran";
}

TEST_F(WhenItFails, TheTimelineShowsWhereTheErrorWasMadeAndTold) {
  const Outcome outcome = run({});
  const auto& timeline = testing::figure<HostTimeline>(outcome);
  ASSERT_EQ(timeline.marks.size(), 2U);
  EXPECT_LT(timeline.marks[0].time, timeline.marks[1].time);
  const auto& host = timeline.lanes[0].spans;
  const auto fails = timeline.lanes[1].spans.at(1);
  EXPECT_EQ(fails.label, "fail");
  EXPECT_EQ(fails.answer, illegal);
  EXPECT_DOUBLE_EQ(timeline.marks[0].time, fails.end) << "when the kernel was stopped";
  for (std::size_t i = 1; i < host.size(); ++i) EXPECT_LE(host[i - 1].end, host[i].begin + 1e-9);
  // Call 7 asks this thread's last error and not the device: it does not know yet, though the kernel has failed.
  for (const auto& span : host) EXPECT_EQ(span.answer.empty(), span.label < "8" && span.label != "10") << span.label;
}

TEST_F(WhenItFails, TheLearnersMendedKernelIsTold) {
  std::string mended = kernel();
  const std::string wrong = "    const int next = i + 1;\n";
  mended.replace(mended.find(wrong), wrong.size(), "    const int next = (i + 1) % n;\n");
  Host host(device(), {.kernel_file = lesson().kernel_file, .kernel_text = mended, .defines = {}, .job = nullptr});
  const auto outcome = lesson().run(host, values({}), nullptr);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(number(*outcome, "told_by"), 0);
  EXPECT_EQ(number(*outcome, "right"), 4096) << "answers come from the launch, not from the control";
}

TEST_F(WhenItFails, TheHostProgramCopiesAsManyBytesAsTheRun) {
  Host host(device(), {.kernel_file = lesson().kernel_file, .kernel_text = kernel(), .defines = {}, .job = nullptr});
  ASSERT_TRUE(lesson().run(host, values({{"wrong", "bytes"}}), nullptr));
  const auto cuda = host_code(kernel(), host.defines(), host.calls());
  ASSERT_TRUE(cuda);
  EXPECT_NE(cuda->text.find("cudaMalloc(&x, 4096 * sizeof(int))"), std::string::npos);
  EXPECT_NE(cuda->text.find("cudaMemcpy(x, host.data(), 1024 * sizeof(int), cudaMemcpyDefault)"), std::string::npos) << cuda->text;
  const auto numba = numba_code(*numba_text(lesson()), host.defines(), host.calls());
  ASSERT_TRUE(numba) << numba.error().message;
  EXPECT_NE(numba->text.find("x = cuda.device_array(4096, dtype=np.int32)"), std::string::npos) << numba->text;
  EXPECT_NE(numba->text.find("x[:1024].copy_to_device(np.arange(1024, dtype=np.int32))"), std::string::npos) << numba->text;
}

// The rules alone, on a record of two launches whose kernels take 100 µs each.
class Rules : public ::testing::Test {
 protected:
  static HostCall launched() {
    HostCall call;  // a launch
    call.what = "k";
    call.end = 6;
    call.device_begin = 10;
    call.device_end = 110;
    return call;
  }
  static gpu::LaunchReport ends(const char* status) {
    gpu::LaunchReport report;
    report.status = status;
    report.thread_instructions = 1;
    return report;
  }
  static gpu::LaunchReport is_refused() {
    gpu::LaunchReport report;
    report.status = invalid;
    return report;
  }
  Runtime runtime_;
};

TEST_F(Rules, AnErrorOfALaunchIsReturnedOnce) {
  runtime_.launch("k", launched(), is_refused());
  runtime_.synchronize();
  EXPECT_EQ(runtime_.calls().back().answer, ok) << "it tells of kernels that ran, not of the thread's last error";
  runtime_.get_last_error();
  EXPECT_EQ(runtime_.calls().back().answer, invalid);
  runtime_.get_last_error();
  EXPECT_EQ(runtime_.calls().back().answer, ok);
  EXPECT_FALSE(runtime_.lost());
}

TEST_F(Rules, AKernelsErrorIsNotKnownBeforeItHappens) {
  runtime_.launch("k", launched(), ends("cudaErrorIllegalAddress"));
  runtime_.get_last_error();
  EXPECT_EQ(runtime_.calls().back().answer, ok);
  EXPECT_NEAR(*runtime_.failed_at(), 110, 1e-9);
  runtime_.synchronize();
  EXPECT_EQ(runtime_.calls().back().answer, illegal);
  EXPECT_NEAR(runtime_.calls().back().end, 110, 1e-9) << "it waits until the kernel has failed";
  runtime_.get_last_error();
  runtime_.get_last_error();
  EXPECT_EQ(runtime_.calls().back().answer, illegal) << "no call clears it";
  runtime_.free("cudaFree(x)");
  EXPECT_EQ(runtime_.calls().back().answer, illegal);
  EXPECT_TRUE(runtime_.lost());
}

TEST_F(Rules, AKernelQueuedBehindAFailedOneDoesNotRun) {
  runtime_.launch("k", launched(), ends("cudaErrorAssert"));
  runtime_.launch("k", launched(), ends("ok"));
  EXPECT_GT(runtime_.calls()[0].device_end, 0);
  EXPECT_EQ(runtime_.calls()[1].device_end, 0);
}

// The exercise `sticky`: with the marked launch failing, the checks answer what its program says that it printed.
TEST_F(Rules, TheExercisesProgramPrintsWhatTheyAnswer) {
  HostCall copy;
  copy.kind = HostCall::Kind::copy_to_device;
  copy.end = copy.device_end = 3;
  runtime_.call("copy", copy);
  runtime_.launch("square", launched(), ends("ok"));
  runtime_.get_last_error();
  runtime_.synchronize();
  runtime_.launch("shift", launched(), ends("cudaErrorIllegalAddress"));
  runtime_.get_last_error();
  copy.kind = HostCall::Kind::copy_to_host;
  runtime_.copy_back("copy", copy);
  runtime_.launch("twice", launched(), ends("ok"));
  runtime_.get_last_error();
  runtime_.free("free");
  std::string printed = "// It printed:\n";
  int check = 0;
  for (const auto& call : runtime_.calls())
    if (!call.answer.empty()) printed += "// " + std::to_string(++check) + "  " + call.answer + "\n";
  const auto program = read_text(data_directory() / "lessons/03_when_it_fails/exercises/sticky/start.cu");
  ASSERT_TRUE(program);
  EXPECT_TRUE(program->ends_with(printed)) << printed;
}

}  // namespace
}  // namespace warpbook::lessons
