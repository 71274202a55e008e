// Carries out a command that a shortcut or a click has chosen.
//
//     if (const auto command = command_of(press)) perform(*command, session, actions);
#pragma once

#include "app/panels/shortcuts.h"
#include "app/session/session.h"

namespace warpbook::app {

void perform(Command command, Session& session, Actions& actions);

}  // namespace warpbook::app
