// The host program of a dry run is that of a real run.
#include "lessons/dry_run.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "lessons/catalog.h"
#include "lessons/host_code.h"

namespace warpbook::lessons {
namespace {

/// Small, so that the real run is short.
Values small(const Lesson& lesson, std::map<std::string, double> values = {}) {
  Values all = Values::defaults(lesson.controls);
  for (const auto& [control, value] : {std::pair{"side", 64.0}, {"n", 4096.0}, {"trials", 2.0}, {"steps", 3.0}})
    if (all.all().contains(control)) all.set(control, value);
  for (const auto& [control, value] : values) all.set(control, value);
  return all;
}

class DryRunOf : public ::testing::TestWithParam<const Lesson*> {};

TEST_P(DryRunOf, PrintsWhatTheRunPrints) {
  const Lesson& lesson = *GetParam();
  gpu::Compiler compiler;
  auto device = gpu::make_virtual_device(compiler);
  ASSERT_TRUE(device);
  const std::string kernel = *kernel_text(lesson);
  std::vector<Values> cases{small(lesson)};
  for (const Preset& preset : lesson.presets) {
    // What a lesson's last preset does is the furthest from its defaults; `script/test --all` has the time for each.
    if (std::getenv("WARPBOOK_TEST_ALL") == nullptr && &preset != &lesson.presets.back()) continue;
    cases.push_back(small(lesson, preset.values));
    if (cases.back().all().contains("side")) cases.back().set("side", 96);
    const bool of_matrices = cases.back().all().contains("m");
    if (cases.back().all().contains("n") && !of_matrices) cases.back().set("n", 5000);
  }
  for (const Values& values : cases) {
    Host host(**device, {.kernel_file = lesson.kernel_file, .kernel_text = kernel, .defines = {}});
    ASSERT_TRUE(lesson.run(host, values, nullptr));
    const auto ran = host_code(kernel, host.defines(), host.calls());
    ASSERT_TRUE(ran) << ran.error().message;
    const DryRun dry = dry_run(lesson, values, kernel, (*device)->info(), host.program());
    ASSERT_EQ(dry.problem, "");
    const auto dry_code = host_code(kernel, dry.defines, dry.calls);
    ASSERT_TRUE(dry_code) << dry_code.error().message;
    EXPECT_EQ(dry_code->text, ran->text);
    EXPECT_EQ(dry_code->launch_line, ran->launch_line);
  }
}

INSTANTIATE_TEST_SUITE_P(Lessons, DryRunOf, ::testing::ValuesIn(all_lessons().begin(), all_lessons().end()),
                         [](const auto& lesson) { return "lesson_" + lesson.param->id; });

TEST(DryRun, NeedsNoProgramOfALessonsOwnKernel) {
  const Lesson& lesson = *find_lesson("01");
  Values values = Values::defaults(lesson.controls);
  values.set("blocks", 17);
  const DryRun dry = dry_run(lesson, values, "", {}, nullptr);
  ASSERT_EQ(dry.problem, "");
  const auto code = host_code("", dry.defines, dry.calls);
  ASSERT_TRUE(code);
  EXPECT_NE(code->text.find("add<<<17, "), std::string::npos);
}

TEST(DryRun, SaysWhyThereIsNone) {
  const Lesson& lesson = *find_lesson("playground");
  const DryRun dry = dry_run(lesson, Values::defaults(lesson.controls), "", {}, std::make_shared<gpu::Program>());
  EXPECT_NE(dry.problem.find("no kernel"), std::string::npos) << dry.problem;
}

}  // namespace
}  // namespace warpbook::lessons
