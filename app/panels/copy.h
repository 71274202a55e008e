// Copy: numbers, findings and views can be copied: with the menu under the right mouse button, or with Ctrl+C while they have the
// keyboard focus.
//
//     copy_stop("number/written", area);               // makes it a Tab stop, if it is none yet
//     copyable(session, "number/written", area, {.words = [&] { return "Written: 4096"; }});
//
// A view without data that can be copied as words is saved as a picture instead. Session::copied holds a notice for some seconds;
// draw_copied() draws it.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "app/session/session.h"
#include "app/ui/hit_area.h"
#include "gpu/message.h"

namespace warpbook::app {

struct Copyable {
  std::string_view label = say("Copy");  // of the menu's row
  std::function<std::string()> words;    // called when it is copied
  std::string notice = {};               // what was copied, in short; empty: its words
  std::function<void()> picture = {};    // saves a picture of it; empty: there is none
  bool has_words = true;
};
/// To be called after the Tab stop `name` was drawn.
void copyable(Session& session, const std::string& name, const Rect& area, const Copyable& what);
/// A view of the open lesson, "view/NAME": copies its data as a table, or exports a picture of it.
void copyable_view(Session& session, Actions& actions, const lessons::Figure& figure, const std::string& name, const Rect& area);
/// Makes an area that only shows something a Tab stop.
void copy_stop(const std::string& name, const Rect& area);

/// Ctrl+C: copies, in the next frame, what has the keyboard focus, if it can be copied.
void copy_focused();

/// Draws the notice at the lower edge of an area, while there is one.
void draw_copied(const Session& session, const Rect& area);

}  // namespace warpbook::app
