// Host: the interface of a CUDA host program for lessons, and a record of its calls.
//
//     Host host(device, {.kernel_file = "add.cu", .kernel_text = text, .defines = {{"GUARD", "1"}}});
//     auto a = host.to_device("a", std::span<const int>(values));
//     auto out = host.zeros<int>("out", {4096});
//     auto report = host.launch("add", {32}, {128}, {*a, *b, *out, gpu::Scalar::of(4096)});
//     auto result = host.copy_to_host<int>(*out);
//
// Concurrent work in streams (host_clock.h):
//
//     const Stream stream = host.new_stream();
//     auto x = host.host_array("h_x", std::span<const float>(values), HostMemory::pinned);
//     host.copy_async(*d_x, x, stream);                  // returns at once; pageable memory is copied synchronously
//     host.launch("f", {32}, {128}, {*d_x}, {.stream = stream});
//     host.copy_async(x, *d_x, stream);
//     host.synchronize(stream);
//     std::span<const float> result = host.read<float>(x);
//
// Calls have times in µs: a launch returns after its overhead while the kernel runs, and a copy waits for the kernel. On the
// virtual GPU the times are a model. On a GPU durations are measured, and then arranged as a host program would have seen them.
//
// On a GPU with streams (gpu/streams.h), work in streams really runs concurrently, and its times are measured. Launches in a
// stream, copies of pinned memory, events and waits for events are collected in a batch. The batch is enqueued when the host waits
// or needs something else from the device (synchronize, read, copy_to_host, elapsed, calls, now, memory, a copy of pageable memory,
// a new stream …), so make streams and arrays first. A launch in the default stream joins a batch that is not empty. The report of
// a launch in a batch only says that it was accepted (LaunchReport::enqueued); a launch that prints is waited for. A later error is
// reported once, by the next call that can return an error; failed_in_stream() returns it at any time.
// The printed host program (host_code.h) and lesson 01's timeline are made from the record. Only the first 4096 calls are recorded,
// and the first 64 MiB of copied bytes, because a live experiment repeats the same calls for hours.
// Ownership: buffers live as long as the Host. Errors: the sentence of the compile or of the launch.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gpu/device.h"
#include "gpu/merged_reports.h"
#include "gpu/picture.h"
#include "gpu/result.h"
#include "lessons/host_clock.h"

namespace warpbook::lessons {

/// A call of the host program. Times are in µs.
struct HostCall {
  enum class Kind {
    allocate,
    copy_to_device,
    fill,
    launch,
    synchronize,
    copy_to_host,
    read_mapped,
    allocate_host,       // an array in host memory; `bytes` is its initial contents
    create_stream,       // `stream`
    record_event,        // `event`, in `stream`
    wait_event,          // `stream` waits for `event`
    synchronize_stream,  // the host waits for `stream`
    synchronize_event,   // … for `event`
    read_host,           // the host reads its own array
    set_waiting,         // sets how the host waits: `what` is "spin" or "block"
    read_clock,          // the host reads its wall clock and its CPU time; `what` says after which call
    elapsed              // the time from `from_event` to `event`
  };
  Kind kind = Kind::launch;
  std::string what;                                     // name of the buffer or kernel
  gpu::Array array;                                     // buffers
  bool mapped = false;                                  // allocate: mapped memory, which the host sees as well
  bool symbol = false;                                  // copy_to_device: `what` is a __constant__ or __device__ variable
  std::shared_ptr<const std::vector<std::byte>> bytes;  // copy_to_device: the copied bytes; nullptr: too many to keep
  gpu::Dim3 grid, block;                                // of a launch
  std::uint32_t dynamic_shared_bytes = 0;
  /// The arguments as a host program writes them: buffer names, scalar literals, structs with their buffers' names in backquotes:
  /// "Matrix{16, 16, `A.elements`}", "reinterpret_cast<Particle*>(`p`)". Empty: a struct whose members are unknown.
  std::vector<std::string> arguments;
  double begin = 0, end = 0;                // the host's side of the call
  double device_begin = 0, device_end = 0;  // the device's work, if any
  double wait_begin = 0;                    // of a call that waits: the time from which it only waits, until device_begin or end
  std::string host_array = {};              // of an asynchronous copy
  bool pinned = false;                      // of allocate_host and of copies of the array: page-locked memory
  std::uint32_t stream = 0, event = 0;      // stream 0 is the default stream; events are numbered from 1
  std::uint32_t from_event = 0;
};

/// A CUDA stream: work in it runs in order, and different streams run concurrently. Stream 0 is the default stream, which waits for
/// all others, and they wait for it.
struct Stream {
  std::uint32_t id = 0;
};

/// A CUDA event: it is reached when all earlier work in its stream is done.
struct Event {
  std::uint32_t id = 0;  // from 1
};

enum class HostMemory : std::uint8_t { pageable, pinned };

/// An array in host memory. Pinned (page-locked) memory does not move, so that copy engines can access it while the host continues.
/// Copies of this object share its bytes.
class HostArray {
 public:
  HostArray(gpu::Array array, std::span<const std::byte> bytes, HostMemory memory)
      : array_(std::move(array)), bytes_(std::make_shared<std::vector<std::byte>>(bytes.begin(), bytes.end())), memory_(memory) {}
  [[nodiscard]] const gpu::Array& array() const { return array_; }
  [[nodiscard]] bool pinned() const { return memory_ == HostMemory::pinned; }

 private:
  friend class Host;
  gpu::Array array_;
  std::optional<gpu::Buffer> locked_;  // page-locked memory that holds the bytes, on a device with streams
  std::shared_ptr<std::vector<std::byte>> bytes_;
  HostMemory memory_;
};

/// The host's time for a call that only looks something up in the driver's tables or reads a flag that the device has set. In µs, a
/// model.
inline constexpr double lookup_us = 0.3;
/// The host's share of the launch overhead, in which the driver writes the command; then the launch returns. The rest is the time
/// until the device has fetched it. A model.
inline constexpr double launch_share_of_host = 0.6;

/// How the host waits: it polls, or it sleeps until an interrupt wakes it.
enum class Waiting : std::uint8_t { spin, block };

struct LaunchOptions {
  std::uint32_t dynamic_shared_bytes = 0;
  gpu::Observe observe;
  gpu::Schedule schedule = gpu::Schedule::fast;
  std::optional<std::uint64_t> seed;
  std::optional<gpu::Buffer> read_early = {};  // mapped memory that the host reads as soon as the launch has returned
  Stream stream = {};
  double max_seconds = gpu::Limits{}.max_seconds;  // time limit; then the report's status is cudaErrorLaunchTimeout
};

class Host {
 public:
  struct Setup {
    std::string kernel_file, kernel_text;
    std::vector<std::pair<std::string, std::string>> defines;
    gpu::Job* job = nullptr;
    gpu::PictureTaker* pictures = nullptr;   // set if a window draws from the device's memory
    std::filesystem::path folder = {};       // folder of the kernel's file, for headers that it may include; empty: none
    std::optional<std::uint64_t> seed = {};  // for random inputs of a run; empty: from the clock
  };
  Host(gpu::Device& device, Setup setup);
  ~Host();
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  [[nodiscard]] const gpu::DeviceInfo& device() const;
  [[nodiscard]] const std::string& kernel_text() const;
  [[nodiscard]] std::optional<std::uint64_t> seed() const;
  void define(const std::string& name, const std::string& value);  // call it before the next launch
  void watch_for_cancel(gpu::Job* job);

  enum class Memory { device, mapped };
  [[nodiscard]] Result<gpu::Buffer> allocate(const gpu::Array& array, Memory memory = Memory::device);
  [[nodiscard]] Result<gpu::Buffer> fill(const std::string& name, std::vector<std::size_t> shape, gpu::Scalar value,
                                         Memory memory = Memory::device);
  [[nodiscard]] Result<void> refill(const gpu::Buffer& buffer, gpu::Scalar value);
  template <class T>
  [[nodiscard]] Result<gpu::Buffer> zeros(const std::string& name, std::vector<std::size_t> shape) {
    return fill(name, std::move(shape), gpu::Scalar::of(T{0}));
  }
  /// Memory that the host sees as well, without a copy; see read_mapped().
  template <class T>
  [[nodiscard]] Result<gpu::Buffer> mapped_zeros(const std::string& name, std::vector<std::size_t> shape) {
    return fill(name, std::move(shape), gpu::Scalar::of(T{0}), Memory::mapped);
  }
  [[nodiscard]] Result<gpu::Buffer> to_device(const gpu::Array& array, std::span<const std::byte> bytes);
  template <class T>
  [[nodiscard]] Result<gpu::Buffer> to_device(const std::string& name, std::span<const T> values,
                                              std::vector<std::size_t> shape = {}) {
    if (shape.empty()) shape = {values.size()};
    return to_device({name, gpu::scalar_type_of<T>(), std::move(shape)}, std::as_bytes(values));
  }
  /// Writes all elements, or only the first ones (gpu/device.h), as a host program may copy too few.
  [[nodiscard]] Result<void> write(const gpu::Buffer& buffer, std::span<const std::byte> bytes);

  /// Writes all bytes of a __constant__ or __device__ variable of the compiled program.
  [[nodiscard]] Result<void> write_variable(const gpu::Variable& variable, std::span<const std::byte> bytes);

  /// Compiles if the text or the defines have changed. launch() calls it.
  [[nodiscard]] Result<gpu::ProgramPtr> compile();
  /// A report that is not ok is a value, not an Error. A failed compile is an Error with the code "compile_error"; failure() has
  /// its diagnostics.
  [[nodiscard]] Result<gpu::LaunchReport> launch(const std::string& kernel, gpu::Dim3 grid, gpu::Dim3 block,
                                                 std::vector<gpu::Argument> arguments, const LaunchOptions& options = {});
  void synchronize();
  /// How calls wait. The default is spinning. The wake-up time of a blocking call is a model; devices that measure always wait in
  /// the same way.
  void set_waiting(Waiting waiting);
  /// Takes no time. `name` says what has been done before. The adjacent calls' times are what the clocks show.
  void read_clock(const std::string& name);
  [[nodiscard]] Result<void> copy_to_host(const gpu::Buffer& buffer, std::span<std::byte> bytes);
  template <class T>
  [[nodiscard]] Result<std::vector<T>> copy_to_host(const gpu::Buffer& buffer) {
    std::vector<T> values(buffer.array.count());
    if (auto done = copy_to_host(buffer, std::as_writable_bytes(std::span<T>(values))); !done) return failure(done.error());
    return values;
  }
  /// Reads mapped memory without waiting. On the virtual GPU only the time is recorded, and the lesson computes the contents from
  /// the launch's trace. On a GPU, a launch with LaunchOptions::read_early has read the memory, and this call marks the time.
  void read_mapped(const gpu::Buffer& buffer);

  /// The launch in a stream that failed after its call had returned; if there are several, the first. Waits for the batch.
  [[nodiscard]] const std::optional<gpu::LaunchReport>& failed_in_stream();

  [[nodiscard]] Stream new_stream();
  /// The memory is pageable if page-locked memory is not available.
  [[nodiscard]] HostArray host_array(const gpu::Array& array, std::span<const std::byte> bytes, HostMemory memory);
  template <class T>
  [[nodiscard]] HostArray host_array(const std::string& name, std::span<const T> values, HostMemory memory) {
    return host_array({name, gpu::scalar_type_of<T>(), {values.size()}}, std::as_bytes(values), memory);
  }
  /// Copies a whole array. Error "cudaErrorInvalidValue": the sizes differ.
  [[nodiscard]] Result<void> copy_async(const gpu::Buffer& to, const HostArray& from, Stream stream = {});
  [[nodiscard]] Result<void> copy_async(const HostArray& to, const gpu::Buffer& from, Stream stream = {});
  [[nodiscard]] Event record(Stream stream = {});
  void wait(Stream stream, Event event);
  void synchronize(Stream stream);
  void synchronize(Event event);
  /// The time from one event to another, in µs of the clock.
  [[nodiscard]] double elapsed(Event from, Event to);
  /// The values of the array. The host must have waited for copies into it, which this call does not check.
  template <class T>
  [[nodiscard]] std::span<const T> read(const HostArray& array) {
    const std::span<const std::byte> bytes = read_bytes(array);
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  void release(const gpu::Buffer& buffer);

  /// The array's present contents for views, without the host reading it. nullptr: not available. Not part of the recorded program.
  [[nodiscard]] gpu::PicturePtr picture(const gpu::Buffer& buffer);

  /// The values of the program's variables, to restore them before the same launch is repeated (gpu/merged_reports.h).
  [[nodiscard]] Result<gpu::SavedVariables> keep_variables();
  [[nodiscard]] Result<void> restore(const gpu::SavedVariables& variables);

  /// While an object of this class exists, calls are executed but neither recorded nor given model time. A lesson uses it for
  /// closer looks that are not part of the host program that it teaches.
  class Unrecorded {
   public:
    explicit Unrecorded(Host& host);
    ~Unrecorded();
    Unrecorded(const Unrecorded&) = delete;
    Unrecorded& operator=(const Unrecorded&) = delete;

   private:
    Host& host_;
    HostClock clock_;
    bool outermost_ = false;
  };

  [[nodiscard]] double now() const;  // µs
  [[nodiscard]] const std::vector<HostCall>& calls() const;
  /// The macros of the last recorded launch.
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& defines() const;
  [[nodiscard]] const std::optional<gpu::CompileFailure>& failure_of_compile() const;
  [[nodiscard]] const gpu::ProgramPtr& program() const;  // the last compiled program; may be nullptr

  /// The device itself, for things that no host program does, like launching another text (check.h). Nothing is recorded.
  [[nodiscard]] gpu::Device& bare_device();

 private:
  [[nodiscard]] std::span<const std::byte> read_bytes(const HostArray& array);

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace warpbook::lessons
