// The usage examples that stand at the top of lessons/'s headers, compiled and run, so that they cannot go stale.
// When one fails, mend the header's example together with this file.
// A designated initialiser that leaves members at their defaults is what the examples are about.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "gpu/device.h"
#include "lessons/catalog.h"
#include "lessons/check.h"
#include "lessons/exercise.h"
#include "lessons/host.h"
#include "lessons/lesson.h"

namespace warpbook::lessons {
namespace {

class HeaderExamples : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = gpu::make_virtual_device(compiler_);
    ASSERT_TRUE(made) << made.error().message;
    made_ = std::move(*made);
  }
  gpu::Device& device() { return *made_; }

 private:
  gpu::Compiler compiler_;
  std::unique_ptr<gpu::Device> made_;
};

TEST(HeaderExamplesOfTheCatalog, Catalog) {
  std::vector<std::string> printed;
  for (const Lesson* lesson : all_lessons()) printed.push_back(lesson->title);
  EXPECT_FALSE(printed.empty());
  const Lesson* race = find_lesson("05");
  ASSERT_NE(race, nullptr);
  EXPECT_EQ(race, find_lesson("race"));
  Result<std::string> text = page_text(*race);
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_FALSE(text->empty());
}

TEST_F(HeaderExamples, ExerciseAndCheck) {
  Result<const Exercise*> square = find_exercise("square");
  ASSERT_TRUE(square) << square.error().message;
  std::vector<std::string> printed;
  for (const Exercise* each : exercises_of(*find_lesson("01"))) printed.push_back(each->title);
  EXPECT_EQ(printed, (std::vector{(*find_exercise("number_them"))->title, (*square)->title}));
  const std::string text = *kernel_text((*square)->as_lesson);
  Result<CheckReport> report = check(device(), **square, {.file = "mine.cu", .text = text});
  ASSERT_TRUE(report) << report.error().message;
  for (const CheckReport::Case& each : report->cases) {
    EXPECT_EQ(name_of(each.verdict), "wrong") << each.name << ": " << each.message;
  }
  EXPECT_NE(next_step(*report).find(report->cases.front().name), std::string::npos);
}

TEST_F(HeaderExamples, Lesson) {
  const Lesson* lesson = find_lesson("05");
  ASSERT_NE(lesson, nullptr);
  Values values = Values::defaults(lesson->controls);
  ASSERT_TRUE(values.set(lesson->controls, "trials", "1"));
  Host host(device(), {.kernel_file = "race.cu", .kernel_text = *kernel_text(*lesson)});
  Result<Outcome> outcome = lesson->run(host, values, nullptr);
  ASSERT_TRUE(outcome) << outcome.error().message;
  std::vector<std::string> printed;
  for (const Number& n : outcome->numbers) printed.push_back(n.name + " " + std::to_string(n.value));
  EXPECT_FALSE(printed.empty());
}

TEST_F(HeaderExamples, Host) {
  const std::vector<int> values(4096, 20);
  Host host(device(), {.kernel_file = "add.cu", .kernel_text = *kernel_text(*find_lesson("01")), .defines = {{"GUARD", "1"}}});
  auto a = host.to_device("a", std::span<const int>(values));
  auto b = host.to_device("b", std::span<const int>(values));
  auto out = host.zeros<int>("out", {4096});
  ASSERT_TRUE(a && b && out);
  auto report = host.launch("add", {32}, {128}, {*a, *b, *out, gpu::Scalar::of(4096)});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->status, "ok") << say(report->message);
  auto result = host.copy_to_host<int>(*out);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(*result, std::vector<int>(4096, 40));
}

}  // namespace
}  // namespace warpbook::lessons
