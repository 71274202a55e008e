// Where a kernel's text can store to in global memory: what the addresses of its stores and atomics are made from. Loads from
// elsewhere race with nothing, so watching need not hear of them; nor of atomics where there are no others, and nobody fences.
//
//     image.stored_to = stored_to(module, kernel);                // once, when the kernel is decoded
//     image.touched = touched_plainly(module, kernel);
//     mark_allocations(machine.info, image, machine.parameters);  // once a launch: Allocation::only_read, only_atomics
//
// An address is followed through registers to the parameters and variables that it comes from. What is loaded from memory may be
// any address; so may what is returned by a function. Not followed is how far from there it goes: an index that is wrong by more
// than an array lands elsewhere, or nowhere. The vm sees such an access when it comes (Worker::tell_again).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/virtual/ptx/module.h"

namespace warpbook::gpu::vm {

struct Image;
struct LaunchInfo;

struct StoredTo {
  bool anywhere = true;
  struct Pointer {  // eight bytes of one of the kernel's parameters
    std::uint32_t parameter = 0;
    std::uint64_t offset = 0;
    friend bool operator==(const Pointer&, const Pointer&) = default;
  };
  std::vector<Pointer> pointers;
  std::vector<std::uint32_t> globals;  // Module::globals
};

[[nodiscard]] StoredTo stored_to(const ptx::Module& module, const ptx::Function& kernel);
/// Where loads, stores and atomics can go but for relaxed ones of the whole GPU. Anywhere, if threads fence: then atomics order what
/// others do.
[[nodiscard]] StoredTo touched_plainly(const ptx::Module& module, const ptx::Function& kernel);

/// parameters: the launch's, as the kernel reads them.
void mark_allocations(LaunchInfo& launch, const Image& image, std::span<const std::byte> parameters);

}  // namespace warpbook::gpu::vm
