// Playground: a lesson for any kernel. The chosen kernel and its inputs are texts of the lesson's Values, so that they are saved,
// compared and set like controls.
//
//     const gpu::Kernel* kernel = chosen_kernel(*program, values);      // nullptr: the file has none
//     std::string given = input_text(*program, *kernel, 0, values);     // "[4096]=uniform:0:1:7"
//     values.set_text(input_key(*kernel, 0), "[64x64]=@photo.png");     // as in --set add/a=[64x64]=@photo.png
//     Result<ArgumentSpec> input = input_of(*program, *kernel, 0, values);
//
// An input is an argument spec (arguments/argument_spec.h) without its type, which the kernel's parameter determines: "=5" or "5"
// for a number, "[4096]=iota" for an array. A struct by value has a complete spec with types: "{int32=5,float32[8]=iota}". An input
// that was not set, or that does not fit the parameter, is taken from the file's own host program (gpu/host_launch.h), if it can be
// read: the array's size and contents, or the number. Otherwise it is a default, with as many elements as there are threads (4096
// if the file launches nothing):
//     const T*      uniform in [0, 1), or 0, 1, 2 … for integers; a matrix if the launch has two dimensions; for a float4, four
//                   numbers per element
//     T*            zeros, as many
//     integer       the number of elements; of rows or columns if the kernel has several integers
//     other number  1
//     struct        its members by these rules (arrays like const T*), if the source defines them (gpu/struct_members.h), those
//                   that the host program sets with its values; otherwise none: the error of input_of() says what to type
// Errors are sentences with the code "usage".
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

/// Whether this is the id of a playground's text: "kernel", a kernel's parameter "add/a", or a variable "__device__/filter".
[[nodiscard]] bool is_playground_text(std::string_view id);

/// The chosen kernel, if the file has it; otherwise the first that its host program launches; otherwise the first of the file.
[[nodiscard]] const gpu::Kernel* chosen_kernel(const gpu::Program& program, const Values& values);

/// Grid, block and dynamic shared memory, as in the playground's controls.
struct LaunchShape {
  gpu::Dim3 grid, block;
  std::uint32_t shared_bytes = 0;
  friend bool operator==(const LaunchShape&, const LaunchShape&) = default;
};
inline constexpr gpu::Dim3 most_blocks{1 << 20, 65535, 65535}, most_threads{1024, 1024, 64};
inline constexpr std::uint32_t most_shared_bytes = 49152;

[[nodiscard]] LaunchShape shape_in(const Values& values);
void set_shape(const LaunchShape& shape, Values& values);

/// The launch of this kernel in the file's host program, if it is known and possible here. Otherwise a launch for arrays of 4096
/// elements, with as many dimensions as the kernel uses of its thread and block indices.
[[nodiscard]] LaunchShape proposed_shape(const gpu::Program& program, const gpu::Kernel& kernel);

/// Chooses a kernel and sets the launch that the file asks for.
void choose_kernel(const gpu::Program& program, const gpu::Kernel& kernel, Values& values);

/// Sets grid and block to those of the file, for the chosen kernel.
void take_launch(const gpu::Program& program, Values& values);
/// The same after an edit, unless somebody has changed the launch from that of the previous text.
void follow_program(const gpu::Program& before, const gpu::Program& now, Values& values);

/// Sets grid, block and inputs to those of the file; whether they are set.
void use_own_launch(const gpu::Program& program, const gpu::Kernel& kernel, Values& values);
[[nodiscard]] bool is_own_launch(const gpu::Program& program, const gpu::Kernel& kernel, const Values& values);

/// A sentence that says which line launches this kernel and how much of the launch is known. Empty: the file does not launch it.
[[nodiscard]] std::string about_launch(const gpu::Program& program, const gpu::Kernel& kernel, const Values& values);

[[nodiscard]] std::string input_key(const gpu::Kernel& kernel, std::size_t parameter);
[[nodiscard]] std::string input_text(const gpu::Program& program, const gpu::Kernel& kernel, std::size_t parameter,
                                     const Values& values);
[[nodiscard]] Result<ArgumentSpec> input_of(const gpu::Program& program, const gpu::Kernel& kernel, std::size_t parameter,
                                            const Values& values);

/// The id of a __constant__ or __device__ variable's text: "__device__/filter". Its value is "[5]=ones", or "=5" for a single
/// number. Default: what the file's host program puts into it (`own`, of own_variable()), or else zeros.
[[nodiscard]] std::string variable_key(const gpu::Variable& variable);
[[nodiscard]] std::string variable_text(const gpu::Variable& variable, const Values& values, const std::string& own);
[[nodiscard]] Result<ArgumentSpec> variable_of(const gpu::Variable& variable, const Values& values, const std::string& own);
/// What the file's host program puts into the variable before it launches this kernel: "[5]=1,4,6,4,1". Empty: unknown.
[[nodiscard]] std::string own_variable(const gpu::Program& program, const gpu::Kernel& kernel, const gpu::Variable& variable);
/// The variables that this kernel uses and that the source's host program fills, or must fill.
[[nodiscard]] std::vector<const gpu::Variable*> fields_of(const gpu::Program& program, const gpu::Kernel& kernel);

/// An error for a text that does not fit this file: an unknown kernel or parameter, an array for a number. While a file is edited,
/// such texts may be left over; when they were just typed, they are mistakes.
[[nodiscard]] Result<void> check_texts(const gpu::Program& program, const Values& values);

/// The parts of an input: "[64x64]=uniform:0:1:7" is {"64x64", "uniform", "0:1:7"}, "[8]=@x.npy" is {"8", "file", "x.npy"}, "=5" is
/// {"", "value", "5"}, "[2]=4,8" is {"2", "list", "4,8"}. zeros, ones and iota have no details.
struct InputWords {
  std::string shape, content, details;
};
[[nodiscard]] InputWords words_of(std::string_view input);
[[nodiscard]] std::string text_of(const InputWords& words);

/// The element type of an input: float32 for a float4* and for a struct of floats, an integer type for structs of mixed types.
/// Empty: a struct by value.
[[nodiscard]] std::optional<gpu::ScalarType> type_of_input(const gpu::Parameter& parameter);

/// Whether the kernel cannot write through it: "const float*", but not "float* const".
[[nodiscard]] bool read_only(const gpu::Parameter& parameter);

}  // namespace warpbook::lessons
