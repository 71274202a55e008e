#include "app/session/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "lessons/kept_file.h"

namespace warpbook::app {
namespace {

std::filesystem::path lock_file(const std::filesystem::path& folder) { return folder / "window.lock"; }

constexpr int no_waiting = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;

/// What is locked, open: the lock file, or the folder where something else stands in the file's place. −1: neither can be opened.
int open_for_lock(const std::filesystem::path& folder, int create) {
  const std::string name = lock_file(folder).string();
  struct stat there {};
  const bool other = ::lstat(name.c_str(), &there) == 0 && !S_ISREG(there.st_mode);
  int file = other ? -1 : ::open(name.c_str(), O_RDWR | create | no_waiting, 0600);
  if (file < 0 && !other) file = ::open(name.c_str(), O_RDONLY | no_waiting);
  if (file < 0 && (other || create != 0)) file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return file;
}

/// Whether the lock file still is the one that was opened: who closes a window's folder removes it.
bool still_there(int file, const std::filesystem::path& folder) {
  struct stat opened {
  }, there{};
  if (::fstat(file, &opened) != 0 || S_ISDIR(opened.st_mode)) return true;
  return ::lstat(lock_file(folder).c_str(), &there) == 0 && opened.st_ino == there.st_ino && opened.st_dev == there.st_dev;
}

void write_number(int file) {
  struct stat opened {};
  if (::fstat(file, &opened) != 0 || !S_ISREG(opened.st_mode)) return;
  const std::string number = std::to_string(::getpid()) + "\n";
  // Where it fails, only the number is missing.
  if (::ftruncate(file, 0) == 0) static_cast<void>(!::write(file, number.data(), number.size()));
}

}  // namespace

std::optional<FolderLock> FolderLock::take(const std::filesystem::path& folder) {
  std::error_code none;
  std::filesystem::create_directories(folder, none);
  constexpr int tries = 10;
  for (int i = 0; i < tries; ++i) {
    FolderLock lock(open_for_lock(folder, O_CREAT));
    if (!lock.holds()) return lock;  // whoever writes there will say why that fails
    if (::flock(lock.file_, LOCK_EX | LOCK_NB) != 0) return errno == EWOULDBLOCK ? std::nullopt : std::optional(FolderLock(-1));
    if (!still_there(lock.file_, folder)) continue;
    write_number(lock.file_);
    return lock;
  }
  return std::nullopt;
}

std::optional<long> FolderLock::holder(const std::filesystem::path& folder) {
  const auto text = lessons::read_kept(lock_file(folder));
  if (!text || !*text) return std::nullopt;
  const long number = std::strtol((*text)->c_str(), nullptr, 10);
  return number > 0 ? std::optional(number) : std::nullopt;
}

bool FolderLock::is_taken(const std::filesystem::path& folder) {
  const FolderLock lock(open_for_lock(folder, 0));
  return lock.holds() && ::flock(lock.file_, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

FolderLock::FolderLock(FolderLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

FolderLock& FolderLock::operator=(FolderLock&& other) noexcept {
  std::swap(file_, other.file_);
  return *this;
}

FolderLock::~FolderLock() {
  if (file_ >= 0) ::close(file_);
}

}  // namespace warpbook::app
