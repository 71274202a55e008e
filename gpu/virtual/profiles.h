// Profiles: the one table of device figures behind the virtual GPU, each figure with its source (profiles.cpp).
//
//     const Profile* profile = find_profile("T4");             // nullptr: no such profile
//     DeviceInfo info = device_info(*profile);                  // limits and attributes, for launches and `devices`
//     double cycles = profile->latency.dram;                    // for the clock schedule
//
// Three kinds of figures, never mixed up:
//   limits    are exact: launches are checked against them;
//   rates     are exact or measured by others: lanes, GB/s, clocks;
//   latencies are measured by others on that chip, or, where the table says "inferred", taken from its nearest relative.
// Everything that is computed from rates and latencies is a MODEL and must be shown as one.
//
// Units: cycles of the multiprocessor's clock, bytes, GB/s = 1e9 bytes a second, microseconds.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "gpu/device.h"

namespace warpbook::gpu {

/// Cost of lanes that meet at one place: `first` cycles for an access without conflict, `each_further` for every further
/// lane that addresses the same word (atomics) or another word of the same bank (shared memory).
struct ConflictCost {
  double first = 0, each_further = 0;

  [[nodiscard]] double of(unsigned ways) const { return ways == 0 ? 0 : first + each_further * (ways - 1); }
};

/// Cycles from issue until a dependent instruction may issue.
struct Latencies {
  double alu = 4;    // add, logic, compare, select, move; float32 add, multiply, fma
  double imad = 5;   // 32-bit integer multiply(-add)
  double sfu = 15;   // .approx: sin, cos, ex2, lg2, rcp, rsqrt, sqrt; also integer ↔ float conversions
  double fp64 = 48;  // float64 add, multiply, fma
  double shuffle = 22;
  // What PTX calls one instruction and hardware runs as a subroutine.
  double divide32 = 66, divide64 = 420, square_root = 190;
  double shared = 19, l1 = 32, l2 = 188, dram = 434;  // a load's, from issue to value
  double barrier = 20;                                // from the last arrival of a block's warps to the first one's next issue
  // Both fitted, see docs/clock-model.md: the first to the H200, the second to the A40 and the H200 (GB); taken for all devices.
  double dispatch = 1.2;     // the device begins a block every so many cycles
  double block_start = 330;  // from a block's end to the first instruction of the one that takes its place
};

/// How many of a warp's 32 lanes each unit of one multiprocessor accepts per cycle, all its schedulers together.
struct Lanes {
  int fp32 = 64, int32 = 64, fp64 = 2, sfu = 16, shuffle = 32, load_store = 16;
};

struct Profile {
  std::string_view name;       // "T4": what --profile and find_profile take
  std::string_view full_name;  // "NVIDIA T4"
  std::string_view chip;       // "TU104"
  std::string_view note;       // one sentence: what kind of device this is
  bool real = true;            // false: no such device can be bought

  // Limits.
  int compute_capability = 75;
  int multiprocessors = 0;
  int warps_per_multiprocessor = 32, blocks_per_multiprocessor = 16;
  int registers_per_multiprocessor = 65536, registers_per_block = 65536;
  std::size_t shared_per_multiprocessor = 65536, shared_per_block = 49152, shared_per_block_optin = 65536;
  std::size_t reserved_shared_per_block = 0;  // kept by the driver; counts against occupancy, not against the kernel
  std::size_t memory_bytes = 0, l2_bytes = 0;
  std::size_t l1_bytes = 0;       // a multiprocessor's, at most
  std::size_t unified_bytes = 0;  // the array that the L1 shares with shared memory; 0: they are two
  int memory_bus_bits = 0, memory_channels = 1;

  // Rates.
  double clock_mhz = 0;            // the maximum: what deviceQuery shows
  double sustained_clock_mhz = 0;  // under continuous load
  double memory_clock_mhz = 0;     // memory_gb_per_s = 2 × clock × bus / 8
  int schedulers = 4;              // a multiprocessor's; warp w belongs to scheduler w mod schedulers
  double issue_per_cycle = 1;      // warp-instructions, a scheduler
  Lanes lanes;
  bool l1_caches_global = true;    // false: global loads go to the L2 at once
  double l1_bytes_per_cycle = 64;  // a multiprocessor's; a 128-byte line takes two cycles
  double shared_bytes_per_cycle = 128;
  double l2_gb_per_s = 0;
  double memory_gb_per_s = 0;           // peak
  double memory_achieved_fraction = 1;  // of the peak, by a streaming kernel
  double launch_overhead_us = 2.5;      // host call to first instruction
  double pcie_gb_per_s = 0;             // pinned host memory ↔ device, achieved
  double pcie_pageable_gb_per_s = 0;    // through the driver's staging buffer
  double pcie_latency_us = 8;           // a copy's fixed cost
  int copy_engines = 2;                 // copies that can go on beside a kernel

  // Latencies.
  Latencies latency;
  double pass_cycles = 1;                 // of the load/store unit, for each of the passes that lanes of one bank need
  ConflictCost shared_load;               // by bank conflict ways
  ConflictCost shared_atomic;             // by lanes with the same address
  ConflictCost global_atomic;             // latency seen by the warp, by lanes with the same address
  double global_atomic_throughput = 3.5;  // cycles the L2 needs for each further atomic to one address, from all warps

  /// Cycles for which a scheduler's unit is busy with one warp-instruction: 32 lanes over its share of the unit.
  [[nodiscard]] double issue_cycles(int unit_lanes) const { return 32.0 * schedulers / unit_lanes; }
};

/// "Teaching", "GTX 850M", "T4", "A40", "H200". "T4" is the default.
[[nodiscard]] std::span<const Profile> profiles();

/// By name, whatever the case; empty: the default. nullptr: no such profile.
[[nodiscard]] const Profile* find_profile(std::string_view name);

/// The device contract's view of a profile: id "virtual", name "Virtual GPU · T4 profile".
[[nodiscard]] DeviceInfo device_info(const Profile& profile);

}  // namespace warpbook::gpu
