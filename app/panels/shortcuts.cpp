#include "app/panels/shortcuts.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <algorithm>
#include <array>

namespace warpbook::app {
namespace {

constexpr std::string_view work = "Run", look = "Window", while_presenting = "While presenting", keyboard = "Without a mouse",
                           editing = "In the kernel";

// The first row of a command is the one that is named elsewhere.
constexpr std::array shortcut_table{
    Shortcut{work, Command::run, {.key = GLFW_KEY_ENTER, .ctrl = true}, "Ctrl+Enter", "Run, or go on"},
    Shortcut{work, Command::cancel, {.key = GLFW_KEY_PERIOD, .ctrl = true}, "Ctrl+.", "Cancel what is running"},
    Shortcut{work, Command::step_forward, {.key = GLFW_KEY_F10}, "F10", "Step forwards in a recorded launch"},
    Shortcut{work, Command::step_back, {.key = GLFW_KEY_F10, .shift = true}, "Shift+F10", "Step back"},
    Shortcut{work, Command::next_lesson, {.key = GLFW_KEY_PAGE_DOWN, .ctrl = true}, "Ctrl+PgDn", "Next lesson"},
    Shortcut{work, Command::previous_lesson, {.key = GLFW_KEY_PAGE_UP, .ctrl = true}, "Ctrl+PgUp", "Lesson before"},
    Shortcut{look, Command::shortcuts, {.character = U'?'}, "?", "This list"},
    Shortcut{look, Command::shortcuts, {.key = GLFW_KEY_F1}, "F1", "This list, while you type"},
    Shortcut{look, Command::glossary, {.key = GLFW_KEY_F2}, "F2", "Glossary"},
    Shortcut{look, Command::progress, {.key = GLFW_KEY_F4}, "F4", "Your progress, all exercises"},
    Shortcut{look, Command::settings, {.key = GLFW_KEY_COMMA, .ctrl = true}, "Ctrl+,", "Settings"},
    Shortcut{look, Command::larger, {.key = GLFW_KEY_EQUAL, .ctrl = true}, "Ctrl++", "Larger"},
    Shortcut{look, Command::smaller, {.key = GLFW_KEY_MINUS, .ctrl = true}, "Ctrl+−", "Smaller"},
    Shortcut{look, Command::normal_size, {.key = GLFW_KEY_0, .ctrl = true}, "Ctrl+0", "Normal size"},
    Shortcut{look, Command::full_screen, {.key = GLFW_KEY_F11}, "F11", "Full screen"},
    Shortcut{while_presenting, Command::present, {.key = GLFW_KEY_F5}, "F5", "Present, and leave"},
    Shortcut{while_presenting, Command::next_slide, {.key = GLFW_KEY_RIGHT}, "→", "Next view", true},
    Shortcut{while_presenting, Command::next_slide, {.key = GLFW_KEY_PAGE_DOWN}, "PgDn", "Next view, as clickers send it", true},
    Shortcut{while_presenting, Command::previous_slide, {.key = GLFW_KEY_LEFT}, "←", "View before", true},
    Shortcut{while_presenting, Command::previous_slide, {.key = GLFW_KEY_PAGE_UP}, "PgUp", "View before", true},
    Shortcut{while_presenting, Command::run_slide, {.character = U'r'}, "R", "Run, or pause", true},
    Shortcut{while_presenting, Command::run_slide, {.character = U' '}, "Space", "Run, or pause", true},
    Shortcut{while_presenting, Command::slide_controls, {.character = U'c'}, "C", "Controls", true},
    Shortcut{keyboard, Command::none, {}, "Tab", "Next control"},
    Shortcut{keyboard, Command::none, {}, "Shift+Tab", "Control before"},
    Shortcut{keyboard, Command::none, {}, "Enter", "Press; in a field, type"},
    Shortcut{keyboard, Command::none, {}, "← →", "Move a slider"},
    Shortcut{keyboard, Command::none, {}, "Ctrl+Z Ctrl+Y", "Undo and redo a control"},
    Shortcut{keyboard, Command::none, {}, "← → ↑ ↓ Enter", "Point into a view, and click"},
    Shortcut{keyboard, Command::none, {}, "Shift+← →, + −", "Drag in a view, and zoom"},
    Shortcut{keyboard, Command::none, {}, "↑ ↓ PgUp PgDn", "Scroll the page"},
    Shortcut{keyboard, Command::none, {}, "Ctrl+C", "Copy a number, a finding or a view"},
    Shortcut{keyboard, Command::none, {}, "Escape", "Give up, close"},
    Shortcut{editing, Command::none, {}, "Ctrl+Z Ctrl+Y", "Undo, redo"},
    Shortcut{editing, Command::none, {}, "Ctrl+C X V A", "Copy, cut, paste, select all"},
    Shortcut{editing, Command::none, {}, "Ctrl+F F3", "Find, and find the next"},
    Shortcut{editing, Command::none, {}, "Ctrl+G", "Go to a line"},
    Shortcut{editing, Command::none, {}, "Ctrl+/", "Comment lines out, and back in"},
    Shortcut{editing, Command::none, {}, "Tab", "Indent"},
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
