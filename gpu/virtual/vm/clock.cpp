// The clock schedule: multiprocessors with schedulers that issue one warp-instruction a cycle, registers that hold their value
// some cycles later, and memory that is read and changed between issue and return. All figures are a model's.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <queue>
#include <unordered_map>

#include "gpu/virtual/vm/access.h"
#include "gpu/virtual/vm/changes.h"
#include "gpu/virtual/vm/run.h"

namespace warpbook::gpu::vm {
namespace {

using ptx::Opcode;
using ptx::Space;

constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t first_block_cycles = 20;  // from the launch to the first instruction: so that cycle 0 is before everything
constexpr std::int32_t turn = 64;                 // backward jumps of a split before lanes that parted from it get a turn
constexpr std::uint64_t sector = 32;              // bytes
// Now and then a request meets a refresh of the memory or a page that the TLB does not know. No source measures how often;
// one in 1024 is rare enough to leave the average alone, and makes rare interleavings possible at all.
constexpr std::uint64_t one_in_delayed = 1024;

/// Steele, Lea and Flood's SplitMix64: small, and the same on every machine.
struct Random {
  std::uint64_t state;
  std::uint64_t next() {
    std::uint64_t z = state += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
  }
  std::uint64_t below(std::uint64_t limit) { return limit ? next() % limit : 0; }
};

enum class Unit : std::uint8_t { fp32, int32, fp64, sfu, other, count };

struct Cost {
  Unit unit;
  double latency;
};

Cost cost_of(const ptx::Instruction& p, const ClockFigures& f) {
  const bool wide = ptx::bytes_of(p.type) == 8;
  const bool is_float = ptx::is_float(p.type);
  switch (p.op) {
    case Opcode::mul:
    case Opcode::mad:
    case Opcode::mul24:
    case Opcode::mad24:
      if (is_float) return wide ? Cost{Unit::fp64, f.fp64} : Cost{Unit::fp32, f.alu};
      return {Unit::int32, wide ? 2 * f.imad : f.imad};
    case Opcode::div:
    case Opcode::rem:
      if (is_float && p.approx) return {Unit::sfu, f.sfu + f.alu};
      return {is_float && wide ? Unit::fp64 : Unit::other, wide ? f.divide64 : f.divide32};
    case Opcode::sqrt:
    case Opcode::rcp:
    case Opcode::rsqrt:
      return p.approx ? Cost{Unit::sfu, f.sfu} : Cost{Unit::sfu, f.square_root};
    case Opcode::sin:
    case Opcode::cos:
    case Opcode::ex2:
    case Opcode::lg2:
    case Opcode::tanh:
      return {Unit::sfu, f.sfu};
    case Opcode::cvt:
      return ptx::is_float(p.type) != ptx::is_float(p.type2) ? Cost{Unit::sfu, f.sfu} : Cost{Unit::int32, f.alu};
    case Opcode::popc:
    case Opcode::clz:
    case Opcode::brev:
      return {Unit::sfu, f.sfu};
    case Opcode::shfl:
    case Opcode::vote:
    case Opcode::match:
    case Opcode::redux:
      return {Unit::other, f.shuffle};
    default:
      break;
  }
  if (is_float) return wide && p.op != Opcode::mov && p.op != Opcode::selp ? Cost{Unit::fp64, f.fp64} : Cost{Unit::fp32, f.alu};
  return {Unit::int32, f.alu};
}

/// Instructions that wait until all the warp's requests have reached memory.
bool waits_for_memory(Opcode op) {
  return op == Opcode::bar || op == Opcode::barrier || op == Opcode::bar_warp || op == Opcode::membar || op == Opcode::fence ||
         op == Opcode::exit || op == Opcode::ret || op == Opcode::call || op == Opcode::cp_async_wait_all ||
         op == Opcode::cp_async_wait_group || op == Opcode::cluster_arrive || op == Opcode::cluster_wait;
}

struct Event {
  std::uint64_t at, order;
  std::unique_ptr<MemoryRequest> request;
  friend bool operator<(const Event& a, const Event& b) {
    return a.at != b.at ? a.at > b.at : a.order > b.order;
  }  // earliest on top
};

struct Scheduler {
  std::vector<Warp*> warps;
  std::size_t last = 0;     // who issued last; the next in turn comes first
  std::uint64_t ready = 0;  // nobody here can issue before
  std::uint64_t unit_free[static_cast<int>(Unit::count)] = {};
};

struct Multiprocessor {
  std::vector<Scheduler> schedulers;
  std::vector<std::unique_ptr<Block>> blocks;
  std::uint64_t memory_free = 0;  // its load/store unit
};

class ClockRun : public Clock {
 public:
  ClockRun(Machine& machine, const ClockFigures& figures)
      : machine_(machine), figures_(figures), worker_(machine), random_{machine.seed * 2 + 1} {
    worker_.clock = this;
    multiprocessors_.resize(figures.multiprocessors);
    for (Multiprocessor& sm : multiprocessors_) sm.schedulers.resize(figures.schedulers);
  }

  std::uint64_t run() {
    const std::uint64_t blocks = machine_.info.grid.count();
    place_first_blocks(blocks);
    std::uint64_t checks = 0;
    while (done_ < blocks) {
      if (machine_.stop.load(std::memory_order_relaxed)) break;
      if ((++checks & 0x3ff) == 0 && machine_.should_stop()) break;
      perform_due();
      std::uint64_t next = never;
      bool issued = false;
      for (std::uint32_t s = 0; s < multiprocessors_.size(); ++s)
        for (std::uint32_t k = 0; k < figures_.schedulers; ++k) {
          Scheduler& scheduler = multiprocessors_[s].schedulers[k];
          if (scheduler.ready <= now_) issued |= issue(s, k);
          next = std::min(next, scheduler.ready);
        }
      if (machine_.stop.load(std::memory_order_relaxed)) break;
      replace_finished(blocks);
      if (issued) {
        ++now_;
        continue;
      }
      if (!events_.empty()) next = std::min(next, events_.top().at);
      if (next != never) {
        now_ = std::max(now_ + 1, next);
      } else if (done_ < blocks && !unblock()) {
        break;
      }
    }
    while (!events_.empty() && !machine_.stop.load(std::memory_order_relaxed)) {
      now_ = std::max(now_, events_.top().at);
      perform_due();
    }
    if (machine_.fault && machine_.fault->status == "cudaErrorLaunchTimeout" && machine_.fault->message.empty())
      for (const Multiprocessor& sm : multiprocessors_)
        if (!sm.blocks.empty()) {
          machine_.fault->message = describe_waiting(*sm.blocks.front());
          break;
        }
    return now_;
  }

  void take(Warp& warp, const Inst& inst) override {
    auto request = std::make_unique<MemoryRequest>();
    capture(warp, inst, *request);
    schedule(*request);
    for (const std::uint16_t r : writes(*warp.frame, inst)) warp.frame->ready[r] = request->done;
    if (request->reached <= now_) {  // local memory: nobody else can see when
      perform(worker_, *request);
      return;
    }
    const std::uint64_t at = request->reached;
    events_.push({at, order_++, std::move(request)});
  }

  void wake(Warp& warp) override {
    warp.next_issue = std::max(warp.next_issue, now_ + cycles(figures_.barrier));
    scheduler_of(warp).ready = std::min(scheduler_of(warp).ready, warp.next_issue);
  }

 private:
  static std::uint64_t cycles(double value) { return static_cast<std::uint64_t>(std::llround(value)); }
  static const std::vector<std::uint16_t>& writes(const Frame& frame, const Inst& inst) {
    const auto index = static_cast<std::size_t>(&inst - frame.code->insts.data());
    return frame.code->extras[frame.code->scoreboard[index]].writes;
  }
  Scheduler& scheduler_of(const Warp& warp) { return multiprocessors_[warp.block->sm].schedulers[warp.scheduler]; }

  void place_first_blocks(std::uint64_t blocks) {
    // Breadth first, as hardware does: one block on every multiprocessor, then the second round.
    for (unsigned round = 0; round < figures_.resident_blocks; ++round)
      for (std::uint32_t s = 0; s < multiprocessors_.size() && next_block_ < blocks; ++s)
        place(s, first_block_cycles + next_block_ + random_.below(8));
  }

  void place(std::uint32_t s, std::uint64_t start) {
    Multiprocessor& sm = multiprocessors_[s];
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
    for (std::uint32_t w = 0; w < block->warp_count; ++w) {
      Warp& warp = *block->warps[w];
      // The scheduler with the fewest warps takes the next one.
      const auto fewest = std::min_element(sm.schedulers.begin(), sm.schedulers.end(),
                                           [](const Scheduler& a, const Scheduler& b) { return a.warps.size() < b.warps.size(); });
      warp.scheduler = static_cast<std::uint32_t>(fewest - sm.schedulers.begin());
      warp.next_issue = start + random_.below(4);
      fewest->warps.push_back(&warp);
      fewest->ready = std::min(fewest->ready == 0 ? never : fewest->ready, warp.next_issue);
    }
    sm.blocks.push_back(std::move(block));
  }

  void replace_finished(std::uint64_t blocks) {
    if (!std::exchange(some_finished_, false)) return;
    for (std::uint32_t s = 0; s < multiprocessors_.size(); ++s) {
      Multiprocessor& sm = multiprocessors_[s];
      for (std::size_t b = 0; b < sm.blocks.size();) {
        Block& block = *sm.blocks[b];
        if (block.alive_threads) {
          ++b;
          continue;
        }
        for (std::uint32_t w = 0; w < block.warp_count; ++w) {
          worker_.thread_instructions += block.warps[w]->thread_instructions;
          worker_.warp_instructions += block.warps[w]->warp_instructions;
        }
        for (Scheduler& scheduler : sm.schedulers)
          std::erase_if(scheduler.warps, [&](const Warp* warp) { return warp->block == &block; });
        if (machine_.observer) machine_.observer->on_block_end(block.index);
        if (machine_.job) machine_.job->blocks_done.fetch_add(1, std::memory_order_relaxed);
        spare_.push_back(std::move(sm.blocks[b]));
        sm.blocks.erase(sm.blocks.begin() + static_cast<std::ptrdiff_t>(b));
        ++done_;
        if (next_block_ < blocks) place(s, now_ + first_block_cycles + random_.below(8));
      }
    }
  }

  void perform_due() {
    while (!events_.empty() && events_.top().at <= now_) {
      // The queue gives out const references only; the request is moved out just before it is popped.
      const std::unique_ptr<MemoryRequest> request = std::move(const_cast<Event&>(events_.top()).request);
      events_.pop();
      worker_.cycle = now_;
      perform(worker_, *request);
    }
  }

  /// The first cycle at which the warp's next instruction may issue; never: it waits for others.
  std::uint64_t ready_at(Warp& warp) {
    if (warp.finished()) return never;
    if (!warp.running) {
      if (!warp.resume() && !(warp.release_parked() && warp.resume())) return never;
      warp.fuel = turn;
    }
    std::uint64_t at = warp.next_issue;
    const Frame& frame = *warp.frame;
    const Inst& inst = warp.insts[warp.at];
    if (inst.pseudo && inst.ptx && inst.ptx->op != Opcode::ret && warp.at + 1 < frame.code->insts.size()) return at;
    const Extra& scores = frame.code->extras[frame.code->scoreboard[warp.at]];
    for (const std::uint16_t r : scores.reads) at = std::max(at, frame.ready[r]);
    for (const std::uint16_t r : scores.writes) at = std::max(at, frame.ready[r]);
    if (inst.pseudo || waits_for_memory(inst.ptx->op)) at = std::max(at, warp.last_reached + 1);
    return at;
  }

  bool issue(std::uint32_t s, std::uint32_t k) {
    Scheduler& scheduler = multiprocessors_[s].schedulers[k];
    std::uint64_t next = never;
    const std::size_t count = scheduler.warps.size();
    for (std::size_t n = 1; n <= count; ++n) {
      const std::size_t at = (scheduler.last + n) % count;
      Warp& warp = *scheduler.warps[at];
      std::uint64_t ready = ready_at(warp);
      // Pseudo-instructions take no time.
      while (ready <= now_ && warp.running && warp.insts[warp.at].pseudo) {
        step(warp, s, k);
        ready = ready_at(warp);
      }
      if (ready <= now_) {
        const Inst& inst = warp.insts[warp.at];
        const Cost cost = cost_of(*inst.ptx, figures_);
        std::uint64_t& unit = scheduler.unit_free[static_cast<int>(cost.unit)];
        if (unit > now_) {
          ready = unit;
        } else {
          scheduler.last = at;
          scheduler.ready = now_ + 1;
          const int lanes_of_unit = cost.unit == Unit::fp32    ? figures_.fp32_lanes
                                    : cost.unit == Unit::int32 ? figures_.int32_lanes
                                    : cost.unit == Unit::fp64  ? figures_.fp64_lanes
                                    : cost.unit == Unit::sfu   ? figures_.sfu_lanes
                                                               : 32 * static_cast<int>(figures_.schedulers);
          unit = now_ + std::max<std::uint64_t>(1, 32 * figures_.schedulers / static_cast<unsigned>(lanes_of_unit));
          Frame& frame = *warp.frame;
          const auto& written = writes(frame, inst);
          for (const std::uint16_t r : written) frame.ready[r] = now_ + cycles(cost.latency);
          warp.next_issue = now_ + 1;
          step(warp, s, k);
          return true;
        }
      }
      next = std::min(next, ready);
    }
    scheduler.ready = next;
    return false;
  }

  void step(Warp& warp, std::uint32_t s, std::uint32_t k) {
    worker_.cycle = now_;
    worker_.sm = s;
    const Inst& inst = warp.insts[warp.at++];
    warp.warp_instructions += !inst.pseudo;
    warp.thread_instructions += inst.pseudo ? 0 : warp.lane_count;
    if (machine_.observer && !inst.pseudo)
      machine_.observer->on_issue({worker_.site(warp, inst), warp.block->id(warp), warp.mask, now_, static_cast<std::uint16_t>(s),
                                   static_cast<std::uint16_t>(k), warp.frame->id});
    if (machine_.tell_changes)
      execute_and_tell(warp, inst);
    else
      inst.handler(warp, inst);
    if (warp.fuel <= 0 && !warp.running && ++warp.spins >= 4) warp.release_parked();
    if (!warp.block->alive_threads) some_finished_ = true;
  }

  bool unblock() {
    for (Multiprocessor& sm : multiprocessors_)
      for (auto& block : sm.blocks) {
        if (!block->alive_threads) continue;
        if (!block->unblock()) return false;
        for (std::uint32_t w = 0; w < block->warp_count; ++w) scheduler_of(*block->warps[w]).ready = now_;
      }
    return true;
  }

  /// When a request is issued, reaches memory, and is done.
  void schedule(MemoryRequest& request) {
    Warp& warp = *request.warp;
    Multiprocessor& sm = multiprocessors_[warp.block->sm];
    const ptx::Instruction& p = *request.inst->ptx;
    const bool atomic = p.op == Opcode::atom || p.op == Opcode::red;
    const bool store = p.op == Opcode::st;
    request.issued = now_;
    if (!request.mask) {
      request.reached = request.done = now_;
      return;
    }
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(request.mask));
    const Space space = resolve(p.space, request.address[lane]).space;
    if (space == Space::local) {
      request.reached = now_;
      request.done = now_ + cycles(figures_.l1);
      return;
    }
    const std::uint64_t start = std::max(now_, sm.memory_free);
    std::uint64_t reached, done;
    if (space == Space::shared) {
      const unsigned ways = atomic ? same_address(request) : bank_conflicts(request);
      const double latency =
          atomic ? figures_.shared_atomic_first + figures_.shared_atomic_further * (ways - 1) : figures_.shared + 2.0 * (ways - 1);
      sm.memory_free = start + ways;
      done = start + cycles(latency);
      reached = start + cycles(latency / 2);
    } else if (atomic) {
      const unsigned ways = same_address(request);
      sm.memory_free = start + 1;
      // The unit at the L2 takes one atomic after another on the same address, whoever sends them.
      reached = start + cycles(figures_.l2 / 2) + jitter();
      for (std::uint32_t left = request.mask; left; left &= left - 1) {
        double& free = address_free_[request.address[std::countr_zero(left)] / 4];
        free = std::max(static_cast<double>(reached), free);
        reached = cycles(free);
        free += figures_.global_atomic_throughput;
      }
      done = reached + cycles(figures_.l2 / 2 + figures_.global_atomic_further * (ways - 1));
    } else {
      const unsigned sectors = find_sectors(request);
      sm.memory_free =
          start + std::max<std::uint64_t>(1, cycles(sectors * static_cast<double>(sector) / figures_.l1_bytes_per_cycle));
      const std::uint64_t hit = start + cycles(figures_.l2) + jitter();
      done = hit;
      // A sector that is not in the L2 yet comes from memory, which delivers so many bytes a cycle to everybody together; who asks
      // for it meanwhile waits for the same delivery.
      for (const std::uint64_t s : scratch_) {
        const auto [filled, fresh] = filled_at_.try_emplace(s, 0);
        if (fresh && !store && !in_l2(s * sector)) {
          dram_free_ =
              std::max(dram_free_, static_cast<double>(start)) + static_cast<double>(sector) / figures_.dram_bytes_per_cycle;
          filled->second = cycles(dram_free_ + figures_.dram - figures_.l2) + hit - start;
        }
        if (!store) done = std::max(done, filled->second);
      }
      reached = done - std::min(done - start, cycles(figures_.l2 / 2));
    }
    // Requests of one warp reach memory in order, so that a thread sees its own stores.
    reached = std::max(reached, warp.last_reached);
    warp.last_reached = reached;
    request.reached = reached;
    request.done = std::max(done, reached + 1);
  }

  [[nodiscard]] bool in_l2(std::uint64_t address) const {
    return std::any_of(figures_.in_l2.begin(), figures_.in_l2.end(),
                       [&](const auto& range) { return address + sector > range.first && address < range.second; });
  }

  std::uint64_t jitter() {
    const std::uint64_t delay = random_.below(one_in_delayed) ? 0 : random_.below(cycles(2 * figures_.dram));
    return random_.below(cycles(figures_.l2 / 8)) + delay;
  }

  /// The 32-byte sectors that a request touches, in scratch_.
  unsigned find_sectors(const MemoryRequest& request) {
    const std::uint64_t bytes = std::max<std::uint64_t>(1, request.inst->bytes) * request.inst->ptx->vector;
    scratch_.clear();
    for (std::uint32_t left = request.mask; left; left &= left - 1) {
      const std::uint64_t at = request.address[std::countr_zero(left)];
      for (std::uint64_t s = at / sector; s <= (at + bytes - 1) / sector; ++s) scratch_.push_back(s);
    }
    std::sort(scratch_.begin(), scratch_.end());
    scratch_.erase(std::unique(scratch_.begin(), scratch_.end()), scratch_.end());
    return static_cast<unsigned>(scratch_.size());
  }

  static unsigned same_address(const MemoryRequest& request) {
    unsigned most = 1;
    for (std::uint32_t a = request.mask; a; a &= a - 1) {
      unsigned ways = 0;
      for (std::uint32_t b = request.mask; b; b &= b - 1)
        ways += request.address[std::countr_zero(a)] == request.address[std::countr_zero(b)];
      most = std::max(most, ways);
    }
    return most;
  }

  /// The most different 4-byte words that lanes want of one of the 32 banks.
  unsigned bank_conflicts(const MemoryRequest& request) {
    scratch_.clear();
    for (std::uint32_t left = request.mask; left; left &= left - 1) scratch_.push_back(request.address[std::countr_zero(left)] / 4);
    std::sort(scratch_.begin(), scratch_.end());
    scratch_.erase(std::unique(scratch_.begin(), scratch_.end()), scratch_.end());
    unsigned ways[32] = {}, most = 1;
    for (const std::uint64_t word : scratch_) most = std::max(most, ++ways[word % 32]);
    return most;
  }

  Machine& machine_;
  const ClockFigures& figures_;
  Worker worker_;
  Random random_;
  std::vector<Multiprocessor> multiprocessors_;
  std::vector<std::unique_ptr<Block>> spare_;
  std::priority_queue<Event> events_;
  std::unordered_map<std::uint64_t, double> address_free_;      // when its atomics unit is
  std::unordered_map<std::uint64_t, std::uint64_t> filled_at_;  // by sector: when the L2 has it
  std::vector<std::uint64_t> scratch_;
  double dram_free_ = 0;
  std::uint64_t now_ = 0, order_ = 0, next_block_ = 0, done_ = 0;
  bool some_finished_ = false;
};

}  // namespace

std::uint64_t run_clock(Machine& machine, const ClockFigures& figures) { return ClockRun(machine, figures).run(); }

}  // namespace warpbook::gpu::vm
