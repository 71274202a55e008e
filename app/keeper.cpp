#include "app/keeper.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/second_window.h"
#include "lessons/catalog.h"
#include "lessons/exercise.h"

namespace warpbook::app {
namespace {

constexpr double between_saves = 0.5;  // seconds
constexpr int most_windows = 100;

lessons::Kept kept_of(const Session& session) {
  const LessonState& state = session.lesson();
  lessons::Kept kept{.values = state.values,
                     .ran = state.ran_ever,
                     .looked = state.looked_ever,
                     .changed = state.changed_ever,
                     .quick = state.ran_quickly,
                     .more = state.more};
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

Keeper::Keeper(std::filesystem::path folder) : shared_(folder), folder_(std::move(folder)) {
  if (folder_.empty()) return;
  lock_ = FolderLock::take(folder_);
  for (int number = 2; !lock_ && number < most_windows; ++number) {
    folder_ = window_folder(number);
    lock_ = FolderLock::take(folder_);
  }
  progress_.emplace(folder_);
  if (folder_ != shared_) return;
  for (int number = 2; number < most_windows; ++number) {
    if (const auto taken = take_over(shared_, window_folder(number)); !taken) problem_ = taken.error().message;
  }
}

std::filesystem::path Keeper::window_folder(int number) const { return shared_ / fmt::format("window_{}", number); }

Result<lessons::Kept> Keeper::load(const lessons::Lesson& lesson) const {
  std::error_code none;
  const bool mine = folder_ == shared_ || std::filesystem::exists(folder_ / lessons::folder_of(lesson) / "progress.toml", none);
  return mine ? progress_->load(lesson) : lessons::Progress(shared_).load(lesson);
}

std::string Keeper::of_other_windows() const {
  if (folder_ != shared_) {
    const auto holder = FolderLock::holder(shared_);
    return fmt::format(
        "Warpbook is open in another window{}. This window keeps its kernels and progress in {}, so that neither "
        "overwrites what the other one keeps.",
        holder ? fmt::format(" (process {})", *holder) : "", folder_.string());
  }
  // A second window's kernels, which nobody would look for.
  std::error_code none;
  for (int number = 2; number < most_windows && !folder_.empty(); ++number) {
    const std::filesystem::path theirs = window_folder(number);
    for (auto it = std::filesystem::recursive_directory_iterator(theirs, none);
         !none && it != std::filesystem::recursive_directory_iterator(); it.increment(none)) {
      if (it->path().filename() != "kernel.cu") continue;
      return fmt::format(
          "Kernels that you edited in a second window are kept in {}, because this window has others for the same "
          "lessons. Open them in the playground. Delete the folder when you do not need it any more.",
          theirs.string());
    }
  }
  return {};
}

void Keeper::restore(Session& session) {
  if (!progress_) return;
  if (!problem_.empty()) session.notice = problem_;
  auto kept = load(*session.open);
  if (!kept) {
    session.notice = kept.error().message;
    kept = load(*session.open);  // the kernel may still be there
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
  state.ran_quickly = kept->quick;
  state.more = kept->more;
  if (kept->passed) session.passed.insert(session.open->exercise->id);
  written_[session.open->id] = kept_of(session);
}

void Keeper::survey(Session& session) {
  if (!progress_) return;
  if (const auto& exercises = lessons::all_exercises()) {
    for (const lessons::Exercise& exercise : *exercises) {
      const auto kept = load(exercise.as_lesson);
      if (!kept) session.notice = kept.error().message;
      if (kept && kept->passed) session.passed.insert(exercise.id);
    }
  }
  for (const lessons::Lesson* lesson : lessons::all_lessons()) {
    if (lesson == session.open) continue;  // restored
    const auto text = lessons::page_text(*lesson);
    const auto page = text ? lessons::parse_page(*text, *lesson) : Result<lessons::Page>(failure(text.error()));
    const auto kept = load(*lesson);
    if (!kept) session.notice = kept.error().message;
    if (!page || !kept) continue;
    session.stages[lesson->id] = lessons::stages_of(*page, lessons::done_of(*page, *kept, session.passed));
    for (const lessons::Block& block : page->blocks) {
      const auto guess = kept->guesses.find(block.name);
      if (block.asks() && guess != kept->guesses.end() && lessons::is_missed(block, guess->second.answers))
        session.missed.insert(lesson->id);
    }
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
                               .toured = session.toured,
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
