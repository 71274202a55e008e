#include "app/panels/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "app/panels/code_view.h"
#include "app/panels/devices.h"
#include "app/panels/editor.h"
#include "app/panels/report.h"
#include "app/panels/stepper.h"
#include "app/session/prediction.h"
#include "gpu/message.h"
#include "lessons/exercise.h"

namespace warpbook::app {
namespace {

/// "3 ms", "0.27 s", "12 s": as exact as anybody reads.
std::string duration(double seconds) {
  if (seconds < 0.0995) return say("{milliseconds:.0f} ms", "milliseconds"_a = std::max(1000 * seconds, 1.0));
  return seconds < 10 ? say("{seconds:.2f} s", "seconds"_a = seconds) : say("{seconds:.0f} s", "seconds"_a = seconds);
}

std::string status_text(const Session& session, const LessonState& state) {
  const Activity& now = session.activity;
  switch (now.kind) {
    case Activity::Kind::live: {
      const bool counted = now.frames_per_second >= 1;
      if (state.shown && state.shown->live) {
        const std::string& drawing = state.shown->drawing.word;
        return counted ? say("{frames:.0f} frames/s, {drawing}", "frames"_a = now.frames_per_second, "drawing"_a = drawing)
                       : say("running, {drawing}", "drawing"_a = drawing);
      }
      return counted ? say("{frames:.0f} frames/s", "frames"_a = now.frames_per_second) : std::string(say("running"));
    }
    case Activity::Kind::running:
    case Activity::Kind::looking:
    case Activity::Kind::recording: {
      if (now.seconds < 0.2) break;  // what is over at once needs no words
      if (now.total == 0 || now.done == 0) {
        const std::string time = duration(now.seconds);
        if (now.kind == Activity::Kind::looking) return say("looking inside, {time}", "time"_a = time);
        if (now.kind == Activity::Kind::recording) return say("recording steps, {time}", "time"_a = time);
        return say("running, {time}", "time"_a = time);
      }
      const double part = static_cast<double>(std::min(now.done, now.total)) / static_cast<double>(now.total);
      return say("{percent:.0f} %, {time} left", "percent"_a = 100 * part, "time"_a = duration(now.seconds * (1 - part) / part));
    }
    case Activity::Kind::sweeping:
      return say("run {done} of {total}", "done"_a = std::min(now.done + 1, now.total), "total"_a = now.total);
    case Activity::Kind::idle:
      break;
  }
  if (session.device.empty() && session.device_problem.title.empty()) return say("starting the device");
  if (!state.shown) return {};
  const Snapshot& last = *state.shown;
  if (last.live)
    return now.paused == session.open ? say("paused, {drawing}", "drawing"_a = last.drawing.word) : std::string(say("stopped"));
  if (state.changed_since_run && now.kind == Activity::Kind::idle)
    return session.open->exercise != nullptr ? say("changed since the check") : say("changed since the run");
  if (session.open->exercise != nullptr) return say("checked in {time}", "time"_a = duration(last.seconds));
  if (last.outcome->trials > 1)
    return say("{trials} trials in {time}", "trials"_a = last.outcome->trials, "time"_a = duration(last.seconds));
  return say("ran in {time}", "time"_a = duration(last.seconds));
}

/// What runs, and what is paused.
bool can_cancel(const Session& session) {
  return session.activity.kind != Activity::Kind::idle || session.activity.paused == session.open;
}

void run_row(Session& session, Actions& actions, const Rect& row) {
  const Theme& t = theme();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const LessonState& state = session.lesson();
  const Activity& now = session.activity;
  const bool live = now.kind == Activity::Kind::live, busy = now.kind != Activity::Kind::idle;
  const float height = px(32), y = row.a.y + px(8);

  SweepState& desk = session.lesson().sweep;
  const bool primary = !desk.open;  // one in a window: there, Start is
  const ButtonLook run =
      live ? ButtonLook{.label = say("Pause"), .icon = Icon::pause, .primary = primary}
           : ButtonLook{.label = run_word(*session.open), .icon = Icon::play, .primary = primary, .hint = say("Ctrl+Enter")};
  const Rect run_area = rect(row.a.x, y, button_width(run), height);
  if (button("run", run_area, run)) {
    if (live)
      actions.pause();
    else
      press_run(session, actions);
  }
  const bool narrow = row.width() < px(400);
  const ButtonLook cancel{.label = narrow ? "" : say("Cancel"),
                          .icon = Icon::stop,
                          .enabled = can_cancel(session),
                          .hint = narrow ? say("Cancel") : std::string_view()};
  const Rect cancel_area = rect(run_area.b.x + px(8), y, button_width(cancel), height);
  if (button("cancel", cancel_area, cancel)) actions.cancel();

  float left = cancel_area.b.x + px(16);
  if (!session.open->controls.empty() && !shows_program(session)) {
    const ButtonLook sweep{
        .label = desk.open ? say("Page") : say("Sweep"),
        .hint = desk.open ? say("Back to the lesson's page") : say("The same experiment at many values of a control or two")};
    const Rect sweep_area = rect(cancel_area.b.x + px(8), y, button_width(sweep), height);
    if (button("sweep", sweep_area, sweep)) desk.open = !desk.open;
    left = sweep_area.b.x + px(16);
  }

  const std::string status = status_text(session, state);
  const float words = text_width(Face::label, status);
  const float middle = y + height / 2;
  text_clipped(draw, Face::label, {std::max(row.b.x - words, left), middle - line_height(Face::label) / 2}, row.b.x - left,
               t.text.third, status);
  if (state.shown && state.shown->live) {
    const Rect area = rect(std::max(row.b.x - words, left), y, std::min(words, row.b.x - left), height);
    hint(hit_area("drawing", area, false), state.shown->drawing.sentence);
  }
  const bool finite = busy && !live;
  if (finite && now.seconds >= 0.2 && now.total > 0) {
    const float right = row.b.x - words - px(12), part = static_cast<float>(now.done) / static_cast<float>(now.total);
    if (right > left + px(24)) {
      draw->AddRectFilled({left, middle - px(3)}, {right, middle + px(3)}, t.background.control, px(3));
      draw->AddRectFilled({left, middle - px(3)}, {left + (right - left) * std::clamp(part, 0.0f, 1.0f), middle + px(3)},
                          t.hand.line, px(3));
    }
  }
}

void tab_row(Session& session, Actions& actions, const Rect& row, const Rect& bench) {
  const Theme& t = theme();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  LessonState& state = session.lesson();
  const float line = snap(row.b.y);
  hairline(draw, {bench.a.x, line - px(1)}, {bench.b.x, line - px(1)}, t.background.line);
  const float y = row.centre().y - line_height(Face::label) / 2;
  float x = row.a.x;
  const auto tab = [&](std::string_view name, std::string_view words, bool here) {
    const float width = text_width(here ? Face::label_strong : Face::label, words);
    const HitArea at = hit_area(name, rect(x, row.a.y, width, row.height()));
    text(draw, here ? Face::label_strong : Face::label, {x, y}, here || at.hovered ? t.text.first : t.text.second, words);
    if (here) draw->AddRectFilled({x, line - px(2)}, {x + width, line}, t.hand.line);
    if (at.focused) focus_ring(rect(x, y, width, line_height(Face::label)), t.hand.line, t.radius.control);
    x += width + px(16);
    return at;
  };
  const auto choose = [&](BenchTab chosen, std::string_view name, std::string_view words, std::string_view help) {
    const HitArea at = tab(name, words, !state.stepper.open && state.tab == chosen);
    hint(at, help);
    if (at.clicked) state.stepper.open = false, state.tab = chosen;
  };
  const bool answers = session.open->exercise != nullptr && !lessons::is_compiled(*session.open->exercise);
  choose(BenchTab::kernel, "tab/kernel", answers ? say("Answer") : shows_program(session) ? say("Source") : say("Kernel"), {});
  if (session.open->exercise != nullptr) {
    if (session.open->exercise->kind == lessons::ExerciseKind::choose)
      choose(BenchTab::given, "tab/given", say("Kernel"), say("The kernel that your numbers launch"));
    choose(BenchTab::solution, "tab/solution", say("Solution"), say("One way to write it, to be read after a first try"));
  } else if (!shows_program(session)) {
    choose(BenchTab::host, "tab/host", say("Host"), say("The host's program for what is on screen, in CUDA C++"));
    choose(BenchTab::numba, "tab/numba", say("Numba"), say("The same experiment in Numba CUDA Python"));
  }
  const HitArea steps = tab("tab/steps", say("Step through"), state.stepper.open);
  hint(steps, say("Runs once more on the virtual GPU and keeps every step: go through it forwards and back (F10, Shift+F10)."));
  if (steps.clicked) open_stepper(session, actions);

  const std::string now = state.text.str();
  float right = row.b.x;
  const bool edited = now != state.shipped;
  if (edited) {
    right -= text_width(Face::label, say("Reset"));
    if (link("reset", Face::label, {right, y}, say("Reset"), t.text.first, true)) {
      state.text.select_all();
      state.text.insert(state.shipped);  // an edit like any other: it can be undone
      actions.text_changed();
    }
    right -= px(12);
  }
  std::string words;
  ImU32 ink = t.text.second;
  if (!state.compiled || state.compiled->text != now) {
    words = !answers && !shows_program(session) && (state.compiled || edited) ? say("compiling") : "";
  } else if (state.compiled->failure) {
    words = answers ? say("no answer yet") : say("does not compile");
    ink = t.verdict.bad;
  } else if (!answers && !shows_program(session)) {
    words = say("compiled in {milliseconds:.0f} ms", "milliseconds"_a = state.compiled->program->compile_ms);
  }
  const std::string before = edited ? std::string(say("edited")) : shown_file(session);
  // Where it is narrow, what is most likely known is left out.
  const float room = right - x;
  const std::string rest = words.empty() ? "" : ", " + words;
  const bool both = text_width(Face::label, before + rest) <= room;
  const std::string last = both || words.empty() ? rest : words;
  if (text_width(Face::label, last) > room) return;
  right -= text_width(Face::label, last);
  text(draw, Face::label, {right, y}, ink, last);
  if (!both && !words.empty()) return;
  right -= text_width(Face::label, before);
  text(draw, Face::label, {right, y}, edited ? t.hand.text : t.text.second, before);
}

/// Endless work: a thread moves along the bench's top.
void moving_thread(const Rect& bench) {
  const Theme& t = theme();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  draw->AddRectFilled(bench.a, {bench.b.x, bench.a.y + px(2)}, t.background.line);
  const float length = bench.width() * 0.27f;
  const float along = static_cast<float>(std::fmod(ImGui::GetTime() * 0.4, 1.0)) * (bench.width() + length) - length;
  draw->AddRectFilled({std::max(bench.a.x + along, bench.a.x), bench.a.y},
                      {std::min(bench.a.x + along + length, bench.b.x), bench.a.y + px(2)}, t.hand.line);
}

void strip(Session& session, Actions& actions, const Rect& bench) {
  const Theme& t = theme();
  const Activity& now = session.activity;
  const bool live = now.kind == Activity::Kind::live;
  const float side = px(32), x = bench.centre().x - side / 2;
  if (button("bench/unfold", rect(x, bench.a.y + px(12), side, side),
             {.icon = Icon::chevron_left, .hint = say("Kernel and report")})) {
    session.bench_unfolded = true;
  }
  if (button("run", rect(x, bench.a.y + px(64), side, side),
             {.icon = live ? Icon::pause : Icon::play, .primary = true, .hint = live ? say("Pause") : run_word(*session.open)})) {
    if (live)
      actions.pause();
    else
      press_run(session, actions);
  }
  if (button("cancel", rect(x, bench.a.y + px(104), side, side),
             {.icon = Icon::stop, .enabled = can_cancel(session), .hint = say("Cancel")})) {
    actions.cancel();
  }
  // Findings are not hidden with the report.
  const LessonState& state = session.lesson();
  const lessons::Outcome* const outcome = state.observed();
  if (outcome == nullptr) return;
  float y = bench.a.y + px(160);
  for (std::size_t kind = 0; kind < gpu::finding_kinds; ++kind) {
    if (outcome->report.observed.of[kind] != gpu::Observation::observed) continue;
    finding_glyph(ImGui::GetWindowDrawList(), static_cast<gpu::FindingKind>(kind), {bench.centre().x, y}, px(14), t.finding[kind]);
    y += px(24);
  }
}

/// The bench's left edge: dragged, or moved by the arrows, it makes the bench wider. A double click, or Enter: as it was at first.
void edge(Session& session, const Rect& bench) {
  const Rect area = rect(bench.a.x, bench.a.y, px(6), bench.height());
  const HitArea at = hit_area("bench/edge", area);
  if (at.hovered || at.held) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  std::optional<float> wanted;
  const float now = bench.width() / px(1);
  if (at.held && ImGui::IsMouseDragging(ImGuiMouseButton_Left)) wanted = (bench.b.x - ImGui::GetIO().MousePos.x) / px(1);
  if (const int steps = at.focused ? adjustment() : 0; steps != 0) wanted = now - 16 * static_cast<float>(steps);
  if (wanted) session.bench_width = std::round(*wanted);
  const bool by_key = at.clicked && !ImGui::IsMouseReleased(ImGuiMouseButton_Left);
  if (by_key || (at.hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left))) session.bench_width.reset();
  if (at.hovered || at.held || at.focused)
    ImGui::GetWindowDrawList()->AddRectFilled(area.a, {area.a.x + px(2), area.b.y}, theme().hand.line);
  hint(at, say("Drag, to make the bench wider or narrower. A double click, or Enter, makes it as wide as at first."));
}

}  // namespace

void draw_bench(Session& session, Actions& actions, const Layout& layout) {
  const Theme& t = theme();
  const Rect& bench = layout.bench;
  ImDrawList* draw = ImGui::GetWindowDrawList();
  hairline(draw, bench.a, {bench.a.x, bench.b.y}, t.background.line);
  if (layout.bench_strip) return strip(session, actions, bench);
  if (layout.bench.a.x >= layout.page.b.x) edge(session, bench);

  const float x = bench.a.x + px(panel_padding), width = bench.width() - 2 * px(panel_padding);
  float y = bench.a.y;
  float device_width = width;
  if (session.bench_unfolded && layout.bench.a.x < layout.page.b.x) {
    const float side = px(32);
    device_width -= side + px(8);
    if (button("bench/fold", rect(x + width - side, y + px(12), side, side),
               {.icon = Icon::chevron_right, .hint = say("Fold the bench away")})) {
      session.bench_unfolded = false;
    }
  }
  draw_devices(session, actions, rect(x, y, device_width, px(56)));
  y += px(56);
  run_row(session, actions, rect(x, y, width, px(48)));
  y += px(48);
  tab_row(session, actions, rect(x, y, width, px(40)), bench);
  y += px(40);
  const bool stepping = session.lesson().stepper.open;
  const float below = stepping ? stepper_height(bench.b.y - y) : std::min(report_height(session, bench.height()), bench.b.y - y);
  const Rect area = {{bench.a.x, snap(bench.b.y - below)}, bench.b};
  const Rect code = {{bench.a.x + px(1), y}, {bench.b.x, area.a.y}};
  if (stepping || session.lesson().tab == BenchTab::kernel)
    draw_editor(session, actions, code);
  else if (session.lesson().tab == BenchTab::solution)
    draw_solution(session, code);
  else if (session.lesson().tab == BenchTab::given)
    draw_given(session, code);
  else
    draw_host_program(session, code);
  if (stepping)
    draw_stepper(session, actions, area);
  else
    draw_report(session, actions, area);
  if (session.activity.kind == Activity::Kind::live) moving_thread(bench);
}

}  // namespace warpbook::app
