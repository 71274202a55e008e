#include "gpu/builtin_headers.h"

namespace warpbook::gpu {
namespace {

// NVRTC has printf, assert, memcpy, malloc, the mathematical functions and the vector types built in.
constexpr const char* nothing = "#pragma once\n";

constexpr const char* stddef_text = R"(#pragma once
#ifndef NULL
#define NULL 0
#endif
#ifndef offsetof
#define offsetof(type, member) ((::size_t) &reinterpret_cast<const char&>(((type*)nullptr)->member))
#endif
namespace std {
using ::size_t;
using ::ptrdiff_t;
typedef decltype(nullptr) nullptr_t;
}
)";

// 64-bit types are long long, as in the toolkit's own headers for NVRTC (nvcc on Linux has long: the same bits).
constexpr const char* signed_types_text = R"(#pragma once
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
)";

constexpr const char* stdint_text = R"(#pragma once
#include <warpbook_signed_types.h>
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef int64_t intptr_t;
typedef uint64_t uintptr_t;
typedef int64_t intmax_t;
typedef uint64_t uintmax_t;
typedef int8_t int_fast8_t, int_least8_t;
typedef int16_t int_fast16_t, int_least16_t;
typedef int32_t int_fast32_t, int_least32_t;
typedef int64_t int_fast64_t, int_least64_t;
typedef uint8_t uint_fast8_t, uint_least8_t;
typedef uint16_t uint_fast16_t, uint_least16_t;
typedef uint32_t uint_fast32_t, uint_least32_t;
typedef uint64_t uint_fast64_t, uint_least64_t;
#define INT8_MIN (-128)
#define INT16_MIN (-32767 - 1)
#define INT32_MIN (-2147483647 - 1)
#define INT64_MIN (-9223372036854775807LL - 1)
#define INT8_MAX 127
#define INT16_MAX 32767
#define INT32_MAX 2147483647
#define INT64_MAX 9223372036854775807LL
#define UINT8_MAX 255
#define UINT16_MAX 65535
#define UINT32_MAX 4294967295U
#define UINT64_MAX 18446744073709551615ULL
#define SIZE_MAX 18446744073709551615ULL
namespace std {
using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t;
using ::uint8_t; using ::uint16_t; using ::uint32_t; using ::uint64_t;
using ::intptr_t; using ::uintptr_t; using ::intmax_t; using ::uintmax_t;
}
)";

constexpr const char* limits_text = R"(#pragma once
#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define CHAR_MIN (-128)
#define CHAR_MAX 127
#define SHRT_MIN (-32767 - 1)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MIN (-2147483647 - 1)
#define INT_MAX 2147483647
#define UINT_MAX 4294967295U
#define LONG_MIN (-9223372036854775807L - 1)
#define LONG_MAX 9223372036854775807L
#define ULONG_MAX 18446744073709551615UL
#define LLONG_MIN (-9223372036854775807LL - 1)
#define LLONG_MAX 9223372036854775807LL
#define ULLONG_MAX 18446744073709551615ULL
)";

constexpr const char* float_text = R"(#pragma once
#define FLT_RADIX 2
#define FLT_MANT_DIG 24
#define FLT_DIG 6
#define FLT_MIN_EXP (-125)
#define FLT_MAX_EXP 128
#define FLT_MIN_10_EXP (-37)
#define FLT_MAX_10_EXP 38
#define FLT_EPSILON 1.1920928955078125e-07F
#define FLT_MIN 1.17549435082228750797e-38F
#define FLT_MAX 3.40282346638528859812e+38F
#define DBL_MANT_DIG 53
#define DBL_DIG 15
#define DBL_MIN_EXP (-1021)
#define DBL_MAX_EXP 1024
#define DBL_MIN_10_EXP (-307)
#define DBL_MAX_10_EXP 308
#define DBL_EPSILON 2.22044604925031308085e-16
#define DBL_MIN 2.22507385850720138309e-308
#define DBL_MAX 1.79769313486231570815e+308
)";

constexpr const char* math_text = R"(#pragma once
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fffffff)
#define HUGE_VALF __int_as_float(0x7f800000)
#define HUGE_VAL __longlong_as_double(0x7ff0000000000000LL)
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
namespace std {
using ::abs; using ::fabs; using ::fmod; using ::remainder; using ::fma; using ::fmax; using ::fmin; using ::fdim;
using ::exp; using ::exp2; using ::expm1; using ::log; using ::log2; using ::log10; using ::log1p;
using ::pow; using ::sqrt; using ::cbrt; using ::hypot;
using ::sin; using ::cos; using ::tan; using ::asin; using ::acos; using ::atan; using ::atan2;
using ::sinh; using ::cosh; using ::tanh; using ::asinh; using ::acosh; using ::atanh;
using ::erf; using ::erfc; using ::tgamma; using ::lgamma;
using ::ceil; using ::floor; using ::trunc; using ::round; using ::lround; using ::llround; using ::rint; using ::nearbyint;
using ::frexp; using ::ldexp; using ::modf; using ::scalbn; using ::ilogb; using ::logb; using ::nextafter; using ::copysign;
using ::isfinite; using ::isinf; using ::isnan; using ::signbit;
}
)";

constexpr const char* stdlib_text = R"(#pragma once
#include <cstddef>
#define RAND_MAX 2147483647
namespace std {
using ::malloc; using ::free;
}
)";

constexpr const char* string_text = R"(#pragma once
#include <cstddef>
namespace std {
using ::memcpy; using ::memset;
}
)";

constexpr const char* stdio_text = R"(#pragma once
#include <cstddef>
namespace std {
using ::printf;
}
)";

constexpr const char* time_text = R"(#pragma once
namespace std {
using ::clock; using ::clock_t;
}
)";

constexpr const char* prelude_text = R"(#pragma once
#include <cstddef>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <cmath>
#include <warpbook_signed_types.h>
typedef unsigned int uint;
typedef unsigned short ushort;
typedef unsigned long ulong;
)";

// The parts of CUB that a kernel can use; the rest is for host code.
#define WARPBOOK_IF_THERE(header) "#if __has_include(<" header ">)\n#include <" header ">\n#endif\n"
constexpr const char* cub_text = "#pragma once\n" WARPBOOK_IF_THERE("cub/block/block_adjacent_difference.cuh")
    WARPBOOK_IF_THERE("cub/block/block_discontinuity.cuh") WARPBOOK_IF_THERE("cub/block/block_exchange.cuh")
        WARPBOOK_IF_THERE("cub/block/block_histogram.cuh") WARPBOOK_IF_THERE("cub/block/block_load.cuh")
            WARPBOOK_IF_THERE("cub/block/block_merge_sort.cuh") WARPBOOK_IF_THERE("cub/block/block_radix_rank.cuh")
                WARPBOOK_IF_THERE("cub/block/block_radix_sort.cuh") WARPBOOK_IF_THERE("cub/block/block_reduce.cuh")
                    WARPBOOK_IF_THERE("cub/block/block_scan.cuh") WARPBOOK_IF_THERE("cub/block/block_store.cuh")
                        WARPBOOK_IF_THERE("cub/warp/warp_exchange.cuh") WARPBOOK_IF_THERE("cub/warp/warp_load.cuh")
                            WARPBOOK_IF_THERE("cub/warp/warp_merge_sort.cuh") WARPBOOK_IF_THERE("cub/warp/warp_reduce.cuh")
                                WARPBOOK_IF_THERE("cub/warp/warp_scan.cuh") WARPBOOK_IF_THERE("cub/warp/warp_store.cuh");
#undef WARPBOOK_IF_THERE

// The toolkit's C++ standard library (libcu++) under the standard's names. Including it costs about a second.
#define WARPBOOK_FROM_CCCL(name) "#pragma once\n#include <cuda/std/" name ">\nnamespace std { using namespace ::cuda::std; }\n"

constexpr BuiltinHeader headers[] = {
    {prelude_header, prelude_text},
    {"warpbook_signed_types.h", signed_types_text},
    {"assert.h", nothing},
    {"cassert", nothing},
    {"stdio.h", stdio_text},
    {"cstdio", "#pragma once\n#include <stdio.h>\n"},
    {"time.h", time_text},
    {"ctime", "#pragma once\n#include <time.h>\n"},
    {"stddef.h", stddef_text},
    {"cstddef", "#pragma once\n#include <stddef.h>\n"},
    {"stdint.h", stdint_text},
    {"cstdint", "#pragma once\n#include <stdint.h>\n"},
    {"limits.h", limits_text},
    {"climits", "#pragma once\n#include <limits.h>\n"},
    {"float.h", float_text},
    {"cfloat", "#pragma once\n#include <float.h>\n"},
    {"math.h", math_text},
    {"cmath", "#pragma once\n#include <math.h>\n"},
    {"stdlib.h", stdlib_text},
    {"cstdlib", "#pragma once\n#include <stdlib.h>\n"},
    {"string.h", string_text},
    {"cstring", "#pragma once\n#include <string.h>\n#include <stdint.h>\n"},  // as in some C++ libraries
    // These types are built in, and the functions that the headers declare are for host code.
    {"cuda_runtime.h", nothing},
    {"cuda_runtime_api.h", nothing},
    {"cuda.h", nothing},
    {"device_launch_parameters.h", nothing},
    {"cub/cub.cuh", cub_text},
    {"array", WARPBOOK_FROM_CCCL("array")},
    {"limits", WARPBOOK_FROM_CCCL("limits")},
    {"tuple", WARPBOOK_FROM_CCCL("tuple")},
    {"type_traits", WARPBOOK_FROM_CCCL("type_traits")},
    {"utility", WARPBOOK_FROM_CCCL("utility")},
};

#undef WARPBOOK_FROM_CCCL

}  // namespace

std::span<const BuiltinHeader> builtin_headers() { return headers; }

}  // namespace warpbook::gpu
