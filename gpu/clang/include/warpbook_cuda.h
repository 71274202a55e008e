// What CUDA C++ gives every kernel without an #include. The compiler includes this file before every CUDA source. C++ sources that
// include <cuda_runtime.h> get what host code can use.
#pragma once
#pragma clang system_header

#include <warpbook/letters_away.h>

#include <limits.h>

#include <warpbook/attributes.h>
#include <warpbook/vector_types.h>

#ifdef __CUDA__
#include <warpbook/index.h>

#include <warpbook/casts.h>

#include <warpbook/memory.h>
#include <warpbook/synchronize.h>

#include <warpbook/atomics.h>
#include <warpbook/integers.h>
#include <warpbook/simd.h>
#include <warpbook/warp.h>

#include <warpbook/arithmetic.h>
#include <warpbook/math.h>

#include <warpbook/system.h>
#endif

#include <warpbook/textures.h>

#include <warpbook/runtime.h>

// What NVIDIA's header brings of the C++ library, and programs use without an #include: std::forward, std::min, isnan in host code.
#if defined(WARPBOOK_CC) && defined(__CUDA__) && __has_include(<utility>)
#include <math.h>
#include <utility>
#endif

#include <warpbook/letters_back.h>
