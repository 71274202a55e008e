// Interleaving: load, add and store of every warp on one element. Four warps as lanes, the rest a line each; what was lost is
// struck through, what was kept has a ring. Cycles are the model's.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "app/text/numbers.h"
#include "app/views/parts.h"
#include "app/views/views.h"

namespace warpbook::app {
namespace {

using lessons::Interleaving;
using Row = Interleaving::Row;

constexpr std::size_t most_picked = 3;  // beside the one whose store stays

std::string updates(std::uint64_t count, const char* what) { return grouped(static_cast<long long>(count)) + " " + what; }

/// The lane's two or three steps.
void draw_lane(const Sheet& sheet, const Interleaving& all, const Row& row, const Axis& axis, float y0, float y1) {
  const Theme& look = theme();
  ImDrawList* draw = sheet.draw;
  const float middle = (y0 + y1) / 2, line = line_height(Face::caption);
  const auto words = [&](float x, ImU32 colour, std::string_view what) {
    text(draw, Face::caption, ImVec2(x, middle - line / 2), colour, what);
  };
  const auto at = [&](std::uint64_t cycle) { return axis.x(static_cast<double>(cycle)); };
  const bool kept = row.kept > 0;

  if (all.atomic) {
    const float x0 = at(row.load_issued), landed = std::max(at(row.store_reached), x0 + px(3));
    const Box box{x0, y0, landed, y1};
    segment(draw, box, look.series.orange);
    const std::string change = fmt::format("{} → {}", grouped(row.read), grouped(row.stored));
    const std::string both = "atomic add " + change;
    for (const std::string& label : {both, change}) {
      if (text_inside(draw, Face::caption, {x0, y0, landed, y1 - px(2)}, look.text.first, label, 8)) break;
    }
    const Box mark{landed, y0, landed + px(6), y1};
    draw->AddRectFilled(top_left(mark), bottom_right(mark), look.series.orange, px(look.radius.bar));
    if (kept) ring(draw, mark, look.verdict.good, 2, 3, 1);
    return;
  }

  const float issued = at(row.load_issued), reached = at(row.load_reached), done = std::max(at(row.load_done), issued + px(3));
  const float store = std::max(at(row.store_issued), done + px(5)), landed = std::max(at(row.store_reached), store + px(4));
  const Box load{issued, y0, done - px(1), y1};
  draw->AddRectFilled(top_left(load), bottom_right(load), tint(look.series.blue), px(look.radius.bar), ImDrawFlags_RoundCornersTop);
  draw->AddRectFilled(ImVec2(load.x0, y1 - px(2)), bottom_right(load), look.series.blue);
  draw->AddRectFilled(top_left(load), ImVec2(load.x0 + px(3), y1), look.series.blue, px(1));
  const std::string reads = fmt::format("reads {}", grouped(row.read));
  const float load_end = load.x0 + px(12) + text_width(Face::caption, "load");
  const bool dot_fits = reached > load.x0 + px(5) && reached < load.x1 - px(3);
  if (dot_fits) draw->AddCircleFilled(ImVec2(snap(reached), middle), px(4), look.series.blue);
  if (load_end + px(8) < (dot_fits ? reached - px(4) : load.x1)) words(load.x0 + px(12), look.text.first, "load");
  if (dot_fits && reached + px(9) + text_width(Face::caption, reads) + px(4) < load.x1)
    words(reached + px(9), look.text.first, reads);

  const Box add{done, y0, std::max(store - px(1), done + px(3)), y1};
  draw->AddRectFilled(top_left(add), bottom_right(add), look.series.stone, px(1));

  const Box box{store, y0, landed, y1};
  const std::string stores = fmt::format("store {}", grouped(row.stored));
  if (kept) {
    draw->AddRectFilled(top_left(box), bottom_right(box), look.series.orange, px(look.radius.bar));
    text_inside(draw, Face::label_strong, box, on_series(), stores, 4);
    ring(draw, box, look.verdict.good, 2, 4, 2);
  } else {
    segment(draw, box, look.series.orange);
    text_inside(draw, Face::caption, {box.x0, y0, box.x1, y1 - px(2)}, look.text.third, stores, 3);
    draw->AddRectFilled(ImVec2(box.x0 - px(3), snap(middle - px(1))), ImVec2(box.x1 + px(4), snap(middle + px(1))),
                        look.verdict.bad);
  }
}

/// A warp as a thin line: the same colours, no words.
void draw_thin(ImDrawList* draw, const Interleaving& all, const Row& row, const Axis& axis, float y0, float y1) {
  const Theme& look = theme();
  const auto at = [&](std::uint64_t cycle) { return axis.x(static_cast<double>(cycle)); };
  const auto bar = [&](float x0, float x1, ImU32 colour) { draw->AddRectFilled(ImVec2(x0, y0), ImVec2(x1, y1), colour); };
  const float dark = look.appearance == Appearance::dark ? 1.0f : 0.8f;
  const ImU32 load = with_alpha(look.series.blue, 0.3f * dark), store = with_alpha(look.series.orange, 0.5f * dark);
  if (all.atomic) {
    const float landed = at(row.store_reached);
    bar(at(row.load_issued), landed, store);
    bar(landed, landed + px(3), look.series.orange);
    return;
  }
  const float done = std::max(at(row.load_done), at(row.load_issued) + 1), issued = std::max(at(row.store_issued), done + px(2));
  bar(at(row.load_issued), done, load);
  bar(done, issued, look.series.stone);
  bar(issued, std::max(at(row.store_reached), issued + 1), row.kept > 0 ? look.series.orange : store);
  const float reached = at(row.load_reached);
  bar(reached - px(1), reached + px(1), look.series.blue);
}

void lane_card(const Sheet& sheet, const Interleaving& all, const Row& row, const Box& item, std::span<const Box> avoid) {
  const auto cycle = [](std::uint64_t c) { return grouped(static_cast<long long>(c)); };
  std::vector<Fact> facts;
  if (all.atomic) {
    facts.push_back({"atomic add issued at cycle", cycle(row.load_issued)});
    facts.push_back({"done in memory at", cycle(row.store_reached)});
    facts.push_back({"the counter went", grouped(row.read) + " → " + grouped(row.stored)});
  } else {
    facts.push_back({"load issued at cycle", cycle(row.load_issued)});
    facts.push_back({fmt::format("memory read, it held {}, at", grouped(row.read)), cycle(row.load_reached)});
    facts.push_back({"value in the register at", cycle(row.load_done)});
    facts.push_back({fmt::format("store of {} issued at", grouped(row.stored)), cycle(row.store_issued)});
    facts.push_back({"memory changed at", cycle(row.store_reached)});
  }
  std::string fate;
  if (row.kept > 0) fate = updates(row.kept, "kept");
  if (row.lost > 0) fate += (fate.empty() ? "" : ", ") + updates(row.lost, "lost");
  facts.push_back({"of its updates", fate.empty() ? "none" : fate, row.lost > 0 ? theme().verdict.bad : theme().verdict.good});
  fact_card(sheet, item, avoid, fmt::format("Block {}, warp {}", row.block, row.warp),
            row.lanes == 1 ? "1 lane" : fmt::format("{} lanes", row.lanes), facts);
}

/// Where every update went: what is kept and what is lost are all there were.
void draw_sum(const Sheet& sheet, const Interleaving& all, float y) {
  const Theme& look = theme();
  float x = sheet.at.x + px(20);
  const auto words = [&](Face face, ImU32 colour, const std::string& what) {
    x += text(sheet.draw, face, ImVec2(x, y + baseline(Face::body) - baseline(face)), colour, what);
  };
  words(Face::body, look.text.second, updates(all.kept + all.lost, all.kept + all.lost == 1 ? "update = " : "updates = "));
  words(Face::body_strong, look.verdict.good, updates(all.kept, "kept"));
  words(Face::body, look.text.second, " + ");
  words(Face::body_strong, all.lost > 0 ? look.verdict.bad : look.text.second, updates(all.lost, "lost"));
}

/// The element's value over time, a box a value.
void draw_values(const Sheet& sheet, const Interleaving& all, const Axis& axis, float y0, float y1) {
  const Theme& look = theme();
  for (std::size_t i = 0; i < all.values.size(); ++i) {
    const auto from = static_cast<double>(all.values[i].from);
    const double to = i + 1 < all.values.size() ? static_cast<double>(all.values[i + 1].from) : axis.high;
    const Box box{axis.x(from), y0, axis.x(to), y1};
    if (box.width() < 1) continue;  // overwritten within the same pixel
    const bool last = i + 1 == all.values.size();
    ImU32 colour = look.background.control;
    // Later values alternate, so that each change shows; the last one, which stays, is solid.
    if (i > 0) colour = last ? look.series.orange : mix(look.background.plot, look.series.orange, i % 2 == 0 ? 0.45f : 0.62f);
    const float radius = px(look.radius.bar);
    sheet.draw->AddRectFilled(top_left(box), bottom_right(box), colour, radius,
                              i == 0 ? ImDrawFlags_RoundCornersLeft
                              : last ? ImDrawFlags_RoundCornersRight
                                     : ImDrawFlags_RoundCornersNone);
    const ImU32 ink = i > 0 && last ? on_series() : look.text.first;
    text_inside(sheet.draw, i > 0 && last ? Face::digits_strong : Face::digits, box, ink, grouped(all.values[i].value), 3);
  }
}

}  // namespace

void draw_interleaving(const Interleaving& all, float width, ViewState& state) {
  const Sheet sheet = begin_view(width);
  const Theme& look = theme();
  using Shape = Swatch::Shape;
  std::vector<Swatch> legend;
  if (all.atomic) {
    legend = {{Shape::tint, look.series.orange, "atomic add"}, {Shape::solid, look.series.orange, "done in memory"}};
  } else {
    legend = {{Shape::tint, look.series.blue, "load"},
              {Shape::solid, look.series.stone, "add"},
              {Shape::solid, look.series.orange, "store"}};
    legend.push_back({Shape::line, look.verdict.bad, "lost"});
  }
  legend.push_back({Shape::ring, look.verdict.good, "kept"});
  const float y = title_row(sheet, all.title.empty() ? "Load, add and store of every warp" : all.title, legend);

  // The columns: who, when, what became of it.
  std::vector<std::uint64_t>& picked = state.memory.picked;
  const std::vector<std::size_t> lanes = choose_lanes(all.rows, 4, picked);
  const bool clicked = ImGui::IsMouseClicked(0);
  const std::size_t others = all.rows.size() - lanes.size();
  float who = px(104);
  for (const Row& row : all.rows)
    who = std::max(who, text_width(Face::label, fmt::format("block {}, warp {}", row.block, row.warp)));
  who = snap(px(20) + who + px(8));
  const float fate = std::max(px(104), px(24) + text_width(Face::label_strong, updates(std::max(all.lost, all.kept), "lost")));
  const float lane_height = px(32), gap = px(8);
  const Box plot{sheet.at.x + who, sheet.at.y + y, snap(sheet.right() - fate), 0};
  const double end = std::max<double>(static_cast<double>(all.end), 1);
  const Axis axis{0, end, plot.x0, plot.x1};

  const float strip = std::max(px(124) - state.shorter, px(40));
  const float thin = others == 0 ? 0 : std::clamp(std::floor(strip / static_cast<float>(others)), 1.0f, px(8));
  const std::size_t lines = others == 0 ? 0 : std::min(others, static_cast<std::size_t>(strip / thin));
  const float thin_height = thin * static_cast<float>(lines);
  const float lanes_y = plot.y0 + px(8), thin_y = lanes_y + static_cast<float>(lanes.size()) * (lane_height + gap);
  const float value_y = snap(thin_y + thin_height + (others > 0 ? px(8) : 0)), value_end = value_y + px(16);
  sheet.draw->AddRectFilled(top_left(plot), ImVec2(plot.x1, value_end), look.background.plot, px(look.radius.control));

  const auto ticks = axis_ticks(0, end, std::clamp(static_cast<int>((plot.x1 - plot.x0) / px(56)), 2, 10));
  for (const double tick : ticks) {
    if (tick == 0) continue;
    const float x = axis.x(tick);
    sheet.draw->AddRectFilled(ImVec2(x, plot.y0), ImVec2(x + px(1), value_end + px(5)), look.background.line);
  }

  const auto name_y = [&](float top, float tall, Face face) { return top + (tall - line_height(face)) / 2; };
  const auto fates = [&](float top, float tall, std::uint64_t lost, std::uint64_t kept) {
    const float x = plot.x1 + px(16), line = line_height(Face::label_strong);
    const int rows = (lost > 0 ? 1 : 0) + (kept > 0 ? 1 : 0);
    float at = top + (tall - line * static_cast<float>(rows)) / 2;
    if (lost > 0) {
      text(sheet.draw, Face::label_strong, ImVec2(x, at), look.verdict.bad, updates(lost, "lost"));
      at += line;
    }
    if (kept > 0) text(sheet.draw, Face::label_strong, ImVec2(x, at), look.verdict.good, updates(kept, "kept"));
  };

  std::vector<Box> avoid;  // what is marked lost
  const Row* under_mouse = nullptr;
  Box item;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const Row& row = all.rows[lanes[i]];
    const float top = lanes_y + static_cast<float>(i) * (lane_height + gap);
    if (row.lost > 0) {
      finding_glyph(sheet.draw, gpu::FindingKind::race, ImVec2(sheet.at.x + px(6), top + lane_height / 2), px(11),
                    look.finding[static_cast<std::size_t>(gpu::FindingKind::race)]);
    }
    const auto mine = std::find(picked.begin(), picked.end(), warp_key(row));
    text(sheet.draw, Face::label, ImVec2(sheet.at.x + px(20), name_y(top, lane_height, Face::label)),
         mine != picked.end() ? look.hand.text : look.text.first, fmt::format("block {}, warp {}", row.block, row.warp));
    if (clicked && mine != picked.end() && mouse_over({sheet.at.x, top, plot.x1, top + lane_height})) picked.erase(mine);
    draw_lane(sheet, all, row, axis, top, top + lane_height);
    fates(top, lane_height, row.lost, row.kept);
    if (mouse_over({plot.x0, top, plot.x1, top + lane_height})) {
      under_mouse = &row;
      item = {axis.x(static_cast<double>(row.load_issued)), top,
              std::max(axis.x(static_cast<double>(row.store_reached)), plot.x0 + px(8)), top + lane_height};
    }
  }

  if (others > 0) {
    std::vector<std::size_t> rest;
    rest.reserve(others);
    std::uint64_t lost = 0, kept = 0;
    for (std::size_t i = 0; i < all.rows.size(); ++i) {
      if (std::find(lanes.begin(), lanes.end(), i) != lanes.end()) continue;
      rest.push_back(i);
      lost += all.rows[i].lost;
      kept += all.rows[i].kept;
    }
    for (std::size_t l = 0; l < lines; ++l) {
      const Row& row = all.rows[rest[l * rest.size() / lines]];
      const float top = thin_y + static_cast<float>(l) * thin;
      draw_thin(sheet.draw, all, row, axis, top, top + thin - (thin >= 3 ? 1 : 0));
      if (mouse_over({plot.x0, top, plot.x1, top + thin})) {
        under_mouse = &row;
        item = {axis.x(static_cast<double>(row.load_issued)), top, axis.x(static_cast<double>(row.store_reached)), top + thin};
        ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
        if (clicked && picked.size() == most_picked) picked.erase(picked.begin());
        if (clicked) picked.push_back(warp_key(row));
      }
    }
    const bool sampled = lines < others;
    const std::string name = others == 1 ? "1 more warp" : grouped(static_cast<long long>(others)) + " more warps";
    const float line = line_height(Face::label), least = std::max(thin_height, line);
    const float label_y = thin_y + (least - line - (sampled ? 2 : 1) * line_height(Face::caption)) / 2;
    text(sheet.draw, Face::label, ImVec2(sheet.at.x + px(20), label_y), look.text.second, name);
    if (sampled) {
      text(sheet.draw, Face::caption, ImVec2(sheet.at.x + px(20), label_y + line), look.text.third,
           fmt::format("{} of them drawn", lines));
    }
    if (least > 3 * line) {
      text(sheet.draw, Face::caption, ImVec2(sheet.at.x + px(20), label_y + line + (sampled ? line_height(Face::caption) : 0)),
           look.text.third, "click one to follow");
    }
    fates(thin_y, least, lost, kept);
  }

  draw_values(sheet, all, axis, value_y, value_end);
  text(sheet.draw, Face::label_code, ImVec2(sheet.at.x + px(20), name_y(value_y, px(16), Face::label_code)), look.text.second,
       all.element);
  text(sheet.draw, Face::label_strong, ImVec2(plot.x1 + px(16), name_y(value_y, px(16), Face::label_strong)), look.text.first,
       fmt::format("ends at {}", grouped(all.final_value)));

  // When the first store lands, everything read before it is stale: a line through all lanes, its cycle in bold.
  const float numbers_y = value_end + px(6);
  Box first_number;
  if (!all.atomic && all.values.size() > 1) {
    const auto first = static_cast<double>(all.values[1].from);
    const float x = axis.x(first);
    dashed_line(sheet.draw, ImVec2(x, plot.y0), ImVec2(x, value_end), with_alpha(look.text.first, 0.75f), 3, 3, 1.5f);
    const std::string number = grouped(static_cast<long long>(all.values[1].from));
    const float half = text_width(Face::digits_strong, number) / 2, middle = std::clamp(x, plot.x0 + half, plot.x1 - half);
    first_number = {middle - half - px(6), 0, middle + half + px(6), 1};
    text(sheet.draw, Face::digits_strong, ImVec2(middle, numbers_y), look.text.first, number, Align::centre);
  }
  text(sheet.draw, Face::caption, ImVec2(sheet.at.x + px(20), numbers_y), look.text.third, "cycle (model)");
  for (const double tick : ticks) {
    const std::string number = grouped(std::llround(tick));
    const float half = text_width(Face::digits, number) / 2, middle = std::clamp(axis.x(tick), plot.x0 + half, plot.x1 - half);
    if (overlap({middle - half, 0, middle + half, 1}, first_number)) continue;
    text(sheet.draw, Face::digits, ImVec2(middle, numbers_y), look.text.third, number, Align::centre);
  }

  if (under_mouse != nullptr) {
    ring(sheet.draw, {plot.x0, item.y0, plot.x1, item.y1}, with_alpha(look.text.first, 0.55f), 1, 3, 1);
    ring(sheet.draw, item, look.text.first);
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      const Row& row = all.rows[lanes[i]];
      const float top = lanes_y + static_cast<float>(i) * (lane_height + gap);
      if (row.lost > 0 && !all.atomic) {
        avoid.push_back({axis.x(static_cast<double>(row.store_issued)) - px(4), top,
                         axis.x(static_cast<double>(row.store_reached)) + px(5), top + lane_height});
      }
      if (row.lost > 0) avoid.push_back({plot.x1 + px(12), top, sheet.right(), top + lane_height});
    }
    lane_card(sheet, all, *under_mouse, item, avoid);
  }
  const float sum_y = numbers_y + line_height(Face::digits) + px(8);
  draw_sum(sheet, all, sum_y);
  end_view(sheet, sum_y + line_height(Face::body) - sheet.at.y, state.stale);
}

}  // namespace warpbook::app
