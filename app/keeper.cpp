#include "app/keeper.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lessons/catalog.h"
#include "lessons/exercise.h"

namespace warpbook::app {
namespace {

constexpr double between_saves = 0.5;  // seconds

lessons::Kept kept_of(const Session& session) {
  const LessonState& state = session.lesson();
  lessons::Kept kept{.values = state.values, .ran = state.ran_ever, .looked = state.looked_ever, .changed = state.changed_ever};
  kept.passed = session.open->exercise != nullptr && session.passed.contains(session.open->exercise->id);
  if (state.edited()) {
    kept.kernel = state.text.str();
    kept.folder = state.folder.string();
  }
  for (const auto& [name, guess] : state.guesses) {
    if (!guess.answers.empty() || guess.skipped) kept.guesses[name] = {guess.answers, guess.skipped};
  }
  return kept;
}

}  // namespace

Keeper::Keeper(std::filesystem::path folder) {
  if (!folder.empty()) progress_.emplace(std::move(folder));
}

void Keeper::restore(Session& session) {
  if (!progress_) return;
  auto kept = progress_->load(*session.open);
  if (!kept) {
    session.notice = kept.error().message;
    kept = progress_->load(*session.open);  // the kernel may still be there
    if (!kept) return;
  }
  LessonState& state = session.lesson();
  state.values = kept->values;
  state.editor_macros = lessons::macros_of(*session.open, state.values);
  if (kept->kernel) state.text.assign(*kept->kernel);
  state.folder = kept->folder;
  for (const auto& [name, guess] : kept->guesses) {
    state.guesses[name] = {.typed = {}, .marks = {}, .answers = guess.answers, .skipped = guess.skipped, .hand = {}};
  }
  state.ran_ever = kept->ran;
  state.looked_ever = kept->looked;
  state.changed_ever = kept->changed;
  if (kept->passed) session.passed.insert(session.open->exercise->id);
  written_[session.open->id] = kept_of(session);
}

void Keeper::survey(Session& session) {
  if (!progress_) return;
  if (const auto& exercises = lessons::all_exercises()) {
    for (const lessons::Exercise& exercise : *exercises) {
      const auto kept = progress_->load(exercise.as_lesson);
      if (!kept) session.notice = kept.error().message;
      if (kept && kept->passed) session.passed.insert(exercise.id);
    }
  }
  for (const lessons::Lesson* lesson : lessons::all_lessons()) {
    if (lesson == session.open) continue;  // restored
    const auto text = lessons::page_text(*lesson);
    const auto page = text ? lessons::parse_page(*text, *lesson) : Result<lessons::Page>(failure(text.error()));
    const auto kept = progress_->load(*lesson);
    if (!kept) session.notice = kept.error().message;
    if (page && kept) session.stages[lesson->id] = lessons::stages_of(*page, lessons::done_of(*page, *kept, session.passed));
  }
}

void Keeper::poll(Session& session, double now) {
  look_again_ = now < next_look_;
  if (look_again_) return;
  next_look_ = now + between_saves;
  write(session);
}

void Keeper::write(Session& session) {
  if (!progress_) return;
  Result<void> done;
  lessons::Kept kept = kept_of(session);
  const auto before = written_.find(session.open->id);
  // A lesson that was only looked at leaves nothing behind.
  const lessons::Kept fresh{.values = lessons::Values::defaults(session.open->controls)};
  const bool untouched = before == written_.end() && kept == fresh;
  if (!untouched && (before == written_.end() || before->second != kept)) {
    done = progress_->save(*session.open, kept);
    written_[session.open->id] = std::move(kept);
  }
  const lessons::KeptDesk desk{.lesson = session.open->id,
                               .profile = session.chosen.profile,
                               .light = session.appearance == Appearance::light,
                               .zoom = std::round(100 * session.zoom) / 100.0,
                               .rerun = session.rerun,
                               .rail_folded = session.rail_folded,
                               .bench_width = session.bench_width};
  if (done && desk_ != desk) {
    done = progress_->save_desk(desk);
    desk_ = desk;
  }
  if (!done) session.notice = done.error().message;
}

std::optional<double> Keeper::wait(double now) const {
  if (!progress_ || !look_again_) return std::nullopt;
  return std::max(next_look_ - now, 0.0);
}

}  // namespace warpbook::app
