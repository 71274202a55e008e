#include "gpu/runtime/graphs.h"

#include <algorithm>
#include <set>

#include "gpu/runtime/calls.h"
#include "gpu/runtime/pools.h"

using namespace warpbook;
using cudart::Call;
using cudart::runtime;

namespace warpbook::cudart {

cudaError_t add_dependencies(const cudaGraphNode_t* from, const cudaGraphNode_t* to, std::size_t count) {
  for (std::size_t n = 0; n < count; ++n) to[n]->after.push_back(from[n]);
  return cudaSuccess;
}

namespace {

cudaError_t add_node(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, std::size_t count,
                     cudaGraphNodeType type, std::function<cudaError_t()> work) {
  if (!node || !graph || (count && !after)) return cudaErrorInvalidValue;
  CUgraphNode_st& made = graph->add(type, std::move(work));
  made.after.assign(after, after + count);
  *node = &made;
  return cudaSuccess;
}

/// The nodes in topological order. If there is a cycle, some are missing.
std::vector<const CUgraphNode_st*> in_order(const CUgraph_st& graph) {
  std::vector<const CUgraphNode_st*> order;
  std::set<const CUgraphNode_st*> placed;
  for (bool more = true; more;) {
    more = false;
    for (const auto& node : graph.nodes) {
      if (placed.contains(node.get())) continue;
      const bool ready = std::all_of(node->after.begin(), node->after.end(),
                                     [&](const CUgraphNode_st* before) { return placed.contains(before); });
      if (!ready) continue;
      order.push_back(node.get());
      placed.insert(node.get());
      more = true;
    }
  }
  return order;
}

std::function<cudaError_t()> launch_of(const cudaKernelNodeParams& p) {
  Function* const function = function_of(p.func);
  if (!function) return {};
  if (!p.kernelParams) not_run("A graph's kernel node whose arguments are given by `extra` is not here.");
  return kept_launch(*function, p.gridDim, p.blockDim, p.kernelParams, p.sharedMemBytes, false);
}

/// The work of a node in an instantiated graph.
CUgraphNode_st* step_of(cudaGraphExec_t ready, cudaGraphNode_t node) {
  for (auto& [original, step] : ready->steps)
    if (original == node) return &step;
  return nullptr;
}

cudaError_t run_steps(const std::vector<std::pair<const CUgraphNode_st*, CUgraphNode_st>>& steps) {
  for (const auto& [original, step] : steps)
    if (step.work)
      if (const cudaError_t error = step.work(); error != cudaSuccess) return error;
  return cudaSuccess;
}

cudaError_t ready_graph(cudaGraphExec_t* ready, cudaGraph_t graph, unsigned long long flags = 0) {
  if (!ready || !graph) return cudaErrorInvalidValue;
  const auto order = in_order(*graph);
  if (order.size() != graph->nodes.size()) return cudaErrorInvalidValue;  // there is a cycle
  auto made = std::make_unique<CUgraphExec_st>();
  for (const CUgraphNode_st* node : order) made->steps.emplace_back(node, *node);
  made->frees_first = flags & 1;
  *ready = made.release();
  return cudaSuccess;
}

}  // namespace
}  // namespace warpbook::cudart

extern "C" {

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned) {
  const Call call(__func__);
  *graph = new CUgraph_st;
  return call.done();
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  const Call call(__func__);
  delete graph;
  return call.done();
}
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, std::size_t count) {
  const Call call(__func__);
  return call.done(cudart::add_node(node, graph, after, count, cudaGraphNodeTypeEmpty, {}));
}
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, std::size_t count,
                                   const cudaKernelNodeParams* p) {
  const Call call(__func__);
  auto work = cudart::launch_of(*p);
  if (!work) return call.done(cudaErrorInvalidDeviceFunction);
  return call.done(cudart::add_node(node, graph, after, count, cudaGraphNodeTypeKernel, std::move(work)));
}
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, std::size_t count,
                                   const cudaMemcpy3DParms* p) {
  const Call call(__func__);
  return call.done(
      cudart::add_node(node, graph, after, count, cudaGraphNodeTypeMemcpy, [kept = *p] { return cudart::copy_3d_now(kept); }));
}
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, std::size_t count,
                                     void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  const Call call(__func__);
  return call.done(cudart::add_node(node, graph, after, count, cudaGraphNodeTypeMemcpy,
                                    [=] { return cudart::copy_now(to, from, bytes, kind); }));
}
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, std::size_t count,
                                   const cudaMemsetParams* p) {
  const Call call(__func__);
  return call.done(
      cudart::add_node(node, graph, after, count, cudaGraphNodeTypeMemset, [kept = *p] { return cudart::fill_elements(kept); }));
}
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, std::size_t count,
                                 const cudaHostNodeParams* p) {
  const Call call(__func__);
  return call.done(cudart::add_node(node, graph, after, count, cudaGraphNodeTypeHost, [kept = *p] {
    kept.fn(kept.userData);
    return cudaSuccess;
  }));
}
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, std::size_t count,
                                       cudaGraph_t child) {
  const Call call(__func__);
  cudaGraphExec_t ready = nullptr;
  if (const cudaError_t error = cudart::ready_graph(&ready, child); error != cudaSuccess) return call.done(error);
  const std::shared_ptr<CUgraphExec_st> kept(ready);
  return call.done(
      cudart::add_node(node, graph, after, count, cudaGraphNodeTypeGraph, [kept] { return cudart::run_steps(kept->steps); }));
}
cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, std::size_t count,
                                     cudaMemAllocNodeParams* p) {
  const Call call(__func__);
  if (!p) return call.done(cudaErrorInvalidValue);
  cudaError_t error = cudaSuccess;
  const auto memory = cudart::make_graph_memory(p->bytesize, error);
  if (!memory) return call.done(error);
  p->dptr = memory->pointer;
  return call.done(cudart::add_node(node, graph, after, count, cudaGraphNodeTypeMemAlloc, cudart::allocating(memory)));
}
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, std::size_t count,
                                    void* pointer) {
  const Call call(__func__);
  auto work = cudart::freeing(pointer);
  if (!work) return call.done(cudaErrorInvalidValue);
  return call.done(cudart::add_node(node, graph, after, count, cudaGraphNodeTypeMemFree, std::move(work)));
}
cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t graph) {
  const Call call(__func__);
  auto made = std::make_unique<CUgraph_st>();
  for (const auto& node : graph->nodes) made->add(node->type, node->work);
  for (std::size_t n = 0; n < graph->nodes.size(); ++n)
    for (const CUgraphNode_st* before : graph->nodes[n]->after)
      for (std::size_t b = 0; b < graph->nodes.size(); ++b)
        if (graph->nodes[b].get() == before) made->nodes[n]->after.push_back(made->nodes[b].get());
  *clone = made.release();
  return call.done();
}
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  const Call call(__func__);
  if (!nodes) {
    *count = graph->nodes.size();
    return call.done();
  }
  *count = std::min(*count, graph->nodes.size());
  for (std::size_t n = 0; n < *count; ++n) nodes[n] = graph->nodes[n].get();
  return call.done();
}
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  const Call call(__func__);
  std::size_t found = 0;
  for (const auto& node : graph->nodes) {
    if (!node->after.empty()) continue;
    if (nodes && found < *count) nodes[found] = node.get();
    ++found;
  }
  *count = nodes ? std::min(*count, found) : found;
  return call.done();
}
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  const Call call(__func__);
  *type = node->type;
  return call.done();
}
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* p) {
  const Call call(__func__);
  auto work = cudart::launch_of(*p);
  if (!work) return call.done(cudaErrorInvalidDeviceFunction);
  node->work = std::move(work);
  return call.done();
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* ready, cudaGraph_t graph, unsigned long long flags) {
  const Call call(__func__);
  return call.done(cudart::ready_graph(ready, graph, flags));
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* ready, cudaGraph_t graph, unsigned long long flags) {
  const Call call(__func__);
  return call.done(cudart::ready_graph(ready, graph, flags));
}
cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) { return Call(__func__).done(); }
cudaError_t cudaGraphLaunch(cudaGraphExec_t ready, cudaStream_t stream) {
  const Call call(__func__);
  if (!ready) return call.done(cudaErrorInvalidValue);
  return call.done(cudart::in_stream(stream, cudaGraphNodeTypeGraph, [ready] {
    cudart::graph_frees_first() = ready->frees_first;
    return cudart::run_steps(ready->steps);
  }));
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t ready) {
  const Call call(__func__);
  delete ready;
  return call.done();
}
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t ready, cudaGraphNode_t node, const cudaKernelNodeParams* p) {
  const Call call(__func__);
  CUgraphNode_st* const step = cudart::step_of(ready, node);
  auto work = cudart::launch_of(*p);
  if (!step || !work) return call.done(cudaErrorInvalidValue);
  step->work = std::move(work);
  return call.done();
}

// Updates the arguments of a graph with the same shape. Otherwise the program must instantiate the graph again. `result` points to
// a cudaGraphExecUpdateResultInfo, whose first member is 0 (success) or 2 (the topology changed).
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t ready, cudaGraph_t graph, int* result) {
  const Call call(__func__);
  const auto order = cudart::in_order(*graph);
  bool same = order.size() == ready->steps.size();
  for (std::size_t n = 0; same && n < order.size(); ++n) same = order[n]->type == ready->steps[n].second.type;
  if (result) *result = same ? 0 : 2;
  if (!same) return call.done(cudaErrorGraphExecUpdateFailure);
  for (std::size_t n = 0; n < order.size(); ++n) ready->steps[n] = {order[n], *order[n]};
  return call.done();
}

}  // extern "C"

CUDART_PER_THREAD(cudaGraphLaunch, ptsz)
CUDART_PER_THREAD(cudaGraphUpload, ptsz)
