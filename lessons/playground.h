// Playground: a kernel that nobody foresaw. Which of a file's kernels is launched, and what its parameters are given, are texts of
// the lesson's Values, so that they are kept, compared and set like any control.
//
//     const gpu::Kernel* kernel = chosen_kernel(*program, values);      // nullptr: the file has none
//     std::string given = input_text(*program, *kernel, 0, values);     // "[4096]=uniform:0:1:7"
//     values.set_text(input_key(*kernel, 0), "[64x64]=@photo.png");     // as in --set add/a=[64x64]=@photo.png
//     Result<ArgumentSpec> input = input_of(*program, *kernel, 0, values);
//
// An input is an argument spec without its type (arguments/argument_spec.h), which the kernel's own parameter says: "=5" for a
// number (or "5" alone), "[4096]=iota" for an array. A struct by value has a whole spec, types included:
// "{int32=5,float32[8]=iota}". What was never said, or does not fit the parameter any more, is a default:
//     const T*      4096 elements: uniform in [0, 1), or 0, 1, 2 … of whole numbers; 64 × 64 where the kernel reads threadIdx.y;
//                   of a float4 four numbers each
//     T*            as many zeros
//     whole number  4096, the number of elements; 64 each where the kernel has several
//     other number  1
//     struct        its members by these rules, where the source names them (gpu/struct_members.h), any array like a const T*; else
//                   nothing: input_of() then says what to type
// Errors are sentences with code "usage".
#pragma once

#include <string>
#include <string_view>

#include "gpu/compiler.h"
#include "gpu/result.h"
#include "lessons/arguments/argument_spec.h"
#include "lessons/lesson.h"

namespace warpbook::lessons {

inline constexpr std::string_view kernel_key = "kernel";

/// Whether these words name a text of a playground: "kernel", or a kernel's parameter, "add/a".
[[nodiscard]] bool is_playground_text(std::string_view id);

/// The one that was chosen, where the file has it; else its first.
[[nodiscard]] const gpu::Kernel* chosen_kernel(const gpu::Program& program, const Values& values);

/// Chooses it, with a launch of 4096 threads in as many dimensions as it looks at, where the present one has another number.
void choose_kernel(const gpu::Program& program, const gpu::Kernel& kernel, Values& values);

/// How many of x, y, z its thread or block indices are read, by its PTX: 1 to 3.
[[nodiscard]] int dimensions_of(const gpu::Program& program, const gpu::Kernel& kernel);

[[nodiscard]] std::string input_key(const gpu::Kernel& kernel, std::size_t parameter);
[[nodiscard]] std::string input_text(const gpu::Program& program, const gpu::Kernel& kernel, std::size_t parameter,
                                     const Values& values);
[[nodiscard]] Result<ArgumentSpec> input_of(const gpu::Program& program, const gpu::Kernel& kernel, std::size_t parameter,
                                            const Values& values);

/// What these Values say that means nothing for this file: a kernel or parameter that it does not have, an array for a number.
/// Where a file is edited, such texts are legitimate leftovers; where someone has just typed them, they are slips.
[[nodiscard]] Result<void> check_texts(const gpu::Program& program, const Values& values);

/// An input taken apart: "[64x64]=uniform:0:1:7" is {"64x64", "uniform", "0:1:7"}, "[8]=@x.npy" {"8", "file", "x.npy"}, "=5" {"",
/// "value", "5"}; zeros, ones and iota have no details.
struct InputWords {
  std::string shape, content, details;
};
[[nodiscard]] InputWords words_of(std::string_view input);
[[nodiscard]] std::string text_of(const InputWords& words);

/// What the elements of an array, or a number, are made as: float32 for the float4 of a float4*, and for a struct of floats; an
/// integer for structs of several types. Empty: a struct by value.
[[nodiscard]] std::optional<gpu::ScalarType> type_of_input(const gpu::Parameter& parameter);

/// Nobody may write through it: "const float*"; not "float* const".
[[nodiscard]] bool read_only(const gpu::Parameter& parameter);

}  // namespace warpbook::lessons
