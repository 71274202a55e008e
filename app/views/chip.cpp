// The chip: a device drawn from its figures. At the left all multiprocessors over the memory that they share, at the right what
// one of them has. A part that is clicked tells its figures below, and who tells them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/text/numbers.h"
#include "app/ui/hit_area.h"
#include "app/ui/text_flow.h"
#include "app/views/device_words.h"
#include "app/views/parts.h"
#include "app/views/views.h"
#include "gpu/message.h"

namespace warpbook::app {
namespace {

using lessons::Chip;
using ChipPart = Chip::Part;

constexpr float chip_height_css = 214, chip_bar_css = 26, chip_gap_css = 8, chip_between_css = 24, chip_label_css = 104;
constexpr int chip_lanes = 32;  // cells of a row: as many as a warp has threads

ImU32 colour_of(ChipPart part) {
  const auto& c = theme().series;
  switch (part) {
    case ChipPart::multiprocessors:
      return c.stone;
    case ChipPart::float32_units:
      return c.blue;
    case ChipPart::float64_units:
      return c.violet;
    case ChipPart::warps:
      return c.pink;
    case ChipPart::registers:
      return c.orange;
    case ChipPart::shared:
      return c.green;
    case ChipPart::l2:
    case ChipPart::memory:
      return c.stone;
  }
  return c.stone;
}

std::string_view words_of(ChipPart part) {
  const std::array<Wording, Chip::parts> words{say("Multiprocessors"),   say("Cores: units for float32"),
                                               say("Units for float64"), say("Places for warps"),
                                               say("Registers"),         say("Shared memory"),
                                               say("L2 cache"),          say("Global memory")};
  return words[static_cast<std::size_t>(part)];
}

const Chip::Fact* first_fact(const Chip& chip, ChipPart part) {
  const auto found = std::find_if(chip.facts.begin(), chip.facts.end(), [&](const auto& fact) { return fact.part == part; });
  return found == chip.facts.end() ? nullptr : &*found;
}

std::string fact_words(const Chip::Fact& fact) { return device_figure(fact.value, fact.unit, fact.decimals); }

bool is_store(ChipPart part) {
  return part == ChipPart::registers || part == ChipPart::shared || part == ChipPart::l2 || part == ChipPart::memory;
}

/// Whether it was clicked; a ring where it is the one that tells its figures.
bool touch_part(const Sheet& sheet, ChipPart part, const Box& box, ChipPart chosen, const ViewState& state) {
  const Theme& look = theme();
  if (part == chosen) ring(sheet.draw, box, look.hand.line, 2, 3, 2);
  if (state.printed) return false;
  const Rect area{top_left(box), bottom_right(box)};
  const HitArea at = hit_area("chip/" + std::string(name_of(part)), area);
  if (at.hovered && part != chosen) ring(sheet.draw, box, look.text.second, 1.5F, 3, 2);
  if (at.focused) focus_ring(area, look.hand.line, look.radius.control);
  if (!is_store(part)) hint(at, words_of(part));  // a store has its name on it
  return at.clicked;
}

/// `count` cells in rows of 32, the first `solid` of them in full colour, in `box`.
void draw_units(const Sheet& sheet, const Box& box, int count, int solid, ImU32 colour) {
  if (count <= 0) {
    hatch(sheet.draw, top_left(box), bottom_right(box), theme().background.line_strong);
    return;
  }
  const int lines = (count + chip_lanes - 1) / chip_lanes;
  const float pitch = box.width() / chip_lanes, line = box.height() / static_cast<float>(lines);
  for (int i = 0; i < count; ++i) {
    const float x = box.x0 + pitch * static_cast<float>(i % chip_lanes), y = box.y0 + line * static_cast<float>(i / chip_lanes);
    const Box cell{snap(x), snap(y), snap(x + pitch) - px(1), snap(y + line) - px(1)};
    sheet.draw->AddRectFilled(top_left(cell), bottom_right(cell), i < solid ? colour : tint(colour));
  }
}

/// A bar with its name and its figure.
void draw_store(const Sheet& sheet, const Chip& chip, ChipPart part, const Box& box) {
  const Theme& look = theme();
  const ImU32 colour = colour_of(part);
  sheet.draw->AddRectFilled(top_left(box), bottom_right(box), tint(colour), px(look.radius.bar));
  const Chip::Fact* const fact = first_fact(chip, part);
  const std::string name = std::string(words_of(part));
  const std::string value = fact ? device_figure(fact->value, fact->unit, fact->decimals, false) : std::string(say("not known"));
  if (!text_inside(sheet.draw, Face::label, box, look.text.first, say("{name}: {value}", "name"_a = name, "value"_a = value)))
    (void)text_inside(sheet.draw, Face::label, box, look.text.first, value);
}

struct ChipBoxes {
  std::array<Box, Chip::parts> of{};
  Box& operator[](ChipPart part) { return of[static_cast<std::size_t>(part)]; }
  const Box& operator[](ChipPart part) const { return of[static_cast<std::size_t>(part)]; }
  Box chip, one;  // the whole, and the multiprocessor at the right
};

/// Rows of cells of the multiprocessor at the right share what the bars leave, by their number of rows.
ChipBoxes chip_boxes(const Chip& chip, const Box& box) {
  const float gap = px(chip_gap_css), bar = px(chip_bar_css), half = snap((box.width() - px(chip_between_css)) * 0.44F);
  ChipBoxes boxes;
  boxes.chip = {box.x0, box.y0, box.x0 + half, box.y1};
  boxes.one = {box.x0 + half + px(chip_between_css), box.y0, box.x1, box.y1};
  const Box in{boxes.chip.x0 + gap, boxes.chip.y0 + gap, boxes.chip.x1 - gap, boxes.chip.y1 - gap};
  boxes[ChipPart::memory] = {in.x0, snap(in.y1 - bar), in.x1, in.y1};
  boxes[ChipPart::l2] = {in.x0, snap(in.y1 - 2 * bar - gap), in.x1, snap(in.y1 - bar - gap)};
  boxes[ChipPart::multiprocessors] = {in.x0, in.y0, in.x1, snap(in.y1 - 2 * bar - 2 * gap)};
  const Box one{boxes.one.x0 + gap + px(chip_label_css), boxes.one.y0 + gap, boxes.one.x1 - gap, boxes.one.y1 - gap};
  boxes[ChipPart::shared] = {boxes.one.x0 + gap, snap(one.y1 - bar), one.x1, one.y1};
  boxes[ChipPart::registers] = {boxes.one.x0 + gap, snap(one.y1 - 2 * bar - gap), one.x1, snap(one.y1 - bar - gap)};
  const float bottom = one.y1 - 2 * bar - 3 * gap;
  const auto lines = [](int count) { return static_cast<float>(std::max((count + chip_lanes - 1) / chip_lanes, 1)); };
  const float all = lines(chip.float32_units) + lines(chip.float64_units) + lines(chip.warps);
  const float line = (bottom - one.y0 - 2 * gap) / all;
  float y = one.y0;
  for (const auto& [part, count] :
       {std::pair{ChipPart::float32_units, chip.float32_units}, std::pair{ChipPart::float64_units, chip.float64_units},
        std::pair{ChipPart::warps, chip.warps}}) {
    const float high = line * lines(count);
    boxes[part] = {one.x0, snap(y), one.x1, snap(y + high)};
    y += high + gap;
  }
  return boxes;
}

/// Columns for `count` boxes that fill `box`: the boxes are nearly square, and the last row has few gaps.
int best_columns(const Box& box, int count) {
  int best = 1;
  float least = 0;
  for (int columns = 1; columns <= count; ++columns) {
    const int lines = (count + columns - 1) / columns;
    const float wide = box.width() / static_cast<float>(columns), high = box.height() / static_cast<float>(lines);
    const float gaps = static_cast<float>(lines * columns - count) / static_cast<float>(count);
    const float bad = std::abs(std::log(wide / high)) + 2 * gaps;
    if (columns == 1 || bad < least) least = bad, best = columns;
  }
  return best;
}

void draw_multiprocessors(const Sheet& sheet, const Box& box, int count) {
  if (count <= 0) return;
  const int columns = best_columns(box, count), lines = (count + columns - 1) / columns;
  const float wide = box.width() / static_cast<float>(columns), high = box.height() / static_cast<float>(lines);
  const float gap = std::max(snap(std::min(wide, high) * 0.12F), px(1));
  for (int i = 0; i < count; ++i) {
    const float x = box.x0 + wide * static_cast<float>(i % columns), y = box.y0 + high * static_cast<float>(i / columns);
    const bool at_right = i % columns == columns - 1, at_bottom = i / columns == lines - 1;
    const Box one{snap(x), snap(y), snap(x + wide) - (at_right ? 0 : gap), snap(y + high) - (at_bottom ? 0 : gap)};
    sheet.draw->AddRectFilled(top_left(one), bottom_right(one), tint(theme().series.blue), px(theme().radius.bar));
    sheet.draw->AddRect(top_left(one), bottom_right(one), theme().series.blue, px(theme().radius.bar), 0, px(1));
  }
}

/// "64 cores", at the left of their cells.
void cells_label(const Sheet& sheet, const Box& row, std::string_view words, const std::string& count) {
  const float x = row.x0 - px(chip_label_css), y = (row.y0 + row.y1) / 2 - line_height(Face::label) / 2;
  text_clipped(sheet.draw, Face::label, {x, y}, px(chip_label_css) - px(8), theme().text.second, count + " " + std::string(words));
}

std::string_view who_tells(const Chip::Fact& fact) {
  if (!fact.attribute.empty()) return fact.attribute;
  return fact.follows ? say("follows from others") : say("no call tells it");
}

/// The figures of a part, with who tells them, and with or without what they mean. Returns the height; without `draw` it only
/// measures.
float part_facts(const Sheet& sheet, ImDrawList* draw, const Chip& chip, ChipPart part, float top, bool sentences) {
  const Theme& look = theme();
  TextFlowStyle style = note_style();
  style.plain = style.strong = Face::caption;
  style.colour = look.text.third;
  style.line = line_height(Face::caption);
  if (draw != nullptr) text(draw, Face::body_strong, {sheet.at.x, top}, look.text.first, words_of(part));
  float y = top + line_height(Face::body_strong) + px(6);
  const float value_right = sheet.at.x + sheet.width * 0.52F, x = value_right + px(20);
  for (const Chip::Fact& fact : chip.facts) {
    if (fact.part != part) continue;
    if (draw != nullptr) {
      text_clipped(draw, Face::label, {sheet.at.x, y}, sheet.width * 0.36F, look.text.second, fact.name);
      text(draw, Face::digits_strong, {value_right, y}, look.text.first, fact_words(fact), Align::right);
      const bool untold = fact.attribute.empty() && !fact.follows;
      text_clipped(draw, fact.attribute.empty() ? Face::label : Face::label_code, {x, y}, sheet.right() - x,
                   untold ? look.text.first : look.text.second, who_tells(fact));
    }
    y += px(20);
    if (!sentences) continue;
    const std::string said = fact.source.empty() ? fact.meaning : fact.source + " " + fact.meaning;
    y += draw_text_flow(draw, inline_code(said), {sheet.at.x, y}, sheet.width, style) + px(10);
  }
  return y - top;
}

/// Room for the part that says the most, so that nothing below moves when another part is clicked.
float facts_height(const Sheet& sheet, const Chip& chip, bool sentences) {
  float most = 0;
  for (std::size_t i = 0; i < Chip::parts; ++i)
    most = std::max(most, part_facts(sheet, nullptr, chip, static_cast<ChipPart>(i), 0, sentences));
  return most;
}

void draw_chip_parts(const Sheet& sheet, const Chip& chip, const ChipBoxes& boxes) {
  const Theme& look = theme();
  for (const Box& frame : {boxes.chip, boxes.one}) {
    sheet.draw->AddRectFilled(top_left(frame), bottom_right(frame), look.background.plot, px(look.radius.box));
    sheet.draw->AddRect(top_left(frame), bottom_right(frame), look.background.line_strong, px(look.radius.box), 0, px(1));
  }
  draw_multiprocessors(sheet, boxes[ChipPart::multiprocessors], chip.multiprocessors);
  for (const ChipPart store : {ChipPart::l2, ChipPart::memory, ChipPart::registers, ChipPart::shared})
    draw_store(sheet, chip, store, boxes[store]);
  const int busy = static_cast<int>(std::lround(chip.measured));
  draw_units(sheet, boxes[ChipPart::float32_units], chip.float32_units, chip.measured_float64 ? 0 : busy, look.series.blue);
  draw_units(sheet, boxes[ChipPart::float64_units], chip.float64_units, chip.measured_float64 ? busy : 0, look.series.violet);
  draw_units(sheet, boxes[ChipPart::warps], chip.warps, 0, look.series.pink);
  const auto count = [](int value) { return value > 0 ? grouped(value) : std::string(say("not known")); };
  cells_label(sheet, boxes[ChipPart::float32_units], "cores", count(chip.float32_units));
  cells_label(sheet, boxes[ChipPart::float64_units], say("for float64"), count(chip.float64_units));
  cells_label(sheet, boxes[ChipPart::warps], "warps", count(chip.warps));
}

}  // namespace

void draw_chip(const Chip& chip, float width, ViewState& state) {
  const Sheet sheet = begin_view(width);
  const Theme& look = theme();
  float y = title_row(sheet, chip.title, state.printed ? "" : say("click a part"));
  const ImU32 used = chip.measured_float64 ? look.series.violet : look.series.blue;
  const std::vector<Swatch> legend{{Swatch::Shape::solid, used,
                                    chip.model ? say("finished a multiply-add in a cycle, on average (model)")
                                               : say("finished a multiply-add in a cycle, on average")},
                                   {Swatch::Shape::solid, tint(used), say("did not")}};
  if (chip.measured > 0) y += legend_rows(sheet, sheet.at.y + y, legend);
  // Where a slide is too low, the sentences are left out first, and the picture is lower only if that is not enough.
  const bool sentences = state.shorter <= 0;
  const float saved = sentences ? 0 : facts_height(sheet, chip, true) - facts_height(sheet, chip, false);
  const float height = std::max(px(chip_height_css) - std::max(state.shorter - saved, 0.0F), px(150)),
              caption = line_height(Face::caption);
  const Box box{sheet.at.x, snap(sheet.at.y + y + caption + px(2)), sheet.right(), snap(sheet.at.y + y + caption + px(2) + height)};
  const ChipBoxes boxes = chip_boxes(chip, box);
  text_clipped(sheet.draw, Face::caption, {boxes.chip.x0, sheet.at.y + y}, boxes.chip.width(), look.text.third, say("the device"));
  text_clipped(sheet.draw, Face::caption, {boxes.one.x0, sheet.at.y + y}, boxes.one.width(), look.text.third,
               say("one of its multiprocessors"));
  draw_chip_parts(sheet, chip, boxes);
  ViewMemory& memory = state.memory;
  const ChipPart first = chip.measured_float64 ? ChipPart::float64_units : ChipPart::float32_units;
  const auto chosen = static_cast<ChipPart>(std::min(memory.chosen.value_or(static_cast<std::size_t>(first)), Chip::parts - 1));
  for (std::size_t i = 0; i < Chip::parts; ++i) {
    if (touch_part(sheet, static_cast<ChipPart>(i), boxes.of[i], chosen, state)) memory.chosen = i;
  }
  const float below = box.y1 + px(14);
  static_cast<void>(part_facts(sheet, sheet.draw, chip, chosen, below, sentences));
  end_view(sheet, below + facts_height(sheet, chip, sentences) - sheet.at.y, state.stale);
}

}  // namespace warpbook::app
