// Watched lockstep (gpu/virtual/vm/exec/watched_lockstep.h): the observer hears what it would hear if the warps of a block ran one
// after the other. Random kernels of trees, barriers and stores, right and wrong, are watched twice: where divergence is observed
// too, there is no lockstep.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "gpu/device.h"

namespace warpbook::gpu {
namespace {

class WatchedLockstep : public testing::Test {
 protected:
  struct Seen {
    std::vector<std::string> findings;
    std::map<std::uint32_t, std::pair<std::uint64_t, std::uint64_t>> lines;  // instructions of warps and of threads
    std::vector<std::int32_t> out;
    std::uint64_t thread_instructions = 0;
    friend bool operator==(const Seen&, const Seen&) = default;
  };

  Seen watch(const std::string& body, std::uint32_t threads, bool one_by_one) {
    const std::string text =
        "extern \"C\" __global__ void act(int* out) {\n  __shared__ int s[512];\n"
        "  const int t = threadIdx.x, b = blockIdx.x;\n  int x = t;\n" +
        body + "  out[64 + b * blockDim.x + t] = x;\n}\n";
    const auto compiled = device_->compile({.file = "act.cu", .text = text, .defines = {}, .instantiate = {}});
    Seen seen;
    if (!compiled) {
      ADD_FAILURE() << text;
      return seen;
    }
    constexpr std::uint32_t blocks = 40;
    const Buffer out = *device_->allocate({"out", ScalarType::int32, {64 + std::size_t{blocks} * threads}});
    EXPECT_TRUE(device_->fill(out, Scalar::of(0)));
    const LaunchReport report =
        device_->launch({.program = *compiled,
                         .kernel = {},
                         .grid = {blocks},
                         .block = {threads},
                         .arguments = {out},
                         .observe = {.memory = true, .race = true, .init = true, .divergence = one_by_one, .trace = {}},
                         .seed = {},
                         .limits = {.max_findings = 1000}});
    EXPECT_TRUE(report.ok()) << say(report.message);
    for (const Finding& finding : report.findings)
      if (finding.kind != FindingKind::divergence)
        seen.findings.push_back(
            fmt::format("line {}, {} threads: {}", finding.at.line, finding.threads, in_english(finding.message)));
    for (const LineCounts& line : report.lines)
      if (line.warp_instructions) seen.lines[line.line] = {line.warp_instructions, line.thread_instructions};
    seen.out.resize(64 + std::size_t{blocks} * threads);
    EXPECT_TRUE(device_->read(out, std::as_writable_bytes(std::span(seen.out))));
    seen.thread_instructions = report.thread_instructions;
    device_->release(out);
    return seen;
  }

  /// What was found.
  std::vector<std::string> expect_the_same(const std::string& body, std::uint32_t threads) {
    const Seen together = watch(body, threads, false), one_by_one = watch(body, threads, true);
    EXPECT_EQ(together.findings, one_by_one.findings) << body;
    EXPECT_EQ(together.lines, one_by_one.lines) << body;
    EXPECT_EQ(together.out, one_by_one.out) << body;
    EXPECT_EQ(together.thread_instructions, one_by_one.thread_instructions) << body;
    return together.findings;
  }

  Compiler compiler_;
  std::unique_ptr<Device> device_ = std::move(*make_virtual_device(compiler_));
};

constexpr char tree[] = R"(  s[t] = b + t;
  __syncthreads();
  for (int width = blockDim.x / 2; width > 0; width /= 2) {
    if (t < width) s[t] += s[t + width];
    __syncthreads();
  }
  if (t == 0) out[b] = s[0];
)";

TEST_F(WatchedLockstep, ATreeIsSilent) {
  for (const std::uint32_t threads : {64u, 96u, 128u, 256u}) EXPECT_EQ(expect_the_same(tree, threads), std::vector<std::string>{});
}

TEST_F(WatchedLockstep, ATreeWithoutABarrierIsNot) {
  std::string body = tree;
  body.replace(body.rfind("__syncthreads();"), 16, "if (width != 8) __syncthreads();");
  EXPECT_FALSE(expect_the_same(body, 128).empty());
}

TEST_F(WatchedLockstep, TreesOfSomeBlocksDiffer) {
  std::string body = tree;
  body.replace(body.find("t < width"), 9, "t < width + (b == 33 && width == 16)");
  EXPECT_FALSE(expect_the_same(body, 128).empty()) << "thread 16 updates what thread 0 reads";
  body = tree;
  body.replace(body.find("s[t + width]"), 12, "s[t + width - (b > 30 && width < 32)]");
  EXPECT_FALSE(expect_the_same(body, 128).empty());
}

/// Several warps store to one place of global memory, in turn: whose value stays depends on the turns.
TEST_F(WatchedLockstep, WarpsTakeTurns) {
  const std::string body = R"(  s[t] = t;
  __syncthreads();
  for (int k = 0; k < 5; ++k) {
    if (t % 32 == k) out[b] = 100 * k + t;
    __syncthreads();
    if (t % 64 == 3) out[1] = out[b] + t;
    __syncthreads();
    x = 3 * x + s[(t + k) % 64];
    __syncthreads();
  }
)";
  EXPECT_FALSE(expect_the_same(body, 128).empty());
}

/// Each block tells by a flag that it has written; what comes between is a fence.
TEST_F(WatchedLockstep, FencesAreHeard) {
  const std::string body = R"(  volatile int* places = out;
  __shared__ bool last;
  s[t] = t;
  __syncthreads();
  if (t == 0) {
    places[b] = b;
    __threadfence();
    last = atomicAdd(out + 50, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && t == 0)
    for (int i = 0; i < gridDim.x; ++i) x += places[i];
)";
  EXPECT_EQ(expect_the_same(body, 128), std::vector<std::string>{});
}

TEST_F(WatchedLockstep, AnythingBetweenBarriers) {
  std::mt19937 random(20261129);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  int guilty = 0, rounds = 60;
  for (int round = 0; round < rounds && !HasFailure(); ++round) {
    const std::uint32_t threads = 64u << below(3);
    const bool tidy = below(3);
    std::string body = "  s[t] = t * 7;\n  __syncthreads();\n";
    const auto where = [&] {
      const std::string of_block = below(5) ? "" : fmt::format(" && b != {}", below(40));
      return below(2) ? fmt::format("t < {}{}", 1 + below(static_cast<int>(threads)), of_block)
                      : fmt::format("t % {} == 0{}", 1 + below(40), of_block);
    };
    for (int k = 2 + below(8); k > 0; --k) {
      switch (below(8)) {
        case 0:
          body += fmt::format("  if ({}) s[t] += {};\n", where(), k);
          break;
        case 1:
          body += fmt::format("  if ({}) x += s[{}];\n", where(), tidy ? "t" : "(t + 5) % 64");
          break;
        case 2:
          body += fmt::format("  x = x * 5 + (x >> {});\n", 1 + below(4));
          break;
        case 3:
          body += fmt::format("  for (int i = 0; i < {}; ++i) x += i * t;\n", 1 + below(900));
          break;
        case 4:
          body += fmt::format("  if ({}) out[{}] = x;\n", where(), tidy ? "64 + b * blockDim.x + t" : "b");
          break;
        case 5:
          body += fmt::format(
              "  for (int w = {}; w > 0; w /= 2) {{\n    if (t < w) s[t] += s[t + w];\n    __syncthreads();\n  }}\n", threads / 2);
          break;
        case 6:
          body += fmt::format(
              "  if ({}) {{\n    out[64 + b * blockDim.x + t] = x;\n    __threadfence();\n    atomicAdd(out + 40, 1);\n  }}\n",
              where());
          break;
        default:
          body += fmt::format("  if ({}) atomicAdd(&s[t % 64], 1);\n", where());
          break;
      }
      if (tidy || below(2)) body += "  __syncthreads();\n";
    }
    SCOPED_TRACE(fmt::format("round {}", round));
    guilty += !expect_the_same(body, threads).empty();
  }
  EXPECT_GT(guilty, 10);
  EXPECT_LT(guilty, 50);
}

}  // namespace
}  // namespace warpbook::gpu
