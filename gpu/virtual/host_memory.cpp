#include "gpu/virtual/host_memory.h"

#include <unistd.h>

#include <algorithm>

namespace warpbook::gpu {

std::size_t host_memory() {
  // Asked only once, because it takes half as long as a small launch.
  static const std::size_t bytes = static_cast<std::size_t>(std::max(1L, sysconf(_SC_PHYS_PAGES))) *
                                   static_cast<std::size_t>(std::max(1L, sysconf(_SC_PAGESIZE)));
  return bytes;
}

}  // namespace warpbook::gpu
