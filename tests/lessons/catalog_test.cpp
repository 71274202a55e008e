// The catalog: every lesson is whole, and its page names only what it has.
#include "lessons/catalog.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "lessons/page.h"

namespace warpbook::lessons {
namespace {

TEST(Catalog, TheRailHasTheCourseInOrderThenThePlaygroundAndPrograms) {
  const auto rail = curriculum();
  ASSERT_EQ(rail.size(), 23U);
  std::size_t written = 0;
  for (std::size_t i = 0; i < rail.size(); ++i) {
    EXPECT_EQ(rail[i].number, i >= 21 ? "" : (i < 9 ? "0" : "") + std::to_string(i + 1));
    EXPECT_FALSE(rail[i].title.empty());
    if (rail[i].lesson == nullptr) continue;
    ++written;
    EXPECT_EQ(rail[i].lesson->number, rail[i].number);
    EXPECT_EQ(rail[i].lesson->rail_title, rail[i].title);
  }
  EXPECT_EQ(written, all_lessons().size() + 1) << "the page for whole programs is no lesson";
  EXPECT_EQ(rail.back().lesson, find_lesson("programs"));
}

TEST(Catalog, FindsByNumberIdAndUniquePart) {
  const Lesson* race = find_lesson("05");
  ASSERT_NE(race, nullptr);
  EXPECT_EQ(race->id, "05_race_conditions");
  EXPECT_EQ(find_lesson("5"), race);
  EXPECT_EQ(find_lesson("05_race_conditions"), race);
  EXPECT_EQ(find_lesson("race"), race);
  EXPECT_EQ(find_lesson("07_race_conditions"), race) << "the id that it had before";
  EXPECT_EQ(find_lesson("_"), nullptr) << "every id has that";
  EXPECT_EQ(find_lesson("99"), nullptr);
  EXPECT_EQ(find_lesson(""), nullptr);
}

TEST(Catalog, AMissingFileSaysWhatToDo) {
  const Result<std::string> text = read_text(data_directory() / "kernels" / "nowhere.cu");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, "missing_file");
  EXPECT_NE(text.error().message.find("WARPBOOK_DATA"), std::string::npos);
}

class EveryLesson : public ::testing::TestWithParam<const Lesson*> {};

TEST_P(EveryLesson, HasAKernelWithThatFunctionAndThoseMacros) {
  const Lesson& lesson = *GetParam();
  const Result<std::string> text = kernel_text(lesson);
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_NE(text->find(lesson.kernel + "("), std::string::npos);
  for (const auto& [name, value] : macros_of(lesson, Values::defaults(lesson.controls))) {
    EXPECT_NE(text->find(name), std::string::npos) << name;
  }
}

TEST_P(EveryLesson, HasControlsThatHoldTogether) {
  std::set<std::string> ids;
  for (const Control& control : GetParam()->controls) {
    EXPECT_TRUE(ids.insert(control.id).second) << control.id;
    EXPECT_FALSE(control.label.empty()) << control.id;
    EXPECT_FALSE(control.help.empty()) << control.id;
    EXPECT_LE(control.least, control.initial) << control.id;
    EXPECT_LE(control.initial, control.most) << control.id;
    if (control.kind == Control::Kind::choice) {
      EXPECT_EQ(control.most + 1, double(control.options.size())) << control.id;
    }
  }
  for (const Preset& preset : GetParam()->presets) {
    for (const auto& [id, value] : preset.values) {
      const auto control =
          std::find_if(GetParam()->controls.begin(), GetParam()->controls.end(), [&](const Control& c) { return c.id == id; });
      ASSERT_NE(control, GetParam()->controls.end()) << in_english(preset.label) << ": " << id;
      EXPECT_GE(value, control->least) << in_english(preset.label) << ": " << id;
      EXPECT_LE(value, control->most) << in_english(preset.label) << ": " << id;
    }
  }
}

TEST_P(EveryLesson, HasAPageWithEveryViewAndAtMostThreeLinesBeforeTheControls) {
  const Lesson& lesson = *GetParam();
  const Result<std::string> text = page_text(lesson);
  ASSERT_TRUE(text) << text.error().message;
  const Result<Page> page = parse_page(*text, lesson);
  ASSERT_TRUE(page) << page.error().message;

  std::vector<std::string> views;
  std::size_t prose = 0;
  int guesses = 0, controls = 0, results = 0;
  for (const Block& block : page->blocks) {
    if (block.kind == Block::Kind::view) views.push_back(block.name);
    guesses += block.asks();
    controls += block.kind == Block::Kind::controls;
    results += block.kind == Block::Kind::result;
    if (controls == 0) {
      for (const Span& span : block.spans) prose += fill_in(span.text, lesson, Values::defaults(lesson.controls)).size();
    }
  }
  EXPECT_EQ(views, lesson.views);
  EXPECT_EQ(guesses > 0, !lesson.playground) << "nobody knows what a playground's kernel does";
  EXPECT_EQ(controls, 1);
  EXPECT_EQ(results, 1);
  EXPECT_LE(prose, 3U * 95) << "three lines of the page's 704 pixels take about 95 characters each";
}

INSTANTIATE_TEST_SUITE_P(Catalog, EveryLesson, ::testing::ValuesIn(all_lessons().begin(), all_lessons().end()),
                         [](const auto& lesson) { return lesson.param->id.substr(lesson.param->id.find('_') + 1); });

TEST(NextLesson, is_the_first_open_one_after_it_or_the_first_of_all) {
  const auto next = [](const char* here, std::set<std::string> done) -> std::string {
    const Lesson* const lesson = next_lesson(*find_lesson(here), [&](const Lesson& each) { return done.contains(each.number); });
    return lesson == nullptr ? "none" : lesson->number;
  };
  std::vector<std::string> numbers;  // of the lessons that there are, in the course's order
  for (const Lesson* const lesson : all_lessons()) {
    if (!lesson->playground) numbers.push_back(lesson->number);
  }
  ASSERT_GE(numbers.size(), 4U);
  EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
  const std::string last = numbers.back();
  EXPECT_EQ(next("01", {}), numbers[1]);
  EXPECT_EQ(next("01", {numbers[1]}), numbers[2]);
  EXPECT_EQ(next(last.c_str(), {}), "01") << "the playground is no lesson that one goes on to";
  EXPECT_EQ(next(last.c_str(), {"01", numbers[1]}), numbers[2]);
  EXPECT_EQ(next("playground", {"01"}), numbers[1]);
  EXPECT_EQ(next(last.c_str(), {numbers.begin(), numbers.end() - 1}), "none") << "this one is not the next";
}

}  // namespace
}  // namespace warpbook::lessons
