// Progress: the learner's work in each lesson, saved in plain files so that nothing is lost if the program ends unexpectedly.
//
//     Progress progress(progress_directory());
//     Result<Kept> kept = progress.load(lesson);      // empty for a lesson that was never opened
//     progress.save(lesson, {.values = values, .kernel = text});
//
//     FOLDER/05_race_conditions/kernel.cu       the edited kernel; missing while it is the original one
//     FOLDER/05_race_conditions/progress.toml   controls, guesses, completed stages
//     FOLDER/01_first_kernel/exercises/square/  the same for an exercise, and whether it ever passed
//     FOLDER/playground/earlier/DAY_TIME….cu    a text of the playground that was replaced by opening a file
//     FOLDER/desk.toml                          the open lesson and the window's state
//
// Files are read and written by lessons/kept_file.h. Loading changes no file. Saving overwrites a file only if it holds what this
// object has last read or written, so that another process's changes are not lost. Values that a lesson no longer has or allows are
// ignored.
// Errors: "unreadable_file"; "damaged_file", until set_aside() is called; "changed_file": another process has changed the file;
// "bad_file": it cannot be written. After an error every file is complete, either old or new. Not thread-safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/result.h"
#include "lessons/lesson.h"
#include "lessons/page.h"

namespace warpbook::lessons {

/// A prediction, the settings for which it was made, and the result of a run with them. It does not change after `found` is set.
struct Answer {
  Values settings = {};                // of the lesson's controls
  std::optional<double> value = {};    // of a number; otherwise empty
  std::set<std::uint32_t> marks = {};  // the marked threads
  struct Found {
    double value = 0;
    int decimals = 0;  // as many as the page prints
    std::string unit = {};
    std::set<std::uint32_t> marks = {};  // the threads
    friend bool operator==(const Found&, const Found&) = default;
  };
  std::optional<Found> found = {};
  friend bool operator==(const Answer&, const Answer&) = default;
};
inline constexpr std::size_t most_answers = 20;  // per question; older ones are dropped

/// The saved state of a lesson.
struct Kept {
  Values values = {};
  std::optional<std::string> kernel = {};  // empty: the original
  std::string folder = {};                 // of the kernel's headers; empty: none
  struct Guess {
    std::vector<Answer> answers = {};  // oldest first
    bool skipped = false;              // the learner does not want to be asked
    friend bool operator==(const Guess&, const Guess&) = default;
  };
  std::map<std::string, Guess> guesses = {};          // by the name of the number or marking
  bool ran = false, looked = false, changed = false;  // ever
  bool quick = false;                                 // the last run was short enough to be repeated automatically
  bool more = false;                                  // controls that are not needed at first are shown as well
  bool passed = false;                                // of an exercise: it has passed at least once
  /// A text of the playground that was replaced by opening a file.
  struct Earlier {
    std::string file;    // file name in the folder "earlier": "2026-11-27_18-05-33_0f3a9c21.cu"
    std::string kernel;  // the text
    std::string folder;  // of its headers; empty: none
    Values values;       // of its last launch
    friend bool operator==(const Earlier&, const Earlier&) = default;
  };
  std::vector<Earlier> earlier = {};  // oldest first
  friend bool operator==(const Kept&, const Kept&) = default;
};
inline constexpr std::size_t most_earlier = 20;  // of these, the newest are offered; files of other processes stay

/// Whether the prediction was right: the number to the digits that the page prints, the choice, or exactly the threads. False if
/// there was no run yet.
[[nodiscard]] bool is_right(const Block& question, const Answer& answer);
/// Whether the newest answer with a result was wrong, so that the question should be asked again.
[[nodiscard]] bool is_missed(const Block& question, const std::vector<Answer>& answers);

/// What the learner has ever done in a lesson.
struct Done {
  bool predicted = false;  // every question of the page was answered or skipped
  bool ran = false, looked = false, changed = false;
  bool made = false;  // every exercise of the page has passed
};
/// `passed`: ids of all exercises that have ever passed.
[[nodiscard]] Done done_of(const Page& page, const Kept& kept, const std::set<std::string>& passed);
[[nodiscard]] bool made(const Page& page, const std::set<std::string>& passed);

struct StageDone {
  std::string_view name;  // of stage_names
  bool done = false;
};
/// The page's stages, and which of them are done. A run shows the answer, so it completes `predict` as well.
[[nodiscard]] std::vector<StageDone> stages_of(const Page& page, const Done& done);
/// Whether all stages are done. False for a page without stages.
[[nodiscard]] bool all_done(const std::vector<StageDone>& stages);

/// The saved state of the window.
struct KeptDesk {
  std::string lesson;                  // id; empty: none
  std::string profile;                 // of the virtual GPU; empty: the default
  std::string compiler = "automatic";  // gpu::name_of(CompilerChoice)
  std::string language = {};           // its code (gpu/language.h); empty: the desktop's
  bool light = false;
  double zoom = 1;                         // scale of everything, in addition to the display's
  bool rerun = true;                       // repeat a short experiment automatically when a control changes
  bool toured = false;                     // the first tour was finished or closed
  std::optional<bool> rail_folded = {};    // empty: the lesson decides
  std::optional<double> bench_width = {};  // CSS pixels; empty: the window decides
  friend bool operator==(const KeptDesk&, const KeptDesk&) = default;
};

class Progress {
 public:
  /// Moves work that was saved under a lesson's former id (catalog.h) to its present id, unless there is some already.
  explicit Progress(std::filesystem::path folder);

  [[nodiscard]] Result<Kept> load(const Lesson& lesson) const;
  /// Only the kernel, for when load() fails because of another file. Empty: the original.
  [[nodiscard]] Result<std::optional<std::string>> load_kernel(const Lesson& lesson) const;
  [[nodiscard]] Result<void> save(const Lesson& lesson, const Kept& kept) const;
  /// After a "damaged_file" error of load() or load_desk(): renames the file and returns its new name. The next load starts fresh.
  [[nodiscard]] Result<std::filesystem::path> set_aside(const Lesson& lesson) const;
  [[nodiscard]] Result<std::filesystem::path> set_desk_aside() const;
  /// Ids of the exercises that have ever passed.
  [[nodiscard]] Result<std::set<std::string>> passed() const;
  [[nodiscard]] Result<KeptDesk> load_desk() const;
  /// Keeps other settings in the file that can be read.
  [[nodiscard]] Result<void> save_desk(const KeptDesk& desk) const;

 private:
  /// Whether a file may be overwritten or removed: its contents are known to this object, or are already the wanted ones.
  [[nodiscard]] Result<void> may_change(const std::filesystem::path& file, std::string_view wanted) const;
  [[nodiscard]] Result<std::optional<std::string>> read(const std::filesystem::path& file) const;
  [[nodiscard]] Result<void> write(const std::filesystem::path& file, std::string_view text) const;

  std::filesystem::path folder_;
  mutable std::map<std::filesystem::path, std::string> known_;  // a lesson's files, as last read or written
};

/// $XDG_DATA_HOME/warpbook, or ~/.local/share/warpbook (XDG Base Directory Specification). Empty without a home directory.
[[nodiscard]] std::filesystem::path progress_directory();

}  // namespace warpbook::lessons
