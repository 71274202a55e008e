// What the compiler is given: a source with the headers of its folder, and of both what is the device's side.
//
//     Whole whole{.source = source, .local = local_headers(source.text, source.folder)};
//     DeviceSides sides(whole, missing_headers);
//     compile(sides.texts());
//
// For compiler.cpp alone.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/compiler.h"
#include "gpu/compiler_log.h"
#include "gpu/device_side.h"

namespace warpbook::gpu {

/// More than any source that people write; reading and compiling what is larger would only take time.
inline constexpr std::size_t most_source_bytes = std::size_t{16} << 20;
inline constexpr std::size_t most_ptx_bytes = std::size_t{32} << 20;

/// Whether the compiler can read the text as it is: UTF-8 without a byte order mark.
[[nodiscard]] bool is_readable(std::string_view text);
/// A text that it can read, with the same lines: without the mark, and with each byte that is no UTF-8 written as an escape where it
/// stands in a string ("caf\351"), and as '?' in a comment. NVRTC refuses the mark, and takes a byte 0xff for the file's end.
[[nodiscard]] std::string in_utf8(std::string_view text);

/// Of a file of so many bytes.
[[nodiscard]] std::string too_large_sentence(const std::string& file, std::uintmax_t bytes, std::size_t most);

/// A source and the headers of its folder: all that is compiled.
struct Whole {
  const Source& source;
  LocalHeaders local;

  [[nodiscard]] const LocalHeaders* looked() const { return source.folder.empty() ? nullptr : &local; }
  [[nodiscard]] std::string explain(const std::vector<Diagnostic>& diagnostics) const {
    return gpu::explain(diagnostics, source.file, source.text, looked());
  }
  [[nodiscard]] std::vector<std::string_view> header_texts() const {
    std::vector<std::string_view> texts;
    for (const Header& header : local.found) texts.emplace_back(header.text);
    return texts;
  }
  /// One after the other, for those who read declarations.
  [[nodiscard]] std::string joined() const {
    std::string text = source.text;
    for (const Header& header : local.found) text += '\n' + header.text;
    return text;
  }
};

/// What goes to the child: the source's text first, then its headers', as they are or without what is the host's.
using Texts = std::vector<std::string>;

[[nodiscard]] Texts texts_of(const Whole& whole);

/// The file's own name in characters that no compiler's message can be misread for.
[[nodiscard]] std::string plain_name(const std::string& file);

/// `.file 1 "/add.cu"` of PTX names the working directory; the learner's files get their own names back. The others are the
/// toolkit's, whose folder is hidden: "/include/cub/cub.cuh" (source_positions.h). `name`: the source's plain_name().
[[nodiscard]] std::string with_own_file_names(std::string ptx, const std::string& name, const std::string& file,
                                              std::span<const Header> headers);

/// The header that could not be included; empty: something else was wrong.
[[nodiscard]] std::string missing_header(const CompileFailure& failure);

/// The device's side of a source and of its headers.
class DeviceSides {
 public:
  /// By file, as diagnostics name it: lines that were refused.
  using Refused = std::map<std::string, std::set<int>>;

  DeviceSides(const Whole& whole, const std::vector<std::string>& missing, const Refused& refused = {});

  [[nodiscard]] Texts texts() const;
  [[nodiscard]] std::vector<std::string> names() const;  // of what was left out
  [[nodiscard]] bool nothing_left_out() const;
  [[nodiscard]] bool nothing_unmarked() const;
  [[nodiscard]] bool lacks(std::string_view word) const;
  [[nodiscard]] bool any_kernel() const;
  [[nodiscard]] std::vector<std::string> launches() const;  // of templates
  /// Adds the lines of what was left in without a __device__ and was refused. Whether there were any.
  [[nodiscard]] bool add_refused(const std::vector<Diagnostic>& diagnostics, Refused& refused) const;
  /// Whether the line was left out as something that no word of `wanted` names.
  [[nodiscard]] bool left_out(const Diagnostic& at, const std::vector<std::string>& wanted) const;

 private:
  std::vector<std::string> files_;  // as diagnostics name them
  std::vector<DeviceSide> of_;
};

/// Why the device's code does not compile: what NVRTC said of it, and where that is for want of something that was left out, that.
/// `all`: what it said of all the source.
[[nodiscard]] CompileFailure why_not(CompileFailure device, const CompileFailure& all, const DeviceSides& sides,
                                     const std::vector<std::string>& missing, const Whole& whole);

}  // namespace warpbook::gpu
