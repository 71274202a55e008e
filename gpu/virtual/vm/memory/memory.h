// Global memory of the virtual GPU: one reserved range of the host's addresses. Every buffer is an allocation of its own in it,
// with wide guard gaps on both sides, so that no address that a kernel can form leads to other memory of the host.
//
//     Memory memory(limit_bytes);
//     std::uint64_t address = *memory.allocate(bytes, 256);      // a guest address
//     Extent extent = memory.find(address);                      // host pointer and bounds, or empty
//
// Guest addresses: address_windows.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <shared_mutex>

#include "gpu/address_windows.h"
#include "gpu/result.h"
#include "gpu/virtual/vm/memory/heap.h"

namespace warpbook::gpu::vm {

using gpu::function_window, gpu::global_base, gpu::local_window, gpu::shared_window, gpu::window_bytes;
inline constexpr std::size_t heap_bytes = std::size_t{8} << 20;  // cudaLimitMallocHeapSize, as CUDA sets it

/// A valid range of guest addresses [low, high), and where it lies in the host's memory.
struct Extent {
  std::uint64_t low = 0, high = 0;
  std::byte* host = nullptr;  // of `low`
  bool writable = true;
  bool heap = false;          // a piece of the device heap; do not cache it, because a kernel may free it
  bool report_loads = true;   // the observer, if there is one, wants its loads
  bool only_atomics = false;  // Allocation::only_atomics

  [[nodiscard]] bool holds(std::uint64_t address, std::uint64_t bytes) const {
    return address >= low && bytes <= high - low && address <= high - bytes;
  }
  [[nodiscard]] std::byte* at(std::uint64_t address) const { return host + (address - low); }
};

class Memory {
 public:
  explicit Memory(std::size_t limit_bytes);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// Aligned to a page. The bytes are zero at first, but count as uninitialised.
  [[nodiscard]] Result<std::uint64_t> allocate(std::size_t bytes, bool writable = true);
  /// The same at an address that another memory has given, so that pointers of that memory mean the same here. Error
  /// "cudaErrorMemoryAllocation": something lies there, or this memory does not reach that far.
  [[nodiscard]] Result<std::uint64_t> allocate_at(std::uint64_t address, std::size_t bytes, bool writable = true);
  void release(std::uint64_t address);
  /// From now on the addresses of what is released are not given out again soon, so that an access after the release meets nothing
  /// else. Without it, the same allocations after each other get the same addresses.
  void keep_released() { keeps_released_ = true; }
  static constexpr std::size_t kept_free = 64;  // so many of the last ones
  /// Whether nothing was given out since at the address of a released allocation.
  [[nodiscard]] bool keeps(std::uint64_t address) const;

  /// The allocation that holds `address`; empty (low == high) where there is none.
  [[nodiscard]] Extent find(std::uint64_t address) const;

  /// malloc and free of device code. They work on a heap of heap_bytes, which lasts until it is emptied.
  /// `line`: the source line, for findings about the piece.
  [[nodiscard]] std::uint64_t heap_allocate(std::size_t bytes, std::uint32_t line = 0);  // 0: none left
  Heap::Block heap_release(std::uint64_t address, std::uint32_t line = 0);               // what the address was
  /// The piece of the heap that holds an address or lies nearest to it; state none: the address is not the heap's.
  [[nodiscard]] Heap::Piece heap_piece(std::uint64_t address) const;
  [[nodiscard]] std::uint64_t heap_pieces() const;  // so many were given out; the last one's number
  void empty_heap();
  [[nodiscard]] bool was_freed(std::uint64_t address) const;

  [[nodiscard]] std::size_t used() const { return used_; }
  [[nodiscard]] std::size_t limit() const { return limit_; }

 private:
  /// Both hold the lock and have found the place.
  [[nodiscard]] Result<std::uint64_t> make_accessible(std::uint64_t at, std::size_t bytes, bool writable);
  [[nodiscard]] Result<void> check_room(std::size_t bytes) const;
  /// The first place between extents; `free_again`: those that were released last count as free. Beyond the last address: none.
  [[nodiscard]] std::uint64_t first_fit(std::size_t bytes, bool free_again) const;

  std::byte* reserve_ = nullptr;
  std::size_t limit_, used_ = 0;
  std::map<std::uint64_t, Extent> extents_;  // by low
  bool keeps_released_ = false;
  std::deque<Extent> released_;  // the last ones, in the order of their release
  std::optional<Heap> heap_;     // within one of them, from the first malloc on
  std::uint64_t heap_address_ = 0;
  mutable std::shared_mutex mutex_;  // one warp may allocate while others look up addresses
};

}  // namespace warpbook::gpu::vm
