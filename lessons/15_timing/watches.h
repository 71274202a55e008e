// Watches: what the watches of lesson 15 show of a host program, worked out from the record of its calls.
//
//     const auto calls = with_compile(record, first_launch, 30'000);        // the first call compiles
//     const Readings r = readings_of(calls, {.blocks = false, .events_us = host.elapsed(start, stop)});
//     print(r.cpu.reading, r.waiting.reading, r.kernel_us);
//
// The program reads its clocks three times: before the launches that it times, after them, and after a synchronise.
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
  std::vector<Part> parts;  // that it counts
  double reading = 0;       // their sum
};

struct Readings {
  Watch cpu, no_wait, waiting, events;
  double kernel_us = 0;  // the timed launches' work on the device
  Part kernel;           // from the first one's begin to the last one's end
};

struct HowRead {
  bool blocks = false;   // a host that waits gives its core away: it has no CPU time then
  double events_us = 0;  // from the event before the launches to the one after them
};

/// The places of the timed launches among the calls; empty: there are none.
[[nodiscard]] std::vector<std::size_t> timed_launches(std::span<const HostCall> calls);

/// A record in which launch `at` has compiled its kernel before: its call takes so much longer, and all that follows is later.
[[nodiscard]] std::vector<HostCall> with_compile(std::span<const HostCall> calls, std::size_t at, double compile_us);

/// Of a record with three readings of the clocks and with launches between the first two; all zero of another one.
[[nodiscard]] Readings readings_of(std::span<const HostCall> calls, const HowRead& how);

}  // namespace warpbook::lessons::timing
