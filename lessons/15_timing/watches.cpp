#include "lessons/15_timing/watches.h"

#include <algorithm>
#include <iterator>

namespace warpbook::lessons::timing {
namespace {

using Kind = HostCall::Kind;

Watch watch_of(std::vector<Part> parts) {
  Watch watch;
  std::erase_if(parts, [](const Part& part) { return part.end <= part.begin; });
  for (const Part& part : parts) watch.reading += part.end - part.begin;
  watch.parts = std::move(parts);
  return watch;
}

}  // namespace

std::vector<std::size_t> timed_launches(std::span<const HostCall> calls) {
  std::vector<std::size_t> launches;
  int clocks = 0;
  for (std::size_t i = 0; i < calls.size() && clocks < 2; ++i) {
    clocks += calls[i].kind == Kind::read_clock;
    if (clocks == 1 && calls[i].kind == Kind::launch) launches.push_back(i);
  }
  return launches;
}

std::vector<HostCall> with_compile(std::span<const HostCall> calls, std::size_t at, double compile_us) {
  std::vector<HostCall> later(calls.begin(), calls.end());
  for (std::size_t i = at; i < later.size(); ++i) {
    HostCall& call = later[i];
    if (i != at) call.begin += compile_us;
    for (double* const time : {&call.end, &call.wait_begin, &call.device_begin, &call.device_end}) *time += compile_us;
  }
  return later;
}

Readings readings_of(std::span<const HostCall> calls, const HowRead& how) {
  const auto launches = timed_launches(calls);
  const auto waited = std::find_if(calls.rbegin(), calls.rend(), [](const HostCall& c) { return c.kind == Kind::synchronize; });
  if (launches.empty() || waited == calls.rend()) return {};
  Readings readings;
  const HostCall &first = calls[launches.front()], &last = calls[launches.back()];
  for (const std::size_t i : launches) readings.kernel_us += calls[i].device_end - calls[i].device_begin;
  readings.kernel = {first.device_begin, last.device_end};
  readings.no_wait = watch_of({{first.begin, last.end}});
  readings.waiting = watch_of({{first.begin, waited->end}});
  readings.cpu = how.blocks ? watch_of({{first.begin, waited->wait_begin}}) : readings.waiting;
  readings.events = watch_of({{last.device_end - how.events_us, last.device_end}});
  return readings;
}

}  // namespace warpbook::lessons::timing
