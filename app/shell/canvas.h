// Canvas: an OpenGL framebuffer to draw a picture into, its pixels, and the PNG file.
//
//     const Canvas canvas(1440, 900);
//     canvas.bind();
//     …                                                   // draw
//     Result<void> written = write_png(canvas.pixels(), "race.png");
//
// Needs a current OpenGL context with glad loaded, and lives no longer than that. Errors: as gpu/output_file.h says.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "gpu/result.h"

namespace warpbook::app {

struct Pixels {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb;  // rows, the top one first
};

class Canvas {
 public:
  Canvas(int width, int height);
  ~Canvas();
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;
  void bind() const;
  [[nodiscard]] Pixels pixels() const;

 private:
  int width_, height_;
  unsigned framebuffer_ = 0, colour_ = 0;
};

[[nodiscard]] Result<void> write_png(const Pixels& pixels, const std::filesystem::path& file);

/// A page of its own, drawn by the window between two of its frames, with its fonts: what `draw` puts into an ImGui window as
/// large as the page. Screen pixels.
[[nodiscard]] Pixels draw_aside(int width, int height, ImU32 background, const std::function<void()>& draw);

}  // namespace warpbook::app
