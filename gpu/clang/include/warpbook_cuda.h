// What CUDA C++ gives every kernel without an #include. The compiler includes this file before every source.
#pragma once
#pragma clang system_header

#include <warpbook/attributes.h>
#include <warpbook/vector_types.h>
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

#include <warpbook/runtime.h>
