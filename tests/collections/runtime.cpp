#include "runtime.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace warpbook::cudart {
namespace {

// The layout of what nvcc embeds, as cuobjdump shows it.
struct Wrapper {
  std::uint32_t magic, version;
  const std::byte* data;
  void* more;
};
struct FatHeader {
  std::uint32_t magic;
  std::uint16_t version, header_bytes;
  std::uint64_t bytes;
};
struct FatEntry {
  std::uint16_t kind, version;
  std::uint32_t header_bytes;
  std::uint64_t bytes;
  std::uint32_t compressed_bytes;
};
constexpr std::uint32_t fat_magic = 0xba55ed50;
constexpr std::uint16_t kind_ptx = 1;

// The virtual GPU's memory lies far below this process's own, and far above a program that is not position-independent.
constexpr std::uint64_t device_addresses_end = gpu::vm::global_base << 8;

std::string environment(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value ? value : otherwise;
}

gpu::Observe observers(const std::string& list) {
  gpu::Observe observe;
  const auto asked = [&](gpu::FindingKind kind) { return list == "all" || list.find(name_of(kind)) != std::string::npos; };
  observe.memory = asked(gpu::FindingKind::memory);
  observe.race = asked(gpu::FindingKind::race);
  observe.init = asked(gpu::FindingKind::init);
  observe.sync = asked(gpu::FindingKind::sync);
  return observe;
}

}  // namespace

void not_run(const std::string& what) {
  std::fflush(stdout);
  std::fprintf(stderr, "warpbook: not run: %s\n", what.c_str());
  std::fflush(stderr);
  _exit(not_run_status);
}

Runtime& runtime() {
  static auto* one = new Runtime;  // outlives the program's own static objects
  return *one;
}

Runtime::Runtime() : observe_(observers(environment("WARPBOOK_OBSERVE", ""))) {
  const std::string profile = environment("WARPBOOK_PROFILE", "A40");
  const gpu::Profile* found = gpu::find_profile(profile);
  if (!found) not_run("there is no profile " + profile);
  device_ = std::make_unique<gpu::VirtualDevice>(compiler_, *found);
  if (environment("WARPBOOK_STATISTICS", "0") == "1") std::atexit([] { runtime().print_statistics(); });
}

Module* Runtime::add_module(const void* fat_binary) {
  const auto* wrapper = static_cast<const Wrapper*>(fat_binary);
  modules_.push_back(std::make_unique<Module>());
  Module& module = *modules_.back();
  FatHeader header;
  std::memcpy(&header, wrapper->data, sizeof header);
  if (header.magic != fat_magic) return &module;
  const std::byte* at = wrapper->data + header.header_bytes;
  for (const std::byte* end = at + header.bytes; at < end;) {
    FatEntry entry;
    std::memcpy(&entry, at, sizeof entry);
    if (entry.kind == kind_ptx) {
      const char* text = reinterpret_cast<const char*>(at + entry.header_bytes);
      module.ptx.assign(text, strnlen(text, entry.bytes));
      if (entry.compressed_bytes) module.ptx.clear();
    }
    at += entry.header_bytes + entry.bytes;
  }
  return &module;
}

void Runtime::load(Module& module) {
  if (module.program) return;
  if (module.ptx.empty()) not_run("the program has no plain PTX (nvcc -gencode arch=compute_80,code=compute_80 --no-compress)");
  auto program = compiler_.adopt_ptx("program.ptx", module.ptx);
  if (program) {
    module.program = *program;
    return;
  }
  // Variables without a kernel: a module all the same.
  auto bare = std::make_shared<gpu::Program>();
  bare->id = ~std::uint64_t{0} - static_cast<std::uint64_t>(modules_.size());
  bare->ptx = module.ptx;
  module.program = bare;
}

const gpu::Kernel& Runtime::kernel(const Function& function) {
  load(*function.module);
  const gpu::Kernel* kernel = function.module->program->find(function.name);
  if (!kernel) not_run("no kernel " + function.name);
  return *kernel;
}

gpu::vm::Extent Runtime::variable(const Symbol& symbol) {
  load(*symbol.module);
  auto found = device_->variable(symbol.module->program, symbol.name);
  if (!found) not_run(found.error().message);
  return *found;
}

cudaError_t Runtime::allocate(void** pointer, std::size_t bytes, bool host) {
  *pointer = nullptr;
  if (lost_ != cudaSuccess) return lost_;
  if (bytes == 0) return cudaSuccess;
  auto buffer = device_->allocate(
      {.name = fmt::format("allocation {}", buffers_.size() + 1), .type = gpu::ScalarType::uint8, .shape = {bytes}});
  if (!buffer) {
    std::fprintf(stderr, "warpbook: %s: %s\n", buffer.error().code.c_str(), buffer.error().message.c_str());
    return error_of(buffer.error().code);
  }
  const std::uint64_t address = device_->address(*buffer);
  if (reinterpret_cast<std::uint64_t>(device_->mapped(*buffer).data()) != address)
    not_run("this process uses the addresses of the virtual GPU's memory itself");
  if (host) device_->mark_written(*buffer);
  buffers_[address] = *buffer;
  *pointer = reinterpret_cast<void*>(address);
  return cudaSuccess;
}

cudaError_t Runtime::release(void* pointer) {
  if (!pointer) return lost_;
  const auto found = buffers_.find(reinterpret_cast<std::uint64_t>(pointer));
  if (found == buffers_.end()) return cudaErrorInvalidValue;
  device_->release(found->second);
  buffers_.erase(found);
  return lost_;
}

const gpu::Buffer* Runtime::buffer_at(const void* pointer) const {
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  auto after = buffers_.upper_bound(address);
  if (after == buffers_.begin()) return nullptr;
  --after;
  return address < after->first + after->second.array.bytes() ? &after->second : nullptr;
}

bool Runtime::holds(const void* pointer, std::size_t bytes, bool write) {
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  if (address < gpu::vm::global_base || address >= device_addresses_end) return true;
  if (!device_->memory().find(address).holds(address, bytes)) return false;
  if (const gpu::Buffer* buffer = buffer_at(pointer); buffer && write) device_->mark_written(*buffer);
  return true;
}

cudaError_t Runtime::launch(const Function& function, dim3 grid, dim3 block, void** arguments, std::size_t shared_bytes,
                            bool cooperative) {
  if (lost_ != cudaSuccess) return lost_;
  const gpu::Kernel& kernel = this->kernel(function);
  gpu::LaunchRequest request{.program = function.module->program,
                             .kernel = kernel.entry,
                             .grid = {grid.x, grid.y, grid.z},
                             .block = {block.x, block.y, block.z},
                             .dynamic_shared_bytes = static_cast<std::uint32_t>(shared_bytes),
                             .arguments = {},
                             .observe = observe_};
  request.cooperative = cooperative;
  request.limits.max_seconds = std::atof(environment("WARPBOOK_LAUNCH_SECONDS", "1e6").c_str());
  std::vector<const gpu::Buffer*> given;
  for (std::size_t p = 0; p < kernel.parameters.size(); ++p) {
    const auto* bytes = static_cast<const std::byte*>(arguments[p]);
    const std::size_t size = kernel.parameters[p].size;
    request.arguments.emplace_back(gpu::Struct{.bytes = {bytes, bytes + size}});
    for (std::size_t at = 0; at + sizeof(void*) <= size; at += sizeof(void*)) {
      const void* pointer = nullptr;
      std::memcpy(&pointer, bytes + at, sizeof pointer);
      if (const gpu::Buffer* buffer = buffer_at(pointer)) given.push_back(buffer);
    }
  }
  const gpu::LaunchReport report = device_->launch(request, nullptr);
  for (const gpu::Buffer* buffer : given) device_->mark_written(*buffer);
  std::fwrite(report.output.data(), 1, report.output.size(), stdout);
  KernelCost& cost = costs_[kernel.name];
  ++cost.launches;
  cost.thread_instructions += report.thread_instructions;
  cost.ms += report.run_ms;
  print_findings(report);
  if (report.ok()) return cudaSuccess;
  const cudaError_t error = error_of(report.status);
  if (error == cudaErrorInvalidPtx || error == cudaErrorUnsupportedPtxVersion) not_run(report.message);
  const bool refused = error == cudaErrorInvalidConfiguration || error == cudaErrorInvalidValue ||
                       error == cudaErrorLaunchOutOfResources || error == cudaErrorCooperativeLaunchTooLarge;
  std::fprintf(stderr, "warpbook: %s%s in %s: %s\n", refused ? "refused: " : "", report.status.c_str(), report.kernel.c_str(),
               report.message.c_str());
  if (!refused) lost_ = error;
  return error;
}

void Runtime::print_findings(const gpu::LaunchReport& report) {
  for (const gpu::Finding& finding : report.findings) {
    const std::string line = fmt::format("warpbook: finding: {} {} in {}, {}:{}: {}", name_of(finding.kind), finding.space,
                                         report.kernel, finding.at.file, finding.at.line, finding.message);
    const std::string key = fmt::format("{} {} {} {} {}", name_of(finding.kind), report.kernel, finding.at.line,
                                        finding.other ? finding.other->line : 0, finding.space);
    if (printed_.insert(key).second) std::fprintf(stderr, "%s\n", line.c_str());
  }
}

void Runtime::print_statistics() const {
  for (const auto& [name, cost] : costs_)
    std::fprintf(stderr, "warpbook: cost: %s: %llu launches, %.1f ms, %.3f G thread-instructions a second\n", name.c_str(),
                 static_cast<unsigned long long>(cost.launches), cost.ms,
                 static_cast<double>(cost.thread_instructions) / cost.ms / 1e6);
}

}  // namespace warpbook::cudart
