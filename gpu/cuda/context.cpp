#include "gpu/cuda/context.h"

#include <atomic>
#include <chrono>
#include <system_error>
#include <thread>

namespace warpbook::gpu {
namespace {

std::atomic<bool> abandoned_one = false;
std::atomic<int> kernels_left_behind = 0;

void sleep_a_little() { std::this_thread::sleep_for(std::chrono::milliseconds(100)); }

}  // namespace

Result<std::unique_ptr<Context>> Context::make(DriverPtr driver, CUdevice device) {
  std::unique_ptr<Context> context(new Context(driver));
  const Driver& cuda = *driver;
  // Host threads that wait release their core, since Warpbook does not need the lowest latency. Mapped memory needs its flag with
  // old drivers.
  constexpr unsigned flags = CU_CTX_SCHED_BLOCKING_SYNC | CU_CTX_MAP_HOST;
  CUdeviceptr probe = 0;
  const auto step = [&](CUresult result, std::string_view what) { return context->check(result, what); };
  auto made = step(cuda.ctxCreate(&context->context_, flags, device), "No context could be made on the GPU");
  if (made) made = step(cuda.streamCreate(&context->stream_, CU_STREAM_DEFAULT), "No stream could be made on the GPU");
  if (made) made = step(cuda.eventCreate(&context->begin_, CU_EVENT_DEFAULT), "No event could be made on the GPU");
  if (made) made = step(cuda.eventCreate(&context->end_, CU_EVENT_DEFAULT), "No event could be made on the GPU");
  // After a fault in another context, CUDA does not guarantee that a new one works.
  if (made) made = step(cuda.memAlloc(&probe, 4), "The GPU's memory could not be reached");
  if (made) made = step(cuda.memsetD8(probe, 0, 4), "The GPU's memory could not be written");
  if (made) made = step(cuda.ctxSynchronize(), "The GPU does not answer");
  if (made) made = step(cuda.memFree(probe), "The GPU's memory could not be given back");
  if (!made) return failure(made.error());
  return context;
}

Context::~Context() {
  if (context_ == nullptr) return;
  // The result of cuCtxDestroy is ignored: the context is unusable in any case, and its handle must not be used again.
  if (!abandoned_ && !kernel_left_behind()) {
    (void)driver_->ctxDestroy(context_);
    return;
  }
  (void)driver_->ctxSetCurrent(nullptr);
  // CUDA does not specify whether cuCtxDestroy waits for running kernels, also of other contexts, or which locks it holds
  // meanwhile. So first wait for the end of all of them.
  const auto destroy_after_all_kernels = [driver = driver_, context = context_, end = end_, abandoned = abandoned_] {
    if (abandoned && driver->ctxSetCurrent(context) == CUDA_SUCCESS)
      while (driver->eventQuery(end) == CUDA_ERROR_NOT_READY) sleep_a_little();
    if (abandoned) --kernels_left_behind;
    while (kernel_left_behind()) sleep_a_little();
    (void)driver->ctxDestroy(context);
  };
  try {
    std::thread(destroy_after_all_kernels).detach();
  } catch (const std::system_error&) {
    // No thread could be started. Then the context exists until the process ends, which also ends its kernel.
  }
}

void Context::give_up(CUresult result) {
  if (!broken_) cause_ = driver_error(*driver_, result, "A kernel failed");
  broken_ = true;
}

void Context::abandon() {
  if (!abandoned_) ++kernels_left_behind;
  broken_ = abandoned_ = true;
  abandoned_one = true;
}

Result<CUstream> Context::stream(std::uint32_t number) {
  if (number == 0) return CU_STREAM_LEGACY;
  if (const auto found = streams_.find(number); found != streams_.end()) return found->second;
  CUstream made = nullptr;
  // Without CU_STREAM_NON_BLOCKING: this stream and the default stream wait for each other.
  if (auto done = check(driver_->streamCreate(&made, CU_STREAM_DEFAULT), "No stream could be made on the GPU"); !done)
    return failure(done.error());
  return streams_[number] = made;
}

Result<CUevent> Context::event(std::size_t number) {
  while (events_.size() <= number) {
    CUevent made = nullptr;
    if (auto done = check(driver_->eventCreate(&made, CU_EVENT_DEFAULT), "No event could be made on the GPU"); !done)
      return failure(done.error());
    events_.push_back(made);
  }
  return events_[number];
}

bool Context::any_abandoned() { return abandoned_one; }

bool Context::kernel_left_behind() { return kernels_left_behind > 0; }

bool Context::answers() const {
  const CUresult asked = driver_->eventQuery(end_);
  return asked == CUDA_SUCCESS || asked == CUDA_ERROR_NOT_READY;
}

Result<void> Context::make_current() {
  return check(driver_->ctxSetCurrent(context_), "The GPU's context could not be made current");
}

Result<void> Context::check(CUresult result, std::string_view what) {
  if (result == CUDA_SUCCESS) return {};
  Error error = driver_error(*driver_, result, what);
  if (!broken_ && (is_sticky(result) || (result == CUDA_ERROR_UNKNOWN && end_ != nullptr && !answers()))) {
    broken_ = true;
    cause_ = error;
  }
  return failure(std::move(error));
}

}  // namespace warpbook::gpu
