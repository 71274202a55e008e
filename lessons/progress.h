// Progress: what a learner leaves behind in each lesson, kept in plain files so that nothing is lost when the program ends, however
// it ends.
//
//     Progress progress(progress_directory());
//     Result<Kept> kept = progress.load(lesson);      // what was kept; empty for a lesson never opened
//     progress.save(lesson, {.values = values, .kernel = text});
//
//     FOLDER/05_race_conditions/kernel.cu       the kernel as edited; absent while it is the one that comes with the lesson
//     FOLDER/05_race_conditions/progress.toml   controls, guesses, what was done
//     FOLDER/01_first_kernel/exercises/square/  the same of an exercise, and whether it ever passed
//     FOLDER/playground/earlier/DAY_TIME….cu    a text that stood in the playground before a file was opened there
//     FOLDER/desk.toml                          which lesson was open, and how the window looked
//
// Files are read and written as lessons/kept_file.h says. Loading changes none. Saving writes over a lesson's file only where that
// holds what this object has read or written last: nobody else's kernel is lost. Values that a lesson no longer has, or no longer
// allows, are left out.
// Errors: "unreadable_file"; "damaged_file", until set_aside(); "changed_file", somebody else wrote what would be written over;
// "bad_file", nothing can be written. Whatever fails, all files are as they were, or as they were to be. Not thread-safe.
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

/// A prediction, what it was given for, and what a run with that gave. Once there is `found`, nothing of it changes any more.
struct Answer {
  Values settings = {};                // the lesson's controls
  std::optional<double> value = {};    // of a number, or
  std::set<std::uint32_t> marks = {};  // threads marked by hand
  struct Found {
    double value = 0;
    int decimals = 0;  // as the page prints it
    std::string unit = {};
    std::set<std::uint32_t> marks = {};  // of threads
    friend bool operator==(const Found&, const Found&) = default;
  };
  std::optional<Found> found = {};
  friend bool operator==(const Answer&, const Answer&) = default;
};
inline constexpr std::size_t most_answers = 20;  // to one question, the newest, are kept

/// A lesson as the learner left it.
struct Kept {
  Values values = {};
  std::optional<std::string> kernel = {};  // empty: as it comes
  std::string folder = {};                 // that the kernel's headers lie in; empty: none
  struct Guess {
    std::vector<Answer> answers = {};  // oldest first
    bool skipped = false;              // the learner does not want to be asked
    friend bool operator==(const Guess&, const Guess&) = default;
  };
  std::map<std::string, Guess> guesses = {};          // by the number's or marking's name
  bool ran = false, looked = false, changed = false;  // ever
  bool quick = false;                                 // its last run was short enough to be made again unasked
  bool more = false;                                  // controls that are not needed at first are shown, too
  bool passed = false;                                // ever; of an exercise
  /// A playground's text that an opened file took the place of.
  struct Earlier {
    std::string file;    // its name in the folder "earlier": "2026-11-27_18-05-33_0f3a9c21.cu"
    std::string kernel;  // the text
    std::string folder;  // of its headers; empty: none
    Values values;       // what it was launched with
    friend bool operator==(const Earlier&, const Earlier&) = default;
  };
  std::vector<Earlier> earlier = {};  // oldest first
  friend bool operator==(const Kept&, const Kept&) = default;
};
inline constexpr std::size_t most_earlier = 20;  // the newest are offered again; the files of others stay

/// Whether a run found what was predicted: the number to the digits that the page prints, the choice, or the very threads. False
/// where no run has told it yet.
[[nodiscard]] bool is_right(const Block& question, const Answer& answer);
/// Whether the newest answer that a run has told about was wrong: then the question is worth asking again.
[[nodiscard]] bool is_missed(const Block& question, const std::vector<Answer>& answers);

/// What the learner has done of a lesson, ever.
struct Done {
  bool predicted = false;  // every guess that the page asks for is given, or skipped
  bool ran = false, looked = false, changed = false;
  bool made = false;  // every exercise of the page has passed
};
/// `passed`: ids of the exercises that ever did.
[[nodiscard]] Done done_of(const Page& page, const Kept& kept, const std::set<std::string>& passed);
[[nodiscard]] bool made(const Page& page, const std::set<std::string>& passed);

struct StageDone {
  std::string_view name;  // of stage_names
  bool done = false;
};
/// The stages that a page has, and which of them are done. A run ends the question, so it ends predicting, too.
[[nodiscard]] std::vector<StageDone> stages_of(const Page& page, const Done& done);
/// Whether all of them are; a page without stages is never done.
[[nodiscard]] bool all_done(const std::vector<StageDone>& stages);

/// The window as the learner left it.
struct KeptDesk {
  std::string lesson;   // id; empty: none
  std::string profile;  // of the virtual GPU; empty: the default
  std::string compiler = "automatic";  // gpu::name_of(CompilerChoice)
  bool light = false;
  double zoom = 1;                         // the size of everything, beside the display's scale
  bool rerun = true;                       // a quick experiment runs again when a control changes
  bool toured = false;                     // the first tour was gone through, or closed
  std::optional<bool> rail_folded = {};    // empty: as the lesson has it
  std::optional<double> bench_width = {};  // CSS pixels; empty: as the window has it
  friend bool operator==(const KeptDesk&, const KeptDesk&) = default;
};

class Progress {
 public:
  /// What lies under a lesson's former id (catalog.h) is moved to the present one, unless something lies there already.
  explicit Progress(std::filesystem::path folder);

  [[nodiscard]] Result<Kept> load(const Lesson& lesson) const;
  /// The kernel alone, where load() fails for what lies beside it; empty: as it comes.
  [[nodiscard]] Result<std::optional<std::string>> load_kernel(const Lesson& lesson) const;
  [[nodiscard]] Result<void> save(const Lesson& lesson, const Kept& kept) const;
  /// After "damaged_file" of load(), or of load_desk(): the file gets another name, which is returned, and the next load begins
  /// anew.
  [[nodiscard]] Result<std::filesystem::path> set_aside(const Lesson& lesson) const;
  [[nodiscard]] Result<std::filesystem::path> set_desk_aside() const;
  /// Ids of the exercises that ever passed.
  [[nodiscard]] Result<std::set<std::string>> passed() const;
  [[nodiscard]] Result<KeptDesk> load_desk() const;
  /// Over whatever settings can be read there.
  [[nodiscard]] Result<void> save_desk(const KeptDesk& desk) const;

 private:
  /// Whether a file may be written over, or removed: it holds what this object knows of, or already what is wanted.
  [[nodiscard]] Result<void> may_change(const std::filesystem::path& file, std::string_view wanted) const;
  [[nodiscard]] Result<std::optional<std::string>> read(const std::filesystem::path& file) const;
  [[nodiscard]] Result<void> write(const std::filesystem::path& file, std::string_view text) const;

  std::filesystem::path folder_;
  mutable std::map<std::filesystem::path, std::string> known_;  // a lesson's files, as they were read or written last
};

/// $XDG_DATA_HOME/warpbook, or ~/.local/share/warpbook (XDG Base Directory Specification); empty without a home.
[[nodiscard]] std::filesystem::path progress_directory();

}  // namespace warpbook::lessons
