#include "app/panels/stepper.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "app/panels/variable_table.h"
#include "app/ui/text_flow.h"
#include "gpu/message.h"

namespace warpbook::app {
namespace {

constexpr float tallest = 520, share = 0.72f;  // of the room that editor and stepper have
constexpr float button_height = 28, cell_gap = 2;
constexpr float name_width = 58, type_width = 44, value_width = 116;  // columns of registers, CSS pixels
constexpr float shared_label = 64, shared_least = 60, wide_grid = 430;

/// Recorded of what stands in the lesson now.
bool is_current(const LessonState& state) {
  const auto& steps = state.stepper.steps;
  return steps && steps->text == state.text.str() && steps->values == state.values;
}

void label(ImVec2 at, ImU32 colour, std::string_view words, Face face = Face::label) {
  text(ImGui::GetWindowDrawList(), face, at, colour, words);
}

void moves(Stepper& stepper, const Rect& row) {
  const bool before = stepper.view.position > 0, after = stepper.view.position < stepper.view.end;
  float x = row.a.x;
  const auto press = [&](std::string_view name, const ButtonLook& look, float width) {
    const bool pressed = button(name, rect(x, row.a.y, width, row.height()), look);
    x += width + px(6);
    return pressed;
  };
  const float side = row.height();
  if (press("stepper/restart", {.icon = Icon::to_start, .enabled = before, .hint = say("To the first step")}, side))
    to_start(stepper);
  const ButtonLook back{.label = say("Back"), .enabled = before, .hint = say("Shift+F10")};
  if (press("stepper/back", back, button_width(back))) stride(stepper, Way::back);
  const ButtonLook on{.label = say("Step"), .enabled = after, .hint = "F10"};
  if (press("stepper/step", on, button_width(on))) stride(stepper, Way::forward);
  if (press("stepper/end", {.icon = Icon::to_end, .enabled = after, .hint = say("To the end")}, side)) to_end(stepper);

  std::vector<Segment> strides{{.name = "stepper/by_line", .label = say("Line"), .hint = say("To the next line of the source")},
                               {.name = "stepper/by_barrier", .label = say("Barrier"), .hint = say("To the next barrier")}};
  std::vector by{gpu::Stride::line, gpu::Stride::barrier};
  if (stepper.ptx) {
    strides.push_back(
        {.name = "stepper/by_instruction", .label = say("Instruction"), .hint = say("To the next instruction of the PTX")});
    by.push_back(gpu::Stride::instruction);
  }
  float wide = px(4);
  for (const float width : segment_widths(strides, Face::label)) wide += width;
  const auto chosen = static_cast<std::size_t>(std::find(by.begin(), by.end(), stepper.by) - by.begin());
  const Rect box = rect(std::max(row.b.x - wide, x + px(2)), row.a.y, std::min(wide, row.b.x - x - px(2)), row.height());
  if (const auto clicked = segments(box, strides, chosen, Face::label)) stepper.by = by[*clicked];
}

void warps(Stepper& stepper, const Rect& row) {
  const Theme& t = theme();
  const float side = row.height(), middle = row.centre().y;
  float x = row.a.x;
  if (button("stepper/warp_before", rect(x, row.a.y, side, side), {.icon = Icon::chevron_left, .hint = say("The warp before")}))
    choose_warp(stepper, Way::back);
  x += side;
  const float wide = std::max(text_width(Face::label_strong, stepper.view.warp),
                              text_width(Face::label_strong, say("Block {block}, warp {warp}", "block"_a = "00", "warp"_a = 0))) +
                     px(16);
  text(ImGui::GetWindowDrawList(), Face::label_strong, {x + wide / 2, middle - line_height(Face::label_strong) / 2}, t.text.first,
       stepper.view.warp, Align::centre);
  name_widget("stepper/warp", rect(x, row.a.y, wide, side));
  x += wide;
  if (button("stepper/warp_after", rect(x, row.a.y, side, side), {.icon = Icon::chevron_right, .hint = say("The next warp")}))
    choose_warp(stepper, Way::forward);
  constexpr std::string_view ptx = "PTX";
  if (chip("stepper/ptx", rect(x + side + px(8), row.a.y, chip_width(ptx), side), ptx, stepper.ptx, true,
           say("The instructions and registers that the lines became")))
    show_ptx(stepper, !stepper.ptx);
  const std::array<Segment, 2> whose{
      Segment{.name = "stepper/one_warp",
              .label = say("This warp"),
              .hint = say("Steps of this warp only; the others go on meanwhile")},
      Segment{.name = "stepper/all_warps", .label = say("All warps"), .hint = say("Every step, whichever warp's turn it is")}};
  float segments_wide = px(4);
  for (const float width : segment_widths(whose, Face::label)) segments_wide += width;
  if (const auto clicked =
          segments(rect(row.b.x - segments_wide, row.a.y, segments_wide, side), whose, stepper.one_warp ? 0 : 1, Face::label))
    choose_all_warps(stepper, *clicked == 1);
}

void caption(LessonState& state, Actions& actions, ImVec2 at, float width) {
  const Theme& t = theme();
  Stepper& stepper = state.stepper;
  label(at, t.text.third, stepper.view.where);
  const float right = at.x + width;
  if (!is_current(state)) {
    const Wording words = say("Changed since: record again");
    if (link("stepper/again", Face::label, {right - text_width(Face::label, words), at.y}, words, t.text.first, true))
      actions.record();
    return;
  }
  if (const std::string& of = stepper.steps->of; !of.empty()) {
    const float left = at.x + text_width(Face::label, stepper.view.where) + px(16);
    const float wide = std::min(text_width(Face::label, of), right - left);
    text_clipped(ImGui::GetWindowDrawList(), Face::label, {right - wide, at.y}, wide, t.text.second, of);
    name_widget("stepper/case", rect(right - wide, at.y, wide, line_height(Face::label)));
    return;
  }
  const auto& launches = stepper.steps->launches;
  if (launches.size() < 2) {
    text(ImGui::GetWindowDrawList(), Face::label, {right, at.y}, t.text.third, stepper.view.lanes_words, Align::right);
    return;
  }
  const std::string words = say("{name}, kernel {launch} of {launches}", "name"_a = launches[stepper.launch].name,
                                "launch"_a = stepper.launch + 1, "launches"_a = launches.size());
  if (link("stepper/kernel", Face::label, {right - text_width(Face::label, words), at.y}, words, t.text.first, true))
    choose_launch(stepper, (stepper.launch + 1) % launches.size());
}

void instruction(const StepView& view, const Rect& box) {
  const Theme& t = theme();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  draw->AddRectFilled(box.a, box.b, t.background.raised, px(t.radius.control));
  name_widget("stepper/instruction", box);
  const float middle = box.centre().y;
  if (view.instruction.empty()) {
    label({box.a.x + px(10), middle - line_height(Face::label) / 2}, t.text.second, say("This warp has ended."));
    return;
  }
  const std::string line = view.line ? say("Line {line}", "line"_a = view.line) : say("No line");
  label({box.a.x + px(10), middle - line_height(Face::label) / 2}, t.text.third, line);
  const float x = box.a.x + px(68);
  text_clipped(draw, Face::label_code, {x, middle - line_height(Face::label_code) / 2}, box.b.x - x - px(8), t.text.first,
               view.instruction);
}

/// 32 cells: on, waiting for their turn in another branch, ended. Returns the y below.
float lane_cells(Stepper& stepper, ImVec2 at, float width) {
  const Theme& t = theme();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const StepView& view = stepper.view;
  const float y = at.y, height = px(16), each = (width + px(cell_gap)) / 32;
  std::optional<unsigned> clicked;
  for (unsigned l = 0; l < 32; ++l) {
    const float x0 = snap(at.x + static_cast<float>(l) * each), x1 = snap(at.x + static_cast<float>(l + 1) * each) - px(cell_gap);
    const Rect cell = {{x0, y}, {x1, y + height}};
    const std::uint32_t bit = 1u << l;
    const HitArea touched = hit_area(fmt::format("lane/{}", l), cell, (view.born & bit) != 0);
    if (view.lanes.on & bit) {
      draw->AddRectFilled(cell.a, cell.b, t.series.blue, px(1));
    } else if (view.lanes.waiting & bit) {
      draw->AddRectFilled(cell.a, cell.b, t.background.control, px(1));
      hatch(draw, cell.a, cell.b, t.background.line_strong, 4);
    } else {
      draw->AddRect(cell.a, cell.b, t.background.line, px(1));
    }
    if (l == view.lane || touched.hovered)
      draw->AddRect({cell.a.x - px(1), cell.a.y - px(1)}, {cell.b.x + px(1), cell.b.y + px(1)}, t.text.first, px(1), 0, px(1.5f));
    hint(touched, view.lanes.on & bit        ? say("Lane {lane} is on", "lane"_a = l)
                  : view.lanes.waiting & bit ? say("Lane {lane} waits: the other side of a branch goes first", "lane"_a = l)
                                             : say("Lane {lane} has ended", "lane"_a = l));
    if (touched.clicked) clicked = l;
  }
  for (const unsigned l : {0u, 8u, 16u, 24u, 31u}) {
    const float x = at.x + (static_cast<float>(l) + 0.5f) * each;
    text(draw, Face::caption, {x, y + height + px(2)}, t.text.third, std::to_string(l), Align::centre);
  }
  if (clicked) choose_lane(stepper, *clicked);
  return y + height + px(2) + line_height(Face::caption);
}

void registers(Stepper& stepper, const Rect& area) {
  const Theme& t = theme();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const StepView& view = stepper.view;
  const float row = px(step_row_height), x = area.a.x;
  const std::array columns{x, x + px(name_width), x + px(name_width + type_width), x + px(name_width + type_width + value_width)};
  label({columns[0], area.a.y}, t.text.second, say("Registers"));
  label({columns[2], area.a.y}, t.text.third, say("lane {lane}", "lane"_a = view.lane));
  label({columns[3], area.a.y}, t.text.third, say("all lanes"));
  const Rect rows = whole_rows({{area.a.x, area.a.y + row}, area.b});
  if (view.registers.empty()) {
    label({x, rows.a.y}, t.text.third, say("None holds a value yet."));
    return;
  }
  scroll_with_wheel(rows, static_cast<float>(view.registers.size()) * row, stepper.scroll_registers);
  name_widget("stepper/registers", rows);
  draw->PushClipRect({rows.a.x - px(10), rows.a.y}, rows.b, true);
  float y = rows.a.y - stepper.scroll_registers;
  for (const StepView::Row& each : view.registers) {
    const float middle = y + row / 2;
    const Rect box = rect(area.a.x, y, area.width(), row);
    y += row;
    if (box.b.y < rows.a.y || box.a.y > rows.b.y) continue;
    if (each.changed) {
      draw->AddRectFilled({box.a.x - px(8), box.a.y}, {box.b.x, box.b.y}, mix(t.background.window, t.series.blue, 0.16f));
      draw->AddRectFilled({box.a.x - px(8), box.a.y}, {box.a.x - px(5), box.b.y}, t.series.blue);
    }
    const ImU32 ink = each.changed || each.used ? t.text.first : t.text.third;
    const auto put = [&](Face face, float left, float right, ImU32 colour, const std::string& words) {
      text_clipped(draw, face, {left, middle - line_height(face) / 2}, right - left - px(6), colour, words);
    };
    put(Face::label_code, columns[0], columns[1], ink, each.name);
    put(Face::label, columns[1], columns[2], t.text.third, each.type);
    put(Face::digits, columns[2], columns[3], ink, each.value);
    put(Face::digits, columns[3], box.b.x, each.changed || each.used ? t.text.second : t.text.third, each.all);
    if (ImGui::IsWindowHovered() &&
        ImGui::IsMouseHoveringRect({box.a.x, std::max(box.a.y, rows.a.y)}, {box.b.x, std::min(box.b.y, rows.b.y)}))
      value_card(fmt::format("{} ({})", each.name, each.type), each.lanes);
  }
  draw->PopClipRect();
}

void shared_memory(Stepper& stepper, const Rect& area) {
  const Theme& t = theme();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const StepView& view = stepper.view;
  const float row = px(step_row_height);
  label(area.a, t.text.second, view.shared_title);
  const Rect grid = whole_rows({{area.a.x, area.a.y + row}, area.b});
  const int columns = grid.width() >= px(wide_grid) ? 8 : 6;
  // By word: its row, and its place in it.
  std::vector<std::pair<int, int>> places;
  int last_row = -1, first_changed = -1;
  for (const StepView::Cell& cell : view.shared) {
    const bool begins = cell.begins_run || places.back().second + 1 == columns;
    if (begins) ++last_row;
    places.emplace_back(last_row, begins ? 0 : places.back().second + 1);
    if (cell.changed && first_changed < 0) first_changed = last_row;
  }
  if (std::exchange(stepper.bring_changed, false) && first_changed >= 0) {
    const float top = static_cast<float>(first_changed) * row;
    if (top < stepper.scroll_shared || top + row > stepper.scroll_shared + grid.height()) stepper.scroll_shared = top;
  }
  scroll_with_wheel(grid, static_cast<float>(last_row + 1) * row, stepper.scroll_shared);
  name_widget("stepper/shared", grid);
  const float left = grid.a.x + px(shared_label), each = (grid.width() - px(shared_label)) / static_cast<float>(columns);
  draw->PushClipRect(grid.a, grid.b, true);
  for (std::size_t c = 0; c < view.shared.size(); ++c) {
    const StepView::Cell& cell = view.shared[c];
    const float x = left + static_cast<float>(places[c].second) * each;
    const float y = grid.a.y - stepper.scroll_shared + static_cast<float>(places[c].first) * row;
    if (y + row < grid.a.y || y > grid.b.y) continue;
    if (places[c].second == 0)
      text_clipped(draw, Face::label_code, {grid.a.x, y + (row - line_height(Face::label_code)) / 2}, px(shared_label) - px(6),
                   t.text.third, cell.name);
    if (cell.changed)
      draw->AddRectFilled({x, y + px(1)}, {x + each - px(2), y + row - px(1)}, mix(t.background.window, t.series.blue, 0.3f),
                          px(2));
    text_clipped(draw, Face::digits, {x + px(3), y + (row - line_height(Face::digits)) / 2}, each - px(4),
                 cell.changed ? t.text.first : t.text.second, cell.brief);
    if (y >= grid.a.y - px(1) && y + row <= grid.b.y + px(1))
      hint(hit_area(fmt::format("shared/{}", cell.name), rect(x, y, each, row), false),
           fmt::format("{} = {}", cell.name, cell.value));
  }
  draw->PopClipRect();
}

void empty_state(const Session& session, const Rect& area) {
  const Stepper& stepper = session.lessons.at(session.open->id).stepper;
  std::string words = say("The run is made once more on the virtual GPU, and every step of it is kept.");
  if (session.activity.kind == Activity::Kind::recording)
    words = say("Recording the steps …");
  else if (stepper.steps && !stepper.steps->problem.empty())
    words = stepper.steps->problem;
  const Rect box = {{area.a.x + px(panel_padding), area.a.y + px(panel_padding)},
                    {area.b.x - px(panel_padding), area.b.y - px(panel_padding)}};
  dashed_box(ImGui::GetWindowDrawList(), box.a, box.b, theme().background.line_strong);
  TextFlowStyle style = note_style();
  style.colour = theme().text.second;
  const auto spans = inline_code(words);
  const float wide = box.width() - px(48), high = draw_text_flow(nullptr, spans, {}, wide, style);
  draw_text_flow(ImGui::GetWindowDrawList(), spans, {box.a.x + px(24), box.centre().y - high / 2}, wide, style);
  name_widget("stepper/empty", box);
}

/// Below the variables, the shared memory that the block has written, and what the last move stored.
void variables_and_memory(Stepper& stepper, const Rect& area) {
  float bottom = area.b.y;
  if (!stepper.view.stored.empty()) {
    bottom -= px(step_row_height);
    text_clipped(canvas(), Face::label, {area.a.x, bottom}, area.width(), theme().text.second,
                 say("Stored {what}", "what"_a = stepper.view.stored));
    bottom -= px(4);
  }
  if (!stepper.view.shared.empty()) {
    const float high = std::max(px(shared_least), (bottom - area.a.y) * 0.34f);
    shared_memory(stepper, {{area.a.x, bottom - high}, {area.b.x, bottom}});
    bottom -= high + px(8);
  }
  if (bottom - area.a.y >= px(2 * step_row_height)) draw_variables(stepper, {area.a, {area.b.x, bottom}});
}

/// Below the variables, the next instruction and the registers.
void with_registers(Stepper& stepper, const Rect& area) {
  const float high = stepper.view.no_variables.empty() ? area.height() * 0.45f : px(step_row_height + 4);
  draw_variables(stepper, {area.a, {area.b.x, area.a.y + high}});
  const float y = area.a.y + high + px(6);
  instruction(stepper.view, rect(area.a.x, y, area.width(), px(30)));
  registers(stepper, {{area.a.x, y + px(36)}, area.b});
}

}  // namespace

void open_stepper(Session& session, Actions& actions) {
  LessonState& state = session.lesson();
  state.stepper.open = true;
  session.bench_unfolded = true;
  if (!is_current(state) && session.activity.kind != Activity::Kind::recording) actions.record();
}

void step_by_key(Session& session, Actions& actions, Way way) {
  Stepper& stepper = session.lesson().stepper;
  if (!stepper.open) return open_stepper(session, actions);
  stride(stepper, way);
}

float stepper_height(float room) { return std::min(px(tallest), room * share); }

bool runs_to_lines(const LessonState& state) {
  return state.stepper.open && state.stepper.replay && state.stepper.steps->text == state.text.str();
}

std::uint32_t stepper_line(const LessonState& state) { return runs_to_lines(state) ? state.stepper.view.line : 0; }

void draw_stepper(Session& session, Actions& actions, const Rect& area) {
  const Theme& t = theme();
  LessonState& state = session.lesson();
  Stepper& stepper = state.stepper;
  name_widget("stepper", area);
  hairline(ImGui::GetWindowDrawList(), area.a, {area.b.x, area.a.y}, t.background.line);
  if (!stepper.replay) return empty_state(session, area);
  const float x = area.a.x + px(panel_padding), width = area.width() - 2 * px(panel_padding);
  float y = area.a.y + px(12);
  moves(stepper, rect(x, y, width, px(button_height)));
  y += px(button_height) + px(8);
  warps(stepper, rect(x, y, width, px(button_height)));
  y += px(button_height) + px(8);
  caption(state, actions, {x, y}, width);
  y += line_height(Face::label) + px(6);
  y = lane_cells(stepper, {x, y}, width) + px(8);
  const Rect rest = {{x, y}, {x + width, area.b.y - px(10)}};
  if (stepper.ptx || !stepper.view.no_variables.empty())
    with_registers(stepper, rest);
  else
    variables_and_memory(stepper, rest);
}

}  // namespace warpbook::app
