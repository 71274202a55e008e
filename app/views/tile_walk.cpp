// Tile walk: two matrices and their product as they are multiplied on paper: A at the left, B above, A · B where they meet.
// Elements that block 0 loaded have the colour of its turn; those that it needs and never loaded are hatched. What is read beyond
// the end of a matrix stands in a row below it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "app/text/numbers.h"
#include "app/views/parts.h"
#include "app/views/views.h"
#include "gpu/message.h"

namespace warpbook::app {
namespace {

using lessons::TileWalk;

constexpr float walk_height_css = 340, walk_gap_css = 20, least_lined_css = 4;

struct WalkPlan {
  float pitch = 1;
  Box a, b, product;
};

WalkPlan plan_of(const TileWalk& walk, ImVec2 at, float width, float height) {
  const float gap = px(walk_gap_css);
  const auto columns = static_cast<float>(walk.a.columns + walk.b.columns), rows = static_cast<float>(walk.a.rows + walk.b.rows);
  WalkPlan plan{.pitch = std::min({(width - gap) / columns, (height - gap) / rows, px(12)}), .a = {}, .b = {}, .product = {}};
  if (plan.pitch >= 1) plan.pitch = std::floor(plan.pitch);
  const auto cells = [&](std::uint32_t count) { return static_cast<float>(count) * plan.pitch; };
  const float right = at.x + cells(walk.a.columns) + gap, below = at.y + cells(walk.b.rows) + gap;
  plan.a = {at.x, below, at.x + cells(walk.a.columns), below + cells(walk.a.rows)};
  plan.b = {right, at.y, right + cells(walk.b.columns), at.y + cells(walk.b.rows)};
  plan.product = {right, below, plan.b.x1, plan.a.y1};
  return plan;
}

Box cell_of(const Box& matrix, float pitch, std::uint32_t row, std::uint32_t column) {
  const float x = matrix.x0 + static_cast<float>(column) * pitch, y = matrix.y0 + static_cast<float>(row) * pitch;
  const float line = pitch >= px(least_lined_css) ? px(1) : 0;
  return {x, y, x + pitch - line, y + pitch - line};
}

ImU32 colour_of_turn(const TileWalk& walk, std::uint32_t turn) {
  const float part = walk.turns > 1 ? static_cast<float>(turn) / static_cast<float>(walk.turns - 1) : 0.5F;
  return sample(turn % 2 == 0 ? theme().ramp.blocks_even : theme().ramp.blocks_odd, part);
}

Box whole_cell(const Box& matrix, float pitch, std::uint32_t row, std::uint32_t column) {
  const float x = matrix.x0 + static_cast<float>(column) * pitch, y = matrix.y0 + static_cast<float>(row) * pitch;
  return {x, y, x + pitch, y + pitch};
}

void outline(const Sheet& sheet, const Box& box) {
  sheet.draw->AddRect({box.x0 - px(1), box.y0 - px(1)}, {box.x1 + px(1), box.y1 + px(1)}, theme().background.line);
}

bool missing(const TileWalk::Element& element) { return element.needed && element.by_block_0 == 0; }

void draw_matrix(const Sheet& sheet, const TileWalk& walk, const TileWalk::Matrix& matrix, const Box& box, float pitch) {
  outline(sheet, box);
  for (std::size_t i = 0; i < matrix.elements.size(); ++i) {  // what lies beyond the end is in the row below
    const TileWalk::Element& element = matrix.elements[i];
    const auto row = static_cast<std::uint32_t>(i / matrix.columns), column = static_cast<std::uint32_t>(i % matrix.columns);
    const bool outside = row >= matrix.rows;
    const Box cell = cell_of(box, pitch, row, column);
    if (missing(element))
      hatch_narrow(sheet.draw, whole_cell(box, pitch, row, column), theme().verdict.bad);  // lines go on from cell to cell
    else if (element.by_block_0 > 0 || (outside && element.by_all > 0))
      sheet.draw->AddRectFilled(top_left(cell), bottom_right(cell),
                                outside ? theme().verdict.bad : colour_of_turn(walk, element.turn));
    else if (!outside)
      sheet.draw->AddRectFilled(top_left(cell), bottom_right(cell), theme().background.plot);
  }
}

/// The product, and what of it block 0 makes.
void draw_product(const Sheet& sheet, const TileWalk& walk, const WalkPlan& plan) {
  const Box& box = plan.product;
  outline(sheet, box);
  sheet.draw->AddRectFilled(top_left(box), bottom_right(box), theme().background.plot);
  const Box made{box.x0, box.y0, std::min(box.x1, box.x0 + static_cast<float>(walk.block_columns) * plan.pitch),
                 std::min(box.y1, box.y0 + static_cast<float>(walk.block_rows) * plan.pitch)};
  if (walk.block_rows == 0) {
    text_inside(sheet.draw, Face::caption, box, theme().text.third, say("not made"), 2);
    return;
  }
  segment(sheet.draw, made, theme().series.blue);
  text_inside(sheet.draw, Face::caption, made, theme().text.second, say("block 0"), 2);
}

void card_of_element(const Sheet& sheet, const TileWalk& walk, const TileWalk::Matrix& matrix, const Box& box, float pitch) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const auto column = std::min(static_cast<std::uint32_t>(std::max((mouse.x - box.x0) / pitch, 0.0F)), matrix.columns - 1);
  const auto row = std::min(static_cast<std::uint32_t>(std::max((mouse.y - box.y0) / pitch, 0.0F)), matrix.rows - 1);
  const TileWalk::Element& element = matrix.elements[std::size_t{row} * matrix.columns + column];
  const Box item = cell_of(box, pitch, row, column);
  ring(sheet.draw, item, theme().text.first);
  std::vector<Fact> facts{{say("loads by threads of block 0"), grouped(element.by_block_0),
                           element.needed && element.by_block_0 == 0 ? theme().verdict.bad : 0},
                          {say("loads by threads of all blocks"), grouped(element.by_all)}};
  if (element.by_block_0 > 0 && walk.turns > 1) facts.insert(facts.begin(), {say("turn of block 0"), grouped(element.turn + 1)});
  fact_card(sheet, item, {}, say("{name}, row {row}, column {column}", "name"_a = matrix.name, "row"_a = row, "column"_a = column),
            element.needed ? say("block 0 needs it") : "", facts);
}

/// What a colour stands for, in two lines.
struct Entry {
  ImU32 colour = 0;
  bool hatched = false;
  std::string label, more;
};

std::string turn_words(const TileWalk& walk, std::uint32_t turn) {
  std::uint32_t first = walk.a.columns, last = 0;
  for (std::uint32_t column = 0; column < walk.a.columns; ++column) {
    if (walk.a.elements[column].turn != turn) continue;
    first = std::min(first, column);
    last = column;
  }
  return say("columns {first} to {last} of {a}, rows {first} to {last} of {b}", "first"_a = first, "last"_a = last,
             "a"_a = walk.a.name, "b"_a = walk.b.name);
}

bool any_of_turn(const TileWalk& walk, std::uint32_t turn, bool (*is)(const TileWalk::Element&)) {
  const auto of_turn = [&](const TileWalk::Element& element) { return element.turn == turn && is(element); };
  return std::ranges::any_of(walk.a.elements, of_turn) || std::ranges::any_of(walk.b.elements, of_turn);
}

std::string loads_words(const TileWalk& walk) {
  if (walk.block_rows == 0) return say("the other rows are loaded by other blocks");
  std::uint32_t least = 0, most = 0;
  for (const TileWalk::Matrix* const matrix : {&walk.a, &walk.b}) {
    for (const TileWalk::Element& element : matrix->elements) {
      if (element.by_block_0 == 0) continue;
      least = least == 0 ? element.by_block_0 : std::min(least, element.by_block_0);
      most = std::max(most, element.by_block_0);
    }
  }
  if (least == most) return say_many(most, "each element once", "each element {n} times", "n"_a = most);
  if (most == least + 1 && least > 0)
    return least == 1 ? say("each element once or twice")
                      : say("each element {least} or {most} times", "least"_a = least, "most"_a = most);
  return say("each element {least} to {most} times", "least"_a = least, "most"_a = most);
}

std::vector<Entry> entries_of(const TileWalk& walk) {
  std::vector<Entry> entries;
  const auto loaded = [](const TileWalk::Element& element) { return element.by_block_0 > 0; };
  const auto turns_words = [&](std::uint32_t turn) { return walk.turns > 1 ? turn_words(walk, turn) : loads_words(walk); };
  for (std::uint32_t turn = 0; turn < walk.turns; ++turn) {
    if (any_of_turn(walk, turn, loaded))
      entries.push_back(
          {.colour = colour_of_turn(walk, turn),
           .label = walk.turns > 1 ? say("Turn {turn} of the loop", "turn"_a = turn + 1) : std::string(say("Loaded by block 0")),
           .more = turns_words(turn)});
    if (any_of_turn(walk, turn, missing))
      entries.push_back({.colour = theme().verdict.bad,
                         .hatched = true,
                         .label = say("Needed by block 0, never loaded"),
                         .more = walk.turns > 1 ? turn_words(walk, turn) : ""});
  }
  for (const TileWalk::Matrix* const matrix : {&walk.a, &walk.b}) {
    for (std::size_t i = std::size_t{matrix->rows} * matrix->columns; i < matrix->elements.size(); ++i) {
      const std::uint32_t reads = matrix->elements[i].by_all;
      if (reads == 0) continue;
      entries.push_back({.colour = theme().verdict.bad,
                         .label = say("Beyond the end of {name}", "name"_a = matrix->name),
                         .more = say_many(reads, "{name}[{element}] is read", "{n} reads, the first of {name}[{element}]",
                                          "n"_a = reads, "name"_a = matrix->name, "element"_a = i)});
    }
  }
  return entries;
}

/// The entries one below the other; returns where they end.
float draw_entries(const Sheet& sheet, const std::vector<Entry>& entries, float x, float top) {
  const float side = px(12), words = x + side + px(10), room = sheet.right() - words;
  for (const Entry& entry : entries) {
    const float swatch = snap(top + (line_height(Face::label) - side) / 2);
    const Box box{snap(x), swatch, snap(x) + side, swatch + side};
    if (entry.hatched)
      hatch_narrow(sheet.draw, box, entry.colour);
    else
      sheet.draw->AddRectFilled(top_left(box), bottom_right(box), entry.colour);
    text_clipped(sheet.draw, Face::label_strong, {words, top}, room, theme().text.first, entry.label);
    top += line_height(Face::label);
    if (!entry.more.empty()) text_clipped(sheet.draw, Face::caption, {words, top}, room, theme().text.second, entry.more);
    top += line_height(Face::caption) + px(10);
  }
  return top;
}

}  // namespace

void draw_tile_walk(const TileWalk& walk, float width, ViewState& state) {
  const Sheet sheet = begin_view(width);
  const float y = title_row(sheet, walk.title, say("a square is an element"));
  const ImVec2 at{sheet.at.x, snap(sheet.at.y + y)};
  const WalkPlan plan = plan_of(walk, at, sheet.width, std::max(px(walk_height_css) - state.shorter, px(140)));
  draw_matrix(sheet, walk, walk.a, plan.a, plan.pitch);
  draw_matrix(sheet, walk, walk.b, plan.b, plan.pitch);
  draw_product(sheet, walk, plan);
  // The corner above A is free: what the three are.
  const float line = line_height(Face::caption), room = plan.a.width();
  const std::array names{fmt::format("{}: {} × {}", walk.a.name, walk.a.rows, walk.a.columns),
                         fmt::format("{}: {} × {}", walk.b.name, walk.b.rows, walk.b.columns)};
  text_clipped(sheet.draw, Face::caption, {plan.a.x0, plan.a.y0 - px(2) - line}, room, theme().text.second, names[0] + " ↓");
  text_clipped(sheet.draw, Face::caption, {plan.a.x0, plan.b.y0}, room, theme().text.second, names[1] + " →");
  for (const auto& [matrix, box] : {std::pair{&walk.a, plan.a}, std::pair{&walk.b, plan.b}}) {
    if (mouse_over(box)) card_of_element(sheet, walk, *matrix, box, plan.pitch);
  }
  const float beside = std::max(plan.b.x1, plan.product.x1) + px(32);
  const float entries_end = draw_entries(sheet, entries_of(walk), beside, plan.b.y0);
  const float below = plan.a.y1 + plan.pitch + px(2);  // a row beyond the end
  end_view(sheet, std::max(below, entries_end) - sheet.at.y, state.stale);
}

}  // namespace warpbook::app
