// The compiler that a program's tests share.
#pragma once

#include "gpu/compiler.h"

namespace warpbook::gpu {

inline Compiler& compiler() {
  static Compiler one;
  return one;
}

}  // namespace warpbook::gpu
