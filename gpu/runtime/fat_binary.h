// FatBinary: reads what nvcc embeds in a program: entries with PTX text or machine code, as cuobjdump shows them.
//
//     FatBinary read = read_fat_binary(wrapper->data);
//     if (read.ptx.empty()) not_run(read.why);
//
// `data` is the program's own memory and is not trusted: reading stops at sizes that do not fit.
// The layout and its sources: gpu/program/fat_binary_layout.h.
#pragma once

#include <cstddef>
#include <string>

namespace warpbook::cudart {

/// The argument of __cudaRegisterFatBinary. `data` points to the header.
struct FatBinaryWrapper {
  unsigned magic, version;
  const std::byte* data;
  void* more;
};

inline constexpr unsigned fat_binary_wrapper_magic = 0x466243b1;

struct FatBinary {
  std::string ptx;            // PTX of the latest architecture; empty: none
  bool machine_code = false;  // it also has machine code (SASS), which only a GPU can run
  std::string why;            // a sentence that says why there is no PTX; empty: the binary holds no code at all
};

[[nodiscard]] FatBinary read_fat_binary(const std::byte* data);

}  // namespace warpbook::cudart
