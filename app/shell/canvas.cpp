#include "app/shell/canvas.h"

#include <backends/imgui_impl_opengl3.h>
#include <glad/gl.h>
#include <stb_image_write.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "gpu/output_file.h"

namespace warpbook::app {

Canvas::Canvas(int width, int height) : width_(width), height_(height) {
  glGenFramebuffers(1, &framebuffer_);
  glGenRenderbuffers(1, &colour_);
  glBindRenderbuffer(GL_RENDERBUFFER, colour_);
  glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, width, height);
  bind();
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, colour_);
}

Canvas::~Canvas() {
  glDeleteFramebuffers(1, &framebuffer_);
  glDeleteRenderbuffers(1, &colour_);
}

void Canvas::bind() const {
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
  glViewport(0, 0, width_, height_);
}

Pixels Canvas::pixels() const {
  const auto row = static_cast<std::size_t>(width_) * 3;
  std::vector<std::uint8_t> upside_down(row * static_cast<std::size_t>(height_)), rows(upside_down.size());
  bind();
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, width_, height_, GL_RGB, GL_UNSIGNED_BYTE, upside_down.data());
  for (std::size_t y = 0; y < static_cast<std::size_t>(height_); ++y) {
    const auto from = upside_down.begin() + static_cast<std::ptrdiff_t>((static_cast<std::size_t>(height_) - 1 - y) * row);
    std::copy(from, from + static_cast<std::ptrdiff_t>(row), rows.begin() + static_cast<std::ptrdiff_t>(y * row));
  }
  return {.width = width_, .height = height_, .rgb = std::move(rows)};
}

Result<void> write_png(const Pixels& pixels, const std::filesystem::path& file) {
  std::string bytes;
  const auto append = [](void* all, void* some, int size) {
    static_cast<std::string*>(all)->append(static_cast<const char*>(some), static_cast<std::size_t>(size));
  };
  if (stbi_write_png_to_func(append, &bytes, pixels.width, pixels.height, 3, pixels.rgb.data(), pixels.width * 3) == 0)
    return failure("write_failed",
                   say("The picture for {file} could not be packed. Is the machine out of memory?", "file"_a = file.string()));
  return write_file(file, bytes);
}

Pixels draw_aside(int width, int height, ImU32 background, const std::function<void()>& draw) {
  ImGuiContext* const window = ImGui::GetCurrentContext();
  const ImGuiIO& its = ImGui::GetIO();
  const ImGuiStyle style = ImGui::GetStyle();
  // Fonts are shared, and so are the backend's OpenGL objects: a second set of them would take the fonts' texture over.
  ImGuiContext* const aside = ImGui::CreateContext(its.Fonts);
  void* const backend = its.BackendRendererUserData;
  const ImGuiBackendFlags flags = its.BackendFlags;
  ImGui::SetCurrentContext(aside);
  ImGui::GetStyle() = style;
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.BackendRendererUserData = backend;
  io.BackendFlags = flags & ImGuiBackendFlags_RendererHasVtxOffset;
  io.DisplaySize = {static_cast<float>(width), static_cast<float>(height)};
  io.DeltaTime = 1.0f / 60;
  ImGui::NewFrame();
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(io.DisplaySize);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, background);
  ImGui::Begin("picture", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
  draw();
  ImGui::End();
  ImGui::PopStyleColor();
  ImGui::Render();
  GLint drawn_before = 0;
  glGetIntegerv(GL_FRAMEBUFFER_BINDING, &drawn_before);
  Pixels pixels;
  {
    const Canvas canvas(width, height);
    glClear(GL_COLOR_BUFFER_BIT);
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    pixels = canvas.pixels();
  }
  glBindFramebuffer(GL_FRAMEBUFFER, static_cast<GLuint>(drawn_before));
  io.BackendRendererUserData = nullptr;  // the window's
  ImGui::SetCurrentContext(window);
  ImGui::DestroyContext(aside);
  return pixels;
}

}  // namespace warpbook::app
