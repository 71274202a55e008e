// NumPy's .npy files: one array, its element type and its shape.
//
//     Result<NpyFile> file = read_npy("heat.npy");
//     Result<void> done = write_npy("out.npy", array, bytes);
//
// Reads versions 1.0, 2.0 and 3.0, little-endian, C order, the ten types of gpu::ScalarType; writes version 1.0.
// The format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
// Errors name the file and what to do to it in NumPy. Files are data from strangers: every length is checked against the file's.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

#include "gpu/result.h"
#include "gpu/types.h"

namespace warpbook::lessons {

struct NpyFile {
  gpu::Array array;              // its name is empty
  std::vector<std::byte> bytes;  // array.bytes() of them, row-major
};

/// What it says it holds, without reading that; a file that is too short for it is refused.
[[nodiscard]] Result<gpu::Array> read_npy_header(const std::filesystem::path& path);
/// Its elements, into as many bytes as they have.
[[nodiscard]] Result<void> read_npy_elements(const std::filesystem::path& path, std::span<std::byte> bytes);
/// Both.
[[nodiscard]] Result<NpyFile> read_npy(const std::filesystem::path& path);

/// Replaces what was there, as gpu/output_file.h says; its errors. An empty shape writes NumPy's zero-dimensional array.
[[nodiscard]] Result<void> write_npy(const std::filesystem::path& path, const gpu::Array& array, std::span<const std::byte> bytes);

}  // namespace warpbook::lessons
