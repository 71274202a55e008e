// What both devices ask of a launch before they try it: its shape, and its arguments as bytes.
//
//     if (auto fits = check_shape(info, request, "the T4 profile"); !fits) return fail(fits.error());
//     auto packed = pack_arguments(kernel, request.arguments, slots, address_of);
//
// Errors carry CUDA's names: cudaErrorInvalidConfiguration, cudaErrorInvalidValue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "gpu/device.h"
#include "gpu/result.h"

namespace warpbook::gpu {

/// Grid and block against the device's limits. `device` is what the sentence calls it.
[[nodiscard]] Result<void> check_shape(const DeviceInfo& info, const LaunchRequest& request, std::string_view device);

/// Has it a kernel that prints or asserts? Then what CUDA prints for it is wanted.
[[nodiscard]] bool prints(const Program& program);

/// Where a parameter lies in the kernel's parameter block.
struct ParameterSlot {
  std::size_t offset = 0, size = 0;
};
/// One after the other, each at its alignment, as PTX lays out a kernel's parameters and C the members of a struct.
[[nodiscard]] std::vector<ParameterSlot> parameter_slots(std::span<const Parameter> parameters);

/// The arrays that a launch is given: its arguments, and what the pointers in its structs point to, in their order.
[[nodiscard]] std::vector<Buffer> given_buffers(std::span<const Argument> arguments);

/// The parameter block. `address_of`: a buffer's address on the device; empty where it is none of its buffers.
[[nodiscard]] Result<std::vector<std::byte>> pack_arguments(
    const Kernel& kernel, std::span<const Argument> arguments, std::span<const ParameterSlot> slots,
    const std::function<std::optional<std::uint64_t>(const Buffer&)>& address_of);

}  // namespace warpbook::gpu
