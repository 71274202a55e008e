// Program: the host program of lesson 14: copies in, launches, copies out, for a whole array or in chunks, in one or several
// streams.
//
//     auto moved = move_data(host, {.n = 4096, .chunks = 4, .streams = 2, .pinned = true}, values, gpu::Observe::all());
//     print(moved->times.total, moved->times.in);
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/report.h"
#include "gpu/result.h"
#include "lessons/host.h"

namespace warpbook::lessons::moving {

struct Plan {
  std::uint32_t n = 1;
  std::uint32_t launches = 1;  // passes over the whole array
  std::uint32_t chunks = 1, streams = 1;
  bool pinned = false;
  bool kept = false;     // the array stays on the device between launches
  bool by_kind = false;  // first all copies in, then all kernels, then all copies out; otherwise chunk by chunk
};

/// The times of a run, in µs of the host's clock.
struct Times {
  double total = 0;                    // from the first copy to the last value on the host
  double in = 0, kernel = 0, out = 0;  // total time of each kind of work
  double copying = 0;                  // time during which at least one copy ran
  double together = 0;                 // … during which at least two engines worked
};

struct Moved {
  gpu::LaunchReport report;  // of the first launch, or of the first one that failed
  std::vector<float> values;
  Times times;
  std::size_t first_call = 0;  // index in Host::calls() of the first copy
};

/// Makes the program's calls. `observe` applies to the first launch. Buffers are released.
[[nodiscard]] Result<Moved> move_data(Host& host, const Plan& plan, std::span<const float> values, const gpu::Observe& observe);

/// Computes the times from a record of such calls.
[[nodiscard]] Times times_of(std::span<const HostCall> calls);

}  // namespace warpbook::lessons::moving
