// Ordering: what two threads did with memory, an event a row in the order of the run, and the arrows of the order that is promised
// from the store to the load. An arrow that is missing is dashed. Below: what each arrow stands for, and what the load may return.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "app/text/numbers.h"
#include "app/views/ordering_layout.h"
#include "app/views/parts.h"
#include "app/views/views.h"
#include "gpu/message.h"

namespace warpbook::app {
namespace {

using lessons::Ordering;

constexpr float event_css = 42, event_gap_css = 26, least_event_css = 22, least_gap_css = 16, columns_apart_css = 112,
                badge_css = 9;

ImU32 colour_of(Ordering::What what) {
  const Theme& look = theme();
  switch (what) {
    case Ordering::What::store:
      return look.series.orange;
    case Ordering::What::load:
      return look.series.blue;
    case Ordering::What::atomic:
      return look.series.violet;
    case Ordering::What::fence:
      return look.series.green;
    case Ordering::What::barrier:
      break;
  }
  return look.series.stone;
}

class OrderingDrawing {
 public:
  OrderingDrawing(const Sheet& sheet, const Ordering& all, float top, const ViewState& state)
      : sheet_(sheet), all_(all), look_(theme()), y_(top) {
    // A low slide: first the rows become lower, then sentences are left out, those of promised arrows before the others.
    const auto rows = static_cast<float>(std::max<std::size_t>(all.events.size(), 1));
    const float most = px(rows * (event_css - least_event_css) + (rows - 1) * (event_gap_css - least_gap_css));
    float save = state.shorter, promised = 0, missing = 0;
    for (const Ordering::Arrow& arrow : all.arrows) (arrow.promised ? promised : missing) += height_of(arrow);
    if (save > most) told_ = Told::missing, save -= promised;
    if (save > most) told_ = Told::nothing, save -= missing;
    const float share = most > 0 ? std::clamp(save / most, 0.0F, 1.0F) : 0;
    row_ = std::floor(px(event_css - share * (event_css - least_event_css)));
    gap_ = std::floor(px(event_gap_css - share * (event_gap_css - least_gap_css)));
  }

  /// Returns the height's end.
  float draw() {
    heads();
    place_ = arrange_ordering(
        all_,
        {.x0 = sheet_.at.x, .y0 = y_, .width = sheet_.width, .row = row_, .gap = gap_, .between = snap(px(columns_apart_css))});
    for (const Box& column : place_.columns)
      sheet_.draw->AddRectFilled({column.x0, column.y0 - px(6)}, {column.x1, column.y1 + px(6)}, look_.background.plot,
                                 px(look_.radius.control));
    for (std::size_t i = 0; i < all_.arrows.size(); ++i) arrow(i);
    for (std::size_t i = 0; i < all_.events.size(); ++i) event(i);
    for (std::size_t i = 0; i < all_.arrows.size(); ++i)
      if (is_told(all_.arrows[i])) badge(i);
    y_ = (place_.columns.empty() ? y_ : place_.columns[0].y1) + px(18);
    may_see();
    sentences();
    return y_;
  }

  /// The event under the mouse.
  [[nodiscard]] std::optional<std::size_t> under() const { return under_; }
  void card(std::size_t i, std::string_view source) const {
    const Ordering::Event& one = all_.events[i];
    const std::vector<Fact> facts = {{say("line {line}", "line"_a = one.line), source_line(source, one.line)},
                                     {say("what it is"), one.strength},
                                     {say("at cycle (model)"), grouped(static_cast<long long>(one.cycle))}};
    ring(sheet_.draw, place_.events[i], look_.text.first);
    fact_card(sheet_, place_.events[i], {}, one.words, say("block {block}", "block"_a = all_.columns[one.column].block), facts);
  }

 private:
  void heads() {
    const float wide = (sheet_.width - px(columns_apart_css)) / 2;
    for (std::size_t c = 0; c < all_.columns.size(); ++c) {
      const Ordering::Column& column = all_.columns[c];
      const float x = sheet_.at.x + static_cast<float>(c) * (wide + px(columns_apart_css));
      text_clipped(sheet_.draw, Face::body_strong, {x, y_}, wide, look_.text.first,
                   say("Block {block}, thread {thread}", "block"_a = column.block, "thread"_a = column.thread));
      text_clipped(sheet_.draw, Face::caption, {x, y_ + line_height(Face::body_strong)}, wide, look_.text.second, column.role);
    }
    y_ = snap(y_ + line_height(Face::body_strong) + line_height(Face::caption) + px(12));
  }

  void event(std::size_t i) {
    const Box& box = place_.events[i];
    const Ordering::Event& one = all_.events[i];
    const ImU32 colour = colour_of(one.what);
    sheet_.draw->AddRectFilled(top_left(box), bottom_right(box), look_.background.page, px(look_.radius.bar));
    sheet_.draw->AddRectFilled(top_left(box), bottom_right(box), tint(colour), px(look_.radius.bar));
    sheet_.draw->AddRectFilled(top_left(box), {box.x0 + snap(px(3)), box.y1}, colour);
    const float x = box.x0 + px(12), room = box.width() - px(20), head = line_height(Face::label_code);
    const bool both = box.height() >= head + line_height(Face::caption);
    const float high = head + (both ? line_height(Face::caption) : 0), y = box.y0 + (box.height() - high) / 2;
    text_clipped(sheet_.draw, Face::label_code, {x, y}, room, look_.text.first, one.words);
    if (both) text_clipped(sheet_.draw, Face::caption, {x, y + head}, room, look_.text.second, one.strength);
    if (mouse_over(box)) under_ = i;
  }

  [[nodiscard]] ImU32 arrow_colour(std::size_t i) const { return all_.arrows[i].promised ? look_.verdict.good : look_.verdict.bad; }

  void arrow(std::size_t i) const {
    const OrderingPlace::Arrow& at = place_.arrows[i];
    const ImVec2 from{at.x0, at.y0}, to{at.x1, at.y1};
    const float length = std::hypot(to.x - from.x, to.y - from.y);
    if (length < 1) return;
    const ImVec2 along{(to.x - from.x) / length, (to.y - from.y) / length}, across{-along.y, along.x};
    const float head = std::min(px(9), length / 2), half = px(4.5F);
    const ImVec2 neck{to.x - along.x * head, to.y - along.y * head};
    const ImU32 colour = arrow_colour(i);
    if (all_.arrows[i].promised)
      sheet_.draw->AddLine(from, neck, colour, px(2));
    else
      dashed_line(sheet_.draw, from, neck, colour, 4, 4, 2);
    const ImVec2 left{neck.x + across.x * half, neck.y + across.y * half},
        right{neck.x - across.x * half, neck.y - across.y * half};
    if (all_.arrows[i].promised)
      sheet_.draw->AddTriangleFilled(to, left, right, colour);
    else
      sheet_.draw->AddTriangle(to, left, right, colour, px(1.5F));
  }

  void number(ImVec2 centre, std::size_t i) const {
    const float radius = px(badge_css);
    sheet_.draw->AddCircleFilled(centre, radius, look_.background.page, 24);
    sheet_.draw->AddCircle(centre, radius, arrow_colour(i), 24, px(1.5F));
    text(sheet_.draw, Face::caption, {centre.x, centre.y - line_height(Face::caption) / 2}, arrow_colour(i),
         fmt::format("{}", i + 1), Align::centre);
  }
  /// Beside an arrow within a column, on an arrow between two.
  void badge(std::size_t i) const {
    const OrderingPlace::Arrow& at = place_.arrows[i];
    const bool within = at.x0 == at.x1;
    number({snap((at.x0 + at.x1) / 2 + (within ? px(badge_css + 8) : 0)), snap((at.y0 + at.y1) / 2)}, i);
  }

  /// The values that the load may return, the one of this run filled.
  void may_see() {
    if (all_.may_see.empty()) return;
    const bool must = all_.may_see.size() == 1;
    const std::string words = must ? say("The load must return") : say("The load may return");
    const float line = line_height(Face::body);
    float x = sheet_.at.x + text(sheet_.draw, Face::body, {sheet_.at.x, y_}, look_.text.second, words) + px(10);
    for (std::size_t i = 0; i < all_.may_see.size(); ++i) {
      if (i > 0) x += text(sheet_.draw, Face::body, {x, y_}, look_.text.second, say("or")) + px(10);
      const bool seen = all_.may_see[i] == all_.saw;
      const Box box{snap(x), snap(y_ - px(2)), snap(x + text_width(Face::digits_strong, all_.may_see[i]) + px(16)),
                    snap(y_ + line + px(2))};
      const ImU32 colour = must ? look_.verdict.good : look_.verdict.bad;
      if (seen)
        sheet_.draw->AddRectFilled(top_left(box), bottom_right(box), colour, px(look_.radius.control));
      else
        sheet_.draw->AddRect(top_left(box), bottom_right(box), colour, px(look_.radius.control), 0, px(1.5F));
      text_inside(sheet_.draw, Face::digits_strong, box, seen ? on_series() : look_.text.first, all_.may_see[i], 4);
      x = box.x1 + px(10);
    }
    if (!must)
      text_clipped(sheet_.draw, Face::body, {x, y_}, sheet_.right() - x, look_.text.second,
                   say("In this run it returned {value}.", "value"_a = all_.saw));
    y_ += line + px(12);
  }

  [[nodiscard]] float words_x() const { return sheet_.at.x + px(2 * badge_css + 10); }
  [[nodiscard]] std::vector<std::string_view> lines_of(const Ordering::Arrow& arrow) const {
    return wrapped(arrow.sentence, sheet_.right() - words_x(),
                   [](std::string_view words) { return text_width(Face::label, words); });
  }
  [[nodiscard]] float height_of(const Ordering::Arrow& arrow) const {
    return static_cast<float>(lines_of(arrow).size()) * line_height(Face::label) + px(6);
  }
  [[nodiscard]] bool is_told(const Ordering::Arrow& arrow) const {
    return told_ == Told::all || (told_ == Told::missing && !arrow.promised);
  }

  /// Of each arrow why it is promised, or what is missing.
  void sentences() {
    const float line = line_height(Face::label);
    for (std::size_t i = 0; i < all_.arrows.size(); ++i) {
      const Ordering::Arrow& one = all_.arrows[i];
      if (!is_told(one)) continue;
      number({sheet_.at.x + px(badge_css), snap(y_ + line / 2)}, i);
      for (const std::string_view words : lines_of(one)) {
        text(sheet_.draw, Face::label, {words_x(), y_}, one.promised ? look_.text.second : look_.text.first, words);
        y_ += line;
      }
      y_ += px(6);
    }
  }

  enum class Told : std::uint8_t { all, missing, nothing };  // which arrows have their sentence below
  const Sheet& sheet_;
  const Ordering& all_;
  const Theme& look_;
  OrderingPlace place_;
  float y_, row_ = 0, gap_ = 0;
  Told told_ = Told::all;
  std::optional<std::size_t> under_;
};

}  // namespace

void draw_ordering(const Ordering& ordering, float width, ViewState& state) {
  if (ordering.events.empty())
    return draw_empty_view(width, px(160), say("No order to show"),
                           say("No thread loaded a partial sum that another block stored, or the device records no accesses."));
  const Sheet sheet = begin_view(width);
  const Theme& look = theme();
  const std::array legend = {Swatch{Swatch::Shape::line, look.verdict.good, say("promised order")},
                             Swatch{Swatch::Shape::line, look.verdict.bad, say("dashed: missing")}};
  const float head = title_row(sheet, ordering.title, legend);
  OrderingDrawing drawing(sheet, ordering, sheet.at.y + head, state);
  const float end = drawing.draw();
  if (const auto under = drawing.under()) {
    drawing.card(*under, state.source);
    state.hover = Hover{};
    state.hover->line = ordering.events[*under].line;
  }
  end_view(sheet, end - sheet.at.y, state.stale);
}

}  // namespace warpbook::app
