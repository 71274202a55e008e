// Stepper: goes through a recorded launch, forwards and back, below the kernel: the next instruction, lanes that are on, registers,
// shared memory. The line it stands at is marked in the editor, whose line numbers run to their line.
#pragma once

#include "app/panels/window_layout.h"
#include "app/session/session.h"
#include "app/ui/widgets.h"

namespace warpbook::app {

/// Shows the stepper; records the run's steps first, unless those of this text and these values are there.
void open_stepper(Session& session, Actions& actions);
/// F10 and Shift+F10.
void step_by_key(Session& session, Actions& actions, Way way);

[[nodiscard]] float stepper_height(float room);  // screen pixels
void draw_stepper(Session& session, Actions& actions, const Rect& area);

/// The line that the stepper stands at, counted from 1, while the editor shows the text that was recorded; 0: none.
[[nodiscard]] std::uint32_t stepper_line(const LessonState& state);
/// Whether line numbers are to be clicked.
[[nodiscard]] bool runs_to_lines(const LessonState& state);

}  // namespace warpbook::app
