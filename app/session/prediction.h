// Prediction: the questions of a page (::guess, ::mark), the learner's answers, and whether runs have confirmed them.
//
//     if (has_open_question(session)) …
//     add_answer(state.guesses[question], {.settings = values, .value = 4096});
//     record_verdicts(state, snapshot);              // a run has ended: was the answer right?
//     press_run(session, actions);                   // Run: asks for an answer first, once in a lesson
//
// An answer belongs to the controls' values that it was given for. A run with the same values decides whether it was right. Moving
// a control changes neither; it opens the question again, until the learner moves back, answers, or skips it.
#pragma once

#include <string>

#include "app/session/session.h"
#include "lessons/progress.h"

namespace warpbook::app {

/// Whether a question has the same answer for both: all controls are equal but those that do not affect it
/// (Control::of_question).
[[nodiscard]] bool same_question(const lessons::Lesson& lesson, const lessons::Values& a, const lessons::Values& b);

/// The answer for the controls as they are now; nullptr: there is none.
[[nodiscard]] const lessons::Answer* answer_now(const Session& session, const std::string& question);
/// The newest answer for other values; nullptr: there is none.
[[nodiscard]] const lessons::Answer* answer_before(const Session& session, const std::string& question);

/// What a run with the controls as they are now has found; empty: there was no such run, or it does not show it.
[[nodiscard]] std::optional<lessons::Answer::Found> found_now(const Session& session, const lessons::Block& question);

/// The question was neither answered nor skipped, and no run has answered it.
[[nodiscard]] bool is_open(const Session& session, const lessons::Block& question);
/// One of the page's questions is open.
[[nodiscard]] bool has_open_question(const Session& session);
/// A run that starts by itself has to wait: a question is open, and this learner does answer questions.
[[nodiscard]] bool automatic_run_waits(const Session& session);
/// An open question stands further down the page than its block `i`, a result. The result would answer it, so it is hidden.
[[nodiscard]] bool question_follows(const Session& session, std::size_t i);

void add_answer(LessonState::Guess& guess, lessons::Answer answer);
/// Keeps, with the answers for this run's values, what the run has found. The first run decides; a live one decides again with
/// every picture.
void record_verdicts(LessonState& state, const Snapshot& snapshot);
/// To be called after a question was answered or skipped: runs what has waited for that.
void run_if_it_waited(Session& session, Actions& actions);

/// What the button Run does: where a question is open, it asks for an answer instead, once in a lesson. Then it runs.
void press_run(Session& session, Actions& actions);
/// The learner does not want to answer: the open questions are not asked any more.
void skip_questions(Session& session);

/// "Threads per block 128, Blocks per grid 32". Controls behind "More" are left out while they have their first value
/// (Control::later). beside: names only the controls whose values differ from these.
[[nodiscard]] std::string settings_words(const lessons::Lesson& lesson, const lessons::Values& values,
                                         const lessons::Values* beside = nullptr);

}  // namespace warpbook::app
