// SourcePositions: from .loc directives to the line of the learner's file that each instruction came from.
//
//     std::uint32_t id = positions.add(file, line, column, inlined_at);   // at each .loc
//     positions.resolve(module.files, id)                                 // once all .file directives are known
//
// Code that was inlined from a toolkit header belongs to the line that called it, so resolve() walks .loc's `inlined_at` outward
// until it leaves the headers. A file is a header if its name says so (.h, .hpp, .hxx, .inl) or it lies in an
// include folder (the toolkit's); the rest is the learner's.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace warpbook::gpu::ptx {

inline constexpr std::uint32_t no_location = 0xffffffffu;

struct Location {
  std::uint32_t file = 0, line = 0, column = 0;
  friend auto operator<=>(const Location&, const Location&) = default;
};

class SourcePositions {
 public:
  /// `caller` {0, 0, 0}: not inlined. The caller is a position whose own .loc may be inlined in turn.
  [[nodiscard]] std::uint32_t add(const Location& at, const Location& caller);
  /// A new function: positions of earlier ones no longer answer for inlined_at.
  void begin_function() { latest_.clear(); }
  [[nodiscard]] Location resolve(const std::vector<std::string>& files, std::uint32_t id) const;
  /// The code itself stands in a toolkit header, whoever called it.
  [[nodiscard]] bool in_toolkit(const std::vector<std::string>& files, std::uint32_t id) const;

 private:
  struct Entry {
    Location at;
    Location caller;
    std::uint32_t caller_entry = no_location;
  };
  std::vector<Entry> entries_;
  std::map<Location, std::uint32_t> latest_;
};

[[nodiscard]] bool is_header(std::string_view file);

/// Cuts the working directory off: the folder of the first file that is no header.
void strip_working_directory(std::vector<std::string>& files);

}  // namespace warpbook::gpu::ptx
