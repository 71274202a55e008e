#include "gpu/virtual/virtual_device.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <thread>
#include <tuple>

#include "gpu/device_variables.h"
#include "gpu/launch_check.h"
#include "gpu/occupancy.h"
#include "gpu/shown_text.h"
#include "gpu/virtual/declarations.h"
#include "gpu/virtual/ptx/parser.h"
#include "gpu/virtual/vm/code/mark_allocations.h"
#include "gpu/virtual/vm/decode.h"
#include "gpu/virtual/vm/native/native.h"

namespace warpbook::gpu {
namespace {

constexpr std::uint64_t brief_launch = 1 << 15;  // warp-instructions: some 0.1 ms

// Warp-instructions that the clock schedule models of a launch before it may sample: about a second of this machine's time.
constexpr std::uint64_t sample_after = 2'000'000;

constexpr std::size_t programs_kept = 32;  // as one types, every edit is a program

// A kernel must not push the learner's other programs out: its buffers take half of this machine's memory at most, registers and
// local memory a quarter, and so does what is remembered of its accesses.
std::size_t host_memory() {
  // Asked once: it takes as long as half of a small launch.
  static const std::size_t bytes = static_cast<std::size_t>(std::max(1L, sysconf(_SC_PHYS_PAGES))) *
                                   static_cast<std::size_t>(std::max(1L, sysconf(_SC_PAGESIZE)));
  return bytes;
}
std::size_t memory_limit(const Profile& profile) { return std::min(profile.memory_bytes, host_memory() / 2); }
Limits within_this_host(Limits limits) {
  limits.max_warp_bytes = std::min(limits.max_warp_bytes, host_memory() / 4);
  limits.max_race_bytes = std::min(limits.max_race_bytes, host_memory() / 4);
  return limits;
}

/// The kernels' heap, as a launch's observers see it.
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

vm::ClockFigures clock_figures(const Profile& p, unsigned resident_blocks, std::size_t shared_bytes) {
  vm::ClockFigures f;
  f.warps = static_cast<unsigned>(p.warps_per_multiprocessor);
  f.clock_mhz = p.clock_mhz;
  f.multiprocessors = static_cast<unsigned>(p.multiprocessors);
  f.schedulers = static_cast<unsigned>(p.schedulers);
  f.resident_blocks = resident_blocks;
  f.alu = p.latency.alu;
  f.imad = p.latency.imad;
  f.sfu = p.latency.sfu;
  f.fp64 = p.latency.fp64;
  f.shuffle = p.latency.shuffle;
  f.divide32 = p.latency.divide32;
  f.divide64 = p.latency.divide64;
  f.square_root = p.latency.square_root;
  f.shared = p.latency.shared;
  f.l1 = p.latency.l1;
  f.l2 = p.latency.l2;
  f.dram = p.latency.dram;
  f.barrier = p.latency.barrier;
  f.block_start = p.latency.block_start;
  f.dispatch = p.latency.dispatch;
  f.shared_further = p.shared_load.each_further;
  f.pass_cycles = p.pass_cycles;
  f.shared_atomic_first = p.shared_atomic.first;
  f.shared_atomic_further = p.shared_atomic.each_further;
  f.global_atomic_further = p.global_atomic.each_further;
  f.global_atomic_throughput = p.global_atomic_throughput;
  f.l1_bytes_per_cycle = p.l1_bytes_per_cycle;
  f.l2_bytes_per_cycle = p.l2_gb_per_s * 1e3 / p.clock_mhz;
  f.dram_bytes_per_cycle = p.memory_gb_per_s * p.memory_achieved_fraction * 1e3 / p.clock_mhz;
  f.fp32_lanes = p.lanes.fp32;
  f.int32_lanes = p.lanes.int32;
  f.fp64_lanes = p.lanes.fp64;
  f.sfu_lanes = p.lanes.sfu;
  f.load_store_lanes = p.lanes.load_store;
  f.l1_caches_global = p.l1_caches_global;
  const std::size_t shared = resident_blocks * (shared_bytes + p.reserved_shared_per_block);
  f.l1_bytes = p.unified_bytes ? std::min(p.l1_bytes, p.unified_bytes - std::min(shared, p.shared_per_multiprocessor)) : p.l1_bytes;
  f.l2_bytes = p.l2_bytes;
  f.dram_channels = static_cast<unsigned>(p.memory_channels);
  return f;
}

Dim3 index_in(std::uint64_t n, const Dim3& shape) {
  const std::uint64_t plane = std::uint64_t{shape.x} * shape.y;
  return {static_cast<std::uint32_t>(n % shape.x), static_cast<std::uint32_t>(n / shape.x % shape.y),
          static_cast<std::uint32_t>(n / plane)};
}

/// What warps did at each instruction, added to the lines that the instructions came from.
void add_warp_cycles(const std::vector<vm::SiteCycles>& sites, LaunchReport& report) {
  std::map<std::uint32_t, WarpCycles> by_line;
  for (const vm::SiteCycles& site : sites) {
    const auto& code = site.site.function->code;
    const std::uint32_t line = site.site.pc < code.size() ? code[site.site.pc].line : 0;
    if (line == 0) continue;
    for (std::size_t state = 0; state < warp_states; ++state) by_line[line][state] += site.cycles[state];
  }
  for (const auto& [line, cycles] : by_line) {
    auto at = std::lower_bound(report.lines.begin(), report.lines.end(), line,
                               [](const LineCounts& counts, std::uint32_t wanted) { return counts.line < wanted; });
    if (at == report.lines.end() || at->line != line) {
      LineCounts fresh;
      fresh.line = line;
      at = report.lines.insert(at, fresh);
    }
    at->warp_cycles = cycles;
  }
}

}  // namespace

VirtualDevice::VirtualDevice(Compiler& compiler, const Profile& profile)
    : compiler_(compiler),
      profile_(profile),
      in_words_(fmt::format("the {} profile", profile.name)),
      info_(device_info(profile)),
      memory_(memory_limit(profile)),
      set_(vm::best_instruction_set()) {}

tl::expected<ProgramPtr, CompileFailure> VirtualDevice::compile(const Source& source) {
  // NVRTC 13 compiles for compute capability 7.5 and later; the PTX of older profiles' kernels differs in nothing they could use.
  return compiler_.compile(source, {.architecture = std::max(75, profile_.compute_capability), .copies_architecture = 80});
}

Result<Buffer> VirtualDevice::allocate(const Array& array) {
  const auto address = memory_.allocate(array.bytes());
  if (!address) return failure(address.error().code, fmt::format("`{}`: {}", array.name, address.error().message));
  const BufferId id = next_buffer_++;
  buffers_[id] = {.buffer = {id, array}, .address = *address};
  return Buffer{id, array};
}

void VirtualDevice::release(const Buffer& buffer) {
  const auto found = buffers_.find(buffer.id);
  if (found == buffers_.end()) return;
  memory_.release(found->second.address);
  buffers_.erase(found);
  if (buffers_.empty()) memory_.empty_heap();  // a host program has ended: what its kernels got from malloc goes with it
}

std::span<std::byte> VirtualDevice::mapped(const Buffer& buffer) {
  const auto found = buffers_.find(buffer.id);
  if (found == buffers_.end()) return {};
  return {memory_.find(found->second.address).host, found->second.buffer.array.bytes()};
}

Result<void> VirtualDevice::write(const Buffer& buffer, std::span<const std::byte> bytes) {
  const auto memory = mapped(buffer);
  if (memory.size() < bytes.size() || !memory.data())
    return failure("cudaErrorInvalidValue",
                   fmt::format("`{}` holds {} bytes, {} were to be written.", buffer.array.name, memory.size(), bytes.size()));
  if (bytes.data() != memory.data()) std::copy(bytes.begin(), bytes.end(), memory.begin());  // made in place by the host
  Allocated& allocated = buffers_[buffer.id];
  mark_written(buffer, 0, bytes.size());
  allocated.filled = false;
  return {};
}

Result<void> VirtualDevice::read(const Buffer& buffer, std::span<std::byte> bytes) {
  const auto memory = mapped(buffer);
  if (memory.size() != bytes.size() || !memory.data())
    return failure("cudaErrorInvalidValue",
                   fmt::format("`{}` holds {} bytes, {} were to be read.", buffer.array.name, memory.size(), bytes.size()));
  std::copy(memory.begin(), memory.end(), bytes.begin());
  return {};
}

Result<void> VirtualDevice::fill(const Buffer& buffer, Scalar value) {
  const auto memory = mapped(buffer);
  if (!memory.data())
    return failure("cudaErrorInvalidValue", fmt::format("`{}` is not a buffer of this device.", buffer.array.name));
  const std::size_t size = size_of(buffer.array.type);
  for (std::size_t at = 0; at < memory.size(); at += size) std::memcpy(memory.data() + at, &value.bits, size);
  mark_written(buffer);
  buffers_[buffer.id].filled = true;
  return {};
}

std::uint64_t VirtualDevice::address(const Buffer& buffer) const {
  const auto found = buffers_.find(buffer.id);
  return found == buffers_.end() ? 0 : found->second.address;
}

void VirtualDevice::mark_written(const Buffer& buffer) {
  if (const auto found = buffers_.find(buffer.id); found != buffers_.end())
    found->second.written = {{0, found->second.buffer.array.bytes()}};
}

void VirtualDevice::mark_written(const Buffer& buffer, std::uint64_t from, std::uint64_t bytes) {
  const auto found = buffers_.find(buffer.id);
  if (found == buffers_.end() || bytes == 0) return;
  auto& written = found->second.written;
  std::uint64_t to = std::min<std::uint64_t>(from + bytes, found->second.buffer.array.bytes());
  // What it meets becomes one with it.
  auto next = written.upper_bound(from);
  if (next != written.begin() && std::prev(next)->second >= from) from = (--next)->first;
  while (next != written.end() && next->first <= to) {
    to = std::max(to, next->second);
    next = written.erase(next);
  }
  written[from] = to;
}

Result<vm::Extent> VirtualDevice::variable(const ProgramPtr& program, const std::string& name) {
  auto loaded = load(program);
  if (!loaded) return failure(loaded.error());
  const auto& globals = (*loaded)->module.globals;
  for (std::size_t g = 0; g < globals.size(); ++g)
    if (globals[g].name == name && (*loaded)->globals[g]) return memory_.find((*loaded)->globals[g]);
  return failure("cudaErrorInvalidSymbol", fmt::format("{} has no device variable `{}`.", program->source.file, name));
}

Result<void> VirtualDevice::write_variable(const ProgramPtr& program, const Variable& variable, std::span<const std::byte> bytes) {
  auto extent = this->variable(program, variable.symbol);
  if (!extent) return failure(extent.error());
  if (auto fits = check_variable_bytes(variable, extent->high - extent->low, bytes.size()); !fits) return fits;
  std::copy(bytes.begin(), bytes.end(), extent->host);
  Loaded& loaded = *programs_.at(program->id);
  if (loaded.given.insert(variable.symbol).second) loaded.unfilled.clear();
  return {};
}

Result<void> VirtualDevice::read_variable(const ProgramPtr& program, const Variable& variable, std::span<std::byte> bytes) {
  auto extent = this->variable(program, variable.symbol);
  if (!extent) return failure(extent.error());
  if (auto fits = check_variable_bytes(variable, extent->high - extent->low, bytes.size()); !fits) return fits;
  std::copy(extent->host, extent->host + bytes.size(), bytes.begin());
  return {};
}

Result<VirtualDevice::Loaded*> VirtualDevice::load(const ProgramPtr& program) {
  if (const auto found = programs_.find(program->id); found != programs_.end()) return found->second.get();
  auto module = ptx::parse(program->ptx);
  if (!module) return failure(module.error());
  auto loaded = std::make_unique<Loaded>();
  loaded->module = std::move(*module);
  loaded->program = program;
  if (auto placed = place_globals(*loaded); !placed) return failure(placed.error());
  if (programs_.size() >= programs_kept) {  // the oldest goes
    for (const std::uint64_t address : programs_.begin()->second->globals) memory_.release(address);
    for (const auto& [key, decoded] : programs_.begin()->second->decoded) memory_.release(decoded->parameters);
    programs_.erase(programs_.begin());
  }
  return (programs_[program->id] = std::move(loaded)).get();
}

Result<void> VirtualDevice::place_globals(Loaded& loaded) {
  loaded.globals.assign(loaded.module.globals.size(), 0);
  for (std::size_t g = 0; g < loaded.module.globals.size(); ++g) {
    const ptx::Variable& variable = loaded.module.globals[g];
    if (variable.space == ptx::Space::shared) continue;
    const auto address = memory_.allocate(variable.size, variable.space != ptx::Space::constant);
    if (!address) return failure(address.error());
    loaded.globals[g] = *address;
    if (!variable.initial.empty()) std::memcpy(memory_.find(*address).host, variable.initial.data(), variable.initial.size());
  }
  // Addresses inside initialisers, now that all are known.
  for (std::size_t g = 0; g < loaded.module.globals.size(); ++g)
    for (const auto& relocation : loaded.module.globals[g].relocations) {
      const std::uint64_t value = relocation.function
                                      ? vm::function_window + std::uint64_t{relocation.index} * 16
                                      : loaded.globals[relocation.index] + static_cast<std::uint64_t>(relocation.addend);
      std::memcpy(memory_.find(loaded.globals[g]).host + relocation.offset, &value, relocation.bytes);
    }
  return {};
}

Result<VirtualDevice::Loaded::Decoded*> VirtualDevice::decode(Loaded& loaded, const ptx::Function& function, vm::Mode mode,
                                                              bool native) {
  const auto key = std::tuple(function.name, mode, native);
  if (const auto found = loaded.decoded.find(key); found != loaded.decoded.end()) return found->second.get();
  auto decoded = std::make_unique<Loaded::Decoded>();
  std::size_t bytes = 0;
  for (const ptx::Variable& parameter : function.parameters) bytes += parameter.size + parameter.align;
  const auto parameters = memory_.allocate(std::max<std::size_t>(bytes, 1), false);
  if (!parameters) return failure(parameters.error());
  vm::Layout layout = vm::lay_out_shared(loaded.module, function);
  for (std::size_t g = 0; g < loaded.globals.size(); ++g)
    if (loaded.module.globals[g].space != ptx::Space::shared) layout.globals[g] = loaded.globals[g];
  layout.parameters = decoded->parameters = *parameters;
  auto image = vm::decode(loaded.module, function, std::move(layout), mode, set_);
  if (!image) {
    memory_.release(*parameters);
    return failure(image.error());
  }
  decoded->image = std::move(*image);
  if (native) vm::prepare_native_code(decoded->image, mode == vm::Mode::observed ? vm::Observed::yes : vm::Observed::no);
  return (loaded.decoded[key] = std::move(decoded)).get();
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
          fmt::format("{} threads with {} registers each need {} registers; a block of the {} profile has {}. Lower threads per "
                      "block.",
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

void VirtualDevice::describe_memory(const LaunchRequest& request, const Loaded& loaded, const vm::Layout& layout,
                                    vm::LaunchInfo& info) const {
  const Source& source = request.program->source;
  const DeclaredVariables& variables = loaded.variables(source);
  info.source = source.text;
  for (const DeclaredVariable& variable : variables.all())
    if (variable.where == DeclaredVariable::Where::local) info.local_arrays.push_back(variable);
  info.shared_variables = layout.shared_variables;
  for (vm::SharedVariable& variable : info.shared_variables)
    if (variable.dynamic) variable.bytes = request.dynamic_shared_bytes;
  declare_shared(info.shared_variables, variables);
  if (const std::uint32_t bytes = info.reserved_shared_bytes)
    info.shared_variables.push_back({"reserved shared memory", info.shared_bytes - bytes, bytes, 4, false});
  for (const auto& [id, allocated] : buffers_) {
    const Array& array = allocated.buffer.array;
    vm::Allocation allocation;
    allocation.base = allocated.address;
    allocation.bytes = array.bytes();
    allocation.buffer = id;
    allocation.name = array.name;
    allocation.type = array.type;
    allocation.shape = array.shape;
    allocation.contents = {memory_.find(allocated.address).host, allocation.bytes};
    const auto& written = allocated.written;
    const bool all_written = written.size() == 1 && written.begin()->first == 0 && written.begin()->second >= allocation.bytes;
    if (request.observe.init && !all_written && allocation.bytes > 0) {
      allocation.initialised.assign(allocation.bytes, false);
      for (const auto& [from, to] : written)
        std::fill(allocation.initialised.begin() + static_cast<std::ptrdiff_t>(from),
                  allocation.initialised.begin() + static_cast<std::ptrdiff_t>(to), true);
    }
    info.allocations.push_back(std::move(allocation));
  }
  for (std::size_t g = 0; g < loaded.globals.size(); ++g) {
    const ptx::Variable& variable = loaded.module.globals[g];
    if (!loaded.globals[g]) continue;
    vm::Allocation allocation;
    allocation.base = loaded.globals[g];
    allocation.bytes = variable.size;
    declare_global(allocation, variable.name, variables);
    allocation.symbol = variable.name;
    switch (ptx::bytes_of(variable.type)) {
      case 2:
        allocation.type = ScalarType::uint16;
        break;
      case 4:
        allocation.type = variable.type == ptx::Type::f32 ? ScalarType::float32 : ScalarType::int32;
        break;
      case 8:
        allocation.type = variable.type == ptx::Type::f64 ? ScalarType::float64 : ScalarType::int64;
        break;
      default:
        allocation.type = ScalarType::uint8;
        break;
    }
    allocation.shape = {variable.size / size_of(allocation.type)};
    allocation.contents = {memory_.find(allocation.base).host, allocation.bytes};
    allocation.constant = variable.space == ptx::Space::constant;
    info.allocations.push_back(std::move(allocation));
  }
  if (const Kernel* const kernel = request.program->find(request.kernel))
    declare_pointed_to(info.allocations, request.arguments, *kernel, source.text);
  std::sort(info.allocations.begin(), info.allocations.end(), [](const auto& a, const auto& b) { return a.base < b.base; });
}

const DeclaredVariables& VirtualDevice::Loaded::variables(const Source& source) const {
  if (!declared_variables) declared_variables.emplace(source.text, source.defines);
  return *declared_variables;
}

unsigned VirtualDevice::resident_blocks(const Kernel& kernel, std::uint32_t threads, std::uint32_t shared_bytes) const {
  const auto found = occupancy(info_, {.threads_per_block = static_cast<int>(threads),
                                       .registers_per_thread = kernel.registers.value_or(32),
                                       .static_shared_bytes = 0,
                                       .dynamic_shared_bytes = shared_bytes});
  return found ? static_cast<unsigned>(std::max(1, found->blocks)) : 1u;
}

/// Which sets of the caches and which channels an array uses follows from the launch, not from what was allocated before it: the
/// same launch takes the same time. Arguments lie in their order, then everything else.
std::vector<vm::ClockFigures::Placed> VirtualDevice::place(const LaunchRequest& request, const vm::LaunchInfo& info) const {
  std::vector<BufferId> arguments;
  for (const Buffer& buffer : given_buffers(request.arguments)) arguments.push_back(buffer.id);
  const auto rank = [&](const vm::Allocation& a) {
    return std::tuple(std::find(arguments.begin(), arguments.end(), a.buffer) - arguments.begin(), a.buffer,
                      std::string_view(a.name));
  };
  std::vector<const vm::Allocation*> order;
  for (const vm::Allocation& allocation : info.allocations) order.push_back(&allocation);
  std::sort(order.begin(), order.end(), [&](const auto* a, const auto* b) { return rank(*a) < rank(*b); });

  constexpr std::uint64_t between = 1 << 20;  // bytes: whole pages, as cudaMalloc's arrays begin at
  std::vector<vm::ClockFigures::Placed> placed;
  std::uint64_t at = between;
  std::size_t kept = 0;
  for (const vm::Allocation* allocation : order) {
    const auto buffer = buffers_.find(allocation->buffer);
    const bool in_l2 = buffer != buffers_.end() && buffer->second.filled && kept + allocation->bytes <= profile_.l2_bytes;
    if (in_l2) kept += allocation->bytes;
    placed.push_back({allocation->base, allocation->base + allocation->bytes, at, in_l2});
    at += (allocation->bytes / between + 2) * between;
  }
  std::sort(placed.begin(), placed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return placed;
}

void VirtualDevice::run_on_clock(const LaunchRequest& request, vm::Machine& machine, unsigned resident,
                                 const std::function<Result<void>(std::uint64_t)>& rest, LaunchReport& report,
                                 std::vector<vm::SiteCycles>& sites) {
  vm::ClockFigures figures = clock_figures(profile_, resident, machine.shared_bytes - machine.info.reserved_shared_bytes);
  figures.placed = place(request, machine.info);
  std::size_t given = 0;
  for (const Buffer& buffer : given_buffers(request.arguments)) given += buffer.array.bytes();
  figures.writes_back = given > profile_.l2_bytes;
  figures.timeline = request.observe.timeline;
  // A trace tells cycles of every access, a history every step, and blocks of a cooperative launch wait for each other: all are
  // modelled.
  const Observe& observe = request.observe;
  const bool whole = request.cooperative || observe.timeline || observe.history || observe.trace_shared || !observe.trace.empty();
  figures.sample_after = whole ? 0 : sample_after;
  vm::ClockResult result = vm::run_clock(machine, figures);
  if (result.next_block < request.grid.count() && !machine.stop)
    if (auto done = rest(result.next_block); !done) {
      auto fault = std::make_unique<vm::Fault>();
      fault->status = done.error().code;
      fault->message = done.error().message;
      machine.fail(std::move(fault));
    }
  vm::scale_to_launch(result, figures, machine.warp_instructions);
  result.report.profile = profile_.name;
  result.report.theoretical_occupancy =
      static_cast<double>(resident * machine.info.warps_per_block) / profile_.warps_per_multiprocessor;
  report.cycles = result.report.cycles;
  report.model_us = result.report.us;
  report.clock = std::move(result.report);
  sites = std::move(result.sites);
}

LaunchReport VirtualDevice::launch(const LaunchRequest& request, Job* job) {
  LaunchReport report;
  report.device = info_.name;
  report.grid = request.grid;
  report.block = request.block;
  report.kernel = request.kernel;
  const auto fail = [&](const Error& error) {
    report.status = error.code;
    report.message = error.message;
    put_in_sentences(report);
    return report;
  };
  if (!request.program) return fail({"cudaErrorInvalidDeviceFunction", "There is no program to launch: compile one first."});
  const Kernel* kernel = request.program->find(request.kernel);
  if (!kernel)
    return fail({"cudaErrorInvalidDeviceFunction",
                 fmt::format("{} has no kernel named `{}`.", request.program->source.file, request.kernel)});
  report.kernel = kernel->name;
  report.registers = kernel->registers;

  auto loaded = load(request.program);
  if (!loaded) return fail(loaded.error());
  const ptx::Function* function = (*loaded)->module.find(kernel->entry);
  if (!function)
    return fail({"cudaErrorInvalidDeviceFunction",
                 fmt::format("The PTX of {} has no entry `{}`.", request.program->source.file, kernel->entry)});

  std::optional<watch::Watch> watch;
  if (request.observe.any()) watch.emplace(request.observe, within_this_host(request.limits));
  vm::Observer* observer = watch ? watch->observer() : nullptr;
  const bool clocked = request.schedule == Schedule::clock;
  const vm::Mode straight_mode = observer ? vm::Mode::observed : vm::Mode::fast;
  // Native code comes some time, and lets warps go further one by one: a race with a seed must not depend on that.
  const bool native = observer || !request.seed;
  const vm::Mode mode = clocked ? vm::Mode::clocked : request.observe.history ? vm::Mode::recorded : straight_mode;
  auto decoded = decode(**loaded, *function, mode, native && mode == straight_mode);
  if (!decoded) return fail(decoded.error());
  const vm::Image& image = (*decoded)->image;
  const vm::Layout& layout = image.layout;
  const std::uint32_t shared_bytes =
      request.dynamic_shared_bytes ? layout.dynamic_shared_offset + request.dynamic_shared_bytes : layout.static_shared_bytes;
  report.shared_bytes = shared_bytes;
  if (auto checked = check(request, *kernel, *function, shared_bytes); !checked) return fail(checked.error());
  const auto threads = static_cast<std::uint32_t>(request.block.count());
  auto& remembered = (*decoded)->resident;
  if (remembered.threads != threads || remembered.shared_bytes != shared_bytes)
    remembered = {threads, shared_bytes, resident_blocks(*kernel, threads, shared_bytes)};
  const unsigned resident = remembered.blocks;
  const std::uint64_t together = std::uint64_t{resident} * static_cast<unsigned>(profile_.multiprocessors);
  if (request.cooperative && request.grid.count() > together)
    return fail(
        {"cudaErrorCooperativeLaunchTooLarge",
         fmt::format("A cooperative launch needs all its blocks on the GPU at once: {} blocks of {} threads; the {} profile "
                     "holds {} ({} on each of {} multiprocessors). Launch fewer blocks and let each do more.",
                     request.grid.count(), request.block.count(), profile_.name, together, resident, profile_.multiprocessors)});
  if (image.kernel->frame_bytes > vm::max_local_bytes)
    return fail({"cudaErrorInvalidPtx",
                 fmt::format("{}'s own arrays take {} bytes a thread, and a thread has at most {} KB of local memory. Put large "
                             "arrays into a buffer.",
                             kernel->name, image.kernel->frame_bytes, vm::max_local_bytes / 1024)});
  auto parameters = pack(request, *kernel, *function, *image.kernel);
  if (!parameters) return fail(parameters.error());

  vm::Machine machine;
  machine.module = &(*loaded)->module;
  machine.image = &image;
  machine.memory = &memory_;
  machine.info = describe(request, **loaded, *function, layout, shared_bytes);
  if (observer || clocked) describe_memory(request, **loaded, layout, machine.info);
  const Heap heap(memory_);
  if ((*loaded)->module.find("malloc") || memory_.heap_pieces()) machine.info.heap = &heap;
  machine.observer = observer;
  machine.report_changes = request.observe.history != 0;
  machine.report_branches = observer && observer->wants_branches();
  machine.report_loaded_values = observer && observer->wants_loaded_values();
  machine.parameters = std::move(*parameters);
  machine.info.parameters = machine.parameters;
  std::copy(machine.parameters.begin(), machine.parameters.end(), memory_.find(layout.parameters).host);
  machine.dynamic_shared_bytes = request.dynamic_shared_bytes;
  machine.shared_bytes = machine.info.shared_bytes;
  machine.seed = request.seed.value_or(0);
  machine.clock_mhz = profile_.clock_mhz;
  machine.job = job;
  machine.max_seconds = request.limits.max_seconds;
  machine.max_output = request.limits.max_output;
  machine.go_on_after_bad_access = request.observe.memory;
  machine.max_warp_bytes = within_this_host(request.limits).max_warp_bytes;
  if (job) {
    job->blocks_done = 0;
    job->blocks_total = request.grid.count();
  }
  if (observer) {
    vm::mark_allocations(machine.info, image, machine.parameters);
    observer->on_launch(machine.info);
    for (const vm::Allocation& allocation : machine.info.allocations) {
      if (!observer->wants_loads(allocation)) machine.unreported_loads.push_back(allocation.base);
      if (allocation.only_atomics) machine.only_atomics.push_back(allocation.base);
    }
  }

  if (request.cooperative) {
    // What cooperative groups finds through %envreg1 and 2: a size, and the counter that grid.sync() uses.
    constexpr std::uint32_t workspace[2] = {sizeof workspace, 0};
    const auto address = memory_.allocate(sizeof workspace);
    if (!address) return fail(address.error());
    std::memcpy(memory_.find(*address).host, workspace, sizeof workspace);
    machine.grid_workspace = *address;
  }
  machine.began = std::chrono::steady_clock::now();
  // Longer than a century is for ever, and would overflow the clock.
  machine.deadline = machine.began + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                         std::chrono::duration<double>(std::clamp(request.limits.max_seconds, 0.0, 3e9)));
  // A launch that is over sooner than a thread is started needs no second one.
  const bool brief = image.longest_path && *image.longest_path * machine.info.warps_per_block * request.grid.count() < brief_launch;
  const unsigned workers = observer || request.seed || brief ? 1 : std::max(1u, std::thread::hardware_concurrency());
  // More than this many blocks at once would only fill memory with registers of blocks that wait, unless they were promised.
  const std::uint64_t most = request.cooperative ? request.grid.count() : std::min<std::uint64_t>(together / workers, 256);
  const auto at_once = static_cast<unsigned>(std::max<std::uint64_t>(most, 1));
  std::vector<vm::SiteCycles> sites;
  if (clocked) {
    const auto run_rest = [&](std::uint64_t first) -> Result<void> {
      auto straight = decode(**loaded, *function, straight_mode, native);
      if (!straight) return failure(straight.error());
      machine.image = &(*straight)->image;
      std::copy(machine.parameters.begin(), machine.parameters.end(), memory_.find(machine.image->layout.parameters).host);
      vm::run_fast(machine, workers, at_once, first);
      return {};
    };
    run_on_clock(request, machine, resident, run_rest, report, sites);
  } else if (machine.seed) {
    vm::run_in_seeded_order(machine, at_once, request.cooperative);
  } else {
    machine.spare = &(*decoded)->spare;
    vm::run_fast(machine, workers, at_once);
  }
  report.run_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - machine.began).count();
  if (machine.grid_workspace) memory_.release(machine.grid_workspace);
  for (const Argument& argument : request.arguments) {
    if (const auto* buffer = std::get_if<Buffer>(&argument)) mark_written(*buffer);
    if (const auto* structure = std::get_if<Struct>(&argument))
      for (const Struct::Pointer& pointer : structure->pointers) mark_written(pointer.buffer);
  }

  report.thread_instructions = machine.thread_instructions;
  report.warp_instructions = machine.warp_instructions;
  report.output = std::move(machine.output);
  if (watch) watch->report_to(report, !machine.fault);
  const auto [unfilled, first] = (*loaded)->unfilled.try_emplace(kernel->entry);
  if (first) unfilled->second = unfilled_variables(*request.program, *kernel, (*loaded)->given);
  report.unfilled = unfilled->second;
  add_warp_cycles(sites, report);
  if (machine.fault) explain(machine, request, **loaded, report);
  if (buffers_.empty()) memory_.empty_heap();
  put_in_sentences(report);
  return report;
}

/// Where a thread of a launch stands.
static Place place_of(const vm::Machine& machine, const vm::Fault& fault) {
  Place place;
  const ptx::Instruction& instruction = fault.site.instruction();
  place.line = instruction.line;
  place.column = instruction.column;
  if (instruction.file < machine.module->files.size()) place.file = machine.module->files[instruction.file];
  const std::uint64_t thread = std::uint64_t{fault.warp.warp} * vm::lanes + fault.lane;
  place.block = index_in(fault.warp.block, machine.info.grid);
  place.thread = index_in(thread, machine.info.block);
  return place;
}

void VirtualDevice::explain(const vm::Machine& machine, const LaunchRequest& request, const Loaded& loaded,
                            LaunchReport& report) const {
  const vm::Fault& fault = *machine.fault;
  report.status = fault.status;
  report.message = fault.message;
  if (fault.site.function) report.stopped = place_of(machine, fault);
  if (fault.is_access) {
    // The detector that would have reported it says it best.
    Observe memory_only;
    memory_only.memory = true;
    watch::Watch watch(memory_only, request.limits);
    vm::LaunchInfo info = machine.info;
    if (info.allocations.empty()) describe_memory(request, loaded, machine.image->layout, info);
    watch.observer()->on_launch(info);
    watch.observer()->on_access(fault.access);
    LaunchReport seen;
    watch.report_to(seen);
    for (Finding& finding : seen.findings) {
      report.message = finding.message;
      report.findings.push_back(std::move(finding));
    }
    return;
  }
  if (fault.status == "cudaErrorLaunchTimeout" && fault.from_outside) {
    report.message = fmt::format("The launch ran longer than {:g} s and was stopped{}{}. Does every loop end?",
                                 request.limits.max_seconds, fault.message.empty() ? "" : "; at that moment ", fault.message);
    return;
  }
  if (!report.stopped || fault.from_outside) return;
  const Place& at = *report.stopped;
  // What free complains about is a finding of memory, as an access is.
  if (fault.status == "cudaErrorIllegalAddress" && request.observe.memory) {
    report.findings.push_back({.kind = FindingKind::memory,
                               .space = "global",
                               .message = fault.message,
                               .at = at,
                               .buffer = {},
                               .index = {},
                               .other = {}});
    report.observed[FindingKind::memory] = Observation::observed;
  }
  report.message += fmt::format(" (Thread {} of block {}.)", to_string(at.thread), to_string(at.block));
}

Result<std::unique_ptr<Device>> make_virtual_device(Compiler& compiler, const std::string& profile) {
  const Profile* found = find_profile(profile);
  if (found) return std::make_unique<VirtualDevice>(compiler, *found);
  std::string names;
  for (const Profile& p : profiles()) names += (names.empty() ? "" : ", ") + std::string(p.name);
  return failure("unknown_profile", fmt::format("There is no profile '{}'. The virtual GPU has these: {}.", profile, names));
}

}  // namespace warpbook::gpu
