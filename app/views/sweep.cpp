#include "app/views/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/text/numbers.h"
#include "app/views/parts.h"
#include "app/views/sweep_layout.h"
#include "gpu/message.h"

namespace warpbook::app {
namespace {

using lessons::SweepAxis;
using lessons::SweepChart;
using Cell = SweepChart::Cell;

constexpr std::size_t facts_told = 14;
constexpr double much_for_colours = 20;  // then they are logarithmic
constexpr float faintest = 0.14f;        // of the colour map: the darkest cells still stand out from a dark page

std::string value_words(double value, int decimals) {
  return decimals == 0 ? grouped(std::llround(value)) : fixed_number(value, decimals);
}

/// An axis' numbers: as exact as its ticks need, and never "4.00e+03" where 4,000 will do.
std::string tick_words(double value) {
  if (std::abs(value) >= 1000 && value == std::floor(value)) return grouped(std::llround(value));
  return short_number(value, 4);
}

std::string with_unit(const SweepChart& chart) { return chart.unit.empty() ? chart.label : chart.label + ", " + chart.unit; }

std::string point_words(const SweepChart& chart, std::size_t point) {
  std::string words;
  for (const SweepAxis& axis : chart.axes) {
    words += fmt::format("{}{} {}", words.empty() ? "" : ", ", axis.label, axis.words[point % axis.words.size()]);
    point /= axis.words.size();
  }
  return words;
}

/// "Threads per block" → "threads per block"
std::string within_sentence(std::string words) {
  if (words.size() > 1 && words[1] >= 'a' && words[1] <= 'z' && words[0] >= 'A' && words[0] <= 'Z')
    words[0] = static_cast<char>(words[0] - 'A' + 'a');
  return words;
}

void point_card(const Sheet& sheet, const SweepChart& chart, std::size_t point, const SweepMouse& at, const Box& item) {
  if (!at.facts) return;
  std::vector<SweepFact> told = at.facts(point);
  if (told.size() > facts_told) {
    const std::size_t more = told.size() - facts_told + 1;
    told.resize(facts_told - 1);
    told.push_back({say("{n} more in the CSV", "n"_a = more), ""});
  }
  std::vector<Fact> facts;
  for (SweepFact& fact : told) {
    const ImU32 ink = fact.bad ? theme().verdict.bad : facts.empty() ? theme().text.first : theme().text.second;
    facts.push_back({std::move(fact.label), std::move(fact.value), ink});
  }
  fact_card(sheet, item, {}, point_words(chart, point), say("click sets the controls"), facts);
}

/// Values are digits, options are words.
Face face_of(const SweepAxis& axis) { return axis.named ? Face::label : Face::digits; }

/// Labels of the axis below: those that fit, and the control's name under them.
void axis_below(const Sheet& sheet, const SweepAxis& axis, const std::vector<float>& middles, const Box& plot,
                std::string_view name) {
  const Theme& look = theme();
  std::vector<float> widths;
  for (const std::string& words : axis.words) widths.push_back(text_width(face_of(axis), words));
  const float y = plot.y1 + px(11);  // below the mark of where the controls stand
  for (const std::size_t i : labels_that_fit(middles, widths, px(10))) {
    text(sheet.draw, face_of(axis), ImVec2(snap(middles[i]), y), look.text.third, axis.words[i], Align::centre);
  }
  text(sheet.draw, Face::caption, ImVec2((plot.x0 + plot.x1) / 2, y + px(18)), look.text.second, name, Align::centre);
}

// ---- one control ----

void draw_lines(const Sheet& sheet, const SweepChart& chart, const Box& area, SweepMouse& at) {
  const Theme& look = theme();
  const SweepAxis& axis = chart.axes.front();
  // A bar's length speaks: it begins at 0.
  const double least = axis.named ? std::min(chart.least, 0.0) : chart.least;
  const ValueScale scale = scale_for(least, chart.most, area.height() > px(280) ? 6 : 4, chart.decimals == 0);
  float numbers = 0;
  for (const double tick : scale.ticks) numbers = std::max(numbers, text_width(Face::digits, tick_words(tick)));
  const float caption = line_height(Face::caption) + px(12);
  const Box plot{snap(area.x0 + numbers + px(10)), snap(area.y0 + caption), snap(area.x1 - px(8)), snap(area.y1 - px(48))};
  text(sheet.draw, Face::caption, ImVec2(area.x0, area.y0), look.text.second,
       scale.logarithmic ? say("{what}, logarithmic", "what"_a = with_unit(chart)) : with_unit(chart));
  const auto y_of = [&](double value) { return snap(plot.y1 - static_cast<float>(scale.share(value)) * plot.height()); };
  for (const double tick : scale.ticks) {
    const float y = y_of(tick);
    hairline(sheet.draw, ImVec2(plot.x0, y), ImVec2(plot.x1, y), look.background.line);
    text(sheet.draw, Face::digits, ImVec2(plot.x0 - px(10), y - line_height(Face::digits) / 2), look.text.third, tick_words(tick),
         Align::right);
  }
  hairline(sheet.draw, ImVec2(plot.x0, plot.y1), ImVec2(plot.x1, plot.y1), look.background.line_strong);

  const float inset = axis.named ? 0 : px(14);
  std::vector<float> middles;
  for (const double place : places_of(axis)) {
    middles.push_back(snap(plot.x0 + inset + static_cast<float>(place) * (plot.width() - 2 * inset)));
  }
  axis_below(sheet, axis, middles, plot, axis.logarithmic ? say("{what}, logarithmic", "what"_a = axis.label) : axis.label);

  if (mouse_over(plot)) {
    const float mouse = ImGui::GetIO().MousePos.x;
    const auto nearest = std::min_element(middles.begin(), middles.end(),
                                          [&](float a, float b) { return std::abs(a - mouse) < std::abs(b - mouse); });
    at.hovered = static_cast<std::size_t>(nearest - middles.begin());
    sheet.draw->AddRectFilled(ImVec2(*nearest, plot.y0), ImVec2(*nearest + std::max(px(1), 1.0f), plot.y1),
                              look.background.line_strong);
  }
  if (at.here) {  // the learner's hand: where the controls stand
    const float x = middles[*at.here];
    sheet.draw->AddTriangleFilled(ImVec2(x, plot.y1 + px(2)), ImVec2(x + px(5), plot.y1 + px(9)),
                                  ImVec2(x - px(5), plot.y1 + px(9)), look.hand.line);
  }
  // Between neighbours that are both there; words have no distance, so nothing leads from one to the next.
  for (std::size_t i = 1; i < middles.size() && !axis.named; ++i) {
    if (chart.cells[i - 1].state != Cell::State::there || chart.cells[i].state != Cell::State::there) continue;
    sheet.draw->AddLine(ImVec2(middles[i - 1], y_of(chart.cells[i - 1].value)), ImVec2(middles[i], y_of(chart.cells[i].value)),
                        look.series.blue, px(2));
  }
  const float radius = px(middles.size() > 64 ? 2.0f : 3.5f);
  for (std::size_t i = 0; i < middles.size(); ++i) {
    const Cell& cell = chart.cells[i];
    const ImVec2 spot(middles[i], cell.state == Cell::State::there ? y_of(cell.value) : plot.y1 - px(14));
    if (cell.state == Cell::State::failed) cross(sheet.draw, spot, px(9), look.verdict.bad);
    if (cell.state == Cell::State::there) {
      if (axis.named) {
        const float half = std::min(plot.width() / static_cast<float>(middles.size()) * 0.3f, px(28));
        const Box bar{spot.x - half, std::min(spot.y, y_of(std::max(scale.low, 0.0))), spot.x + half, plot.y1};
        sheet.draw->AddRectFilled(top_left(bar), bottom_right(bar), look.series.blue, px(look.radius.bar),
                                  ImDrawFlags_RoundCornersTop);
        text(sheet.draw, Face::digits, ImVec2(spot.x, bar.y0 - line_height(Face::digits) - px(2)), look.text.second,
             value_words(cell.value, chart.decimals), Align::centre);
      } else {
        sheet.draw->AddCircleFilled(spot, radius, look.series.blue, 16);
      }
    }
    const Box place{spot.x - px(6), spot.y - px(6), spot.x + px(6), spot.y + px(6)};
    at.places.push_back(place);
    if (at.hovered != i) continue;
    if (cell.state == Cell::State::there) sheet.draw->AddCircle(spot, px(7), look.text.first, 20, px(1.5f));
    point_card(sheet, chart, i, at, {spot.x - px(8), spot.y - px(8), spot.x + px(8), spot.y + px(8)});
  }
}

// ---- two controls ----

/// Values as colours: linear, or logarithmic where they differ by much.
struct Colours {
  double least = 0, most = 1;
  bool logarithmic = false;
  [[nodiscard]] float share(double value) const {
    if (most <= least) return 0.5f;
    if (logarithmic) return static_cast<float>(std::log(value / least) / std::log(most / least));
    return static_cast<float>((value - least) / (most - least));
  }
  [[nodiscard]] static ImU32 of_share(float share) { return sample(theme().ramp.sea, faintest + (1 - faintest) * share); }
};

/// Dark ink on light cells, light ink on dark ones: the ends of the same colour map.
ImU32 ink_over(ImU32 fill) {
  const ImVec4 c = ImGui::ColorConvertU32ToFloat4(fill);
  const Ramp& ramp = theme().ramp.sea;
  return 0.2126f * c.x + 0.7152f * c.y + 0.0722f * c.z > 0.5f ? ramp.front() : ramp.back();
}

void draw_colour_bar(const Sheet& sheet, const SweepChart& chart, const Colours& colours, ImVec2 right_top) {
  const Theme& look = theme();
  const float width = px(120), height = px(8), line = line_height(Face::digits);
  const std::string least = value_words(chart.least, chart.decimals), most = value_words(chart.most, chart.decimals);
  float x = right_top.x - text_width(Face::digits, most);
  text(sheet.draw, Face::digits, ImVec2(x, right_top.y), look.text.third, most);
  x -= px(8) + width;
  constexpr int steps = 40;
  for (int i = 0; i < steps; ++i) {
    const float from = snap(x + width * static_cast<float>(i) / steps), to = snap(x + width * static_cast<float>(i + 1) / steps);
    sheet.draw->AddRectFilled(ImVec2(from, snap(right_top.y + (line - height) / 2)),
                              ImVec2(to, snap(right_top.y + (line + height) / 2)),
                              Colours::of_share((static_cast<float>(i) + 0.5f) / steps));
  }
  x -= px(8) + text_width(Face::digits, least);
  text(sheet.draw, Face::digits, ImVec2(x, right_top.y), look.text.third, least);
  const std::string words = colours.logarithmic ? say("{what}, logarithmic", "what"_a = with_unit(chart)) : with_unit(chart);
  text(sheet.draw, Face::caption, ImVec2(x - px(12), right_top.y), look.text.second, words, Align::right);
}

void draw_heat_map(const Sheet& sheet, const SweepChart& chart, const Box& area, SweepMouse& at) {
  const Theme& look = theme();
  const SweepAxis &across = chart.axes[0], &up = chart.axes[1];
  const std::size_t columns = across.values.size(), rows = up.values.size();
  const Colours colours{chart.least, chart.most, chart.least > 0 && chart.most / chart.least > much_for_colours};
  float words = 0;
  for (const std::string& label : up.words) words = std::max(words, text_width(face_of(up), label));
  const float caption = line_height(Face::caption) + px(12);
  const Box plot{snap(area.x0 + words + px(10)), snap(area.y0 + caption), area.x1, snap(area.y1 - px(48))};
  text(sheet.draw, Face::caption, ImVec2(area.x0, area.y0), look.text.second, up.label);
  const bool any =
      std::any_of(chart.cells.begin(), chart.cells.end(), [](const Cell& cell) { return cell.state == Cell::State::there; });
  if (any) draw_colour_bar(sheet, chart, colours, ImVec2(area.x1, area.y0));

  const auto x_of = [&](std::size_t column) {
    return snap(plot.x0 + plot.width() * static_cast<float>(column) / static_cast<float>(columns));
  };
  const auto y_of = [&](std::size_t row) {
    return snap(plot.y1 - plot.height() * static_cast<float>(row) / static_cast<float>(rows));
  };
  std::vector<float> middles, heights, levels;
  for (std::size_t c = 0; c < columns; ++c) middles.push_back((x_of(c) + x_of(c + 1)) / 2);
  axis_below(sheet, across, middles, plot, across.label);
  for (std::size_t r = 0; r < rows; ++r) levels.push_back((y_of(rows - r - 1) + y_of(rows - r)) / 2);  // from the top
  heights.assign(rows, line_height(Face::digits));
  for (const std::size_t i : labels_that_fit(levels, heights, 0)) {
    text(sheet.draw, face_of(up), ImVec2(plot.x0 - px(10), levels[i] - line_height(face_of(up)) / 2), look.text.third,
         up.words[rows - 1 - i], Align::right);
  }

  const float gap =
      plot.width() / static_cast<float>(columns) > px(8) && plot.height() / static_cast<float>(rows) > px(8) ? px(2) : 0;
  std::optional<Box> ringed, under_mouse;
  // Values in the cells where the widest of them fits: some with and some without would say that the others are missing.
  float widest = 0;
  for (const Cell& cell : chart.cells) {
    if (cell.state == Cell::State::there)
      widest = std::max(widest, text_width(Face::digits, value_words(cell.value, chart.decimals)));
  }
  const bool numbers = widest + px(8) < plot.width() / static_cast<float>(columns) - gap &&
                       line_height(Face::digits) + px(2) < plot.height() / static_cast<float>(rows) - gap;
  for (std::size_t i = 0; i < chart.cells.size(); ++i) {
    const std::size_t column = i % columns, row = i / columns;
    const Box box{x_of(column), y_of(row + 1), x_of(column + 1) - gap, y_of(row) - gap};
    const Cell& cell = chart.cells[i];
    sheet.draw->AddRectFilled(top_left(box), bottom_right(box), look.background.plot);
    if (cell.state == Cell::State::failed) hatch_narrow(sheet.draw, box, look.verdict.bad);
    if (cell.state == Cell::State::there) {
      const ImU32 fill = Colours::of_share(colours.share(cell.value));
      sheet.draw->AddRectFilled(top_left(box), bottom_right(box), fill);
      if (numbers) (void)text_inside(sheet.draw, Face::digits, box, ink_over(fill), value_words(cell.value, chart.decimals), 2);
    }
    at.places.push_back(box);
    if (at.here == i) ringed = box;
    if (mouse_over({box.x0, box.y0, box.x1 + gap, box.y1 + gap})) {
      at.hovered = i;
      under_mouse = box;
    }
  }
  if (ringed) ring(sheet.draw, *ringed, look.hand.line, 2, 2, 0);
  if (!under_mouse) return;
  ring(sheet.draw, *under_mouse, look.text.first);
  point_card(sheet, chart, *at.hovered, at, *under_mouse);
}

}  // namespace

void draw_sweep(const SweepChart& chart, float width, float height, SweepMouse& at) {
  const Sheet sheet = begin_view(width);
  const Box area{sheet.at.x, sheet.at.y, sheet.right(), sheet.at.y + height};
  if (chart.axes.size() == 1) {
    draw_lines(sheet, chart, area, at);
  } else {
    draw_heat_map(sheet, chart, area, at);
  }
  if (at.hovered && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) at.clicked = at.hovered;
  end_view(sheet, height, false);
}

void draw_sweep_sheet(const SweepChart& chart) {
  const Theme& look = theme();
  const float margin = px(32), width = px(sweep_sheet_width) - 2 * margin;
  ImDrawList* draw = ImGui::GetWindowDrawList();
  float y = margin;
  const std::string first = chart.axes.empty() ? std::string() : within_sentence(chart.axes.front().label);
  const std::string title = chart.axes.size() < 2 ? say("{result} by {control}", "result"_a = chart.label, "control"_a = first)
                                                  : say("{result} by {control} and {other}", "result"_a = chart.label,
                                                        "control"_a = first, "other"_a = within_sentence(chart.axes[1].label));
  text_clipped(draw, Face::title, ImVec2(margin, y), width, look.text.first, title);
  y += line_height(Face::title);
  text_clipped(draw, Face::body, ImVec2(margin, y), width, look.text.second,
               say("{lesson}, on {device}", "lesson"_a = chart.lesson, "device"_a = chart.device));
  y += line_height(Face::body) + px(16);
  const float foot = px(sweep_sheet_height) - margin - line_height(Face::caption);
  ImGui::SetCursorScreenPos(ImVec2(margin, y));
  SweepMouse nobody;
  draw_sweep(chart, width, foot - px(12) - y, nobody);
  text_clipped(draw, Face::caption, ImVec2(margin, foot), width, look.text.third,
               chart.others.empty() ? "" : say("With {settings}", "settings"_a = chart.others));
}

}  // namespace warpbook::app
