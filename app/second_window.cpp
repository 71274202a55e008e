#include "app/second_window.h"

#include <system_error>
#include <utility>
#include <vector>

#include "app/folder_lock.h"
#include "lessons/catalog.h"
#include "lessons/exercise.h"
#include "lessons/progress.h"

namespace warpbook::app {
namespace {

namespace fs = std::filesystem;

/// Both joined; of what only one can be, a control or a kernel, this one's.
lessons::Kept joined(lessons::Kept mine, const lessons::Kept& theirs) {
  mine.ran = mine.ran || theirs.ran;
  mine.looked = mine.looked || theirs.looked;
  mine.changed = mine.changed || theirs.changed;
  mine.passed = mine.passed || theirs.passed;
  mine.guesses.insert(theirs.guesses.begin(), theirs.guesses.end());
  if (!mine.kernel && theirs.kernel) {
    mine.kernel = theirs.kernel;
    mine.folder = theirs.folder;
    mine.values = theirs.values;  // it was run with them
  }
  return mine;
}

Result<void> take_over(const lessons::Lesson& lesson, const fs::path& into, const fs::path& from) {
  std::error_code none;
  const fs::path here = into / lessons::folder_of(lesson), there = from / lessons::folder_of(lesson);
  if (!fs::exists(there / "progress.toml", none)) return {};
  const lessons::Progress mine(into), theirs(from);
  const auto other = theirs.load(lesson), own = mine.load(lesson);
  if (!other) return failure(other.error());
  if (!own) return failure(own.error());
  const lessons::Kept both = fs::exists(here / "progress.toml", none) ? joined(*own, *other) : *other;
  if (auto done = mine.save(lesson, both); !done) return done;
  fs::remove(there / "progress.toml", none);
  if (both.kernel == other->kernel) fs::remove(there / "kernel.cu", none);
  for (fs::path empty = there; empty != from && fs::remove(empty, none); empty = empty.parent_path()) {
  }  // up to the first in which a kernel stays
  return {};
}

}  // namespace

Result<void> take_over(const fs::path& into, const fs::path& from) {
  std::error_code none;
  if (!fs::is_directory(from, none)) return {};
  const auto lock = FolderLock::take(from);
  if (!lock) return {};
  std::vector<const lessons::Lesson*> all(lessons::all_lessons().begin(), lessons::all_lessons().end());
  if (const auto& exercises = lessons::all_exercises()) {
    for (const lessons::Exercise& exercise : *exercises) all.push_back(&exercise.as_lesson);
  }
  for (const lessons::Lesson* const lesson : all) {
    if (auto done = take_over(*lesson, into, from); !done) return done;
  }
  for (const char* const file : {"desk.toml", "window.lock"}) fs::remove(from / file, none);
  fs::remove(from, none);  // if it is empty
  return {};
}

}  // namespace warpbook::app
