// ArrayFile: a kernel's input from a file of a learner's: NumPy's .npy, a .png, or numbers as text (.csv, .tsv, .txt).
//
//     auto shape = shape_of_file("photo.png");                                          // {480, 640}
//     auto bytes = read_array_file("photo.png", gpu::ScalarType::float32, *shape);      // row-major
//
// .npy   its own type and shape, which must be the ones asked for (npy.h)
// .png   {height, width}: grey; {height, width, 3} or {…, 4}: red, green, blue, alpha. 0 … 255 as integers, 0 … 1 as floats
// text   one row or one column: {count}; else {rows, columns}. Numbers stand between commas, semicolons, blanks or tabs; a first
//        line without numbers is a heading. Each must be one that its type can hold.
// Errors (code "missing_file", "bad_file", "usage") name the file, its line where it has lines, and what to do.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "gpu/result.h"
#include "gpu/types.h"

namespace warpbook::lessons {

[[nodiscard]] Result<std::vector<std::size_t>> shape_of_file(const std::filesystem::path& path);

[[nodiscard]] Result<std::vector<std::byte>> read_array_file(const std::filesystem::path& path, gpu::ScalarType type,
                                                             const std::vector<std::size_t>& shape);

}  // namespace warpbook::lessons
