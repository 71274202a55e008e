// A kept run beside those after it: what differs, in words and numbers, and the views of both.
#include "app/panels/reference_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "app/views/common_scale.h"
#include "lessons/catalog.h"
#include "tests/app/headless.h"

namespace warpbook::test {
namespace {

using app::ReferenceComparison;

class ReferenceRun : public testing::Test {
 protected:
  void open(const char* number) {
    window_.book().open(*lessons::find_lesson(number));
    ASSERT_TRUE(window_.settle());
    window_.session().rerun = false;
  }
  void run(const std::map<std::string, double>& changed = {}) {
    lessons::Values values = window_.session().lesson().values;
    for (const auto& [id, value] : changed) values.set(id, value);
    window_.book().set_values(values);
    window_.book().run();
    ASSERT_TRUE(window_.settle());
    ASSERT_TRUE(window_.session().lesson().shown);
  }
  [[nodiscard]] ReferenceComparison now() {
    const app::LessonState& state = window_.session().lesson();
    return compare_with_reference(*state.reference->run, *state.shown);
  }
  [[nodiscard]] bool there(const char* name) { return window_.find(name) != nullptr; }

  Headless window_{1440, 900};
};

std::optional<ReferenceComparison::Row> row(const std::vector<ReferenceComparison::Row>& rows, std::string_view label) {
  const auto found = std::ranges::find(rows, label, &ReferenceComparison::Row::label);
  return found == rows.end() ? std::nullopt : std::optional(*found);
}

TEST_F(ReferenceRun, SettingsAndNumbersStandBesideEachOther) {
  open("01");
  EXPECT_FALSE(there("kept/keep")) << "there is no run to keep";
  run();
  ASSERT_TRUE(window_.click("kept/keep"));
  window_.frame();
  EXPECT_TRUE(there("kept/table"));
  EXPECT_FALSE(there("kept/keep")) << "one is kept";
  EXPECT_FALSE(there("kept/instead")) << "it is the one that is shown";
  run({{"blocks", 31}});
  const ReferenceComparison b = now();
  ASSERT_EQ(b.settings.size(), 1u);
  EXPECT_EQ(b.settings[0].label, "Blocks per grid");
  EXPECT_EQ(b.settings[0].reference, "32");
  EXPECT_EQ(b.settings[0].now, "31");
  const lessons::Number& written = window_.session().lesson().shown->outcome->numbers.front();
  const std::optional<ReferenceComparison::Row> changed = row(b.numbers, say(written.label));
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->reference, "3200");
  EXPECT_EQ(changed->now, "3100");
  EXPECT_EQ(changed->change, "−100");
}

TEST_F(ReferenceRun, AnEditedKernelAndWhatItWasFoundToDoAreSaid) {
  open("05");
  run({{"trials", 2}});
  ASSERT_TRUE(window_.click("kept/keep"));
  run({{"atomic", 1}});
  const std::optional<ReferenceComparison::Row> race = row(now().findings, "Races");
  ASSERT_TRUE(race);
  EXPECT_NE(race->reference.find("line"), std::string::npos) << race->reference;
  EXPECT_EQ(race->now, "none found");
  EXPECT_EQ(race->change, "gone");
  EXPECT_FALSE(row(now().settings, "Kernel"));
  app::EditorText& text = window_.session().lesson().text;
  text.insert("// mine\n");
  window_.book().text_changed();
  run();
  ASSERT_TRUE(row(now().settings, "Kernel"));
}

TEST_F(ReferenceRun, ViewsOfBothAreShownUntilItIsDropped) {
  open("01");
  run();
  ASSERT_TRUE(window_.click("kept/keep"));
  run({{"threads", 64}});
  window_.frame();
  app::LessonState& state = window_.session().lesson();
  EXPECT_EQ(app::views_of(state, "thread_map").size(), 2u);
  ASSERT_TRUE(window_.click("kept/show_kept"));
  ASSERT_EQ(app::views_of(state, "thread_map").size(), 1u);
  EXPECT_TRUE(app::views_of(state, "thread_map")[0].reference);
  ASSERT_TRUE(window_.click("kept/show_now"));
  EXPECT_FALSE(app::views_of(state, "thread_map")[0].reference);
  open("05");
  EXPECT_FALSE(there("kept/table")) << "another lesson has its own";
  open("01");
  EXPECT_TRUE(there("kept/table"));
  ASSERT_TRUE(window_.click("kept/drop"));
  window_.frame();
  EXPECT_FALSE(there("kept/table"));
  EXPECT_TRUE(app::views_of(window_.session().lesson(), "thread_map").empty());
}

TEST(CommonScale, TimesEndTogetherAndColoursMeanTheSame) {
  lessons::HostTimeline early, late;
  early.end = 3, late.end = 8;
  const auto [a, b] = app::on_common_scale(early, late);
  EXPECT_EQ(std::get<lessons::HostTimeline>(a).end, 8);
  EXPECT_EQ(std::get<lessons::HostTimeline>(b).end, 8);
  lessons::Field low, high;
  low.low = -1, low.high = 2, high.low = 0, high.high = 5;
  const auto [c, d] = app::on_common_scale(low, high);
  for (const lessons::Figure* each : {&c, &d}) {
    EXPECT_EQ(std::get<lessons::Field>(*each).low, -1);
    EXPECT_EQ(std::get<lessons::Field>(*each).high, 5);
  }
  const auto [e, f] = app::on_common_scale(early, high);
  EXPECT_EQ(std::get<lessons::HostTimeline>(e).end, 3) << "figures of different kinds stay as they are";
}

}  // namespace
}  // namespace warpbook::test
