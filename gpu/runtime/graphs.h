// Graphs: work that was captured or built node by node, and is done as often as it is launched.
#pragma once

#include "gpu/runtime/streams.h"

struct CUgraphExec_st {
  std::vector<std::pair<const CUgraphNode_st*, CUgraphNode_st>> steps;  // in an order that every dependency agrees with
};

namespace warpbook::cudart {

[[nodiscard]] cudaError_t add_dependencies(const cudaGraphNode_t* from, const cudaGraphNode_t* to, std::size_t count);

}  // namespace warpbook::cudart
