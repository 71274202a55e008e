// Occupancy: warps that fit on a multiprocessor, over block size, registers and shared memory. A bar's colour is what a
// multiprocessor runs out of first; solid is the launch as it is. gpu/occupancy.h gives every bar.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cmath>
#include <string>
#include <vector>

#include "app/text/numbers.h"
#include "app/views/parts.h"
#include "app/views/views.h"
#include "gpu/message.h"

namespace warpbook::app {
namespace {

using gpu::Limiter;
using lessons::OccupancyCurves;

ImU32 colour_of(Limiter limiter) {
  const auto& c = theme().series;
  switch (limiter) {
    case Limiter::threads:
      return c.blue;
    case Limiter::registers:
      return c.violet;
    case Limiter::shared_memory:
      return c.green;
    case Limiter::blocks:
      return c.orange;
  }
  return c.stone;
}

std::string quantity(int value, const std::string& unit) { return grouped(value) + (unit.empty() ? std::string() : " " + unit); }

std::string blocks_allowed(int blocks) {
  return blocks == INT_MAX ? std::string(say("any number"))
                           : say_many(static_cast<std::uint64_t>(blocks), "{n} block", "{n} blocks", "n"_a = grouped(blocks));
}

void bar_card(const Sheet& sheet, const OccupancyCurves::Curve& curve, const OccupancyCurves::Point& point, const Box& item) {
  const gpu::Occupancy& o = point.occupancy;
  const auto allowed = [&](Limiter limiter, int blocks) {
    return Fact{say("{limiter} would allow", "limiter"_a = gpu::name_of(limiter)), blocks_allowed(blocks),
                limiter == o.limiter ? colour_of(limiter) : 0};
  };
  const std::vector<Fact> facts = {
      {say("on a multiprocessor"),
       say_many(static_cast<std::uint64_t>(o.blocks), "{n} block, {warps} of {most} warps", "{n} blocks, {warps} of {most} warps",
                "n"_a = o.blocks, "warps"_a = o.warps, "most"_a = o.max_warps)},
      allowed(Limiter::threads, o.by_threads),
      allowed(Limiter::registers, o.by_registers),
      allowed(Limiter::shared_memory, o.by_shared_memory),
      allowed(Limiter::blocks, o.by_blocks)};
  fact_card(sheet, item, {}, quantity(point.at, curve.unit) + " " + curve.label,
            say("limited by {limiter}", "limiter"_a = gpu::name_of(o.limiter)), facts);
}

struct Chart {
  Box plot;
  int most_warps = 1;
  double low = 0, high = 1;
  [[nodiscard]] float x(double at) const { return snap(plot.x0 + static_cast<float>((at - low) / (high - low)) * plot.width()); }
  [[nodiscard]] float y(double warps) const { return snap(plot.y1 - static_cast<float>(warps / most_warps) * plot.height()); }
};

void draw_curve(const Sheet& sheet, const OccupancyCurves::Curve& curve, const Chart& chart) {
  const Theme& look = theme();
  ImDrawList* draw = sheet.draw;
  draw->AddRectFilled(top_left(chart.plot), bottom_right(chart.plot), look.background.plot, px(look.radius.bar));
  for (const double share : {0.5, 1.0}) {
    const float y = chart.y(share * chart.most_warps);
    draw->AddRectFilled(ImVec2(chart.plot.x0, y), ImVec2(chart.plot.x1, y + px(1)), look.background.line);
  }
  const OccupancyCurves::Point* under = nullptr;
  Box item;
  double before = chart.low;
  for (const OccupancyCurves::Point& point : curve.points) {
    const float x0 = chart.x(before), x1 = std::max(chart.x(point.at), x0 + 1), gap = x1 - x0 >= px(5) ? px(1) : 0;
    const bool present = before < curve.present && curve.present <= point.at;
    before = point.at;
    const Box bar{x0, chart.y(point.occupancy.warps), x1 - gap, chart.plot.y1};
    const ImU32 colour = colour_of(point.occupancy.limiter);
    if (bar.height() >= 1) {
      draw->AddRectFilled(top_left(bar), bottom_right(bar), present ? colour : tint(colour));
      draw->AddRectFilled(top_left(bar), ImVec2(bar.x1, bar.y0 + snap(px(2))), colour);
    }
    if (mouse_over({x0, chart.plot.y0, x1, chart.plot.y1})) {
      under = &point;
      item = {bar.x0, std::min(bar.y0, chart.plot.y1 - px(4)), bar.x1, bar.y1};
    }
  }
  draw->AddRectFilled(ImVec2(chart.plot.x0, chart.plot.y1), ImVec2(chart.plot.x1, chart.plot.y1 + px(1)),
                      look.background.line_strong);

  // The launch as it is, its value in bold among the ticks.
  const float numbers_y = chart.plot.y1 + px(5);
  const std::string now = quantity(curve.present, curve.unit);
  const float now_half = text_width(Face::digits_strong, now) / 2, now_x = chart.x(curve.present);
  const float now_middle = std::clamp(now_x, chart.plot.x0 + now_half, chart.plot.x1 - now_half);
  draw->AddRectFilled(ImVec2(now_x, chart.plot.y1), ImVec2(now_x + px(1), chart.plot.y1 + px(5)), look.text.first);
  text(draw, Face::digits_strong, ImVec2(now_middle, numbers_y), look.text.first, now, Align::centre);
  const Box taken{now_middle - now_half - px(8), 0, now_middle + now_half + px(8), 1};
  for (const double tick : {chart.low, chart.high}) {
    const std::string number = grouped(std::llround(tick));
    const float half = text_width(Face::digits, number) / 2;
    const float middle = std::clamp(chart.x(tick), chart.plot.x0 + half, chart.plot.x1 - half);
    if (overlap({middle - half, 0, middle + half, 1}, taken)) continue;
    text(draw, Face::digits, ImVec2(middle, numbers_y), look.text.third, number, Align::centre);
  }
  const float label_half = text_width(Face::caption, curve.label) / 2;
  const float label_middle = std::min((chart.plot.x0 + chart.plot.x1) / 2, sheet.right() - label_half);
  text(draw, Face::caption, ImVec2(label_middle, numbers_y + line_height(Face::digits)), look.text.second, curve.label,
       Align::centre);
  if (under != nullptr) {
    ring(draw, item, look.text.first);
    bar_card(sheet, curve, *under, item);
  }
}

std::string title_of(const OccupancyCurves& all) {
  const gpu::Occupancy& o = all.present;
  if (o.blocks == 0) return say("No block fits on a multiprocessor: too much {limiter}", "limiter"_a = gpu::name_of(o.limiter));
  if (o.warps == o.max_warps) return say("All {n} warps that a multiprocessor can hold fit", "n"_a = o.max_warps);
  return say("{warps} of {most} warps fit on a multiprocessor, limited by {limiter}", "warps"_a = o.warps, "most"_a = o.max_warps,
             "limiter"_a = gpu::name_of(o.limiter));
}

}  // namespace

void draw_occupancy(const OccupancyCurves& all, float width, ViewState& state) {
  const Sheet sheet = begin_view(width);
  const Theme& look = theme();
  const std::string note = all.achieved ? say("held over the launch: {percent:.{decimals}f} % (model)",
                                              "percent"_a = 100 * *all.achieved, "decimals"_a = *all.achieved < 0.0995 ? 1 : 0)
                                        : "";
  float y = sheet.at.y + title_row(sheet, title_of(all), note);
  std::vector<Swatch> legend;
  for (const Limiter limiter : {Limiter::threads, Limiter::registers, Limiter::shared_memory, Limiter::blocks}) {
    const bool seen = std::any_of(all.curves.begin(), all.curves.end(), [&](const OccupancyCurves::Curve& curve) {
      return std::any_of(curve.points.begin(), curve.points.end(),
                         [&](const OccupancyCurves::Point& point) { return point.occupancy.limiter == limiter; });
    });
    const std::array<Wording, 4> words = {say("threads run out first"), say("registers"), say("shared memory"),
                                          say("places for blocks")};
    if (seen) legend.push_back({Swatch::Shape::tint, colour_of(limiter), words[static_cast<std::size_t>(limiter)]});
  }
  legend.push_back({Swatch::Shape::solid, look.text.third, say("solid: this launch")});
  y += legend_rows(sheet, y, legend);

  const float gutter = px(48), gap = px(24), count = static_cast<float>(std::max<std::size_t>(all.curves.size(), 1));
  const float each = std::floor((sheet.width - gutter - gap * (count - 1)) / count);
  const float top = snap(y + px(8)), base = snap(top + px(104));
  for (std::size_t i = 0; i < all.curves.size(); ++i) {
    const OccupancyCurves::Curve& curve = all.curves[i];
    if (curve.points.empty()) continue;
    const float x0 = snap(sheet.at.x + gutter + static_cast<float>(i) * (each + gap));
    const Chart chart{.plot = {x0, top, x0 + each, base},
                      .most_warps = std::max(all.present.max_warps, 1),
                      .high = std::max(curve.points.back().at, 1) * 1.0};
    draw_curve(sheet, curve, chart);
    if (i > 0) continue;
    for (const double share : {0.0, 0.5, 1.0}) {
      text(sheet.draw, Face::digits, ImVec2(x0 - px(8), chart.y(share * chart.most_warps) - line_height(Face::digits) / 2),
           look.text.third, grouped(std::llround(share * chart.most_warps)), Align::right);
    }
    text(sheet.draw, Face::caption, ImVec2(sheet.at.x, base + px(5)), look.text.third, say("warps"));
  }
  end_view(sheet, base + px(5) + line_height(Face::digits) + line_height(Face::caption) - sheet.at.y, state.stale);
}

}  // namespace warpbook::app
