#include "gpu/runtime/streams.h"

#include <fmt/format.h>

#include <cstring>
#include <set>

#include "gpu/runtime/calls.h"
#include "gpu/runtime/recorder.h"

using namespace warpbook;
using cudart::Call;
using cudart::made_stream;
using cudart::runtime;

namespace warpbook::cudart {

void note_stream(cudaStream_t stream) {
  if (Recorder* const recorder = runtime().recorder()) recorder->in_stream(stream);
}

}  // namespace warpbook::cudart

namespace {

std::set<cudaStream_t> streams;
std::set<cudaEvent_t> events;

bool known(cudaStream_t stream) {
  cudart::note_stream(stream);
  return !made_stream(stream) || streams.contains(stream);
}

}  // namespace

extern "C" {

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  const Call call(__func__);
  if (!stream || flags > 1) return call.done(cudaErrorInvalidValue);
  *stream = new CUstream_st{.flags = flags, .priority = priority};
  streams.insert(*stream);
  return call.waited();
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  const Call call(__func__);
  return call.done(cudaStreamCreateWithPriority(stream, flags, 0));
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  const Call call(__func__);
  return call.done(cudaStreamCreateWithPriority(stream, 0, 0));
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  const Call call(__func__);
  if (!made_stream(stream) || streams.erase(stream) == 0) return call.done(cudaErrorInvalidResourceHandle);
  delete stream;
  return call.waited();
}
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  const Call call(__func__);
  *priority = made_stream(stream) ? stream->priority : 0;
  return call.done();
}
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  const Call call(__func__);
  *flags = made_stream(stream) ? stream->flags : 0;
  return call.done();
}
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  const Call call(__func__);
  *id = reinterpret_cast<std::uintptr_t>(stream);
  return call.done();
}
cudaError_t cudaStreamGetDevice(cudaStream_t, int* device) {
  const Call call(__func__);
  *device = 0;
  return call.done();
}
// Attributes of a stream are hints about caches and waiting. They are kept, and change nothing here.
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, int attribute, const void* value) {
  const Call call(__func__);
  if (!value || !known(stream)) return call.done(cudaErrorInvalidValue);
  if (attribute != cudaLaunchAttributeAccessPolicyWindow && attribute != cudaLaunchAttributeSynchronizationPolicy)
    cudart::not_run(fmt::format("cudaStreamSetAttribute with attribute {} is not here.", attribute));
  if (CUstream_st* const made = made_stream(stream))
    std::memcpy(&made->attributes[attribute].val, value, sizeof(cudaLaunchAttribute::val));
  return call.done();
}
cudaError_t cudaStreamGetAttribute(cudaStream_t stream, int attribute, void* value) {
  const Call call(__func__);
  if (!value || !known(stream)) return call.done(cudaErrorInvalidValue);
  const cudaLaunchAttribute none{};
  const CUstream_st* const made = made_stream(stream);
  const auto found = made ? made->attributes.find(attribute) : decltype(made->attributes.end()){};
  const bool is_set = made && found != made->attributes.end();
  std::memcpy(value, is_set ? &found->second.val : &none.val, sizeof none.val);
  return call.done();
}
cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
  const Call call(__func__);
  if (!known(to) || !known(from)) return call.done(cudaErrorInvalidValue);
  if (made_stream(to) && made_stream(from)) to->attributes = from->attributes;
  return call.done();
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  const Call call(__func__);
  if (least) *least = 0;
  if (greatest) *greatest = -5;
  return call.done();
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  const Call call(__func__);
  if (!known(stream)) return call.done(cudaErrorInvalidResourceHandle);
  if (made_stream(stream) && stream->capture) return call.done(cudaErrorStreamCaptureUnsupported);
  return call.waited();
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  const Call call(__func__);
  return known(stream) ? call.waited() : call.done(cudaErrorInvalidResourceHandle);
}
// The event has already happened, so there is nothing to wait for. During a capture, the waiting stream joins it.
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  const Call call(__func__);
  if (!known(stream) || !events.contains(event)) return call.done(cudaErrorInvalidResourceHandle);
  if (event->capture && made_stream(stream) && !stream->capture) stream->capture = event->capture;
  return call.done();
}
cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void*, std::size_t, unsigned) { return Call(__func__).waited(); }

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  const Call call(__func__);
  const bool captures = made_stream(stream) && stream->capture;
  *status = captures ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return call.done();
}
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, int) {
  const Call call(__func__);
  if (!made_stream(stream)) return call.done(cudaErrorStreamCaptureUnsupported);
  if (!known(stream)) return call.done(cudaErrorInvalidResourceHandle);
  if (stream->capture) return call.done(cudaErrorIllegalState);
  stream->capture = new CUgraph_st;
  stream->origin = true;
  return call.done();
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  const Call call(__func__);
  if (!known(stream)) return call.done(cudaErrorInvalidResourceHandle);
  if (!made_stream(stream) || !stream->capture) return call.done(cudaErrorIllegalState);
  if (!stream->origin) return call.done(cudaErrorStreamCaptureUnmatched);
  CUgraph_st* const captured = stream->capture;
  for (const cudaStream_t other : streams)
    if (other->capture == captured) other->capture = nullptr;
  for (const cudaEvent_t event : events)
    if (event->capture == captured) event->capture = nullptr;
  stream->origin = false;
  // In the order in which they were captured, which satisfies all dependencies.
  for (std::size_t n = 1; n < captured->nodes.size(); ++n) captured->nodes[n]->after = {captured->nodes[n - 1].get()};
  *graph = captured;
  return call.done();
}
cudaError_t cudaThreadExchangeStreamCaptureMode(int*) { return Call(__func__).done(); }

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  const Call call(__func__);
  if (!event) return call.done(cudaErrorInvalidValue);
  *event = new CUevent_st;
  (*event)->flags = flags;
  events.insert(*event);
  return call.waited();
}
cudaError_t cudaEventCreate(cudaEvent_t* event) {
  const Call call(__func__);
  return call.done(cudaEventCreateWithFlags(event, 0));
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  const Call call(__func__);
  if (events.erase(event) == 0) return call.done(cudaErrorInvalidResourceHandle);
  delete event;
  return call.waited();
}
// While a stream is captured, an event only says what other work depends on, and is no node of the graph: the program may destroy
// it before the graph is launched. With cudaEventRecordExternal it is one.
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  const Call call(__func__);
  constexpr unsigned external = 1;
  if (flags > external) return call.done(cudaErrorInvalidValue);
  if (!events.contains(event) || !known(stream)) return call.done(cudaErrorInvalidResourceHandle);
  const bool captured = made_stream(stream) && stream->capture;
  if (flags == external && !captured) return call.done(cudaErrorIllegalState);
  event->capture = captured && flags != external ? stream->capture : nullptr;
  if (event->capture) return call.done();
  return call.done(cudart::in_stream(stream, cudaGraphNodeTypeEventRecord, [event] {
    if (!events.contains(event)) return cudaErrorInvalidResourceHandle;
    event->when = std::chrono::steady_clock::now();
    event->device_us = runtime().device_us();
    event->recorded = true;
    return runtime().lost();
  }));
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  const Call call(__func__);
  return call.done(cudaEventRecordWithFlags(event, stream, 0));
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  const Call call(__func__);
  if (!events.contains(event)) return call.done(cudaErrorInvalidResourceHandle);
  return event->capture ? call.done(cudaErrorCapturedEvent) : call.waited();
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  const Call call(__func__);
  return events.contains(event) ? call.waited() : call.done(cudaErrorInvalidResourceHandle);
}
// With the clock schedule, the device's modelled time; otherwise this machine's time.
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end) {
  const Call call(__func__);
  if (!events.contains(start) || !events.contains(end) || !start->recorded || !end->recorded)
    return call.done(cudaErrorInvalidResourceHandle);
  *ms = runtime().on_clock() ? static_cast<float>((end->device_us - start->device_us) / 1e3)
                             : std::chrono::duration<float, std::milli>(end->when - start->when).count();
  return call.waited();
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  Call call(__func__);
  if (made_stream(stream) && stream->capture) {
    stream->capture->add(cudaGraphNodeTypeHost, [=] {
      function(data);
      return cudaSuccess;
    });
    return call.done();
  }
  call.unlock();  // it may wait for another thread that calls CUDA
  function(data);
  return cudaSuccess;
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned) {
  Call call(__func__);
  const cudaError_t lost = runtime().lost();
  call.unlock();
  callback(stream, lost, data);
  return cudaSuccess;
}

}  // extern "C"

CUDART_PER_THREAD(cudaStreamGetPriority, ptsz)
CUDART_PER_THREAD(cudaStreamGetFlags, ptsz)
CUDART_PER_THREAD(cudaStreamSetAttribute, ptsz)
CUDART_PER_THREAD(cudaStreamGetAttribute, ptsz)
CUDART_PER_THREAD(cudaStreamCopyAttributes, ptsz)
CUDART_PER_THREAD(cudaStreamGetId, ptsz)
CUDART_PER_THREAD(cudaStreamGetDevice, ptsz)
CUDART_PER_THREAD(cudaStreamSynchronize, ptsz)
CUDART_PER_THREAD(cudaStreamQuery, ptsz)
CUDART_PER_THREAD(cudaStreamWaitEvent, ptsz)
CUDART_PER_THREAD(cudaStreamAttachMemAsync, ptsz)
CUDART_PER_THREAD(cudaStreamIsCapturing, ptsz)
CUDART_PER_THREAD(cudaStreamBeginCapture, ptsz)
CUDART_PER_THREAD(cudaStreamEndCapture, ptsz)
CUDART_PER_THREAD(cudaEventRecord, ptsz)
CUDART_PER_THREAD(cudaEventRecordWithFlags, ptsz)
CUDART_PER_THREAD(cudaLaunchHostFunc, ptsz)
CUDART_PER_THREAD(cudaStreamAddCallback, ptsz)
