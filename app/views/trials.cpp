// Trials: how often each final value came out, on a logarithmic axis, with the guess in the hand's colour.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "app/text/numbers.h"
#include "app/views/parts.h"
#include "app/views/views.h"
#include "gpu/message.h"

namespace warpbook::app {

namespace {

/// The chart below its title. From the top: the guess's name, counts over their bars, bars, axis, numbers. Its parts are drawn in
/// the order in which they are declared.
class TrialPlot {
 public:
  TrialPlot(const lessons::Trials& trials, const Sheet& sheet, float height, std::optional<double> guess);

  void axis_numbers();
  void bars();
  void counts();
  void guess();
  void one_a_warp();  // what in-warp collapse alone would leave
  void card() const;  // of the bar under the mouse

 private:
  void number(double value);
  bool named_line(double value, std::string_view name, float from_y, ImU32 line_colour, ImU32 text_colour, bool dashed);
  [[nodiscard]] static bool crowded(const std::vector<Box>& taken, const Box& box) {
    return std::any_of(taken.begin(), taken.end(), [&](const Box& other) { return overlap(other, box); });
  }

  const lessons::Trials& trials_;
  const Sheet& sheet_;
  const Theme& look_ = theme();
  const float axis_y_, names_y_, bars_top_;
  std::optional<double> guess_;
  double least_ = 1;
  TrialAxis axis_;
  std::vector<TrialCluster> clusters_;
  std::vector<Box> bars_;     // of the clusters
  std::vector<Box> numbers_;  // under the axis
  std::vector<Box> taken_;    // above it
};

TrialPlot::TrialPlot(const lessons::Trials& trials, const Sheet& sheet, float height, std::optional<double> guess)
    : trials_(trials),
      sheet_(sheet),
      axis_y_(snap(sheet.at.y + height - px(20))),
      names_y_(sheet.at.y + px(18)),
      bars_top_(names_y_ + px(38)) {
  if (guess && std::isfinite(*guess) && *guess >= 0) guess_ = guess;
  double most = std::max<double>({2, static_cast<double>(trials.expected), static_cast<double>(trials.one_a_warp)});
  for (const auto& bar : trials.bars) {
    least_ = std::min(least_, static_cast<double>(bar.value));
    most = std::max(most, static_cast<double>(bar.value));
  }
  if (guess_) {
    least_ = std::min(least_, *guess_);
    most = std::max(most, *guess_);
  }
  axis_.low = std::max(least_, 0.0);
  axis_.high = most;
  axis_.x0 = sheet.at.x + px(8);
  axis_.x1 = sheet.right() - px(6);
  clusters_ = cluster_trials(trials.bars, axis_, px(11));
}

/// Numbers under the axis, the important ones first; a number that would touch another is left out.
void TrialPlot::axis_numbers() {
  sheet_.draw->AddRectFilled(ImVec2(sheet_.at.x, axis_y_), ImVec2(sheet_.right(), axis_y_ + std::max(px(1), 1.0f)),
                             look_.background.line_strong);
  number(std::max(axis_.low, least_ < 1 ? 0.0 : 1.0));
  number(static_cast<double>(trials_.expected));
  number(static_cast<double>(trials_.one_a_warp));
  for (const double value : {16.0, 256.0, 4096.0, 65536.0, 4.0, 64.0, 1024.0, 16384.0, 1.0}) number(value);
}

void TrialPlot::number(double value) {
  if (value < axis_.low || value > axis_.high) return;
  const std::string words = grouped(std::llround(value));
  const float half = text_width(Face::digits, words) / 2;
  const float at = snap(axis_.x(value)), middle = std::clamp(at, sheet_.at.x + half, sheet_.right() - half);
  const Box box{middle - half - px(5), 0, middle + half + px(5), 1};
  if (crowded(numbers_, box)) return;
  numbers_.push_back(box);
  sheet_.draw->AddRectFilled(ImVec2(at, axis_y_), ImVec2(at + px(1), axis_y_ + px(4)), look_.background.line_strong);
  text(sheet_.draw, Face::digits, ImVec2(middle, axis_y_ + px(4)), look_.text.third, words, Align::centre);
}

void TrialPlot::bars() {
  std::uint32_t tallest = 1;
  for (const TrialCluster& cluster : clusters_) tallest = std::max(tallest, cluster.count);
  for (const TrialCluster& cluster : clusters_) {
    const float share = static_cast<float>(cluster.count) / static_cast<float>(tallest);
    const float tall = std::max(snap((axis_y_ - bars_top_) * share), px(2)), x = snap(cluster.x);
    const Box bar{x - px(5), axis_y_ - tall, x + px(5), axis_y_};
    sheet_.draw->AddRectFilled(top_left(bar), bottom_right(bar), look_.series.blue, px(look_.radius.bar),
                               ImDrawFlags_RoundCornersTop);
    taken_.push_back({bar.x0 - px(2), bar.y0, bar.x1 + px(2), bar.y1});
    bars_.push_back(bar);
  }
}

/// The largest first, so that a crowded axis keeps the ones that matter.
void TrialPlot::counts() {
  std::vector<std::size_t> order(clusters_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return clusters_[a].count > clusters_[b].count; });
  for (const std::size_t i : order) {
    const std::string words = grouped(clusters_[i].count);
    const float half = text_width(Face::digits, words) / 2, line = line_height(Face::digits);
    const float middle = std::clamp((bars_[i].x0 + bars_[i].x1) / 2, sheet_.at.x + half, sheet_.right() - half);
    const Box box{middle - half, bars_[i].y0 - line, middle + half, bars_[i].y0 - px(1)};
    if (crowded(taken_, box)) continue;
    taken_.push_back(box);
    text(sheet_.draw, Face::digits, ImVec2(middle, box.y0), look_.text.second, words, Align::centre);
  }
}

/// False: there is no room for its name.
bool TrialPlot::named_line(double value, std::string_view name, float from_y, ImU32 line_colour, ImU32 text_colour, bool dashed) {
  const float x = snap(axis_.x(value)), wide = text_width(Face::caption, name), line = line_height(Face::caption);
  const bool left = x - wide >= sheet_.at.x;
  const Box box{left ? x + px(2) - wide : x - px(1), from_y, left ? x + px(2) : x - px(1) + wide, from_y + line};
  if (crowded(taken_, box)) return false;
  float end = axis_y_;  // above a bar and its count where one stands there
  for (const Box& other : taken_) {
    if (x + px(3) > other.x0 && x - px(1) < other.x1 && other.y1 > box.y1) end = std::min(end, other.y0 - px(1));
  }
  if (dashed && end > box.y1 + px(6)) {
    dashed_line(sheet_.draw, ImVec2(x, box.y1 + px(6)), ImVec2(x, end), line_colour, 2, 3, 1);
  } else if (end > box.y1 + px(1)) {
    sheet_.draw->AddRectFilled(ImVec2(x, box.y1 + px(1)), ImVec2(x + px(2), end), line_colour);
  }
  text(sheet_.draw, Face::caption, top_left(box), text_colour, name);
  taken_.push_back(box);
  return true;
}

void TrialPlot::guess() {
  if (guess_) named_line(*guess_, say("your guess"), names_y_, look_.hand.line, look_.hand.text, false);
}

void TrialPlot::one_a_warp() {
  if (trials_.one_a_warp <= 1 || trials_.one_a_warp >= trials_.expected) return;
  const auto value = static_cast<double>(trials_.one_a_warp);
  for (const float down : {26.0f, 44.0f, 8.0f})
    if (named_line(value, say("one per warp"), names_y_ + px(down), look_.text.third, look_.text.third, true)) return;
}

void TrialPlot::card() const {
  for (std::size_t i = 0; i < clusters_.size(); ++i) {
    const Box column{bars_[i].x0, bars_top_ - px(16), bars_[i].x1, axis_y_ + px(4)};
    if (!mouse_over(column)) continue;
    ring(sheet_.draw, bars_[i], look_.text.first);
    const TrialCluster& cluster = clusters_[i];
    const std::string title = cluster.low == cluster.high ? say("ended at {low}", "low"_a = grouped(cluster.low))
                                                          : say("ended at {low} to {high}", "low"_a = grouped(cluster.low),
                                                                "high"_a = grouped(cluster.high));
    const double share = trials_.trials > 0 ? 100.0 * cluster.count / trials_.trials : 0;
    const std::array<Fact, 2> facts = {Fact{cluster.count == 1 ? say("trial") : say("trials"), grouped(cluster.count)},
                                       Fact{say("of all"), short_number(share, 3) + " %"}};
    fact_card(sheet_, column, taken_, title, "", facts);
  }
}

}  // namespace

void draw_trials(const lessons::Trials& trials, float width, float height, ViewState& state) {
  const Sheet sheet = begin_view(width);
  text(sheet.draw, Face::label, sheet.at, theme().text.second,
       say_many(trials.trials, "{n} trial", "{n} trials", "n"_a = grouped(trials.trials)));
  TrialPlot plot(trials, sheet, height, state.guess);
  plot.axis_numbers();
  plot.bars();
  plot.counts();
  plot.guess();
  plot.one_a_warp();
  plot.card();
  end_view(sheet, height, state.stale);
}

}  // namespace warpbook::app
