// Call: the common prologue of CUDA's calls, and the errors that calls store.
//
//     cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
//       const Call call(__func__);
//       return call.done(runtime().allocate(pointer, bytes, Allocation::Kind::device));
//     }
//     CUDART_PER_THREAD(cudaMemcpy, ptds)      // the same with a default stream a host thread, which changes nothing here
//
// If calls are nested, messages name the outermost one.
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

  /// Stores an error for cudaGetLastError, writes it into the journal, and returns it.
  cudaError_t done(cudaError_t error = cudaSuccess) const;
  /// The result of a call that waits for the device: the error of an earlier kernel's fault, or else done().
  cudaError_t waited() const;
  /// Releases the lock while the program's own code is called.
  void unlock();

 private:
  std::unique_lock<std::recursive_mutex> lock_;
  const char* before_;
};

/// Why the call under way fails, for who reads the report: a clause, "the destination is host memory". Returns `error`.
cudaError_t because(cudaError_t error, std::string why);

/// The outermost call of this thread: "cudaMalloc".
[[nodiscard]] const char* current_call();

/// Whether this thread has called CUDA's runtime, which makes the device's primary context current for the driver's calls.
[[nodiscard]] bool has_called_runtime();

/// The place of that call in the program, in the journal's form: [["/path/of/program", address], …], the innermost first.
[[nodiscard]] nlohmann::ordered_json call_place();

/// Records that the program has asked for an error or its name, and so has checked the earlier errors.
void looked_at_errors();

/// The number of an error name: "cudaErrorIllegalAddress".
[[nodiscard]] cudaError_t error_of(const std::string& name);
[[nodiscard]] const char* name_of_error(cudaError_t error);

#define CUDART_PER_THREAD(name, kind) extern "C" decltype(name) name##_##kind __attribute__((alias(#name)));

}  // namespace warpbook::cudart
