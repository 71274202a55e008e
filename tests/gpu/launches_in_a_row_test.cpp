// Launches of one kernel after the other. What a launch leaves in the vm for the next one must not show: neither the sizes nor
// the arguments of the one before, nor what it had in shared memory.
#include <gtest/gtest.h>

#include <vector>

#include "gpu/device.h"

namespace warpbook::gpu {
namespace {

constexpr const char* turn_source = R"(
extern "C" __global__ void turn(int* out, int factor) {
  extern __shared__ int tile[];
  const int x = threadIdx.x, y = threadIdx.y, w = blockDim.x, h = blockDim.y;
  const int block = blockIdx.y * gridDim.x + blockIdx.x;
  const int before = tile[y * w + x];
  __syncthreads();
  tile[y * w + x] = factor * (y * w + x) + block;
  __syncthreads();
  const int turned = tile[y * w + (w - 1 - x)] + tile[(h - 1 - y) * w + x];
  __syncthreads();
  tile[y * w + x] = block == gridDim.x * gridDim.y - 1 ? 1 << 20 : 0;  // what blocks leave, the last one more
  out[block * w * h + y * w + x] = turned + before;
}
)";

TEST(LaunchesInARow, KnowNothingOfEachOther) {
  Compiler compiler;
  auto device = std::move(*make_virtual_device(compiler));
  const auto program = device->compile({.file = "turn.cu", .text = turn_source, .defines = {}, .instantiate = {}});
  ASSERT_TRUE(program) << program.error().log;
  struct Launch {
    Dim3 grid, block;
    int factor;
  };
  std::uint64_t per_thread = 0;
  for (const auto& [grid, block, factor] : {Launch{{1}, {4, 8}, 1},
                                            {{3, 2}, {8, 8}, 5},
                                            {{2, 2}, {16, 2}, 9},
                                            {{2, 3}, {8, 8}, 7},
                                            {{1, 40}, {4, 8}, 2},
                                            {{33}, {32, 3}, 3},
                                            {{3, 2}, {8, 8}, 5}}) {
    const std::size_t threads = block.count();
    const Buffer out = *device->allocate({"out", ScalarType::int32, {grid.count() * threads}});
    LaunchRequest request;
    request.program = *program;
    request.grid = grid;
    request.block = block;
    request.arguments = {out, Scalar::of(factor)};
    request.dynamic_shared_bytes = static_cast<std::uint32_t>(4 * threads);
    const LaunchReport report = device->launch(request);
    ASSERT_TRUE(report.ok()) << say(report.message);
    // Every thread executes the same.
    if (!per_thread) per_thread = report.thread_instructions / (grid.count() * threads);
    EXPECT_EQ(report.thread_instructions, per_thread * grid.count() * threads) << "grid " << to_string(grid);
    std::vector<std::int32_t> found(grid.count() * threads);
    ASSERT_TRUE(device->read(out, std::as_writable_bytes(std::span(found))));
    for (std::size_t b = 0; b < grid.count(); ++b)
      for (int y = 0; y < static_cast<int>(block.y); ++y)
        for (int x = 0; x < static_cast<int>(block.x); ++x) {
          const int w = static_cast<int>(block.x), h = static_cast<int>(block.y);
          const int wanted = factor * (y * w + (w - 1 - x) + (h - 1 - y) * w + x) + 2 * static_cast<int>(b);
          ASSERT_EQ(found[b * threads + static_cast<std::size_t>(y * w + x)], wanted)
              << "grid " << to_string(grid) << ", block " << to_string(block) << ", block " << b << ", thread (" << x << "," << y
              << ")";
        }
    device->release(out);
  }
}

}  // namespace
}  // namespace warpbook::gpu
