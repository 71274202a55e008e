// Views: one function a figure. Each draws at ImGui's cursor, `width` screen pixels wide, with its title, units and legend,
// and leaves the cursor below itself. A view takes plain structs and asks nobody; hover cards are its own.
//
//     draw_figure(figure, width, state);    // std::visit over lessons::Figure
//
// What the mouse is over comes back in `Hover`, so that the editor can show the same thread's numbers as chips.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/views/view_memory.h"
#include "gpu/message.h"
#include "lessons/figures.h"

namespace warpbook::app {

struct Box;  // layout.h

/// What a view may be told and may answer, frame by frame.
struct ViewState {
  std::optional<double> guess;  // marked in charts in the hand's colour
  bool stale = false;           // an older result, dimmed while a new one is made
  std::optional<Hover> hover;   // out
  /// Heat drawn with the mouse on a field: centre and radius in 0 … 1. Empty: the field cannot be drawn on now.
  std::function<void(double x, double y, double radius)> draw_heat;
  /// A live field, from its start; with another value of a control where one is named. Empty: there is nothing to start again.
  struct ControlValue {
    std::string control;
    double value = 0;
  };
  std::function<void(const std::optional<ControlValue>& with)> start_again;
  /// A field for words at a place of the view, with what stands there while it is empty; changes the words as they are typed.
  /// Empty: nothing can be typed here.
  std::function<void(const Box& area, std::string_view placeholder, std::string& words)> field;
  std::string_view source;  // the kernel that ran
  bool printed = false;     // drawn for a file: nothing can be pressed
  float room = 0;           // screen pixels down to the window's edge, of a view that is to be seen as a whole; 0: any height
  float shorter = 0;        // screen pixels to save, where a slide is too low for the view: by those that can be lower
  ViewMemory memory;        // in and out
};

/// What the page must know of a view, also before there is a figure. The table is in figure.cpp.
struct ViewTraits {
  std::string_view name;         // as lessons::view_of says it
  ToSay words, title;            // "thread map" in a sentence, "Thread map" above it
  float empty_height_css = 136;  // of its empty state: about what the figure will need, so that the page does not jump
  bool beside_numbers = false;   // it is drawn beside the result's numbers, not where the page names it
  bool wide = false;             // it needs much room: the rail is folded
};
[[nodiscard]] std::span<const ViewTraits> all_views();
[[nodiscard]] const ViewTraits& view_traits(std::string_view view);

/// Draws any figure with its own function. Trials take their own height.
void draw_figure(const lessons::Figure& figure, float width, ViewState& state);
inline constexpr float trials_height_css = 136;  // of the result's band

void draw_thread_map(const lessons::ThreadMap& map, float width, ViewState& state);
void draw_block_map(const lessons::BlockMap& map, float width, ViewState& state);
void draw_host_timeline(const lessons::HostTimeline& timeline, float width, ViewState& state);
void draw_trials(const lessons::Trials& trials, float width, float height, ViewState& state);  // sits beside the result's numbers
void draw_interleaving(const lessons::Interleaving& interleaving, float width, ViewState& state);
void draw_bin_chart(const lessons::BinChart& chart, float width, ViewState& state);
void draw_bin_lanes(const lessons::BinLanes& lanes, float width, ViewState& state);
void draw_field(const lessons::Field& field, float width, ViewState& state);
void draw_ladder(const lessons::Ladder& ladder, float width, ViewState& state);
void draw_tree_levels(const lessons::TreeLevels& tree, float width, ViewState& state);
void draw_sm_timeline(const lessons::SmTimeline& timeline, float width, ViewState& state);
void draw_occupancy(const lessons::OccupancyCurves& curves, float width, ViewState& state);
void draw_launch_sweep(const lessons::LaunchSweep& sweep, float width, ViewState& state);
void draw_memory_map(const lessons::MemoryMap& map, float width, ViewState& state);
void draw_arrays(const lessons::Arrays& arrays, float width, ViewState& state);
void draw_curves(const lessons::Curves& curves, float width, ViewState& state);
void draw_lane_timeline(const lessons::LaneTimeline& timeline, float width, ViewState& state);
void draw_lane_steps(const lessons::LaneSteps& steps, float width, ViewState& state);
void draw_break_even(const lessons::BreakEven& chart, float width, ViewState& state);
void draw_roofline(const lessons::Roofline& roofline, float width, ViewState& state);
void draw_tile_walk(const lessons::TileWalk& walk, float width, ViewState& state);
void draw_call_tree(const lessons::CallTree& tree, float width, ViewState& state);
void draw_chip(const lessons::Chip& chip, float width, ViewState& state);
void draw_device_table(const lessons::DeviceTable& table, float width, ViewState& state);
void draw_ordering(const lessons::Ordering& ordering, float width, ViewState& state);
void draw_checks(const lessons::Checks& checks, float width, ViewState& state);

/// An author's picture with its caption below. Two of its pixels make one CSS pixel; where the column is narrower, it shrinks.
void draw_page_image(const std::shared_ptr<const PageImage>& image, float width, std::string_view caption);

/// The empty state of a view that has nothing to show yet: its own size, dashed, one sentence with the next step.
void draw_empty_view(float width, float height, std::string_view title, std::string_view next_step);
[[nodiscard]] float empty_view_least_height();  // what its two lines need, screen pixels

/// Frees the views' textures and shaders; call before the OpenGL context goes.
void release_view_resources();

}  // namespace warpbook::app
