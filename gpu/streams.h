// Streams: concurrent copies and kernels in several CUDA streams, with measured times.
//
//     if (Streams* const streams = device.streams()) {             // nullptr: the device does one thing at a time
//       std::vector<StreamOperation> operations;
//       operations.push_back({.kind = StreamOperation::Kind::copy_to_device, .stream = 1, .device = x, .host = h_x});
//       operations.push_back({.kind = StreamOperation::Kind::launch, .stream = 1, .launch = request});
//       operations.push_back({.kind = StreamOperation::Kind::copy_to_host, .stream = 1, .device = x, .host = h_x});
//       const StreamReport report = streams->perform(operations);
//       if (!report.failed) print(report.spans[0].begin, report.spans[0].end);
//     }
//
// A batch of operations is enqueued in order and without pauses, on a device that is otherwise idle. perform() returns when all of
// them are done, failed, or were cancelled. `h_x` is page-locked memory: a buffer of Device::allocate_mapped(). The host accesses
// it through Device::mapped(), but not while perform() runs.
// Streams are numbered from 1. Stream 0 is CUDA's legacy default stream: it waits for all others, and they wait for it.
// Ownership: streams and events belong to the device; an event exists for one batch. Not thread-safe, except cancelling through
// Job.
// Errors: StreamReport::failed is a launch's report with CUDA's error name and a sentence. The hardware does not say which of
// several concurrent kernels faulted. After a fault, the device is in the same state as after a failed Device::launch: set up anew,
// or lost().
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpu/device.h"
#include "gpu/report.h"

namespace warpbook::gpu {

struct StreamOperation {
  enum class Kind : std::uint8_t {
    copy_to_device,  // copies all of `host` to all of `device`
    copy_to_host,    // copies all of `device` to all of `host`
    launch,          // observe, schedule, seed and read_early of the request are ignored
    record_event,    // records `event` when all earlier operations of the stream are done
    wait_event       // the stream waits for `event`, or does not wait if this batch has not recorded it before
  };
  Kind kind = Kind::launch;
  std::uint32_t stream = 0;
  Buffer device = {}, host = {};
  LaunchRequest launch = {};
  std::uint32_t event = 0;  // chosen by the caller
};

/// When an operation was enqueued and when the device executed it, in µs from the first call. CUDA's events say when a stream
/// reached an operation. If the operation then waited for an engine that was busy with another stream, `begin` is set to the end of
/// that other work: copies in one direction run one after the other, and of two kernels that ran together, the one that ends later
/// is given the time in which it ran alone.
struct StreamSpan {
  double called = 0, returned = 0;  // the host's call
  double begin = 0, end = 0;        // the device's work; record_event: both are the time of the event; wait_event: 0
};

struct StreamReport {
  std::optional<LaunchReport> failed;  // empty: everything succeeded
  std::vector<StreamSpan> spans;       // one for each operation; empty if the batch failed
  std::string output;                  // printf output of the kernels
};

class Streams {
 public:
  virtual ~Streams() = default;

  /// Checks a launch without making it. The status is "ok" or the reason for which it would be refused; registers, shared memory
  /// and unfilled variables are set, and so is LaunchReport::enqueued.
  [[nodiscard]] virtual LaunchReport check(const LaunchRequest& request) = 0;

  /// The time limit of a launch (Limits::max_seconds) counts from the end of the operations before it. Copies have the default
  /// limits.
  [[nodiscard]] virtual StreamReport perform(std::span<const StreamOperation> operations, Job* job = nullptr) = 0;
};

}  // namespace warpbook::gpu
