// A launch of the virtual GPU: checked, set up, executed, reported.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "gpu/device_variables.h"
#include "gpu/launch_check.h"
#include "gpu/occupancy.h"
#include "gpu/shown_text.h"
#include "gpu/virtual/host_memory.h"
#include "gpu/virtual/virtual_device.h"
#include "gpu/virtual/vm/code/mark_allocations.h"

namespace warpbook::gpu {
namespace {

constexpr std::uint64_t brief_launch = 1 << 15;  // warp-instructions: some 0.1 ms

/// Registers and local memory take a quarter of this machine's memory at most, and so does what the race detector remembers.
Limits within_this_host(Limits limits) {
  limits.max_warp_bytes = std::min(limits.max_warp_bytes, host_memory() / 4);
  limits.max_race_bytes = std::min(limits.max_race_bytes, host_memory() / 4);
  return limits;
}

}  // namespace

/// One launch, from its request to its report.
class VirtualDevice::Launch {
 public:
  Launch(VirtualDevice& device, const LaunchRequest& request, Job* job)
      : device_(device), request_(request), job_(job), heap_(device.memory_) {
    report_.device = device.info_.name;
    report_.grid = request.grid;
    report_.block = request.block;
    report_.kernel = request.kernel;
  }

  LaunchReport run() {
    if (auto ready = prepare(); !ready) return refused(ready.error());
    if (auto ready = set_up(); !ready) return refused(ready.error());
    execute();
    return report();
  }

 private:
  /// The device heap, as a launch's observers see it.
  class Heap : public vm::HeapBlocks {
   public:
    explicit Heap(const vm::Memory& memory) : memory_(memory), before_(memory.heap_pieces()) {}
    [[nodiscard]] std::optional<vm::HeapBlock> nearest(std::uint64_t address) const override {
      const vm::Heap::Piece piece = memory_.heap_piece(address);
      if (piece.state == vm::Heap::Block::none) return std::nullopt;
      return vm::HeapBlock{.base = piece.low,
                           .bytes = piece.bytes,
                           .number = piece.number,
                           .line = piece.line,
                           .freed_line = piece.released_line,
                           .freed = piece.state == vm::Heap::Block::freed,
                           .from_before = piece.number <= before_};
    }

   private:
    const vm::Memory& memory_;
    std::uint64_t before_;
  };

  Result<void> find_kernel();
  Result<void> prepare();
  Result<void> check_residency();
  Result<void> set_up();
  Result<void> set_up_grid_workspace();
  void set_up_observer();
  void execute();
  LaunchReport report();
  void add_removed_code();
  LaunchReport refused(const Error& error) {
    report_.status = error.code;
    report_.message = as_it_is(error.message);
    put_in_sentences(report_);
    return std::move(report_);
  }
  [[nodiscard]] bool clocked() const { return request_.schedule == Schedule::clock; }
  /// How its instructions execute where no clock performs them later.
  [[nodiscard]] vm::Mode straight_mode() const { return observer_ ? vm::Mode::observed : vm::Mode::fast; }
  /// Native code comes some time, and lets warps go further one by one: a race with a seed must not depend on that.
  [[nodiscard]] bool native() const { return observer_ || !request_.seed; }
  [[nodiscard]] const vm::Image& image() const { return decoded_->image; }

  VirtualDevice& device_;
  const LaunchRequest& request_;
  Job* job_;
  LaunchReport report_;
  const Kernel* kernel_ = nullptr;
  Loaded* loaded_ = nullptr;
  const ptx::Function* function_ = nullptr;
  std::optional<watch::Watch> watch_;
  vm::Observer* observer_ = nullptr;
  Loaded::Decoded* decoded_ = nullptr;
  std::uint32_t shared_bytes_ = 0;
  unsigned resident_ = 0;                 // blocks on one multiprocessor
  std::uint64_t resident_on_device_ = 0;  // blocks on all of them
  Heap heap_;
  vm::Machine machine_;
  std::vector<vm::SiteCycles> sites_;
};

LaunchReport VirtualDevice::launch(const LaunchRequest& request, Job* job) { return Launch(*this, request, job).run(); }

Result<void> VirtualDevice::Launch::find_kernel() {
  if (!request_.program) return failure("cudaErrorInvalidDeviceFunction", "There is no program to launch: compile one first.");
  kernel_ = request_.program->find(request_.kernel);
  if (!kernel_)
    return failure("cudaErrorInvalidDeviceFunction",
                   fmt::format("{} has no kernel named `{}`.", request_.program->source.file, request_.kernel));
  report_.kernel = kernel_->name;
  report_.registers = kernel_->registers;
  auto loaded = device_.load(request_.program);
  if (!loaded) return failure(loaded.error());
  loaded_ = *loaded;
  function_ = loaded_->module.find(kernel_->entry);
  if (!function_)
    return failure("cudaErrorInvalidDeviceFunction",
                   fmt::format("The PTX of {} has no entry `{}`.", request_.program->source.file, kernel_->entry));
  return {};
}

Result<void> VirtualDevice::Launch::prepare() {
  if (auto found = find_kernel(); !found) return found;
  if (request_.observe.any()) watch_.emplace(request_.observe, within_this_host(request_.limits));
  observer_ = watch_ ? watch_->observer() : nullptr;
  const vm::Mode mode = clocked() ? vm::Mode::clocked : request_.observe.history ? vm::Mode::recorded : straight_mode();
  auto decoded = device_.decode(*loaded_, *function_, mode, native() && mode == straight_mode());
  if (!decoded) return failure(decoded.error());
  decoded_ = *decoded;
  const vm::Layout& layout = image().layout;
  shared_bytes_ =
      request_.dynamic_shared_bytes ? layout.dynamic_shared_offset + request_.dynamic_shared_bytes : layout.static_shared_bytes;
  report_.shared_bytes = shared_bytes_;
  if (auto checked = device_.check(request_, *kernel_, *function_, shared_bytes_); !checked) return checked;
  if (auto resident = check_residency(); !resident) return resident;
  if (image().kernel->frame_bytes > vm::max_local_bytes)
    return failure("cudaErrorInvalidPtx",
                   fmt::format("{}'s own arrays take {} bytes a thread, and a thread has at most {} KB of local memory. Put large "
                               "arrays into a buffer.",
                               kernel_->name, image().kernel->frame_bytes, vm::max_local_bytes / 1024));
  auto parameters = device_.pack(request_, *kernel_, *function_, *image().kernel);
  if (!parameters) return failure(parameters.error());
  machine_.parameters = std::move(*parameters);
  return {};
}

Result<void> VirtualDevice::Launch::check_residency() {
  const auto threads = static_cast<std::uint32_t>(request_.block.count());
  auto& remembered = decoded_->resident;
  if (remembered.threads != threads || remembered.shared_bytes != shared_bytes_)
    remembered = {threads, shared_bytes_, device_.resident_blocks(*kernel_, threads, shared_bytes_)};
  resident_ = remembered.blocks;
  resident_on_device_ = std::uint64_t{resident_} * static_cast<unsigned>(device_.profile_.multiprocessors);
  if (!request_.cooperative || request_.grid.count() <= resident_on_device_) return {};
  return failure(
      "cudaErrorCooperativeLaunchTooLarge",
      fmt::format("A cooperative launch needs all its blocks on the GPU at once: {} blocks of {} threads; the {} profile "
                  "holds {} ({} on each of {} multiprocessors). Launch fewer blocks and let each do more.",
                  request_.grid.count(), request_.block.count(), device_.profile_.name, resident_on_device_, resident_,
                  device_.profile_.multiprocessors));
}

Result<void> VirtualDevice::Launch::set_up() {
  vm::Machine& machine = machine_;
  const vm::Layout& layout = image().layout;
  machine.module = &loaded_->module;
  machine.image = &image();
  machine.memory = &device_.memory_;
  machine.info = describe(request_, *loaded_, *function_, layout, shared_bytes_);
  if (observer_ || clocked()) device_.describe_memory(request_, *loaded_, layout, machine.info);
  if (loaded_->module.find("malloc") || device_.memory_.heap_pieces()) machine.info.heap = &heap_;
  machine.info.parameters = machine.parameters;
  std::copy(machine.parameters.begin(), machine.parameters.end(), device_.memory_.find(layout.parameters).host);
  machine.dynamic_shared_bytes = request_.dynamic_shared_bytes;
  machine.shared_bytes = machine.info.shared_bytes;
  machine.seed = request_.seed.value_or(0);
  machine.clock_mhz = device_.profile_.clock_mhz;
  machine.job = job_;
  machine.max_seconds = request_.limits.max_seconds;
  machine.max_output = request_.limits.max_output;
  machine.go_on_after_bad_access = request_.observe.memory;
  machine.max_warp_bytes = within_this_host(request_.limits).max_warp_bytes;
  if (job_) {
    job_->blocks_done = 0;
    job_->blocks_total = request_.grid.count();
  }
  if (observer_) set_up_observer();
  return request_.cooperative ? set_up_grid_workspace() : Result<void>{};
}

void VirtualDevice::Launch::set_up_observer() {
  machine_.observer = observer_;
  machine_.report_changes = request_.observe.history != 0;
  machine_.report_branches = observer_->wants_branches();
  machine_.report_loaded_values = observer_->wants_loaded_values();
  vm::mark_allocations(machine_.info, image(), machine_.parameters);
  observer_->on_launch(machine_.info);
  for (const vm::Allocation& allocation : machine_.info.allocations) {
    if (!observer_->wants_loads(allocation)) machine_.unreported_loads.push_back(allocation.base);
    if (allocation.only_atomics) machine_.only_atomics.push_back(allocation.base);
  }
}

/// What cooperative groups finds through %envreg1 and 2: a size, and the counter that grid.sync() uses.
Result<void> VirtualDevice::Launch::set_up_grid_workspace() {
  constexpr std::uint32_t workspace[2] = {sizeof workspace, 0};
  const auto address = device_.memory_.allocate(sizeof workspace);
  if (!address) return failure(address.error());
  std::memcpy(device_.memory_.find(*address).host, workspace, sizeof workspace);
  machine_.grid_workspace = *address;
  return {};
}

void VirtualDevice::Launch::execute() {
  vm::Machine& machine = machine_;
  machine.began = std::chrono::steady_clock::now();
  // Longer than a century is for ever, and would overflow the clock.
  machine.deadline = machine.began + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                         std::chrono::duration<double>(std::clamp(request_.limits.max_seconds, 0.0, 3e9)));
  const std::uint64_t blocks = request_.grid.count();
  // A launch that is over sooner than a thread is started needs no second one.
  const bool brief = image().longest_path && *image().longest_path * machine.info.warps_per_block * blocks < brief_launch;
  const unsigned workers = observer_ || request_.seed || brief ? 1 : std::max(1u, std::thread::hardware_concurrency());
  // More than this many blocks at once would only fill memory with registers of blocks that wait, unless they were promised.
  const std::uint64_t most = request_.cooperative ? blocks : std::min<std::uint64_t>(resident_on_device_ / workers, 256);
  const auto at_once = static_cast<unsigned>(std::max<std::uint64_t>(most, 1));
  if (clocked()) {
    const auto run_rest = [&](std::uint64_t first) -> Result<void> {
      auto straight = device_.decode(*loaded_, *function_, straight_mode(), native());
      if (!straight) return failure(straight.error());
      machine.image = &(*straight)->image;
      std::copy(machine.parameters.begin(), machine.parameters.end(), device_.memory_.find(machine.image->layout.parameters).host);
      vm::run_fast(machine, workers, at_once, first);
      return {};
    };
    device_.run_on_clock(request_, machine, resident_, run_rest, report_, sites_);
  } else if (machine.seed) {
    vm::run_in_seeded_order(machine, at_once, request_.cooperative);
  } else {
    machine.spare = &decoded_->spare;
    vm::run_fast(machine, workers, at_once);
  }
  report_.run_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - machine.began).count();
}

LaunchReport VirtualDevice::Launch::report() {
  if (machine_.grid_workspace) device_.memory_.release(machine_.grid_workspace);
  for (const Argument& argument : request_.arguments) {
    if (const auto* buffer = std::get_if<Buffer>(&argument)) device_.mark_written(*buffer);
    if (const auto* structure = std::get_if<Struct>(&argument))
      for (const Struct::Pointer& pointer : structure->pointers) device_.mark_written(pointer.buffer);
  }
  report_.thread_instructions = machine_.thread_instructions;
  report_.warp_instructions = machine_.warp_instructions;
  report_.output = std::move(machine_.output);
  if (watch_) {
    watch_->report_to(report_, !machine_.fault);
    add_removed_code();
  }
  const auto [unfilled, first] = loaded_->unfilled.try_emplace(kernel_->entry);
  if (first) unfilled->second = unfilled_variables(*request_.program, *kernel_, loaded_->given);
  report_.unfilled = unfilled->second;
  add_warp_cycles(sites_, report_);
  if (machine_.fault) device_.explain(machine_, request_, *loaded_, report_);
  if (device_.buffers_.empty()) device_.memory_.empty_heap();
  put_in_sentences(report_);
  return std::move(report_);
}

void VirtualDevice::Launch::add_removed_code() {
  const auto [found, first] = loaded_->removed.try_emplace(kernel_->entry);
  RemovedCode& removed = found->second;
  const Source& source = request_.program->source;
  if (first) removed = removed_code(*kernel_, *function_, machine_.info.shared_variables, loaded_->variables(source), source.text);
  report_.remarks.insert(report_.remarks.end(), removed.sentences.begin(), removed.sentences.end());
  if (!removed.everything) return;
  std::ranges::replace(report_.observed.of, Observation::none_found, Observation::not_observed);
}

Result<void> VirtualDevice::check(const LaunchRequest& request, const Kernel& kernel, const ptx::Function& function,
                                  std::uint32_t shared_bytes) const {
  const Dim3 block = request.block, grid = request.grid;
  const std::string_view profile = profile_.name;
  const auto invalid = [&](std::string what) { return failure("cudaErrorInvalidConfiguration", std::move(what)); };
  if (auto fits = check_shape(info_, request, in_words_); !fits) return fits;
  if (grid.count() > 0xffffffffull)
    return invalid(
        fmt::format("{} blocks are more than the virtual GPU counts (2^32). Give every thread more work.", grid.count()));
  const std::uint32_t declared = function.required_threads ? function.required_threads : function.max_threads;
  if (declared && block.count() > declared)
    return invalid(fmt::format("{} threads in a block; __launch_bounds__ of `{}` promises at most {}. Lower threads per block.",
                               block.count(), kernel.name, declared));
  if (const int registers = kernel.registers.value_or(0); registers > 0) {
    // Registers are given out by whole warps.
    const std::uint64_t needed = (block.count() + 31) / 32 * 32 * static_cast<std::uint64_t>(registers);
    if (needed > static_cast<std::uint64_t>(profile_.registers_per_block))
      return failure(
          "cudaErrorLaunchOutOfResources",
          fmt::format(
              "{} threads with {} registers each need {} registers; a block of the {} profile has {}. Lower threads per "
              "block, or let __launch_bounds__ tell the compiler how many threads a block has: it then uses fewer registers.",
              block.count(), registers, needed, profile, profile_.registers_per_block));
  }
  if (shared_bytes > info_.shared_per_block_optin)
    return failure("cudaErrorInvalidValue",
                   fmt::format("{} bytes of shared memory a block; the {} profile has {}. Use a smaller tile.", shared_bytes,
                               profile, info_.shared_per_block_optin));
  return {};
}

Result<std::vector<std::byte>> VirtualDevice::pack(const LaunchRequest& request, const Kernel& kernel,
                                                   const ptx::Function& function, const vm::Code& code) const {
  std::vector<ParameterSlot> slots;
  for (std::size_t p = 0; p < function.parameters.size(); ++p)
    slots.push_back({code.parameter_offsets[p], function.parameters[p].size});
  auto packed = pack_arguments(kernel, request.arguments, slots, [&](const Buffer& buffer) -> std::optional<std::uint64_t> {
    const auto found = buffers_.find(buffer.id);
    if (found == buffers_.end()) return std::nullopt;
    return found->second.address;
  });
  if (packed) packed->resize(code.parameter_bytes);
  return packed;
}

vm::LaunchInfo VirtualDevice::describe(const LaunchRequest& request, const Loaded& loaded, const ptx::Function& function,
                                       const vm::Layout& layout, std::uint32_t shared_bytes) {
  vm::LaunchInfo info;
  info.module = &loaded.module;
  info.kernel = &function;
  info.grid = request.grid;
  info.block = request.block;
  info.threads_per_block = static_cast<std::uint32_t>(request.block.count());
  info.warps_per_block = (info.threads_per_block + vm::lanes - 1) / vm::lanes;
  info.reserved_shared_bytes = layout.uses_reserved_shared ? vm::reserved_shared_bytes : 0;
  info.shared_bytes = info.reserved_shared_bytes ? (shared_bytes + 15) / 16 * 16 + info.reserved_shared_bytes : shared_bytes;
  info.schedule = request.schedule;
  return info;
}

unsigned VirtualDevice::resident_blocks(const Kernel& kernel, std::uint32_t threads, std::uint32_t shared_bytes) const {
  const auto found = occupancy(info_, {.threads_per_block = static_cast<int>(threads),
                                       .registers_per_thread = kernel.registers.value_or(32),
                                       .static_shared_bytes = 0,
                                       .dynamic_shared_bytes = shared_bytes});
  return found ? static_cast<unsigned>(std::max(1, found->blocks)) : 1u;
}

}  // namespace warpbook::gpu
