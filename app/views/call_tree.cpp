// CallTree: the calls of a warp over its instructions, each below the call that made it. A call is a strip of 32 lines, one a lane:
// a lane that executes is solid, a lane that is in the call and waits is pale, and a lane that is not in it is left empty. Below:
// the stack of the lanes that execute, and a row a function.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "app/text/numbers.h"
#include "app/views/call_layout.h"
#include "app/views/lane_layout.h"
#include "app/views/parts.h"
#include "app/views/views.h"
#include "gpu/message.h"

namespace warpbook::app {
namespace {

using lessons::CallTree;

constexpr float tree_height_css = 340, tree_name_css = 16, tree_gap_css = 4, tree_gutter_css = 52, tree_stack_css = 40;
constexpr float strip_most_css = 64;
constexpr std::uint32_t most_rows = 24;  // deeper calls are left out
constexpr std::uint32_t few_rows = 4;

/// Where the calls stand.
struct TreePlace {
  Axis axis;      // the warp's instructions
  float top = 0;  // of the kernel's row
  float row = 0, name = 0, strip = 0;
  [[nodiscard]] float y(std::uint32_t depth) const { return top + row * static_cast<float>(depth) + name; }
  /// Of instructions; one pixel wide at least.
  [[nodiscard]] Box box(std::uint32_t depth, std::uint64_t first, std::uint64_t last) const {
    const float x0 = axis.x(static_cast<double>(first));
    return {x0, y(depth), std::max(axis.x(static_cast<double>(last)), x0 + 1), y(depth) + strip};
  }
  [[nodiscard]] Box box(const CallTree::Call& call) const { return box(call.depth, call.first, call.last); }
  /// The lane at a height within a row.
  [[nodiscard]] std::uint32_t lane(std::uint32_t depth, float at) const {
    return static_cast<std::uint32_t>(std::clamp((at - y(depth)) / strip * 32, 0.0F, 31.0F));
  }
};

/// Lanes 0 to 31 from top to bottom; neighbours are one rectangle.
void fill_lanes(ImDrawList* draw, const Box& box, std::uint32_t mask, ImU32 colour) {
  const float pitch = (box.y1 - box.y0) / 32;
  for (int lane = 0; lane < 32;) {
    if ((mask >> lane & 1) == 0) {
      ++lane;
      continue;
    }
    const int run = std::min(std::countr_one(mask >> lane), 32 - lane);
    draw->AddRectFilled(ImVec2(box.x0, box.y0 + pitch * static_cast<float>(lane)),
                        ImVec2(box.x1, box.y0 + pitch * static_cast<float>(lane + run)), colour);
    lane += run;
  }
}

/// Calls of different lanes may stand side by side in a row at the same time: first what lies below all of them.
void draw_calls(const Sheet& sheet, const TreePlace& place, const CallTree& tree) {
  const Theme& look = theme();
  for (const CallTree::Call& call : tree.calls) {
    if (call.depth >= most_rows) continue;
    const Box box = place.box(call);
    sheet.draw->AddRectFilled(top_left(box), bottom_right(box), look.background.plot);
    if (box.width() >= px(4)) sheet.draw->AddRect(top_left(box), bottom_right(box), look.background.line_strong, 0, 0, px(1));
  }
  const std::vector<std::vector<LanesInCall>> inside = lanes_in(tree);
  for (std::size_t i = 0; i < tree.calls.size(); ++i) {
    const CallTree::Call& call = tree.calls[i];
    if (call.depth >= most_rows) continue;
    for (const LanesInCall& lanes : inside[i])
      fill_lanes(sheet.draw, place.box(call.depth, call.first, lanes.last), lanes.mask, tint(look.series.blue));
  }
  for (const CallTree::Call& call : tree.calls) {
    if (call.depth >= most_rows) continue;
    for (const CallTree::Stretch& stretch : call.stretches)
      fill_lanes(sheet.draw, place.box(call.depth, stretch.first, stretch.first + stretch.instructions), stretch.mask,
                 look.series.blue);
  }
}

void draw_names(const Sheet& sheet, const TreePlace& place, const CallTree& tree) {
  std::vector<CallName> names;
  for (const CallTree::Call& call : tree.calls) {
    if (call.depth >= most_rows) continue;
    const Box box = place.box(call);
    names.push_back({.x0 = box.x0,
                     .width = text_width(Face::caption, tree.functions[call.function].name),
                     .depth = call.depth,
                     .function = call.function,
                     .parent = call.parent,
                     .call = box.width()});
  }
  const std::vector<bool> drawn = names_with_room(names, px(6), sheet.right());
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (drawn[i])
      text(sheet.draw, Face::caption, ImVec2(names[i].x0, place.y(names[i].depth) - place.name), theme().text.second,
           tree.functions[names[i].function].name);
  }
}

std::string bytes_words(std::uint64_t bytes) { return say("{n} B", "n"_a = grouped(static_cast<long long>(bytes))); }

void call_card(const Sheet& sheet, const CallTree& tree, const CallTree::Call& call, const Box& item, std::string_view source) {
  const CallTree::Function& function = tree.functions[call.function];
  const auto count = [](std::uint64_t n) { return grouped(static_cast<long long>(n)); };
  std::uint64_t own = 0;
  for (const CallTree::Stretch& stretch : call.stretches) own += stretch.instructions;
  std::vector<Fact> facts = {{say("lanes in it"), fmt::format("{}: {}", std::popcount(call.lanes), lane_words(call.lanes))},
                             {say("instructions of its own"), count(own)}};
  if (function.bytes) {
    facts.push_back({say("stack of this call (in PTX)"), bytes_words(*function.bytes)});
    facts.push_back({say("with the calls around it"), bytes_words(call.stack)});
  }
  if (call.line > 0) facts.push_back({say("called in line {line}", "line"_a = call.line), source_line(source, call.line)});
  const std::string note =
      call.parent == CallTree::none ? std::string(say("the kernel")) : say("depth {depth}", "depth"_a = call.depth);
  fact_card(sheet, item, {}, function.name, note, facts);
}

void draw_depths(const Sheet& sheet, const TreePlace& place, std::uint32_t rows) {
  for (std::uint32_t depth = 0; depth < rows; ++depth) {
    const float y = place.y(depth) + place.strip / 2;
    text(sheet.draw, Face::digits, ImVec2(place.axis.x0 - px(8), y - line_height(Face::digits) / 2), theme().text.third,
         fmt::format("{}", depth), Align::right);
  }
}

/// Ticks below the strips. Returns the height.
float draw_instructions(const Sheet& sheet, const TreePlace& place, float y) {
  const Theme& look = theme();
  for (const double tick : axis_ticks(place.axis.low, place.axis.high, 6)) {
    const float x = place.axis.x(tick);
    hairline(sheet.draw, ImVec2(x, y), ImVec2(x, y + px(4)), look.background.line_strong);
    text(sheet.draw, Face::digits, ImVec2(x, y + px(5)), look.text.third, grouped(static_cast<long long>(tick)), Align::centre);
  }
  return px(5) + line_height(Face::digits);
}

/// How high the stack is of the lanes that execute, over the same instructions. Returns the height; 0: nothing needs a stack.
float draw_stack(const Sheet& sheet, const TreePlace& place, const CallTree& tree, float y) {
  std::uint64_t most = 0;
  for (const CallTree::Call& call : tree.calls) most = std::max(most, call.stack);
  if (most == 0) return 0;
  const Theme& look = theme();
  text(sheet.draw, Face::caption, ImVec2(place.axis.x0, y), look.text.second, say("Stack of a thread that executes (in PTX)"));
  const float top = snap(y + line_height(Face::caption) + px(4)), height = snap(px(tree_stack_css));
  const Box plot{place.axis.x0, top, place.axis.x1, top + height};
  sheet.draw->AddRectFilled(top_left(plot), bottom_right(plot), look.background.plot);
  for (const CallTree::Call& call : tree.calls) {
    const float tall = snap(height * static_cast<float>(call.stack) / static_cast<float>(most));
    for (const CallTree::Stretch& stretch : call.stretches) {
      const float x0 = place.axis.x(static_cast<double>(stretch.first));
      const float x1 = place.axis.x(static_cast<double>(stretch.first + stretch.instructions));
      const Box bar{x0, plot.y1 - tall, std::max(x1, x0 + 1), plot.y1};
      sheet.draw->AddRectFilled(top_left(bar), bottom_right(bar), tint(look.series.orange));
      sheet.draw->AddRectFilled(top_left(bar), ImVec2(bar.x1, std::min(bar.y0 + px(2), bar.y1)), look.series.orange);
    }
  }
  const auto label = [&](float at, std::uint64_t bytes) {
    text(sheet.draw, Face::digits, ImVec2(place.axis.x0 - px(8), at - line_height(Face::digits) / 2), look.text.third,
         bytes_words(bytes), Align::right);
  };
  label(plot.y0 + px(4), most);
  label(plot.y1 - px(4), 0);
  return plot.y1 - y + px(12);
}

/// A row for each function. Returns the height.
float draw_functions(const Sheet& sheet, const CallTree& tree, float y) {
  const Theme& look = theme();
  const float line = line_height(Face::caption) + px(4);
  constexpr std::array ends_css = {176.0F, 296.0F, 416.0F};  // of the columns of numbers
  const std::array<Wording, 3> heads = {say("calls"), say("own instructions"), say("stack a call (PTX)")};
  text(sheet.draw, Face::caption, ImVec2(sheet.at.x, y), look.text.third, say("function"));
  for (std::size_t k = 0; k < heads.size(); ++k)
    text(sheet.draw, Face::caption, ImVec2(sheet.at.x + px(ends_css[k]), y), look.text.third, heads[k], Align::right);
  float below = line;
  for (const CallTree::Function& function : tree.functions) {
    const std::array<std::string, 3> words = {grouped(function.calls), grouped(static_cast<long long>(function.instructions)),
                                              function.bytes ? bytes_words(*function.bytes) : "–"};
    text_clipped(sheet.draw, Face::digits, ImVec2(sheet.at.x, y + below), px(120), look.text.first, function.name);
    for (std::size_t k = 0; k < words.size(); ++k)
      text(sheet.draw, Face::digits, ImVec2(sheet.at.x + px(ends_css[k]), y + below), look.text.second, words[k], Align::right);
    below += line;
  }
  return below;
}

std::string caption_of(const CallTree& tree, std::uint32_t deepest) {
  std::string words =
      say_many(tree.launched,
               "Warp {warp} of block {block}, one of {launched} warp. Each row is one call deeper. From left to right: its "
               "{instructions} instructions.",
               "Warp {warp} of block {block}, one of {launched} warps. Each row is one call deeper. From left to right: its "
               "{instructions} instructions.",
               "warp"_a = tree.warp, "block"_a = tree.block, "launched"_a = grouped(static_cast<long long>(tree.launched)),
               "instructions"_a = grouped(static_cast<long long>(tree.instructions)));
  if (!tree.whole) {
    words += " ";
    words += say("There were too many calls to show all.");
  }
  if (deepest >= most_rows) words += " " + say("Calls deeper than {depth} are not shown.", "depth"_a = most_rows - 1);
  return words;
}

/// The call under the mouse: of several at one place, the one that the lane is in.
std::optional<std::size_t> call_under(const TreePlace& place, const CallTree& tree) {
  std::optional<std::size_t> under;
  bool certain = false;
  for (std::size_t i = 0; i < tree.calls.size(); ++i) {
    const CallTree::Call& call = tree.calls[i];
    if (call.depth >= most_rows || !mouse_over(place.box(call))) continue;
    const bool has_lane = (call.lanes >> place.lane(call.depth, ImGui::GetIO().MousePos.y) & 1) != 0;
    if (certain && !has_lane) continue;
    under = i;
    certain = has_lane;
  }
  return under;
}

}  // namespace

void draw_call_tree(const CallTree& tree, float width, ViewState& state) {
  if (tree.calls.empty())
    return draw_empty_view(
        width, px(tree_height_css), say("No calls to show"),
        say("Only the virtual GPU records what a warp calls, and of a very long launch it may keep no warp whole."));
  const Sheet sheet = begin_view(width);
  const Theme& look = theme();
  const std::array legend = {Swatch{Swatch::Shape::solid, look.series.blue, say("a lane that executes")},
                             Swatch{Swatch::Shape::solid, tint(look.series.blue), say("waits in the call")},
                             Swatch{Swatch::Shape::outline, look.text.third, say("is not in the call")}};
  float y = sheet.at.y + title_row(sheet, tree.title, legend);
  const std::uint32_t deepest = tree.deepest(), rows = std::min(deepest + 1, most_rows);
  text_clipped(sheet.draw, Face::caption, ImVec2(sheet.at.x, y), sheet.width, look.text.second, caption_of(tree, deepest));
  y += line_height(Face::caption) + px(6);
  TreePlace place{.axis = {.low = 0,
                           .high = static_cast<double>(std::max<std::uint64_t>(tree.instructions, 1)),
                           .x0 = snap(sheet.at.x + px(tree_gutter_css)),
                           .x1 = snap(sheet.right() - px(8))},
                  .top = snap(y)};
  place.name = snap(px(tree_name_css));
  const bool low = state.shorter > 0;  // a slide: the tree is what it has room for, with few rows the stack too
  const float gap = low ? 1 : snap(px(tree_gap_css)), room = px(tree_height_css) - state.shorter;
  // As many whole pixels for each lane: else some of a pattern's lines would be lost.
  const float strip = std::min(room / static_cast<float>(rows) - place.name - gap, px(strip_most_css));
  place.strip = 32 * std::max(std::floor(strip / 32), 1.0F);
  place.row = place.name + place.strip + gap;
  draw_calls(sheet, place, tree);
  draw_names(sheet, place, tree);
  draw_depths(sheet, place, rows);
  const std::optional<std::size_t> under = call_under(place, tree);
  y = place.top + place.row * static_cast<float>(rows);
  y += draw_instructions(sheet, place, y) + px(10);
  if (!low || rows <= few_rows) y += draw_stack(sheet, place, tree, y);
  if (!low) y += draw_functions(sheet, tree, y);
  if (under) {
    const CallTree::Call& call = tree.calls[*under];
    ring(sheet.draw, place.box(call), look.text.first);
    call_card(sheet, tree, call, place.box(call), state.source);
    state.hover = Hover{};
    state.hover->line = call.line;
  }
  end_view(sheet, y - sheet.at.y, state.stale);
}

}  // namespace warpbook::app
