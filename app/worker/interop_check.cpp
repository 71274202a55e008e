#include "app/worker/interop_check.h"

#include <glad/gl.h>

#include <cstdint>
#include <span>
#include <vector>

#include "app/worker/egl_context.h"
#include "gpu/cuda/interop.h"

namespace warpbook::app {
namespace {

constexpr std::size_t count = 1 << 16;
constexpr std::uint32_t pattern = 0x5eed1e57;

/// An OpenGL buffer object for as long as the check takes.
class GlBuffer {
 public:
  explicit GlBuffer(std::size_t bytes) : bytes_(bytes) {
    glGenBuffers(1, &name_);
    glBindBuffer(GL_ARRAY_BUFFER, name_);
    glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(bytes), nullptr, GL_DYNAMIC_DRAW);
  }
  ~GlBuffer() { glDeleteBuffers(1, &name_); }
  GlBuffer(const GlBuffer&) = delete;
  GlBuffer& operator=(const GlBuffer&) = delete;

  [[nodiscard]] unsigned name() const { return name_; }
  void put(std::span<const std::byte> bytes) const {
    glBindBuffer(GL_ARRAY_BUFFER, name_);
    glBufferSubData(GL_ARRAY_BUFFER, 0, static_cast<GLsizeiptr>(bytes.size()), bytes.data());
  }
  [[nodiscard]] std::vector<std::uint32_t> contents() const {
    std::vector<std::uint32_t> values(bytes_ / sizeof(std::uint32_t));
    glBindBuffer(GL_ARRAY_BUFFER, name_);
    glGetBufferSubData(GL_ARRAY_BUFFER, 0, static_cast<GLsizeiptr>(bytes_), values.data());
    return values;
  }

 private:
  GLuint name_ = 0;
  std::size_t bytes_;
};

/// While `buffer` is attached: fills it, publishes it, reads it back.
Result<std::string> try_out(gpu::Device& device, const gpu::Buffer& buffer, const GlBuffer& drawn) {
  gpu::GraphicsInterop& graphics = *device.graphics();
  if (auto filled = device.fill(buffer, gpu::Scalar::of(pattern)); !filled) return failure(filled.error());
  const auto pixels = graphics.publish(buffer);
  if (!pixels) return failure(pixels.error());
  if (!pixels->empty()) drawn.put(*pixels);
  if (drawn.contents() != std::vector<std::uint32_t>(count, pattern))
    return failure("wrong_pixels",
                   say("{way} But OpenGL's buffer does not hold what the GPU wrote.", "way"_a = graphics.path().sentence));
  return say("{way} Read back through OpenGL, and right.", "way"_a = graphics.path().sentence);
}

}  // namespace

Result<std::string> check_interop(gpu::Device& device) {
  auto buffer = device.allocate({.name = "check", .type = gpu::ScalarType::uint32, .shape = {count}});
  if (!buffer) return failure(buffer.error());
  Result<std::string> way;
  {
    const GlBuffer drawn(buffer->array.bytes());
    device.graphics()->drawn_by(opengl_renderer());
    if (auto attached = device.graphics()->attach(*buffer, drawn.name()); attached) {
      way = try_out(device, *buffer, drawn);
      device.graphics()->detach(*buffer);
    } else {
      way = failure(attached.error());
    }
  }
  device.release(*buffer);
  return way;
}

}  // namespace warpbook::app
