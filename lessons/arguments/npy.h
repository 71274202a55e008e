// NumPy's .npy files: one array, its element type and its shape.
//
//     Result<gpu::Array> array = read_npy_header("heat.npy");       // type and shape
//     std::vector<std::byte> bytes(array->bytes());
//     Result<void> read = read_npy_elements("heat.npy", bytes);     // row-major
//     Result<void> done = write_npy("out.npy", *array, bytes);
//
// Reads versions 1.0, 2.0 and 3.0, little-endian, C order, the ten types of gpu::ScalarType; writes version 1.0.
// The format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
// Errors name the file and say what to do in NumPy. Files are untrusted: every length is compared with the file's size.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "gpu/result.h"
#include "gpu/types.h"

namespace warpbook::lessons {

/// Reads type and shape only. A file that is too short for them is an error.
[[nodiscard]] Result<gpu::Array> read_npy_header(const std::filesystem::path& path);
/// Reads the elements into memory of their size.
[[nodiscard]] Result<void> read_npy_elements(const std::filesystem::path& path, std::span<std::byte> bytes);
/// Replaces an existing file, with the guarantees and errors of gpu/output_file.h. An empty shape writes NumPy's zero-dimensional
/// array.
[[nodiscard]] Result<void> write_npy(const std::filesystem::path& path, const gpu::Array& array, std::span<const std::byte> bytes);

}  // namespace warpbook::lessons
