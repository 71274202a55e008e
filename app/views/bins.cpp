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
#include "gpu/message.h"

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

/// The bars and what stands around them. Its steps are drawn in the order in which they are declared.
class BinPlot {
 public:
  BinPlot(const lessons::BinChart& chart, const Sheet& sheet) : sheet_(sheet), chart_(chart) {}

  [[nodiscard]] std::string title() const {
    return any_miss() ? say("What each bin should hold, and what was lost") : say("Every bin holds what the CPU counted");
  }
  [[nodiscard]] std::string unit() const {
    return columns_.group == 1 ? std::string(say("values in a bin"))
                               : say("values, {group} bins a bar", "group"_a = columns_.group);
  }
  void begin(float title_height) {
    top_ = sheet_.at.y + title_height + px(20);
    base_ = snap(top_ + px(196));
  }
  void axis();
  void bars();
  void missing();
  void edges();
  [[nodiscard]] float table();  // height of the whole view
  void card() const;            // of the bar under the mouse

 private:
  struct Label {
    std::int64_t miss = 0;
    float x = 0, y = 0;
  };

  [[nodiscard]] std::int64_t miss(std::size_t i) const { return reference_[i] - counted_[i]; }
  [[nodiscard]] bool any_miss() const { return counted_ != reference_; }
  [[nodiscard]] float tall(std::int64_t value) const {
    return snap(px(196) * static_cast<float>(static_cast<double>(value) / full_));
  }
  void bar(std::uint32_t i);
  void outline(float left, float right, float should) const;
  [[nodiscard]] float widest_number() const;
  void table_row(float& y, std::string_view name, const std::vector<std::int64_t>& values, ImU32 colour, bool solid) const;
  void sums_below(float y) const;

  const Sheet& sheet_;
  const lessons::BinChart& chart_;
  const Theme& look_ = theme();
  const std::uint32_t bins_ = static_cast<std::uint32_t>(std::max(chart_.counted.size(), chart_.reference.size()));
  const BinColumns columns_ = arrange_bins(bins_, sheet_.width, px(1));
  const std::vector<std::int64_t> counted_ = grouped_sums(chart_.counted, columns_);
  const std::vector<std::int64_t> reference_ = grouped_sums(chart_.reference, columns_);
  const float x0_ = sheet_.at.x + columns_.x0, x1_ = sheet_.at.x + columns_.x1;
  const float pitch_ = (x1_ - x0_) / static_cast<float>(columns_.columns);
  const float inset_ = pitch_ >= px(12) ? px(4) : pitch_ >= px(5) ? px(1) : 0;
  const bool outlined_ = pitch_ >= px(8);
  float top_ = 0, base_ = 0;
  double full_ = 1;            // the value at the top of the axis
  bool numbers_ = false;       // whether the table has room for a number a bin
  int decimals_ = 0;           // of the edges' numbers
  std::vector<Label> labels_;  // of bars that miss something
  std::vector<Box> avoid_;     // what a card must not cover
};

void BinPlot::axis() {
  std::int64_t most = 1;
  for (std::size_t i = 0; i < counted_.size(); ++i) most = std::max({most, counted_[i], reference_[i]});
  // The axis ends at a round number where one is near, else at the tallest bar.
  const auto rough = axis_ticks(0, static_cast<double>(most), 4);
  const double tick_step = rough.size() > 1 ? std::max(rough[1], 1.0) : 1.0;
  const double rounded = std::ceil(static_cast<double>(most) / tick_step) * tick_step;
  full_ = rounded <= 1.1 * static_cast<double>(most) ? rounded : static_cast<double>(most);
  for (double tick = 0; tick <= full_ * (1 + 1e-9); tick += tick_step) {
    const float at = base_ - tall(static_cast<std::int64_t>(tick));
    sheet_.draw->AddRectFilled(ImVec2(x0_, at), ImVec2(x1_, at + px(1)),
                               tick == 0 ? look_.background.line_strong : look_.background.line);
    text(sheet_.draw, Face::digits, ImVec2(x0_ - px(10), at - line_height(Face::digits) / 2), look_.text.third,
         grouped(std::llround(tick)), Align::right);
  }
}

void BinPlot::bars() {
  for (std::uint32_t i = 0; i < columns_.columns; ++i) bar(i);
}

void BinPlot::bar(std::uint32_t i) {
  const float left = sheet_.at.x + columns_.edge(i) + inset_,
              right = std::max(sheet_.at.x + columns_.edge(i + 1) - inset_, left + 1);
  const float solid = base_ - tall(std::min(counted_[i], reference_[i])), should = base_ - tall(reference_[i]),
              is = base_ - tall(counted_[i]);
  sheet_.draw->AddRectFilled(ImVec2(left, is), ImVec2(right, base_), look_.series.blue);
  if (miss(i) > 0) {
    const Box gap{left, should, right, solid};
    sheet_.draw->AddRectFilled(top_left(gap), bottom_right(gap), look_.verdict.bad_tint);
    if (outlined_) {
      hatch(sheet_.draw, top_left(gap), bottom_right(gap), with_alpha(look_.verdict.bad, 0.55f));
    } else {
      hatch_narrow(sheet_.draw, gap, with_alpha(look_.verdict.bad, 0.8f));
    }
    avoid_.push_back(gap);
  }
  if (miss(i) < 0) {  // more than there were: the surplus is wrong too
    hatch_narrow(sheet_.draw, {left, is, right, should}, look_.verdict.bad);
    avoid_.push_back({left, is, right, should});
  }
  outline(left, right, should);
  if (miss(i) != 0 && columns_.group == 1) labels_.push_back({miss(i), (left + right) / 2, std::min(should, is) - px(3)});
}

/// What the bar should hold.
void BinPlot::outline(float left, float right, float should) const {
  if (!outlined_) return sheet_.draw->AddRectFilled(ImVec2(left, should - px(1)), ImVec2(right, should), look_.series.stone);
  const float stroke = px(1.5f), half = stroke / 2;
  if (base_ - should < 3)
    return sheet_.draw->AddRectFilled(ImVec2(left, base_ - px(1)), ImVec2(right, base_ + px(1)), look_.series.stone);
  const std::array<ImVec2, 4> path = {ImVec2(left + half, base_), ImVec2(left + half, should + half),
                                      ImVec2(right - half, should + half), ImVec2(right - half, base_)};
  sheet_.draw->AddPolyline(path.data(), 4, look_.series.stone, ImDrawFlags_None, stroke);
}

/// What is missing above each bar, the largest first where they crowd.
void BinPlot::missing() {
  std::stable_sort(labels_.begin(), labels_.end(),
                   [](const Label& a, const Label& b) { return std::abs(a.miss) > std::abs(b.miss); });
  std::vector<Box> placed;
  for (const Label& label : labels_) {
    if (!columns_.labelled) break;
    const std::string words = fmt::format("{}{}", label.miss > 0 ? "−" : "+", grouped(std::abs(label.miss)));
    const float half = text_width(Face::digits, words) / 2, line = line_height(Face::digits);
    const Box box{label.x - half - px(2), label.y - line, label.x + half + px(2), label.y};
    if (std::any_of(placed.begin(), placed.end(), [&](const Box& other) { return overlap(other, box); })) continue;
    placed.push_back(box);
    avoid_.push_back(box);
    sheet_.draw->AddRectFilled(ImVec2(box.x0, box.y0 + px(2)), ImVec2(box.x1, box.y1 - px(1)), look_.background.page);
    text(sheet_.draw, Face::digits, ImVec2(label.x, box.y0), look_.verdict.bad, words, Align::centre);
  }
}

/// Edges of the bins: as many as have room.
void BinPlot::edges() {
  const double bin_width = (chart_.high - chart_.low) / std::max(bins_, 1u);
  // The first step that divides the bins, so that it ends at the last edge, and whose numbers fit.
  std::uint32_t step = 1;
  for (; step <= bins_; ++step) {
    decimals_ = std::clamp(decimals_of(bin_width * step), step == 1 ? 1 : 0, 3);
    const float wide = std::max(text_width(Face::digits, fixed_number(chart_.low, decimals_)),
                                text_width(Face::digits, fixed_number(chart_.high, decimals_)));
    if (bins_ % step == 0 && static_cast<float>(step) * (x1_ - x0_) / static_cast<float>(bins_) >= wide + px(8)) break;
  }
  step = std::max(std::min(step, bins_), 1u);
  for (std::uint32_t edge = 0; edge <= bins_; edge += step) {
    const float x = snap(x0_ + (x1_ - x0_) * static_cast<float>(edge) / static_cast<float>(bins_));
    sheet_.draw->AddRectFilled(ImVec2(x, base_), ImVec2(x + px(1), base_ + px(4)), look_.background.line_strong);
    text(sheet_.draw, Face::digits, ImVec2(x, base_ + px(5)), look_.text.third,
         fixed_number(chart_.low + bin_width * edge, decimals_), Align::centre);
  }
}

float BinPlot::widest_number() const {
  float widest = 0;
  for (std::size_t i = 0; i < counted_.size(); ++i)
    widest = std::max({widest, text_width(Face::digits, grouped(counted_[i])), text_width(Face::digits, grouped(reference_[i]))});
  return widest;
}

/// A number a bin where it fits, the totals always.
float BinPlot::table() {
  const float widest = widest_number();
  numbers_ = columns_.labelled && widest + px(4) <= pitch_;
  const float first_number = columns_.x0 + (numbers_ ? (pitch_ - widest) / 2 : 0);
  const bool reference_fits = px(20) + text_width(Face::caption, say("CPU reference")) + px(6) <= first_number;
  float y = base_ + px(30) - sheet_.at.y;
  table_row(y, say("counted"), counted_, look_.series.blue, true);
  table_row(y, reference_fits ? say("CPU reference") : say("CPU"), reference_, look_.text.first, false);
  if (!numbers_) sums_below(sheet_.at.y + y - px(40));
  return y;
}

void BinPlot::table_row(float& y, std::string_view name, const std::vector<std::int64_t>& values, ImU32 colour, bool solid) const {
  const float line = px(20), at = sheet_.at.y + y, text_y = at + (line - line_height(Face::digits)) / 2;
  const Box box{sheet_.at.x, snap(at + px(4)), sheet_.at.x + px(12), snap(at + px(16))};
  if (solid) {
    sheet_.draw->AddRectFilled(top_left(box), bottom_right(box), colour, px(look_.radius.bar));
  } else {
    sheet_.draw->AddRect(top_left(box), bottom_right(box), colour, px(look_.radius.bar), 0, px(1.5f));
  }
  text(sheet_.draw, Face::caption, ImVec2(sheet_.at.x + px(20), at + (line - line_height(Face::caption)) / 2), colour, name);
  for (std::uint32_t i = 0; numbers_ && i < columns_.columns; ++i) {
    text(sheet_.draw, Face::digits, ImVec2(sheet_.at.x + (columns_.edge(i) + columns_.edge(i + 1)) / 2, text_y), colour,
         grouped(values[i]), Align::centre);
  }
  const std::int64_t sum = std::accumulate(values.begin(), values.end(), std::int64_t{0});
  text(sheet_.draw, Face::digits, ImVec2(sheet_.right(), text_y), colour, grouped(sum), Align::right);
  y += line;
}

void BinPlot::sums_below(float at) const {
  const std::int64_t gone = std::accumulate(reference_.begin(), reference_.end(), std::int64_t{0}) -
                            std::accumulate(counted_.begin(), counted_.end(), std::int64_t{0});
  const std::string words = gone > 0   ? say("{n} missing", "n"_a = grouped(gone))
                            : gone < 0 ? say("{n} too many", "n"_a = grouped(-gone))
                                       : std::string(say("none missing"));
  text(sheet_.draw, Face::caption, ImVec2(x0_, at + px(2)), gone == 0 ? look_.text.third : look_.verdict.bad, words);
  text(sheet_.draw, Face::caption, ImVec2(x0_, at + px(22)), look_.text.third,
       say("all {bins} bins together", "bins"_a = grouped(bins_)));
}

void BinPlot::card() const {
  const double bin_width = (chart_.high - chart_.low) / std::max(bins_, 1u);
  for (std::uint32_t i = 0; i < columns_.columns; ++i) {
    const Box column{sheet_.at.x + columns_.edge(i), top_ - px(16), sheet_.at.x + columns_.edge(i + 1), base_};
    if (!mouse_over(column)) continue;
    const float item_top = base_ - tall(std::max(counted_[i], reference_[i]));
    const Box item{column.x0 + inset_, std::min(item_top, base_ - px(4)), std::max(column.x1 - inset_, column.x0 + inset_ + px(2)),
                   base_};
    ring(sheet_.draw, item, look_.text.first);
    const std::uint32_t first = i * columns_.group, last = std::min(first + columns_.group, bins_);
    const int fine = std::max(decimals_, std::clamp(decimals_of(bin_width), 1, 4));
    std::vector<Fact> facts = {{say("counted"), grouped(counted_[i]), look_.series.blue},
                               {say("CPU reference"), grouped(reference_[i])}};
    if (miss(i) > 0) facts.push_back({say("missing"), grouped(miss(i)), look_.verdict.bad});
    if (miss(i) < 0) facts.push_back({say("too many"), grouped(-miss(i)), look_.verdict.bad});
    fact_card(sheet_, item, avoid_,
              columns_.group == 1 ? say("Bin {first}", "first"_a = first)
                                  : say("Bins {first} to {last}", "first"_a = first, "last"_a = last - 1),
              fmt::format("{} ≤ x < {}", fixed_number(chart_.low + bin_width * first, fine),
                          fixed_number(chart_.low + bin_width * last, fine)),
              facts);
  }
}

}  // namespace

void draw_bin_chart(const lessons::BinChart& chart, float width, ViewState& state) {
  const Sheet sheet = begin_view(width);
  BinPlot plot(chart, sheet);
  plot.begin(title_row(sheet, plot.title(), plot.unit()));
  plot.axis();
  plot.bars();
  plot.missing();
  plot.edges();
  const float height = plot.table();
  plot.card();
  end_view(sheet, height, state.stale);
}

void draw_bin_lanes(const lessons::BinLanes& lanes, float width, ViewState& state) {
  const Sheet sheet = begin_view(width);
  const Theme& look = theme();
  std::size_t bins = 1;
  for (const auto& row : lanes.rows) bins = std::max(bins, row.lanes.size());
  const BinColumns columns = arrange_bins(static_cast<std::uint32_t>(bins), sheet.width, px(1));
  const float y = title_row(sheet, say("Lanes of one warp that want the same bin"), say("atomic passes"));

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
         say("block {block}, warp {warp}", "block"_a = row.block, "warp"_a = row.warp));
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
        const std::array<Fact, 2> facts = {Fact{say("lanes that want it"), say("{want} of 32", "want"_a = want)},
                                           Fact{say("passes of this request"), fmt::format("{}", row.passes)}};
        const std::uint32_t first = i * columns.group, last = std::min<std::uint32_t>(first + columns.group, columns.bins);
        fact_card(sheet, cell, {},
                  columns.group == 1 ? say("Bin {first}", "first"_a = first)
                                     : say("Bins {first} to {last}", "first"_a = first, "last"_a = last - 1),
                  say("block {block}, warp {warp}", "block"_a = row.block, "warp"_a = row.warp), facts);
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
       lanes.requests == 1 ? std::string(say("the only request"))
                           : say("mean of {requests} requests", "requests"_a = grouped(lanes.requests)));
  const float word = text_width(Face::label_strong, " passes");
  text(sheet.draw, Face::label_strong, ImVec2(sheet.right(), foot), look.text.first, "passes", Align::right);
  text(sheet.draw, Face::digits_strong, ImVec2(sheet.right() - word, foot), look.text.first, fixed_number(lanes.mean_passes, 1),
       Align::right);
  text(sheet.draw, Face::caption, ImVec2(sheet.right(), foot + px(17)), look.text.third,
       say("all in one bin: {passes}", "passes"_a = fixed_number(lanes.worst_passes, 1)), Align::right);
  end_view(sheet, foot + px(33) - sheet.at.y, state.stale);
}

}  // namespace warpbook::app
