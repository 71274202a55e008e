// Layout: where things stand in the views, as pure functions. No ImGui, no colours: the tests call these without a window.
//
//     const ThreadGrid grid = arrange_threads({.threads = 128, .blocks = 31, .elements = 4096, .width = 664, .scale = 1});
//     const Box cell = grid.cell(17, 42);              // relative to the grid's top left
//     if (auto hit = grid.hit(x, y)) say(hit->block, hit->cell);
//
// Lengths are screen pixels (CSS pixels × scale); y grows downwards.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lessons/figures.h"

namespace warpbook::app {

struct Box {
  float x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  [[nodiscard]] float width() const { return x1 - x0; }
  [[nodiscard]] float height() const { return y1 - y0; }
  [[nodiscard]] bool contains(float x, float y) const { return x >= x0 && x < x1 && y >= y0 && y < y1; }
};
[[nodiscard]] bool overlap(const Box& a, const Box& b);
[[nodiscard]] float overlap_area(const Box& a, const Box& b);

/// Where a hover card of `width` × `height` stands: near `item`, inside `bounds`, never over `item`, and over nothing in `avoid`
/// as long as there is such a place (above, below, right, left, then the corners of `bounds`); else where it hides least.
[[nodiscard]] Box place_card(float width, float height, const Box& item, std::span<const Box> avoid, const Box& bounds, float gap);

// ---- axes ----

/// Round values (1, 2 or 5 times a power of ten) in [low, high], `at_most` of them and at least one where low ≤ high.
[[nodiscard]] std::vector<double> axis_ticks(double low, double high, int at_most);

// ---- thread map ----

struct ThreadGrid {
  enum class Unit { thread, warp, block };  // what one cell is
  Unit unit = Unit::thread;
  std::uint32_t threads = 1;  // a block
  std::uint32_t places = 1;   // blocks that have a place: launched, or needed to cover the array
  std::uint32_t cells = 1;    // a block
  std::uint32_t blocks_a_line = 1, lines_a_block = 1;
  std::uint32_t cells_a_line = 1;  // of one block
  std::uint32_t lines = 1;
  float pitch = 1, line = 1;          // from one cell to the next, from one line to the next
  float warp_gap = 0, block_gap = 0;  // between the warps of a line, between the blocks of a line
  float gap = 0;                      // inside a pitch, right of and below a cell

  [[nodiscard]] float width() const;
  [[nodiscard]] float height() const { return static_cast<float>(lines) * line; }
  [[nodiscard]] std::uint32_t line_of(std::uint32_t block, std::uint32_t cell) const {
    return block / blocks_a_line * lines_a_block + cell / cells_a_line;
  }
  [[nodiscard]] Box cell(std::uint32_t block, std::uint32_t cell) const;
  [[nodiscard]] float block_x(std::uint32_t block) const;  // left edge of the block's column
  /// Cells of a line between two gaps: a warp's threads, or a block's cells.
  [[nodiscard]] std::uint32_t group() const;
  struct Hit {
    std::uint32_t block = 0, cell = 0;
  };
  [[nodiscard]] std::optional<Hit> hit(float x, float y) const;
};

struct ThreadGridRequest {
  std::uint32_t threads = 1, blocks = 1, elements = 0;
  float width = 664;        // to fill
  float scale = 1;          // screen pixels a CSS pixel
  float tallest_css = 300;  // the grid stays below
};
/// A row a block and a cell a thread where that can be seen; else long blocks on several lines, several short blocks on a line,
/// or a cell a warp. What a reader loses with each is weighed in the .cpp.
[[nodiscard]] ThreadGrid arrange_threads(const ThreadGridRequest& request);

/// Indices that form one run print as a run: "element 7", "elements 3968 to 4095"; scattered ones as "12 elements".
struct IndexRun {
  std::uint64_t count = 0;
  std::int64_t first = 0, last = 0;
  void add(std::int64_t index);  // each index once
  [[nodiscard]] bool one_run() const { return count > 0 && last - first + 1 == static_cast<std::int64_t>(count); }
  [[nodiscard]] std::string blocks() const;  // "block 7", "blocks 3 to 5", "12 blocks"
  [[nodiscard]] std::string elements() const;
};

// ---- interleaving ----

/// A warp as the learner's hand picks it, whatever its row.
[[nodiscard]] std::uint64_t warp_key(const lessons::Interleaving::Row& row);
/// The lanes that matter, in the rows' order: always the one whose store is the final value, then those that were picked (the
/// latest ones, where they are too many), then the first ones.
[[nodiscard]] std::vector<std::size_t> choose_lanes(std::span<const lessons::Interleaving::Row> rows, std::size_t at_most,
                                                    std::span<const std::uint64_t> picked = {});

// ---- trials ----

/// Bars too close to tell apart on the axis, drawn as one.
struct TrialCluster {
  std::int64_t low = 0, high = 0;
  std::uint32_t count = 0;
  float x = 0;  // middle
};
struct TrialAxis {
  double low = 1, high = 2;  // values at the ends
  float x0 = 0, x1 = 1;
  [[nodiscard]] float x(double value) const;  // log₂, with 0 half a unit left of 1
};
[[nodiscard]] std::vector<TrialCluster> cluster_trials(std::span<const lessons::Trials::Bar> bars, const TrialAxis& axis,
                                                       float apart);

// ---- bins ----

/// Columns that the bin chart and the lanes below it share.
struct BinColumns {
  std::uint32_t bins = 1;
  std::uint32_t group = 1;  // neighbouring bins drawn as one column, a power of two
  std::uint32_t columns = 1;
  float x0 = 0, x1 = 1;                                  // from the view's left edge
  bool labelled = true;                                  // wide enough for a number in each column
  [[nodiscard]] float edge(std::uint32_t column) const;  // left edge of a column; edge(columns) is the right end
};
[[nodiscard]] BinColumns arrange_bins(std::uint32_t bins, float width, float scale);

// ---- field ----

/// Averages a `side`² field down to `out_side`² pixels, each cell weighted by the area it has in the pixel. out_side ≤ side.
void average_down(const float* cells, std::uint32_t side, float* out, std::uint32_t out_side);

/// The cells a lens shows: `tiles`² whole tiles of `tile`² cells around a point (0 … 1), each cell `cell_px` screen pixels.
struct LensRegion {
  std::uint32_t x = 0, y = 0, cells = 0, tiles = 0;
  float cell_px = 1;
};
[[nodiscard]] LensRegion place_lens(std::uint32_t side, std::uint32_t tile, double x, double y, float size);

}  // namespace warpbook::app
