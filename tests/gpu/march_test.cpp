// Which kernels may march: what a forgotten barrier does must be seen, and what has all its barriers must be quick.
#include "gpu/virtual/vm/march.h"

#include <gtest/gtest.h>

#include "gpu/compiler.h"
#include "gpu/virtual/ptx/parser.h"

namespace warpbook::gpu {
namespace {

bool marches(const std::string& body) {
  static Compiler compiler;
  const auto program = compiler.compile({.file = "k.cu",
                                         .text = "extern \"C\" __global__ void k(float* data, int n) {\n"
                                                 "__shared__ float tile[256];\nint t = threadIdx.x; float sum = 0;\n" +
                                                 body + "\ndata[t] = sum;\n}\n",
                                         .defines = {},
                                         .instantiate = {}});
  if (!program) {
    ADD_FAILURE() << program.error().log;
    return false;
  }
  const auto module = ptx::parse((*program)->ptx);
  EXPECT_TRUE(module);
  for (const ptx::Function& function : module->functions) {
    if (function.entry) return vm::may_march(function);
  }
  return false;
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

TEST(March, KernelsWithAllTheirBarriersMarch) {
  EXPECT_TRUE(marches("sum = data[t];")) << "no shared memory at all";
  EXPECT_TRUE(marches(with(tiles, "__syncthreads();", "__syncthreads();")));
  EXPECT_TRUE(marches(R"(
    tile[t] = data[t];
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
      if (t < half) tile[t] += tile[t + half];
      __syncthreads();
    }
    sum = tile[0];)"));
}

TEST(March, KernelsThatLackOneDoNot) {
  EXPECT_FALSE(marches(with(tiles, "", "__syncthreads();"))) << "read before it is written";
  EXPECT_FALSE(marches(with(tiles, "__syncthreads();", ""))) << "written again while others read";
  EXPECT_FALSE(marches("tile[t] = data[t]; sum = tile[255 - t];"));
}

}  // namespace
}  // namespace warpbook::gpu
