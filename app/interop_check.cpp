#include "app/interop_check.h"

#include <fmt/format.h>
#include <glad/gl.h>

#include <algorithm>
#include <vector>

#include "app/opengl_pictures.h"

namespace warpbook::app {

Result<gpu::DrawPath> check_interop(gpu::Device& device) {
  gpu::GraphicsInterop* const graphics = device.graphics();
  if (graphics == nullptr) return failure("no_interop", device.info().name + " has no memory that OpenGL could draw from.");
  constexpr std::size_t width = 96, height = 64;  // not square, so that swapped sides show
  auto field = device.allocate({.name = "field", .type = gpu::ScalarType::float32, .shape = {height, width}});
  if (!field) return failure(field.error());
  Result<gpu::DrawPath> path = graphics->examine();
  {
    OpenGLPictures pictures(*graphics);
    // Twice: the second value is written while the array is OpenGL's, so the device has to take it back first.
    for (const float value : {0.25f, 0.75f}) {
      if (auto filled = device.fill(*field, gpu::Scalar::of(value)); !filled) path = failure(filled.error());
      const gpu::PicturePtr picture = path ? pictures.take(*field) : nullptr;
      if (!path) break;
      path = graphics->path();
      if (!picture) {
        path = failure("no_interop", "OpenGL was not handed what the GPU wrote.");
        break;
      }
      std::vector<float> seen(width * height);
      glBindTexture(GL_TEXTURE_2D, field_picture(picture)->texture);
      glGetTexImage(GL_TEXTURE_2D, 0, GL_RED, GL_FLOAT, seen.data());
      const auto wrong = std::find_if(seen.begin(), seen.end(), [&](float each) { return each != value; });
      if (wrong != seen.end()) {
        path = failure("wrong_pixels", fmt::format("the GPU wrote {} and OpenGL read {}. Update the graphics driver.", value, *wrong));
        break;
      }
    }
  }
  device.release(*field);
  return path;
}

}  // namespace warpbook::app
