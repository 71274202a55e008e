// Removed code: what the compiler has left out of a kernel because no result depends on it. Who looks there for a race finds none,
// and must be told why.
//
//     // __global__ void count() { __shared__ int n; n = threadIdx.x; }
//     removed_code(*kernel, function, shared, variables, source);   // "The compiler has removed all …"
//
// Only what is certain is told: a kernel of which nothing is left, and arrays and variables in shared memory that the kernel
// declares and stores to and that its PTX does not have. Those between #if and #endif are left out, because it is not known here
// which of them were compiled.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/compiler.h"
#include "gpu/declared_variables.h"
#include "gpu/message.h"
#include "gpu/virtual/ptx/module.h"
#include "gpu/virtual/vm/observer.h"

namespace warpbook::gpu {

struct RemovedCode {
  bool everything = false;         // nothing is left of the kernel: there was nothing to observe
  std::vector<Message> sentences;  // for the learner; none if nothing is known to be missing, or if there is no source
};

/// `shared`: the variables that are left, with the source's names (declare_shared).
[[nodiscard]] RemovedCode removed_code(const Kernel& kernel, const ptx::Function& function,
                                       std::span<const vm::SharedVariable> shared, const DeclaredVariables& variables,
                                       std::string_view source);

}  // namespace warpbook::gpu
