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

bool may_run_in_lockstep(const Machine& machine) { return !machine.observer && machine.image->may_run_in_lockstep; }

std::size_t blocks_abreast(const Machine& machine, unsigned resident_blocks, std::uint64_t grab) {
  const std::uint32_t warps = machine.info.warps_per_block;
  if (!may_run_in_lockstep(machine) || warps > few_warps) return 1;
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

/// One thread of the host: it takes blocks until there are none, and carries several at a time.
class Carrier {
 public:
  Carrier(Machine& machine, std::atomic<std::uint64_t>& next, std::uint64_t grab, unsigned resident_blocks)
      : machine_(machine),
        worker_(machine),
        next_(next),
        grab_(grab),
        resident_blocks_(resident_blocks),
        abreast_(blocks_abreast(machine, resident_blocks, grab)),
        lockstep_(may_run_in_lockstep(machine) && abreast_ * machine.info.warps_per_block > 1),
        made_(some_spare(machine, abreast_)) {
    worker_.blocks_in_lockstep = abreast_ > 1;
    for (const auto& block : made_) idle_.push_back(block.get());
  }

  void carry() {
    for (;;) {
      begin_blocks();
      if (under_way_.empty() || !machine_.has_room()) break;
      const std::size_t together = under_way_.size();
      if (lockstep_ && (abreast_ > 1 ? together > 1 : together == 1) && enter_lockstep(worker_.lockstep, under_way_))
        run_in_lockstep();
      if (!run_each()) return;
      // Nobody has finished: they may wait for each other, and every turn that one spins is lost to all.
      if (together > 1 && spinning_ == together && worker_.slice > waiting_slice) worker_.slice /= 2;
      if (machine_.stop.load(std::memory_order_relaxed)) return;
      if (worker_.executed.warp_instructions < next_look_) continue;
      count_for_native();
      next_look_ = worker_.executed.warp_instructions + look_every;
      if (machine_.should_stop()) {
        if (!under_way_.empty()) add_where_stopped(machine_, *under_way_.front());
        return;
      }
    }
    count_for_native();
    leave_spare(machine_, std::move(made_));
  }

 private:
  void take_more() {
    if (at_ != until_) return;
    const std::uint64_t total = machine_.info.grid.count();
    at_ = std::min(next_.fetch_add(grab_, std::memory_order_relaxed), total);
    until_ = std::min(at_ + grab_, total);
  }

  void finish(Block& block) {
    block.finish();
    if (machine_.observer) machine_.observer->on_block_end(block.index);
  }

  void count_done(std::size_t blocks) {
    if (machine_.job) machine_.job->blocks_done.fetch_add(blocks, std::memory_order_relaxed);
  }

  void count_for_native() {
    if (NativeCode* const native = machine_.image->native.get())
      native->count(*machine_.image, worker_.executed.warp_instructions - next_look_ + look_every);
  }

  /// Others join when there are none, or one when all that are under way spin: they may be waiting for it.
  void begin_blocks() {
    const std::size_t wanted = under_way_.empty() ? abreast_ : spinning_ == under_way_.size() ? 1 : 0;
    for (std::size_t n = 0; n < wanted && under_way_.size() < resident_blocks_; ++n) {
      if (n == 0) take_more();
      if (at_ == until_) break;
      if (idle_.empty()) {
        const std::size_t so_far = machine_.warp_bytes.load(std::memory_order_relaxed);
        if (!made_.empty() && so_far + so_far / made_.size() > machine_.max_warp_bytes) break;
        idle_.push_back(made_.emplace_back(std::make_unique<Block>()).get());
      }
      idle_.back()->start(worker_, static_cast<std::uint32_t>(at_++));
      under_way_.push_back(idle_.back());
      idle_.pop_back();
    }
  }

  /// As long as the blocks finish in lockstep, the same Block objects start the next blocks, in lockstep again without a check.
  void run_in_lockstep() {
    const std::size_t together = under_way_.size();
    LockstepResult result = run_lockstep(worker_.lockstep);
    while (result == LockstepResult::finished && may_start_next(together)) {
      for (Block* const block : under_way_) {
        finish(*block);
        block->start(worker_, static_cast<std::uint32_t>(at_++));
      }
      count_done(together);
      result = run_lockstep(worker_.lockstep);
    }
    if (result == LockstepResult::finished) finish_lockstep(worker_.lockstep);
  }

  bool may_start_next(std::size_t together) {
    if (worker_.executed.warp_instructions >= next_look_ || machine_.stop.load(std::memory_order_relaxed)) return false;
    take_more();
    return until_ - at_ >= together;
  }

  /// One turn for each block. False: the launch was stopped.
  bool run_each() {
    spinning_ = 0;
    std::size_t left = 0;
    for (Block* const block : under_way_) {
      switch (block->run()) {
        case Block::Progress::stopped:
          add_where_stopped(machine_, *block);
          return false;
        case Block::Progress::finished:
          finish(*block);
          count_done(1);
          idle_.push_back(block);
          continue;
        case Block::Progress::spinning:
          ++spinning_;
          break;
        case Block::Progress::met:
          break;
      }
      under_way_[left++] = block;
    }
    under_way_.resize(left);
    return true;
  }

  Machine& machine_;
  Worker worker_;
  std::atomic<std::uint64_t>& next_;  // of all workers: the first block that nobody has taken
  const std::uint64_t grab_;
  const unsigned resident_blocks_;
  const std::size_t abreast_;
  const bool lockstep_;
  SpareBlocks made_;  // owns all blocks of this worker
  std::vector<Block*> under_way_, idle_;
  std::uint64_t at_ = 0, until_ = 0;      // taken, and not yet started
  std::uint64_t next_look_ = look_every;  // at so many warp-instructions
  std::size_t spinning_ = 0;              // of those under way, in the last turn
};

}  // namespace

void run_fast(Machine& machine, unsigned workers, unsigned resident_blocks, std::uint64_t first_block) {
  const std::uint64_t blocks = machine.info.grid.count() - first_block;
  workers = static_cast<unsigned>(std::clamp<std::uint64_t>(workers, 1, blocks));
  machine.parallel = workers > 1;
  std::atomic<std::uint64_t> next{first_block};
  const std::uint64_t grab = blocks_a_grab(blocks, workers);
  std::vector<std::thread> threads;
  for (unsigned t = 1; t < workers; ++t) threads.emplace_back([&] { Carrier(machine, next, grab, resident_blocks).carry(); });
  Carrier(machine, next, grab, resident_blocks).carry();
  for (std::thread& thread : threads) thread.join();
}

}  // namespace warpbook::gpu::vm
