// Shared by the tests of this folder: a program that was not compiled, and a device with a scripted driver.
#pragma once

#include <cctype>
#include <chrono>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "gpu/cuda/cuda_device.h"
#include "tests/gpu/cuda/scripted_driver.h"
#include "tests/gpu/one_compiler.h"

namespace warpbook::gpu::testing {

/// `extern "C" __global__ void add(const int* a, int* out, int n)`, and `grid(int* out)`, which synchronises its grid. The scripted
/// driver does not run the PTX; it only searches for entry points.
inline ProgramPtr program(bool prints = false) {
  static std::uint64_t id = 1'000'000;
  auto made = std::make_shared<Program>();
  made->id = ++id;
  made->source.file = "add.cu";
  made->architecture = 75;
  made->ptx = std::string(".version 8.0\n.file 1 \"größe.cu\"\n.entry add(\n) { ") + (prints ? "call vprintf" : "") +
              " }\n.entry grid(\n) { mov.u32 %r1, %envreg2; }\n";
  const auto pointer = [](const char* name) {
    Parameter p;
    p.name = name;
    p.pointer = true;
    p.size = p.align = 8;
    return p;
  };
  Parameter n;
  n.name = "n";
  n.size = n.align = 4;
  Kernel add, grid;
  add.name = add.entry = "add";
  add.parameters = {pointer("a"), pointer("out"), n};
  grid.name = grid.entry = "grid";
  grid.parameters = {pointer("out")};
  made->kernels = {add, grid};
  return made;
}

/// The effect of `add` on a real GPU.
inline void add_one(ScriptedDriver::Launch& launch) {
  if (launch.kernel != "add") return;
  for (int i = 0; i < launch.value<int>(2); ++i) launch.array<int>(1)[i] = launch.array<int>(0)[i] + 1;
}

inline Array ints(const char* name, std::size_t count) { return {name, ScalarType::int32, {count}}; }

inline Result<void> write(Device& device, const Buffer& buffer, const std::vector<int>& values) {
  return device.write(buffer, std::as_bytes(std::span(values)));
}
inline Result<std::vector<int>> read(Device& device, const Buffer& buffer) {
  std::vector<int> values(buffer.array.count());
  if (auto done = device.read(buffer, std::as_writable_bytes(std::span(values))); !done) return failure(done.error());
  return values;
}

inline std::vector<int> numbers_in(std::span<const std::byte> bytes) {
  std::vector<int> values(bytes.size() / sizeof(int));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

inline LaunchRequest add_request(const ProgramPtr& program, const Buffer& a, const Buffer& out, int n) {
  return {.program = program,
          .kernel = "add",
          .grid = {1},
          .block = {32},
          .arguments = {a, out, Scalar::of(n)},
          .observe = {},
          .seed = {},
          .limits = {.max_seconds = 5}};
}

inline std::unique_ptr<CudaDevice> open(ScriptedDriver& gpu) {
  auto device = make_cuda_device(compiler(), gpu.table());
  return device ? std::move(*device) : nullptr;
}

/// Waits a moment. False: an abandoned kernel is still running.
inline bool wait_for_kernels_left_behind() {
  for (int i = 0; i < 200 && kernel_left_behind(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return !kernel_left_behind();
}

/// Whether it is a well-formed sentence for learners that mentions no internal name.
inline bool is_sentence(const std::string& text) {
  const bool begins = !text.empty() && (std::isalnum(static_cast<unsigned char>(text[0])) || text[0] == '`');
  return begins && text.size() > 20 && (text.ends_with('.') || text.ends_with('?') || text.ends_with(".)") || text.ends_with("?)"));
}

}  // namespace warpbook::gpu::testing
