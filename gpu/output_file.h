// OutputFile: a file that is written whole or not at all. Everything that Warpbook writes for a learner goes through it.
//
//     Result<void> written = write_file("race.csv", text);
//
//     auto file = OutputFile::open("field.gif");              // for what is made bit by bit
//     file->write(bytes);
//     Result<void> whole = file->close();
//
// The bytes go into a new file in the same folder, and close() gives it the name that was asked for. Whatever fails before that
// (a full disk, a limit on the size of files, the end of the program) leaves the file that stood there as it was. A link is
// followed, so that it stays a link; a file that is replaced keeps its permissions.
//
// A pipe or a character device (/dev/null, /dev/full) has no file beside it and is written to directly, and so is a file that is
// this program's own standard output or error (/dev/stdout). Nobody who does not take the bytes is waited for longer than
// `output_patience`.
//
// Writing into a pipe that nobody reads, or beyond a limit on sizes, sends a signal. The error below is had only where the process
// does not end by it (app/commands/standard_streams.h).
//
// Errors: "cannot_write": the name, the folder or its rights; "write_failed": there was no room, or the reader has gone.
#pragma once

#include <chrono>
#include <filesystem>
#include <span>
#include <string_view>

#include "gpu/result.h"

namespace warpbook {

inline constexpr std::chrono::seconds output_patience{30};

/// What a name of an output leads to.
struct OutputPlace {
  enum class Kind : std::uint8_t {
    file,        // there already, or to be made
    device,      // a pipe or a character device
    own_stream,  // this program's standard output or error
  };
  Kind kind = Kind::file;
  std::filesystem::path path;  // of a file: where it lies, all links followed, also those to nothing
  bool there = false;          // whether something is there
  int descriptor = -1;         // of own_stream: 1 or 2
};

/// Follows the name and says why nothing can be written there; nothing is opened or made. So a command knows before it begins to
/// work.
[[nodiscard]] Result<OutputPlace> place_of_output(const std::filesystem::path& file);

class OutputFile {
 public:
  [[nodiscard]] static Result<OutputFile> open(const std::filesystem::path& file);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  /// What was not closed is given up: nothing is left of it.
  ~OutputFile();

  /// After a failure nothing more is written.
  void write(std::string_view bytes);
  void write(std::span<const std::byte> bytes);
  /// The first failure so far.
  [[nodiscard]] Result<void> state() const;
  /// Gives the file its name, or returns the first failure. At most once, and nothing is written after it.
  [[nodiscard]] Result<void> close();

 private:
  OutputFile(std::filesystem::path asked, OutputPlace place) : asked_(std::move(asked)), place_(std::move(place)) {}
  [[nodiscard]] int begin();
  void give_up();

  std::filesystem::path asked_;  // as errors name it
  OutputPlace place_;
  std::filesystem::path fresh_;  // the file beside it; empty: there is none, or none any more
  int descriptor_ = -1;
  int problem_ = 0;  // errno of the first failure
};

/// The whole file at once.
[[nodiscard]] Result<void> write_file(const std::filesystem::path& file, std::string_view bytes);
[[nodiscard]] Result<void> write_file(const std::filesystem::path& file, std::span<const std::byte> bytes);

}  // namespace warpbook
