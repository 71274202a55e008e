// Event replay (gpu/virtual/watch/event_replay.h): blocks that do what an earlier block did with shared memory are not examined
// again. What other blocks of the launch do wrong must be found all the same. Kernels that follow a table, which is mostly the same
// for all blocks, are observed twice: where bank conflicts are observed too, every block is examined.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "gpu/device.h"

namespace warpbook::gpu {
namespace {

constexpr char kernel[] = R"(extern "C" __global__ void act(const int* table, int steps, int* out) {
  __shared__ int s[192];
  const int t = threadIdx.x, thread = blockIdx.x * blockDim.x + t;
  const int* step = table + blockIdx.x * steps * 4;
  int sum = 0;
  for (int k = 0; k < steps; ++k, step += 4) {
    const int shift = step[3], value = (k + 1) * 100000 + t;
    if (step[0] == 4) __syncthreads();
    if (step[0] == 5) __syncwarp();
    if (step[0] == 6) __threadfence_block();
    if (t < step[1] || t >= step[2]) continue;
    switch (step[0]) {
      case 0: s[t] = value; break;
      case 1: s[t + shift] = value; break;
      case 2: sum += s[t]; break;
      case 3: sum += s[t + shift]; break;
      case 7: atomicAdd(&s[shift], 1); break;
      case 8: atomicAdd(out, 1); break;
      case 9: out[1 + thread] = sum; break;
      case 10: ((short*)s)[t + shift] = (short)value; break;
      case 11: return;
    }
  }
  out[1 + thread] = sum;
})";

enum Act {
  store_own,
  store_other,
  load_own,
  load_other,
  barrier,
  warp_barrier,
  fence,
  add_shared,
  add_global,
  store_global,
  store_half,
  leave
};

struct Step {
  int act = barrier, from = 0, to = 1024, shift = 0;
};
using Steps = std::vector<Step>;

class EventReplay : public testing::Test {
 protected:
  EventReplay() {
    const auto compiled = device_->compile({.file = "act.cu", .text = kernel, .defines = {}, .instantiate = {}});
    program_ = *compiled;
  }

  /// What was found, each finding a line.
  std::multiset<std::string> watch(const std::vector<Steps>& blocks, std::uint32_t threads, bool every_block) {
    std::vector<std::int32_t> table;
    for (const Steps& steps : blocks)
      for (const Step& step : steps) table.insert(table.end(), {step.act, step.from, step.to, step.shift});
    const Buffer steps = *device_->allocate({"table", ScalarType::int32, {table.size()}});
    const Buffer out = *device_->allocate({"out", ScalarType::int32, {1 + blocks.size() * threads}});
    EXPECT_TRUE(device_->write(steps, std::as_bytes(std::span(table))));
    EXPECT_TRUE(device_->fill(out, Scalar::of(0)));
    const LaunchReport report = device_->launch({.program = program_,
                                                 .kernel = {},
                                                 .grid = {static_cast<std::uint32_t>(blocks.size())},
                                                 .block = {threads},
                                                 .arguments = {steps, Scalar::of(static_cast<int>(blocks.front().size())), out},
                                                 .observe = {.race = true, .init = true, .banks = every_block, .trace = {}},
                                                 .seed = {},
                                                 .limits = {.max_findings = 1000}});
    EXPECT_TRUE(report.ok()) << say(report.message);
    device_->release(steps);
    device_->release(out);
    std::multiset<std::string> found;
    for (const Finding& finding : report.findings)
      if (finding.kind != FindingKind::banks)
        found.insert(fmt::format("line {}, {} threads: {}", finding.at.line, finding.threads, in_english(finding.message)));
    return found;
  }

  void expect_the_same(const std::vector<Steps>& blocks, std::uint32_t threads) {
    ASSERT_EQ(watch(blocks, threads, false), watch(blocks, threads, true));
  }

  Compiler compiler_;
  std::unique_ptr<Device> device_ = std::move(*make_virtual_device(compiler_));
  ProgramPtr program_;
};

/// Fills, synchronises, reads what neighbours wrote, and again.
const Steps tidy = {{store_own}, {store_other, 0, 3, 64}, {barrier}, {load_other, 0, 1024, 3}, {barrier}, {store_own}, {barrier},
                    {load_own}};

TEST_F(EventReplay, BlocksThatAllDoItRight) { EXPECT_EQ(watch(std::vector(500, tidy), 64, false), std::multiset<std::string>{}); }

TEST_F(EventReplay, OneOfManyForgetsABarrier) {
  std::vector<Steps> blocks(500, tidy);
  blocks[400][2] = {fence};
  EXPECT_EQ(watch(blocks, 64, false).size(), 3u) << "the load races with both stores, and reads what nobody has written yet";
  expect_the_same(blocks, 64);
}

TEST_F(EventReplay, OneOfManyFillsLess) {
  std::vector<Steps> blocks(500, tidy);
  blocks[400][1].to = 2;
  EXPECT_EQ(watch(blocks, 64, false).size(), 1u);
  expect_the_same(blocks, 64);
}

TEST_F(EventReplay, OneOfManyStoresToItsNeighboursPlace) {
  std::vector<Steps> blocks(500, tidy);
  blocks[400][1].shift = 10;  // what it races with was not told until then
  EXPECT_EQ(watch(blocks, 64, false).size(), 2u);
  expect_the_same(blocks, 64);
}

TEST_F(EventReplay, OneLeavesBehindABarrierAndReadsWhatNobodyWrote) {
  std::vector<Steps> blocks(500, tidy);
  blocks[400][3].shift = 4;
  EXPECT_EQ(watch(blocks, 64, false).size(), 1u);
  expect_the_same(blocks, 64);
}

TEST_F(EventReplay, WarpsSynchroniseThemselves) {
  std::vector<Steps> blocks(500,
                            {{store_own}, {barrier}, {store_own}, {warp_barrier}, {load_other, 0, 20, 5}, {barrier}, {load_own}});
  EXPECT_EQ(watch(blocks, 64, false), std::multiset<std::string>{});
  blocks[400][3] = {fence};
  EXPECT_EQ(watch(blocks, 64, false).size(), 1u);
  expect_the_same(blocks, 64);
}

TEST_F(EventReplay, EdgesDoSomethingElse) {
  std::vector<Steps> blocks;
  for (int b = 0; b < 900; ++b) {
    Steps steps = tidy;
    if (b % 30 == 0) steps[1] = {load_own};
    if (b % 30 == 0) steps[3].to = 50;
    if (b % 30 == 29) steps[3].to = 60;
    blocks.push_back(steps);
  }
  expect_the_same(blocks, 64);
  blocks[871][1].shift = 10;
  expect_the_same(blocks, 64);
}

TEST_F(EventReplay, AnythingThatBlocksMayDo) {
  std::mt19937 random(20261124);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  int guilty = 0;
  for (int round = 0; round < 150 && !HasFailure(); ++round) {
    const std::uint32_t threads = below(2) ? 64 : 96;
    const auto any_step = [&] {
      static constexpr Act often[] = {store_own, store_other, load_own, load_other, barrier};
      Step step{.act = below(4) ? often[below(5)] : below(12)};
      if (below(3) == 0) step.from = below(64), step.to = step.from + 1 + below(40);
      step.shift = below(2) ? below(96) : 96;
      return step;
    };
    const auto good_step = [&](int k) {
      const Step steps[] = {{store_own}, {store_other, 0, 1 + below(96), 96}, {load_own}, {load_other, 0, 40, below(20)}};
      return k % 2 ? Step{} : steps[k ? below(4) : 0];
    };
    const bool good = below(5);
    Steps usual;
    for (int k = 0; k < 12; ++k) usual.push_back(good ? good_step(k) : any_step());
    std::vector<Steps> blocks(static_cast<std::size_t>(20 + below(200)), usual);
    for (int changes = below(8); changes > 0; --changes) {
      Steps& steps = blocks[static_cast<std::size_t>(below(static_cast<int>(blocks.size())))];
      steps[static_cast<std::size_t>(below(12))] = any_step();
    }
    SCOPED_TRACE(fmt::format("round {}", round));
    expect_the_same(blocks, threads);
    guilty += !watch(blocks, threads, false).empty();
  }
  EXPECT_GT(guilty, 50);
  EXPECT_LT(guilty, 140);
}

}  // namespace
}  // namespace warpbook::gpu
