// One table: what it lists is what is obeyed, and no two commands want one key.
#include "app/panels/shortcuts.h"

#include "app/ui/zoom.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <gtest/gtest.h>

#include <optional>

namespace warpbook::app {
namespace {

TEST(Shortcuts, every_row_with_a_command_is_obeyed) {
  for (const Shortcut& row : shortcuts()) {
    EXPECT_FALSE(row.keys.empty());
    EXPECT_FALSE(row.does.empty());
    if (row.command != Command::none) {
      EXPECT_EQ(command_of(row.press, true), row.command) << row.keys;
      EXPECT_EQ(command_of(row.press), row.presenting ? std::nullopt : std::optional(row.command)) << row.keys;
    }
  }
}

TEST(Shortcuts, keys_that_belong_to_what_is_typed_into_are_left_alone) {
  for (const int key : {GLFW_KEY_TAB, GLFW_KEY_ENTER, GLFW_KEY_LEFT, GLFW_KEY_PAGE_DOWN, GLFW_KEY_MINUS, GLFW_KEY_0})
    EXPECT_FALSE(command_of({.key = key})) << key;
  for (const int key : {GLFW_KEY_A, GLFW_KEY_C, GLFW_KEY_V, GLFW_KEY_Z, GLFW_KEY_Y, GLFW_KEY_F, GLFW_KEY_G, GLFW_KEY_SLASH})
    EXPECT_FALSE(command_of({.key = key, .ctrl = true})) << key;
  EXPECT_FALSE(command_of({.character = U'a'}));
}

TEST(Shortcuts, plus_is_found_wherever_a_keyboard_has_it) {
  EXPECT_EQ(command_of({.key = GLFW_KEY_KP_ADD, .ctrl = true}), Command::larger);
  EXPECT_EQ(command_of({.key = GLFW_KEY_EQUAL, .ctrl = true, .shift = true}), Command::larger);
}

TEST(Shortcuts, sizes_go_up_and_down_the_same_ladder_and_fit_the_window) {
  EXPECT_FLOAT_EQ(next_zoom(next_zoom(1.25f, 1), -1), 1.25f);
  EXPECT_FLOAT_EQ(next_zoom(least_zoom(), -1), least_zoom());
  EXPECT_FLOAT_EQ(next_zoom(most_zoom(), 1), most_zoom());
  EXPECT_FLOAT_EQ(fitting_zoom(3, 1440, 900, 1), 1.5f);
  EXPECT_FLOAT_EQ(fitting_zoom(3, 3840, 2160, 1), 3);
  EXPECT_FLOAT_EQ(fitting_zoom(3, 3840, 2160, 2), 1.75f) << "a display's own scale takes room, too";
  EXPECT_FLOAT_EQ(fitting_zoom(0.8f, 640, 480, 1), 0.8f);
}

}  // namespace
}  // namespace warpbook::app
