#include "lessons/kept_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>  // declares renameat2, which <cstdio> does not
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace warpbook::lessons {
namespace {

namespace fs = std::filesystem;

constexpr int most_names = 100;  // limit of attempts to find an unused name

std::string reason(int number) { return std::generic_category().message(number); }

tl::unexpected<Error> unreadable(const fs::path& file, std::string_view why) {
  return failure("unreadable_file", fmt::format("{} cannot be read: {}. It is left as it is.", file.string(), why));
}

/// What a path is instead of a regular file. Empty: it is one.
std::string_view instead_of_file(mode_t mode) {
  if (S_ISREG(mode)) return {};
  if (S_ISDIR(mode)) return "it is a folder";
  if (S_ISFIFO(mode)) return "it is a named pipe";
  if (S_ISSOCK(mode)) return "it is a socket";
  return "it is a device";
}

/// An open file, closed by the destructor.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  [[nodiscard]] int number() const { return number_; }
  /// Returns 0 or an errno.
  int close() { return ::close(std::exchange(number_, -1)) == 0 ? 0 : errno; }

 private:
  int number_;
};

Result<void> no_writing(const fs::path& file, int number) {
  const bool full = number == ENOSPC || number == EDQUOT, refused = number == EACCES || number == EPERM || number == EROFS;
  return failure("bad_file", fmt::format("{} cannot be written: {}.{}", file.string(), reason(number),
                                         full      ? " Free some space on the disk."
                                         : refused ? " Check whether the folder is yours, and whether it can be written to."
                                                   : " Check what stands in that place."));
}

/// Returns 0 or an errno.
int write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t wrote = ::write(file, text.data(), text.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return wrote < 0 ? errno : EIO;
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return 0;
}

/// An unused name beside the file. Temporary files left by a crash are removed.
fs::path fresh_name(const fs::path& file) {
  fs::path fresh = file;
  fresh += ".new";
  for (int number = 2; number < most_names; ++number) {
    struct stat there {};
    if (::lstat(fresh.c_str(), &there) != 0 || (S_ISREG(there.st_mode) && ::unlink(fresh.c_str()) == 0)) break;
    fresh = file;
    fresh += fmt::format(".new{}", number);
  }
  return fresh;
}

}  // namespace

bool is_there(const fs::path& file) {
  struct stat there {};
  return ::lstat(file.c_str(), &there) == 0;
}

Result<std::optional<std::string>> read_kept(const fs::path& file, std::size_t most) {
  struct stat status {};
  if (::lstat(file.c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    return unreadable(file, reason(errno));
  }
  if (::stat(file.c_str(), &status) != 0)
    return unreadable(file, errno == ENOENT ? "it is a link to a file that does not exist" : reason(errno));
  if (const auto instead = instead_of_file(status.st_mode); !instead.empty()) return unreadable(file, instead);
  const auto too_large = [&] { return unreadable(file, fmt::format("it is larger than {} MiB", most >> 20U)); };
  if (static_cast<std::size_t>(status.st_size) > most) return too_large();
  // The path may have been replaced since it was checked, so that opening and reading must not block either.
  const Descriptor in(::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (in.number() < 0 || ::fstat(in.number(), &status) != 0) return unreadable(file, reason(errno));
  if (const auto instead = instead_of_file(status.st_mode); !instead.empty()) return unreadable(file, instead);
  std::string text;
  std::array<char, 1U << 16U> part{};
  for (;;) {
    const ssize_t got = ::read(in.number(), part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return unreadable(file, reason(errno));
    if (got == 0) return text;
    text.append(part.data(), static_cast<std::size_t>(got));
    if (text.size() > most) return too_large();  // it has grown since, or its size was unknown
  }
}

Result<void> write_kept(const fs::path& file, std::string_view text) {
  if (text.size() > most_kept_bytes) {
    return failure("bad_file",
                   fmt::format("{} cannot be written: it would be larger than {} MiB.", file.string(), most_kept_bytes >> 20U));
  }
  std::error_code failed;
  fs::create_directories(file.parent_path(), failed);
  if (failed) return no_writing(file, failed.value());
  fs::path place = file;
  struct stat old {};
  if (::lstat(file.c_str(), &old) == 0 && S_ISLNK(old.st_mode)) place = fs::canonical(file, failed);
  if (failed) return no_writing(file, failed.value());
  const fs::path fresh = fresh_name(place);
  Descriptor out(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (out.number() < 0) return no_writing(file, errno);
  if (::stat(place.c_str(), &old) == 0) static_cast<void>(::fchmod(out.number(), old.st_mode & 07777U));
  int problem = write_all(out.number(), text);
  if (const int closing = out.close(); problem == 0) problem = closing;
  if (problem == 0 && ::rename(fresh.c_str(), place.c_str()) != 0) problem = errno;
  if (problem == 0) return {};
  ::unlink(fresh.c_str());
  return no_writing(file, problem);
}

Result<fs::path> set_aside(const fs::path& file) {
  int problem = EEXIST;
  for (int number = 1; number < most_names && problem == EEXIST; ++number) {
    fs::path aside = file;
    aside += number == 1 ? std::string(".damaged") : fmt::format(".damaged{}", number);
    if (::renameat2(AT_FDCWD, file.c_str(), AT_FDCWD, aside.c_str(), RENAME_NOREPLACE) == 0) return aside;
    problem = errno;
    // If the file system does not support RENAME_NOREPLACE, check first.
    if (problem == EINVAL && !is_there(aside)) problem = ::rename(file.c_str(), aside.c_str()) == 0 ? 0 : errno;
    if (problem == 0) return aside;
    if (problem == EINVAL) problem = EEXIST;
  }
  return failure("bad_file", fmt::format("{} cannot be renamed: {}.", file.string(), reason(problem)));
}

}  // namespace warpbook::lessons
