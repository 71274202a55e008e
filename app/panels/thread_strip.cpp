#include "app/panels/thread_strip.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/views/parts.h"
#include "app/widgets.h"

namespace warpbook::app {

ThreadStrip::ThreadStrip(std::uint32_t count, ImVec2 at, float width) : threads(count) {
  const std::uint32_t warps = (threads + 31) / 32;
  columns = 32 * ((warps + 3) / 4);
  rows = (threads + columns - 1) / columns;
  x = at.x;
  y = at.y + px(heading_css);
  pitch = std::floor(width / static_cast<float>(columns) * 4) / 4;
}

Box ThreadStrip::cell(std::uint32_t thread) const {
  const auto column = static_cast<float>(thread % columns), row = static_cast<float>(thread / columns);
  const float gap = pitch >= px(6) ? px(2) : pitch >= px(3) ? px(1) : 0;
  const float left = snap(x + column * pitch);
  return {left, y + row * px(row_css), std::max(snap(x + (column + 1) * pitch) - gap, left + 1), y + row * px(row_css) + px(14)};
}

std::optional<std::uint32_t> ThreadStrip::at(ImVec2 mouse) const {
  const float column = (mouse.x - x) / pitch, row = (mouse.y - y) / px(row_css);
  if (column < 0 || row < 0 || column >= static_cast<float>(columns) || row >= static_cast<float>(rows)) return std::nullopt;
  const std::uint32_t thread = static_cast<std::uint32_t>(row) * columns + static_cast<std::uint32_t>(column);
  return thread < threads ? std::optional(thread) : std::nullopt;
}

std::uint32_t ThreadStrip::near(ImVec2 mouse) const {
  const float row = std::clamp(std::floor((mouse.y - y) / px(row_css)), 0.0f, static_cast<float>(rows - 1));
  const float column = std::clamp(std::floor((mouse.x - x) / pitch), 0.0f, static_cast<float>(columns - 1));
  return std::min(static_cast<std::uint32_t>(row) * columns + static_cast<std::uint32_t>(column), threads - 1);
}

void draw_strip(const ThreadStrip& strip, const std::set<std::uint32_t>& marks, const std::set<std::uint32_t>* found) {
  const Theme& t = theme();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const std::string row = strip.columns == 32 ? "a row is a warp" : fmt::format("a row is {} warps", strip.columns / 32);
  if (strip.rows > 1) {
    text(draw, Face::caption, {strip.cell(strip.columns - 1).x1, strip.y - px(ThreadStrip::heading_css)}, t.text.third, row,
         Align::right);
  }
  for (std::uint32_t lane = 0; lane < strip.columns; lane += strip.columns / 4) {
    const Box first = strip.cell(lane);
    text(draw, Face::digits, {first.x0, strip.y - px(ThreadStrip::heading_css)}, t.text.third, std::to_string(lane));
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
  const Rect area = rect(strip.x, strip.y, strip.pitch * static_cast<float>(strip.columns),
                         px(ThreadStrip::row_css) * static_cast<float>(strip.rows));
  MarkingHand& hand = guess.hand;
  const Touch at = touch(name, area);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (at.held && ImGui::IsMouseDown(ImGuiMouseButton_Left)) {
    if (!hand.stroke) {
      const auto first = strip.at(mouse);
      if (!first) return;
      hand.stroke = {.from = *first, .marks = !guess.marks.contains(*first), .before = guess.marks};
    }
    hand.thread = strip.near(mouse);
    guess.marks = hand.stroke->before;
    const auto [least, most] = std::minmax(hand.stroke->from, hand.thread);
    for (std::uint32_t thread = least; thread <= most; ++thread) {
      if (hand.stroke->marks)
        guess.marks.insert(thread);
      else
        guess.marks.erase(thread);
    }
  } else if (hand.stroke) {
    hand.stroke.reset();  // the click that ends it is no other one
  } else {
    const int by = at.focused ? adjustment() : 0;
    hand.thread = static_cast<std::uint32_t>(
        std::clamp(static_cast<int>(std::min(hand.thread, strip.threads - 1)) + by, 0, static_cast<int>(strip.threads) - 1));
    if (at.clicked && !guess.marks.erase(hand.thread)) guess.marks.insert(hand.thread);
  }
  if (at.focused) ring(ImGui::GetWindowDrawList(), strip.cell(hand.thread), theme().text.first, 2, 1, 1);
  const auto over = at.hovered ? strip.at(mouse) : std::nullopt;
  if (over) {
    ring(ImGui::GetWindowDrawList(), strip.cell(*over), theme().text.first);
    hint(at, fmt::format("Thread {}: warp {}, lane {}", *over, *over / 32, *over % 32));
  }
}

}  // namespace warpbook::app
