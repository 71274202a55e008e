// LaunchSweep: the time of many launches of the same work, a column each; below a column what fits on a multiprocessor and which
// rules of thumb allow the launch. A rule is good where all its cells are green and the fastest column has one of them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <vector>

#include "app/text/numbers.h"
#include "app/ui/hit_area.h"
#include "app/views/parts.h"
#include "app/views/views.h"
#include "gpu/message.h"

namespace warpbook::app {
namespace {

using lessons::LaunchSweep;

constexpr double as_good = 1.1;                                                  // times its time: a launch as good as any
constexpr float sweep_names_css = 148, sweep_bars_css = 68, sweep_row_css = 17;  // the names' width; heights

/// Where one part is drawn.
struct SweepColumns {
  float x0 = 0, pitch = 1;
  std::size_t fastest = 0;
  double most_us = 1;
  [[nodiscard]] float middle(std::size_t i) const { return x0 + pitch * (static_cast<float>(i) + 0.5f); }
  [[nodiscard]] Box column(std::size_t i, float y0, float y1) const {
    return {snap(x0 + pitch * static_cast<float>(i)), y0, snap(x0 + pitch * static_cast<float>(i + 1)), y1};
  }
};

std::string launch_time(double us) {
  if (us <= 0) return "–";
  return fixed_number(us, us < 9.995 ? 2 : us < 99.95 ? 1 : 0);
}

/// How much longer than the fastest, in words.
std::string slower(const LaunchSweep::Part& part, std::size_t i, std::size_t fastest) {
  if (part.rows[i].us <= 0) return say("did not run");
  if (i == fastest) return say("the fastest");
  return say("{percent:.0f} % longer than the fastest", "percent"_a = 100 * (part.rows[i].us / part.rows[fastest].us - 1));
}

bool is_near(const LaunchSweep::Part& part, std::size_t i, std::size_t fastest) {
  return part.rows[i].us > 0 && part.rows[i].us <= as_good * part.rows[fastest].us;
}

std::string title_of(const LaunchSweep::Part& part, std::size_t fastest) {
  std::string label = part.label;
  label.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(label.front())));
  if (fastest == part.rows.size()) return say("{label}: no launch ran", "label"_a = label);
  return say_many(static_cast<std::uint64_t>(part.rows[fastest].value), "{label}: {value} is the fastest",
                  "{label}: {value} are the fastest", "label"_a = label, "value"_a = grouped(part.rows[fastest].value));
}

void row_name(const Sheet& sheet, float y, std::string_view words) {
  text_clipped(sheet.draw, Face::caption, ImVec2(sheet.at.x, y + (px(sweep_row_css) - line_height(Face::caption)) / 2),
               px(sweep_names_css - 8), theme().text.second, words);
}

void draw_launch_bars(const Sheet& sheet, const LaunchSweep::Part& part, const SweepColumns& columns, float top, float base) {
  const Theme& look = theme();
  const float words = line_height(Face::digits), room = base - top - words;
  for (std::size_t i = 0; i < part.rows.size(); ++i) {
    const bool chosen = i == part.chosen;
    const Box column = columns.column(i, top, base);
    const float height =
        std::max(snap(static_cast<float>(part.rows[i].us / columns.most_us) * room), part.rows[i].us > 0 ? px(2) : 0);
    const float gap = snap(px(2));
    if (height > 0) {
      sheet.draw->AddRectFilled(ImVec2(column.x0 + gap, base - height), ImVec2(column.x1 - gap, base),
                                chosen ? look.series.blue : mix(look.background.plot, look.series.blue, 0.45f));
    }
    const bool strong = chosen || i == columns.fastest;
    text(sheet.draw, strong ? Face::digits_strong : Face::digits, ImVec2(columns.middle(i), base - height - words),
         strong ? look.text.first : look.text.second, launch_time(part.rows[i].us), Align::centre);
  }
  hairline(sheet.draw, ImVec2(columns.x0, base), ImVec2(sheet.right(), base), look.background.line_strong);
}

void draw_launch_numbers(const Sheet& sheet, const LaunchSweep::Part& part, const SweepColumns& columns, float y) {
  const Theme& look = theme();
  row_name(sheet, y, part.label);
  row_name(sheet, y + px(sweep_row_css), say("occupancy, %"));
  for (std::size_t i = 0; i < part.rows.size(); ++i) {
    const bool chosen = i == part.chosen;
    text(sheet.draw, chosen ? Face::digits_strong : Face::digits, ImVec2(columns.middle(i), y),
         chosen ? look.text.first : look.text.second, grouped(part.rows[i].value), Align::centre);
    text(sheet.draw, Face::digits, ImVec2(columns.middle(i), y + px(sweep_row_css)), look.text.third,
         fmt::format("{:.0f}", 100 * part.rows[i].occupancy.fraction), Align::centre);
  }
}

void draw_rule(const Sheet& sheet, const LaunchSweep::Part& part, const SweepColumns& columns, std::size_t rule, float y) {
  const Theme& look = theme();
  row_name(sheet, y, part.rules[rule]);
  for (std::size_t i = 0; i < part.rows.size(); ++i) {
    Box cell = columns.column(i, y + px(2), y + px(sweep_row_css) - px(2));
    cell.x0 += snap(px(2));
    cell.x1 -= snap(px(2));
    if (!part.rows[i].allowed[rule]) {
      sheet.draw->AddRectFilled(top_left(cell), bottom_right(cell), look.background.plot);
      continue;
    }
    const ImVec2 middle((cell.x0 + cell.x1) / 2, (cell.y0 + cell.y1) / 2);
    const bool good = is_near(part, i, columns.fastest);
    sheet.draw->AddRectFilled(top_left(cell), bottom_right(cell), good ? look.verdict.good_tint : look.verdict.bad_tint,
                              px(look.radius.bar));
    if (good) {
      tick(sheet.draw, middle, px(9), look.verdict.good);
    } else {
      cross(sheet.draw, middle, px(7), look.verdict.bad);
    }
  }
}

void launch_card(const Sheet& sheet, const LaunchSweep& sweep, const LaunchSweep::Part& part, std::size_t i, std::size_t fastest,
                 const Box& item) {
  const LaunchSweep::Row& row = part.rows[i];
  const gpu::Occupancy& o = row.occupancy;
  std::vector<Fact> facts = {
      {say("launch"), fmt::format("<<<{}, {}>>>", row.grid.count(), row.block.count())},
      {sweep.model ? say("time (model)") : say("time"), row.us > 0 ? say("{time} µs", "time"_a = short_number(row.us, 4)) : "–"},
      {say("fit on a multiprocessor"), say("{warps} of {most} warps", "warps"_a = o.warps, "most"_a = o.max_warps)},
      {say("limited by"), std::string(gpu::name_of(o.limiter))}};
  if (row.held)
    facts.push_back({say("held over the launch (model)"), say("{percent:.0f} % of the warps", "percent"_a = 100 * *row.held)});
  fact_card(sheet, item, {}, grouped(row.value) + " " + part.label, slower(part, i, fastest), facts);
}

/// Returns the part's height.
float draw_sweep_part(const Sheet& sheet, const LaunchSweep& sweep, const LaunchSweep::Part& part, float y) {
  const Theme& look = theme();
  SweepColumns columns{.x0 = snap(sheet.at.x + px(sweep_names_css)), .fastest = part.fastest()};
  columns.pitch = (sheet.right() - columns.x0) / static_cast<float>(std::max<std::size_t>(part.rows.size(), 1));
  for (const auto& row : part.rows) columns.most_us = std::max(columns.most_us, row.us);
  text(sheet.draw, Face::label_strong, ImVec2(sheet.at.x, y), look.text.first, title_of(part, columns.fastest));
  const float top = snap(y + line_height(Face::label_strong) + px(6)), base = snap(top + px(sweep_bars_css));
  const float rows = base + px(4), end = snap(rows + px(sweep_row_css) * static_cast<float>(2 + part.rules.size()));
  if (columns.fastest < part.rows.size()) {  // a band through the fastest launch, past every rule
    const Box band = columns.column(columns.fastest, top, end);
    sheet.draw->AddRectFilled(top_left(band), bottom_right(band), look.background.raised, px(look.radius.bar));
    sheet.draw->AddRect(top_left(band), bottom_right(band), look.text.third, px(look.radius.bar), 0, std::max(1.0f, snap(px(1))));
  }
  row_name(sheet, base - px(sweep_row_css), sweep.model ? say("time (model), µs") : say("time, µs"));
  draw_launch_bars(sheet, part, columns, top, base);
  draw_launch_numbers(sheet, part, columns, rows);
  for (std::size_t rule = 0; rule < part.rules.size(); ++rule)
    draw_rule(sheet, part, columns, rule, rows + px(sweep_row_css) * static_cast<float>(2 + rule));
  for (std::size_t i = 0; i < part.rows.size(); ++i) {
    const Box column = columns.column(i, top, end);
    if (!mouse_over(column)) continue;
    ring(sheet.draw, column, look.text.first);
    launch_card(sheet, sweep, part, i, columns.fastest, column);
  }
  return end - y;
}

/// Which part a slide shows. Returns the height of the choice.
float choose_part(const Sheet& sheet, const LaunchSweep& sweep, std::size_t shown, float top, ViewMemory& memory) {
  const Theme& look = theme();
  const float y = snap(top), height = px(32);
  float x = sheet.at.x;
  for (std::size_t i = 0; i < sweep.parts.size(); ++i) {
    const std::string& label = sweep.parts[i].label;
    const Rect area = rect(x, y, snap(text_width(Face::label_strong, label) + px(24)), height);
    const HitArea at = hit_area("launch_sweep/" + label, area);
    const bool on = i == shown;
    const ImU32 ground = on ? look.background.segment : at.hovered ? look.background.hover : look.background.control;
    sheet.draw->AddRectFilled(area.a, area.b, ground, px(look.radius.control));
    text(sheet.draw, on ? Face::label_strong : Face::label, {x + px(12), y + (height - line_height(Face::label)) / 2},
         on ? look.text.first : look.text.second, label);
    if (at.focused) ring(sheet.draw, {area.a.x, area.a.y, area.b.x, area.b.y}, look.hand.line);
    if (at.clicked) memory.chosen = i;
    x = area.b.x + px(4);
  }
  return height + px(12);
}

}  // namespace

void draw_launch_sweep(const LaunchSweep& sweep, float width, ViewState& state) {
  const Sheet sheet = begin_view(width);
  const Theme& look = theme();
  float y = title_row(sheet, say("The same work by other launches, and what rules of thumb allow"), say("a column is a launch"));
  const std::array<Swatch, 4> legend = {
      Swatch{Swatch::Shape::solid, look.series.blue, say("this launch")},
      Swatch{Swatch::Shape::outline, look.text.third, say("the fastest")},
      Swatch{Swatch::Shape::solid, look.verdict.good, say("a rule allows it: within 10 % of the fastest")},
      Swatch{Swatch::Shape::solid, look.verdict.bad, say("allows it, and it takes longer")}};
  y += legend_rows(sheet, sheet.at.y + y, legend);
  if (state.shorter > 0 && !sweep.parts.empty()) {  // a slide has room for one of them
    const std::size_t shown = std::min(state.memory.chosen.value_or(0), sweep.parts.size() - 1);
    y += choose_part(sheet, sweep, shown, sheet.at.y + y, state.memory);
    y += draw_sweep_part(sheet, sweep, sweep.parts[shown], sheet.at.y + y);
    return end_view(sheet, y, state.stale);
  }
  for (std::size_t i = 0; i < sweep.parts.size(); ++i) {
    if (i > 0) y += px(14);
    y += draw_sweep_part(sheet, sweep, sweep.parts[i], sheet.at.y + y);
  }
  end_view(sheet, y, state.stale);
}

}  // namespace warpbook::app
