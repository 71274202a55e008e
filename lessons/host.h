// Host: what a CUDA host program has, and a record of what it was asked to do.
//
//     Host host(device, {.kernel_file = "add.cu", .kernel_text = text, .defines = {{"GUARD", "1"}}});
//     auto a = host.to_device("a", std::span<const int>(values));
//     auto out = host.zeros<int>("out", {4096});
//     auto report = host.launch("add", {32}, {128}, {*a, *b, *out, gpu::Scalar::of(4096)});
//     auto result = host.copy_to_host<int>(*out);
//
// Work side by side, in streams (host_clock.h):
//
//     const Stream stream = host.new_stream();
//     auto x = host.host_array("h_x", std::span<const float>(values), HostMemory::pinned);
//     host.copy_async(*d_x, x, stream);                  // returns at once; from pageable memory it waits for its end
//     host.launch("f", {32}, {128}, {*d_x}, {.stream = stream});
//     host.copy_async(x, *d_x, stream);
//     host.synchronize(stream);
//     std::span<const float> result = host.read<float>(x);
//
// Calls keep a clock beside them (µs): a launch returns after its overhead while the kernel goes on; a copy waits for it. On the
// virtual GPU it is a model; on a GPU durations are measured, and put in the order in which a host program would have met them.
//
// On a GPU with streams (gpu/streams.h) work in streams goes on side by side, and its times are measured there. Launches in a
// stream, copies of pinned memory, events and waits for them are kept together until the host waits or needs something else of the
// device (synchronize, read, copy_to_host, elapsed, calls, now, memory, a copy of pageable memory, a new stream …); then they are
// given to the device one right after the other. So make streams and arrays first. A launch in the default stream joins them where
// some are kept. The report of such a launch says only that it was taken (LaunchReport::enqueued); one that prints is waited for.
// What went wrong later is told once, by the next call that has an answer; failed_in_stream() tells it at any time.
// The host's program (host_code.h) is printed from the record; lesson 01's timeline is drawn from it. Only the first 4096 calls
// are kept, and of what was copied the first 64 MiB: a live experiment repeats the same few calls for hours.
// Ownership: buffers live as long as the Host. Errors: the compile's or the launch's sentence.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gpu/device.h"
#include "gpu/orders.h"
#include "gpu/picture.h"
#include "gpu/result.h"
#include "lessons/host_clock.h"

namespace warpbook::lessons {

/// One call of the host program, with its times in µs.
struct HostCall {
  enum class Kind {
    allocate,
    copy_to_device,
    fill,
    launch,
    synchronize,
    copy_to_host,
    read_mapped,
    allocate_host,       // an array of the host's own; `bytes` is what it begins with
    create_stream,       // `stream`
    record_event,        // `event`, in `stream`
    wait_event,          // `stream` waits for `event`
    synchronize_stream,  // the host waits for `stream`
    synchronize_event,   // … for `event`
    read_host,           // the host looks at an array of its own
    set_waiting,         // how the host waits from now on: `what` is "spin" or "block"
    read_clock,          // the host looks at its clocks, the wall's and the one of its CPU time; `what` says after what
    elapsed              // from `from_event` to `event`, which the host asks for
  };
  Kind kind = Kind::launch;
  std::string what;                                     // buffer's or kernel's name
  gpu::Array array;                                     // buffers
  bool mapped = false;                                  // allocate: memory that the host sees as well
  bool symbol = false;                                  // copy_to_device: `what` is a __constant__ or __device__ variable
  std::shared_ptr<const std::vector<std::byte>> bytes;  // copy_to_device: what was copied; empty: too much to keep
  gpu::Dim3 grid, block;                                // launches
  std::uint32_t dynamic_shared_bytes = 0;
  /// As written in a host program: buffer names, scalar literals, structs with their buffers' names in backquotes:
  /// "Matrix{16, 16, `A.elements`}", "reinterpret_cast<Particle*>(`p`)". Empty: a struct whose members the source does not tell.
  std::vector<std::string> arguments;
  double begin = 0, end = 0;                // the host's side of the call
  double device_begin = 0, device_end = 0;  // the device's work, where there is some
  double wait_begin = 0;                    // a call that waits: from here to device_begin or end it only waits
  std::string host_array = {};              // an asynchronous copy: the host's array
  bool pinned = false;                      // allocate_host, and copies of it: page-locked memory
  std::uint32_t stream = 0, event = 0;      // their numbers; stream 0 is the default one, events begin at 1
  std::uint32_t from_event = 0;
};

/// A queue of the device's work, in order. Two of them work side by side. 0: the default stream, which waits for all others, and
/// they for it.
struct Stream {
  std::uint32_t id = 0;
};

/// A point in a stream: it is reached when all that stood before it is done.
struct Event {
  std::uint32_t id = 0;  // from 1
};

enum class HostMemory : std::uint8_t { pageable, pinned };

/// An array of the host's own memory. Pinned (page-locked) memory stays where it is, so that the device's copy engines can work on
/// it while the host goes on. Copies of it share its bytes.
class HostArray {
 public:
  HostArray(gpu::Array array, std::span<const std::byte> bytes, HostMemory memory)
      : array_(std::move(array)), bytes_(std::make_shared<std::vector<std::byte>>(bytes.begin(), bytes.end())), memory_(memory) {}
  [[nodiscard]] const gpu::Array& array() const { return array_; }
  [[nodiscard]] bool pinned() const { return memory_ == HostMemory::pinned; }

 private:
  friend class Host;
  gpu::Array array_;
  std::optional<gpu::Buffer> locked_;  // page-locked memory of a device with streams, which holds its bytes then
  std::shared_ptr<std::vector<std::byte>> bytes_;
  HostMemory memory_;
};

/// How long the host takes for a call that only looks something up: in the driver's tables, or at a flag that the device has set.
/// In µs, a model.
inline constexpr double lookup_us = 0.3;
/// The host's share of a launch's overhead: the driver writes the command, and the launch returns. The device fetching it takes the
/// rest. A model.
inline constexpr double launch_share_of_host = 0.6;

/// What a host does while it waits: it asks again and again, or sleeps until an interrupt wakes it.
enum class Waiting : std::uint8_t { spin, block };

struct LaunchOptions {
  std::uint32_t dynamic_shared_bytes = 0;
  gpu::Observe observe;
  gpu::Schedule schedule = gpu::Schedule::fast;
  std::optional<std::uint64_t> seed;
  std::optional<gpu::Buffer> read_early = {};  // mapped memory that the host reads as soon as the launch has returned
  Stream stream = {};
  double max_seconds = gpu::Limits{}.max_seconds;  // then the report's status is cudaErrorLaunchTimeout
};

class Host {
 public:
  struct Setup {
    std::string kernel_file, kernel_text;
    std::vector<std::pair<std::string, std::string>> defines;
    gpu::Job* job = nullptr;
    gpu::PictureTaker* pictures = nullptr;   // where a window draws from the device's memory
    std::filesystem::path folder = {};       // of the kernel's file, whose headers it may include; empty: none
    std::optional<std::uint64_t> seed = {};  // of what is made anew at each run; empty: by the clock
  };
  Host(gpu::Device& device, Setup setup);
  ~Host();
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  [[nodiscard]] const gpu::DeviceInfo& device() const;
  [[nodiscard]] const std::string& kernel_text() const;
  [[nodiscard]] std::optional<std::uint64_t> seed() const;
  void define(const std::string& name, const std::string& value);  // before the next launch
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
  /// Memory that the host sees as well, without a copy: read_mapped() reads it.
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
  /// All of its elements, or only the first few (gpu/device.h): a host program may copy too little.
  [[nodiscard]] Result<void> write(const gpu::Buffer& buffer, std::span<const std::byte> bytes);

  /// A __constant__ or __device__ variable of the compiled program: all of its bytes.
  [[nodiscard]] Result<void> write_variable(const gpu::Variable& variable, std::span<const std::byte> bytes);

  /// Compiles when the text or the defines have changed; launch() does it by itself.
  [[nodiscard]] Result<gpu::ProgramPtr> compile();
  /// A report that is not ok is a value, not an Error; a compile failure is
  /// an Error with code "compile_error", and failure() has its diagnostics.
  [[nodiscard]] Result<gpu::LaunchReport> launch(const std::string& kernel, gpu::Dim3 grid, gpu::Dim3 block,
                                                 std::vector<gpu::Argument> arguments, const LaunchOptions& options = {});
  void synchronize();
  /// Of the calls that only wait. At first a host spins. What a blocking one needs to wake up is the model's; a device that
  /// measures is waited for in one way.
  void set_waiting(Waiting waiting);
  /// Takes no time; `name` says what has been done by then. The times of the calls beside it are what it read.
  void read_clock(const std::string& name);
  [[nodiscard]] Result<void> copy_to_host(const gpu::Buffer& buffer, std::span<std::byte> bytes);
  template <class T>
  [[nodiscard]] Result<std::vector<T>> copy_to_host(const gpu::Buffer& buffer) {
    std::vector<T> values(buffer.array.count());
    if (auto done = copy_to_host(buffer, std::as_writable_bytes(std::span<T>(values))); !done) return failure(done.error());
    return values;
  }
  /// Reads mapped memory without waiting. On the virtual GPU the moment is recorded, and its contents are the lesson's to work out
  /// from the launch's trace; on a GPU a launch with LaunchOptions::read_early has read it, and here the call takes its place.
  void read_mapped(const gpu::Buffer& buffer);

  /// The launch in a stream that failed after its call had returned: for one of several, the first. Waits for what was given.
  [[nodiscard]] const std::optional<gpu::LaunchReport>& failed_in_stream();

  [[nodiscard]] Stream new_stream();
  /// Pageable where page-locked memory cannot be had.
  [[nodiscard]] HostArray host_array(const gpu::Array& array, std::span<const std::byte> bytes, HostMemory memory);
  template <class T>
  [[nodiscard]] HostArray host_array(const std::string& name, std::span<const T> values, HostMemory memory) {
    return host_array({name, gpu::scalar_type_of<T>(), {values.size()}}, std::as_bytes(values), memory);
  }
  /// Whole arrays of the same size; "cudaErrorInvalidValue" where they are not.
  [[nodiscard]] Result<void> copy_async(const gpu::Buffer& to, const HostArray& from, Stream stream = {});
  [[nodiscard]] Result<void> copy_async(const HostArray& to, const gpu::Buffer& from, Stream stream = {});
  [[nodiscard]] Event record(Stream stream = {});
  void wait(Stream stream, Event event);
  void synchronize(Stream stream);
  void synchronize(Event event);
  /// From one event to another, in µs of the clock.
  [[nodiscard]] double elapsed(Event from, Event to);
  /// The values that a host which has waited finds; whether it has is the caller's to see, by the calls' times.
  template <class T>
  [[nodiscard]] std::span<const T> read(const HostArray& array) {
    const std::span<const std::byte> bytes = read_bytes(array);
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  void release(const gpu::Buffer& buffer);

  /// For views: what the array holds now, without the host reading it. Empty where that cannot be had. No part of the host
  /// program that is taught.
  [[nodiscard]] gpu::PicturePtr picture(const gpu::Buffer& buffer);

  /// What the program's variables hold, to be put back before the same launch is made again (gpu/orders.h).
  [[nodiscard]] Result<gpu::KeptVariables> keep_variables();
  [[nodiscard]] Result<void> put_back(const gpu::KeptVariables& variables);

  /// While it lives, calls are made but neither recorded nor given model time: what a lesson does in order to look closer is no
  /// part of the host program that it teaches.
  class Aside {
   public:
    explicit Aside(Host& host);
    ~Aside();
    Aside(const Aside&) = delete;
    Aside& operator=(const Aside&) = delete;

   private:
    Host& host_;
    HostClock clock_;
    bool outermost_ = false;
  };

  [[nodiscard]] double now() const;  // µs
  [[nodiscard]] const std::vector<HostCall>& calls() const;
  /// The macros that the last recorded launch was compiled with.
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& defines() const;
  [[nodiscard]] const std::optional<gpu::CompileFailure>& failure_of_compile() const;
  [[nodiscard]] const gpu::ProgramPtr& program() const;  // the last one compiled; may be empty

  /// The device itself, for what no host program does: launch another text beside this one (check.h). Nothing is recorded.
  [[nodiscard]] gpu::Device& bare_device();

 private:
  [[nodiscard]] std::span<const std::byte> read_bytes(const HostArray& array);

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace warpbook::lessons
