#include "app/shell/offscreen.h"

#include <backends/imgui_impl_opengl3.h>
#include <fmt/format.h>
#include <glad/gl.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "app/panels/page.h"
#include "app/panels/page_figures.h"
#include "app/panels/present.h"
#include "app/shell/canvas.h"
#include "app/shell/exports.h"
#include "app/shell/panel_table.h"
#include "app/views/sweep.h"
#include "app/views/views.h"
#include "app/worker/egl_context.h"
#include "gpu/message.h"
#include "lessons/catalog.h"

namespace warpbook::app {
namespace {

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
  void start_again() override {}
  void cancel_export() override {}
  void set_values(const lessons::Values&) override {}
  void text_changed() override {}
  void open_file(const std::string&) override {}
  void run_program(const std::string&) override {}
  void stop_program() override {}
  void choose_launch(int) override {}
  void choose_device(const DeviceKey&) override {}
  void restart_with_gpu(int) override {}
  void look_inside() override {}
  void record() override {}
  void sweep(lessons::SweepPlan) override {}
  void export_as(const Export&) override {}
  void draw_heat(double, double, double) override {}
  void set_appearance(Appearance) override {}
  void set_compiler(gpu::CompilerChoice) override {}
  void set_language(const std::string&) override {}
};

// Sizes settle in the second frame, hover delays and scrolling in the third; a presented view takes some to fit its slide.
constexpr int frames = 4, presented_frames = 12;

/// CSS pixels, and how many screen pixels each is.
struct Size {
  int width = 0, height = 0;
  float scale = 1;
  bool presented = false;  // what is drawn has presentation's own scale
};

/// Some frames of what `draw` puts between NewFrame and Render; the last of them is the picture.
Result<void> draw_frames(const Size& size, Appearance appearance, const std::filesystem::path& png,
                         const std::function<void()>& draw) {
  const auto context = EglContext::open();
  if (!context) return failure(context.error());
  const int w = static_cast<int>(std::lround(static_cast<float>(size.width) * size.scale));
  const int h = static_cast<int>(std::lround(static_cast<float>(size.height) * size.scale));
  const Canvas canvas(w, h);
  const Interface interface;
  if (auto loaded = load_theme(lessons::data_directory() / "assets" / "tokens.toml", appearance,
                               size.presented ? present_scale(static_cast<float>(w), static_cast<float>(h)) : size.scale);
      !loaded)
    return loaded;
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = {static_cast<float>(w), static_cast<float>(h)};
  for (int frame = 0; frame < (size.presented ? presented_frames : frames); ++frame) {
    io.DeltaTime = 1.0f / 60;
    ImGui_ImplOpenGL3_NewFrame();
    draw();
    ImGui::Render();
    canvas.bind();
    glClearColor(0, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  }
  return write_png(canvas.pixels(), png);
}

}  // namespace

Result<void> picture(Session& session, int width, int height, float scale, const std::filesystem::path& png) {
  return picture(session, width, height, scale, png, {});
}

Result<void> picture(Session& session, int width, int height, float scale, const std::filesystem::path& png, PictureMouse mouse) {
  Nobody nobody;
  return draw_frames({width, height, scale, session.presenting}, session.appearance, png, [&] {
    if (session.notice.empty()) session.notice = theme_notice();
    if (mouse.x >= 0) ImGui::GetIO().MousePos = {mouse.x * scale, mouse.y * scale};
    ImGui::NewFrame();
    draw_workbook(session, nobody, ImGui::GetIO().DisplaySize);
  });
}

Result<void> view_picture(Session& session, const std::string& view, float scale, const std::filesystem::path& png) {
  const std::vector<std::string> views = shown_views(session.lesson());
  if (std::find(views.begin(), views.end(), view) == views.end()) {
    return failure("usage", say("This run shows no view '{view}'. It shows: {views}.", "view"_a = view,
                                "views"_a = fmt::format("{}", fmt::join(views, ", "))));
  }
  Nobody nobody;
  float height = 2000;
  for (int pass = 0; pass < 2; ++pass) {  // the first one only measures
    float used = 0;
    auto drawn =
        draw_frames({static_cast<int>(picture_width), static_cast<int>(std::ceil(height)), scale}, session.appearance, png, [&] {
          ImGui::NewFrame();
          ImGui::SetNextWindowPos({0, 0});
          ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
          ImGui::PushStyleColor(ImGuiCol_WindowBg, theme().background.page);
          ImGui::Begin("picture", nullptr,
                       ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
          used = draw_view_sheet(session, nobody, view, ImGui::GetIO().DisplaySize.x);
          ImGui::End();
          ImGui::PopStyleColor();
        });
    if (!drawn) return drawn;
    height = used / scale;
  }
  return {};
}

Result<void> sweep_picture(const lessons::SweepChart& chart, Appearance appearance, float scale, const std::filesystem::path& png) {
  return draw_frames({static_cast<int>(sweep_sheet_width), static_cast<int>(sweep_sheet_height), scale}, appearance, png, [&] {
    ImGui::NewFrame();
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
    ImGui::PushStyleColor(ImGuiCol_WindowBg, theme().background.page);
    ImGui::Begin("picture", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
    draw_sweep_sheet(chart);
    ImGui::End();
    ImGui::PopStyleColor();
  });
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
