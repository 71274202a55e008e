// Page head: what stays where it is while a page scrolls. Always the title, Export and Present; once the result is out of sight its
// numbers, and below them the presets, so that a preset can be chosen while its figure is looked at.
//
//     const float bottom = draw_page_head(session, actions, area, layout.page, words);
//     ImGui::PushClipRect({page.a.x, bottom}, page.b, true);      // … what scrolls is drawn …
//     ImGui::PopClipRect();
#pragma once

#include "app/panels/linked_text.h"
#include "app/session/session.h"
#include "app/ui/widgets.h"

namespace warpbook::app {

/// Where the column stands, screen pixels.
struct PageColumn {
  float x = 0, width = 0;
};

/// Returns where it ends. `words`: its "Back to the lesson" is a link like those of the text.
float draw_page_head(Session& session, Actions& actions, const Rect& page, const PageColumn& column, TextLinks& links);

/// The title alone, at the top of a printed page; its height.
float draw_printed_head(const Session& session, ImVec2 at, float width);

/// A lesson's number before its title, on the base line `base`; how much room it takes, with the gap. A playground has none.
float lesson_number(const lessons::Lesson& lesson, ImVec2 base);

/// The most that the head takes, screen pixels: what is scrolled to is shown below that.
[[nodiscard]] float tallest_page_head(const Session& session);

}  // namespace warpbook::app
