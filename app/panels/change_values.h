// ChangeValues: what the learner's hand changes of a lesson's controls, and the way back.
//
//     change_values(session, actions, values);        // instead of actions.set_values: this change can be undone
//     undo_values(session, actions);                  // Ctrl+Z where no text has the keyboard
//
// The drawing thread's, within a frame.
#pragma once

#include "app/session/session.h"

namespace warpbook::app {

/// The open lesson's controls become these.
void change_values(Session& session, Actions& actions, const lessons::Values& values);
/// Back to the values before the last change, and on again; false: there are none.
bool undo_values(Session& session, Actions& actions);
bool redo_values(Session& session, Actions& actions);

}  // namespace warpbook::app
