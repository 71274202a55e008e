// Copy: a number, a finding or a view is copied from where it stands: by a menu under the right mouse button, or by Ctrl+C while
// the keyboard's focus is on it. Nothing is drawn until then.
//
//     copy_stop("number/written", area);                                    // where it has no other reason to be a Tab stop
//     copyable(session, "number/written", area, {.words = [&] { return "Written: 4096"; }});
//
// What has no words to copy, as a view without data, is saved as a picture instead. `Session::copied` holds the notice that says so
// for a moment; draw_copied() draws it.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "app/session/session.h"
#include "app/ui/hit_area.h"

namespace warpbook::app {

struct Copyable {
  std::string_view label = "Copy";     // of the menu's row
  std::function<std::string()> words;  // asked for when it is copied
  std::string notice = {};             // what was copied, in short; empty: its words
  std::function<void()> picture = {};  // saves a picture of it; empty: there is none
  bool has_words = true;
};
/// After what stands there was named: `name` is that of its Tab stop.
void copyable(Session& session, const std::string& name, const Rect& area, const Copyable& what);
/// A view of the open lesson, named "view/NAME": its data as a table, or a picture of it among the exports.
void copyable_view(Session& session, Actions& actions, const lessons::Figure& figure, const std::string& name, const Rect& area);
/// Makes an area that only shows something a Tab stop.
void copy_stop(const std::string& name, const Rect& area);

/// Ctrl+C: what has the keyboard's focus is copied in the next frame, if it can be.
void copy_focused();

/// The notice, at the lower end of an area, while it is due.
void draw_copied(const Session& session, const Rect& area);

}  // namespace warpbook::app
