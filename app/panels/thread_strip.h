// Thread strip: a block's threads as cells that can be marked by hand. A row is a warp, or some of them where a block has more than
// four; or, where the block's shape matters, the threads of one y.
//
//     ThreadStrip strip(threads, {x, y}, width);
//     ThreadStrip strip(threads, {x, y}, width, block.x);
//     draw_strip(strip, guess.marks, nullptr);     // or with what a run has found
//     work_strip("guess/third_level", strip, guess);
#pragma once

#include <imgui.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "app/session/session.h"
#include "app/ui/theme.h"
#include "app/views/layout.h"

namespace warpbook::app {

struct ThreadStrip {
  std::uint32_t threads = 0, columns = 32, rows = 1;
  bool shaped = false;                     // a row is the threads of one y
  float x = 0, y = 0, pitch = 0, row = 0;  // x: of the first cell, where a block is shaped right of its rows' numbers
  static constexpr float heading_css = 18;

  ThreadStrip(std::uint32_t count, ImVec2 at, float width, std::uint32_t block_x = 0);
  [[nodiscard]] float height() const { return px(heading_css) + row * static_cast<float>(rows); }
  [[nodiscard]] Box cell(std::uint32_t thread) const;
  [[nodiscard]] std::optional<std::uint32_t> at(ImVec2 mouse) const;
  /// The nearest, for a hand that has left the strip in the middle of a stroke.
  [[nodiscard]] std::uint32_t near(ImVec2 mouse) const;
};

/// found: the threads that were asked for; nullptr: not known yet.
void draw_strip(const ThreadStrip& strip, const std::set<std::uint32_t>& marks, const std::set<std::uint32_t>* found);

/// Mouse: a click marks a thread or takes its mark away, a stroke does so with all that it passes. Keyboard: arrows and Enter.
void work_strip(const std::string& name, const ThreadStrip& strip, LessonState::Guess& guess);

}  // namespace warpbook::app
