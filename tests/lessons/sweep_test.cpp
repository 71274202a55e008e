// Sweeps: which values a control takes, and that every point is what a run by itself would have answered.
#include "lessons/sweep.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "lessons/experiment.h"
#include "tests/lessons/control.h"
#include "tests/lessons/fake_device.h"
#include "tests/lessons/lesson_run.h"

namespace warpbook::lessons {
namespace {

using testing::control;
using testing::FakeDevice;
using testing::LessonRun;

/// x·10 + y, unless x is 3, which the launch refuses, or 5, which does not even get that far.
Lesson toy() {
  Lesson lesson;
  lesson.id = "99_toy";
  lesson.kernel_file = "toy.cu";
  using Kind = Control::Kind;
  lesson.controls = {control("threads", Kind::integer, 1, 1, 48), control("x", Kind::integer, 2, 1, 5),
                     control("y", Kind::real, 0.5, 0, 1),
                     control("mode", Kind::choice, 0, 0, 1, {{"near", to_say("Near")}, {"far", to_say("Far")}}),
                     control("sure", Kind::toggle, 0, 0, 1)};
  lesson.controls[0].logarithmic = true;
  lesson.controls[2].step = 0.05;
  lesson.run = [](Host&, const Values& values, gpu::Job*) -> Result<Outcome> {
    Outcome outcome;
    const int x = values.integer("x");
    if (x == 5) return failure("invalid_value", "5 is no \"good\" number, try 4.");
    if (x == 3) {
      outcome.report.status = "cudaErrorInvalidConfiguration";
      outcome.report.message = as_it_is("Too many, really.");
      return outcome;
    }
    outcome.numbers = {{.name = "sum", .label = to_say("Sum"), .value = x * 10 + values.real("y"), .decimals = 1, .unit = "u"}};
    if (x > 3) outcome.numbers.push_back({.name = "late", .label = to_say("Late"), .value = 1, .unit = {}});
    outcome.report.model_us = 0.25;
    return outcome;
  };
  return lesson;
}

SweepPlan plan_over(const Lesson& lesson, const std::vector<std::string>& over) {
  SweepPlan plan{.lesson = &lesson, .values = Values::defaults(lesson.controls), .text = "", .axes = {}};
  for (const std::string& words : over) {
    auto axis = parse_axis(lesson, words);
    EXPECT_TRUE(axis) << (axis ? "" : axis.error().message);
    if (axis) plan.axes.push_back(std::move(*axis));
  }
  return plan;
}

std::vector<std::string> texts(const Lesson& lesson, const std::string& over) {
  const auto axis = parse_axis(lesson, over);
  return axis ? axis->texts : std::vector<std::string>{axis.error().message};
}

using Words = std::vector<std::string>;

TEST(SweepAxes, GoOverAllThatAControlCanBe) {
  const Lesson lesson = toy();
  EXPECT_EQ(texts(lesson, "threads"), (Words{"1", "2", "4", "8", "16", "32", "48"}));
  EXPECT_EQ(texts(lesson, "x"), (Words{"1", "2", "3", "4", "5"}));
  EXPECT_EQ(texts(lesson, "y"), (Words{"0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1"}));
  EXPECT_EQ(texts(lesson, "mode"), (Words{"near", "far"}));
  EXPECT_EQ(texts(lesson, "sure"), (Words{"off", "on"}));
  EXPECT_TRUE(parse_axis(lesson, "mode")->named);
  EXPECT_EQ(parse_axis(lesson, "mode")->words, (Words{"Near", "Far"}));
  EXPECT_EQ(parse_axis(lesson, "sure")->words, (Words{"Off", "On"}));
  EXPECT_TRUE(parse_axis(lesson, "threads")->logarithmic);
}

TEST(SweepAxes, TakeRangesStepsAndLists) {
  const Lesson lesson = toy();
  EXPECT_EQ(texts(lesson, "threads=3..40"), (Words{"3", "4", "8", "16", "32", "40"}));
  EXPECT_EQ(texts(lesson, "threads=32..32"), (Words{"32"}));
  EXPECT_EQ(texts(lesson, "threads=16..48:16"), (Words{"16", "32", "48"}));
  EXPECT_EQ(texts(lesson, "y=0.1..0.35:0.1"), (Words{"0.1", "0.2", "0.3"}));  // not 0.30000000000000004
  EXPECT_EQ(texts(lesson, "y=0.05..0.1"), (Words{"0.05", "0.1"}));
  EXPECT_EQ(texts(lesson, "threads=48,1,7,7"), (Words{"1", "7", "48"}));
  EXPECT_EQ(texts(lesson, "mode=far"), (Words{"far"}));
}

TEST(SweepAxes, RefuseWhatCannotBeWithASentence) {
  const Lesson lesson = toy();
  const auto says = [&](const std::string& over, const std::string& part) {
    const auto axis = parse_axis(lesson, over);
    ASSERT_FALSE(axis) << over;
    EXPECT_EQ(axis.error().code, "usage");
    EXPECT_NE(axis.error().message.find(part), std::string::npos) << axis.error().message;
  };
  says("z", "no control named 'z'");
  says("z", "threads, x, y, mode, sure");
  says("threads=0..8", "from 1 to 48");
  says("threads=8..1", "smaller to the larger");
  says("threads=1..8:0", "step");
  says("threads=1..8:0.5", "whole");
  says("mode=middle", "near, far");
  says("threads=", "cannot be ''");

  SweepPlan plan = plan_over(lesson, {"x", "x"});
  EXPECT_NE(check(plan).error().message.find("two different"), std::string::npos);
  plan.axes.clear();
  EXPECT_FALSE(check(plan));
  plan = plan_over(lesson, {"threads"});
  EXPECT_TRUE(check(plan));
  plan.axes.push_back({.control = "x", .label = "X", .values = std::vector<double>(586), .texts = {}, .words = {}});
  EXPECT_NE(check(plan).error().message.find("4102 runs"), std::string::npos) << check(plan).error().message;
}

TEST(Sweeps, GoOnPastPointsThatFail) {
  const Lesson lesson = toy();
  FakeDevice device;
  std::size_t told = 0;
  const Sweep sweep = run_sweep(device, plan_over(lesson, {"x"}), nullptr, [&](const Sweep& so_far) {
    EXPECT_EQ(so_far.tried(), ++told);
    EXPECT_EQ(so_far.state, Sweep::State::running);
  });
  EXPECT_EQ(sweep.state, Sweep::State::done);
  EXPECT_EQ(told, 5U);
  EXPECT_EQ(sweep.failed(), 2U);
  EXPECT_EQ(sweep.points[2].status, "cudaErrorInvalidConfiguration");
  EXPECT_EQ(sweep.points[2].message, "Too many, really.");
  EXPECT_EQ(sweep.points[4].status, "invalid_value");
  ASSERT_EQ(sweep.points[3].numbers.size(), 3U);
  EXPECT_EQ(sweep.points[3].numbers[0].value, 40.5);

  const SweepChart chart = chart_of(sweep, "sum");
  EXPECT_EQ(chart.unit, "u");
  EXPECT_EQ(chart.least, 10.5);
  EXPECT_EQ(chart.most, 40.5);
  EXPECT_EQ(chart.cells[2].state, SweepChart::Cell::State::failed);
  EXPECT_EQ(chart.cells[2].problem, "cudaErrorInvalidConfiguration");
  EXPECT_EQ(chart_of(sweep, "late").cells[0].state, SweepChart::Cell::State::absent);
  EXPECT_EQ(chart_of(sweep, "nothing").cells[0].state, SweepChart::Cell::State::absent);
  EXPECT_EQ(chart.device, "Fake");
  EXPECT_EQ(chart.others, "threads 1, y 0.5, mode near, sure off");
}

TEST(Sweeps, CsvHasARowAPointAndStaysEmptyWhereThereIsNothing) {
  const Lesson lesson = toy();
  FakeDevice device;
  EXPECT_EQ(csv_of(run_sweep(device, plan_over(lesson, {"x=2..5", "mode=far"}))),
            "x,mode,status,sum,model_us,late,message\r\n"
            "2,far,ok,20.5,0.25,,\r\n"
            "3,far,cudaErrorInvalidConfiguration,,,,\"Too many, really.\"\r\n"
            "4,far,ok,40.5,0.25,1,\r\n"
            "5,far,invalid_value,,,,\"5 is no \"\"good\"\" number, try 4.\"\r\n");
}

TEST(Sweeps, TwoControlsRunTheFirstFastest) {
  const Lesson lesson = toy();
  FakeDevice device;
  const Sweep sweep = run_sweep(device, plan_over(lesson, {"x=1,2", "y=0.1,0.2,0.3"}));
  ASSERT_EQ(sweep.points.size(), 6U);
  const std::vector<double> expected{10.1, 20.1, 10.2, 20.2, 10.3, 20.3};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_DOUBLE_EQ(sweep.points[i].numbers[0].value, expected[i]);
  EXPECT_EQ(sweep.values_at(4).real("x"), 1);
  EXPECT_EQ(sweep.values_at(4).real("y"), 0.3);
  EXPECT_EQ(sweep.values_at(4).real("threads"), 1);  // the others keep theirs
}

TEST(Sweeps, CancellingKeepsWhatIsThere) {
  const Lesson lesson = toy();
  FakeDevice device;
  gpu::Job job;
  const Sweep sweep = run_sweep(device, plan_over(lesson, {"y"}), &job, [&](const Sweep& so_far) {
    if (so_far.tried() == 4) job.cancelled = true;
  });
  EXPECT_EQ(sweep.state, Sweep::State::cancelled);
  EXPECT_EQ(sweep.tried(), 4U);
  EXPECT_FALSE(sweep.points[4].tried);
  const std::string csv = csv_of(sweep);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 5);
  EXPECT_EQ(chart_of(sweep, "sum").cells[4].state, SweepChart::Cell::State::waiting);
}

TEST(Sweeps, APointThatIsCancelledInItsMiddleIsNone) {
  Lesson lesson = toy();
  gpu::Job job;
  lesson.run = [&, run = lesson.run](Host& host, const Values& values, gpu::Job* mine) {
    if (values.integer("x") == 2) mine->cancelled = true;
    return run(host, values, mine);
  };
  FakeDevice device;
  const Sweep sweep = run_sweep(device, plan_over(lesson, {"x"}), &job);
  EXPECT_EQ(sweep.tried(), 1U);
  EXPECT_EQ(sweep.state, Sweep::State::cancelled);
}

TEST(Figures, AddWhatTheReportSaysToTheLessonsNumbers) {
  Outcome outcome;
  outcome.numbers = {{.name = "occupancy", .label = to_say("The lesson's own"), .value = 7, .unit = {}}};
  gpu::LaunchReport& report = outcome.report;
  report.clock.emplace().occupancy = 0.5;
  report.clock->theoretical_occupancy = 0.75;
  report.lines = {{.line = 1, .global_requests = 2, .sectors = 8, .shared_requests = 1, .shared_passes = 32},
                  {.line = 2, .global_requests = 2, .sectors = 64}};
  const auto value = [&](const std::string& name) {
    for (const Number& number : figures_of(outcome)) {
      if (number.name == name) return number.value;
    }
    return std::nan("");
  };
  EXPECT_EQ(value("occupancy"), 7);
  EXPECT_EQ(value("theoretical_occupancy"), 75);
  EXPECT_EQ(value("sectors_a_request"), 18);
  EXPECT_EQ(value("passes_a_request"), 32);
  EXPECT_TRUE(std::isnan(value("findings")));  // nobody looked
  report.observed[gpu::FindingKind::race] = gpu::Observation::none_found;
  EXPECT_EQ(value("findings"), 0);
}

class SweepOfALesson : public LessonRun {
 protected:
  SweepOfALesson() : LessonRun("01") {}
};

TEST_F(SweepOfALesson, GivesTheNumbersOfSingleRuns) {
  SweepPlan plan = plan_over(lesson(), {"blocks=31..33:1", "guard"});
  plan.values.set("threads", 128);
  plan.text = kernel();
  const Sweep sweep = run_sweep(device(), plan);
  ASSERT_EQ(sweep.points.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) {
    const Outcome alone = run({{"threads", "128"}, {"blocks", std::to_string(31 + i % 3)}, {"guard", i < 3 ? "off" : "on"}});
    const std::vector<Number> expected = figures_of(alone), &got = sweep.points[i].numbers;
    ASSERT_EQ(got.size(), expected.size()) << i;
    for (std::size_t n = 0; n < got.size(); ++n) {
      EXPECT_EQ(got[n].name, expected[n].name);
      EXPECT_EQ(got[n].value, expected[n].value) << got[n].name;
    }
  }
  // 33 blocks without a guard leave the array; 31 leave its end untouched.
  EXPECT_EQ(chart_of(sweep, "outside").cells[2].value, 128);
  EXPECT_EQ(chart_of(sweep, "untouched").cells[0].value, 128);
}

TEST_F(SweepOfALesson, SaysWhichPointsDoNotCompile) {
  SweepPlan plan = plan_over(lesson(), {"guard"});
  plan.text = kernel() + "\n#if GUARD\nthis is no C++\n#endif\n";
  const Sweep sweep = run_sweep(device(), plan);
  EXPECT_EQ(sweep.points[0].status, "ok") << sweep.points[0].message;
  EXPECT_EQ(sweep.points[1].status, "compile_error");
  EXPECT_FALSE(sweep.points[1].message.empty());
}

}  // namespace
}  // namespace warpbook::lessons
