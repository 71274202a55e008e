// Guess: a question of the page (::guess, ::mark), the learner's answer, and the verdict of a run (session/prediction.h). The box
// has one height in all its states, so that nothing moves when the question is answered, skipped, run, or asked anew.
#pragma once

#include <imgui.h>

#include <optional>

#include "app/session/session.h"

namespace warpbook::app {

/// Returns its height.
float draw_guess(Session& session, Actions& actions, const lessons::Block& block, ImVec2 at, float width);

/// The guess at the number that a chart is about, for the settings of the run that it shows.
[[nodiscard]] std::optional<double> guess_marked_in(const lessons::Figure& figure, const Session& session);

}  // namespace warpbook::app
