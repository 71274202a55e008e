#include "app/views/ordering_layout.h"

#include <algorithm>
#include <cmath>

namespace warpbook::app {

using lessons::Ordering;

OrderingPlace arrange_ordering(const Ordering& ordering, const OrderingRoom& room) {
  OrderingPlace place;
  const auto columns = static_cast<float>(std::max<std::size_t>(ordering.columns.size(), 1));
  const auto rows = static_cast<float>(ordering.events.size());
  const float wide = std::floor((room.width - (columns - 1) * room.between) / columns);
  const float pitch = room.row + room.gap;
  for (std::size_t c = 0; c < ordering.columns.size(); ++c) {
    const float x = room.x0 + static_cast<float>(c) * (wide + room.between);
    place.columns.push_back({x, room.y0, x + wide, room.y0 + std::max(rows * pitch - room.gap, 0.0F)});
  }
  for (std::size_t i = 0; i < ordering.events.size(); ++i) {
    const Box& column = place.columns[ordering.events[i].column];
    const float y = room.y0 + static_cast<float>(i) * pitch;
    place.events.push_back({column.x0, y, column.x1, y + room.row});
  }
  for (const Ordering::Arrow& arrow : ordering.arrows) {
    const Box &from = place.events[arrow.from], &to = place.events[arrow.to];
    if (ordering.events[arrow.from].column == ordering.events[arrow.to].column) {
      const float x = std::floor(from.x0 + std::min(room.row, from.width() / 2));
      const bool down = from.y0 < to.y0;
      place.arrows.push_back({x, down ? from.y1 : from.y0, x, down ? to.y0 : to.y1});
      continue;
    }
    const bool right = from.x0 < to.x0;
    place.arrows.push_back({right ? from.x1 : from.x0, (from.y0 + from.y1) / 2, right ? to.x0 : to.x1, (to.y0 + to.y1) / 2});
  }
  return place;
}

std::vector<std::string_view> wrapped(std::string_view words, float width, const std::function<float(std::string_view)>& measure) {
  std::vector<std::string_view> lines;
  while (!words.empty()) {
    std::size_t end = std::min(words.find(' '), words.size());
    while (end < words.size()) {
      const std::size_t next = std::min(words.find(' ', end + 1), words.size());
      if (measure(words.substr(0, next)) > width) break;
      end = next;
    }
    lines.push_back(words.substr(0, end));
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return lines;
}

}  // namespace warpbook::app
