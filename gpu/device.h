// Device: the interface of the virtual GPU and of the NVIDIA GPU. A LaunchRequest goes in, a LaunchReport comes out.
//
//     auto device = make_virtual_device(compiler, "T4");
//     auto program = device->compile({.file = "count.cu", .text = text});
//     auto counter = device->allocate({.name = "counter", .type = ScalarType::int32, .shape = {1}});
//     (void)device->fill(*counter, Scalar::of(0));
//     auto report = device->launch({.program = *program, .kernel = "count", .grid = {64}, .block = {64},
//                                   .arguments = {*counter}, .observe = {.race = true}});
//
// Ownership: a Buffer is a handle. Its memory lives until release(), or until the device is destroyed. Programs are shared and
// immutable.
// Errors: a launch that is refused or fails gives a LaunchReport whose status is CUDA's error name and whose message is one
// sentence. A Result error means that the request could not be tried at all.
// Not thread-safe: one thread uses a device at a time. Only Job may be used from another thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "gpu/compiler.h"
#include "gpu/report.h"
#include "gpu/result.h"
#include "gpu/types.h"

namespace warpbook::gpu {

using BufferId = std::uint32_t;

struct Buffer {
  BufferId id = 0;
  Array array;
};

/// A struct passed by value, with C's layout. The device fills in its pointers: the address of `buffer` is written at `offset`.
struct Struct {
  struct Pointer {
    std::size_t offset = 0;
    Buffer buffer;
  };
  std::vector<std::byte> bytes;
  std::vector<Pointer> pointers = {};
};

using Argument = std::variant<Scalar, Buffer, Struct>;

enum class Schedule {
  fast,  // blocks run in parallel on the host's cores; each warp runs until it must wait
  clock  // one host thread, reproducible by its seed: models a warp scheduler and memory latencies
};

/// What to record and which findings to look for. What is off costs nothing.
struct Observe {
  // A member for each kind of finding (findings.def): observe.race. With `memory`, a bad access is skipped and reported, and
  // the launch continues.
#define WARPBOOK_FINDING(id, ...) bool id = false;
#include "gpu/findings.def"
#undef WARPBOOK_FINDING
  std::vector<BufferId> trace;  // record every access to these buffers in LaunchReport::trace
  bool trace_shared = false;    // … and every access to shared memory
  bool timeline = false;        // clock schedule only: what every warp did in each cycle, in LaunchReport::clock
  std::size_t history = 0;      // most bytes of LaunchReport::history; 0: no history. history_bytes is a generous value
  std::size_t trace_limit = std::size_t{1} << 18;  // most records of the trace: one for each instruction of each warp

  static constexpr std::size_t history_bytes = std::size_t{64} << 20;  // about 300,000 steps

  [[nodiscard]] bool& operator[](FindingKind kind) { return this->*member(kind); }
  [[nodiscard]] bool operator[](FindingKind kind) const { return this->*member(kind); }

  [[nodiscard]] bool any() const { return any_finding() || trace_shared || timeline || history || !trace.empty(); }
  [[nodiscard]] bool any_finding() const {
    return false
#define WARPBOOK_FINDING(id, ...) || id
#include "gpu/findings.def"
#undef WARPBOOK_FINDING
        ;
  }
  /// Every kind of finding; no trace, timeline or history.
  [[nodiscard]] static Observe all() {
    Observe all;
#define WARPBOOK_FINDING(id, ...) all.id = true;
#include "gpu/findings.def"
#undef WARPBOOK_FINDING
    return all;
  }

 private:
  static constexpr bool Observe::*member(FindingKind kind) {
    switch (kind) {
#define WARPBOOK_FINDING(id, ...) \
  case FindingKind::id:           \
    return &Observe::id;
#include "gpu/findings.def"
#undef WARPBOOK_FINDING
    }
    return nullptr;
  }
};

struct Limits {
  double max_seconds = 30;                        // then the launch ends with cudaErrorLaunchTimeout
  std::size_t max_output = std::size_t{1} << 20;  // bytes of printf output that are kept
  std::size_t max_findings = 64;                  // distinct findings that are kept; others are only counted
  // Host memory that the virtual GPU may use, never more than a quarter of all:
  std::size_t max_warp_bytes = std::numeric_limits<std::size_t>::max();  // registers and local memory of the resident warps
  std::size_t max_race_bytes = std::numeric_limits<std::size_t>::max();  // records of accesses, to detect races
};

struct LaunchRequest {
  ProgramPtr program;
  std::string kernel;  // may be empty if the program has only one kernel
  Dim3 grid, block;
  std::uint32_t dynamic_shared_bytes = 0;
  std::vector<Argument> arguments;
  Observe observe;
  Schedule schedule = Schedule::fast;
  bool cooperative = false;  // all blocks resident at once, so that grid.sync() works (cudaLaunchCooperativeKernel)
  /// Fixes the order of blocks and warps. With `fast`, seed 0 is the order of their numbers. Every other seed is another order,
  /// which also interrupts warps (gpu/virtual/vm/exec/seeded_order.h). Without a seed, the clock schedule uses 0.
  std::optional<std::uint64_t> seed;
  Limits limits;
  /// Mapped memory that the host reads into LaunchReport::read_early as soon as the launch call has returned, without waiting for
  /// the kernel. Ignored by a device whose times come from a model: there the trace says when each store reached memory.
  std::optional<Buffer> read_early = {};
};

/// Lets another thread cancel a running launch and see its progress.
struct Job {
  std::atomic<bool> cancelled{false};
  std::atomic<std::uint64_t> blocks_done{0};
  std::atomic<std::uint64_t> blocks_total{0};
};

struct Attribute {
  std::string name;  // CUDA's name: "maxThreadsPerBlock"
  std::int64_t value = 0;
  std::string unit;     // "threads", "bytes", "kHz"; empty for counts
  std::string meaning;  // one sentence
};

/// The properties of a device that lessons and `devices` show. The limits are enforced at launch.
struct DeviceInfo {
  std::string id;         // "virtual" or "cuda"
  std::string name;       // "Virtual GPU · T4 profile", "NVIDIA H200"
  bool is_model = false;  // times and cycles come from a model
  int compute_capability = 75;
  int multiprocessors = 0;
  double clock_mhz = 0;
  int max_threads_per_block = 1024;
  Dim3 max_block{1024, 1024, 64};
  Dim3 max_grid{2147483647, 65535, 65535};
  int warps_per_multiprocessor = 0, blocks_per_multiprocessor = 0, registers_per_multiprocessor = 65536;
  std::size_t shared_per_block = 49152, shared_per_block_optin = 49152, shared_per_multiprocessor = 0;
  double memory_gb_per_s = 0;     // peak
  double launch_overhead_us = 0;  // from the host's call to the first instruction
  double pcie_gb_per_s = 0;       // copies between host and device, pinned memory
  double pcie_pageable_gb_per_s = 0;
  int copy_engines = 0;  // copies that can run beside a kernel: 1: one at a time, 2: one in each direction
  std::vector<Attribute> attributes;
};

class GraphicsInterop;  // gpu/cuda/interop.h
class MatrixLibrary;    // gpu/matrix_library.h
class Streams;          // gpu/streams.h

class Device {
 public:
  virtual ~Device() = default;

  [[nodiscard]] virtual const DeviceInfo& info() const = 0;
  [[nodiscard]] virtual tl::expected<ProgramPtr, CompileFailure> compile(const Source& source) = 0;

  /// The contents are indeterminate until something is written.
  [[nodiscard]] virtual Result<Buffer> allocate(const Array& array) = 0;
  /// Memory that kernels and the host share without a copy (cudaHostAllocMapped). mapped() is never empty for it.
  [[nodiscard]] virtual Result<Buffer> allocate_mapped(const Array& array) { return allocate(array); }
  virtual void release(const Buffer& buffer) = 0;
  /// Writes all bytes of the array. The virtual GPU also accepts fewer bytes, and then reports reads of the rest as uninitialised.
  [[nodiscard]] virtual Result<void> write(const Buffer& buffer, std::span<const std::byte> bytes) = 0;
  [[nodiscard]] virtual Result<void> read(const Buffer& buffer, std::span<std::byte> bytes) = 0;
  [[nodiscard]] virtual Result<void> fill(const Buffer& buffer, Scalar value) = 0;

  /// Accesses all bytes of a __device__ or __constant__ variable (Program::variables). A variable keeps its value between launches
  /// of the same program. Error "cudaErrorInvalidSymbol": the program has no such variable, or the device does not support
  /// variables.
  [[nodiscard]] virtual Result<void> write_variable(const ProgramPtr& program, const Variable& variable,
                                                    std::span<const std::byte> bytes);
  [[nodiscard]] virtual Result<void> read_variable(const ProgramPtr& program, const Variable& variable, std::span<std::byte> bytes);

  /// The buffer's memory, if the host can access it without a copy (on the virtual GPU it always can); else empty.
  [[nodiscard]] virtual std::span<std::byte> mapped(const Buffer& buffer) = 0;

  /// Returns when the launch has ended, has failed or was cancelled (status "cancelled").
  [[nodiscard]] virtual LaunchReport launch(const LaunchRequest& request, Job* job = nullptr) = 0;

  /// Why this device can no longer be used, as a sentence. Empty: it can. Then make a new device, or use the virtual GPU.
  [[nodiscard]] virtual std::string lost() const { return {}; }

  /// Access for OpenGL to the device's memory. nullptr: the host can read that memory itself.
  [[nodiscard]] virtual GraphicsInterop* graphics() { return nullptr; }

  /// Concurrent streams, with measured times. nullptr: the device does one thing at a time and its times come from a model.
  [[nodiscard]] virtual Streams* streams() { return nullptr; }

  /// The vendor's library for matrix products. nullptr: there is none.
  [[nodiscard]] virtual MatrixLibrary* matrix_library() { return nullptr; }
};

/// `profile`: "T4" (the default, if empty) or another row of profiles.h. The compiler must outlive the device.
[[nodiscard]] Result<std::unique_ptr<Device>> make_virtual_device(Compiler& compiler, const std::string& profile = {});

}  // namespace warpbook::gpu
