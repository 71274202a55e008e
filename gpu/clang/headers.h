// The headers that clang compiles CUDA C++ with.
#pragma once

#include <span>
#include <string_view>

namespace warpbook::gpu {

struct ClangHeader {
  std::string_view name, text;
};

/// warpbook_cuda.h, which is included before every source, and what it includes.
[[nodiscard]] std::span<const ClangHeader> clang_headers();

}  // namespace warpbook::gpu
