#include "gpu/virtual/vm/memory/heap.h"

#include <iterator>

namespace warpbook::gpu::vm {
namespace {

constexpr std::uint64_t alignment = 16;  // CUDA's malloc

/// With the gap behind it.
std::uint64_t span_of(std::uint64_t bytes) { return (bytes + alignment - 1) / alignment * alignment + alignment; }

}  // namespace

std::uint64_t Heap::allocate(std::uint64_t bytes, std::uint32_t line) {
  if (bytes == 0 || bytes > high_ - low_) return 0;
  const std::uint64_t span = span_of(bytes);
  std::uint64_t at = fresh_;
  if (span <= high_ - fresh_)
    fresh_ += span;
  else
    at = reuse(span);
  if (at) pieces_[at] = {at, bytes, Block::live, ++given_, line, 0};
  return at;
}

/// The first run of freed pieces that is long enough.
std::uint64_t Heap::reuse(std::uint64_t span) {
  std::uint64_t start = 0, end = 0;
  for (auto piece = pieces_.begin(); piece != pieces_.end(); ++piece) {
    if (piece->second.state != Block::freed) {
      start = 0;
      continue;
    }
    if (!start) start = piece->first;
    const auto next = std::next(piece);
    end = next == pieces_.end() ? fresh_ : next->first;
    if (end - start < span) continue;
    pieces_.erase(pieces_.lower_bound(start), next);
    // What is left of the run stays freed.
    if (end - start >= span + span_of(1))
      pieces_[start + span] = {start + span, end - start - span - alignment, Block::freed, ++given_, 0, 0};
    return start;
  }
  return 0;
}

Heap::Block Heap::release(std::uint64_t address, std::uint32_t line) {
  const auto found = pieces_.find(address);
  if (found == pieces_.end()) return Block::none;
  const Block before = found->second.state;
  found->second.state = Block::freed;
  if (before == Block::live) found->second.released_line = line;
  return before;
}

Heap::Piece Heap::find(std::uint64_t address) const {
  const auto after = pieces_.upper_bound(address);
  if (after == pieces_.begin()) return {};
  const Piece& piece = std::prev(after)->second;
  return address - piece.low < piece.bytes ? piece : Piece{};
}

Heap::Piece Heap::nearest(std::uint64_t address) const {
  const auto after = pieces_.upper_bound(address);
  if (after == pieces_.begin()) return pieces_.empty() ? Piece{} : after->second;
  const Piece& before = std::prev(after)->second;
  const std::uint64_t from = address - before.low;
  if (after == pieces_.end() || from < before.bytes) return before;
  return from - before.bytes < after->first - address ? before : after->second;
}

}  // namespace warpbook::gpu::vm
