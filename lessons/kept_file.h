// KeptFile: one file of a learner's work, read and written so that nothing in it is lost and nobody waits.
//
//     Result<std::optional<std::string>> text = read_kept(file);    // empty: there is no such file
//     if (auto done = write_kept(file, "ran = true\n"); !done) say(done.error().message);
//     Result<std::filesystem::path> aside = set_aside(file);        // FILE.damaged, or FILE.damaged2 where that is taken
//
// Only a regular file is opened, and only up to a size: a FIFO, a device, a folder, a link that leads nowhere, a file of hundreds
// of megabytes is an error, and never taken for an empty or an absent file. A file is written beside its place and renamed into
// it, so that a crash leaves the old one or the new one; a link is followed, and stays one.
// A file that a learner named is written by gpu/output_file.h: that one also takes pipes and devices, and removes nothing that lies
// beside it. Here the folder is Warpbook's own, and what a crash left of a write gives its name to the next one.
// Errors are sentences: "unreadable_file", "bad_file" where nothing can be written.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "gpu/result.h"

namespace warpbook::lessons {

inline constexpr std::size_t most_kept_bytes = 16U << 20;

/// Whether anything has this name, be it a link that leads nowhere.
[[nodiscard]] bool is_there(const std::filesystem::path& file);
[[nodiscard]] Result<std::optional<std::string>> read_kept(const std::filesystem::path& file, std::size_t most = most_kept_bytes);
/// Makes its folder where that is missing.
[[nodiscard]] Result<void> write_kept(const std::filesystem::path& file, std::string_view text);
/// Gives it a name that nothing has, and returns that.
[[nodiscard]] Result<std::filesystem::path> set_aside(const std::filesystem::path& file);

}  // namespace warpbook::lessons
