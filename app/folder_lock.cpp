#include "app/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>

namespace warpbook::app {
namespace {

std::filesystem::path lock_file(const std::filesystem::path& folder) { return folder / "window.lock"; }

}  // namespace

std::optional<FolderLock> FolderLock::take(const std::filesystem::path& folder) {
  std::error_code none;
  std::filesystem::create_directories(folder, none);
  const int file = ::open(lock_file(folder).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return FolderLock(-1);  // whoever writes there will say why that fails
  if (::flock(file, LOCK_EX | LOCK_NB) != 0) {
    const bool taken = errno == EWOULDBLOCK;
    ::close(file);
    return taken ? std::nullopt : std::optional<FolderLock>(FolderLock(-1));
  }
  const std::string number = std::to_string(::getpid()) + "\n";
  if (::ftruncate(file, 0) == 0 && ::write(file, number.data(), number.size()) < 0)
    return FolderLock(file);  // only the name is lost
  return FolderLock(file);
}

std::optional<long> FolderLock::holder(const std::filesystem::path& folder) {
  std::ifstream in(lock_file(folder));
  long number = 0;
  return in >> number ? std::optional(number) : std::nullopt;
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
