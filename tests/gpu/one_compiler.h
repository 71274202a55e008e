// The compiler that a program's tests share: starting its child costs more than most of them do.
#pragma once

#include "gpu/compiler.h"

namespace warpbook::gpu {

inline Compiler& compiler() {
  static Compiler one;
  return one;
}

/// False where clang compiles in NVRTC's place: it tells no registers and makes no machine code.
inline bool nvrtc_compiles() { return compiler().status().compiler.starts_with("NVRTC"); }

}  // namespace warpbook::gpu
