// What `warpbook cc` is asked for, in nvcc's words, and the commands of clang that do it.
//
//     Result<CcPlan> plan = cc_plan({"-O2", "-o", "heat", "heat.cu"});
//     run(ptx_command(*plan, tools, "heat.cu", "heat.ptx"));                       // its kernels
//     run(object_command(*plan, tools, plan->inputs[0], "heat.fatbin", "heat.o"));    // its host code, with the kernels
//     run(link_command(*plan, tools, {"heat.o"}));
//
// clang compiles a CUDA source twice: its kernels to PTX, and its host code, into which it puts the PTX. C and C++ sources are
// compiled by gcc, as nvcc does, or by clang where there is no gcc. Options that only concern NVIDIA's own compiler or assembler
// are ignored. Errors: "usage", for what is not known or cannot be done.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gpu/clang/clang.h"
#include "gpu/result.h"

namespace warpbook::app {

/// What the commands use.
struct CcTools {
  gpu::Clang clang;
  std::string headers;         // the folder of Warpbook's own headers (gpu/clang/headers.h)
  std::string runtime_folder;  // the folder of libcudart.so.12
  std::string gcc, gxx;        // empty: clang is used instead
  std::string overlay;         // of the source in hand: names the texts that clang reads in place of files; empty: none
};
/// Looks for gcc and g++ where distributions have them.
void find_gcc(CcTools& tools);

struct CcInput {
  enum class Kind { cuda, cpp, c, object };
  std::string file;
  Kind kind = Kind::cuda;
};

struct CcPlan {
  enum class Goal { program, object, ptx, fat_binary };
  Goal goal = Goal::program;
  std::vector<CcInput> inputs;
  std::string output;                            // empty: as nvcc names it
  std::vector<std::string> common;               // for both passes: -I, -D, -std …
  std::vector<std::string> host, kernels, link;  // for one of them only
  std::vector<std::string> left_out;             // the toolkit's libraries that it asks for: "cublas"
  int architecture = 75;
  bool device_debug = false;
};

[[nodiscard]] Result<CcPlan> cc_plan(const std::vector<std::string>& given);

/// The name of what is made of an input: heat.o, heat.ptx, heat.fatbin.
[[nodiscard]] std::string cc_output(const CcPlan& plan, const CcInput& input);

[[nodiscard]] std::vector<std::string> ptx_command(const CcPlan& plan, const CcTools& tools, const std::string& source,
                                                   const std::string& output);
/// `fat_binary`: the file that holds the PTX of a CUDA source (gpu/program/fat_binary_layout.h); of other sources it is not used.
[[nodiscard]] std::vector<std::string> object_command(const CcPlan& plan, const CcTools& tools, const CcInput& input,
                                                      const std::string& fat_binary, const std::string& output);
/// The program finds the runtime library even without `warpbook exec`.
[[nodiscard]] std::vector<std::string> link_command(const CcPlan& plan, const CcTools& tools,
                                                    const std::vector<std::string>& objects);

/// With the definition of what a table of virtual functions holds in place of a pure one. nvcc adds it when it links.
[[nodiscard]] std::string with_pure_virtual(std::string ptx);

/// The first function or variable that a file's PTX uses and does not hold; empty: none. Files are not linked on the device.
[[nodiscard]] std::string_view defined_elsewhere(std::string_view ptx);

}  // namespace warpbook::app
