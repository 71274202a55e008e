// Changes a lesson's controls so that the change can be undone.
//
//     change_values(session, actions, values);        // instead of actions.set_values
//     undo_values(session, actions);                  // Ctrl+Z, unless a text has the keyboard
#pragma once

#include "app/session/session.h"

namespace warpbook::app {

/// Sets the open lesson's controls.
void change_values(Session& session, Actions& actions, const lessons::Values& values);
/// Undo the last change, or redo it; false: there is nothing to undo or redo.
bool undo_values(Session& session, Actions& actions);
bool redo_values(Session& session, Actions& actions);

}  // namespace warpbook::app
