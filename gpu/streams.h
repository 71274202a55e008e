// Streams: copies and kernels in several queues, which a device works at side by side, and when it did what, measured.
//
//     if (Streams* const streams = device.streams()) {             // nullptr: the device does one thing at a time
//       std::vector<StreamOrder> orders;
//       orders.push_back({.kind = StreamOrder::Kind::copy_to_device, .stream = 1, .device = x, .host = h_x});
//       orders.push_back({.kind = StreamOrder::Kind::launch, .stream = 1, .launch = request});
//       orders.push_back({.kind = StreamOrder::Kind::copy_to_host, .stream = 1, .device = x, .host = h_x});
//       const StreamReport report = streams->perform(orders);
//       if (!report.failed) print(report.spans[0].begin, report.spans[0].end);
//     }
//
// A batch of orders is enqueued in its order, one right after the other, on a device that has nothing else to do; perform() returns
// when all of it is done, failed, or was cancelled. `h_x` is page-locked memory: a buffer of Device::allocate_mapped(), which the
// host reads and writes through Device::mapped(), and not while perform() runs.
// Streams are numbered from 1. Stream 0 is CUDA's default stream with its legacy meaning: it waits for all others, and they for it.
// Ownership: streams and events are the device's; an event is of one batch. Not thread-safe, except cancel through Job.
// Errors: StreamReport::failed is a launch's report, with CUDA's name and a sentence. Hardware does not say which of several
// kernels met a fault. A fault leaves the device as it does after Device::launch: set up anew, or lost().
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpu/device.h"
#include "gpu/report.h"

namespace warpbook::gpu {

struct StreamOrder {
  enum class Kind : std::uint8_t {
    copy_to_device,  // all of `host` into all of `device`
    copy_to_host,    // … and the other way
    launch,          // observe, schedule, seed and read_early are not asked for here
    record_event,    // `event` is reached when all that stands before it in the stream is done
    wait_event       // the stream waits for `event`; for one that this batch has not recorded before, it waits for nothing
  };
  Kind kind = Kind::launch;
  std::uint32_t stream = 0;
  Buffer device = {}, host = {};
  LaunchRequest launch = {};
  std::uint32_t event = 0;  // any number that the caller likes
};

/// When an order was given and when the device worked at it, in µs from the moment in which the first one was given.
/// CUDA's events tell when a stream came to a piece of work. One that then waited for its engine, which was at another stream's
/// work, begins when that ended: copies in one direction go one after the other, and of kernels that ran together the one that ends
/// later has the time in which it was alone.
struct StreamSpan {
  double called = 0, returned = 0;  // the host's call
  double begin = 0, end = 0;        // the device's work; an event: the moment at which it was reached, twice; a wait: 0
};

struct StreamReport {
  std::optional<LaunchReport> failed;  // empty: all of it went well
  std::vector<StreamSpan> spans;       // one an order; none where it failed
  std::string output;                  // what kernels printed
};

class Streams {
 public:
  virtual ~Streams() = default;

  /// What can be said of a launch without making it: its status is "ok" or why it would be refused; registers, shared memory,
  /// variables that nobody filled. LaunchReport::enqueued is set.
  [[nodiscard]] virtual LaunchReport check(const LaunchRequest& request) = 0;

  /// Each launch has its own Limits::max_seconds, counted from when those before it are done; copies have Limits' usual ones.
  [[nodiscard]] virtual StreamReport perform(std::span<const StreamOrder> orders, Job* job = nullptr) = 0;
};

}  // namespace warpbook::gpu
