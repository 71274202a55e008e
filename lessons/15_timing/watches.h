// Watches: what the clocks of lesson 15's host program show, computed from the record of its calls.
//
//     const auto calls = with_compile(record, first_launch, 30'000);        // the first call compiles
//     const Readings r = readings_of(calls, {.blocks = false, .events_us = host.elapsed(start, stop)});
//     print(r.cpu.reading, r.waiting.reading, r.kernel_us);
//
// The program reads its clocks three times: before the timed launches, after them, and after synchronising.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lessons/figures.h"
#include "lessons/host.h"

namespace warpbook::lessons::timing {

using Part = HostTimeline::Ruler::Part;

/// All times in µs of the record's clock.
struct Watch {
  std::vector<Part> parts;  // the parts that it measures
  double reading = 0;       // the sum of the parts
};

struct Readings {
  Watch cpu, no_wait, waiting, events;
  double kernel_us = 0;  // the device's time for the timed launches
  Part kernel;           // from the start of the first to the end of the last
};

struct HowRead {
  bool blocks = false;   // a waiting host sleeps and uses no CPU time
  double events_us = 0;  // between the event before the launches and the one after them
};

/// The indices of the timed launches among the calls. Empty: there are none.
[[nodiscard]] std::vector<std::size_t> timed_launches(std::span<const HostCall> calls);

/// The record with launch `at` also compiling its kernel: that call takes longer, and later calls start later.
[[nodiscard]] std::vector<HostCall> with_compile(std::span<const HostCall> calls, std::size_t at, double compile_us);

/// The record must have three readings of the clocks, with launches between the first two. Otherwise all results are zero.
[[nodiscard]] Readings readings_of(std::span<const HostCall> calls, const HowRead& how);

}  // namespace warpbook::lessons::timing
