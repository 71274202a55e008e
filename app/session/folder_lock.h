// FolderLock: says that a window keeps its work in a folder, so that a second one does not write over it.
//
//     if (auto lock = FolderLock::take(folder)) …          // held until it is destroyed, or the process ends, however it ends
//     else say(FolderLock::holder(folder));                // the process that has it
//
// A file "window.lock" with the process's number, locked with flock; where that cannot be a file, the folder itself is locked.
// Where the file system knows no locks, everybody gets one that locks nothing. Nothing here waits for anybody.
#pragma once

#include <filesystem>
#include <optional>

namespace warpbook::app {

class FolderLock {
 public:
  /// Makes the folder where it is missing. Empty: another window has it.
  [[nodiscard]] static std::optional<FolderLock> take(const std::filesystem::path& folder);
  [[nodiscard]] static std::optional<long> holder(const std::filesystem::path& folder);
  /// Whether a window has it now. Changes nothing there.
  [[nodiscard]] static bool is_taken(const std::filesystem::path& folder);

  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&& other) noexcept;
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock();

  /// Whether it keeps others away; false: there was nothing to lock.
  [[nodiscard]] bool holds() const { return file_ >= 0; }

 private:
  explicit FolderLock(int file) : file_(file) {}
  int file_;  // −1: there was nothing to lock
};

}  // namespace warpbook::app
