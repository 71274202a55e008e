#include "app/panels/editor_heat.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/views/parts.h"
#include "gpu/message.h"

namespace warpbook::app {

const gpu::LaunchReport* lines_report(const LessonState& state) {
  const lessons::Outcome* outcome = state.observed();
  if (outcome == nullptr || outcome->report.lines.empty() || state.reported->text != state.text.str()) return nullptr;
  return &outcome->report;
}

void draw_heat_switch(Session& session, const Rect& row) {
  const LessonState& state = session.lesson();
  const gpu::LaunchReport* report = lines_report(state);
  std::string why_not;
  if (report == nullptr) {
    why_not = !state.reported               ? say("Run first: figures by line come with the result.")
              : state.observed() == nullptr ? say("The last run left nothing to count.")
              : state.reported->on_gpu      ? say("The hardware counts nothing by line. Look inside does, on the virtual GPU.")
                                            : say("Run the text as it stands: its lines have no figures yet.");
  }
  std::vector<Segment> items;
  std::size_t chosen = 0;
  for (std::size_t i = 0; i < heat_choices.size(); ++i) {
    const HeatChoice& choice = heat_choices[i];
    items.push_back({.name = "heat/" + std::string(choice.name),
                     .label = std::string(say(choice.label)),
                     .enabled = report != nullptr || choice.column == HeatColumn::off,
                     .hint = report != nullptr ? std::string(say(choice.help)) : why_not});
    if (choice.column == session.heat) chosen = i;
  }
  if (const auto clicked = segments(row, items, chosen, Face::label)) session.heat = heat_choices[*clicked].column;
}

void draw_heat_cell(ImDrawList* draw, const Rect& area, const HeatCell& cell) {
  const Theme& t = theme();
  const float strongest = t.appearance == Appearance::dark ? 0.62f : 0.4f;
  if (cell.heat > 0)
    draw->AddRectFilled(area.a, area.b, mix(t.background.window, t.series.blue, 0.06f + (strongest - 0.06f) * cell.heat),
                        px(t.radius.bar));
  text(draw, Face::digits, {area.b.x - px(4), area.centre().y - line_height(Face::digits) / 2},
       cell.heat > 0.25f ? t.text.first : t.text.second, cell.text, Align::right);
}

void heat_card(const gpu::LaunchReport& report, std::uint32_t line, const Rect& item) {
  std::vector<Fact> facts;
  for (HeatFact& fact : facts_of(report, line)) facts.push_back({std::move(fact.label), std::move(fact.value)});
  if (facts.empty()) return;
  Sheet sheet;
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  sheet.visible = {px(8), px(8), size.x - px(8), size.y - px(8)};
  const Box box{item.a.x, item.a.y, item.b.x, item.b.y};
  fact_card(sheet, box, {}, say("Line {line}", "line"_a = line),
            report.clock && report.clock->sampled() ? say("scaled from a sample") : "", facts);
}

}  // namespace warpbook::app
