#include "gpu/virtual/vm/code/mark_allocations.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "gpu/virtual/vm/memory/memory.h"

namespace warpbook::gpu::vm {
namespace {

/// By allocation: may it be reached? All may, where a pointer leads beside them.
std::vector<bool> reached(const LaunchInfo& launch, const PointsTo& where, const Image& image,
                          std::span<const std::byte> parameters) {
  std::vector<bool> all(launch.allocations.size(), true);
  if (where.anywhere) return all;
  std::vector<std::uint64_t> addresses;
  for (const PointsTo::Pointer& pointer : where.pointers) {
    const std::uint64_t at = image.kernel->parameter_offsets[pointer.parameter] + pointer.offset;
    std::uint64_t address = 0;
    if (at <= parameters.size() && parameters.size() - at >= sizeof address)
      std::memcpy(&address, parameters.data() + at, sizeof address);
    addresses.push_back(address);
  }
  for (const std::uint32_t global : where.globals) addresses.push_back(image.layout.globals[global]);
  // Null pointers and lengths go nowhere. What points beside an allocation may still be the way into it.
  std::erase_if(addresses, [](std::uint64_t address) { return address < global_base || address >> 48; });
  std::ptrdiff_t found = 0;
  std::vector<bool> some;
  for (const Allocation& allocation : launch.allocations) {
    const auto within =
        std::ranges::count_if(addresses, [&](std::uint64_t address) { return address - allocation.base < allocation.bytes; });
    some.push_back(within != 0);
    found += within;
  }
  return found == std::ssize(addresses) ? some : all;
}

}  // namespace

void mark_allocations(LaunchInfo& launch, const Image& image, std::span<const std::byte> parameters) {
  const std::vector<bool> stored = reached(launch, image.stored, image, parameters);
  const std::vector<bool> touched = reached(launch, image.accessed, image, parameters);
  for (std::size_t n = 0; n < launch.allocations.size(); ++n) {
    launch.allocations[n].only_read = !stored[n];
    launch.allocations[n].only_atomics = stored[n] && !touched[n];
  }
}

}  // namespace warpbook::gpu::vm
