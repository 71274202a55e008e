#include "app/shell/perform.h"

#include <algorithm>

#include "app/panels/glossary.h"
#include "app/panels/present.h"
#include "app/panels/stepper.h"
#include "app/session/prediction.h"
#include "app/ui/zoom.h"
#include "lessons/catalog.h"

namespace warpbook::app {
namespace {

/// The lesson that is written before or after the open one.
const lessons::Lesson* neighbour(const Session& session, int direction) {
  const auto all = lessons::all_lessons();
  const auto here = std::find(all.begin(), all.end(), session.open) - all.begin();
  const auto there = here + direction;
  return there < 0 || there >= static_cast<std::ptrdiff_t>(all.size()) ? nullptr : all[static_cast<std::size_t>(there)];
}

}  // namespace

void perform(Command command, Session& session, Actions& actions) {
  switch (command) {
    case Command::none:
      break;
    case Command::run:
      press_run(session, actions);
      break;
    case Command::cancel:
      actions.cancel();
      break;
    case Command::step_forward:
      step_by_key(session, actions, Way::forward);
      break;
    case Command::step_back:
      step_by_key(session, actions, Way::back);
      break;
    case Command::next_lesson:
    case Command::previous_lesson:
      if (const auto* lesson = neighbour(session, command == Command::next_lesson ? 1 : -1)) actions.open(*lesson);
      break;
    case Command::shortcuts:
      open_overlay(session, session.overlay == Overlay::shortcuts ? Overlay::none : Overlay::shortcuts);
      break;
    case Command::settings:
      open_overlay(session, session.overlay == Overlay::settings ? Overlay::none : Overlay::settings);
      break;
    case Command::glossary:
      if (session.overlay == Overlay::glossary)
        open_overlay(session, Overlay::none);
      else
        open_glossary(session);
      break;
    case Command::progress:
      open_overlay(session, session.overlay == Overlay::progress ? Overlay::none : Overlay::progress);
      break;
    case Command::larger:
      session.zoom = next_zoom(session.zoom, 1);
      break;
    case Command::smaller:
      session.zoom = next_zoom(session.zoom, -1);
      break;
    case Command::normal_size:
      session.zoom = 1;
      break;
    case Command::full_screen:
      session.full_screen = !session.full_screen;
      break;
    case Command::present:
      session.presenting = !session.presenting;
      session.typing = {};
      break;
    case Command::next_slide:
      session.lesson().slide = (session.lesson().slide + 1) % slides_of(*session.open);
      break;
    case Command::previous_slide:
      session.lesson().slide = (session.lesson().slide + slides_of(*session.open) - 1) % slides_of(*session.open);
      break;
    case Command::run_slide:
      if (session.activity.kind == Activity::Kind::live)
        actions.pause();
      else
        press_run(session, actions);
      break;
    case Command::slide_controls:
      session.presented_controls = !session.presented_controls;
      break;
  }
}

}  // namespace warpbook::app
