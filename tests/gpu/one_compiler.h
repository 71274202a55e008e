// The compiler that all tests of a program share, because starting its child takes longer than most tests.
#pragma once

#include "gpu/compiler.h"

namespace warpbook::gpu {

inline Compiler& compiler() {
  static Compiler one;
  return one;
}

/// False if clang is used: it reports no registers and makes no machine code.
inline bool nvrtc_compiles() { return compiler().status().compiler.starts_with("NVRTC"); }

}  // namespace warpbook::gpu
