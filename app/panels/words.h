// Words: running text whose words do something. Terms of the glossary explain themselves, names of controls point at them, links
// open a lesson or the browser.
//
//     Words words;                                              // a page's, for one frame
//     y += draw_words(session, spans, {x, y}, width, prose_style(), words);
//     …
//     finish_words(session, actions, words);                    // when all widgets of the page are drawn
#pragma once

#include <map>
#include <span>
#include <string>

#include "app/session/session.h"
#include "app/ui/text_flow.h"

namespace warpbook::app {

struct Words {
  std::map<std::string, int> names;         // of widgets, how often: they are unique in a frame
  const lessons::Lesson* lesson = nullptr;  // whose link was clicked
  std::string stage;                        // of that lesson, to be scrolled to; empty: none
  std::string control;                      // the same
};

/// Height used.
float draw_words(Session& session, std::span<const lessons::Span> spans, ImVec2 at, float width, const FlowStyle& style,
                 Words& words);

/// Rings the control that is pointed at, and goes where a link leads.
void finish_words(Session& session, Actions& actions, const Words& words);

}  // namespace warpbook::app
