#include "app/session.h"

#include <fmt/format.h>

#include "lessons/catalog.h"

namespace warpbook::app {

void open_lesson(Session& session, const lessons::Lesson& lesson) {
  session.open = &lesson;
  session.hover.reset();
  session.typing = {};
  const auto [it, fresh] = session.lessons.try_emplace(lesson.id);
  if (!fresh) return;
  LessonState& state = it->second;
  state.values = lessons::Values::defaults(lesson.controls);
  state.editor_macros = lessons::macros_of(lesson, state.values);
  if (auto text = lessons::kernel_text(lesson)) {
    state.shipped = *text;
    state.text.assign(*text);
  } else {
    state.page_problem = text.error().message;
  }
  auto markdown = lessons::page_text(lesson);
  if (!markdown) {
    state.page_problem = markdown.error().message;
    return;
  }
  if (auto page = lessons::parse_page(*markdown, lesson)) {
    state.page = std::move(*page);
  } else {
    state.page_problem = page.error().message;
  }
}

void LessonState::note_change() {
  changed_since_run = !shown || shown->values != values || shown->text != text.str();
  changed_ever = changed_ever || (shown && changed_since_run);
}

Session make_session(const lessons::Lesson& lesson, Appearance appearance) {
  Session session;
  session.appearance = appearance;
  open_lesson(session, lesson);
  return session;
}

void show(Session& session, std::shared_ptr<const Snapshot> snapshot) {
  if (!snapshot || snapshot->lesson == nullptr) return;
  const auto it = session.lessons.find(snapshot->lesson->id);
  if (it == session.lessons.end()) return;
  LessonState& state = it->second;
  state.changed_since_run = snapshot->values != state.values || snapshot->text != state.text.str();
  if (snapshot->outcome) state.shown = snapshot;
  if (snapshot->program || snapshot->failure) {
    state.compiled = std::make_shared<const Compiled>(
        Compiled{.lesson = snapshot->lesson, .text = snapshot->text, .program = snapshot->program, .failure = snapshot->failure});
  }
  state.latest = std::move(snapshot);
}

}  // namespace warpbook::app
