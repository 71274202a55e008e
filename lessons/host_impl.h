// What Host keeps: its record, its clock, and what its device has yet to do. For host.cpp and host_streams.cpp alone.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpu/launch_check.h"
#include "lessons/experiment.h"
#include "lessons/host.h"
#include "lessons/host_batch.h"

namespace warpbook::lessons {

// The host's own costs. A model: round figures of the size that profilers show for CUDA's calls on a desktop machine. What is
// taught with them is their order (a launch returns early, a copy waits), not their digits. What belongs to the device
// (launch overhead, PCIe and memory bandwidth) comes from its DeviceInfo.
inline constexpr double allocate_us = 10;    // cudaMalloc or cudaHostAlloc of a small array, once the context exists
inline constexpr double copy_setup_us = 2;   // starting a DMA transfer and learning of its end: what a copy of 4 bytes costs
inline constexpr double wake_us = 20;        // an interrupt, and the operating system lets a blocked thread run again
inline constexpr double host_gb_per_s = 20;  // one core reading memory that is not in its caches, in order

// For a device that does not state them: a PCIe 3.0 ×16 link's usual rate, and a usual launch overhead.
inline constexpr double usual_pcie_gb_per_s = 12;
inline constexpr double usual_launch_us = 3;

inline constexpr std::size_t most_calls = 4096;
inline constexpr std::size_t most_bytes = std::size_t{64} << 20;

inline double us(const Stopwatch& watch) { return watch.seconds() * 1e6; }

/// GB/s are thousand bytes a µs.
inline double transfer_us(std::size_t bytes, double gb_per_s) { return static_cast<double>(bytes) / (gb_per_s * 1e3); }

struct Host::Impl {
  gpu::Device& device;
  Setup setup;
  HostClock clock{device.info().copy_engines};
  Waiting waiting = Waiting::spin;
  std::vector<double> events;                      // when each is reached
  std::optional<std::pair<double, double>> early;  // when the last launch's read_early was read
  std::vector<HostCall> calls;
  std::size_t bytes_kept = 0;
  std::vector<std::pair<std::string, std::string>> launched_with;  // the macros of the last launch that is recorded
  bool recording = true;
  std::vector<gpu::Buffer> buffers;
  gpu::ProgramPtr program;
  bool stale_program = true;  // the defines have changed since it was compiled
  std::optional<gpu::CompileFailure> compile_failure;
  HostBatch batch{device.streams()};        // asynchronous calls that the device has yet to perform
  std::optional<gpu::LaunchReport> failed;  // what went wrong in the first batch that failed
  bool untold = false;                      // nobody has been told of it
  using Bytes = std::vector<std::byte>;
  std::vector<std::pair<std::weak_ptr<Bytes>, gpu::Buffer>> locked;  // page-locked memory of host arrays

  [[nodiscard]] double pcie() const {
    const double rate = device.info().pcie_gb_per_s;
    return rate > 0 ? rate : usual_pcie_gb_per_s;
  }
  [[nodiscard]] double pageable() const {
    const double rate = device.info().pcie_pageable_gb_per_s;
    return rate > 0 ? rate : pcie();
  }
  [[nodiscard]] double launch_overhead() const {
    const double us = device.info().launch_overhead_us;
    return us > 0 ? us : usual_launch_us;
  }

  /// Its place among the calls; empty where it is not kept.
  std::optional<std::size_t> record(HostCall call) {
    if (!recording || calls.size() >= most_calls) return std::nullopt;
    if (call.kind == HostCall::Kind::launch) launched_with = setup.defines;
    calls.push_back(std::move(call));
    return calls.size() - 1;
  }

  /// The host waits, or needs the device for something else: what it gave to streams is done now.
  void perform() {
    auto wrong = batch.perform(clock, calls, events, setup.job);
    if (!wrong) return;
    untold = true;
    if (!failed) failed = std::move(wrong);
  }
  /// The same by a call that can tell what went wrong.
  [[nodiscard]] Result<void> settle() {
    perform();
    if (!std::exchange(untold, false)) return {};
    return warpbook::failure(failed->status, failed->message);
  }

  void give(gpu::StreamOrder order, HostCall call) {
    if (batch.full()) perform();
    call.begin = call.end = call.wait_begin = call.device_begin = call.device_end = clock.now;  // until they are measured
    order.stream = call.stream;
    order.event = call.event;
    batch.add(std::move(order), record(std::move(call)));
  }

  [[nodiscard]] Result<void> give_copy(HostCall call, const gpu::Buffer& device_array, const gpu::Buffer& host_array) {
    if (untold) return settle();
    const bool in = call.kind == HostCall::Kind::copy_to_device;
    give({.kind = in ? gpu::StreamOrder::Kind::copy_to_device : gpu::StreamOrder::Kind::copy_to_host,
          .device = device_array,
          .host = host_array},
         std::move(call));
    return {};
  }

  [[nodiscard]] gpu::LaunchReport launch_in_stream(HostCall call, gpu::LaunchRequest request) {
    gpu::LaunchReport report = batch.streams().check(request);
    if (!report.ok()) {
      perform();
      note(std::move(call));
      return report;
    }
    give({.kind = gpu::StreamOrder::Kind::launch, .launch = std::move(request)}, std::move(call));
    if (!gpu::prints(*program)) return report;
    if (auto done = settle(); !done) return *failed;
    report.output = batch.output();
    return report;
  }

  /// Host arrays that nobody has any more give their page-locked memory back.
  void free_locked(bool all) {
    std::erase_if(locked, [&](const auto& each) {
      if (!all && !each.first.expired()) return false;
      device.release(each.second);
      return true;
    });
  }

  /// The bytes of a call are kept as long as there is room.
  void keep(HostCall& call, std::span<const std::byte> bytes) {
    if (!recording || calls.size() >= most_calls || bytes_kept + bytes.size() > most_bytes) return;
    call.bytes = std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end());
    bytes_kept += bytes.size();
  }

  /// A copy to the device that was made.
  void record_copy(HostCall call, std::span<const std::byte> bytes, const Stopwatch& watch) {
    keep(call, bytes);
    copy(call, bytes.size(), watch);
    record(std::move(call));
  }

  [[nodiscard]] bool measures() const { return !device.info().is_model; }

  using Engine = HostClock::Engine;

  /// A launch as it went on a device that measures; behind what the device still had to do.
  void queue(HostCall& call, const gpu::LaunchTimes& times) {
    const double now = clock.now;
    call.begin = now;
    call.end = call.wait_begin = now + times.returned;
    set_device(call, clock.work(call.stream, Engine::kernels, now + times.begin, times.end - times.begin));
    early.reset();
    if (times.read_end > 0) early.emplace(now + times.read_begin, now + times.read_end);
    clock.now = call.end;
  }

  /// Work put into one of the device's queues: the host goes on as soon as the command is written.
  void queue(HostCall& call, Engine engine, double duration) {
    call.begin = clock.now;
    call.end = call.wait_begin = clock.now + launch_share_of_host * launch_overhead();
    set_device(call, clock.work(call.stream, engine, clock.now + launch_overhead(), duration));
    clock.now = call.end;
  }

  /// A copy that the host waits for: until the device has done what came before it, and then for its own end.
  void copy(HostCall& call, std::size_t bytes, const Stopwatch& watch) {
    call.begin = clock.now;
    call.wait_begin = clock.now + (measures() ? 0 : lookup_us);
    const Engine engine = call.kind == HostCall::Kind::copy_to_host ? Engine::to_host : Engine::to_device;
    set_device(call, clock.work(call.stream, engine, call.wait_begin, copy_us(bytes, pageable(), watch)));
    clock.now = call.end = call.device_end;
  }

  void copy_async(HostCall& call, std::size_t bytes, const Stopwatch& watch) {
    if (!call.pinned) return copy(call, bytes, watch);  // the driver moves it through a buffer of its own
    const Engine engine = call.kind == HostCall::Kind::copy_to_host ? Engine::to_host : Engine::to_device;
    queue(call, engine, copy_us(bytes, pcie(), watch));
  }

  [[nodiscard]] double copy_us(std::size_t bytes, double gb_per_s, const Stopwatch& watch) const {
    return measures() ? us(watch) : copy_setup_us + transfer_us(bytes, gb_per_s);
  }

  static void set_device(HostCall& call, HostClock::Span span) {
    call.device_begin = span.begin;
    call.device_end = span.end;
  }

  /// A call that only waits.
  void wait_until(HostCall call, double until) {
    call.begin = clock.now;
    call.wait_begin = clock.now + lookup_us;
    const bool sleeps = waiting == Waiting::block && !measures() && until > call.wait_begin;
    clock.now = call.end = std::max(call.wait_begin, until) + (sleeps ? wake_us : 0);
    record(std::move(call));
  }

  /// A call that is over at once.
  void note(HostCall call) {
    call.begin = clock.now;
    call.end = call.wait_begin = clock.now += lookup_us;
    record(std::move(call));
  }

  void free(const gpu::Buffer& buffer) {
    device.release(buffer);
    if (setup.pictures != nullptr) setup.pictures->forget(buffer);
  }

  [[nodiscard]] Result<void> compile();
};

}  // namespace warpbook::lessons
