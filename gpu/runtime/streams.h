// Streams, events and graphs. All work is executed at once, except while a stream is captured into a graph.
//
//     return call.done(in_stream(stream, cudaGraphNodeTypeMemset, [=] { return fill(at, value, bytes); }));
//
// Ownership: the program owns streams, events and graphs, from create to destroy. The caller holds the runtime's mutex.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "gpu/runtime/api.h"
#include "gpu/runtime/runtime.h"

struct CUgraphNode_st {
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  std::function<cudaError_t()> work;   // empty: nothing to do
  std::vector<CUgraphNode_st*> after;  // nodes that must finish before it
};

struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;

  CUgraphNode_st& add(cudaGraphNodeType type, std::function<cudaError_t()> work) {
    nodes.push_back(std::make_unique<CUgraphNode_st>(CUgraphNode_st{type, std::move(work), {}}));
    return *nodes.back();
  }
};

struct CUstream_st {
  unsigned flags = 0;
  int priority = 0;
  CUgraph_st* capture = nullptr;                  // the graph that records the stream's work; nullptr: work is executed at once
  bool origin = false;                            // the capture began on this stream
  std::map<int, cudaLaunchAttribute> attributes;  // by number; hints, which are only kept
};

struct CUevent_st {
  std::chrono::steady_clock::time_point when;
  double device_us = 0;
  bool recorded = false;
  unsigned flags = 0;
  CUgraph_st* capture = nullptr;
};

namespace warpbook::cudart {

/// The stream behind a handle. nullptr: one of the default streams.
[[nodiscard]] inline CUstream_st* made_stream(cudaStream_t stream) {
  return reinterpret_cast<std::uintptr_t>(stream) > 2 ? stream : nullptr;  // 1: legacy, 2: per thread
}

/// For the record: the call under way works in this stream.
void note_stream(cudaStream_t stream);

template <class Work>
cudaError_t in_stream(cudaStream_t stream, cudaGraphNodeType type, Work work) {
  CUstream_st* const made = made_stream(stream);
  note_stream(stream);
  if (!made || !made->capture) return work();
  made->capture->add(type, std::move(work));
  return cudaSuccess;
}

/// A kernel's launch with a copy of its arguments.
[[nodiscard]] std::function<cudaError_t()> kept_launch(Function& function, dim3 grid, dim3 block, void* const* arguments,
                                                       std::size_t shared_bytes, bool cooperative);

/// The function behind a host stub or a cudaKernel_t. nullptr: there is none.
[[nodiscard]] Function* function_of(const void* stub);

// Defined in memory.cpp, used by graphs.cpp.
[[nodiscard]] cudaError_t copy_now(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);
[[nodiscard]] cudaError_t copy_3d_now(const cudaMemcpy3DParms& p);
[[nodiscard]] cudaError_t fill_elements(const cudaMemsetParams& p);

}  // namespace warpbook::cudart
