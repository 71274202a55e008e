#include "app/panels/shortcuts.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <algorithm>
#include <array>

#include "gpu/message.h"

namespace warpbook::app {
namespace {

constexpr ToSay work = to_say("Run"), look = to_say("Window"), while_presenting = to_say("While presenting"),
                keyboard = to_say("Without a mouse"), editing = to_say("In the kernel");

// The first row of a command is the one that is named elsewhere.
constexpr std::array shortcut_table{
    Shortcut{work, Command::run, {.key = GLFW_KEY_ENTER, .ctrl = true}, "Ctrl+Enter", to_say("Run, or go on")},
    Shortcut{work, Command::cancel, {.key = GLFW_KEY_PERIOD, .ctrl = true}, "Ctrl+.", to_say("Cancel what is running")},
    Shortcut{work, Command::step_forward, {.key = GLFW_KEY_F10}, "F10", to_say("Step forwards in a recorded launch")},
    Shortcut{work, Command::step_back, {.key = GLFW_KEY_F10, .shift = true}, "Shift+F10", to_say("Step back")},
    Shortcut{work, Command::next_lesson, {.key = GLFW_KEY_PAGE_DOWN, .ctrl = true}, "Ctrl+PgDn", to_say("Next lesson")},
    Shortcut{work, Command::previous_lesson, {.key = GLFW_KEY_PAGE_UP, .ctrl = true}, "Ctrl+PgUp", to_say("Lesson before")},
    Shortcut{look, Command::shortcuts, {.character = U'?'}, "?", to_say("This list")},
    Shortcut{look, Command::shortcuts, {.key = GLFW_KEY_F1}, "F1", to_say("This list, while you type")},
    Shortcut{look, Command::glossary, {.key = GLFW_KEY_F2}, "F2", to_say("Glossary")},
    Shortcut{look, Command::progress, {.key = GLFW_KEY_F4}, "F4", to_say("Your progress, all exercises")},
    Shortcut{look, Command::settings, {.key = GLFW_KEY_COMMA, .ctrl = true}, "Ctrl+,", to_say("Settings")},
    Shortcut{look, Command::larger, {.key = GLFW_KEY_EQUAL, .ctrl = true}, "Ctrl++", to_say("Larger")},
    Shortcut{look, Command::smaller, {.key = GLFW_KEY_MINUS, .ctrl = true}, "Ctrl+−", to_say("Smaller")},
    Shortcut{look, Command::normal_size, {.key = GLFW_KEY_0, .ctrl = true}, "Ctrl+0", to_say("Normal size")},
    Shortcut{look, Command::full_screen, {.key = GLFW_KEY_F11}, "F11", to_say("Full screen")},
    Shortcut{while_presenting, Command::present, {.key = GLFW_KEY_F5}, "F5", to_say("Present, and leave")},
    Shortcut{while_presenting, Command::next_slide, {.key = GLFW_KEY_RIGHT}, "→", to_say("Next view"), true},
    Shortcut{
        while_presenting, Command::next_slide, {.key = GLFW_KEY_PAGE_DOWN}, "PgDn", to_say("Next view, as clickers send it"), true},
    Shortcut{while_presenting, Command::previous_slide, {.key = GLFW_KEY_LEFT}, "←", to_say("View before"), true},
    Shortcut{while_presenting, Command::previous_slide, {.key = GLFW_KEY_PAGE_UP}, "PgUp", to_say("View before"), true},
    Shortcut{while_presenting, Command::run_slide, {.character = U'r'}, "R", to_say("Run, or pause"), true},
    Shortcut{while_presenting, Command::run_slide, {.character = U' '}, "Space", to_say("Run, or pause"), true},
    Shortcut{while_presenting, Command::slide_controls, {.character = U'c'}, "C", to_say("Controls"), true},
    Shortcut{keyboard, Command::none, {}, "Tab", to_say("Next control")},
    Shortcut{keyboard, Command::none, {}, "Shift+Tab", to_say("Control before")},
    Shortcut{keyboard, Command::none, {}, "Enter", to_say("Press; in a field, type")},
    Shortcut{keyboard, Command::none, {}, "← →", to_say("Move a slider")},
    Shortcut{keyboard, Command::none, {}, "Ctrl+Z Ctrl+Y", to_say("Undo and redo a control")},
    Shortcut{keyboard, Command::none, {}, "← → ↑ ↓ Enter", to_say("Point into a view, and click")},
    Shortcut{keyboard, Command::none, {}, "Shift+← →, + −", to_say("Drag in a view, and zoom")},
    Shortcut{keyboard, Command::none, {}, "↑ ↓ PgUp PgDn", to_say("Scroll the page")},
    Shortcut{keyboard, Command::none, {}, "Ctrl+C", to_say("Copy a number, a finding or a view")},
    Shortcut{keyboard, Command::none, {}, "Escape", to_say("Give up, close")},
    Shortcut{editing, Command::none, {}, "Ctrl+Z Ctrl+Y", to_say("Undo, redo")},
    Shortcut{editing, Command::none, {}, "Ctrl+C X V A", to_say("Copy, cut, paste, select all")},
    Shortcut{editing, Command::none, {}, "Ctrl+F F3", to_say("Find, and find the next")},
    Shortcut{editing, Command::none, {}, "Ctrl+G", to_say("Go to a line")},
    Shortcut{editing, Command::none, {}, "Ctrl+/", to_say("Comment lines out, and back in")},
    Shortcut{editing, Command::none, {}, "Tab", to_say("Indent")},
};

// What the number pad has in its own place.
constexpr std::array also{
    std::pair{GLFW_KEY_KP_ENTER, GLFW_KEY_ENTER},
    std::pair{GLFW_KEY_KP_ADD, GLFW_KEY_EQUAL},
    std::pair{GLFW_KEY_KP_SUBTRACT, GLFW_KEY_MINUS},
    std::pair{GLFW_KEY_KP_0, GLFW_KEY_0},
};

}  // namespace

std::span<const Shortcut> shortcuts() { return shortcut_table; }

std::optional<Command> command_of(const Press& press, bool presenting) {
  Press asked = press;
  for (const auto& [key, instead] : also) {
    if (asked.key == key && asked.ctrl) asked.key = instead;
  }
  for (const Shortcut& row : shortcut_table) {
    if (row.presenting && !presenting) continue;
    if (row.command == Command::none || row.press.character != asked.character || row.press.key != asked.key) continue;
    // "+" needs Shift on some keyboards; a character has said already what Shift did to it.
    const bool shift_is_free = row.press.character != 0 || row.command == Command::larger;
    if (row.press.ctrl == asked.ctrl && (shift_is_free || row.press.shift == asked.shift)) return row.command;
  }
  return std::nullopt;
}

std::string_view keys_of(Command command) {
  const auto row =
      std::find_if(shortcut_table.begin(), shortcut_table.end(), [&](const Shortcut& each) { return each.command == command; });
  return row == shortcut_table.end() ? std::string_view() : row->keys;
}

}  // namespace warpbook::app
