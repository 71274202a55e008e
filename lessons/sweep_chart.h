// SweepChart: one number of a sweep as a function of its axes, as plain data for a view. lessons/sweep.h makes it.
#pragma once

#include <string>
#include <vector>

namespace warpbook::lessons {

/// A control with its values, ascending and without duplicates.
struct SweepAxis {
  std::string control, label;
  bool logarithmic = false;
  bool named = false;  // toggle, choice or seed: the values are names, so that distances mean nothing
  std::vector<double> values;
  std::vector<std::string> texts;  // of the values, as --set accepts them: "64", "on", "shared"
  std::vector<std::string> words;  // … as a reader sees them: "64", "On", "Shared"
};

/// One number as a function of the axes, for a view.
struct SweepChart {
  std::string result, label, unit;
  int decimals = 0;
  std::vector<SweepAxis> axes;
  struct Cell {
    enum class State { waiting, failed, absent, there } state = State::waiting;  // absent: the run succeeded but has no such number
    double value = 0;
    std::string problem;  // CUDA's error name
  };
  std::vector<Cell> cells;     // the first axis fastest
  double least = 0, most = 0;  // range of the values that are there
  std::string lesson;          // "Lesson 07, Histogram"
  std::string device;
  std::string others;  // controls that were not swept: "blocks 128, bins 10"
};

}  // namespace warpbook::lessons
