// The expected figures follow from the limits in the CUDA C++ Programming Guide's table of technical specifications: a
// multiprocessor's warps, blocks, registers and shared memory, divided by what a block takes. Where the CUDA Toolkit is installed,
// its own calculator is the oracle of every figure for every compute capability.
#include "gpu/occupancy.h"

#if __has_include(<cuda_occupancy.h>)
#  include <cuda_occupancy.h>
#  define WARPBOOK_HAS_CALCULATOR 1
#endif
#include <gtest/gtest.h>

#include <array>
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

/// The guide's table of technical specifications, with what the tuning guides say of the opt-in and of what the driver keeps.
struct Limits {
  int capability, threads, blocks, registers, registers_per_block;  // of a multiprocessor; of a block
  std::size_t shared, opt_in, reserved;
};
constexpr std::size_t kib = 1024;
constexpr Limits published[] = {
    {50, 2048, 32, 65536, 65536, 64 * kib, 48 * kib, 0},      {52, 2048, 32, 65536, 65536, 96 * kib, 48 * kib, 0},
    {53, 2048, 32, 65536, 32768, 64 * kib, 48 * kib, 0},      {60, 2048, 32, 65536, 65536, 64 * kib, 48 * kib, 0},
    {61, 2048, 32, 65536, 65536, 96 * kib, 48 * kib, 0},      {62, 2048, 32, 65536, 32768, 64 * kib, 48 * kib, 0},
    {70, 2048, 32, 65536, 65536, 96 * kib, 96 * kib, 0},      {72, 2048, 32, 65536, 65536, 96 * kib, 96 * kib, 0},
    {75, 1024, 16, 65536, 65536, 64 * kib, 64 * kib, 0},      {80, 2048, 32, 65536, 65536, 164 * kib, 163 * kib, kib},
    {86, 1536, 16, 65536, 65536, 100 * kib, 99 * kib, kib},   {87, 1536, 16, 65536, 65536, 164 * kib, 163 * kib, kib},
    {88, 1536, 16, 65536, 65536, 100 * kib, 99 * kib, kib},   {89, 1536, 24, 65536, 65536, 100 * kib, 99 * kib, kib},
    {90, 2048, 32, 65536, 65536, 228 * kib, 227 * kib, kib},  {100, 2048, 32, 65536, 65536, 228 * kib, 227 * kib, kib},
    {101, 1536, 24, 65536, 65536, 228 * kib, 227 * kib, kib}, {103, 2048, 32, 65536, 65536, 228 * kib, 227 * kib, kib},
    {110, 1536, 24, 65536, 65536, 228 * kib, 227 * kib, kib}, {120, 1536, 24, 65536, 65536, 100 * kib, 99 * kib, kib},
    {121, 1536, 24, 65536, 65536, 100 * kib, 99 * kib, kib},
};

DeviceInfo device_of(const Limits& limits) {
  DeviceInfo info = device("T4");
  info.name = "a GPU";
  info.compute_capability = limits.capability;
  info.warps_per_multiprocessor = limits.threads / 32;
  info.blocks_per_multiprocessor = limits.blocks;
  info.registers_per_multiprocessor = limits.registers;
  info.shared_per_block = 48 * kib;
  info.shared_per_block_optin = limits.opt_in;
  info.shared_per_multiprocessor = limits.shared;
  for (Attribute& a : info.attributes) {
    if (a.name == "regsPerBlock") a.value = limits.registers_per_block;
    if (a.name == "reservedSharedMemPerBlock") a.value = static_cast<std::int64_t>(limits.reserved);
  }
  return info;
}

TEST(Occupancy, EveryPublishedCapabilityHoldsAsManySmallBlocksAsTheGuideSays) {
  for (const Limits& limits : published) {
    const Result<Occupancy> o = occupancy(device_of(limits), {.threads_per_block = 32, .registers_per_thread = 8});
    ASSERT_TRUE(o) << limits.capability;
    EXPECT_EQ(o->by_blocks, limits.blocks) << limits.capability;
    EXPECT_EQ(o->max_warps, limits.threads / 32) << limits.capability;
  }
}

// 96 registers × 32 lanes = 3072 a warp. A quarter of the registers is 16,384: 5 warps, 20 in all. Compute capability 6.0 has two
// halves of 32,768: 10 warps each. 200 registers are 6400 a warp: 2 in a quarter, 5 in a half.
TEST(Occupancy, AWarpsRegistersLieInOneFile) {
  const auto warps = [](int capability, int registers) {
    for (const Limits& limits : published)
      if (limits.capability == capability)
        return occupancy(device_of(limits), {.threads_per_block = 32, .registers_per_thread = registers})->by_registers;
    return -1;
  };
  EXPECT_EQ(warps(86, 96), 20);
  EXPECT_EQ(warps(60, 96), 20);
  EXPECT_EQ(warps(61, 200), 8);
  EXPECT_EQ(warps(60, 200), 10);
}

#ifdef WARPBOOK_HAS_CALCULATOR

cudaOccDeviceProp properties_of(const Limits& limits) {
  cudaOccDeviceProp properties;
  properties.computeMajor = limits.capability / 10;
  properties.computeMinor = limits.capability % 10;
  properties.maxThreadsPerBlock = 1024;
  properties.maxThreadsPerMultiprocessor = limits.threads;
  properties.regsPerBlock = limits.registers_per_block;
  properties.regsPerMultiprocessor = limits.registers;
  properties.warpSize = 32;
  properties.sharedMemPerBlock = 48 * kib;
  properties.sharedMemPerBlockOptin = limits.opt_in;
  properties.sharedMemPerMultiprocessor = limits.shared;
  properties.reservedSharedMemPerBlock = limits.reserved;
  properties.numSms = 40;  // a T4's
  return properties;
}

cudaOccFuncAttributes kernel_of(const OccupancyRequest& request) {
  cudaOccFuncAttributes kernel;
  kernel.maxThreadsPerBlock = INT_MAX;
  kernel.numRegs = request.registers_per_thread;
  kernel.sharedSizeBytes = request.static_shared_bytes;
  kernel.maxDynamicSharedSizeBytes = request.dynamic_shared_bytes;
  kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  kernel.numBlockBarriers = 1;
  return kernel;
}

/// The first in our order of those that the calculator says.
Limiter limiter_of(const cudaOccResult& result) {
  constexpr std::array<unsigned, 4> factors{OCC_LIMIT_WARPS, OCC_LIMIT_REGISTERS, OCC_LIMIT_SHARED_MEMORY, OCC_LIMIT_BLOCKS};
  std::size_t i = 0;
  while (i < 3 && (result.limitingFactors & factors[i]) == 0) ++i;
  return static_cast<Limiter>(i);
}

/// Whether all was equal; tells the first that was not.
bool equals_the_calculator(const Limits& limits, const OccupancyRequest& request) {
  const cudaOccDeviceProp properties = properties_of(limits);
  const cudaOccFuncAttributes kernel = kernel_of(request);
  const cudaOccDeviceState state;
  cudaOccResult expected{};
  const cudaOccError error = cudaOccMaxActiveBlocksPerMultiprocessor(&expected, &properties, &kernel, &state,
                                                                     request.threads_per_block, request.dynamic_shared_bytes);
  const Result<Occupancy> o = occupancy(device_of(limits), request);
  if (error == CUDA_OCC_ERROR_UNKNOWN_DEVICE) return true;  // an older toolkit
  if (error != CUDA_OCC_SUCCESS || !o) {
    EXPECT_EQ(error, CUDA_OCC_ERROR_INVALID_INPUT);
    EXPECT_TRUE(!o && o.error().code == "invalid");
  } else {
    const int warps = expected.activeBlocksPerMultiprocessor * ((request.threads_per_block + 31) / 32);
    EXPECT_EQ(o->blocks, expected.activeBlocksPerMultiprocessor);
    EXPECT_EQ(o->warps, warps);
    EXPECT_EQ(o->max_warps, limits.threads / 32);
    EXPECT_DOUBLE_EQ(o->fraction, warps / (limits.threads / 32.0));
    EXPECT_EQ(name_of(o->limiter), name_of(limiter_of(expected)));
    EXPECT_EQ(o->by_threads, expected.blockLimitWarps);
    EXPECT_EQ(o->by_registers, expected.blockLimitRegs);
    EXPECT_EQ(o->by_shared_memory, expected.blockLimitSharedMem);
    EXPECT_EQ(o->by_blocks, expected.blockLimitBlocks);
    EXPECT_EQ(o->allocated_shared_bytes, expected.allocatedSharedMemPerBlock);
    EXPECT_EQ(o->allocated_registers, expected.allocatedRegistersPerBlock);
  }
  if (!testing::Test::HasFailure()) return true;
  ADD_FAILURE() << "compute capability " << limits.capability << ": " << request.threads_per_block << " threads, "
                << request.registers_per_thread << " registers, " << request.static_shared_bytes << " + "
                << request.dynamic_shared_bytes << " bytes";
  return false;
}

TEST(Occupancy, EqualsTheCalculatorsForAnyLaunch) {
  std::mt19937 random(20261122);
  const auto below = [&](int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); };
  for (const Limits& limits : published) {
    // Each resource alone, over its whole range and one step beyond; 0 and less are nonsense for both.
    for (int threads = -1; threads <= 1056; ++threads)
      if (!equals_the_calculator(limits, {.threads_per_block = threads, .registers_per_thread = 16})) return;
    for (int registers = -1; registers <= 260; ++registers)
      for (const int threads : {1, 32, 160, 256, 1024})
        if (!equals_the_calculator(limits, {.threads_per_block = threads, .registers_per_thread = registers})) return;
    for (std::size_t bytes = 0; bytes <= limits.shared + 2 * kib; bytes += 61)
      if (!equals_the_calculator(
              limits, {.threads_per_block = 64, .static_shared_bytes = bytes / 3, .dynamic_shared_bytes = bytes - bytes / 3}))
        return;
    for (int i = 0; i < 1000; ++i)
      if (!equals_the_calculator(limits, {.threads_per_block = 1 + below(1024),
                                          .registers_per_thread = below(256),
                                          .static_shared_bytes = static_cast<std::size_t>(below(40000)),
                                          .dynamic_shared_bytes = static_cast<std::size_t>(below(40000))}))
        return;
  }
}

TEST(Occupancy, SuggestsWhatTheCalculatorSuggests) {
  for (const Limits& limits : published)
    for (int registers = 0; registers <= 256; registers += 4)
      for (const std::size_t bytes : {std::size_t{0}, 5 * kib, 40 * kib, 60 * kib, 300 * kib}) {
        const OccupancyRequest request{.registers_per_thread = registers, .dynamic_shared_bytes = bytes};
        const cudaOccDeviceProp properties = properties_of(limits);
        const cudaOccFuncAttributes kernel = kernel_of(request);
        const cudaOccDeviceState state;
        SuggestedLaunch expected;
        if (cudaOccMaxPotentialOccupancyBlockSize(&expected.blocks, &expected.threads_per_block, &properties, &kernel, &state,
                                                  bytes) == CUDA_OCC_ERROR_UNKNOWN_DEVICE)
          continue;
        const Result<SuggestedLaunch> launch = suggest_launch(device_of(limits), request);
        ASSERT_TRUE(launch) << limits.capability;
        ASSERT_EQ(launch->blocks, expected.blocks) << limits.capability << ' ' << registers << ' ' << bytes;
        ASSERT_EQ(launch->threads_per_block, expected.threads_per_block) << limits.capability << ' ' << registers << ' ' << bytes;
      }
}

// A capability of which nothing is published is refused, whatever the calculator makes of its neighbours; one that the calculator
// knows by itself must not be missing here.
TEST(Occupancy, KnowsWhatTheCalculatorKnows) {
  for (int capability = 50; capability < 140; ++capability) {
    Limits limits = published[0];
    for (const Limits& known : published)
      if (known.capability <= capability) limits = known;
    const bool listed = limits.capability == capability;
    limits.capability = capability;
    const cudaOccDeviceProp properties = properties_of(limits);
    const cudaOccFuncAttributes kernel = kernel_of({});
    const cudaOccDeviceState state;
    cudaOccResult unused{};
    const bool refused = cudaOccMaxActiveBlocksPerMultiprocessor(&unused, &properties, &kernel, &state, 128, 0) != CUDA_OCC_SUCCESS;
    EXPECT_EQ(occupancy(device_of(limits), {}).has_value(), listed) << capability;
    // From 10.0 on the calculator names the minor numbers that it knows, of 11 those of 10 again.
    const bool named = capability >= 100 && capability != 111 && capability != 113 && !refused;
    EXPECT_TRUE(listed || !named) << capability;
  }
}

#else

TEST(Occupancy, EqualsTheCalculatorsForAnyLaunch) {
  GTEST_SKIP() << "The CUDA Toolkit's calculator, cuda_occupancy.h, was not there when this was built; the published figures were "
                  "compared all the same.";
}

#endif

}  // namespace
}  // namespace warpbook::gpu
