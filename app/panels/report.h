// Report: what the device observed of the last launch, three states a kind, and the launch's figures.
#pragma once

#include "app/panels.h"

namespace warpbook::app {

/// Screen pixels; findings only where the window is low.
[[nodiscard]] float report_height(const Session& session, float window_height);
void draw_report(Session& session, const Rect& area);

}  // namespace warpbook::app
