// Shortcuts: one table of all keys that work everywhere. The window obeys it, and `?` lists it.
//
//     if (const auto command = command_of({.key = GLFW_KEY_F11})) perform(*command, session, actions);     // shell/perform.h
//     for (const Shortcut& row : shortcuts()) print(row.keys, say(row.does));
//
// Rows without a command describe keys of the widget that has the focus. They are only listed here.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "gpu/message.h"

namespace warpbook::app {

enum class Command : std::uint8_t {
  none,
  run,
  cancel,
  step_forward,
  step_back,
  next_lesson,
  previous_lesson,
  shortcuts,
  settings,
  glossary,
  progress,
  larger,
  smaller,
  normal_size,
  full_screen,
  present,
  // While presenting:
  next_slide,
  previous_slide,
  run_slide,
  slide_controls
};

struct Press {
  int key = 0;  // GLFW's; 0: a character
  bool ctrl = false, shift = false;
  char32_t character = 0;
};

struct Shortcut {
  ToSay group;
  Command command = Command::none;
  Press press = {};
  std::string_view keys;  // "Ctrl+Enter"
  ToSay does;
  bool presenting = false;  // only while presenting, and while no text field has the keyboard
};
[[nodiscard]] std::span<const Shortcut> shortcuts();

[[nodiscard]] std::optional<Command> command_of(const Press& press, bool presenting = false);
[[nodiscard]] std::string_view keys_of(Command command);

}  // namespace warpbook::app
