// Barriers and *_sync calls at which threads wait in vain, or not as they should: what an observer is told of it, and the fault
// where no thread of a block can go on.
#include <fmt/format.h>

#include <algorithm>

#include "gpu/virtual/vm/code/place.h"
#include "gpu/virtual/vm/exec/block.h"
#include "gpu/virtual/vm/exec/warp_sync.h"

namespace warpbook::gpu::vm {
namespace {

Site site_of(const Arrival& arrival) { return {arrival.function, arrival.inst->pc}; }
Site site_of(const Split& split) { return {split.frame->code->function, split.frame->code->insts[split.at].pc}; }

bool is_at(const Split& split, std::uint32_t barrier) {
  return split.state == Split::State::at_block_barrier && split.barrier == barrier;
}

/// `split` waits at a barrier that does not complete.
void describe_barrier(const Block& block, const Split& split, Misuse& misuse) {
  const NamedBarrier& barrier = block.barriers[split.barrier];
  misuse.barrier = split.barrier;
  misuse.expected = barrier.expected;
  misuse.arrived = barrier.arrived;
  for (std::uint32_t w = 0; w < block.warp_count; ++w)
    for (const Split& other : block.warps[w]->waiting) {
      if (is_at(other, split.barrier)) continue;
      misuse.other = site_of(other);
      misuse.other_warp = block.id(*block.warps[w]);
      misuse.missing = other.mask;
      return;
    }
  if (barrier.expected) misuse.kind = Misuse::Kind::too_few_at_barrier;
}

/// `split` waits for lanes of its warp that are elsewhere.
void describe_meeting(const Block& block, const Warp& warp, const Split& split, Misuse& misuse) {
  misuse.kind = Misuse::Kind::missing_lane;
  misuse.members = split.members;
  std::uint32_t missing = split.members & warp.alive;
  for (const Split& other : warp.waiting)
    if (meets(split, other)) missing &= ~other.mask;
  misuse.missing = missing;
  for (const Split& other : warp.waiting) {
    if (!(other.mask & missing & (0 - missing))) continue;  // the first of them
    misuse.missing = missing & other.mask;
    misuse.other = site_of(other);
    misuse.other_warp = block.id(warp);
    misuse.other_members = other.members;
  }
}

}  // namespace

void Block::report_not_reached_by_all(const NamedBarrier& barrier, const Arrival& last) const {
  Misuse misuse;
  misuse.site = site_of(last);
  misuse.warp = id(*last.warp);
  misuse.mask = last.mask;
  if (barrier.elsewhere.inst) {
    const Arrival& other = last.inst == barrier.first.inst ? barrier.elsewhere : barrier.first;
    misuse.other = site_of(other);
    misuse.other_warp = id(*other.warp);
    misuse.missing = other.mask;
  } else {
    for (std::uint32_t w = 0; w < warp_count && !misuse.missing; ++w) {
      misuse.missing = warps[w]->born & ~warps[w]->alive;
      misuse.other_warp = id(*warps[w]);
    }
  }
  worker->machine.observer->on_misuse(misuse);
}

void Block::report_unequal_counts(const NamedBarrier& barrier, std::uint32_t number, const Arrival& last,
                                  std::uint32_t expected) const {
  // No count: all threads of the block, in whole warps.
  const auto threads = [&](std::uint32_t count) { return count ? count : warp_count * lanes; };
  if (threads(expected) == threads(barrier.expected)) return;
  Misuse misuse;
  misuse.kind = Misuse::Kind::counts_differ;
  misuse.site = site_of(last);
  misuse.warp = id(*last.warp);
  misuse.mask = last.mask;
  misuse.other = site_of(barrier.first);
  misuse.other_warp = id(*barrier.first.warp);
  misuse.missing = barrier.first.mask;
  misuse.barrier = number;
  misuse.expected = threads(expected);
  misuse.arrived = threads(barrier.expected);
  worker->machine.observer->on_misuse(misuse);
}

void Block::fail_for_ever() {
  const auto waits =
      std::find_if(warps.begin(), warps.begin() + warp_count, [](const auto& warp) { return !warp->waiting.empty(); });
  if (waits == warps.begin() + warp_count) return;
  const Warp& warp = **waits;
  const Split& split = warp.waiting.front();
  const bool at_barrier = split.state == Split::State::at_block_barrier;
  if (Observer* observer = worker->machine.observer) {
    Misuse misuse;
    misuse.site = site_of(split);
    misuse.warp = id(warp);
    misuse.mask = split.mask;
    at_barrier ? describe_barrier(*this, split, misuse) : describe_meeting(*this, warp, split, misuse);
    observer->on_misuse(misuse);
  }
  auto reason = std::make_unique<Fault>();
  reason->status = "cudaErrorLaunchTimeout";
  reason->message = to_say("Block {block} can never end.", "block"_a = to_string(position));
  reason->message.add(describe_waiting(*this));
  reason->message.add(!at_barrier ? to_say("Let all lanes that a mask names make the same call, with the same mask.")
                      : barriers[split.barrier].expected
                          ? to_say("Let as many threads come to a barrier as its count says, by the same number.")
                          : to_say("Let all threads reach the same barrier."));
  reason->site = site_of(split);
  reason->warp = id(warp);
  reason->lane = static_cast<std::uint32_t>(__builtin_ctz(split.mask));
  worker->machine.fail(std::move(reason));
}

namespace {

Message describe(const Split& split, std::uint32_t warp) {
  const Inst& inst = split.frame->code->insts[split.at];
  const auto given =
      with("warp"_a = warp, "lane"_a = __builtin_ctz(split.mask), "at"_a = inst.ptx ? place_of(*inst.ptx) : SourceLine{});
  const bool whole = __builtin_popcount(split.mask) == 32;
  if (split.state == Split::State::at_block_barrier)
    return whole ? given.to_say("Every lane of warp {warp} waits at a barrier{at}.")
                 : given.to_say("Lane {lane} of warp {warp} waits at a barrier{at}.");
  if (split.state == Split::State::at_warp_sync)
    return whole ? given.to_say("Every lane of warp {warp} waits for lanes of its warp{at}.")
                 : given.to_say("Lane {lane} of warp {warp} waits for lanes of its warp{at}.");
  if (!inst.ptx)
    return whole ? given.to_say("Every lane of warp {warp} is at its end.")
                 : given.to_say("Lane {lane} of warp {warp} is at its end.");
  return whole ? given.to_say("Every lane of warp {warp} is at work{at}.")
               : given.to_say("Lane {lane} of warp {warp} is at work{at}.");
}

}  // namespace

Paragraph describe_waiting(const Block& block) {
  Paragraph told;
  for (std::uint32_t w = 0; w < block.warp_count && told.sentences.size() < 4; ++w) {
    Warp& warp = *block.warps[w];
    warp.wait_as_split();
    std::vector<Split> splits = warp.waiting;
    if (warp.running) splits.push_back(warp.save());
    for (const Split& split : splits) {
      told.add(describe(split, w));
      if (told.sentences.size() == 4) break;
    }
  }
  return told;
}

void add_where_stopped(Machine& machine, const Block& block) {
  const std::lock_guard lock(machine.mutex);
  if (!machine.fault || !machine.fault->from_outside || machine.fault->site.function) return;
  Fault& fault = *machine.fault;
  if (fault.status == "cudaErrorLaunchTimeout") fault.message = describe_waiting(block);
  // Who runs is more to blame than who waits.
  for (const bool waiting : {false, true})
    for (std::uint32_t w = 0; w < block.warp_count && !fault.site.function; ++w) {
      Warp& warp = *block.warps[w];
      warp.wait_as_split();
      std::vector<Split> splits = warp.waiting;
      if (warp.running) splits.insert(splits.begin(), warp.save());
      for (const Split& split : splits) {
        const bool waits = split.state == Split::State::at_block_barrier || split.state == Split::State::at_warp_sync;
        const Code& code = *split.frame->code;
        const std::uint32_t pc = split.at < code.insts.size() ? code.insts[split.at].pc : 0;
        if (waits != waiting || split.at >= code.insts.size() || pc >= code.function->code.size()) continue;
        fault.site = {code.function, pc};
        fault.warp = block.id(warp);
        fault.lane = static_cast<std::uint32_t>(__builtin_ctz(split.mask));
        break;
      }
    }
}

}  // namespace warpbook::gpu::vm
