// The headers that clang compiles CUDA C++ with: what CUDA C++ gives a kernel, in our own words.
//
//     for (const ClangHeader& header : clang_headers()) write(folder / header.name, header.text);
//     // clang … -isystem folder -include warpbook_cuda.h
//
// They lie as files in gpu/clang/include, and the build writes them into this library (embed_headers.cmake).
#pragma once

#include <span>
#include <string_view>

namespace warpbook::gpu {

/// Both live as long as the program.
struct ClangHeader {
  std::string_view name, text;  // the name as in #include <cuda/atomic>
};

/// warpbook_cuda.h, which is included before every source, what it includes, and what a source may include.
[[nodiscard]] std::span<const ClangHeader> clang_headers();

}  // namespace warpbook::gpu
