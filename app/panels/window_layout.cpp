#include "app/panels/window_layout.h"

#include <algorithm>

#include "app/ui/draw.h"

namespace warpbook::app {
namespace {

// Widths of the window below which something gives way, CSS pixels.
constexpr float rail_gives_way = 1360, bench_narrows = 1280, bench_folds = 1025;
constexpr float page_least = 560;                       // beside a bench that the learner widens
constexpr float bench_share = 0.26f, bench_most = 720;  // of a wide window, unless the learner says otherwise

/// CSS pixels.
float bench_width_in(float window, float rail, std::optional<double> wanted) {
  const auto& s = theme().space;
  if (wanted) return std::clamp(static_cast<float>(*wanted), s.bench_min, std::max(window - rail - page_least, s.bench_min));
  return window < bench_narrows ? s.bench_min : std::clamp(bench_share * window, s.bench, bench_most);
}

}  // namespace

Layout arrange(float width, float height, bool rail_folded, bool bench_unfolded, std::optional<double> bench_width) {
  const auto& s = theme().space;
  Layout layout;
  layout.rail_can_unfold = width >= px(rail_gives_way);
  layout.rail_collapsed = rail_folded || !layout.rail_can_unfold;
  layout.bench_strip = width < px(bench_folds) && !bench_unfolded;
  const float rail = px(layout.rail_collapsed ? s.rail_collapsed : s.rail);
  const float bench = px(layout.bench_strip ? s.bench_collapsed : bench_width_in(width / px(1), rail / px(1), bench_width));
  layout.rail = rect(0, 0, snap(rail), height);
  layout.bench = rect(snap(width - bench), 0, snap(bench), height);
  // An unfolded bench lies over the page, so that the page does not reflow under the reader's eyes.
  const float page_end = width < px(bench_folds) ? snap(width - px(s.bench_collapsed)) : layout.bench.a.x;
  layout.page = {{layout.rail.b.x, 0}, {page_end, height}};
  return layout;
}

}  // namespace warpbook::app
