// LaneTimeline: the 32 lanes of a warp as columns, its instructions from top to bottom; a lane that does not take part is left
// empty. Two warps side by side have the same scale, so that the shorter one can be seen to be shorter.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "app/text/numbers.h"
#include "app/views/lane_layout.h"
#include "app/views/parts.h"
#include "app/views/views.h"
#include "gpu/message.h"

namespace warpbook::app {
namespace {

using lessons::LaneTimeline;

constexpr float height_css = 330, least_height_css = 170, lane_gutter_css = 44, between_css = 24, label_css = 15;

/// Where a warp is drawn.
struct Place {
  Box lanes;           // 32 columns of whole pixels
  float labels_x = 0;  // to `right`
  float right = 0;
  [[nodiscard]] Box cell(std::uint32_t lane, const StretchRow& row) const {
    const float pitch = lanes.width() / 32;
    return {lanes.x0 + pitch * static_cast<float>(lane), lanes.y0 + row.y0, lanes.x0 + pitch * static_cast<float>(lane + 1),
            lanes.y0 + row.y1};
  }
};

std::string line_words(const LaneTimeline::Stretch& stretch) {
  if (stretch.line == 0) return "";
  if (stretch.first_line == stretch.last_line) return fmt::format("{}", stretch.line);
  return fmt::format("{}–{}", stretch.first_line, stretch.last_line);
}

void draw_stretch(ImDrawList* draw, const Place& place, const StretchRow& row, std::uint32_t mask) {
  const Theme& look = theme();
  const float pitch = place.lanes.width() / 32;
  const float gap = pitch >= px(4) ? std::max(std::floor(px(1)), 1.0f) : 0, below = row.y1 - row.y0 >= px(4) ? gap : 0;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    if ((mask >> lane & 1) == 0) continue;
    const Box cell = place.cell(lane, row);
    draw->AddRectFilled(top_left(cell), ImVec2(cell.x1 - gap, cell.y1 - below), look.series.blue);
  }
}

void draw_label(const Sheet& sheet, const Place& place, const StretchRow& row, const LaneTimeline::Stretch& stretch,
                std::string_view source) {
  if (row.label < 0 || stretch.line == 0) return;
  const Theme& look = theme();
  const float y = place.lanes.y0 + row.label;
  const float number = text(sheet.draw, Face::digits, ImVec2(place.labels_x, y), look.text.third, line_words(stretch));
  const float x = place.labels_x + number + px(8);
  text_clipped(sheet.draw, Face::digits, ImVec2(x, y), place.right - x, look.text.second, source_line(source, stretch.line));
}

void stretch_card(const Sheet& sheet, const LaneTimeline::Warp& warp, std::size_t which, const Box& item, std::string_view source) {
  std::uint64_t first = 1;
  for (std::size_t i = 0; i < which; ++i) first += warp.stretches[i].instructions;
  const auto& stretch = warp.stretches[which];
  const std::uint64_t last = first + stretch.instructions - 1;
  const auto count = [](std::uint64_t n) { return grouped(static_cast<long long>(n)); };
  std::vector<Fact> facts = {
      {first == last ? say("instruction") : say("instructions"),
       first == last ? count(first) : say("{first} to {last}", "first"_a = count(first), "last"_a = count(last))},
      {say("lanes that execute"), fmt::format("{}: {}", std::popcount(stretch.mask), lane_words(stretch.mask))}};
  if (stretch.mask != ~0u)
    facts.push_back({say("lanes that do not"), fmt::format("{}: {}", 32 - std::popcount(stretch.mask), lane_words(~stretch.mask))});
  if (stretch.line > 0) {
    const bool one = stretch.first_line == stretch.last_line;
    facts.push_back({one ? say("line {line}", "line"_a = stretch.line) : say("most in line {line}", "line"_a = stretch.line),
                     source_line(source, stretch.line)});
  }
  fact_card(sheet, item, {}, say("Block {block}, warp {warp}", "block"_a = warp.block, "warp"_a = warp.warp), "", facts);
}

void draw_head(const Sheet& sheet, const Place& place, const LaneTimeline::Warp& warp, float y) {
  const Theme& look = theme();
  const float name = text(sheet.draw, Face::label_strong, ImVec2(place.lanes.x0, y), look.text.first,
                          say("Block {block}, warp {warp}", "block"_a = warp.block, "warp"_a = warp.warp));
  const double lanes =
      static_cast<double>(warp.lane_instructions) / static_cast<double>(std::max<std::uint64_t>(warp.instructions, 1));
  const std::string count = say("{n} instructions", "n"_a = grouped(static_cast<long long>(warp.instructions)));
  const float x = place.lanes.x0 + name + px(12), caption = y + baseline(Face::label_strong) - baseline(Face::caption);
  for (const std::string& words :
       {say("{instructions}, {lanes:.1f} of 32 lanes", "instructions"_a = count, "lanes"_a = lanes), count}) {
    if (text_width(Face::caption, words) > place.right - x) continue;
    text(sheet.draw, Face::caption, ImVec2(x, caption), look.text.second, words);
    return;
  }
}

/// Returns the stretch under the mouse.
std::optional<std::size_t> draw_warp(const Sheet& sheet, const Place& place, const LaneTimeline::Warp& warp,
                                     const std::vector<StretchRow>& rows, std::string_view source) {
  const Theme& look = theme();
  for (const std::uint32_t lane : {0u, 8u, 16u, 24u, 31u}) {
    const Box cell = place.cell(lane, {});
    text(sheet.draw, Face::caption, ImVec2((cell.x0 + cell.x1) / 2, place.lanes.y0 - px(16)), look.text.third,
         fmt::format("{}", lane), Align::centre);
  }
  if (rows.empty()) return {};
  sheet.draw->AddRectFilled(top_left(place.lanes), ImVec2(place.lanes.x1, place.lanes.y0 + rows.back().y1), look.background.plot);
  const float away = px(1);
  sheet.draw->AddRect(ImVec2(place.lanes.x0 - 2 * away, place.lanes.y0 - 2 * away),
                      ImVec2(place.lanes.x1 + away, place.lanes.y0 + rows.back().y1 + away), look.background.line, 0, 0, px(1));
  std::optional<std::size_t> under;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    draw_stretch(sheet.draw, place, rows[i], warp.stretches[i].mask);
    draw_label(sheet, place, rows[i], warp.stretches[i], source);
    if (mouse_over({place.lanes.x0, place.lanes.y0 + rows[i].y0, place.right, place.lanes.y0 + rows[i].y1})) under = i;
  }
  return under;
}

void draw_axis(const Sheet& sheet, const Box& lanes, std::uint64_t instructions) {
  const Theme& look = theme();
  text(sheet.draw, Face::caption, ImVec2(sheet.at.x, lanes.y0 - px(16)), look.text.third, "lane");
  for (const double tick : axis_ticks(0, static_cast<double>(instructions), 7)) {
    const float y =
        snap(lanes.y0 + static_cast<float>(tick / static_cast<double>(std::max<std::uint64_t>(instructions, 1))) * lanes.height());
    hairline(sheet.draw, ImVec2(lanes.x0 - px(6), y), ImVec2(lanes.x0 - px(2), y), look.background.line_strong);
    text(sheet.draw, Face::digits, ImVec2(lanes.x0 - px(8), y - line_height(Face::digits) / 2), look.text.third,
         grouped(static_cast<long long>(tick)), Align::right);
  }
}

}  // namespace

void draw_lane_timeline(const LaneTimeline& timeline, float width, ViewState& state) {
  if (timeline.warps.empty())
    return draw_empty_view(width, px(height_css), say("No warp to show"), say("Only the virtual GPU records what each lane does."));
  const Sheet sheet = begin_view(width);
  const Theme& look = theme();
  const std::array legend = {Swatch{Swatch::Shape::solid, look.series.blue, say("executes the instruction")},
                             Swatch{Swatch::Shape::outline, look.text.third, say("does not")}};
  const std::string title = timeline.warps.size() == 1 ? say("The lanes of one of {launched} warps, instruction by instruction",
                                                             "launched"_a = timeline.launched)
                                                       : say("The lanes of {warps} of {launched} warps, instruction by instruction",
                                                             "warps"_a = timeline.warps.size(), "launched"_a = timeline.launched);
  float y = sheet.at.y + title_row(sheet, title, legend);
  const float height = snap(std::max(px(height_css) - state.shorter, px(least_height_css)));
  std::uint64_t instructions = 1;
  for (const auto& warp : timeline.warps) instructions = std::max(instructions, warp.instructions);
  const float top = snap(y + line_height(Face::label_strong) + px(4 + 18));
  const float left = sheet.at.x + px(lane_gutter_css), each = (sheet.right() - left - px(between_css)) / 2;
  const float pitch = std::clamp(std::floor(each * 0.5f / 32), 3.0f, std::floor(px(10)));
  const StretchRoom room{.instructions = instructions, .height = height, .label = px(label_css)};
  for (std::size_t w = 0; w < timeline.warps.size() && w < 2; ++w) {
    const auto& warp = timeline.warps[w];
    const float x = snap(left + static_cast<float>(w) * (each + px(between_css)));
    const Place place{.lanes = {x, top, x + 32 * pitch, top + height}, .labels_x = x + 32 * pitch + px(8), .right = snap(x + each)};
    draw_head(sheet, place, warp, y);
    if (w == 0) draw_axis(sheet, place.lanes, instructions);
    const auto rows = stretch_rows(warp, room);
    const auto under = draw_warp(sheet, place, warp, rows, state.source);
    if (!under) continue;
    const Box item{place.lanes.x0, place.lanes.y0 + rows[*under].y0, place.lanes.x1, place.lanes.y0 + rows[*under].y1};
    ring(sheet.draw, item, look.text.first);
    stretch_card(sheet, warp, *under, item, state.source);
    state.hover = Hover{};
    state.hover->line = warp.stretches[*under].line;
  }
  end_view(sheet, top + height - sheet.at.y, state.stale);
}

}  // namespace warpbook::app
