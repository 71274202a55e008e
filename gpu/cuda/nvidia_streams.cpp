// NvidiaDevice's Streams: a batch of orders is prepared, enqueued on CUDA streams with events between, waited for, and measured.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "gpu/cuda/nvidia_device.h"
#include "gpu/cuda/output_capture.h"
#include "gpu/device_variables.h"
#include "gpu/launch_check.h"

namespace warpbook::gpu {
namespace {

using Clock = std::chrono::steady_clock;
using Kind = StreamOrder::Kind;

bool is_copy(Kind kind) { return kind == Kind::copy_to_device || kind == Kind::copy_to_host; }

/// The engine that a kind of work needs. With one copy engine both directions share it; with none, kernels and copies do.
std::size_t engine_of(Kind kind, int copy_engines) {
  if (kind == Kind::launch || copy_engines < 1) return 0;
  return kind == Kind::copy_to_host && copy_engines > 1 ? 2 : 1;
}

}  // namespace

struct NvidiaDevice::Batch {
  struct Work {
    const StreamOrder* order = nullptr;
    CUstream stream = nullptr;
    Prepared prepared;    // launches
    LaunchReport report;  // … and what is known of each before it is made
    Arrays::Ends ends;    // copies
    CUevent begin = nullptr, end = nullptr;
    Clock::time_point called, returned;
  };
  std::vector<Work> work;
  std::vector<CUevent> events;  // to be recorded, one after the other
  std::size_t events_used = 0;
  bool prints = false;
  CUresult refusal = CUDA_SUCCESS;  // the driver did not take work[refused]
  std::size_t refused = 0;
  Clock::time_point ready;                    // the host saw the event from which the device's times are counted
  std::map<std::uint32_t, CUevent> last;      // by stream: the end of its last work, where the next one may begin
  std::map<std::uint32_t, CUevent> recorded;  // by StreamOrder::event
  double max_seconds = Limits{}.max_seconds;  // of what is waited for
};

LaunchReport NvidiaDevice::check(const LaunchRequest& request) {
  LaunchReport report;
  report.device = info_.name;
  report.kernel = request.kernel;
  report.grid = request.grid;
  report.block = request.block;
  report.enqueued = true;
  if (auto prepared = use([&] { return prepare(request, report); }); prepared) {
    report.unfilled = unfilled_variables(*request.program, *prepared->kernel, given_to(*request.program));
  } else {
    report.status = prepared.error().code;
    report.message = prepared.error().message;
  }
  return report;
}

StreamReport NvidiaDevice::perform(std::span<const StreamOrder> orders, Job* job) {
  StreamReport report;
  if (orders.empty()) return report;
  std::uint64_t blocks = 0;
  for (const StreamOrder& order : orders) blocks += order.kind == Kind::launch ? order.launch.grid.count() : 0;
  if (job != nullptr) {
    job->blocks_done = 0;
    job->blocks_total = blocks;
  }
  Batch batch;
  auto prepared = use([&] { return prepare(orders, batch); });
  if (prepared) {
    run(batch, job, report);
    if (context_->broken()) {
      rebuild();
      if (report.failed) report.failed->message += aftermath_;
    }
  } else {
    report.failed = batch.work.empty() ? LaunchReport{} : std::move(batch.work.back().report);
    report.failed->device = info_.name;
    report.failed->status = prepared.error().code;
    report.failed->message = prepared.error().message;
  }
  in_batch_.clear();
  if (job != nullptr && !report.failed) job->blocks_done = blocks;
  return report;
}

// ---- before the first order is given ---------------------------------------------------------------------------------

Result<void> NvidiaDevice::prepare(std::span<const StreamOrder> orders, Batch& batch) {
  std::size_t events = 0;
  for (const StreamOrder& order : orders) {
    if (order.kind == Kind::launch && order.launch.program) in_batch_.insert(order.launch.program->id);
    events += is_copy(order.kind) || order.kind == Kind::launch ? 2 : order.kind == Kind::record_event ? 1 : 0;
  }
  batch.work.reserve(orders.size());
  for (std::size_t at = 0; at < orders.size(); ++at) {
    Batch::Work& work = batch.work.emplace_back();
    work.order = &orders[at];
    auto stream = context_->stream(orders[at].stream);
    if (!stream) return failure(stream.error());
    work.stream = *stream;
    if (is_copy(orders[at].kind))
      if (auto done = prepare_copy(orders, at, batch); !done) return done;
    if (orders[at].kind != Kind::launch) continue;
    const LaunchRequest& request = orders[at].launch;
    work.report.kernel = request.kernel;
    work.report.grid = request.grid;
    work.report.block = request.block;
    auto prepared = prepare(request, work.report);
    if (!prepared) return failure(prepared.error());
    work.prepared = std::move(*prepared);
    batch.prints = batch.prints || work.prepared.prints;
  }
  for (std::size_t e = 0; e < events; ++e) {
    auto event = context_->event(e);
    if (!event) return failure(event.error());
    batch.events.push_back(*event);
  }
  return {};
}

Result<void> NvidiaDevice::prepare_copy(std::span<const StreamOrder> orders, std::size_t at, Batch& batch) {
  const StreamOrder& order = orders[at];
  auto ends = arrays_.ends_of_copy(order.device, order.host);
  if (!ends) return failure(ends.error());
  batch.work[at].ends = *ends;
  if (order.kind == Kind::copy_to_host) return {};
  // After a fault the array comes back with what was to be put into it, unless an earlier order has yet to write that.
  const bool known = std::none_of(
      orders.begin(), orders.begin() + static_cast<std::ptrdiff_t>(at),
      [&](const StreamOrder& earlier) { return earlier.kind == Kind::copy_to_host && earlier.host.id == order.host.id; });
  arrays_.expect(order.device, known ? std::optional<std::span<const std::byte>>(ends->host) : std::nullopt);
  return {};
}

// ---- enqueued, waited for, measured ----------------------------------------------------------------------------------

CUresult NvidiaDevice::enqueue(Batch& batch) {
  for (std::size_t at = 0; at < batch.work.size(); ++at) {
    Batch::Work& work = batch.work[at];
    const StreamOrder& order = *work.order;
    CUresult result = CUDA_SUCCESS;
    if (order.kind == Kind::wait_event) {
      const auto event = batch.recorded.find(order.event);
      work.called = Clock::now();
      if (event != batch.recorded.end()) result = driver_->streamWaitEvent(work.stream, event->second, 0);
      work.returned = Clock::now();
      batch.last.erase(order.stream);
    } else if (order.kind == Kind::record_event) {
      const CUevent event = batch.events[batch.events_used++];
      work.called = Clock::now();
      result = driver_->eventRecord(event, work.stream);
      work.returned = Clock::now();
      if (result == CUDA_SUCCESS) batch.recorded[order.event] = work.end = event;
    } else {
      result = enqueue_work(batch, at);
    }
    if (order.stream == 0) batch.last.clear();  // all streams wait for it
    if (result == CUDA_SUCCESS) continue;
    batch.refused = at;
    return result;
  }
  return CUDA_SUCCESS;
}

CUresult NvidiaDevice::enqueue_work(Batch& batch, std::size_t at) {
  Batch::Work& work = batch.work[at];
  const StreamOrder& order = *work.order;
  CUresult result = CUDA_SUCCESS;
  const auto mark = [&](CUevent& event) {
    const CUevent next = batch.events[batch.events_used++];
    result = driver_->eventRecord(next, work.stream);
    if (result == CUDA_SUCCESS) event = next;
  };
  // An event costs the host about as much as a launch: between two pieces of work of a stream one is enough.
  const auto last = batch.last.find(order.stream);
  if (order.stream != 0 && last != batch.last.end())
    work.begin = last->second;
  else
    mark(work.begin);
  if (result != CUDA_SUCCESS) return result;
  const auto [device, host] = work.ends;
  work.called = Clock::now();
  if (order.kind == Kind::launch)
    result = start(order.launch, work.prepared, work.stream);
  else if (!host.empty())
    result = order.kind == Kind::copy_to_device ? driver_->memcpyHtoDAsync(device, host.data(), host.size(), work.stream)
                                                : driver_->memcpyDtoHAsync(host.data(), device, host.size(), work.stream);
  work.returned = Clock::now();
  if (result != CUDA_SUCCESS) return result;
  mark(work.end);
  if (work.end != nullptr) batch.last[order.stream] = work.end;
  return result;
}

NvidiaDevice::Waited NvidiaDevice::wait(Batch& batch, const Job* job) {
  bool cancelled = false;
  // One after the other, so that each has its own limit.
  for (const Batch::Work& work : batch.work) {
    if (work.end == nullptr) continue;
    batch.max_seconds = work.order->kind == Kind::launch ? work.order->launch.limits.max_seconds : Limits{}.max_seconds;
    const Waited waited = wait(work.end, batch.max_seconds, job);
    cancelled = waited.how == Ended::cancelled && !waited.still_running;
    if (cancelled) break;  // the rest has the patience that is left for all of it
    if (waited.how != Ended::well) return waited;
  }
  Waited waited = wait(context_->end(), batch.max_seconds, job);
  if (cancelled && waited.how == Ended::well) waited.how = Ended::cancelled;
  return waited;
}

NvidiaDevice::Waited NvidiaDevice::give_and_wait(Batch& batch, Job* job) {
  batch.refusal = driver_->eventRecord(context_->begin(), CU_STREAM_LEGACY);
  if (batch.refusal != CUDA_SUCCESS) return {is_sticky(batch.refusal) ? Ended::failed : Ended::well, false, batch.refusal};
  // Waited for, so that the host's clock and the device's meet as closely as they can.
  if (const Waited zero = wait(context_->begin(), batch.max_seconds, job); zero.how != Ended::well) return zero;
  batch.ready = Clock::now();
  batch.refusal = enqueue(batch);
  // What was given before a refusal goes on, and uses memory of the host's: it is waited for as well.
  const CUresult marked = driver_->eventRecord(context_->end(), CU_STREAM_LEGACY);
  if (is_sticky(batch.refusal)) return {Ended::failed, false, batch.refusal};  // of an earlier order: a kernel's fault
  if (marked != CUDA_SUCCESS) return {Ended::failed, !is_sticky(marked), marked};
  return wait(batch, job);
}

void NvidiaDevice::run(Batch& batch, Job* job, StreamReport& report) {
  std::optional<OutputCapture> capture;
  if (batch.prints) capture.emplace();
  Waited waited = give_and_wait(batch, job);
  if (capture) print_what_was_printed(waited);
  const bool complete = batch.refusal == CUDA_SUCCESS;
  if (waited.how == Ended::well && complete) {
    waited.result = measure(batch, report.spans);
    if (waited.result != CUDA_SUCCESS) waited.how = Ended::failed;
  }
  OutputCapture::Text printed;
  if (capture) printed = capture->end();
  std::size_t most = 0;
  for (const Batch::Work& work : batch.work) most = std::max(most, work.order->launch.limits.max_output);
  report.output = printed.out.substr(0, most);
  if (waited.how == Ended::well && complete) return;

  report.spans.clear();
  report.failed = explain(batch, waited, printed.err);
  if (waited.still_running)
    context_->abandon();
  else if (waited.how == Ended::failed)
    context_->give_up(waited.result);
}

CUresult NvidiaDevice::measure(const Batch& batch, std::vector<StreamSpan>& spans) {
  const Clock::time_point zero = batch.work.front().called;
  // The device counts from an event that the host saw a moment later. Still nothing ends before it was asked for.
  double moved = us(batch.ready - zero);
  for (const Batch::Work& work : batch.work) {
    StreamSpan& span = spans.emplace_back();
    span.called = us(work.called - zero);
    span.returned = us(work.returned - zero);
    if (work.end == nullptr) continue;
    float begin = 0, end = 0;
    CUresult result = driver_->eventElapsedTime(&end, context_->begin(), work.end);
    if (result == CUDA_SUCCESS && work.begin != nullptr) result = driver_->eventElapsedTime(&begin, context_->begin(), work.begin);
    if (result != CUDA_SUCCESS) return result;
    span.end = double{end} * 1e3;
    span.begin = work.begin != nullptr ? double{begin} * 1e3 : span.end;
    moved = std::max(moved, span.called - span.end);
  }
  std::array<std::vector<StreamSpan*>, 3> engines;
  for (std::size_t at = 0; at < spans.size(); ++at) {
    StreamSpan& span = spans[at];
    const Batch::Work& work = batch.work[at];
    if (work.end == nullptr) continue;
    span.end += moved;
    span.begin = work.begin != nullptr ? std::min(std::max(span.begin + moved, span.called), span.end) : span.end;
    if (work.begin != nullptr) engines[engine_of(work.order->kind, info_.copy_engines)].push_back(&span);
  }
  for (std::vector<StreamSpan*>& engine : engines) {
    std::stable_sort(engine.begin(), engine.end(), [](const StreamSpan* a, const StreamSpan* b) { return a->end < b->end; });
    for (std::size_t i = 1; i < engine.size(); ++i) engine[i]->begin = std::max(engine[i]->begin, engine[i - 1]->end);
  }
  return CUDA_SUCCESS;
}

// ---- what went wrong, in sentences -----------------------------------------------------------------------------------

LaunchReport NvidiaDevice::explain(const Batch& batch, const Waited& waited, const std::string& printed) {
  std::vector<const Batch::Work*> launches;
  std::string names;  // in the sentences of a launch, whose one name stands in backquotes
  for (const Batch::Work& work : batch.work) {
    if (work.order->kind != Kind::launch) continue;
    const bool known = std::any_of(launches.begin(), launches.end(),
                                   [&](const Batch::Work* other) { return other->report.kernel == work.report.kernel; });
    if (!known) names += (names.empty() ? "" : "` or `") + work.report.kernel;
    launches.push_back(&work);
  }
  LaunchReport report = launches.empty() ? LaunchReport{} : launches.front()->report;
  report.device = info_.name;
  const auto say = [&](const Error& error) {
    report.status = error.code;
    report.message = error.message;
  };
  switch (waited.how) {
    case Ended::too_long:
      say({"cudaErrorLaunchTimeout", too_long("The work in streams", batch.max_seconds)});
      break;
    case Ended::cancelled:
      say({"cancelled", "Cancelled."});
      break;
    case Ended::failed:
      if (launches.empty() || waited.still_running) {
        say(driver_error(*driver_, waited.result, "The work in streams failed"));
        break;
      }
      report.kernel = names;
      explain_fault(waited.result, printed, report);
      report.kernel = launches.front()->report.kernel;
      if (launches.size() > 1) report.message += fmt::format(" It is one of {} launches in streams.", launches.size());
      break;
    case Ended::well: {
      const Batch::Work& work = batch.work[batch.refused];
      if (work.order->kind == Kind::launch) {
        report = work.report;
        report.device = info_.name;
        explain_refusal(batch.refusal, work.order->launch, report);
      } else {
        const std::string& name = work.order->device.array.name;
        say(driver_error(*driver_, batch.refusal,
                         is_copy(work.order->kind) ? fmt::format("The copy of `{}` could not be given to its stream", name)
                                                   : "An event could not be given to its stream"));
      }
    }
  }
  return report;
}

}  // namespace warpbook::gpu
