// SweepChart: one number of a sweep over its axes, as plain data for a view. lessons/sweep.h makes it.
#pragma once

#include <string>
#include <vector>

namespace warpbook::lessons {

/// A control and the values it takes, ascending, each once.
struct SweepAxis {
  std::string control, label;
  bool logarithmic = false;
  bool named = false;  // toggle, choice or seed: its values are names without distance
  std::vector<double> values;
  std::vector<std::string> texts;  // of the values, as --set takes them: "64", "on", "shared"
  std::vector<std::string> words;  // … as a reader sees them: "64", "On", "Shared"
};

/// One number over the axes, as a view draws it.
struct SweepChart {
  std::string result, label, unit;
  int decimals = 0;
  std::vector<SweepAxis> axes;
  struct Cell {
    enum class State { waiting, failed, absent, there } state = State::waiting;  // absent: ran, but has no such number
    double value = 0;
    std::string problem;  // CUDA's name
  };
  std::vector<Cell> cells;     // the first axis fastest
  double least = 0, most = 0;  // of those that are there
  std::string lesson;          // "Lesson 07, Histogram"
  std::string device;
  std::string others;  // controls that were not swept: "blocks 128, bins 10"
};

}  // namespace warpbook::lessons
