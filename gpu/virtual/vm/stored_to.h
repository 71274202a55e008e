// Where a kernel's text can store to in global memory: what the addresses of its stores and atomics are made from. Loads from
// elsewhere race with nothing, so watching need not hear of them.
//
//     const StoredTo stored = stored_to(module, kernel);                        // once, when the kernel is decoded
//     mark_only_read(machine.info, stored, image, machine.parameters);          // once a launch: Allocation::only_read
//
// An address is followed through registers to the parameters and variables that it comes from. What is loaded from memory may be
// any address; so may what is returned by a function. Not followed is how far from there it goes: an index that is wrong by more
// than an array lands elsewhere, or nowhere. The vm sees such a store when it comes (Worker::tell_loads_again).
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

/// parameters: the launch's, as the kernel reads them.
void mark_only_read(LaunchInfo& launch, const StoredTo& stored, const Image& image, std::span<const std::byte> parameters);

}  // namespace warpbook::gpu::vm
