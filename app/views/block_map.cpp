// Block map: which thread wrote which cell of an array, an image or a volume. A cell has its block's colour, warps are outlined, a
// volume's slices stand side by side. What nobody wrote, and what several threads wrote, is marked.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include "app/views/parts.h"
#include "app/views/pixel_texture.h"
#include "app/views/views.h"
#include "gpu/message.h"

namespace warpbook::app {
namespace {

using lessons::BlockMap;

PixelTexture cells_picture;

constexpr std::uint32_t row_of_an_array = 100;  // cells: an array is shown in rows
constexpr float least_outlined_css = 5;         // cells, where lines between them leave room for colour

/// How the cells lie on the screen: one slice beside the other, in as many rows of slices as are needed.
struct Arrangement {
  std::uint32_t columns = 1, rows = 1, slices = 1;  // cells of a slice; slices
  std::uint32_t across = 1;                         // slices side by side
  float pitch = 1, gap = 0;                         // screen pixels: a cell, between slices
  [[nodiscard]] std::uint32_t down() const { return (slices + across - 1) / across; }
  [[nodiscard]] ImVec2 slice_at(std::uint32_t slice) const {
    return {static_cast<float>(slice % across) * (static_cast<float>(columns) * pitch + gap),
            static_cast<float>(slice / across) * (static_cast<float>(rows) * pitch + gap)};
  }
  [[nodiscard]] float height() const { return static_cast<float>(down()) * (static_cast<float>(rows) * pitch + gap) - gap; }
};

Arrangement arrange(const BlockMap& map, float width, float tallest) {
  Arrangement best;
  const bool flat = map.height == 1 && map.depth == 1;
  const auto cells = static_cast<std::uint32_t>(map.writer.size());
  best.columns = flat ? std::min(cells, row_of_an_array) : map.width;
  best.rows = flat ? (cells + best.columns - 1) / best.columns : map.height;
  best.slices = map.depth;
  best.gap = map.depth > 1 ? px(28) : 0;
  best.pitch = 0;
  for (std::uint32_t across = 1; across <= best.slices; ++across) {  // the arrangement with the largest cells
    const std::uint32_t down = (best.slices + across - 1) / across;
    const float in_width = (width - static_cast<float>(across - 1) * best.gap) / static_cast<float>(across * best.columns);
    const float in_height = (tallest - static_cast<float>(down - 1) * best.gap) / static_cast<float>(down * best.rows);
    const float pitch = std::min({in_width, in_height, px(14)});
    if (pitch > best.pitch) best.pitch = pitch, best.across = across;
  }
  if (best.pitch >= 1) best.pitch = std::floor(best.pitch);
  return best;
}

std::uint32_t threads_of(const BlockMap& map) { return static_cast<std::uint32_t>(std::max<std::uint64_t>(map.block.count(), 1)); }

ImU32 colour_of(const BlockMap& map, std::size_t cell) {
  const std::int32_t writer = map.writer[cell];
  if (writer < 0) return with_alpha(theme().verdict.bad, 0.35f);
  if (cell < map.writes.size() && map.writes[cell] > 1) return theme().verdict.bad;
  const std::uint32_t block = static_cast<std::uint32_t>(writer) / threads_of(map);
  const std::uint32_t x = block % map.grid.x, y = block / map.grid.x % map.grid.y, z = block / map.grid.x / map.grid.y;
  const float part = map.grid.count() > 1 ? static_cast<float>(block) / static_cast<float>(map.grid.count() - 1) : 0;
  return sample((x + y + z) % 2 == 0 ? theme().ramp.blocks_even : theme().ramp.blocks_odd, part);  // neighbours differ
}

/// The warp of the whole grid that wrote a cell; −1: nobody.
std::int64_t warp_of(const BlockMap& map, std::size_t cell) {
  const std::int32_t writer = map.writer[cell];
  if (writer < 0) return -1;
  const std::uint32_t threads = threads_of(map), block = static_cast<std::uint32_t>(writer) / threads;
  return std::int64_t{block} * 32 + static_cast<std::uint32_t>(writer) % threads / 32;
}

/// Lines between cells of different warps, where there is room for lines.
void outline_warps(const Sheet& sheet, const BlockMap& map, const Arrangement& all, std::uint32_t slice, ImVec2 at) {
  if (all.pitch < px(least_outlined_css)) return;
  const ImU32 line = theme().background.page;
  const auto warp = [&](std::uint32_t column, std::uint32_t row) -> std::int64_t {
    const std::size_t cell = (std::size_t{slice} * all.rows + row) * all.columns + column;
    return cell < map.writer.size() ? warp_of(map, cell) : -2;
  };
  for (std::uint32_t row = 0; row < all.rows; ++row) {
    for (std::uint32_t column = 0; column < all.columns; ++column) {
      const float x = at.x + static_cast<float>(column) * all.pitch, y = at.y + static_cast<float>(row) * all.pitch;
      const std::int64_t here = warp(column, row);
      if (column + 1 < all.columns && warp(column + 1, row) != here)
        sheet.draw->AddRectFilled({x + all.pitch - px(1), y}, {x + all.pitch, y + all.pitch}, line);
      if (row + 1 < all.rows && warp(column, row + 1) != here)
        sheet.draw->AddRectFilled({x, y + all.pitch - px(1)}, {x + all.pitch, y + all.pitch}, line);
    }
  }
}

/// A thread's numbers in three dimensions.
struct Numbers {
  std::array<std::uint32_t, 3> block{}, thread{}, index{};
};
Numbers numbers_of(const BlockMap& map, std::uint32_t writer) {
  const std::uint32_t threads = threads_of(map), block = writer / threads, thread = writer % threads;
  Numbers numbers;
  numbers.block = {block % map.grid.x, block / map.grid.x % map.grid.y, block / map.grid.x / map.grid.y};
  numbers.thread = {thread % map.block.x, thread / map.block.x % map.block.y, thread / map.block.x / map.block.y};
  const std::array<std::uint32_t, 3> size{map.block.x, map.block.y, map.block.z};
  for (std::size_t d = 0; d < 3; ++d) numbers.index[d] = numbers.block[d] * size[d] + numbers.thread[d];
  return numbers;
}

std::string place_text(const BlockMap& map, std::size_t cell) {
  const std::size_t x = cell % map.width, y = cell / map.width % map.height, z = cell / map.width / map.height;
  if (map.depth > 1) return say("Cell x = {x}, y = {y}, z = {z}", "x"_a = x, "y"_a = y, "z"_a = z);
  if (map.height > 1) return say("Cell x = {x}, y = {y}", "x"_a = x, "y"_a = y);
  return say("Cell {x}", "x"_a = x);
}

void card_of(const Sheet& sheet, const BlockMap& map, std::size_t cell, const Box& item, ViewState& state) {
  const std::string title = place_text(map, cell);
  if (map.writer[cell] < 0) {
    fact_card(sheet, item, {}, title, say("no thread wrote it"),
              std::array{Fact{fmt::format("out[{}]", cell), "−1", theme().verdict.bad}});
    return;
  }
  const auto writer = static_cast<std::uint32_t>(map.writer[cell]);
  const Numbers numbers = numbers_of(map, writer);
  const std::uint32_t thread = writer % threads_of(map);
  const std::array<std::uint32_t, 3> size{map.block.x, map.block.y, map.block.z};
  const std::array<const char*, 3> axes{"x", "y", "z"};
  std::vector<Fact> facts{
      {std::string(say("block")), fmt::format("({}, {}, {})", numbers.block[0], numbers.block[1], numbers.block[2])},
      {std::string(say("thread")), fmt::format("({}, {}, {})", numbers.thread[0], numbers.thread[1], numbers.thread[2])},
  };
  for (std::size_t d = 0; d < 3; ++d) {
    facts.push_back({fmt::format("blockIdx.{0} × blockDim.{0} + threadIdx.{0}", axes[d]),
                     fmt::format("{} × {} + {} = {}", numbers.block[d], size[d], numbers.thread[d], numbers.index[d])});
  }
  if (cell < map.writes.size() && map.writes[cell] > 1)
    facts.push_back({say("threads that wrote it"), fmt::format("{}", map.writes[cell]), theme().verdict.bad});
  fact_card(sheet, item, {}, title, say("warp {warp}, its thread {thread}", "warp"_a = thread / 32, "thread"_a = thread % 32),
            facts);

  Hover hover{.block = writer / threads_of(map), .thread = thread, .block_size = threads_of(map), .chips = {}};
  for (std::size_t d = 0; d < 3; ++d) {
    hover.chips.push_back({fmt::format("threadIdx.{};", axes[d]),
                           fmt::format("{} × {} + {} = {}", numbers.block[d], size[d], numbers.thread[d], numbers.index[d])});
  }
  hover.chips.push_back({"out[cell] =", fmt::format("out[{}] = {}", cell, writer)});
  state.hover = std::move(hover);
}

bool any_missing(const BlockMap& map) { return std::find(map.writer.begin(), map.writer.end(), -1) != map.writer.end(); }
bool any_twice(const BlockMap& map) {
  return std::any_of(map.writes.begin(), map.writes.end(), [](std::uint16_t n) { return n > 1; });
}

std::string title_of(const BlockMap& map) {
  if (any_twice(map)) return say("Some cells were written by more than one thread");
  if (any_missing(map)) return say("Some cells have no thread");
  return say("Every cell has a thread");
}

/// Of what is there to be seen.
std::vector<Swatch> legend_of(const BlockMap& map, const Arrangement& all) {
  std::vector<Swatch> legend;
  if (all.pitch >= px(least_outlined_css)) legend.push_back({Swatch::Shape::outline, theme().text.third, say("a warp")});
  if (any_missing(map)) legend.push_back({Swatch::Shape::solid, with_alpha(theme().verdict.bad, 0.35f), say("no thread")});
  if (any_twice(map)) legend.push_back({Swatch::Shape::solid, theme().verdict.bad, say("more than one thread")});
  return legend;
}

}  // namespace

void draw_block_map(const BlockMap& map, float width, ViewState& state) {
  const Sheet sheet = begin_view(width);
  const float tallest = std::max(px(300) - state.shorter, px(120));
  const Arrangement all = arrange(map, sheet.width, tallest);
  float y = title_row(sheet, title_of(map),
                      map.depth > 1 ? say("a picture is a slice of z, a colour is a block") : say("a colour is a block"));
  if (const std::vector<Swatch> legend = legend_of(map, all); !legend.empty()) {
    y += legend_rows(sheet, sheet.at.y + y, legend);
  }
  const ImVec2 top{sheet.at.x, snap(sheet.at.y + y + (map.depth > 1 ? px(20) : 0))};
  const std::size_t a_slice = std::size_t{all.columns} * all.rows;
  // One texture for all slices, one below the other.
  const auto look = static_cast<std::uint32_t>(theme().background.page);
  static std::shared_ptr<const std::vector<std::int32_t>> owner;
  if (owner == nullptr || *owner != map.writer) owner = std::make_shared<const std::vector<std::int32_t>>(map.writer);
  const bool there = cells_picture.show(owner, look, all.columns, all.rows * all.slices, [&](std::vector<ImU32>& pixels) {
    for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = i < map.writer.size() ? colour_of(map, i) : theme().background.page;
  });
  for (std::uint32_t slice = 0; slice < all.slices; ++slice) {
    const ImVec2 offset = all.slice_at(slice);
    const ImVec2 at{snap(top.x + offset.x), snap(top.y + offset.y)};
    const ImVec2 end{at.x + static_cast<float>(all.columns) * all.pitch, at.y + static_cast<float>(all.rows) * all.pitch};
    const float from = static_cast<float>(slice) / static_cast<float>(all.slices),
                to = static_cast<float>(slice + 1) / static_cast<float>(all.slices);
    if (there) sheet.draw->AddImage(cells_picture.id(), at, end, {0, from}, {1, to});
    if (all.slices > 1) text(sheet.draw, Face::caption, {at.x, at.y - px(20)}, theme().text.third, fmt::format("z = {}", slice));
    outline_warps(sheet, map, all, slice, at);
    const Box box{at.x, at.y, end.x, end.y};
    if (!mouse_over(box)) continue;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const auto column = std::min(static_cast<std::uint32_t>(std::max((mouse.x - at.x) / all.pitch, 0.0f)), all.columns - 1);
    const auto row = std::min(static_cast<std::uint32_t>(std::max((mouse.y - at.y) / all.pitch, 0.0f)), all.rows - 1);
    const std::size_t cell = a_slice * slice + std::size_t{row} * all.columns + column;
    if (cell >= map.writer.size()) continue;
    const float x0 = at.x + static_cast<float>(column) * all.pitch, y0 = at.y + static_cast<float>(row) * all.pitch;
    const Box item{x0, y0, x0 + std::max(all.pitch, px(2)), y0 + std::max(all.pitch, px(2))};
    ring(sheet.draw, item, theme().text.first);
    card_of(sheet, map, cell, item, state);
  }
  end_view(sheet, top.y - sheet.at.y + all.height(), state.stale);
}

void release_block_pictures() { cells_picture.release(); }

}  // namespace warpbook::app
