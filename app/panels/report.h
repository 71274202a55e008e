// Report: what the device observed of the last launch, three states a kind, and the launch's figures.
#pragma once

#include "app/panels/window_layout.h"
#include "app/session/session.h"
#include "app/ui/widgets.h"

namespace warpbook::app {

/// Screen pixels; findings only where the window is low.
[[nodiscard]] float report_height(const Session& session, float window_height);
void draw_report(Session& session, Actions& actions, const Rect& area);

[[nodiscard]] std::string_view finding_title(gpu::FindingKind kind);       // "Races"
[[nodiscard]] std::string_view observation_words(gpu::Observation state);  // "none found"

}  // namespace warpbook::app
