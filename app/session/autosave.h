// Keeper: carries what the learner does into files while it happens, and back when a lesson is opened.
//
//     Keeper keeper(lessons::progress_directory());     // an empty path: nothing is kept
//     keeper.restore(session);                          // the open lesson, when it was opened for the first time
//     keeper.poll(session, now);                        // writes what has changed, twice a second at most
//
// Two windows on one folder: the second one keeps everything in a folder of its own within it, window_2, and reads there what it
// kept before, and for the rest what the first one has. Neither writes into the other's files; the page says so. The next window
// that is alone takes over what the second one kept (second_window.h).
//
// A window moves into such a folder of its own, too, when it meets a file that it did not write, or cannot read, where it would
// write: that file stays, and so does what the learner types. What cannot be written is tried again until it can be;
// Session::not_kept says so until then, and Workbook::close() asks. What cannot be read is said in Session::not_read.
//
// The drawing thread's: its files are a few kilobytes, and nothing else is waited for (lessons/kept_file.h).
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

class Keeper {
 public:
  explicit Keeper(std::filesystem::path folder);

  /// Where this window keeps its work; empty: nowhere.
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  /// Of another window's work on the same folder, as a sentence; empty: there is none.
  [[nodiscard]] std::string of_other_windows() const;

  void restore(Session& session);
  void survey(Session& session);            // how far the learner has come in every lesson, for the rail
  void poll(Session& session, double now);  // seconds
  void write(Session& session);             // at once
  /// Seconds until poll() has something to look at again; empty: not before something happens.
  [[nodiscard]] std::optional<double> wait(double now) const;

 private:
  [[nodiscard]] Result<lessons::Kept> load(const lessons::Lesson& lesson, Session& session);
  [[nodiscard]] Result<void> write(Session& session, const lessons::Lesson& lesson, const LessonState& state);
  [[nodiscard]] Result<void> write_desk(const Session& session);
  /// Into another folder of its own, because something stands in the way in this one; false: there is none to be had.
  [[nodiscard]] bool move_away(Session& session, const Error& why);
  [[nodiscard]] std::filesystem::path window_folder(int number) const;
  [[nodiscard]] bool may_be_window_folder(int number) const;

  std::filesystem::path shared_, folder_;  // of all windows, and of this one
  int number_ = 1;                         // 2: it keeps its work in window_2
  std::optional<FolderLock> lock_;
  std::vector<std::string> problems_;             // from the start, as sentences
  std::optional<lessons::Progress> progress_;     // in folder_
  std::map<std::string, lessons::Kept> written_;  // by lesson
  std::optional<lessons::KeptDesk> desk_;
  double next_look_ = 0;
  bool look_again_ = false;
};

}  // namespace warpbook::app
