#include "gpu/virtual/watch/banks.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <string_view>
#include <tuple>

#include "gpu/virtual/watch/access_words.h"

namespace warpbook::gpu::watch {

unsigned conflict_degree(const std::uint64_t* offset, std::uint32_t mask, std::uint32_t bytes) {
  const unsigned words = std::max(bytes / 4, 1u);   // a lane
  const unsigned lanes = std::max(32 / words, 1u);  // served together
  unsigned worst = 0;
  for (unsigned first = 0; first < 32; first += lanes) {
    // At most 32 words a phase: for each, how many different ones of its bank came before it.
    std::array<std::uint64_t, 32> last_of_bank;
    std::array<std::uint8_t, 32> degree{};
    std::array<std::uint64_t, 32> seen;
    std::array<std::uint8_t, 32> next;
    std::array<std::uint8_t, 32> head;
    head.fill(0xff);
    unsigned n = 0;
    for (unsigned lane = first; lane < first + lanes; ++lane) {
      if (!(mask >> lane & 1)) continue;
      for (unsigned w = 0; w < words; ++w) {
        const std::uint64_t word = offset[lane] / 4 + w;
        const auto bank = static_cast<std::size_t>(word % 32);
        if (degree[bank] && last_of_bank[bank] == word) continue;
        bool again = false;
        for (std::uint8_t i = head[bank]; i != 0xff && !again; i = next[i]) again = seen[i] == word;
        last_of_bank[bank] = word;
        if (again || n == 32) continue;
        seen[n] = word;
        next[n] = head[bank];
        head[bank] = static_cast<std::uint8_t>(n++);
        worst = std::max<unsigned>(worst, ++degree[bank]);
      }
    }
  }
  return worst;
}

void Banks::on_launch(const vm::LaunchInfo&) { tallies_.assign(context_.site_count() + 1, {}); }

void Banks::on_access(const vm::Access& access) {
  if (access.space != ptx::Space::shared || access.kind == vm::Access::Kind::atomic || access.mask == 0) return;
  Tally& tally = tallies_[context_.site_number(access.site)];
  const unsigned degree = conflict_degree(access.address, access.mask, access.bytes);
  if (tally.requests == 0 || degree > tally.worst) {
    tally.worst = degree;
    tally.warp = access.warp;
    tally.first_offset = access.address[std::countr_zero(access.mask)];
    tally.store = access.kind == vm::Access::Kind::store;
  }
  ++tally.requests;
  tally.degrees += degree;
}

void Banks::add_to(CountsByLine& lines) const {
  for (std::uint32_t number = 1; number < tallies_.size(); ++number) {
    const Tally& tally = tallies_[number];
    if (tally.requests == 0) continue;
    LineCounts& line = lines[line_of(context_.site(number))];
    line.shared_requests += tally.requests;
    line.shared_passes += tally.degrees;
  }
}

namespace {

ToSay advice_for(const Region* variable) {
  const bool one_dimension = variable && variable->declared && variable->declared->extents.size() == 1;
  if (!one_dimension)
    return to_say("Pad the rows by one element (`tile[32][33]`), or let neighbouring lanes access neighbouring words.");
  return to_say(
      "Choose another order of accesses, in which neighbouring lanes access neighbouring elements. Where that cannot be, put an "
      "unused element behind every 32, so that `i + i / 32` takes the place of the index i.");
}

/// `variable`: its name; empty: it is not known.
Message conflicts(const Place& at, const std::string& variable, bool store, std::uint64_t worst, double mean) {
  const auto given = with("at"_a = at_line(at), "variable"_a = variable, "worst"_a = worst, "mean"_a = mean);
  if (variable.empty())
    return store ? given.to_say(
                       "A warp that writes shared memory{at} meets bank conflicts, {worst}-way at worst ({mean:.3g} on average): "
                       "lanes want different words of one bank and wait for each other.")
                 : given.to_say(
                       "A warp that reads shared memory{at} meets bank conflicts, {worst}-way at worst ({mean:.3g} on average): "
                       "lanes want different words of one bank and wait for each other.");
  return store ? given.to_say(
                     "A warp that writes `{variable}`{at} meets bank conflicts, {worst}-way at worst ({mean:.3g} on average): "
                     "lanes want different words of one bank and wait for each other.")
               : given.to_say(
                     "A warp that reads `{variable}`{at} meets bank conflicts, {worst}-way at worst ({mean:.3g} on average): lanes "
                     "want different words of one bank and wait for each other.");
}

}  // namespace

void Banks::finish() {
  struct Line {
    Tally sum;
    vm::Site site;
    const Region* variable = nullptr;
  };
  std::map<std::tuple<std::uint32_t, std::string, bool>, Line> lines;  // loads and stores and variables apart
  for (std::uint32_t number = 1; number < tallies_.size(); ++number) {
    const Tally& tally = tallies_[number];
    const vm::Site site = context_.site(number);
    if (tally.requests == 0 || site.instruction().in_toolkit) continue;
    const Region* variable = context_.find_shared(tally.first_offset);
    const auto [entry, fresh] = lines.try_emplace({LaunchContext::line_key(site), variable ? variable->name : "", tally.store},
                                                  Line{tally, site, variable});
    if (fresh) continue;
    Tally& sum = entry->second.sum;
    sum.requests += tally.requests;
    sum.degrees += tally.degrees;
    sum.worst = std::max(sum.worst, tally.worst);
  }
  for (const auto& [name, line] : lines) {
    const Tally& sum = line.sum;
    if (sum.requests < std::min(least_requests, context_.warps()) || sum.degrees < 2 * sum.requests) continue;
    const FindingKey key{
        .kind = FindingKind::banks, .line = std::get<0>(name), .other_line = 0, .space = "shared", .buffer = std::get<1>(name)};
    findings_.note(key, sum.requests, [&] {
      Finding finding{
          .space = {}, .message = {}, .at = context_.place(line.site, sum.warp, 0), .buffer = {}, .index = {}, .other = {}};
      finding.message = conflicts(finding.at, std::get<1>(name), sum.store, sum.worst,
                                  static_cast<double>(sum.degrees) / static_cast<double>(sum.requests));
      finding.message.add(advice_for(line.variable));
      return finding;
    });
  }
}

}  // namespace warpbook::gpu::watch
