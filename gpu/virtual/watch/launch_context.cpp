#include "gpu/virtual/watch/launch_context.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "gpu/source_tokens.h"

namespace warpbook::gpu::watch {
namespace {

/// Towards minus infinity: the element that a byte before the start belongs to.
std::int64_t floor_divide(std::int64_t a, std::int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

std::string type_text(ScalarType type, const std::vector<std::size_t>& shape) {
  std::string text{name_of(type)};
  text += '[';
  for (std::size_t i = 0; i < shape.size(); ++i) text += fmt::format("{}{}", i ? "x" : "", shape[i]);
  return text + ']';
}

// What a whole program has from cudaMalloc is called "allocation 3" (gpu/runtime), and its type is not known.
constexpr std::string_view programs_memory = "allocation ";

Region region_of(const vm::Allocation& allocation) {
  const ScalarType type = allocation.type;
  const bool real = type == ScalarType::float32 || type == ScalarType::float64;
  const bool has_sign =
      type == ScalarType::int8 || type == ScalarType::int16 || type == ScalarType::int32 || type == ScalarType::int64;
  return {.base = allocation.base,
          .bytes = allocation.bytes,
          .buffer = allocation.buffer,
          .name = allocation.name,
          .element_bytes = size_of(type),
          .integer = !real,
          .real = real,
          .is_signed = has_sign,
          .type = type_text(type, allocation.shape),
          .constant = allocation.constant,
          .untyped = size_of(type) == 1 && (allocation.buffer == 0 || allocation.name.starts_with(programs_memory)),
          .declared = allocation.declared,
          .declared_at = allocation.declared_at};
}

/// "float[16][17]": as C++ writes it.
std::string type_text(const DeclaredVariable& variable) {
  std::string text = variable.type;
  for (const std::uint64_t extent : variable.extents) text += extent ? fmt::format("[{}]", extent) : "[]";
  return text;
}

std::uint32_t accessed_by(const vm::Site& site) {
  if (!site.function) return 0;
  return std::max(ptx::bytes_of(site.instruction().type), 1u) * std::max<std::uint32_t>(site.instruction().vector, 1);
}

/// Of regions sorted by base, the one that holds the address.
const Region* holder(const std::vector<Region>& regions, std::uint64_t address) {
  auto after = std::upper_bound(regions.begin(), regions.end(), address,
                                [](std::uint64_t a, const Region& region) { return a < region.base; });
  if (after == regions.begin()) return nullptr;
  const Region& region = *(after - 1);
  return address - region.base < region.bytes ? &region : nullptr;
}

}  // namespace

std::string Element::name() const {
  if (!is_named()) return {};
  if (region->declared) return element_text(*region->declared, region->declared_at + distance, accessed);
  if (region->buffer == 0 && region->bytes == bytes) return region->name;
  return fmt::format("{}[{}]", region->name, index);
}

std::string Element::buffer() const {
  if (heap) return fmt::format("malloc in line {}", heap->line);
  return region ? region->name : std::string{};
}

void LaunchContext::begin(const vm::LaunchInfo& launch) {
  module_ = launch.module;
  first_function_ = module_ ? module_->functions.data() : nullptr;
  first_site_.clear();
  site_count_ = 0;
  last_function_ = nullptr;
  if (module_) {
    for (const ptx::Function& function : module_->functions) {
      first_site_.push_back(site_count_);
      site_count_ += static_cast<std::uint32_t>(function.code.size());
    }
  }
  grid_ = launch.grid;
  block_ = launch.block;
  threads_per_block_ = launch.threads_per_block ? launch.threads_per_block : static_cast<std::uint32_t>(launch.block.count());
  shared_bytes_ = launch.shared_bytes;
  reserved_shared_bytes_ = launch.reserved_shared_bytes;
  last_ = nullptr;
  heap_ = launch.heap;
  freed_ = launch.freed;
  source_ = launch.source;
  local_arrays_ = launch.local_arrays;
  global_.clear();
  for (const vm::Allocation& allocation : launch.allocations) {
    global_.push_back(region_of(allocation));
    Region& region = global_.back();
    if (region.declared && region.buffer == 0) region.type = type_text(*region.declared);
    if (region.declared && region.buffer != 0) region.declared->name = region.name;
  }
  shared_.clear();
  for (const vm::SharedVariable& variable : launch.shared_variables) {
    shared_.push_back({.base = variable.offset,
                       .bytes = variable.bytes,
                       .buffer = 0,
                       .name = variable.name,
                       .element_bytes = std::max(variable.element_bytes, 1u),
                       .type = variable.declared ? type_text(*variable.declared) : std::string{},
                       .untyped = variable.element_bytes <= 1,
                       .declared = variable.declared,
                       .declared_at = variable.declared_at});
  }
  const auto by_base = [](const Region& a, const Region& b) { return a.base < b.base; };
  std::sort(global_.begin(), global_.end(), by_base);
  std::sort(shared_.begin(), shared_.end(), by_base);
}

vm::Site LaunchContext::site(std::uint32_t number) const {
  if (number == 0 || number > site_count_) return {};
  const auto after = std::upper_bound(first_site_.begin(), first_site_.end(), number - 1);
  const auto function = static_cast<std::size_t>(after - first_site_.begin()) - 1;
  return {first_function_ + function, number - 1 - first_site_[function]};
}

std::uint32_t LaunchContext::line_key(const vm::Site& site) {
  if (!site.function) return 0;
  const ptx::Instruction& instruction = site.instruction();
  return instruction.line ? instruction.line : 0x80000000u | instruction.ptx_line;
}

namespace {
/// Which of a grid's blocks, or of a block's threads, has this number.
Dim3 index_in(std::uint64_t n, const Dim3& shape) {
  const auto plane = std::max<std::uint64_t>(std::uint64_t{shape.x} * shape.y, 1);
  return {static_cast<std::uint32_t>(n % std::max(shape.x, 1u)),
          static_cast<std::uint32_t>(n / std::max(shape.x, 1u) % std::max(shape.y, 1u)), static_cast<std::uint32_t>(n / plane)};
}
}  // namespace

Dim3 LaunchContext::thread(std::uint32_t warp, unsigned lane) const { return index_in(std::uint64_t{warp} * 32 + lane, block_); }

Place LaunchContext::place(const vm::Site& site, vm::WarpId warp, unsigned lane) const {
  Place place;
  if (site.function) {
    const ptx::Instruction& instruction = site.instruction();
    place.line = instruction.line;
    place.column = instruction.column;
    if (module_ && instruction.file < module_->files.size()) place.file = module_->files[instruction.file];
  }
  place.block = index_in(warp.block, grid_);
  place.thread = thread(warp.warp, lane);
  return place;
}

const vm::Freed* LaunchContext::freed_at(std::uint64_t address) const {
  if (find_global(address)) return nullptr;
  for (auto freed = freed_.rbegin(); freed != freed_.rend(); ++freed)
    if (address - freed->base < freed->bytes) return &*freed;
  return nullptr;
}

const Region* LaunchContext::find_global(std::uint64_t address) const {
  if (last_ && address - last_->base < last_->bytes) return last_;
  if (const Region* region = holder(global_, address)) return last_ = region;
  return nullptr;
}

std::int64_t shared_offset(std::uint64_t address) { return static_cast<std::int32_t>(static_cast<std::uint32_t>(address)); }

const Region* LaunchContext::find_shared(std::uint64_t offset) const { return holder(shared_, offset); }

const Region* LaunchContext::find(ptx::Space space, std::uint64_t address) const {
  if (space == ptx::Space::shared) return find_shared(address);
  return space == ptx::Space::global || space == ptx::Space::constant ? find_global(address) : nullptr;
}

Element LaunchContext::element(ptx::Space space, std::uint64_t address, const vm::Site& site) const {
  const Region* const region = find(space, address);
  if (!region && heap_ && space == ptx::Space::global) return heap_element(address, site);
  return element_of(region, space, address, site);
}

Element LaunchContext::heap_element(std::uint64_t address, const vm::Site& site) const {
  Element element{.region = nullptr, .address = address, .accessed = accessed_by(site)};
  if (!heap_) return element;
  element.heap = heap_->nearest(address);
  if (!element.heap) return element;
  element.bytes = site.function ? std::max(ptx::bytes_of(site.instruction().type), 1u) : 1;
  element.distance = static_cast<std::int64_t>(address - element.heap->base);
  element.index = floor_divide(element.distance, static_cast<std::int64_t>(element.bytes));
  return element;
}

std::string_view LaunchContext::source_line(std::uint32_t line) const {
  std::size_t at = 0;
  for (std::uint32_t n = 1; n < line && at < source_.size(); ++n) at = std::min(source_.find('\n', at), source_.size() - 1) + 1;
  return line && at < source_.size() ? source_.substr(at, source_.find('\n', at) - at) : std::string_view();
}

const DeclaredVariable* LaunchContext::local_array(const vm::Site& site) const {
  const std::uint32_t line = line_of(site);
  if (!line || site.instruction().in_toolkit) return nullptr;
  // The function that the line is in: the last one that declares an array before it.
  std::string_view function;
  for (const DeclaredVariable& array : local_arrays_)
    if (array.line <= line) function = array.function;
  const Tokens words = tokens_of(source_line(line));
  const DeclaredVariable *only = nullptr, *named = nullptr;
  bool several = false, several_named = false;
  for (const DeclaredVariable& array : local_arrays_) {
    if (array.function != function) continue;
    several |= only != nullptr;
    only = &array;
    if (std::find(words.begin(), words.end(), array.name) == words.end()) continue;
    several_named |= named != nullptr;
    named = &array;
  }
  if (named) return several_named ? nullptr : named;
  return several ? nullptr : only;
}

Element LaunchContext::element_of(const Region* region, ptx::Space space, std::uint64_t address, const vm::Site& site) {
  if (!region) return {.region = nullptr, .address = address};
  const std::int64_t distance = space == ptx::Space::shared ? shared_offset(address) - static_cast<std::int64_t>(region->base)
                                                            : static_cast<std::int64_t>(address - region->base);
  std::size_t bytes = region->element_bytes;
  std::int64_t from = distance;
  if (region->declared && region->buffer == 0) {
    bytes = region->declared->element_bytes;
    from += region->declared_at;
  } else if (region->untyped && site.function) {
    bytes = std::max(ptx::bytes_of(site.instruction().type), 1u);
  }
  return {.region = region,
          .index = floor_divide(from, static_cast<std::int64_t>(bytes)),
          .address = address,
          .bytes = bytes,
          .distance = distance,
          .accessed = site.function ? accessed_by(site) : static_cast<std::uint32_t>(bytes)};
}

const Region* LaunchContext::nearest_global(std::uint64_t address, std::uint64_t bytes) const {
  const Region* best = nullptr;
  std::uint64_t best_distance = ~std::uint64_t{0};
  for (const Region& region : global_) {
    const std::uint64_t end = region.base + region.bytes;
    std::uint64_t distance = 0;
    if (address >= end)
      distance = address - end;
    else if (address + bytes <= region.base)
      distance = region.base - (address + bytes);
    if (distance < best_distance) {
      best = &region;
      best_distance = distance;
    }
  }
  return best;
}

const Region* LaunchContext::nearest_shared(std::uint64_t offset) const {
  if (const Region* region = holder(shared_, offset)) return region;
  if (shared_.empty()) return nullptr;
  return shared_offset(offset) < 0 ? &shared_.front() : &shared_.back();
}

std::uint32_t LaunchContext::lanes_of(std::uint32_t warp) const {
  const std::uint32_t first = warp * 32;
  if (first >= threads_per_block_) return 0;
  const std::uint32_t lanes = threads_per_block_ - first;
  return lanes >= 32 ? ~0u : (1u << lanes) - 1;
}

bool LaunchContext::has_file(std::string_view ending) const {
  return module_ && std::ranges::any_of(module_->files, [&](const std::string& file) { return file.ends_with(ending); });
}

std::string value_text(const Region* region, std::uint64_t bits, std::size_t bytes, const vm::Site& site) {
  Region as_accessed;  // of untyped memory the instruction knows most: floats are floats to it
  if (region && region->untyped && site.function) {
    as_accessed.element_bytes = std::max(ptx::bytes_of(site.instruction().type), 1u);
    as_accessed.real = site.instruction().type == ptx::Type::f32 || site.instruction().type == ptx::Type::f64;
    region = &as_accessed;
  }
  if (region && region->element_bytes == bytes) {
    if (region->real && bytes == 4) return fmt::format("{:g}", std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    if (region->real && bytes == 8) return fmt::format("{:g}", std::bit_cast<double>(bits));
    if (region->integer && region->is_signed) {
      const auto shift = static_cast<unsigned>(64 - 8 * bytes);
      return fmt::format("{}", static_cast<std::int64_t>(bits << shift) >> shift);
    }
    if (region->integer) return fmt::format("{}", bits);
  }
  if (region && (region->real || region->integer) && bytes > region->element_bytes && bytes <= sizeof bits) {  // a vector
    std::string elements;
    for (std::size_t at = 0; at < bytes; at += region->element_bytes) {
      const std::uint64_t one = bits >> (8 * at) & ((std::uint64_t{1} << (8 * region->element_bytes)) - 1);
      elements += (at ? ", " : "(") + value_text(region, one, region->element_bytes, site);
    }
    return elements + ")";
  }
  // Of an unknown type: small numbers are mostly counts, and no float has the bits of one.
  return bits < 65536 ? fmt::format("{}", bits) : fmt::format("{:#x}", bits);
}

}  // namespace warpbook::gpu::watch
