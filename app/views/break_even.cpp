// BreakEven: the time of the same work on the GPU, with its copies, and on one core of the CPU, over the number of values. Both
// axes are logarithmic, so that a time in proportion to the values is a straight line of one steepness.
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
#include "gpu/message.h"

namespace warpbook::app {
namespace {

using lessons::BreakEven;

constexpr float break_even_height_css = 190, break_even_labels_css = 62;

/// "20 µs", "1.5 ms", "2 s".
std::string short_time(double us) {
  if (us < 1e3) return say("{time} µs", "time"_a = short_number(us, 3));
  return us < 1e6 ? say("{time} ms", "time"_a = short_number(us / 1e3, 3)) : say("{time} s", "time"_a = short_number(us / 1e6, 3));
}

/// "256", "64 k", "1 M": powers of two as they are spoken of.
std::string short_count(double n) {
  if (n < 1024) return fmt::format("{:.0f}", n);
  return n < 1048576 ? fmt::format("{:.0f} k", n / 1024) : fmt::format("{:.0f} M", n / 1048576);
}

/// Where the chart is drawn.
struct LogPlot {
  Box box;
  double low_n = 1, high_n = 2, low_us = 1, high_us = 2;
  [[nodiscard]] float x(double n) const {
    return box.x0 + static_cast<float>(std::log(n / low_n) / std::log(high_n / low_n)) * box.width();
  }
  [[nodiscard]] float y(double us) const {
    const double at = std::clamp(us, low_us, high_us);
    return box.y1 - static_cast<float>(std::log(at / low_us) / std::log(high_us / low_us)) * box.height();
  }
};

LogPlot plot_of(const BreakEven& chart, const Box& box) {
  LogPlot plot{.box = box, .low_n = chart.points.front().n, .high_n = chart.points.back().n};
  double low = chart.points.front().gpu_us, high = low;
  for (const auto& point : chart.points) {
    for (const double us : {point.cpu_us, point.gpu_us, point.kernel_us}) {
      if (us <= 0) continue;
      low = std::min(low, us);
      high = std::max(high, us);
    }
  }
  // Whole decades, with room below the lines for a word.
  plot.low_us = std::pow(10, std::floor(std::log10(std::max(low / 2.5, 1e-3))));
  plot.high_us = std::pow(10, std::ceil(std::log10(std::max(high, 2 * plot.low_us))));
  if (plot.high_n <= plot.low_n) plot.high_n = 2 * plot.low_n;
  return plot;
}

void draw_decades(const Sheet& sheet, const BreakEven& chart, const LogPlot& plot) {
  const Theme& look = theme();
  sheet.draw->AddRectFilled(top_left(plot.box), bottom_right(plot.box), look.background.plot, px(look.radius.bar));
  for (double us = plot.low_us; us <= plot.high_us * 1.01; us *= 10) {
    const float y = snap(plot.y(us));
    hairline(sheet.draw, ImVec2(plot.box.x0, y), ImVec2(plot.box.x1, y), look.background.line);
    text(sheet.draw, Face::digits, ImVec2(plot.box.x0 - px(8), y - line_height(Face::digits) / 2), look.text.third, short_time(us),
         Align::right);
  }
  const float numbers = plot.box.y1 + px(5);
  float free = 0;
  for (std::size_t i = 0; i < chart.points.size(); i += 2) {
    const float x = snap(plot.x(chart.points[i].n));
    const std::string words = short_count(chart.points[i].n);
    const float half = text_width(Face::digits, words) / 2;
    hairline(sheet.draw, ImVec2(x, plot.box.y0), ImVec2(x, plot.box.y1), look.background.line);
    if (x - half < free) continue;
    text(sheet.draw, Face::digits, ImVec2(std::min(x, sheet.right() - half), numbers), look.text.third, words, Align::centre);
    free = x + half + px(8);
  }
}

/// Solid with dots where it was measured or run, dashed where it goes on.
template <class Time, class Sure>
void draw_times(const Sheet& sheet, const BreakEven& chart, const LogPlot& plot, ImU32 colour, float thick, Time time, Sure sure) {
  for (std::size_t i = 0; i < chart.points.size(); ++i) {
    const auto& point = chart.points[i];
    if (time(point) <= 0) continue;
    const ImVec2 here(plot.x(point.n), plot.y(time(point)));
    if (i > 0 && time(chart.points[i - 1]) > 0) {
      const ImVec2 before(plot.x(chart.points[i - 1].n), plot.y(time(chart.points[i - 1])));
      if (sure(point)) {
        sheet.draw->AddLine(before, here, colour, px(thick));
      } else {
        dashed_line(sheet.draw, before, here, colour, 4, 4, thick);
      }
    }
    if (sure(point)) sheet.draw->AddCircleFilled(here, px(thick + 0.75f), colour);
  }
}

void draw_marks(const Sheet& sheet, const BreakEven& chart, const LogPlot& plot) {
  const Theme& look = theme();
  if (chart.chosen >= plot.low_n && chart.chosen <= plot.high_n) {
    const float x = snap(plot.x(chart.chosen));
    const float below_words = plot.box.y0 + px(9) + line_height(Face::caption);
    dashed_line(sheet.draw, ImVec2(x, below_words), ImVec2(x, plot.box.y1), look.text.third, 2, 3, 1);
    const std::string words = say("this run");
    const float wide = px(8) + text_width(Face::caption, words);
    // Not across the line of the break-even, nor beyond the plot.
    const float even = chart.from < chart.points.size() ? plot.x(chart.points[chart.from].n) : plot.box.x1;
    const bool left = x + wide > plot.box.x1 || (even > x && even < x + wide);
    text(sheet.draw, Face::caption, ImVec2(left ? x - px(5) : x + px(5), plot.box.y1 - line_height(Face::caption) - px(3)),
         look.text.third, words, left ? Align::right : Align::left);
  }
  if (chart.from == 0 || chart.from >= chart.points.size()) return;
  const float x = snap(plot.x(chart.points[chart.from].n));
  sheet.draw->AddRectFilled(ImVec2(x, plot.box.y0), ImVec2(plot.box.x1, plot.box.y0 + px(3)), look.verdict.good);
  sheet.draw->AddRectFilled(ImVec2(x, plot.box.y0), ImVec2(x + px(1.5f), plot.box.y1), look.verdict.good);
  const std::string words = say("from here on the GPU is faster");
  const bool right = x + px(8) + text_width(Face::caption, words) < plot.box.x1;
  text(sheet.draw, Face::caption, ImVec2(right ? x + px(8) : x - px(6), plot.box.y0 + px(7)), look.verdict.good, words,
       right ? Align::left : Align::right);
}

void break_even_card(const Sheet& sheet, const BreakEven& chart, const LogPlot& plot) {
  const float mouse = ImGui::GetIO().MousePos.x;
  const auto nearest = std::min_element(chart.points.begin(), chart.points.end(), [&](const auto& l, const auto& r) {
    return std::abs(plot.x(l.n) - mouse) < std::abs(plot.x(r.n) - mouse);
  });
  const float x = snap(plot.x(nearest->n));
  const Box item{x - px(4), plot.box.y0, x + px(4), plot.box.y1};
  ring(sheet.draw, item, theme().text.first);
  const std::array<Fact, 4> facts = {
      Fact{nearest->cpu_measured ? say("one CPU core, measured") : say("one CPU core, in proportion"), short_time(nearest->cpu_us)},
      Fact{nearest->executed ? chart.model ? say("GPU with copies, model") : say("GPU with copies")
                             : say("GPU with copies, in proportion"),
           short_time(nearest->gpu_us)},
      Fact{say("its kernels alone"), short_time(nearest->kernel_us)},
      Fact{say("CPU over GPU"), short_number(nearest->cpu_us / nearest->gpu_us, 3)}};
  fact_card(sheet, item, {}, say("{n} values", "n"_a = grouped(static_cast<long long>(nearest->n))), "", facts);
}

}  // namespace

void draw_break_even(const BreakEven& chart, float width, ViewState& state) {
  const Sheet sheet = begin_view(width);
  const Theme& look = theme();
  if (chart.points.size() < 2) {
    end_view(sheet, title_row(sheet, say("There are no times to compare"), ""), state.stale);
    return;
  }
  float y = title_row(sheet, chart.title, "");
  const std::string gpu = chart.model ? say("GPU with its copies (model)") : say("GPU with its copies");
  const std::string kernels = chart.model ? say("its kernels alone (model)") : say("its kernels alone");
  const std::array<Swatch, 3> legend = {Swatch{Swatch::Shape::line, look.series.violet, say("one CPU core (measured)")},
                                        Swatch{Swatch::Shape::line, look.series.blue, gpu},
                                        Swatch{Swatch::Shape::line, look.series.green, kernels}};
  y += legend_rows(sheet, sheet.at.y + y, legend);
  const Box box{snap(sheet.at.x + px(break_even_labels_css)), snap(sheet.at.y + y + px(6)), snap(sheet.right() - px(4)),
                snap(sheet.at.y + y + px(6) + std::max(px(break_even_height_css) - state.shorter, px(110)))};
  const LogPlot plot = plot_of(chart, box);
  draw_decades(sheet, chart, plot);
  draw_marks(sheet, chart, plot);
  const auto executed = [](const auto& point) { return point.executed; };
  draw_times(
      sheet, chart, plot, look.series.green, 1, [](const auto& point) { return point.kernel_us; }, executed);
  draw_times(
      sheet, chart, plot, look.series.violet, 2, [](const auto& point) { return point.cpu_us; },
      [](const auto& point) { return point.cpu_measured; });
  draw_times(
      sheet, chart, plot, look.series.blue, 2, [](const auto& point) { return point.gpu_us; }, executed);
  if (mouse_over(box)) break_even_card(sheet, chart, plot);
  const float words = box.y1 + px(7) + line_height(Face::digits);
  text_clipped(sheet.draw, Face::caption, ImVec2(box.x0, words), box.width(), look.text.third,
               say("values (k = 1,024, M = 1,048,576); dashed: too large to run here, continued in proportion"));
  end_view(sheet, words + line_height(Face::caption) - sheet.at.y, state.stale);
}

}  // namespace warpbook::app
