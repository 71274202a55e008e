// Device: the contract that the virtual GPU and the NVIDIA GPU both keep. A launch is a question, a report is the answer.
//
//     auto device = make_virtual_device(compiler, "T4");
//     auto program = device->compile({.file = "count.cu", .text = text});
//     auto counter = device->allocate({.name = "counter", .type = ScalarType::int32, .shape = {1}});
//     (void)device->fill(*counter, Scalar::of(0));
//     auto report = device->launch({.program = *program, .kernel = "count", .grid = {64}, .block = {64},
//                                   .arguments = {*counter}, .observe = {.race = true}});
//
// Ownership: a Buffer is a handle; its memory lives until release() or the device's end. Programs are shared and immutable.
// Errors: bad requests and failed launches are a LaunchReport whose status is CUDA's error name and whose message is one
// sentence; Result errors are for requests that could not even be tried. Not thread-safe: one thread uses a device at a time,
// except cancel through Job.
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

/// A struct passed by value, as C lays it out. Where a member is a pointer, its bytes are left to the device: at `offset` they
/// become the address of `buffer`.
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
  fast,  // blocks over the host's cores, each warp runs until it must wait
  clock  // one host thread, seeded, a warp scheduler and memory latencies: a model of when things happen
};

/// What to look for. Everything off costs nothing.
struct Observe {
  // A member for each kind of finding (findings.def): observe.race. With `memory`, a bad access is left out and reported, and the
  // launch goes on.
#define WARPBOOK_FINDING(id, ...) bool id = false;
#include "gpu/findings.def"
#undef WARPBOOK_FINDING
  std::vector<BufferId> trace;                     // record every access to these buffers in LaunchReport::trace
  bool trace_shared = false;                       // … and to shared memory
  bool timeline = false;                           // clock schedule: what every warp did when, in LaunchReport::clock
  std::size_t history = 0;                         // bytes that LaunchReport::history may take; 0: none. history_bytes is much
  std::size_t trace_limit = std::size_t{1} << 18;  // records (one a warp and instruction)

  static constexpr std::size_t history_bytes = std::size_t{64} << 20;  // some 300,000 steps

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
  double max_seconds = 30;                        // then cudaErrorLaunchTimeout
  std::size_t max_output = std::size_t{1} << 20;  // bytes of device printf kept
  std::size_t max_findings = 64;                  // distinct findings kept; the rest are counted
  // Of the host's memory, on the virtual GPU; a quarter of it at most:
  std::size_t max_warp_bytes = std::numeric_limits<std::size_t>::max();  // registers and local memory of what runs at once
  std::size_t max_race_bytes = std::numeric_limits<std::size_t>::max();  // what is remembered to find races
};

struct LaunchRequest {
  ProgramPtr program;
  std::string kernel;  // may be empty when the program has one kernel
  Dim3 grid, block;
  std::uint32_t dynamic_shared_bytes = 0;
  std::vector<Argument> arguments;
  Observe observe;
  Schedule schedule = Schedule::fast;
  bool cooperative = false;  // all blocks resident at once, so that grid.sync() works (cudaLaunchCooperativeKernel)
  /// Fixes the order of blocks and warps. Under `fast`, 0 is the order of their numbers, and every other seed one of its own, in
  /// which warps are interrupted, too (vm/seeded_order.h). The clock without a seed uses 0.
  std::optional<std::uint64_t> seed;
  Limits limits;
  /// Mapped memory that the host reads as soon as the launch has returned, without waiting, into LaunchReport::read_early. A device
  /// whose times are a model reads nothing: there the trace tells when each store landed.
  std::optional<Buffer> read_early = {};
};

/// A running launch seen from another thread: ask it to stop, or how far it is.
struct Job {
  std::atomic<bool> cancelled{false};
  std::atomic<std::uint64_t> blocks_done{0};
  std::atomic<std::uint64_t> blocks_total{0};
};

struct Attribute {
  std::string name;  // CUDA's own: "maxThreadsPerBlock"
  std::int64_t value = 0;
  std::string unit;     // "threads", "bytes", "kHz"; empty for counts
  std::string meaning;  // one sentence
};

/// Everything a lesson or `devices` may want to know; the limits are enforced at launch.
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
  double launch_overhead_us = 0;  // host call to first instruction
  double pcie_gb_per_s = 0;       // host ↔ device copies of pinned memory
  double pcie_pageable_gb_per_s = 0;
  int copy_engines = 0;  // copies that can go on beside a kernel: 1: one at a time, 2: one in each direction
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

  /// The memory's contents are indeterminate until written.
  [[nodiscard]] virtual Result<Buffer> allocate(const Array& array) = 0;
  /// Memory that kernels and the host both see without a copy (cudaHostAllocMapped): mapped() is never empty for it.
  [[nodiscard]] virtual Result<Buffer> allocate_mapped(const Array& array) { return allocate(array); }
  virtual void release(const Buffer& buffer) = 0;
  /// All of the array's bytes; the virtual GPU also takes its first few, and its observer knows that the rest was not written.
  [[nodiscard]] virtual Result<void> write(const Buffer& buffer, std::span<const std::byte> bytes) = 0;
  [[nodiscard]] virtual Result<void> read(const Buffer& buffer, std::span<std::byte> bytes) = 0;
  [[nodiscard]] virtual Result<void> fill(const Buffer& buffer, Scalar value) = 0;

  /// A __device__ or __constant__ variable (Program::variables): all of its bytes. It keeps its value between launches of the same
  /// program. Code "cudaErrorInvalidSymbol" where the program has none of that name, or the device keeps no variables.
  [[nodiscard]] virtual Result<void> write_variable(const ProgramPtr& program, const Variable& variable,
                                                    std::span<const std::byte> bytes);
  [[nodiscard]] virtual Result<void> read_variable(const ProgramPtr& program, const Variable& variable, std::span<std::byte> bytes);

  /// The device's memory as the host may see it without a copy (the virtual GPU's always); empty where it cannot.
  [[nodiscard]] virtual std::span<std::byte> mapped(const Buffer& buffer) = 0;

  /// Returns when the launch has ended, failed, or was cancelled (status "cancelled").
  [[nodiscard]] virtual LaunchReport launch(const LaunchRequest& request, Job* job = nullptr) = 0;

  /// Why this device can be used no longer, as a sentence; empty while it can. Make another one, or go on with the virtual GPU.
  [[nodiscard]] virtual std::string lost() const { return {}; }

  /// Drawing with OpenGL from the device's own memory; nullptr where the host sees that memory anyway.
  [[nodiscard]] virtual GraphicsInterop* graphics() { return nullptr; }

  /// Work side by side, measured; nullptr where the device does one thing at a time, and when things happen is a model.
  [[nodiscard]] virtual Streams* streams() { return nullptr; }

  /// Its maker's library for products of matrices; nullptr where there is none.
  [[nodiscard]] virtual MatrixLibrary* matrix_library() { return nullptr; }
};

/// profile: "T4" (default when empty) or another row of profiles.h. The compiler must outlive the device.
[[nodiscard]] Result<std::unique_ptr<Device>> make_virtual_device(Compiler& compiler, const std::string& profile = {});

}  // namespace warpbook::gpu
