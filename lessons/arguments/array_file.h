// ArrayFile: a kernel's input from a file of a learner's: NumPy's .npy, a .png, or numbers as text (.csv, .tsv, .txt).
//
//     auto shape = shape_of_file("photo.png");                                          // {480, 640}
//     auto fits = check_array_file("photo.png", gpu::ScalarType::float32, *shape);      // by what the file says of itself
//     auto done = read_array_file("photo.png", gpu::ScalarType::float32, *shape, bytes);  // row-major, into memory of the caller's
//
// A file is read once for its shape and once for its numbers, and is never in memory as a whole; of a picture its samples are, one
// byte each. What a file says of itself is held against its size before any memory is asked for.
//
// .npy   its own type and shape, which must be the ones asked for (npy.h)
// .png   {height, width}: grey; {height, width, 3} or {…, 4}: red, green, blue, alpha. 0 … 255 as integers, 0 … 1 as floats
// text   one row or one column: {count}; else {rows, columns}. Numbers stand between commas, semicolons, blanks or tabs; a first
//        line without numbers is a heading. Each must be one that its type can hold.
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

/// Whether the file holds such an array, as far as its header tells (of text: its rows and columns).
[[nodiscard]] Result<void> check_array_file(const std::filesystem::path& path, gpu::ScalarType type,
                                            const std::vector<std::size_t>& shape);

/// Into `bytes`, as many as the array has. After an error what they hold is anybody's guess.
[[nodiscard]] Result<void> read_array_file(const std::filesystem::path& path, gpu::ScalarType type,
                                           const std::vector<std::size_t>& shape, std::span<std::byte> bytes);
/// Into memory of its own, which is asked for when the file was found to fit.
[[nodiscard]] Result<std::vector<std::byte>> read_array_file(const std::filesystem::path& path, gpu::ScalarType type,
                                                             const std::vector<std::size_t>& shape);

}  // namespace warpbook::lessons
