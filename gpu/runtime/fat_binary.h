// FatBinary: what nvcc embeds in a program, a PTX text or machine code an entry, as cuobjdump shows it.
//
//     FatBinary read = read_fat_binary(wrapper->data);
//     if (read.ptx.empty()) not_run(read.why);
//
// `data` is the program's own memory, which nobody has checked: sizes that do not fit end the reading.
// Sources: nvFatbin's documentation (docs.nvidia.com/cuda/nvfatbin) for the kinds of entries, fatbinary.h of the toolkit for the
// header; the entries' fields were read off what nvcc 12 and 13 write with each of --compress-mode's values.
#pragma once

#include <cstddef>
#include <string>

namespace warpbook::cudart {

/// What __cudaRegisterFatBinary is given: `data` begins with the header.
struct FatBinaryWrapper {
  unsigned magic, version;
  const std::byte* data;
  void* more;
};

inline constexpr unsigned fat_binary_wrapper_magic = 0x466243b1, fat_binary_magic = 0xba55ed50;

struct FatBinary {
  std::string ptx;            // of the latest architecture that it has PTX for; empty: none
  bool machine_code = false;  // it has some (SASS), which only a GPU runs
  std::string why;            // there is no PTX: a sentence; empty: the binary holds no code at all
};

[[nodiscard]] FatBinary read_fat_binary(const std::byte* data);

}  // namespace warpbook::cudart
