// Makes a launch's request, and reports its results to the journal and to the program.
#include <fmt/format.h>

#include <cstdio>
#include <cstring>

#include "gpu/message.h"
#include "gpu/program/finding_json.h"
#include "gpu/runtime/calls.h"
#include "gpu/runtime/recorder.h"
#include "gpu/runtime/runtime.h"

namespace warpbook::cudart {
namespace {

bool is_refusal(cudaError_t error) {
  return error == cudaErrorInvalidConfiguration || error == cudaErrorInvalidValue || error == cudaErrorLaunchOutOfResources ||
         error == cudaErrorCooperativeLaunchTooLarge;
}

}  // namespace

gpu::LaunchRequest Runtime::request(Function& function, dim3 grid, dim3 block, void* const* arguments,
                                    std::vector<const gpu::Buffer*>& given) {
  const gpu::Kernel& kernel = *function.kernel;
  gpu::LaunchRequest request;
  request.program = function.module->program;
  request.kernel = kernel.entry;
  request.grid = {grid.x, grid.y, grid.z};
  request.block = {block.x, block.y, block.z};
  request.observe = observe_;
  request.schedule = schedule_;
  request.seed = seed_;
  request.limits.max_seconds = launch_seconds_;
  request.arguments.reserve(kernel.parameters.size());
  for (std::size_t p = 0; p < kernel.parameters.size(); ++p) {
    const auto* bytes = static_cast<const std::byte*>(arguments[p]);
    const std::size_t size = kernel.parameters[p].size;
    request.arguments.emplace_back(gpu::Struct{.bytes = {bytes, bytes + size}});
    for (std::size_t at = 0; at + sizeof(void*) <= size; at += sizeof(void*)) {
      const void* pointer = nullptr;
      std::memcpy(&pointer, bytes + at, sizeof pointer);
      if (!is_device_address(pointer)) continue;
      if (const Allocation* allocation = allocation_at(pointer)) given.push_back(&allocation->buffer);
    }
  }
  return request;
}

cudaError_t Runtime::launch(Function& function, dim3 grid, dim3 block, void* const* arguments, std::size_t shared_bytes,
                            bool cooperative) {
  if (lost_ != cudaSuccess) return lost_;
  const gpu::Kernel& kernel = this->kernel(function);
  std::vector<const gpu::Buffer*> given;
  gpu::LaunchRequest request = this->request(function, grid, block, arguments, given);
  request.dynamic_shared_bytes = static_cast<std::uint32_t>(std::min<std::size_t>(shared_bytes, 0xffffffffu));
  request.cooperative = cooperative;
  gpu::ProgramJournal* const journal = this->journal();
  if (journal) {
    if (!function.number) function.number = journal->kernel(kernel.name);
    journal->running(*function.number);
  }
  guard_.open_all();
  Recorder* const recorder = this->recorder();
  if (recorder) recorder->launch_begins(request, kernel, device(), allocations_);
  const gpu::LaunchReport report = device().launch(request, nullptr);
  if (recorder) recorder->launch_ends(report);
  if (journal) journal->idle();
  for (const gpu::Buffer* buffer : given) device_->mark_written(*buffer);
  if (!report.output.empty()) std::fwrite(report.output.data(), 1, report.output.size(), stdout);
  device_us_ += report.model_us.value_or(0);
  const cudaError_t error = report.ok() ? cudaSuccess : error_of(report.status);
  if (error == cudaErrorInvalidPtx || error == cudaErrorUnsupportedPtxVersion) not_run(say(report.message));
  const bool refused = is_refusal(error);
  if (!refused) tell_launch(function, report);
  tell_findings(report);
  if (report.ok()) return cudaSuccess;
  tell_fault(report, refused);
  if (refused) return error;
  lost_ = error;  // the launch itself has succeeded
  return cudaSuccess;
}

void Runtime::tell_launch(const Function& function, const gpu::LaunchReport& report) {
  if (journal_) {
    gpu::KernelCounters& counters = journal_->counters(*function.number);
    ++counters.launches;
    counters.thread_instructions += report.thread_instructions;
    counters.run_ms += report.run_ms;
    counters.model_us += report.model_us.value_or(0);
  }
  if (!print_statistics_) return;
  gpu::KernelCounters& cost = statistics_[report.kernel];
  ++cost.launches;
  cost.thread_instructions += report.thread_instructions;
  cost.run_ms += report.run_ms;
}

void Runtime::tell_findings(const gpu::LaunchReport& report) {
  for (const gpu::Finding& finding : report.findings) {
    const std::string key = fmt::format("{} {} {} {} {}", name_of(finding.kind), report.kernel, finding.at.line,
                                        finding.other ? finding.other->line : 0, finding.space);
    if (!told_.insert(key).second) continue;
    if (journal_)
      journal_->add(gpu::finding_json(finding, report.kernel));
    else
      std::fprintf(stderr, "%s\n",
                   fmt::format("warpbook: finding: {} {} in {}, {}:{}: {}", name_of(finding.kind), finding.space, report.kernel,
                               finding.at.file, finding.at.line, say(finding.message))
                       .c_str());
  }
}

void Runtime::tell_fault(const gpu::LaunchReport& report, bool refused) {
  if (!journal_) {
    std::fprintf(stderr, "warpbook: %s%s in %s: %s\n", refused ? "refused: " : "", report.status.c_str(), report.kernel.c_str(),
                 say(report.message).c_str());
    return;
  }
  nlohmann::ordered_json line{{"kind", refused ? "refused" : "fault"},
                              {"error", report.status},
                              {"kernel", report.kernel},
                              {"message", in_english(report.message)},
                              {"at", call_place()}};
  if (report.stopped) line["stopped"] = {{"file", report.stopped->file}, {"line", report.stopped->line}};
  journal_->add(line);
}

KernelArguments Runtime::copy_arguments(Function& function, void* const* arguments) {
  KernelArguments copies;
  const gpu::Kernel& kernel = this->kernel(function);
  for (std::size_t p = 0; p < kernel.parameters.size(); ++p) {
    const auto* bytes = static_cast<const std::byte*>(arguments[p]);
    copies.bytes.emplace_back(bytes, bytes + kernel.parameters[p].size);
  }
  return copies;
}

}  // namespace warpbook::cudart
