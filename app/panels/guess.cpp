#include "app/panels/guess.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <variant>

#include "app/flow.h"
#include "app/views/parts.h"
#include "app/widgets.h"

namespace warpbook::app {
namespace {

using lessons::Block;
using lessons::Choice;
using Threads = std::set<std::uint32_t>;

/// The answer of the last run to what was asked; nothing before there is one.
const lessons::Number* answer(const LessonState& state, const std::string& name) {
  if (!state.shown) return nullptr;
  for (const lessons::Number& number : state.shown->outcome->numbers) {
    if (number.name == name) return &number;
  }
  return nullptr;
}

/// … in threads: what the hardware keeps no record of, the look inside has.
const Threads* marked_answer(const LessonState& state, const std::string& name) {
  for (const Snapshot* const run : {state.shown.get(), state.inside ? state.inside->here.get() : nullptr}) {
    if (run == nullptr || !run->outcome) continue;
    if (const auto found = run->outcome->marked.find(name); found != run->outcome->marked.end()) return &found->second;
  }
  return nullptr;
}

std::string number_text(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15) return grouped(std::llround(value));
  return field_text(value, lessons::Control::Kind::real);
}

/// To the digits that the result shows; the guess is judged by them, too.
double as_shown(const lessons::Number& number, double value) {
  const double digits = std::pow(10, number.decimals);
  return std::round(value * digits) / digits;
}

/// A range by a number inside of it, which is what a choice is kept as: neighbours may share their ends.
double kept_as(const Choice& choice) {
  if (std::isinf(choice.least)) return choice.most - std::abs(choice.most) - 1;
  if (std::isinf(choice.most)) return choice.least + std::abs(choice.least) + 1;
  return (choice.least + choice.most) / 2;
}

const Choice* choice_of(const Block& block, double value) {
  const auto found = std::find_if(block.choices.begin(), block.choices.end(), [&](const Choice& c) { return c.holds(value); });
  return found == block.choices.end() ? nullptr : &*found;
}

// ---- The box that all of them stand in: a pencil, words, and what is at the right. ----

class QuestionBox {
 public:
  /// `room`: of the words, screen pixels. `below`: height of what stands under them.
  QuestionBox(std::vector<lessons::Span> words, ImVec2 at, float width, float room, float below = 0)
      : words_(std::move(words)), at_(at), width_(width), room_(room), below_(below) {
    style_.plain = Face::body;
    style_.code = Face::label_code;
    style_.line = line_height(Face::body);
    style_.colour = theme().text.second;
    tall_ = draw_flow(nullptr, words_, {}, room_, style_);
    head_ = std::max(px(56), tall_ + px(24));
  }

  void draw() const {
    const Theme& t = theme();
    ImDrawList* draw = ImGui::GetWindowDrawList();
    draw->AddRectFilled(at_, {at_.x + width_, at_.y + height()}, t.background.raised, px(t.radius.box));
    pencil(draw, {at_.x + px(26), middle()}, px(16), t.hand.line);
    draw_flow(draw, words_, {words_x(), middle() - tall_ / 2}, room_, style_);
  }

  [[nodiscard]] float height() const { return head_ + below_; }
  [[nodiscard]] float middle() const { return at_.y + head_ / 2; }
  [[nodiscard]] float bottom_of_words() const { return at_.y + head_; }
  [[nodiscard]] float words_x() const { return at_.x + px(52); }
  [[nodiscard]] float right() const { return at_.x + width_ - px(16); }
  [[nodiscard]] bool one_line() const { return tall_ <= style_.line; }
  /// Where the words end: on one line after the last of them.
  [[nodiscard]] float words_end() const {
    if (!one_line()) return words_x() + room_;
    float end = words_x();
    for (const auto& span : words_) end += text_width(span.code ? style_.code : style_.plain, span.text);
    return end;
  }

 private:
  std::vector<lessons::Span> words_;
  ImVec2 at_;
  float width_, room_, below_, tall_ = 0, head_ = 0;
  FlowStyle style_ = prose_style();
};

std::vector<lessons::Span> filled(const std::string& words, const Session& session) {
  return inline_code(lessons::fill_in(words, *session.open, session.lesson().values));
}

bool draw_skip(const std::string& name, const QuestionBox& box) {
  const float width = text_width(Face::label, "Skip");
  return link(name + "/skip", Face::label, {box.right() - width, box.middle() - line_height(Face::label) / 2}, "Skip",
              theme().text.third);
}
float skip_width() { return text_width(Face::label, "Skip") + px(24); }

// ---- A number, or one of some ranges of it. ----

float draw_given_number(const Session& session, const Block& block, double value, const lessons::Number* found, ImVec2 at,
                        float width) {
  const Theme& t = theme();
  const Choice* const choice = choice_of(block, value);
  const std::string mine = choice != nullptr ? choice->label : number_text(value);
  std::string verdict;
  bool right = false;
  if (found != nullptr && choice != nullptr) {
    right = choice->holds(found->value);
    const std::string is = number_text(as_shown(*found, found->value)) + (found->unit.empty() ? "" : " " + found->unit);
    verdict = fmt::format("It was {}.{}", is, right ? " Well predicted." : "");
  } else if (found != nullptr) {
    const double off = std::abs(as_shown(*found, found->value) - as_shown(*found, value));
    right = off == 0;
    verdict = right ? "It was. Well predicted."
                    : fmt::format("It was {}. Off by {}.", number_text(as_shown(*found, found->value)),
                                  number_text(as_shown(*found, off)));
  }
  const bool said = !block.said.empty();
  const Face face = choice != nullptr ? Face::body_strong : Face::head;
  const float answer_width = text_width(Face::body, verdict);
  const QuestionBox box(filled(said ? "You predicted " + block.said : block.text, session), at, width,
                        width - px(52 + 16 + 24) - answer_width - text_width(face, mine) - px(24));
  box.draw();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  text(draw, Face::body, {box.right(), box.middle() - line_height(Face::body) / 2}, right ? t.verdict.good : t.text.third, verdict,
       Align::right);
  // The number goes on with the sentence where that is one line.
  float mine_x = verdict.empty() ? box.right() : box.right() - answer_width - px(20);
  if ((said || choice != nullptr) && box.one_line()) mine_x = std::min(mine_x, box.words_end() + px(16) + text_width(face, mine));
  text(draw, face, {mine_x, box.middle() - line_height(face) / 2}, t.hand.text, mine, Align::right);
  return box.height();
}

float ask_number(Session& session, const Block& block, LessonState::Guess& guess, ImVec2 at, float width) {
  const std::string name = "guess/" + block.name;
  const float field = px(96), go = button_width({.label = "Guess", .primary = true});
  const QuestionBox box(filled(block.text, session), at, width,
                        width - px(52) - px(12) - field - px(8) - go - skip_width() - px(16));
  box.draw();
  // The field follows the question when that is short.
  const Rect area = rect(snap(box.words_end() + px(12)), snap(box.middle() - px(16)), field, px(32));
  std::optional<double> given = guess_field(name, area, guess.typed, session.typing);
  const auto typed = parse_number(guess.typed);
  const Rect press = rect(area.b.x + px(8), area.a.y, go, px(32));
  if (button(name + "/give", press,
             {.label = "Guess", .primary = true, .enabled = typed.has_value(), .hint = typed ? "" : "Type a number first."})) {
    given = typed;
  }
  if (given) guess.value = given;
  if (draw_skip(name, box)) guess.skipped = true;
  if (guess.value || guess.skipped) session.typing = {};
  return box.height();
}

float ask_choice(const Session& session, const Block& block, LessonState::Guess& guess, ImVec2 at, float width) {
  const std::string name = "guess/" + block.name;
  const QuestionBox box(filled(block.text, session), at, width, width - px(52) - skip_width() - px(16), chip_height() + px(8));
  box.draw();
  float x = box.words_x(), y = box.bottom_of_words() - px(8);
  for (std::size_t i = 0; i < block.choices.size(); ++i) {
    const Choice& choice = block.choices[i];
    const float wide = chip_width(choice.label);
    if (chip(fmt::format("{}/{}", name, i), rect(snap(x), snap(y), wide, chip_height()), choice.label, false))
      guess.value = kept_as(choice);
    x += wide + px(8);
  }
  if (draw_skip(name, box)) guess.skipped = true;
  return box.height();
}

// ---- Threads of a block, marked by hand. ----

/// A row is a warp, or some of them where a block has more than four.
struct ThreadStrip {
  std::uint32_t threads = 0, columns = 32, rows = 1;
  float x = 0, y = 0, pitch = 0;
  static constexpr float row_css = 18, heading_css = 18;

  ThreadStrip(std::uint32_t count, ImVec2 at, float width) : threads(count) {
    const std::uint32_t warps = (threads + 31) / 32;
    columns = 32 * ((warps + 3) / 4);
    rows = (threads + columns - 1) / columns;
    x = at.x;
    y = at.y + px(heading_css);
    pitch = std::floor(width / static_cast<float>(columns) * 4) / 4;
  }
  [[nodiscard]] float height() const { return px(heading_css) + px(row_css) * static_cast<float>(rows); }
  [[nodiscard]] Box cell(std::uint32_t thread) const {
    const auto column = static_cast<float>(thread % columns), row = static_cast<float>(thread / columns);
    const float gap = pitch >= px(6) ? px(2) : pitch >= px(3) ? px(1) : 0;
    const float left = snap(x + column * pitch);
    return {left, y + row * px(row_css), std::max(snap(x + (column + 1) * pitch) - gap, left + 1), y + row * px(row_css) + px(14)};
  }
  [[nodiscard]] std::optional<std::uint32_t> at(ImVec2 mouse) const {
    const float column = (mouse.x - x) / pitch, row = (mouse.y - y) / px(row_css);
    if (column < 0 || row < 0 || column >= static_cast<float>(columns) || row >= static_cast<float>(rows)) return std::nullopt;
    const std::uint32_t thread = static_cast<std::uint32_t>(row) * columns + static_cast<std::uint32_t>(column);
    return thread < threads ? std::optional(thread) : std::nullopt;
  }
  /// The nearest, for a hand that has left the strip in the middle of a stroke.
  [[nodiscard]] std::uint32_t near(ImVec2 mouse) const {
    const float row = std::clamp(std::floor((mouse.y - y) / px(row_css)), 0.0f, static_cast<float>(rows - 1));
    const float column = std::clamp(std::floor((mouse.x - x) / pitch), 0.0f, static_cast<float>(columns - 1));
    return std::min(static_cast<std::uint32_t>(row) * columns + static_cast<std::uint32_t>(column), threads - 1);
  }
};

void draw_strip(const ThreadStrip& strip, const Threads& marks, const Threads* answer) {
  const Theme& t = theme();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const std::string row = strip.columns == 32 ? "a row is a warp" : fmt::format("a row is {} warps", strip.columns / 32);
  if (strip.rows > 1) {
    text(draw, Face::caption, {strip.cell(strip.columns - 1).x1, strip.y - px(ThreadStrip::heading_css)}, t.text.third, row,
         Align::right);
  }
  for (std::uint32_t lane = 0; lane < strip.columns; lane += strip.columns / 4) {
    const Box first = strip.cell(lane);
    text(draw, Face::digits, {first.x0, strip.y - px(ThreadStrip::heading_css)}, t.text.third, std::to_string(lane));
  }
  for (std::uint32_t thread = 0; thread < strip.threads; ++thread) {
    const Box cell = strip.cell(thread);
    const bool mine = marks.contains(thread), works = answer != nullptr && answer->contains(thread);
    const bool wrong = mine && answer != nullptr && !works;
    const ImU32 fill = !mine ? t.background.control : wrong ? with_alpha(t.hand.line, 0.25f) : t.hand.line;
    draw->AddRectFilled(top_left(cell), bottom_right(cell), fill);
    if (wrong) draw->AddRect(top_left(cell), bottom_right(cell), t.hand.line);
    if (works && !mine) hatch_narrow(draw, cell, t.verdict.bad);
  }
}

std::string verdict_on(const Threads& marks, const Threads& answer) {
  std::size_t found = 0;
  for (const std::uint32_t thread : marks) found += answer.contains(thread) ? 1 : 0;
  const std::size_t extra = marks.size() - found;
  if (found == answer.size() && extra == 0)
    return answer.size() == 1 ? "That one it was. Well predicted." : fmt::format("Those {} it was. Well predicted.", answer.size());
  std::string words = fmt::format("{} of {} found", found, answer.size());
  if (extra > 0) words += fmt::format(", {} too many", extra);
  return words + ".";
}

float draw_given_marks(const Session& session, const Block& block, const Threads& marks, const Threads* answer,
                       std::uint32_t threads, ImVec2 at, float width) {
  const Theme& t = theme();
  const std::string verdict = answer != nullptr                   ? verdict_on(marks, *answer)
                              : session.lesson().shown != nullptr ? "This run does not show it."
                                                                  : "";
  const bool right = answer != nullptr && marks == *answer;
  const float verdict_width = text_width(Face::body, verdict);
  ThreadStrip strip(threads, {}, width - px(52 + 16));
  const QuestionBox box(filled(block.text, session), at, width, width - px(52 + 16 + 24) - verdict_width, strip.height() + px(8));
  box.draw();
  text(ImGui::GetWindowDrawList(), Face::body, {box.right(), box.middle() - line_height(Face::body) / 2},
       right ? t.verdict.good : t.text.third, verdict, Align::right);
  strip = ThreadStrip(threads, {box.words_x(), box.bottom_of_words() - px(4)}, width - px(52 + 16));
  draw_strip(strip, marks, answer);
  return box.height();
}

/// Mouse: a click marks a thread or takes its mark away, a stroke does so with all that it passes. Keyboard: arrows and Enter.
void work_strip(const std::string& name, const ThreadStrip& strip, LessonState::Guess& guess) {
  const Rect area = rect(strip.x, strip.y, strip.pitch * static_cast<float>(strip.columns),
                         px(ThreadStrip::row_css) * static_cast<float>(strip.rows));
  MarkingHand& hand = guess.hand;
  const Touch at = touch(name, area);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (at.held && ImGui::IsMouseDown(ImGuiMouseButton_Left)) {
    if (!hand.stroke) {
      const auto first = strip.at(mouse);
      if (!first) return;
      hand.stroke = {.from = *first, .marks = !guess.marks.contains(*first), .before = guess.marks};
    }
    hand.thread = strip.near(mouse);
    guess.marks = hand.stroke->before;
    const auto [least, most] = std::minmax(hand.stroke->from, hand.thread);
    for (std::uint32_t thread = least; thread <= most; ++thread) {
      if (hand.stroke->marks)
        guess.marks.insert(thread);
      else
        guess.marks.erase(thread);
    }
  } else if (hand.stroke) {
    hand.stroke.reset();  // the click that ends it is no other one
  } else {
    const int by = at.focused ? adjustment() : 0;
    hand.thread = static_cast<std::uint32_t>(
        std::clamp(static_cast<int>(std::min(hand.thread, strip.threads - 1)) + by, 0, static_cast<int>(strip.threads) - 1));
    if (at.clicked && !guess.marks.erase(hand.thread)) guess.marks.insert(hand.thread);
  }
  if (at.focused) ring(ImGui::GetWindowDrawList(), strip.cell(hand.thread), theme().text.first, 2, 1, 1);
  const auto over = at.hovered ? strip.at(mouse) : std::nullopt;
  if (over) {
    ring(ImGui::GetWindowDrawList(), strip.cell(*over), theme().text.first);
    hint(at, fmt::format("Thread {}: warp {}, lane {}", *over, *over / 32, *over % 32));
  }
}

float ask_marks(const Session& session, const Block& block, LessonState::Guess& guess, std::uint32_t threads, ImVec2 at,
                float width) {
  const std::string name = "guess/" + block.name;
  const float go = button_width({.label = "Guess", .primary = true});
  ThreadStrip strip(threads, {}, width - px(52 + 16));
  const QuestionBox box(filled(block.text, session), at, width, width - px(52) - go - px(16) - skip_width() - px(16),
                        strip.height() + px(8));
  box.draw();
  strip = ThreadStrip(threads, {box.words_x(), box.bottom_of_words() - px(4)}, width - px(52 + 16));
  std::erase_if(guess.marks, [&](std::uint32_t thread) { return thread >= threads; });
  draw_strip(strip, guess.marks, nullptr);
  work_strip(name, strip, guess);
  const Rect press = rect(box.right() - skip_width() - go, snap(box.middle() - px(16)), go, px(32));
  if (button(name + "/give", press,
             {.label = "Guess",
              .primary = true,
              .enabled = !guess.marks.empty(),
              .hint = guess.marks.empty() ? "Mark threads first: click, or draw along a row." : ""})) {
    guess.marked = true;
  }
  if (draw_skip(name, box)) guess.skipped = true;
  return box.height();
}

std::uint32_t threads_to_mark(const Session& session, const std::string& name) {
  for (const lessons::Marking& marking : session.open->markings) {
    if (marking.name == name) return std::clamp(marking.threads(session.lesson().values), 1u, 1024u);
  }
  return 1;
}

}  // namespace

float draw_guess(Session& session, const Block& block, ImVec2 at, float width) {
  LessonState& state = session.lesson();
  LessonState::Guess& guess = state.guesses[block.name];
  if (guess.skipped) return 0;
  if (block.kind == Block::Kind::mark) {
    const Threads* const found = marked_answer(state, block.name);
    const std::uint32_t threads = threads_to_mark(session, block.name);
    if (guess.marked) return draw_given_marks(session, block, guess.marks, found, threads, at, width);
    return found != nullptr ? 0 : ask_marks(session, block, guess, threads, at, width);
  }
  const lessons::Number* const found = answer(state, block.name);
  if (guess.value) return draw_given_number(session, block, *guess.value, found, at, width);
  if (found != nullptr) return 0;  // run without a guess: the answer is there, the question is over
  return block.choices.empty() ? ask_number(session, block, guess, at, width) : ask_choice(session, block, guess, at, width);
}

std::optional<double> guess_marked_in(const lessons::Figure& figure, const LessonState& state) {
  std::string_view name;
  if (const auto* trials = std::get_if<lessons::Trials>(&figure)) name = trials->guessed;
  if (const auto* ladder = std::get_if<lessons::Ladder>(&figure)) name = ladder->guessed;
  const auto guess = state.guesses.find(std::string(name));
  return guess == state.guesses.end() ? std::nullopt : guess->second.value;
}

}  // namespace warpbook::app
