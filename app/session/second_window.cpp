#include "app/session/second_window.h"

#include <algorithm>
#include <system_error>
#include <utility>
#include <vector>

#include "app/session/folder_lock.h"
#include "lessons/catalog.h"
#include "lessons/exercise.h"
#include "lessons/kept_file.h"
#include "lessons/progress.h"

namespace warpbook::app {
namespace {

namespace fs = std::filesystem;

/// The answers of both: a question's newest is this one's.
void join_answers(lessons::Kept::Guess& mine, const lessons::Kept::Guess& theirs) {
  mine.skipped = mine.skipped || theirs.skipped;
  std::vector<lessons::Answer> all;
  for (const lessons::Answer& answer : theirs.answers) {
    if (std::find(mine.answers.begin(), mine.answers.end(), answer) == mine.answers.end()) all.push_back(answer);
  }
  all.insert(all.end(), mine.answers.begin(), mine.answers.end());
  if (all.size() > lessons::most_answers) all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(lessons::most_answers));
  mine.answers = std::move(all);
}

bool is_among(const lessons::Kept::Earlier& text, const std::vector<lessons::Kept::Earlier>& all) {
  return std::any_of(all.begin(), all.end(), [&](const auto& each) { return each.file == text.file; });
}

/// Both joined; of what only one can be, a control or a kernel, this one's.
lessons::Kept joined(lessons::Kept mine, const lessons::Kept& theirs) {
  mine.ran = mine.ran || theirs.ran;
  mine.looked = mine.looked || theirs.looked;
  mine.changed = mine.changed || theirs.changed;
  mine.passed = mine.passed || theirs.passed;
  for (const auto& [name, guess] : theirs.guesses) join_answers(mine.guesses[name], guess);
  for (const lessons::Kept::Earlier& text : theirs.earlier) {
    if (!is_among(text, mine.earlier)) mine.earlier.push_back(text);
  }
  std::sort(mine.earlier.begin(), mine.earlier.end(), [](const auto& a, const auto& b) { return a.file < b.file; });
  if (!mine.kernel && theirs.kernel) {
    mine.kernel = theirs.kernel;
    mine.folder = theirs.folder;
    mine.values = theirs.values;  // it was run with them
  }
  return mine;
}

Result<void> take_over(const lessons::Lesson& lesson, const fs::path& into, const fs::path& from) {
  const fs::path here = into / lessons::folder_of(lesson), there = from / lessons::folder_of(lesson);
  if (!lessons::is_there(there / "progress.toml") && !lessons::is_there(there / "kernel.cu")) return {};
  const lessons::Progress mine(into), theirs(from);
  auto other = theirs.load(lesson);
  const auto own = mine.load(lesson);
  if (!other) return failure(other.error());
  if (!own) return failure(own.error());
  // Where nothing was done here, the controls are the other one's, too.
  if (!lessons::is_there(there / "progress.toml")) other->values = own->values;  // only a kernel has stayed there
  const bool begun = lessons::is_there(here / "progress.toml") || own->kernel;
  const lessons::Kept both = begun ? joined(*own, *other) : *other;
  if (both != *own) {
    if (auto done = mine.save(lesson, both); !done) return done;
  }
  std::error_code none;
  fs::remove(there / "progress.toml", none);
  if (both.kernel == other->kernel) fs::remove(there / "kernel.cu", none);
  for (const lessons::Kept::Earlier& text : other->earlier) {
    const auto kept =
        std::find_if(both.earlier.begin(), both.earlier.end(), [&](const auto& each) { return each.file == text.file; });
    if (kept != both.earlier.end() && kept->kernel == text.kernel) fs::remove(there / "earlier" / text.file, none);
  }
  fs::remove(there / "earlier", none);
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
  Result<void> all;
  for (const lessons::Lesson* const lesson : lessons::lessons_and_exercises()) {
    if (auto done = take_over(*lesson, into, from); !done && all) all = std::move(done);
  }
  if (all) {
    for (const char* const file : {"desk.toml", "window.lock"}) fs::remove(from / file, none);
    fs::remove(from, none);  // if it is empty
  }
  return all;
}

}  // namespace warpbook::app
