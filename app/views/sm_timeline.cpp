// SmTimeline: SM by scheduler by warp, over the model's cycles. Solid: an instruction was issued; tinted: the warp waited; hatched:
// it was held up by something that others used. The wheel comes closer, dragging moves.
#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "app/text/numbers.h"
#include "app/views/parts.h"
#include "app/views/timeline_layout.h"
#include "app/views/views.h"
#include "app/views/warp_states.h"
#include "gpu/message.h"

namespace warpbook::app {

StateLook look_of(gpu::WarpState state) {
  using gpu::WarpState;
  const auto& c = theme().stall;
  switch (state) {
    case WarpState::issued:
      return {c.issued, false, say("issued")};
    case WarpState::not_selected:
      return {c.ready, false, say("another warp's turn")};
    case WarpState::arithmetic:
      return {c.dependency, false, say("waits for arithmetic")};
    case WarpState::unit_busy:
      return {c.dependency, true, say("arithmetic unit busy")};
    case WarpState::memory:
      return {c.global, false, say("waits for global memory")};
    case WarpState::shared:
      return {c.shared, false, say("waits for shared memory")};
    case WarpState::memory_busy:
      return {c.global, true, say("load/store unit busy")};
    case WarpState::fence:
      return {c.atomic, false, say("waits for its stores or copies")};
    case WarpState::barrier:
      return {c.barrier, false, say("waits at a barrier")};
    case WarpState::lanes:
      return {c.ready, true, say("waits for its own lanes")};
  }
  return {};
}

ImU32 waiting_colour(ImU32 colour) {
  return mix(theme().background.plot, colour, theme().appearance == Appearance::dark ? 0.5f : 0.42f);
}

std::vector<Swatch> warp_legend(const std::array<bool, gpu::warp_states>& seen) {
  std::vector<Swatch> legend;
  for (std::size_t s = 0; s < gpu::warp_states; ++s) {
    const StateLook look = look_of(static_cast<gpu::WarpState>(s));
    const bool solid = s == static_cast<std::size_t>(gpu::WarpState::issued);
    if (seen[s])
      legend.push_back({solid          ? Swatch::Shape::solid
                        : look.hatched ? Swatch::Shape::hatched
                                       : Swatch::Shape::tint,
                        look.colour, look.words});
  }
  return legend;
}

namespace {

using gpu::ClockReport;
using gpu::WarpLane;
using gpu::WarpState;
using lessons::SmTimeline;

constexpr float timeline_gutter_css = 88;

/// A scheduler's row, screen pixels; lower on a slide that is too low for the view.
float scheduler_row(float shorter) { return snap(px(shorter > 0 ? 5 : 8)); }

/// Where one launch is drawn.
struct Strip {
  const SmTimeline::Run* run = nullptr;
  const gpu::Timeline* timeline = nullptr;
  LaneRows rows = {};
  Box schedulers = {};  // above the plot; empty where they are not asked for
  Box plot = {};
  float scroll = 0;
};

struct Under {
  const WarpLane* lane = nullptr;
  const WarpLane::Span* span = nullptr;
  Box lane_box, item;
};

void draw_piece(ImDrawList* draw, const Strip& strip, const LanePiece& piece, float y0, float y1) {
  const StateLook look = look_of(piece.state);
  const Box box{strip.plot.x0 + static_cast<float>(piece.begin), y0, strip.plot.x0 + static_cast<float>(piece.end), y1};
  if (piece.state == WarpState::issued) {
    draw->AddRectFilled(top_left(box), bottom_right(box), look.colour);
    return;
  }
  const ImU32 pale = waiting_colour(look.colour);
  // Where a pixel is many cycles, its share of issued ones brightens it.
  const ImU32 fill = piece.issued > 0 ? mix(pale, theme().stall.issued, std::sqrt(piece.issued) * 0.9f) : pale;
  if (look.hatched && box.width() >= px(3)) {
    draw->AddRectFilled(top_left(box), bottom_right(box), mix(theme().background.plot, fill, 0.35f));
    hatch_narrow(draw, box, look.colour);
    return;
  }
  draw->AddRectFilled(top_left(box), bottom_right(box), look.hatched ? mix(theme().background.plot, fill, 0.6f) : fill);
  if (piece.issued == 0) {
    draw->AddRectFilled(ImVec2(box.x0, y1 - snap(px(2))), bottom_right(box), look.colour);
  }
}

void draw_strip(const Sheet& sheet, const Strip& strip, const CycleWindow& window) {
  const Theme& look = theme();
  ImDrawList* draw = sheet.draw;
  const auto columns = static_cast<std::uint32_t>(std::max(strip.plot.width(), 1.0f));
  const float row_gap = strip.rows.pitch >= px(4) ? std::max(std::floor(px(1)), 1.0f) : 0;
  draw->PushClipRect(ImVec2(sheet.at.x, strip.plot.y0 - px(4)), ImVec2(strip.plot.x0, strip.plot.y1), true);
  float named_until = -1e9f;  // no name over another
  const auto name_y = [&](float y) { return snap(y + (strip.rows.pitch - row_gap - line_height(Face::caption)) / 2); };
  const auto first_of_sm = [&](std::size_t i) { return i == 0 || strip.rows.rows[i - 1].sm != strip.rows.rows[i].sm; };
  for (std::size_t i = 0; i < strip.rows.rows.size(); ++i) {
    const LaneRow& row = strip.rows.rows[i];
    const float y = strip.plot.y0 + row.y - strip.scroll;
    if (y >= strip.plot.y1) break;
    if (y + strip.rows.pitch <= strip.plot.y0) continue;
    if (first_of_sm(i) && y >= named_until) {
      text(draw, Face::caption, ImVec2(sheet.at.x, name_y(y)), look.text.second, say("SM {sm}", "sm"_a = row.sm));
      named_until = y + px(14);
    }
    const bool first_of_scheduler = first_of_sm(i) || strip.rows.rows[i - 1].scheduler != row.scheduler;
    if (first_of_scheduler && strip.rows.pitch >= px(10)) {
      text(draw, Face::caption, ImVec2(strip.plot.x0 - px(8), name_y(y)), look.text.third, fmt::format("{}", row.scheduler),
           Align::right);
    }
  }
  draw->PopClipRect();
  draw->PushClipRect(top_left(strip.plot), bottom_right(strip.plot), true);
  for (std::size_t i = 0; i < strip.rows.rows.size(); ++i) {
    const LaneRow& row = strip.rows.rows[i];
    const float y = strip.plot.y0 + row.y - strip.scroll;
    if (y >= strip.plot.y1) break;
    if (y + strip.rows.pitch <= strip.plot.y0) continue;
    if (first_of_sm(i) && i > 0) {
      const float line = snap(y - px(4));
      hairline(draw, ImVec2(strip.plot.x0, line), ImVec2(strip.plot.x1, line), look.background.line);
    }
    for (const std::uint32_t lane : row.lanes) {
      for (const LanePiece& piece : pieces_of(strip.timeline->lanes[lane], window, columns)) {
        draw_piece(draw, strip, piece, y, y + strip.rows.pitch - row_gap);
      }
    }
  }
  draw->PopClipRect();
  if (strip.rows.height > strip.plot.height() + 1) {  // how much of it is in sight
    const float length = std::max(strip.plot.height() * strip.plot.height() / strip.rows.height, px(16));
    const float y = strip.plot.y0 + (strip.plot.height() - length) * strip.scroll / (strip.rows.height - strip.plot.height());
    draw->AddRectFilled(ImVec2(strip.plot.x1 + px(4), strip.plot.y0), ImVec2(strip.plot.x1 + px(7), strip.plot.y1),
                        look.background.plot, px(2));
    draw->AddRectFilled(ImVec2(strip.plot.x1 + px(4), y), ImVec2(strip.plot.x1 + px(7), y + length), look.background.line_strong,
                        px(2));
  }
}

/// A row for each scheduler of the first multiprocessor: bright where it issued, empty where it was idle.
void draw_schedulers(const Sheet& sheet, const Strip& strip, const CycleWindow& window) {
  const Theme& look = theme();
  const Box& area = strip.schedulers;
  if (area.height() <= 0 || strip.timeline->lanes.empty()) return;
  const auto columns = static_cast<std::uint32_t>(std::max(area.width(), 1.0f));
  text(sheet.draw, Face::caption, ImVec2(sheet.at.x, snap((area.y0 + area.y1 - line_height(Face::caption)) / 2)), look.text.second,
       strip.run->clock->schedulers == 1 ? say("scheduler") : say("schedulers"));
  const unsigned schedulers = std::max(strip.run->clock->schedulers, 1U);
  const float pitch = area.height() / static_cast<float>(schedulers);
  for (unsigned scheduler = 0; scheduler < schedulers; ++scheduler) {
    const float y0 = snap(area.y0 + pitch * static_cast<float>(scheduler)), y1 = y0 + std::max(pitch - snap(px(2)), 1.0f);
    sheet.draw->AddRectFilled(ImVec2(area.x0, y0), ImVec2(area.x1, y1), look.stall.idle);
    const std::uint16_t sm = strip.timeline->lanes.front().sm;
    const auto shares = issued_shares(*strip.timeline, sm, static_cast<std::uint16_t>(scheduler), window, columns);
    for (std::size_t from = 0; from < shares.size();) {
      std::size_t to = from + 1;
      while (to < shares.size() && shares[to] == shares[from]) ++to;
      if (shares[from] > 0) {
        sheet.draw->AddRectFilled(ImVec2(area.x0 + static_cast<float>(from), y0), ImVec2(area.x0 + static_cast<float>(to), y1),
                                  mix(look.stall.idle, look.stall.issued, shares[from]));
      }
      from = to;
    }
  }
}

Under find_under(const Strip& strip, const CycleWindow& window, const Axis& axis) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const auto row = strip.rows.hit(mouse.y - strip.plot.y0 + strip.scroll);
  if (!row) return {};
  const double cycle = window.from + (mouse.x - strip.plot.x0) / strip.plot.width() * window.cycles();
  Under under;
  under.lane = lane_at(*strip.timeline, strip.rows.rows[*row], cycle);
  if (under.lane == nullptr) return {};
  under.span = span_at(*under.lane, cycle);
  const auto x = [&](std::uint64_t at) { return std::clamp(axis.x(static_cast<double>(at)), strip.plot.x0, strip.plot.x1); };
  const float y = strip.plot.y0 + strip.rows.rows[*row].y - strip.scroll;
  const float y0 = std::max(y, strip.plot.y0), y1 = std::min(y + strip.rows.pitch - 1, strip.plot.y1);
  under.lane_box = {x(under.lane->spans.front().begin), y0, x(under.lane->spans.back().end), y1};
  under.item = {x(under.span->begin), y0, std::max(x(under.span->end), x(under.span->begin) + px(2)), y1};
  return under;
}

void span_card(const Sheet& sheet, const Under& under, std::string_view source) {
  const WarpLane::Span& span = *under.span;
  const auto cycle = [](std::uint64_t c) { return grouped(static_cast<long long>(c)); };
  const std::uint64_t length = span.end - span.begin;
  std::vector<Fact> facts = {
      {std::string(gpu::explanation_of(span.state)), say_many(length, "{n} cycle", "{n} cycles", "n"_a = cycle(length))},
      {say("from cycle to cycle (model)"), say("{first} to {last}", "first"_a = cycle(span.begin), "last"_a = cycle(span.end))}};
  if (span.line > 0) facts.push_back({say("at line {line}", "line"_a = span.line), source_line(source, span.line)});
  fact_card(sheet, under.item, {}, say("Block {block}, warp {warp}", "block"_a = under.lane->block, "warp"_a = under.lane->warp),
            say("SM {sm}, scheduler {scheduler}", "sm"_a = under.lane->sm, "scheduler"_a = under.lane->scheduler), facts);
}

/// States that any of the launches has, in the enum's order.
std::vector<Swatch> legend_of(const SmTimeline& all) {
  std::array<bool, gpu::warp_states> seen{};
  for (const SmTimeline::Run& run : all.runs) {
    for (std::size_t s = 0; s < gpu::warp_states; ++s) seen[s] = seen[s] || run.clock->warp_cycles[s] > 0;
  }
  std::vector<Swatch> legend = warp_legend(seen);
  if (all.schedulers) legend.push_back({Swatch::Shape::solid, theme().stall.idle, say("scheduler idle")});
  return legend;
}

std::string percent(double share) {
  if (!std::isfinite(share)) return "–";
  return fmt::format("{:.{}f} %", 100 * share, share < 0.0995 ? 1 : 0);
}

/// What the header of a launch says at its right, the most there is room for.
std::string summary(const ClockReport& clock, float room) {
  const std::string count = grouped(static_cast<long long>(clock.cycles)), issue = percent(clock.issue_use());
  const auto cycles = "cycles"_a = count;
  const auto slots = "slots"_a = issue;
  for (const std::string& words : {say("{cycles} cycles (model), {slots} of issue slots used, {occupancy} occupancy", cycles, slots,
                                       "occupancy"_a = percent(clock.occupancy)),
                                   say("{cycles} cycles (model), {slots} of issue slots used", cycles, slots)}) {
    if (text_width(Face::caption, words) <= room) return words;
  }
  return say("{cycles} cycles (model)", cycles);
}

std::string run_words(const ClockReport& clock, float room) {
  const std::string words = summary(clock, room);
  if (!clock.timeline.truncated) return words;
  return say("{summary}, first {n} warps", "summary"_a = words,
             "n"_a = grouped(static_cast<long long>(clock.timeline.lanes.size())));
}

/// The wheel, dragging and a double click. Returns whether the mouse is over the plots.
bool interact(const Box& area, const Box& plot, double least, ViewMemory& memory) {
  ImGui::PushID("sm_timeline");
  ImGui::SetCursorScreenPos(top_left(area));
  ImGui::InvisibleButton("plots", ImVec2(area.width(), area.height()));
  const bool hovered = ImGui::IsItemHovered(), held = ImGui::IsItemActive();
  const ImGuiIO& io = ImGui::GetIO();
  AxisPart part{memory.from, memory.to};
  // The page scrolls under a mouse that rests; the wheel is the view's once the mouse has moved in it.
  memory.wheel = hovered && (memory.wheel || io.MouseDelta.x != 0 || io.MouseDelta.y != 0);
  if (memory.wheel) {
    ImGui::SetItemUsingMouseWheel();
    if (part.whole() && io.MouseWheel < 0) {
      ImGui::SetScrollY(ImGui::GetScrollY() - io.MouseWheel * 5 * ImGui::GetFontSize());
    } else if (io.MouseWheel != 0) {
      const double at = std::clamp((io.MousePos.x - plot.x0) / plot.width(), 0.0f, 1.0f);
      part = zoom(part, at, std::pow(0.8, io.MouseWheel), least);
    }
  }
  if (held) {
    part = pan(part, -io.MouseDelta.x / plot.width());
    memory.scroll -= io.MouseDelta.y;
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeAll);
  }
  if (hovered && ImGui::IsMouseDoubleClicked(0)) part = {};
  ImGui::PopID();
  memory.from = part.from;
  memory.to = part.to;
  return hovered && !held;
}

/// A launch's header, drawn at y, and where its rows are to be drawn below it.
Strip lay_out(const Sheet& sheet, const SmTimeline& all, const SmTimeline::Run& run, float y, float shorter) {
  const float x0 = snap(sheet.at.x + px(timeline_gutter_css)), x1 = snap(sheet.right() - px(10));
  const float tallest =
      std::max(px(304) - shorter, px(all.schedulers ? 88 : 120)) / static_cast<float>(std::max<std::size_t>(all.runs.size(), 1));
  Strip strip{.run = &run, .timeline = &run.clock->timeline};
  const LaneCount count = count_of(pack_lanes(*strip.timeline, {}));
  const float lowest = px(all.schedulers ? 4 : 8);  // below a multiprocessor's schedulers all of its warps are to be seen
  const float pitch = std::clamp(std::floor(tallest / static_cast<float>(std::max<std::size_t>(count.rows, 1))), lowest, px(20));
  strip.rows = pack_lanes(*strip.timeline, {.pitch = snap(pitch), .scheduler_gap = snap(px(2)), .sm_gap = snap(px(8))});
  const float room = x1 - x0 - text_width(Face::label_strong, run.label) - px(24);
  text(sheet.draw, Face::caption, ImVec2(sheet.at.x, y + baseline(Face::label_strong) - baseline(Face::caption)),
       theme().text.third, say("SM, scheduler"));
  text(sheet.draw, Face::label_strong, ImVec2(x0, y), theme().text.first, run.label);
  text(sheet.draw, Face::caption, ImVec2(x1, y + baseline(Face::label_strong) - baseline(Face::caption)), theme().text.third,
       run_words(*run.clock, room), Align::right);
  y = snap(y + px(20));
  if (all.schedulers) {
    strip.schedulers = {x0, y, x1, y + scheduler_row(shorter) * static_cast<float>(run.clock->schedulers)};
    y = snap(strip.schedulers.y1 + px(6));
  }
  strip.plot = {x0, y, x1, snap(y + std::max(std::min(strip.rows.height, tallest), px(20)))};
  return strip;
}

}  // namespace

void draw_sm_timeline(const SmTimeline& all, float width, ViewState& state) {
  if (all.runs.empty())
    return draw_empty_view(width, px(400), say("No timeline"), say("Only the model's clock records what each warp did."));
  const Sheet sheet = begin_view(width);
  const Theme& look = theme();
  float y = sheet.at.y + title_row(sheet, all.title, say("wheel: closer · drag: along · double click: all"));
  y += legend_rows(sheet, y, legend_of(all));

  const float x0 = snap(sheet.at.x + px(timeline_gutter_css)), x1 = snap(sheet.right() - px(10));
  double end = 1;
  for (const SmTimeline::Run& run : all.runs) {  // to the last warp's end: what memory still works at after it has no row
    for (const WarpLane& lane : run.clock->timeline.lanes) {
      if (!lane.spans.empty()) end = std::max(end, static_cast<double>(lane.spans.back().end));
    }
  }
  std::vector<Strip> strips;
  Box area{x0, 0, x1, 0};
  for (const SmTimeline::Run& run : all.runs) {
    strips.push_back(lay_out(sheet, all, run, y, state.shorter));
    const Strip& strip = strips.back();
    if (strips.size() == 1) area.y0 = strip.plot.y0;
    area.y1 = strip.plot.y1;
    y = strip.plot.y1 + px(12);
  }

  const bool over = !strips.empty() && interact(area, area, std::min(24.0 / end, 1.0), state.memory);
  const CycleWindow window{state.memory.from * end, state.memory.to * end};
  const Axis axis{window.from, window.to, x0, x1};
  float lowest = 0;
  for (const Strip& strip : strips) lowest = std::max(lowest, strip.rows.height - strip.plot.height());
  state.memory.scroll = std::clamp(state.memory.scroll, 0.0f, lowest);

  const auto ticks = axis_ticks(window.from, window.to, std::clamp(static_cast<int>((x1 - x0) / px(72)), 2, 10));
  Under under;
  for (Strip& strip : strips) {
    strip.scroll = std::clamp(state.memory.scroll, 0.0f, std::max(strip.rows.height - strip.plot.height(), 0.0f));
    sheet.draw->AddRectFilled(top_left(strip.plot), bottom_right(strip.plot), look.background.plot, px(look.radius.bar));
    for (const double tick : ticks) {
      const float x = axis.x(tick);
      if (x > x0) sheet.draw->AddRectFilled(ImVec2(x, strip.plot.y0), ImVec2(x + px(1), strip.plot.y1), look.background.line);
    }
    draw_schedulers(sheet, strip, window);
    draw_strip(sheet, strip, window);
    if (over && mouse_over(strip.plot)) under = find_under(strip, window, axis);
  }
  const float numbers_y = area.y1 + px(6);
  text(sheet.draw, Face::caption, ImVec2(sheet.at.x, numbers_y), look.text.third, say("cycle (model)"));
  for (const double tick : ticks) {
    const std::string number = grouped(std::llround(tick));
    const float half = text_width(Face::digits, number) / 2;
    text(sheet.draw, Face::digits, ImVec2(std::clamp(axis.x(tick), x0 + half, x1 - half), numbers_y), look.text.third, number,
         Align::centre);
  }
  if (under.span != nullptr) {
    ring(sheet.draw, under.lane_box, with_alpha(look.text.first, 0.55f), 1, 3, 1);
    ring(sheet.draw, under.item, look.text.first);
    span_card(sheet, under, state.source);
    state.hover = Hover{};
    state.hover->line = under.span->line;
  }
  end_view(sheet, numbers_y + line_height(Face::digits) - sheet.at.y, state.stale);
}

}  // namespace warpbook::app
