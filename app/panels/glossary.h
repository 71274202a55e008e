// Glossary: the terms of the lessons, searchable, each with its sentence and the lesson that explains it. An overlay's content.
//
//     open_glossary(session, "warp");       // at a term; empty: from the start, ready to type
#pragma once

#include <string_view>

#include "app/session/session.h"
#include "app/ui/widgets.h"

namespace warpbook::app {

void open_glossary(Session& session, std::string_view term = {});

/// Into the overlay's window. Returns true when it is to be closed: Escape in its field, or a lesson was opened.
[[nodiscard]] bool draw_glossary(Session& session, Actions& actions, const Rect& inside);

}  // namespace warpbook::app
