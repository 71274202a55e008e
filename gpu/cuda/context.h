// Context: one CUDA context with its streams and events, and what became of it.
//
//     auto context = Context::make(driver, device);
//     if (auto done = context->check(driver->memAlloc(&address, bytes), "`out` could not be allocated"); !done) …
//     if (context->broken()) make_another();
//
// Whatever was made in a context is gone with it (cuCtxDestroy cleans up modules, memory, events, graphics resources), so nothing
// is freed one by one at the end, and nothing can be freed in a broken one.
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
  /// Current on the calling thread afterwards, and proven: something was written into its memory.
  [[nodiscard]] static Result<std::unique_ptr<Context>> make(DriverPtr driver, CUdevice device);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  [[nodiscard]] Result<void> make_current();

  /// A call's result as an Error; remembers a sticky one. cudaErrorUnknown, which a driver answers after a reset of the GPU, is
  /// sticky where the context answers nothing else either.
  [[nodiscard]] Result<void> check(CUresult result, std::string_view what);
  [[nodiscard]] bool broken() const { return broken_; }
  [[nodiscard]] const Error& cause() const { return cause_; }  // of the first sticky error
  /// Nothing of it is to be trusted any more: a launch in it ended with an error.
  void give_up(CUresult result);
  /// A kernel in it does not end: the destructor leaves it to a thread of its own, which destroys it after that kernel's end.
  void abandon();
  [[nodiscard]] bool abandoned() const { return abandoned_; }
  /// Was any context of this process left to its kernel?
  [[nodiscard]] static bool any_abandoned();
  /// Does such a kernel still run? Then pinned memory is neither allocated nor freed and no context destroyed: CUDA may wait for
  /// the kernel in each of these, and never return.
  [[nodiscard]] static bool kernel_left_behind();

  [[nodiscard]] CUstream stream() const { return stream_; }
  [[nodiscard]] CUevent begin() const { return begin_; }
  [[nodiscard]] CUevent end() const { return end_; }  // what an abandoned context waits for

  /// For work side by side: streams and events of these numbers, made where they have not been before; they are used again and
  /// again. Stream 0 is the default one.
  [[nodiscard]] Result<CUstream> stream(std::uint32_t number);
  [[nodiscard]] Result<CUevent> event(std::size_t number);

 private:
  explicit Context(DriverPtr driver) : driver_(std::move(driver)) {}
  /// Asked of an event, which waits for nothing: an error that has no meaning of its own may be one that stays.
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
