// HostBatch: asynchronous calls that a Host has recorded, and a device with streams (gpu/streams.h) has yet to perform.
//
//     HostBatch batch(device.streams());
//     if (batch.possible()) batch.add({.kind = gpu::StreamOrder::Kind::launch, .stream = 1, .launch = request}, place_in_calls);
//     auto failed = batch.perform(clock, calls, events, job);     // the host waits
//
// perform() writes the measured times into the calls and events, and moves the clock: the host's to where its last call returned,
// streams and engines to where their work ended. A batch began on a device that had nothing else to do: so on the clock it begins
// when all that came before it is done.
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
  /// A call that never returns must not be made: with so many orders before it, none waits for room in the device's queues.
  static constexpr std::size_t most_orders = 256;

  /// nullptr: nothing is possible.
  explicit HostBatch(gpu::Streams* streams) : streams_(streams) {}

  [[nodiscard]] bool possible() const { return streams_ != nullptr; }
  [[nodiscard]] bool empty() const { return orders_.empty(); }
  [[nodiscard]] bool full() const { return orders_.size() >= most_orders; }
  [[nodiscard]] gpu::Streams& streams() { return *streams_; }

  /// `call`: its place among the calls; empty where it is not recorded.
  void add(gpu::StreamOrder order, std::optional<std::size_t> call);

  /// The batch is empty afterwards. The report of what went wrong, or nothing; then calls and clock stay as they were.
  [[nodiscard]] std::optional<gpu::LaunchReport> perform(HostClock& clock, std::vector<HostCall>& calls,
                                                         std::vector<double>& events, gpu::Job* job);
  [[nodiscard]] const std::string& output() const { return output_; }  // what kernels of the last batch printed

 private:
  gpu::Streams* streams_;
  std::vector<gpu::StreamOrder> orders_;
  std::vector<std::optional<std::size_t>> places_;
  std::string output_;
};

}  // namespace warpbook::lessons
