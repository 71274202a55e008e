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
#include "gpu/message.h"

namespace warpbook::app {
namespace {

using lessons::Interleaving;
using Row = Interleaving::Row;

constexpr std::size_t most_picked = 3;  // beside the one whose store stays

std::string kept_words(std::uint64_t count) { return say("{n} kept", "n"_a = grouped(static_cast<long long>(count))); }
std::string lost_words(std::uint64_t count) { return say("{n} lost", "n"_a = grouped(static_cast<long long>(count))); }

std::string ends_at(const Interleaving& all) { return say("ends at {value}", "value"_a = grouped(all.final_value)); }

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
    const std::string both = say("atomic add {change}", "change"_a = change);
    for (const std::string& label : {both, change}) {
      if (text_inside(draw, Face::caption, {x0, y0, landed, y1 - px(2)}, look.text.first, label, 4)) break;
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
  const std::string reads = say("reads {value}", "value"_a = grouped(row.read));
  const float load_end = load.x0 + px(12) + text_width(Face::caption, say("load"));
  const bool dot_fits = reached > load.x0 + px(5) && reached < load.x1 - px(3);
  if (dot_fits) draw->AddCircleFilled(ImVec2(snap(reached), middle), px(4), look.series.blue);
  if (load_end + px(8) < (dot_fits ? reached - px(4) : load.x1)) words(load.x0 + px(12), look.text.first, say("load"));
  if (dot_fits && reached + px(9) + text_width(Face::caption, reads) + px(4) < load.x1)
    words(reached + px(9), look.text.first, reads);

  const Box add{done, y0, std::max(store - px(1), done + px(3)), y1};
  draw->AddRectFilled(top_left(add), bottom_right(add), look.series.stone, px(1));

  const Box box{store, y0, landed, y1};
  const std::string stores = say("store {value}", "value"_a = grouped(row.stored));
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
    facts.push_back({say("atomic add issued at cycle"), cycle(row.load_issued)});
    facts.push_back({say("done in memory at"), cycle(row.store_reached)});
    facts.push_back({say("the counter went"), grouped(row.read) + " → " + grouped(row.stored)});
  } else {
    facts.push_back({say("load issued at cycle"), cycle(row.load_issued)});
    facts.push_back({say("memory read, it held {value}, at", "value"_a = grouped(row.read)), cycle(row.load_reached)});
    facts.push_back({say("value in the register at"), cycle(row.load_done)});
    facts.push_back({say("store of {value} issued at", "value"_a = grouped(row.stored)), cycle(row.store_issued)});
    facts.push_back({say("memory changed at"), cycle(row.store_reached)});
  }
  std::string fate;
  if (row.kept > 0) fate = kept_words(row.kept);
  if (row.lost > 0) fate += (fate.empty() ? "" : ", ") + lost_words(row.lost);
  facts.push_back({say("of its updates"), fate.empty() ? std::string(say("none")) : fate,
                   row.lost > 0 ? theme().verdict.bad : theme().verdict.good});
  fact_card(sheet, item, avoid, say("Block {block}, warp {warp}", "block"_a = row.block, "warp"_a = row.warp),
            say_many(row.lanes, "{n} lane", "{n} lanes", "n"_a = row.lanes), facts);
}

/// Where every update went: what is kept and what is lost are all there were.
void draw_sum(const Sheet& sheet, const Interleaving& all, float y) {
  const Theme& look = theme();
  float x = sheet.at.x + px(20);
  const auto words = [&](Face face, ImU32 colour, const std::string& what) {
    x += text(sheet.draw, face, ImVec2(x, y + baseline(Face::body) - baseline(face)), colour, what);
  };
  words(Face::body, look.text.second,
        say_many(all.kept + all.lost,
                 "{n} update = ", "{n} updates = ", "n"_a = grouped(static_cast<long long>(all.kept + all.lost))));
  words(Face::body_strong, look.verdict.good, kept_words(all.kept));
  words(Face::body, look.text.second, " + ");
  words(Face::body_strong, all.lost > 0 ? look.verdict.bad : look.text.second, lost_words(all.lost));
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

std::vector<Swatch> legend_of(const Interleaving& all) {
  using Shape = Swatch::Shape;
  const Theme& look = theme();
  std::vector<Swatch> legend;
  if (all.atomic) {
    legend = {{Shape::tint, look.series.orange, say("atomic add")}, {Shape::solid, look.series.orange, say("done in memory")}};
  } else {
    legend = {{Shape::tint, look.series.blue, say("load")},
              {Shape::solid, look.series.stone, say("add")},
              {Shape::solid, look.series.orange, say("store")},
              {Shape::line, look.verdict.bad, say("lost")}};
  }
  legend.push_back({Shape::ring, look.verdict.good, say("kept")});
  return legend;
}

/// The whole view below its title. Its parts are drawn in the order in which they are declared.
class InterleavingPlot {
 public:
  InterleavingPlot(const Interleaving& all, const Sheet& sheet, float title_height, ViewState& state);

  void ground() const;
  void lanes();
  void other_warps();
  void values() const;
  void cycles();
  void card() const;                // of the warp under the mouse
  [[nodiscard]] float sum() const;  // height of the whole view

 private:
  [[nodiscard]] float lane_top(std::size_t i) const { return lanes_y_ + static_cast<float>(i) * (lane_height_ + px(8)); }
  [[nodiscard]] float at(std::uint64_t cycle) const { return axis_.x(static_cast<double>(cycle)); }
  [[nodiscard]] float name_y(float top, float tall, Face face) const { return top + (tall - line_height(face)) / 2; }
  void lane(std::size_t i);
  void thin_line(std::size_t l, const Row& row);
  void name_of_others(float least) const;
  void fates(float top, float tall, std::uint64_t lost, std::uint64_t kept) const;
  [[nodiscard]] Box first_store() const;

  const Interleaving& all_;
  const Sheet& sheet_;
  const Theme& look_ = theme();
  std::vector<std::uint64_t>& picked_;
  const std::vector<std::size_t> lanes_;  // indices of rows
  const std::size_t others_;              // number of the other rows
  const bool clicked_ = ImGui::IsMouseClicked(0);
  const float lane_height_ = px(32);
  Box plot_;
  Axis axis_{};
  std::vector<double> ticks_;
  float thin_ = 0;         // height of another warp's line
  std::size_t lines_ = 0;  // number of these lines
  float lanes_y_ = 0, thin_y_ = 0, value_y_ = 0, value_end_ = 0, numbers_y_ = 0;
  const Row* under_mouse_ = nullptr;
  Box item_;  // what is under the mouse
};

InterleavingPlot::InterleavingPlot(const Interleaving& all, const Sheet& sheet, float title_height, ViewState& state)
    : all_(all),
      sheet_(sheet),
      picked_(state.memory.picked),
      lanes_(choose_lanes(all.rows, 4, picked_)),
      others_(all.rows.size() - lanes_.size()) {
  // The columns: who, when, what became of it.
  float who = px(104);
  for (const Row& row : all.rows)
    who = std::max(who, text_width(Face::label, say("block {block}, warp {warp}", "block"_a = row.block, "warp"_a = row.warp)));
  who = snap(px(20) + who + px(8));
  float fate = px(80);
  for (const std::string& words : {lost_words(all.lost), kept_words(all.kept), ends_at(all)})
    fate = std::max(fate, text_width(Face::label_strong, words));
  fate = px(16) + fate + px(8);
  plot_ = {sheet.at.x + who, sheet.at.y + title_height, snap(sheet.right() - fate), 0};
  const double end = std::max<double>(static_cast<double>(all.end), 1);
  axis_ = {0, end, plot_.x0, plot_.x1};
  ticks_ = axis_ticks(0, end, std::clamp(static_cast<int>((plot_.x1 - plot_.x0) / px(56)), 2, 10));

  const float strip = std::max(px(124) - state.shorter, px(40));
  thin_ = others_ == 0 ? 0 : std::clamp(std::floor(strip / static_cast<float>(others_)), 1.0f, px(8));
  lines_ = others_ == 0 ? 0 : std::min(others_, static_cast<std::size_t>(strip / thin_));
  lanes_y_ = plot_.y0 + px(8);
  thin_y_ = lane_top(lanes_.size());
  value_y_ = snap(thin_y_ + thin_ * static_cast<float>(lines_) + (others_ > 0 ? px(8) : 0));
  value_end_ = value_y_ + px(16);
  numbers_y_ = value_end_ + px(6);
}

void InterleavingPlot::ground() const {
  sheet_.draw->AddRectFilled(top_left(plot_), ImVec2(plot_.x1, value_end_), look_.background.plot, px(look_.radius.control));
  for (const double tick : ticks_) {
    if (tick == 0) continue;
    const float x = axis_.x(tick);
    sheet_.draw->AddRectFilled(ImVec2(x, plot_.y0), ImVec2(x + px(1), value_end_ + px(5)), look_.background.line);
  }
}

void InterleavingPlot::fates(float top, float tall, std::uint64_t lost, std::uint64_t kept) const {
  const float x = plot_.x1 + px(16), line = line_height(Face::label_strong);
  const int rows = (lost > 0 ? 1 : 0) + (kept > 0 ? 1 : 0);
  float y = top + (tall - line * static_cast<float>(rows)) / 2;
  if (lost > 0) {
    text(sheet_.draw, Face::label_strong, ImVec2(x, y), look_.verdict.bad, lost_words(lost));
    y += line;
  }
  if (kept > 0) text(sheet_.draw, Face::label_strong, ImVec2(x, y), look_.verdict.good, kept_words(kept));
}

void InterleavingPlot::lanes() {
  for (std::size_t i = 0; i < lanes_.size(); ++i) lane(i);
}

void InterleavingPlot::lane(std::size_t i) {
  const Row& row = all_.rows[lanes_[i]];
  const float top = lane_top(i), bottom = top + lane_height_;
  if (row.lost > 0) {
    finding_glyph(sheet_.draw, gpu::FindingKind::race, ImVec2(sheet_.at.x + px(6), top + lane_height_ / 2), px(11),
                  look_.finding[static_cast<std::size_t>(gpu::FindingKind::race)]);
  }
  const auto mine = std::find(picked_.begin(), picked_.end(), warp_key(row));
  text(sheet_.draw, Face::label, ImVec2(sheet_.at.x + px(20), name_y(top, lane_height_, Face::label)),
       mine != picked_.end() ? look_.hand.text : look_.text.first,
       say("block {block}, warp {warp}", "block"_a = row.block, "warp"_a = row.warp));
  if (clicked_ && mine != picked_.end() && mouse_over({sheet_.at.x, top, plot_.x1, bottom})) picked_.erase(mine);
  draw_lane(sheet_, all_, row, axis_, top, bottom);
  fates(top, lane_height_, row.lost, row.kept);
  if (!mouse_over({plot_.x0, top, plot_.x1, bottom})) return;
  under_mouse_ = &row;
  item_ = {at(row.load_issued), top, std::max(at(row.store_reached), plot_.x0 + px(8)), bottom};
}

void InterleavingPlot::other_warps() {
  if (others_ == 0) return;
  std::vector<std::size_t> rest;
  rest.reserve(others_);
  std::uint64_t lost = 0, kept = 0;
  for (std::size_t i = 0; i < all_.rows.size(); ++i) {
    if (std::find(lanes_.begin(), lanes_.end(), i) != lanes_.end()) continue;
    rest.push_back(i);
    lost += all_.rows[i].lost;
    kept += all_.rows[i].kept;
  }
  for (std::size_t l = 0; l < lines_; ++l) thin_line(l, all_.rows[rest[l * rest.size() / lines_]]);
  const float least = std::max(thin_ * static_cast<float>(lines_), line_height(Face::label));
  name_of_others(least);
  fates(thin_y_, least, lost, kept);
}

void InterleavingPlot::thin_line(std::size_t l, const Row& row) {
  const float top = thin_y_ + static_cast<float>(l) * thin_;
  draw_thin(sheet_.draw, all_, row, axis_, top, top + thin_ - (thin_ >= 3 ? 1 : 0));
  if (!mouse_over({plot_.x0, top, plot_.x1, top + thin_})) return;
  under_mouse_ = &row;
  item_ = {at(row.load_issued), top, at(row.store_reached), top + thin_};
  ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (clicked_ && picked_.size() == most_picked) picked_.erase(picked_.begin());
  if (clicked_) picked_.push_back(warp_key(row));
}

void InterleavingPlot::name_of_others(float least) const {
  const bool sampled = lines_ < others_;
  const std::string name = say_many(others_, "{n} more warp", "{n} more warps", "n"_a = grouped(static_cast<long long>(others_)));
  const float line = line_height(Face::label), small = line_height(Face::caption), x = sheet_.at.x + px(20);
  const float y = thin_y_ + (least - line - (sampled ? 2 : 1) * small) / 2;
  text(sheet_.draw, Face::label, ImVec2(x, y), look_.text.second, name);
  if (sampled) text(sheet_.draw, Face::caption, ImVec2(x, y + line), look_.text.third, say("{n} of them drawn", "n"_a = lines_));
  if (least > 3 * line)
    text(sheet_.draw, Face::caption, ImVec2(x, y + line + (sampled ? small : 0)), look_.text.third, say("click one to follow"));
}

void InterleavingPlot::values() const {
  draw_values(sheet_, all_, axis_, value_y_, value_end_);
  text(sheet_.draw, Face::label_code, ImVec2(sheet_.at.x + px(20), name_y(value_y_, px(16), Face::label_code)), look_.text.second,
       all_.element);
  text(sheet_.draw, Face::label_strong, ImVec2(plot_.x1 + px(16), name_y(value_y_, px(16), Face::label_strong)), look_.text.first,
       ends_at(all_));
}

/// When the first store lands, everything read before it is stale: a line through all lanes, its cycle in bold. Returns the room
/// of that number along the axis.
Box InterleavingPlot::first_store() const {
  if (all_.atomic || all_.values.size() < 2) return {};
  const float x = at(all_.values[1].from);
  dashed_line(sheet_.draw, ImVec2(x, plot_.y0), ImVec2(x, value_end_), with_alpha(look_.text.first, 0.75f), 3, 3, 1.5f);
  const std::string number = grouped(static_cast<long long>(all_.values[1].from));
  const float half = text_width(Face::digits_strong, number) / 2, middle = std::clamp(x, plot_.x0 + half, plot_.x1 - half);
  text(sheet_.draw, Face::digits_strong, ImVec2(middle, numbers_y_), look_.text.first, number, Align::centre);
  return {middle - half - px(6), 0, middle + half + px(6), 1};
}

void InterleavingPlot::cycles() {
  const Box first_number = first_store();
  text(sheet_.draw, Face::caption, ImVec2(sheet_.at.x + px(20), numbers_y_), look_.text.third, say("cycle (model)"));
  for (const double tick : ticks_) {
    const std::string number = grouped(std::llround(tick));
    const float half = text_width(Face::digits, number) / 2, middle = std::clamp(axis_.x(tick), plot_.x0 + half, plot_.x1 - half);
    if (overlap({middle - half, 0, middle + half, 1}, first_number)) continue;
    text(sheet_.draw, Face::digits, ImVec2(middle, numbers_y_), look_.text.third, number, Align::centre);
  }
}

void InterleavingPlot::card() const {
  if (under_mouse_ == nullptr) return;
  ring(sheet_.draw, {plot_.x0, item_.y0, plot_.x1, item_.y1}, with_alpha(look_.text.first, 0.55f), 1, 3, 1);
  ring(sheet_.draw, item_, look_.text.first);
  std::vector<Box> avoid;  // what is marked lost
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    const Row& row = all_.rows[lanes_[i]];
    const float top = lane_top(i), bottom = top + lane_height_;
    if (row.lost > 0 && !all_.atomic) avoid.push_back({at(row.store_issued) - px(4), top, at(row.store_reached) + px(5), bottom});
    if (row.lost > 0) avoid.push_back({plot_.x1 + px(12), top, sheet_.right(), bottom});
  }
  lane_card(sheet_, all_, *under_mouse_, item_, avoid);
}

float InterleavingPlot::sum() const {
  const float y = numbers_y_ + line_height(Face::digits) + px(8);
  draw_sum(sheet_, all_, y);
  return y + line_height(Face::body) - sheet_.at.y;
}

}  // namespace

void draw_interleaving(const Interleaving& all, float width, ViewState& state) {
  const Sheet sheet = begin_view(width);
  const float title =
      title_row(sheet, all.title.empty() ? std::string(say("Load, add and store of every warp")) : all.title, legend_of(all));
  InterleavingPlot plot(all, sheet, title, state);
  plot.ground();
  plot.lanes();
  plot.other_warps();
  plot.values();
  plot.cycles();
  plot.card();
  end_view(sheet, plot.sum(), state.stale);
}

}  // namespace warpbook::app
