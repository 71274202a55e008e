// Prediction: the questions of a page (::guess, ::mark), what the learner answered, and what runs made of the answers.
//
//     if (asks(session)) …                           // a question is open: nobody has answered it for the controls as they stand
//     give(guess, {.settings = values, .value = 4096});
//     judge(state, lesson, snapshot);                // a run with those settings: what it found is kept with the answer
//     press_run(session, actions);                   // Run: asks for an answer first, once
//
// An answer belongs to the settings that it was given for, and its verdict is the one of a run with them: neither changes when a
// control moves. Then the question is open again, until the learner goes back or does not want to be asked (skipped).
#pragma once

#include <string>

#include "app/session/session.h"
#include "lessons/progress.h"

namespace warpbook::app {

/// Whether what a page asks has the same answer: all controls are alike but those that leave it alone (Control::of_question).
[[nodiscard]] bool same_question(const lessons::Lesson& lesson, const lessons::Values& a, const lessons::Values& b);

/// The answer to the question as it is put now, for the controls as they stand; nullptr: there is none.
[[nodiscard]] const lessons::Answer* answer_now(const Session& session, const std::string& question);
/// The newest answer that was given for other settings; nullptr: there is none.
[[nodiscard]] const lessons::Answer* answer_before(const Session& session, const std::string& question);

/// What a run with the controls as they stand has found; empty: none has, or it does not show it.
[[nodiscard]] std::optional<lessons::Answer::Found> found_now(const Session& session, const lessons::Block& question);

/// Neither answered nor skipped, and no run has told it.
[[nodiscard]] bool is_open(const Session& session, const lessons::Block& question);
/// A question of the open page is.
[[nodiscard]] bool asks(const Session& session);
/// … and the learner is one who answers: a run that nobody pressed waits for the answer.
[[nodiscard]] bool run_waits(const Session& session);
/// A question further down the page is open, so block `i`, a result, is not to be read yet.
[[nodiscard]] bool answers_ahead(const Session& session, std::size_t i);

void give(LessonState::Guess& guess, lessons::Answer answer);
/// Keeps what a run found with the answers that were given for its settings. The first run decides; a live one goes on deciding.
void judge(LessonState& state, const Snapshot& snapshot);
/// An answer was given or skipped: what has waited for it runs.
void go_on(Session& session, Actions& actions);

/// Run, as a learner presses it. Where a question is open it asks for an answer first, once in a lesson; the next time it runs.
void press_run(Session& session, Actions& actions);
/// No answer is wanted: the open questions are not asked any more.
void decline(Session& session);

/// "Threads per block 128, Blocks per grid 32", without what is not needed at first and as it comes (Control::later). beside: only
/// those controls whose values differ from these.
[[nodiscard]] std::string settings_words(const lessons::Lesson& lesson, const lessons::Values& values,
                                         const lessons::Values* beside = nullptr);

}  // namespace warpbook::app
