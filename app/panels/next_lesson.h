// NextLesson: the end of a lesson's page: what is still open in it, and what comes next: after a passed exercise another one of its
// lesson, else a lesson.
#pragma once

#include "app/session/session.h"
#include "app/ui/widgets.h"

namespace warpbook::app {

/// At `at`, screen pixels. Returns the height; `chosen` becomes the lesson, or the exercise as one, that was clicked.
float draw_next_lesson(const Session& session, ImVec2 at, float width, const lessons::Lesson*& chosen);

}  // namespace warpbook::app
