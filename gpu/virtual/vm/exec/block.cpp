#include "gpu/virtual/vm/exec/block.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "gpu/virtual/vm/code/place.h"
#include "gpu/virtual/vm/exec/changes.h"
#include "gpu/virtual/vm/exec/native_code.h"

namespace warpbook::gpu::vm {

static constexpr std::int32_t shortest_slice = 32;

/// Turns of warps between two looks at the host's clock.
constexpr std::uint32_t turns_between_looks = 64;

void Machine::fail(std::unique_ptr<Fault> reason) {
  {
    const std::lock_guard lock(mutex);
    if (!fault) fault = std::move(reason);
  }
  stop.store(true, std::memory_order_relaxed);
}

void Machine::print(std::string_view text) {
  const std::lock_guard lock(mutex);
  if (output.size() < max_output) output.append(text.substr(0, max_output - output.size()));
}

bool Machine::should_stop() {
  if (stop.load(std::memory_order_relaxed)) return true;
  if (job && job->cancelled.load(std::memory_order_relaxed)) {
    auto reason = std::make_unique<Fault>();
    reason->status = "cancelled";
    reason->message = to_say("The launch was cancelled.");
    reason->from_outside = true;
    fail(std::move(reason));
    return true;
  }
  if (std::chrono::steady_clock::now() < deadline) return false;
  auto reason = std::make_unique<Fault>();
  reason->status = "cudaErrorLaunchTimeout";
  reason->from_outside = true;
  fail(std::move(reason));  // whoever sees it adds where it was
  return true;
}

bool Machine::has_room() {
  if (warp_bytes.load(std::memory_order_relaxed) <= max_warp_bytes) return true;
  auto reason = std::make_unique<Fault>();
  reason->status = "cudaErrorMemoryAllocation";
  reason->message = to_say(
      "The registers and local memory of the threads that run at once take more than {most:.1f} GiB of this machine's memory. Make "
      "the kernel's own arrays smaller, unroll less, call less deep, or launch fewer threads. (The clock schedule runs as many at "
      "once as the GPU holds.)",
      "most"_a = static_cast<double>(max_warp_bytes) / (1 << 30));
  fail(std::move(reason));
  return false;
}

Worker::~Worker() {
  machine.thread_instructions.fetch_add(executed.thread_instructions, std::memory_order_relaxed);
  machine.warp_instructions.fetch_add(executed.warp_instructions, std::memory_order_relaxed);
}

Worker::Worker(Machine& of_machine) : machine(of_machine), extents(machine.image->cache_count) {}

void Worker::fault(Warp& warp, const Inst& inst, std::uint32_t lane, std::string status, Paragraph message) {
  auto reason = std::make_unique<Fault>();
  reason->status = std::move(status);
  reason->message = std::move(message);
  reason->site = site(warp, inst);
  reason->warp = warp.block->id(warp);
  reason->lane = lane;
  machine.fail(std::move(reason));
  warp.running = false;
}

Extent Worker::find(std::uint64_t address) {
  Extent found = machine.memory->find(address);
  if (!delayed.empty()) delayed.touch(found);
  found.report_loads = std::ranges::find(machine.unreported_loads, found.low) == machine.unreported_loads.end();
  found.only_atomics = std::ranges::find(machine.only_atomics, found.low) != machine.only_atomics.end();
  return found;
}

void Worker::report_from_now_on(const Extent& extent) {
  std::erase(machine.unreported_loads, extent.low);
  std::erase(machine.only_atomics, extent.low);
  std::ranges::fill(extents, Extent{});
}

void Worker::fault_stack_overflow(Warp& warp, const Inst& inst) {
  fault(
      warp, inst, static_cast<std::uint32_t>(__builtin_ctz(warp.exec)), "cudaErrorIllegalAddress",
      to_say("A call{at} needs more than {most} KB of stack for one thread: the recursion is too deep. Give it an end, or turn it "
             "into a loop.",
             "at"_a = place_of(*inst.ptx), "most"_a = max_local_bytes / 1024));
}

void Block::start(Worker& on_worker, std::uint32_t block_index) {
  const LaunchInfo& info = on_worker.machine.info;
  const std::uint64_t in_row = std::uint64_t{position.x} + block_index - index;
  if (worker && block_index > index && in_row < info.grid.x)  // most do without dividing
    position.x = static_cast<std::uint32_t>(in_row);
  else
    position = {block_index % info.grid.x, block_index / info.grid.x % info.grid.y,
                static_cast<std::uint32_t>(block_index / (std::uint64_t{info.grid.x} * info.grid.y))};
  index = block_index;
  for (std::uint32_t left = std::exchange(barriers_used, 0); left; left &= left - 1)
    barriers[static_cast<std::uint32_t>(__builtin_ctz(left))] = {};
  alive_threads = info.threads_per_block;
  exited_threads = 0;
  shared_only_read = false;
  reported_shared_loads = {};
  Observer* const observer = on_worker.machine.observer;
  replay = observer && !on_worker.clock ? observer->replay_of(index) : nullptr;
  // Shared memory keeps what the block before left in it, as hardware does.
  if (!worker) return prepare(on_worker);
  for (std::uint32_t w = 0; w < warp_count; ++w) warps[w]->restart();
}

void Block::prepare(Worker& on_worker) {
  worker = &on_worker;
  Machine& machine = on_worker.machine;
  shared.assign(machine.shared_bytes, std::byte{0});
  warp_count = machine.info.warps_per_block;
  for (std::uint32_t w = 0; w < warp_count; ++w) {
    if (!machine.has_room()) {  // the launch is over
      warp_count = w;
      return;
    }
    const std::uint32_t left = machine.info.threads_per_block - w * lanes;
    if (w == warps.size()) warps.push_back(std::make_unique<Warp>());
    warps[w]->start(*this, on_worker, w, left >= lanes ? ~0u : (1u << left) - 1u, *machine.image);
  }
}

/// Every instruction is told, and what it changes.
void Block::run_recorded(Warp& warp) {
  Machine& machine = worker->machine;
  while (warp.running) {
    const Inst& inst = warp.insts[warp.at++];
    if (!inst.pseudo) {
      worker->executed.add(1, 1, warp.lane_count);
      ++worker->event_number;
      machine.observer->on_issue({worker->site(warp, inst), id(warp), warp.mask, worker->event_number, 0, 0, warp.frame->id});
    }
    execute_and_report(warp, inst);
  }
}

namespace {

/// A watched warp has executed a native stretch, or has left it before an access that must be told, which its handler does. Returns
/// the next instruction.
inline const Inst* run_watched(Warp& warp, const Inst& first, std::uint32_t executed, std::uint32_t stretch) {
  warp.worker->event_number += executed;
  const Inst* const next = &first + executed;
  if (executed == stretch) return next;
  ++warp.worker->event_number;
  next->handler(warp, *next);
  return next + 1;
}

}  // namespace

void Block::run_warp(Warp& warp) {
  Machine& machine = worker->machine;
  Observer* const observer = machine.observer;
  warp.fuel = worker->slice;
  if (machine.report_changes) return run_recorded(warp);
  // The program counter stays in a register; instructions are counted by the stretch, those that were hoisted out of it too.
  std::uint64_t threads = 0, count = 0;
  const Inst* next = warp.insts + warp.at;
  std::uint32_t from = next->first_pc;
  const ptx::Function* function = nullptr;
  Executions* executions = nullptr;
  const auto count_until = [&](std::uint32_t end) {
    const std::uint32_t stretch = end - from;
    count += stretch;
    threads += std::uint64_t{stretch} * warp.lane_count;
    if (!observer) return;
    if (const ptx::Function* const now = warp.frame->code->function; now != function) {
      function = now;
      executions = observer->executions_of(*now);
    }
    if (!executions) return;
    const Executions once = {1, warp.lane_count};
    executions[from] += once;
    executions[end] -= once;
  };
  while (warp.running) {
    const Inst& inst = *next++;
    if (inst.flow == Flow::plain) {
      if (const NativeStart* native = native_at(inst)) {
        const bool full = native->full_count && warp.exec == ~0u && warp.reconvergence < 0;
        if (const std::uint32_t stretch = full ? native->full_count : native->part_count) {
          if (!observer) {
            next = run_native(warp, &inst, &inst + stretch);
            continue;
          }
          next = run_watched(warp, inst, full ? native->run_full(warp) : native->part(&warp), stretch);
          continue;
        }
      }
      ++worker->event_number;
      inst.handler(warp, inst);
      continue;
    }
    // What is done most often, and needs nobody else. As long as the same lanes go straight on, they go on counting.
    if (inst.flow == Flow::point && warp.reconvergence < 0) {
      if (warp.lanes_after_skip) {
        count_until(inst.pc);
        warp.set_mask(std::exchange(warp.lanes_after_skip, 0));
        from = inst.pc;
      }
      continue;
    }
    if (inst.flow == Flow::branch || inst.flow == Flow::skip) {
      const std::uint32_t taken = warp.lanes_where(inst.guard, inst.guard_negated);
      const Inst* target = warp.insts + inst.target;
      if (!taken || (taken == warp.mask && target >= next)) {
        if (machine.report_branches) observer->on_branch({worker->site(warp, inst), id(warp), warp.mask, taken});
        if (taken) {
          count_until(inst.pc + 1);
          next = target;
          from = next->first_pc;
        }
        continue;
      }
    }
    count_until(inst.pc + !inst.pseudo);
    warp.at = static_cast<std::uint32_t>(next - warp.insts);
    inst.handler(warp, inst);
    if (!warp.running || has_met) break;  // perhaps behind the code's end
    next = warp.insts + warp.at;
    from = next->first_pc;
  }
  if (next[-1].flow == Flow::plain) count_until(next[-1].pc + 1);  // it faulted
  worker->executed.warp_instructions += count;
  worker->executed.thread_instructions += threads;
}

bool Block::is_small() const {
  constexpr std::size_t few_warps = 8, small = 16 * 1024;
  return warps.size() <= few_warps && shared.size() <= small &&
         std::ranges::all_of(warps, [](const auto& warp) { return warp->is_small(); });
}

Block::Progress Block::run() {
  const Progress progress = alive_threads ? run_warps() : Progress::finished;
  if ((progress == Progress::spinning || progress == Progress::stopped) && !worker->delayed.empty()) worker->delayed.flush();
  return progress;
}

bool Block::resume(Warp& warp) {
  if (warp.resume()) return true;
  // Nobody outside of the warp can bring lanes that it waits for: only those at a point where paths meet again can come.
  return warp.waits_for_own_lanes() && warp.release_parked() && warp.resume();
}

Block::Progress Block::run_warps() {
  Machine& machine = worker->machine;
  const auto stopped = [&] {
    if (machine.stop.load(std::memory_order_relaxed)) return true;
    // Warps that wait for each other in an endless loop never use up a slice.
    return ++worker->turns % turns_between_looks == 0 && machine.should_stop();
  };
  const bool lockstep = warp_count > 1 && !machine.observer && machine.image->may_run_in_lockstep;
  if (machine.stop.load(std::memory_order_relaxed)) return Progress::stopped;
  for (;;) {
    if (!alive_threads) return Progress::finished;
    bool any_ran = false, any_spins = false;
    const bool have_met = std::exchange(has_met, false);
    std::uint32_t turn = 0;  // the first one's
    Block* const me = this;
    if (have_met && machine.observer) {
      if (enter_lockstep(worker->lockstep, {&me, 1}) && go_on_watched()) return Progress::finished;
      if (stopped()) return Progress::stopped;
      turn = first_warp;
    }
    if (lockstep && enter_lockstep(worker->lockstep, {&me, 1})) {
      any_ran = true;
      const LockstepResult result = run_lockstep(worker->lockstep);
      if (result == LockstepResult::finished) finish_lockstep(worker->lockstep);
      if (stopped()) return Progress::stopped;
      if (result == LockstepResult::spinning) return Progress::spinning;
      if (!alive_threads) continue;
    }
    for (std::uint32_t w = turn; w < warp_count && !has_met; ++w) {
      Warp& warp = *warps[w];
      while (!has_met && resume(warp)) {
        any_ran = true;
        run_warp(warp);
        if (stopped()) return Progress::stopped;
        if (warp.fuel > 0) continue;
        // It jumped backwards many times: somebody else's turn. If lanes of its own wait for it meanwhile, it may be them
        // that it waits for.
        any_spins = true;
        if (machine.should_stop()) return Progress::stopped;
        if (++warp.spins >= 2 && warp.release_parked()) worker->slice = std::max(shortest_slice, worker->slice / 8);
        break;
      }
    }
    if (any_spins) return Progress::spinning;
    if (!any_ran && !turn && !unblock()) return Progress::stopped;
    if (has_met && worker->blocks_in_lockstep) return Progress::met;
  }
}

/// In lockstep, as long as that can be. True: the block has finished.
bool Block::go_on_watched() {
  Lockstep& together = worker->lockstep;
  std::uint32_t first = 0;
  while (first + 1 < together.count && together.warps[first]->index < first_warp) ++first;
  const LockstepResult result = run_watched_lockstep(together, first);
  if (result == LockstepResult::finished) {
    finish_lockstep(together);
    return true;
  }
  first_warp = together.warps[first]->index;
  return false;
}

bool Block::unblock() {
  for (std::uint32_t w = 0; w < warp_count; ++w) warps[w]->wait_as_split();
  bool released = false;
  for (std::uint32_t w = 0; w < warp_count; ++w) released |= !warps[w]->finished() && warps[w]->release_parked();
  if (!released) fail_for_ever();
  return released;
}

void Block::arrive(Warp& warp, const Inst& inst, std::uint32_t number, std::uint32_t expected, std::uint32_t predicate) {
  NamedBarrier& barrier = barriers[number];
  barriers_used |= 1u << number;
  const std::uint32_t mask = warp.mask;
  const Arrival arrival{warp.frame->code->function, &inst, &warp, mask};
  // A partial last warp stands for a whole one where a count is given (PTX: counts are multiples of the warp size).
  const bool whole = expected && mask == warp.alive;
  note_arrival(barrier, number, arrival, expected);
  barrier.arrived += whole ? lanes : static_cast<std::uint32_t>(__builtin_popcount(mask));
  barrier.count += static_cast<std::uint32_t>(__builtin_popcount(predicate & mask));
  barrier.all &= (predicate & mask) == mask;
  barrier.any |= (predicate & mask) != 0;
  if (inst.ptx->barrier == ptx::Barrier::sync && mask == warp.alive && !worker->clock) {
    warp.whole_at_barrier = number + 1;
    warp.running = false;
  } else if (inst.ptx->barrier != ptx::Barrier::arrive) {
    Split waits = warp.save();
    waits.at = warp.at - 1;
    waits.state = Split::State::at_block_barrier;
    waits.barrier = number;
    warp.waiting.push_back(waits);
    warp.running = false;
  }
  if (barrier.arrived >= (expected ? expected : alive_threads)) complete(number, arrival);
}

void Block::note_arrival(NamedBarrier& barrier, std::uint32_t number, const Arrival& arrival, std::uint32_t expected) {
  Observer* const observer = worker->machine.observer;
  const bool goes_on = arrival.inst->ptx->barrier == ptx::Barrier::arrive;
  if (!barrier.arrived) {
    barrier.expected = expected;
    barrier.first = arrival;
  } else {
    if (barrier.first.inst != arrival.inst && !barrier.elsewhere.inst) barrier.elsewhere = arrival;
    if (observer && barrier.expected != expected) report_unequal_counts(barrier, number, arrival, expected);
    barrier.expected = std::max(barrier.expected, expected);
  }
  barrier.some_went_on |= goes_on;
  if (!observer || !goes_on) return;
  Synchronisation event;
  event.site = {arrival.function, arrival.inst->pc};
  event.warp = id(*arrival.warp);
  event.kind = Synchronisation::Kind::arrive;
  event.mask = arrival.mask;
  event.barrier = number;
  observer->on_synchronise(event);
}

void Block::complete(std::uint32_t number, const Arrival& last) {
  NamedBarrier& barrier = barriers[number];
  Observer* observer = worker->machine.observer;
  const bool of_all = !barrier.expected && !barrier.some_went_on;
  bool plain = false;
  std::vector<std::uint32_t> participants;
  for (std::uint32_t w = 0; w < warp_count; ++w) {
    bool took_part = warps[w]->whole_at_barrier == number + 1;
    if (took_part) {
      warps[w]->whole_at_barrier = 0;
      warps[w]->running = true;
    }
    for (Split& split : warps[w]->waiting) {
      if (split.state != Split::State::at_block_barrier || split.barrier != number) continue;
      let_go(*warps[w], split, barrier);
      took_part = true;
    }
    if (!took_part) continue;
    if (observer && !of_all) participants.push_back(w);
    if (worker->clock) worker->clock->wake(*warps[w]);
  }
  if (observer) {
    if (of_all && (barrier.elsewhere.inst || exited_threads)) report_not_reached_by_all(barrier, last);
    Synchronisation event;
    event.kind = of_all ? Synchronisation::Kind::block : Synchronisation::Kind::partial_block;
    event.barrier = number;
    event.participants = participants;
    plain = of_all && !barrier.elsewhere.inst;
    tell_barrier(last, event, plain);
  }
  static constexpr NamedBarrier nobody_arrived;  // copied, where a fresh one would be written and read back at once
  barrier = nobody_arrived;
  has_met = observer ? plain && tries_watched_lockstep(last) : !worker->clock;
}

void Block::tell_met(const Arrival& last, std::uint32_t number) {
  Synchronisation event;
  event.barrier = number;
  tell_barrier(last, event, true);
}

/// plain: it was a barrier of the whole block, at one instruction.
void Block::tell_barrier(const Arrival& last, const Synchronisation& of_barrier, bool plain) {
  Observer* const observer = worker->machine.observer;
  Synchronisation event = of_barrier;
  event.site = {last.function, last.inst->pc};
  event.warp = id(*last.warp);
  const ReplayStep* const known = plain ? take_step(*last.inst, 0, 0, nullptr) : nullptr;
  event.step = plain ? last.inst : nullptr;
  event.known_step = known;
  observer->on_synchronise(event);
  shared_only_read = last.inst->only_reads_shared_after && plain;
  reported_shared_loads = !shared_only_read ? SharedLoads{} : known ? known->loads : observer->wants_shared_loads(index);
}

/// The threads have met at a barrier: go on in lockstep?
bool Block::tries_watched_lockstep(const Arrival& last) {
  if (warp_count < 2 || exited_threads || last.inst->flow != Flow::barrier || !may_run_watched_lockstep(*worker)) return false;
  const Frame& frame = *last.warp->frame;
  if (frame.caller) return false;
  if (worker->quiet_paths.code() != frame.code) worker->quiet_paths = QuietPaths(*frame.code);
  first_warp = last.warp->index;
  return worker->quiet_paths.is_worth_trying(last.warp->at);
}

void Block::let_go(Warp& warp, Split& split, const NamedBarrier& barrier) {
  const Inst& inst = split.frame->code->insts[split.at];
  if (inst.ptx->barrier >= ptx::Barrier::red_popc) {
    std::byte* row = split.frame->rows.get() + inst.d.offset;
    if (inst.ptx->barrier == ptx::Barrier::red_popc) {
      auto* values = reinterpret_cast<std::uint32_t*>(row);
      for (std::uint32_t l = 0; l < lanes; ++l)
        if (split.mask >> l & 1) values[l] = barrier.count;
    } else {
      auto* bits = reinterpret_cast<std::uint32_t*>(row);
      const bool value = inst.ptx->barrier == ptx::Barrier::red_and ? barrier.all : barrier.any;
      *bits = (*bits & ~split.mask) | (value ? split.mask : 0u);
    }
    if (worker->machine.report_changes) report_change(*worker, warp, *split.frame, inst, split.mask);
  }
  split.state = Split::State::ready;
  ++split.at;
}

void Block::on_exit(std::uint32_t lanes_gone) {
  const auto gone = static_cast<std::uint32_t>(__builtin_popcount(lanes_gone));
  alive_threads -= gone;
  exited_threads += gone;
  if (!alive_threads) return;
  for (std::uint32_t left = barriers_used; left; left &= left - 1) {
    const auto number = static_cast<std::uint32_t>(__builtin_ctz(left));
    NamedBarrier& barrier = barriers[number];
    if (barrier.arrived && !barrier.expected && barrier.arrived >= alive_threads) complete(number, Arrival{barrier.first});
  }
}

void Block::on_exit_of_all() {
  exited_threads += alive_threads;
  alive_threads = 0;
}

}  // namespace warpbook::gpu::vm
