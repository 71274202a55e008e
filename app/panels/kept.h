// Kept: a run that the learner keeps, beside the runs that come after it: settings, numbers and findings, and what of them differs.
//
//     const BesideKept b = beside(*state.kept->run, *state.shown);           // pure
//     for (const BesideKept::Row& row : b.numbers) draw(row.label, row.kept, row.now, row.change);
//
//     if (can_keep(state) && link(…, "Compare", …)) keep(session);
//     pen.y += draw_kept(state, {pen.x, pen.y}, pen.width);                  // the table; 0 where nothing is kept
//     for (const KeptView& v : views_of(state, "host_timeline")) draw(v);    // the same view of both runs, on one scale
//
// A kept run lives as long as the program. It is the lesson's: another lesson has its own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/session/session.h"
#include "app/ui/hit_area.h"

namespace warpbook::app {

struct BesideKept {
  struct Row {
    std::string label, kept, now;
    std::string change = {};  // "+128", "−0.5"; empty: the same, or no matter of more or less
    bool differs = true;
  };
  std::vector<Row> settings;  // only those that differ; the kernel's text and the device among them
  std::vector<Row> numbers;   // what the page shows; of a page without any, all that differ
  std::vector<Row> findings;  // a kind each that one of the two has
};
[[nodiscard]] BesideKept beside(const Snapshot& kept, const Snapshot& now);

/// A view of one of the two runs.
struct KeptView {
  const lessons::Figure* figure = nullptr;  // lives as long as LessonState::kept and ::shown stay what they are
  const Snapshot* run = nullptr;
  bool kept = false;
};
/// The runs whose view is to be drawn, as Kept::show says: the kept one first. Empty where nothing is kept, or the two are one.
[[nodiscard]] std::vector<KeptView> views_of(LessonState& state, const std::string& view);

/// Whether there is a run to keep, and none is kept.
[[nodiscard]] bool can_keep(const LessonState& state);
/// Keeps the run that is shown, and brings the table into sight.
void keep(Session& session);
/// The height it took.
float draw_kept(LessonState& state, ImVec2 at, float width);

}  // namespace warpbook::app
