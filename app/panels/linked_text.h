// Linked text: running text in which terms of the glossary explain themselves, names of controls point at them, and links open a
// lesson or the browser.
//
//     TextLinks links;                                                 // of a page, for one frame
//     y += draw_linked_text(session, spans, {x, y}, width, prose_style(), links);
//     …
//     follow_links(session, actions, links);                           // after all widgets of the page were drawn
#pragma once

#include <map>
#include <span>
#include <string>

#include "app/session/session.h"
#include "app/ui/text_flow.h"

namespace warpbook::app {

struct TextLinks {
  std::map<std::string, int> names;         // how often each widget's name was used: names are unique in a frame
  const lessons::Lesson* lesson = nullptr;  // the lesson whose link was clicked
  std::string stage;                        // the stage of that lesson to scroll to; empty: none
  std::string control;                      // the control of that lesson to scroll to; empty: none
};

/// Height used.
float draw_linked_text(Session& session, std::span<const lessons::Span> spans, ImVec2 at, float width, const TextFlowStyle& style,
                       TextLinks& links);

/// Draws a ring around the control whose name the mouse points at, and opens the link that was clicked.
void follow_links(Session& session, Actions& actions, const TextLinks& links);

}  // namespace warpbook::app
