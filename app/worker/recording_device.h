// RecordingDevice: a device that records every step of the first launch of each kernel.
//
//     RecordingDevice recording(*device, compiler);
//     lessons::Host host(recording, …);            // the lesson runs as usual
//     for (const Steps::Launch& launch : recording.launches()) …
//
// For the recorded launch, the program is compiled again without optimisation and with debug information, so that the source's
// variables can be shown. If that fails, the program itself is launched. Further launches of a kernel (trials, steps) are not
// recorded. Device and compiler must outlive this one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "app/session/steps.h"
#include "app/worker/forwarding_device.h"
#include "gpu/debug_info.h"
#include "gpu/source_variables.h"

namespace warpbook::app {

class RecordingDevice final : public ForwardingDevice {
 public:
  RecordingDevice(gpu::Device& device, gpu::Compiler& compiler) : ForwardingDevice(device), compiler_(compiler) {}

  [[nodiscard]] gpu::LaunchReport launch(const gpu::LaunchRequest& request, gpu::Job* job) override {
    const bool seen =
        std::any_of(launches_.begin(), launches_.end(), [&](const auto& launch) { return launch.kernel == request.kernel; });
    if (seen) return to().launch(request, job);
    Steps::Launch launch{.kernel = request.kernel,
                         .name = {},
                         .grid = request.grid,
                         .block = request.block,
                         .clocked = request.schedule == gpu::Schedule::clock};
    gpu::LaunchRequest recorded = request;
    recorded.observe.history = gpu::Observe::history_bytes;
    recorded.program = for_stepping(request.program, launch);
    const bool other = recorded.program != request.program;
    if (other) copy_variables(request.program, recorded.program);
    gpu::LaunchReport report = to().launch(recorded, job);
    if (other) copy_variables(recorded.program, request.program);
    if (report.history && !report.history->steps().empty()) {
      launch.name = report.kernel;
      launch.history = report.history;
      launches_.push_back(std::move(launch));
    }
    return report;
  }

  [[nodiscard]] const std::vector<Steps::Launch>& launches() const { return launches_; }

 private:
  [[nodiscard]] static bool same_kernel(const gpu::Program& one, const gpu::Program& other, const std::string& name) {
    const gpu::Kernel *const here = one.find(name), *const there = other.find(name);
    return here && there && here->entry == there->entry &&
           std::ranges::equal(here->parameters, there->parameters, {}, &gpu::Parameter::size, &gpu::Parameter::size);
  }

  /// The program with debug information, and what that says; the program itself where there is none.
  gpu::ProgramPtr for_stepping(const gpu::ProgramPtr& program, Steps::Launch& launch) {
    if (!program || program->source.text.empty()) return program;
    const auto compiled =
        compiler_.compile(program->source, {.architecture = program->architecture, .resource_usage = false, .device_debug = true});
    // A kernel that the program has made otherwise, by a template or with other parameters, is stepped through as it is.
    if (!compiled || !same_kernel(*program, **compiled, launch.kernel)) return program;
    auto debug = gpu::read_debug_info((*compiled)->ptx);
    if (!debug) return program;
    gpu::add_shared_variables(*debug, (*compiled)->ptx, program->source.text, program->source.defines);
    launch.debug = std::make_shared<const gpu::DebugInfo>(std::move(*debug));
    launch.source = program->source;
    // As many registers as the real program takes: as many blocks run at once.
    auto stepped = std::make_shared<gpu::Program>(**compiled);
    for (gpu::Kernel& kernel : stepped->kernels)
      if (const gpu::Kernel* real = program->find(kernel.entry)) kernel.registers = real->registers;
    return stepped;
  }

  /// The __device__ and __constant__ variables of one program have the values of another's afterwards. One that the device cannot
  /// read keeps what it has.
  void copy_variables(const gpu::ProgramPtr& from, const gpu::ProgramPtr& to) {
    for (const gpu::Variable& variable : from->variables) {
      std::vector<std::byte> now(variable.array.bytes()), there(now.size());
      if (!this->to().read_variable(from, variable, now) || !this->to().read_variable(to, variable, there)) continue;
      // One that is written counts as filled by the host: what is equal stays unwritten.
      if (now != there) (void)this->to().write_variable(to, variable, now);
    }
  }

  gpu::Compiler& compiler_;
  std::vector<Steps::Launch> launches_;
};

}  // namespace warpbook::app
