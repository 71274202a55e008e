// A launch of the virtual GPU under the clock schedule: the profile's figures for the model, where arrays lie, and the report.
#include <algorithm>
#include <map>
#include <tuple>

#include "gpu/launch_check.h"
#include "gpu/virtual/virtual_device.h"

namespace warpbook::gpu {
namespace {

// Warp-instructions that are modelled of a launch before the rest may be extrapolated: about a second of this machine's time.
constexpr std::uint64_t sample_after = 2'000'000;

vm::ClockFigures clock_figures(const Profile& p, unsigned resident_blocks, std::size_t shared_bytes) {
  vm::ClockFigures f;
  f.warps = static_cast<unsigned>(p.warps_per_multiprocessor);
  f.clock_mhz = p.clock_mhz;
  f.multiprocessors = static_cast<unsigned>(p.multiprocessors);
  f.schedulers = static_cast<unsigned>(p.schedulers);
  f.resident_blocks = resident_blocks;
  f.alu = p.latency.alu;
  f.imad = p.latency.imad;
  f.sfu = p.latency.sfu;
  f.fp64 = p.latency.fp64;
  f.shuffle = p.latency.shuffle;
  f.divide32 = p.latency.divide32;
  f.divide64 = p.latency.divide64;
  f.square_root = p.latency.square_root;
  f.shared = p.latency.shared;
  f.l1 = p.latency.l1;
  f.l2 = p.latency.l2;
  f.dram = p.latency.dram;
  f.barrier = p.latency.barrier;
  f.block_start = p.latency.block_start;
  f.dispatch = p.latency.dispatch;
  f.shared_further = p.shared_load.each_further;
  f.pass_cycles = p.pass_cycles;
  f.shared_atomic_first = p.shared_atomic.first;
  f.shared_atomic_further = p.shared_atomic.each_further;
  f.global_atomic_further = p.global_atomic.each_further;
  f.global_atomic_throughput = p.global_atomic_throughput;
  f.l1_bytes_per_cycle = p.l1_bytes_per_cycle;
  f.l2_bytes_per_cycle = p.l2_gb_per_s * 1e3 / p.clock_mhz;
  f.dram_bytes_per_cycle = p.memory_gb_per_s * p.memory_achieved_fraction * 1e3 / p.clock_mhz;
  f.fp32_lanes = p.lanes.fp32;
  f.int32_lanes = p.lanes.int32;
  f.fp64_lanes = p.lanes.fp64;
  f.sfu_lanes = p.lanes.sfu;
  f.load_store_lanes = p.lanes.load_store;
  f.l1_caches_global = p.l1_caches_global;
  const std::size_t shared = resident_blocks * (shared_bytes + p.reserved_shared_per_block);
  f.l1_bytes = p.unified_bytes ? std::min(p.l1_bytes, p.unified_bytes - std::min(shared, p.shared_per_multiprocessor)) : p.l1_bytes;
  f.l2_bytes = p.l2_bytes;
  f.dram_channels = static_cast<unsigned>(p.memory_channels);
  return f;
}

}  // namespace

/// Which sets of the caches and which channels an array uses follows from the launch, not from what was allocated before it: the
/// same launch takes the same time. Arguments lie in their order, then everything else.
std::vector<vm::ClockFigures::Placed> VirtualDevice::place(const LaunchRequest& request, const vm::LaunchInfo& info) const {
  std::vector<BufferId> arguments;
  for (const Buffer& buffer : given_buffers(request.arguments)) arguments.push_back(buffer.id);
  const auto rank = [&](const vm::Allocation& a) {
    return std::tuple(std::find(arguments.begin(), arguments.end(), a.buffer) - arguments.begin(), a.buffer,
                      std::string_view(a.name));
  };
  std::vector<const vm::Allocation*> order;
  for (const vm::Allocation& allocation : info.allocations) order.push_back(&allocation);
  std::sort(order.begin(), order.end(), [&](const auto* a, const auto* b) { return rank(*a) < rank(*b); });

  constexpr std::uint64_t between = 1 << 20;  // bytes: whole pages, as cudaMalloc's arrays begin at
  std::vector<vm::ClockFigures::Placed> placed;
  std::uint64_t at = between;
  std::size_t kept = 0;
  for (const vm::Allocation* allocation : order) {
    const auto buffer = buffers_.find(allocation->buffer);
    const bool in_l2 = buffer != buffers_.end() && buffer->second.filled && kept + allocation->bytes <= profile_.l2_bytes;
    if (in_l2) kept += allocation->bytes;
    placed.push_back({allocation->base, allocation->base + allocation->bytes, at, in_l2});
    at += (allocation->bytes / between + 2) * between;
  }
  std::sort(placed.begin(), placed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return placed;
}

void VirtualDevice::run_on_clock(const LaunchRequest& request, vm::Machine& machine, unsigned resident,
                                 const std::function<Result<void>(std::uint64_t)>& rest, LaunchReport& report,
                                 std::vector<vm::SiteCycles>& sites) {
  vm::ClockFigures figures = clock_figures(profile_, resident, machine.shared_bytes - machine.info.reserved_shared_bytes);
  figures.placed = place(request, machine.info);
  std::size_t given = 0;
  for (const Buffer& buffer : given_buffers(request.arguments)) given += buffer.array.bytes();
  figures.writes_back = given > profile_.l2_bytes;
  figures.timeline = request.observe.timeline;
  // A trace tells cycles of every access, a history every step, and blocks of a cooperative launch wait for each other: all are
  // modelled.
  const Observe& observe = request.observe;
  const bool whole = request.cooperative || observe.timeline || observe.history || observe.trace_shared || !observe.trace.empty();
  figures.sample_after = whole ? 0 : sample_after;
  vm::ClockResult result = vm::run_clock(machine, figures);
  if (result.next_block < request.grid.count() && !machine.stop)
    if (auto done = rest(result.next_block); !done) {
      auto fault = std::make_unique<vm::Fault>();
      fault->status = done.error().code;
      fault->message = as_it_is(done.error().message);
      machine.fail(std::move(fault));
    }
  vm::scale_to_launch(result, figures, machine.warp_instructions);
  result.report.profile = profile_.name;
  result.report.theoretical_occupancy =
      static_cast<double>(resident * machine.info.warps_per_block) / profile_.warps_per_multiprocessor;
  report.cycles = result.report.cycles;
  report.model_us = result.report.us;
  report.clock = std::move(result.report);
  sites = std::move(result.sites);
}

void VirtualDevice::add_warp_cycles(const std::vector<vm::SiteCycles>& sites, LaunchReport& report) {
  std::map<std::uint32_t, WarpCycles> by_line;
  for (const vm::SiteCycles& site : sites) {
    const auto& code = site.site.function->code;
    const std::uint32_t line = site.site.pc < code.size() ? code[site.site.pc].line : 0;
    if (line == 0) continue;
    for (std::size_t state = 0; state < warp_states; ++state) by_line[line][state] += site.cycles[state];
  }
  for (const auto& [line, cycles] : by_line) {
    auto at = std::lower_bound(report.lines.begin(), report.lines.end(), line,
                               [](const LineCounts& counts, std::uint32_t wanted) { return counts.line < wanted; });
    if (at == report.lines.end() || at->line != line) {
      LineCounts fresh;
      fresh.line = line;
      at = report.lines.insert(at, fresh);
    }
    at->warp_cycles = cycles;
  }
}

}  // namespace warpbook::gpu
