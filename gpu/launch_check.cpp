#include "gpu/launch_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace warpbook::gpu {

Result<void> check_shape(const DeviceInfo& info, const LaunchRequest& request, std::string_view device) {
  const Dim3 block = request.block, grid = request.grid;
  const auto invalid = [&](std::string what) { return failure("cudaErrorInvalidConfiguration", std::move(what)); };
  if (!block.count() || !grid.count())
    return invalid(
        fmt::format("A launch of {} blocks of {} threads has no thread. Every dimension of grid and block must be at least 1.",
                    to_string(grid), to_string(block)));
  const auto most = static_cast<std::uint64_t>(info.max_threads_per_block);
  if (block.count() > most)
    return invalid(
        fmt::format("{} threads in a block; {} allows {}. Lower threads per block, or add blocks.", block.count(), device, most));
  const std::pair<const char*, std::pair<std::uint32_t, std::uint32_t>> sides[] = {
      {"blockDim.x", {block.x, info.max_block.x}}, {"blockDim.y", {block.y, info.max_block.y}},
      {"blockDim.z", {block.z, info.max_block.z}}, {"gridDim.x", {grid.x, info.max_grid.x}},
      {"gridDim.y", {grid.y, info.max_grid.y}},    {"gridDim.z", {grid.z, info.max_grid.z}}};
  for (const auto& [name, side] : sides)
    if (side.first > side.second)
      return invalid(
          fmt::format("{} is {}; {} allows {}. Spread the work over another dimension.", name, side.first, device, side.second));
  return {};
}

bool prints(const Program& program) {
  return program.ptx.find("vprintf") != std::string::npos || program.ptx.find("__assertfail") != std::string::npos;
}

std::vector<ParameterSlot> parameter_slots(std::span<const Parameter> parameters) {
  std::vector<ParameterSlot> slots;
  std::size_t end = 0;
  for (const Parameter& parameter : parameters) {
    const std::size_t align = std::max<std::size_t>(1, parameter.align);
    const std::size_t offset = (end + align - 1) / align * align;
    slots.push_back({offset, parameter.size});
    end = offset + parameter.size;
  }
  return slots;
}

std::vector<Buffer> given_buffers(std::span<const Argument> arguments) {
  std::vector<Buffer> buffers;
  for (const Argument& argument : arguments) {
    if (const auto* buffer = std::get_if<Buffer>(&argument)) buffers.push_back(*buffer);
    if (const auto* structure = std::get_if<Struct>(&argument))
      for (const Struct::Pointer& pointer : structure->pointers) buffers.push_back(pointer.buffer);
  }
  return buffers;
}

Result<std::vector<std::byte>> pack_arguments(const Kernel& kernel, std::span<const Argument> arguments,
                                              std::span<const ParameterSlot> slots,
                                              const std::function<std::optional<std::uint64_t>(const Buffer&)>& address_of) {
  if (arguments.size() != slots.size())
    return failure("cudaErrorInvalidValue",
                   fmt::format("`{}` has {} parameters, {} arguments were given.", kernel.name, slots.size(), arguments.size()));
  std::size_t bytes = 0;
  for (const ParameterSlot& slot : slots) bytes = std::max(bytes, slot.offset + slot.size);
  std::vector<std::byte> packed(bytes);
  for (std::size_t a = 0; a < arguments.size(); ++a) {
    const std::string name = a < kernel.parameters.size() ? kernel.parameters[a].name : fmt::format("argument {}", a);
    const auto address = [&](const Buffer& buffer) -> Result<std::uint64_t> {
      if (const auto found = address_of(buffer)) return *found;
      return failure("cudaErrorInvalidValue",
                     fmt::format("`{}` of `{}` is given an array that has been released.", name, kernel.name));
    };
    const void* from = nullptr;
    std::size_t given = 0;
    std::uint64_t pointer = 0;
    if (const auto* scalar = std::get_if<Scalar>(&arguments[a])) {
      from = &scalar->bits;
      given = size_of(scalar->type);
    } else if (const auto* structure = std::get_if<Struct>(&arguments[a])) {
      from = structure->bytes.data();
      given = structure->bytes.size();
    } else {
      const auto found = address(std::get<Buffer>(arguments[a]));
      if (!found) return failure(found.error());
      pointer = *found;
      from = &pointer;
      given = sizeof pointer;
    }
    if (given != slots[a].size)
      return failure("cudaErrorInvalidValue",
                     fmt::format("`{}` of `{}` takes {} bytes, its argument has {}. Give it a value of its own type.", name,
                                 kernel.name, slots[a].size, given));
    if (given != 0) std::memcpy(packed.data() + slots[a].offset, from, given);
    const auto* structure = std::get_if<Struct>(&arguments[a]);
    if (structure == nullptr) continue;
    for (const auto& [offset, buffer] : structure->pointers) {
      if (offset > given || given - offset < sizeof pointer)
        return failure("cudaErrorInvalidValue", fmt::format("`{}` of `{}` has a pointer at byte {}, beyond its {} bytes.", name,
                                                            kernel.name, offset, given));
      const auto found = address(buffer);
      if (!found) return failure(found.error());
      std::memcpy(packed.data() + slots[a].offset + offset, &*found, sizeof pointer);
    }
  }
  return packed;
}

}  // namespace warpbook::gpu
