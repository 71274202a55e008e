// Struct members: the members of a struct that a kernel takes by value, read from the source.
//
//     // typedef struct { int width, height; float* elements; } Matrix;
//     std::vector<Parameter> members = struct_members(source, "const Matrix", 16, 8);   // width, height, elements
//
// Supported are `struct Name { … };` and `typedef struct { … } Name;` with numbers, pointers, arrays of up to 64 of these (each
// element is a member: "a[0]" …), CUDA's vectors (float4, dim3) and nested structs; methods are ignored. The result is empty for
// anything else: base classes, constructors, bit fields, templates, types behind a macro or a typedef. It is also empty if the
// members' layout does not have the size and alignment that the compiler reported.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "gpu/compiler.h"

namespace warpbook::gpu {

[[nodiscard]] std::vector<Parameter> struct_members(std::string_view source, std::string_view type, std::uint32_t size,
                                                    std::uint32_t align);

/// The members of a type whose size the compiler did not report. Size and alignment follow from the members.
struct StructLayout {
  std::vector<Parameter> members;
  std::uint32_t size = 0, align = 1;
};
[[nodiscard]] StructLayout struct_layout(std::string_view source, std::string_view type);

/// The element type that a pointer of this type ("const Particle*") points to, if it is a struct whose layout follows from its
/// members.
[[nodiscard]] std::optional<Numbers> struct_numbers(std::string_view source, std::string_view type);

/// A vector type of CUDA (float4, uchar3, dim3 …): its element type and their number.
struct VectorType {
  std::string_view written;  // the element's type in C++: "unsigned char"
  ScalarType element = ScalarType::int32;
  int width = 1;
};
[[nodiscard]] std::optional<VectorType> vector_type(std::string_view name);

}  // namespace warpbook::gpu
