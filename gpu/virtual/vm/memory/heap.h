// Heap: malloc and free of device code, within one range of guest addresses.
//
//     Heap heap(low, bytes);
//     std::uint64_t a = heap.allocate(64, 5);   // by line 5 of the source; 0: none left, as CUDA's malloc
//     heap.release(a, 9) == Heap::Block::live;  // what it was: anything else is the program's mistake
//
// Pieces have exact bounds and a gap behind them, so that an index that is wrong by one is detected. A freed piece is not used
// again while there is unused room, so that an access after free is detected, too. Not thread-safe: Memory locks.
#pragma once

#include <cstdint>
#include <map>

namespace warpbook::gpu::vm {

class Heap {
 public:
  enum class Block : std::uint8_t { none, live, freed };
  struct Piece {
    std::uint64_t low = 0, bytes = 0;
    Block state = Block::none;
    std::uint64_t number = 0;                   // counts the pieces that were given out, from 1
    std::uint32_t line = 0, released_line = 0;  // source lines of its malloc and its free; 0: not known
  };

  Heap(std::uint64_t low, std::uint64_t bytes) : low_(low), high_(low + bytes), fresh_(low) {}

  [[nodiscard]] bool covers(std::uint64_t address) const { return address >= low_ && address < high_; }
  [[nodiscard]] std::uint64_t allocate(std::uint64_t bytes, std::uint32_t line = 0);
  /// Frees the live piece that begins at `address`, and changes nothing where there is none. Returns what was there.
  Block release(std::uint64_t address, std::uint32_t line = 0);
  /// The piece that holds `address`; state none: between pieces.
  [[nodiscard]] Piece find(std::uint64_t address) const;
  /// The piece that holds `address`, or the one nearest to it; state none: there is no piece at all.
  [[nodiscard]] Piece nearest(std::uint64_t address) const;

  [[nodiscard]] std::uint64_t given() const { return given_; }  // Piece::number of the last one

 private:
  [[nodiscard]] std::uint64_t reuse(std::uint64_t span);

  std::uint64_t low_, high_, fresh_, given_ = 0;
  std::map<std::uint64_t, Piece> pieces_;  // by low; addresses in no piece are unused, or a gap
};

}  // namespace warpbook::gpu::vm
