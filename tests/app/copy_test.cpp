// Copy: numbers, findings and views from where they stand, by the right mouse button and by Ctrl+C.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "lessons/catalog.h"
#include "lessons/results_csv.h"
#include "tests/app/headless.h"

namespace warpbook::test {
namespace {

using Key = app::KeyEvent::Key;

class Copy : public testing::Test {
 protected:
  Copy() { EXPECT_TRUE(window_.settle()); }
  void run(const char* lesson) {
    window_.book().open(*lessons::find_lesson(lesson));
    ASSERT_TRUE(window_.settle());
    ASSERT_TRUE(window_.click("run"));
    ASSERT_TRUE(window_.wait([&] { return window_.session().lesson().shown != nullptr; }));
    ASSERT_TRUE(window_.settle());
  }
  void copy_by_mouse(const std::string& name, float x = 0.5F) {
    ASSERT_TRUE(window_.right_click(name, x)) << name;
    ASSERT_NE(window_.find("copy/words"), nullptr) << name;
    ASSERT_TRUE(window_.click("copy/words"));
    EXPECT_EQ(window_.find("copy/words"), nullptr) << "the menu has closed";
  }
  void copy_by_key(const std::string& name) {
    ASSERT_TRUE(window_.tab_to(name)) << name;
    window_.key(Key::c, false, true);
  }
  [[nodiscard]] std::string notice() const { return window_.state()["copied"]; }

  Headless window_;
};

TEST_F(Copy, ANumberAsItIsShown) {
  run("01");
  copy_by_mouse("number/written");
  EXPECT_EQ(window_.clipboard(), "Written: 3200");
  EXPECT_EQ(notice(), "Copied: Written: 3200");
  window_.let_go();
  copy_by_key("number/untouched");
  EXPECT_EQ(window_.clipboard(), "Untouched: 896");
}

TEST_F(Copy, ANumberWithItsUnit) {
  run("01");
  for (const lessons::Number& number : window_.session().lesson().shown->outcome->numbers) {
    if (!number.on_page || number.unit.empty()) continue;
    copy_by_key("number/" + number.name);
    EXPECT_TRUE(window_.clipboard().starts_with(say(number.label) + ": ")) << window_.clipboard();
    EXPECT_TRUE(window_.clipboard().ends_with(" " + number.unit)) << window_.clipboard();
  }
}

TEST_F(Copy, AFindingIsItsWholeSentenceWithLineAndThreads) {
  run("05");
  const gpu::Finding finding = window_.session().lesson().observed()->report.findings.at(0);
  ASSERT_EQ(finding.kind, gpu::FindingKind::race);
  const std::string line = std::to_string(finding.at.line);
  copy_by_mouse("report/race");
  EXPECT_EQ(window_.clipboard(), "Race, race.cu line " + line + ": " + in_english(finding.message));
  EXPECT_NE(window_.clipboard().find("(32,0,0)"), std::string::npos) << "the thread: " << window_.clipboard();
  window_.let_go();
  copy_by_key("report/race");
  EXPECT_EQ(window_.clipboard(), "Race, race.cu line " + line + ": " + in_english(finding.message));
  // The same beside the kernel's line.
  copy_by_mouse("note/" + line);
  EXPECT_EQ(window_.clipboard(), "Race, line " + line + ": " + in_english(finding.message));
}

TEST_F(Copy, AKindWithoutAFindingSaysSo) {
  copy_by_mouse("report/race");
  EXPECT_EQ(window_.clipboard(), "Races: not observed");
  run("01");
  copy_by_key("report/race");
  EXPECT_EQ(window_.clipboard(), "Races: none found");
}

TEST_F(Copy, AViewsDataAreATable) {
  run("01");
  copy_by_mouse("view/thread_map");
  const lessons::Figure& figure = window_.session().lesson().shown->outcome->figures.front();
  ASSERT_TRUE(std::holds_alternative<lessons::ThreadMap>(figure));
  EXPECT_EQ(window_.clipboard(), lessons::figure_table(figure));
  EXPECT_EQ(std::ranges::count(window_.clipboard(), '\n'), 1 + 4096) << "its head, and a row an element";
  EXPECT_EQ(notice(), "Copied: the data of the thread map, as a table");
  window_.let_go();
  copy_by_key("view/thread_map");
  EXPECT_EQ(window_.clipboard(), lessons::figure_table(figure));
}

TEST_F(Copy, AViewIsSavedAsAPictureToo) {
  run("01");
  ASSERT_TRUE(window_.right_click("view/thread_map"));
  ASSERT_TRUE(window_.click("copy/picture"));
  ASSERT_TRUE(window_.wait([&] { return !window_.session().lesson().exported.path.empty(); }));
  const std::filesystem::path file = window_.session().lesson().exported.path;
  EXPECT_EQ(file.filename(), "01_first_kernel thread map.png");
  EXPECT_TRUE(std::filesystem::exists(file));
}

TEST_F(Copy, NothingIsCopiedWhereNothingHasTheFocus) {
  run("01");
  window_.key(Key::c, false, true);
  EXPECT_EQ(window_.clipboard(), "");
  EXPECT_EQ(notice(), "");
  ASSERT_TRUE(window_.tab_to("run"));
  window_.key(Key::c, false, true);
  EXPECT_EQ(window_.clipboard(), "") << "a button has nothing to copy";
}

TEST_F(Copy, TheEditorKeepsItsOwn) {
  run("05");
  ASSERT_TRUE(window_.tab_to("report/race"));
  ASSERT_TRUE(window_.click("editor", 0.5F, 0.1F));
  window_.key(Key::a, false, true);
  window_.key(Key::c, false, true);
  EXPECT_EQ(window_.clipboard(), window_.session().lesson().text.str());
}

}  // namespace
}  // namespace warpbook::test
