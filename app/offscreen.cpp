#include "app/offscreen.h"

#include <backends/imgui_impl_opengl3.h>
#include <glad/gl.h>
#include <imgui.h>
#include <stb_image_write.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "app/egl_context.h"
#include "app/panels.h"
#include "app/surfaceless.h"
#include "lessons/catalog.h"

namespace warpbook::app {
namespace {

/// What a picture is drawn into.
class Canvas {
 public:
  Canvas(int width, int height) : width_(width), height_(height) {
    glGenFramebuffers(1, &framebuffer_);
    glGenRenderbuffers(1, &colour_);
    glBindRenderbuffer(GL_RENDERBUFFER, colour_);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, width, height);
    bind();
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, colour_);
  }
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;
  ~Canvas() {
    glDeleteFramebuffers(1, &framebuffer_);
    glDeleteRenderbuffers(1, &colour_);
  }
  void bind() const {
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
    glViewport(0, 0, width_, height_);
  }
  /// RGB rows, the top one first.
  [[nodiscard]] std::vector<std::uint8_t> pixels() const {
    const auto row = static_cast<std::size_t>(width_) * 3;
    std::vector<std::uint8_t> upside_down(row * static_cast<std::size_t>(height_)), rows(upside_down.size());
    bind();
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, width_, height_, GL_RGB, GL_UNSIGNED_BYTE, upside_down.data());
    for (std::size_t y = 0; y < static_cast<std::size_t>(height_); ++y) {
      const auto from = upside_down.begin() + static_cast<std::ptrdiff_t>((static_cast<std::size_t>(height_) - 1 - y) * row);
      std::copy(from, from + static_cast<std::ptrdiff_t>(row), rows.begin() + static_cast<std::ptrdiff_t>(y * row));
    }
    return rows;
  }

 private:
  int width_, height_;
  GLuint framebuffer_ = 0, colour_ = 0;
};

/// ImGui for as long as a picture takes.
class Interface {
 public:
  Interface() {
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr;
    ImGui_ImplOpenGL3_Init("#version 450");
  }
  Interface(const Interface&) = delete;
  Interface& operator=(const Interface&) = delete;
  ~Interface() {
    release_view_resources();
    ImGui_ImplOpenGL3_Shutdown();
    ImGui::DestroyContext();
  }
};

/// A picture has nobody to ask.
class Nobody final : public Actions {
 public:
  void open(const lessons::Lesson&) override {}
  void run() override {}
  void pause() override {}
  void cancel() override {}
  void set_values(const lessons::Values&) override {}
  void text_changed() override {}
  void choose_device(const DeviceKey&) override {}
  void look_inside() override {}
  void record() override {}
  void draw_heat(double, double, double) override {}
  void set_appearance(Appearance) override {}
};

// Sizes settle in the second frame, hover delays and scrolling in the third.
constexpr int frames = 4;

}  // namespace

Result<void> picture(Session& session, int width, int height, float scale, const std::filesystem::path& png) {
  return picture(session, width, height, scale, png, {});
}

Result<void> picture(Session& session, int width, int height, float scale, const std::filesystem::path& png, PictureMouse mouse) {
  const auto context = EglContext::open();
  if (!context) return failure(context.error());
  const int w = static_cast<int>(std::lround(static_cast<float>(width) * scale));
  const int h = static_cast<int>(std::lround(static_cast<float>(height) * scale));
  const Canvas canvas(w, h);
  const Interface interface;
  if (auto loaded = load_theme(lessons::data_directory() / "assets" / "tokens.toml", session.appearance, scale); !loaded)
    return loaded;
  if (session.notice.empty()) session.notice = theme_notice();
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = {static_cast<float>(w), static_cast<float>(h)};
  Nobody nobody;
  for (int frame = 0; frame < frames; ++frame) {
    io.DeltaTime = 1.0f / 60;
    if (mouse.x >= 0) io.MousePos = {mouse.x * scale, mouse.y * scale};
    ImGui_ImplOpenGL3_NewFrame();
    ImGui::NewFrame();
    draw_workbook(session, nobody, io.DisplaySize);
    ImGui::Render();
    canvas.bind();
    glClearColor(0, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  }
  const std::vector<std::uint8_t> pixels = canvas.pixels();
  if (stbi_write_png(png.c_str(), w, h, 3, pixels.data(), w * 3) == 0) {
    return failure("cannot_write", "The picture cannot be written to " + png.string() + ". Check the folder and its rights.");
  }
  return {};
}

Result<std::string> with_offscreen_opengl(const std::function<Result<std::string>()>& work) {
  const auto context = EglContext::open();
  if (!context) return failure(context.error());
  return work();
}

Result<std::string> offscreen_opengl() {
  return with_offscreen_opengl([]() -> Result<std::string> { return opengl_description(); });
}

}  // namespace warpbook::app
