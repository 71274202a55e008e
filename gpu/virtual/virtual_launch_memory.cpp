// What the observers and the clock need to know of a launch's memory: what lies where, and how the source declares it.
#include <algorithm>

#include "gpu/virtual/declarations.h"
#include "gpu/virtual/virtual_device.h"

namespace warpbook::gpu {
namespace {

/// The type that an array of PTX's is shown with.
ScalarType shown_type(ptx::Type type) {
  switch (ptx::bytes_of(type)) {
    case 2:
      return ScalarType::uint16;
    case 4:
      return type == ptx::Type::f32 ? ScalarType::float32 : ScalarType::int32;
    case 8:
      return type == ptx::Type::f64 ? ScalarType::float64 : ScalarType::int64;
    default:
      return ScalarType::uint8;
  }
}

}  // namespace

vm::Allocation VirtualDevice::allocation_of(const Allocated& allocated, bool with_initialised) const {
  const Array& array = allocated.buffer.array;
  vm::Allocation allocation;
  allocation.base = allocated.address;
  allocation.bytes = array.bytes();
  allocation.buffer = allocated.buffer.id;
  allocation.name = array.name;
  allocation.type = array.type;
  allocation.shape = array.shape;
  allocation.contents = {memory_.find(allocated.address).host, allocation.bytes};
  const auto& written = allocated.written;
  const bool all_written = written.size() == 1 && written.begin()->first == 0 && written.begin()->second >= allocation.bytes;
  if (with_initialised && !all_written && allocation.bytes > 0) {
    allocation.initialised.assign(allocation.bytes, false);
    for (const auto& [from, to] : written)
      std::fill(allocation.initialised.begin() + static_cast<std::ptrdiff_t>(from),
                allocation.initialised.begin() + static_cast<std::ptrdiff_t>(to), true);
  }
  return allocation;
}

vm::Allocation VirtualDevice::allocation_of(const ptx::Variable& variable, std::uint64_t address,
                                            const DeclaredVariables& variables) const {
  vm::Allocation allocation;
  allocation.base = address;
  allocation.bytes = variable.size;
  declare_global(allocation, variable.name, variables);
  allocation.symbol = variable.name;
  allocation.type = shown_type(variable.type);
  allocation.shape = {variable.size / size_of(allocation.type)};
  allocation.contents = {memory_.find(address).host, allocation.bytes};
  allocation.constant = variable.space == ptx::Space::constant;
  return allocation;
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
  for (const auto& [id, allocated] : buffers_) info.allocations.push_back(allocation_of(allocated, request.observe.init));
  for (const vm::Freed& freed : freed_)
    if (memory_.keeps(freed.base)) info.freed.push_back(freed);
  for (std::size_t g = 0; g < loaded.globals.size(); ++g)
    if (loaded.globals[g]) info.allocations.push_back(allocation_of(loaded.module.globals[g], loaded.globals[g], variables));
  if (const Kernel* const kernel = request.program->find(request.kernel))
    declare_pointed_to(info.allocations, request.arguments, *kernel, source.text);
  std::sort(info.allocations.begin(), info.allocations.end(), [](const auto& a, const auto& b) { return a.base < b.base; });
}

}  // namespace warpbook::gpu
