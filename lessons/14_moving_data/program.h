// Program: the host program of lesson 14: copy in, launch, copy out, for a whole array or in chunks, in one stream or several.
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
  std::uint32_t launches = 1;  // of the whole array, one after the other
  std::uint32_t chunks = 1, streams = 1;
  bool pinned = false;
  bool kept = false;     // the array stays on the device between two launches
  bool by_kind = false;  // all copies in, then all kernels, then all copies out; else chunk by chunk
};

/// What a run took, in µs of the host's clock.
struct Times {
  double total = 0;                    // from the first copy until the host has its last value
  double in = 0, kernel = 0, out = 0;  // each one's work, added up
  double copying = 0;                  // of the total, in which at least one copy went on
  double together = 0;                 // … in which two engines or more worked
};

struct Moved {
  gpu::LaunchReport report;  // of the first launch; where one did not end well, of that one
  std::vector<float> values;
  Times times;
  std::size_t first_call = 0;  // of Host::calls(): the first copy
};

/// Makes the program's calls. `observe` is for the first launch. Buffers are given back.
[[nodiscard]] Result<Moved> move_data(Host& host, const Plan& plan, std::span<const float> values, const gpu::Observe& observe);

/// Where the time went, from a record of such calls.
[[nodiscard]] Times times_of(std::span<const HostCall> calls);

}  // namespace warpbook::lessons::moving
