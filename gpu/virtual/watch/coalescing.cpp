#include "gpu/virtual/watch/coalescing.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <tuple>

#include "gpu/virtual/watch/access_words.h"

namespace warpbook::gpu::watch {
namespace {

/// The sectors of rows of eight lanes (vm::Access::Rows), which need not be looked up as long as they do not fall from row to row.
/// 0: they do, or the lanes lie otherwise.
unsigned sectors_of_rows(const vm::Access& access) {
  using Rows = vm::Access::Rows;
  if (access.rows != Rows::same && access.rows != Rows::side_by_side) return 0;
  const std::uint32_t bytes = access.rows == Rows::same ? access.bytes : 8 * access.bytes;
  unsigned n = 0;
  std::uint64_t next = 0;  // the first sector that is not counted yet
  for (unsigned lane = 0; lane < 32; lane += 8) {
    if (!(access.mask >> lane & 1)) continue;
    const std::uint64_t first = access.address[lane] / 32, end = (access.address[lane] + bytes - 1) / 32 + 1;
    if (first + 1 < next) return 0;
    n += static_cast<unsigned>(end - std::min(std::max(first, next), end));
    next = end;
  }
  return n;
}

}  // namespace

unsigned sectors_touched(const std::uint64_t* address, std::uint32_t mask, std::uint32_t bytes) {
  // Open addressing over at most 64 sectors (32 lanes, two sectors each at most); neighbours mostly repeat the last one.
  std::array<std::uint64_t, 128> seen;
  std::array<std::uint64_t, 2> used{};
  unsigned n = 0;
  std::uint64_t last = ~std::uint64_t{0};
  for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
    const std::uint64_t start = address[std::countr_zero(rest)];
    for (std::uint64_t sector = start / 32; sector <= (start + bytes - 1) / 32; ++sector) {
      if (sector == last) continue;
      last = sector;
      auto slot = static_cast<std::size_t>(sector % seen.size());
      while ((used[slot / 64] >> slot % 64 & 1) && seen[slot] != sector) slot = (slot + 1) % seen.size();
      if (used[slot / 64] >> slot % 64 & 1) continue;
      used[slot / 64] |= std::uint64_t{1} << slot % 64;
      seen[slot] = sector;
      ++n;
    }
  }
  return n;
}

unsigned sectors_touched(const vm::Access& access) {
  const unsigned in_rows = sectors_of_rows(access);
  return in_rows ? in_rows : sectors_touched(access.address, access.mask, access.bytes);
}

void Coalescing::on_launch(const vm::LaunchInfo&) { tallies_.assign(context_.site_count() + 1, {}); }

void Coalescing::on_access(const vm::Access& access) {
  if (access.space != ptx::Space::global || access.kind == vm::Access::Kind::atomic || access.mask == 0) return;
  Tally& tally = tallies_[context_.site_number(access.site)];
  if (tally.requests == 0) {
    tally.first_address = access.address[std::countr_zero(access.mask)];
    tally.warp = access.warp;
    tally.store = access.kind == vm::Access::Kind::store;
  }
  ++tally.requests;
  if (access.mask == ~0u && ++tally.full_requests == 1) {
    tally.stride = access.address[1] - access.address[0];
    for (unsigned lane = 1; lane < 32; ++lane)
      if (access.address[lane] - access.address[lane - 1] != tally.stride) tally.stride = 0;
  }
  tally.sectors += sectors_touched(access);
  tally.fewest += (static_cast<std::uint64_t>(std::popcount(access.mask)) * access.bytes + 31) / 32;
}

void Coalescing::add_to(CountsByLine& lines) const {
  for (std::uint32_t number = 1; number < tallies_.size(); ++number) {
    const Tally& tally = tallies_[number];
    if (tally.requests == 0) continue;
    LineCounts& line = lines[line_of(context_.site(number))];
    line.global_requests += tally.requests;
    line.sectors += tally.sectors;
    line.fewest_sectors += tally.fewest;
  }
}

namespace {
/// `region`: null: it is not known.
Message touches(const Place& at, const Region* region, bool store, double sectors, double fewest) {
  const auto given =
      with("at"_a = at_line(at), "buffer"_a = region ? region->name : std::string(), "sectors"_a = sectors, "fewest"_a = fewest);
  if (!region)
    return store ? given.to_say(
                       "A warp that writes global memory{at} touches {sectors:.3g} sectors of 32 bytes on average, where "
                       "{fewest:.3g} could hold what it asks for.")
                 : given.to_say(
                       "A warp that reads global memory{at} touches {sectors:.3g} sectors of 32 bytes on average, where "
                       "{fewest:.3g} could hold what it asks for.");
  return store ? given.to_say(
                     "A warp that writes `{buffer}`{at} touches {sectors:.3g} sectors of 32 bytes on average, where {fewest:.3g} "
                     "could hold what it asks for.")
               : given.to_say(
                     "A warp that reads `{buffer}`{at} touches {sectors:.3g} sectors of 32 bytes on average, where {fewest:.3g} "
                     "could hold what it asks for.");
}
}  // namespace

void Coalescing::finish() {
  // A line may be several instructions (an unrolled loop): they are judged together, loads and stores and buffers apart.
  struct Line {
    Tally sum;
    vm::Site site;
    const Region* region = nullptr;
  };
  std::map<std::tuple<std::uint32_t, std::string, bool>, Line> lines;
  for (std::uint32_t number = 1; number < tallies_.size(); ++number) {
    const Tally& tally = tallies_[number];
    if (tally.requests == 0) continue;
    const vm::Site site = context_.site(number);
    const Region* region = context_.find_global(tally.first_address);
    const auto [entry, fresh] = lines.try_emplace({LaunchContext::line_key(site), region ? region->name : "", tally.store});
    Line& line = entry->second;
    if (fresh) {
      line = {tally, site, region};
      continue;
    }
    line.sum.requests += tally.requests;
    line.sum.full_requests += tally.full_requests;
    line.sum.sectors += tally.sectors;
    line.sum.fewest += tally.fewest;
  }
  for (const auto& [name, line] : lines) {
    const Tally& sum = line.sum;
    if (sum.full_requests < std::min(least_requests, context_.warps())) continue;
    if (static_cast<double>(sum.sectors) <= worth_saying * static_cast<double>(sum.fewest)) continue;
    const FindingKey key{.kind = FindingKind::coalescing,
                         .line = std::get<0>(name),
                         .other_line = 0,
                         .space = "global",
                         .buffer = std::get<1>(name)};
    findings_.note(key, sum.requests, [&] {
      const auto each = [&](std::uint64_t n) { return static_cast<double>(n) / static_cast<double>(sum.requests); };
      Finding finding{
          .space = {}, .message = {}, .at = context_.place(line.site, sum.warp, 0), .buffer = {}, .index = {}, .other = {}};
      finding.message = touches(finding.at, line.region, sum.store, each(sum.sectors), each(sum.fewest));
      if (sum.stride != 0 && line.region && sum.stride % line.region->element_bytes == 0 && !(sum.stride >> 63))
        finding.message.add(
            to_say("Neighbouring threads are {elements} elements apart.", "elements"_a = sum.stride / line.region->element_bytes));
      finding.message.add(to_say("Let neighbouring threads access neighbouring elements."));
      return finding;
    });
  }
}

}  // namespace warpbook::gpu::watch
