// Checks that both devices make before a launch: the shape of the grid, and the packing of arguments.
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

/// Checks grid and block against the device's limits. `device` is its name in the error's sentence.
[[nodiscard]] Result<void> check_shape(const DeviceInfo& info, const LaunchRequest& request, std::string_view device);

/// Whether a kernel of the program prints or asserts, so that the device must collect output.
[[nodiscard]] bool prints(const Program& program);

/// Where a parameter lies in the kernel's parameter block.
struct ParameterSlot {
  std::size_t offset = 0, size = 0;
};
/// Places the parameters one after the other, each at its alignment: the layout of a kernel's parameters in PTX and of a struct in
/// C.
[[nodiscard]] std::vector<ParameterSlot> parameter_slots(std::span<const Parameter> parameters);

/// The arrays that a launch uses: its arguments, and those that pointers in its structs point to, in order.
[[nodiscard]] std::vector<Buffer> given_buffers(std::span<const Argument> arguments);

/// The parameter block. `address_of`: a buffer's address on the device, or empty if the device has no such buffer.
[[nodiscard]] Result<std::vector<std::byte>> pack_arguments(
    const Kernel& kernel, std::span<const Argument> arguments, std::span<const ParameterSlot> slots,
    const std::function<std::optional<std::uint64_t>(const Buffer&)>& address_of);

}  // namespace warpbook::gpu
