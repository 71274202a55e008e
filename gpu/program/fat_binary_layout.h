// The layout of fat binaries: what a compiler embeds in a program to hold PTX, and what CUDA's runtime library reads from it.
//
//     std::string bytes = fat_binary(ptx, 80);      // for a compiler: PTX for the compute capability 8.0
//
// A header is followed by entries, each with a header of its own. gpu/runtime/fat_binary.h reads them.
// Sources: nvFatbin's documentation (docs.nvidia.com/cuda/nvfatbin) for the kinds of entries; the toolkit's fatbinary.h for the
// header. The fields of entries were found by comparing what nvcc 12 and 13 write with each value of --compress-mode.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

namespace warpbook {

inline constexpr std::uint32_t fat_binary_magic = 0xba55ed50;

struct FatHeader {
  std::uint32_t magic;
  std::uint16_t version, header_bytes;
  std::uint64_t bytes;  // of all entries
};
struct FatEntry {
  enum Kind : std::uint16_t { ptx = 1, machine_code = 2 };
  std::uint16_t kind, version;
  std::uint32_t header_bytes;
  std::uint64_t bytes;  // of the data after the entry's header
  std::uint32_t compressed_bytes, options_at;
  std::uint16_t minor, major;  // of the PTX version
  std::uint32_t architecture;
  std::uint32_t name_at, name_bytes;
  std::uint64_t flags, unused;
  std::uint64_t text_bytes;  // uncompressed size
};
static_assert(sizeof(FatHeader) == 16 && sizeof(FatEntry) == 64);

/// A fat binary with one entry: PTX, not compressed.
[[nodiscard]] inline std::string fat_binary(std::string ptx, std::uint32_t architecture) {
  ptx.resize((ptx.size() / 8 + 1) * 8, '\0');  // it ends with a zero, and the next entry would begin at a multiple of 8
  FatEntry entry{};
  entry.kind = FatEntry::ptx;
  entry.version = 0x101;
  entry.header_bytes = sizeof entry;
  entry.bytes = ptx.size();
  entry.architecture = architecture;
  const FatHeader header{
      .magic = fat_binary_magic, .version = 1, .header_bytes = sizeof(FatHeader), .bytes = sizeof entry + ptx.size()};
  std::string bytes(sizeof header + sizeof entry, '\0');
  std::memcpy(bytes.data(), &header, sizeof header);
  std::memcpy(bytes.data() + sizeof header, &entry, sizeof entry);
  return bytes + ptx;
}

}  // namespace warpbook
