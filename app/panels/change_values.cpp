#include "app/panels/change_values.h"

#include <imgui.h>

namespace warpbook::app {

void change_values(Session& session, Actions& actions, const lessons::Values& values) {
  LessonState& state = session.lesson();
  state.history.note(state.values, values, ImGui::GetTime());
  actions.set_values(values);
}

bool undo_values(Session& session, Actions& actions) {
  LessonState& state = session.lesson();
  const auto values = state.history.undo(state.values);
  if (values) actions.set_values(*values);
  return values.has_value();
}

bool redo_values(Session& session, Actions& actions) {
  LessonState& state = session.lesson();
  const auto values = state.history.redo(state.values);
  if (values) actions.set_values(*values);
  return values.has_value();
}

}  // namespace warpbook::app
