// FolderLock: says that a window saves its work in a folder, so that a second window does not write over it.
//
//     if (auto lock = FolderLock::take(folder)) …          // held until it is destroyed or the process ends, however it ends
//     else say(FolderLock::holder(folder));                // the process that holds it
//
// It locks a file "window.lock", which contains the process's number, with flock; if that file cannot be made, it locks the folder
// itself. On a file system without locks, every window gets a lock that locks nothing. No function waits for a lock.
#pragma once

#include <filesystem>
#include <optional>

namespace warpbook::app {

class FolderLock {
 public:
  /// Makes the folder if it is missing. Empty: another window holds the lock.
  [[nodiscard]] static std::optional<FolderLock> take(const std::filesystem::path& folder);
  [[nodiscard]] static std::optional<long> holder(const std::filesystem::path& folder);
  /// Whether a window holds it now. Changes nothing in the folder.
  [[nodiscard]] static bool is_taken(const std::filesystem::path& folder);

  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&& other) noexcept;
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock();

  /// Whether it excludes others; false: there was nothing to lock.
  [[nodiscard]] bool holds() const { return file_ >= 0; }

 private:
  explicit FolderLock(int file) : file_(file) {}
  int file_;  // −1: there was nothing to lock
};

}  // namespace warpbook::app
