// Host timeline: what the host and the device did when, and what a read of mapped memory would have seen.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "app/text/numbers.h"
#include "app/views/parts.h"
#include "app/views/views.h"
#include "gpu/message.h"

namespace warpbook::app {
namespace {

using lessons::HostTimeline;
using Kind = HostTimeline::Span::Kind;

constexpr float lane_css = 32, gap_css = 8, above_css = 4;  // the last: above the first lane
constexpr float ruler_css = 24, rulers_css = 10;            // a ruler's row; between the lanes and the first of them

ImU32 colour_of(Kind kind) {
  switch (kind) {
    case Kind::call:
      return theme().series.violet;
    case Kind::copy:
      return theme().series.green;
    case Kind::kernel:
    case Kind::fresh:
      return theme().series.blue;
    case Kind::wait:
    case Kind::stale:
      break;
  }
  return theme().background.line_strong;
}

Wording name_of(Kind kind) {
  switch (kind) {
    case Kind::call:
      return say("a call on the host");
    case Kind::wait:
      return say("the host waits");
    case Kind::copy:
      return say("a copy");
    case Kind::kernel:
      return say("the kernel runs");
    case Kind::stale:
      return say("a read sees old values");
    case Kind::fresh:
      return say("a read sees new values");
  }
  return {};
}

/// The span's name in its first part between two marks that has room, so that no dashed line runs through a word.
void draw_label(const Sheet& sheet, const Box& box, const HostTimeline::Span& span, std::span<const float> marks) {
  std::vector<float> cuts = {box.x0};
  for (const float mark : marks) {
    if (mark > box.x0 + 1 && mark < box.x1 - 1) cuts.push_back(mark);
  }
  cuts.push_back(box.x1);
  std::sort(cuts.begin(), cuts.end());
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    const Box part{cuts[i], box.y0, cuts[i + 1], box.y1 - px(3)};
    const float width = text_width(Face::label, span.label);
    if (width + px(8) > part.width()) continue;
    const float middle = (part.x0 + part.x1) / 2;
    if (span.kind == Kind::wait) {  // clears the hatching behind the words
      const float half = width / 2 + px(4);
      sheet.draw->AddRectFilled(ImVec2(snap(middle - half), part.y0 + px(5)), ImVec2(snap(middle + half), part.y1 - px(4)),
                                theme().background.plot);
    }
    text(sheet.draw, Face::label, ImVec2(middle, part.y0 + (part.height() - line_height(Face::label)) / 2), theme().text.first,
         span.label, Align::centre);
    return;
  }
}

/// The calls with their answers, a row each: where the error was made, and which of them told it first.
float draw_calls(const Sheet& sheet, std::span<const HostTimeline::Call> calls, float top, float shorter) {
  if (calls.empty()) return 0;
  const Theme& t = theme();
  const float row = snap(std::max(px(22) - shorter / static_cast<float>(calls.size()), px(15.5f))), numbers = px(28);
  float widest = 0;
  for (const auto& call : calls) widest = std::max(widest, text_width(Face::label_code, call.text));
  const float words = sheet.at.x + numbers + px(8);
  const float answers = std::min(words + widest + px(24), sheet.at.x + sheet.width * 0.5f);
  float y = top;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const auto& call = calls[i];
    if (call.wrong || call.tells) {
      sheet.draw->AddRectFilled(ImVec2(sheet.at.x, y), ImVec2(sheet.right(), y + row), t.verdict.bad_tint, px(t.radius.bar));
      sheet.draw->AddRectFilled(ImVec2(sheet.at.x, y), ImVec2(sheet.at.x + px(3), y + row), t.verdict.bad);
    }
    const float code = y + (row - line_height(Face::label_code)) / 2, label = y + (row - line_height(Face::label)) / 2;
    text(sheet.draw, Face::digits, ImVec2(sheet.at.x + numbers, y + (row - line_height(Face::digits)) / 2), t.text.third,
         std::to_string(i + 1), Align::right);
    text_clipped(sheet.draw, Face::label_code, ImVec2(words, code), answers - words - px(8), t.text.first, call.text);
    const bool error = !call.answer.empty() && call.answer != "cudaSuccess";
    const ImU32 ink = !call.looked_at ? t.text.disabled : error ? t.verdict.bad : t.text.second;
    const std::string_view note = call.wrong ? say("error made here") : call.tells ? say("error told here") : Wording();
    const std::string_view answer = call.answer.empty() ? std::string_view(say("returns nothing")) : std::string_view(call.answer);
    const Face face = call.answer.empty() ? Face::label : Face::label_code;
    text(sheet.draw, face, ImVec2(answers, call.answer.empty() ? label : code), call.answer.empty() ? t.text.third : ink, answer);
    const std::string_view aside =
        note.empty() && !call.answer.empty() && !call.looked_at ? std::string_view(say("not looked at")) : note;
    const float room = sheet.right() - px(8) - answers - text_width(face, answer) - px(12);
    if (text_width(Face::label, aside) <= room)
      text(sheet.draw, Face::label, ImVec2(sheet.right() - px(8), label), note.empty() ? t.text.disabled : t.verdict.bad, aside,
           Align::right);
    y += row;
  }
  return y - top;
}

/// What the kernel printed, line by line; at most a few, and in a low slide the first.
float draw_printed(const Sheet& sheet, std::string_view printed, float top, bool low) {
  if (printed.empty()) return 0;
  if (low) {
    const std::string words = say("The kernel printed first:");
    text(sheet.draw, Face::label, ImVec2(sheet.at.x, top + px(4)), theme().text.second, words);
    const float x = sheet.at.x + text_width(Face::label, words) + px(8);
    text_clipped(sheet.draw, Face::label_code, ImVec2(x, top + px(4)), sheet.right() - x, theme().text.first,
                 printed.substr(0, printed.find('\n')));
    return px(22);
  }
  constexpr std::size_t most = 5;
  float y = top + px(12);
  text(sheet.draw, Face::label, ImVec2(sheet.at.x, y), theme().text.second, say("The kernel printed"));
  y += px(20);
  std::size_t lines = 0, more = 0;
  while (!printed.empty()) {
    const auto end = std::min(printed.find('\n'), printed.size());
    if (lines < most) {
      text_clipped(sheet.draw, Face::label_code, ImVec2(sheet.at.x + px(8), y), sheet.width - px(8), theme().text.first,
                   printed.substr(0, end));
      y += px(18);
      ++lines;
    } else {
      ++more;
    }
    printed.remove_prefix(std::min(end + 1, printed.size()));
  }
  if (more > 0) {
    text(sheet.draw, Face::label, ImVec2(sheet.at.x + px(8), y), theme().text.third, say("… and {n} more lines", "n"_a = more));
    y += px(18);
  }
  return y - top;
}

std::string_view time_words(const HostTimeline& timeline) {
  return timeline.measured ? say("time (measured)") : say("time (model)");
}

/// Each named in the first lane with room beside it; where none has, in a line of their own: the height of those.
/// `marks` are where they stand, `drawn` what stands in the lanes.
float draw_marks(const Sheet& sheet, const HostTimeline& timeline, const Box& plot, std::span<const float> marks,
                 std::vector<Box> drawn) {
  const float lane_height = px(lane_css), gap = px(gap_css), top = px(above_css);
  float extra = 0;
  for (std::size_t m = 0; m < timeline.marks.size(); ++m) {
    const float x = marks[m];
    const ImU32 ink = timeline.marks[m].bad ? theme().verdict.bad : theme().text.first;
    dashed_line(sheet.draw, ImVec2(x, plot.y0 - px(4)), ImVec2(x, plot.y1), ink, 3, 3, 1.5f);
    const std::string& name = timeline.marks[m].label;
    if (name.empty()) continue;
    const float wide = text_width(Face::caption, name), line = line_height(Face::caption);
    bool named = false;
    for (std::size_t l = 0; l < timeline.lanes.size() && !named; ++l) {
      const float y0 = plot.y0 + top + static_cast<float>(l) * (lane_height + gap);
      for (const bool left : {true, false}) {
        const Box box{left ? x - px(6) - wide : x + px(8), y0, left ? x - px(6) : x + px(8) + wide, y0 + lane_height};
        const bool crosses =
            std::any_of(marks.begin(), marks.end(), [&](float other) { return other > box.x0 - px(2) && other < box.x1 + px(2); });
        if (box.x0 < plot.x0 || box.x1 > plot.x1 || crosses) continue;
        if (std::any_of(drawn.begin(), drawn.end(), [&](const Box& other) { return overlap(other, box); })) continue;
        text(sheet.draw, Face::caption, ImVec2(box.x0, y0 + (lane_height - line) / 2), ink, name);
        drawn.push_back(box);
        named = true;
        break;
      }
    }
    if (!named) {
      const bool left = x + wide / 2 > plot.x1;
      text(sheet.draw, Face::caption, ImVec2(left ? plot.x1 : std::max(x, plot.x0 + wide / 2), plot.y1 + px(22) + extra),
           timeline.marks[m].bad ? ink : theme().text.second, name, left ? Align::right : Align::centre);
      extra += line;
    }
  }
  return extra;
}

/// A bar with ends, as drawings have for a length, and what the watch shows beside it.
void draw_ruler(const Sheet& sheet, const HostTimeline::Ruler& ruler, const Axis& axis, const Box& row) {
  const ImU32 ink = ruler.agrees ? theme().verdict.good : theme().text.second;
  const float middle = snap((row.y0 + row.y1) / 2), tall = px(6);
  text(sheet.draw, Face::label, ImVec2(sheet.at.x, middle - line_height(Face::label) / 2), theme().text.first, ruler.label);
  float first = row.x1, last = row.x0;
  for (const auto& part : ruler.parts) {
    const float x0 = snap(axis.x(part.begin)), x1 = std::max(snap(axis.x(part.end)), x0 + px(2));
    sheet.draw->AddRectFilled(ImVec2(x0, middle - px(1)), ImVec2(x1, middle + px(1)), ink);
    sheet.draw->AddRectFilled(ImVec2(x0, middle - tall), ImVec2(x0 + px(2), middle + tall), ink);
    sheet.draw->AddRectFilled(ImVec2(x1 - px(2), middle - tall), ImVec2(x1, middle + tall), ink);
    first = std::min(first, x0);
    last = std::max(last, x1);
  }
  const std::string words = say("{time} µs, {ratio} × the kernel", "time"_a = short_number(ruler.reading, 3),
                                "ratio"_a = short_number(ruler.of_kernel, 2));
  const float wide = text_width(Face::label, words), y = middle - line_height(Face::label) / 2;
  float x = last + px(8);
  if (x + wide > row.x1) x = first - px(8) - wide;
  if (x < row.x0) {  // no room beside it: on it, with the bar cleared behind the words
    x = std::max(row.x0, (first + last - wide) / 2);
    sheet.draw->AddRectFilled(ImVec2(x - px(6), row.y0 + px(2)), ImVec2(x + wide + px(6), row.y1 - px(2)), theme().background.plot);
  }
  text(sheet.draw, Face::label, ImVec2(x, y), ruler.agrees ? ink : theme().text.first, words);
}

void draw_numbers(const Sheet& sheet, const HostTimeline& timeline, const Axis& axis, const Box& plot,
                  std::span<const double> ticks) {
  const float numbers = plot.y1 + px(6);
  text(sheet.draw, Face::caption, ImVec2(sheet.at.x, numbers), theme().text.third, time_words(timeline));
  const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : 1;
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    std::string number = fixed_number(ticks[i], decimals_of(step));
    const float half = text_width(Face::digits, number) / 2;
    if (i + 1 == ticks.size()) number += " µs";
    // The unit follows the last number, which keeps its tick.
    const float x = std::clamp(axis.x(ticks[i]) - half, plot.x0, std::max(plot.x0, plot.x1 - text_width(Face::digits, number)));
    text(sheet.draw, Face::digits, ImVec2(x, numbers), theme().text.third, number);
  }
}

void card_of(const Sheet& sheet, const HostTimeline::Span& span, const Box& item) {
  ring(sheet.draw, item, theme().text.first);
  std::vector<Fact> facts = {Fact{say("from"), say("{time} µs", "time"_a = short_number(span.begin))},
                             Fact{say("to"), say("{time} µs", "time"_a = short_number(span.end))},
                             Fact{say("takes"), say("{time} µs", "time"_a = short_number(span.end - span.begin, 3))}};
  if (!span.answer.empty()) facts.push_back({say("answers"), span.answer, theme().verdict.bad});
  fact_card(sheet, item, {}, span.label.empty() ? std::string_view(name_of(span.kind)) : span.label,
            span.label.empty() ? Wording() : name_of(span.kind), facts);
}

}  // namespace

void draw_host_timeline(const HostTimeline& timeline, float width, ViewState& state) {
  const Sheet sheet = begin_view(width);
  float y =
      title_row(sheet, timeline.title.empty() ? std::string(say("What the host and the device did when")) : timeline.title, "");
  float labels = px(72);
  for (const auto& lane : timeline.lanes) labels = std::max(labels, text_width(Face::label, lane.label));
  for (const auto& ruler : timeline.rulers) labels = std::max(labels, text_width(Face::label, ruler.label));
  labels = snap(std::max(labels, text_width(Face::caption, time_words(timeline))) + px(16));

  const float lane_height = px(lane_css), gap = px(gap_css), top = px(above_css);
  const auto lanes = static_cast<float>(timeline.lanes.size());
  const float ruler_height = px(ruler_css), lanes_end = sheet.at.y + y + top + lanes * (lane_height + gap) - gap + px(2);
  const float ruled = timeline.rulers.empty() ? 0 : px(rulers_css) + static_cast<float>(timeline.rulers.size()) * ruler_height;
  const Box plot{sheet.at.x + labels, sheet.at.y + y, sheet.right(), lanes_end + ruled};
  const Axis axis{0, timeline.end > 0 ? timeline.end : 1, plot.x0, plot.x1};
  sheet.draw->AddRectFilled(top_left(plot), bottom_right(plot), theme().background.plot, px(theme().radius.control));

  const auto ticks = axis_ticks(0, axis.high, std::clamp(static_cast<int>((plot.x1 - plot.x0) / px(72)), 2, 10));
  for (const double tick : ticks) {
    const float x = axis.x(tick);
    sheet.draw->AddRectFilled(ImVec2(x, plot.y0), ImVec2(x + px(1), plot.y1 + px(2)), theme().background.line);
  }
  std::vector<float> marks;
  for (const auto& mark : timeline.marks) marks.push_back(axis.x(mark.time));

  if (ruled > 0) {
    const float begin = axis.x(timeline.ruled.begin), end = std::max(axis.x(timeline.ruled.end), begin + px(2));
    sheet.draw->AddRectFilled(ImVec2(begin, lanes_end - px(2)), ImVec2(end, plot.y1), with_alpha(theme().series.blue, 0.16f));
    for (std::size_t r = 0; r < timeline.rulers.size(); ++r) {
      const float row = lanes_end + px(rulers_css) + static_cast<float>(r) * ruler_height - px(2);
      draw_ruler(sheet, timeline.rulers[r], axis, {plot.x0, row, plot.x1, row + ruler_height});
    }
  }

  std::vector<Box> drawn;
  const HostTimeline::Span* under_mouse = nullptr;
  Box item;
  for (std::size_t l = 0; l < timeline.lanes.size(); ++l) {
    const auto& lane = timeline.lanes[l];
    const float y0 = plot.y0 + top + static_cast<float>(l) * (lane_height + gap), y1 = y0 + lane_height;
    text(sheet.draw, Face::label, ImVec2(sheet.at.x, y0 + (lane_height - line_height(Face::label)) / 2), theme().text.first,
         lane.label);
    for (const auto& span : lane.spans) {
      Box box{axis.x(span.begin), y0, std::max(axis.x(span.end), axis.x(span.begin) + px(3)), y1};
      if (!timeline.calls.empty() && box.width() > px(5)) box.x1 -= snap(px(1));  // so that one call is told from the next
      if (span.kind == Kind::wait) {
        waiting(sheet.draw, box);
      } else {
        segment(sheet.draw, box, span.answer.empty() ? colour_of(span.kind) : theme().verdict.bad);
      }
      draw_label(sheet, box, span, marks);
      drawn.push_back(box);
      if (mouse_over(box)) {
        under_mouse = &span;
        item = box;
      }
    }
  }

  const float extra = draw_marks(sheet, timeline, plot, marks, std::move(drawn));
  draw_numbers(sheet, timeline, axis, plot, ticks);
  if (under_mouse != nullptr) card_of(sheet, *under_mouse, item);
  float bottom = plot.y1 + px(22) + extra;
  if (!timeline.calls.empty()) bottom += px(state.shorter > 0 ? 4 : 12);
  bottom += draw_calls(sheet, timeline.calls, bottom, state.shorter);
  bottom += draw_printed(sheet, timeline.printed, bottom, state.shorter > 0);
  end_view(sheet, bottom - sheet.at.y, state.stale);
}

}  // namespace warpbook::app
