// ArrayFile: reads a kernel's input from a learner's file: NumPy's .npy, a .png, or numbers as text (.csv, .tsv, .txt).
//
//     auto shape = shape_of_file("photo.png");                                          // {480, 640}
//     auto fits = check_array_file("photo.png", gpu::ScalarType::float32, *shape);      // checks the file's header
//     auto done = read_array_file("photo.png", gpu::ScalarType::float32, *shape, bytes);  // row-major, into memory of the caller's
//
// A file is read once for its shape and once for its numbers, and is never in memory as a whole; only a picture's samples are, with
// one byte each. Sizes in a header are compared with the file's size before memory is allocated.
//
// .npy   its type and shape must be the requested ones (npy.h)
// .png   {height, width}: grey; {height, width, 3} or {…, 4}: red, green, blue, alpha. 0 … 255 as integers, 0 … 1 as floats
// text   one row or one column: {count}; otherwise {rows, columns}. Separators are commas, semicolons, blanks or tabs. A first
//        line without numbers is a heading. Each number must fit the element type.
// Errors (code "missing_file", "bad_file", "usage") name the file, its line where it has lines, and what to do.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

#include "gpu/result.h"
#include "gpu/types.h"

namespace warpbook::lessons {

[[nodiscard]] Result<std::vector<std::size_t>> shape_of_file(const std::filesystem::path& path);

/// Whether the file holds such an array according to its header (text: according to its rows and columns).
[[nodiscard]] Result<void> check_array_file(const std::filesystem::path& path, gpu::ScalarType type,
                                            const std::vector<std::size_t>& shape);

/// Fills `bytes`, which must have the array's size. After an error its contents are undefined.
[[nodiscard]] Result<void> read_array_file(const std::filesystem::path& path, gpu::ScalarType type,
                                           const std::vector<std::size_t>& shape, std::span<std::byte> bytes);
/// Allocates memory after the file was found to fit.
[[nodiscard]] Result<std::vector<std::byte>> read_array_file(const std::filesystem::path& path, gpu::ScalarType type,
                                                             const std::vector<std::size_t>& shape);

}  // namespace warpbook::lessons
