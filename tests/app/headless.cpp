#include "tests/app/headless.h"

#include <backends/imgui_impl_opengl3.h>
#include <gtest/gtest.h>
#include <imgui_internal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <string_view>
#include <thread>

#include "app/shell/panel_table.h"
#include "app/shell/visible.h"
#include "app/ui/key_pointer.h"
#include "app/views/views.h"
#include "app/worker/open_device.h"
#include "lessons/catalog.h"
#include "tests/app/hardware.h"
#include "tests/app/stand_in_desktop.h"

namespace warpbook::test {

using namespace std::chrono_literals;

namespace {

constexpr double frame_seconds = 1.0 / 60;

Result<std::unique_ptr<gpu::Device>> make_device(gpu::Compiler& compiler, const app::DeviceKey& key) {
  auto made = app::open_device(compiler, {.profile = key.profile, .gpu = {}});
  if (!made || !key.gpu) return made;
  return std::make_unique<Hardware>(std::move(*made));
}

}  // namespace

Headless::Headless(int width, int height, app::NvidiaGpus gpus)
    : folder_(std::filesystem::temp_directory_path() / ("warpbook_headless_" + std::to_string(::getpid()))),
      gpus_(std::move(gpus)) {
  ::setenv("XDG_DOCUMENTS_DIR", folder_.c_str(), 1);             // what it exports
  ::setenv("XDG_CONFIG_HOME", (folder_ / "config").c_str(), 1);  // … whatever this user has said of it
  StandInDesktop(folder_).use_here();
  auto context = app::EglContext::open();
  EXPECT_TRUE(context) << context.error().message;
  opengl_ = std::move(*context);
  ImGui::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.DisplaySize = {static_cast<float>(width), static_cast<float>(height)};
  io.ClipboardUserData = &clipboard_;
  io.SetClipboardTextFn = [](void* mine, const char* text) { *static_cast<std::string*>(mine) = text; };
  io.GetClipboardTextFn = [](void* mine) { return static_cast<std::string*>(mine)->c_str(); };
  app::take_keys_over();
  ImGui_ImplOpenGL3_Init("#version 450");
  const auto theme = app::load_theme(lessons::data_directory() / "assets/tokens.toml", app::Appearance::dark, 1);
  EXPECT_TRUE(theme) << theme.error().message;
  open();
}

void Headless::open() {
  session_ = std::make_unique<app::Session>(app::make_session(*lessons::all_lessons().front(), app::Appearance::dark));
  session_->gpus = gpus_;
  session_->quick_run = session_->soon_made_again = 60;  // with sanitizers runs are slow; what runs again is not to depend on it
  session_->chosen = {.profile = "T4", .gpu = {}};
  book_ = std::make_unique<app::Workbook>(
      *session_, app::Runner::Options{.device = session_->chosen, .wake = {}, .make_device = make_device}, kept());
  leave();
  for (int i = 0; i < 3; ++i) frame();
}

std::string Headless::opened() const { return StandInDesktop(folder_).opened(); }

void Headless::reopen() {
  book_.reset();
  open();
}

Headless::~Headless() {
  book_.reset();
  app::release_view_resources();
  ImGui_ImplOpenGL3_Shutdown();
  ImGui::DestroyContext();
  opengl_.reset();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void Headless::frame() {
  now_ += frame_seconds;
  book_->poll(now_);
  ImGui::GetIO().DeltaTime = static_cast<float>(frame_seconds);
  ImGui_ImplOpenGL3_NewFrame();
  app::apply_key_pointer();
  ImGui::NewFrame();
  app::draw_workbook(*session_, *book_, ImGui::GetIO().DisplaySize);
  ImGui::Render();
  book_->drawn();
}

bool Headless::wait(const std::function<bool()>& condition, double seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    frame();
    std::this_thread::sleep_for(1ms);
  }
  return true;
}

bool Headless::settle() {
  const double since = now_;
  return wait([&] {
    const app::LessonState& state = session_->lesson();
    const bool compiled = state.compiled && state.compiled->text == state.text.str();
    return now_ > since + 0.3 && session_->activity.kind == app::Activity::Kind::idle && compiled && !state.exported.busy &&
           !session_->device.empty();
  });
}

const app::NamedRect* Headless::find(const std::string& name) const {
  for (const app::NamedRect& widget : app::named_widgets()) {
    if (widget.name == name) return &widget;
  }
  return nullptr;
}

bool Headless::bring(const std::string& name) {
  ImGuiIO& io = ImGui::GetIO();
  int held = 0;  // how often in a row the wheel moved nothing
  for (int tries = 0; tries < 100; ++tries) {
    const app::NamedRect* const widget = find(name);
    if (widget == nullptr) return false;
    const app::Rect &area = widget->area, &seen = widget->seen;
    const ImVec2 middle = area.centre();
    if (seen.a.y <= middle.y && middle.y < seen.b.y && middle.y > 0 && middle.y < io.DisplaySize.y) return true;
    // The wheel, over what it stands in: of what is out of sight, the nearer end of `seen` is where it is cut off.
    const bool below = middle.y >= std::min(seen.b.y, io.DisplaySize.y);
    io.MousePos = {middle.x, below ? std::min(seen.b.y, io.DisplaySize.y) - 40 : std::max(seen.a.y, 0.0F) + 40};
    io.MouseWheel = below ? -1.0F : 1.0F;
    // A view under the mouse may keep the wheel to itself, to zoom: then by keys.
    if (held > 2) session().scroll_by = below ? 80.0F : -80.0F;
    frame();
    io.MouseWheel = 0;
    frame();
    const app::NamedRect* const now = find(name);
    held = now != nullptr && now->area.centre().y == middle.y ? held + 1 : 0;
  }
  return false;
}

bool Headless::point(const std::string& name, float x, float y) {
  if (!bring(name)) return false;
  const app::Rect area = find(name)->area;
  ImGui::GetIO().MousePos = {area.a.x + area.width() * x, area.a.y + area.height() * y};
  frame();
  frame();
  return true;
}

bool Headless::click(const std::string& name, float x, float y) {
  if (!point(name, x, y)) return false;
  const auto press = [&] {
    for (const bool down : {true, false}) {
      ImGui::GetIO().MouseDown[0] = down;
      frame();
    }
    frame();
  };
  press();
  if (name == "run" && session_->lesson().asking) press();
  return true;
}

bool Headless::right_click(const std::string& name, float x, float y) {
  if (!point(name, x, y)) return false;
  for (const bool down : {true, false}) {
    ImGui::GetIO().MouseDown[1] = down;
    frame();
  }
  for (int i = 0; i < 2; ++i) frame();
  return true;
}

bool Headless::drag(const std::string& name, ImVec2 by) {
  if (!point(name)) return false;
  ImGuiIO& io = ImGui::GetIO();
  io.MouseDown[0] = true;
  frame();
  for (int step = 0; step < 4; ++step) {
    io.MousePos = {io.MousePos.x + by.x / 4, io.MousePos.y + by.y / 4};
    frame();
  }
  io.MouseDown[0] = false;
  frame();
  return true;
}

void Headless::leave() { ImGui::GetIO().MousePos = {-1, -1}; }

void Headless::let_go() {
  leave();
  ImGui::ClearActiveID();
  if (ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup)) ImGui::ClosePopupToLevel(0, false);
  clipboard_.clear();
}

void Headless::key(app::KeyEvent::Key key, bool shift, bool ctrl) {
  session_->keys.push_back({.key = key, .shift = shift, .ctrl = ctrl});
  for (int i = 0; i < 3; ++i) frame();
}

void Headless::command(app::Command command) {
  app::perform(command, *session_, *book_);
  for (int i = 0; i < 3; ++i) frame();
}

void Headless::type(const std::string& ascii) {
  for (const char c : ascii) session_->keys.push_back({.codepoint = static_cast<char32_t>(c)});
  for (int i = 0; i < 3; ++i) frame();
}

bool Headless::tab_to(const std::string& name) {
  for (int i = 0; i < 400 && focus() != name; ++i) key(app::KeyEvent::Key::tab);
  return focus() == name;
}

std::string Headless::focus() const {
  const app::NamedRect* const widget = app::focused_widget();
  return widget == nullptr ? std::string() : widget->name;
}

nlohmann::json Headless::state() const { return nlohmann::json::parse(app::visible_as_json(*session_)); }

std::string Headless::seen() const {
  std::string all = app::visible_as_json(*session_) + clipboard_ + opened();
  const ImDrawData* const drawn = ImGui::GetDrawData();
  for (int i = 0; i < drawn->CmdListsCount; ++i) {
    const auto& vertices = drawn->CmdLists[i]->VtxBuffer;
    all.append(reinterpret_cast<const char*>(vertices.Data), static_cast<std::size_t>(vertices.size_in_bytes()));
  }
  return all;
}

}  // namespace warpbook::test
