// Calls: which functions a warp called and with which lanes, from a launch's history.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "gpu/history.h"
#include "lessons/figures.h"

namespace warpbook::lessons {

/// By a function's PTX name: the bytes of a thread's stack that a call needs in PTX. These are its local variables in memory and,
/// unless it is a kernel, its parameters and result.
[[nodiscard]] std::map<std::string, std::uint64_t> stack_bytes(std::string_view ptx);

/// The calls of the first warp with the most executed lane instructions. Empty: no warp was recorded completely.
[[nodiscard]] CallTree calls_of(const gpu::History& history, const std::map<std::string, std::uint64_t>& bytes);

/// The most calls of a lane, without the kernel.
[[nodiscard]] std::uint32_t most_calls(const CallTree& tree);
/// … and the fewest, of the lanes that are in the kernel.
[[nodiscard]] std::uint32_t fewest_calls(const CallTree& tree);

}  // namespace warpbook::lessons
