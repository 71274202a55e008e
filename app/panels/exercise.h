// ExerciseCard: an exercise on its lesson's page: what it asks for, how far the learner is, and the way there.
#pragma once

#include "app/panels/window_layout.h"
#include "app/session/session.h"
#include "app/ui/widgets.h"
#include "lessons/exercise.h"

namespace warpbook::app {

/// True: it is to be opened. A printed one has no button.
[[nodiscard]] bool draw_exercise(const Session& session, const lessons::Exercise& exercise, ImVec2 at, float width, bool printed);
[[nodiscard]] float exercise_height();

}  // namespace warpbook::app
