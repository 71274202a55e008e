// How much memory this machine has, of which a kernel on the virtual GPU may take a part.
#pragma once

#include <cstddef>

namespace warpbook::gpu {

/// Bytes; at least one page.
[[nodiscard]] std::size_t host_memory();

}  // namespace warpbook::gpu
