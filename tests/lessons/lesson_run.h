// LessonRun: a lesson on the virtual GPU, with the kernel that ships. Base of the lessons' test fixtures.
//
//     class Histogram : public LessonRun { protected: Histogram() : LessonRun("07") {} };
//     TEST_F(Histogram, CountsAll) { EXPECT_EQ(number(run({{"atomics", "global"}}), "missing"), 0); }
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "gpu/device.h"
#include "lessons/catalog.h"
#include "lessons/host.h"
#include "tests/lessons/virtual_gpu.h"

namespace warpbook::lessons::testing {

using Settings = std::vector<std::pair<std::string, std::string>>;

inline double number(const Outcome& outcome, const std::string& name) {
  for (const Number& n : outcome.numbers) {
    if (n.name == name) return n.value;
  }
  ADD_FAILURE() << "no number named " << name;
  return -1;
}

template <class T>
const T& figure(const Outcome& outcome) {
  for (const Figure& f : outcome.figures) {
    if (const T* found = std::get_if<T>(&f)) return *found;
  }
  ADD_FAILURE() << "no such figure";
  static const T none{};
  return none;
}

inline std::vector<gpu::Finding> findings(const Outcome& outcome, gpu::FindingKind kind) {
  std::vector<gpu::Finding> found;
  for (const gpu::Finding& f : outcome.report.findings) {
    if (f.kind == kind) found.push_back(f);
  }
  return found;
}

class LessonRun : public ::testing::Test {
 public:
  explicit LessonRun(const char* name) : lesson_(*find_lesson(name)), kernel_(*kernel_text(lesson_)) {}

  [[nodiscard]] Result<Outcome> try_run(const Settings& settings, gpu::Job* job = nullptr) {
    Host host(device(), {.kernel_file = lesson_.kernel_file, .kernel_text = kernel_, .defines = {}, .job = job});
    return lesson_.run(host, values(settings), job);
  }

  /// A run that must go well. Its figures are those the lesson names, and every number that may be guessed is there.
  [[nodiscard]] Outcome run(const Settings& settings, gpu::Job* job = nullptr) {
    Result<Outcome> outcome = try_run(settings, job);
    if (!outcome) {
      ADD_FAILURE() << outcome.error().message;
      return {};
    }
    EXPECT_TRUE(outcome->whole()) << say(outcome->report.message);
    std::vector<std::string> views;
    for (const Figure& f : outcome->figures) views.emplace_back(view_of(f));
    EXPECT_EQ(views, lesson_.views);
    for (const std::string& name : lesson_.guesses) (void)number(*outcome, name);
    EXPECT_GT(outcome->seconds, 0);
    return std::move(*outcome);
  }

  [[nodiscard]] Values values(const Settings& settings) const {
    Values values = Values::defaults(lesson_.controls);
    for (const auto& [id, text] : settings) {
      const Result<void> set = values.set(lesson_.controls, id, text);
      EXPECT_TRUE(set) << (set ? "" : set.error().message);
    }
    return values;
  }

  /// A line of the kernel, from 1.
  [[nodiscard]] std::string line(std::uint32_t wanted) const {
    std::istringstream text(kernel_);
    std::string found;
    for (std::uint32_t i = 0; i < wanted; ++i) std::getline(text, found);
    return found;
  }

  [[nodiscard]] gpu::Device& device() { return virtual_gpu(); }
  [[nodiscard]] const Lesson& lesson() const { return lesson_; }
  [[nodiscard]] const std::string& kernel() const { return kernel_; }

 private:
  const Lesson& lesson_;
  std::string kernel_;
};

/// The same, where several tests ask for the same runs, and a run is long: each is made once.
class LessonRunOnce : public LessonRun {
 public:
  using LessonRun::LessonRun;

  [[nodiscard]] const Outcome& run(const Settings& settings) {
    static std::map<std::pair<std::string, std::map<std::string, double, std::less<>>>, Outcome> known;
    const auto [at, is_new] = known.try_emplace({lesson().id, values(settings).all()});
    if (is_new) at->second = LessonRun::run(settings);
    return at->second;
  }
  /// With the settings of a preset, by its label.
  [[nodiscard]] const Outcome& preset(const std::string& label) {
    for (const Preset& each : lesson().presets) {
      if (in_english(each.label) != label) continue;
      Settings settings;
      for (const Control& control : lesson().controls) {
        if (const auto at = each.values.find(control.id); at != each.values.end())
          settings.emplace_back(control.id, value_text(control, at->second));
      }
      return run(settings);
    }
    ADD_FAILURE() << "no preset " << label;
    static const Outcome none;
    return none;
  }
};

}  // namespace warpbook::lessons::testing
