// The built program as a window on a display of its own (Xvfb), with a mouse and a keyboard (xdotool).
//
//     Window window;
//     window.click("run");
//     EXPECT_TRUE(window.wait_for("report/race"));
//
// Widgets are found by name in the file that the program keeps up to date (WARPBOOK_WIDGETS, app/shell/visible.h).
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace warpbook::test {

class Window {
 public:
  enum class Learner { known, first };  // first: nothing is kept of one yet, so that the tour begins
  enum class Driver { current, old };   // old: the display's driver has OpenGL 3.3
  /// scale: what a desktop says of its display, as GLFW reads it (Xft.dpi is 96 times as much).
  explicit Window(int width = 1440, int height = 900, double scale = 1, Learner learner = Learner::known,
                  Driver driver = Driver::current);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  struct Area {
    double x = 0, y = 0, width = 0, height = 0;
  };

  /// What the program last wrote (app/shell/visible.h); an empty object before it has.
  [[nodiscard]] nlohmann::json state() const;
  [[nodiscard]] std::optional<Area> find(const std::string& name) const;
  [[nodiscard]] bool running() const;
  [[nodiscard]] std::filesystem::path kept() const { return folder_ / "data" / "warpbook"; }  // where the program keeps progress
  [[nodiscard]] std::filesystem::path documents() const { return folder_ / "documents"; }
  /// What the desktop was asked to open so far, a line each (tests/app/stand_in_desktop.h).
  [[nodiscard]] std::string opened() const;
  /// Kills the program without a word, as a crash would, and starts it again with what it had kept.
  void restart();

  /// Until the condition holds, 20 s at most: false when it never did.
  [[nodiscard]] bool wait(const std::function<bool()>& condition, double seconds = 20) const;
  [[nodiscard]] bool wait_for(const std::string& name, double seconds = 20) const;

  /// All fail the test where there is no such widget. fraction: where in the widget, 0 … 1. A "run" that asks for a prediction
  /// first is clicked once more: Ctrl+Return presses it once.
  void click(const std::string& name, double fraction_x = 0.5, double fraction_y = 0.5) const;
  void point(const std::string& name, double fraction_x = 0.5, double fraction_y = 0.5) const;  // the mouse rests there
  void double_click(const std::string& name, double fraction_x = 0.5, double fraction_y = 0.5) const;
  void drag(const std::string& name, double from_x, double from_y, double to_x, double to_y) const;
  void type(const std::string& text) const;
  /// As xdotool calls it: "Return", "ctrl+a". rest: seconds afterwards; none where the test then waits for what the key does.
  void key(const std::string& name, double rest = 0.1) const;

  /// Standard error of the program so far.
  [[nodiscard]] std::string complaints() const;

 private:
  void xdotool(const std::string& words) const;

  void start_program();

  Driver driver_;
  std::filesystem::path folder_;
  std::string display_;
  pid_t server_ = -1;
  mutable pid_t program_ = -1;
};

}  // namespace warpbook::test
