// What window tests say again and again: what is on screen, and a lesson's number or control.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tests/app/window.h"

namespace warpbook::test {

// What is on screen, without the places of the widgets, for messages.
inline std::string seen(const Window& window) {
  auto state = window.state();
  if (state.is_object()) state.erase("widgets");
  return state.dump(1) + window.complaints();
}

inline double number(const Window& window, const std::string& name) {
  const auto state = window.state();
  return state.is_object() && state["numbers"].contains(name) ? state["numbers"][name].get<double>() : -1e9;
}

inline std::string word(const Window& window, const std::string& key) {
  const auto state = window.state();
  return state.is_object() && state.contains(key) ? state[key].get<std::string>() : std::string();
}

inline void open_lesson(const Window& window, const std::string& number, const std::string& id) {
  window.click("rail/" + number);
  ASSERT_TRUE(window.wait([&] { return word(window, "lesson") == id; })) << seen(window);
}

// Types a value into a control's field in place of what stands there.
inline void set_control(const Window& window, const std::string& id, const std::string& value) {
  window.click("control/" + id);
  window.key("ctrl+a");
  window.type(value);
  window.key("Return");
  ASSERT_TRUE(window.wait([&] { return window.state()["values"][id] == std::stod(value); })) << window.state()["values"].dump();
}

}  // namespace warpbook::test
