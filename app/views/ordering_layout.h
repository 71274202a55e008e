// OrderingLayout: where the events and arrows of an Ordering stand, and words on several lines. Pure: no ImGui, no colours.
//
//     const OrderingPlace place = arrange_ordering(ordering, {.y0 = 40, .width = 664});
//     for (const Box& event : place.events) draw_box(event);
//
// Lengths are screen pixels; y grows downwards.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "app/views/layout.h"
#include "lessons/figures.h"

namespace warpbook::app {

struct OrderingRoom {
  float x0 = 0, y0 = 0;
  float width = 664;
  float row = 40, gap = 24;  // an event's height, and the room below it for an arrow
  float between = 96;        // from one column to the next
};
struct OrderingPlace {
  struct Arrow {
    float x0 = 0, y0 = 0, x1 = 0, y1 = 0;  // from, to
  };
  std::vector<Box> columns;   // from the first event's top to the last one's bottom
  std::vector<Box> events;    // a row each, in the order of the run
  std::vector<Arrow> arrows;  // within a column straight down, between two columns from edge to edge
};
[[nodiscard]] OrderingPlace arrange_ordering(const lessons::Ordering& ordering, const OrderingRoom& room);

/// Lines no wider than `width`, broken at blanks; a single word that is wider has a line of its own.
[[nodiscard]] std::vector<std::string_view> wrapped(std::string_view words, float width,
                                                    const std::function<float(std::string_view)>& measure);

}  // namespace warpbook::app
