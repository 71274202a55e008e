#include "gpu/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <utility>

namespace warpbook {
namespace {

namespace fs = std::filesystem;

constexpr int most_links = 40;  // the same limit as Linux

/// A complete sentence for each error that a learner can fix.
Error cannot_write(const fs::path& file, int problem) {
  const std::string name = file.string();
  switch (problem) {
    case ENOSPC:
    case EDQUOT:
      return {"write_failed",
              fmt::format("{} was not written: the disk is full. Make room, or name a file on another disk.", name)};
    case EFBIG:
      return {"write_failed", fmt::format("{} was not written: it is larger than a file may become here. 'ulimit -f' shows that "
                                          "limit.",
                                          name)};
    case EPIPE:
      return {"write_failed", fmt::format("{} was not written to its end: the program that read it has ended.", name)};
    case ETIMEDOUT:
      return {"write_failed",
              fmt::format("{} was not written to its end: the program that reads it has taken nothing for {} seconds.", name,
                          output_patience.count())};
    case EBADF:
      return {"write_failed", fmt::format("{} was not written: that stream is closed.", name)};
    case ENXIO:
      return {"cannot_write", fmt::format("{} is a pipe that nobody reads. Start the program that reads it first.", name)};
    case ENOENT:
    case ENOTDIR:
      return {"cannot_write", fmt::format("There is no folder {} to write {} into. Make it first, or is its name misspelt?",
                                          file.parent_path().string(), name)};
    case EISDIR:
      return {"cannot_write", fmt::format("{} is a folder, and a file is to be written. Name a file in it.", name)};
    case EACCES:
    case EPERM:
    case EROFS:
      return {"cannot_write",
              fmt::format("{} cannot be written: you may not write there. Name a file in a folder of yours.", name)};
    case ENAMETOOLONG:
      return {"cannot_write", fmt::format("{} cannot be written: its name is too long.", name)};
    case ELOOP:
      return {"cannot_write", fmt::format("{} cannot be written: it is a link that leads back to itself.", name)};
    case ENOTSUP:
      return {"cannot_write", fmt::format("{} is a disk or a socket, and a file is to be written. Name a file.", name)};
    default:
      return {"write_failed", fmt::format("{} was not written: {}.", name, std::strerror(problem))};
  }
}

/// Resolves links here, because the last one may lead to a file that does not exist yet.
std::optional<fs::path> without_links(fs::path file) {
  std::error_code problem;
  for (int links = 0; fs::is_symlink(fs::symlink_status(file, problem)); ++links) {
    if (links == most_links) return std::nullopt;
    const fs::path target = fs::read_symlink(file, problem);
    if (problem) return std::nullopt;
    file = target.is_absolute() ? target : file.parent_path() / target;
  }
  return file;
}

/// The standard stream that this file is, under whatever name. A file to which it is redirected must not be replaced while it is
/// written.
int own_stream(const struct stat& there) {
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat its {};
    if (fstat(descriptor, &its) == 0 && its.st_dev == there.st_dev && its.st_ino == there.st_ino) return descriptor;
  }
  return -1;
}

/// Waits until the descriptor accepts more bytes. Returns 0 or an errno.
int wait_for_reader(int descriptor) {
  const auto patience = std::chrono::duration_cast<std::chrono::milliseconds>(output_patience);
  pollfd reader{descriptor, POLLOUT, 0};
  const int ready = poll(&reader, 1, static_cast<int>(patience.count()));
  if (ready < 0) return errno == EINTR ? 0 : errno;
  if (ready == 0) return ETIMEDOUT;
  return (reader.revents & POLLERR) != 0 ? EPIPE : 0;
}

}  // namespace

Result<OutputPlace> place_of_output(const fs::path& file) {
  OutputPlace place{.kind = OutputPlace::Kind::file, .path = file};
  struct stat there {};
  place.there = stat(file.c_str(), &there) == 0;
  if (!place.there && errno != ENOENT) return failure(cannot_write(file, errno));
  if (place.there) {
    if (S_ISDIR(there.st_mode)) return failure(cannot_write(file, EISDIR));
    if (!S_ISCHR(there.st_mode)) place.descriptor = own_stream(there);
    if (place.descriptor >= 0) {
      place.kind = OutputPlace::Kind::own_stream;
      return place;
    }
    if (S_ISBLK(there.st_mode) || S_ISSOCK(there.st_mode)) return failure(cannot_write(file, ENOTSUP));
    if (access(file.c_str(), W_OK) != 0) return failure(cannot_write(file, errno));
    if (!S_ISREG(there.st_mode)) {
      place.kind = OutputPlace::Kind::device;
      return place;
    }
  }
  const auto real = without_links(file);
  if (!real) return failure(cannot_write(file, ELOOP));
  if (!real->has_filename()) return failure(cannot_write(file, EISDIR));
  const fs::path named = real->has_parent_path() ? real->parent_path() : fs::path(".");
  std::error_code missing;
  const fs::path folder = fs::canonical(named, missing);
  if (missing) return failure(cannot_write(file, missing.value()));
  if (!fs::is_directory(folder, missing)) return failure(cannot_write(file, ENOTDIR));
  if (access(folder.c_str(), W_OK | X_OK) != 0) return failure(cannot_write(file, errno));
  place.path = folder / real->filename();
  return place;
}

Result<OutputFile> OutputFile::open(const fs::path& file) {
  auto place = place_of_output(file);
  if (!place) return failure(place.error());
  OutputFile opened(file, std::move(*place));
  if (const int problem = opened.begin(); problem != 0) return failure(cannot_write(file, problem));
  return opened;
}

int OutputFile::begin() {
  switch (place_.kind) {
    case OutputPlace::Kind::own_stream:
      std::fflush(place_.descriptor == STDOUT_FILENO ? stdout : stderr);  // keeps the order with what was printed before
      descriptor_ = fcntl(place_.descriptor, F_DUPFD_CLOEXEC, 3);
      return descriptor_ < 0 ? errno : 0;
    case OutputPlace::Kind::device:
      // Without O_NONBLOCK, opening a pipe would block until it has a reader, and writing would block while it is full.
      descriptor_ = ::open(place_.path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
      return descriptor_ < 0 ? errno : 0;
    case OutputPlace::Kind::file:
      break;
  }
  struct stat before {};
  const bool replaces = stat(place_.path.c_str(), &before) == 0;
  static std::atomic<unsigned> count = 0;
  do {
    fresh_ = place_.path.parent_path() / fmt::format(".warpbook-{}-{}.new", getpid(), ++count);
    descriptor_ = ::open(fresh_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (descriptor_ < 0 && errno == EEXIST);
  if (descriptor_ < 0) {
    fresh_.clear();
    return errno;
  }
  if (replaces) {
    // Only root may change a file's owner. Other users keep it as their own, and set its group if they belong to it.
    if (fchown(descriptor_, before.st_uid, before.st_gid) != 0 && fchown(descriptor_, static_cast<uid_t>(-1), before.st_gid) != 0)
      before.st_mode &= ~static_cast<mode_t>(S_IRWXG);  // the former group's permissions must not go to another group
    (void)fchmod(descriptor_, before.st_mode & 0777);
  }
  return 0;
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : asked_(std::move(other.asked_)),
      place_(std::move(other.place_)),
      fresh_(std::exchange(other.fresh_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)),
      problem_(other.problem_) {}

OutputFile::~OutputFile() { give_up(); }

void OutputFile::give_up() {
  if (descriptor_ >= 0) (void)::close(std::exchange(descriptor_, -1));
  if (!fresh_.empty()) (void)unlink(std::exchange(fresh_, {}).c_str());
}

void OutputFile::write(std::string_view bytes) {
  constexpr std::size_t most = std::size_t{1} << 30;  // per call; Linux writes at most 2 GiB at once
  while (problem_ == 0 && !bytes.empty()) {
    const ssize_t taken = ::write(descriptor_, bytes.data(), std::min(bytes.size(), most));
    if (taken > 0)
      bytes.remove_prefix(static_cast<std::size_t>(taken));
    else if (taken < 0 && errno == EAGAIN)
      problem_ = wait_for_reader(descriptor_);
    else if (taken == 0 || errno != EINTR)
      problem_ = taken == 0 ? EIO : errno;
  }
}

void OutputFile::write(std::span<const std::byte> bytes) {
  write(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

Result<void> OutputFile::state() const {
  if (problem_ != 0) return failure(cannot_write(asked_, problem_));
  return {};
}

Result<void> OutputFile::close() {
  if (problem_ == 0 && ::close(std::exchange(descriptor_, -1)) != 0)
    problem_ = errno;  // some file systems report a full disk only here
  if (problem_ == 0 && !fresh_.empty()) {
    if (std::rename(fresh_.c_str(), place_.path.c_str()) == 0)
      fresh_.clear();
    else
      problem_ = errno;
  }
  give_up();
  return state();
}

Result<void> write_file(const fs::path& file, std::string_view bytes) {
  auto out = OutputFile::open(file);
  if (!out) return failure(out.error());
  out->write(bytes);
  return out->close();
}

Result<void> write_file(const fs::path& file, std::span<const std::byte> bytes) {
  return write_file(file, std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

}  // namespace warpbook
