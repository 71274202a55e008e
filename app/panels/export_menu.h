// ExportMenu: the page head's Export: the program in either language, results as a table, pictures; and where the last one went.
#pragma once

#include "app/session/session.h"
#include "app/ui/widgets.h"

namespace warpbook::app {

/// The word and its menu, ending at `right`, on a baseline. Returns the width it took.
float draw_export(Session& session, Actions& actions, float right, float base);
/// Where the last file went, with a way to copy that; its height, 0 while there is nothing to say.
float draw_exported(Exported& exported, Actions& actions, ImVec2 at, float width);

/// Why there can be no animation of it now, as a sentence; empty: there can.
[[nodiscard]] std::string why_no_animation(const Session& session, Export::Kind kind);

/// "thread_map" → "thread map".
[[nodiscard]] std::string view_words(std::string_view view);

}  // namespace warpbook::app
