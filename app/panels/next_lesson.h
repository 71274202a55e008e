// NextLesson: the end of a lesson's page: what is still open in it, and the lesson that comes next.
#pragma once

#include "app/session/session.h"
#include "app/ui/widgets.h"

namespace warpbook::app {

/// At `at`, screen pixels. Returns the height; `chosen` becomes the lesson that was clicked.
float draw_next_lesson(const Session& session, ImVec2 at, float width, const lessons::Lesson*& chosen);

}  // namespace warpbook::app
