// The expected figures follow from the limits in the CUDA C++ Programming Guide's table of technical specifications: a
// multiprocessor's warps, blocks, registers and shared memory, divided by what a block takes.
#include "gpu/occupancy.h"

#include <cuda_occupancy.h>
#include <gtest/gtest.h>

#include <climits>
#include <random>

#include "gpu/virtual/profiles.h"

namespace warpbook::gpu {
namespace {

DeviceInfo device(std::string_view name) { return device_info(*find_profile(name)); }

Occupancy of(std::string_view name, const OccupancyRequest& request) {
  const Result<Occupancy> o = occupancy(device(name), request);
  EXPECT_TRUE(o.has_value());
  return o.value_or(Occupancy{});
}

TEST(Occupancy, AFullMultiprocessorIsLimitedByThreads) {
  const Occupancy o = of("T4", {.threads_per_block = 256, .registers_per_thread = 32});
  EXPECT_EQ(o.blocks, 4);
  EXPECT_EQ(o.warps, 32);
  EXPECT_DOUBLE_EQ(o.fraction, 1);
  EXPECT_EQ(o.limiter, Limiter::threads);
}

TEST(Occupancy, SmallBlocksRunOutOfBlocks) {
  const Occupancy t4 = of("T4", {.threads_per_block = 32, .registers_per_thread = 16});
  EXPECT_EQ(t4.blocks, 16);
  EXPECT_DOUBLE_EQ(t4.fraction, 0.5);
  EXPECT_EQ(t4.limiter, Limiter::blocks);
  EXPECT_DOUBLE_EQ(of("A40", {.threads_per_block = 32, .registers_per_thread = 16}).fraction, 16.0 / 48);
  EXPECT_DOUBLE_EQ(of("GTX 850M", {.threads_per_block = 32, .registers_per_thread = 16}).fraction, 0.5);
}

// 72 registers × 32 lanes = 2304 a warp; a quarter of the multiprocessor has 16,384, so 7 warps; 28 in all: 3 blocks of 8.
TEST(Occupancy, RegistersLimit) {
  const Occupancy o = of("T4", {.threads_per_block = 256, .registers_per_thread = 72});
  EXPECT_EQ(o.blocks, 3);
  EXPECT_DOUBLE_EQ(o.fraction, 0.75);
  EXPECT_EQ(o.limiter, Limiter::registers);
  EXPECT_EQ(o.by_threads, 4);
  EXPECT_EQ(o.allocated_registers, 72 * 256);
}

TEST(Occupancy, SharedMemoryLimits) {
  const Occupancy t4 = of("T4", {.threads_per_block = 128, .registers_per_thread = 32, .static_shared_bytes = 20 * 1024});
  EXPECT_EQ(t4.blocks, 3);  // 64 KiB / 20 KiB
  EXPECT_EQ(t4.limiter, Limiter::shared_memory);
  // The driver keeps 1 KiB of every block's share from Ampere on: 228 / (48 + 1) = 4.
  const Occupancy h200 = of("H200", {.threads_per_block = 128, .registers_per_thread = 32, .static_shared_bytes = 48 * 1024});
  EXPECT_EQ(h200.blocks, 4);
  EXPECT_EQ(h200.allocated_shared_bytes, 49u * 1024);
}

// The largest block does not fill 48 warps: the well-known two thirds of compute capability 8.6.
TEST(Occupancy, AThousandThreadsFillTwoThirdsOfAnA40) {
  EXPECT_DOUBLE_EQ(of("A40", {.threads_per_block = 1024, .registers_per_thread = 32}).fraction, 32.0 / 48);
  EXPECT_DOUBLE_EQ(of("H200", {.threads_per_block = 1024, .registers_per_thread = 32}).fraction, 1);
}

TEST(Occupancy, WhatCannotRunHasNoBlocksAndAReason) {
  const Occupancy threads = of("T4", {.threads_per_block = 1025, .registers_per_thread = 16});
  EXPECT_EQ(threads.blocks, 0);
  EXPECT_EQ(threads.limiter, Limiter::threads);
  const Occupancy registers = of("T4", {.threads_per_block = 1024, .registers_per_thread = 128});
  EXPECT_EQ(registers.blocks, 0);
  EXPECT_EQ(registers.limiter, Limiter::registers);
  const Occupancy shared = of("A40", {.threads_per_block = 64, .registers_per_thread = 16, .dynamic_shared_bytes = 100 * 1024});
  EXPECT_EQ(shared.blocks, 0);
  EXPECT_EQ(shared.limiter, Limiter::shared_memory);
}

TEST(Occupancy, TheOptInLimitIsReached) {
  EXPECT_EQ(of("A40", {.threads_per_block = 64, .registers_per_thread = 16, .dynamic_shared_bytes = 99 * 1024}).blocks, 1);
  EXPECT_EQ(of("H200", {.threads_per_block = 64, .registers_per_thread = 16, .dynamic_shared_bytes = 227 * 1024}).blocks, 1);
  EXPECT_EQ(of("GTX 850M", {.threads_per_block = 64, .registers_per_thread = 16, .dynamic_shared_bytes = 49 * 1024}).blocks, 0);
}

TEST(Occupancy, PartlyEmptyWarpsAreCounted) {
  const Occupancy o = of("T4", {.threads_per_block = 48, .registers_per_thread = 16});
  EXPECT_DOUBLE_EQ(o.lanes_used, 0.75);
  EXPECT_EQ(o.warps, o.blocks * 2);
}

TEST(Occupancy, NonsenseIsRefusedInASentence) {
  const Result<Occupancy> none = occupancy(device("T4"), {.threads_per_block = 0});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, "invalid");
  DeviceInfo unknown = device("T4");
  unknown.compute_capability = 990;
  const Result<Occupancy> answer = occupancy(unknown, {});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, "unknown_device");
  EXPECT_NE(answer.error().message.find("99.0"), std::string::npos);
}

TEST(Occupancy, SuggestsALaunchThatFillsTheDevice) {
  const OccupancyRequest request{.registers_per_thread = 32};
  for (const Profile& profile : profiles()) {
    const DeviceInfo info = device_info(profile);
    const Result<SuggestedLaunch> launch = suggest_launch(info, request);
    ASSERT_TRUE(launch.has_value()) << profile.name;
    const Result<Occupancy> best = occupancy(info, {.threads_per_block = launch->threads_per_block, .registers_per_thread = 32});
    ASSERT_TRUE(best.has_value());
    EXPECT_EQ(launch->blocks, best->blocks * profile.multiprocessors) << profile.name;
    for (int threads = 32; threads <= 1024; threads += 32)
      EXPECT_LE(occupancy(info, {.threads_per_block = threads, .registers_per_thread = 32})->warps, best->warps)
          << profile.name << ' ' << threads;
  }
}

// The table's limit and the calculator's own must be the same figure.
TEST(Occupancy, ProfilesAgreeWithTheCalculatorOnBlocks) {
  for (const Profile& profile : profiles())
    EXPECT_EQ(of(profile.name, {.threads_per_block = 32, .registers_per_thread = 8}).by_blocks, profile.blocks_per_multiprocessor)
        << profile.name;
}

// The calculator itself, with the devices' limits as the Programming Guide's table and the tuning guides give them.
TEST(Occupancy, EqualsTheCalculatorsForAnyLaunch) {
  struct Limits {
    const char* profile;
    int major, minor, threads;
    std::size_t shared_per_block, shared_opt_in, shared, reserved;
  };
  constexpr std::size_t kib = 1024;
  constexpr Limits devices[] = {{"T4", 7, 5, 1024, 48 * kib, 64 * kib, 64 * kib, 0},
                                {"A40", 8, 6, 1536, 48 * kib, 99 * kib, 100 * kib, kib},
                                {"H200", 9, 0, 2048, 48 * kib, 227 * kib, 228 * kib, kib}};
  std::mt19937 random(20261122);
  const auto below = [&](int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); };
  for (int i = 0; i < 100; ++i) {
    const Limits& limits = devices[below(3)];
    cudaOccDeviceProp properties;
    properties.computeMajor = limits.major;
    properties.computeMinor = limits.minor;
    properties.maxThreadsPerBlock = 1024;
    properties.maxThreadsPerMultiprocessor = limits.threads;
    properties.regsPerBlock = properties.regsPerMultiprocessor = 65536;
    properties.warpSize = 32;
    properties.sharedMemPerBlock = limits.shared_per_block;
    properties.sharedMemPerBlockOptin = limits.shared_opt_in;
    properties.sharedMemPerMultiprocessor = limits.shared;
    properties.reservedSharedMemPerBlock = limits.reserved;
    properties.numSms = 1;
    const OccupancyRequest request{.threads_per_block = 1 + below(1024),
                                   .registers_per_thread = 16 + below(240),
                                   .static_shared_bytes = static_cast<std::size_t>(below(8192)),
                                   .dynamic_shared_bytes = static_cast<std::size_t>(below(50000))};
    cudaOccFuncAttributes kernel;
    kernel.maxThreadsPerBlock = 1024;
    kernel.numRegs = request.registers_per_thread;
    kernel.sharedSizeBytes = request.static_shared_bytes;
    kernel.maxDynamicSharedSizeBytes = request.dynamic_shared_bytes;
    kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    kernel.numBlockBarriers = 1;
    cudaOccResult expected{};
    const cudaOccDeviceState state;
    ASSERT_EQ(cudaOccMaxActiveBlocksPerMultiprocessor(&expected, &properties, &kernel, &state, request.threads_per_block,
                                                      request.dynamic_shared_bytes),
              CUDA_OCC_SUCCESS);
    EXPECT_EQ(of(limits.profile, request).blocks, expected.activeBlocksPerMultiprocessor)
        << limits.profile << ": " << request.threads_per_block << " threads, " << request.registers_per_thread << " registers, "
        << request.static_shared_bytes << " + " << request.dynamic_shared_bytes << " bytes";
  }
}

}  // namespace
}  // namespace warpbook::gpu
