#include "app/panels/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cfloat>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "app/panels/browse.h"
#include "app/panels/result.h"
#include "app/ui/text_flow.h"
#include "gpu/message.h"
#include "lessons/programs.h"

namespace warpbook::app {
namespace {

using gpu::RecordedLaunch;
using gpu::RunRecord;

constexpr std::string_view line_field = "program/line";
constexpr float row_css = 28, rows_shown = 8;
constexpr std::size_t output_lines = 8;

struct ProgramPen {
  Session& session;
  Actions& actions;
  float x = 0, y = 0, width = 0;
};

/// Wrapped words in a colour. Returns the height.
float wrapped(ImVec2 at, float width, ImU32 colour, const std::string& words) {
  return paragraph(ImGui::GetWindowDrawList(), Face::label, at, width, colour, words);
}

/// The program's line, and what runs or ends it.
void command_row(ProgramPen& pen) {
  const Theme& t = theme();
  ProgramState& program = pen.session.program;
  const float gap = px(t.space.gap_small), height = px(t.space.control_height);
  const bool typing = pen.session.typing.name == line_field;
  const std::string typed = typing ? pen.session.typing.text.str() : program.line;
  const ButtonLook run{.label = program.running ? say("Stop") : say("Run program"),
                       .icon = program.running ? Icon::stop : Icon::play,
                       .enabled = program.running || !typed.empty(),
                       .hint = program.running ? say("As Ctrl-C does: what it did until now is recorded")
                               : typed.empty() ? say("Type a program first.")
                                               : say("Enter")};
  const ButtonLook browse{.label = say("Browse")};
  // One width for both labels, so that nothing moves when a program begins to run.
  const float wide = button_width({.label = say("Run program"), .icon = Icon::play}), side = button_width(browse);
  const Rect field = rect(pen.x, pen.y, pen.width - wide - side - 2 * gap, height);
  const auto is_enter = [](const KeyEvent& event) { return event.key == KeyEvent::Key::enter; };
  const bool entered = typing && std::any_of(pen.session.typing.keys.begin(), pen.session.typing.keys.end(), is_enter);
  if (auto given = text_field(line_field, field, program.line, say("such as heat.cu 64, ./heat 64, python3 heat.py, or a .record"),
                              pen.session.typing))
    program.line = *given;
  const Rect press = rect(field.b.x + gap, pen.y, wide, height);
  const bool pressed = button("program/run", press, run);
  if (button("program/browse", rect(press.b.x + gap, pen.y, side, height), browse)) open_browse(pen.session);
  pen.y = field.b.y;
  if (pressed && program.running) {
    pen.actions.stop_program();
  } else if (pressed || entered) {
    // Keys and a press may come in the same frame: what stands in the field now is meant.
    const std::string wanted = entered ? program.line : typed;
    if (wanted.ends_with(".record"))
      pen.actions.open_file(wanted);
    else if (!wanted.empty())
      pen.actions.run_program(wanted);
  }
  if (!program.problem.empty()) {
    pen.y += px(4);
    pen.y += wrapped({pen.x, pen.y}, pen.width, t.verdict.bad, program.problem);
  }
}

/// Whether its launches are looked at while it runs.
void observe_row(ProgramPen& pen) {
  const Theme& t = theme();
  ProgramState& program = pen.session.program;
  const float height = px(20);
  pen.y += px(8);
  if (toggle("program/observe", rect(pen.x, pen.y, px(36), height), program.observe)) program.observe = !program.observe;
  const float beside = px(46) + text_width(Face::body, say("Off")) + px(12);  // the toggle says On or Off itself
  text_clipped(ImGui::GetWindowDrawList(), Face::label, {pen.x + beside, pen.y + (height - line_height(Face::label)) / 2},
               pen.width - beside, t.text.second, say("Look for mistakes in every launch, which takes longer"));
  pen.y += height;
}

/// The end of what the program has printed.
void output_box(ProgramPen& pen, std::string_view output, bool running) {
  const Theme& t = theme();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  while (!output.empty() && output.back() == '\n') output.remove_suffix(1);
  std::vector<std::string_view> lines;
  std::size_t above = 0;
  for (std::string_view rest = output; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    lines.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (lines.size() > output_lines) lines.erase(lines.begin()), ++above;
  }
  if (lines.empty() && !running) return;
  pen.y += px(12);
  const float line = line_height(Face::label_code), top = px(8);
  const std::size_t rows = std::max<std::size_t>(lines.size() + (above > 0 ? 1 : 0), 1);
  const Rect box = rect(pen.x, pen.y, pen.width, static_cast<float>(rows) * line + 2 * top);
  draw->AddRectFilled(box.a, box.b, t.background.raised, px(t.radius.box));
  name_widget("program/output", box);
  float y = box.a.y + top;
  const float room = box.width() - px(24);
  if (lines.empty()) text(draw, Face::label, {box.a.x + px(12), y}, t.text.third, say("It has printed nothing yet."));
  if (above > 0) {
    text(draw, Face::label, {box.a.x + px(12), y}, t.text.third,
         say_many(above, "{n} more line above", "{n} more lines above", "n"_a = above));
    y += line;
  }
  for (const std::string_view words : lines) {
    text_clipped(draw, Face::label_code, {box.a.x + px(12), y}, room, t.text.first, words);
    y += line;
  }
  pen.y = box.b.y;
}

/// "64 × 64 threads": grid and block, as far as they have extents.
std::string extents(const gpu::Dim3& dim) {
  if (dim.z > 1) return fmt::format("{} × {} × {}", dim.x, dim.y, dim.z);
  return dim.y > 1 ? fmt::format("{} × {}", dim.x, dim.y) : fmt::format("{}", dim.x);
}

std::string time_of(const RecordedLaunch& launch) {
  if (!launch.ended) return say("not ended");
  const double us = launch.model_us.value_or(launch.run_ms * 1e3);
  return us < 1000  ? say("{time:.1f} µs", "time"_a = us)
         : us < 1e6 ? say("{time:.2f} ms", "time"_a = us / 1e3)
                    : say("{time:.2f} s", "time"_a = us / 1e6);
}

/// Where the columns of the list begin.
struct LaunchColumns {
  float number = 0, kernel = 0, grid = 0, time = 0, found = 0, end = 0;
};
LaunchColumns columns_in(float x, float width) {
  const float found = std::min(px(190), width * 0.28f), time = px(84), grid = std::min(px(200), width * 0.28f);
  LaunchColumns columns{.number = x + px(36), .kernel = x + px(48), .end = x + width - px(12)};
  columns.found = columns.end - found;
  columns.time = columns.found - px(16);
  columns.grid = columns.time - time - grid;
  return columns;
}

/// What the launch has: its findings' glyphs, or how it failed.
void found_in(ImDrawList* draw, const RecordedLaunch& launch, float x, float right, float middle) {
  const Theme& t = theme();
  std::vector<gpu::FindingKind> kinds;
  for (const gpu::Finding& finding : launch.findings)
    if (std::find(kinds.begin(), kinds.end(), finding.kind) == kinds.end()) kinds.push_back(finding.kind);
  for (const gpu::FindingKind kind : kinds) {
    finding_glyph(draw, kind, {x + px(7), middle}, px(13), t.finding[static_cast<std::size_t>(kind)]);
    x += px(20);
  }
  std::string words = launch.status != "ok" ? launch.status : kinds.size() == 1 ? std::string(gpu::name_of(kinds.front())) : "";
  if (!launch.left_out.empty()) words = say("memory not kept");
  const ImU32 ink = launch.status != "ok" ? t.verdict.bad : t.text.second;
  text_clipped(draw, Face::label, {x, middle - line_height(Face::label) / 2}, right - x, ink, words);
}

/// True: it was chosen.
bool launch_row(const RunRecord& record, std::size_t index, const Rect& area, const LaunchColumns& columns, bool chosen) {
  const Theme& t = theme();
  const RecordedLaunch& launch = record.launches[index];
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const HitArea at = hit_area(fmt::format("launch/{}", index + 1), area);
  if (chosen)
    draw->AddRectFilled(area.a, area.b, t.background.control);
  else if (at.hovered)
    draw->AddRectFilled(area.a, area.b, fill_of(at));
  if (chosen) draw->AddRectFilled(area.a, {area.a.x + px(3), area.b.y}, t.hand.line);
  const float middle = area.centre().y, label = middle - line_height(Face::label) / 2;
  text(draw, Face::digits, {columns.number, middle - line_height(Face::digits) / 2}, t.text.third, std::to_string(index + 1),
       Align::right);
  text_clipped(draw, Face::label_code, {columns.kernel, middle - line_height(Face::label_code) / 2},
               columns.grid - columns.kernel - px(12), t.text.first, lessons::short_kernel_name(launch.kernel));
  text_clipped(draw, Face::label, {columns.grid, label}, columns.time - columns.grid - px(84), t.text.second,
               fmt::format("{} {}, {} {}", extents(launch.grid), launch.grid.count() == 1 ? "block" : "blocks",
                           extents(launch.block), launch.block.count() == 1 ? "thread" : "threads"));
  text(draw, Face::digits, {columns.time, middle - line_height(Face::digits) / 2}, launch.ended ? t.text.second : t.verdict.bad,
       time_of(launch), Align::right);
  found_in(draw, launch, columns.found, columns.end, middle);
  if (at.focused) focus_ring({{area.a.x + px(2), area.a.y + px(2)}, {area.b.x - px(2), area.b.y - px(2)}}, t.hand.line, 2);
  if (!launch.left_out.empty())
    hint(at, launch.left_out);
  else if (!launch.findings.empty())
    hint(at, say(launch.findings.front().message));
  return at.clicked;
}

void head_row(float y, const LaunchColumns& columns, bool clock) {
  const Theme& t = theme();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const auto word = [&](float x, std::string_view words, Align align = Align::left) {
    text(draw, Face::caption, {x, y}, t.text.third, words, align);
  };
  word(columns.number, "#", Align::right);
  word(columns.kernel, "kernel");
  word(columns.grid, "launch");
  word(columns.time, clock ? say("time (model)") : say("time here"), Align::right);
  word(columns.found, "found");
}

void launch_list(ProgramPen& pen, const RunRecord& record, bool printed) {
  const Theme& t = theme();
  ProgramState& program = pen.session.program;
  const std::size_t launches = record.launches.size();
  const float row = px(row_css), shown = std::min(static_cast<float>(launches), rows_shown);
  const LaunchColumns columns = columns_in(pen.x, pen.width);
  pen.y += px(16);
  head_row(pen.y, columns, record.schedule == "clock");
  pen.y += line_height(Face::caption) + px(4);
  hairline(ImGui::GetWindowDrawList(), {pen.x, pen.y}, {pen.x + pen.width, pen.y}, t.background.line);
  pen.y += px(1);
  const std::size_t chosen = lessons::launch_in(pen.session.lesson().values);
  const float room = shown * row, whole = static_cast<float>(launches) * row;
  const Rect list = rect(pen.x, pen.y, pen.width, room);
  ImGui::SetCursorScreenPos(list.a);
  ImGui::BeginChild("launches", {list.width(), list.height()}, false, printed ? ImGuiWindowFlags_NoScrollbar : 0);
  if (std::exchange(program.bring_launch, false)) {
    const float top = static_cast<float>(chosen) * row, now = ImGui::GetScrollY();
    if (top < now || top + row > now + room) ImGui::SetScrollY(std::clamp(top - room / 2, 0.0f, whole - room));
  }
  const float scrolled = ImGui::GetScrollY();
  const auto first = static_cast<std::size_t>(scrolled / row);
  const std::size_t end = std::min(launches, first + static_cast<std::size_t>(rows_shown) + 2);
  std::size_t clicked = launches;
  const float bar = whole > room ? px(14) : 0;
  for (std::size_t i = first; i < end; ++i) {
    const Rect area = rect(list.a.x, list.a.y + static_cast<float>(i) * row - scrolled, list.width() - bar, row);
    if (launch_row(record, i, area, columns, i == chosen)) clicked = i;
  }
  ImGui::SetCursorScreenPos({list.a.x, list.a.y - scrolled + whole});
  ImGui::Dummy({1, 0});
  ImGui::EndChild();
  pen.y = list.b.y;
  hairline(ImGui::GetWindowDrawList(), {pen.x, pen.y}, {pen.x + pen.width, pen.y}, t.background.line);
  if (clicked < launches) pen.actions.choose_launch(static_cast<int>(clicked) + 1);
}

/// What the record says of the run as a whole.
void about(ProgramPen& pen, const RunRecord& record) {
  const Theme& t = theme();
  pen.y += px(12);
  std::string words = record.ended.empty() ? std::string(say("The end of this program is not recorded.")) : record.ended;
  std::size_t with_findings = 0;
  for (const RecordedLaunch& launch : record.launches) with_findings += launch.findings.empty() ? 0 : 1;
  const std::string calls = say_many(record.calls.size(), "{n} CUDA call", "{n} CUDA calls", "n"_a = record.calls.size());
  const std::string launches = say_many(record.launches.size(), "{n} launch", "{n} launches", "n"_a = record.launches.size());
  const auto with_profile = "profile"_a = record.profile;
  words += " ";
  if (record.observe == "none" || record.launches.empty())
    words += say("On the virtual GPU, {profile} profile, it made {calls} and {launches}.", with_profile, "calls"_a = calls,
                 "launches"_a = launches);
  else if (with_findings == 0)
    words += say("On the virtual GPU, {profile} profile, it made {calls} and {launches}, in which nothing was found.", with_profile,
                 "calls"_a = calls, "launches"_a = launches);
  else
    words += say("On the virtual GPU, {profile} profile, it made {calls} and {launches}; something was found in {some} of them.",
                 with_profile, "calls"_a = calls, "launches"_a = launches, "some"_a = with_findings);
  pen.y += wrapped({pen.x, pen.y}, pen.width, t.text.first, words);
  for (const std::string& remark : record.remarks) {
    pen.y += px(4);
    pen.y += wrapped({pen.x, pen.y}, pen.width, t.verdict.bad, remark);
  }
}

}  // namespace

float draw_program(Session& session, Actions& actions, ImVec2 at, float width, bool printed) {
  ProgramPen pen{.session = session, .actions = actions, .x = at.x, .y = at.y, .width = width};
  if (!printed) {
    command_row(pen);
    observe_row(pen);
  }
  const ProgramState& program = session.program;
  const auto open = lessons::record_of(session.lesson().values);
  if (program.running) {
    output_box(pen, program.output, true);
    pen.y += px(8);
    pen.y += wrapped({pen.x, pen.y}, pen.width, theme().text.third, say("running, {seconds:.0f} s", "seconds"_a = program.seconds));
    return pen.y - at.y;
  }
  if (open.record) {
    about(pen, *open.record);
    output_box(pen, open.record->output, false);
    if (!open.record->launches.empty()) launch_list(pen, *open.record, printed);
  } else if (!open.why_not.message.empty() && program.problem != open.why_not.message) {
    pen.y += px(16);
    pen.y += draw_failure(say("This record cannot be shown"), "", open.why_not.message, {pen.x, pen.y}, pen.width);
  } else if (!program.output.empty()) {
    output_box(pen, program.output, false);
  }
  return pen.y - at.y;
}

}  // namespace warpbook::app
