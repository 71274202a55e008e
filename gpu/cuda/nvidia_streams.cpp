// NvidiaDevice's Streams: a batch of operations is prepared, enqueued on CUDA streams with events between, waited for, and
// measured.
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
using Kind = StreamOperation::Kind;

bool is_copy(Kind kind) { return kind == Kind::copy_to_device || kind == Kind::copy_to_host; }

/// The engine for a kind of operation. With one copy engine, both directions share it; with none, kernels and copies share one.
std::size_t engine_of(Kind kind, int copy_engines) {
  if (kind == Kind::launch || copy_engines < 1) return 0;
  return kind == Kind::copy_to_host && copy_engines > 1 ? 2 : 1;
}

}  // namespace

struct NvidiaDevice::Batch {
  struct Work {
    const StreamOperation* operation = nullptr;
    CUstream stream = nullptr;
    Prepared prepared;    // launches
    LaunchReport report;  // … and their reports, as far as they are known before the launch
    Arrays::Ends ends;    // copies
    CUevent begin = nullptr, end = nullptr;
    Clock::time_point called, returned;
  };
  std::vector<Work> work;
  std::vector<CUevent> events;  // to be recorded, in order
  std::size_t events_used = 0;
  bool prints = false;
  CUresult refusal = CUDA_SUCCESS;  // the driver's error for work[refused]
  std::size_t refused = 0;
  Clock::time_point ready;                    // when the host saw the event that is the zero of the device's times
  std::map<std::uint32_t, CUevent> last;      // by stream: the event at the end of its last work, after which the next may begin
  std::map<std::uint32_t, CUevent> recorded;  // by StreamOperation::event
  double max_seconds = Limits{}.max_seconds;  // of the operations that are waited for
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
    report.message = as_it_is(prepared.error().message);
  }
  return report;
}

StreamReport NvidiaDevice::perform(std::span<const StreamOperation> operations, Job* job) {
  StreamReport report;
  if (operations.empty()) return report;
  std::uint64_t blocks = 0;
  for (const StreamOperation& operation : operations) blocks += operation.kind == Kind::launch ? operation.launch.grid.count() : 0;
  if (job != nullptr) {
    job->blocks_done = 0;
    job->blocks_total = blocks;
  }
  Batch batch;
  auto prepared = use([&] { return prepare(operations, batch); });
  if (prepared) {
    run(batch, job, report);
    if (context_->broken()) {
      rebuild();
      if (report.failed) report.failed->message.add(aftermath_);
    }
  } else {
    report.failed = batch.work.empty() ? LaunchReport{} : std::move(batch.work.back().report);
    report.failed->device = info_.name;
    report.failed->status = prepared.error().code;
    report.failed->message = as_it_is(prepared.error().message);
  }
  in_batch_.clear();
  if (job != nullptr && !report.failed) job->blocks_done = blocks;
  return report;
}

// ---- before the first operation is enqueued ------------------------------------------------------------------------------

Result<void> NvidiaDevice::prepare(std::span<const StreamOperation> operations, Batch& batch) {
  std::size_t events = 0;
  for (const StreamOperation& operation : operations) {
    if (operation.kind == Kind::launch && operation.launch.program) in_batch_.insert(operation.launch.program->id);
    events += is_copy(operation.kind) || operation.kind == Kind::launch ? 2 : operation.kind == Kind::record_event ? 1 : 0;
  }
  batch.work.reserve(operations.size());
  for (std::size_t at = 0; at < operations.size(); ++at) {
    Batch::Work& work = batch.work.emplace_back();
    work.operation = &operations[at];
    auto stream = context_->stream(operations[at].stream);
    if (!stream) return failure(stream.error());
    work.stream = *stream;
    if (is_copy(operations[at].kind))
      if (auto done = prepare_copy(operations, at, batch); !done) return done;
    if (operations[at].kind != Kind::launch) continue;
    const LaunchRequest& request = operations[at].launch;
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

Result<void> NvidiaDevice::prepare_copy(std::span<const StreamOperation> operations, std::size_t at, Batch& batch) {
  const StreamOperation& operation = operations[at];
  auto ends = arrays_.ends_of_copy(operation.device, operation.host);
  if (!ends) return failure(ends.error());
  batch.work[at].ends = *ends;
  if (operation.kind == Kind::copy_to_host) return {};
  // After a fault the array is restored with these bytes, unless an earlier operation has not written them yet.
  const bool known = std::none_of(
      operations.begin(), operations.begin() + static_cast<std::ptrdiff_t>(at),
      [&](const StreamOperation& earlier) { return earlier.kind == Kind::copy_to_host && earlier.host.id == operation.host.id; });
  arrays_.expect(operation.device, known ? std::optional<std::span<const std::byte>>(ends->host) : std::nullopt);
  return {};
}

// ---- enqueue, wait, measure ------------------------------------------------------------------------------------------

CUresult NvidiaDevice::enqueue(Batch& batch) {
  for (std::size_t at = 0; at < batch.work.size(); ++at) {
    Batch::Work& work = batch.work[at];
    const StreamOperation& operation = *work.operation;
    CUresult result = CUDA_SUCCESS;
    if (operation.kind == Kind::wait_event) {
      const auto event = batch.recorded.find(operation.event);
      work.called = Clock::now();
      if (event != batch.recorded.end()) result = driver_->streamWaitEvent(work.stream, event->second, 0);
      work.returned = Clock::now();
      batch.last.erase(operation.stream);
    } else if (operation.kind == Kind::record_event) {
      const CUevent event = batch.events[batch.events_used++];
      work.called = Clock::now();
      result = driver_->eventRecord(event, work.stream);
      work.returned = Clock::now();
      if (result == CUDA_SUCCESS) batch.recorded[operation.event] = work.end = event;
    } else {
      result = enqueue_work(batch, at);
    }
    if (operation.stream == 0) batch.last.clear();  // all streams wait for it
    if (result == CUDA_SUCCESS) continue;
    batch.refused = at;
    return result;
  }
  return CUDA_SUCCESS;
}

CUresult NvidiaDevice::enqueue_work(Batch& batch, std::size_t at) {
  Batch::Work& work = batch.work[at];
  const StreamOperation& operation = *work.operation;
  CUresult result = CUDA_SUCCESS;
  const auto mark = [&](CUevent& event) {
    const CUevent next = batch.events[batch.events_used++];
    result = driver_->eventRecord(next, work.stream);
    if (result == CUDA_SUCCESS) event = next;
  };
  // Recording an event costs the host about as much as a launch, so two consecutive operations of a stream share one.
  const auto last = batch.last.find(operation.stream);
  if (operation.stream != 0 && last != batch.last.end())
    work.begin = last->second;
  else
    mark(work.begin);
  if (result != CUDA_SUCCESS) return result;
  const auto [device, host] = work.ends;
  work.called = Clock::now();
  if (operation.kind == Kind::launch)
    result = start(operation.launch, work.prepared, work.stream);
  else if (!host.empty())
    result = operation.kind == Kind::copy_to_device ? driver_->memcpyHtoDAsync(device, host.data(), host.size(), work.stream)
                                                    : driver_->memcpyDtoHAsync(host.data(), device, host.size(), work.stream);
  work.returned = Clock::now();
  if (result != CUDA_SUCCESS) return result;
  mark(work.end);
  if (work.end != nullptr) batch.last[operation.stream] = work.end;
  return result;
}

NvidiaDevice::Waited NvidiaDevice::wait(Batch& batch, const Job* job) {
  bool cancelled = false;
  // Wait for one after the other, so that each has its own time limit.
  for (const Batch::Work& work : batch.work) {
    if (work.end == nullptr) continue;
    batch.max_seconds = work.operation->kind == Kind::launch ? work.operation->launch.limits.max_seconds : Limits{}.max_seconds;
    const Waited waited = wait(work.end, batch.max_seconds, job);
    cancelled = waited.how == Ended::cancelled && !waited.still_running;
    if (cancelled) break;  // the rest shares the time limit of the whole batch
    if (waited.how != Ended::well) return waited;
  }
  Waited waited = wait(context_->end(), batch.max_seconds, job);
  if (cancelled && waited.how == Ended::well) waited.how = Ended::cancelled;
  return waited;
}

NvidiaDevice::Waited NvidiaDevice::give_and_wait(Batch& batch, Job* job) {
  batch.refusal = driver_->eventRecord(context_->begin(), CU_STREAM_LEGACY);
  if (batch.refusal != CUDA_SUCCESS) return {is_sticky(batch.refusal) ? Ended::failed : Ended::well, false, batch.refusal};
  // Wait for this event, so that the host's and the device's clocks are aligned as closely as possible.
  if (const Waited zero = wait(context_->begin(), batch.max_seconds, job); zero.how != Ended::well) return zero;
  batch.ready = Clock::now();
  batch.refusal = enqueue(batch);
  // Operations that were enqueued before a refused one continue and use host memory, so wait for them as well.
  const CUresult marked = driver_->eventRecord(context_->end(), CU_STREAM_LEGACY);
  if (is_sticky(batch.refusal)) return {Ended::failed, false, batch.refusal};  // the fault of an earlier operation's kernel
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
  for (const Batch::Work& work : batch.work) most = std::max(most, work.operation->launch.limits.max_output);
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
  // The device's times count from an event that the host saw slightly later. Shift them so that nothing ends before it was
  // enqueued.
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
    if (work.begin != nullptr) engines[engine_of(work.operation->kind, info_.copy_engines)].push_back(&span);
  }
  for (std::vector<StreamSpan*>& engine : engines) {
    std::stable_sort(engine.begin(), engine.end(), [](const StreamSpan* a, const StreamSpan* b) { return a->end < b->end; });
    for (std::size_t i = 1; i < engine.size(); ++i) engine[i]->begin = std::max(engine[i]->begin, engine[i - 1]->end);
  }
  return CUDA_SUCCESS;
}

// ---- errors as sentences ---------------------------------------------------------------------------------------------

LaunchReport NvidiaDevice::explain(const Batch& batch, const Waited& waited, const std::string& printed) {
  std::vector<const Batch::Work*> launches;
  std::string names;  // the names of several launches; a single name is put in backquotes
  for (const Batch::Work& work : batch.work) {
    if (work.operation->kind != Kind::launch) continue;
    const bool known = std::any_of(launches.begin(), launches.end(),
                                   [&](const Batch::Work* other) { return other->report.kernel == work.report.kernel; });
    if (!known) names += (names.empty() ? "" : "` or `") + work.report.kernel;
    launches.push_back(&work);
  }
  LaunchReport report = launches.empty() ? LaunchReport{} : launches.front()->report;
  report.device = info_.name;
  const auto end_with = [&](const Error& error) {
    report.status = error.code;
    report.message = as_it_is(error.message);
  };
  switch (waited.how) {
    case Ended::too_long:
      report.status = "cudaErrorLaunchTimeout";
      report.message = to_say(
          "The work in streams had not ended after {seconds:g} s. A GPU cannot stop a kernel: it was left behind, and takes "
          "its share of the GPU until it ends or Warpbook does. Does every loop end? The virtual GPU says where it was.",
          "seconds"_a = batch.max_seconds);
      break;
    case Ended::cancelled:
      report.status = "cancelled";
      report.message = to_say("Cancelled.");
      break;
    case Ended::failed:
      if (launches.empty() || waited.still_running) {
        end_with(driver_error(*driver_, waited.result, "The work in streams failed"));
        break;
      }
      report.kernel = names;
      explain_fault(waited.result, printed, report);
      report.kernel = launches.front()->report.kernel;
      if (launches.size() > 1)
        report.message.add(to_say("It is one of {launches} launches in streams.", "launches"_a = launches.size()));
      break;
    case Ended::well: {
      const Batch::Work& work = batch.work[batch.refused];
      if (work.operation->kind == Kind::launch) {
        report = work.report;
        report.device = info_.name;
        explain_refusal(batch.refusal, work.operation->launch, report);
      } else {
        const std::string& name = work.operation->device.array.name;
        end_with(driver_error(*driver_, batch.refusal,
                              is_copy(work.operation->kind) ? fmt::format("The copy of `{}` could not be given to its stream", name)
                                                            : "An event could not be given to its stream"));
      }
    }
  }
  return report;
}

}  // namespace warpbook::gpu
