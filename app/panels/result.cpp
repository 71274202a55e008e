#include "app/panels/result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/panels/copy.h"
#include "app/session/comparison.h"
#include "app/ui/key_pointer.h"
#include "app/ui/text_flow.h"
#include "gpu/message.h"
#include "gpu/shown_text.h"
#include "lessons/results_csv.h"

namespace warpbook::app {
namespace {

using lessons::Number;

struct ResultColumn {
  const Number* number = nullptr;
  std::string digits;
  Face face = Face::result;
  float width = 0;
};

/// All numbers at `face`, the first-toned one at `leading`. Returns the width of the row without its gaps.
float measure(std::vector<ResultColumn>& columns, Face face, Face leading) {
  float total = 0;
  for (ResultColumn& column : columns) {
    column.face = column.number->tone == Number::Tone::first ? leading : face;
    column.width = std::ceil(std::max(text_width(column.face, column.digits) + unit_width(*column.number),
                                      text_width(Face::label, say(column.number->label))));
    total += column.width;
  }
  return total;
}

const lessons::Trials* trials_of(const lessons::Outcome& outcome) {
  for (const lessons::Figure& figure : outcome.figures) {
    if (const auto* trials = std::get_if<lessons::Trials>(&figure)) return trials;
  }
  return nullptr;
}

}  // namespace

std::string_view unit_of(const Number& number) {
  return std::isfinite(number.value) ? std::string_view(number.unit) : std::string_view();
}
std::string number_words(const Number& number) {
  const std::string_view unit = unit_of(number);
  return fmt::format("{}: {}{}{}", say(number.label), printed(number), unit.empty() ? "" : " ", unit);
}
float unit_width(const Number& number) { return unit_of(number).empty() ? 0 : px(6) + text_width(Face::body, number.unit); }

ImU32 colour_of(Number::Tone tone) {
  const Theme& t = theme();
  switch (tone) {
    case Number::Tone::first:
      return t.text.first;
    case Number::Tone::second:
      return t.text.second;
    case Number::Tone::bad:
      return t.verdict.bad;
    case Number::Tone::good:
      return t.verdict.good;
    case Number::Tone::measured:
      return t.series.blue;
  }
  return t.text.first;
}

float draw_failure(std::string_view title, std::string_view name, std::string_view message, ImVec2 at, float width) {
  const Theme& t = theme();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  TextFlowStyle style = note_style();
  style.plain = Face::body;
  style.code = Face::label_code;
  style.colour = t.text.second;
  const auto words = inline_code(in_sentences(message));
  const float inside = width - px(32);
  const float sentence = draw_text_flow(nullptr, words, {}, inside, style);
  const float height = px(12) + px(20) + sentence + px(12);
  draw->AddRectFilled(at, {at.x + width, at.y + height}, t.background.raised, px(t.radius.box));
  const float x = at.x + px(16), y = at.y + px(12);
  const float wide = text(draw, Face::body_strong, {x, y}, t.verdict.bad, title);
  text(draw, Face::label_code, {x + wide + px(6), y + baseline(Face::body_strong) - baseline(Face::label_code)}, t.text.first,
       name);
  draw_text_flow(draw, words, {x, y + px(20)}, inside, style);
  return height;
}

float draw_result(Session& session, ImVec2 at, float width, ViewState& views) {
  const Theme& t = theme();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const LessonState& state = session.lesson();

  // What failed stands in place of the numbers: they would belong to something else.
  if (state.failed()) {
    if (const auto& error = state.latest->error) {
      const bool named = error->code.starts_with("cuda");  // by CUDA; other codes are the program's own
      return draw_failure(say("The run failed"), named ? error->code : std::string(), error->message, at, width);
    }
    const gpu::LaunchReport& report = state.latest->outcome->report;
    return draw_failure(say("The launch failed"), report.status, say(report.message), at, width);
  }
  if (!state.shown) return 0;
  const lessons::Outcome& outcome = *state.shown->outcome;

  std::vector<ResultColumn> columns;
  for (const Number& number : outcome.numbers) {
    if (number.on_page) columns.push_back({.number = &number, .digits = printed(number)});
  }
  if (columns.empty()) return 0;

  // Trials stand beside the numbers; then the one that counts may be as large as there is room for.
  const lessons::Trials* trials = trials_of(outcome);
  const float chart = trials != nullptr ? snap(std::min(px(256), width * 0.4f)) : 0;
  const float room = width - (trials != nullptr ? chart + px(32) : 0);
  const float gaps = px(32) * static_cast<float>(columns.size() - 1);
  Face tallest = Face::result;
  if (trials != nullptr && measure(columns, Face::result, Face::hero) + gaps <= room) {
    tallest = Face::hero;
  } else if (measure(columns, Face::result, Face::result) + gaps > room) {
    measure(columns, Face::figure, Face::figure);
    tallest = Face::figure;
  }
  float total = 0;
  for (const ResultColumn& column : columns) total += column.width;
  const float most = trials != nullptr ? 56 : 64;
  const float gap = columns.size() < 2 ? 0 : std::clamp((room - total) / static_cast<float>(columns.size() - 1), px(16), px(most));
  const float label = px(16), numbers = trials != nullptr ? px(104) : px(48);
  const float line = at.y + label + (trials != nullptr ? px(96) : baseline(Face::result));  // the common baseline
  float x = at.x;
  for (const ResultColumn& column : columns) {
    const Number& number = *column.number;
    text(draw, Face::label, {x, at.y}, t.text.second, say(number.label));
    const ImU32 ink = views.stale ? t.text.third : colour_of(number.tone);
    const float digits = text(draw, column.face, {x, line - baseline(column.face)}, ink, column.digits);
    text(draw, Face::body, {x + digits + px(6), line - baseline(Face::body)}, t.text.second, unit_of(number));
    if (!views.printed) {
      const Rect area = rect(x, at.y, column.width, line - at.y + px(8));
      copy_stop("number/" + number.name, area);
      copyable(session, "number/" + number.name, area, {.words = [&] { return number_words(number); }});
    }
    x += column.width + gap;
  }
  const float height = label + numbers + (tallest == Face::hero ? px(8) : 0);
  if (trials != nullptr) {
    ImGui::SetCursorScreenPos({at.x + width - chart, at.y});
    draw_trials(*trials, chart, px(136), views);
    const Rect area = rect(at.x + width - chart, at.y, chart, px(136));
    name_view("view/trials", area);
    copyable(session, "view/trials", area,
             {.label = say("Copy its data"),
              .words = [trials] { return lessons::figure_table(*trials); },
              .notice = say("the data of the trials, as a table")});
    return px(136);
  }
  return height;
}

}  // namespace warpbook::app
