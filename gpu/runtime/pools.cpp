#include "gpu/runtime/pools.h"

#include <algorithm>
#include <map>
#include <set>

#include "gpu/runtime/calls.h"

using namespace warpbook;
using cudart::Allocation;
using cudart::Call;
using cudart::made_stream;
using cudart::runtime;

// Nothing of a pool is kept for later allocations here; the counts say what would be.
struct CUmemPoolHandle_st {
  std::uint64_t used = 0, used_high = 0, reserved = 0, reserved_high = 0, release_threshold = 0;
  int reuse[3] = {1, 1, 1};  // cudaMemPoolReuseFollowEventDependencies and the two after it
  bool destroyed = false;    // by the program, while it still has memory of it
};

namespace warpbook::cudart {
namespace {

constexpr int attribute_threshold = 4, attribute_reserved = 5, attribute_reserved_high = 6, attribute_used = 7,
              attribute_used_high = 8;
constexpr int location_device = 1, access_read_write = 3, allocation_pinned = 1;
constexpr std::uint64_t pool_step = std::uint64_t{32} << 20;  // a pool reserves memory in pieces of 32 MiB

struct FromPool {
  cudaMemPool_t pool = nullptr;
  std::size_t bytes = 0;
};

cudaMemPool_t default_pool() {
  static CUmemPoolHandle_st one;
  return &one;
}
cudaMemPool_t current_pool = nullptr;  // nullptr: the default one
std::set<cudaMemPool_t> pools;         // that the program made
std::map<void*, FromPool> from_pools;
std::map<void*, std::weak_ptr<GraphMemory>> graph_memory;
std::uint64_t graph_used_high = 0, graph_reserved_high = 0;

bool known(cudaMemPool_t pool) { return pool == default_pool() || pools.contains(pool); }

void keep_at_most(CUmemPoolHandle_st& pool, std::uint64_t bytes) {
  const std::uint64_t needed = (pool.used + pool_step - 1) / pool_step * pool_step;
  pool.reserved = std::max(needed, std::min(pool.reserved, bytes));
  pool.reserved_high = std::max(pool.reserved_high, pool.reserved);
}

cudaError_t allocate_from(cudaMemPool_t pool, void** pointer, std::size_t bytes) {
  if (const cudaError_t error = runtime().allocate(pointer, bytes, Allocation::Kind::device); error != cudaSuccess) return error;
  if (bytes == 0) return cudaSuccess;
  from_pools[*pointer] = {pool, bytes};
  pool->used += bytes;
  pool->used_high = std::max(pool->used_high, pool->used);
  keep_at_most(*pool, pool->reserved);
  return cudaSuccess;
}

void count_free(void* pointer) {
  const auto found = from_pools.find(pointer);
  if (found == from_pools.end()) return;
  const cudaMemPool_t pool = found->second.pool;
  pool->used -= found->second.bytes;
  keep_at_most(*pool, pool->release_threshold);
  from_pools.erase(found);
  if (pool->destroyed && pool->used == 0) delete pool;
}

std::shared_ptr<GraphMemory> memory_of_graph(void* pointer) {
  const auto found = graph_memory.find(pointer);
  return found == graph_memory.end() ? nullptr : found->second.lock();
}

/// What cudaDeviceGetGraphMemAttribute counts: memory that is allocated, and memory that graphs keep.
std::pair<std::uint64_t, std::uint64_t> graph_bytes() {
  std::uint64_t used = 0, reserved = 0;
  for (const auto& [pointer, weak] : graph_memory)
    if (const auto memory = weak.lock()) {
      reserved += memory->bytes;
      if (memory->live) used += memory->bytes;
    }
  graph_used_high = std::max(graph_used_high, used);
  graph_reserved_high = std::max(graph_reserved_high, reserved);
  return {used, reserved};
}

}  // namespace

GraphMemory::~GraphMemory() {
  if (!live && pointer) (void)runtime().release(pointer, false);
}

std::shared_ptr<GraphMemory> make_graph_memory(std::size_t bytes, cudaError_t& error) {
  auto memory = std::make_shared<GraphMemory>();
  error = bytes ? runtime().allocate(&memory->pointer, bytes, Allocation::Kind::device) : cudaErrorInvalidValue;
  if (error != cudaSuccess) return nullptr;
  memory->bytes = bytes;
  graph_memory[memory->pointer] = memory;
  (void)graph_bytes();
  return memory;
}

bool& graph_frees_first() {
  static bool frees = false;
  return frees;
}

std::function<cudaError_t()> allocating(std::shared_ptr<GraphMemory> memory) {
  return [memory = std::move(memory)] {
    if (memory->live && !graph_frees_first()) return cudaErrorInvalidValue;  // the launch before has left it allocated
    memory->live = true;
    (void)graph_bytes();
    return cudaSuccess;
  };
}

std::function<cudaError_t()> freeing(void* pointer) {
  auto memory = memory_of_graph(pointer);
  if (!memory) return {};
  return [memory = std::move(memory)] {
    if (!memory->live) return cudaErrorInvalidValue;
    memory->live = false;
    return cudaSuccess;
  };
}

cudaError_t free_memory(void* pointer) {
  if (const auto memory = memory_of_graph(pointer)) {  // the graph keeps the place for its next launch
    if (!memory->live) return cudaErrorInvalidValue;
    memory->live = false;
    return runtime().lost();
  }
  const Allocation* const allocation = pointer ? runtime().allocation_at(pointer) : nullptr;
  const cudaError_t error = runtime().release(pointer, false);
  if (allocation && !runtime().allocation_at(pointer)) count_free(pointer);
  return error;
}

}  // namespace warpbook::cudart

extern "C" {

cudaError_t cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  const Call call(__func__);
  if (!pointer || !cudart::known(pool)) return call.done(cudaErrorInvalidValue);
  CUstream_st* const made = made_stream(stream);
  if (!made || !made->capture) return call.done(cudart::allocate_from(pool, pointer, bytes));
  cudaError_t error = cudaSuccess;
  const auto memory = cudart::make_graph_memory(bytes, error);
  if (!memory) return call.done(error);
  *pointer = memory->pointer;
  made->capture->add(cudaGraphNodeTypeMemAlloc, cudart::allocating(memory));
  return call.done();
}
cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t stream) {
  const Call call(__func__);
  const cudaMemPool_t pool = cudart::current_pool ? cudart::current_pool : cudart::default_pool();
  return call.done(cudaMallocFromPoolAsync(pointer, bytes, pool, stream));
}
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  const Call call(__func__);
  CUstream_st* const made = made_stream(stream);
  if (!made || !made->capture) return call.done(cudart::free_memory(pointer));
  auto work = cudart::freeing(pointer);
  if (!work) return call.done(cudaErrorInvalidValue);
  made->capture->add(cudaGraphNodeTypeMemFree, std::move(work));
  return call.done();
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  const Call call(__func__);
  if (!pool) return call.done(cudaErrorInvalidValue);
  if (device != 0) return call.done(cudaErrorInvalidDevice);
  *pool = cudart::default_pool();
  return call.done();
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  const Call call(__func__);
  if (const cudaError_t error = cudaDeviceGetDefaultMemPool(pool, device); error != cudaSuccess) return call.done(error);
  if (cudart::current_pool) *pool = cudart::current_pool;
  return call.done();
}
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  const Call call(__func__);
  if (device != 0) return call.done(cudaErrorInvalidDevice);
  if (!cudart::known(pool)) return call.done(cudaErrorInvalidValue);
  cudart::current_pool = pool;
  return call.done();
}
cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* wanted) {
  const Call call(__func__);
  if (!pool || !wanted || wanted->allocType != cudart::allocation_pinned) return call.done(cudaErrorInvalidValue);
  if (wanted->location.type != cudart::location_device)
    cudart::not_run("cudaMemPoolCreate for memory elsewhere than on the device is not here.");
  if (wanted->location.id != 0) return call.done(cudaErrorInvalidDevice);
  cudart::pools.insert(*pool = new CUmemPoolHandle_st);
  return call.done();
}
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  const Call call(__func__);
  if (cudart::pools.erase(pool) == 0) return call.done(cudaErrorInvalidValue);
  if (cudart::current_pool == pool) cudart::current_pool = nullptr;
  pool->destroyed = true;
  if (pool->used == 0) delete pool;
  return call.done();
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t bytes) {
  const Call call(__func__);
  if (!cudart::known(pool)) return call.done(cudaErrorInvalidValue);
  cudart::keep_at_most(*pool, bytes);
  return call.done();
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, int attribute, void* value) {
  const Call call(__func__);
  if (!cudart::known(pool) || !value) return call.done(cudaErrorInvalidValue);
  if (attribute >= 1 && attribute <= 3) {
    pool->reuse[attribute - 1] = *static_cast<const int*>(value);
    return call.done();
  }
  const std::uint64_t given = *static_cast<const std::uint64_t*>(value);
  if (attribute == cudart::attribute_threshold)
    pool->release_threshold = given;
  else if (attribute == cudart::attribute_reserved_high && given == 0)
    pool->reserved_high = pool->reserved;
  else if (attribute == cudart::attribute_used_high && given == 0)
    pool->used_high = pool->used;
  else
    return call.done(cudaErrorInvalidValue);
  return call.done();
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, int attribute, void* value) {
  const Call call(__func__);
  if (!cudart::known(pool) || !value) return call.done(cudaErrorInvalidValue);
  auto* const number = static_cast<std::uint64_t*>(value);
  switch (attribute) {
    case 1:
    case 2:
    case 3:
      *static_cast<int*>(value) = pool->reuse[attribute - 1];
      break;
    case cudart::attribute_threshold:
      *number = pool->release_threshold;
      break;
    case cudart::attribute_reserved:
      *number = pool->reserved;
      break;
    case cudart::attribute_reserved_high:
      *number = pool->reserved_high;
      break;
    case cudart::attribute_used:
      *number = pool->used;
      break;
    case cudart::attribute_used_high:
      *number = pool->used_high;
      break;
    default:
      return call.done(cudaErrorInvalidValue);
  }
  return call.done();
}
// The device to which a pool belongs always has access to it; there is no other.
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* given, std::size_t count) {
  const Call call(__func__);
  if (!cudart::known(pool) || (count && !given)) return call.done(cudaErrorInvalidValue);
  for (std::size_t n = 0; n < count; ++n) {
    if (given[n].location.type != cudart::location_device) return call.done(cudaErrorInvalidValue);
    if (given[n].location.id != 0) return call.done(cudaErrorInvalidDevice);
    if (given[n].flags != cudart::access_read_write) return call.done(cudaErrorInvalidValue);
  }
  return call.done();
}
cudaError_t cudaMemPoolGetAccess(int* flags, cudaMemPool_t pool, const cudaMemLocation* location) {
  const Call call(__func__);
  if (!flags || !location || !cudart::known(pool)) return call.done(cudaErrorInvalidValue);
  if (location->type == cudart::location_device && location->id != 0) return call.done(cudaErrorInvalidDevice);
  *flags = cudart::access_read_write;
  return call.done();
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device, int attribute, void* value) {
  const Call call(__func__);
  if (device != 0) return call.done(cudaErrorInvalidDevice);
  if (!value || attribute < 0 || attribute > 3) return call.done(cudaErrorInvalidValue);
  const auto [used, reserved] = cudart::graph_bytes();
  const std::uint64_t numbers[] = {used, cudart::graph_used_high, reserved, cudart::graph_reserved_high};
  *static_cast<std::uint64_t*>(value) = numbers[attribute];
  return call.done();
}
cudaError_t cudaDeviceSetGraphMemAttribute(int device, int attribute, void* value) {
  const Call call(__func__);
  if (device != 0) return call.done(cudaErrorInvalidDevice);
  if (!value || *static_cast<const std::uint64_t*>(value) != 0 || (attribute != 1 && attribute != 3))
    return call.done(cudaErrorInvalidValue);
  (attribute == 1 ? cudart::graph_used_high : cudart::graph_reserved_high) = 0;
  (void)cudart::graph_bytes();
  return call.done();
}
cudaError_t cudaDeviceGraphMemTrim(int device) {
  const Call call(__func__);
  return call.done(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

}  // extern "C"

CUDART_PER_THREAD(cudaMallocAsync, ptsz)
CUDART_PER_THREAD(cudaMallocFromPoolAsync, ptsz)
CUDART_PER_THREAD(cudaFreeAsync, ptsz)
