#include "gpu/virtual/vm/exec/seeded_order.h"

#include <algorithm>
#include <atomic>

#include "gpu/virtual/vm/exec/block.h"
#include "gpu/virtual/vm/exec/changes.h"
#include "gpu/virtual/vm/exec/schedules.h"

namespace warpbook::gpu::vm {

/// One after the other, so that a turn can end behind any of them. Not between a short jump and where its lanes meet again: there
/// the warp has no state of its own to be put aside.
void Block::run_turn(Warp& warp, std::uint32_t instructions) {
  Machine& machine = worker->machine;
  Observer* const observer = machine.observer;
  warp.fuel = worker->slice;
  // Instructions that were hoisted are counted with the one behind them; so a turn ends between two of the program's own.
  std::uint32_t from = warp.insts[warp.at].first_pc;
  bool pseudo = false;
  while (warp.running && (instructions || warp.lanes_after_skip || pseudo || warp.insts[warp.at].pseudo)) {
    const Inst& inst = warp.insts[warp.at++];
    pseudo = inst.pseudo;
    if (!pseudo) {
      ++worker->event_number;
      instructions -= instructions != 0;
    }
    const std::uint32_t end = inst.pc + !pseudo;
    const Inst* const straight_on = &inst + 1;
    const Executions once = {1, warp.lane_count};
    worker->executed.add(end - from, 1, warp.lane_count);
    if (machine.report_changes) {
      if (!pseudo) observer->on_issue({worker->site(warp, inst), id(warp), warp.mask, worker->event_number, 0, 0, warp.frame->id});
      execute_and_report(warp, inst);
    } else {
      if (Executions* const executions = observer ? observer->executions_of(*warp.frame->code->function) : nullptr) {
        executions[from] += once;
        executions[end] -= once;
      }
      inst.handler(warp, inst);
    }
    if (warp.running) from = warp.insts + warp.at == straight_on ? end : warp.insts[warp.at].first_pc;
  }
  if (!warp.running) return;
  warp.waiting.push_back(warp.save());  // other lanes of its own may come first
  warp.running = false;
}

/// A warp's turn, or the news that none can go on.
Block::Progress Block::run_in_seeded_order() {
  Machine& machine = worker->machine;
  SeededOrder& order = *worker->order;
  if (!alive_threads) return Progress::finished;
  std::vector<std::uint32_t> turns(warp_count);
  for (std::uint32_t w = 0; w < warp_count; ++w) turns[w] = w;
  order.shuffle(turns);
  for (const std::uint32_t w : turns) {
    Warp& warp = *warps[w];
    if (!warp.running && warp.whole_at_barrier) continue;
    order.shuffle(warp.waiting);
    if (!warp.resume()) continue;
    run_turn(warp, order.turn());
    if (machine.stop.load(std::memory_order_relaxed)) return Progress::stopped;
    if (warp.fuel <= 0 && ++warp.spins >= 2) (void)warp.release_parked();
    return alive_threads ? Progress::spinning : Progress::finished;
  }
  return unblock() ? Progress::spinning : Progress::stopped;
}

namespace {

/// Blocks that are under way at once: enough that several wait for each other in more than one way.
constexpr std::size_t most_together = 16;
constexpr std::uint64_t turns_between_looks_at_time = 256;

}  // namespace

void run_in_seeded_order(Machine& machine, unsigned resident_blocks, bool all_resident) {
  Worker worker(machine);
  worker.order.emplace(machine.seed);
  SeededOrder& order = *worker.order;
  const auto total = static_cast<std::uint32_t>(machine.info.grid.count());
  // Blocks come in some order, not far from the one that hardware takes: a block's place among the next ones is chance.
  std::vector<std::uint32_t> next;
  std::uint32_t taken = 0;
  std::vector<std::unique_ptr<Block>> made;
  std::vector<Block*> under_way, idle;
  const std::size_t together = all_resident ? resident_blocks : std::min<std::size_t>(resident_blocks, most_together);
  const auto begin_one = [&] {
    for (; taken < total && next.size() < 2 * together; ++taken) next.push_back(taken);
    if (next.empty()) return false;
    const std::size_t n = order.below(next.size());
    std::swap(next[n], next.back());
    if (idle.empty()) idle.push_back(made.emplace_back(std::make_unique<Block>()).get());
    idle.back()->start(worker, next.back());
    next.pop_back();
    under_way.push_back(idle.back());
    idle.pop_back();
    return machine.has_room();
  };
  for (std::uint64_t turns = 0;; ++turns) {
    while (under_way.size() < together && begin_one()) continue;
    if (under_way.empty() || machine.stop.load(std::memory_order_relaxed)) return;
    const std::size_t n = order.below(under_way.size());
    Block& block = *under_way[n];
    const Block::Progress progress = block.run_in_seeded_order();
    if (progress == Block::Progress::stopped) return add_where_stopped(machine, block);
    if (progress == Block::Progress::finished) {
      block.finish();
      if (machine.observer) machine.observer->on_block_end(block.index);
      if (machine.job) machine.job->blocks_done.fetch_add(1, std::memory_order_relaxed);
      under_way.erase(under_way.begin() + static_cast<std::ptrdiff_t>(n));
      idle.push_back(&block);
      continue;
    }
    if (turns % turns_between_looks_at_time == 0 && machine.should_stop()) return add_where_stopped(machine, block);
  }
}

}  // namespace warpbook::gpu::vm
