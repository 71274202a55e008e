// A hand that knows nothing: clicks, drags, types and scrolls at random through the whole workbook, on its real runner. Nothing may
// crash, leak (the sanitizers' build sees that), or keep a frame waiting.
//
// WARPBOOK_SOAK_SECONDS=600 goes on for ten minutes and then also holds that no frame took longer than 100 ms; without it a few
// seconds are tried, on a machine that may be busy with other things. WARPBOOK_SOAK_SEED=N is another hand.
#include <backends/imgui_impl_opengl3.h>
#include <glad/gl.h>
#include <gtest/gtest.h>
#include <imgui.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "app/shell/canvas.h"
#include "app/shell/panel_table.h"
#include "app/shell/workbook.h"
#include "app/ui/hit_area.h"
#include "app/ui/key_pointer.h"
#include "app/views/views.h"
#include "app/worker/egl_context.h"
#include "gpu/virtual/profiles.h"
#include "lessons/catalog.h"
#include "tests/app/stand_in_desktop.h"

namespace warpbook::app {
namespace {

using Clock = std::chrono::steady_clock;

double number_from(const char* variable, double otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtod(text, nullptr);
}

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

class Hand {
 public:
  explicit Hand(std::uint64_t seed) : random_(seed) {}

  /// What it does in this frame: a press is held for a few.
  void move(Session& session, Workbook& book) {
    ImGuiIO& io = ImGui::GetIO();
    io.MouseWheel = 0;
    if (held_ > 0) {
      if (dragging_)
        io.MousePos = {io.MousePos.x + static_cast<float>(below(41)) - 20, io.MousePos.y + static_cast<float>(below(21)) - 10};
      if (--held_ == 0) io.MouseDown[0] = false;
      return;
    }
    switch (below(20)) {
      case 0:
        io.MouseWheel = static_cast<float>(below(7)) - 3;
        return;
      case 1:
        return key(session);
      case 2:
      case 3:
        return type(session);
      case 4:
        io.MousePos = {static_cast<float>(below(static_cast<unsigned>(io.DisplaySize.x))),
                       static_cast<float>(below(static_cast<unsigned>(io.DisplaySize.y)))};
        return press(below(2) == 0);
      case 5:
        if (below(40) == 0) book.open(*lessons::all_lessons()[below(static_cast<unsigned>(lessons::all_lessons().size()))]);
        if (below(60) == 0) book.set_appearance(below(2) == 0 ? Appearance::dark : Appearance::light);
        return;
      case 6:
        io.MousePos.x += static_cast<float>(below(9)) - 4;  // hover
        return;
      default:
        return at_widget(below(6) == 0);
    }
  }

 private:
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % std::max(n, 1U)); }

  void press(bool drag) {
    ImGui::GetIO().MouseDown[0] = true;
    dragging_ = drag;
    held_ = drag ? 2 + below(12) : 2;
  }
  void at_widget(bool drag) {
    const auto& widgets = named_widgets();
    if (widgets.empty()) return;
    const Rect& area = widgets[below(static_cast<unsigned>(widgets.size()))].area;
    ImGui::GetIO().MousePos = {area.a.x + area.width() * static_cast<float>(below(100)) / 100,
                               area.a.y + area.height() * static_cast<float>(below(100)) / 100};
    press(drag);
  }
  void key(Session& session) {
    using Key = KeyEvent::Key;
    constexpr Key keys[] = {Key::left,    Key::right,     Key::up,        Key::down,  Key::home,  Key::end,
                            Key::page_up, Key::page_down, Key::backspace, Key::erase, Key::enter, Key::tab,
                            Key::escape,  Key::a,         Key::c,         Key::v,     Key::x,     Key::z};
    session.keys.push_back({.key = keys[below(std::size(keys))], .shift = below(3) == 0, .ctrl = below(3) == 0});
  }
  void type(Session& session) {
    constexpr char32_t letters[] = U"0123456789.-:;{}()[]*&+ intfloax\u03b1\u2192";
    for (unsigned n = 1 + below(4); n-- > 0;) session.keys.push_back({.codepoint = letters[below(std::size(letters) - 1)]});
  }

  std::mt19937_64 random_;
  unsigned held_ = 0;
  bool dragging_ = false;
};

TEST(Soak, ARandomHandBreaksNothing) {
  const bool judged = std::getenv("WARPBOOK_SOAK_SECONDS") != nullptr;
  const double wanted = number_from("WARPBOOK_SOAK_SECONDS", 5);
  const auto folder = std::filesystem::temp_directory_path() / ("warpbook_soak_" + std::to_string(::getpid()));
  ::setenv("XDG_DOCUMENTS_DIR", folder.c_str(), 1);  // what it exports
  test::StandInDesktop(folder).use_here();
  const auto context = EglContext::open();
  ASSERT_TRUE(context) << context.error().message;
  constexpr int width = 1440, height = 900;
  const Canvas canvas(width, height);
  ImGui::CreateContext();
  ImGui::GetIO().IniFilename = nullptr;
  ImGui::GetIO().DisplaySize = {width, height};
  take_keys_over();
  ImGui_ImplOpenGL3_Init("#version 450");
  ASSERT_TRUE(load_theme(lessons::data_directory() / "assets/tokens.toml", Appearance::dark, 1));
  Session session = make_session(*lessons::all_lessons().front(), Appearance::dark);
  std::size_t frames = 0;
  double slowest = 0, total = 0;
  {
    Workbook book(session, {.device = {.profile = "T4", .gpu = {}}, .wake = {}, .make_device = {}}, folder / "kept");
    Hand hand(static_cast<std::uint64_t>(number_from("WARPBOOK_SOAK_SEED", 1)));
    const auto begin = Clock::now();
    while (seconds_since(begin) < wanted) {
      hand.move(session, book);
      const auto frame = Clock::now();
      book.poll(seconds_since(begin));
      ImGui::GetIO().DeltaTime = 1.0F / 60;
      ImGui_ImplOpenGL3_NewFrame();
      apply_key_pointer();
      ImGui::NewFrame();
      draw_workbook(session, book, ImGui::GetIO().DisplaySize);
      ImGui::Render();
      canvas.bind();
      glClear(GL_COLOR_BUFFER_BIT);
      ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
      glFinish();  // a display would wait, too
      book.drawn();
      const double took = seconds_since(frame);
      if (frames > 2) slowest = std::max(slowest, took);  // the first ones build fonts and shaders
      total += took;
      ++frames;
    }
  }
  release_view_resources();
  ImGui_ImplOpenGL3_Shutdown();
  ImGui::DestroyContext();
  std::filesystem::remove_all(folder);
  std::printf("%zu frames, %.1f ms on average, %.1f ms the slowest\n", frames, 1e3 * total / static_cast<double>(frames),
              1e3 * slowest);
  EXPECT_GT(frames, 20U);
  if (judged) {
    EXPECT_LE(slowest, 0.1);
  }
}

}  // namespace
}  // namespace warpbook::app
