// EarlierTexts: opening a file in the playground replaces the text that is there. That text is saved and offered again.
//
//     set_earlier(state);                                     // before the text is replaced
//     if (const auto* earlier = offered(state)) say(describe(*earlier));
//     put_back(session, actions);                             // the earlier text replaces the present one, which is saved in turn
//
// Only texts that are nowhere else are saved: not the text that comes with the playground, and not a file as it was opened.
// Autosave writes each of them into a file of its own (lessons/progress.h) and deletes none.
#pragma once

#include <string>

#include "app/session/session.h"

namespace warpbook::app {

void set_earlier(LessonState& state);
/// The newest one that differs from the present text; nullptr: there is none.
[[nodiscard]] const lessons::Kept::Earlier* offered(const LessonState& state);
/// "24 lines, with `__global__ void mine(float* x) {`"
[[nodiscard]] std::string describe(const lessons::Kept::Earlier& earlier);
/// Puts the offered text back; does nothing if none is offered.
void put_back(Session& session, Actions& actions);

}  // namespace warpbook::app
