// Why a launch of the virtual GPU ended early, as a sentence with its thread and its line.
#include "gpu/message.h"
#include "gpu/virtual/ptx/data_flow.h"
#include "gpu/virtual/virtual_device.h"

namespace warpbook::gpu {
namespace {

Dim3 index_in(std::uint64_t n, const Dim3& shape) {
  const std::uint64_t plane = std::uint64_t{shape.x} * shape.y;
  return {static_cast<std::uint32_t>(n % shape.x), static_cast<std::uint32_t>(n / shape.x % shape.y),
          static_cast<std::uint32_t>(n / plane)};
}

/// Where a thread of a launch stands.
Place place_of(const vm::Machine& machine, const vm::Fault& fault) {
  Place place;
  const ptx::Instruction& instruction = fault.site.instruction();
  place.line = instruction.line;
  place.column = instruction.column;
  if (instruction.file < machine.module->files.size()) place.file = machine.module->files[instruction.file];
  const std::uint64_t thread = std::uint64_t{fault.warp.warp} * vm::lanes + fault.lane;
  place.block = index_in(fault.warp.block, machine.info.grid);
  place.thread = index_in(thread, machine.info.block);
  return place;
}

Message about_loop(const vm::Fault& fault, const std::optional<Place>& stopped) {
  if (!fault.site.function || !stopped || !ptx::DataFlow(*fault.site.function).in_empty_loop(fault.site.pc))
    return to_say("Does every loop end?");
  return to_say(
      "The loop of line {line} does nothing but turn: the compiler has what its condition looks at read once, before the loop. "
      "Where another thread is to change it, read it in each turn by an atomic, or through a pointer to volatile.",
      "line"_a = stopped->line);
}

}  // namespace

void VirtualDevice::explain(const vm::Machine& machine, const LaunchRequest& request, const Loaded& loaded,
                            LaunchReport& report) const {
  const vm::Fault& fault = *machine.fault;
  report.status = fault.status;
  report.message = fault.message;
  if (fault.site.function) report.stopped = place_of(machine, fault);
  if (fault.is_access) {
    // The detector that would have reported it says it best.
    Observe memory_only;
    memory_only.memory = true;
    watch::Watch watch(memory_only, request.limits);
    vm::LaunchInfo info = machine.info;
    if (info.allocations.empty()) describe_memory(request, loaded, machine.image->layout, info);
    watch.observer()->on_launch(info);
    watch.observer()->on_access(fault.access);
    LaunchReport seen;
    watch.report_to(seen);
    for (Finding& finding : seen.findings) {
      report.message = finding.message;
      report.findings.push_back(std::move(finding));
    }
    return;
  }
  if (fault.status == "cudaErrorLaunchTimeout" && fault.from_outside) {
    report.message = to_say("The launch ran longer than {seconds:g} s and was stopped.", "seconds"_a = request.limits.max_seconds);
    report.message.add(fault.message);
    report.message.add(about_loop(fault, report.stopped));
    return;
  }
  if (!report.stopped || fault.from_outside) return;
  const Place& at = *report.stopped;
  // What free complains about is a finding of memory, as an access is.
  if (fault.status == "cudaErrorIllegalAddress" && request.observe.memory) {
    report.findings.push_back({.kind = FindingKind::memory,
                               .space = "global",
                               .message = fault.message,
                               .at = at,
                               .buffer = {},
                               .index = {},
                               .other = {}});
    report.observed[FindingKind::memory] = Observation::observed;
  }
  report.message.add(
      to_say("(Thread {thread} of block {block}.)", "thread"_a = to_string(at.thread), "block"_a = to_string(at.block)));
}

}  // namespace warpbook::gpu
