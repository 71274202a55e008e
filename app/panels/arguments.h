// Arguments: a playground's file, its kernels, and what the chosen one is given: a row a parameter.
//
//     pen.y += draw_arguments(session, actions, {pen.x, pen.y}, pen.width);
//
// Draws from the newest program that compiled, so that a broken edit takes nothing away. What is wrong with an input stands under
// it. Returns the height in screen pixels.
#pragma once

#include "app/session/session.h"
#include "app/ui/hit_area.h"

namespace warpbook::app {

float draw_arguments(Session& session, Actions& actions, ImVec2 at, float width);

}  // namespace warpbook::app
