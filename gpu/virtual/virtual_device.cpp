#include "gpu/virtual/virtual_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <tuple>

#include "gpu/device_variables.h"
#include "gpu/occupancy.h"
#include "gpu/virtual/host_memory.h"
#include "gpu/virtual/ptx/parser.h"
#include "gpu/virtual/vm/decode.h"
#include "gpu/virtual/vm/native/native.h"

namespace warpbook::gpu {
namespace {

constexpr std::size_t programs_kept = 32;  // as one types, every edit is a program

// A kernel must not push the learner's other programs out: its buffers take half of this machine's memory at most.
std::size_t memory_limit(const Profile& profile) { return std::min(profile.memory_bytes, host_memory() / 2); }
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
  const auto address =
      places_.buffers.empty() ? memory_.allocate(array.bytes()) : memory_.allocate_at(places_.buffers.back(), array.bytes());
  if (!places_.buffers.empty()) places_.buffers.pop_back();
  if (!address) return failure(address.error().code, fmt::format("`{}`: {}", array.name, address.error().message));
  const BufferId id = next_buffer_++;
  buffers_[id] = {.buffer = {id, array}, .address = *address};
  return Buffer{id, array};
}

void VirtualDevice::release(const Buffer& buffer) {
  const auto found = buffers_.find(buffer.id);
  if (found == buffers_.end()) return;
  memory_.release(found->second.address);
  const Array& array = found->second.buffer.array;
  freed_.push_back({.base = found->second.address, .bytes = array.bytes(), .name = array.name});
  if (freed_.size() > vm::Memory::kept_free) freed_.pop_front();
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

std::vector<std::pair<std::uint64_t, std::uint64_t>> VirtualDevice::written(const Buffer& buffer) const {
  const auto found = buffers_.find(buffer.id);
  if (found == buffers_.end()) return {};
  return {found->second.written.begin(), found->second.written.end()};
}

Result<std::vector<VirtualDevice::Placed>> VirtualDevice::variables(const ProgramPtr& program) {
  auto loaded = load(program);
  if (!loaded) return failure(loaded.error());
  std::vector<Placed> placed;
  const auto& globals = (*loaded)->module.globals;
  for (std::size_t g = 0; g < globals.size(); ++g)
    if ((*loaded)->globals[g])
      placed.push_back({globals[g].name, (*loaded)->globals[g], globals[g].size, globals[g].space == ptx::Space::constant});
  return placed;
}

void VirtualDevice::place(Places places) {
  places_ = std::move(places);
  std::reverse(places_.buffers.begin(), places_.buffers.end());
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
    const bool writable = variable.space != ptx::Space::constant;
    const auto wanted = places_.variables.find(variable.name);
    const auto address = wanted == places_.variables.end() ? memory_.allocate(variable.size, writable)
                                                           : memory_.allocate_at(wanted->second, variable.size, writable);
    if (!address) return failure(address.error());
    if (wanted != places_.variables.end()) places_.variables.erase(wanted);
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

const DeclaredVariables& VirtualDevice::Loaded::variables(const Source& source) const {
  if (!declared_variables) declared_variables.emplace(source.text, source.defines);
  return *declared_variables;
}

Result<std::unique_ptr<Device>> make_virtual_device(Compiler& compiler, const std::string& profile) {
  const Profile* found = find_profile(profile);
  if (found) return std::make_unique<VirtualDevice>(compiler, *found);
  std::string names;
  for (const Profile& p : profiles()) names += (names.empty() ? "" : ", ") + std::string(p.name);
  return failure("unknown_profile", fmt::format("There is no profile '{}'. The virtual GPU has these: {}.", profile, names));
}

}  // namespace warpbook::gpu
