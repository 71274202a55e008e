// Reference run: a run that the learner keeps, compared with the run that is shown: settings, numbers, findings, and the views of
// both.
//
//     if (can_set_reference(state) && link(…, "Compare", …)) set_reference(session);
//     pen.y += draw_reference(state, {pen.x, pen.y}, pen.width);             // the table
//     for (const ReferenceView& v : views_of(state, "host_timeline")) …      // the same view of both runs, on one scale
//
// Each lesson has its own. It is not saved: it lives as long as the program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/session/session.h"
#include "app/ui/hit_area.h"

namespace warpbook::app {

struct ReferenceComparison {
  struct Row {
    std::string label, reference, now;
    std::string change = {};  // "+128", "−0.5"; empty: equal, or not a matter of more or less
    bool differs = true;
  };
  std::vector<Row> settings;  // only those that differ, also the kernel's text and the device
  std::vector<Row> numbers;   // those that the page shows; if it shows none, all that differ
  std::vector<Row> findings;  // the kinds that at least one of the two has
};
[[nodiscard]] ReferenceComparison compare_with_reference(const Snapshot& reference, const Snapshot& now);

/// A view of one of the two runs.
struct ReferenceView {
  const lessons::Figure* figure = nullptr;  // valid until LessonState::reference or ::shown changes
  const Snapshot* run = nullptr;
  bool reference = false;
};
/// The views that are to be drawn, as Reference::show says, the reference run's first. Empty: there is no reference run, or it is
/// the run that is shown.
[[nodiscard]] std::vector<ReferenceView> views_of(LessonState& state, const std::string& view);

/// A run is shown, and there is no reference run yet.
[[nodiscard]] bool can_set_reference(const LessonState& state);
/// Keeps the run that is shown, and scrolls to the table.
void set_reference(Session& session);
/// The height that the table took; 0: there is no reference run.
float draw_reference(LessonState& state, ImVec2 at, float width);

}  // namespace warpbook::app
