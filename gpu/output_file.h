// OutputFile: a file that is written completely or not at all. Everything that Warpbook writes for a learner goes through it.
//
//     Result<void> written = write_file("race.csv", text);
//
//     auto file = OutputFile::open("field.gif");              // for contents that are written in pieces
//     file->write(bytes);
//     Result<void> whole = file->close();
//
// The bytes go into a temporary file in the same folder, and close() renames it. If anything fails before that (a full disk, a
// limit on file size, the end of the program), the old file stays as it was. A symbolic link is followed and stays a link. A
// replaced file keeps its permissions.
//
// A pipe or a character device (/dev/null, /dev/full) is written to directly, because it cannot be replaced. So is this program's
// standard output or error (/dev/stdout). A reader that takes no bytes is waited for at most `output_patience`.
//
// Writing into a pipe without a reader, or beyond a limit on file size, raises a signal. The errors below are returned only if the
// process ignores that signal (app/commands/standard_streams.h).
//
// Errors: "cannot_write": the name, the folder or its permissions are wrong; "write_failed": there was no space, or the reader has
// gone.
#pragma once

#include <chrono>
#include <filesystem>
#include <span>
#include <string_view>

#include "gpu/result.h"

namespace warpbook {

inline constexpr std::chrono::seconds output_patience{30};

/// Where an output's name leads.
struct OutputPlace {
  enum class Kind : std::uint8_t {
    file,        // a regular file, existing or new
    device,      // a pipe or a character device
    own_stream,  // this program's standard output or error
  };
  Kind kind = Kind::file;
  std::filesystem::path path;  // of a file: with all links followed, including those to missing files
  bool there = false;          // whether it exists
  int descriptor = -1;         // of own_stream: 1 or 2
};

/// Resolves the name and reports if nothing can be written there, without opening or creating anything, so that a command can fail
/// before it begins to work.
[[nodiscard]] Result<OutputPlace> place_of_output(const std::filesystem::path& file);

class OutputFile {
 public:
  [[nodiscard]] static Result<OutputFile> open(const std::filesystem::path& file);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  /// A file that was not closed is discarded.
  ~OutputFile();

  /// Does nothing after a failure.
  void write(std::string_view bytes);
  void write(std::span<const std::byte> bytes);
  /// The first failure, if any.
  [[nodiscard]] Result<void> state() const;
  /// Renames the file, or returns the first failure. Call it at most once, and write nothing afterwards.
  [[nodiscard]] Result<void> close();

 private:
  OutputFile(std::filesystem::path asked, OutputPlace place) : asked_(std::move(asked)), place_(std::move(place)) {}
  [[nodiscard]] int begin();
  void give_up();

  std::filesystem::path asked_;  // the name that errors show
  OutputPlace place_;
  std::filesystem::path fresh_;  // the temporary file; empty: there is none
  int descriptor_ = -1;
  int problem_ = 0;  // errno of the first failure
};

/// Writes a whole file at once.
[[nodiscard]] Result<void> write_file(const std::filesystem::path& file, std::string_view bytes);
[[nodiscard]] Result<void> write_file(const std::filesystem::path& file, std::span<const std::byte> bytes);

}  // namespace warpbook
