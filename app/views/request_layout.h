// RequestLayout: what one request of a warp touches, as the memory map draws it. Pure: no ImGui, no colours.
//
//     const GlobalTouch t = touch_of(record, 4, 8);    // at most 8 lines of 128 bytes
//     say("{} sectors, {} of {} bytes asked for", t.sectors, t.asked_bytes, t.sectors * 32);
//     const BankTouch b = banks_of(record);
//     say("{}-way conflict", b.passes);
//
// Global memory moves in sectors of 32 bytes, four to a line of 128. Shared memory has 32 banks of 4-byte words; lanes that want
// the same word share it (CUDA C++ Programming Guide, "Shared Memory" of compute capability 5.x and later).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/report.h"

namespace warpbook::app {

struct TouchedLine {
  std::int64_t first = 0;            // its first element
  std::vector<std::uint32_t> lanes;  // an element each: the lanes that want it, a bit a lane
  std::uint32_t sectors = 0;         // that move, a bit each
};
struct GlobalTouch {
  std::vector<TouchedLine> lines;  // by address, as many as were asked for
  std::size_t lines_left_out = 0;
  std::uint32_t sectors = 0, asked_bytes = 0;  // bytes: each once, however many lanes want it
};
[[nodiscard]] GlobalTouch touch_of(const gpu::AccessRecord& record, std::uint32_t element_bytes, std::size_t most_lines);

struct BankTouch {
  struct Word {
    std::int64_t word = 0;
    std::uint32_t lanes = 0;  // a bit a lane
  };
  std::array<std::vector<Word>, 32> banks;  // by word
  std::uint32_t passes = 0;                 // of the busiest bank; an atomic's lanes on one word go one after another
  std::uint32_t busiest = 0;                // that bank
};
[[nodiscard]] BankTouch banks_of(const gpu::AccessRecord& record);

/// Lines of 128 bytes that a request touches: in shared memory, rows of one word a bank.
[[nodiscard]] std::size_t rows_of(const gpu::AccessRecord& record, std::uint32_t element_bytes);

/// Whoever touched an element, in the requests' order.
struct ElementVisit {
  std::size_t request = 0;
  std::uint32_t lane = 0;
};
[[nodiscard]] std::vector<ElementVisit> visits_of(std::span<const gpu::AccessRecord> requests, std::uint32_t buffer,
                                                  std::int64_t element, std::uint32_t element_bytes);

}  // namespace warpbook::app
