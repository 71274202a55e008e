// The table of a device's figures: a row a figure, a column a device, the one that ran first. A field finds rows by their words,
// and a row tells what its figure means when it is clicked.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/ui/hit_area.h"
#include "app/ui/text_flow.h"
#include "app/views/device_words.h"
#include "app/views/parts.h"
#include "app/views/views.h"
#include "gpu/message.h"

namespace warpbook::app {
namespace {

using lessons::DeviceTable;

constexpr float table_row_css = 24, table_gap_css = 18, table_name_css = 196, table_head_css = 30, table_field_css = 32;
constexpr std::size_t table_rows_shown = 14, table_rows_least = 4;

std::string cell_words(const DeviceTable::Row& row, std::size_t device) {
  return row.values[device] ? device_figure(*row.values[device], row.unit, row.decimals, false) : "–";
}

/// Bytes and frequencies have theirs in each cell.
std::string row_name(const DeviceTable::Row& row) {
  return row.derived && !row.unit.empty() && row.unit != "bytes" ? row.name + ", " + row.unit : row.name;
}

struct DeviceColumns {
  std::vector<float> edges;  // at the right, by device
  float names = 0;           // … of the figures' names
};

/// The right edges of the columns that have room beside the names.
DeviceColumns table_columns(const Sheet& sheet, const DeviceTable& table) {
  std::vector<float> widths;
  for (std::size_t d = 0; d < table.devices.size(); ++d) {
    float wide = text_width(Face::label, table.devices[d]);
    for (const DeviceTable::Row& row : table.rows) wide = std::max(wide, text_width(Face::digits, cell_words(row, d)));
    widths.push_back(std::ceil(wide) + px(table_gap_css));
  }
  float room = sheet.width - px(table_name_css);
  std::vector<float> kept;
  for (const float wide : widths) {
    if (wide > room) break;
    room -= wide;
    kept.push_back(wide);
  }
  DeviceColumns columns{.edges = std::vector<float>(kept.size())};
  float x = sheet.right();
  for (std::size_t d = kept.size(); d-- > 0;) {
    columns.edges[d] = x;
    x -= kept[d];
  }
  columns.names = x;
  return columns;
}

/// What an opened row says. Returns the height.
float row_sentences(const Sheet& sheet, const DeviceTable::Row& row, float top) {
  TextFlowStyle style = note_style();
  style.colour = theme().text.second;
  const float left = sheet.at.x + px(12), wide = sheet.right() - left - px(12);
  float y = top + px(2);
  y += draw_text_flow(sheet.draw, inline_code(row.meaning), {left, y}, wide, style);
  if (!row.launch.empty()) {
    style.colour = theme().text.first;
    y += draw_text_flow(sheet.draw, inline_code(say("For a launch: {what}", "what"_a = row.launch)), {left, y}, wide, style);
  }
  if (!row.derived && row.values.front()) {
    const std::string exact = row.unit.empty() ? say("On this device the call gives {value:.0f}.", "value"_a = *row.values.front())
                                               : say("On this device the call gives {value:.0f} {unit}.",
                                                     "value"_a = *row.values.front(), "unit"_a = row.unit);
    text_clipped(sheet.draw, Face::caption, {left, y + px(2)}, wide, theme().text.third, exact);
    y += px(2) + line_height(Face::caption);
  }
  return y + px(6) - top;
}

void draw_cells(const Sheet& sheet, const DeviceTable::Row& row, const DeviceColumns& columns, float top) {
  const Theme& look = theme();
  const float middle = top + px(table_row_css) / 2;
  const Face face = row.derived ? Face::label : Face::label_code;
  text_clipped(sheet.draw, face, {sheet.at.x, middle - line_height(face) / 2}, columns.names - sheet.at.x, look.text.first,
               row_name(row));
  for (std::size_t d = 0; d < columns.edges.size(); ++d) {
    const Face digits = d == 0 ? Face::digits_strong : Face::digits;
    const ImU32 colour = !row.values[d] ? look.text.disabled : d == 0 ? look.text.first : look.text.second;
    text(sheet.draw, digits, {columns.edges[d], middle - line_height(digits) / 2}, colour, cell_words(row, d), Align::right);
  }
}

/// The field, where words can be typed. Returns the height.
float search_field(const Sheet& sheet, float top, std::size_t rows, ViewState& state) {
  if (!state.field || state.printed) return 0;
  const Box box{sheet.at.x, snap(top), std::min(sheet.at.x + px(320), sheet.right()), snap(top + px(table_field_css))};
  const std::string before = state.memory.words;
  state.field(box, say("Search {n} figures: warp, shared, copy …", "n"_a = rows), state.memory.words);
  if (before != state.memory.words) state.memory.chosen.reset();
  return px(table_field_css + 10);
}

/// Rows of one kind below a heading of theirs. Returns where they end.
float draw_rows(const Sheet& sheet, const DeviceTable& table, const std::vector<std::size_t>& rows, const DeviceColumns& columns,
                float top, ViewState& state) {
  const Theme& look = theme();
  float y = snap(top);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t r = rows[i];
    const DeviceTable::Row& row = table.rows[r];
    if (i == 0 || table.rows[rows[i - 1]].derived != row.derived) {
      // The first heading stands in the line of the devices' names.
      const float line =
          i == 0 ? top - line_height(Face::label) - px(4) : y + px(table_head_css) - line_height(Face::label) - px(4);
      text_clipped(sheet.draw, Face::label, {sheet.at.x, line}, columns.names - sheet.at.x, look.text.third,
                   row.derived ? say("Told by no call") : say("Told by calls"));
      if (i > 0) y = snap(y + px(table_head_css));
    }
    hairline(sheet.draw, {sheet.at.x, y}, {sheet.right(), y}, look.background.line);
    const Rect area = rect(sheet.at.x, y, sheet.width, px(table_row_css));
    if (!state.printed) {
      const HitArea at = hit_area("device_table/" + row.name, area);
      if (at.hovered) sheet.draw->AddRectFilled(area.a, area.b, with_alpha(look.background.hover, 0.7F));
      if (at.clicked) state.memory.chosen = state.memory.chosen == r ? std::nullopt : std::optional(r);
      if (at.focused) focus_ring(area, look.hand.line, look.radius.control);
    }
    draw_cells(sheet, row, columns, y);
    y = snap(y + px(table_row_css));
    if (state.memory.chosen == r) y = snap(y + row_sentences(sheet, row, y));
  }
  return y;
}

/// Until all are asked for; fewer where a slide is too low for them.
std::size_t rows_shown(const ViewState& state) {
  const auto fewer = static_cast<std::size_t>(std::ceil(state.shorter / px(table_row_css)));
  return std::max(table_rows_shown - std::min(fewer, table_rows_shown), table_rows_least);
}

}  // namespace

void draw_device_table(const DeviceTable& table, float width, ViewState& state) {
  const Sheet sheet = begin_view(width);
  const Theme& look = theme();
  float y = sheet.at.y + title_row(sheet, table.title, state.printed ? "" : say("click a row"));
  y += search_field(sheet, y, table.rows.size(), state);
  std::vector<std::size_t> rows = rows_found(table, state.memory.words);
  const std::size_t found = rows.size();
  const bool all = state.memory.all;
  const DeviceColumns columns = table_columns(sheet, table);  // for all rows, so that nothing moves while words are typed
  const std::size_t most = rows_shown(state);
  if (!all && found > most) rows.resize(most);
  for (std::size_t d = 0; d < columns.edges.size(); ++d)
    text(sheet.draw, Face::label, {columns.edges[d], y}, look.text.third, table.devices[d], Align::right);
  y = draw_rows(sheet, table, rows, columns, y + line_height(Face::label) + px(4), state);
  hairline(sheet.draw, {sheet.at.x, y}, {sheet.right(), y}, look.background.line);
  y += px(8);
  if (found == 0) {
    text(sheet.draw, Face::body, {sheet.at.x, y}, look.text.third, say("No figure has these words. Try fewer letters."));
    y += line_height(Face::body) + px(8);
  }
  if (found > most && !state.printed) {
    const ButtonLook more{.label = all ? say("Show fewer") : say("Show all")};
    if (button("device_table/all", rect(sheet.at.x, snap(y), button_width(more), px(32)), more)) state.memory.all = !all;
    if (!all)
      text(sheet.draw, Face::label, {sheet.at.x + button_width(more) + px(12), snap(y) + (px(32) - line_height(Face::label)) / 2},
           look.text.third, say("{n} more", "n"_a = found - most));
    y += px(40);
  }
  end_view(sheet, y - sheet.at.y, state.stale);
}

}  // namespace warpbook::app
