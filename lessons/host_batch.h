// HostBatch: asynchronous calls that a Host has recorded and that a device with streams (gpu/streams.h) has not performed yet.
//
//     HostBatch batch(device.streams());
//     if (batch.possible()) batch.add({.kind = gpu::StreamOperation::Kind::launch, .stream = 1, .launch = request}, call);
//     auto failed = batch.perform(clock, calls, events, job);     // the host waits
//
// perform() writes the measured times into the calls and events and advances the clock: the host's time to the return of its last
// call, streams and engines to the end of their work. A batch starts on an idle device, so on the clock it starts when all earlier
// work is done.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "gpu/streams.h"
#include "lessons/host_clock.h"

namespace warpbook::lessons {

struct HostCall;

class HostBatch {
 public:
  /// Limits the length of the device's queues, so that enqueuing never blocks because a queue is full.
  static constexpr std::size_t most_operations = 256;

  /// nullptr: batches are not possible.
  explicit HostBatch(gpu::Streams* streams) : streams_(streams) {}

  [[nodiscard]] bool possible() const { return streams_ != nullptr; }
  [[nodiscard]] bool empty() const { return operations_.empty(); }
  [[nodiscard]] bool full() const { return operations_.size() >= most_operations; }
  [[nodiscard]] gpu::Streams& streams() { return *streams_; }

  /// `call`: the index of the recorded call; empty if it is not recorded.
  void add(gpu::StreamOperation operation, std::optional<std::size_t> call);

  /// Empties the batch. Returns the report of a failure; then calls and clock are unchanged.
  [[nodiscard]] std::optional<gpu::LaunchReport> perform(HostClock& clock, std::vector<HostCall>& calls,
                                                         std::vector<double>& events, gpu::Job* job);
  [[nodiscard]] const std::string& output() const { return output_; }  // of the kernels of the last batch

 private:
  gpu::Streams* streams_;
  std::vector<gpu::StreamOperation> operations_;
  std::vector<std::optional<std::size_t>> places_;
  std::string output_;
};

}  // namespace warpbook::lessons
