// Source variables: the values of a kernel's variables, in each lane, at a position of a Replay.
//
//     const SourceVariables here(debug, replay, {.warp = warp, .grid = grid, .block = block, .source = text});
//     for (const SourceLevel& level : here.levels())                   // the innermost call first, the kernel last
//       for (const ScopedVariable& v : level.variables)                // all of the function's, in the source's order
//         show(v.variable->name, here.value(level, v));
//     std::optional<LaneValues> element = here.evaluate(level, "a[i + 1]");
//
// A lane without a value has the reason for it (ValueState): the variable was not computed yet, it is out of scope there, the
// compiler did not keep it, or it is in memory that was not written or not recorded.
//
// The debug information, the Replay and the source must outlive it. The Replay must not move meanwhile.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
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

/// A variable of a function, with the block that declares it.
struct ScopedVariable {
  const DebugVariable* variable = nullptr;
  const DebugScope* scope = nullptr;
  int depth = 0;  // nesting of the block: 0 for parameters, 1 for the function's own block
};

/// A level of the warp's call stack, in a function whose source is known.
struct SourceLevel {
  const DebugFunction* function = nullptr;
  CallLevel call;
  std::uint32_t line = 0;  // the current source line; 0: unknown
  std::vector<ScopedVariable> variables;
  std::array<std::uint64_t, 32> ptx_lines{};  // current line of the PTX text, by lane
};

class SourceVariables {
 public:
  struct Where {
    WarpRef warp;
    Dim3 grid, block;
    std::string_view source;  // the source that was compiled, to look up constants
    std::span<const std::pair<std::string, std::string>> defines = {};
  };
  SourceVariables(const DebugInfo& debug, const Replay& replay, const Where& where);

  [[nodiscard]] const std::vector<SourceLevel>& levels() const { return levels_; }

  [[nodiscard]] LaneValues value(const SourceLevel& level, const ScopedVariable& variable) const;
  /// A member of a struct, or an element of an array. Empty: `of` is not a struct in memory, or not an array.
  [[nodiscard]] std::optional<LaneValues> member(const LaneValues& of, std::string_view name) const;
  [[nodiscard]] std::optional<LaneValues> element(const LaneValues& of, std::uint64_t index) const;
  /// Evaluates an expression of the source at this level: variables, CUDA's built-in variables (threadIdx.x), constants, indices,
  /// members, pointers and arithmetic. Empty: it contains something else, such as a call, or an unknown name.
  [[nodiscard]] std::optional<LaneValues> evaluate(const SourceLevel& level, std::string_view expression) const;

 private:
  class Names;  // resolves names at a level
  [[nodiscard]] SourceLevel level_of(const DebugFunction& function, const CallLevel& call, bool innermost) const;
  void read_lanes(const SourceLevel& level, const ScopedVariable& variable, const DebugPlace& place, std::uint32_t lanes,
                  LaneValues& into) const;
  void read_register(const SourceLevel& level, const ScopedVariable& variable, std::uint32_t reg, std::uint32_t lanes,
                     LaneValues& into) const;
  void read_parameter(const SourceLevel& level, const DebugPlace& place, std::uint32_t lanes, LaneValues& into) const;
  /// The lanes in which a step since the block was entered matches `writes(function, pc)`.
  [[nodiscard]] std::uint32_t computed_in_block(const SourceLevel& level, const ScopedVariable& variable,
                                                const std::function<bool(const HistoryFunction&, std::uint32_t pc)>& writes) const;
  [[nodiscard]] std::uint32_t stored_in_block(const SourceLevel& level, const ScopedVariable& variable,
                                              const DebugPlace& place) const;
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

/// Adds places and types of the `__shared__` variables that the debug information lacks: NVRTC does not describe those that are
/// declared inside functions, clang not those that are `extern`. The PTX has their names and sizes, and the source their types and
/// extents. If the source cannot be read, such a variable is an array of bytes.
void add_shared_variables(DebugInfo& debug, std::string_view ptx, std::string_view source,
                          std::span<const std::pair<std::string, std::string>> defines = {});

}  // namespace warpbook::gpu
