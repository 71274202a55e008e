#include "app/panels/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "app/panels/change_values.h"
#include "app/panels/page_head.h"
#include "app/panels/result.h"
#include "app/session/comparison.h"
#include "app/text/numbers.h"
#include "app/ui/key_pointer.h"
#include "app/ui/text_flow.h"
#include "app/views/sweep.h"
#include "app/views/views.h"
#include "gpu/message.h"

namespace warpbook::app {
namespace {

using lessons::Control;
using lessons::Sweep;
using lessons::SweepAxis;

constexpr float least_chart = 260, most_chart = 520;  // CSS pixels

/// Where the next thing goes.
struct SweepPen {
  float x = 0, y = 0, width = 0;
  [[nodiscard]] float right() const { return x + width; }
};

bool has_range(const Control& control) { return control.kind == Control::Kind::integer || control.kind == Control::Kind::real; }

void header(Session& session, SweepPen& pen) {
  const Theme& t = theme();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const ButtonLook back{.label = say("Back to the page"), .icon = Icon::chevron_left};
  const float wide = button_width(back), middle = pen.y + px(t.space.header) / 2;
  if (button("sweep/back", rect(snap(pen.right() - wide), snap(middle - px(16)), wide, px(32)), back)) {
    session.lesson().sweep.open = false;
  }
  const float y = middle - line_height(Face::title) / 2, line = y + baseline(Face::title);
  const float left = lesson_number(*session.open, {pen.x, line});
  text_clipped(draw, Face::title, {pen.x + left, y}, pen.width - left - wide - px(16), t.text.first,
               say("Sweep: {lesson}", "lesson"_a = session.open->title));
  pen.y += px(t.space.header);
}

/// A click takes a control in or out; a third one takes the second's place.
void choose(SweepState& desk, const std::string& id) {
  if (const auto found = std::find(desk.over.begin(), desk.over.end(), id); found != desk.over.end()) {
    desk.over.erase(found);
  } else {
    if (desk.over.size() == 2) desk.over.pop_back();
    desk.over.push_back(id);
  }
}

void controls(Session& session, SweepPen& pen) {
  SweepState& desk = session.lesson().sweep;
  const float gap = px(theme().space.gap_small);
  text(ImGui::GetWindowDrawList(), Face::label, {pen.x, pen.y}, theme().text.second, say("Over one control, or two"));
  pen.y += line_height(Face::label) + gap;
  float x = pen.x;
  for (const Control& control : session.open->controls) {
    const std::string label = say(control.label);
    const float wide = chip_width(label);
    if (x > pen.x && x + wide > pen.right()) {
      x = pen.x;
      pen.y += chip_height() + gap;
    }
    const bool on = std::find(desk.over.begin(), desk.over.end(), control.id) != desk.over.end();
    if (chip("sweep/over/" + control.id, rect(x, pen.y, wide, chip_height()), label, on, true, say(control.help))) {
      choose(desk, control.id);
    }
    x += wide + gap;
  }
  pen.y += chip_height();
}

/// "1, 2, 4 … 1024: 11 values"
std::string values_words(const SweepAxis& axis) {
  const auto& texts = axis.words;
  std::string words;
  const std::size_t shown = texts.size() > 6 ? 3 : texts.size();
  for (std::size_t i = 0; i < shown; ++i) words += (i == 0 ? "" : ", ") + texts[i];
  if (shown < texts.size()) words += " … " + texts.back();
  return say_many(texts.size(), "{values}: 1 value", "{values}: {n} values", "values"_a = words, "n"_a = texts.size());
}

/// A row a control that is swept: its name, from, to, and what that makes.
void ranges(Session& session, const lessons::SweepPlan& plan, SweepPen& pen) {
  const Theme& t = theme();
  SweepState& desk = session.lesson().sweep;
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const float height = px(t.space.control_height), field = px(96);
  float names = 0;
  for (const SweepAxis& axis : plan.axes) names = std::max(names, text_width(Face::label, axis.label));
  names = std::min(names, px(220));
  for (const SweepAxis& axis : plan.axes) {
    const auto control = std::find_if(session.open->controls.begin(), session.open->controls.end(),
                                      [&](const Control& c) { return c.id == axis.control; });
    const float middle = pen.y + height / 2, words_y = middle - line_height(Face::label) / 2;
    text_clipped(draw, Face::label, {pen.x, words_y}, names + 1, t.text.second, axis.label);
    float x = pen.x + names + px(16);
    if (has_range(*control)) {
      SweepState::Range range{control->least, control->most};
      if (const auto set = desk.ranges.find(axis.control); set != desk.ranges.end()) range = set->second;
      const std::string name = "sweep/" + axis.control;
      const auto from = number_field(name + "/from", rect(x, pen.y, field, height), *control, range.from, session.typing);
      x += field + px(8);
      x += text(draw, Face::label, {x, words_y}, t.text.third, "to") + px(8);
      const auto to = number_field(name + "/to", rect(x, pen.y, field, height), *control, range.to, session.typing);
      x += field + px(16);
      // The end that was not touched gives way.
      if (from) range = {*from, std::max(range.to, *from)};
      if (to) range = {std::min(range.from, *to), *to};
      if (from || to) desk.ranges[axis.control] = range;
    }
    text_clipped(draw, Face::label, {x, words_y}, pen.right() - x, t.text.third, values_words(axis));
    const bool wrong = session.typing.name.starts_with("sweep/" + axis.control + "/") && !session.typing.wrong.empty();
    pen.y += height + px(wrong ? 24 : 8);
  }
}

std::string rough_time(double seconds) {
  if (seconds < 1) return say("less than a second");
  return seconds < 90 ? say("about {seconds:.0f} s", "seconds"_a = seconds)
                      : say("about {seconds:.0f} min", "seconds"_a = seconds / 60);
}

/// What it will take, or how far it is.
std::string progress_words(const Session& session, const lessons::SweepPlan& plan) {
  const LessonState& state = session.lessons.at(session.open->id);
  const Activity& now = session.activity;
  if (now.kind == Activity::Kind::sweeping) {
    if (now.done == 0) return say("run 1 of {total}", "total"_a = now.total);
    const double left =
        now.seconds / static_cast<double>(now.done) * static_cast<double>(now.total - std::min(now.done, now.total));
    return say("{done} of {total} runs, {time} left", "done"_a = now.done, "total"_a = now.total, "time"_a = rough_time(left));
  }
  if (plan.axes.empty()) return {};
  const std::size_t runs = plan.points();
  double each = state.shown && !state.shown->live ? state.shown->seconds : 0;
  if (state.sweep.last && state.sweep.last->tried() > 0)
    each = state.sweep.last->seconds / static_cast<double>(state.sweep.last->tried());
  const std::string n = grouped(static_cast<long long>(runs));
  if (each <= 0) return say_many(runs, "{n} run", "{n} runs", "n"_a = n);
  return say_many(runs, "{n} run, {time}", "{n} runs, {time}", "n"_a = n, "time"_a = rough_time(each * static_cast<double>(runs)));
}

void start_row(Session& session, Actions& actions, const lessons::SweepPlan& plan, SweepPen& pen) {
  const Theme& t = theme();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const bool sweeping = session.activity.kind == Activity::Kind::sweeping;
  const auto problem = lessons::check(plan);
  const std::string why = plan.axes.empty() ? say("Choose a control first.") : problem ? "" : problem.error().message;
  const float height = px(32);
  float x = pen.x;
  if (sweeping) {
    const ButtonLook cancel{.label = say("Cancel"), .icon = Icon::stop, .hint = say("Keeps the runs that are done")};
    const float wide = button_width(cancel);
    if (button("sweep/cancel", rect(x, pen.y, wide, height), cancel)) actions.cancel();
    x += wide + px(16);
  } else {
    const ButtonLook start{.label = say("Start"), .icon = Icon::play, .primary = true, .enabled = why.empty()};
    const float wide = button_width(start);
    if (button("sweep/start", rect(x, pen.y, wide, height), start)) actions.sweep(plan);
    x += wide + px(16);
  }
  const float middle = pen.y + height / 2;
  const bool too_many = !plan.axes.empty() && !problem;
  const std::string words = !why.empty() && !sweeping ? why : progress_words(session, plan);
  const float used = text_width(Face::label, words);
  text_clipped(draw, Face::label, {x, middle - line_height(Face::label) / 2}, pen.right() - x,
               too_many ? t.verdict.bad : t.text.third, words);
  if (sweeping && session.activity.total > 0) {
    const float left = x + used + px(16), right = pen.right();
    const float part = static_cast<float>(session.activity.done) / static_cast<float>(session.activity.total);
    draw->AddRectFilled({left, middle - px(3)}, {right, middle + px(3)}, t.background.control, px(3));
    draw->AddRectFilled({left, middle - px(3)}, {left + (right - left) * std::clamp(part, 0.0f, 1.0f), middle + px(3)}, t.hand.line,
                        px(3));
  }
  pen.y += height;
}

/// "Time (model), µs ▾": opens the list of all results. CSV and PNG stand at the right.
void chart_head(Session& session, Actions& actions, SweepPen& pen) {
  SweepState& desk = session.lesson().sweep;
  const float height = px(32), y = pen.y;
  const std::array<Segment, 1> chosen{
      {{.name = "sweep/result", .label = desk.chart.label, .chevron = true, .hint = say("Which number is shown")}}};
  const ButtonLook csv{.label = "CSV", .hint = say("Every number of every run, into a file")};
  const ButtonLook png{.label = "PNG", .hint = say("This chart, into a file")};
  const float csv_wide = button_width(csv), png_wide = button_width(png);
  const Rect png_area = rect(snap(pen.right() - png_wide), y, png_wide, height);
  const Rect csv_area = rect(snap(png_area.a.x - px(8) - csv_wide), y, csv_wide, height);
  const float wanted = segment_widths(chosen, Face::label).front() + px(4);
  const Rect chooser = rect(pen.x, y, std::min(wanted, csv_area.a.x - px(16) - pen.x), height);
  if (segments(chooser, chosen, 0, Face::label)) ImGui::OpenPopup("results");
  if (button("sweep/csv", csv_area, csv)) actions.export_as({.kind = Export::Kind::sweep_csv, .view = {}});
  if (button("sweep/png", png_area, png)) actions.export_as({.kind = Export::Kind::sweep_png, .view = {}});
  pen.y += height;

  ImGui::SetNextWindowPos({chooser.a.x, chooser.b.y + px(4)});
  ImGui::SetNextWindowSizeConstraints({0, 0}, {px(480), px(360)});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(4), px(4)});
  if (ImGui::BeginPopup("results", ImGuiWindowFlags_NoMove)) {
    auto results = lessons::results_of(*desk.last);
    std::stable_partition(results.begin(), results.end(), [](const auto& number) { return number.on_page; });
    float width = px(220);
    for (const auto& number : results) width = std::max(width, text_width(Face::label_strong, say(number.label)) + px(44));
    for (const auto& number : results) {
      if (!list_row("sweep/result/" + number.name, say(number.label), number.name == desk.chart.result, width)) continue;
      desk.choose(number.name);
      ImGui::CloseCurrentPopup();
    }
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar();
}

/// What ended early or went wrong, in a line.
std::string remark(const Sweep& sweep) {
  std::string words;
  if (sweep.state == Sweep::State::cancelled)
    words = say("Cancelled after {tried} of {points} runs.", "tried"_a = sweep.tried(), "points"_a = sweep.points.size()) + " ";
  if (sweep.state == Sweep::State::stopped) words = sweep.message + " ";
  const auto failed =
      std::find_if(sweep.points.begin(), sweep.points.end(), [](const auto& p) { return p.tried && p.status != "ok"; });
  if (failed != sweep.points.end()) {
    words += say("{failed} of {tried} runs failed, the first with `{status}`: {message}", "failed"_a = sweep.failed(),
                 "tried"_a = sweep.tried(), "status"_a = failed->status, "message"_a = failed->message);
  }
  return words;
}

/// The point at which the controls stand: all of them as the sweep had them.
std::optional<std::size_t> point_of(const Sweep& sweep, const lessons::Values& values) {
  std::size_t point = 0, stride = 1;
  for (const SweepAxis& axis : sweep.axes) {
    const auto found = std::find(axis.values.begin(), axis.values.end(), values.real(axis.control));
    if (found == axis.values.end()) return std::nullopt;
    point += stride * static_cast<std::size_t>(found - axis.values.begin());
    stride *= axis.values.size();
  }
  return sweep.values_at(point) == values ? std::optional(point) : std::nullopt;
}

/// What the card says: why there are no numbers, or all of them, first the one that is drawn, then those of the page.
std::vector<SweepFact> facts_of(const lessons::SweepPoint& point, const std::string& result) {
  if (!point.tried) return {{say("not run yet"), ""}};
  if (point.status != "ok") return {{say("failed"), point.status, true}};
  std::vector<const lessons::Number*> numbers;
  for (const lessons::Number& number : point.numbers) numbers.push_back(&number);
  const auto rank = [&](const lessons::Number* number) { return number->name == result ? 0 : number->on_page ? 1 : 2; };
  std::stable_sort(numbers.begin(), numbers.end(), [&](const auto* a, const auto* b) { return rank(a) < rank(b); });
  std::vector<SweepFact> facts;
  for (const lessons::Number* number : numbers)
    facts.push_back({say(number->label), printed(*number) + (number->unit.empty() ? "" : " " + number->unit)});
  return facts;
}

void chart(Session& session, Actions& actions, const Layout& layout, SweepPen& pen) {
  const Theme& t = theme();
  LessonState& state = session.lesson();
  SweepState& desk = state.sweep;
  const std::shared_ptr<const Sweep> sweep = desk.last;
  chart_head(session, actions, pen);
  pen.y += px(8);
  TextFlowStyle style = note_style();
  style.plain = Face::label;
  style.colour = t.text.third;
  const std::string about =
      sweep->text != state.text.str()
          ? say("{device}, with the kernel as it was then. Hover a point for all its numbers; a click sets the controls to it.",
                "device"_a = sweep->device)
          : say("{device}. Hover a point for all its numbers; a click sets the controls to it.", "device"_a = sweep->device);
  pen.y += draw_text_flow(ImGui::GetWindowDrawList(), inline_code(about), {pen.x, pen.y}, pen.width, style) + px(16);

  // Below the chart: a line or two of remarks.
  const std::string said = remark(*sweep);
  style.colour = t.text.second;
  const float remarks = said.empty() ? 0 : draw_text_flow(nullptr, inline_code(said), {}, pen.width, style) + px(12);
  const float exported = line_height(Face::label) + px(12);  // also while there is nothing to say: the chart keeps its height
  const float room = layout.page.b.y - (pen.y + ImGui::GetScrollY()) - remarks - exported - px(24);
  const float height = std::clamp(room, px(least_chart), px(most_chart));
  ImGui::SetCursorScreenPos({pen.x, pen.y});
  SweepMouse at{.here = point_of(*sweep, state.values),
                .facts = [&](std::size_t point) { return facts_of(sweep->points[point], desk.chart.result); }};
  draw_sweep(desk.chart, pen.width, height, at);
  name_view("sweep/chart", rect(pen.x, pen.y, pen.width, height));
  for (std::size_t i = 0; i < at.places.size(); ++i) {
    name_widget(fmt::format("sweep/point/{}", i), {{at.places[i].x0, at.places[i].y0}, {at.places[i].x1, at.places[i].y1}});
  }
  if (at.clicked) change_values(session, actions, sweep->values_at(*at.clicked));
  pen.y += height + px(12);
  if (!said.empty())
    pen.y += draw_text_flow(ImGui::GetWindowDrawList(), inline_code(said), {pen.x, pen.y}, pen.width, style) + px(12);
  if (!desk.exported.empty()) {
    text_clipped(ImGui::GetWindowDrawList(), Face::label, {pen.x, pen.y}, pen.width,
                 desk.export_failed ? t.verdict.bad : t.text.second,
                 desk.export_failed ? desk.exported : say("Written to {file}", "file"_a = desk.exported));
    pen.y += line_height(Face::label) + px(12);
  }
}

}  // namespace

void draw_sweep_panel(Session& session, Actions& actions, const Layout& layout) {
  const Theme& t = theme();
  const float padding = px(t.space.page_padding), gap = px(t.space.gap);
  SweepPen pen{
      .x = layout.page.a.x + padding, .y = layout.page.a.y - ImGui::GetScrollY(), .width = layout.page.width() - 2 * padding};
  header(session, pen);
  TextFlowStyle style = prose_style();
  const std::string words = say("The same experiment at many values: the kernel and all other controls stay as they stand.");
  pen.y += draw_text_flow(ImGui::GetWindowDrawList(), inline_code(words), {pen.x, pen.y}, pen.width, style) + gap;
  controls(session, pen);
  pen.y += gap;
  const lessons::SweepPlan plan = sweep_plan(session);
  ranges(session, plan, pen);
  if (!plan.axes.empty()) pen.y += px(8);
  start_row(session, actions, plan, pen);
  pen.y += px(24);

  const std::shared_ptr<const Sweep>& last = session.lesson().sweep.last;
  if (last && last->tried() > 0 && !session.lesson().sweep.chart.result.empty()) {
    chart(session, actions, layout, pen);
  } else if (last && last->tried() > 0 && last->state != Sweep::State::running) {
    const auto& first = *std::find_if(last->points.begin(), last->points.end(), [](const auto& p) { return p.tried; });
    pen.y += draw_failure(say("No run gave a result"), first.status, first.message, {pen.x, pen.y}, pen.width);
  } else if (last && last->state == Sweep::State::stopped) {
    pen.y += draw_failure(say("The sweep could not run"), "", last->message, {pen.x, pen.y}, pen.width);
  } else {
    ImGui::SetCursorScreenPos({pen.x, pen.y});
    const bool running = session.activity.kind == Activity::Kind::sweeping;
    draw_empty_view(pen.width, px(least_chart), running ? say("Sweeping") : say("Nothing has been swept yet"),
                    running             ? say("The first runs come here.")
                    : plan.axes.empty() ? say("Choose a control above, or two, then press Start.")
                                        : say("Press Start."));
    pen.y += px(least_chart);
  }
  ImGui::SetCursorScreenPos({layout.page.a.x, pen.y + px(12)});
  ImGui::Dummy({1, 1});
}

}  // namespace warpbook::app
