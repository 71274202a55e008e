// Headers that NVRTC lacks and ordinary .cu files include, kept in memory and passed to every compile.
//
// They declare only what device code can use; what they leave out is host code (FILE, fopen, std::vector …).
#pragma once

#include <span>

namespace warpbook::gpu {

struct BuiltinHeader {
  const char* name;  // as in #include <name>
  const char* text;
};

[[nodiscard]] std::span<const BuiltinHeader> builtin_headers();

/// Included before every source: what nvcc's implicit <cuda_runtime.h> brings along, and no more, so that what compiles here
/// compiles with nvcc as well.
inline constexpr const char* prelude_header = "warpbook_prelude.h";

}  // namespace warpbook::gpu
