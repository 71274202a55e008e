// ValuesHistory: the values that a lesson's controls had before, so that a change of a control can be undone and redone.
//
//     history.note(before, after, now);                               // the learner changed something
//     if (const auto values = history.undo(now_values)) use(*values); // as it was before the last change
//
// Changes of one control within a second are one step: a slider that is dragged changes many times. Pure: no drawing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lessons/lesson.h"

namespace warpbook::app {

class ValuesHistory {
 public:
  /// `now`: seconds of a clock that only grows.
  void note(const lessons::Values& before, const lessons::Values& after, double now);
  /// The values to go to; empty: there is nothing to undo, or to redo.
  [[nodiscard]] std::optional<lessons::Values> undo(const lessons::Values& current);
  [[nodiscard]] std::optional<lessons::Values> redo(const lessons::Values& current);
  void clear() { *this = {}; }

  /// Where undo and redo lead to; nullptr: nowhere.
  [[nodiscard]] const lessons::Values* earlier() const { return before_.empty() ? nullptr : &before_.back(); }
  [[nodiscard]] const lessons::Values* later() const { return after_.empty() ? nullptr : &after_.back(); }

 private:
  std::vector<lessons::Values> before_, after_;  // the nearest last
  std::string last_changed_;                     // the only control that the newest step changed; empty: several, or none
  double last_at_ = 0;
};

/// The control or text that differs between the two; empty: none, or more than one.
[[nodiscard]] std::string only_change(const lessons::Values& a, const lessons::Values& b);

}  // namespace warpbook::app
