// MemoryMap: one request of a warp at a time. Global memory as lines of 128 bytes with the sectors that move, shared memory as 32
// banks; the lane's number stands in the element that it wants. The slider goes from request to request.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "app/text/numbers.h"
#include "app/ui/hit_area.h"
#include "app/views/parts.h"
#include "app/views/request_layout.h"
#include "app/views/views.h"
#include "gpu/message.h"

namespace warpbook::app {
namespace {

using gpu::AccessRecord;
using lessons::MemoryMap;

constexpr std::size_t request_rows_shown = 8;
constexpr float row_css = 24;

const MemoryMap::Array* array_of(const MemoryMap& map, const AccessRecord& record) {
  const auto found = std::find_if(map.arrays.begin(), map.arrays.end(),
                                  [&](const auto& array) { return array.buffer == (record.shared ? 0 : record.buffer); });
  return found == map.arrays.end() ? nullptr : &*found;
}

/// "in[12][8]", "word 40 of shared memory".
std::string element_name(const MemoryMap::Array& array, std::int64_t element) {
  if (array.shape.empty()) return say("word {element}", "element"_a = element);
  if (array.shape.size() == 2 && array.shape[1] > 0) {
    const auto row = static_cast<std::int64_t>(array.shape[1]);
    return fmt::format("{}[{}][{}]", array.name, element / row, element % row);
  }
  return fmt::format("{}[{}]", array.name, element);
}

std::string thread_name(const MemoryMap& map, std::uint32_t warp, std::uint32_t lane) {
  const std::uint32_t thread = warp * 32 + lane;
  if (map.block.y == 1 && map.block.z == 1) return say("thread {thread}", "thread"_a = thread);
  const std::uint32_t x = std::max(map.block.x, 1U), y = std::max(map.block.y, 1U);
  if (map.block.z == 1) return say("thread ({x},{y})", "x"_a = thread % x, "y"_a = thread / x);
  return say("thread ({x},{y},{z})", "x"_a = thread % x, "y"_a = thread / x % y, "z"_a = thread / x / y);
}

ImU32 colour_of(const AccessRecord& record) {
  return record.kind == AccessRecord::Kind::load ? theme().series.blue : theme().series.orange;
}

/// What the request does to its array.
std::string request_words(const AccessRecord& record, std::string_view name) {
  const int lanes = std::popcount(record.mask);
  const auto count = static_cast<std::uint64_t>(lanes);
  const auto block = "block"_a = record.block;
  const auto warp = "warp"_a = record.warp;
  const auto n = "n"_a = lanes;
  const auto array = "array"_a = name;
  switch (record.kind) {
    case AccessRecord::Kind::load:
      return say_many(count, "Block {block}, warp {warp}: {n} lane load from {array}",
                      "Block {block}, warp {warp}: {n} lanes load from {array}", block, warp, n, array);
    case AccessRecord::Kind::store:
      return say_many(count, "Block {block}, warp {warp}: {n} lane store to {array}",
                      "Block {block}, warp {warp}: {n} lanes store to {array}", block, warp, n, array);
    case AccessRecord::Kind::atomic:
      break;
  }
  return say_many(count, "Block {block}, warp {warp}: {n} lane change {array} atomically",
                  "Block {block}, warp {warp}: {n} lanes change {array} atomically", block, warp, n, array);
}

std::string_view verb_of(const AccessRecord& record) {
  switch (record.kind) {
    case AccessRecord::Kind::load:
      return say("load");
    case AccessRecord::Kind::store:
      return say("store");
    case AccessRecord::Kind::atomic:
      break;
  }
  return say("atomic");
}

/// Where the rows' cells stand.
struct Grid {
  Box box;
  std::size_t cells = 32;
  float row = 1;
  [[nodiscard]] Box cell(std::size_t line, std::size_t i) const {
    const float pitch = box.width() / static_cast<float>(cells);
    const float y = box.y0 + static_cast<float>(line) * row;
    return {snap(box.x0 + pitch * static_cast<float>(i)), y, snap(box.x0 + pitch * static_cast<float>(i + 1)) - px(1),
            y + row - px(4)};
  }
};

struct Element {
  std::int64_t index = 0;
  Box box;
};

/// "×18" in a cell that is narrower than three digits: in smaller ones, while they can still be read.
void smaller_text_inside(ImDrawList* draw, Face face, const Box& box, ImU32 colour, std::string_view words) {
  constexpr float least = 0.7f;
  const ImFont* const f = font(face);
  const float share = (box.width() - px(1)) / text_width(face, words), size = f->FontSize * share;
  if (share < least) return;
  const ImVec2 at(snap(box.x0 + px(0.5f)), snap((box.y0 + box.y1 - size) / 2));
  draw->AddText(f, size, at, colour, words.data(), words.data() + words.size());
}

void draw_element(ImDrawList* draw, const Box& box, std::uint32_t lanes, ImU32 colour) {
  const Theme& look = theme();
  draw->AddRectFilled(top_left(box), bottom_right(box),
                      mix(look.background.plot, colour, look.appearance == Appearance::dark ? 0.34f : 0.22f));
  draw->AddRectFilled(ImVec2(box.x0, box.y1 - snap(px(2))), bottom_right(box), colour);
  const int count = std::popcount(lanes);
  const std::string words = count == 1 ? fmt::format("{}", std::countr_zero(lanes)) : fmt::format("×{}", count);
  const Face face = count == 1 ? Face::digits : Face::digits_strong;
  const Box room{box.x0, box.y0, box.x1, box.y1 - px(1)};
  if (!text_inside(draw, face, room, look.text.first, words, 0)) smaller_text_inside(draw, face, room, look.text.first, words);
}

void row_label(const Sheet& sheet, float x1, const Box& row, const std::string& words) {
  const float room = x1 - sheet.at.x - px(8), wide = text_width(Face::digits, words);
  const float y = row.y0 + (row.height() - line_height(Face::digits)) / 2;
  if (wide <= room)
    text(sheet.draw, Face::digits, ImVec2(x1 - px(8), y), theme().text.third, words, Align::right);
  else
    text_clipped(sheet.draw, Face::digits, ImVec2(sheet.at.x, y), room, theme().text.third, words);
}

void more_rows(const Sheet& sheet, const Grid& grid, std::size_t left_out) {
  if (left_out == 0) return;
  text(sheet.draw, Face::caption, ImVec2(grid.box.x0, grid.box.y1 + px(2)), theme().text.second,
       say("… and {n} more lines of 128 bytes like these", "n"_a = left_out));
}

std::optional<Element> draw_global(const Sheet& sheet, const MemoryMap::Array& array, const AccessRecord& record,
                                   const GlobalTouch& touch, Grid grid) {
  const Theme& look = theme();
  ImDrawList* draw = sheet.draw;
  std::optional<Element> under;
  grid.cells = std::max<std::size_t>(128 / std::max(array.element_bytes, 1U), 1);
  const std::size_t a_sector = std::max<std::size_t>(grid.cells / 4, 1);
  for (std::size_t r = 0; r < touch.lines.size(); ++r) {
    const TouchedLine& line = touch.lines[r];
    row_label(sheet, grid.box.x0, grid.cell(r, 0), element_name(array, line.first));
    for (std::size_t i = 0; i < grid.cells; ++i) {
      const Box cell = grid.cell(r, i);
      const bool moves = (line.sectors >> (i / a_sector) & 1) != 0;
      if (line.lanes[i] != 0) {
        draw_element(draw, cell, line.lanes[i], colour_of(record));
      } else {
        draw->AddRectFilled(top_left(cell), bottom_right(cell), look.background.plot);
        if (moves) hatch_narrow(draw, cell, look.background.line_strong);
      }
      if (mouse_over({cell.x0, cell.y0, cell.x1 + px(1), cell.y1}))
        under = Element{line.first + static_cast<std::int64_t>(i), cell};
    }
    for (std::size_t s = 0; s < 4; ++s) {
      if ((line.sectors >> s & 1) == 0) continue;
      const Box a = grid.cell(r, s * a_sector), b = grid.cell(r, (s + 1) * a_sector - 1);
      draw->AddRect(ImVec2(a.x0 - px(1), a.y0 - px(1)), ImVec2(b.x1 + px(1), b.y1 + px(1)), look.text.third, px(2), 0, px(1));
    }
  }
  more_rows(sheet, grid, touch.lines_left_out);
  return under;
}

std::optional<Element> draw_banks(const Sheet& sheet, const AccessRecord& record, const BankTouch& touch, const Grid& grid,
                                  std::size_t most_rows) {
  const Theme& look = theme();
  ImDrawList* draw = sheet.draw;
  std::vector<std::int64_t> rows;  // words / 32, touched
  for (const auto& bank : touch.banks) {
    for (const BankTouch::Word& word : bank) rows.push_back(word.word / 32);
  }
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  const std::size_t shown = std::min(rows.size(), most_rows);
  std::optional<Element> under;
  for (std::size_t r = 0; r < shown; ++r) {
    row_label(sheet, grid.box.x0, grid.cell(r, 0), say("words {first}", "first"_a = rows[r] * 32));
    for (std::size_t bank = 0; bank < 32; ++bank) {
      const Box cell = grid.cell(r, bank);
      const std::int64_t word = rows[r] * 32 + static_cast<std::int64_t>(bank);
      const auto& here = touch.banks[bank];
      const auto found = std::find_if(here.begin(), here.end(), [&](const BankTouch::Word& w) { return w.word == word; });
      if (found != here.end()) {
        draw_element(draw, cell, found->lanes, colour_of(record));
      } else {
        draw->AddRectFilled(top_left(cell), bottom_right(cell), look.background.plot);
      }
      if (mouse_over({cell.x0, cell.y0, cell.x1 + px(1), cell.y1})) under = Element{word, cell};
    }
  }
  for (std::size_t bank = 0; bank < 32; ++bank) {
    const Box head = grid.cell(0, bank);
    const bool busiest = touch.passes > 1 && bank == touch.busiest;
    if (bank % 4 != 0 && !busiest) continue;
    const bool beside_busiest = touch.passes > 1 && !busiest && bank + 2 > touch.busiest && touch.busiest + 2 > bank;
    if (beside_busiest) continue;
    text(draw, busiest ? Face::digits_strong : Face::digits, ImVec2((head.x0 + head.x1) / 2, grid.box.y0 - px(18)),
         busiest ? look.finding[static_cast<std::size_t>(gpu::FindingKind::banks)] : look.text.third, fmt::format("{}", bank),
         Align::centre);
  }
  if (touch.passes > 1 && shown > 0) {
    const Box a = grid.cell(0, touch.busiest), b = grid.cell(shown - 1, touch.busiest);
    ring(draw, {a.x0, a.y0, b.x1, b.y1}, look.finding[static_cast<std::size_t>(gpu::FindingKind::banks)], 2, 3, 1);
  }
  text(draw, Face::caption, ImVec2(sheet.at.x, grid.box.y0 - px(18)), look.text.third, "bank");
  more_rows(sheet, grid, rows.size() - shown);
  return under;
}

/// A tick a request, loads blue, changes orange; the hand's marker stands on the one that is shown.
void slider(const Sheet& sheet, const MemoryMap& map, float y, std::size_t& chosen) {
  const Theme& look = theme();
  const auto& requests = *map.requests;
  const float side = px(32);
  const std::size_t last = requests.size() - 1;
  if (button("memory_map/previous", rect(sheet.at.x, y, side, side),
             {.icon = Icon::chevron_left, .enabled = chosen > 0, .hint = say("The request before")})) {
    --chosen;
  }
  if (button("memory_map/next", rect(sheet.right() - side, y, side, side),
             {.icon = Icon::chevron_right, .enabled = chosen < last, .hint = say("The next request")})) {
    ++chosen;
  }
  const Rect track = rect(sheet.at.x + side + px(8), y, sheet.width - 2 * side - px(16), side);
  const HitArea at = hit_area("memory_map/requests", track);
  const auto count = static_cast<float>(requests.size());
  if (at.held) {
    const float share = (ImGui::GetIO().MousePos.x - track.a.x) / track.width();
    chosen = static_cast<std::size_t>(std::clamp(share * count, 0.0f, count - 1));
  }
  if (const int steps = at.focused ? adjustment() : 0; steps != 0)
    chosen = static_cast<std::size_t>(std::clamp(static_cast<float>(chosen) + static_cast<float>(steps), 0.0f, count - 1));
  ImDrawList* draw = sheet.draw;
  draw->AddRectFilled(track.a, track.b, at.hovered ? look.background.hover : look.background.control, px(look.radius.control));
  const float pitch = track.width() / count, tick = std::clamp(pitch - px(2), 1.0f, px(10));
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const float middle = track.a.x + pitch * (static_cast<float>(i) + 0.5f), x = snap(middle - tick / 2);
    const float half = requests[i].shared ? px(4) : px(9), centre = track.centre().y;
    draw->AddRectFilled(ImVec2(x, centre - half), ImVec2(x + std::max(snap(tick), 1.0f), centre + half),
                        with_alpha(colour_of(requests[i]), i == chosen ? 1.0f : 0.55f), px(1));
    if (i == chosen) {
      ring(draw, {x, track.a.y + px(4), x + std::max(snap(tick), 1.0f), track.b.y - px(4)}, look.hand.line, 2, 3, 2);
    }
  }
  if (at.focused) focus_ring(track, look.hand.line, look.radius.control);
}

void element_card(const Sheet& sheet, const MemoryMap& map, const MemoryMap::Array& array, const Element& element) {
  const auto visits = visits_of(*map.requests, array.buffer, element.index, array.element_bytes);
  std::vector<Fact> facts;
  constexpr std::size_t most = 8;
  for (std::size_t i = 0; i < visits.size() && i < most; ++i) {
    const AccessRecord& record = (*map.requests)[visits[i].request];
    facts.push_back({say("block {block}, {thread}, line {line}", "block"_a = record.block,
                         "thread"_a = thread_name(map, record.warp, visits[i].lane), "line"_a = record.line),
                     say("{access} at cycle {cycle}", "access"_a = verb_of(record),
                         "cycle"_a = grouped(static_cast<long long>(record.reached)))});
  }
  if (visits.size() > most) facts.push_back({say("… and {n} more", "n"_a = visits.size() - most), ""});
  if (visits.empty()) facts.push_back({say("None of these requests touches it."), ""});
  fact_card(sheet, element.box, {}, element_name(array, element.index), visits.empty() ? "" : say("touched by"), facts);
}

/// What the request costs, as a sentence.
std::string cost_words(const AccessRecord& record, const GlobalTouch& global, const BankTouch& banks) {
  if (!record.shared) {
    const std::uint32_t moved = global.sectors * 32;
    int most = 0;  // lanes on one element
    for (const TouchedLine& line : global.lines) {
      for (const std::uint32_t lanes : line.lanes) most = std::max(most, std::popcount(lanes));
    }
    if (record.kind == AccessRecord::Kind::atomic && most > 1) {
      return say("{passes} passes: lanes that change the same element take turns, {sectors} sectors move", "passes"_a = most,
                 "sectors"_a = global.sectors);
    }
    return say_many(global.sectors, "{n} sector of 32 bytes moves: {asked} of {moved} bytes were asked for ({percent:.0f} %)",
                    "{n} sectors of 32 bytes move: {asked} of {moved} bytes were asked for ({percent:.0f} %)",
                    "n"_a = global.sectors, "asked"_a = global.asked_bytes, "moved"_a = moved,
                    "percent"_a = moved > 0 ? std::round(100.0 * global.asked_bytes / moved) : 0.0);
  }
  if (banks.passes <= 1) return say("One pass: no bank is asked for two different words");
  if (record.kind == AccessRecord::Kind::atomic)
    return say("{passes} passes: lanes that change the same word of bank {bank} take turns", "passes"_a = banks.passes,
               "bank"_a = banks.busiest);
  return say("{passes}-way conflict: bank {bank} has {passes} different words to serve, one after another",
             "passes"_a = banks.passes, "bank"_a = banks.busiest);
}

}  // namespace

void draw_memory_map(const MemoryMap& map, float width, ViewState& state) {
  if (!map.requests || map.requests->empty()) {
    return draw_empty_view(width, px(280), say("No request to show"), say("Run a kernel that reads or writes these arrays."));
  }
  const Sheet sheet = begin_view(width);
  const Theme& look = theme();
  // As many rows as the request with the most of them, so that nothing moves from one to the next.
  std::size_t rows = 1;
  for (const AccessRecord& one : *map.requests) {
    const MemoryMap::Array* of = array_of(map, one);
    rows = std::max(rows, rows_of(one, of != nullptr ? of->element_bytes : 4));
  }
  const auto fewer = static_cast<std::size_t>(std::ceil(state.shorter / px(row_css)));  // on a slide
  const std::size_t most_rows = request_rows_shown - std::min(fewer, request_rows_shown - 3);
  const bool left_out = rows > most_rows;
  const float grid_height = static_cast<float>(std::min(rows, most_rows)) * px(row_css);
  std::size_t chosen = std::min(state.memory.chosen.value_or(map.first), map.requests->size() - 1);
  const AccessRecord& record = (*map.requests)[chosen];
  const MemoryMap::Array* array = array_of(map, record);
  const GlobalTouch global =
      record.shared ? GlobalTouch{} : touch_of(record, array != nullptr ? array->element_bytes : 4, most_rows);
  const BankTouch banks = record.shared ? banks_of(record) : BankTouch{};

  const std::vector<Swatch> legend = {{Swatch::Shape::tint, look.series.blue, "load"},
                                      {Swatch::Shape::tint, look.series.orange, say("store, atomic")},
                                      {Swatch::Shape::hatched, look.background.line_strong, say("moved, not asked for")}};
  float y = sheet.at.y + title_row(sheet, say("What one request of a warp touches: each number is a lane"), legend);
  slider(sheet, map, y, chosen);
  y += px(32 + 8);

  const std::string_view name = record.shared      ? std::string_view(say("shared memory"))
                                : array != nullptr ? std::string_view(array->name)
                                                   : std::string_view(say("an array"));
  const std::string who = request_words(record, name);
  const std::string which = say("request {number} of {requests}, cycle {cycle} (model)", "number"_a = chosen + 1,
                                "requests"_a = map.requests->size(), "cycle"_a = grouped(static_cast<long long>(record.issued)));
  text(sheet.draw, Face::body_strong, ImVec2(sheet.at.x, y), look.text.first, who);
  const float note_y = y + baseline(Face::body_strong) - baseline(Face::caption);
  if (text_width(Face::body_strong, who) + px(16) + text_width(Face::caption, which) <= sheet.width)
    text(sheet.draw, Face::caption, ImVec2(sheet.right(), note_y), look.text.third, which, Align::right);
  y += line_height(Face::body_strong) + px(4);
  if (record.line > 0) {
    const float number =
        text(sheet.draw, Face::digits, ImVec2(sheet.at.x, y), look.text.third, say("line {line}", "line"_a = record.line));
    text_clipped(sheet.draw, Face::digits, ImVec2(sheet.at.x + number + px(12), y), sheet.width - number - px(12), look.text.second,
                 source_line(state.source, record.line));
  }
  y += line_height(Face::digits) + px(8);
  text(sheet.draw, Face::body, ImVec2(sheet.at.x, y), look.text.second, cost_words(record, global, banks));
  y += line_height(Face::body) + px(28);

  const float gutter = px(96);
  const Grid grid{.box = {snap(sheet.at.x + gutter), snap(y), sheet.right(), snap(y + grid_height)}, .row = snap(px(row_css))};
  std::optional<Element> under;
  if (record.shared)
    under = draw_banks(sheet, record, banks, grid, most_rows);
  else if (array != nullptr)
    under = draw_global(sheet, *array, record, global, grid);
  y += grid_height + px(left_out ? 20 : 0);
  if (under && array != nullptr) {
    ring(sheet.draw, under->box, look.text.first);
    element_card(sheet, map, *array, *under);
  }
  if (under) {
    state.hover = Hover{};
    state.hover->line = record.line;
  }
  if (chosen != state.memory.chosen.value_or(map.first)) state.memory.chosen = chosen;
  end_view(sheet, y - sheet.at.y, state.stale);
}

}  // namespace warpbook::app
