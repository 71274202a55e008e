// Guess: a question of the page (::guess, ::mark), the learner's answer, and after a run the verdict. What was skipped, or run
// without a guess, is gone.
#pragma once

#include <imgui.h>

#include <optional>

#include "app/session.h"

namespace warpbook::app {

/// Returns its height, 0 where there is nothing to ask any more.
float draw_guess(Session& session, const lessons::Block& block, ImVec2 at, float width);

/// The guess at the number that a chart is about.
[[nodiscard]] std::optional<double> guess_marked_in(const lessons::Figure& figure, const LessonState& state);

}  // namespace warpbook::app
