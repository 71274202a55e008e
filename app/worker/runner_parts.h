// What the parts of the runner share (runner.cpp, runner_jobs.cpp, runner_live.cpp); nobody else includes it.
#pragma once

#include <chrono>
#include <memory>

#include "app/worker/runner.h"
#include "lessons/host.h"

namespace warpbook::app {

inline constexpr double heat_of_stroke = 1.0;

/// A live experiment and the host program that it runs on.
struct Runner::LiveRun {
  Request request;
  std::unique_ptr<lessons::Host> host;
  std::unique_ptr<lessons::Live> live;
};

[[nodiscard]] double seconds_since(std::chrono::steady_clock::time_point begin);
[[nodiscard]] bool is_gpu(const gpu::Device& device);

[[nodiscard]] Error no_device();
/// A snapshot that says what was asked for, and of which device; nullptr: there was none. What it answered is filled in afterwards.
[[nodiscard]] std::shared_ptr<Snapshot> snapshot_of(const Runner::Request& request, const gpu::Device* device);

}  // namespace warpbook::app
