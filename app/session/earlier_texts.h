// EarlierTexts: what stood in the playground before a file was opened there: kept beside it, and offered again.
//
//     set_earlier(state);                                     // before another text takes the place of this one
//     if (const auto* earlier = offered(state)) say(describe(*earlier));
//     put_back(session, actions);                             // … and it stands there again, with its launch
//
// put_back() keeps the text that stood there meanwhile in the same way.
//
// Kept is what lies nowhere else: neither the text that comes with the playground, nor a file as it was opened. Autosave writes
// each text into a file of its own (lessons/progress.h), and takes none away.
#pragma once

#include <string>

#include "app/session/session.h"

namespace warpbook::app {

void set_earlier(LessonState& state);
/// The newest that differs from what stands there; nullptr: there is none.
[[nodiscard]] const lessons::Kept::Earlier* offered(const LessonState& state);
/// "24 lines, with `__global__ void mine(float* x) {`"
[[nodiscard]] std::string describe(const lessons::Kept::Earlier& earlier);
/// Puts the offered one back; nothing happens where there is none.
void put_back(Session& session, Actions& actions);

}  // namespace warpbook::app
