#include <algorithm>
#include <memory>
#include <thread>

#include "gpu/virtual/vm/run.h"

namespace warpbook::gpu::vm {
namespace {

/// Blocks are taken in runs, so that a run's neighbours share cache lines and the counter stays cool; few enough that both the
/// first picture and a cancel come soon.
std::uint64_t blocks_a_grab(std::uint64_t blocks, unsigned workers) {
  return std::clamp<std::uint64_t>(blocks / (workers * 16ull), 1, 256);
}

/// Blocks of few warps begin together, so that so many warps march. (Diffusion in 8×8 tiles, 2 warps a block, on a host with 48 KiB
/// of first cache: 4 warps abreast 5 %, 8 warps 12 % quicker than 2, 16 hardly better; the sum of two arrays, 4 warps a block: 8
/// warps 15 % slower than 4.) In a small grid starting another block would cost more than that, unless blocks have loops.
constexpr std::uint32_t few_warps = 3, warps_abreast = 8;

std::size_t blocks_abreast(const Machine& machine, unsigned resident_blocks, std::uint64_t grab) {
  const std::uint32_t warps = machine.info.warps_per_block;
  if (machine.observer || !machine.image->may_march || warps > few_warps) return 1;
  const std::uint64_t worth_it = machine.image->longest_path ? grab / 8 : grab;
  return std::max<std::uint64_t>(1, std::min<std::uint64_t>({warps_abreast / warps, resident_blocks, worth_it}));
}

constexpr std::int32_t waiting_slice = 512;  // backward jumps: long enough that switching costs little

/// Warp-instructions between two looks at the host's clock: some 0.1 ms.
constexpr std::uint64_t look_every = 1 << 14;

void carry(Machine& machine, std::atomic<std::uint64_t>& next, std::uint64_t grab, unsigned resident_blocks) {
  Worker worker(machine);
  const std::uint64_t total = machine.info.grid.count();
  std::vector<std::unique_ptr<Block>> under_way, spare;
  std::uint64_t at = 0, until = 0, next_look = look_every;
  const std::size_t abreast = blocks_abreast(machine, resident_blocks, grab);
  worker.blocks_march = abreast > 1;
  std::vector<Block*> side_by_side;
  std::size_t spinning = 0;
  for (;;) {
    // Others join when there are none, or one when all that are under way spin: they may be waiting for it.
    const std::size_t wanted = under_way.empty() ? abreast : spinning == under_way.size() ? 1 : 0;
    spinning = 0;
    for (std::size_t n = 0; n < wanted && under_way.size() < resident_blocks; ++n) {
      if (at == until && n == 0) {
        at = std::min(next.fetch_add(grab, std::memory_order_relaxed), total);
        until = std::min(at + grab, total);
      }
      if (at == until) break;
      std::unique_ptr<Block> block;
      if (!spare.empty()) {
        block = std::move(spare.back());
        spare.pop_back();
      } else {
        block = std::make_unique<Block>();
      }
      block->start(worker, static_cast<std::uint32_t>(at++));
      under_way.push_back(std::move(block));
    }
    if (under_way.empty()) return;
    const std::size_t together = under_way.size();
    if (abreast > 1 && together > 1) {
      side_by_side.clear();
      for (const auto& block : under_way) side_by_side.push_back(block.get());
      if (gather(worker.march, side_by_side)) (void)go_on(worker.march);
    }
    for (std::size_t b = 0; b < under_way.size();) {
      switch (under_way[b]->run()) {
        case Block::Progress::stopped: {
          const std::lock_guard lock(machine.mutex);
          if (machine.fault && machine.fault->status == "cudaErrorLaunchTimeout" && machine.fault->message.empty())
            machine.fault->message = describe_waiting(*under_way[b]);
          return;
        }
        case Block::Progress::spinning:
          ++spinning;
          [[fallthrough]];
        case Block::Progress::met:
          ++b;
          break;
        case Block::Progress::finished:
          if (machine.observer) machine.observer->on_block_end(under_way[b]->index);
          if (machine.job) machine.job->blocks_done.fetch_add(1, std::memory_order_relaxed);
          spare.push_back(std::move(under_way[b]));
          under_way.erase(under_way.begin() + static_cast<std::ptrdiff_t>(b));
          break;
      }
    }
    // Nobody has finished: they may wait for each other, and every turn that one spins is lost to all.
    if (together > 1 && spinning == together && worker.slice > waiting_slice) worker.slice /= 2;
    if (machine.stop.load(std::memory_order_relaxed)) return;
    if (worker.warp_instructions < next_look) continue;
    next_look = worker.warp_instructions + look_every;
    if (machine.should_stop()) return;
  }
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
