// Asynchronous copies in the race detector: from where a copy is begun until it has been waited for, whoever touches what it
// writes, its own thread too, races with it, and so does whoever writes what it reads.
//
// Where it is begun, it is an access of its thread like any other: what came before must be ordered before it. From then on it is a
// copier's (order.h), whom nobody is ordered with. Where its thread has waited for it, it becomes that thread's again, as of that
// moment. Where an mbarrier tells that it has come, who waits there acquires it.
#include <algorithm>
#include <bit>
#include <utility>

#include "gpu/virtual/watch/races.h"

namespace warpbook::gpu::watch {
namespace {

template <class Act>
void for_lanes(std::uint32_t mask, const Act& act) {
  for (; mask; mask &= mask - 1) act(static_cast<unsigned>(std::countr_zero(mask)));
}

}  // namespace

void Races::on_copy(const vm::Access& access) {
  const ptx::Copy copy = access.site.instruction().copy;
  copy == ptx::Copy::has_come || copy == ptx::Copy::arrives ? hand_on_copies(access) : begin_copy(access);
}

/// The lanes of a copy, of those that copy the same to the same place one. The toolkit lets several lanes copy the last element.
std::uint32_t Races::without_twins(const vm::Access& access) {
  if (access.kind == vm::Access::Kind::load) {
    std::copy_n(access.address, 32, copied_from_.begin());
    return access.mask;
  }
  if (access.site.instruction().op != ptx::Opcode::cp_async || !access.site.instruction().in_toolkit) return access.mask;
  std::uint32_t kept = 0;
  for_lanes(access.mask, [&](unsigned lane) {
    bool twin = false;
    for_lanes(kept, [&](unsigned other) {
      twin |= access.address[other] == access.address[lane] && copied_from_[other] == copied_from_[lane];
    });
    if (!twin) kept |= 1u << lane;
  });
  return kept;
}

void Races::begin_copy(const vm::Access& access) {
  vm::Access mine = access;
  mine.mask = without_twins(access);
  if (mine.mask != access.mask) mine.rows = vm::Access::Rows::unknown;
  // What is copied in global memory is compared with other copies before it is one of them.
  look_at(mine);
  const bool shared = access.space == ptx::Space::shared;
  if (!shared) meet_copies(mine);
  const ptx::Copy copy = access.site.instruction().copy;
  const bool counted = copy == ptx::Copy::counted;
  const ThreadId first = block_->first | access.warp.warp << 5;
  for_lanes(mine.mask, [&](unsigned lane) {
    const ThreadId thread = first | lane;
    const ThreadId copier =
        counted ? copies_.open(thread, [&] { return order_.new_copier(*block_, thread); }) : order_.copier(*block_, thread);
    const std::uint64_t address = access.address[lane];
    if (shared) {
      change_slots(address, access.bytes, [&](const Slots& slots, unsigned cell) {
        const bool just_now = slots.stamp[cell] == now_ && ((slots.site[cell] ^ site_) & site_mask) == 0;
        if (just_now && slots.thread[cell] == thread) slots.thread[cell] = copier;
      });
      return;
    }
    copies_.add({.first = address,
                 .end = address + access.bytes,
                 .by = {copier, now_},
                 .site = site_,
                 .block = access.warp.block,
                 .kind = access.kind,
                 .joins = counted});
  });
  if (shared) shared_now_->copies = true;
  if (counted) return;
  Copies::Piece piece{.site = access.site, .space = access.space, .kind = access.kind, .bytes = access.bytes, .lanes = mine.mask};
  std::copy_n(access.address, 32, piece.address.begin());
  const Copies::Piece oldest = copies_.begin(access.warp, copy, std::move(piece));
  if (!oldest.lanes) return;
  settle_copy(access.warp, oldest, oldest.lanes);  // as if it had been waited for
  forgot_ = true;
}

void Races::on_copies(const vm::Synchronisation& event) {
  if (event.kind == vm::Synchronisation::Kind::copies_begun) return copies_.commit(event.warp, event.copy, event.mask);
  const Copies::Wait wait{event.warp, event.copy, event.mask, event.groups, event.sources_only};
  copies_.wait(wait, [&](const Copies::Piece& piece, std::uint32_t lanes) { settle_copy(event.warp, piece, lanes); });
  BlockClock& block = order_.block(event.warp.block);
  for_lanes(event.mask, [&](unsigned lane) {
    for (const std::uint64_t mbarrier : copies_.arrived(wait, lane))
      order_.strong_read({mbarrier, block.number + 1}, block, block.first | event.warp.warp << 5 | lane, true);
  });
}

/// Each lane has waited for its part.
void Races::settle_copy(vm::WarpId warp, const Copies::Piece& piece, std::uint32_t lanes) {
  BlockClock& block = order_.block(warp.block);
  const ThreadId first = block.first | warp.warp << 5;
  now_ = order_.now();
  if (piece.space == ptx::Space::shared) {
    find_shared(warp.block);
    for_lanes(lanes,
              [&](unsigned lane) { pass_on(piece.address[lane], piece.bytes, order_.copier(block, first | lane), first | lane); });
    return;
  }
  for_lanes(lanes, [&](unsigned lane) {
    copies_.remove(piece.address[lane], piece.address[lane] + piece.bytes, order_.copier(block, first | lane));
  });
  const bool atomic = piece.kind == vm::Access::Kind::atomic;
  settling_ = true;
  look_at({.site = piece.site,
           .warp = warp,
           .kind = piece.kind,
           .space = piece.space,
           .mask = lanes,
           .bytes = piece.bytes,
           .order = atomic ? ptx::Order::relaxed : ptx::Order::weak,
           .scope = atomic ? ptx::Scope::gpu : ptx::Scope::none,
           .address = piece.address.data()});
  settling_ = false;
}

/// An mbarrier is told that copies have come: of a thread's copy that it counts, or of all that the thread has begun by cp.async.
void Races::hand_on_copies(const vm::Access& access) {
  const bool arrives = access.site.instruction().copy == ptx::Copy::arrives;
  BlockClock& block = order_.block(access.warp.block);
  find_shared(access.warp.block);
  for_lanes(access.mask, [&](unsigned lane) {
    const ThreadId thread = block.first | access.warp.warp << 5 | lane;
    come_[lane] = arrives ? let_arrive(access, lane) : std::vector<ThreadId>{};
    if (const ThreadId come = arrives ? no_thread : copies_.close(thread); come != no_thread) come_[lane] = {come};
  });
  look_at(access);
  for (auto& come : come_) come.clear();
}

/// What this lane has begun by cp.async is from now on a copier's whom the mbarrier knows. All such copiers.
std::vector<ThreadId> Races::let_arrive(const vm::Access& access, unsigned lane) {
  BlockClock& block = order_.block(access.warp.block);
  const ThreadId thread = block.first | access.warp.warp << 5 | lane;
  now_ = order_.now();
  const std::uint64_t mbarrier = access.address[lane];
  Copies::Arrived arrived = copies_.arrive(access.warp, lane, mbarrier, [&](const Copies::Piece& piece, ThreadId come) {
    if (come == no_thread) come = order_.new_copier(block, thread);
    const std::uint64_t address = piece.address[lane];
    if (piece.space == ptx::Space::shared) {
      pass_on(address, piece.bytes, order_.copier(block, thread), come);
      return come;
    }
    copies_.remove(address, address + piece.bytes, order_.copier(block, thread));
    copies_.add({.first = address,
                 .end = address + piece.bytes,
                 .by = {come, now_},
                 .site = context_.site_number(piece.site) & site_mask,
                 .block = access.warp.block,
                 .kind = piece.kind,
                 .joins = true});
    return come;
  });
  // Who lets copies arrive at more mbarriers than are remembered has waited for the oldest: that hides races and invents none.
  for (const std::uint64_t oldest : arrived.too_long_ago) order_.strong_read({oldest, block.number + 1}, block, thread, true);
  return std::move(arrived.copiers);
}

/// Compares the access in hand with the copies that are under way in global memory.
void Races::meet_copies(const vm::Access& access) {
  const bool load = access.kind == vm::Access::Kind::load, atomic = access.kind == vm::Access::Kind::atomic;
  granule_ = 1;
  for_lanes(access.mask, [&](unsigned lane) {
    const ThreadId thread = block_->first | access.warp.warp << 5 | lane;
    const std::uint64_t first = access.address[lane], end = first + access.bytes;
    copies_.for_ranges(first, end, [&](const Copies::Range& range) {
      const bool reads = range.kind == vm::Access::Kind::load, updates = range.kind == vm::Access::Kind::atomic;
      if ((load && reads) || (atomic && updates) || order_.ordered(range.by, *block_, thread)) return;
      tell({range.by, range.site, !reads, updates, false}, thread, std::max(first, range.first));
    });
  });
}

void Races::end_copies(std::uint32_t block) {
  copies_.end_block(block, context_.warps_per_block(), [&](vm::WarpId warp, const Copies::Piece& piece) {
    if (piece.space == ptx::Space::global) settle_copy(warp, piece, piece.lanes);
  });
}

/// change(slots, cell) for every access that is remembered of these bytes of shared memory.
template <class Change>
void Races::change_slots(std::uint64_t address, std::uint32_t bytes, const Change& change) {
  SharedShadow& shared = *shared_now_;
  for (std::uint32_t done = 0; done < bytes;) {
    const std::uint64_t at = address + done, piece = at / SharedShadow::piece;
    if (piece >= shared.bytes.size()) return;
    Cells* const by_byte = shared.bytes[piece].get();
    Cells& cells = by_byte ? *by_byte : shared.words;
    const auto cell = static_cast<unsigned>(by_byte ? at % SharedShadow::piece : at / 4);
    done += by_byte ? 1 : 4;
    if (cell >= cells.count()) return;
    change(cells.write, cell);
    for (const Slots& slots : cells.reads) change(slots, cell);
    if (!cells.strong) continue;
    cells.strong->settled[cell] = {};
    for (const Slots& slots : cells.strong->writes) change(slots, cell);
    for (const Slots& slots : cells.strong->reads) change(slots, cell);
  }
}

/// What one has done to these bytes of shared memory is the other's, as of now.
void Races::pass_on(std::uint64_t address, std::uint32_t bytes, ThreadId from, ThreadId to) {
  change_slots(address, bytes, [&](const Slots& slots, unsigned cell) {
    if (!slots.stamp[cell] || slots.thread[cell] != from) return;
    slots.thread[cell] = to;
    slots.stamp[cell] = now_;
  });
}

}  // namespace warpbook::gpu::watch
