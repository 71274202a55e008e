// HostCode: the host program of a run in CUDA C++ or in Numba, printed from what the Host recorded, with the values in force.
//
//     Result<HostCode> code = host_code(host.kernel_text(), host.defines(), host.calls());
//     Result<HostCode> twin = numba_code(*numba_text(*lesson), host.defines(), host.calls());    // catalog.h
//     write("add.cu", code->text);                       // nvcc -o add add.cu && ./add
//     for (const InputFile& file : code->inputs) write(file.name, *file.bytes);
//
// One file: the kernel as edited, the macros, and a main() that makes the same inputs, launches the same grid and prints what
// it copied back, every value where there are few, else their sum. Inputs are code where they are a constant or count up,
// literals up to 64 KiB (after main() where they are many), and beyond that a file beside the program. Repeated launches
// become a loop. A Numba program prints the same lines; its kernel is the lesson's own in Python (kernels/NAME.py), as the
// learner's C++ cannot be translated, and its macros are constants. In CUDA C++ a macro that main() would meet ends with the
// kernel (#undef). Errors: "nothing_launched" before the first run; "too_large" where an input was more than the record keeps;
// "untold_struct" where a struct's members cannot be read from the source (gpu/struct_members.h); "no_twin" where Numba has
// none.
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

/// What every printed program says of itself in its first line.
inline constexpr std::string_view mark_of_host_code = "as Warpbook ran it";

struct InputFile {
  std::string name;  // "diffuse_in.bin": the elements, little-endian, nothing else
  std::shared_ptr<const std::vector<std::byte>> bytes;
};

struct HostCode {
  std::string text;
  std::size_t launch_line = 0;  // from 1: the first launch
  std::vector<InputFile> inputs;
  std::vector<gpu::Header> headers = {};  // that the kernel includes: they go beside the program, as they are
};

[[nodiscard]] Result<HostCode> host_code(const std::string& kernel_text,
                                         const std::vector<std::pair<std::string, std::string>>& defines,
                                         const std::vector<HostCall>& calls);
[[nodiscard]] Result<HostCode> numba_code(const std::string& kernel_text,
                                          const std::vector<std::pair<std::string, std::string>>& defines,
                                          const std::vector<HostCall>& calls);

}  // namespace warpbook::lessons
