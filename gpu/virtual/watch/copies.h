// Copies: what threads copy asynchronously and have not waited for.
//
//     copies.begin(warp, ptx::Copy::group, piece);                 // cp.async: what its lanes touch
//     copies.commit(warp, ptx::Copy::group, mask);                 // cp.async.commit_group
//     copies.wait({warp, ptx::Copy::group, mask, 1}, [&](const Copies::Piece& piece, std::uint32_t lanes) { … });
//
// Each lane counts its own groups: after a wait for all but n, what belongs to its n newest groups, or to none yet, is under way.
// Of global memory it also knows by address who copies there, so that every access can be compared with that.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gpu/virtual/vm/observer.h"
#include "gpu/virtual/watch/order.h"
#include "gpu/virtual/watch/shadow.h"

namespace warpbook::gpu::watch {

class Copies {
 public:
  /// What the lanes of a warp touch with one instruction.
  struct Piece {
    vm::Site site;
    ptx::Space space = ptx::Space::shared;
    vm::Access::Kind kind = vm::Access::Kind::store;
    std::uint32_t bytes = 4;  // a lane
    std::uint32_t lanes = 0;  // that have not waited for it
    std::array<std::uint64_t, 32> address{};
    std::array<std::uint32_t, 32> group{};  // by lane, counted from its first one
    // Lanes that have called a wait which did not end it: because it was not committed; because the wait allowed its group.
    std::uint32_t missed = 0, allowed = 0;
    std::uint32_t allowed_groups = 0;  // how many that wait allowed to be under way
  };
  /// Why a copy is still under way.
  enum class Why : std::uint8_t { no_wait, not_committed, allowed };
  struct Progress {
    Why why = Why::no_wait;
    std::uint32_t allowed_groups = 0;
  };
  struct Wait {
    vm::WarpId warp;
    ptx::Copy copy = ptx::Copy::group;
    std::uint32_t mask = 0;
    std::uint32_t groups = 0;  // that may be under way
    bool sources_only = false;
  };
  /// A place in global memory that is copied from or to.
  struct Range {
    std::uint64_t first = 0, end = 0;
    Epoch by;  // the copier
    SiteFlags site = 0;
    std::uint32_t block = 0;
    vm::Access::Kind kind = vm::Access::Kind::load;
    bool joins = false;  // it is not removed before its block ends, so what is copied side by side may be one
  };

  [[nodiscard]] bool empty() const { return warps_.empty() && ranges_.empty() && open_.empty(); }
  void clear();

  /// The oldest piece of a warp that has too many leaves it, and is given back.
  [[nodiscard]] Piece begin(vm::WarpId warp, ptx::Copy copy, Piece piece);
  void commit(vm::WarpId warp, ptx::Copy copy, std::uint32_t mask);
  /// done(piece, lanes): these lanes need not wait for it any longer. It may not call Copies but for its ranges.
  template <class Done>
  void wait(const Wait& wait, const Done& done);
  /// cp.async.mbarrier.arrive: done(piece, copier) for all that this lane has begun by cp.async, whether it is a group or not; done
  /// says who is its copier now: a new one for a piece of each group, and then the same (no_thread: there is none yet).
  struct Arrived {
    std::vector<ThreadId> copiers;                 // of that, and of what it has let arrive before at other mbarriers
    std::vector<std::uint64_t> too_long_ago = {};  // those mbarriers, where there are too many
  };
  template <class Done>
  [[nodiscard]] Arrived arrive(vm::WarpId warp, unsigned lane, std::uint64_t mbarrier, const Done& done);
  /// Where this lane's copies arrived that it now waits for itself, too; they are told once.
  [[nodiscard]] std::vector<std::uint64_t> arrived(const Wait& wait, unsigned lane);
  template <class Done>
  void end_block(std::uint32_t block, std::uint32_t warps, const Done& done);

  /// The copier of the copy in hand of a thread, which an mbarrier will tell of; made where there is none.
  template <class Make>
  [[nodiscard]] ThreadId open(ThreadId thread, const Make& make) {
    const auto [at, fresh] = open_.try_emplace(thread, no_thread);
    if (fresh) at->second = make();
    return at->second;
  }
  /// It has come; no_thread: there was none.
  [[nodiscard]] ThreadId close(ThreadId thread);

  /// Of the newest copy of a lane that touches this place.
  [[nodiscard]] Progress progress(vm::WarpId warp, ptx::Copy copy, unsigned lane, ptx::Space space, std::uint64_t address) const;

  [[nodiscard]] bool any_global() const { return !ranges_.empty(); }
  void add(const Range& range);
  void remove(std::uint64_t first, std::uint64_t end, ThreadId copier);
  template <class Act>
  void for_ranges(std::uint64_t first, std::uint64_t end, const Act& act) const;

 private:
  static constexpr std::size_t most_pieces = 4096;  // a warp's
  static constexpr std::size_t most_ranges = 1024;  // a line's: many threads copy from it, or few that never wait
  static constexpr std::uint64_t line_bytes = 128;

  static constexpr std::size_t most_arrivals = 8;  // a lane's: stages of a pipeline

  struct Arrival {
    unsigned lane = 0;
    std::uint64_t mbarrier = 0;
    std::uint32_t group = 0;
    ThreadId copier = no_thread;
  };
  struct OfWarp {
    struct Kind {
      std::deque<Piece> pieces;
      std::array<std::uint32_t, 32> groups{};  // by lane, committed so far
    };
    Kind group, bulk;
    std::vector<Arrival> arrivals;
    [[nodiscard]] Kind& of(ptx::Copy copy) { return copy == ptx::Copy::bulk_group ? bulk : group; }
    [[nodiscard]] const Kind& of(ptx::Copy copy) const { return copy == ptx::Copy::bulk_group ? bulk : group; }
  };
  [[nodiscard]] static std::uint64_t key(vm::WarpId warp) { return std::uint64_t{warp.block} << 32 | warp.warp; }
  [[nodiscard]] OfWarp* find(vm::WarpId warp) {
    const auto found = warps_.find(key(warp));
    return found == warps_.end() ? nullptr : &found->second;
  }
  static bool is_over(const OfWarp::Kind& kind, const Wait& wait, unsigned lane, std::uint32_t group) {
    return kind.groups[lane] > wait.groups && group < kind.groups[lane] - wait.groups;
  }

  std::unordered_map<std::uint64_t, OfWarp> warps_;
  std::unordered_map<std::uint64_t, std::vector<Range>> ranges_;  // by line; none is empty
  std::unordered_map<ThreadId, ThreadId> open_;
};

template <class Done>
void Copies::wait(const Wait& wait, const Done& done) {
  OfWarp* const warp = find(wait.warp);
  if (!warp) return;
  OfWarp::Kind& kind = warp->of(wait.copy);
  for (Piece& piece : kind.pieces) {
    if (wait.sources_only && piece.kind != vm::Access::Kind::load) continue;
    std::uint32_t over = 0;
    for (std::uint32_t rest = piece.lanes & wait.mask; rest; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      const bool committed = piece.group[lane] < kind.groups[lane];
      (is_over(kind, wait, lane, piece.group[lane]) ? over : committed ? piece.allowed : piece.missed) |= 1u << lane;
    }
    if (piece.allowed & wait.mask) piece.allowed_groups = wait.groups;
    if (!over) continue;
    done(std::as_const(piece), over);
    piece.lanes &= ~over;
  }
  std::erase_if(kind.pieces, [](const Piece& piece) { return !piece.lanes; });
}

template <class Done>
Copies::Arrived Copies::arrive(vm::WarpId warp, unsigned lane, std::uint64_t mbarrier, const Done& done) {
  OfWarp* const found = find(warp);
  if (!found) return {};
  std::vector<Arrival>& arrivals = found->arrivals;
  const std::size_t before = arrivals.size();
  for (Piece& piece : found->group.pieces) {
    if (!(piece.lanes >> lane & 1)) continue;
    const std::uint32_t group = piece.group[lane];
    const auto same = std::find_if(arrivals.begin() + static_cast<std::ptrdiff_t>(before), arrivals.end(),
                                   [&](const Arrival& arrival) { return arrival.group == group; });
    const ThreadId copier = done(std::as_const(piece), same == arrivals.end() ? no_thread : same->copier);
    if (same == arrivals.end()) arrivals.push_back({lane, mbarrier, group, copier});
    piece.lanes &= ~(1u << lane);
  }
  if (arrivals.size() != before) std::erase_if(found->group.pieces, [](const Piece& piece) { return !piece.lanes; });
  Arrived arrived;
  for (const Arrival& arrival : arrivals)
    if (arrival.lane == lane) arrived.copiers.push_back(arrival.copier);
  for (std::size_t n = arrived.copiers.size(); n > most_arrivals; --n) {
    const auto oldest = std::ranges::find(arrivals, lane, &Arrival::lane);
    arrived.too_long_ago.push_back(oldest->mbarrier);
    arrivals.erase(oldest);
  }
  return arrived;
}

template <class Done>
void Copies::end_block(std::uint32_t block, std::uint32_t warps, const Done& done) {
  for (std::uint32_t w = 0; w < warps; ++w) {
    const vm::WarpId warp{block, w};
    OfWarp* const found = find(warp);
    if (!found) continue;
    for (const OfWarp::Kind* kind : {&found->group, &found->bulk})
      for (const Piece& piece : kind->pieces) done(warp, piece);
    warps_.erase(key(warp));
  }
  for (auto at = ranges_.begin(); at != ranges_.end();) {
    std::erase_if(at->second, [&](const Range& range) { return range.block == block; });
    at = at->second.empty() ? ranges_.erase(at) : std::next(at);
  }
}

template <class Act>
void Copies::for_ranges(std::uint64_t first, std::uint64_t end, const Act& act) const {
  for (std::uint64_t line = first / line_bytes; line * line_bytes < end; ++line) {
    const auto found = ranges_.find(line);
    if (found == ranges_.end()) continue;
    for (const Range& range : found->second)
      if (range.first < end && first < range.end) act(range);
  }
}

}  // namespace warpbook::gpu::watch
