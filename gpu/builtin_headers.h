// Headers that ordinary .cu files include and NVRTC lacks. They are kept in memory and passed to every compile.
//
// They declare only what device code can use. Host code (FILE, fopen, std::vector …) is left out.
#pragma once

#include <span>

namespace warpbook::gpu {

struct BuiltinHeader {
  const char* name;  // as in #include <name>
  const char* text;
};

[[nodiscard]] std::span<const BuiltinHeader> builtin_headers();

/// Included before every source. It declares what nvcc's implicit <cuda_runtime.h> declares and nothing else, so that what compiles
/// here compiles with nvcc as well.
inline constexpr const char* prelude_header = "warpbook_prelude.h";

}  // namespace warpbook::gpu
