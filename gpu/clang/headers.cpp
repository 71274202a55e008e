#include "gpu/clang/headers.h"

namespace warpbook::gpu {
namespace {
constexpr ClangHeader all_clang_headers[] = {{"warpbook_cuda.h", R"(#pragma once
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
typedef decltype(sizeof(0)) size_t;
struct dim3 { unsigned x, y, z; };
#define WARPBOOK_REG(name, reg) struct name##_t { __attribute__((device)) unsigned get_x() { return __nvvm_read_ptx_sreg_##reg##_x(); } \
__declspec(property(get = get_x)) unsigned x; }; extern const __attribute__((device)) __attribute__((weak)) name##_t name;
)"}};
}  // namespace
std::span<const ClangHeader> clang_headers() { return all_clang_headers; }
}  // namespace warpbook::gpu
