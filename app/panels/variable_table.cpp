#include "app/panels/variable_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/ui/draw.h"
#include "gpu/message.h"

namespace warpbook::app {
namespace {

constexpr float least_name = 74, most_name = 168, least_cell = 34, most_cell = 96, cell_space = 10;  // CSS pixels

/// Where the columns stand.
struct Columns {
  float name = 0, cell = 0;       // widths
  unsigned first = 0, count = 1;  // lanes shown
  float left = 0;                 // of the first lane's
  [[nodiscard]] float of(unsigned lane) const { return left + static_cast<float>(lane - first) * cell; }
};

Columns columns_of(const StepView& view, const Rect& area) {
  Columns columns;
  columns.name = px(least_name);
  columns.cell = px(least_cell);
  for (const StepView::Group& group : view.groups)
    for (const StepView::Variable& row : group.rows) {
      columns.name = std::max(columns.name, text_width(Face::label_code, row.name) + px(cell_space));
      if (row.uniform || !row.remark.empty()) continue;
      for (const std::string& lane : row.lanes)
        columns.cell = std::max(columns.cell, text_width(Face::digits, lane) + px(cell_space));
    }
  columns.name = std::min(columns.name, px(most_name));
  columns.cell = std::min(columns.cell, px(most_cell));
  columns.left = area.a.x + columns.name;
  columns.count = std::clamp(static_cast<unsigned>((area.b.x - columns.left) / columns.cell), 1u, 32u);
  columns.first = std::min(view.lane / columns.count * columns.count, 32 - columns.count);
  columns.cell = (area.b.x - columns.left) / static_cast<float>(columns.count);
  return columns;
}

void draw_row(const StepView& view, const StepView::Variable& row, const Columns& columns, const Rect& box) {
  const Theme& t = theme();
  ImDrawList* draw = canvas();
  const float middle = box.centre().y;
  const auto put = [&](Face face, float left, float right, ImU32 colour, const std::string& words) {
    text_clipped(draw, face, {left, middle - line_height(face) / 2}, right - left, colour, words);
  };
  const bool told = row.remark.empty();
  if (row.changed) draw->AddRectFilled({box.a.x - px(8), box.a.y}, {box.a.x - px(5), box.b.y}, t.series.blue);
  put(Face::label_code, box.a.x, columns.left - px(6),
      !told                     ? t.text.third
      : row.used || row.changed ? t.text.first
                                : t.text.second,
      row.name);
  if (!told) return put(Face::label, columns.left, box.b.x, t.text.third, row.remark);
  if (row.uniform) {
    const std::string& value = row.lanes[view.lane];
    const float wide = std::min(text_width(Face::digits, value), box.b.x - columns.left - px(80));
    if (row.changed)
      draw->AddRectFilled({columns.left - px(4), box.a.y + px(1)}, {columns.left + wide + px(4), box.b.y - px(1)},
                          mix(t.background.window, t.series.blue, 0.3f), px(2));
    put(Face::digits, columns.left, columns.left + wide + px(2), t.text.first, value);
    return put(Face::label, columns.left + wide + px(12), box.b.x, t.text.third, say("in all lanes"));
  }
  for (unsigned l = columns.first; l < columns.first + columns.count; ++l) {
    const float x = columns.of(l);
    if (row.changed >> l & 1u)
      draw->AddRectFilled({x - px(4), box.a.y + px(1)}, {x + columns.cell - px(6), box.b.y - px(1)},
                          mix(t.background.window, t.series.blue, 0.3f), px(2));
    const bool on = (view.lanes.on >> l & 1u) != 0 || view.lanes.on == 0;
    put(Face::digits, x, x + columns.cell - px(6), l == view.lane ? t.text.first : on ? t.text.second : t.text.third, row.lanes[l]);
  }
}

void draw_heading(const StepView& view, const Columns& columns, const Rect& area, std::string_view heading) {
  const Theme& t = theme();
  const float y = area.a.y;
  text_clipped(canvas(), Face::label, area.a, columns.name - px(6), t.text.second, heading);
  for (unsigned l = columns.first; l < columns.first + columns.count; ++l)
    text(canvas(), l == view.lane ? Face::label_strong : Face::label, {columns.of(l), y},
         l == view.lane ? t.text.first : t.text.third, std::to_string(l));
}

}  // namespace

Rect whole_rows(Rect area) {
  area.b.y = area.a.y + std::floor(area.height() / px(step_row_height)) * px(step_row_height);
  return area;
}

void scroll_with_wheel(const Rect& area, float content, float& scroll) {
  const ImGuiIO& io = ImGui::GetIO();
  if (ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(area.a, area.b)) scroll -= io.MouseWheel * 3 * px(step_row_height);
  scroll = std::clamp(scroll, 0.0f, std::max(content - area.height(), 0.0f));
  if (content <= area.height()) return;
  const float length = std::max(area.height() * area.height() / content, px(16));
  const float y = area.a.y + (area.height() - length) * scroll / (content - area.height());
  canvas()->AddRectFilled({area.b.x + px(5), y}, {area.b.x + px(9), y + length}, theme().background.line, px(2));
}

void value_card(std::string_view title, const std::vector<std::string>& lanes) {
  std::size_t wide = 1;
  for (const std::string& value : lanes) wide = std::max(wide, value.size());
  std::string words = say("{title} in each lane\n", "title"_a = title);
  for (std::size_t l = 0; l < lanes.size(); ++l) words += fmt::format("{}{:>2}: {:<{}}", l % 4 ? "  " : "\n", l, lanes[l], wide);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(10), px(8)});
  ImGui::PushFont(font(Face::label_code));
  ImGui::BeginTooltip();
  ImGui::TextUnformatted(words.data(), words.data() + words.size());
  note_drawn_words(Face::label_code, words);
  ImGui::EndTooltip();
  ImGui::PopFont();
  ImGui::PopStyleVar();
}

void draw_variables(Stepper& stepper, const Rect& area) {
  const Theme& t = theme();
  ImDrawList* draw = canvas();
  const StepView& view = stepper.view;
  const float row = px(step_row_height);
  if (!view.no_variables.empty()) {
    text_clipped(draw, Face::label, area.a, area.width(), t.text.third, view.no_variables);
    return;
  }
  const Columns columns = columns_of(view, area);
  // The line's title stands beside the lanes' numbers, and stays.
  const bool of_a_line = !view.instruction.empty() && !view.groups.empty();
  draw_heading(view, columns, area, of_a_line ? std::string_view(view.groups.front().title) : say("Lane"));
  hairline(draw, {area.a.x, area.a.y + row - px(1)}, {area.b.x, area.a.y + row - px(1)}, t.background.line);
  const Rect rows = whole_rows({{area.a.x, area.a.y + row}, area.b});
  std::size_t count = 0;
  for (const StepView::Group& group : view.groups) count += 1 + std::max(group.rows.size(), group.room);
  if (of_a_line) --count;
  scroll_with_wheel(rows, static_cast<float>(count) * row, stepper.scroll);
  name_widget("stepper/variables", rows);
  draw->PushClipRect({rows.a.x - px(10), rows.a.y}, rows.b, true);
  if (view.lane >= columns.first)
    draw->AddRectFilled(
        {columns.of(view.lane) - px(5), rows.a.y},
        {columns.of(view.lane) + columns.cell - px(5), std::min(rows.b.y, rows.a.y + static_cast<float>(count) * row)},
        mix(t.background.window, t.text.third, 0.08f));
  float y = rows.a.y - stepper.scroll;
  for (const StepView::Group& group : view.groups) {
    const bool titled = !of_a_line || &group != &view.groups.front();
    if (titled && y + row > rows.a.y && y < rows.b.y) {
      hairline(draw, {area.a.x, y + row - px(1)}, {area.b.x, y + row - px(1)}, t.background.line);
      text_clipped(draw, Face::label, {area.a.x, y}, area.width(), t.text.second, group.title);
    }
    if (titled) y += row;
    const float next = y + static_cast<float>(std::max(group.rows.size(), group.room)) * row;
    for (const StepView::Variable& each : group.rows) {
      const Rect box = rect(area.a.x, y, area.width(), row);
      y += row;
      if (box.b.y <= rows.a.y || box.a.y >= rows.b.y) continue;
      draw_row(view, each, columns, box);
      const Rect seen = {{box.a.x, std::max(box.a.y, rows.a.y)}, {box.b.x, std::min(box.b.y, rows.b.y)}};
      if (each.remark.empty() && ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(seen.a, seen.b))
        value_card(fmt::format("{} ({})", each.name, each.type), each.exact);
    }
    y = next;
  }
  draw->PopClipRect();
}

}  // namespace warpbook::app
