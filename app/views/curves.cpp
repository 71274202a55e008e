// Curves: an array as it should be and as it is, over its index; the difference below, on a scale of its own.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include "app/text/numbers.h"
#include "app/views/parts.h"
#include "app/views/views.h"
#include "gpu/message.h"

namespace warpbook::app {
namespace {

constexpr float values_height_css = 150, difference_height_css = 84, curve_gutter_css = 84;

struct Range {
  float low = std::numeric_limits<float>::infinity(), high = -std::numeric_limits<float>::infinity();
  void take(const std::vector<float>& values) {
    for (const float value : values) {
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  [[nodiscard]] bool empty() const { return low > high; }
};

class Plot {
 public:
  Plot(const Sheet& sheet, Range range, float top, float height)
      : sheet_(sheet), range_(range), box_{sheet.at.x, top, snap(sheet.right() - px(curve_gutter_css)), snap(top + height)} {
    const Theme& look = theme();
    if (range_.empty()) range_ = {0, 0};
    sheet.draw->AddRectFilled(top_left(box_), bottom_right(box_), look.background.plot, px(look.radius.bar));
    if (range_.low <= 0 && range_.high >= 0) {
      sheet.draw->AddRectFilled({box_.x0, snap(y(0))}, {box_.x1, snap(y(0)) + px(1)}, look.background.line_strong);
    }
    const float x = box_.x1 + px(8);
    text(sheet.draw, Face::digits, {x, box_.y0 - px(2)}, look.text.third, short_number(range_.high, 4));
    if (range_.high > range_.low) {
      text(sheet.draw, Face::digits, {x, box_.y1 - line_height(Face::digits) + px(2)}, look.text.third,
           short_number(range_.low, 4));
    }
  }

  /// Where many values share a pixel: from the least to the most of them. A value that is no number leaves a gap.
  void line(const std::vector<float>& values, ImU32 colour, float thick_css) const {
    const std::size_t columns = std::min<std::size_t>(values.size(), static_cast<std::size_t>(box_.width()));
    const float half = px(thick_css) / 2;
    float last_low = 0, last_high = 0;
    bool joined = false;
    for (std::size_t c = 0; c < columns; ++c) {
      Range part;
      const std::size_t begin = c * values.size() / columns, end = (c + 1) * values.size() / columns;
      for (std::size_t i = begin; i < end; ++i) {
        if (!std::isfinite(values[i])) continue;
        part.low = std::min(part.low, values[i]);
        part.high = std::max(part.high, values[i]);
      }
      if (part.empty()) {
        joined = false;
        continue;
      }
      const Range own = part;
      if (joined) {  // reaches to its neighbour, so that the steps are one line
        part.low = std::min(part.low, last_high);
        part.high = std::max(part.high, last_low);
      }
      sheet_.draw->AddRectFilled({edge(c, columns), y(part.high) - half}, {edge(c + 1, columns), y(part.low) + half}, colour);
      last_low = own.low;
      last_high = own.high;
      joined = true;
    }
  }

  [[nodiscard]] const Box& box() const { return box_; }
  [[nodiscard]] float edge(std::size_t at, std::size_t of) const {
    return box_.x0 + box_.width() * static_cast<float>(at) / static_cast<float>(std::max<std::size_t>(of, 1));
  }

 private:
  [[nodiscard]] float y(float value) const {
    const float span = range_.high > range_.low ? range_.high - range_.low : 1, margin = px(5);
    if (range_.high <= range_.low) return (box_.y0 + box_.y1) / 2;
    return box_.y1 - margin - (value - range_.low) / span * (box_.height() - 2 * margin);
  }

  const Sheet& sheet_;
  Range range_;
  Box box_;
};

/// A short line in the curve's colour, and its name; what follows begins where it returns.
float legend(const Sheet& sheet, float x, float y, ImU32 colour, std::string_view name) {
  const float middle = snap(y + line_height(Face::caption) / 2);
  sheet.draw->AddRectFilled({x, middle - px(1)}, {x + px(16), middle + px(1)}, colour);
  text(sheet.draw, Face::caption, {x + px(22), y}, theme().text.second, name);
  return x + px(22 + 20) + text_width(Face::caption, name);
}

void card(const Sheet& sheet, const lessons::Curves& curves, const Plot& plot) {
  const std::size_t count = curves.got.size();
  const double share = std::max((ImGui::GetIO().MousePos.x - plot.box().x0) / plot.box().width(), 0.0f);
  const auto i = std::min(static_cast<std::size_t>(share * static_cast<double>(count)), count - 1);
  const float x = plot.edge(i, count);
  const Box item{x, plot.box().y0, std::max(plot.edge(i + 1, count), x + px(2)), plot.box().y1};
  ring(sheet.draw, item, theme().text.first);
  const double off = double{curves.got[i]} - double{curves.expected[i]};
  const std::array<Fact, 3> facts = {Fact{say("expected"), short_number(curves.expected[i], 7)},
                                     Fact{say("got"), short_number(curves.got[i], 7)},
                                     Fact{say("difference"), fmt::format("{:.3g}", off)}};
  fact_card(sheet, item, {}, fmt::format("{}[{}]", curves.array, i), "", facts);
}

}  // namespace

void draw_curves(const lessons::Curves& curves, float width, ViewState& state) {
  const Sheet sheet = begin_view(width);
  const Theme& look = theme();
  float y = snap(sheet.at.y + title_row(sheet, curves.title, ""));
  const float after = legend(sheet, sheet.at.x, y, look.text.third, "expected");
  legend(sheet, after, y, look.series.blue, "got");
  y = snap(y + line_height(Face::caption) + px(6));

  Range both;
  both.take(curves.expected);
  both.take(curves.got);
  const Plot values(sheet, both, y, px(values_height_css));
  values.line(curves.expected, look.text.third, 3);
  values.line(curves.got, look.series.blue, 1.5f);
  y = snap(values.box().y1 + px(10));

  legend(sheet, sheet.at.x, y, look.verdict.bad, say("difference: got − expected"));
  y = snap(y + line_height(Face::caption) + px(6));
  std::vector<float> off(curves.got.size());
  for (std::size_t i = 0; i < off.size(); ++i) off[i] = curves.got[i] - curves.expected[i];
  Range scale{0, 0};
  scale.take(off);
  const Plot difference(sheet, scale, y, px(difference_height_css));
  difference.line(off, look.verdict.bad, 1.5f);
  y = difference.box().y1 + px(3);
  text(sheet.draw, Face::digits, {difference.box().x0, y}, look.text.third, "0");
  text(sheet.draw, Face::digits, {difference.box().x1, y}, look.text.third, grouped(static_cast<long long>(curves.got.size()) - 1),
       Align::right);
  for (const Plot* plot : {&values, &difference}) {
    if (!curves.got.empty() && mouse_over(plot->box())) card(sheet, curves, *plot);
  }
  end_view(sheet, y + line_height(Face::digits) - sheet.at.y, state.stale);
}

}  // namespace warpbook::app
