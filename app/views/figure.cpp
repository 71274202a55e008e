// Any figure, the empty state, and the end of the views' OpenGL objects.
#include <type_traits>
#include <variant>

#include "app/views/parts.h"
#include "app/views/views.h"

namespace warpbook::app {

void release_field_textures();  // field.cpp
void release_array_pictures();  // arrays.cpp
void release_block_pictures();  // block_map.cpp
void release_page_images();     // page_image.cpp

void draw_figure(const lessons::Figure& figure, float width, ViewState& state) {
  std::visit(
      [&](const auto& value) {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, lessons::ThreadMap>) draw_thread_map(value, width, state);
        if constexpr (std::is_same_v<T, lessons::BlockMap>) draw_block_map(value, width, state);
        if constexpr (std::is_same_v<T, lessons::HostTimeline>) draw_host_timeline(value, width, state);
        if constexpr (std::is_same_v<T, lessons::Trials>) draw_trials(value, width, px(trials_height_css), state);
        if constexpr (std::is_same_v<T, lessons::Interleaving>) draw_interleaving(value, width, state);
        if constexpr (std::is_same_v<T, lessons::BinChart>) draw_bin_chart(value, width, state);
        if constexpr (std::is_same_v<T, lessons::BinLanes>) draw_bin_lanes(value, width, state);
        if constexpr (std::is_same_v<T, lessons::Field>) draw_field(value, width, state);
        if constexpr (std::is_same_v<T, lessons::Ladder>) draw_ladder(value, width, state);
        if constexpr (std::is_same_v<T, lessons::TreeLevels>) draw_tree_levels(value, width, state);
        if constexpr (std::is_same_v<T, lessons::SmTimeline>) draw_sm_timeline(value, width, state);
        if constexpr (std::is_same_v<T, lessons::OccupancyCurves>) draw_occupancy(value, width, state);
        if constexpr (std::is_same_v<T, lessons::LaunchSweep>) draw_launch_sweep(value, width, state);
        if constexpr (std::is_same_v<T, lessons::MemoryMap>) draw_memory_map(value, width, state);
        if constexpr (std::is_same_v<T, lessons::Arrays>) draw_arrays(value, width, state);
        if constexpr (std::is_same_v<T, lessons::Curves>) draw_curves(value, width, state);
        if constexpr (std::is_same_v<T, lessons::LaneTimeline>) draw_lane_timeline(value, width, state);
        if constexpr (std::is_same_v<T, lessons::LaneSteps>) draw_lane_steps(value, width, state);
        if constexpr (std::is_same_v<T, lessons::BreakEven>) draw_break_even(value, width, state);
        if constexpr (std::is_same_v<T, lessons::Roofline>) draw_roofline(value, width, state);
        if constexpr (std::is_same_v<T, lessons::TileWalk>) draw_tile_walk(value, width, state);
        if constexpr (std::is_same_v<T, lessons::CallTree>) draw_call_tree(value, width, state);
        if constexpr (std::is_same_v<T, lessons::Chip>) draw_chip(value, width, state);
        if constexpr (std::is_same_v<T, lessons::DeviceTable>) draw_device_table(value, width, state);
        if constexpr (std::is_same_v<T, lessons::Ordering>) draw_ordering(value, width, state);
        if constexpr (std::is_same_v<T, lessons::Checks>) draw_checks(value, width, state);
      },
      figure);
}

void draw_empty_view(float width, float height, const char* title, const char* next_step) {
  const Sheet sheet = begin_view(width);
  dashed_box(sheet.draw, sheet.at, ImVec2(sheet.right(), sheet.at.y + height), theme().background.line_strong);
  const float head = line_height(Face::body_strong), body = line_height(Face::label), x = sheet.at.x + px(16),
              room = sheet.width - px(32);
  const float y = sheet.at.y + (height - head - px(2) - body) / 2;
  text_clipped(sheet.draw, Face::body_strong, ImVec2(x, y), room, theme().text.first, title);
  text_clipped(sheet.draw, Face::label, ImVec2(x, y + head + px(2)), room, theme().text.second, next_step);
  end_view(sheet, height, false);
}

void release_view_resources() {
  release_field_textures();
  release_array_pictures();
  release_block_pictures();
  release_page_images();
}

}  // namespace warpbook::app
