// Visible: what is on screen as JSON, for tests that look at the window from outside.
//
//     std::ofstream(file) << visible_as_json(session);
//     // {"lesson": "05_race_conditions", "activity": "idle", "values": {…}, "numbers": {"got": 1, …}, "findings": ["race"], …,
//     //  "widgets": [{"name": "run", "x": …}, …]}
//
// Numbers are those of the result that is shown; "stale" says that controls or text have changed since.
#pragma once

#include <string>

#include "app/session/session.h"

namespace warpbook::app {

[[nodiscard]] std::string visible_as_json(const Session& session);

}  // namespace warpbook::app
