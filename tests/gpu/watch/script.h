// Script: a launch described event by event, to test detectors without executing anything.
//
//     Script script({.race = true}, {.grid = {2}, .block = {64}});
//     script.store(10, {0, 0}, one_lane(0), [](unsigned) { return Script::buffer_base; });
//     script.barrier(0);
//     const LaunchReport report = script.report();
//
// Line n of the source is instruction n of the only function. By default there is one buffer `data`, int32, at buffer_base.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gpu/virtual/watch/watch.h"

namespace warpbook::gpu::watch {

inline constexpr std::uint32_t all_lanes = 0xffffffffu;
inline constexpr std::uint32_t one_lane(unsigned lane) { return 1u << lane; }

struct ScriptLaunch {
  Dim3 grid{1}, block{32};
  std::uint32_t shared_bytes = 4096;
  std::vector<vm::SharedVariable> shared_variables{{.name = "tile", .offset = 0, .bytes = 4096}};
  std::vector<vm::Allocation> allocations = {};  // none: `data`, int32[4096]
  Limits limits = {};
};

class Script {
 public:
  static constexpr std::uint64_t buffer_base = 0x7000000000;
  using Addresses = std::function<std::uint64_t(unsigned lane)>;

  explicit Script(const Observe& observe, ScriptLaunch launch = {}) : watch_(observe, launch.limits) {
    module_.files = {"", "kernel.cu"};
    ptx::Function& kernel = module_.functions.emplace_back();
    kernel.name = "kernel";
    kernel.code.resize(100);
    for (std::uint32_t pc = 0; pc < kernel.code.size(); ++pc) {
      kernel.code[pc].file = 1;
      kernel.code[pc].line = pc;
      kernel.code[pc].ptx_line = 1000 + pc;
    }
    if (launch.allocations.empty())
      launch.allocations.push_back({.base = buffer_base,
                                    .bytes = 4 * 4096,
                                    .buffer = 1,
                                    .name = "data",
                                    .type = ScalarType::int32,
                                    .shape = {4096},
                                    .contents = {},
                                    .initialised = {}});
    vm::LaunchInfo info;
    info.module = &module_;
    info.kernel = &module_.functions[0];
    info.grid = launch.grid;
    info.block = launch.block;
    info.threads_per_block = static_cast<std::uint32_t>(launch.block.count());
    info.warps_per_block = (info.threads_per_block + 31) / 32;
    info.shared_bytes = launch.shared_bytes;
    info.shared_variables = launch.shared_variables;
    info.allocations = launch.allocations;
    if (watch_.observer()) watch_.observer()->on_launch(info);
  }

  /// Marks a line as one of a toolkit header.
  void in_toolkit(std::uint32_t line) { module_.functions[0].code[line].in_toolkit = true; }

  /// Marks a line as an asynchronous copy, or as one that makes an mbarrier track copies.
  void copies(std::uint32_t line, ptx::Copy copy) { module_.functions[0].code[line].copy = copy; }

  [[nodiscard]] vm::Observer* observer() { return watch_.observer(); }
  [[nodiscard]] vm::Site at(std::uint32_t line) const { return {&module_.functions[0], line}; }

  void access(std::uint32_t line, vm::WarpId warp, std::uint32_t mask, const Addresses& address, vm::Access what) {
    for (unsigned lane = 0; lane < 32; ++lane) addresses_[lane] = (mask >> lane & 1) ? address(lane) : 0;
    what.site = at(line);
    what.warp = warp;
    if (what.bad == 0) what.mask = mask;
    if (what.bytes == 0) what.bytes = 4;
    what.rows = rows_of(mask, what.bytes);
    what.address = addresses_.data();
    what.value = values.data();
    observer()->on_access(what);
  }
  void load(std::uint32_t line, vm::WarpId warp, std::uint32_t mask, const Addresses& address, vm::Access what = {}) {
    what.kind = vm::Access::Kind::load;
    access(line, warp, mask, address, what);
  }
  void store(std::uint32_t line, vm::WarpId warp, std::uint32_t mask, const Addresses& address, vm::Access what = {}) {
    what.kind = vm::Access::Kind::store;
    access(line, warp, mask, address, what);
  }
  void atomic(std::uint32_t line, vm::WarpId warp, std::uint32_t mask, const Addresses& address, vm::Access what = {}) {
    what.kind = vm::Access::Kind::atomic;
    if (what.order == ptx::Order::weak) what.order = ptx::Order::relaxed;
    if (what.scope == ptx::Scope::none) what.scope = ptx::Scope::gpu;
    access(line, warp, mask, address, what);
  }

  /// cp.async, or one step of cp.async.bulk: first its reads, then its writes.
  void copy(std::uint32_t line, ptx::Copy copy, vm::WarpId warp, std::uint32_t mask, const Addresses& from, ptx::Space from_space,
            const Addresses& to, ptx::Space to_space) {
    copies(line, copy);
    vm::Access what;
    what.space = from_space;
    load(line, warp, mask, from, what);
    what.space = to_space;
    store(line, warp, mask, to, what);
  }
  void commit(vm::WarpId warp, std::uint32_t mask, ptx::Copy copy = ptx::Copy::group) {
    synchronise({.site = {},
                 .warp = warp,
                 .kind = vm::Synchronisation::Kind::copies_begun,
                 .mask = mask,
                 .participants = {},
                 .copy = copy});
  }
  void wait(vm::WarpId warp, std::uint32_t mask, std::uint32_t groups, ptx::Copy copy = ptx::Copy::group,
            bool sources_only = false) {
    synchronise({.site = {},
                 .warp = warp,
                 .kind = vm::Synchronisation::Kind::copies_waited,
                 .mask = mask,
                 .participants = {},
                 .copy = copy,
                 .sources_only = sources_only,
                 .groups = groups});
  }

  void synchronise(vm::Synchronisation event) {
    event.site = at(99);
    observer()->on_synchronise(event);
  }
  void barrier(std::uint32_t block) {
    synchronise({.site = {}, .warp = {block, 0}, .kind = vm::Synchronisation::Kind::block, .participants = {}});
  }
  void syncwarp(vm::WarpId warp, std::uint32_t mask = all_lanes) {
    synchronise({.site = {}, .warp = warp, .kind = vm::Synchronisation::Kind::warp, .mask = mask, .participants = {}});
  }
  void fence(vm::WarpId warp, std::uint32_t mask = all_lanes, ptx::Scope scope = ptx::Scope::gpu) {
    synchronise(
        {.site = {}, .warp = warp, .kind = vm::Synchronisation::Kind::fence, .mask = mask, .scope = scope, .participants = {}});
  }
  void named_barrier(std::uint32_t block, const std::vector<std::uint32_t>& warps) {
    synchronise({.site = {},
                 .warp = {block, warps.back()},
                 .kind = vm::Synchronisation::Kind::partial_block,
                 .barrier = 1,
                 .participants = warps});
  }
  void branch(std::uint32_t line, vm::WarpId warp, std::uint32_t mask, std::uint32_t taken) {
    observer()->on_branch({.site = at(line), .warp = warp, .mask = mask, .taken = taken});
  }
  void end_block(std::uint32_t block) { observer()->on_block_end(block); }

  [[nodiscard]] LaunchReport report() {
    LaunchReport report;
    watch_.report_to(report);
    return report;
  }

  std::array<std::uint64_t, 32> values{};  // of the next accesses

 private:
  /// As the vm reports it: complete rows of eight lanes.
  [[nodiscard]] vm::Access::Rows rows_of(std::uint32_t mask, std::uint32_t bytes) const {
    bool side_by_side = true, same = true;
    for (unsigned lane = 0; lane < 32; ++lane) {
      const unsigned first = lane / 8 * 8;
      if ((mask >> lane & 1) != (mask >> first & 1)) return vm::Access::Rows::unknown;
      if (!(mask >> lane & 1)) continue;
      side_by_side &= addresses_[lane] == addresses_[first] + std::uint64_t{bytes} * (lane - first);
      same &= addresses_[lane] == addresses_[first];
    }
    return same ? vm::Access::Rows::same : side_by_side ? vm::Access::Rows::side_by_side : vm::Access::Rows::unknown;
  }

  ptx::Module module_;
  Watch watch_;
  std::array<std::uint64_t, 32> addresses_{};
};

/// The address of data[i] or tile[i], with 4 bytes: one element for all lanes, or consecutive ones from a first one.
inline Script::Addresses element(std::uint64_t index) {
  return [=](unsigned) { return Script::buffer_base + 4 * index; };
}
inline Script::Addresses elements_from(std::uint64_t index, std::uint64_t stride = 1) {
  return [=](unsigned lane) { return Script::buffer_base + 4 * (index + stride * lane); };
}
inline Script::Addresses word(std::uint64_t index) {
  return [=](unsigned) { return 4 * index; };
}
inline Script::Addresses words_from(std::uint64_t index, std::uint64_t stride = 1) {
  return [=](unsigned lane) { return 4 * (index + stride * lane); };
}
inline constexpr Observe race{.race = true, .trace = {}};

inline std::size_t races(Script& script) { return script.report().findings.size(); }

inline vm::Access shared_access() {
  vm::Access access;
  access.space = ptx::Space::shared;
  return access;
}

}  // namespace warpbook::gpu::watch
