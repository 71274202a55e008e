// Offscreen: the workbook as a picture, on a machine without a display.
//
//     Session session = make_session(*lesson, Appearance::dark);
//     show(session, snapshot);                                      // a result, if there is one
//     Result<void> made = picture(session, 1440, 900, 1.0f, "race.png");
//
// OpenGL through EGL without a surface; the panels and views are the window's own. width and height are CSS pixels, the file is
// `scale` times as large. Error codes: "no_opengl" (what to install is in the sentence), "cannot_write".
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "app/session/session.h"
#include "gpu/result.h"

namespace warpbook::app {

[[nodiscard]] Result<void> picture(Session& session, int width, int height, float scale, const std::filesystem::path& png);

/// For tests and for pictures of what the mouse does: moves it over the page before the picture is taken, in CSS pixels.
struct PictureMouse {
  float x = -1, y = -1;
};
[[nodiscard]] Result<void> picture(Session& session, int width, int height, float scale, const std::filesystem::path& png,
                                   PictureMouse mouse);

/// One view of the open lesson, as high as it is. Usage error where it has nothing to show.
[[nodiscard]] Result<void> view_picture(Session& session, const std::string& view, float scale, const std::filesystem::path& png);
/// A sweep alone, on a sheet of its own: what the window's PNG export has (app/views/sweep.h).
[[nodiscard]] Result<void> sweep_picture(const lessons::SweepChart& chart, Appearance appearance, float scale,
                                         const std::filesystem::path& png);

/// Does something while such an OpenGL 4.5 context is current, with glad loaded; its answer is passed on.
[[nodiscard]] Result<std::string> with_offscreen_opengl(const std::function<Result<std::string>()>& work);

/// What OpenGL says of itself without a display, for `doctor`: "OpenGL 4.5 (Mesa 22.3.6, llvmpipe)".
[[nodiscard]] Result<std::string> offscreen_opengl();

}  // namespace warpbook::app
