// Printer: a decoded module back to PTX text that parses to the same module.
//
//     print(function, function.code[pc], module)   // "@%p1 ld.global.f32 %f1, [%rd4+8];"  for messages and the stepper
//     print(module)                                // a whole text; parse(print(m)) equals m but for ptx_line and in_toolkit
//
// Labels are named L0, L1 … after their pc; scopes are flat, as the parser made them. Cache hints and debug sections are gone.
#pragma once

#include <string>

#include "gpu/virtual/ptx/module.h"

namespace warpbook::gpu::ptx {

[[nodiscard]] std::string print(const Module& module);
[[nodiscard]] std::string print(const Function& function, const Module& module);
[[nodiscard]] std::string print(const Function& function, const Instruction& instruction, const Module& module);

}  // namespace warpbook::gpu::ptx
