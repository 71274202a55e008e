// Call: what each of CUDA's calls begins with, and the errors that calls leave behind.
//
//     cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
//       const Call call(__func__);
//       return call.done(runtime().allocate(pointer, bytes, Allocation::Kind::device));
//     }
//     CUDART_PER_THREAD(cudaMemcpy, ptds)      // the same with a default stream a host thread, which changes nothing here
//
// Of calls within calls the outermost is the one that messages name.
#pragma once

#include <mutex>
#include <string>

#include "gpu/runtime/api.h"
#include "gpu/runtime/runtime.h"

namespace warpbook::cudart {

class Call {
 public:
  explicit Call(const char* name);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  /// Remembers an error for cudaGetLastError, tells the journal of it, and returns it.
  cudaError_t done(cudaError_t error = cudaSuccess) const;
  /// What a call answers that waits for the device: done(), or what a kernel's fault has left.
  cudaError_t waited() const;
  /// For the program's own code, called from here.
  void unlock();

 private:
  std::unique_lock<std::recursive_mutex> lock_;
  const char* before_;
};

/// The outermost call of this thread: "cudaMalloc".
[[nodiscard]] const char* current_call();

/// Where that call stands in the program, as the journal takes it: [["/path/of/program", address], …], the innermost first.
[[nodiscard]] nlohmann::ordered_json call_place();

/// The program asks for an error or its name: it has looked at those before.
void looked_at_errors();

/// CUDA's number of one of its names: "cudaErrorIllegalAddress".
[[nodiscard]] cudaError_t error_of(const std::string& name);
[[nodiscard]] const char* name_of_error(cudaError_t error);

#define CUDART_PER_THREAD(name, kind) extern "C" decltype(name) name##_##kind __attribute__((alias(#name)));

}  // namespace warpbook::cudart
