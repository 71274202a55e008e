// The table of views, the empty state, and the release of the views' OpenGL objects.
#include <algorithm>
#include <array>
#include <tuple>
#include <variant>

#include "app/views/parts.h"
#include "app/views/views.h"
#include "gpu/message.h"

namespace warpbook::app {

void release_field_textures();  // field.cpp
void release_array_pictures();  // arrays.cpp
void release_block_pictures();  // block_map.cpp
void release_page_images();     // page_image.cpp

namespace {

/// A view: what the page must know of it, and the function that draws it.
template <class Figure>
struct View {
  ViewTraits traits;
  void (*draw)(const Figure& figure, float width, ViewState& state);
};

/// A row a figure of lessons::Figure, in its order. A figure without a row does not compile (draw_figure).
constexpr std::tuple view_table{
    View<lessons::ThreadMap>{
        {.name = "thread_map", .words = to_say("thread map"), .title = to_say("Thread map"), .empty_height_css = 340},
        draw_thread_map},
    View<lessons::BlockMap>{{.name = "block_map", .words = to_say("block map"), .title = to_say("Block map")}, draw_block_map},
    View<lessons::HostTimeline>{
        {.name = "host_timeline", .words = to_say("host timeline"), .title = to_say("Host timeline"), .empty_height_css = 176},
        draw_host_timeline},
    View<lessons::Trials>{{.name = "trials", .words = to_say("trials"), .title = to_say("Trials"), .beside_numbers = true},
                          [](const lessons::Trials& trials, float width, ViewState& state) {
                            draw_trials(trials, width, px(trials_height_css), state);
                          }},
    View<lessons::Interleaving>{
        {.name = "interleaving", .words = to_say("interleaving"), .title = to_say("Interleaving"), .empty_height_css = 412},
        draw_interleaving},
    View<lessons::BinChart>{
        {.name = "bin_chart", .words = to_say("bin chart"), .title = to_say("Bin chart"), .empty_height_css = 300}, draw_bin_chart},
    View<lessons::BinLanes>{
        {.name = "bin_lanes", .words = to_say("bin lanes"), .title = to_say("Bin lanes"), .empty_height_css = 216}, draw_bin_lanes},
    View<lessons::Field>{
        {.name = "field", .words = to_say("field"), .title = to_say("Field"), .empty_height_css = 616, .wide = true}, draw_field},
    View<lessons::Ladder>{{.name = "ladder", .words = to_say("ladder"), .title = to_say("Ladder"), .empty_height_css = 192},
                          draw_ladder},
    View<lessons::TreeLevels>{
        {.name = "tree_levels", .words = to_say("tree levels"), .title = to_say("Tree levels"), .empty_height_css = 172},
        draw_tree_levels},
    View<lessons::SmTimeline>{
        {.name = "sm_timeline", .words = to_say("warps over time"), .title = to_say("SM timeline"), .empty_height_css = 400},
        draw_sm_timeline},
    View<lessons::OccupancyCurves>{
        {.name = "occupancy", .words = to_say("occupancy"), .title = to_say("Occupancy"), .empty_height_css = 212}, draw_occupancy},
    View<lessons::LaunchSweep>{
        {.name = "launch_sweep", .words = to_say("launch sweep"), .title = to_say("Launch sweep"), .empty_height_css = 520},
        draw_launch_sweep},
    View<lessons::MemoryMap>{
        {.name = "memory_map", .words = to_say("memory map"), .title = to_say("Memory map"), .empty_height_css = 280},
        draw_memory_map},
    View<lessons::Arrays>{{.name = "arrays", .words = to_say("arrays"), .title = to_say("Arrays"), .empty_height_css = 380},
                          draw_arrays},
    View<lessons::Checks>{{.name = "checks", .words = to_say("checks"), .title = to_say("Checks"), .empty_height_css = 160},
                          draw_checks},
    View<lessons::Curves>{{.name = "curves", .words = to_say("curves"), .title = to_say("Curves")}, draw_curves},
    View<lessons::LaneTimeline>{
        {.name = "lane_timeline", .words = to_say("lane timeline"), .title = to_say("Lane timeline"), .empty_height_css = 420},
        draw_lane_timeline},
    View<lessons::LaneSteps>{
        {.name = "lane_steps", .words = to_say("lane steps"), .title = to_say("Lane steps"), .empty_height_css = 440},
        draw_lane_steps},
    View<lessons::BreakEven>{{.name = "break_even", .words = to_say("break even"), .title = to_say("Break even")}, draw_break_even},
    View<lessons::Roofline>{{.name = "roofline", .words = to_say("roofline"), .title = to_say("Roofline")}, draw_roofline},
    View<lessons::TileWalk>{
        {.name = "tile_walk", .words = to_say("tile walk"), .title = to_say("Tile walk"), .empty_height_css = 330}, draw_tile_walk},
    View<lessons::CallTree>{{.name = "call_tree", .words = to_say("call tree"), .title = to_say("Call tree")}, draw_call_tree},
    View<lessons::Chip>{{.name = "chip", .words = to_say("chip"), .title = to_say("Chip"), .empty_height_css = 480}, draw_chip},
    View<lessons::DeviceTable>{
        {.name = "device_table", .words = to_say("device table"), .title = to_say("Device table"), .empty_height_css = 460},
        draw_device_table},
    View<lessons::Ordering>{{.name = "ordering", .words = to_say("ordering"), .title = to_say("Ordering"), .empty_height_css = 480},
                            draw_ordering}};

constexpr auto traits_of_views = std::apply([](const auto&... view) { return std::array{view.traits...}; }, view_table);
static_assert(traits_of_views.size() == std::variant_size_v<lessons::FigureKinds>);

}  // namespace

std::span<const ViewTraits> all_views() { return traits_of_views; }

const ViewTraits& view_traits(std::string_view view) {
  static constexpr ViewTraits unknown;
  const auto row =
      std::find_if(traits_of_views.begin(), traits_of_views.end(), [&](const ViewTraits& each) { return each.name == view; });
  return row == traits_of_views.end() ? unknown : *row;
}

void draw_figure(const lessons::Figure& figure, float width, ViewState& state) {
  std::visit([&]<class Figure>(const Figure& value) { std::get<View<Figure>>(view_table).draw(value, width, state); }, figure);
}

float empty_view_least_height() { return line_height(Face::body_strong) + px(2) + line_height(Face::label) + 2 * px(16); }

void draw_empty_view(float width, float height, std::string_view title, std::string_view next_step) {
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
