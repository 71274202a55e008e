// HostClock: models when a host and its device work, in µs: concurrent streams whose work runs on engines.
//
//     HostClock clock(2);                                         // copy engines: one for each direction
//     const std::uint32_t stream = clock.new_stream();
//     const HostClock::Span copy = clock.work(stream, HostClock::Engine::to_device, clock.now + 3, 40);
//     clock.now = clock.done(stream);                             // the host waits for the stream
//
// Rules (CUDA C++ Programming Guide, "Asynchronous Concurrent Execution"): work in a stream runs in order; the default stream (0)
// begins after all earlier work of other streams, and other streams begin after the default stream's earlier work; an engine does
// one thing at a time. A simplification: kernels never run concurrently, although small ones could on hardware. With one copy
// engine, both directions share it; with none, copies and kernels share one.
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

  double now = 0;  // the host's time

  [[nodiscard]] std::uint32_t new_stream() {
    streams_.push_back(0);
    return static_cast<std::uint32_t>(streams_.size() - 1);
  }
  /// Adds work that the device can begin at `earliest`.
  Span work(std::uint32_t stream, Engine engine, double earliest, double duration) {
    double& free = engines_[place(engine)];
    const double begin = std::max({earliest, free, stream == 0 ? all_done() : std::max(streams_[stream], streams_[0])});
    return {begin, free = streams_[stream] = begin + duration};
  }
  /// Adds work with measured times.
  void put(std::uint32_t stream, Engine engine, Span span) {
    for (double* const time : {&streams_[stream], &engines_[place(engine)]}) *time = std::max(*time, span.end);
  }
  /// Delays the stream's next work until `until`.
  void hold(std::uint32_t stream, double until) { streams_[stream] = std::max(streams_[stream], until); }

  /// When all work of the stream is done. For the default stream: when the work that it waits for is done, too.
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
  std::vector<double> streams_{0};   // end of each stream's work
  std::array<double, 3> engines_{};  // end of each engine's work
};

}  // namespace warpbook::lessons
