#include "app/views/lane_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace warpbook::app {

std::vector<StretchRow> stretch_rows(const lessons::LaneTimeline::Warp& warp, const StretchRoom& room) {
  std::vector<StretchRow> rows;
  const double scale = room.height / static_cast<double>(std::max<std::uint64_t>(room.instructions, 1));
  std::uint64_t before = 0;
  for (const auto& stretch : warp.stretches) {
    StretchRow row;
    row.y0 = std::round(static_cast<float>(static_cast<double>(before) * scale));
    before += stretch.instructions;
    row.y1 = std::max(std::round(static_cast<float>(static_cast<double>(before) * scale)), row.y0 + 1);
    rows.push_back(row);
  }
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return warp.stretches[a].instructions > warp.stretches[b].instructions; });
  for (const std::size_t i : order) {
    const float middle = (rows[i].y0 + rows[i].y1) / 2;
    const float top = std::clamp(std::round(middle - room.label / 2), 0.0f, std::max(room.height - room.label, 0.0f));
    const bool free = std::none_of(rows.begin(), rows.end(), [&](const StretchRow& other) {
      return other.label >= 0 && other.label < top + room.label && top < other.label + room.label;
    });
    if (free) rows[i].label = top;
  }
  return rows;
}

std::string lane_words(std::uint32_t mask) {
  if (mask == ~0u) return "all 32";
  if (mask == 0) return "none";
  std::string words;
  int parts = 0;
  for (int lane = 0; lane < 32;) {
    if ((mask >> lane & 1) == 0) {
      ++lane;
      continue;
    }
    const int length = std::countr_one(mask >> lane);
    if (++parts > 4) return words + " …";
    if (!words.empty()) words += ", ";
    words += length == 1 ? fmt::format("{}", lane) : fmt::format("{}–{}", lane, lane + length - 1);
    lane += length;
  }
  return words;
}

}  // namespace warpbook::app
