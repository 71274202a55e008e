#include "lessons/host_batch.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "lessons/host.h"

namespace warpbook::lessons {
namespace {

using OperationKind = gpu::StreamOperation::Kind;

HostClock::Engine engine_of(OperationKind kind) {
  return kind == OperationKind::copy_to_device ? HostClock::Engine::to_device
         : kind == OperationKind::copy_to_host ? HostClock::Engine::to_host
                                               : HostClock::Engine::kernels;
}

}  // namespace

void HostBatch::add(gpu::StreamOperation operation, std::optional<std::size_t> call) {
  operations_.push_back(std::move(operation));
  places_.push_back(call);
}

std::optional<gpu::LaunchReport> HostBatch::perform(HostClock& clock, std::vector<HostCall>& calls, std::vector<double>& events,
                                                    gpu::Job* job) {
  if (operations_.empty()) return std::nullopt;
  const auto operations = std::exchange(operations_, {});
  const auto places = std::exchange(places_, {});
  gpu::StreamReport report = streams_->perform(operations, job);
  output_ = std::move(report.output);
  if (report.failed) return std::move(report.failed);

  const double zero = clock.now;
  double first = std::numeric_limits<double>::infinity();  // start of the device's work
  for (std::size_t i = 0; i < operations.size(); ++i) {
    if (operations[i].kind != OperationKind::wait_event) first = std::min(first, report.spans[i].begin);
  }
  const double device_zero = std::max(zero, clock.all_done() - first);
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const gpu::StreamSpan& span = report.spans[i];
    const bool works = operations[i].kind != OperationKind::wait_event && operations[i].kind != OperationKind::record_event;
    if (operations[i].kind == OperationKind::record_event) events.at(operations[i].event - 1) = device_zero + span.end;
    if (works) clock.put(operations[i].stream, engine_of(operations[i].kind), {device_zero + span.begin, device_zero + span.end});
    if (!places[i]) continue;
    HostCall& call = calls[*places[i]];
    call.begin = zero + span.called;
    call.end = call.wait_begin = zero + span.returned;
    if (works) {
      call.device_begin = device_zero + span.begin;
      call.device_end = device_zero + span.end;
    }
  }
  clock.now = zero + report.spans.back().returned;
  return std::nullopt;
}

}  // namespace warpbook::lessons
