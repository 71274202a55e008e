#include "app/ui/zoom.h"

#include <algorithm>
#include <array>

namespace warpbook::app {
namespace {

constexpr std::array zooms{0.8f, 0.9f, 1.0f, 1.1f, 1.25f, 1.5f, 1.75f, 2.0f, 2.5f, 3.0f};
constexpr float zoomed_width = 800, zoomed_height = 560;  // CSS pixels that a zoomed window keeps

}  // namespace

float next_zoom(float zoom, int direction) {
  float next = zoom;
  for (const float step : zooms) {
    if (direction > 0 && step > zoom + 0.01f) return step;
    if (direction < 0 && step < zoom - 0.01f) next = step;
  }
  return next;
}

float least_zoom() { return zooms.front(); }
float most_zoom() { return zooms.back(); }

float fitting_zoom(float wanted, float width, float height, float display_scale) {
  const float room = std::min(width / zoomed_width, height / zoomed_height) / display_scale;
  float fitting = std::min(wanted, 1.0f);
  for (const float step : zooms) {
    if (step <= wanted + 0.01f && step <= room) fitting = std::max(fitting, step);
  }
  return std::clamp(fitting, least_zoom(), most_zoom());
}

}  // namespace warpbook::app
