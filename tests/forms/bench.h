// Runs PTX text on a virtual GPU: what a thread finds at [in], what it leaves at [out].
//
//     Bench bench;
//     auto out = bench.run({.functions = "", .variables = ".shared .b32 s;", .body = "…", .threads = 500}, in_words);
//
// The body finds: %in, %out (64-bit addresses of this thread's own slots), %i (its number in the grid, 32 bits). It may declare
// registers. Blocks of 250 threads: the last warp of each is not full.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpu/device.h"
#include "tests/forms/number.h"

namespace warpbook::gpu::test {

struct KernelText {
  std::string module;      // functions and variables in front of the kernel
  std::string parameters;  // further ones, behind in and out
  std::string body;
  std::size_t threads = 500, block = 250;
  std::size_t in_slots = 0, out_slots = 0;  // of 16 bytes, a thread; slot s of thread t is number s · threads + t
  std::vector<std::byte> last_parameter;    // by value
  bool cooperative = false;
};

class Bench {
 public:
  Bench();
  /// On a device that outlives this: script/gpu-check's, an NVIDIA GPU.
  explicit Bench(Device& device) : device_(&device) {}
  /// The out slots, or why it did not run (with the PTX line).
  [[nodiscard]] Result<std::vector<u128>> run(const KernelText& kernel, std::span<const u128> in);

 private:
  Compiler compiler_;
  std::unique_ptr<Device> own_;
  Device* device_ = nullptr;
};

}  // namespace warpbook::gpu::test
