// Roofline: versions of a kernel as points, operations a second over operations a byte, under the roofs of the device. Both axes
// are logarithmic, so that the memory's roof is a straight line. Below it a row a version: what its warps did.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "app/text/numbers.h"
#include "app/views/parts.h"
#include "app/views/views.h"
#include "app/views/warp_states.h"
#include "gpu/message.h"

namespace warpbook::app {
namespace {

using lessons::Roofline;
using Limit = Roofline::Limit;

constexpr float roofs_height_css = 196, least_roofs_css = 96, roofs_rates_css = 56;  // the plot's height; what stands left of it
constexpr float version_row_css = 22, version_name_css = 226, version_time_css = 64;

ImU32 colour_of(Limit limit) {
  const auto& series = theme().series;
  switch (limit) {
    case Limit::memory:
      return series.green;
    case Limit::float32:
      return series.blue;
    case Limit::float64:
      return series.orange;
    case Limit::none:
      break;
  }
  return theme().text.third;
}

std::string_view limit_said(Limit limit) {
  switch (limit) {
    case Limit::memory:
      return say("memory");
    case Limit::float32:
      return say("float32 arithmetic");
    case Limit::float64:
      return say("float64 arithmetic");
    case Limit::none:
      break;
  }
  return say("none of the roofs");
}

std::string rate_words(double gflop_per_s) { return say("{rate} GFLOP/s", "rate"_a = grouped(std::llround(gflop_per_s))); }
std::string time_words(double us) { return us > 0 ? say("{time} µs", "time"_a = short_number(us, 3)) : "–"; }

/// Where the chart is drawn: operations a byte along x, GFLOP/s along y.
struct RoofPlot {
  Box box;
  double low_x = 1, high_x = 2, low_y = 1, high_y = 10;
  [[nodiscard]] float x(double intensity) const {
    return box.x0 + static_cast<float>(std::log(intensity / low_x) / std::log(high_x / low_x)) * box.width();
  }
  [[nodiscard]] float y(double gflop_per_s) const {
    return box.y1 - static_cast<float>(std::log(gflop_per_s / low_y) / std::log(high_y / low_y)) * box.height();
  }
  [[nodiscard]] ImVec2 at(double intensity, double gflop_per_s) const { return {x(intensity), y(gflop_per_s)}; }
};

bool drawn(const Roofline::Version& version) { return version.us > 0 && version.bytes > 0 && version.operations > 0; }

RoofPlot roof_plot(const Roofline& roofline, const Box& box) {
  RoofPlot plot{.box = box};
  double left = 1, right = 4, low = 1e9, high = std::max(roofline.float32_gflop_per_s, 1.0);
  if (roofline.memory_gb_per_s > 0) right = std::max(right, roofline.float32_gflop_per_s / roofline.memory_gb_per_s);
  for (const Roofline::Version& version : roofline.versions) {
    if (!drawn(version)) continue;
    left = std::min(left, version.intensity());
    right = std::max(right, version.intensity());
    low = std::min(low, version.gflop_per_s());
    high = std::max(high, version.gflop_per_s());
  }
  if (roofline.float64_gflop_per_s > 0) low = std::min(low, roofline.float64_gflop_per_s);
  // Whole powers, with room for the words of the roofs.
  plot.low_x = std::exp2(std::floor(std::log2(left / 1.5)));
  plot.high_x = std::exp2(std::ceil(std::log2(right * 3)));
  plot.low_y = std::pow(10, std::floor(std::log10(std::min(low, high) / 1.6)));
  plot.high_y = high * 2.4;
  return plot;
}

void draw_scales(const Sheet& sheet, const RoofPlot& plot) {
  const Theme& look = theme();
  const Box& box = plot.box;
  sheet.draw->AddRectFilled(top_left(box), bottom_right(box), look.background.plot, px(look.radius.bar));
  for (double rate = plot.low_y; rate <= plot.high_y; rate *= 10) {
    const float y = snap(plot.y(rate));
    hairline(sheet.draw, {box.x0, y}, {box.x1, y}, look.background.line);
    text(sheet.draw, Face::digits, {box.x0 - px(8), y - line_height(Face::digits) / 2}, look.text.third,
         rate < 0.9 ? fmt::format("{:.3g}", rate) : grouped(std::llround(rate)), Align::right);
  }
  float free = 0;
  for (double intensity = plot.low_x; intensity <= plot.high_x * 1.01; intensity *= 2) {
    const float x = snap(plot.x(intensity));
    hairline(sheet.draw, {x, box.y0}, {x, box.y1}, look.background.line);
    const std::string words = intensity >= 1 ? fmt::format("{:.0f}", intensity) : fmt::format("1/{:.0f}", 1 / intensity);
    const float half = text_width(Face::digits, words) / 2;
    if (x - half < free || x + half > sheet.right()) continue;
    text(sheet.draw, Face::digits, {x, box.y1 + px(5)}, look.text.third, words, Align::centre);
    free = x + half + px(8);
  }
}

/// A level roof from where the memory's roof meets it.
void draw_level(const Sheet& sheet, const RoofPlot& plot, const Roofline& roofline, double rate, Limit limit,
                std::string_view name) {
  if (rate <= 0) return;
  const double begin = roofline.memory_gb_per_s > 0 ? std::max(rate / roofline.memory_gb_per_s, plot.low_x) : plot.low_x;
  const float y = plot.y(rate);
  sheet.draw->AddLine({plot.x(begin), y}, {plot.box.x1, y}, colour_of(limit), px(2));
  const std::string words = fmt::format("{}, {}", name, rate_words(rate));
  const float wide = text_width(Face::caption, words), tall = line_height(Face::caption) + px(2);
  float right = plot.box.x1 - px(6);
  for (const Roofline::Version& version : roofline.versions) {  // left of points that it would lie under
    if (!drawn(version)) continue;
    const ImVec2 at = plot.at(version.intensity(), version.gflop_per_s());
    const bool same_height = at.y > y - tall - px(20) && at.y < y + px(12);
    if (same_height && at.x > plot.box.x1 - wide - px(80)) right = std::min(right, at.x - px(32));
  }
  text(sheet.draw, Face::caption, {right, y - tall}, colour_of(limit), words, Align::right);
}

void draw_roofs(const Sheet& sheet, const RoofPlot& plot, const Roofline& roofline) {
  draw_level(sheet, plot, roofline, roofline.float64_gflop_per_s, Limit::float64, say("float64 (double)"));
  draw_level(sheet, plot, roofline, roofline.float32_gflop_per_s, Limit::float32, "float32");
  const double memory = roofline.memory_gb_per_s;
  if (memory <= 0) return;
  const double from = std::max(plot.low_x, plot.low_y / memory);
  const double to = std::min(plot.high_x, (roofline.float32_gflop_per_s > 0 ? roofline.float32_gflop_per_s : plot.high_y) / memory);
  sheet.draw->AddLine(plot.at(from, from * memory), plot.at(to, to * memory), colour_of(Limit::memory), px(2));
  // Above the roof there is never a point.
  const double middle = std::sqrt(from * to);
  const ImVec2 at = plot.at(middle, middle * memory);
  const std::string words = say("memory, {rate} GB/s", "rate"_a = short_number(memory, 4));
  const float x = std::max(at.x - px(10), plot.box.x0 + px(6) + text_width(Face::caption, words));
  text(sheet.draw, Face::caption, {x, at.y - line_height(Face::caption) - px(4)}, colour_of(Limit::memory), words, Align::right);
}

Box box_of(const RoofPlot& plot, const Roofline::Version& version, bool chosen) {
  const ImVec2 at = plot.at(version.intensity(), version.gflop_per_s());
  const float half = px(chosen ? 6 : 4.5F);
  return {at.x - half, at.y - half, at.x + half, at.y + half};
}

/// Where the tops of the letters stand: a little below their points, and pushed apart where points lie close together.
std::vector<float> letter_tops(const RoofPlot& plot, const Roofline& roofline) {
  const float tall = line_height(Face::label), apart = tall - px(3), close = px(24);
  std::vector<float> tops(roofline.versions.size());
  std::vector<std::size_t> order;  // from the top
  for (std::size_t i = 0; i < tops.size(); ++i) {
    if (!drawn(roofline.versions[i])) continue;
    tops[i] = plot.y(roofline.versions[i].gflop_per_s()) + px(2);
    if (!roofline.versions[i].letter.empty()) order.push_back(i);
  }
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return tops[i]; });
  const auto x = [&](std::size_t i) { return plot.x(roofline.versions[i].intensity()); };
  for (int pass = 0; pass < 40; ++pass) {
    for (std::size_t k = 0; k < order.size(); ++k) {
      for (std::size_t below = k + 1; below < order.size(); ++below) {
        const std::size_t upper = order[k], lower = order[below];
        const float push = (apart - (tops[lower] - tops[upper])) / 2;
        if (push <= 0 || std::abs(x(upper) - x(lower)) > close) continue;
        tops[upper] -= push;
        tops[lower] += push;
      }
    }
  }
  for (float& top : tops) top = std::clamp(top, plot.box.y0, plot.box.y1 - tall);
  return tops;
}

void draw_version(const Sheet& sheet, const RoofPlot& plot, const Roofline& roofline, std::size_t i, float letter_top) {
  const Theme& look = theme();
  const Roofline::Version& version = roofline.versions[i];
  const bool chosen = i == roofline.chosen;
  const ImVec2 at = plot.at(version.intensity(), version.gflop_per_s());
  if (chosen && version.share > 0) {  // up to its lowest roof
    const float roof = plot.y(version.gflop_per_s() / version.share);
    if (at.y - roof > px(8)) dashed_line(sheet.draw, {at.x, roof}, {at.x, at.y - px(7)}, look.text.third, 2, 3, 1);
  }
  const ImU32 colour = colour_of(version.limit);
  sheet.draw->AddCircleFilled(at, px(chosen ? 6 : 4.5F), colour);
  if (chosen) sheet.draw->AddCircle(at, px(8.5F), look.text.first, 0, px(1.5F));
  // Below the roof that it may lie on; letters at the left, so that they and the words never meet.
  const float top = std::min(at.y + px(2), plot.box.y1 - line_height(Face::label));
  if (!version.letter.empty()) {
    const bool moved = std::abs(letter_top - top) > px(0.5F);
    const float x = at.x - px(moved ? 18 : chosen ? 10 : 7), middle = letter_top + line_height(Face::label) / 2;
    text(sheet.draw, chosen ? Face::label_strong : Face::label, {x, letter_top}, look.text.first, version.letter, Align::right);
    if (moved) sheet.draw->AddLine({x + px(3), middle}, {at.x - px(chosen ? 9 : 5), at.y}, look.text.third, px(1));
  }
  if (!chosen) return;
  const Wording words = say("this run");
  const float x = at.x + px(12);
  sheet.draw->AddRectFilled({x - px(2), top + px(2)},
                            {x + text_width(Face::label, words) + px(2), top + line_height(Face::label) - px(2)},
                            look.background.plot);  // not across another roof
  text(sheet.draw, Face::label, {x, top}, look.text.first, words);
}

/// What warps did, as shares of a bar.
void draw_waits(const Sheet& sheet, const Box& bar, const gpu::WarpCycles& waits) {
  std::uint64_t all = 0;
  for (const std::uint64_t cycles : waits) all += cycles;
  sheet.draw->AddRectFilled(top_left(bar), bottom_right(bar), theme().background.plot, px(theme().radius.bar));
  if (all == 0) return;
  double before = 0;
  for (std::size_t s = 0; s < waits.size(); ++s) {
    const double share = static_cast<double>(waits[s]) / static_cast<double>(all);
    const float x0 = snap(bar.x0 + static_cast<float>(before) * bar.width());
    before += share;
    const Box part{x0, bar.y0, snap(bar.x0 + static_cast<float>(before) * bar.width()), bar.y1};
    if (part.x1 <= part.x0) continue;
    const auto state = static_cast<gpu::WarpState>(s);
    const StateLook look = look_of(state);
    const ImU32 fill = state == gpu::WarpState::issued ? look.colour : waiting_colour(look.colour);
    sheet.draw->AddRectFilled(top_left(part), bottom_right(part), fill);
    if (look.hatched) hatch_narrow(sheet.draw, part, look.colour);
  }
}

void version_card(const Sheet& sheet, const Roofline& roofline, const Roofline::Version& version, const Box& item) {
  const bool model = roofline.model;
  std::vector<Fact> facts = {
      Fact{model ? say("time (model)") : say("time"), time_words(version.us)},
      Fact{say("bytes moved"), grouped(std::llround(version.bytes))},
      Fact{say("floating-point operations"), grouped(std::llround(version.operations))},
      Fact{say("operations a byte"), short_number(version.intensity(), 3)},
      Fact{model ? say("operations a second (model)") : say("operations a second"), rate_words(version.gflop_per_s())},
      Fact{say("lowest roof"), std::string(limit_said(version.lowest))},
      Fact{model ? say("it reaches (model)") : say("it reaches"), fmt::format("{:.0f} %", 100 * version.share)}};
  std::uint64_t all = 0;
  for (const std::uint64_t cycles : version.waits) all += cycles;
  for (std::size_t s = 0; s < version.waits.size(); ++s) {
    const double share = all > 0 ? 100 * static_cast<double>(version.waits[s]) / static_cast<double>(all) : 0;
    const StateLook look = look_of(static_cast<gpu::WarpState>(s));
    if (share >= 5) facts.push_back({say("warps: {state}", "state"_a = look.words), fmt::format("{:.0f} %", share)});
  }
  fact_card(sheet, item, {}, version.letter.empty() ? std::string(say("This run")) : version.letter, version.label, facts);
}

/// A version's name, what its warps did, what limits it, its time. Returns whether the mouse is over it.
bool draw_row(const Sheet& sheet, const Roofline& roofline, std::size_t i, float top, float tall, bool waits) {
  const Theme& look = theme();
  const Roofline::Version& version = roofline.versions[i];
  const bool chosen = i == roofline.chosen;
  const float middle = snap(top + tall / 2), words = middle - line_height(Face::label) / 2;
  const ImU32 colour = chosen ? look.text.first : look.text.second;
  sheet.draw->AddCircleFilled({sheet.at.x + px(7), middle}, px(4), colour_of(version.limit));
  if (chosen) sheet.draw->AddCircle({sheet.at.x + px(7), middle}, px(6), look.text.first, 0, px(1.5F));
  const std::string name = version.letter.empty() ? version.label : version.letter + ": " + version.label;
  text_clipped(sheet.draw, chosen ? Face::label_strong : Face::label, {sheet.at.x + px(20), words}, px(version_name_css - 26),
               colour, name);
  text(sheet.draw, chosen ? Face::digits_strong : Face::digits, {sheet.right(), middle - line_height(Face::digits) / 2}, colour,
       time_words(version.us), Align::right);
  const float x0 = snap(sheet.at.x + px(version_name_css)), x1 = snap(sheet.right() - px(version_time_css));
  if (waits)
    draw_waits(sheet, {x0, snap(middle - px(7)), x1, snap(middle + px(7))}, version.waits);
  else
    text_clipped(sheet.draw, Face::label, {x0, words}, x1 - x0, look.text.second,
                 say("limited by {limit}", "limit"_a = limit_said(version.limit)));
  return mouse_over({sheet.at.x, top, sheet.right(), top + tall});
}

std::vector<Swatch> legend_of_waits(const Roofline& roofline) {
  std::array<bool, gpu::warp_states> seen{};
  for (const Roofline::Version& version : roofline.versions) {
    std::uint64_t all = 0;
    for (const std::uint64_t cycles : version.waits) all += cycles;
    for (std::size_t s = 0; s < seen.size(); ++s) seen[s] = seen[s] || 100 * version.waits[s] > all;  // what can be seen
  }
  return warp_legend(seen);
}

}  // namespace

void draw_roofline(const Roofline& roofline, float width, ViewState& state) {
  const Sheet sheet = begin_view(width);
  const Theme& look = theme();
  const std::string rate =
      roofline.model ? say("GFLOP/s: 10⁹ operations a second (model)") : say("GFLOP/s: 10⁹ operations a second");
  float y = title_row(sheet, roofline.title, rate);
  const float height = std::max(px(roofs_height_css) - state.shorter, px(least_roofs_css));
  const Box box{snap(sheet.at.x + px(roofs_rates_css)), snap(sheet.at.y + y), snap(sheet.right()), snap(sheet.at.y + y + height)};
  const RoofPlot plot = roof_plot(roofline, box);
  draw_scales(sheet, plot);
  sheet.draw->PushClipRect(top_left(box), bottom_right(box), true);
  draw_roofs(sheet, plot, roofline);
  const std::vector<float> tops = letter_tops(plot, roofline);
  for (std::size_t i = 0; i < roofline.versions.size(); ++i) {
    if (i != roofline.chosen && drawn(roofline.versions[i])) draw_version(sheet, plot, roofline, i, tops[i]);
  }
  if (roofline.chosen < roofline.versions.size() && drawn(roofline.versions[roofline.chosen]))
    draw_version(sheet, plot, roofline, roofline.chosen, tops[roofline.chosen]);  // above the others
  sheet.draw->PopClipRect();
  float below = box.y1 + px(8) + line_height(Face::digits);
  const std::string_view axis =
      roofline.counted ? say("floating-point operations for each byte of global memory; a point's colour is its limit, grey: none")
                       : say("operations for each byte, worked out from the arrays; a point's colour is its limit, grey: none");
  text_clipped(sheet.draw, Face::caption, {box.x0, below}, box.width(), look.text.third, axis);
  below += line_height(Face::caption) + px(10);

  std::uint64_t observed = 0;
  for (const Roofline::Version& version : roofline.versions) {
    for (const std::uint64_t cycles : version.waits) observed += cycles;
  }
  const bool waits = observed > 0;
  if (waits) below += legend_rows(sheet, below, legend_of_waits(roofline));
  std::size_t under = roofline.versions.size();
  const float short_of = std::max(state.shorter - px(roofs_height_css - least_roofs_css), 0.0F);  // what the plot could not give up
  const float tall = snap(std::max(px(version_row_css) - short_of / static_cast<float>(std::max<std::size_t>(under, 1)), px(16)));
  Box item;
  for (std::size_t i = 0; i < roofline.versions.size(); ++i) {
    if (draw_row(sheet, roofline, i, below, tall, waits)) {
      under = i;
      item = {sheet.at.x, below, sheet.right(), below + tall};
    }
    if (drawn(roofline.versions[i]) && mouse_over(box_of(plot, roofline.versions[i], true))) {
      under = i;
      item = box_of(plot, roofline.versions[i], true);
    }
    below += tall;
  }
  if (under < roofline.versions.size()) {
    if (drawn(roofline.versions[under]))
      ring(sheet.draw, box_of(plot, roofline.versions[under], true), look.text.first, 1.5F, 8, 3);
    version_card(sheet, roofline, roofline.versions[under], item);
  }
  end_view(sheet, below - sheet.at.y, state.stale);
}

}  // namespace warpbook::app
