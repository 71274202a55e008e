#include "app/panels/thread_strip.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "app/ui/widgets.h"
#include "app/views/parts.h"
#include "gpu/message.h"

namespace warpbook::app {
namespace {

constexpr float warp_row_css = 18, tallest_css = 112,
                widest_cell_css = 26;  // of a block by its shape: as high as a row of views allows
constexpr ToSay columns_words = to_say("threadIdx.x grows to the right,"), rows_words = to_say("threadIdx.y grows downwards.");

/// Of how many rows (columns) one has its number: 1, 2, 4 …, so that there is `least` between two.
std::uint32_t numbered(float pitch, float least) {
  std::uint32_t each = 1;
  while (pitch * static_cast<float>(each) < least) each *= 2;
  return each;
}

}  // namespace

ThreadStrip::ThreadStrip(std::uint32_t count, ImVec2 at, float width, std::uint32_t block_x)
    : threads(count), shaped(block_x > 0 && block_x < count), x(at.x), y(at.y + px(heading_css)) {
  const std::uint32_t warps = (threads + 31) / 32;
  columns = shaped ? block_x : 32 * ((warps + 3) / 4);
  rows = (threads + columns - 1) / columns;
  row = shaped ? std::clamp(std::floor(px(tallest_css) / static_cast<float>(rows)), px(3), px(warp_row_css)) : px(warp_row_css);
  if (shaped) {
    const float numbers = text_width(Face::digits, std::to_string(rows - 1)) + px(8);
    x += numbers;
    width -= numbers + px(16) + text_width(Face::caption, say(columns_words));
  }
  pitch = std::max(std::floor(width / static_cast<float>(columns) * 4) / 4, 0.25f);
  if (shaped) pitch = std::min(pitch, px(widest_cell_css));
}

Box ThreadStrip::cell(std::uint32_t thread) const {
  const auto column = static_cast<float>(thread % columns), line = static_cast<float>(thread / columns);
  const float gap = pitch >= px(6) ? px(2) : pitch >= px(3) ? px(1) : 0;
  const float left = snap(x + column * pitch);
  const float top = snap(y + line * row), between = row >= px(14) ? px(4) : row >= px(5) ? px(2) : 0;
  return {left, top, std::max(snap(x + (column + 1) * pitch) - gap, left + 1),
          std::max(snap(y + (line + 1) * row) - between, top + 1)};
}

std::optional<std::uint32_t> ThreadStrip::at(ImVec2 mouse) const {
  const float column = (mouse.x - x) / pitch, line = (mouse.y - y) / row;
  if (column < 0 || line < 0 || column >= static_cast<float>(columns) || line >= static_cast<float>(rows)) return std::nullopt;
  const std::uint32_t thread = static_cast<std::uint32_t>(line) * columns + static_cast<std::uint32_t>(column);
  return thread < threads ? std::optional(thread) : std::nullopt;
}

std::uint32_t ThreadStrip::near(ImVec2 mouse) const {
  const float line = std::clamp(std::floor((mouse.y - y) / row), 0.0f, static_cast<float>(rows - 1));
  const float column = std::clamp(std::floor((mouse.x - x) / pitch), 0.0f, static_cast<float>(columns - 1));
  return std::min(static_cast<std::uint32_t>(line) * columns + static_cast<std::uint32_t>(column), threads - 1);
}

void draw_strip(const ThreadStrip& strip, const std::set<std::uint32_t>& marks, const std::set<std::uint32_t>* found) {
  const Theme& t = theme();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  if (strip.shaped) {
    const float beside = strip.cell(strip.columns - 1).x1 + px(16);
    text(draw, Face::caption, {beside, strip.y}, t.text.third, say(columns_words));
    text(draw, Face::caption, {beside, strip.y + line_height(Face::caption)}, t.text.third, say(rows_words));
  } else if (strip.rows > 1) {
    const std::string row =
        strip.columns == 32 ? say("a row is a warp") : say("a row is {columns} warps", "columns"_a = strip.columns / 32);
    text(draw, Face::caption, {strip.cell(strip.columns - 1).x1, strip.y - px(ThreadStrip::heading_css)}, t.text.third, row,
         Align::right);
  }
  const float widest = text_width(Face::digits, std::to_string(strip.columns - 1));
  const std::uint32_t each = strip.shaped ? numbered(strip.pitch, widest + px(6)) : std::max(strip.columns / 4, 1u);
  for (std::uint32_t lane = 0; lane < strip.columns; lane += each) {
    const Box first = strip.cell(lane);
    const float middle = (first.x0 + first.x1) / 2;
    text(draw, Face::digits, {strip.shaped ? middle : first.x0, strip.y - px(ThreadStrip::heading_css)}, t.text.third,
         std::to_string(lane), strip.shaped ? Align::centre : Align::left);
  }
  const std::uint32_t each_row = numbered(strip.row, px(14));
  for (std::uint32_t line = 0; strip.shaped && line < strip.rows; line += each_row) {
    const Box first = strip.cell(line * strip.columns);
    text(draw, Face::digits, {strip.x - px(8), (first.y0 + first.y1 - line_height(Face::digits)) / 2}, t.text.third,
         std::to_string(line), Align::right);
  }
  for (std::uint32_t thread = 0; thread < strip.threads; ++thread) {
    const Box cell = strip.cell(thread);
    const bool mine = marks.contains(thread), works = found != nullptr && found->contains(thread);
    const bool wrong = mine && found != nullptr && !works;
    const ImU32 fill = !mine ? t.background.control : wrong ? with_alpha(t.hand.line, 0.25f) : t.hand.line;
    draw->AddRectFilled(top_left(cell), bottom_right(cell), fill);
    if (wrong) draw->AddRect(top_left(cell), bottom_right(cell), t.hand.line);
    // What nobody guessed is not missed.
    if (works && !mine) hatch_narrow(draw, cell, marks.empty() ? t.text.third : t.verdict.bad);
  }
}

void work_strip(const std::string& name, const ThreadStrip& strip, LessonState::Guess& guess) {
  const Rect area =
      rect(strip.x, strip.y, strip.pitch * static_cast<float>(strip.columns), strip.row * static_cast<float>(strip.rows));
  Marking& marking = guess.marking;
  const HitArea at = hit_area(name, area);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (at.held && ImGui::IsMouseDown(ImGuiMouseButton_Left)) {
    if (!marking.stroke) {
      const auto first = strip.at(mouse);
      if (!first) return;
      marking.stroke = {.from = *first, .marks = !guess.marks.contains(*first), .before = guess.marks};
    }
    marking.thread = strip.near(mouse);
    guess.marks = marking.stroke->before;
    const auto [least, most] = std::minmax(marking.stroke->from, marking.thread);
    for (std::uint32_t thread = least; thread <= most; ++thread) {
      if (marking.stroke->marks)
        guess.marks.insert(thread);
      else
        guess.marks.erase(thread);
    }
  } else if (marking.stroke) {
    marking.stroke.reset();  // the click that ends it is no other one
  } else {
    const int by = at.focused ? adjustment() : 0;
    marking.thread = static_cast<std::uint32_t>(
        std::clamp(static_cast<int>(std::min(marking.thread, strip.threads - 1)) + by, 0, static_cast<int>(strip.threads) - 1));
    if (at.clicked && !guess.marks.erase(marking.thread)) guess.marks.insert(marking.thread);
  }
  if (at.focused) ring(ImGui::GetWindowDrawList(), strip.cell(marking.thread), theme().text.first, 2, 1, 1);
  const auto over = at.hovered ? strip.at(mouse) : std::nullopt;
  if (over) {
    ring(ImGui::GetWindowDrawList(), strip.cell(*over), theme().text.first);
    hint(at,
         strip.shaped  // its warp would be the answer
             ? say("threadIdx.x = {x}, threadIdx.y = {y}", "x"_a = *over % strip.columns, "y"_a = *over / strip.columns)
             : say("Thread {thread}: warp {warp}, lane {lane}", "thread"_a = *over, "warp"_a = *over / 32, "lane"_a = *over % 32));
  }
}

}  // namespace warpbook::app
