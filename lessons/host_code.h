// HostCode: the host program of a run in CUDA C++ or in Numba, printed from the Host's record with the current values.
//
//     Result<HostCode> code = host_code(host.kernel_text(), host.defines(), host.calls());
//     Result<HostCode> twin = numba_code(*numba_text(*lesson), host.defines(), host.calls());    // catalog.h
//     write("add.cu", code->text);                       // nvcc -o add add.cu && ./add
//     for (const InputFile& file : code->inputs) write(file.name, *file.bytes);
//
// The program is one file: the kernel as edited, the macros, and a main() that makes the same inputs, launches the same grid and
// prints what it copied back: every value if there are few, otherwise their sum. Inputs are code if they are constant or count up,
// literals up to 64 KiB (after main() if there are many), and otherwise a file beside the program. Repeated launches become a loop.
// A Numba program prints the same lines. Its kernel is the lesson's own Python kernel (kernels/NAME.py), because the learner's C++
// cannot be translated, and its macros are constants. In CUDA C++, a macro that would change main() is undefined after the kernel
// (#undef). Errors: "nothing_launched" before the first run; "too_large" if an input was not recorded because of its size;
// "untold_struct" if a struct's members cannot be read from the source (gpu/struct_members.h); "no_twin" if there is no Numba
// kernel.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/result.h"
#include "lessons/host.h"

namespace warpbook::lessons {

/// Part of the first line of every printed program.
inline constexpr std::string_view mark_of_host_code = "as Warpbook ran it";

struct InputFile {
  std::string name;  // "diffuse_in.bin": only the elements, little-endian
  std::shared_ptr<const std::vector<std::byte>> bytes;
};

struct HostCode {
  std::string text;
  std::size_t launch_line = 0;  // line of the first launch, from 1
  std::vector<InputFile> inputs;
  std::vector<gpu::Header> headers = {};  // headers that the kernel includes, to be saved beside the program
};

[[nodiscard]] Result<HostCode> host_code(const std::string& kernel_text,
                                         const std::vector<std::pair<std::string, std::string>>& defines,
                                         const std::vector<HostCall>& calls);
[[nodiscard]] Result<HostCode> numba_code(const std::string& kernel_text,
                                          const std::vector<std::pair<std::string, std::string>>& defines,
                                          const std::vector<HostCall>& calls);

}  // namespace warpbook::lessons
