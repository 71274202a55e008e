#include "gpu/runtime/fat_binary.h"

#include <lz4.h>
#include <zstd.h>

#include <cstdint>
#include <cstring>
#include <optional>

#include "gpu/program/fat_binary_layout.h"

namespace warpbook::cudart {
namespace {

constexpr std::uint64_t packed_lz4 = 0x2000, packed_zstd = 0x8000;
constexpr std::uint64_t longest_text = std::uint64_t{1} << 30;

std::optional<std::string> unpack(const FatEntry& entry, const char* bytes) {
  if (!(entry.flags & (packed_lz4 | packed_zstd))) return std::string(bytes, strnlen(bytes, entry.bytes));
  if (entry.compressed_bytes > entry.bytes || entry.text_bytes > longest_text) return std::nullopt;
  std::string text(entry.text_bytes, '\0');
  std::size_t made = 0;
  if (entry.flags & packed_zstd) {
    made = ZSTD_decompress(text.data(), text.size(), bytes, entry.compressed_bytes);
    if (ZSTD_isError(made)) return std::nullopt;
  } else {
    const int written =
        LZ4_decompress_safe(bytes, text.data(), static_cast<int>(entry.compressed_bytes), static_cast<int>(text.size()));
    if (written < 0) return std::nullopt;
    made = static_cast<std::size_t>(written);
  }
  text.resize(strnlen(text.data(), made));
  return text;
}

}  // namespace

FatBinary read_fat_binary(const std::byte* data) {
  FatBinary read;
  FatHeader header;
  std::memcpy(&header, data, sizeof header);
  if (header.magic != fat_binary_magic) {
    read.why = "A fat binary of this program has a form that is not known here.";
    return read;
  }
  std::uint32_t architecture = 0;
  bool broken = false;
  const std::byte* at = data + header.header_bytes;
  for (std::uint64_t left = header.bytes; left >= sizeof(FatEntry);) {
    FatEntry entry;
    std::memcpy(&entry, at, sizeof entry);
    if (entry.header_bytes < sizeof entry || entry.header_bytes > left || entry.bytes > left - entry.header_bytes) break;
    if (entry.kind == FatEntry::machine_code) read.machine_code = true;
    if (entry.kind == FatEntry::ptx && entry.architecture >= architecture) {
      if (auto text = unpack(entry, reinterpret_cast<const char*>(at + entry.header_bytes))) {
        read.ptx = std::move(*text);
        architecture = entry.architecture;
      } else {
        broken = true;
      }
    }
    at += entry.header_bytes + entry.bytes;
    left -= entry.header_bytes + entry.bytes;
  }
  if (!read.ptx.empty()) return read;
  if (broken) read.why = "The PTX in this program could not be unpacked. Compile it with nvcc's option --no-compress.";
  if (read.machine_code)
    read.why =
        "This program holds machine code (SASS) for NVIDIA's GPUs and no PTX, which the virtual GPU runs. Compile it with "
        "'warpbook nvcc', or give nvcc -gencode arch=compute_75,code=compute_75.";
  return read;
}

}  // namespace warpbook::cudart
