// Reduction: the rungs of a ladder of kernels against the memory's limit, and below it one block's tree, level by level.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <string>

#include "app/text/numbers.h"
#include "app/views/parts.h"
#include "app/views/views.h"
#include "gpu/message.h"

namespace warpbook::app {
namespace {

constexpr float names_width = 120;  // CSS pixels, at the left of both pictures

std::string rate(double gb_per_s) { return gb_per_s > 0 ? fixed_number(gb_per_s, gb_per_s < 100 ? 1 : 0) : "–"; }

/// A warp's lanes as cells, or as one cell as dark as they are many where there is no room for each.
void draw_lanes(ImDrawList* draw, const Box& warp, std::uint32_t mask) {
  const Theme& look = theme();
  const float lane = warp.width() / 32;
  if (lane < px(2)) {
    const float share = static_cast<float>(std::popcount(mask)) / 32;
    const ImU32 colour = mask == 0 ? look.background.plot : mix(look.background.plot, look.series.blue, 0.25f + 0.75f * share);
    draw->AddRectFilled(top_left(warp), bottom_right(warp), colour);
    return;
  }
  draw->AddRectFilled(top_left(warp), bottom_right(warp), look.background.plot);
  const float gap = lane >= px(4) ? px(1) : 0;
  for (std::uint32_t i = 0; i < 32; ++i) {
    if ((mask >> i & 1) == 0) continue;
    const float x = snap(warp.x0 + static_cast<float>(i) * lane), end = snap(warp.x0 + static_cast<float>(i + 1) * lane) - gap;
    draw->AddRectFilled(ImVec2(x, warp.y0), ImVec2(std::max(end, x + 1), warp.y1), look.series.blue);
  }
}

/// "248 ms", "57.8 µs"; nothing where it did not run.
std::string time(double us) {
  if (us <= 0) return "–";
  return us >= 1000 ? say("{time} ms", "time"_a = short_number(us / 1000, 3)) : say("{time} µs", "time"_a = short_number(us, 3));
}

}  // namespace

void draw_ladder(const lessons::Ladder& ladder, float width, ViewState& state) {
  const Sheet sheet = begin_view(width);
  const Theme& look = theme();
  const bool model = ladder.model && ladder.title.empty();
  std::string note = model ? say("GB/s (model)") : say("GB/s");
  // Where the rungs had different numbers of values, the title says which.
  if (ladder.values > 0) {
    const std::string values = grouped(static_cast<long long>(ladder.values));
    note = model ? say("GB/s (model), {n} values", "n"_a = values) : say("GB/s, {n} values", "n"_a = values);
  }
  const std::string title = ladder.title.empty() ? std::string(say("How fast each kernel reads its values")) : ladder.title;
  const float y = title_row(sheet, title, note);
  double most = ladder.limit_gb_per_s;
  for (const auto& rung : ladder.rungs) most = std::max(most, rung.gb_per_s);
  most = std::max(most, 1e-9);

  const float pitch = px(24), bar = px(14);
  const float x0 = snap(sheet.at.x + px(names_width)), x1 = snap(sheet.right() - px(66)), top = sheet.at.y + y;
  const float bottom = top + pitch * static_cast<float>(ladder.rungs.size());
  const auto along = [&](double gb_per_s) { return snap((x1 - x0) * static_cast<float>(gb_per_s / most)); };
  for (std::size_t i = 0; i < ladder.rungs.size(); ++i) {
    const auto& rung = ladder.rungs[i];
    const bool chosen = i == ladder.chosen;
    const float middle = snap(top + pitch * (static_cast<float>(i) + 0.5f));
    text(sheet.draw, chosen ? Face::label_strong : Face::label, ImVec2(sheet.at.x, middle - line_height(Face::label) / 2),
         chosen ? look.text.first : look.text.second, rung.label);
    const Box track{x0, middle - bar / 2, x1, middle + bar / 2};
    sheet.draw->AddRectFilled(top_left(track), bottom_right(track), look.background.plot, px(look.radius.bar));
    const Box value{x0, track.y0, x0 + std::max(along(rung.gb_per_s), px(2)), track.y1};
    if (rung.gb_per_s > 0) {
      sheet.draw->AddRectFilled(top_left(value), bottom_right(value),
                                chosen ? look.series.blue : mix(look.background.plot, look.series.blue, 0.45f),
                                px(look.radius.bar));
    }
    text(sheet.draw, chosen ? Face::digits_strong : Face::digits, ImVec2(sheet.right(), middle - line_height(Face::digits) / 2),
         chosen ? look.text.first : look.text.second, ladder.title.empty() ? rate(rung.gb_per_s) : time(rung.us), Align::right);
    const Box row{sheet.at.x, middle - pitch / 2, sheet.right(), middle + pitch / 2};
    if (mouse_over(row) && rung.gb_per_s > 0) {
      ring(sheet.draw, track, look.text.first);
      const std::array<Fact, 3> facts = {
          Fact{ladder.model && ladder.title.empty() ? say("time (model)") : say("time"),
               say("{time} µs", "time"_a = short_number(rung.us, 4))},
          Fact{ladder.title.empty() ? say("reads") : say("moves"), say("{rate} GB/s", "rate"_a = short_number(rung.gb_per_s, 4))},
          Fact{say("of the limit"),
               ladder.limit_gb_per_s > 0 ? short_number(100 * rung.gb_per_s / ladder.limit_gb_per_s, 3) + " %" : "–"}};
      fact_card(sheet, row, {}, rung.label, "", facts);
    }
  }
  float foot = bottom, peak_words = 0;  // where the peak's words begin
  if (ladder.limit_gb_per_s > 0) {
    const float x = x0 + along(ladder.limit_gb_per_s);
    dashed_line(sheet.draw, ImVec2(x, top), ImVec2(x, bottom + px(2)), look.text.third, 2, 3, 1);
    const std::string peak = say("the memory's peak, {rate} GB/s", "rate"_a = rate(ladder.limit_gb_per_s));
    text(sheet.draw, Face::caption, ImVec2(x, bottom + px(3)), look.text.third, peak, Align::right);
    peak_words = x - text_width(Face::caption, peak) - px(12);
    foot += px(3) + line_height(Face::caption);
  }
  if (state.guess && *state.guess >= 0 && *state.guess <= 100 && ladder.limit_gb_per_s > 0) {
    const float x = x0 + along(*state.guess / 100 * ladder.limit_gb_per_s);
    dashed_line(sheet.draw, ImVec2(x, top), ImVec2(x, bottom + px(2)), look.hand.line, 2, 3, 1.5f);
    // On the peak's line where there is room, else below it.
    const std::string_view words = say("your guess");
    const bool room = x + text_width(Face::caption, words) < peak_words;
    if (!room) foot += line_height(Face::caption);
    text(sheet.draw, Face::caption, ImVec2(x, foot - line_height(Face::caption)), look.hand.text, words,
         room ? Align::left : Align::right);
  }
  end_view(sheet, foot - sheet.at.y, state.stale);
}

void draw_tree_levels(const lessons::TreeLevels& tree, float width, ViewState& state) {
  const Sheet sheet = begin_view(width);
  const Theme& look = theme();
  const std::string note = tree.shared ? say("lanes · passes through the banks") : say("lanes · sectors of 32 bytes");
  const float y = title_row(sheet, say("Which lanes of a block store a sum, level by level"), note);
  const std::size_t warps = std::max<std::size_t>(tree.threads / 32, 1);
  const float pitch = px(18), height = px(14), top = sheet.at.y + y;
  const float x0 = snap(sheet.at.x + px(names_width)), x1 = snap(sheet.right() - px(96));
  const float warp_gap = warps <= 8 ? px(4) : px(2), each = (x1 - x0 + warp_gap) / static_cast<float>(warps);
  for (std::size_t i = 0; i < tree.levels.size(); ++i) {
    const auto& level = tree.levels[i];
    const float line = top + pitch * static_cast<float>(i);
    text(sheet.draw, Face::caption, ImVec2(sheet.at.x, line + (height - line_height(Face::caption)) / 2), look.text.second,
         say("level {level}, line {line}", "level"_a = i + 1, "line"_a = level.line));
    int lanes = 0, busy = 0;
    for (std::size_t w = 0; w < warps; ++w) {
      const std::uint32_t mask = w < level.lanes.size() ? level.lanes[w] : 0;
      const float x = x0 + static_cast<float>(w) * each;
      draw_lanes(sheet.draw, {snap(x), line, snap(x + each - warp_gap), line + height}, mask);
      lanes += std::popcount(mask);
      busy += mask != 0;
    }
    const float digits = line + (height - line_height(Face::digits)) / 2;
    text(sheet.draw, Face::digits, ImVec2(sheet.right() - px(32), digits), look.text.second, fmt::format("{}", lanes),
         Align::right);
    const bool costly = tree.shared && level.cost > 1;
    text(sheet.draw, costly ? Face::digits_strong : Face::digits, ImVec2(sheet.right(), digits),
         costly ? look.verdict.bad : look.text.third, fmt::format("{}", level.cost), Align::right);
    const Box row{sheet.at.x, line, sheet.right(), line + pitch};
    if (mouse_over(row)) {
      ring(sheet.draw, {x0, line, x1, line + height}, look.text.first);
      const std::array<Fact, 3> facts = {
          Fact{say("lanes that store"), say("{lanes} of {threads}", "lanes"_a = lanes, "threads"_a = tree.threads)},
          Fact{say("warps that they keep busy"), say("{busy} of {warps}", "busy"_a = busy, "warps"_a = warps)},
          Fact{tree.shared ? say("passes of the costliest store") : say("sectors of the costliest store"),
               fmt::format("{}", level.cost)}};
      fact_card(sheet, row, {}, say("Level {level}", "level"_a = i + 1), say("line {line}", "line"_a = level.line), facts);
    }
  }
  end_view(sheet, y + pitch * static_cast<float>(std::max<std::size_t>(tree.levels.size(), 1)), state.stale);
}

}  // namespace warpbook::app
