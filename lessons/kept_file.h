// KeptFile: reads and writes a file of a learner's saved work, without data loss and without blocking.
//
//     Result<std::optional<std::string>> text = read_kept(file);    // empty: there is no such file
//     if (auto done = write_kept(file, "ran = true\n"); !done) say(done.error().message);
//     Result<std::filesystem::path> aside = set_aside(file);        // FILE.damaged, or FILE.damaged2 where that is taken
//
// Only regular files up to a certain size are opened. A FIFO, a device, a folder, a dangling link or a file of hundreds of
// megabytes is an error and is never treated as an empty or a missing file. A file is written under a temporary name and then
// renamed, so that after a crash either the old or the new one is there. A symbolic link is followed and stays a link.
// Files that a learner names are written by gpu/output_file.h, which also handles pipes and devices and never removes other files.
// Here the folder belongs to Warpbook, and the next write reuses a temporary file that a crash has left behind.
// Errors are sentences: "unreadable_file"; "bad_file": nothing can be written.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "gpu/result.h"

namespace warpbook::lessons {

inline constexpr std::size_t most_kept_bytes = 16U << 20;

/// Whether the name exists, even as a dangling link.
[[nodiscard]] bool is_there(const std::filesystem::path& file);
[[nodiscard]] Result<std::optional<std::string>> read_kept(const std::filesystem::path& file, std::size_t most = most_kept_bytes);
/// Creates the folder if it is missing.
[[nodiscard]] Result<void> write_kept(const std::filesystem::path& file, std::string_view text);
/// Renames the file to an unused name, and returns that.
[[nodiscard]] Result<std::filesystem::path> set_aside(const std::filesystem::path& file);

}  // namespace warpbook::lessons
