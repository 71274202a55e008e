// Alias analysis: which parts of global memory a kernel's text can store to, and which it can access. Loads from anywhere else
// cannot race, so that they need not be reported to the race detector. Nor need atomics be reported where a kernel accesses a place
// by relaxed atomics alone and has no fence.
//
//     image.stored = stored_places(module, kernel);               // once, when the kernel is decoded
//     image.accessed = plainly_accessed_places(module, kernel);
//     mark_allocations(machine.info, image, machine.parameters);  // once a launch (code/mark_allocations.h)
//
// An address is followed through registers back to the kernel's parameters and the module's variables. An address that was loaded
// from memory, or that a function returned, may point anywhere. The distance from a pointer is not followed: an index that is too
// large may lead into another allocation. The vm notices such an access when it happens (Worker::report_from_now_on).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/virtual/ptx/module.h"

namespace warpbook::gpu::vm {

/// What a set of addresses may point to.
struct PointsTo {
  bool anywhere = true;
  struct Pointer {  // eight bytes of one of the kernel's parameters
    std::uint32_t parameter = 0;
    std::uint64_t offset = 0;
    friend bool operator==(const Pointer&, const Pointer&) = default;
  };
  std::vector<Pointer> pointers;
  std::vector<std::uint32_t> globals;  // Module::globals
};

/// Where the kernel's stores and atomics may go.
[[nodiscard]] PointsTo stored_places(const ptx::Module& module, const ptx::Function& kernel);
/// Where its loads, stores and atomics may go, without the relaxed atomics of the whole GPU. A kernel with a fence may access
/// anything: atomics then order what other threads do.
[[nodiscard]] PointsTo plainly_accessed_places(const ptx::Module& module, const ptx::Function& kernel);

}  // namespace warpbook::gpu::vm
