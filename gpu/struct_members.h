// Struct members: what a struct that a kernel takes by value is made of, as far as the source says it plainly.
//
//     // typedef struct { int width, height; float* elements; } Matrix;
//     std::vector<Parameter> members = struct_members(source, "const Matrix", 16, 8);   // width, height, elements
//
// Read are `struct Name { … };` and `typedef struct { … } Name;` made of numbers, pointers, arrays of up to 64 of them (their
// elements are members: "a[0]" …), CUDA's vectors (float4, dim3) and structs of the same kinds; methods are passed over. All else
// gives no members: a base, a constructor, bit fields, templates, types that a macro or a typedef names; and so does a layout that
// does not come to the size and the alignment that the compiler gave it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "gpu/compiler.h"

namespace warpbook::gpu {

[[nodiscard]] std::vector<Parameter> struct_members(std::string_view source, std::string_view type, std::uint32_t size,
                                                    std::uint32_t align);

/// The same of a type whose size the compiler did not tell. Size and alignment then are those of its members.
struct StructLayout {
  std::vector<Parameter> members;
  std::uint32_t size = 0, align = 1;
};
[[nodiscard]] StructLayout struct_layout(std::string_view source, std::string_view type);

/// What a pointer of this type points to, "const Particle*", where that is a struct whose layout its members alone decide.
[[nodiscard]] std::optional<Numbers> struct_numbers(std::string_view source, std::string_view type);

/// CUDA's float4, uchar3, dim3 …: what they are made of, and of how many.
struct VectorType {
  std::string_view written;  // "unsigned char": how C++ calls the element
  ScalarType element = ScalarType::int32;
  int width = 1;
};
[[nodiscard]] std::optional<VectorType> vector_type(std::string_view name);

}  // namespace warpbook::gpu
