#include "app/views/timeline_layout.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace warpbook::app {

using gpu::Timeline;
using gpu::WarpLane;
using gpu::WarpState;

LaneRows pack_lanes(const Timeline& timeline, const LaneSpacing& spacing) {
  LaneRows packed;
  packed.pitch = spacing.pitch;
  std::vector<LaneRow>& rows = packed.rows;
  std::vector<std::uint64_t> free_from;  // a row of the present scheduler each
  std::size_t first = 0;                 // its first row
  for (std::size_t i = 0; i < timeline.lanes.size(); ++i) {
    const WarpLane& lane = timeline.lanes[i];
    if (lane.spans.empty()) continue;
    if (rows.size() == first || rows.back().sm != lane.sm || rows.back().scheduler != lane.scheduler) {
      first = rows.size();
      free_from.clear();
    }
    const auto row =
        std::find_if(free_from.begin(), free_from.end(), [&](std::uint64_t cycle) { return cycle <= lane.spans.front().begin; });
    const auto index = first + static_cast<std::size_t>(row - free_from.begin());
    if (row == free_from.end()) {
      rows.push_back({.sm = lane.sm, .scheduler = lane.scheduler});
      free_from.push_back(lane.spans.back().end);
    } else {
      *row = lane.spans.back().end;
    }
    rows[index].lanes.push_back(static_cast<std::uint32_t>(i));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i > 0 && rows[i].sm != rows[i - 1].sm)
      packed.height += spacing.sm_gap;
    else if (i > 0 && rows[i].scheduler != rows[i - 1].scheduler)
      packed.height += spacing.scheduler_gap;
    rows[i].y = packed.height;
    packed.height += spacing.pitch;
  }
  return packed;
}

std::optional<std::size_t> LaneRows::hit(float y) const {
  const auto after = std::upper_bound(rows.begin(), rows.end(), y, [](float at, const LaneRow& row) { return at < row.y; });
  if (after == rows.begin() || y >= (after - 1)->y + pitch) return std::nullopt;
  return static_cast<std::size_t>(after - 1 - rows.begin());
}

LaneCount count_of(const LaneRows& rows) {
  LaneCount count{.rows = rows.rows.size()};
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    const bool new_sm = i == 0 || rows.rows[i].sm != rows.rows[i - 1].sm;
    count.sms += new_sm;
    count.schedulers += new_sm || rows.rows[i].scheduler != rows.rows[i - 1].scheduler;
  }
  return count;
}

std::vector<LanePiece> pieces_of(const WarpLane& lane, const CycleWindow& window, std::uint32_t columns) {
  std::vector<LanePiece> pieces;
  if (columns == 0 || !(window.to > window.from) || lane.spans.empty()) return pieces;
  const double a_column = window.cycles() / static_cast<double>(columns);  // cycles
  std::array<double, gpu::warp_states> cycles{};                           // of the column that is being filled
  std::uint32_t filling = 0;
  bool anything = false;
  const auto put = [&](std::uint32_t begin, std::uint32_t end, WarpState state, float issued) {
    if (!pieces.empty() && pieces.back().end == begin && pieces.back().state == state && pieces.back().issued == issued)
      pieces.back().end = end;
    else
      pieces.push_back({begin, end, state, issued});
  };
  const auto finish = [&] {
    if (!anything) return;
    double all = 0, longest = 0;
    auto state = WarpState::issued;
    for (std::size_t s = 0; s < gpu::warp_states; ++s) {
      all += cycles[s];
      if (s == static_cast<std::size_t>(WarpState::issued) || cycles[s] <= longest) continue;
      longest = cycles[s];
      state = static_cast<WarpState>(s);
    }
    const double share = all > 0 ? cycles[static_cast<std::size_t>(WarpState::issued)] / all : 0;
    put(filling, filling + 1, state, static_cast<float>(std::ceil(share * 8) / 8));
    cycles = {};
    anything = false;
  };
  auto span = std::partition_point(lane.spans.begin(), lane.spans.end(),
                                   [&](const WarpLane::Span& s) { return static_cast<double>(s.end) <= window.from; });
  for (; span != lane.spans.end() && static_cast<double>(span->begin) < window.to; ++span) {
    const double begin = std::max((static_cast<double>(span->begin) - window.from) / a_column, 0.0);
    const double end = std::min((static_cast<double>(span->end) - window.from) / a_column, static_cast<double>(columns));
    if (end <= begin) continue;
    auto column = std::min(static_cast<std::uint32_t>(begin), columns - 1);
    for (double at = begin; at < end;) {
      if (column != filling) {
        finish();
        filling = column;
      }
      // Whole columns of one state go at once; what shares a column with others is added up.
      const auto last = std::min(static_cast<std::uint32_t>(end), columns);
      if (at <= column && last > column && !anything) {
        put(column, last, span->state, span->state == WarpState::issued ? 1.0f : 0.0f);
        at = last;
        column = filling = last;
        continue;
      }
      const double until = std::min(end, static_cast<double>(column) + 1);
      cycles[static_cast<std::size_t>(span->state)] += until - at;
      anything = true;
      at = until;
      if (at >= static_cast<double>(column) + 1) ++column;
    }
  }
  finish();
  return pieces;
}

std::vector<float> issued_shares(const Timeline& timeline, std::uint16_t sm, std::uint16_t scheduler, const CycleWindow& window,
                                 std::uint32_t columns) {
  std::vector<float> shares(columns, 0);
  if (columns == 0 || window.cycles() <= 0) return shares;
  const double each = window.cycles() / static_cast<double>(columns);  // cycles of a pixel
  for (const WarpLane& lane : timeline.lanes) {
    if (lane.sm != sm || lane.scheduler != scheduler) continue;
    for (const WarpLane::Span& span : lane.spans) {
      if (span.state != WarpState::issued) continue;
      const double begin = std::max((static_cast<double>(span.begin) - window.from) / each, 0.0);
      const double end = std::min((static_cast<double>(span.end) - window.from) / each, static_cast<double>(columns));
      for (double at = begin; at < end;) {
        const auto column = static_cast<std::size_t>(at);
        const double next = std::min(end, static_cast<double>(column) + 1);
        shares[column] += static_cast<float>(next - at);
        at = next;
      }
    }
  }
  for (float& share : shares) share = std::min(share, 1.0f);  // some schedulers issue two instructions in a cycle
  return shares;
}

const WarpLane::Span* span_at(const WarpLane& lane, double cycle) {
  const auto span = std::partition_point(lane.spans.begin(), lane.spans.end(),
                                         [&](const WarpLane::Span& s) { return static_cast<double>(s.end) <= cycle; });
  return span != lane.spans.end() && static_cast<double>(span->begin) <= cycle ? &*span : nullptr;
}

const WarpLane* lane_at(const Timeline& timeline, const LaneRow& row, double cycle) {
  for (const std::uint32_t lane : row.lanes) {
    if (span_at(timeline.lanes[lane], cycle) != nullptr) return &timeline.lanes[lane];
  }
  return nullptr;
}

AxisPart zoom(const AxisPart& part, double at, double factor, double least) {
  const double width = part.to - part.from;
  const double wanted = std::clamp(width * factor, std::min(least, 1.0), 1.0);
  const double from = std::clamp(part.from + at * (width - wanted), 0.0, 1.0 - wanted);
  return {from, from + wanted};
}

AxisPart pan(const AxisPart& part, double by) {
  const double width = part.to - part.from;
  const double from = std::clamp(part.from + by * width, 0.0, std::max(1.0 - width, 0.0));
  return {from, from + width};
}

}  // namespace warpbook::app
