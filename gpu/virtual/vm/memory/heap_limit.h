// How large a heap of device code becomes when a kernel first calls malloc: heap_bytes, until a program asks for more
// (cudaLimitMallocHeapSize). Of the whole process, as a program has one device; heaps that exist already stay as they are.
#pragma once

#include <cstddef>

namespace warpbook::gpu::vm {

[[nodiscard]] std::size_t heap_limit();
void set_heap_limit(std::size_t bytes);

}  // namespace warpbook::gpu::vm
