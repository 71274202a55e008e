// A program with its main(), pasted into the playground as it is.
#include <gtest/gtest.h>

#include "lessons/catalog.h"
#include "tests/app/headless.h"

namespace warpbook::test {
namespace {

TEST(WholeProgram, RunsAndIsExportedWithANewHostsPart) {
  Headless window;
  ASSERT_TRUE(window.settle());
  window.book().open(*lessons::find_lesson("18"));
  ASSERT_TRUE(window.settle());
  const auto program = lessons::read_text(WARPBOOK_ROOT "/tests/cases/compile/whole_program.cu");
  ASSERT_TRUE(program);
  app::LessonState& state = window.session().lesson();
  state.text.select_all();
  state.text.insert(*program);
  window.book().text_changed();
  ASSERT_TRUE(window.settle());
  EXPECT_NE(window.find("kernel/add"), nullptr);
  EXPECT_NE(window.find("left_out"), nullptr) << "said below the editor";
  EXPECT_EQ(state.text.str(), *program) << "what the learner wrote stays";
  ASSERT_TRUE(window.click("run"));
  ASSERT_TRUE(window.settle());
  ASSERT_NE(state.shown, nullptr);

  window.click("tab/host");
  ASSERT_TRUE(window.wait([&] { return state.host && app::is_current(*state.host, window.session()); }));
  ASSERT_TRUE(state.host->cuda) << state.host->cuda.error().message;
  const std::string& text = state.host->cuda->text;
  EXPECT_EQ(text.find("main("), text.rfind("main(")) << text;
  EXPECT_EQ(text.find("std::cerr << cudaGetErrorString"), text.rfind("std::cerr << cudaGetErrorString")) << "its own macro stays";
  EXPECT_EQ(text.find("fill(float* a"), std::string::npos) << text;
}

}  // namespace
}  // namespace warpbook::test
