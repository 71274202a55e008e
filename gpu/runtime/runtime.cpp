#include "gpu/runtime/runtime.h"

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "gpu/finding_kinds.h"
#include "gpu/runtime/calls.h"
#include "gpu/runtime/crash.h"
#include "gpu/runtime/recorder.h"

namespace warpbook::cudart {
namespace {

// The virtual GPU's memory is far below this process's own memory, and far above a program that is not position-independent.
constexpr std::uint64_t device_addresses_end = gpu::vm::global_base << 8;

constexpr std::uint64_t most_allocations_told = 100'000;

std::string environment(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value ? value : otherwise;
}

/// Costs are observed only where they are named: "all" means all mistakes. `warpbook exec` has checked the list; a list that was
/// set by hand and names something else ends the program, since it must not pass for one in which nothing was found.
gpu::Observe observers(const std::string& list) {
  if (list.empty()) return {};
  Result<gpu::Observe> observe = gpu::observe_named(list);
  if (!observe) {
    std::fprintf(stderr, "WARPBOOK_OBSERVE: %s\n", observe.error().message.c_str());
    std::_Exit(gpu::program_not_run_status);
  }
  if (list == "all")
    for (const gpu::FindingRow& row : gpu::all_finding_kinds()) (*observe)[row.kind] = row.group == gpu::FindingGroup::mistake;
  return *observe;
}

}  // namespace

void not_run(const std::string& what) {
  std::fflush(nullptr);
  Runtime& state = runtime();
  if (gpu::ProgramJournal* const journal = state.journal())
    journal->add({{"kind", "not_run"}, {"message", what}, {"call", current_call()}, {"at", call_place()}});
  else
    std::fprintf(stderr, "warpbook: not run: %s\n", what.c_str());
  _exit(gpu::program_not_run_status);
}

Runtime& runtime() {
  static Runtime* const one = [] {
    auto* made = new Runtime;  // never destroyed, because the program's static destructors may still call CUDA
    pthread_atfork([] { runtime().mutex.lock(); }, [] { runtime().mutex.unlock(); }, [] { runtime().begin_child(); });
    std::atexit([] { runtime().end(); });
    return made;
  }();
  return *one;
}

Runtime::Runtime() : observe_(observers(environment("WARPBOOK_OBSERVE", ""))) {
  if (environment("WARPBOOK_SCHEDULE", "fast") == "clock") schedule_ = gpu::Schedule::clock;
  if (const std::string seed = environment("WARPBOOK_SEED", ""); !seed.empty()) seed_ = std::strtoull(seed.c_str(), nullptr, 10);
  launch_seconds_ = std::atof(environment("WARPBOOK_LAUNCH_SECONDS", "1e6").c_str());
  print_statistics_ = environment("WARPBOOK_STATISTICS", "0") == "1";
}

Runtime::~Runtime() = default;

gpu::VirtualDevice& Runtime::device() {
  if (!device_) {
    const std::string profile = environment("WARPBOOK_PROFILE", "A40");
    const gpu::Profile* found = gpu::find_profile(profile);
    if (!found) not_run(fmt::format("There is no profile {}. 'warpbook devices' lists them.", profile));
    device_ = std::make_unique<gpu::VirtualDevice>(compiler_, *found);
    device_->keep_released();
  }
  return *device_;
}

gpu::ProgramJournal* Runtime::journal() {
  if (journal_ || no_journal_) return journal_.get();
  if (const char* folder = std::getenv(gpu::journal_variable); folder && *folder) journal_ = gpu::ProgramJournal::create(folder);
  no_journal_ = !journal_;
  tell_crashes(journal_.get());
  return journal_.get();
}

Recorder* Runtime::recorder() {
  if (!recorder_ && !no_recorder_) {
    recorder_ = Recorder::create();
    no_recorder_ = !recorder_;
  }
  return recorder_.get();
}

void Runtime::begin_child() {
  new (&mutex) std::recursive_mutex;  // the parent's thread may hold it, and does not exist in this process
  (void)journal_.release();           // it belongs to the parent, which continues to write it
  (void)recorder_.release();
  tell_crashes(nullptr);
  no_journal_ = no_recorder_ = false;
  guard_.forget_all();
  allocations_.clear();
  if (device_) lost_ = cudaErrorInitializationError;  // as in CUDA: a device cannot be used after fork()
}

void Runtime::end() {
  const std::lock_guard lock(mutex);
  if (journal_)
    for (const auto& [address, allocation] : allocations_)
      journal_->add({{"kind", "leak"}, {"allocation", allocation.number}, {"bytes", allocation.buffer.array.bytes()}});
  if (!print_statistics_) return;
  for (const auto& [name, cost] : statistics_)
    std::fprintf(stderr, "warpbook: cost: %s: %llu launches, %.1f ms, %.3f G thread-instructions a second\n", name.c_str(),
                 static_cast<unsigned long long>(cost.launches), cost.run_ms,
                 static_cast<double>(cost.thread_instructions) / cost.run_ms / 1e6);
}

Module* Runtime::add_module(const void* fat_binary) {
  (void)journal();  // records that the program has loaded the library, even without any call
  modules_.push_back(std::make_unique<Module>());
  modules_.back()->data = static_cast<const FatBinaryWrapper*>(fat_binary)->data;
  return modules_.back().get();
}

Module* Runtime::load_module(const void* image, std::string& why) {
  std::uint32_t magic = 0;
  std::memcpy(&magic, image, sizeof magic);
  FatBinary binary;
  if (magic == fat_binary_wrapper_magic)
    binary = read_fat_binary(static_cast<const FatBinaryWrapper*>(image)->data);
  else if (magic == fat_binary_magic)
    binary = read_fat_binary(static_cast<const std::byte*>(image));
  else if (std::memcmp(image, "\177ELF", 4) == 0)
    binary.why = "This module is machine code (a cubin), which only a GPU runs. Give it as PTX.";
  else
    binary.ptx = static_cast<const char*>(image);
  why = binary.why;
  if (binary.ptx.empty()) return nullptr;
  auto program = compiler_.adopt_ptx("module.ptx", binary.ptx);
  if (!program) {
    why = program.error().message;
    return nullptr;
  }
  modules_.push_back(std::make_unique<Module>());
  modules_.back()->program = gpu::started_anew(*program);
  return modules_.back().get();
}

void Runtime::load(Module& module) {
  if (module.program) return;
  FatBinary binary = read_fat_binary(module.data);
  if (binary.ptx.empty())
    not_run(binary.why.empty()
                ? "This program's fat binary holds no code. If it was compiled with -rdc=true or -dc, leave that out: "
                  "the virtual GPU does not link the kernels of several files."
                : binary.why);
  if (auto program = compiler_.adopt_ptx("program.ptx", binary.ptx)) {
    module.program = gpu::started_anew(*program);
    return;
  }
  // Variables without a kernel still form a module.
  auto bare = std::make_shared<gpu::Program>();
  bare->id = ~std::uint64_t{0} - static_cast<std::uint64_t>(modules_.size());
  bare->ptx = std::move(binary.ptx);
  module.program = bare;
}

const gpu::Kernel& Runtime::kernel(Function& function) {
  if (function.kernel && function.module->program) return *function.kernel;
  load(*function.module);
  function.kernel = function.module->program->find(function.name);
  if (!function.kernel) not_run(fmt::format("The program's PTX has no kernel {}.", function.name));
  return *function.kernel;
}

gpu::vm::Extent Runtime::variable(const Symbol& symbol) {
  load(*symbol.module);
  auto found = device().variable(symbol.module->program, symbol.name);
  if (!found) not_run(found.error().message);
  return *found;
}

cudaError_t Runtime::allocate(void** pointer, std::size_t bytes, Allocation::Kind kind) {
  if (!pointer) return cudaErrorInvalidValue;
  *pointer = nullptr;
  if (lost_ != cudaSuccess) return lost_;
  if (bytes == 0) return cudaSuccess;
  const std::uint64_t number = next_allocation_;
  auto buffer = device().allocate({.name = fmt::format("allocation {}", number), .type = gpu::ScalarType::uint8, .shape = {bytes}});
  if (!buffer) {
    if (!journal()) std::fprintf(stderr, "warpbook: %s: %s\n", buffer.error().code.c_str(), buffer.error().message.c_str());
    return error_of(buffer.error().code);
  }
  ++next_allocation_;
  const std::uint64_t address = device_->address(*buffer);
  if (reinterpret_cast<std::uint64_t>(device_->mapped(*buffer).data()) != address)
    not_run("This process uses the addresses of the virtual GPU's memory itself.");
  if (kind != Allocation::Kind::device) device_->mark_written(*buffer);  // the host writes it directly
  if (kind == Allocation::Kind::device && observe_.memory) guard_.keep(address, bytes);
  allocations_[address] = {*buffer, kind, number};
  *pointer = reinterpret_cast<void*>(address);
  if (Recorder* const recorder = this->recorder()) recorder->copied(bytes, "");
  if (journal() && number <= most_allocations_told)
    journal_->add({{"kind", "allocation"},
                   {"number", number},
                   {"bytes", bytes},
                   {"address", address},
                   {"call", current_call()},
                   {"at", call_place()}});
  return cudaSuccess;
}

cudaError_t Runtime::release(void* pointer, bool host) {
  if (!pointer) return lost_;
  const auto found = allocations_.find(reinterpret_cast<std::uint64_t>(pointer));
  if (found == allocations_.end()) {
    const char* const why = !is_device_address(pointer) ? "this is memory of the host, which CUDA has not given"
                            : allocation_at(pointer)    ? "the pointer leads into the middle of an allocation"
                                                        : "nothing is allocated there: it was freed before, or never given";
    return because(cudaErrorInvalidValue, why);
  }
  if (host != (found->second.kind == Allocation::Kind::host)) return cudaErrorInvalidValue;
  guard_.forget(found->first);
  device_->release(found->second.buffer);
  allocations_.erase(found);
  return lost_;
}

void Runtime::release_all() {
  guard_.forget_all();
  for (const auto& [address, allocation] : allocations_) device_->release(allocation.buffer);
  allocations_.clear();
  for (const auto& module : modules_)
    if (module->program) module->program = gpu::started_anew(module->program);
  for (auto& [stub, function] : functions) function.kernel = nullptr;
}

const Allocation* Runtime::allocation_at(const void* pointer) const {
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  auto after = allocations_.upper_bound(address);
  if (after == allocations_.begin()) return nullptr;
  --after;
  return address < after->first + after->second.buffer.array.bytes() ? &after->second : nullptr;
}

bool Runtime::is_device_address(const void* pointer) const {
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  return address >= gpu::vm::global_base && address < device_addresses_end;
}

bool Runtime::holds(const void* pointer, std::size_t bytes, bool write) {
  if (!is_device_address(pointer)) return pointer != nullptr;
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  const gpu::vm::Extent extent = device().memory().find(address);
  if (!extent.holds(address, bytes)) return false;
  guard_.open(extent.low);
  if (const Allocation* allocation = allocation_at(pointer); allocation && write)
    device_->mark_written(allocation->buffer, address - device_->address(allocation->buffer), bytes);
  return true;
}

void Runtime::count_copy(std::size_t bytes) {
  if (on_clock()) device_us_ += static_cast<double>(bytes) / std::max(info().pcie_pageable_gb_per_s, 1.0) / 1e3;
}

}  // namespace warpbook::cudart
