// The page's Export: a file of each kind, where it went, and what cannot be written.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/app/window_words.h"

namespace warpbook::test {
namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Chooses a row of the menu and returns the file it wrote; empty: it wrote none.
fs::path export_as(const Window& window, const std::string& row) {
  const std::string before = window.state()["exported"]["path"];
  window.click("export");
  EXPECT_TRUE(window.wait_for(row)) << seen(window);
  window.click(row);
  EXPECT_TRUE(window.wait([&] {
    const auto state = window.state();
    return state["exported"]["failed"] == true || (state["exported"]["path"] != "" && state["exported"]["path"] != before);
  })) << seen(window);
  return window.state()["exported"]["path"].get<std::string>();
}

TEST(Export, ProgramsAreThereBeforeTheRunAndNothingIsOverwritten) {
  const Window window;
  set_control(window, "blocks", "17");
  const fs::path program = export_as(window, "export/cu");
  EXPECT_NE(contents(program).find("add<<<17, 100>>>"), std::string::npos) << program;
  const fs::path again = export_as(window, "export/cu");
  EXPECT_NE(again, program);
  EXPECT_TRUE(fs::exists(program));
  EXPECT_NE(contents(export_as(window, "export/py")).find("add[17, 100]"), std::string::npos);
  ASSERT_TRUE(window.wait_for("exported/copy"));
  window.click("exported/copy");
  window.click("exported/close");
  EXPECT_TRUE(window.wait([&] { return !window.find("exported/close"); })) << seen(window);
  // The copied path, pasted.
  window.click("editor", 0.5, 0.3);
  window.key("ctrl+a");
  window.key("ctrl+v");
  window.key("Home");
  window.key("shift+End");
  EXPECT_TRUE(window.wait([&] { return word(window, "selected").find("01_first_kernel.py") != std::string::npos; }))
      << seen(window);
}

TEST(Export, ResultsAreATableOfAllRuns) {
  const Window window;
  window.click("run");
  ASSERT_TRUE(window.wait([&] { return number(window, "written") == 3200; }, 60));
  set_control(window, "blocks", "31");
  window.click("run");
  ASSERT_TRUE(window.wait([&] { return number(window, "untouched") == 996; }, 60));
  const std::string table = contents(export_as(window, "export/csv"));
  EXPECT_NE(table.find("1,result,untouched,,896,,Untouched\r\n"), std::string::npos) << table.substr(0, 2000);
  EXPECT_NE(table.find(",result,untouched,,996,,Untouched\r\n"), std::string::npos);
  EXPECT_NE(table.find(",array,written,4095,0,,\r\n"), std::string::npos);
}

TEST(Export, PicturesOfAViewAndOfThePage) {
  const Window window;
  window.click("run");
  ASSERT_TRUE(window.wait([&] { return number(window, "written") == 3200; }, 60));
  const std::string view = contents(export_as(window, "export/view/thread_map"));
  const std::string page = contents(export_as(window, "export/page"));
  EXPECT_TRUE(view.starts_with("\x89PNG"));
  EXPECT_TRUE(page.starts_with("\x89PNG"));
  const auto height = [](const std::string& png) {
    unsigned value = 0;
    for (std::size_t i = 20; i < 24; ++i) value = value << 8 | static_cast<unsigned char>(png[i]);
    return value;
  };
  EXPECT_GT(height(view), 100u);
  EXPECT_LT(height(view), 900u) << "a view's own height";
  EXPECT_GT(height(page), 900u) << "the whole page, not what the window shows of it";
  EXPECT_TRUE(window.find("run").has_value()) << "the window's own widgets are there as before";
}

TEST(Export, SaysWhyAFolderCannotBeWritten) {
  const Window window;
  std::ofstream(window.kept().parent_path().parent_path() / "documents") << "a file where the folder should be";
  window.click("export");
  ASSERT_TRUE(window.wait_for("export/cu"));
  window.click("export/cu");
  EXPECT_TRUE(window.wait([&] { return window.state()["exported"]["failed"] == true; })) << seen(window);
  EXPECT_NE(window.state()["exported"]["words"].get<std::string>().find("XDG_DOCUMENTS_DIR"), std::string::npos) << seen(window);
}

}  // namespace
}  // namespace warpbook::test
