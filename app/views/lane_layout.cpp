#include "app/views/lane_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "gpu/message.h"

namespace warpbook::app {
namespace {

/// Stretches that follow each other and have the same words beside them.
struct Group {
  std::size_t first = 0, last = 0;
  std::uint64_t instructions = 0;
};

std::vector<Group> groups_of(const lessons::LaneTimeline::Warp& warp) {
  std::vector<Group> groups;
  for (std::size_t i = 0; i < warp.stretches.size(); ++i) {
    const auto& one = warp.stretches[i];
    const auto same = [&](const auto& other) {
      return other.line == one.line && other.first_line == one.first_line && other.last_line == one.last_line;
    };
    if (groups.empty() || !same(warp.stretches[i - 1])) groups.push_back({.first = i});
    groups.back().last = i;
    groups.back().instructions += one.instructions;
  }
  return groups;
}

void label(std::vector<StretchRow>& rows, const lessons::LaneTimeline::Warp& warp, const StretchRoom& room) {
  std::vector<Group> groups = groups_of(warp);
  std::stable_sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) { return a.instructions > b.instructions; });
  for (const Group& group : groups) {
    const float middle = (rows[group.first].y0 + rows[group.last].y1) / 2;
    const float top = std::clamp(std::round(middle - room.label / 2), 0.0f, std::max(room.height - room.label, 0.0f));
    const bool free = std::none_of(rows.begin(), rows.end(), [&](const StretchRow& other) {
      return other.label >= 0 && other.label < top + room.label && top < other.label + room.label;
    });
    if (free) rows[group.first].label = top;
  }
}

}  // namespace

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
  label(rows, warp, room);
  return rows;
}

std::string lane_words(std::uint32_t mask) {
  if (mask == ~0u) return say("all 32");
  if (mask == 0) return say("none");
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
