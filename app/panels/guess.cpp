#include "app/panels/guess.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "app/panels/question_box.h"
#include "app/panels/thread_strip.h"
#include "app/session/prediction.h"
#include "app/text/numbers.h"
#include "app/ui/widgets.h"
#include "gpu/message.h"

namespace warpbook::app {
namespace {

using lessons::Answer;
using lessons::Block;
using lessons::Choice;
using Threads = std::set<std::uint32_t>;

std::string number_text(double value) {
  if (std::isnan(value)) return say("no number");
  if (value == std::floor(value) && std::abs(value) < 1e15) return grouped(std::llround(value));
  return field_text(value, lessons::Control::Kind::real);
}

/// To the digits that the result shows; the guess is judged by them, too.
double as_shown(const Answer::Found& found, double value) {
  const double digits = std::pow(10, found.decimals);
  return std::round(value * digits) / digits;
}

std::string found_text(const Answer::Found& found) {
  const std::string digits = number_text(as_shown(found, found.value));
  return found.unit.empty() ? digits : fmt::format("{} {}", digits, found.unit);
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

/// What a run has found; where a choice stands for a single number, its words say more than the number.
std::string found_words(const Block& block, const Answer::Found& found) {
  const Choice* const choice = choice_of(block, found.value);
  return choice != nullptr && choice->least == choice->most ? choice->label : found_text(found);
}

// ---- What is said of an answer. ----

std::string verdict_on_marks(const Threads& marks, const Threads& found) {
  if (marks == found)
    return say_many(found.size(), "It was that one. Well predicted.", "It was those {n}. Well predicted.", "n"_a = found.size());
  std::size_t hit = 0;
  for (const std::uint32_t thread : marks) hit += found.contains(thread) ? 1 : 0;
  const std::size_t extra = marks.size() - hit;
  if (extra == 0) return say("{hit} of {found} found.", "hit"_a = hit, "found"_a = found.size());
  return say("{hit} of {found} found, {extra} too many.", "hit"_a = hit, "found"_a = found.size(), "extra"_a = extra);
}

std::string verdict_on(const Block& block, const Answer& answer) {
  const Answer::Found& found = *answer.found;
  if (!answer.value) return verdict_on_marks(answer.marks, found.marks);
  const bool right = lessons::is_right(block, answer);
  if (choice_of(block, *answer.value) != nullptr)
    return right ? say("It was {found}. Well predicted.", "found"_a = found_words(block, found))
                 : say("It was {found}.", "found"_a = found_words(block, found));
  if (right) return say("It was {found}. Well predicted.", "found"_a = found_text(found));
  const double off = std::abs(as_shown(found, found.value) - as_shown(found, *answer.value));
  return say("It was {found}. Off by {off}.", "found"_a = found_text(found), "off"_a = number_text(as_shown(found, off)));
}

/// What was answered, in few words.
std::string answer_text(const Block& block, const Answer& answer) {
  if (!answer.value) return say_many(answer.marks.size(), "1 thread", "{n} threads", "n"_a = answer.marks.size());
  const Choice* const choice = choice_of(block, *answer.value);
  return choice != nullptr ? choice->label : number_text(*answer.value);
}

/// What a run has found, of a question that nobody answered.
std::string told_text(const Block& block, const Answer::Found& found) {
  if (block.kind != Block::Kind::mark) return say("Not predicted. It was {found}.", "found"_a = found_words(block, found));
  return say_many(found.marks.size(), "Not predicted. It was 1 thread.", "Not predicted. It was {n} threads.",
                  "n"_a = found.marks.size());
}

/// An answer for other settings, with those that differ from what the controls say now.
std::string note_of_before(const Session& session, const Block& block, const Answer& before) {
  const std::string settings = settings_words(*session.open, before.settings, &session.lesson().values);
  const std::string mine = answer_text(block, before);
  if (!before.found)
    return say("For {settings} you predicted {mine}, and have not run that.", "settings"_a = settings, "mine"_a = mine);
  return say("For {settings} you predicted {mine}. {verdict}", "settings"_a = settings, "mine"_a = mine,
             "verdict"_a = verdict_on(block, before));
}

// ---- The box in its states. ----

std::vector<lessons::Span> filled(const std::string& words, const Session& session, const lessons::Values& values) {
  return inline_code(lessons::fill_in(words, *session.open, values));
}

/// The threads of a block that a question is about, where they are to be marked.
ThreadStrip strip_of(const Session& session, const std::string& name, ImVec2 at, float width) {
  const lessons::Values& values = session.lesson().values;
  for (const lessons::Marking& marking : session.open->markings) {
    if (marking.name == name)
      return {std::clamp(marking.threads(values), 1u, 1024u), at, width, marking.columns ? marking.columns(values) : 0};
  }
  return {1, at, width};
}

/// From where the words of a box of this width begin, with half of the room that words leave free at its right.
float choices_room(float width) { return width - px(52 + 8); }

/// Where the choices stand, from (0, 0): one beside the other, and in further rows what has no room in the first.
std::vector<Rect> places_of(const std::vector<Choice>& choices, float room) {
  std::vector<Rect> places;
  ImVec2 at;
  for (const Choice& choice : choices) {
    const float wide = chip_width(choice.label);
    if (at.x > 0 && at.x + wide > room) at = {0, at.y + chip_height() + px(8)};
    places.push_back(rect(at.x, at.y, wide, chip_height()));
    at.x += wide + px(8);
  }
  return places;
}

constexpr float field_css = 96, verdict_css = 214;  // what a verdict mostly needs, so that the words break as they will with one

float quiet_link_width(std::string_view words) { return text_width(Face::label, words) + px(24); }

/// What a question is made of, the same in every frame and state.
struct Asked {
  const Block& block;
  std::string name;                         // of its widgets
  const Answer* answer = nullptr;           // for the controls as they stand
  std::optional<Answer::Found> found = {};  // by a run with them, where nobody answered
  bool open = false;
  float go = 0;                       // the width of "Guess"
  float ask_room = 0, told_room = 0;  // of the words
};

/// The settings that a question, or its answer, is for.
std::string note_of_settings(const Session& session, const Asked& asked) {
  const Answer* const answer = asked.answer;
  const std::string words = settings_words(*session.open, answer != nullptr ? answer->settings : session.lesson().values);
  if (words.empty()) return {};
  if (answer != nullptr && answer->found) return say("Predicted, and run, with {settings}.", "settings"_a = words);
  if (answer != nullptr) return say("Predicted for {settings}. Press Run.", "settings"_a = words);
  return asked.open ? say("For {settings}.", "settings"_a = words) : say("With {settings}.", "settings"_a = words);
}

Asked asked_of(const Session& session, const Block& block, float width) {
  Asked asked{.block = block, .name = "guess/" + block.name};
  asked.answer = answer_now(session, block.name);
  if (asked.answer == nullptr) asked.found = found_now(session, block);
  asked.open = is_open(session, block);
  asked.go = button_width({.label = say("Guess"), .primary = true});
  const float skip = quiet_link_width(say("Skip"));
  const bool number = block.kind == Block::Kind::guess && block.choices.empty();
  const float hand = number ? px(12 + field_css + 8) + asked.go : block.kind == Block::Kind::mark ? px(12) + asked.go : 0;
  asked.ask_room = width - px(52 + 16) - hand - skip;
  asked.told_room = width - px(52 + 16 + 24) - px(verdict_css) - (number ? px(72) : 0);
  return asked;
}

QuestionBox box_of(const Session& session, const Asked& asked, ImVec2 at, float width) {
  const Block& block = asked.block;
  const lessons::Values& now = session.lesson().values;
  const auto question = filled(block.text, session, now);
  const auto said = block.said.empty() ? question : filled(say("You predicted {what}", "what"_a = block.said), session, now);
  const float below = block.kind == Block::Kind::mark ? strip_of(session, block.name, {}, width - px(52 + 16)).height()
                      : block.choices.empty()         ? 0
                                                      : places_of(block.choices, choices_room(width)).back().b.y;
  // As high as in whichever state it is highest.
  const float least = std::max({question_height(question, asked.ask_room), question_height(question, asked.told_room),
                                question_height(said, asked.told_room)});
  return QuestionBox({.words = asked.answer != nullptr && asked.answer->value ? said : question,
                      .room = asked.open ? asked.ask_room : asked.told_room,
                      .least = least,
                      .below = below,
                      .urged = asked.open && session.lesson().asking},
                     at, width);
}

/// The verdict at the right, and the answer before it; on one line it goes on with the words.
void draw_answer(const Session& session, const Asked& asked, const QuestionBox& box) {
  const Theme& t = theme();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const auto& run = session.lesson().shown;
  std::string verdict;
  if (asked.answer->found)
    verdict = verdict_on(asked.block, *asked.answer);
  else if (run && same_question(*session.open, run->values, asked.answer->settings))
    verdict = say("This run does not show it.");
  const float verdict_width = text_width(Face::body, verdict);
  text(draw, Face::body, {box.right(), box.middle() - line_height(Face::body) / 2},
       lessons::is_right(asked.block, *asked.answer) ? t.verdict.good : t.text.second, verdict, Align::right);
  if (!asked.answer->value || !asked.block.choices.empty()) return;  // chips and marks show it
  const std::string mine = answer_text(asked.block, *asked.answer);
  float x = verdict.empty() ? box.right() : box.right() - verdict_width - px(20);
  if (box.one_line()) x = std::min(x, box.words_end() + px(16) + text_width(Face::head, mine));
  text(draw, Face::head, {x, box.middle() - line_height(Face::head) / 2}, t.hand.text, mine, Align::right);
}

/// "Skip", "Predict": quiet words at the box's right.
bool quiet_link(const std::string& name, const QuestionBox& box, std::string_view words) {
  const float width = text_width(Face::label, words);
  return link(name, Face::label, {box.right() - width, box.middle() - line_height(Face::label) / 2}, words, theme().text.third);
}

/// The small words. While a Run waits for an answer they say so, with the way to run without one.
void draw_note(Session& session, Actions& actions, const Asked& asked, const QuestionBox& box) {
  const Theme& t = theme();
  LessonState& state = session.lesson();
  const std::string name = asked.name + "/note";
  if (asked.open && state.asking) {
    const float end = box.note(name, say("Predict first? A wrong guess teaches as much as a right one."), t.hand.text);
    if (link(asked.name + "/run_anyway", Face::label,
             {end + px(12), box.note_y() + baseline(Face::caption) - baseline(Face::label)}, say("Run anyway"), t.text.first, true))
      press_run(session, actions);
    return;
  }
  if (asked.answer != nullptr) {
    box.note(name, note_of_settings(session, asked), t.text.third);
    return;
  }
  if (const Answer* const before = answer_before(session, asked.block.name))
    box.note(name, note_of_before(session, asked.block, *before), t.text.third);
  else
    box.note(name, note_of_settings(session, asked), t.text.third);
}

/// What a question without an answer has at its right; false: it is not open.
void draw_unanswered(Session& session, Actions& actions, const Asked& asked, const QuestionBox& box) {
  LessonState::Guess& guess = session.lesson().guesses[asked.block.name];
  if (asked.open) {
    if (!quiet_link(asked.name + "/skip", box, say("Skip"))) return;
    guess.skipped = true;
    session.typing = {};
    return run_if_it_waited(session, actions);
  }
  const Theme& t = theme();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const float y = box.middle() - line_height(Face::body) / 2;
  if (asked.found) {
    text(draw, Face::body, {box.right(), y}, t.text.second, told_text(asked.block, *asked.found), Align::right);
  } else {
    if (quiet_link(asked.name + "/ask", box, say("Predict"))) guess.skipped = false;
    text(draw, Face::body, {box.right() - quiet_link_width(say("Predict")), y}, t.text.third, say("Not predicted."), Align::right);
  }
}

void answer_with(Session& session, Actions& actions, const Block& block, Answer answer) {
  LessonState& state = session.lesson();
  answer.settings = state.values;
  add_answer(state.guesses[block.name], std::move(answer));
  session.typing = {};
  run_if_it_waited(session, actions);
}

void ask_number(Session& session, Actions& actions, const Asked& asked, const QuestionBox& box) {
  std::string& words = session.lesson().guesses[asked.block.name].typed;
  // The field follows the question when that is short.
  const Rect area = rect(snap(box.words_end() + px(12)), snap(box.middle() - px(16)), px(field_css), px(32));
  std::optional<double> given = guess_field(asked.name, area, words, session.typing);
  const auto typed = parse_number(words);
  const Rect press = rect(area.b.x + px(8), area.a.y, asked.go, px(32));
  if (button(asked.name + "/give", press,
             {.label = say("Guess"),
              .primary = true,
              .enabled = typed.has_value(),
              .hint = typed ? "" : say("Type a number first.")})) {
    given = typed;
  }
  if (!given) return;
  words.clear();
  answer_with(session, actions, asked.block, {.value = given});
}

/// All choices, in every state; the one that was chosen is on.
void draw_choices(Session& session, Actions& actions, const Asked& asked, const QuestionBox& box, float width) {
  const Block& block = asked.block;
  const Choice* const mine = asked.answer != nullptr ? choice_of(block, *asked.answer->value) : nullptr;
  const std::vector<Rect> places = places_of(block.choices, choices_room(width));
  std::optional<double> chosen;
  for (std::size_t i = 0; i < block.choices.size(); ++i) {
    const Choice& choice = block.choices[i];
    const Rect& place = places[i];
    const Rect area = rect(snap(box.words_x() + place.a.x), snap(box.below_y() + place.a.y), place.width(), chip_height());
    if (chip(fmt::format("{}/{}", asked.name, i), area, choice.label, &choice == mine, asked.open)) chosen = kept_as(choice);
  }
  if (chosen && asked.open) answer_with(session, actions, block, {.value = chosen});
}

void draw_marks(Session& session, Actions& actions, const Asked& asked, const QuestionBox& box, float width) {
  LessonState::Guess& guess = session.lesson().guesses[asked.block.name];
  const ThreadStrip strip = strip_of(session, asked.block.name, {box.words_x(), box.below_y() - px(8)}, width - px(52 + 16));
  if (!asked.open) {
    const auto& found = asked.answer != nullptr ? asked.answer->found : asked.found;
    return draw_strip(strip, asked.answer != nullptr ? asked.answer->marks : Threads(), found ? &found->marks : nullptr);
  }
  std::erase_if(guess.marks, [&](std::uint32_t thread) { return thread >= strip.threads; });
  draw_strip(strip, guess.marks, nullptr);
  work_strip(asked.name, strip, guess);
  const Rect press = rect(box.right() - quiet_link_width(say("Skip")) - asked.go, snap(box.middle() - px(16)), asked.go, px(32));
  if (button(asked.name + "/give", press,
             {.label = say("Guess"),
              .primary = true,
              .enabled = !guess.marks.empty(),
              .hint = guess.marks.empty() ? say("Mark threads first: click, or draw along a row.") : ""})) {
    answer_with(session, actions, asked.block, {.marks = std::exchange(guess.marks, {})});
  }
}

}  // namespace

float draw_guess(Session& session, Actions& actions, const Block& block, ImVec2 at, float width) {
  const Asked asked = asked_of(session, block, width);
  const QuestionBox box = box_of(session, asked, at, width);
  const float height = box.height();
  name_widget("question/" + block.name, rect(at.x, at.y, width, height));
  box.draw();
  if (asked.answer != nullptr) draw_answer(session, asked, box);
  draw_note(session, actions, asked, box);
  // What the learner does here changes the answers, so it comes last.
  const Asked still = asked_of(session, block, width);
  if (still.open != asked.open || (still.answer == nullptr) != (asked.answer == nullptr)) return height;
  if (block.kind == Block::Kind::mark)
    draw_marks(session, actions, asked, box, width);
  else if (!block.choices.empty())
    draw_choices(session, actions, asked, box, width);
  else if (asked.open)
    ask_number(session, actions, asked, box);
  if (asked.answer == nullptr && answer_now(session, block.name) == nullptr) draw_unanswered(session, actions, asked, box);
  return height;
}

std::optional<double> guess_marked_in(const lessons::Figure& figure, const Session& session) {
  std::string_view name;
  if (const auto* trials = std::get_if<lessons::Trials>(&figure)) name = trials->guessed;
  if (const auto* ladder = std::get_if<lessons::Ladder>(&figure)) name = ladder->guessed;
  const LessonState& state = session.lesson();
  const auto guess = state.guesses.find(std::string(name));
  if (guess == state.guesses.end() || !state.shown) return std::nullopt;
  const auto& answers = guess->second.answers;
  const auto mine = std::find_if(answers.rbegin(), answers.rend(), [&](const Answer& answer) {
    return same_question(*session.open, answer.settings, state.shown->values);
  });
  return mine == answers.rend() ? std::nullopt : mine->value;
}

}  // namespace warpbook::app
