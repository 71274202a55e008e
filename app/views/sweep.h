// A sweep as a picture: a line over one control, a heat map over two. Draws at ImGui's cursor and leaves it below.
//
//     SweepMouse touch{.here = index_of(values), .facts = [&](std::size_t point) { return numbers_of(point); }};
//     draw_sweep(chart, width, height, touch);
//     if (touch.clicked) set(values_at(*touch.clicked));
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/views/layout.h"
#include "lessons/sweep_chart.h"

namespace warpbook::app {

struct SweepFact {
  std::string label, value;
  bool bad = false;
};

struct SweepMouse {
  std::optional<std::size_t> here = {};                                 // the point at which the controls stand now
  std::function<std::vector<SweepFact>(std::size_t point)> facts = {};  // for the card of the point under the mouse
  // Out:
  std::optional<std::size_t> hovered = {}, clicked = {};
  std::vector<Box> places = {};  // of all points, on screen
};
/// Screen pixels.
void draw_sweep(const lessons::SweepChart& chart, float width, float height, SweepMouse& touch);

/// The same alone on a page, with its title above and below it what it was run with: what the PNG export shows.
void draw_sweep_sheet(const lessons::SweepChart& chart);
inline constexpr float sweep_sheet_width = 960, sweep_sheet_height = 600;  // CSS pixels

}  // namespace warpbook::app
