// Controls: a lesson's fields, switches and choosers in rows, and its presets.
#pragma once

#include "app/session/session.h"
#include "app/ui/widgets.h"

namespace warpbook::app {

/// Height used.
float draw_controls(Session& session, Actions& actions, ImVec2 at, float width);
/// page: in as many rows as they need, where the page has them. head: in one row; those without room are left out.
enum class PresetPlace : std::uint8_t { page, head };
/// Chips. The figure of the one that is chosen is brought into sight (LessonState::bring_view).
float draw_presets(Session& session, Actions& actions, ImVec2 at, float width, PresetPlace place = PresetPlace::page);

}  // namespace warpbook::app
