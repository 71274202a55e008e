// The whole workbook without a display: panels, session and worker as in the window, frame by frame, with a mouse and a keyboard.
//
//     Headless window;
//     window.click("run");
//     EXPECT_TRUE(window.settle());
//     EXPECT_EQ(window.state()["numbers"]["written"], 4096);
//
// Widgets are found by the names that app/ui/hit_area.h registers. Nothing is rasterised: a frame is laid out in a millisecond or two.
// One at a time: ImGui and the theme are the process's own. Needs EGL (app/worker/egl_context.h).
#pragma once

#include <imgui.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "app/shell/perform.h"
#include "app/shell/workbook.h"
#include "app/ui/hit_area.h"
#include "app/worker/egl_context.h"

namespace warpbook::test {

class Headless {
 public:
  /// CSS pixels. gpus: what there is beside the virtual GPU (tests/app/hardware.h answers for GPU 0).
  explicit Headless(int width = 1440, int height = 900,
                    app::NvidiaGpus gpus = {.found = {}, .none = "NVIDIA, no driver found", .why = "Install it."});
  ~Headless();
  Headless(const Headless&) = delete;
  Headless& operator=(const Headless&) = delete;

  app::Session& session() { return *session_; }
  app::Workbook& book() { return *book_; }

  /// Closes the window and opens it again on what it has kept: what is on screen then is what a learner comes back to.
  void reopen();
  /// Where it keeps what the learner does.
  [[nodiscard]] std::filesystem::path kept() const { return folder_ / "kept"; }

  /// What the desktop was asked to open so far, a line each (tests/app/stand_in_desktop.h).
  [[nodiscard]] std::string opened() const;

  void frame();
  /// Frames until nothing runs, compiles or is written; false: that took longer than a minute.
  bool settle();
  bool wait(const std::function<bool()>& condition, double seconds = 60);

  [[nodiscard]] const app::NamedRect* find(const std::string& name) const;
  /// Scrolls what the widget stands in until its middle can be clicked; false: there is no such widget, or no way to it.
  bool bring(const std::string& name);
  /// x, y: fractions of the widget. A "run" that asks for a prediction first is pressed once more: command() presses it once.
  bool click(const std::string& name, float x = 0.5F, float y = 0.5F);
  bool right_click(const std::string& name, float x = 0.5F, float y = 0.5F);
  bool point(const std::string& name, float x = 0.5F, float y = 0.5F);
  bool drag(const std::string& name, ImVec2 by);  // from its middle, screen pixels
  void leave();                                   // the mouse goes
  void let_go();                                  // … and with it the keyboard, open lists and the clipboard
  void key(app::KeyEvent::Key key, bool shift = false, bool ctrl = false);
  void command(app::Command command);
  void type(const std::string& ascii);
  bool tab_to(const std::string& name);     // presses Tab until it has the focus
  [[nodiscard]] std::string focus() const;  // the widget that has it; empty: none

  [[nodiscard]] std::string clipboard() const { return clipboard_; }

  /// app/shell/visible.h
  [[nodiscard]] nlohmann::json state() const;
  /// All that can be seen or has been done: the state, what was drawn in the last frame, the clipboard.
  [[nodiscard]] std::string seen() const;

 private:
  void open();

  std::filesystem::path folder_;
  app::NvidiaGpus gpus_;
  std::unique_ptr<app::EglContext> opengl_;
  std::unique_ptr<app::Session> session_;
  std::unique_ptr<app::Workbook> book_;
  std::string clipboard_;
  double now_ = 0;
};

}  // namespace warpbook::test
