// Address windows: how the virtual GPU divides the generic address space. Unoptimised CUDA C++ reaches all memory through generic
// addresses; the window in which a pointer lies says which kind of memory it points to.
//
//     if (const auto offset = address - shared_window; offset < window_bytes) …   // this offset in the block's shared memory
//
// The first 4 GiB are never valid, so that null pointers fault. Global memory begins at global_base.
#pragma once

#include <cstdint>

namespace warpbook::gpu {

inline constexpr std::uint64_t shared_window = 0x1'0000'0000;
inline constexpr std::uint64_t local_window = 0x2'0000'0000;
inline constexpr std::uint64_t window_bytes = 0x0'4000'0000;
inline constexpr std::uint64_t function_window = 0x4'0000'0000;  // addresses of functions: index × 16 above it
inline constexpr std::uint64_t global_base = 0x10'0000'0000;

}  // namespace warpbook::gpu
