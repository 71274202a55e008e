// What `warpbook nvcc` gives the toolkit's nvcc: the words it was given, and what `warpbook exec` needs.
//
//     nvcc_words({"-O3", "-o", "heat", "heat.cu"})
//       → -O3 -o heat heat.cu -cudart shared -g -lineinfo -gencode arch=compute_75,code=compute_75
//
// The program is linked with the shared runtime library, and has line information of its kernels and of its host code. It has PTX of
// the newest architecture that was named and no machine code, whatever the words ask for: of 7.5 where none was named, where the
// machine's own was asked for, or where all are older. So a Makefile for GPUs that today's nvcc no longer knows works too.
#pragma once

#include <string>
#include <vector>

namespace warpbook::app {

[[nodiscard]] std::vector<std::string> nvcc_words(const std::vector<std::string>& given);

}  // namespace warpbook::app
