#include "gpu/virtual/watch/bounds.h"

#include <algorithm>
#include <bit>

#include "gpu/message.h"

namespace warpbook::gpu::watch {
namespace {

constexpr std::uint64_t credible = std::uint64_t{1} << 32;  // farther away than this, the nearest buffer means nothing

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

/// What region a refused access was meant for: the key by which equal findings are counted together.
const Region* meant(const LaunchContext& context, const vm::Access& access, std::uint64_t address) {
  if (access.space == ptx::Space::shared) return context.nearest_shared(address);
  if (access.space != ptx::Space::global && access.space != ptx::Space::constant) return nullptr;
  if (address < Bounds::null_page || context.freed_at(address)) return nullptr;
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
        findings_.note(key, static_cast<std::uint64_t>(std::popcount(same)), [&] { return describe(access, nearest, region); });
    if (finding) note_missed(finding, here, [&] { return describe(access, nearest, region); });
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

void Bounds::finish() {
  for (Finding& finding : findings_.kept()) {
    if (finding.kind != FindingKind::memory || finding.threads < 2) continue;
    const auto missed = missed_.find(&finding);
    if (missed != missed_.end() && finding.index && missed->second.lowest != missed->second.highest &&
        !finding.buffer.starts_with("malloc in line"))
      finding.message.add(to_say("This line has {accesses} such accesses, from {buffer}[{lowest}] to {buffer}[{highest}].",
                                 "accesses"_a = finding.threads, "buffer"_a = finding.buffer, "lowest"_a = missed->second.lowest,
                                 "highest"_a = missed->second.highest));
    else
      finding.message.add(to_say("This line has {accesses} such accesses.", "accesses"_a = finding.threads));
  }
}

}  // namespace warpbook::gpu::watch
