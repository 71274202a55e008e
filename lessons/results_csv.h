// ResultsCsv: what a run answered, as a table for a spreadsheet or a script: its controls, every number, and the arrays it shows.
//
//     write("07.csv", results_csv(*lesson, values, outcome));
//     write("07.csv", results_csv(*lesson, values, outcome, earlier));     // the session's runs before it, without their arrays
//     copy(figure_table(outcome.figures[0]));                              // one view's data, to be pasted into a spreadsheet
//
// RFC 4180, in the long form: run,kind,name,index,value,unit,label. `kind` is control, result or array; runs count from 1, the last
// one is `outcome`. An array that is too long for a table has one row that says so. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lessons/lesson.h"

namespace warpbook::lessons {

/// A field of RFC 4180: in quotes where it must be.
[[nodiscard]] std::string csv_field(std::string_view text);

/// A run that is over, as far as a table wants it.
struct PastRun {
  Values values;
  std::vector<Number> numbers;
};

/// What one figure shows, as the table's rows of arrays, for the clipboard: columns between tabs, name, index, value, unit, label.
[[nodiscard]] std::string figure_table(const Figure& figure);
/// A memory map has none: it shows addresses of single requests.
[[nodiscard]] bool has_table(const Figure& figure);

[[nodiscard]] std::string results_csv(const Lesson& lesson, const Values& values, const Outcome& outcome,
                                      std::span<const PastRun> earlier = {});

}  // namespace warpbook::lessons
