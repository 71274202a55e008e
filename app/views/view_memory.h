// What the session keeps for views, as plain values: no ImGui and no OpenGL.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpbook::app {

/// What the mouse points at in a view: a thread with its numbers, which the editor shows as chips, or a line of the kernel, which
/// the editor marks.
struct Hover {
  std::uint32_t block = 0, thread = 0, block_size = 0;
  struct Chip {
    std::string after;  // the chip stands on the first kernel line that contains this text
    std::string text;   // "17 × 128 + 42 = 2218"
  };
  std::vector<Chip> chips;
  std::uint32_t line = 0;  // of the kernel, from 1; 0: none
};

/// What the learner has zoomed, scrolled, picked and typed in a view. Each view of a lesson has one, kept from frame to frame.
struct ViewMemory {
  double from = 0, to = 1;  // the part of the horizontal axis that is visible
  float scroll = 0;         // of the rows, screen pixels
  std::optional<std::size_t> chosen;
  std::vector<std::uint64_t> picked;  // in the order in which they were picked
  std::string words;                  // typed into the view's field
  bool all = false;                   // all rows are shown, not only the first ones
  bool wheel = false;                 // the wheel is the view's: the mouse has moved while over it
};

/// A picture that an author put on a page.
struct PageImage {
  std::uint32_t width = 0, height = 0;
  std::vector<std::byte> rgba;
};

}  // namespace warpbook::app
