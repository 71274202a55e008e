// The headers that clang needs to compile CUDA C++. They are Warpbook's own.
//
//     for (const ClangHeader& header : clang_headers()) write(folder / header.name, header.text);
//     // clang … -isystem folder -include warpbook_cuda.h
//
// They are files in gpu/clang/include. The build embeds them in this library (embed_headers.cmake).
#pragma once

#include <span>
#include <string_view>

namespace warpbook::gpu {

/// Both views are valid for the life of the program.
struct ClangHeader {
  std::string_view name, text;  // the name as in #include <cuda/atomic>
};

/// warpbook_cuda.h, which is included before every source, the headers that it includes, and those that a source may include.
[[nodiscard]] std::span<const ClangHeader> clang_headers();

}  // namespace warpbook::gpu
