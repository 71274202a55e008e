// Calls: what a warp called, and with which lanes, from a launch's recorded history.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "gpu/history.h"
#include "lessons/figures.h"

namespace warpbook::lessons {

/// By a function's PTX name: the bytes of a thread's stack that one call of it takes as PTX has it. Those are its local variables
/// that lie in memory, and, unless it is a kernel, what it is given and what it returns.
[[nodiscard]] std::map<std::string, std::uint64_t> stack_bytes(std::string_view ptx);

/// The calls of the warp whose lanes executed the most instructions; the first of several. Empty where no warp was kept whole.
[[nodiscard]] CallTree calls_of(const gpu::History& history, const std::map<std::string, std::uint64_t>& bytes);

/// How many calls the lane with the most of them made, without the kernel itself.
[[nodiscard]] std::uint32_t most_calls(const CallTree& tree);
/// … and the lane with the fewest, of those that are in the kernel.
[[nodiscard]] std::uint32_t fewest_calls(const CallTree& tree);

}  // namespace warpbook::lessons
