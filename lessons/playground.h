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
// "{int32=5,float32[8]=iota}". What was never said, or does not fit the parameter any more, is what the
// file's own host program gives it (gpu/host_launch.h), as far as that can be read without running it: the array's size and what
// was put into it, the number. Else it is a default, for as many elements as there are threads (4096 where the file launches
// nothing):
//     const T*      uniform in [0, 1), or 0, 1, 2 … of whole numbers; rows and columns where the launch has two dimensions; of a
//                   float4 four numbers each
//     T*            as many zeros
//     whole number  the number of elements; of rows or columns where the kernel has several
//     other number  1
//     struct        its members by these rules, where the source names them (gpu/struct_members.h), any array like a const T*; else
//                   nothing: input_of() then says what to type
// Errors are sentences with code "usage".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/compiler.h"
#include "gpu/result.h"
#include "lessons/arguments/argument_spec.h"
#include "lessons/lesson.h"

namespace warpbook::lessons {

inline constexpr std::string_view kernel_key = "kernel";

/// Whether these words name a text of a playground: "kernel", a kernel's parameter, "add/a", or a variable, "__device__/filter".
[[nodiscard]] bool is_playground_text(std::string_view id);

/// The one that was chosen, where the file has it; else the first that its host program launches; else its first.
[[nodiscard]] const gpu::Kernel* chosen_kernel(const gpu::Program& program, const Values& values);

/// Grid, block and dynamic shared memory, as the playground's controls have them.
struct LaunchShape {
  gpu::Dim3 grid, block;
  std::uint32_t shared_bytes = 0;
  friend bool operator==(const LaunchShape&, const LaunchShape&) = default;
};
inline constexpr gpu::Dim3 most_blocks{1 << 20, 65535, 65535}, most_threads{1024, 1024, 64};
inline constexpr std::uint32_t most_shared_bytes = 49152;

[[nodiscard]] LaunchShape shape_in(const Values& values);
void set_shape(const LaunchShape& shape, Values& values);

/// The launch that the file asks for: what its host program gives this kernel, where that is known and can be set here; else one
/// that covers arrays of 4096 elements, with blocks and a grid of as many dimensions as the kernel reads of its threads' and
/// blocks' indices.
[[nodiscard]] LaunchShape proposed_shape(const gpu::Program& program, const gpu::Kernel& kernel);

/// Chooses it, and gives it the launch that the file asks for.
void choose_kernel(const gpu::Program& program, const gpu::Kernel& kernel, Values& values);

/// Grid and block become the ones that the file asks for, for the chosen kernel.
void take_launch(const gpu::Program& program, Values& values);
/// The same when a text was edited, unless somebody has set another launch than the text before asked for.
void follow_program(const gpu::Program& before, const gpu::Program& now, Values& values);

/// Grid, block and inputs become what the file asks for; whether they are.
void use_own_launch(const gpu::Program& program, const gpu::Kernel& kernel, Values& values);
[[nodiscard]] bool is_own_launch(const gpu::Program& program, const gpu::Kernel& kernel, const Values& values);

/// Which line launches this kernel, and how much of that is known, in a sentence; empty: nothing in the file launches it.
[[nodiscard]] std::string about_launch(const gpu::Program& program, const gpu::Kernel& kernel, const Values& values);

[[nodiscard]] std::string input_key(const gpu::Kernel& kernel, std::size_t parameter);
[[nodiscard]] std::string input_text(const gpu::Program& program, const gpu::Kernel& kernel, std::size_t parameter,
                                     const Values& values);
[[nodiscard]] Result<ArgumentSpec> input_of(const gpu::Program& program, const gpu::Kernel& kernel, std::size_t parameter,
                                            const Values& values);

/// A __constant__ or __device__ variable's: "__device__/filter" is "[5]=ones", or "=5" for a single number. Nothing said: zeros.
[[nodiscard]] std::string variable_key(const gpu::Variable& variable);
[[nodiscard]] std::string variable_text(const gpu::Variable& variable, const Values& values);
[[nodiscard]] Result<ArgumentSpec> variable_of(const gpu::Variable& variable, const Values& values);
/// Those that this kernel uses and the source leaves to the host program to fill.
[[nodiscard]] std::vector<const gpu::Variable*> fields_of(const gpu::Program& program, const gpu::Kernel& kernel);

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
