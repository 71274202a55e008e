// StageStrip: a page's stages at its top: which are done, and the way to each.
#pragma once

#include <string>
#include <string_view>

#include "app/panels/linked_text.h"
#include "app/session/session.h"
#include "app/ui/widgets.h"
#include "gpu/message.h"

namespace warpbook::app {

/// Of a name of lessons::stage_names: "Predict", "1".
[[nodiscard]] Wording stage_title(std::string_view stage);
/// "predict", as it stands in a sentence.
[[nodiscard]] Wording stage_word(std::string_view stage);
[[nodiscard]] std::string stage_number(std::string_view stage);

/// At `at`, screen pixels. Returns the height with the gap below it; a page without stages has none. `words`: where a click leads.
float draw_stage_strip(Session& session, ImVec2 at, float width, TextLinks& links);

}  // namespace warpbook::app
