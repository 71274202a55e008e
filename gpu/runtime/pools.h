// Memory in the order of streams: pools, and the memory that a graph allocates and frees itself.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "gpu/runtime/streams.h"

namespace warpbook::cudart {

/// Memory that a graph's nodes allocate and free at each launch, always at the same address. It lasts as long as the graph and
/// what was instantiated from it; where the program has not freed it by then, until it does.
struct GraphMemory {
  void* pointer = nullptr;
  std::size_t bytes = 0;
  bool live = false;  // allocated by a launch, and not freed since
  ~GraphMemory();
};

[[nodiscard]] std::shared_ptr<GraphMemory> make_graph_memory(std::size_t bytes, cudaError_t& error);
/// The work of the two kinds of node. The second's is empty: no graph allocates this memory.
[[nodiscard]] std::function<cudaError_t()> allocating(std::shared_ptr<GraphMemory> memory);
[[nodiscard]] std::function<cudaError_t()> freeing(void* pointer);

/// Whether a launch frees first what the launch before has left allocated (cudaGraphInstantiateFlagAutoFreeOnLaunch).
[[nodiscard]] bool& graph_frees_first();

/// cudaFree and cudaFreeAsync, of memory of every kind.
[[nodiscard]] cudaError_t free_memory(void* pointer);

}  // namespace warpbook::cudart
