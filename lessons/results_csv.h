// ResultsCsv: a run's results as a table for spreadsheets and scripts: its controls, every number, and its arrays.
//
//     write("07.csv", results_csv(*lesson, values, outcome));
//     write("07.csv", results_csv(*lesson, values, outcome, earlier));     // also earlier runs, without their arrays
//     copy(figure_table(outcome.figures[0]));                              // the data of one view, for the clipboard
//
// The format is RFC 4180 in long form: run,kind,name,index,value,unit,label. `kind` is control, result or array. Runs count from 1;
// `outcome` is the last one. An array that is too long for a table becomes one row that says so. No side effects.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lessons/lesson.h"

namespace warpbook::lessons {

/// A field of RFC 4180, in quotes if necessary.
[[nodiscard]] std::string csv_field(std::string_view text);

/// An earlier run, with what a table needs.
struct PastRun {
  Values values;
  std::vector<Number> numbers;
};

/// The data of one figure for the clipboard: tab-separated columns name, index, value, unit, label.
[[nodiscard]] std::string figure_table(const Figure& figure);
/// A memory map has no table, because it shows the addresses of single requests.
[[nodiscard]] bool has_table(const Figure& figure);

[[nodiscard]] std::string results_csv(const Lesson& lesson, const Values& values, const Outcome& outcome,
                                      std::span<const PastRun> earlier = {});

}  // namespace warpbook::lessons
