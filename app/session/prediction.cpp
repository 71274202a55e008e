#include "app/session/prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace warpbook::app {
namespace {

using lessons::Answer;
using lessons::Block;

const LessonState& open_state(const Session& session) { return session.lessons.at(session.open->id); }

const LessonState::Guess* guess_at(const LessonState& state, const std::string& question) {
  const auto found = state.guesses.find(question);
  return found == state.guesses.end() ? nullptr : &found->second;
}

/// What a run found of a question; empty: it does not show it.
std::optional<Answer::Found> found_in(const Snapshot& run, const std::string& question, bool marks) {
  if (!run.outcome) return std::nullopt;
  if (marks) {
    const auto found = run.outcome->marked.find(question);
    return found == run.outcome->marked.end() ? std::nullopt : std::optional(Answer::Found{.marks = found->second});
  }
  for (const lessons::Number& number : run.outcome->numbers) {
    if (number.name != question) continue;
    return std::isfinite(number.value)
               ? std::optional(Answer::Found{.value = number.value, .decimals = number.decimals, .unit = number.unit})
               : std::nullopt;
  }
  return std::nullopt;
}

/// The newest answer that was given for the settings, or for other ones.
const Answer* newest(const Session& session, const std::string& question, bool same) {
  const LessonState& state = open_state(session);
  const LessonState::Guess* const guess = guess_at(state, question);
  if (guess == nullptr) return nullptr;
  const auto found = std::find_if(guess->answers.rbegin(), guess->answers.rend(), [&](const Answer& answer) {
    return same_question(*session.open, answer.settings, state.values) == same;
  });
  return found == guess->answers.rend() ? nullptr : &*found;
}

}  // namespace

bool same_question(const lessons::Lesson& lesson, const lessons::Values& a, const lessons::Values& b) {
  return std::all_of(lesson.controls.begin(), lesson.controls.end(), [&](const lessons::Control& control) {
    return !control.of_question || a.real(control.id) == b.real(control.id);
  });
}

const Answer* answer_now(const Session& session, const std::string& question) { return newest(session, question, true); }
const Answer* answer_before(const Session& session, const std::string& question) { return newest(session, question, false); }

std::optional<Answer::Found> found_now(const Session& session, const Block& question) {
  const LessonState& state = open_state(session);
  for (const Snapshot* const run : {state.shown.get(), state.inside ? state.inside->here.get() : nullptr}) {
    if (run == nullptr || !same_question(*session.open, run->values, state.values)) continue;
    if (auto found = found_in(*run, question.name, question.kind == Block::Kind::mark)) return found;
  }
  return std::nullopt;
}

bool is_open(const Session& session, const Block& question) {
  if (!question.asks()) return false;
  const LessonState::Guess* const guess = guess_at(open_state(session), question.name);
  if (guess != nullptr && guess->skipped) return false;
  return answer_now(session, question.name) == nullptr && !found_now(session, question);
}

bool has_open_question(const Session& session) {
  const auto& blocks = open_state(session).page.blocks;
  return std::any_of(blocks.begin(), blocks.end(), [&](const Block& block) { return is_open(session, block); });
}

bool automatic_run_waits(const Session& session) {
  const auto& guesses = open_state(session).guesses;
  const bool answers = std::any_of(guesses.begin(), guesses.end(), [](const auto& each) { return !each.second.answers.empty(); });
  return answers && !session.presenting && has_open_question(session);
}

bool question_follows(const Session& session, std::size_t i) {
  const auto& blocks = open_state(session).page.blocks;
  return std::any_of(blocks.begin() + static_cast<std::ptrdiff_t>(i), blocks.end(),
                     [&](const Block& block) { return is_open(session, block); });
}

void add_answer(LessonState::Guess& guess, Answer answer) {
  guess.skipped = false;
  guess.answers.push_back(std::move(answer));
  if (guess.answers.size() > lessons::most_answers) guess.answers.erase(guess.answers.begin());
}

void record_verdicts(LessonState& state, const Snapshot& snapshot) {
  for (auto& [question, guess] : state.guesses) {
    for (Answer& answer : guess.answers) {
      if ((answer.found && !snapshot.live) || !same_question(*snapshot.lesson, answer.settings, snapshot.values)) continue;
      if (auto found = found_in(snapshot, question, !answer.value)) answer.found = std::move(found);
    }
  }
}

void skip_questions(Session& session) {
  LessonState& state = session.lesson();
  for (const Block& block : state.page.blocks) {
    if (is_open(session, block)) state.guesses[block.name].skipped = true;
  }
}

void run_if_it_waited(Session& session, Actions& actions) {
  LessonState& state = session.lesson();
  if (has_open_question(session)) return;  // another question is still open
  if (std::exchange(state.asking, false)) return actions.run();
  if (!state.shown || !state.changed_since_run || session.activity.kind != Activity::Kind::idle) return;
  const lessons::Values values = state.values;
  actions.set_values(values);  // runs again, if it would have when the control changed
}

void press_run(Session& session, Actions& actions) {
  LessonState& state = session.lesson();
  if (!session.presenting && has_open_question(session)) {
    if (!state.asked_to_predict) {
      state.asked_to_predict = state.asking = state.bring_question = true;
      return;
    }
    skip_questions(session);
  }
  state.asking = false;
  actions.run();
}

std::string settings_words(const lessons::Lesson& lesson, const lessons::Values& values, const lessons::Values* beside) {
  std::string words;
  for (const lessons::Control& control : lesson.controls) {
    const bool at_first = control.later && values.real(control.id) == control.initial;  // not to be thought of yet
    const bool left_out = beside != nullptr ? values.real(control.id) == beside->real(control.id) : at_first;
    if (!control.of_question || left_out) continue;
    words += fmt::format("{}{} {}", words.empty() ? "" : ", ", say(control.label),
                         lessons::fill_in("{" + control.id + "}", lesson, values));
  }
  return words;
}

}  // namespace warpbook::app
