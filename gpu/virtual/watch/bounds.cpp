#include "gpu/virtual/watch/bounds.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>

#include "gpu/address_windows.h"

namespace warpbook::gpu::watch {
namespace {

constexpr std::uint64_t null_page = 1 << 26;                // a null pointer and an index into an array of usual size
constexpr std::uint64_t credible = std::uint64_t{1} << 32;  // farther away than this, the nearest buffer means nothing

const char* verb(vm::Access::Kind kind) {
  switch (kind) {
    case vm::Access::Kind::load:
      return "reads";
    case vm::Access::Kind::store:
      return "writes";
    case vm::Access::Kind::atomic:
      return "updates";
  }
  return "accesses";
}

/// Bytes between an address and a region that it lies outside of; 0 inside.
std::uint64_t distance_to(const Region* region, ptx::Space space, std::uint64_t address) {
  if (!region) return 0;
  if (space == ptx::Space::shared) address = static_cast<std::uint64_t>(shared_offset(address));
  const auto from_start = static_cast<std::int64_t>(address - region->base);
  if (from_start < 0) return region->base - address;
  const auto distance = static_cast<std::uint64_t>(from_start);
  return distance < region->bytes ? 0 : distance - region->bytes;
}

/// The local array that an access was meant for, where that is clear.
std::string buffer_of_local(const LaunchContext& context, const vm::Access& access) {
  const DeclaredVariable* const array = access.space == ptx::Space::local ? context.local_array(access.site) : nullptr;
  return array ? array->name : std::string{};
}

/// What a refused access was meant for, by name; empty: it is not known.
std::string name_of_missed(const LaunchContext& context, const vm::Access& access, const Region* region, std::uint64_t address) {
  if (region) return region->name;
  const bool global = access.space == ptx::Space::global;
  const vm::Freed* const freed = global ? context.freed_at(address) : nullptr;
  return freed ? freed->name : buffer_of_local(context, access);
}

/// Whether this process can read an address: then the program has taken a pointer of its host code for one of the device's.
bool is_hosts(std::uint64_t address) {
  if (address >= global_base && address < global_base << 8) return false;  // the device's addresses (gpu/runtime)
  static const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return msync(reinterpret_cast<void*>(address / page * page), page, MS_ASYNC) == 0;
}

/// "`data`, float32[100]"; of memory without a type "`allocation 1`, 100 elements of 4 bytes".
std::string words_for(const Region& region, const Element& element) {
  if (!region.untyped || region.buffer == 0 || element.bytes < 2) return fmt::format("`{}`, {}", region.name, region.type);
  return fmt::format("`{}`, {} of {} bytes", region.name, count(region.bytes / element.bytes, "element"), element.bytes);
}

/// What to look at first where an index is too large.
std::string check_index(const Region& region, const Element& element, const vm::Access& access) {
  std::string text = "Check how the line computes its index";
  if (element.bytes == 0 || region.bytes < 2 * element.bytes) return text + '.';
  const std::uint64_t last = region.base + region.bytes - element.bytes;
  return text +
         fmt::format(": the last element is {}.", LaunchContext::element_of(&region, access.space, last, access.site).text());
}

/// What region a refused access was meant for: the key by which equal findings are counted together.
const Region* meant(const LaunchContext& context, const vm::Access& access, std::uint64_t address) {
  if (access.space == ptx::Space::shared) return context.nearest_shared(address);
  if (access.space != ptx::Space::global && access.space != ptx::Space::constant) return nullptr;
  if (address < null_page || context.freed_at(address)) return nullptr;
  const Region* region = context.nearest_global(address, access.bytes);
  if (!region) return nullptr;
  return distance_to(region, access.space, address) < credible ? region : nullptr;
}

}  // namespace

void Bounds::refuse(const vm::Access& access) {
  std::uint32_t left = access.bad;
  if (access.space == ptx::Space::global && context_.heap()) {
    for (std::uint32_t rest = left; rest; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      if (!context_.heap()->nearest(access.address[lane])) continue;
      refuse_heap(access, lane);
      left &= ~(1u << lane);
    }
  }
  while (left) {
    // Lanes that miss the same region make one finding.
    const Region* region = meant(context_, access, access.address[std::countr_zero(left)]);
    std::uint32_t same = 0;
    Missed here;
    auto nearest = static_cast<unsigned>(std::countr_zero(left));
    for (std::uint32_t rest = left; rest; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      const std::uint64_t address = access.address[lane];
      if (meant(context_, access, address) != region) continue;
      const std::int64_t index = LaunchContext::element_of(region, access.space, address, access.site).index;
      here.lowest = same ? std::min(here.lowest, index) : index;
      here.highest = same ? std::max(here.highest, index) : index;
      same |= 1u << lane;
      const std::uint64_t distance = distance_to(region, access.space, address);
      if (distance >= here.nearest) continue;
      here.nearest = distance;
      nearest = lane;
    }
    left &= ~same;
    const FindingKey key{.kind = FindingKind::memory,
                         .line = LaunchContext::line_key(access.site),
                         .space = std::string{ptx::name_of(access.space)},
                         .buffer = name_of_missed(context_, access, region, access.address[nearest])};
    Finding* finding =
        findings_.note(key, static_cast<std::uint64_t>(std::popcount(same)), [&] { return describe(access, nearest); });
    if (finding) note_missed(finding, here, [&] { return describe(access, nearest); });
  }
}

/// One lane's access to the kernels' heap: each thread may have a block of its own.
void Bounds::refuse_heap(const vm::Access& access, unsigned lane) {
  const Element element = context_.heap_element(access.address[lane], access.site);
  const FindingKey key{.kind = FindingKind::memory,
                       .line = LaunchContext::line_key(access.site),
                       .other_line = element.heap->freed ? element.heap->freed_line : 0,
                       .space = std::string{ptx::name_of(access.space)},
                       .buffer = element.buffer()};
  Finding* finding = findings_.note(key, 1, [&] { return describe_heap(access, lane, element); });
  if (!finding) return;
  const auto past = element.distance - static_cast<std::int64_t>(element.heap->bytes);
  const auto nearest = static_cast<std::uint64_t>(element.distance < 0 ? -element.distance : std::max<std::int64_t>(past, 0));
  note_missed(finding, {nearest, element.index, element.index}, [&] { return describe_heap(access, lane, element); });
}

/// Of all accesses of a finding, the one nearest to what it missed is shown.
template <class Describe>
void Bounds::note_missed(Finding* finding, const Missed& here, Describe describe_it) {
  const auto [entry, fresh] = missed_.try_emplace(finding, here);
  Missed& missed = entry->second;
  if (fresh) return;
  missed.lowest = std::min(missed.lowest, here.lowest);
  missed.highest = std::max(missed.highest, here.highest);
  if (here.nearest >= missed.nearest) return;
  missed.nearest = here.nearest;
  const Finding closer = describe_it();
  finding->message = closer.message;
  finding->at = closer.at;
  finding->index = closer.index;
}

Finding Bounds::describe_heap(const vm::Access& access, unsigned lane, const Element& element) const {
  const Place at = context_.place(access.site, access.warp, lane);
  Finding finding{.space = {}, .message = {}, .at = at, .buffer = {}, .index = element.index, .other = {}};
  const std::string start = fmt::format("{} {} {}{}", who(at), verb(access.kind), element.text(), at_line(at));
  const vm::HeapBlock& block = *element.heap;
  const auto past = element.distance + static_cast<std::int64_t>(access.bytes) - static_cast<std::int64_t>(block.bytes);
  if (block.freed)
    finding.message = fmt::format(
        "{}, which line {} has freed before. Free memory after its last use: let the threads that share it meet at a barrier "
        "first.",
        start, block.freed_line);
  else if (access.problem == vm::Access::Problem::misaligned)
    finding.message = fmt::format(
        "{}, {} in one access, but the address {:#x} is no multiple of {}. A vector or wide type must start at a multiple of its "
        "size: check the cast and the index.",
        start, count(access.bytes, "byte"), access.address[lane], access.bytes);
  else if (element.distance < 0)
    finding.message = fmt::format("{}, {} before its start. Check the smallest index this line can have.", start,
                                  count(static_cast<std::uint64_t>(-element.distance), "byte"));
  else
    finding.message = fmt::format(
        "{}; the access ends {} past the end of the block. Check how the line computes its index; where it is right, ask malloc "
        "for more.",
        start, count(static_cast<std::uint64_t>(std::max<std::int64_t>(past, 1)), "byte"));
  return finding;
}

void Bounds::describe_local(const vm::Access& access, unsigned lane, Finding& finding) const {
  const std::string start = fmt::format("{} {}", who(finding.at), verb(access.kind));
  const DeclaredVariable* const array = context_.local_array(access.site);
  if (!array) {
    finding.message = fmt::format(
        "{} outside its own local memory{} (offset {}): an index of a local array is out of range. Check the "
        "bounds of the array on this line.",
        start, at_line(finding.at), static_cast<std::int64_t>(access.address[lane]));
    return;
  }
  finding.buffer = array->name;
  std::string extents;
  for (const std::uint64_t extent : array->extents) extents += extent ? fmt::format("[{}]", extent) : "[]";
  finding.message = fmt::format(
      "{} outside its own local memory{}: an index of the local array `{}`, declared as {} {}{} in line {}, is out of range. Check "
      "the smallest and the largest index that this line can have.",
      start, at_line(finding.at), array->name, array->type, array->name, extents, array->line);
}

/// Of an access that lies in memory, but may not be made as it is; empty: it is none of these.
std::string Bounds::about_form(const vm::Access& access, unsigned lane, const Element& element, const Place& at) const {
  const std::uint64_t address = access.address[lane];
  const std::string start = fmt::format("{} {}", who(at), verb(access.kind));
  switch (access.problem) {
    case vm::Access::Problem::misaligned:
      if (access.space == ptx::Space::shared)
        return fmt::format(
            "{} {} at {} in one access{}, but the first of them is byte {} of the block's shared memory, and {} is no multiple of "
            "{}. A vector or wide type must start at a multiple of its size: check the cast and the index, or access one element "
            "at a time.",
            start, count(access.bytes, "byte"), element.text(), at_line(at), address, address, access.bytes);
      return fmt::format(
          "{} {} at {} in one access{}, but the address {:#x} is no multiple of {}. A vector or wide type must start at a multiple "
          "of its size: check the cast and the index, or access one element at a time.",
          start, count(access.bytes, "byte"), element.text(), at_line(at), address, access.bytes);
    case vm::Access::Problem::freed:
      return fmt::format(
          "{} address {:#x}{}, which malloc gave and free has taken back. Free memory after its last use: let the threads that "
          "share it meet at a barrier first.",
          start, address, at_line(at));
    case vm::Access::Problem::read_only:
      return fmt::format("{} {}{}, which is __constant__ memory: kernels can only read it. Write to a buffer instead.", start,
                         element.text(), at_line(at));
    case vm::Access::Problem::wrong_space:
      return fmt::format(
          "{} global memory through {:#x}, which is an address of {} memory{}. Convert it with cvta, or leave the choice of the "
          "instruction to the compiler.",
          start, address, ptx::name_of(access.space), at_line(at));
    default:
      return {};
  }
}

std::string Bounds::about_shared(const vm::Access& access, unsigned lane, const Region* region, const Place& at) const {
  const std::uint64_t address = access.address[lane];
  const std::string start = fmt::format("{} {}", who(at), verb(access.kind));
  const Element element = LaunchContext::element_of(region, access.space, address, access.site);
  const std::int64_t offset = shared_offset(address);
  const std::string which = region ? element.text() : "shared memory";
  if (offset < 0)
    return fmt::format("{} {}, {} before the start of the block's shared memory{}. Check the smallest index this line can have.",
                       start, which, count(static_cast<std::uint64_t>(-offset), "byte"), at_line(at));
  return fmt::format(
      "{} {}; the access ends {} past the end of the block's {} of shared memory{}. {} Where the index is right, guard the line so "
      "that only threads with an element come to it, or make the array larger; the launch says how large an array declared with "
      "`[]` is.",
      start, which, count(address + access.bytes - context_.shared_bytes(), "byte"), count(context_.shared_bytes(), "byte"),
      at_line(at), region ? check_index(*region, element, access) : "Check how the line computes its index.");
}

/// `region`: the buffer that is meant; null: there is none.
std::string Bounds::about_global(const vm::Access& access, unsigned lane, const Region* region, const Place& at) const {
  const std::uint64_t address = access.address[lane];
  const std::string start = fmt::format("{} {}", who(at), verb(access.kind));
  if (address == 0)
    return fmt::format(
        "{} address 0{}: a null pointer. Pass a buffer for every pointer parameter, and check pointers that the kernel computes.",
        start, at_line(at));
  if (address < null_page)
    return fmt::format(
        "{} address {:#x}{}: a null pointer plus an index. Pass a buffer for every pointer parameter, and check pointers that the "
        "kernel computes.",
        start, address, at_line(at));
  if (const vm::Freed* const freed = region ? nullptr : context_.freed_at(address))
    return fmt::format(
        "{} byte {} of `{}`{}, which was freed before this launch. Free memory after the last launch that uses it, or pass the "
        "pointer that is meant.",
        start, address - freed->base, freed->name, at_line(at));
  if (!region && is_hosts(address))
    return fmt::format(
        "{} address {:#x}{}, which lies in the host's memory: a pointer from malloc or new, or to a variable of the host's code. "
        "Kernels reach only the device's memory: allocate it with cudaMalloc, copy the data there with cudaMemcpy, and pass that "
        "pointer.",
        start, address, at_line(at));
  if (!region)
    return fmt::format(
        "{} address {:#x}{}, which lies in no buffer of this launch. Check the pointer and the index it is computed from: an index "
        "that overflowed int is a common cause.",
        start, address, at_line(at));
  const Element element = LaunchContext::element_of(region, access.space, address, access.site);
  const std::string what = words_for(*region, element);
  if (address < region->base)
    return fmt::format(
        "{} {}, {} before the start of {}{}. Check how the line computes its index: the first element has index 0. Where some "
        "threads have no such element, guard the line: `if (i >= 1)` keeps thread 0 from reading element `i - 1`.",
        start, element.text(), count(region->base - address, "byte"), what, at_line(at));
  return fmt::format(
      "{} {}; the access ends {} past the end of {}{}. {} Where the index is right and there are more threads than elements, "
      "guard the line: `if (i < n)`, where i is that index and n the number of elements.",
      start, element.text(), count(address + access.bytes - (region->base + region->bytes), "byte"), what, at_line(at),
      check_index(*region, element, access));
}

Finding Bounds::describe(const vm::Access& access, unsigned lane) const {
  const Place at = context_.place(access.site, access.warp, lane);
  Finding finding{.space = {}, .message = {}, .at = at, .buffer = {}, .index = {}, .other = {}};
  const Region* region = meant(context_, access, access.address[lane]);
  const Element element = LaunchContext::element_of(region, access.space, access.address[lane], access.site);
  if (region) finding.index = element.index;
  finding.message = about_form(access, lane, element, at);
  if (!finding.message.empty()) return finding;
  if (access.space == ptx::Space::shared)
    finding.message = about_shared(access, lane, region, at);
  else if (access.space == ptx::Space::local)
    describe_local(access, lane, finding);
  else
    finding.message = about_global(access, lane, region, at);
  return finding;
}

void Bounds::finish() {
  for (Finding& finding : findings_.kept()) {
    if (finding.kind != FindingKind::memory || finding.threads < 2) continue;
    finding.message += fmt::format(" This line has {} such accesses", finding.threads);
    const auto missed = missed_.find(&finding);
    if (missed != missed_.end() && finding.index && missed->second.lowest != missed->second.highest &&
        !finding.buffer.starts_with("malloc in line"))
      finding.message += fmt::format(", from {0}[{1}] to {0}[{2}]", finding.buffer, missed->second.lowest, missed->second.highest);
    finding.message += '.';
  }
}

}  // namespace warpbook::gpu::watch
