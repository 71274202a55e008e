// Context: a CUDA context with its streams and events, and its state after errors.
//
//     auto context = Context::make(driver, device);
//     if (auto done = context->check(driver->memAlloc(&address, bytes), "`out` could not be allocated"); !done) …
//     if (context->broken()) make_another();
//
// Destroying a context (cuCtxDestroy) also frees its modules, memory, events and graphics resources. So nothing is freed one by one
// at the end, and nothing can be freed in a broken context.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "gpu/cuda/driver.h"
#include "gpu/result.h"

namespace warpbook::gpu {

class Context {
 public:
  /// The new context is current on the calling thread and was tested by writing into its memory.
  [[nodiscard]] static Result<std::unique_ptr<Context>> make(DriverPtr driver, CUdevice device);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  [[nodiscard]] Result<void> make_current();

  /// Turns a call's result into an Error, and remembers a sticky one. The driver also returns cudaErrorUnknown after a reset of the
  /// GPU; it counts as sticky if all other calls in the context fail as well.
  [[nodiscard]] Result<void> check(CUresult result, std::string_view what);
  [[nodiscard]] bool broken() const { return broken_; }
  [[nodiscard]] const Error& cause() const { return cause_; }  // the first sticky error
  /// Marks the context as broken, because a launch in it ended with an error.
  void give_up(CUresult result);
  /// Call this if a kernel does not end. The destructor then passes the context to a thread that destroys it after the kernel's
  /// end.
  void abandon();
  [[nodiscard]] bool abandoned() const { return abandoned_; }
  /// Whether any context of this process was abandoned.
  [[nodiscard]] static bool any_abandoned();
  /// Whether an abandoned kernel is still running. If so, pinned memory must not be allocated or freed and no context may be
  /// destroyed: in each of these calls, CUDA might wait for the kernel for ever.
  [[nodiscard]] static bool kernel_left_behind();

  [[nodiscard]] CUstream stream() const { return stream_; }
  [[nodiscard]] CUevent begin() const { return begin_; }
  [[nodiscard]] CUevent end() const { return end_; }  // an abandoned context waits for this event

  /// Streams and events for concurrent work, by number. They are made on first use and reused afterwards. Stream 0 is the default
  /// stream.
  [[nodiscard]] Result<CUstream> stream(std::uint32_t number);
  [[nodiscard]] Result<CUevent> event(std::size_t number);

 private:
  explicit Context(DriverPtr driver) : driver_(std::move(driver)) {}
  /// Queries an event, which does not wait, to find out whether an ambiguous error is a sticky one.
  [[nodiscard]] bool answers() const;

  DriverPtr driver_;
  CUcontext context_ = nullptr;
  CUstream stream_ = nullptr;
  CUevent begin_ = nullptr, end_ = nullptr;
  std::map<std::uint32_t, CUstream> streams_;
  std::vector<CUevent> events_;
  bool broken_ = false, abandoned_ = false;
  Error cause_;
};

}  // namespace warpbook::gpu
