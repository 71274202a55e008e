// EditorBars: what stands above and below the kernel's lines: the search, and the compiler's list of problems.
//
//     const float above = draw_find_bar(session, area);              // 0 while it is closed
//     const float below = draw_problems(state, area);                // 0 without any
//
// Both answer how much of the editor's area they took, in screen pixels. What is chosen in them moves the text's caret; the search
// asks for the keyboard as any field does.
#pragma once

#include <vector>

#include "app/session/session.h"
#include "app/ui/widgets.h"

namespace warpbook::app {

/// Takes Ctrl+F, Ctrl+G and F3 out of the session's keys and answers them.
float draw_find_bar(Session& session, const Rect& area);

/// Matches of what is looked for now; empty while nothing is.
[[nodiscard]] const std::vector<Match>& matches_of(LessonState& state);

float draw_problems(LessonState& state, const Rect& area);

}  // namespace warpbook::app
