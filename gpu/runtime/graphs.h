// Graphs: work that was captured or built node by node, and is executed at each launch of the graph.
#pragma once

#include "gpu/runtime/streams.h"

struct CUgraphExec_st {
  std::vector<std::pair<const CUgraphNode_st*, CUgraphNode_st>> steps;  // in topological order
  bool frees_first = false;                                             // cudaGraphInstantiateFlagAutoFreeOnLaunch
};

namespace warpbook::cudart {

[[nodiscard]] cudaError_t add_dependencies(const cudaGraphNode_t* from, const cudaGraphNode_t* to, std::size_t count);

}  // namespace warpbook::cudart
