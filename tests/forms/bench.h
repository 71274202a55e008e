// Runs PTX text on a virtual GPU with input words at [in] and output words at [out].
//
//     Bench bench;
//     auto out = bench.run({.functions = "", .variables = ".shared .b32 s;", .body = "…", .threads = 500}, in_words);
//
// The body can use %in, %out (64-bit addresses of this thread's slots) and %i (its number in the grid, 32 bits), and may declare
// registers. Blocks have 250 threads, so that their last warp is not full.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpu/device.h"
#include "tests/forms/number.h"

namespace warpbook::gpu::test {

struct KernelText {
  std::string module;      // functions and variables before the kernel
  std::string parameters;  // further ones, after in and out
  std::string body;
  std::size_t threads = 500, block = 250;
  std::size_t in_slots = 0, out_slots = 0;  // of 16 bytes, per thread; slot s of thread t has the index s · threads + t
  std::vector<std::byte> last_parameter;    // by value
  bool cooperative = false;
};

class Bench {
 public:
  Bench();
  /// Uses an existing device, which must outlive this object: in script/gpu-check an NVIDIA GPU.
  explicit Bench(Device& device) : device_(&device) {}
  /// The out slots, or the error (with the PTX line).
  [[nodiscard]] Result<std::vector<u128>> run(const KernelText& kernel, std::span<const u128> in);

 private:
  Compiler compiler_;
  std::unique_ptr<Device> own_;
  Device* device_ = nullptr;
};

}  // namespace warpbook::gpu::test
