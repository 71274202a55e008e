#include "lessons/host.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

#include "lessons/argument_literals.h"
#include "lessons/host_impl.h"

namespace warpbook::lessons {
namespace {

std::string sentence(const gpu::CompileFailure& failed) {
  for (const gpu::Diagnostic& d : failed.diagnostics) {
    if (d.severity == gpu::Diagnostic::Severity::error && d.line > 0) return fmt::format("{}({}): {}", d.file, d.line, d.message);
  }
  return failed.message;
}

}  // namespace

Result<void> Host::Impl::compile() {
  if (program && !stale_program) return {};
  auto compiled =
      device.compile({.file = setup.kernel_file, .text = setup.kernel_text, .defines = setup.defines, .folder = setup.folder});
  if (!compiled) {
    compile_failure = std::move(compiled.error());
    return warpbook::failure("compile_error", sentence(*compile_failure));
  }
  compile_failure.reset();
  program = gpu::started_anew(*compiled);  // the compiler caches programs, but variables start anew in each host program
  stale_program = false;
  return {};
}

Host::Host(gpu::Device& device, Setup setup) : impl_(new Impl{.device = device, .setup = std::move(setup)}) {}

Host::~Host() {
  impl_->perform();
  impl_->free_locked(true);
  for (const gpu::Buffer& buffer : impl_->buffers) impl_->free(buffer);
}

Host::Unrecorded::Unrecorded(Host& host)
    : host_(host), clock_((host.impl_->perform(), host.impl_->clock)), outermost_(host.impl_->recording) {
  host_.impl_->recording = false;
}

Host::Unrecorded::~Unrecorded() {
  host_.impl_->perform();
  if (!outermost_) return;
  host_.impl_->recording = true;
  host_.impl_->clock = clock_;
}

const gpu::DeviceInfo& Host::device() const { return impl_->device.info(); }
const std::string& Host::kernel_text() const { return impl_->setup.kernel_text; }
std::optional<std::uint64_t> Host::seed() const { return impl_->setup.seed; }
double Host::now() const {
  impl_->perform();
  return impl_->clock.now;
}
const std::vector<HostCall>& Host::calls() const {
  impl_->perform();
  return impl_->calls;
}
const std::vector<std::pair<std::string, std::string>>& Host::defines() const { return impl_->launched_with; }
const std::optional<gpu::CompileFailure>& Host::failure_of_compile() const { return impl_->compile_failure; }
const gpu::ProgramPtr& Host::program() const { return impl_->program; }
gpu::Device& Host::bare_device() {
  impl_->perform();
  return impl_->device;
}
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
  if (auto settled = impl_->settle(); !settled) return warpbook::failure(settled.error());
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
  if (auto settled = impl_->settle(); !settled) return settled;
  const Stopwatch watch;
  if (auto done = impl_->device.fill(buffer, value); !done) return done;
  HostCall call{.kind = HostCall::Kind::fill, .what = buffer.array.name, .array = buffer.array, .arguments = {literal(value)}};
  if (impl_->measures()) {
    impl_->queue(call, gpu::LaunchTimes{.returned = us(watch)});  // the device's part is not measured
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
  if (auto settled = impl_->settle(); !settled) return settled;
  const Stopwatch watch;
  if (auto done = impl_->device.write(buffer, bytes); !done) return done;
  gpu::Array array = buffer.array;
  if (bytes.size() < array.bytes()) array.shape = {bytes.size() / gpu::size_of(array.type)};
  impl_->record_copy({.kind = HostCall::Kind::copy_to_device, .what = array.name, .array = array}, bytes, watch);
  return {};
}

Result<void> Host::write_variable(const gpu::Variable& variable, std::span<const std::byte> bytes) {
  if (auto settled = impl_->settle(); !settled) return settled;
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

  gpu::LaunchRequest request{.program = impl_->program,
                             .kernel = kernel,
                             .grid = grid,
                             .block = block,
                             .dynamic_shared_bytes = options.dynamic_shared_bytes,
                             .arguments = std::move(arguments),
                             .observe = options.observe,
                             .schedule = options.schedule,
                             .seed = options.seed,
                             .limits = {.max_seconds = options.max_seconds},
                             .read_early = options.read_early};
  const bool in_stream = impl_->batch.possible() && (options.stream.id != 0 || !impl_->batch.empty()) && !options.read_early;
  if (!in_stream) impl_->perform();
  if (std::exchange(impl_->untold, false)) return *impl_->failed;
  if (in_stream) return impl_->launch_in_stream(std::move(call), std::move(request));
  gpu::LaunchReport report = impl_->device.launch(request, impl_->setup.job);
  // The clock schedule knows the kernel's time; otherwise the time that it took here is used.
  if (report.times) {
    impl_->queue(call, *report.times);
  } else {
    impl_->queue(call, Impl::Engine::kernels, report.model_us.value_or(report.run_ms * 1e3));
  }
  impl_->record(std::move(call));
  return report;
}

Result<gpu::SavedVariables> Host::keep_variables() {
  if (auto settled = impl_->settle(); !settled) return warpbook::failure(settled.error());
  if (auto compiled = impl_->compile(); !compiled) return warpbook::failure(compiled.error());
  return gpu::SavedVariables::of(impl_->device, impl_->program);
}

Result<void> Host::restore(const gpu::SavedVariables& variables) {
  if (auto settled = impl_->settle(); !settled) return settled;
  return variables.restore(impl_->device);
}

void Host::synchronize() {
  impl_->perform();
  impl_->wait_until({.kind = HostCall::Kind::synchronize}, impl_->clock.all_done());
}

void Host::set_waiting(Waiting waiting) {
  impl_->perform();
  impl_->waiting = waiting;
  impl_->note({.kind = HostCall::Kind::set_waiting, .what = waiting == Waiting::block ? "block" : "spin"});
}

void Host::read_clock(const std::string& name) {
  const double now = impl_->clock.now;
  HostCall call{.kind = HostCall::Kind::read_clock, .what = name};
  call.begin = call.end = call.wait_begin = now;
  impl_->record(std::move(call));
}

Result<void> Host::copy_to_host(const gpu::Buffer& buffer, std::span<std::byte> bytes) {
  if (auto settled = impl_->settle(); !settled) return settled;
  const Stopwatch watch;
  if (auto done = impl_->device.read(buffer, bytes); !done) return done;
  HostCall call{.kind = HostCall::Kind::copy_to_host, .what = buffer.array.name, .array = buffer.array};
  impl_->copy(call, bytes.size(), watch);
  impl_->record(std::move(call));
  return {};
}

void Host::read_mapped(const gpu::Buffer& buffer) {
  impl_->perform();
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

gpu::PicturePtr Host::picture(const gpu::Buffer& buffer) {
  impl_->perform();
  return impl_->setup.pictures != nullptr ? impl_->setup.pictures->take(buffer) : nullptr;
}

void Host::release(const gpu::Buffer& buffer) {
  impl_->perform();
  impl_->free(buffer);
  std::erase_if(impl_->buffers, [&](const gpu::Buffer& b) { return b.id == buffer.id; });
}

}  // namespace warpbook::lessons
