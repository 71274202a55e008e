#include "lessons/17_matrix_product/walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lessons/clock_figures.h"

namespace warpbook::lessons::matrices {

namespace {

constexpr std::size_t most_tiles = 2;  // in a row or a column of a product that is drawn

std::size_t tiles_of(std::size_t size) { return (size + side_of_tile - 1) / side_of_tile; }

/// A smaller product with the same behaviour of block 0. Whole tiles are removed, so that incomplete tiles remain. If the kernel
/// confuses the number of blocks with the number of tiles, the smaller product has the same relation of both.
Shape piece_of(const Plan& plan) {
  const Shape& whole = plan.shape;
  const auto shorter = [](std::size_t size, std::size_t most) {
    const std::size_t tiles = tiles_of(size);
    return tiles > most ? size - (tiles - most) * side_of_tile : size;
  };
  const bool by_blocks = plan.version == tiles && !plan.mends.whole;
  const std::size_t blocks = tiles_of(whole.m), in_a_row = tiles_of(whole.k);
  return {.m = shorter(whole.m, by_blocks && blocks < in_a_row ? 1 : most_tiles),
          .k = shorter(whole.k, by_blocks && in_a_row < blocks ? 1 : most_tiles),
          .n = shorter(whole.n, most_tiles)};
}

/// Reads outside are not in the trace, but in the report, where all reads of a line are one finding.
void add_outside(TileWalk::Matrix& matrix, const gpu::LaunchReport& report) {
  const std::size_t inside = matrix.elements.size();
  for (const gpu::Finding& finding : report.findings) {
    if (finding.kind != gpu::FindingKind::memory || finding.buffer != matrix.name || !finding.index) continue;
    const std::int64_t beyond = *finding.index - static_cast<std::int64_t>(inside);
    if (beyond < 0 || beyond >= static_cast<std::int64_t>(matrix.columns)) continue;
    const auto at = static_cast<std::size_t>(*finding.index);
    if (at >= matrix.elements.size()) matrix.elements.resize(at + 1);
    matrix.elements[at].by_all += static_cast<std::uint32_t>(finding.threads);
  }
}

/// One of the matrices of a traced product. `turn_of` and `needed` are called with an element's row and column.
template <class Turn, class Needed>
TileWalk::Matrix walk_of(const Product& product, std::size_t which, const Turn& turn_of, const Needed& needed) {
  const gpu::Buffer& buffer = product.matrices[which];
  TileWalk::Matrix matrix{.name = buffer.array.name,
                          .rows = static_cast<std::uint32_t>(buffer.array.shape[0]),
                          .columns = static_cast<std::uint32_t>(buffer.array.shape[1])};
  for (std::uint32_t row = 0; row < matrix.rows; ++row) {
    for (std::uint32_t column = 0; column < matrix.columns; ++column)
      matrix.elements.push_back({.turn = turn_of(row, column), .needed = needed(row, column)});
  }
  for (const gpu::AccessRecord& record : product.report.trace) {
    if (record.buffer != buffer.id || record.kind != gpu::AccessRecord::Kind::load) continue;
    for (std::size_t lane = 0; lane < record.index.size(); ++lane) {
      const std::int32_t index = record.index[lane];
      if ((record.mask >> lane & 1) == 0 || index < 0 || static_cast<std::size_t>(index) >= matrix.elements.size()) continue;
      TileWalk::Element& element = matrix.elements[static_cast<std::size_t>(index)];
      ++element.by_all;
      element.by_block_0 += record.block == 0 ? 1 : 0;
    }
  }
  add_outside(matrix, product.report);
  return matrix;
}

/// How often block 0 loads the elements that it needs.
struct Loads {
  std::size_t needed = 0, missing = 0;
  std::uint32_t least = 0, most = 0;
};
Loads loads_of(const TileWalk::Matrix& matrix) {
  Loads loads;
  for (const TileWalk::Element& element : matrix.elements) {
    if (!element.needed) continue;
    loads.least = loads.needed == 0 ? element.by_block_0 : std::min(loads.least, element.by_block_0);
    loads.most = std::max(loads.most, element.by_block_0);
    ++loads.needed;
    loads.missing += element.by_block_0 == 0 ? 1 : 0;
  }
  return loads;
}

std::string what_to_see(const TileWalk& walk) {
  const Loads a = loads_of(walk.a), b = loads_of(walk.b);
  if (a.missing + b.missing > 0)
    return fmt::format("block 0 loads {} of the {} elements of A that it needs, and {} of the {} of B", a.needed - a.missing,
                       a.needed, b.needed - b.missing, b.needed);
  const auto outside = [](const TileWalk::Matrix& matrix) {
    return matrix.elements.size() > std::size_t{matrix.rows} * matrix.columns;
  };
  if (outside(walk.a) && outside(walk.b)) return "the kernel reads beyond the end of A and of B";
  if (outside(walk.a) || outside(walk.b)) return fmt::format("the kernel reads beyond the end of {}", outside(walk.a) ? "A" : "B");
  if (walk.block_rows == 0) return "A and B are read row by row, and A · B is never made";
  const std::uint32_t least = std::min(a.least, b.least), most = std::max(a.most, b.most);
  const std::string times = least < most ? fmt::format("{} to {} times", least, most)
                            : most > 1   ? fmt::format("{} times", most)
                                         : "once";
  return "block 0 loads each element that it needs " + times;
}

std::string title_of(const TileWalk& walk, bool smaller) {
  std::string title = what_to_see(walk);
  if (smaller) return "In a smaller product, " + title;
  if (title.front() >= 'a') title.front() = static_cast<char>(title.front() - 'a' + 'A');
  return title;
}

TileWalk tile_walk_of(const Product& product, const Plan& plan) {
  constexpr auto side = static_cast<std::uint32_t>(side_of_tile);
  const bool looped = plan.version != Version::naive && plan.version != Version::sums_first;
  const std::uint32_t turns = looped ? (static_cast<std::uint32_t>(plan.shape.k) + side - 1) / side : 1;
  const std::uint32_t made = plan.version == Version::sums_first    ? 0
                             : plan.version == Version::registers_2 ? 2 * side
                             : plan.version == Version::registers_4 ? 4 * side
                                                                    : side;
  const auto turn = [&](std::uint32_t j) { return looped ? j / side : 0; };
  TileWalk walk{.turns = turns, .block_rows = made, .block_columns = made};
  walk.a = walk_of(
      product, 0, [&](std::uint32_t, std::uint32_t j) { return turn(j); },
      [&](std::uint32_t x, std::uint32_t) { return x < made; });
  walk.b = walk_of(
      product, 1, [&](std::uint32_t j, std::uint32_t) { return turn(j); },
      [&](std::uint32_t, std::uint32_t y) { return y < made; });
  return walk;
}

}  // namespace

Result<std::optional<Traced>> trace(Host& host, const Plan& chosen, Content content) {
  if (!host.device().is_model) return std::optional<Traced>{};
  const Host::Unrecorded unrecorded(host);
  Plan piece = chosen;
  piece.launches = 1;
  piece.shape = piece_of(chosen);
  const bool smaller = piece.shape.m < chosen.shape.m || piece.shape.k < chosen.shape.k || piece.shape.n < chosen.shape.n;
  const Matrices inputs = matrices_for(content, piece.shape);
  auto traced = multiply(host, piece, inputs.a, inputs.b, {.memory = true}, true);
  if (!traced) return failure(traced.error());
  if (!traced->report.ok()) return std::optional<Traced>{};
  const auto of_block_0 = [](const gpu::AccessRecord& record) { return record.block == 0; };
  Traced result{.walk = tile_walk_of(*traced, piece), .requests = memory_map(traced->report, traced->matrices, of_block_0)};
  result.walk.title = title_of(result.walk, smaller);
  return std::optional(std::move(result));
}

}  // namespace warpbook::lessons::matrices
