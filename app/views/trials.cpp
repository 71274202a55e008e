// Trials: how often each final value came out, on a logarithmic axis, with the guess in the hand's colour.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "app/text/numbers.h"
#include "app/views/parts.h"
#include "app/views/views.h"

namespace warpbook::app {

void draw_trials(const lessons::Trials& trials, float width, float height, ViewState& state) {
  const Sheet sheet = begin_view(width);
  const Theme& look = theme();
  text(sheet.draw, Face::label, sheet.at, look.text.second, trials.trials == 1 ? "1 trial" : grouped(trials.trials) + " trials");

  // From the top: title, the guess's name, counts over their bars, bars, axis, numbers.
  const float bottom = sheet.at.y + height, axis_y = snap(bottom - px(20)), names_y = sheet.at.y + px(18),
              bars_top = names_y + px(38);
  TrialAxis axis;
  double least = 1, most = std::max<double>({2, static_cast<double>(trials.expected), static_cast<double>(trials.one_a_warp)});
  for (const auto& bar : trials.bars) {
    least = std::min(least, static_cast<double>(bar.value));
    most = std::max(most, static_cast<double>(bar.value));
  }
  const bool guess_shown = state.guess && std::isfinite(*state.guess) && *state.guess >= 0;
  if (guess_shown) {
    least = std::min(least, *state.guess);
    most = std::max(most, *state.guess);
  }
  axis.low = std::max(least, 0.0);
  axis.high = most;
  axis.x0 = sheet.at.x + px(8);
  axis.x1 = sheet.right() - px(6);

  sheet.draw->AddRectFilled(ImVec2(sheet.at.x, axis_y), ImVec2(sheet.right(), axis_y + std::max(px(1), 1.0f)),
                            look.background.line_strong);

  // Numbers under the axis, the important ones first; a number that would touch another is left out.
  std::vector<Box> numbers;
  const auto number = [&](double value) {
    if (value < axis.low || value > axis.high) return;
    const std::string words = grouped(std::llround(value));
    const float half = text_width(Face::digits, words) / 2;
    const float at = snap(axis.x(value)), middle = std::clamp(at, sheet.at.x + half, sheet.right() - half);
    const Box box{middle - half - px(5), 0, middle + half + px(5), 1};
    if (std::any_of(numbers.begin(), numbers.end(), [&](const Box& other) { return overlap(other, box); })) return;
    numbers.push_back(box);
    sheet.draw->AddRectFilled(ImVec2(at, axis_y), ImVec2(at + px(1), axis_y + px(4)), look.background.line_strong);
    text(sheet.draw, Face::digits, ImVec2(middle, axis_y + px(4)), look.text.third, words, Align::centre);
  };
  number(std::max(axis.low, least < 1 ? 0.0 : 1.0));
  number(static_cast<double>(trials.expected));
  number(static_cast<double>(trials.one_a_warp));
  for (const double value : {16.0, 256.0, 4096.0, 65536.0, 4.0, 64.0, 1024.0, 16384.0, 1.0}) number(value);

  // What in-warp collapse alone would leave.
  std::vector<Box> taken;
  std::vector<TrialCluster> clusters = cluster_trials(trials.bars, axis, px(11));
  std::uint32_t tallest = 1;
  for (const TrialCluster& cluster : clusters) tallest = std::max(tallest, cluster.count);
  std::vector<Box> bars;
  for (const TrialCluster& cluster : clusters) {
    const float tall = std::max(snap((axis_y - bars_top) * static_cast<float>(cluster.count) / static_cast<float>(tallest)), px(2));
    const float x = snap(cluster.x);
    bars.push_back({x - px(5), axis_y - tall, x + px(5), axis_y});
    sheet.draw->AddRectFilled(top_left(bars.back()), bottom_right(bars.back()), look.series.blue, px(look.radius.bar),
                              ImDrawFlags_RoundCornersTop);
    taken.push_back({bars.back().x0 - px(2), bars.back().y0, bars.back().x1 + px(2), bars.back().y1});
  }
  // Counts, the largest first, so that a crowded axis keeps the ones that matter.
  std::vector<std::size_t> order(clusters.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return clusters[a].count > clusters[b].count; });
  for (const std::size_t i : order) {
    const std::string words = grouped(clusters[i].count);
    const float half = text_width(Face::digits, words) / 2, line = line_height(Face::digits);
    const float middle = std::clamp((bars[i].x0 + bars[i].x1) / 2, sheet.at.x + half, sheet.right() - half);
    const Box box{middle - half, bars[i].y0 - line, middle + half, bars[i].y0 - px(1)};
    const bool crowded = std::any_of(taken.begin(), taken.end(), [&](const Box& other) { return overlap(other, box); });
    if (crowded) continue;
    taken.push_back(box);
    text(sheet.draw, Face::digits, ImVec2(middle, box.y0), look.text.second, words, Align::centre);
  }

  const auto named_line = [&](double value, const char* name, float from_y, ImU32 line_colour, ImU32 text_colour, bool dashed) {
    const float x = snap(axis.x(value)), wide = text_width(Face::caption, name), line = line_height(Face::caption);
    const bool left = x - wide >= sheet.at.x;
    const Box box{left ? x + px(2) - wide : x - px(1), from_y, left ? x + px(2) : x - px(1) + wide, from_y + line};
    if (std::any_of(taken.begin(), taken.end(), [&](const Box& other) { return overlap(other, box); })) return false;
    float end = axis_y;  // above a bar and its count where one stands there
    for (const Box& other : taken) {
      if (x + px(3) > other.x0 && x - px(1) < other.x1 && other.y1 > box.y1) end = std::min(end, other.y0 - px(1));
    }
    if (dashed && end > box.y1 + px(6)) {
      dashed_line(sheet.draw, ImVec2(x, box.y1 + px(6)), ImVec2(x, end), line_colour, 2, 3, 1);
    } else if (end > box.y1 + px(1)) {
      sheet.draw->AddRectFilled(ImVec2(x, box.y1 + px(1)), ImVec2(x + px(2), end), line_colour);
    }
    text(sheet.draw, Face::caption, top_left(box), text_colour, name);
    taken.push_back(box);
    return true;
  };
  if (guess_shown) named_line(*state.guess, "your guess", names_y, look.hand.line, look.hand.text, false);
  if (trials.one_a_warp > 1 && trials.one_a_warp < trials.expected) {
    const auto value = static_cast<double>(trials.one_a_warp);
    for (const float down : {26.0f, 44.0f, 8.0f}) {
      if (named_line(value, "one per warp", names_y + px(down), look.text.third, look.text.third, true)) break;
    }
  }

  for (std::size_t i = 0; i < clusters.size(); ++i) {
    const Box column{bars[i].x0, bars_top - px(16), bars[i].x1, axis_y + px(4)};
    if (!mouse_over(column)) continue;
    ring(sheet.draw, bars[i], look.text.first);
    const TrialCluster& cluster = clusters[i];
    const std::string title = cluster.low == cluster.high
                                  ? fmt::format("ended at {}", grouped(cluster.low))
                                  : fmt::format("ended at {} to {}", grouped(cluster.low), grouped(cluster.high));
    const double share = trials.trials > 0 ? 100.0 * cluster.count / trials.trials : 0;
    const std::array<Fact, 2> facts = {Fact{cluster.count == 1 ? "trial" : "trials", grouped(cluster.count)},
                                       Fact{"of all", short_number(share, 3) + " %"}};
    fact_card(sheet, column, taken, title, "", facts);
  }
  end_view(sheet, height, state.stale);
}

}  // namespace warpbook::app
