#include "gpu/virtual/vm/memory/memory.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "gpu/virtual/vm/memory/heap_limit.h"

namespace warpbook::gpu::vm {
namespace {

// Only address space: pages cost nothing until an allocation makes them accessible.
constexpr std::size_t most_reserved = std::size_t{1} << 38, least_reserved = std::size_t{1} << 24;
constexpr std::size_t page = 4096;
std::atomic<std::size_t> bytes_of_new_heaps{heap_bytes};
constexpr std::size_t few = 1000;  // allocations: among more, a gap between two of them is looked for only where the end is reached

std::size_t round_up(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

/// What this process may have of addresses (`ulimit -v`); empty: as much as it likes.
std::optional<std::size_t> address_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return static_cast<std::size_t>(limit.rlim_cur);
}

/// The end of a sentence about memory that is not there.
std::string because_of_limit() {
  const auto limit = address_limit();
  if (!limit) return {};
  return fmt::format(" This process may have {} MiB of addresses in all (ulimit -v): ask for more, or use smaller arrays.",
                     *limit >> 20);
}

void* reserve(std::size_t bytes) {
  // Where these addresses are free, guest and host addresses are the same: a wish, which nothing here relies on.
  void* wish = reinterpret_cast<void*>(global_base);
  return mmap(wish, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

/// Of each memory. Where addresses are rationed, a quarter of them: the rest of the program needs some, and so may a second device.
std::size_t reserved_bytes() {
  static const std::size_t bytes = [] {
    std::size_t wanted = most_reserved;
    if (const auto limit = address_limit()) wanted = std::min(wanted, *limit / 4 / page * page);
    for (; wanted > least_reserved; wanted = wanted / 2 / page * page) {
      void* const range = reserve(wanted);
      if (range == MAP_FAILED) continue;
      munmap(range, wanted);
      break;
    }
    return wanted;
  }();
  return bytes;
}

// Wide enough that an index which is wrong by a whole array still lands in no other buffer, where there are addresses enough.
std::size_t guard_gap(std::size_t bytes) {
  const std::size_t widest = round_up(std::min(reserved_bytes() / 1024, std::size_t{1} << 28), page);
  return std::min(std::size_t{1} << 20, widest) + round_up(std::min(bytes, widest), page);
}

}  // namespace

std::size_t heap_limit() { return bytes_of_new_heaps; }
void set_heap_limit(std::size_t bytes) { bytes_of_new_heaps = bytes; }

Memory::Memory(std::size_t limit_bytes) : limit_(std::min(limit_bytes, reserved_bytes())) {
  if (void* const range = reserve(reserved_bytes()); range != MAP_FAILED) reserve_ = static_cast<std::byte*>(range);
}

Memory::~Memory() {
  if (reserve_) munmap(reserve_, reserved_bytes());
}

Result<void> Memory::check_room(std::size_t bytes) const {
  if (!reserve_)
    return failure("cudaErrorMemoryAllocation",
                   "This machine gave no addresses for the virtual GPU's memory." + because_of_limit());
  if (bytes > limit_ - used_)
    return failure(
        "cudaErrorMemoryAllocation",
        fmt::format("{} bytes were asked for; the virtual GPU has {} of {} bytes left. Use a smaller array, or release one.{}",
                    bytes, limit_ - used_, limit_, because_of_limit()));
  return {};
}

std::uint64_t Memory::first_fit(std::size_t bytes, bool free_again) const {
  const std::size_t span = round_up(std::max<std::size_t>(bytes, 1), page);
  const std::size_t gap = guard_gap(bytes), reserved = reserved_bytes();
  const auto behind = [&](const Extent& extent) {
    return global_base + round_up(extent.high - global_base, page) + std::max(gap, guard_gap(extent.high - extent.low));
  };
  if (extents_.size() > few) {
    std::uint64_t last = behind(extents_.rbegin()->second);
    if (!free_again)
      for (const Extent& extent : released_) last = std::max(last, behind(extent));
    if (last - global_base + span <= reserved) return last;
  }
  // Between neighbours, so that a long session does not run out of addresses.
  std::vector<Extent> taken;
  taken.reserve(extents_.size() + released_.size());
  for (const auto& [low, extent] : extents_) taken.push_back(extent);
  if (!free_again) {
    taken.insert(taken.end(), released_.begin(), released_.end());
    std::sort(taken.begin(), taken.end(), [](const Extent& a, const Extent& b) { return a.low < b.low; });
  }
  std::uint64_t at = global_base + gap;
  for (const Extent& extent : taken) {
    const std::uint64_t free_until = extent.low - std::max(gap, guard_gap(extent.high - extent.low));
    if (free_until > at && free_until - at >= span) break;
    at = std::max(at, behind(extent));
  }
  return at;
}

Result<std::uint64_t> Memory::allocate(std::size_t bytes, bool writable) {
  const std::unique_lock lock(mutex_);
  if (auto room = check_room(bytes); !room) return failure(room.error());
  const std::size_t span = round_up(std::max<std::size_t>(bytes, 1), page), reserved = reserved_bytes();
  std::uint64_t at = first_fit(bytes, false);
  if (at - global_base + span > reserved) at = first_fit(bytes, true);
  if (at - global_base + span > reserved)
    return failure("cudaErrorMemoryAllocation",
                   "The virtual GPU's addresses are used up. Release some arrays, or use smaller ones." + because_of_limit());
  return make_accessible(at, bytes, writable);
}

Result<std::uint64_t> Memory::allocate_at(std::uint64_t address, std::size_t bytes, bool writable) {
  const std::unique_lock lock(mutex_);
  if (auto room = check_room(bytes); !room) return failure(room.error());
  const std::size_t span = round_up(std::max<std::size_t>(bytes, 1), page), reserved = reserved_bytes();
  const bool within = address >= global_base && address % page == 0 && span <= reserved && address - global_base <= reserved - span;
  const auto after = extents_.lower_bound(within ? address : 0);
  const bool free_behind = after == extents_.end() || after->first >= address + span;
  const bool free_before =
      after == extents_.begin() || global_base + round_up(std::prev(after)->second.high - global_base, page) <= address;
  if (!within || !free_behind || !free_before)
    return failure("cudaErrorMemoryAllocation",
                   fmt::format("{} bytes at the address {:#x} are not free in the virtual GPU's memory.{}", bytes, address,
                               because_of_limit()));
  return make_accessible(address, bytes, writable);
}

Result<std::uint64_t> Memory::make_accessible(std::uint64_t at, std::size_t bytes, bool writable) {
  const std::size_t span = round_up(std::max<std::size_t>(bytes, 1), page);
  std::byte* host = reserve_ + (at - global_base);
  if (mprotect(host, span, PROT_READ | PROT_WRITE) != 0)
    return failure("cudaErrorMemoryAllocation",
                   fmt::format("This machine has no {} bytes of memory left for an array.{}", bytes, because_of_limit()));
  // Threads a stride apart are on a page each: as few pages as there can be. Without them it goes as well.
  (void)madvise(host, span, MADV_HUGEPAGE);
  extents_[at] = {at, at + bytes, host, writable};
  used_ += bytes;
  return at;
}

void Memory::release(std::uint64_t address) {
  const std::unique_lock lock(mutex_);
  const auto found = extents_.find(address);
  if (found == extents_.end()) return;
  const std::size_t bytes = found->second.high - found->second.low;
  const std::size_t span = round_up(std::max<std::size_t>(bytes, 1), page);
  madvise(found->second.host, span, MADV_DONTNEED);
  mprotect(found->second.host, span, PROT_NONE);
  used_ -= bytes;
  if (keeps_released_) released_.push_back(found->second);
  if (released_.size() > kept_free) released_.pop_front();
  extents_.erase(found);
}

bool Memory::keeps(std::uint64_t address) const {
  const std::shared_lock lock(mutex_);
  return std::any_of(released_.begin(), released_.end(), [&](const Extent& extent) { return extent.low == address; });
}

Extent Memory::find(std::uint64_t address) const {
  const std::shared_lock lock(mutex_);
  const auto after = extents_.upper_bound(address);
  if (after == extents_.begin()) return {};
  const Extent& extent = std::prev(after)->second;
  if (heap_ && heap_->covers(address)) {
    const Heap::Piece piece = heap_->find(address);
    if (piece.state != Heap::Block::live) return {};
    return {piece.low, piece.low + piece.bytes, extent.at(piece.low), true, true};
  }
  return address < extent.high ? extent : Extent{};
}

std::uint64_t Memory::heap_allocate(std::size_t bytes, std::uint32_t line) {
  std::unique_lock lock(mutex_);
  if (!heap_) {
    lock.unlock();
    const std::size_t bytes_of_heap = heap_limit();
    const auto address = allocate(bytes_of_heap);
    lock.lock();
    if (!address) return 0;
    if (heap_) {  // another worker was faster
      lock.unlock();
      release(*address);
      lock.lock();
    } else {
      heap_.emplace(*address, bytes_of_heap);
      heap_address_ = *address;
    }
  }
  return heap_->allocate(bytes, line);
}

Heap::Block Memory::heap_release(std::uint64_t address, std::uint32_t line) {
  const std::unique_lock lock(mutex_);
  return heap_ ? heap_->release(address, line) : Heap::Block::none;
}

std::uint64_t Memory::heap_pieces() const {
  const std::shared_lock lock(mutex_);
  return heap_ ? heap_->given() : 0;
}

Heap::Piece Memory::heap_piece(std::uint64_t address) const {
  const std::shared_lock lock(mutex_);
  return heap_ && heap_->covers(address) ? heap_->nearest(address) : Heap::Piece{};
}

void Memory::empty_heap() {
  {
    const std::unique_lock lock(mutex_);
    if (!heap_) return;
    heap_.reset();
  }
  release(heap_address_);
}

bool Memory::was_freed(std::uint64_t address) const {
  const std::shared_lock lock(mutex_);
  return heap_ && heap_->find(address).state == Heap::Block::freed;
}

}  // namespace warpbook::gpu::vm
