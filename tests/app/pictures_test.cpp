// Every lesson's page as it was approved, in both themes and presented: pictures/NUMBER_LOOK.png, half as large as drawn. A pixel
// differs when an eye would tell the two colours apart side by side (more than a twentieth of CIELAB's range, which leaves
// rasterisers their edges); a page differs when more than 0.05 % of its pixels do. What is drawn now, and where it differs, is then
// in BUILD/pictures.
//
// WARPBOOK_APPROVE=1 build/app_test --gtest_filter='*Pictures*' approves what is drawn now. Look at it first.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <ostream>

#include "app/commands/page_picture.h"
#include "gpu/device.h"
#include "lessons/catalog.h"
#include "lessons/exercise.h"

namespace warpbook::app {
namespace {

namespace fs = std::filesystem;

constexpr double tolerance = 0.0005;  // of the pixels
constexpr int width = 1280, height = 720;

struct PageLook {
  std::string name;
  bool light = false, present = false;
};

struct Case {
  const lessons::Lesson* lesson = nullptr;
  PageLook look;
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.lesson->id << ", " << one.look.name; }

/// What depends on how busy this machine is, is the same in every picture.
void stop_the_clocks(Experiment& experiment) {
  auto program = std::make_shared<gpu::Program>(*experiment.program);
  program->compile_ms = 100;
  experiment.program = std::move(program);
  experiment.outcome->seconds = 0.5;
  for (lessons::Figure& figure : experiment.outcome->figures) {
    if (auto* const field = std::get_if<lessons::Field>(&figure)) field->step_ms = 25;
  }
  for (lessons::Number& number : experiment.outcome->numbers) {  // among them what a CPU core was measured to need
    if (number.of_device) number.value = 12.5;
    if (number.name != "break_even") continue;  // whether there is one depends on that core, and so do the words about it
    number.on_page = false;
    experiment.outcome->note = "From how many values on the GPU is faster depends on this computer's CPU.";
  }
}

const Experiment& experiment_of(const lessons::Lesson& lesson) {
  static std::map<std::string, Experiment> all;
  const auto known = all.find(lesson.id);
  if (known != all.end()) return known->second;
  gpu::Compiler compiler;
  const auto device = gpu::make_virtual_device(compiler);
  auto experiment = run_experiment(**device, lesson, lessons::Values::defaults(lesson.controls));
  EXPECT_TRUE(experiment && experiment->outcome) << lesson.id;
  stop_the_clocks(*experiment);
  return all.emplace(lesson.id, std::move(*experiment)).first->second;
}

/// A command's exit status and what it said.
std::pair<int, std::string> shell(const std::string& command) {
  std::FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return {-1, "no shell"};
  std::string said;
  std::array<char, 256> some{};
  while (std::fgets(some.data(), some.size(), pipe) != nullptr) said += some.data();
  return {pclose(pipe), said};
}

class Pictures : public ::testing::TestWithParam<Case> {};

TEST_P(Pictures, AreAsApproved) {
  const auto& [lesson, look] = GetParam();
  const fs::path made = fs::path(WARPBOOK_BUILD) / "pictures", approved = fs::path(WARPBOOK_ROOT) / "tests/app/pictures";
  fs::create_directories(made);
  const std::string exercise = lesson->exercise != nullptr ? "_" + lesson->exercise->id : "";
  const std::string name = fmt::format("{}{}_{}", lesson->playground ? lesson->id : lesson->number, exercise, look.name);
  const fs::path whole = made / (name + "_whole.png"), half = made / (name + ".png"), wanted = approved / (name + ".png");
  const auto drawn = draw_page({.file = whole.string(),
                                .size = fmt::format("{}x{}", width, height),
                                .light = look.light,
                                .present = look.present,
                                .view = {},
                                .profile = {}},
                               experiment_of(*lesson));
  ASSERT_TRUE(drawn) << drawn.error().message;
  const auto [smaller, why] =
      shell(fmt::format("convert '{}' -resize 50% -strip +dither -colors 128 png8:'{}'", whole.string(), half.string()));
  ASSERT_EQ(smaller, 0) << why;
  if (std::getenv("WARPBOOK_APPROVE") != nullptr) {
    fs::create_directories(approved);
    fs::copy_file(half, wanted, fs::copy_options::overwrite_existing);
    return;
  }
  const std::string lab = fmt::format("\\( '{}' -colorspace Lab \\) \\( '{}' -colorspace Lab \\)", wanted.string(), half.string());
  const auto [status, said] =
      shell(fmt::format("compare -metric AE -fuzz 5% {} '{}'", lab, (made / (name + "_difference.png")).string()));
  ASSERT_TRUE(!said.empty() && std::isdigit(said.front())) << said;
  const double differ = std::strtod(said.c_str(), nullptr) / (width / 2 * (height / 2));
  EXPECT_LE(differ, tolerance) << name << ": " << said << " pixels differ; see " << half;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  std::vector<const lessons::Lesson*> pages(lessons::all_lessons().begin(), lessons::all_lessons().end());
  pages.push_back(&(*lessons::find_exercise("square"))->as_lesson);
  for (const lessons::Lesson* lesson : pages) {
    for (const PageLook& look : {PageLook{"dark"}, PageLook{"light", true}, PageLook{"presented", false, true}})
      all.push_back({lesson, look});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Page, Pictures, ::testing::ValuesIn(cases()), [](const auto& one) {
  const lessons::Lesson& lesson = *one.param.lesson;
  return (lesson.exercise != nullptr ? lesson.exercise->id : lesson.id.substr(lesson.id.find('_') + 1)) + "_" + one.param.look.name;
});

}  // namespace
}  // namespace warpbook::app
