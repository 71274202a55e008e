// Autosave: writes the learner's work into files as it changes, and reads it back when a lesson is opened.
//
//     Autosave autosave(lessons::progress_directory());     // an empty path: nothing is saved
//     autosave.restore(session);                            // after a lesson was opened for the first time
//     autosave.poll(session, now);                          // each frame; looks for changes twice a second at most
//
// Two windows on one folder: the second one writes into a subfolder, window_2. What it does not find there, it reads from the first
// one's files. Neither writes into the other's files, and the page says so. The next window that has the folder to itself takes
// over what lies in window_2 (second_window.h).
//
// A window moves into such a subfolder, too, when a file that it wants to write has been changed by another program or cannot be
// read: that file stays as it is, and the learner's work is saved nevertheless. A write that fails is repeated until it succeeds;
// meanwhile Session::not_kept says so, and Workbook::close() asks. Session::not_read says what could not be read.
//
// Used on the thread that draws: the files are a few kilobytes (lessons/kept_file.h).
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/session/folder_lock.h"
#include "app/session/session.h"
#include "lessons/progress.h"

namespace warpbook::app {

class Autosave {
 public:
  explicit Autosave(std::filesystem::path folder);

  /// Where this window saves; empty: it does not.
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  /// That another window works on the same folder, as a sentence; empty: none does.
  [[nodiscard]] std::string of_other_windows() const;

  void restore(Session& session);
  void survey(Session& session);            // reads how far the learner has come in every lesson, for the rail
  void poll(Session& session, double now);  // seconds
  void write(Session& session);             // at once
  /// Seconds until poll() is to be called again; empty: only after an event.
  [[nodiscard]] std::optional<double> wait(double now) const;

 private:
  [[nodiscard]] Result<lessons::Kept> load(const lessons::Lesson& lesson, Session& session);
  [[nodiscard]] Result<void> write(Session& session, const lessons::Lesson& lesson, const LessonState& state);
  [[nodiscard]] Result<void> write_desk(const Session& session);
  /// Saves into another subfolder from now on, because `why` prevents writing here; false: no other one is available.
  [[nodiscard]] bool move_away(Session& session, const Error& why);
  [[nodiscard]] std::filesystem::path window_folder(int number) const;
  [[nodiscard]] bool may_be_window_folder(int number) const;

  std::filesystem::path shared_, folder_;  // of all windows; of this one
  int number_ = 1;                         // 2: it saves into window_2
  std::optional<FolderLock> lock_;
  std::vector<std::string> problems_;             // from the start, as sentences
  std::optional<lessons::Progress> progress_;     // in folder_
  std::map<std::string, lessons::Kept> written_;  // by lesson
  std::optional<lessons::KeptDesk> desk_;
  double next_look_ = 0;
  bool look_again_ = false;
};

}  // namespace warpbook::app
