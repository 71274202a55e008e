#include "gpu/virtual/profiles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace warpbook::gpu {
namespace {

std::int64_t value_of(const DeviceInfo& info, std::string_view name) {
  const auto found =
      std::find_if(info.attributes.begin(), info.attributes.end(), [&](const Attribute& a) { return a.name == name; });
  EXPECT_NE(found, info.attributes.end()) << name;
  return found == info.attributes.end() ? -1 : found->value;
}

TEST(Profiles, AreFoundByNameInAnyCase) {
  for (const char* name : {"Teaching", "GTX 850M", "T4", "A40", "H200"}) ASSERT_NE(find_profile(name), nullptr) << name;
  EXPECT_EQ(find_profile("gtx 850m")->name, "GTX 850M");
  EXPECT_EQ(find_profile("")->name, "T4");
  EXPECT_EQ(find_profile("T5"), nullptr);
}

TEST(Profiles, PeakBandwidthIsClockTimesBus) {
  for (const Profile& p : profiles())
    EXPECT_NEAR(p.memory_gb_per_s, 2 * p.memory_clock_mhz * 1e6 * p.memory_bus_bits / 8 / 1e9, 0.01 * p.memory_gb_per_s) << p.name;
}

TEST(Profiles, MemoryFurtherAwayTakesLonger) {
  for (const Profile& p : profiles()) {
    EXPECT_LT(p.latency.alu, p.latency.shared) << p.name;
    EXPECT_LT(p.latency.shared, p.latency.l1) << p.name;
    EXPECT_LT(p.latency.l1, p.latency.l2) << p.name;
    EXPECT_LT(p.latency.l2, p.latency.dram) << p.name;
    EXPECT_LT(p.pcie_gb_per_s, p.memory_gb_per_s) << p.name;
    EXPECT_LE(p.pcie_pageable_gb_per_s, p.pcie_gb_per_s) << p.name;
    EXPECT_GT(p.memory_achieved_fraction, 0.5) << p.name;
    EXPECT_LE(p.memory_achieved_fraction, 1) << p.name;
    EXPECT_LE(p.shared_per_block_optin + p.reserved_shared_per_block, p.shared_per_multiprocessor) << p.name;
  }
}

TEST(Profiles, CachesGrowOutwards) {
  for (const Profile& p : profiles()) {
    EXPECT_GT(p.l1_bytes, 0u) << p.name;
    EXPECT_LT(p.l1_bytes, p.l2_bytes) << p.name;
    EXPECT_LT(p.l2_bytes, p.memory_bytes) << p.name;
    if (p.unified_bytes) {
      EXPECT_LE(std::max(p.l1_bytes, p.shared_per_multiprocessor), p.unified_bytes) << p.name;
    }
    EXPECT_GT(p.l2_gb_per_s, p.memory_gb_per_s) << p.name;
    EXPECT_GT(p.l1_bytes_per_cycle * p.multiprocessors * p.clock_mhz / 1e3, p.l2_gb_per_s) << p.name;
    EXPECT_EQ(p.memory_bus_bits % p.memory_channels, 0) << p.name;
  }
}

TEST(Profiles, IssueCyclesFollowFromTheLanes) {
  const Profile& t4 = *find_profile("T4");
  EXPECT_DOUBLE_EQ(t4.issue_cycles(t4.lanes.fp32), 2);   // 16 lanes a scheduler
  EXPECT_DOUBLE_EQ(t4.issue_cycles(t4.lanes.fp64), 64);  // half a lane
  EXPECT_DOUBLE_EQ(find_profile("A40")->issue_cycles(128), 1);
}

// The measured series of the T4 (1, 2, 4, 8, 16, 32 lanes on one word) within two cycles.
TEST(Profiles, SharedAtomicsFollowTheMeasuredSeries) {
  const ConflictCost& cost = find_profile("T4")->shared_atomic;
  const double measured[] = {8, 10, 14, 22, 37, 69};
  for (unsigned i = 0; i < 6; ++i) EXPECT_NEAR(cost.of(1u << i), measured[i], 2) << (1u << i) << " lanes";
  EXPECT_DOUBLE_EQ(cost.of(0), 0);
}

TEST(Profiles, BecomeADevice) {
  const DeviceInfo info = device_info(*find_profile("A40"));
  EXPECT_EQ(info.id, "virtual");
  EXPECT_EQ(info.name, "Virtual GPU · A40 profile");
  EXPECT_TRUE(info.is_model);
  EXPECT_EQ(info.compute_capability, 86);
  EXPECT_EQ(info.multiprocessors, 84);
  EXPECT_EQ(value_of(info, "multiProcessorCount"), 84);
  EXPECT_EQ(value_of(info, "maxThreadsPerMultiProcessor"), 1536);
  EXPECT_EQ(value_of(info, "sharedMemPerBlockOptin"), 99 * 1024);
  EXPECT_EQ(value_of(info, "clockRate"), 1740000);
}

TEST(Profiles, EveryAttributeIsExplained) {
  for (const Profile& p : profiles()) {
    std::set<std::string> names;
    for (const Attribute& a : device_info(p).attributes) {
      EXPECT_TRUE(names.insert(a.name).second) << a.name;
      EXPECT_TRUE(a.meaning.ends_with('.')) << a.name;
    }
  }
}

}  // namespace
}  // namespace warpbook::gpu
