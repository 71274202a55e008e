// The implementation of Host: its record, its clock, and the batch for its device. For host.cpp and host_streams.cpp only.
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

// The host's own costs. A model: typical values of CUDA calls on a desktop machine, as profilers show them. Lessons teach the order
// of events (a launch returns early, a copy waits), not the exact times. What depends on the device (launch overhead, bandwidth of
// PCIe and memory) comes from its DeviceInfo.
inline constexpr double allocate_us = 10;    // cudaMalloc or cudaHostAlloc of a small array in an existing context
inline constexpr double copy_setup_us = 2;   // start of a DMA transfer and notification of its end: the time of a 4-byte copy
inline constexpr double wake_us = 20;        // an interrupt, until the operating system runs a blocked thread again
inline constexpr double host_gb_per_s = 20;  // one core reading uncached memory sequentially

// For a device that does not report them: typical values of a PCIe 3.0 ×16 link and of a launch.
inline constexpr double usual_pcie_gb_per_s = 12;
inline constexpr double usual_launch_us = 3;

inline constexpr std::size_t most_calls = 4096;
inline constexpr std::size_t most_bytes = std::size_t{64} << 20;

inline double us(const Stopwatch& watch) { return watch.seconds() * 1e6; }

/// 1 GB/s is 1000 bytes per µs.
inline double transfer_us(std::size_t bytes, double gb_per_s) { return static_cast<double>(bytes) / (gb_per_s * 1e3); }

struct Host::Impl {
  gpu::Device& device;
  Setup setup;
  HostClock clock{device.info().copy_engines};
  Waiting waiting = Waiting::spin;
  std::vector<double> events;                      // time of each event
  std::optional<std::pair<double, double>> early;  // when the last launch's read_early was read
  std::vector<HostCall> calls;
  std::size_t bytes_kept = 0;
  std::vector<std::pair<std::string, std::string>> launched_with;  // macros of the last recorded launch
  bool recording = true;
  std::vector<gpu::Buffer> buffers;
  gpu::ProgramPtr program;
  bool stale_program = true;  // the defines have changed since the last compile
  std::optional<gpu::CompileFailure> compile_failure;
  HostBatch batch{device.streams()};        // asynchronous calls that the device has not performed yet
  std::optional<gpu::LaunchReport> failed;  // the failure of the first batch that failed
  bool untold = false;                      // it was not reported yet
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

  /// Records a call. Returns its index; empty if it is not kept.
  std::optional<std::size_t> record(HostCall call) {
    if (!recording || calls.size() >= most_calls) return std::nullopt;
    if (call.kind == HostCall::Kind::launch) launched_with = setup.defines;
    calls.push_back(std::move(call));
    return calls.size() - 1;
  }

  /// Performs the batch, because the host waits or needs the device.
  void perform() {
    auto wrong = batch.perform(clock, calls, events, setup.job);
    if (!wrong) return;
    untold = true;
    if (!failed) failed = std::move(wrong);
  }
  /// The same for a call that can return an error.
  [[nodiscard]] Result<void> settle() {
    perform();
    if (!std::exchange(untold, false)) return {};
    return warpbook::failure(failed->status, say(failed->message));
  }

  void give(gpu::StreamOperation operation, HostCall call) {
    if (batch.full()) perform();
    call.begin = call.end = call.wait_begin = call.device_begin = call.device_end = clock.now;  // until they are measured
    operation.stream = call.stream;
    operation.event = call.event;
    batch.add(std::move(operation), record(std::move(call)));
  }

  [[nodiscard]] Result<void> give_copy(HostCall call, const gpu::Buffer& device_array, const gpu::Buffer& host_array) {
    if (untold) return settle();
    const bool in = call.kind == HostCall::Kind::copy_to_device;
    give({.kind = in ? gpu::StreamOperation::Kind::copy_to_device : gpu::StreamOperation::Kind::copy_to_host,
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
    give({.kind = gpu::StreamOperation::Kind::launch, .launch = std::move(request)}, std::move(call));
    if (!gpu::prints(*program)) return report;
    if (auto done = settle(); !done) return *failed;
    report.output = batch.output();
    return report;
  }

  /// Frees the page-locked memory of host arrays that no longer exist.
  void free_locked(bool all) {
    std::erase_if(locked, [&](const auto& each) {
      if (!all && !each.first.expired()) return false;
      device.release(each.second);
      return true;
    });
  }

  /// Keeps the bytes of a call if there is room.
  void keep(HostCall& call, std::span<const std::byte> bytes) {
    if (!recording || calls.size() >= most_calls || bytes_kept + bytes.size() > most_bytes) return;
    call.bytes = std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end());
    bytes_kept += bytes.size();
  }

  /// Records a finished copy to the device.
  void record_copy(HostCall call, std::span<const std::byte> bytes, const Stopwatch& watch) {
    keep(call, bytes);
    copy(call, bytes.size(), watch);
    record(std::move(call));
  }

  [[nodiscard]] bool measures() const { return !device.info().is_model; }

  using Engine = HostClock::Engine;

  /// Adds a measured launch to the clock, after the device's earlier work.
  void queue(HostCall& call, const gpu::LaunchTimes& times) {
    const double now = clock.now;
    call.begin = now;
    call.end = call.wait_begin = now + times.returned;
    set_device(call, clock.work(call.stream, Engine::kernels, now + times.begin, times.end - times.begin));
    early.reset();
    if (times.read_end > 0) early.emplace(now + times.read_begin, now + times.read_end);
    clock.now = call.end;
  }

  /// Adds modelled work: the host continues when the command is written.
  void queue(HostCall& call, Engine engine, double duration) {
    call.begin = clock.now;
    call.end = call.wait_begin = clock.now + launch_share_of_host * launch_overhead();
    set_device(call, clock.work(call.stream, engine, clock.now + launch_overhead(), duration));
    clock.now = call.end;
  }

  /// A synchronous copy: the host waits until the device has finished its earlier work and the copy.
  void copy(HostCall& call, std::size_t bytes, const Stopwatch& watch) {
    call.begin = clock.now;
    call.wait_begin = clock.now + (measures() ? 0 : lookup_us);
    const Engine engine = call.kind == HostCall::Kind::copy_to_host ? Engine::to_host : Engine::to_device;
    set_device(call, clock.work(call.stream, engine, call.wait_begin, copy_us(bytes, pageable(), watch)));
    clock.now = call.end = call.device_end;
  }

  void copy_async(HostCall& call, std::size_t bytes, const Stopwatch& watch) {
    if (!call.pinned) return copy(call, bytes, watch);  // the driver copies it through a buffer of its own
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

  /// A call that takes no time.
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
