#include <algorithm>
#include <memory>
#include <thread>

#include "gpu/virtual/vm/exec/native_code.h"
#include "gpu/virtual/vm/exec/schedules.h"

namespace warpbook::gpu::vm {
namespace {

/// Workers take several neighbouring blocks at once: neighbours share cache lines, and the shared counter changes seldom. They are
/// few enough that a cancel takes effect soon.
std::uint64_t blocks_a_grab(std::uint64_t blocks, unsigned workers) {
  return std::clamp<std::uint64_t>(blocks / (workers * 16ull), 1, 256);
}

/// Blocks of few warps begin together, so that about so many warps run in lockstep. (Diffusion in 8×8 tiles, 2 warps a block, on a
/// host with 48 KiB of first cache: 4 warps are 5 % and 8 warps 12 % faster than 2, 16 hardly better; the sum of two arrays, 4
/// warps a block: 8 warps 15 % slower than 4.)
constexpr std::uint32_t few_warps = 3, warps_abreast = 8;

std::size_t blocks_abreast(const Machine& machine, unsigned resident_blocks, std::uint64_t grab) {
  const std::uint32_t warps = machine.info.warps_per_block;
  if (machine.observer || !machine.image->may_run_in_lockstep || warps > few_warps) return 1;
  return std::min<std::uint64_t>({warps_abreast / warps, resident_blocks, grab});
}

constexpr std::int32_t waiting_slice = 512;  // backward jumps: long enough that switching costs little

/// Warp-instructions between two looks at the host's clock: some 0.1 ms.
constexpr std::uint64_t look_every = 1 << 14;

constexpr std::size_t most_spare = 2 * warps_abreast;

SpareBlocks some_spare(Machine& machine, std::size_t most) {
  SpareBlocks taken;
  if (!machine.spare) return taken;
  const std::lock_guard lock(machine.mutex);
  for (; taken.size() < most && !machine.spare->empty(); machine.spare->pop_back())
    taken.push_back(std::move(machine.spare->back()));
  return taken;
}

void leave_spare(Machine& machine, SpareBlocks blocks) {
  if (!machine.spare) return;
  const std::lock_guard lock(machine.mutex);
  for (auto& block : blocks) {
    if (machine.spare->size() == most_spare || !block->is_small()) return;
    block->leave();
    machine.spare->push_back(std::move(block));
  }
}

void carry(Machine& machine, std::atomic<std::uint64_t>& next, std::uint64_t grab, unsigned resident_blocks) {
  Worker worker(machine);
  NativeCode* const native = machine.image->native.get();
  const std::uint64_t total = machine.info.grid.count();
  std::vector<Block*> under_way, idle;
  std::uint64_t at = 0, until = 0, next_look = look_every;
  const std::size_t abreast = blocks_abreast(machine, resident_blocks, grab);
  worker.blocks_in_lockstep = abreast > 1;
  SpareBlocks made = some_spare(machine, abreast);
  for (const auto& block : made) idle.push_back(block.get());
  std::size_t spinning = 0;
  const auto take_more = [&] {
    if (at != until) return;
    at = std::min(next.fetch_add(grab, std::memory_order_relaxed), total);
    until = std::min(at + grab, total);
  };
  const auto finish = [&](Block& block) {
    block.finish();
    if (machine.observer) machine.observer->on_block_end(block.index);
  };
  const auto count_done = [&](std::size_t blocks) {
    if (machine.job) machine.job->blocks_done.fetch_add(blocks, std::memory_order_relaxed);
  };
  for (;;) {
    // Others join when there are none, or one when all that are under way spin: they may be waiting for it.
    const std::size_t wanted = under_way.empty() ? abreast : spinning == under_way.size() ? 1 : 0;
    spinning = 0;
    for (std::size_t n = 0; n < wanted && under_way.size() < resident_blocks; ++n) {
      if (n == 0) take_more();
      if (at == until) break;
      if (idle.empty()) {
        const std::size_t so_far = machine.warp_bytes.load(std::memory_order_relaxed);
        if (!made.empty() && so_far + so_far / made.size() > machine.max_warp_bytes) break;
        idle.push_back(made.emplace_back(std::make_unique<Block>()).get());
      }
      idle.back()->start(worker, static_cast<std::uint32_t>(at++));
      under_way.push_back(idle.back());
      idle.pop_back();
    }
    if (under_way.empty() || !machine.has_room()) break;
    const std::size_t together = under_way.size();
    if (abreast > 1 && together > 1 && enter_lockstep(worker.lockstep, under_way)) {
      LockstepResult result = run_lockstep(worker.lockstep);
      // As long as they finish in lockstep, the same Block objects start the next blocks, in lockstep again without a check.
      const auto start_next = [&] {
        if (worker.executed.warp_instructions >= next_look || machine.stop.load(std::memory_order_relaxed)) return false;
        take_more();
        return until - at >= together;
      };
      while (result == LockstepResult::finished && start_next()) {
        for (Block* const block : under_way) {
          finish(*block);
          block->start(worker, static_cast<std::uint32_t>(at++));
        }
        count_done(together);
        result = run_lockstep(worker.lockstep);
      }
      if (result == LockstepResult::finished) finish_lockstep(worker.lockstep);
    }
    std::size_t left = 0;
    for (Block* const block : under_way) {
      switch (block->run()) {
        case Block::Progress::stopped:
          add_where_stopped(machine, *block);
          return;
        case Block::Progress::finished:
          finish(*block);
          count_done(1);
          idle.push_back(block);
          continue;
        case Block::Progress::spinning:
          ++spinning;
          break;
        case Block::Progress::met:
          break;
      }
      under_way[left++] = block;
    }
    under_way.resize(left);
    // Nobody has finished: they may wait for each other, and every turn that one spins is lost to all.
    if (together > 1 && spinning == together && worker.slice > waiting_slice) worker.slice /= 2;
    if (machine.stop.load(std::memory_order_relaxed)) return;
    if (worker.executed.warp_instructions < next_look) continue;
    if (native) native->count(*machine.image, worker.executed.warp_instructions - next_look + look_every);
    next_look = worker.executed.warp_instructions + look_every;
    if (machine.should_stop()) {
      if (!under_way.empty()) add_where_stopped(machine, *under_way.front());
      return;
    }
  }
  if (native) native->count(*machine.image, worker.executed.warp_instructions - next_look + look_every);
  leave_spare(machine, std::move(made));
}

}  // namespace

void run_fast(Machine& machine, unsigned workers, unsigned resident_blocks, std::uint64_t first_block) {
  const std::uint64_t blocks = machine.info.grid.count() - first_block;
  workers = static_cast<unsigned>(std::clamp<std::uint64_t>(workers, 1, blocks));
  machine.parallel = workers > 1;
  std::atomic<std::uint64_t> next{first_block};
  const std::uint64_t grab = blocks_a_grab(blocks, workers);
  std::vector<std::thread> threads;
  for (unsigned t = 1; t < workers; ++t) threads.emplace_back([&] { carry(machine, next, grab, resident_blocks); });
  carry(machine, next, grab, resident_blocks);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace warpbook::gpu::vm
