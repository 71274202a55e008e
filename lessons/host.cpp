#include "lessons/host.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

#include "lessons/argument_words.h"
#include "lessons/experiment.h"

namespace warpbook::lessons {
namespace {

// The host's own costs. A model: round figures of the size that profilers show for CUDA's calls on a desktop machine. What is
// taught with them is their order (a launch returns early, a copy waits), not their digits. What belongs to the device
// (launch overhead, PCIe and memory bandwidth) comes from its DeviceInfo.
constexpr double allocate_us = 10;    // cudaMalloc or cudaHostAlloc of a small array, once the context exists
constexpr double copy_setup_us = 2;   // starting a DMA transfer and learning of its end: what a copy of 4 bytes costs
constexpr double host_gb_per_s = 20;  // one core reading memory that is not in its caches, in order

// For a device that does not state them: a PCIe 3.0 ×16 link's usual rate, and a usual launch overhead.
constexpr double usual_pcie_gb_per_s = 12;
constexpr double usual_launch_us = 3;

constexpr std::size_t most_calls = 4096;
constexpr std::size_t most_bytes = std::size_t{64} << 20;

double us(const Stopwatch& watch) { return watch.seconds() * 1e6; }

/// GB/s are thousand bytes a µs.
double transfer_us(std::size_t bytes, double gb_per_s) { return static_cast<double>(bytes) / (gb_per_s * 1e3); }

std::string sentence(const gpu::CompileFailure& failed) {
  for (const gpu::Diagnostic& d : failed.diagnostics) {
    if (d.severity == gpu::Diagnostic::Severity::error && d.line > 0) return fmt::format("{}({}): {}", d.file, d.line, d.message);
  }
  return failed.message;
}

}  // namespace

struct Host::Impl {
  gpu::Device& device;
  Setup setup;
  HostClock clock{device.info().copy_engines};
  std::vector<double> events;                      // when each is reached
  std::optional<std::pair<double, double>> early;  // when the last launch's read_early was read
  std::vector<HostCall> calls;
  std::size_t bytes_kept = 0;
  std::vector<std::pair<std::string, std::string>> launched_with;  // the macros of the last launch that is recorded
  bool recording = true;
  std::vector<gpu::Buffer> buffers;
  gpu::ProgramPtr program;
  bool stale_program = true;  // the defines have changed since it was compiled
  std::optional<gpu::CompileFailure> compile_failure;

  [[nodiscard]] double pcie() const {
    const double rate = device.info().pcie_gb_per_s;
    return rate > 0 ? rate : usual_pcie_gb_per_s;
  }
  [[nodiscard]] double pageable() const {
    const double rate = device.info().pcie_pageable_gb_per_s;
    return rate > 0 ? rate : pcie();
  }
  [[nodiscard]] double launch_overhead() const {
    const double us = device.info().launch_overhead_us;
    return us > 0 ? us : usual_launch_us;
  }

  void record(HostCall call) {
    if (!recording || calls.size() >= most_calls) return;
    if (call.kind == HostCall::Kind::launch) launched_with = setup.defines;
    calls.push_back(std::move(call));
  }

  /// The bytes of a call are kept as long as there is room.
  void keep(HostCall& call, std::span<const std::byte> bytes) {
    if (!recording || calls.size() >= most_calls || bytes_kept + bytes.size() > most_bytes) return;
    call.bytes = std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end());
    bytes_kept += bytes.size();
  }

  /// A copy to the device that was made.
  void record_copy(HostCall call, std::span<const std::byte> bytes, const Stopwatch& watch) {
    keep(call, bytes);
    copy(call, bytes.size(), watch);
    record(std::move(call));
  }

  [[nodiscard]] bool measures() const { return !device.info().is_model; }

  using Engine = HostClock::Engine;

  /// A launch as it went on a device that measures; behind what the device still had to do.
  void queue(HostCall& call, const gpu::LaunchTimes& times) {
    const double now = clock.now;
    call.begin = now;
    call.end = call.wait_begin = now + times.returned;
    set_device(call, clock.work(call.stream, Engine::kernels, now + times.begin, times.end - times.begin));
    early.reset();
    if (times.read_end > 0) early.emplace(now + times.read_begin, now + times.read_end);
    clock.now = call.end;
  }

  /// Work put into one of the device's queues: the host goes on as soon as the command is written.
  void queue(HostCall& call, Engine engine, double duration) {
    call.begin = clock.now;
    call.end = call.wait_begin = clock.now + launch_share_of_host * launch_overhead();
    set_device(call, clock.work(call.stream, engine, clock.now + launch_overhead(), duration));
    clock.now = call.end;
  }

  /// A copy that the host waits for: until the device has done what came before it, and then for its own end.
  void copy(HostCall& call, std::size_t bytes, const Stopwatch& watch) {
    call.begin = clock.now;
    call.wait_begin = clock.now + (measures() ? 0 : lookup_us);
    const Engine engine = call.kind == HostCall::Kind::copy_to_host ? Engine::to_host : Engine::to_device;
    set_device(call, clock.work(call.stream, engine, call.wait_begin, copy_us(bytes, pageable(), watch)));
    clock.now = call.end = call.device_end;
  }

  void copy_async(HostCall& call, std::size_t bytes, const Stopwatch& watch) {
    if (!call.pinned) return copy(call, bytes, watch);  // the driver moves it through a buffer of its own
    const Engine engine = call.kind == HostCall::Kind::copy_to_host ? Engine::to_host : Engine::to_device;
    queue(call, engine, copy_us(bytes, pcie(), watch));
  }

  [[nodiscard]] double copy_us(std::size_t bytes, double gb_per_s, const Stopwatch& watch) const {
    return measures() ? us(watch) : copy_setup_us + transfer_us(bytes, gb_per_s);
  }

  static void set_device(HostCall& call, HostClock::Span span) {
    call.device_begin = span.begin;
    call.device_end = span.end;
  }

  /// A call that only waits.
  void wait_until(HostCall call, double until) {
    call.begin = clock.now;
    call.wait_begin = clock.now + lookup_us;
    clock.now = call.end = std::max(call.wait_begin, until);
    record(std::move(call));
  }

  /// A call that is over at once.
  void note(HostCall call) {
    call.begin = clock.now;
    call.end = call.wait_begin = clock.now += lookup_us;
    record(std::move(call));
  }

  void free(const gpu::Buffer& buffer) {
    device.release(buffer);
    if (setup.pictures != nullptr) setup.pictures->forget(buffer);
  }

  [[nodiscard]] Result<void> compile() {
    if (program && !stale_program) return {};
    auto compiled =
        device.compile({.file = setup.kernel_file, .text = setup.kernel_text, .defines = setup.defines, .folder = setup.folder});
    if (!compiled) {
      compile_failure = std::move(compiled.error());
      return warpbook::failure("compile_error", sentence(*compile_failure));
    }
    compile_failure.reset();
    program = gpu::started_anew(*compiled);  // the compiler remembers programs; a host program's process does not
    stale_program = false;
    return {};
  }
};

Host::Host(gpu::Device& device, Setup setup) : impl_(new Impl{.device = device, .setup = std::move(setup)}) {}

Host::~Host() {
  for (const gpu::Buffer& buffer : impl_->buffers) impl_->free(buffer);
}

Host::Aside::Aside(Host& host) : host_(host), clock_(host.impl_->clock), outermost_(host.impl_->recording) {
  host_.impl_->recording = false;
}

Host::Aside::~Aside() {
  if (!outermost_) return;
  host_.impl_->recording = true;
  host_.impl_->clock = clock_;
}

const gpu::DeviceInfo& Host::device() const { return impl_->device.info(); }
const std::string& Host::kernel_text() const { return impl_->setup.kernel_text; }
double Host::now() const { return impl_->clock.now; }
const std::vector<HostCall>& Host::calls() const { return impl_->calls; }
const std::vector<std::pair<std::string, std::string>>& Host::defines() const { return impl_->launched_with; }
const std::optional<gpu::CompileFailure>& Host::failure_of_compile() const { return impl_->compile_failure; }
const gpu::ProgramPtr& Host::program() const { return impl_->program; }
gpu::Device& Host::bare_device() { return impl_->device; }
void Host::watch_for_cancel(gpu::Job* job) { impl_->setup.job = job; }

void Host::define(const std::string& name, const std::string& value) {
  auto& defines = impl_->setup.defines;
  const auto found = std::find_if(defines.begin(), defines.end(), [&](const auto& d) { return d.first == name; });
  if (found != defines.end() && found->second == value) return;
  if (found != defines.end()) {
    found->second = value;
  } else {
    defines.emplace_back(name, value);
  }
  impl_->stale_program = true;
}

Result<gpu::Buffer> Host::allocate(const gpu::Array& array, Memory memory) {
  const Stopwatch watch;
  auto buffer = memory == Memory::mapped ? impl_->device.allocate_mapped(array) : impl_->device.allocate(array);
  if (!buffer) return buffer;
  impl_->buffers.push_back(*buffer);
  HostCall call{.kind = HostCall::Kind::allocate, .what = array.name, .array = array, .mapped = memory == Memory::mapped};
  call.begin = impl_->clock.now;
  call.end = call.wait_begin = impl_->clock.now += impl_->measures() ? us(watch) : allocate_us;
  impl_->record(std::move(call));
  return buffer;
}

Result<gpu::Buffer> Host::fill(const std::string& name, std::vector<std::size_t> shape, gpu::Scalar value, Memory memory) {
  auto buffer = allocate({name, value.type, std::move(shape)}, memory);
  if (!buffer) return buffer;
  if (auto done = refill(*buffer, value); !done) return warpbook::failure(done.error());
  return buffer;
}

Result<void> Host::refill(const gpu::Buffer& buffer, gpu::Scalar value) {
  const Stopwatch watch;
  if (auto done = impl_->device.fill(buffer, value); !done) return done;
  HostCall call{.kind = HostCall::Kind::fill, .what = buffer.array.name, .array = buffer.array, .arguments = {literal(value)}};
  if (impl_->measures()) {
    impl_->queue(call, gpu::LaunchTimes{.returned = us(watch)});  // what the device does then is not measured
  } else {
    const double rate = impl_->device.info().memory_gb_per_s;
    impl_->queue(call, Impl::Engine::kernels, rate > 0 ? transfer_us(buffer.array.bytes(), rate) : 0);
  }
  impl_->record(std::move(call));
  return {};
}

Result<gpu::Buffer> Host::to_device(const gpu::Array& array, std::span<const std::byte> bytes) {
  auto buffer = allocate(array);
  if (!buffer) return buffer;
  if (auto done = write(*buffer, bytes); !done) return warpbook::failure(done.error());
  return buffer;
}

Result<void> Host::write(const gpu::Buffer& buffer, std::span<const std::byte> bytes) {
  const Stopwatch watch;
  if (auto done = impl_->device.write(buffer, bytes); !done) return done;
  gpu::Array array = buffer.array;
  if (bytes.size() < array.bytes()) array.shape = {bytes.size() / gpu::size_of(array.type)};
  impl_->record_copy({.kind = HostCall::Kind::copy_to_device, .what = array.name, .array = array}, bytes, watch);
  return {};
}

Result<void> Host::write_variable(const gpu::Variable& variable, std::span<const std::byte> bytes) {
  if (auto compiled = impl_->compile(); !compiled) return warpbook::failure(compiled.error());
  const Stopwatch watch;
  if (auto done = impl_->device.write_variable(impl_->program, variable, bytes); !done) return done;
  impl_->record_copy({.kind = HostCall::Kind::copy_to_device, .what = variable.array.name, .array = variable.array, .symbol = true},
                     bytes, watch);
  return {};
}

Result<gpu::ProgramPtr> Host::compile() {
  if (auto compiled = impl_->compile(); !compiled) return warpbook::failure(compiled.error());
  return impl_->program;
}

Result<gpu::LaunchReport> Host::launch(const std::string& kernel, gpu::Dim3 grid, gpu::Dim3 block,
                                       std::vector<gpu::Argument> arguments, const LaunchOptions& options) {
  if (auto compiled = impl_->compile(); !compiled) return warpbook::failure(compiled.error());
  const gpu::Kernel* const found = impl_->program->find(kernel);
  if (found == nullptr) {
    std::string names;
    for (const gpu::Kernel& k : impl_->program->kernels) names += (names.empty() ? "" : ", ") + k.name;
    return warpbook::failure("missing_kernel",
                             fmt::format("{} has no kernel named {}, which this lesson launches (it has: {}). Give the kernel its "
                                         "name back, with extern \"C\" __global__ before it.",
                                         impl_->setup.kernel_file, kernel, names.empty() ? "none" : names));
  }
  HostCall call{.kind = HostCall::Kind::launch,
                .what = kernel,
                .grid = grid,
                .block = block,
                .dynamic_shared_bytes = options.dynamic_shared_bytes,
                .stream = options.stream.id};
  for (std::size_t i = 0; i < arguments.size(); ++i)
    call.arguments.push_back(written(arguments[i], i < found->parameters.size() ? found->parameters[i] : gpu::Parameter{}));

  gpu::LaunchReport report = impl_->device.launch({.program = impl_->program,
                                                   .kernel = kernel,
                                                   .grid = grid,
                                                   .block = block,
                                                   .dynamic_shared_bytes = options.dynamic_shared_bytes,
                                                   .arguments = std::move(arguments),
                                                   .observe = options.observe,
                                                   .schedule = options.schedule,
                                                   .seed = options.seed,
                                                   .limits = {},
                                                   .read_early = options.read_early},
                                                  impl_->setup.job);
  // The clock schedule knows how long the kernel would take; otherwise the time it took here is all that is known.
  if (report.times) {
    impl_->queue(call, *report.times);
  } else {
    impl_->queue(call, Impl::Engine::kernels, report.model_us.value_or(report.run_ms * 1e3));
  }
  impl_->record(std::move(call));
  return report;
}

Result<gpu::KeptVariables> Host::keep_variables() {
  if (auto compiled = impl_->compile(); !compiled) return warpbook::failure(compiled.error());
  return gpu::KeptVariables::of(impl_->device, impl_->program);
}

Result<void> Host::put_back(const gpu::KeptVariables& variables) { return variables.put_back(impl_->device); }

void Host::synchronize() { impl_->wait_until({.kind = HostCall::Kind::synchronize}, impl_->clock.all_done()); }

Result<void> Host::copy_to_host(const gpu::Buffer& buffer, std::span<std::byte> bytes) {
  const Stopwatch watch;
  if (auto done = impl_->device.read(buffer, bytes); !done) return done;
  HostCall call{.kind = HostCall::Kind::copy_to_host, .what = buffer.array.name, .array = buffer.array};
  impl_->copy(call, bytes.size(), watch);
  impl_->record(std::move(call));
  return {};
}

void Host::read_mapped(const gpu::Buffer& buffer) {
  HostCall call{.kind = HostCall::Kind::read_mapped, .what = buffer.array.name, .array = buffer.array};
  double& now = impl_->clock.now;
  if (impl_->early) {
    std::tie(call.begin, call.end) = *std::exchange(impl_->early, std::nullopt);
    now = std::max(now, call.end);
  } else if (impl_->measures()) {
    const Stopwatch watch;
    const auto seen = impl_->device.mapped(buffer);
    const std::vector<std::byte> values(seen.begin(), seen.end());
    call.begin = now;
    call.end = now += us(watch);
  } else {
    call.begin = now;
    call.end = now += transfer_us(buffer.array.bytes(), host_gb_per_s);
  }
  call.wait_begin = call.end;
  impl_->record(std::move(call));
}

Stream Host::new_stream() {
  const Stream stream{impl_->clock.new_stream()};
  impl_->note({.kind = HostCall::Kind::create_stream, .stream = stream.id});
  return stream;
}

HostArray Host::host_array(const gpu::Array& array, std::span<const std::byte> bytes, HostMemory memory) {
  HostArray made(array, bytes, memory);
  HostCall call{.kind = HostCall::Kind::allocate_host, .what = array.name, .array = array, .pinned = made.pinned()};
  impl_->keep(call, bytes);
  call.begin = impl_->clock.now;
  call.end = call.wait_begin = impl_->clock.now += made.pinned() ? allocate_us : lookup_us;
  impl_->record(std::move(call));
  return made;
}

namespace {

Result<void> same_size(const gpu::Buffer& buffer, const HostArray& array) {
  if (buffer.array.bytes() == array.array().bytes()) return {};
  return warpbook::failure(
      "cudaErrorInvalidValue",
      fmt::format("`{}` has {} bytes and `{}` has {}: they are copied as a whole, so both must be of one size.", buffer.array.name,
                  buffer.array.bytes(), array.array().name, array.array().bytes()));
}

}  // namespace

Result<void> Host::copy_async(const gpu::Buffer& to, const HostArray& from, Stream stream) {
  if (auto fits = same_size(to, from); !fits) return fits;
  const Stopwatch watch;
  if (auto done = impl_->device.write(to, *from.bytes_); !done) return done;
  HostCall call{.kind = HostCall::Kind::copy_to_device,
                .what = to.array.name,
                .array = to.array,
                .host_array = from.array().name,
                .pinned = from.pinned(),
                .stream = stream.id};
  impl_->copy_async(call, from.bytes_->size(), watch);
  impl_->record(std::move(call));
  return {};
}

Result<void> Host::copy_async(const HostArray& to, const gpu::Buffer& from, Stream stream) {
  if (auto fits = same_size(from, to); !fits) return fits;
  const Stopwatch watch;
  if (auto done = impl_->device.read(from, *to.bytes_); !done) return done;
  HostCall call{.kind = HostCall::Kind::copy_to_host,
                .what = from.array.name,
                .array = from.array,
                .host_array = to.array().name,
                .pinned = to.pinned(),
                .stream = stream.id};
  impl_->copy_async(call, to.bytes_->size(), watch);
  impl_->record(std::move(call));
  return {};
}

Event Host::record(Stream stream) {
  impl_->events.push_back(std::max(impl_->clock.done(stream.id), impl_->clock.now + lookup_us));
  const Event event{static_cast<std::uint32_t>(impl_->events.size())};
  impl_->note({.kind = HostCall::Kind::record_event, .stream = stream.id, .event = event.id});
  return event;
}

void Host::wait(Stream stream, Event event) {
  impl_->clock.hold(stream.id, impl_->events.at(event.id - 1));
  impl_->note({.kind = HostCall::Kind::wait_event, .stream = stream.id, .event = event.id});
}

void Host::synchronize(Stream stream) {
  impl_->wait_until({.kind = HostCall::Kind::synchronize_stream, .stream = stream.id}, impl_->clock.done(stream.id));
}

void Host::synchronize(Event event) {
  impl_->wait_until({.kind = HostCall::Kind::synchronize_event, .event = event.id}, impl_->events.at(event.id - 1));
}

double Host::elapsed(Event from, Event to) const { return impl_->events.at(to.id - 1) - impl_->events.at(from.id - 1); }

std::span<const std::byte> Host::read_bytes(const HostArray& array) {
  impl_->note({.kind = HostCall::Kind::read_host, .what = array.array().name, .array = array.array(), .pinned = array.pinned()});
  return *array.bytes_;
}

gpu::PicturePtr Host::picture(const gpu::Buffer& buffer) {
  return impl_->setup.pictures != nullptr ? impl_->setup.pictures->take(buffer) : nullptr;
}

void Host::release(const gpu::Buffer& buffer) {
  impl_->free(buffer);
  std::erase_if(impl_->buffers, [&](const gpu::Buffer& b) { return b.id == buffer.id; });
}

}  // namespace warpbook::lessons
