// HostClock: the model of when a host and its device do what, in µs: streams side by side, each on the engine that it needs.
//
//     HostClock clock(2);                                         // copy engines: one for each direction
//     const std::uint32_t stream = clock.new_stream();
//     const HostClock::Span copy = clock.work(stream, HostClock::Engine::to_device, clock.now + 3, 40);
//     clock.now = clock.done(stream);                             // the host waits for the stream
//
// Rules (CUDA C++ Programming Guide, "Asynchronous Concurrent Execution"): the work of a stream goes in order; the default stream
// (0) begins after all streams' work that was given before it, and other streams begin after the default stream's; an engine does
// one thing at a time. A simplification: so do the multiprocessors, whose kernels could run side by side where they leave room.
// With one copy engine both directions share it; with none, copies and kernels share one.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace warpbook::lessons {

class HostClock {
 public:
  enum class Engine : std::uint8_t { kernels, to_device, to_host };
  struct Span {
    double begin = 0, end = 0;
  };

  explicit HostClock(int copy_engines) : copy_engines_(copy_engines) {}

  double now = 0;  // the host's

  [[nodiscard]] std::uint32_t new_stream() {
    streams_.push_back(0);
    return static_cast<std::uint32_t>(streams_.size() - 1);
  }
  /// Device work that the device could begin at `earliest`.
  Span work(std::uint32_t stream, Engine engine, double earliest, double duration) {
    double& free = engines_[place(engine)];
    const double begin = std::max({earliest, free, stream == 0 ? all_done() : std::max(streams_[stream], streams_[0])});
    return {begin, free = streams_[stream] = begin + duration};
  }
  /// Device work whose times are known because they were measured.
  void put(std::uint32_t stream, Engine engine, Span span) {
    for (double* const time : {&streams_[stream], &engines_[place(engine)]}) *time = std::max(*time, span.end);
  }
  /// The stream's next work begins no earlier.
  void hold(std::uint32_t stream, double until) { streams_[stream] = std::max(streams_[stream], until); }

  /// When the stream has done all that it was given. Of the default stream that is after what it has to wait for.
  [[nodiscard]] double done(std::uint32_t stream) const {
    return stream == 0 ? all_done() : std::max(streams_[stream], streams_[0]);
  }
  [[nodiscard]] double all_done() const { return *std::max_element(streams_.begin(), streams_.end()); }

 private:
  [[nodiscard]] std::size_t place(Engine engine) const {
    if (engine == Engine::kernels || copy_engines_ < 1) return 0;
    return engine == Engine::to_host && copy_engines_ > 1 ? 2 : 1;
  }

  int copy_engines_;
  std::vector<double> streams_{0};   // when each ends
  std::array<double, 3> engines_{};  // when each is free
};

}  // namespace warpbook::lessons
