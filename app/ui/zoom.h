// Zoom: the sizes that the workbook can have, from 80 % to 300 %, as a ladder of steps.
//
//     session.zoom = next_zoom(session.zoom, +1);
#pragma once

namespace warpbook::app {

/// One step up (+1) or down (−1); at the ladder's end it stays.
[[nodiscard]] float next_zoom(float zoom, int direction);
[[nodiscard]] float least_zoom();
[[nodiscard]] float most_zoom();
/// The largest step that is no larger than `wanted` and leaves room for all parts of a window of width × height screen pixels.
[[nodiscard]] float fitting_zoom(float wanted, float width, float height, float display_scale);

}  // namespace warpbook::app
