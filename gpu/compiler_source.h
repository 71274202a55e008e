// The source that a compiler is given: a file with the headers of its folder, and the device code of both.
//
//     SourceAndHeaders whole{.source = source, .local = local_headers(source.text, source.folder)};
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

/// Longer sources are refused, because compiling them would only take time.
inline constexpr std::size_t most_source_bytes = std::size_t{16} << 20;
inline constexpr std::size_t most_ptx_bytes = std::size_t{32} << 20;

/// Whether the compiler can read the text as it is: UTF-8 without a byte order mark.
[[nodiscard]] bool is_readable(std::string_view text);
/// The same text, line by line, in a form that the compiler can read: without the byte order mark, and with each byte that is not
/// valid UTF-8 replaced, in a literal by an escape ("caf\351"), elsewhere by '?'. NVRTC refuses the mark and takes a byte 0xff for
/// the end of the file.
[[nodiscard]] std::string in_utf8(std::string_view text);

/// The message for a file of this size.
[[nodiscard]] std::string too_large_sentence(const std::string& file, std::uintmax_t bytes, std::size_t most);

/// A source and the headers of its folder: all that is compiled.
struct SourceAndHeaders {
  const Source& source;
  LocalHeaders local;

  [[nodiscard]] const LocalHeaders* searched_headers() const { return source.folder.empty() ? nullptr : &local; }
  [[nodiscard]] std::string explain(const std::vector<Diagnostic>& diagnostics) const {
    return gpu::explain(diagnostics, source.file, source.text, searched_headers());
  }
  [[nodiscard]] std::vector<std::string_view> header_texts() const {
    std::vector<std::string_view> texts;
    for (const Header& header : local.found) texts.emplace_back(header.text);
    return texts;
  }
  /// The texts joined, to search them for declarations.
  [[nodiscard]] std::string joined() const {
    std::string text = source.text;
    for (const Header& header : local.found) text += '\n' + header.text;
    return text;
  }
};

/// The texts that go to the child: the source's first, then its headers', as they are or without their host code.
using Texts = std::vector<std::string>;

[[nodiscard]] Texts texts_of(const SourceAndHeaders& whole);

/// The file's name, with every character replaced that could be misread in a compiler's messages.
[[nodiscard]] std::string plain_name(const std::string& file);

/// PTX names its sources relative to the working directory: `.file 1 "/add.cu"`. The learner's files get their own names back.
/// Other files are the toolkit's, and the toolkit's folder is cut off: "/include/cub/cub.cuh" (source_positions.h). `name`: the
/// source's plain_name().
[[nodiscard]] std::string with_own_file_names(std::string ptx, const std::string& name, const std::string& file,
                                              std::span<const Header> headers);

/// The header that could not be included. Empty: the failure has another reason.
[[nodiscard]] std::string missing_header(const CompileFailure& failure);

/// The device code of a source and of its headers.
class DeviceSides {
 public:
  /// Lines that the compiler refused, by the file name of the diagnostics.
  using Refused = std::map<std::string, std::set<int>>;

  DeviceSides(const SourceAndHeaders& whole, const std::vector<std::string>& missing, const Refused& refused = {});

  [[nodiscard]] Texts texts() const;
  [[nodiscard]] std::vector<std::string> names() const;  // of what was left out
  [[nodiscard]] bool nothing_left_out() const;
  [[nodiscard]] bool nothing_unmarked() const;
  [[nodiscard]] bool lacks(std::string_view word) const;
  [[nodiscard]] bool any_kernel() const;
  [[nodiscard]] std::vector<std::string> launches() const;  // instances of templates that host code launches
  /// Adds to `refused` the lines of declarations that were kept without a __device__ and that the compiler refused. Returns whether
  /// there were any.
  [[nodiscard]] bool add_refused(const std::vector<Diagnostic>& diagnostics, Refused& refused) const;
  /// Whether the line belongs to a declaration that was left out and that no word of `wanted` names.
  [[nodiscard]] bool left_out(const Diagnostic& at, const std::vector<std::string>& wanted) const;

 private:
  std::vector<std::string> files_;  // as diagnostics name them
  std::vector<DeviceSide> of_;
};

/// Why the device code does not compile: NVRTC's reason, or, if code that was left out is missing, a sentence about that. `all`:
/// NVRTC's failure for the complete source.
[[nodiscard]] CompileFailure why_not(CompileFailure device, const CompileFailure& all, const DeviceSides& sides,
                                     const std::vector<std::string>& missing, const SourceAndHeaders& whole);

}  // namespace warpbook::gpu
