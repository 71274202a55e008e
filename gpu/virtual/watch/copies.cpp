#include "gpu/virtual/watch/copies.h"

#include <algorithm>

namespace warpbook::gpu::watch {

void Copies::clear() {
  warps_.clear();
  ranges_.clear();
  open_.clear();
}

Copies::Piece Copies::begin(vm::WarpId warp, ptx::Copy copy, Piece piece) {
  OfWarp::Kind& kind = warps_[key(warp)].of(copy);
  piece.group = kind.groups;
  kind.pieces.push_back(std::move(piece));
  if (kind.pieces.size() <= most_pieces) return {};
  Piece oldest = std::move(kind.pieces.front());
  kind.pieces.erase(kind.pieces.begin());
  return oldest;
}

Copies::Progress Copies::progress(vm::WarpId warp, ptx::Copy copy, unsigned lane, ptx::Space space, std::uint64_t address) const {
  const auto found = warps_.find(key(warp));
  if (found == warps_.end()) return {};
  const std::deque<Piece>& pieces = found->second.of(copy).pieces;
  const auto piece = std::find_if(pieces.rbegin(), pieces.rend(), [&](const Piece& p) {
    return p.space == space && (p.lanes >> lane & 1) && p.address[lane] <= address && address < p.address[lane] + p.bytes;
  });
  if (piece == pieces.rend()) return {};
  if (piece->allowed >> lane & 1) return {Why::allowed, piece->allowed_groups};
  return {piece->missed >> lane & 1 ? Why::not_committed : Why::no_wait};
}

void Copies::commit(vm::WarpId warp, ptx::Copy copy, std::uint32_t mask) {
  OfWarp::Kind& kind = warps_[key(warp)].of(copy);
  for (std::uint32_t rest = mask; rest; rest &= rest - 1) ++kind.groups[static_cast<std::size_t>(std::countr_zero(rest))];
}

std::vector<std::uint64_t> Copies::arrived(const Wait& wait, unsigned lane) {
  OfWarp* const warp = wait.copy == ptx::Copy::group ? find(wait.warp) : nullptr;
  if (!warp) return {};
  std::vector<std::uint64_t> mbarriers;
  std::erase_if(warp->arrivals, [&](const Arrival& arrival) {
    if (arrival.lane != lane || !is_over(warp->group, wait, lane, arrival.group)) return false;
    mbarriers.push_back(arrival.mbarrier);
    return true;
  });
  return mbarriers;
}

ThreadId Copies::close(ThreadId thread) {
  const auto found = open_.find(thread);
  if (found == open_.end()) return no_thread;
  const ThreadId copier = found->second;
  open_.erase(found);
  return copier;
}

void Copies::add(const Range& range) {
  for (std::uint64_t line = range.first / line_bytes; line * line_bytes < range.end; ++line) {
    Range here = range;
    here.first = std::max(range.first, line * line_bytes);
    here.end = std::min(range.end, (line + 1) * line_bytes);
    std::vector<Range>& ranges = ranges_[line];
    // A bulk copy goes on where its last piece ended.
    const auto before = !here.joins ? ranges.end() : std::ranges::find_if(ranges, [&](const Range& other) {
      return other.by.thread == here.by.thread && other.end == here.first && other.kind == here.kind;
    });
    if (before != ranges.end())
      before->end = here.end;
    else if (ranges.size() < most_ranges)
      ranges.push_back(here);
  }
}

void Copies::remove(std::uint64_t first, std::uint64_t end, ThreadId copier) {
  for (std::uint64_t line = first / line_bytes; line * line_bytes < end; ++line) {
    const auto found = ranges_.find(line);
    if (found == ranges_.end()) continue;
    std::erase_if(found->second,
                  [&](const Range& range) { return range.by.thread == copier && range.first >= first && range.end <= end; });
    if (found->second.empty()) ranges_.erase(found);
  }
}

}  // namespace warpbook::gpu::watch
