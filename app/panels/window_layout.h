// WindowLayout: where the panels stand in the window. Lengths are screen pixels unless a comment says otherwise.
//
//     const Layout layout = arrange(size.x, size.y, rail_folded, bench_unfolded, session.bench_width);
//     draw_page(session, actions, layout);
#pragma once

#include <optional>

#include "app/ui/hit_area.h"

namespace warpbook::app {

inline constexpr float panel_padding = 16;  // within the bench and what lies on it, CSS pixels

struct Layout {
  Rect rail, page, bench;
  bool rail_collapsed = false;
  bool rail_can_unfold = false;  // the window is wide enough for the whole rail
  bool bench_strip = false;      // the bench is folded to a strip; `bench` is the strip's rectangle
};

/// As the window becomes narrower, first the rail collapses, then the bench narrows, then it folds to a strip.
/// rail_folded: the learner folded the rail, or the lesson needs its room for a view.
/// bench_width: in CSS pixels, as the learner dragged it; empty: a share of the window.
[[nodiscard]] Layout arrange(float width, float height, bool rail_folded, bool bench_unfolded, std::optional<double> bench_width);

}  // namespace warpbook::app
