// Source variables: the values of a kernel's own variables where a replay stands, lane by lane.
//
//     const SourceVariables here(debug, replay, {.warp = warp, .grid = grid, .block = block, .source = text});
//     for (const SourceLevel& level : here.levels())                   // the innermost call first, the kernel last
//       for (const ScopedVariable& v : level.variables)                // all of the function's, in the source's order
//         show(v.variable->name, here.value(level, v));
//     std::optional<LaneValues> element = here.evaluate(level, "a[i + 1]");
//
// A lane that is not known says why: its variable was not computed yet, is out of scope where the lane stands, was kept nowhere by
// the compiler, or lies in memory that nobody has written or recorded.
//
// Debug information, replay and source must outlive it; the replay must not move meanwhile.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/debug_info.h"
#include "gpu/history.h"
#include "gpu/source_expressions.h"
#include "gpu/types.h"

namespace warpbook::gpu {

/// A variable of a function and the block that declares it.
struct ScopedVariable {
  const DebugVariable* variable = nullptr;
  const DebugScope* scope = nullptr;
  int depth = 0;  // of the block: 0 the parameters', 1 the function's own
};

/// One of the calls in which the warp stands, of a function whose source is known.
struct SourceLevel {
  const DebugFunction* function = nullptr;
  CallLevel call;
  std::uint32_t line = 0;  // where it stands; 0: unknown
  std::vector<ScopedVariable> variables;
  std::array<std::uint64_t, 32> ptx_lines{};  // where each lane stands
};

class SourceVariables {
 public:
  struct Where {
    WarpRef warp;
    Dim3 grid, block;
    std::string_view source;  // what was compiled: for the constants that it names
    std::span<const std::pair<std::string, std::string>> defines = {};
  };
  SourceVariables(const DebugInfo& debug, const Replay& replay, const Where& where);

  [[nodiscard]] const std::vector<SourceLevel>& levels() const { return levels_; }

  [[nodiscard]] LaneValues value(const SourceLevel& level, const ScopedVariable& variable) const;
  /// A struct's member, an array's element. Empty: it is no struct that lies in memory, or no array.
  [[nodiscard]] std::optional<LaneValues> member(const LaneValues& of, std::string_view name) const;
  [[nodiscard]] std::optional<LaneValues> element(const LaneValues& of, std::uint64_t index) const;
  /// What an expression of the source comes to there: variables, CUDA's own (threadIdx.x), constants, indices, members, pointers
  /// and arithmetic. Empty: it holds something else, a call for one, or a name that is not known.
  [[nodiscard]] std::optional<LaneValues> evaluate(const SourceLevel& level, std::string_view expression) const;

 private:
  class Names;  // what names mean in a level
  [[nodiscard]] SourceLevel level_of(const DebugFunction& function, const CallLevel& call, bool innermost) const;
  void read_lanes(const SourceLevel& level, const ScopedVariable& variable, const DebugPlace& place, std::uint32_t lanes,
                  LaneValues& into) const;
  void read_register(const SourceLevel& level, const ScopedVariable& variable, std::uint32_t reg, std::uint32_t lanes,
                     LaneValues& into) const;
  void read_parameter(const SourceLevel& level, const DebugPlace& place, std::uint32_t lanes, LaneValues& into) const;
  [[nodiscard]] std::uint32_t computed_in_block(const SourceLevel& level, const ScopedVariable& variable, std::uint32_t reg) const;
  void load(LaneValues& values, std::uint32_t lanes) const;
  [[nodiscard]] LaneValues at(const DebugType& type, const LaneValues& addresses) const;
  [[nodiscard]] Known read(std::uint32_t lane, std::uint64_t address, std::span<std::byte> into) const;
  [[nodiscard]] std::optional<std::uint32_t> register_number(const CallLevel& call, std::string_view name) const;
  [[nodiscard]] std::optional<std::uint64_t> symbol_address(std::string_view symbol) const;
  [[nodiscard]] std::optional<LaneValues> builtin(std::string_view name, std::string_view member) const;

  const DebugInfo& debug_;
  const Replay& replay_;
  Where where_;
  std::vector<SourceLevel> levels_;
};

/// Gives the `__shared__` variables that the debug information leaves out a place and a type: NVRTC tells of none that a function
/// declares. The PTX has their names and sizes, the source their types and extents. Where the source cannot be read for it, a
/// variable is an array of bytes.
void add_shared_variables(DebugInfo& debug, std::string_view ptx, std::string_view source,
                          std::span<const std::pair<std::string, std::string>> defines = {});

}  // namespace warpbook::gpu
