// What a check found: a row a case, and below the name of one that does not pass what is wrong with it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/text/numbers.h"
#include "app/ui/hit_area.h"
#include "app/ui/text_flow.h"
#include "app/views/parts.h"
#include "app/views/views.h"
#include "gpu/message.h"
#include "lessons/element_words.h"

namespace warpbook::app {
namespace {

using lessons::Checks;
using Verdict = Checks::Verdict;

std::string_view words_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::passed:
      return say("passes");
    case Verdict::wrong:
      return say("wrong result");
    case Verdict::finding:
      return say("a finding");
    case Verdict::failed:
      return say("launch failed");
    case Verdict::too_slow:
      return say("does not end");
    case Verdict::over_limit:
      return say("costs too much");
  }
  return {};
}

/// "128", or "(16, 16)", as between <<< and >>>.
std::string extent(const gpu::Dim3& size) {
  if (size.z != 1) return fmt::format("({}, {}, {})", size.x, size.y, size.z);
  return size.y != 1 ? fmt::format("({}, {})", size.x, size.y) : fmt::format("{}", size.x);
}

std::string launch_of(const Checks::Row& row) {
  if (!row.launched) return {};
  const std::string shared = row.shared_bytes > 0 ? fmt::format(", {}", row.shared_bytes) : "";
  return fmt::format("<<<{}, {}{}>>>", extent(row.grid), extent(row.block), shared);
}

/// A case's name or a quiz's question.
TextFlowStyle name_style() {
  TextFlowStyle style = note_style();
  style.plain = style.strong = Face::body;
  style.line = line_height(Face::body);
  return style;
}

std::string title_of(const Checks& checks) {
  if (!checks.title.empty()) return checks.title;
  const auto passed =
      std::count_if(checks.rows.begin(), checks.rows.end(), [](const Checks::Row& row) { return row.verdict == Verdict::passed; });
  const auto all = static_cast<std::ptrdiff_t>(checks.rows.size());
  if (!checks.rows.empty() && !checks.rows.front().launched) {
    if (passed == all)
      return say_many(static_cast<std::uint64_t>(all), "The answer is right", "All {n} answers are right", "n"_a = all);
    return passed == 0 ? std::string(say("No answer is right yet"))
                       : say("{passed} of {all} answers are right", "passed"_a = passed, "all"_a = all);
  }
  if (passed == all) return say_many(static_cast<std::uint64_t>(all), "The case passes", "All {n} cases pass", "n"_a = all);
  if (all == 1) return say("The case does not pass yet");
  if (passed == 0) return say("No case passes yet");
  return say_many(static_cast<std::uint64_t>(passed), "{passed} of {all} cases passes", "{passed} of {all} cases pass",
                  "passed"_a = passed, "all"_a = all);
}

/// The first wrong elements: what each holds beside what it should hold, and which thread wrote it. Returns the height.
float wrong_table(const Sheet& sheet, const Checks::Wrong& wrong, float left, float top) {
  const Theme& look = theme();
  const std::array<Wording, 4> heads{say("element"), say("is"), say("should be"), say("written by")};
  std::vector<std::array<std::string, 4>> rows;
  for (const Checks::Wrong::Element& each : wrong.first) {
    rows.push_back({fmt::format("{}[{}]", wrong.array, each.index), lessons::text_of(each.got), lessons::text_of(each.expected),
                    lessons::writer_of(each)});
  }
  std::array<float, 4> widths{};
  for (std::size_t c = 0; c < heads.size(); ++c) {
    widths[c] = text_width(Face::label, heads[c]);
    for (const auto& row : rows) widths[c] = std::max(widths[c], std::ceil(text_width(Face::digits, row[c])));
  }
  const float line = px(22), gap = px(28);
  const float x_is = left + widths[0] + gap + widths[1], x_right = x_is + gap + widths[2], x_writer = x_right + gap;
  float y = top;
  const auto cells = [&](Face face, const auto& row, const std::array<ImU32, 4>& ink) {
    text(sheet.draw, face, {left, y}, ink[0], row[0]);
    text(sheet.draw, face, {x_is, y}, ink[1], row[1], Align::right);
    text(sheet.draw, face, {x_right, y}, ink[2], row[2], Align::right);
    text_clipped(sheet.draw, face, {x_writer, y}, sheet.right() - x_writer, ink[3], row[3]);
    y += line;
  };
  cells(Face::label, heads, {look.text.third, look.text.third, look.text.third, look.text.third});
  for (const auto& row : rows) cells(Face::digits, row, {look.text.second, look.verdict.bad, look.verdict.good, look.text.second});
  const std::size_t more = wrong.wrong - wrong.first.size();
  if (more > 0) {
    text(sheet.draw, Face::label, {left, y}, look.text.third,
         say_many(more, "One more element is wrong.", "{n} more elements are wrong.",
                  "n"_a = grouped(static_cast<long long>(more))));
    y += line;
  }
  return y - top;
}

/// Numbers the failure whose hints are open, so that another one begins with its first step.
std::uint64_t key_of(const Checks::Row& row) { return std::hash<std::string>{}(row.name + "\n" + row.hints.front()); }

/// The steps of the hint that the learner has asked for, and the button for the next one. Returns the height.
float hint_steps(const Sheet& sheet, const Checks::Row& row, float left, float top, ViewState& state) {
  ViewMemory& memory = state.memory;
  const Theme& look = theme();
  if (memory.picked.empty() || memory.picked.front() != key_of(row)) memory.picked = {key_of(row)}, memory.chosen.reset();
  const std::size_t open = std::min(memory.chosen.value_or(1), row.hints.size());
  TextFlowStyle style = note_style();
  style.colour = look.text.first;
  float y = top;
  for (std::size_t i = 0; i < open; ++i) {
    const std::string label = row.hints.size() == 1
                                  ? std::string(say("Hint"))
                                  : say("Hint {number} of {hints}", "number"_a = i + 1, "hints"_a = row.hints.size());
    const float wide = text_width(Face::label_strong, say("Hint {number} of {hints}", "number"_a = 8, "hints"_a = 8)) + px(12);
    const float drop = (style.line - line_height(style.plain)) / 2 + baseline(style.plain) - baseline(Face::label_strong);
    text(sheet.draw, Face::label_strong, {left, y + drop}, look.hand.text, label);
    y += draw_text_flow(sheet.draw, inline_code(row.hints[i]), {left + wide, y}, sheet.right() - left - wide, style) + px(6);
  }
  if (open == row.hints.size() || state.printed) return y - top;
  const ButtonLook next{.label = say("Next hint"), .hint = say("Each hint tells more than the one before.")};
  if (button("checks/next_hint", rect(left, snap(y), button_width(next), px(32)), next)) memory.chosen = open + 1;
  return y + px(32) - top;
}

void card(const Sheet& sheet, const Checks::Row& row, const Box& item) {
  const Theme& look = theme();
  std::vector<Fact> facts{{say("blocks"), extent(row.grid)}, {say("threads a block"), extent(row.block)}};
  if (row.shared_bytes > 0) facts.push_back({say("shared bytes a block"), grouped(row.shared_bytes)});
  if (row.wrong) {
    const Checks::Wrong::Element& first = row.wrong->first.front();
    facts.push_back({say("first wrong"), fmt::format("{}[{}]", row.wrong->array, first.index)});
    facts.push_back({say("should be"), lessons::text_of(first.expected)});
    facts.push_back({say("is"), lessons::text_of(first.got), look.verdict.bad});
    facts.push_back(
        {say("wrong elements"), say("{wrong} of {elements}", "wrong"_a = grouped(static_cast<long long>(row.wrong->wrong)),
                                    "elements"_a = grouped(static_cast<long long>(row.wrong->elements)))});
  }
  fact_card(sheet, item, {}, row.name, words_of(row.verdict), facts);
}

}  // namespace

void draw_checks(const Checks& checks, float width, ViewState& state) {
  const Sheet sheet = begin_view(width);
  const Theme& look = theme();
  const float indent = px(24), pad = px(10);
  float launches = 0;  // the widest
  for (const Checks::Row& row : checks.rows) launches = std::max(launches, text_width(Face::digits, launch_of(row)));
  const bool launched = checks.rows.empty() || checks.rows.front().launched;
  float y = sheet.at.y + title_row(sheet, title_of(checks), launched ? say("each is a launch of its own") : "");
  bool told = false;  // what is wrong; of the first case in full, of others in a sentence, where there is little room not at all
  for (const Checks::Row& row : checks.rows) {
    const bool passed = row.verdict == Verdict::passed;
    const Box item{sheet.at.x, snap(y), sheet.right(), 0};
    hairline(sheet.draw, {sheet.at.x, item.y0}, {sheet.right(), item.y0}, look.background.line);
    y = item.y0 + pad;
    const ImVec2 mark(sheet.at.x + px(7), y + line_height(Face::body) / 2);
    if (passed)
      tick(sheet.draw, mark, px(11), look.verdict.good);
    else
      cross(sheet.draw, mark, px(9), look.verdict.bad);
    const float base = y + baseline(Face::body), verdict = sheet.right() - launches - (launched ? px(16) : 0);
    text(sheet.draw, Face::digits, {sheet.right(), base - baseline(Face::digits)}, look.text.third, launch_of(row), Align::right);
    const std::string_view words = row.launched   ? words_of(row.verdict)
                                   : passed       ? say("right")
                                   : row.answered ? say("not right")
                                                  : say("not answered");
    text(sheet.draw, Face::label, {verdict, base - baseline(Face::label)}, passed ? look.text.second : look.verdict.bad, words,
         Align::right);
    const float left = sheet.at.x + indent;
    y += draw_text_flow(sheet.draw, inline_code(row.name), {left, y}, verdict - text_width(Face::label, words) - px(16) - left,
                        name_style());
    const float first_line = y;
    if (!row.message.empty() && !(told && state.shorter > 0)) {
      TextFlowStyle style = note_style();
      style.colour = look.text.second;
      y += px(4);
      y += draw_text_flow(sheet.draw, inline_code(row.message), {left, y}, sheet.right() - left, style);
      if (!told && row.wrong) y += px(8) + wrong_table(sheet, *row.wrong, left, y + px(8));
      if (!told && !row.hints.empty() && state.shorter == 0) y += px(8) + hint_steps(sheet, row, left, y + px(8), state);
      told = true;
    }
    if (checks.seed && &row == &checks.rows.back() && state.shorter == 0) {
      const std::string made =
          say("Other values and, where it can be, another size at each run. Seed {seed}.", "seed"_a = *checks.seed);
      text_clipped(sheet.draw, Face::label, {left, y + px(2)}, sheet.right() - left, look.text.third, made);
      y += px(2) + line_height(Face::label);
    }
    y += pad;
    if (const Box all{item.x0, item.y0, item.x1, first_line}; row.launched && mouse_over(all)) card(sheet, row, all);
  }
  hairline(sheet.draw, {sheet.at.x, snap(y)}, {sheet.right(), snap(y)}, look.background.line);
  end_view(sheet, y + px(1) - sheet.at.y, state.stale);
}

}  // namespace warpbook::app
