#include "app/panels/reset_lesson.h"

#include <string>
#include <utility>

#include "gpu/message.h"

namespace warpbook::app {
namespace {

constexpr double offered_for = 10;  // seconds

void replace_kernel(LessonState& state, const std::string& text) {
  if (state.text.str() == text) return;
  state.text.select_all();
  state.text.insert(text);  // an edit like any other
}

/// After controls and kernel were replaced: what the device makes of them.
void tell(LessonState& state, Actions& actions) {
  const lessons::Values values = state.values;
  state.history.clear();
  actions.set_values(values);
  actions.text_changed();
}

void reset_lesson(Session& session, Actions& actions) {
  LessonState& state = session.lesson();
  LessonState::ResetUndo before{.values = state.values,
                                .kernel = state.text.str(),
                                .guesses = std::move(state.guesses),
                                .latest = std::move(state.latest),
                                .reported = std::move(state.reported),
                                .shown = std::move(state.shown),
                                .inside = std::move(state.inside),
                                .ran = state.ran_ever,
                                .looked = state.looked_ever,
                                .changed = state.changed_ever,
                                .until = ImGui::GetTime() + offered_for};
  state.guesses = {};
  state.asked_to_predict = state.asking = false;
  state.latest = state.reported = state.shown = {};
  state.inside = {};
  state.ran_ever = state.looked_ever = state.changed_ever = false;
  state.values = lessons::Values::defaults(session.open->controls);
  replace_kernel(state, state.shipped);
  tell(state, actions);
  state.changed_since_run = false;
  state.reset_undo = std::move(before);
  ImGui::SetScrollY(0);  // it begins again
}

void go_back(Session& session, Actions& actions) {
  LessonState& state = session.lesson();
  LessonState::ResetUndo before = std::move(*state.reset_undo);
  state.reset_undo.reset();
  state.values = std::move(before.values);
  replace_kernel(state, before.kernel);
  tell(state, actions);  // while there is no result yet that would be run again
  state.guesses = std::move(before.guesses);
  state.latest = std::move(before.latest);
  state.reported = std::move(before.reported);
  state.shown = std::move(before.shown);
  state.inside = std::move(before.inside);
  state.ran_ever = before.ran;
  state.looked_ever = before.looked;
  state.changed_ever = before.changed;
  if (state.shown) state.note_change();
}

/// As it comes: nothing would change.
bool untouched(const Session& session, const LessonState& state) {
  return !state.latest && state.guesses.empty() && !state.edited() && !state.ran_ever && !state.looked_ever &&
         !state.changed_ever && state.values == lessons::Values::defaults(session.open->controls);
}

}  // namespace

float draw_reset_lesson(Session& session, Actions& actions, ImVec2 at) {
  const Theme& t = theme();
  const std::string_view words = session.open->exercise != nullptr ? say("Reset this exercise") : say("Reset this lesson");
  const bool possible = session.activity.kind == Activity::Kind::idle && !untouched(session, session.lesson());
  if (!possible)
    text(ImGui::GetWindowDrawList(), Face::label, at, t.text.disabled, words);
  else if (link("lesson/reset", Face::label, at, words, t.text.third))
    reset_lesson(session, actions);
  return line_height(Face::label);
}

void draw_undo_bar(Session& session, Actions& actions, const Rect& page) {
  LessonState& state = session.lesson();
  if (!state.reset_undo) return;
  // What was done since stands: the way back would take it away.
  if (ImGui::GetTime() > state.reset_undo->until || state.latest) return state.reset_undo.reset();
  const Theme& t = theme();
  const float height = px(44), padding = px(t.space.page_padding);
  const Rect bar = rect(page.a.x + padding, page.b.y - height - px(16), page.width() - 2 * padding, height);
  // A window within the page's, so that it is in front of what lies under it.
  ImGui::SetCursorScreenPos(bar.a);
  ImGui::BeginChild("undo", {bar.width(), bar.height()});
  ImDrawList* draw = ImGui::GetWindowDrawList();
  draw->AddRectFilled(bar.a, bar.b, t.background.raised, px(t.radius.box));
  draw->AddRect(bar.a, bar.b, t.background.line_strong, px(t.radius.box), 0, px(1));
  const float middle = bar.centre().y;
  text(draw, Face::body, {bar.a.x + px(16), middle - line_height(Face::body) / 2}, t.text.second,
       say("Controls, kernel, guesses and results are as they come."));
  const ButtonLook undo{.label = say("Undo")};
  const float width = button_width(undo);
  const bool back = button("lesson/undo_reset", rect(bar.b.x - width - px(6), bar.a.y + px(6), width, px(32)), undo);
  ImGui::EndChild();
  if (back) go_back(session, actions);
}

}  // namespace warpbook::app
