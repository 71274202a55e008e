// Thread map: which thread wrote which element. A row is a block, a cell a thread; what nobody wrote is hatched in its own place.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "app/text/numbers.h"
#include "app/views/parts.h"
#include "app/views/views.h"
#include "gpu/message.h"

namespace warpbook::app {
namespace {

using lessons::ThreadMap;

/// What a place of the map holds. A place is a block's thread, launched or not, and the element of the same number.
enum class ThreadPlace : std::uint8_t { nothing, wrote, idle, missing, outside };

ThreadPlace place_of(const ThreadMap& map, std::uint32_t block, std::uint32_t thread) {
  const std::uint64_t index = std::uint64_t{block} * map.threads + thread;
  const bool unwritten = index < map.elements && index < map.written.size() && map.written[index] == 0;
  if (block >= map.blocks || index >= map.cells.size()) return unwritten ? ThreadPlace::missing : ThreadPlace::nothing;
  const ThreadMap::Cell& cell = map.cells[index];
  if (cell.outside) return ThreadPlace::outside;
  if (cell.element >= 0) return ThreadPlace::wrote;
  return unwritten ? ThreadPlace::missing : ThreadPlace::idle;
}

/// Of a cell of the grid: its threads' worst, so that nothing wrong hides in a warp.
ThreadPlace place_of(const ThreadMap& map, const ThreadGrid& grid, std::uint32_t block, std::uint32_t cell) {
  if (grid.unit == ThreadGrid::Unit::thread) return place_of(map, block, cell);
  const std::uint32_t first = grid.unit == ThreadGrid::Unit::warp ? cell * 32 : 0;
  const std::uint32_t end = grid.unit == ThreadGrid::Unit::warp ? std::min(first + 32, map.threads) : map.threads;
  bool wrote = false, idle = false, missing = false;
  for (std::uint32_t thread = first; thread < end; ++thread) {
    switch (place_of(map, block, thread)) {
      case ThreadPlace::outside:
        return ThreadPlace::outside;
      case ThreadPlace::missing:
        missing = true;
        break;
      case ThreadPlace::wrote:
        wrote = true;
        break;
      case ThreadPlace::idle:
        idle = true;
        break;
      case ThreadPlace::nothing:
        break;
    }
  }
  return missing ? ThreadPlace::missing : wrote ? ThreadPlace::wrote : idle ? ThreadPlace::idle : ThreadPlace::nothing;
}

ImU32 block_colour(const ThreadMap& map, std::uint32_t block) {
  const float t = map.blocks > 1 ? static_cast<float>(block) / static_cast<float>(map.blocks - 1) : 0;
  return sample(block % 2 == 0 ? theme().ramp.blocks_even : theme().ramp.blocks_odd, t);
}

/// One line under the map: what is wrong at its left, which elements at its right.
struct Caption {
  std::string left, right;
  ImU32 colour = 0;
};

std::vector<Caption> captions(const ThreadMap& map) {
  IndexRun untouched, not_launched, idle_blocks, outside, outside_blocks;
  std::uint64_t idle = 0;
  for (std::uint64_t i = 0; i < map.elements && i < map.written.size(); ++i) {
    if (map.written[i] != 0) continue;
    untouched.add(static_cast<std::int64_t>(i));
    const auto block = static_cast<std::int64_t>(i / std::max(map.threads, 1u));
    IndexRun& blocks = block >= map.blocks ? not_launched : idle_blocks;
    if (blocks.count == 0 || blocks.last != block) blocks.add(block);
  }
  for (std::uint64_t i = 0; i < map.cells.size(); ++i) {
    const ThreadMap::Cell& cell = map.cells[i];
    if (!cell.outside && cell.element < 0) ++idle;
    if (!cell.outside) continue;
    outside.add(cell.element);
    const auto block = static_cast<std::int64_t>(i / std::max(map.threads, 1u));
    if (outside_blocks.count == 0 || outside_blocks.last != block) outside_blocks.add(block);
  }
  std::vector<Caption> lines;
  const ImU32 bad = theme().verdict.bad, quiet = theme().text.third;
  if (untouched.count > 0) {
    const std::string who = not_launched.count > 0 ? say_many(not_launched.count, "{blocks} was not launched",
                                                              "{blocks} were not launched", "blocks"_a = not_launched.blocks())
                                                   : say_many(untouched.count, "{blocks} left it out", "{blocks} left them out",
                                                              "blocks"_a = idle_blocks.blocks());
    lines.push_back(
        {who, say_many(untouched.count, "{elements} still holds 0", "{elements} still hold 0", "elements"_a = untouched.elements()),
         bad});
  }
  if (outside.count > 0) {
    lines.push_back(
        {say("{blocks} wrote past the array's end", "blocks"_a = outside_blocks.blocks()),
         say_many(outside.count, "{elements} does not exist", "{elements} do not exist", "elements"_a = outside.elements()), bad});
  }
  if (lines.empty()) {
    lines.push_back({say("every element was written"), "", quiet});
    if (idle > 0)
      lines.back().right = say_many(idle, "{n} thread had nothing to write", "{n} threads had nothing to write",
                                    "n"_a = grouped(static_cast<long long>(idle)));
  }
  return lines;
}

std::string reading_aid(const ThreadGrid& grid) {
  const Wording cell = grid.unit == ThreadGrid::Unit::thread ? say("a cell is a thread")
                       : grid.unit == ThreadGrid::Unit::warp ? say("a cell is a warp")
                                                             : say("a cell is a block");
  if (grid.blocks_a_line > 1) return say("a row is {n} blocks, {cell}", "n"_a = grid.blocks_a_line, "cell"_a = cell);
  if (grid.lines_a_block > 1) return say("a block is {n} rows, {cell}", "n"_a = grid.lines_a_block, "cell"_a = cell);
  return say("a row is a block, {cell}", "cell"_a = cell);
}

/// Headings over the columns: the warps of a block, or which of the row's blocks.
void draw_headings(const Sheet& sheet, const ThreadGrid& grid, ImVec2 at) {
  const ImU32 colour = theme().text.third;
  if (grid.blocks_a_line > 1) {  // "+3": the fourth block of a row that starts with the number at its left
    float free_from = at.x - 1;
    for (std::uint32_t k = 0; k < grid.blocks_a_line && k < grid.places; ++k) {
      const std::string name = fmt::format("+{}", k);
      const float x = at.x + grid.block_x(k), width = text_width(Face::digits, name);
      const bool round = grid.blocks_a_line <= 8 || k % (grid.blocks_a_line / 8) == 0;
      if (!round || x < free_from || x + width > sheet.right()) continue;
      text(sheet.draw, Face::digits, ImVec2(x, at.y), colour, name);
      free_from = x + width + px(8);
    }
    return;
  }
  const std::uint32_t warps = (grid.threads + 31) / 32, columns = (grid.cells_a_line + grid.group() - 1) / grid.group();
  for (std::uint32_t column = 0; column < columns; ++column) {
    if (grid.unit != ThreadGrid::Unit::thread) {
      text(sheet.draw, Face::caption, at, colour, say("warps 0 to {last}, left to right", "last"_a = warps - 1));
      return;
    }
    const float x0 = at.x + grid.cell(0, column * grid.group()).x0;
    const float next = static_cast<float>(grid.group()) * grid.pitch + grid.warp_gap - px(4);
    const float room = column + 1 == columns ? sheet.right() - x0 : next;
    std::vector<std::string> names;  // the longest that fits
    if (grid.lines_a_block == 1) {
      const std::uint32_t first = column * 32, last = std::min(first + 31, grid.threads - 1);
      if (last > first)
        names.push_back(say("warp {warp}, threads {first} to {last}", "warp"_a = column, "first"_a = first, "last"_a = last));
      if (last == first) names.push_back(say("warp {warp}, thread {first}", "warp"_a = column, "first"_a = first));
      names.push_back(say("warp {warp}", "warp"_a = column));
    } else {
      const std::uint32_t second = column + columns, last = column + (warps - 1 - column) / columns * columns;
      if (last > second)
        names.push_back(say("warps {warp}, {second} … {last}", "warp"_a = column, "second"_a = second, "last"_a = last));
      if (last == second) names.push_back(say("warps {warp} and {second}", "warp"_a = column, "second"_a = second));
      names.push_back(say("warp {warp}", "warp"_a = column));
    }
    names.push_back(fmt::format("{}", column));
    for (const std::string& name : names) {
      if (text_width(Face::caption, name) > room) continue;
      text(sheet.draw, Face::caption, ImVec2(x0, at.y), colour, name);
      break;
    }
  }
}

/// Cells that are wrong, joined into the boxes that are hatched.
struct Wrong {
  Box box;
  bool outside = false;
};

/// Outside cells are large enough to be drawn one by one.
bool outside_cells(const ThreadGrid& grid) { return grid.pitch >= px(4) && grid.line >= px(6); }

/// Draws the cells; returns what is wrong, merged along a line and then down the lines.
std::vector<Wrong> draw_cells(const Sheet& sheet, const ThreadMap& map, const ThreadGrid& grid, ImVec2 at) {
  const ImU32 idle = theme().background.line, line = theme().background.line_strong, bad = theme().verdict.bad;
  std::vector<Wrong> runs;
  for (std::uint32_t block = 0; block < grid.places; ++block) {
    const ImU32 colour = block_colour(map, block);
    for (std::uint32_t index = 0; index < grid.cells; ++index) {
      const ThreadPlace place = place_of(map, grid, block, index);
      if (place == ThreadPlace::nothing) continue;
      const Box cell = moved(grid.cell(block, index), at);
      if (place == ThreadPlace::wrote) sheet.draw->AddRectFilled(top_left(cell), bottom_right(cell), colour);
      if (place == ThreadPlace::idle) {
        sheet.draw->AddRectFilled(top_left(cell), bottom_right(cell), idle);
        if (cell.width() >= px(6) && cell.height() >= px(6)) {  // hollow where there is room for a hollow
          sheet.draw->AddRectFilled(top_left(cell), bottom_right(cell), theme().background.page);
          sheet.draw->AddRect(top_left(cell), bottom_right(cell), line);
        }
      }
      // Small cells and hatching make noise together: those are filled as a whole, when their box is known.
      if (place == ThreadPlace::outside && outside_cells(grid))
        sheet.draw->AddRectFilled(top_left(cell), bottom_right(cell), with_alpha(bad, 0.4f));
      if (place != ThreadPlace::missing && place != ThreadPlace::outside) continue;
      const bool outside = place == ThreadPlace::outside;
      if (!runs.empty()) {  // the same line and the same column of warps
        Box& last = runs.back().box;
        if (runs.back().outside == outside && last.y0 == cell.y0 && cell.x0 >= last.x1 && cell.x0 - last.x1 <= grid.gap + 1) {
          last.x1 = cell.x1;
          continue;
        }
      }
      runs.push_back({cell, outside});
    }
  }
  std::vector<Wrong> boxes;
  for (const Wrong& run : runs) {
    const auto above = std::find_if(boxes.rbegin(), boxes.rend(), [&](const Wrong& w) {
      return w.outside == run.outside && w.box.x0 == run.box.x0 && w.box.x1 == run.box.x1 && run.box.y0 >= w.box.y1 &&
             run.box.y0 - w.box.y1 <= std::max(grid.gap, 1.0f) + 0.5f;
    });
    if (above != boxes.rend()) {
      above->box.y1 = run.box.y1;
    } else {
      boxes.push_back(run);
    }
  }
  return boxes;
}

void draw_block_numbers(const Sheet& sheet, const ThreadGrid& grid, ImVec2 at, std::span<const std::uint32_t> marked) {
  const float x = at.x - px(8), half = line_height(Face::digits) / 2;
  const auto y_of = [&](std::uint32_t block) { return at.y + (static_cast<float>(grid.line_of(block, 0)) + 0.5f) * grid.line; };
  for (const std::uint32_t block : marked) {
    text(sheet.draw, Face::digits, ImVec2(x, y_of(block) - half), theme().verdict.bad, fmt::format("{}", block), Align::right);
  }
  // Every 1st, 2nd, 4th, 8th … row: the first step that leaves the numbers room.
  const float a_row = static_cast<float>(grid.lines_a_block) * grid.line;
  const std::uint32_t rows = grid.lines / grid.lines_a_block;
  std::uint32_t step = 1;
  while (static_cast<float>(step) * a_row < px(24) && step < rows) step *= 2;
  for (std::uint32_t row = 0; row < rows; row += step) {
    const std::uint32_t block = row * grid.blocks_a_line;
    const bool crowded = std::any_of(marked.begin(), marked.end(),
                                     [&](std::uint32_t other) { return std::abs(y_of(other) - y_of(block)) < px(14); });
    if (crowded || block >= grid.places) continue;
    text(sheet.draw, Face::digits, ImVec2(x, y_of(block) - half), theme().text.third, fmt::format("{}", block), Align::right);
  }
}

/// The card of the thread under the mouse, and its numbers for the editor.
void draw_card(const Sheet& sheet, const ThreadMap& map, const ThreadGrid& grid, ThreadGrid::Hit hit, const Box& item,
               const Box& row, std::span<const Box> avoid, ViewState& state) {
  const Theme& look = theme();
  const std::uint32_t thread = grid.unit == ThreadGrid::Unit::thread ? hit.cell
                               : grid.unit == ThreadGrid::Unit::warp ? hit.cell * 32
                                                                     : 0;
  const std::uint64_t i = std::uint64_t{hit.block} * map.threads + thread;
  const ThreadPlace place = place_of(map, hit.block, thread);
  const bool launched = hit.block < map.blocks && i < map.cells.size();
  const ThreadMap::Cell cell = launched ? map.cells[i] : ThreadMap::Cell{};

  std::string title = say("Thread {thread} of block {block}", "thread"_a = thread, "block"_a = hit.block),
              note = say("warp {warp}, lane {lane}", "warp"_a = thread / 32, "lane"_a = thread % 32);
  if (grid.unit == ThreadGrid::Unit::warp) {
    title = say("Warp {warp} of block {block}", "warp"_a = hit.cell, "block"_a = hit.block);
    note = say("threads {first} to {last}", "first"_a = thread, "last"_a = std::min(thread + 31, map.threads - 1));
  }
  std::string line;
  ImU32 line_colour = look.text.first;
  const bool warned = place == ThreadPlace::missing || place == ThreadPlace::outside;
  if (!launched) {
    line = say("block {block} was not launched: out[{i}] still holds 0", "block"_a = hit.block, "i"_a = i);
  } else if (place == ThreadPlace::outside) {
    line = say("out[{element}] lies outside: the array ends at {last}", "element"_a = cell.element,
               "last"_a = std::int64_t{map.elements} - 1);
  } else if (place == ThreadPlace::wrote) {
    line = fmt::format("out[{0}] = a[{0}] + b[{0}] = {1} + {2} = {3}", cell.element, cell.left, cell.right, cell.sum);
  } else if (i >= map.elements) {
    line = say("{i} ≥ {n}: past the array, nothing to write", "i"_a = i, "n"_a = map.elements);
  } else {
    line = say("wrote nothing: out[{i}] still holds 0", "i"_a = i);
  }
  if (warned) line_colour = look.verdict.bad;

  // The formula stands in columns: a name, its number below, the operators between.
  struct Term {
    std::string name, number;
    ImU32 colour;
  };
  const std::array<Term, 4> terms = {Term{"blockIdx.x", fmt::format("{}", hit.block), look.series.blue},
                                     Term{"blockDim.x", fmt::format("{}", map.threads), look.series.green},
                                     Term{"threadIdx.x", fmt::format("{}", thread), look.series.orange},
                                     Term{"i", fmt::format("{}", i), look.text.first}};
  constexpr std::array<const char*, 3> operators = {"×", "+", "="};
  const float pad = px(16), between = px(34);
  float formula = 3 * between;
  std::array<float, 4> widths{};
  for (std::size_t t = 0; t < terms.size(); ++t) {
    // Room for the largest number, so that the card keeps its size under a moving mouse.
    const float least = text_width(Face::prose_code, t == 3 ? "000000" : "0000");
    widths[t] = std::max({text_width(Face::digits, terms[t].name), text_width(Face::prose_code, terms[t].number), least});
    formula += widths[t];
  }
  const float line_width = text_width(Face::digits, line);
  const float head_width = text_width(Face::body_strong, title) + px(24) + text_width(Face::caption, note);
  const float width = std::ceil(std::max({formula, line_width, head_width, px(368)}) + 2 * pad);
  const float height = px(112);
  // The whole row is what the card speaks of; the item alone decides where it points.
  const Box around{item.x0, row.y0, item.x1, row.y1};
  std::vector<Box> keep_clear(avoid.begin(), avoid.end());
  keep_clear.push_back(row);
  const Box card = place_card(width, height, around, keep_clear, sheet.visible, px(16));

  ImDrawList* overlay = begin_card(sheet, card);
  const float middle = snap((item.x0 + item.x1) / 2);
  if (middle > card.x0 + px(8) && middle < card.x1 - px(8) && !overlap(card, row)) {  // a stem where the card is above or below
    const float from = card.y1 <= item.y0 ? card.y1 : item.y1, to = card.y1 <= item.y0 ? item.y0 : card.y0;
    if (std::abs(to - from) < px(40))
      overlay->AddRectFilled(ImVec2(middle - px(0.75f), from), ImVec2(middle + px(0.75f), to), look.text.first);
  }
  float x = card.x0 + pad;
  text(overlay, Face::body_strong, ImVec2(x, card.y0 + px(10)), look.text.first, title);
  text(overlay, Face::caption, ImVec2(card.x1 - pad, card.y0 + px(10) + baseline(Face::body_strong) - baseline(Face::caption)),
       look.text.third, note, Align::right);
  const float names = card.y0 + px(38), numbers = card.y0 + px(55);
  for (std::size_t t = 0; t < terms.size(); ++t) {
    const float centre = x + widths[t] / 2;
    text(overlay, Face::digits, ImVec2(centre, names), look.text.second, terms[t].name, Align::centre);
    for (const float bolder : {0.0f, px(0.4f)}) {
      overlay->AddText(font(Face::prose_code), font(Face::prose_code)->FontSize,
                       ImVec2(snap(centre - text_width(Face::prose_code, terms[t].number) / 2) + bolder, numbers), terms[t].colour,
                       terms[t].number.c_str());
    }
    x += widths[t];
    if (t < operators.size()) {
      text(overlay, Face::prose_code,
           ImVec2(x + between / 2, numbers - (line_height(Face::prose_code) - font(Face::prose_code)->FontSize) / 2),
           look.text.second, operators[t], Align::centre);
      x += between;
    }
  }
  text(overlay, Face::digits, ImVec2(card.x0 + pad, card.y0 + px(84)), line_colour, line);
  end_card(overlay);

  if (!launched) return;
  Hover hover;
  hover.block = hit.block;
  hover.thread = thread;
  hover.block_size = map.threads;
  hover.chips.push_back({"threadIdx.x;", fmt::format("{} × {} + {} = {}", hit.block, map.threads, thread, i)});
  hover.chips.push_back({"if (i >= n)", i >= map.elements ? say("{i} ≥ {n} is true", "i"_a = i, "n"_a = map.elements)
                                                          : say("{i} ≥ {n} is false", "i"_a = i, "n"_a = map.elements)});
  if (place == ThreadPlace::wrote)
    hover.chips.push_back({"out[i] =", fmt::format("{} + {} = {}", cell.left, cell.right, cell.sum)});
  if (place == ThreadPlace::outside)
    hover.chips.push_back({"out[i] =", say("out[{element}] is outside", "element"_a = cell.element)});
  state.hover = std::move(hover);
}

}  // namespace

void draw_thread_map(const ThreadMap& map, float width, ViewState& state) {
  const Sheet sheet = begin_view(width);
  const float gutter = px(40), heading = px(16), caption_line = px(16);
  const float scale = px(1);
  const float tallest = std::max(300 - state.shorter / scale, 120.0f);
  const ThreadGrid grid =
      arrange_threads({map.threads, map.blocks, map.elements, std::floor(sheet.width - gutter), scale, tallest});

  float y = title_row(sheet, say("Which thread wrote which element"), reading_aid(grid));
  const ImVec2 at(sheet.at.x + gutter, sheet.at.y + y + heading + px(2));
  draw_headings(sheet, grid, ImVec2(at.x, sheet.at.y + y));
  const std::vector<Wrong> wrong = draw_cells(sheet, map, grid, at);
  std::vector<Box> avoid;
  for (const Wrong& w : wrong) {
    const ImU32 bad = theme().verdict.bad;
    if (w.outside && !outside_cells(grid)) sheet.draw->AddRectFilled(top_left(w.box), bottom_right(w.box), with_alpha(bad, 0.3f));
    hatch(sheet.draw, top_left(w.box), bottom_right(w.box), w.outside ? with_alpha(bad, 0.9f) : bad, 6);
    sheet.draw->AddRect(top_left(w.box), bottom_right(w.box), bad);
    avoid.push_back(w.box);
  }
  std::vector<std::uint32_t> marked;  // block numbers in red: of each kind the first row that is wrong from its start
  const auto mark = [&](bool outside) {
    for (const Wrong& w : wrong) {
      if (w.outside != outside || w.box.x0 > at.x + 1) continue;
      const auto row = static_cast<std::uint32_t>((w.box.y0 - at.y) / grid.line);
      const std::uint32_t block = row / grid.lines_a_block * grid.blocks_a_line;
      if (marked.empty() || (block != marked.front() &&
                             std::abs(static_cast<float>(block) - static_cast<float>(marked.front())) * grid.line > px(14))) {
        marked.push_back(block);
      }
      return;
    }
  };
  mark(false);
  mark(true);
  draw_block_numbers(sheet, grid, at, marked);

  // The map ends where the array ends: its height depends on the launch alone, so nothing below it moves while numbers change.
  y += heading + px(2) + grid.height() + px(2);
  for (const Caption& caption : captions(map)) {
    const bool quiet = caption.colour == theme().text.third;
    const ImVec2 left(at.x, sheet.at.y + y);
    const float used = text(sheet.draw, quiet ? Face::caption : Face::label_strong, left, caption.colour, caption.left);
    if (!caption.right.empty()) {
      if (used + px(16) + text_width(Face::caption, caption.right) > sheet.right() - at.x) y += caption_line;
      text(sheet.draw, Face::caption, ImVec2(sheet.right(), sheet.at.y + y), caption.colour, caption.right, Align::right);
    }
    const Box line{at.x, left.y, sheet.right(), sheet.at.y + y + caption_line};
    if (!quiet) avoid.push_back(line);
    y += caption_line;
  }

  const Box area{at.x, at.y, at.x + grid.width(), at.y + grid.height()};
  if (mouse_over(area)) {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    if (const auto hit = grid.hit(mouse.x - at.x, mouse.y - at.y)) {
      if (place_of(map, grid, hit->block, hit->cell) != ThreadPlace::nothing || hit->block < map.blocks) {
        const Box item = moved(grid.cell(hit->block, hit->cell), at);
        const Box row{area.x0, item.y0, area.x1, item.y1};
        const ImU32 ink = theme().text.first, paper = theme().background.page;
        // A light line inside a dark one: the row shows on every colour.
        ring(sheet.draw, row, with_alpha(paper, 0.8f), 1, 2, 0);
        ring(sheet.draw, row, ink, 1.5f, 3, 2);
        sheet.draw->AddRectFilled(ImVec2(item.x0 - px(1), item.y0 - px(1)), ImVec2(item.x1 + px(1), item.y1 + px(1)), ink);
        ring(sheet.draw, item, paper, 1, 0, 1);
        draw_card(sheet, map, grid, *hit, item, row, avoid, state);
      }
    }
  }
  end_view(sheet, y, state.stale);
}

}  // namespace warpbook::app
