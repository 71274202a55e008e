// Lane steps: values that travel between the lanes of a warp. A column is a lane; a step is the lines from the lanes that send to
// those that receive, the value received, and below it what the lane holds then. Last, where the results are stored.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "app/views/parts.h"
#include "app/views/views.h"
#include "gpu/message.h"

namespace warpbook::app {
namespace {

using lessons::LaneSteps;

constexpr std::uint32_t lanes = 32;
constexpr float numbers_css = 76, bus_css = 30, cell_css = 19;

bool has(std::uint32_t mask, std::uint32_t lane) { return (mask >> lane & 1) != 0; }

/// The height that lines over so many lanes need at full size: the further they go, the flatter they are and the closer together.
float band_css(std::int32_t furthest) { return 16 + 1.75f * static_cast<float>(furthest); }

float band_css(const LaneSteps::Step& step) {
  if (step.kind == LaneSteps::Kind::alone) return 4;
  if (step.kind == LaneSteps::Kind::vote) return bus_css;
  std::int32_t furthest = 0;
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    const std::int32_t from = step.from[lane];
    if (has(step.there, lane) && from >= 0 && from < std::int32_t{lanes})
      furthest = std::max(furthest, std::abs(from - static_cast<std::int32_t>(lane)));
  }
  return band_css(furthest);
}

float store_css(const LaneSteps& all) {
  std::int32_t furthest = 0;
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    if (all.place[lane] >= 0) furthest = std::max(furthest, std::abs(all.place[lane] - static_cast<std::int32_t>(lane)));
  }
  return std::max(band_css(furthest), 22.0f);  // room for its name
}

/// Lanes whose value before each step is in what `wanted` hold after the step `last`; the last entry is `wanted` itself.
std::vector<std::uint32_t> sources(const LaneSteps& all, std::uint32_t wanted, std::size_t last) {
  std::vector<std::uint32_t> needed(last + 1, wanted);
  for (std::size_t step = last; step-- > 0;) {
    const LaneSteps::Step& one = all.steps[step];
    std::uint32_t before = needed[step + 1];
    if (one.kind == LaneSteps::Kind::vote && before != 0) before |= one.there;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      const std::int32_t from = one.from[lane];
      if (one.kind == LaneSteps::Kind::shuffle && has(needed[step + 1] & one.there, lane) && from >= 0 &&
          from < std::int32_t{lanes})
        before |= 1U << from;
    }
    needed[step] = before;
  }
  return needed;
}

class Drawing {
 public:
  Drawing(const Sheet& sheet, const LaneSteps& all, float top, float shorter)
      : sheet_(sheet), all_(all), look_(theme()), x0_(snap(sheet.at.x + px(numbers_css))), pitch_((sheet.right() - x0_) / lanes) {
    float bands = store_css(all);
    for (const LaneSteps::Step& step : all.steps) bands += band_css(step);
    scale_ = std::clamp(1 - shorter / px(bands), 0.4f, 1.0f);
    thin_ = px(1) * std::max(scale_, 0.5f);  // flat lines lie close together
    y_ = top;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) stores_ |= std::uint32_t{all.place[lane] >= 0} << lane;
    useful_ = sources(all, stores_, all.steps.size());
  }

  /// Returns the height's end.
  float draw() {
    heading();
    cells("x", all_.begin, ~0U, 0);
    for (std::size_t i = 0; i < all_.steps.size(); ++i) step(i);
    store();
    if (under_mouse_) trace();
    return y_;
  }

 private:
  struct Under {
    std::size_t step = 0;  // after so many steps
    std::uint32_t lane = 0;
    Box box;
  };

  [[nodiscard]] float band(float css) const { return std::max(std::floor(px(css) * scale_), px(4)); }
  [[nodiscard]] float middle(std::uint32_t lane) const { return x0_ + (static_cast<float>(lane) + 0.5f) * pitch_; }
  [[nodiscard]] Box column(std::uint32_t lane, float y0, float y1) const {
    return {snap(x0_ + static_cast<float>(lane) * pitch_), y0, snap(x0_ + static_cast<float>(lane + 1) * pitch_) - px(1), y1};
  }
  void number(const Box& box, ImU32 colour, std::int32_t value) const {
    text_inside(sheet_.draw, Face::digits, box, colour, fmt::format("{}", value), 0);
  }
  void name(float y, float height, std::string_view words) const {
    text_clipped(sheet_.draw, Face::caption, {sheet_.at.x, y + (height - line_height(Face::caption)) / 2}, px(numbers_css - 4),
                 look_.text.second, words);
  }

  void heading() {
    const float height = line_height(Face::digits);
    name(y_, height, say("lane"));
    for (std::uint32_t lane = 0; lane < lanes; ++lane) number(column(lane, y_, y_ + height), look_.text.third, std::int32_t(lane));
    y_ += height + px(2);
  }

  /// What the lanes of `there` hold after so many steps.
  void cells(std::string_view words, const LaneSteps::Lanes& values, std::uint32_t there, std::size_t after) {
    const float bottom = y_ + px(cell_css);
    name(y_, px(cell_css), words);
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      const Box box = column(lane, y_, bottom);
      if (!has(there, lane)) {
        hatch_narrow(sheet_.draw, box, look_.background.line);
        continue;
      }
      const bool useful = has(useful_[after], lane);
      sheet_.draw->AddRectFilled(top_left(box), bottom_right(box), useful ? tint(look_.series.blue) : look_.background.plot,
                                 px(look_.radius.bar));
      const bool given = after > 0 || static_cast<std::int32_t>(lane) < all_.values;
      number(box, useful && given ? look_.text.first : look_.text.third, values[lane]);
      if (mouse_over(box)) under_mouse_ = Under{after, lane, box};
    }
    bottoms_.push_back(bottom);
    y_ = bottom;
  }

  void step(std::size_t i) {
    const LaneSteps::Step& one = all_.steps[i];
    const float from = y_, received = from + band(band_css(one));
    const bool said = one.kind == LaneSteps::Kind::shuffle;
    const float bottom = said ? received + line_height(Face::digits) : received;
    name(from, bottom - from, one.kind == LaneSteps::Kind::alone ? "" : one.label);
    if (one.kind == LaneSteps::Kind::vote) bus(one, from, bottom);
    tops_.push_back(received);
    for (std::uint32_t lane = 0; said && lane < lanes; ++lane) {
      if (!has(one.there, lane)) continue;
      line(one, lane, from, received, has(useful_[i + 1], lane));
      const Box place = column(lane, received, bottom);
      const bool own = one.from[lane] == static_cast<std::int32_t>(lane), counts = has(useful_[i + 1], lane) && !own;
      number(place,
             has(one.undefined, lane) ? look_.verdict.bad
             : counts                 ? look_.series.blue
                                      : look_.text.third,
             one.received[lane]);
    }
    y_ = bottom;
    cells(said                                ? std::string(say("holds"))
          : one.kind == LaneSteps::Kind::vote ? std::string(say("said"))
                                              : one.label,
          one.holds, one.there, i + 1);
  }

  /// From the lane that sends to the one that receives; a lane that gets its own value back has a short stroke.
  void line(const LaneSteps::Step& one, std::uint32_t lane, float from, float to, bool useful) const {
    const std::int32_t source = one.from[lane];
    const ImVec2 end{middle(lane), to};
    if (has(one.undefined, lane)) {
      if (source >= 0 && source < std::int32_t{lanes})
        dashed_line(sheet_.draw, {middle(std::uint32_t(source)), from}, end, look_.verdict.bad, 3, 3, 1);
      return;
    }
    if (source == static_cast<std::int32_t>(lane)) {
      dashed_line(sheet_.draw, {end.x, from}, end, look_.background.line_strong, 2, 2, 1);
      return;
    }
    sheet_.draw->AddLine({middle(std::uint32_t(source)), from}, end, useful ? look_.series.blue : look_.background.line_strong,
                         thin_);
  }

  /// A vote: from every lane that said yes to one line, and from there to all.
  void bus(const LaneSteps::Step& one, float from, float to) const {
    if (one.there == 0) return;
    const float y = snap((from + to) / 2);
    const auto first = static_cast<std::uint32_t>(std::countr_zero(one.there)),
               last = 31U - static_cast<std::uint32_t>(std::countl_zero(one.there));
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      if (!has(one.there, lane)) continue;
      if (one.holds[lane] != 0) sheet_.draw->AddLine({middle(lane), from}, {middle(lane), y}, look_.series.blue, px(2));
      sheet_.draw->AddLine({middle(lane), y}, {middle(lane), to}, look_.background.line_strong, px(1));
    }
    sheet_.draw->AddRectFilled({middle(first), y - px(1)}, {middle(last), y + px(1)}, look_.series.blue);
    const auto told = static_cast<std::uint32_t>(one.received[first]);
    const std::string words =
        one.label == "ballot" ? say("all receive {value:#010x}", "value"_a = told) : say("all receive {value}", "value"_a = told);
    const float width = text_width(Face::digits, words) + px(12), x = middle(16) - pitch_ / 2, half = line_height(Face::digits) / 2;
    const Box box{snap(x - width / 2), y - half, snap(x + width / 2), y + half};
    sheet_.draw->AddRectFilled(top_left(box), bottom_right(box), look_.background.page);
    text_inside(sheet_.draw, Face::digits, box, look_.series.blue, words, 0);
  }

  void store() {
    const float from = y_, to = from + band(store_css(all_));
    name(from, to - from, "store");
    LaneSteps::Lanes values{};
    std::uint32_t filled = 0;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      if (!has(stores_, lane)) continue;
      const auto place = static_cast<std::uint32_t>(all_.place[lane]);
      sheet_.draw->AddLine({middle(lane), from}, {middle(place), to}, look_.series.blue, thin_);
      values[place] = all_.stored[lane];
      filled |= 1U << place;
    }
    name(to, px(cell_css), "out");
    for (std::uint32_t place = 0; place < lanes; ++place) {
      const Box box = column(place, to, to + px(cell_css));
      sheet_.draw->AddRectFilled(top_left(box), bottom_right(box), has(filled, place) ? look_.series.blue : look_.background.plot,
                                 px(look_.radius.bar));
      if (has(filled, place)) number(box, on_series(), values[place]);
    }
    y_ = to + px(cell_css);
  }

  /// The cell under the mouse: the lines by which its value came together, and what happened in its step.
  void trace() const {
    const Under& at = *under_mouse_;
    const std::vector<std::uint32_t> needed = sources(all_, 1U << at.lane, at.step);
    for (std::size_t i = 0; i < at.step; ++i) {
      const LaneSteps::Step& one = all_.steps[i];
      for (std::uint32_t lane = 0; one.kind == LaneSteps::Kind::shuffle && lane < lanes; ++lane) {
        if (!has(needed[i + 1] & one.there, lane) || one.from[lane] < 0 || one.from[lane] >= std::int32_t{lanes}) continue;
        sheet_.draw->AddLine({middle(std::uint32_t(one.from[lane])), bottoms_[i]}, {middle(lane), tops_[i]}, look_.text.first,
                             px(1.5f));
      }
    }
    ring(sheet_.draw, at.box, look_.text.first);
    const std::string title = say("Lane {lane}", "lane"_a = at.lane);
    if (at.step == 0) {
      const std::array<Fact, 1> facts = {Fact{say("begins with"), fmt::format("{}", all_.begin[at.lane])}};
      return fact_card(sheet_, at.box, {}, title, say("before the first step"), facts);
    }
    const LaneSteps::Step& one = all_.steps[at.step - 1];
    const bool said = one.kind == LaneSteps::Kind::vote;
    std::vector<Fact> facts;
    if (one.kind == LaneSteps::Kind::shuffle) {
      const std::int32_t held = at.step > 1 ? all_.steps[at.step - 2].holds[at.lane] : all_.begin[at.lane];
      facts.push_back({say("held"), fmt::format("{}", held)});
      if (has(one.undefined, at.lane)) {
        facts.push_back({say("received from a lane that has left"), say("undefined"), look_.verdict.bad});
      } else {
        const bool own = one.from[at.lane] == static_cast<std::int32_t>(at.lane);
        facts.push_back(
            {own ? std::string(say("received its own value")) : say("received from lane {lane}", "lane"_a = one.from[at.lane]),
             fmt::format("{}", one.received[at.lane])});
      }
    }
    if (said) facts.push_back({say("all lanes receive"), fmt::format("{:#x}", static_cast<std::uint32_t>(one.received[at.lane]))});
    facts.push_back({said ? say("it said") : say("holds now"), fmt::format("{}", one.holds[at.lane])});
    fact_card(sheet_, at.box, {}, title, one.label, facts);
  }

  const Sheet& sheet_;
  const LaneSteps& all_;
  const Theme& look_;
  float x0_, pitch_, scale_ = 1, thin_ = 1, y_ = 0;
  std::uint32_t stores_ = 0;
  std::vector<std::uint32_t> useful_;  // by so many steps: lanes whose value is in what is stored
  std::vector<float> bottoms_, tops_;  // of the cells before a step; where its lines end
  std::optional<Under> under_mouse_;
};

}  // namespace

void draw_lane_steps(const LaneSteps& steps, float width, ViewState& state) {
  const Sheet sheet = begin_view(width);
  const Theme& look = theme();
  const bool undefined = std::ranges::any_of(steps.steps, [](const LaneSteps::Step& step) { return step.undefined != 0; });
  std::vector<Swatch> legend{{Swatch::Shape::line, look.series.blue, say("reaches the result")}};
  if (undefined) legend.push_back({Swatch::Shape::line, look.verdict.bad, say("from a lane that has left")});
  const float head = title_row(sheet, steps.title, legend);
  Drawing drawing(sheet, steps, sheet.at.y + head, state.shorter);
  end_view(sheet, drawing.draw() - sheet.at.y, state.stale);
}

}  // namespace warpbook::app
