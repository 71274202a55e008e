#include "app/session/autosave.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/session/second_window.h"
#include "gpu/message.h"
#include "lessons/catalog.h"
#include "lessons/exercise.h"
#include "lessons/kept_file.h"

namespace warpbook::app {
namespace {

constexpr double between_saves = 0.5, between_tries = 2;  // seconds
constexpr int most_windows = 100;

lessons::Kept kept_of(const Session& session, const lessons::Lesson& lesson, const LessonState& state) {
  lessons::Kept kept{.values = state.values,
                     .ran = state.ran_ever,
                     .looked = state.looked_ever,
                     .changed = state.changed_ever,
                     .quick = state.ran_quickly,
                     .more = state.more,
                     .earlier = state.earlier};
  kept.passed = lesson.exercise != nullptr && session.passed.contains(lesson.exercise->id);
  if (state.edited()) {
    kept.kernel = state.text.str();
    kept.folder = state.folder.string();
  }
  for (const auto& [name, guess] : state.guesses) {
    if (!guess.answers.empty() || guess.skipped) kept.guesses[name] = {guess.answers, guess.skipped};
  }
  return kept;
}

/// Once each; of many, the first.
void say_unread(Session& session, const std::string& sentence) {
  constexpr std::size_t most_words = 1000;
  const std::string more = " " + std::string(say("There are more files that could not be read."));
  if (session.not_read.find(sentence) != std::string::npos || session.not_read.ends_with(more)) return;
  if (session.not_read.size() > most_words)
    session.not_read += more;
  else
    session.not_read += (session.not_read.empty() ? "" : " ") + sentence;
}

/// Something stands where a file is to be written, and must stay.
bool in_the_way(const Error& error) { return error.code == "changed_file" || error.code == "unreadable_file"; }

/// What became of a damaged file.
std::string about_damage(const Error& damage, const Result<std::filesystem::path>& aside, bool of_window) {
  const auto what = "what"_a = damage.message;
  if (!aside) return say("{what} {why} It is left as it is.", what, "why"_a = aside.error().message);
  const std::string name = aside->filename().string();
  const auto file = "file"_a = name;
  return of_window ? say("{what} It lies beside as {file} now; the window looks as it does at first.", what, file)
                   : say("{what} It lies beside as {file} now; this lesson begins anew, with your kernel.", what, file);
}

}  // namespace

Autosave::Autosave(std::filesystem::path folder) : shared_(folder), folder_(std::move(folder)) {
  if (folder_.empty()) return;
  lock_ = FolderLock::take(folder_);
  for (int number = 2; !lock_ && number < most_windows; ++number) {
    if (!may_be_window_folder(number)) continue;
    lock_ = FolderLock::take(window_folder(number));
    if (lock_ && !lock_->holds()) lock_.reset();  // it cannot be made
    if (lock_) number_ = number;
  }
  if (!lock_) number_ = 2;  // whoever writes there will say why that fails
  folder_ = number_ == 1 ? shared_ : window_folder(number_);
  progress_.emplace(folder_);
  if (auto desk = progress_->load_desk()) {
    desk_ = std::move(*desk);
  } else if (desk.error().code == "damaged_file") {
    problems_.push_back(about_damage(desk.error(), progress_->set_desk_aside(), true));
  } else {
    problems_.push_back(say("{what} Rename or mend it, and start Warpbook again.", "what"_a = desk.error().message));
  }
  if (folder_ != shared_) return;
  for (int number = 2; number < most_windows; ++number) {
    if (!may_be_window_folder(number)) continue;
    if (const auto taken = take_over(shared_, window_folder(number)); !taken) problems_.push_back(taken.error().message);
  }
}

std::filesystem::path Autosave::window_folder(int number) const { return shared_ / fmt::format("window_{}", number); }

bool Autosave::may_be_window_folder(int number) const {
  std::error_code none;
  const auto type = std::filesystem::symlink_status(window_folder(number), none).type();
  return type == std::filesystem::file_type::directory || type == std::filesystem::file_type::not_found;
}

Result<lessons::Kept> Autosave::load(const lessons::Lesson& lesson, Session& session) {
  const bool own = folder_ == shared_ || lessons::is_there(folder_ / lessons::folder_of(lesson) / "progress.toml");
  auto kept = own ? progress_->load(lesson) : lessons::Progress(shared_).load(lesson);
  if (kept && !own) {
    const auto kernel = progress_->load_kernel(lesson);
    if (!kernel) say_unread(session, kernel.error().message);
    if (kernel && *kernel) kept->kernel = **kernel;
  }
  if (kept) return kept;
  if (!own || kept.error().code != "damaged_file") {
    say_unread(session, say("{what} Its lesson is shown as it comes. Rename or mend it, and start Warpbook again.",
                            "what"_a = kept.error().message));
    return kept;
  }
  const auto aside = progress_->set_aside(lesson);
  say_unread(session, about_damage(kept.error(), aside, false));
  return aside ? progress_->load(lesson) : kept;
}

std::string Autosave::of_other_windows() const {
  const auto process = [](const std::filesystem::path& folder) {
    const auto holder = FolderLock::holder(folder);
    return holder ? say(" (process {holder})", "holder"_a = *holder) : std::string();
  };
  if (folder_ != shared_) {
    return say(
        "Warpbook is open in another window{process}. This window keeps its kernels and progress in {folder}, so that neither "
        "overwrites what the other one keeps.",
        "process"_a = process(shared_), "folder"_a = folder_.string());
  }
  if (folder_.empty()) return {};
  for (int number = 2; number < most_windows; ++number) {
    const std::filesystem::path theirs = window_folder(number);
    if (!may_be_window_folder(number) || !lessons::is_there(theirs)) continue;
    if (FolderLock::is_taken(theirs)) {
      return say(
          "Warpbook is open in another window{process}, too. That one keeps its kernels and progress in {theirs}, so that neither "
          "overwrites what the other one keeps.",
          "process"_a = process(theirs), "theirs"_a = theirs.string());
    }
    // A second window's kernels, which nobody would look for.
    for (const lessons::Lesson* lesson : lessons::lessons_and_exercises()) {
      if (!lessons::is_there(theirs / lessons::folder_of(*lesson) / "kernel.cu")) continue;
      return say(
          "Kernels that you edited in a second window are kept in {theirs}, because this window has others for the same lessons. "
          "Open them in the playground. Delete the folder when you do not need it any more.",
          "theirs"_a = theirs.string());
    }
  }
  return {};
}

void Autosave::restore(Session& session) {
  if (!progress_) return;
  for (const std::string& problem : std::exchange(problems_, {})) say_unread(session, problem);
  LessonState& state = session.lesson();
  const auto kept = load(*session.open, session);
  if (!kept) {
    // The kernel may still be there. Nothing is written before the learner changes something.
    if (const auto kernel = progress_->load_kernel(*session.open); kernel && *kernel) state.text.assign(**kernel);
    written_[session.open->id] = kept_of(session, *session.open, state);
    return;
  }
  state.values = kept->values;
  state.editor_macros = lessons::macros_of(*session.open, state.values);
  if (kept->kernel) state.text.assign(*kept->kernel);
  state.folder = kept->folder;
  for (const auto& [name, guess] : kept->guesses) {
    state.guesses[name] = {.typed = {}, .marks = {}, .answers = guess.answers, .skipped = guess.skipped, .marking = {}};
  }
  state.ran_ever = kept->ran;
  state.looked_ever = kept->looked;
  state.changed_ever = kept->changed;
  state.ran_quickly = kept->quick;
  state.more = kept->more;
  state.earlier = kept->earlier;
  if (kept->passed) session.passed.insert(session.open->exercise->id);
  written_[session.open->id] = kept_of(session, *session.open, state);
}

void Autosave::survey(Session& session) {
  if (!progress_) return;
  if (const auto& exercises = lessons::all_exercises()) {
    for (const lessons::Exercise& exercise : *exercises) {
      const auto kept = load(exercise.as_lesson, session);
      if (kept && kept->passed) session.passed.insert(exercise.id);
    }
  }
  for (const lessons::Lesson* lesson : lessons::all_lessons()) {
    if (lesson == session.open) continue;  // restored
    const auto text = lessons::page_text(*lesson);
    const auto page = text ? lessons::parse_page(*text, *lesson) : Result<lessons::Page>(failure(text.error()));
    const auto kept = load(*lesson, session);
    if (!page || !kept) continue;
    session.stages[lesson->id] = lessons::stages_of(*page, lessons::done_of(*page, *kept, session.passed));
    for (const lessons::Block& block : page->blocks) {
      const auto guess = kept->guesses.find(block.name);
      if (block.asks() && guess != kept->guesses.end() && lessons::is_missed(block, guess->second.answers))
        session.missed.insert(lesson->id);
    }
  }
}

void Autosave::poll(Session& session, double now) {
  look_again_ = now < next_look_;
  if (look_again_) return;
  write(session);
  look_again_ = !session.not_kept.empty();
  next_look_ = now + (look_again_ ? between_tries : between_saves);
}

void Autosave::write(Session& session) {
  if (!progress_) return;
  std::string problem;
  // All that have been open: a run may end after its lesson was left, and a save that failed is tried again.
  for (const lessons::Lesson* lesson : lessons::lessons_and_exercises()) {
    const auto state = session.lessons.find(lesson->id);
    if (state == session.lessons.end()) continue;
    const auto done = write(session, *lesson, state->second);
    if (!done && problem.empty())
      problem =
          say("{why} What you did last in “{lesson}” is not kept.", "why"_a = done.error().message, "lesson"_a = lesson->title);
  }
  const auto done = write_desk(session);
  if (!done && problem.empty()) problem = say("{why} Your last settings are not kept.", "why"_a = done.error().message);
  if (!problem.empty()) problem += " " + say("Saving is tried again every {seconds} seconds.", "seconds"_a = between_tries);
  session.not_kept = std::move(problem);
}

Result<void> Autosave::write(Session& session, const lessons::Lesson& lesson, const LessonState& state) {
  lessons::Kept kept = kept_of(session, lesson, state);
  const auto before = written_.find(lesson.id);
  // A lesson that was only looked at leaves nothing behind.
  const lessons::Kept fresh{.values = lessons::Values::defaults(lesson.controls)};
  if (kept == (before == written_.end() ? fresh : before->second)) return {};
  auto done = progress_->save(lesson, kept);
  while (!done && in_the_way(done.error()) && move_away(session, done.error())) done = progress_->save(lesson, kept);
  if (done) written_[lesson.id] = std::move(kept);
  return done;
}

Result<void> Autosave::write_desk(const Session& session) {
  const lessons::KeptDesk desk{.lesson = session.open->id,
                               .profile = session.chosen.profile,
                               .compiler = std::string(gpu::name_of(session.compiler)),
                               .language = session.language,
                               .light = session.appearance == Appearance::light,
                               .zoom = std::round(100 * session.zoom) / 100.0,
                               .rerun = session.rerun,
                               .toured = session.toured,
                               .rail_folded = session.rail_folded,
                               .bench_width = session.bench_width};
  if (desk_ == desk) return {};
  auto done = progress_->save_desk(desk);
  if (done) desk_ = desk;
  return done;
}

bool Autosave::move_away(Session& session, const Error& why) {
  for (int number = number_ + 1; number < most_windows; ++number) {
    if (!may_be_window_folder(number)) continue;
    const std::filesystem::path folder = window_folder(number);
    std::error_code none;
    const bool fresh = std::filesystem::create_directory(folder, none);
    auto lock = FolderLock::take(folder);
    if (!lock || (!lock->holds() && !fresh)) continue;
    number_ = number;
    folder_ = folder;
    lock_ = std::move(lock);
    progress_.emplace(folder_);
    session.kept_in = folder_.string();
    session.other_windows = say("{why} From now on this window keeps its kernels and progress in {folder}.", "why"_a = why.message,
                                "folder"_a = session.kept_in);
    return true;
  }
  return false;
}

std::optional<double> Autosave::wait(double now) const {
  if (!progress_ || !look_again_) return std::nullopt;
  return std::max(next_look_ - now, 0.0);
}

}  // namespace warpbook::app
