// Window: the workbook on a display: GLFW, OpenGL 4.5, Dear ImGui.
//
//     const auto closed = open_window({.lesson = find_lesson("05"), .appearance = Appearance::dark});
//     if (!closed) say(closed.error().message);        // "no_display", "no_opengl": what to install or to do instead
//
// Draws when something happens, at the display's rate while an experiment runs. The worker's news wake it.
// WARPBOOK_WIDGETS=FILE writes what is on screen, and the names and rectangles of what can be clicked, as JSON whenever they
// change: for tests (visible.h).
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "app/session/session.h"
#include "gpu/result.h"
#include "lessons/progress.h"

namespace warpbook::app {

struct WindowOptions {
  const lessons::Lesson* lesson = nullptr;  // nullptr: the first one
  Appearance appearance = Appearance::dark;
  std::string file;                // a .cu to open in the playground; empty: none
  DeviceKey device;                // to begin with
  NvidiaGpus gpus;                 // what can be chosen beside the virtual GPU
  lessons::KeptDesk desk;          // size, and what else was set, as they were kept
  std::filesystem::path keep_in;   // what the learner does (lessons/progress.h); empty: it is not kept
  int width = 1440, height = 900;  // CSS pixels
};

/// What the learner left behind by closing the window.
struct WindowClosed {
  std::optional<int> restart_with;  // the program is to begin anew with this GPU
};
/// Returns when the learner closes it.
[[nodiscard]] Result<WindowClosed> open_window(const WindowOptions& options);

}  // namespace warpbook::app
