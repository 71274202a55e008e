// Barrier intervals: kernels with all their barriers may run in lockstep, and are then fast; kernels that lack one may not, so that
// the missing barrier shows.
#include "gpu/virtual/vm/analysis/barrier_intervals.h"

#include <gtest/gtest.h>

#include "gpu/compiler.h"
#include "gpu/virtual/ptx/parser.h"

namespace warpbook::gpu {
namespace {

/// What of the kernel with this body.
template <class Ask>
auto of_kernel(const std::string& body, const Ask& ask) {
  static Compiler compiler;
  const auto program = compiler.compile({.file = "k.cu",
                                         .text = "extern \"C\" __global__ void k(float* data, int n) {\n"
                                                 "__shared__ float tile[256];\nint t = threadIdx.x; float sum = 0;\n" +
                                                 body + "\ndata[t] = sum;\n}\n",
                                         .defines = {},
                                         .instantiate = {}});
  if (!program) {
    ADD_FAILURE() << program.error().log;
    return ask(ptx::Function{});
  }
  const auto module = ptx::parse((*program)->ptx);
  EXPECT_TRUE(module);
  for (const ptx::Function& function : module->functions) {
    if (function.entry) return ask(function);
  }
  ADD_FAILURE() << "no kernel";
  return ask(ptx::Function{});
}

bool separated(const std::string& body) { return of_kernel(body, vm::barriers_separate_shared_accesses); }

/// Of the kernel's plain barriers, in order: 'r' where only reads follow, 'w' where something may write.
std::string behind_barriers(const std::string& body) {
  return of_kernel(body, [](const ptx::Function& kernel) {
    const std::vector<bool> only_reads = vm::only_reads_shared_after(kernel);
    std::string found;
    for (std::size_t pc = 0; pc < kernel.code.size(); ++pc)
      if (vm::is_plain_barrier(kernel.code[pc])) found += only_reads[pc] ? 'r' : 'w';
    return found;
  });
}

constexpr const char* tiles = R"(
  for (int i = 0; i < n; ++i) {
    tile[t] = data[i * 256 + t];
    FIRST
    for (int k = 0; k < 256; ++k) sum += tile[k];
    SECOND
  })";

std::string with(std::string text, const std::string& first, const std::string& second) {
  text.replace(text.find("FIRST"), 5, first);
  text.replace(text.find("SECOND"), 6, second);
  return text;
}

TEST(BarrierIntervals, KernelsWithAllTheirBarriersAreSeparated) {
  EXPECT_TRUE(separated("sum = data[t];")) << "no shared memory at all";
  EXPECT_TRUE(separated(with(tiles, "__syncthreads();", "__syncthreads();")));
  EXPECT_TRUE(separated(R"(
    tile[t] = data[t];
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
      if (t < half) tile[t] += tile[t + half];
      __syncthreads();
    }
    sum = tile[0];)"));
}

TEST(BarrierIntervals, KernelsThatLackOneDoNot) {
  EXPECT_FALSE(separated(with(tiles, "", "__syncthreads();"))) << "read before it is written";
  EXPECT_FALSE(separated(with(tiles, "__syncthreads();", ""))) << "written again while others read";
  EXPECT_FALSE(separated("tile[t] = data[t]; sum = tile[255 - t];"));
}

TEST(BarrierIntervals, WhatFollowsABarrier) {
  EXPECT_EQ(behind_barriers(with(tiles, "__syncthreads();", "__syncthreads();")), "rw");
  EXPECT_EQ(behind_barriers("tile[t] = data[t]; __syncthreads(); sum = tile[0];"), "r") << "until the kernel's end";
  EXPECT_EQ(behind_barriers(
                "tile[t] = data[t]; __syncthreads(); sum = tile[0]; if (n > t) tile[t] = 1; __syncthreads(); sum += tile[1];"),
            "wr")
      << "a store on one path";
  EXPECT_EQ(
      behind_barriers("tile[t] = 1; __syncthreads(); sum = tile[0]; atomicAdd(tile + n, 1.0f); __syncthreads(); sum += tile[1];"),
      "wr")
      << "an atomic";
  EXPECT_EQ(behind_barriers("tile[t] = 1; __syncthreads(); sum = tile[0]; asm volatile(\"bar.sync 1, 64;\"); tile[t] = sum;"), "w")
      << "a barrier of some threads ends nothing";
  EXPECT_EQ(behind_barriers("tile[t] = 1; __syncthreads(); sum = tile[0]; printf(\"%f\", sum);"), "w") << "a call";
  EXPECT_EQ(behind_barriers("float* p = n ? tile : data; tile[t] = 1; __syncthreads(); sum = tile[0]; p[t + n] = 2;"), "w")
      << "a store that may go anywhere";
}

}  // namespace
}  // namespace warpbook::gpu
