// A page as a file: what a reader needs of it, and nothing for a hand.
#include <gtest/gtest.h>
#include <imgui_internal.h>

#include "app/shell/exports.h"
#include "tests/app/headless.h"

namespace warpbook::test {
namespace {

TEST(PrintedPage, HasNothingThatCanOnlyBePressed) {
  Headless window;
  ASSERT_TRUE(window.settle());
  window.session().lesson().exported = {.words = "Writing …", .path = "/tmp/page.png", .failed = false, .busy = false};
  for (const char* name : {"export", "present", "exported/close", "lesson/reset"}) {
    window.frame();
    EXPECT_NE(window.find(name), nullptr) << name << " is on the page";
  }
  ImGui::NewFrame();
  app::forget_widgets();
  ImGui::Begin("printed");
  app::draw_page_sheet(window.session(), window.book(), 900);
  ImGui::End();
  ImGui::Render();
  for (const char* name : {"export", "present", "exported/close", "exported/copy", "lesson/reset"})
    EXPECT_EQ(window.find(name), nullptr) << name << " is in the file";
  EXPECT_NE(window.find("control/blocks"), nullptr) << "but what it was run with";
  EXPECT_NE(window.find("view/thread_map"), nullptr);
}

}  // namespace
}  // namespace warpbook::test
