#include "gpu/virtual/profiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <utility>

#include "gpu/attributes.h"

// Sources, by the marks used below:
//   T4P  Jia, Maggioni, Smith, Scarpazza: Dissecting the NVIDIA Turing T4 GPU via Microbenchmarking, arXiv:1903.07486
//   AMP  Abdelkhalik et al.: Demystifying the NVIDIA Ampere architecture, arXiv:2208.11174 (A100, PTX costs in its table 5)
//   HOP  Luo et al.: Benchmarking and dissecting the NVIDIA Hopper GPU architecture, arXiv:2402.13499 and 2501.12084
//   M25  Huerta et al., MICRO 2025 (modelling modern NVIDIA GPU cores)
//   AS   accel-sim/gpgpu-sim, configs/tested-cfgs
//   GB   te42kyfo/gpu-benches, raw results
//   KW   new-TonyWang/KernelWiki, hardware probes (H200, clocks unlocked)
//   VS   Vshiva27/cuda-transformer-performance, its documents (T4)
//   C&C  Chips and Cheese on Maxwell
//   CPG  CUDA C++ Programming Guide, arithmetic instruction throughput and technical specifications
//   TG   Ampere and Hopper tuning guides
//   DQ   deviceQuery listings (the GTX 850M's: every attribute as printed by PyCUDA)
//   PB   measured pinned copies: 12.2 GB/s on PCIe 3.0 x16 (mpicbg-scicomp/gearshifft #82), 25 GB/s on PCIe 4.0 x16
//        (ZaidQureshi/bam #54). PCIe 5.0 x16: twice PCIe 4.0 (inferred). Pageable copies: half of pinned up to a ceiling of
//        10 GB/s, which is what one host thread copies into the staging buffer (inferred).
// "inferred" marks arithmetic on those figures, or a figure taken from the nearest relative.

namespace warpbook::gpu {
namespace {

constexpr std::size_t KiB = 1024, MiB = 1024 * KiB, GiB = 1024 * MiB;

// PTX subroutines as measured on the A100: div.s32 and .u32 about 66 cycles, 64-bit about 420, sqrt.rn 190–235 (AMP table 5,
// AS). No figures for the other chips: inferred to be alike in cycles.
constexpr double divide32 = 66, divide64 = 420, square_root = 190;

constexpr Profile t4{
    .name = "T4",
    .full_name = "NVIDIA T4",
    .chip = "TU104",
    .note = "a 70 W data-centre card of 2018, still the usual free GPU of online notebooks",
    .compute_capability = 75,
    .multiprocessors = 40,           // DQ
    .warps_per_multiprocessor = 32,  // CPG
    .blocks_per_multiprocessor = 16,
    .shared_per_multiprocessor = 64 * KiB,  // of 96 KiB unified with the L1 (T4P)
    .shared_per_block = 48 * KiB,
    .shared_per_block_optin = 64 * KiB,
    .memory_bytes = 16 * GiB,
    .l2_bytes = 4 * MiB,          // T4P
    .l1_bytes = 64 * KiB,         // T4P: what the least share for shared memory, 32 KiB, leaves
    .unified_bytes = 96 * KiB,    // T4P
    .memory_bus_bits = 256,       // DQ
    .memory_channels = 16,        // GDDR6: 16 bits each
    .clock_mhz = 1590,            // DQ
    .sustained_clock_mhz = 1170,  // 1110–1222 when warm (T4P)
    .memory_clock_mhz = 5001,     // DQ
    .schedulers = 4,
    .issue_per_cycle = 1,
    .lanes = {.fp32 = 64, .int32 = 64, .fp64 = 2, .sfu = 16, .shuffle = 32, .load_store = 16},  // CPG
    .l1_bytes_per_cycle = 58.8,                                                                 // of 64 (T4P)
    .l2_gb_per_s = 1270,                                                                        // T4P table 3.1
    .memory_gb_per_s = 320,
    .memory_achieved_fraction = 0.82,  // vector addition of 2^26 float32 in 3.07 ms = 262 GB/s (VS); T4P 220, VS up to 278
    .launch_overhead_us = 2.7,         // VS
    .pcie_gb_per_s = 12.2,             // PCIe 3.0 x16 (PB)
    .pcie_pageable_gb_per_s = 6.1,
    .copy_engines = 3,          // DQ
    .latency = {.alu = 4,       // T4P 4.1
                .imad = 5,      // T4P 4.1
                .sfu = 15,      // T4P 4.1
                .fp64 = 48,     // 48–54 (T4P 4.1)
                .shuffle = 22,  // inferred: shared memory's way through the same pipe, without the array
                .divide32 = divide32,
                .divide64 = divide64,
                .square_root = square_root,
                .shared = 19,    // T4P
                .l1 = 32,        // T4P
                .l2 = 188,       // T4P
                .dram = 434,     // T4P
                .barrier = 20},  // inferred from the H200's series (KW) by the ratio of the shared latencies
    .pass_cycles = 2,            // fitted: products of matrices with rows along x, 128² to 1024² (VS); T4P's shared atomics agree
    .shared_load = {.first = 19, .each_further = 2},      // 2 cycles a way measured on the H200 (KW); inferred here
    .shared_atomic = {.first = 8, .each_further = 2},     // 8/10/14/22/37/69 for 1/2/4/8/16/32 lanes (T4P 4.2)
    .global_atomic = {.first = 76, .each_further = 1.3},  // 76/72/73/81/97/116 for 1/2/4/8/16/32 lanes (T4P 4.2)
    .global_atomic_throughput = 3.5,                      // inferred from the H200 (KW)
};

// Not a device that was ever built: two of the T4's multiprocessors with their share of its memory system, so that a handful
// of blocks fills it and a learner sees blocks queue.
constexpr Profile teaching = [] {
  Profile p = t4;
  p.name = "Teaching";
  p.full_name = "Teaching GPU";
  p.chip = "2 of TU104's 40 multiprocessors";
  p.note = "two multiprocessors of a T4 with their share of its memory, small enough to watch blocks queue";
  p.real = false;
  p.multiprocessors = 2;
  p.memory_bytes = 1 * GiB;
  p.l2_bytes = 256 * KiB;  // 2/40 of 4 MiB, rounded up to a power of two
  p.memory_bus_bits = 16;  // 256 × 2/40 = 12.8, rounded up to whole bytes
  p.memory_channels = 1;
  p.memory_gb_per_s = 20;  // at the T4's memory clock
  p.l2_gb_per_s = t4.l2_gb_per_s * 2 / 40;
  return p;
}();

constexpr Profile gtx850m{
    .name = "GTX 850M",
    .full_name = "GeForce GTX 850M",
    .chip = "GM107",
    .note = "a laptop GPU of 2014 with slow DDR3 memory",
    .compute_capability = 50,
    .multiprocessors = 5,                   // DQ
    .warps_per_multiprocessor = 64,         // DQ: 2048 threads
    .blocks_per_multiprocessor = 32,        // CPG
    .shared_per_multiprocessor = 64 * KiB,  // DQ
    .shared_per_block = 48 * KiB,           // DQ
    .shared_per_block_optin = 48 * KiB,     // no opt-in before Volta
    .memory_bytes = 2004 * MiB,             // DQ
    .l2_bytes = 2 * MiB,                    // DQ
    .l1_bytes = 24 * KiB,                   // T4P, M60: with the texture cache; only what is read-only goes through it
    .memory_bus_bits = 128,                 // DQ
    .memory_channels = 2,                   // DDR3: 64 bits each
    .clock_mhz = 901.5,                     // DQ
    .sustained_clock_mhz = 901.5,
    .memory_clock_mhz = 1001,  // DQ
    .schedulers = 4,
    .issue_per_cycle = 1.1,  // dual issue of 5–15 % of instructions (C&C)
    .lanes = {.fp32 = 128, .int32 = 128, .fp64 = 4, .sfu = 32, .shuffle = 32, .load_store = 32},  // CPG
    .l1_caches_global = false,                                                                    // DQ: GLOBAL_L1_CACHE_SUPPORTED 0
    .l1_bytes_per_cycle = 64,                                                                     // 16–64 (T4P on the M60, C&C)
    .l2_gb_per_s = 107,                // inferred: the M60's 446 GB/s (T4P table 3.1) by multiprocessors and clock
    .memory_gb_per_s = 32,             // 2 × 1001 MHz × 128 bits (DQ)
    .memory_achieved_fraction = 0.79,  // C&C on Maxwell
    .launch_overhead_us = 5,           // inferred: older driver model, twice the T4's
    .pcie_gb_per_s = 6.1,              // inferred: laptops wire 8 of the 16 lanes (PB, halved)
    .pcie_pageable_gb_per_s = 3,
    .copy_engines = 1,          // DQ
    .latency = {.alu = 6,       // T4P 4.1, Pascal
                .imad = 86,     // T4P 4.1, Pascal: three dependent XMADs and more
                .sfu = 14,      // T4P 4.1, Pascal
                .fp64 = 48,     // inferred: as the T4, which has as few fp64 lanes
                .shuffle = 26,  // inferred as on the T4
                .divide32 = divide32,
                .divide64 = divide64,
                .square_root = square_root,
                .shared = 23,                             // T4P, M60
                .l1 = 82,                                 // T4P, M60
                .l2 = 207,                                // T4P, M60
                .dram = 453,                              // inferred: L2 plus the T4's way from L2 to DRAM
                .barrier = 24},                           // inferred as on the T4
    .shared_load = {.first = 23, .each_further = 2},      // inferred
    .shared_atomic = {.first = 17, .each_further = 2},    // 17/19/25/31/47/79 (T4P 4.2, M60)
    .global_atomic = {.first = 24, .each_further = 0.7},  // 24/26/41/41/46/46 (T4P 4.2, M60)
    .global_atomic_throughput = 3.5,                      // inferred from the H200 (KW)
};

constexpr Profile a40{
    .name = "A40",
    .full_name = "NVIDIA A40",
    .chip = "GA102",
    .note = "a workstation-class data-centre card of 2020",
    .compute_capability = 86,
    .multiprocessors = 84,           // DQ
    .warps_per_multiprocessor = 48,  // TG
    .blocks_per_multiprocessor = 16,
    .shared_per_multiprocessor = 100 * KiB,  // TG
    .shared_per_block = 48 * KiB,
    .shared_per_block_optin = 99 * KiB,    // TG, DQ
    .reserved_shared_per_block = 1 * KiB,  // TG
    .memory_bytes = 48 * GiB,
    .l2_bytes = 6 * MiB,
    .l1_bytes = 128 * KiB,  // TG
    .unified_bytes = 128 * KiB,
    .memory_bus_bits = 384,
    .memory_channels = 24,        // GDDR6: 16 bits each
    .clock_mhz = 1740,            // DQ
    .sustained_clock_mhz = 1680,  // 1635–1725 loaded (GB)
    .memory_clock_mhz = 7251,
    .schedulers = 4,
    .issue_per_cycle = 1,
    .lanes = {.fp32 = 128, .int32 = 64, .fp64 = 2, .sfu = 16, .shuffle = 32, .load_store = 16},  // CPG
    .l1_bytes_per_cycle = 64,                                                                    // GB
    .l2_gb_per_s = 2300,                                                                         // GB
    .memory_gb_per_s = 696,
    .memory_achieved_fraction = 0.96,  // 655–679 GB/s (GB)
    .launch_overhead_us = 2.1,         // GB
    .pcie_gb_per_s = 25,               // PCIe 4.0 x16 (PB)
    .pcie_pageable_gb_per_s = 10,
    .copy_engines = 2,          // DQ of the RTX A6000, which has the same chip
    .latency = {.alu = 4,       // AMP, A100
                .imad = 4,      // AMP, A100
                .sfu = 18,      // inferred: between the T4's 15 and the H100's 23
                .fp64 = 48,     // inferred: as the T4, which has as few fp64 lanes
                .shuffle = 24,  // inferred: as shared memory
                .divide32 = divide32,
                .divide64 = divide64,
                .square_root = square_root,
                .shared = 26,                             // 24–29 (M25)
                .l1 = 35,                                 // 32–39 (M25)
                .l2 = 187,                                // AS
                .dram = 441,                              // inferred: L2's 187 and DRAM's 254 (AS), which follow one another
                .barrier = 28},                           // inferred as on the T4
    .shared_load = {.first = 26, .each_further = 2},      // inferred; stride 32 costs 32 requests (GB)
    .shared_atomic = {.first = 8, .each_further = 2},     // inferred: as the T4
    .global_atomic = {.first = 76, .each_further = 1.3},  // inferred: as the T4
    .global_atomic_throughput = 3.5,                      // inferred from the H200 (KW)
};

constexpr Profile h200{
    .name = "H200",
    .full_name = "NVIDIA H200",
    .chip = "GH100",
    .note = "a data-centre accelerator of 2024 with very fast HBM3e memory",
    .compute_capability = 90,
    .multiprocessors = 132,          // GB, KW
    .warps_per_multiprocessor = 64,  // TG
    .blocks_per_multiprocessor = 32,
    .shared_per_multiprocessor = 228 * KiB,  // TG
    .shared_per_block = 48 * KiB,
    .shared_per_block_optin = 227 * KiB,
    .reserved_shared_per_block = 1 * KiB,
    .memory_bytes = 141'000'000'000,
    .l2_bytes = 50 * MiB,   // 50–60 MB (GB)
    .l1_bytes = 256 * KiB,  // TG
    .unified_bytes = 256 * KiB,
    .memory_bus_bits = 6144,
    .memory_channels = 96,  // HBM3e: 64 bits each
    .clock_mhz = 1980,      // GB, KW
    .sustained_clock_mhz = 1980,
    .memory_clock_mhz = 3125,  // inferred: 4,800 GB/s over 6144 bits
    .schedulers = 4,
    .issue_per_cycle = 1,
    .lanes = {.fp32 = 128, .int32 = 64, .fp64 = 64, .sfu = 16, .shuffle = 32, .load_store = 32},  // CPG
    .l1_bytes_per_cycle = 128,                                                                    // GB, strides
    .l2_gb_per_s = 9700,                                                                          // to 34 MB (GB)
    .memory_gb_per_s = 4800,
    .memory_achieved_fraction = 0.85,  // 3,890 read, about 4,300 copied (GB)
    .launch_overhead_us = 1.6,         // 1.5–1.75 (KW)
    .pcie_gb_per_s = 50,               // PCIe 5.0 x16 (PB, inferred)
    .pcie_pageable_gb_per_s = 10,
    .copy_engines = 3,          // DQ of the A100 (inferred)
    .latency = {.alu = 4,       // AS, H100
                .imad = 4,      // inferred: as the A100 (AMP)
                .sfu = 23,      // AS, H100
                .fp64 = 8,      // AS, H100
                .shuffle = 24,  // inferred: as shared memory, without the array
                .divide32 = divide32,
                .divide64 = divide64,
                .square_root = square_root,
                .shared = 29,    // HOP
                .l1 = 41,        // HOP
                .l2 = 263,       // HOP; 414 from the far partition
                .dram = 650,     // GB; 479 (HOP)
                .barrier = 50},  // 32/36/44/62 ns at 128/256/512/1024 threads (KW), less the arrival of the warps
    .shared_load = {.first = 30, .each_further = 1.97},   // free 30, 2-way 31, 32-way 91 (KW)
    .shared_atomic = {.first = 8, .each_further = 2},     // inferred: as the T4
    .global_atomic = {.first = 76, .each_further = 1.3},  // inferred: as the T4
    .global_atomic_throughput = 3.5,                      // KW
};

constexpr std::array<Profile, 5> table{teaching, gtx850m, t4, a40, h200};
constexpr std::string_view default_profile = "T4";

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

std::vector<Attribute> attributes(const Profile& p) {
  const auto count = [](auto value) { return static_cast<std::int64_t>(value); };
  const auto khz = [](double mhz) { return static_cast<std::int64_t>(std::llround(mhz * 1000)); };
  return {
      described("major", p.compute_capability / 10),
      described("minor", p.compute_capability % 10),
      described("multiProcessorCount", p.multiprocessors),
      described("warpSize", 32),
      described("clockRate", khz(p.clock_mhz)),
      described("maxThreadsPerBlock", 1024),
      described("maxThreadsDim.x", 1024),
      described("maxThreadsDim.y", 1024),
      described("maxThreadsDim.z", 64),
      described("maxGridSize.x", 2147483647),
      described("maxGridSize.y", 65535),
      described("maxGridSize.z", 65535),
      described("maxThreadsPerMultiProcessor", p.warps_per_multiprocessor * 32),
      described("maxBlocksPerMultiProcessor", p.blocks_per_multiprocessor),
      described("regsPerBlock", p.registers_per_block),
      described("regsPerMultiprocessor", p.registers_per_multiprocessor),
      described("sharedMemPerBlock", count(p.shared_per_block)),
      described("sharedMemPerBlockOptin", count(p.shared_per_block_optin)),
      described("sharedMemPerMultiprocessor", count(p.shared_per_multiprocessor)),
      described("reservedSharedMemPerBlock", count(p.reserved_shared_per_block)),
      described("totalConstMem", 65536),
      described("totalGlobalMem", count(p.memory_bytes)),
      described("asyncEngineCount", p.copy_engines),
      described("l2CacheSize", count(p.l2_bytes)),
      described("globalL1CacheSupported", p.l1_caches_global ? 1 : 0),
      described("memoryClockRate", khz(p.memory_clock_mhz)),
      described("memoryBusWidth", p.memory_bus_bits),
  };
}

}  // namespace

std::span<const Profile> profiles() { return table; }

const Profile* find_profile(std::string_view name) {
  if (name.empty()) name = default_profile;
  for (const Profile& profile : table)
    if (same_word(profile.name, name)) return &profile;
  return nullptr;
}

DeviceInfo device_info(const Profile& profile) {
  DeviceInfo info;
  info.id = "virtual";
  info.name = fmt::format("Virtual GPU · {} profile", profile.name);
  info.is_model = true;
  info.compute_capability = profile.compute_capability;
  info.multiprocessors = profile.multiprocessors;
  info.clock_mhz = profile.clock_mhz;
  info.warps_per_multiprocessor = profile.warps_per_multiprocessor;
  info.blocks_per_multiprocessor = profile.blocks_per_multiprocessor;
  info.registers_per_multiprocessor = profile.registers_per_multiprocessor;
  info.shared_per_block = profile.shared_per_block;
  info.shared_per_block_optin = profile.shared_per_block_optin;
  info.shared_per_multiprocessor = profile.shared_per_multiprocessor;
  info.memory_gb_per_s = profile.memory_gb_per_s;
  info.launch_overhead_us = profile.launch_overhead_us;
  info.pcie_gb_per_s = profile.pcie_gb_per_s;
  info.pcie_pageable_gb_per_s = profile.pcie_pageable_gb_per_s;
  info.copy_engines = profile.copy_engines;
  info.attributes = attributes(profile);
  return info;
}

}  // namespace warpbook::gpu
