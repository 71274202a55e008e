// A sweep as a picture: a line over one control, a heat map over two. Draws at ImGui's cursor and leaves it below.
//
//     SweepTouch touch{.here = index_of(values)};
//     draw_sweep(sweep, chart, width, height, touch);
//     if (touch.clicked) set(sweep.values_at(*touch.clicked));
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "app/views/layout.h"
#include "lessons/sweep.h"

namespace warpbook::app {

struct SweepTouch {
  std::optional<std::size_t> here;  // the point at which the controls stand now
  // Out:
  std::optional<std::size_t> hovered, clicked;
  std::vector<Box> places;  // of all points, on screen
};
/// `chart` is one of `sweep`'s numbers and shares its axes. Screen pixels; the title is within `height`.
void draw_sweep(const lessons::Sweep& sweep, const lessons::SweepChart& chart, float width, float height, SweepTouch& touch);

/// The same alone on a page, with the lesson above it and below it what it was run with: what the PNG export shows.
void draw_sweep_sheet(const lessons::Sweep& sweep, const lessons::SweepChart& chart);
inline constexpr float sweep_sheet_width = 960, sweep_sheet_height = 600;  // CSS pixels

}  // namespace warpbook::app
