// Interop: a field is stepped on the GPU and drawn by OpenGL, and the pixels are read back and compared with the field that the
// device itself reports. On the shared path nothing is copied through the host; otherwise the reason is reported.
#include "gpu/cuda/interop.h"

#include <fmt/format.h>
#include <glad/gl.h>
#include <stb_image_write.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "app/worker/egl_context.h"
#include "lessons/06_diffusion/field.h"
#include "lessons/catalog.h"
#include "tests/gpu_check/sections.h"

namespace warpbook::gpu_check {
namespace {

constexpr std::uint32_t side = 512;
constexpr int steps = 25;

/// Draws a buffer of side² floats, a pixel a value, grey from 0 to 1.
class Drawing {
 public:
  Drawing() {
    glCreateBuffers(1, &buffer_);
    glNamedBufferData(buffer_, side * side * 4, nullptr, GL_DYNAMIC_DRAW);
    glCreateTextures(GL_TEXTURE_BUFFER, 1, &texture_);
    glTextureBuffer(texture_, GL_R32F, buffer_);
    glCreateFramebuffers(1, &framebuffer_);
    glCreateRenderbuffers(1, &colour_);
    glNamedRenderbufferStorage(colour_, GL_RGBA8, side, side);
    glNamedFramebufferRenderbuffer(framebuffer_, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, colour_);
    glCreateVertexArrays(1, &vertices_);
    program_ = glCreateProgram();
    attach(GL_VERTEX_SHADER,
           "#version 450\n"
           "void main() { gl_Position = vec4(gl_VertexID == 1 ? 3 : -1, gl_VertexID == 2 ? 3 : -1, 0, 1); }");
    attach(GL_FRAGMENT_SHADER,
           "#version 450\n"
           "layout(binding = 0) uniform samplerBuffer field;\n"
           "layout(location = 0) uniform int side;\n"
           "out vec4 colour;\n"
           "void main() {\n"
           "  ivec2 at = ivec2(gl_FragCoord.xy);\n"
           "  colour = vec4(vec3(texelFetch(field, at.y * side + at.x).r), 1);\n"
           "}");
    glLinkProgram(program_);
  }
  ~Drawing() {
    glDeleteProgram(program_);
    glDeleteVertexArrays(1, &vertices_);
    glDeleteFramebuffers(1, &framebuffer_);
    glDeleteRenderbuffers(1, &colour_);
    glDeleteTextures(1, &texture_);
    glDeleteBuffers(1, &buffer_);
  }
  Drawing(const Drawing&) = delete;
  Drawing& operator=(const Drawing&) = delete;

  [[nodiscard]] GLuint buffer() const { return buffer_; }
  void upload(std::span<const std::byte> bytes) {
    glNamedBufferSubData(buffer_, 0, static_cast<GLsizeiptr>(bytes.size()), bytes.data());
  }
  /// What OpenGL's buffer holds, and what comes out when it is drawn.
  [[nodiscard]] std::vector<float> contents() const {
    std::vector<float> values(side * side);
    glGetNamedBufferSubData(buffer_, 0, side * side * 4, values.data());
    return values;
  }
  [[nodiscard]] std::vector<std::uint8_t> pixels() const {
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
    glViewport(0, 0, side, side);
    glUseProgram(program_);
    glProgramUniform1i(program_, 0, side);
    glBindTextureUnit(0, texture_);
    glBindVertexArray(vertices_);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    std::vector<std::uint8_t> grey(side * side);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, side, side, GL_RED, GL_UNSIGNED_BYTE, grey.data());
    return grey;
  }

 private:
  void attach(GLenum kind, const char* source) {
    const GLuint shader = glCreateShader(kind);
    glShaderSource(shader, 1, &source, nullptr);
    glCompileShader(shader);
    glAttachShader(program_, shader);
    glDeleteShader(shader);
  }
  GLuint buffer_ = 0, texture_ = 0, framebuffer_ = 0, colour_ = 0, vertices_ = 0, program_ = 0;
};

/// The field on the device, in two arrays that take turns; one of them may be attached to OpenGL.
struct Stepping {
  gpu::Device& device;
  gpu::ProgramPtr program;
  gpu::Buffer heat, other, laplacian;

  [[nodiscard]] Result<void> start(const std::vector<float>& field) {
    for (auto [buffer, name] : {std::pair(&heat, "heat"), std::pair(&other, "other"), std::pair(&laplacian, "laplacian")}) {
      auto made = device.allocate({name, gpu::ScalarType::float32, {side, side}});
      if (!made) return failure(made.error());
      *buffer = *made;
    }
    return device.write(heat, std::as_bytes(std::span(field)));
  }
  /// From heat to other and back: heat, the array that is drawn, stays the newest.
  [[nodiscard]] Result<void> two_steps() {
    for (const auto& [from, to] : {std::pair(heat, other), std::pair(other, heat)}) {
      const gpu::LaunchReport report =
          device.launch({.program = program,
                         .kernel = "diffuse",
                         .grid = {side / 128, side / 32},
                         .block = {32, 8},
                         .arguments = {from, to, laplacian, gpu::Scalar::of(std::int32_t{side}), gpu::Scalar::of(0.2F)}});
      if (!report.ok()) return failure(report.status, say(report.message));
    }
    return {};
  }
  [[nodiscard]] Result<std::vector<float>> read() {
    std::vector<float> values(side * side);
    if (auto done = device.read(heat, std::as_writable_bytes(std::span(values))); !done) return failure(done.error());
    return values;
  }
};

/// Hands the field to OpenGL on whichever path there is.
Result<void> publish(gpu::Device& device, const gpu::Buffer& heat, Drawing& drawing) {
  if (gpu::GraphicsInterop* graphics = device.graphics()) {
    auto bytes = graphics->publish(heat);
    if (!bytes) return failure(bytes.error());
    if (!bytes->empty()) drawing.upload(*bytes);
  } else {
    drawing.upload(device.mapped(heat));
  }
  return {};
}

/// Each pixel within 0.6 of its value: what Direct3D's functional specification allows where a float becomes one of 256 greys, and
/// what GPUs are built to. An H200 was seen to make 25 of 25.52.
std::string check_pixels(const std::vector<std::uint8_t>& pixels, const std::vector<float>& field) {
  for (std::size_t i = 0; i < field.size(); ++i) {
    const float grey = 255 * std::clamp(field[i], 0.0F, 1.0F);
    if (std::abs(static_cast<float>(pixels[i]) - grey) > 0.6F)
      return fmt::format("pixel {} is {}, and the field there {}", i, pixels[i], field[i]);
  }
  return {};
}

}  // namespace

void check_interop(const Bench& bench, Report& report) {
  report.section("Drawn by OpenGL from the GPU's memory");
  const auto is_it = [&] { return bench.gpu.graphics()->examine().kind == gpu::DrawPath::Kind::shared; };
  auto context = bench.cuda != nullptr ? app::EglContext::open_on_gpu(bench.ordinal, is_it) : app::EglContext::open();
  report.check("an OpenGL context on this GPU", context.has_value(), context ? app::opengl_description() : context.error().message);
  if (!context) context = app::EglContext::open();
  if (!context) return report.note("No OpenGL context at all: nothing of this section could be tried.");

  auto program = compile_file(bench.gpu, lessons::data_directory() / "kernels/diffusion.cu", {{"FAST", "1"}, {"ROWS", "4"}});
  if (!program) return report.check("diffusion.cu compiles", false, program.error().message);
  Stepping stepping{bench.gpu, *program, {}, {}, {}};
  const auto start = lessons::heat::jagged_field(side);
  if (auto done = stepping.start(*start); !done) return report.check("the field", false, done.error().message);

  Drawing drawing;
  gpu::GraphicsInterop* const graphics = bench.gpu.graphics();
  if (graphics != nullptr) {
    graphics->drawn_by(app::opengl_renderer());
    const gpu::DrawPath path = graphics->examine();
    report.check("the path is a shared one", path.kind == gpu::DrawPath::Kind::shared, path.sentence);
    if (auto done = graphics->attach(stepping.heat, drawing.buffer()); !done)
      return report.check("attach", false, done.error().message);
  } else {
    report.note("This device's memory is the host's: OpenGL gets a copy of it.");
  }

  // The CPU's own steps, in the kernel's order of operations (which may contract a · b + c: hence the tolerance).
  std::vector<float> expected = *start;
  std::string wrong, off;
  std::vector<std::uint8_t> pixels;
  for (int step = 0; step < 2 * steps && wrong.empty(); step += 2) {
    if (auto done = stepping.two_steps(); !done) wrong = done.error().message;
    if (auto done = publish(bench.gpu, stepping.heat, drawing); !done) wrong = done.error().message;
    for (int k = 0; k < 2; ++k) expected = lessons::heat::reference_step(expected, side, 0.2F).heat;
    // Drawn first: reading the buffer may make OpenGL move it into the host's memory.
    pixels = drawing.pixels();
    if (off.empty()) off = check_pixels(pixels, expected);
    const std::vector<float> drawn = drawing.contents();
    for (std::size_t i = 0; i < drawn.size() && wrong.empty(); ++i) {
      if (!(std::abs(drawn[i] - expected[i]) <= 1e-5F))
        wrong = fmt::format("after {} steps OpenGL's buffer has {} at {}, not {}", step + 2, drawn[i], i, expected[i]);
    }
  }
  report.check(fmt::format("{} steps, OpenGL's buffer read after each pair", 2 * steps), wrong.empty(), wrong);
  report.check("the pixels show the field after each pair", off.empty(),
               off.empty() ? fmt::format("{} pixels", pixels.size()) : off);
  // First OpenGL's: from the device's read on the buffer is mapped for it, and OpenGL must not touch it.
  const std::vector<float> drawn = drawing.contents();
  const auto read = stepping.read();
  report.check("the device reads back what OpenGL draws", read && *read == drawn, read ? "" : read.error().message);

  if (graphics != nullptr) {
    graphics->detach(stepping.heat);
    const auto kept = stepping.read();
    report.check("the array keeps its contents when it is detached", kept && read && *kept == *read,
                 kept ? "" : kept.error().message);
    const auto on = stepping.two_steps();
    report.check("and can be launched on", on.has_value(), on ? "" : on.error().message);
  }
  const std::filesystem::path picture = bench.out / "gpu-check-field.png";
  stbi_flip_vertically_on_write(1);
  const bool written = stbi_write_png(picture.c_str(), side, side, 1, pixels.data(), side) != 0;
  report.check("a picture of it", written, picture.string());
  for (const gpu::Buffer& buffer : {stepping.heat, stepping.other, stepping.laplacian}) bench.gpu.release(buffer);
}

}  // namespace warpbook::gpu_check
