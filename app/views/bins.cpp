// Bins: what was counted over what the CPU counted, and below it, in the same columns, which lanes of a warp wanted the same bin.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "app/text/numbers.h"
#include "app/views/parts.h"
#include "app/views/views.h"

namespace warpbook::app {
namespace {

/// Sums of `group` neighbours.
template <typename In>
std::vector<std::int64_t> grouped_sums(const std::vector<In>& bins, const BinColumns& columns) {
  std::vector<std::int64_t> sums(columns.columns);
  for (std::size_t i = 0; i < bins.size(); ++i) sums[std::min<std::size_t>(i / columns.group, sums.size() - 1)] += bins[i];
  return sums;
}

ImU32 ink_on(ImU32 background) {
  const auto channel = [&](int shift) { return static_cast<float>((background >> shift) & 0xff); };
  const float light = 0.299f * channel(IM_COL32_R_SHIFT) + 0.587f * channel(IM_COL32_G_SHIFT) + 0.114f * channel(IM_COL32_B_SHIFT);
  const bool dark_theme = theme().appearance == Appearance::dark;
  const ImU32 pale = dark_theme ? theme().text.first : theme().background.page,
              deep = dark_theme ? theme().background.plot : theme().text.first;
  return light < 128 ? pale : deep;
}

}  // namespace

void draw_bin_chart(const lessons::BinChart& chart, float width, ViewState& state) {
  const Sheet sheet = begin_view(width);
  const Theme& look = theme();
  const auto bins = static_cast<std::uint32_t>(std::max(chart.counted.size(), chart.reference.size()));
  const BinColumns columns = arrange_bins(bins, sheet.width, px(1));
  const auto counted = grouped_sums(chart.counted, columns), reference = grouped_sums(chart.reference, columns);
  const std::int64_t total = std::accumulate(counted.begin(), counted.end(), std::int64_t{0});
  const std::int64_t expected = std::accumulate(reference.begin(), reference.end(), std::int64_t{0});
  const auto miss = [&](std::size_t i) { return reference[i] - counted[i]; };
  bool wrong = false;
  for (std::size_t i = 0; i < counted.size(); ++i) wrong = wrong || miss(i) != 0;

  const std::string unit = columns.group == 1 ? "values in a bin" : fmt::format("values, {} bins a bar", columns.group);
  float y = title_row(sheet, wrong ? "What each bin should hold, and what was lost" : "Every bin holds what the CPU counted", unit);

  std::int64_t most = 1;
  for (std::size_t i = 0; i < counted.size(); ++i) most = std::max({most, counted[i], reference[i]});
  const float top = sheet.at.y + y + px(20), base = snap(top + px(196));
  // The axis ends at a round number where one is near, else at the tallest bar.
  const auto rough = axis_ticks(0, static_cast<double>(most), 4);
  const double tick_step = rough.size() > 1 ? std::max(rough[1], 1.0) : 1.0;
  const double rounded = std::ceil(static_cast<double>(most) / tick_step) * tick_step;
  const double full = rounded <= 1.1 * static_cast<double>(most) ? rounded : static_cast<double>(most);
  const auto tall = [&](std::int64_t value) { return snap(px(196) * static_cast<float>(static_cast<double>(value) / full)); };
  const float x0 = sheet.at.x + columns.x0, x1 = sheet.at.x + columns.x1;

  for (double tick = 0; tick <= full * (1 + 1e-9); tick += tick_step) {
    const float at = base - tall(static_cast<std::int64_t>(tick));
    sheet.draw->AddRectFilled(ImVec2(x0, at), ImVec2(x1, at + px(1)),
                              tick == 0 ? look.background.line_strong : look.background.line);
    text(sheet.draw, Face::digits, ImVec2(x0 - px(10), at - line_height(Face::digits) / 2), look.text.third,
         grouped(std::llround(tick)), Align::right);
  }

  struct Label {
    std::int64_t miss = 0;
    float x = 0, y = 0;
  };
  std::vector<Label> labels;
  std::vector<Box> avoid;
  const float pitch = (x1 - x0) / static_cast<float>(columns.columns);
  const float inset = pitch >= px(12) ? px(4) : pitch >= px(5) ? px(1) : 0;
  const bool outlined = pitch >= px(8);
  const float stroke = px(1.5f);
  for (std::uint32_t i = 0; i < columns.columns; ++i) {
    const float left = sheet.at.x + columns.edge(i) + inset, right = std::max(sheet.at.x + columns.edge(i + 1) - inset, left + 1);
    const float solid = base - tall(std::min(counted[i], reference[i])), should = base - tall(reference[i]),
                is = base - tall(counted[i]);
    sheet.draw->AddRectFilled(ImVec2(left, is), ImVec2(right, base), look.series.blue);
    if (miss(i) > 0) {
      const Box gap{left, should, right, solid};
      sheet.draw->AddRectFilled(top_left(gap), bottom_right(gap), look.verdict.bad_tint);
      if (outlined) {
        hatch(sheet.draw, top_left(gap), bottom_right(gap), with_alpha(look.verdict.bad, 0.55f));
      } else {
        hatch_narrow(sheet.draw, gap, with_alpha(look.verdict.bad, 0.8f));
      }
      avoid.push_back(gap);
    }
    if (miss(i) < 0) {  // more than there were: the surplus is wrong too
      hatch_narrow(sheet.draw, {left, is, right, should}, look.verdict.bad);
      avoid.push_back({left, is, right, should});
    }
    if (outlined) {
      const float half = stroke / 2;
      if (base - should >= 3) {
        const std::array<ImVec2, 4> path = {ImVec2(left + half, base), ImVec2(left + half, should + half),
                                            ImVec2(right - half, should + half), ImVec2(right - half, base)};
        sheet.draw->AddPolyline(path.data(), 4, look.series.stone, ImDrawFlags_None, stroke);
      } else {
        sheet.draw->AddRectFilled(ImVec2(left, base - px(1)), ImVec2(right, base + px(1)), look.series.stone);
      }
    } else {
      sheet.draw->AddRectFilled(ImVec2(left, should - px(1)), ImVec2(right, should), look.series.stone);
    }
    if (miss(i) != 0 && columns.group == 1) labels.push_back({miss(i), (left + right) / 2, std::min(should, is) - px(3)});
  }
  // What is missing above each bar, the largest first where they crowd.
  std::stable_sort(labels.begin(), labels.end(),
                   [](const Label& a, const Label& b) { return std::abs(a.miss) > std::abs(b.miss); });
  std::vector<Box> placed;
  for (const Label& label : labels) {
    if (!columns.labelled) break;
    const std::string words = fmt::format("{}{}", label.miss > 0 ? "−" : "+", grouped(std::abs(label.miss)));
    const float half = text_width(Face::digits, words) / 2, line = line_height(Face::digits);
    const Box box{label.x - half - px(2), label.y - line, label.x + half + px(2), label.y};
    if (std::any_of(placed.begin(), placed.end(), [&](const Box& other) { return overlap(other, box); })) continue;
    placed.push_back(box);
    avoid.push_back(box);
    sheet.draw->AddRectFilled(ImVec2(box.x0, box.y0 + px(2)), ImVec2(box.x1, box.y1 - px(1)), look.background.page);
    text(sheet.draw, Face::digits, ImVec2(label.x, box.y0), look.verdict.bad, words, Align::centre);
  }

  // Edges of the bins: as many as have room.
  const double bin_width = (chart.high - chart.low) / std::max(bins, 1u);
  // The first step that divides the bins, so that it ends at the last edge, and whose numbers fit.
  std::uint32_t step = 1;
  int decimals = 0;
  for (; step <= bins; ++step) {
    decimals = std::clamp(decimals_of(bin_width * step), step == 1 ? 1 : 0, 3);
    const float wide = std::max(text_width(Face::digits, fixed_number(chart.low, decimals)),
                                text_width(Face::digits, fixed_number(chart.high, decimals)));
    if (bins % step == 0 && static_cast<float>(step) * (x1 - x0) / static_cast<float>(bins) >= wide + px(8)) break;
  }
  step = std::max(std::min(step, bins), 1u);
  for (std::uint32_t edge = 0; edge <= bins; edge += step) {
    const float x = snap(x0 + (x1 - x0) * static_cast<float>(edge) / static_cast<float>(bins));
    sheet.draw->AddRectFilled(ImVec2(x, base), ImVec2(x + px(1), base + px(4)), look.background.line_strong);
    text(sheet.draw, Face::digits, ImVec2(x, base + px(5)), look.text.third, fixed_number(chart.low + bin_width * edge, decimals),
         Align::centre);
  }

  // The table below: a number a bin where it fits, the totals always.
  y = base + px(30) - sheet.at.y;
  float widest = 0;
  for (std::size_t i = 0; i < counted.size(); ++i) {
    widest = std::max({widest, text_width(Face::digits, grouped(counted[i])), text_width(Face::digits, grouped(reference[i]))});
  }
  const bool numbers = columns.labelled && widest + px(4) <= pitch;
  const auto table_row = [&](const char* name, const std::vector<std::int64_t>& values, std::int64_t sum, ImU32 colour,
                             bool solid) {
    const float line = px(20), at = sheet.at.y + y, text_y = at + (line - line_height(Face::digits)) / 2;
    const Box box{sheet.at.x, snap(at + px(4)), sheet.at.x + px(12), snap(at + px(16))};
    if (solid) {
      sheet.draw->AddRectFilled(top_left(box), bottom_right(box), colour, px(look.radius.bar));
    } else {
      sheet.draw->AddRect(top_left(box), bottom_right(box), colour, px(look.radius.bar), 0, px(1.5f));
    }
    text(sheet.draw, Face::caption, ImVec2(sheet.at.x + px(20), at + (line - line_height(Face::caption)) / 2), colour, name);
    for (std::uint32_t i = 0; numbers && i < columns.columns; ++i) {
      text(sheet.draw, Face::digits, ImVec2(sheet.at.x + (columns.edge(i) + columns.edge(i + 1)) / 2, text_y), colour,
           grouped(values[i]), Align::centre);
    }
    text(sheet.draw, Face::digits, ImVec2(sheet.right(), text_y), colour, grouped(sum), Align::right);
    y += line;
  };
  const float first_number = columns.x0 + (numbers ? (pitch - widest) / 2 : 0);
  const bool reference_fits = px(20) + text_width(Face::caption, "CPU reference") + px(6) <= first_number;
  table_row("counted", counted, total, look.series.blue, true);
  table_row(reference_fits ? "CPU reference" : "CPU", reference, expected, look.text.first, false);
  if (!numbers) {
    const float at = sheet.at.y + y - px(40);
    const std::int64_t gone = expected - total;
    const std::string words = gone > 0 ? grouped(gone) + " missing" : gone < 0 ? grouped(-gone) + " too many" : "none missing";
    text(sheet.draw, Face::caption, ImVec2(x0, at + px(2)), gone == 0 ? look.text.third : look.verdict.bad, words);
    text(sheet.draw, Face::caption, ImVec2(x0, at + px(22)), look.text.third, fmt::format("all {} bins together", grouped(bins)));
  }

  for (std::uint32_t i = 0; i < columns.columns; ++i) {
    const Box column{sheet.at.x + columns.edge(i), top - px(16), sheet.at.x + columns.edge(i + 1), base};
    if (!mouse_over(column)) continue;
    const float item_top = base - tall(std::max(counted[i], reference[i]));
    const Box item{column.x0 + inset, std::min(item_top, base - px(4)), std::max(column.x1 - inset, column.x0 + inset + px(2)),
                   base};
    ring(sheet.draw, item, look.text.first);
    const std::uint32_t first = i * columns.group, last = std::min(first + columns.group, bins);
    const int fine = std::max(decimals, std::clamp(decimals_of(bin_width), 1, 4));
    std::vector<Fact> facts = {{"counted", grouped(counted[i]), look.series.blue}, {"CPU reference", grouped(reference[i])}};
    if (miss(i) > 0) facts.push_back({"missing", grouped(miss(i)), look.verdict.bad});
    if (miss(i) < 0) facts.push_back({"too many", grouped(-miss(i)), look.verdict.bad});
    fact_card(sheet, item, avoid, columns.group == 1 ? fmt::format("Bin {}", first) : fmt::format("Bins {} to {}", first, last - 1),
              fmt::format("{} ≤ x < {}", fixed_number(chart.low + bin_width * first, fine),
                          fixed_number(chart.low + bin_width * last, fine)),
              facts);
  }
  end_view(sheet, y, state.stale);
}

void draw_bin_lanes(const lessons::BinLanes& lanes, float width, ViewState& state) {
  const Sheet sheet = begin_view(width);
  const Theme& look = theme();
  std::size_t bins = 1;
  for (const auto& row : lanes.rows) bins = std::max(bins, row.lanes.size());
  const BinColumns columns = arrange_bins(static_cast<std::uint32_t>(bins), sheet.width, px(1));
  const float y = title_row(sheet, "Lanes of one warp that want the same bin", "atomic passes");

  const float pitch = px(20), height = px(18);
  const float passes_x0 = sheet.at.x + columns.x1 + px(24), number_x = sheet.right();
  const float passes_x1 = number_x - px(24);
  const double scale = std::max(lanes.worst_passes, 1.0);
  const float column = (columns.x1 - columns.x0) / static_cast<float>(columns.columns);
  const bool numbers = columns.labelled;
  const float gap = column >= px(6) ? std::max(px(2), 1.0f) : column >= px(3) ? 1 : 0;
  std::int64_t most = 1;
  for (const auto& row : lanes.rows) {
    for (const std::int64_t lane : grouped_sums(row.lanes, columns)) most = std::max(most, lane);
  }
  const auto shown = std::min<std::size_t>(lanes.rows.size(), 8);
  const float x_end = snap(passes_x0 + (passes_x1 - passes_x0));
  const float rows_y = sheet.at.y + y, rows_end = rows_y + static_cast<float>(shown) * pitch;
  dashed_line(sheet.draw, ImVec2(x_end, rows_y - px(4)), ImVec2(x_end, rows_end), look.text.third, 2, 3, 1);

  for (std::size_t r = 0; r < shown; ++r) {
    const auto& row = lanes.rows[r];
    const float top = rows_y + static_cast<float>(r) * pitch, bottom = top + height;
    text(sheet.draw, Face::caption, ImVec2(sheet.at.x, top + (height - line_height(Face::caption)) / 2), look.text.second,
         fmt::format("block {}, warp {}", row.block, row.warp));
    const auto wants = grouped_sums(row.lanes, columns);
    const std::int64_t fullest = wants.empty() ? 0 : *std::max_element(wants.begin(), wants.end());
    if (gap == 0) {  // one strip behind columns too thin for cells of their own
      sheet.draw->AddRectFilled(ImVec2(sheet.at.x + columns.x0, top), ImVec2(sheet.at.x + columns.x1, bottom),
                                look.background.plot);
    }
    for (std::uint32_t i = 0; i < columns.columns; ++i) {
      const Box cell{sheet.at.x + columns.edge(i) + std::floor(gap / 2), top, sheet.at.x + columns.edge(i + 1) - std::ceil(gap / 2),
                     bottom};
      const std::int64_t want = i < wants.size() ? wants[i] : 0;
      const float share = static_cast<float>(want) / static_cast<float>(std::max<std::int64_t>(most, 8));
      const ImU32 colour = want == 0 ? look.background.plot : mix(look.background.plot, look.series.blue, 0.1f + 0.8f * share);
      const float radius = column >= px(6) ? px(look.radius.bar) : 0;
      if (want > 0 || gap > 0) sheet.draw->AddRectFilled(top_left(cell), bottom_right(cell), colour, radius);
      if (want > 0 && numbers)
        text_inside(sheet.draw, want == fullest ? Face::digits_strong : Face::digits, cell, ink_on(colour), fmt::format("{}", want),
                    0);
      if (mouse_over({cell.x0, top, cell.x1, bottom})) {
        const Box line{sheet.at.x + columns.x0, top, sheet.at.x + columns.x1, bottom};
        ring(sheet.draw, line, with_alpha(look.text.first, 0.55f), 1, 3, 1);
        ring(sheet.draw, cell, look.text.first);
        const std::array<Fact, 2> facts = {Fact{"lanes that want it", fmt::format("{} of 32", want)},
                                           Fact{"passes of this request", fmt::format("{}", row.passes)}};
        const std::uint32_t first = i * columns.group, last = std::min<std::uint32_t>(first + columns.group, columns.bins);
        fact_card(sheet, cell, {},
                  columns.group == 1 ? fmt::format("Bin {}", first) : fmt::format("Bins {} to {}", first, last - 1),
                  fmt::format("block {}, warp {}", row.block, row.warp), facts);
      }
    }
    const float length = snap((passes_x1 - passes_x0) * static_cast<float>(std::min(row.passes / scale, 1.0)));
    const float middle = snap(top + height / 2);
    sheet.draw->AddRectFilled(ImVec2(passes_x0, middle - px(4)), ImVec2(passes_x0 + std::max(length, px(2)), middle + px(4)),
                              look.series.blue, px(look.radius.bar));
    text(sheet.draw, Face::digits, ImVec2(number_x, top + (height - line_height(Face::digits)) / 2), look.text.first,
         fmt::format("{}", row.passes), Align::right);
  }

  const float foot = rows_end + px(8);
  text(sheet.draw, Face::caption, ImVec2(sheet.at.x, foot), look.text.second,
       lanes.requests == 1 ? "the only request" : fmt::format("mean of {} requests", grouped(lanes.requests)));
  const float word = text_width(Face::label_strong, " passes");
  text(sheet.draw, Face::label_strong, ImVec2(sheet.right(), foot), look.text.first, "passes", Align::right);
  text(sheet.draw, Face::digits_strong, ImVec2(sheet.right() - word, foot), look.text.first, fixed_number(lanes.mean_passes, 1),
       Align::right);
  text(sheet.draw, Face::caption, ImVec2(sheet.right(), foot + px(17)), look.text.third,
       fmt::format("all in one bin: {}", fixed_number(lanes.worst_passes, 1)), Align::right);
  end_view(sheet, foot + px(33) - sheet.at.y, state.stale);
}

}  // namespace warpbook::app
