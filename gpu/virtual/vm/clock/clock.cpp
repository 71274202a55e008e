// The clock schedule: multiprocessors with schedulers that issue one warp-instruction a cycle, registers that hold their value
// some cycles later, and memory that is read and changed between issue and return. All figures are a model's.
// Longer than other files: it is one loop over cycles, whose steps share the state of one class.
#include "gpu/virtual/vm/clock/clock.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <queue>
#include <unordered_map>

#include "gpu/virtual/vm/clock/copies.h"
#include "gpu/virtual/vm/clock/cost.h"
#include "gpu/virtual/vm/clock/memory.h"
#include "gpu/virtual/vm/clock/stalls.h"
#include "gpu/virtual/vm/exec/changes.h"
#include "gpu/virtual/vm/lanes/access.h"

namespace warpbook::gpu::vm {
namespace {

using ptx::Opcode;

constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t first_block_cycles = 20;  // from the launch to the first instruction: so that cycle 0 is before everything
constexpr std::int32_t turn = 64;                 // backward jumps of a split before lanes that parted from it get a turn

// A launch is sampled when what the budget allows has been issued and so many times as many blocks as the device holds are done:
// one time for the caches and queues to fill, the others to measure. Heavy blocks end it earlier.
constexpr std::uint64_t full_rounds = 3, heavy = 4;
// Blocks that wait for a block which was left out would wait for ever: after so long without a block's end, all run.
constexpr std::uint64_t patience = 4;

struct Event {
  std::uint64_t at, order;
  std::unique_ptr<MemoryRequest> request;
  friend bool operator<(const Event& a, const Event& b) {
    return a.at != b.at ? a.at > b.at : a.order > b.order;
  }  // earliest on top
};

/// A warp on its scheduler.
struct Slot {
  std::uint64_t ready = 0;  // cannot issue before; never: waits for others
  Warp* warp = nullptr;
  bool stale = true;  // somebody woke it: `ready` is when to look again
  bool ended = false;
  WarpState waits_for = WarpState::lanes;  // where ready is never
  CostTable* table = nullptr;              // of the instruction that comes next, or at which it waits
  std::size_t index = 0;
  WarpAccount account;
};

struct Scheduler {
  std::vector<Slot> slots;
  std::size_t last = 0;         // who issued last; the next in turn comes first
  std::uint64_t ready = never;  // nobody here can issue before
  std::uint64_t unit_free[static_cast<int>(Unit::count)] = {};
};

struct Multiprocessor {
  std::vector<Scheduler> schedulers;
  std::vector<std::unique_ptr<Block>> blocks;
  std::uint64_t ready = never;  // of its schedulers
  bool some_finished = false, worked = false;
};

class ClockRun : public Clock {
 public:
  ClockRun(Machine& machine, const ClockFigures& figures)
      : machine_(machine),
        figures_(figures),
        worker_(machine),
        random_{machine.seed * 2 + 1},
        memory_(figures, random_),
        stalls_(figures.timeline),
        blocks_(machine.info.grid.count()),
        last_block_(blocks_) {
    worker_.clock = this;
    multiprocessors_.resize(figures.multiprocessors);
    for (Multiprocessor& sm : multiprocessors_) sm.schedulers.resize(figures.schedulers);
    round_ = std::uint64_t{figures.multiprocessors} * figures.resident_blocks;
  }

  ClockResult run() {
    place_first_blocks();
    std::uint64_t checks = 0;
    while (done_ < last_block_) {
      if (machine_.stop.load(std::memory_order_relaxed)) break;
      if ((++checks & 0x3ff) == 0) {
        if (machine_.should_stop()) break;
        look_at_sampling();
      }
      perform_due();
      put_away_drained();
      std::uint64_t next = never;
      for (std::uint32_t s = 0; s < multiprocessors_.size(); ++s) {
        Multiprocessor& sm = multiprocessors_[s];
        if (sm.ready <= now_) issue_on(s);
        next = std::min(next, sm.ready);
      }
      if (machine_.stop.load(std::memory_order_relaxed)) break;
      replace_finished();
      next = std::min(next, std::exchange(begins_, never));
      if (!events_.empty()) next = std::min(next, events_.top().at);
      if (next != never) {
        now_ = std::max(now_ + 1, next);
      } else if (done_ < last_block_ && !unblock()) {
        break;
      }
    }
    while (!events_.empty() && !machine_.stop.load(std::memory_order_relaxed)) {
      now_ = std::max(now_, events_.top().at);
      perform_due();
    }
    if (!machine_.stop.load(std::memory_order_relaxed)) put_away_drained();
    for (const Multiprocessor& sm : multiprocessors_)
      if (!sm.blocks.empty()) add_where_stopped(machine_, *sm.blocks.front());
    return result();
  }

  void take(Warp& warp, const Inst& inst) override {
    std::unique_ptr<MemoryRequest> request;
    if (spare_requests_.empty()) {
      request = std::make_unique_for_overwrite<MemoryRequest>();
    } else {
      request = std::move(spare_requests_.back());
      spare_requests_.pop_back();
    }
    capture(warp, inst, *request);
    ++under_way_[warp.block];
    request->issued = now_;
    request->reported = false;
    CostTable& table = table_of(*warp.frame->code);
    const bool joins = table.costs[static_cast<std::size_t>(&inst - table.code->insts.data())].joins;
    ClockMemory::Times times = memory_.take(*request, joins, warp.block->sm, now_);
    keep_order(warp, inst, times);
    request->reached = times.reached;
    request->done = std::max(times.done, times.reached + (times.reached > now_));
    if (inst.ptx->op == Opcode::cp_async && machine_.observer) report_ahead(worker_, *request);
    Frame& frame = *warp.frame;
    for (const std::uint16_t r : writes(frame, inst)) frame.ready[r] = ready_entry(request->done, times.waits);
    if (request->reached <= now_) {  // local memory: nobody else can see when
      finish(std::move(request));
      return;
    }
    events_.push({request->reached, order_++, std::move(request)});
  }

  void wake(Warp& warp) override {
    warp.next_issue = std::max(warp.next_issue, now_ + cycles(figures_.barrier));
    look_again(warp, WarpState::barrier);
  }

 private:
  /// A thread sees its own stores, and what it loads is older than what it stores later. An asynchronous copy comes after what its
  /// thread did before. Later requests do not come after the copy: only the instructions that wait for copies do.
  void keep_order(Warp& warp, const Inst& inst, ClockMemory::Times& times) {
    if (inst.ptx->op == Opcode::cp_async) {
      times.reached = std::max({times.reached, warp.last_reached[0], warp.last_reached[1]});
      copies_[&warp].begin(times.reached);
      return;
    }
    const bool shared = times.waits == WarpState::shared;
    std::uint64_t& last = warp.last_reached[shared];
    std::uint64_t& last_stored = warp.last_stored[shared];
    const bool load = inst.ptx->op == Opcode::ld || inst.ptx->op == Opcode::ldu;
    times.reached = std::max(times.reached, load ? last_stored : last);
    last = std::max(last, times.reached);
    if (!load) last_stored = times.reached;
  }

  /// The cycle at which what the instruction has to wait for has reached memory.
  [[nodiscard]] std::uint64_t reached(const Warp& warp, const Inst& inst, WaitsFor what) const {
    const std::uint64_t requests = std::max(warp.last_reached[0], warp.last_reached[1]);
    if (what == WaitsFor::requests) return requests;
    const auto found = copies_.find(&warp);
    const CopyGroups& copies = found == copies_.end() ? no_copies_ : found->second;
    return std::max(requests, what == WaitsFor::groups ? copies.all_but(inst.ptx->operands[0].bits) : copies.all());
  }

  static std::uint64_t cycles(double value) { return static_cast<std::uint64_t>(std::llround(value)); }
  static const std::vector<std::uint16_t>& writes(const Frame& frame, const Inst& inst) {
    const auto index = static_cast<std::size_t>(&inst - frame.code->insts.data());
    return frame.code->extras[frame.code->scoreboard[index]].writes;
  }

  /// At its next_issue: until then it has waited for `state`.
  void look_again(const Warp& warp, WarpState state) {
    Multiprocessor& sm = multiprocessors_[warp.block->sm];
    Scheduler& scheduler = sm.schedulers[warp.scheduler];
    for (Slot& slot : scheduler.slots)
      if (slot.warp == &warp && !slot.ended) {
        slot.ready = warp.next_issue;
        slot.waits_for = state;
        slot.stale = true;
      }
    scheduler.ready = std::min(scheduler.ready, warp.next_issue);
    sm.ready = std::min(sm.ready, warp.next_issue);
  }

  CostTable& table_of(const Code& code) {
    if (last_table_ && last_table_->code == &code) return *last_table_;
    auto& slot = tables_[&code];
    if (!slot) slot = std::make_unique<CostTable>(code, figures_);
    last_table_ = slot.get();
    return *last_table_;
  }

  void place_first_blocks() {
    // Breadth first, as hardware does: one block on every multiprocessor, then the second round.
    for (unsigned turn_of = 0; turn_of < figures_.resident_blocks; ++turn_of)
      for (std::uint32_t s = 0; s < multiprocessors_.size() && next_block_ < blocks_ && machine_.has_room(); ++s)
        place(s, first_block_cycles);
  }

  /// No sooner than `earliest`, and when the one dispatcher of the device has come to it.
  void place(std::uint32_t s, std::uint64_t earliest) {
    dispatcher_free_ = std::max(dispatcher_free_, static_cast<double>(earliest)) + figures_.dispatch;
    const std::uint64_t start = cycles(dispatcher_free_) + random_.below(8);
    Multiprocessor& sm = multiprocessors_[s];
    sm.worked = true;
    std::unique_ptr<Block> block;
    if (!spare_.empty()) {
      block = std::move(spare_.back());
      spare_.pop_back();
    } else {
      block = std::make_unique<Block>();
    }
    block->sm = s;
    worker_.cycle = now_;
    block->start(worker_, static_cast<std::uint32_t>(next_block_++));
    CostTable& table = table_of(*machine_.image->kernel);
    for (std::uint32_t w = 0; w < block->warp_count; ++w) {
      Warp& warp = *block->warps[w];
      // The scheduler with the fewest warps takes the next one.
      const auto fewest = std::min_element(sm.schedulers.begin(), sm.schedulers.end(),
                                           [](const Scheduler& a, const Scheduler& b) { return a.slots.size() < b.slots.size(); });
      warp.scheduler = static_cast<std::uint32_t>(fewest - sm.schedulers.begin());
      warp.next_issue = start + random_.below(4);
      fewest->slots.push_back({.ready = warp.next_issue,
                               .warp = &warp,
                               .table = &table,
                               .account = stalls_.begin(block->index, w, s, warp.scheduler, start)});
      fewest->ready = std::min(fewest->ready, warp.next_issue);
      sm.ready = std::min(sm.ready, warp.next_issue);
      begins_ = std::min(begins_, warp.next_issue);
    }
    sm.blocks.push_back(std::move(block));
  }

  void replace_finished() {
    if (!std::exchange(some_finished_, false)) return;
    for (std::uint32_t s = 0; s < multiprocessors_.size(); ++s) {
      Multiprocessor& sm = multiprocessors_[s];
      if (!std::exchange(sm.some_finished, false)) continue;
      for (std::size_t b = 0; b < sm.blocks.size();) {
        Block& block = *sm.blocks[b];
        if (block.alive_threads) {
          ++b;
          continue;
        }
        for (Scheduler& scheduler : sm.schedulers)
          std::erase_if(scheduler.slots, [&](const Slot& slot) { return slot.warp->block == &block; });
        if (machine_.job) machine_.job->blocks_done.fetch_add(1, std::memory_order_relaxed);
        draining_.push_back(std::move(sm.blocks[b]));
        some_drained_ = true;
        sm.blocks.erase(sm.blocks.begin() + static_cast<std::ptrdiff_t>(b));
        ++done_;
        last_end_ = now_;
        if (done_ == round_) full_from_ = {now_, issued_ptx_};
        if (next_block_ < last_block_) place(s, now_ + cycles(figures_.block_start));
      }
    }
  }

  /// Enough seen? Then no further block is begun here. Nobody ends any more? Then they may wait for one that was left out.
  void look_at_sampling() {
    if (!figures_.sample_after) return;
    if (last_block_ == blocks_ && !all_needed_ && next_block_ < blocks_ && issued_ptx_ >= figures_.sample_after &&
        (done_ >= full_rounds * round_ || (done_ && issued_ptx_ >= heavy * figures_.sample_after))) {
      last_block_ = next_block_;
      full_until_ = {now_, issued_ptx_};
    } else if (last_block_ < blocks_ && now_ - last_end_ > patience * last_end_) {
      all_needed_ = true;
      last_block_ = blocks_;
      for (std::uint32_t s = 0; s < multiprocessors_.size(); ++s)
        while (multiprocessors_[s].blocks.size() < figures_.resident_blocks && next_block_ < blocks_)
          place(s, now_ + cycles(figures_.block_start));
    }
  }

  void perform_due() {
    while (!events_.empty() && events_.top().at <= now_) {
      // The queue gives out const references only; the request is moved out just before it is popped.
      std::unique_ptr<MemoryRequest> request = std::move(const_cast<Event&>(events_.top()).request);
      events_.pop();
      worker_.cycle = now_;
      finish(std::move(request));
    }
  }

  void finish(std::unique_ptr<MemoryRequest> request) {
    perform(worker_, *request);
    const auto left = under_way_.find(request->warp->block);
    if (--left->second == 0 && left->first->alive_threads == 0) some_drained_ = true;
    spare_requests_.push_back(std::move(request));
  }

  /// Blocks that have ended and whose last request has reached memory: nothing points to them any more.
  void put_away_drained() {
    if (!std::exchange(some_drained_, false)) return;
    std::erase_if(draining_, [&](std::unique_ptr<Block>& block) {
      if (const auto left = under_way_.find(block.get()); left != under_way_.end()) {
        if (left->second) return false;
        under_way_.erase(left);
      }
      if (machine_.observer) machine_.observer->on_block_end(block->index);
      spare_.push_back(std::move(block));
      return true;
    });
  }

  /// Works out when the slot's warp may issue, and accounts for what it does until then.
  void look_at(Slot& slot) {
    Warp& warp = *slot.warp;
    slot.stale = false;
    if (warp.finished()) {
      slot.ready = never;
      if (!std::exchange(slot.ended, true)) stalls_.end(slot.account);
      return;
    }
    if (!warp.running) {
      if (!warp.resume() && !(warp.release_parked() && warp.resume())) {
        slot.ready = never;
        slot.waits_for = WarpState::lanes;
        for (const Split& split : warp.waiting)
          if (split.state == Split::State::at_block_barrier) slot.waits_for = WarpState::barrier;
        return;
      }
      warp.fuel = turn;
    }
    stalls_.until(slot.account, warp.next_issue, slot.waits_for, *slot.table, slot.index);
    slot.table = &table_of(*warp.frame->code);
    slot.index = warp.at;
    std::uint64_t at = ready_entry(warp.next_issue, WarpState::not_selected);
    const Frame& frame = *warp.frame;
    const Extra& scores = frame.code->extras[frame.code->scoreboard[warp.at]];
    for (const std::uint16_t r : scores.reads) at = std::max(at, frame.ready[r]);
    for (const std::uint16_t r : scores.writes) at = std::max(at, frame.ready[r]);
    if (const WaitsFor what = slot.table->costs[slot.index].waits_for; what != WaitsFor::nothing)
      at = std::max(at, ready_entry(reached(warp, warp.insts[slot.index], what) + 1, WarpState::fence));
    slot.ready = ready_cycle(at);
    stalls_.until(slot.account, slot.ready, ready_state(at), *slot.table, slot.index);
  }

  void issue_on(std::uint32_t s) {
    Multiprocessor& sm = multiprocessors_[s];
    std::uint64_t next = never;
    for (std::uint32_t k = 0; k < figures_.schedulers; ++k) {
      Scheduler& scheduler = sm.schedulers[k];
      if (scheduler.ready <= now_) issue(sm, s, k);
      next = std::min(next, scheduler.ready);
    }
    // A scheduler may have woken warps of another that was asked before it.
    for (const Scheduler& scheduler : sm.schedulers) next = std::min(next, scheduler.ready);
    sm.ready = next;
  }

  void issue(Multiprocessor& sm, std::uint32_t s, std::uint32_t k) {
    Scheduler& scheduler = sm.schedulers[k];
    std::uint64_t next = never;
    const std::size_t count = scheduler.slots.size();
    scheduler.ready = never;  // whoever is woken meanwhile lowers it
    for (std::size_t n = 1; n <= count; ++n) {
      const std::size_t at = (scheduler.last + n) % count;
      Slot& slot = scheduler.slots[at];
      if (slot.ready > now_) {
        next = std::min(next, slot.ready);
        continue;
      }
      Warp& warp = *slot.warp;
      if (slot.stale) look_at(slot);
      // What is no instruction of the machine takes no time.
      while (slot.ready <= now_ && slot.table->costs[slot.index].slots == 0) {
        Frame& frame = *warp.frame;
        for (const std::uint16_t r : writes(frame, warp.insts[warp.at])) frame.ready[r] = ready_entry(now_, WarpState::arithmetic);
        step(sm, warp, s, k);
        look_at(slot);
      }
      if (slot.ready > now_) {
        next = std::min(next, slot.ready);
        continue;
      }
      const Cost cost = slot.table->costs[slot.index];
      std::uint64_t& unit = scheduler.unit_free[static_cast<int>(cost.unit)];
      const std::uint64_t accepts = cost.memory ? memory_.accepts_at(s) : 0;
      if (const std::uint64_t free = std::max(unit, accepts); free > now_) {
        stalls_.until(slot.account, now_, WarpState::not_selected, *slot.table, slot.index);
        stalls_.until(slot.account, free, accepts > unit ? WarpState::memory_busy : WarpState::unit_busy, *slot.table, slot.index);
        slot.ready = free;
        next = std::min(next, free);
        continue;
      }
      scheduler.last = at;
      unit = now_ + cost.busy;
      stalls_.until(slot.account, now_, WarpState::not_selected, *slot.table, slot.index);
      stalls_.until(slot.account, now_ + cost.slots, WarpState::issued, *slot.table, slot.index);
      issued_ += cost.slots;
      Frame& frame = *warp.frame;
      for (const std::uint16_t r : writes(frame, warp.insts[warp.at]))
        frame.ready[r] = ready_entry(now_ + cost.latency, cost.result);
      warp.next_issue = now_ + cost.slots;
      slot.waits_for = WarpState::lanes;
      step(sm, warp, s, k);
      look_at(slot);
      scheduler.ready = now_ + cost.slots;
      return;
    }
    scheduler.ready = std::min(scheduler.ready, next);
  }

  void step(Multiprocessor& sm, Warp& warp, std::uint32_t s, std::uint32_t k) {
    worker_.cycle = now_;
    worker_.sm = s;
    const Inst& inst = warp.insts[warp.at++];
    worker_.executed.add(!inst.pseudo, 1, warp.lane_count);
    if (!inst.pseudo && inst.ptx->op == Opcode::cp_async_commit_group) copies_[&warp].commit();
    issued_ptx_ += !inst.pseudo;
    if (machine_.observer && !inst.pseudo)
      machine_.observer->on_issue({worker_.site(warp, inst), warp.block->id(warp), warp.mask, now_, static_cast<std::uint16_t>(s),
                                   static_cast<std::uint16_t>(k), warp.frame->id});
    if (machine_.report_changes)
      execute_and_report(warp, inst);
    else
      inst.handler(warp, inst);
    if (warp.fuel <= 0 && !warp.running && ++warp.spins >= 4) warp.release_parked();
    if (!warp.block->alive_threads) some_finished_ = sm.some_finished = true;
  }

  bool unblock() {
    for (Multiprocessor& sm : multiprocessors_)
      for (auto& block : sm.blocks) {
        if (!block->alive_threads) continue;
        if (!block->unblock()) return false;
        for (std::uint32_t w = 0; w < block->warp_count; ++w) {
          block->warps[w]->next_issue = std::max(block->warps[w]->next_issue, now_);
          look_again(*block->warps[w], WarpState::lanes);
        }
      }
    return true;
  }

  ClockResult result() {
    ClockResult result;
    ClockReport& report = result.report;
    report.cycles = now_;
    report.blocks = blocks_;
    report.blocks_simulated = last_block_;
    report.issued = issued_;
    memory_.report_to(report);
    stalls_.report_to(report, now_);
    result.next_block = last_block_;
    result.instructions = issued_ptx_;
    const std::uint64_t steady = full_until_.instructions - std::min(full_until_.instructions, full_from_.instructions);
    // Less than a quarter of what ran would tell little of the rest: then the whole of it does.
    const bool measured = full_from_.cycle && steady * 4 >= issued_ptx_;
    result.cycles_per_instruction = measured
                                        ? static_cast<double>(full_until_.cycle - full_from_.cycle) / static_cast<double>(steady)
                                        : static_cast<double>(now_) / static_cast<double>(std::max<std::uint64_t>(1, issued_ptx_));
    for (const auto& [code, table] : tables_)
      for (std::size_t i = 0; i < table->cycles.size(); ++i)
        if (table->cycles[i] != WarpCycles{}) result.sites.push_back({{code->function, code->insts[i].pc}, table->cycles[i]});
    for (const Multiprocessor& sm : multiprocessors_) result.working += sm.worked;
    return result;
  }

  struct Mark {
    std::uint64_t cycle = 0, instructions = 0;
  };

  Machine& machine_;
  const ClockFigures& figures_;
  Worker worker_;
  Random random_;
  ClockMemory memory_;
  ClockStalls stalls_;
  std::vector<Multiprocessor> multiprocessors_;
  std::vector<std::unique_ptr<Block>> spare_, draining_;       // the latter have ended, but not all they asked of memory
  std::unordered_map<const Block*, std::uint32_t> under_way_;  // requests
  std::unordered_map<const Warp*, CopyGroups> copies_;         // what an earlier block left is over, and delays nobody
  const CopyGroups no_copies_;
  std::vector<std::unique_ptr<MemoryRequest>> spare_requests_;
  std::priority_queue<Event> events_;
  std::unordered_map<const Code*, std::unique_ptr<CostTable>> tables_;
  CostTable* last_table_ = nullptr;
  std::uint64_t blocks_, last_block_, round_ = 0;  // of the grid; that run here; that the device holds
  std::uint64_t now_ = 0, order_ = 0, next_block_ = 0, done_ = 0, issued_ = 0, issued_ptx_ = 0, last_end_ = 0;
  std::uint64_t begins_ = never;  // the first cycle of blocks placed since the multiprocessors were asked
  double dispatcher_free_ = 0;
  Mark full_from_, full_until_;  // while every multiprocessor held as many blocks as fit
  bool some_finished_ = false, some_drained_ = false, all_needed_ = false;
};

}  // namespace

ClockResult run_clock(Machine& machine, const ClockFigures& figures) { return ClockRun(machine, figures).run(); }

void scale_to_launch(ClockResult& result, const ClockFigures& figures, std::uint64_t instructions) {
  ClockReport& r = result.report;
  if (r.blocks_simulated < r.blocks && result.instructions && instructions > result.instructions) {
    const double factor = static_cast<double>(instructions) / static_cast<double>(result.instructions);
    const auto scale = [factor](std::uint64_t& value) {
      value = static_cast<std::uint64_t>(std::llround(static_cast<double>(value) * factor));
    };
    r.cycles += static_cast<std::uint64_t>(
        std::llround(static_cast<double>(instructions - result.instructions) * result.cycles_per_instruction));
    scale(r.issued);
    scale(r.shared_passes);
    scale(r.shared_requests);
    scale(r.constant_passes);
    scale(r.constant_requests);
    for (MemoryLevel* level : {&r.l1, &r.l2, &r.dram})
      for (std::uint64_t MemoryLevel::*sum :
           {&MemoryLevel::sectors, &MemoryLevel::hits, &MemoryLevel::bytes_read, &MemoryLevel::bytes_written})
        scale(level->*sum);
    for (SiteCycles& site : result.sites)
      for (std::uint64_t& cycles : site.cycles) scale(cycles);
    r.active_warp_cycles = 0;
    for (std::uint64_t& cycles : r.warp_cycles) {
      scale(cycles);
      r.active_warp_cycles += cycles;
    }
  }
  const auto cycles = static_cast<double>(r.cycles);
  r.multiprocessors = figures.multiprocessors;
  r.schedulers = figures.schedulers;
  r.us = cycles / figures.clock_mhz;
  r.issue_slots = r.cycles * figures.schedulers * figures.multiprocessors;
  r.resident_blocks = figures.resident_blocks;
  const double slots = cycles * figures.warps * result.working;
  r.occupancy = slots > 0 ? std::min(1.0, static_cast<double>(r.active_warp_cycles) / slots) : 0;
  r.dram_limit_gb_per_s = figures.dram_bytes_per_cycle * figures.clock_mhz / 1e3;
  r.dram_gb_per_s =
      cycles > 0 ? static_cast<double>(r.dram.bytes_read + r.dram.bytes_written) / cycles * figures.clock_mhz / 1e3 : 0;
}

}  // namespace warpbook::gpu::vm
