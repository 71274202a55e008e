// Comparison: a GPU's answer beside the virtual GPU's, as rows of text. Pure: no drawing.
//
//     Comparison c = compare(*inside.there, *inside.here);
//     say(c.verdict);                              // "Both give the same numbers, and no mistake was found."
//     for (const Comparison::Row& row : c.rows) draw(row.label, row.there, row.here, row.differs);
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/session/session.h"
#include "gpu/report.h"

namespace warpbook::app {

struct Comparison {
  struct Row {
    std::string label, there, here;
    bool differs = false;  // and should not: a time may
    bool there_missing = false, here_missing = false;
  };
  std::vector<Row> rows;          // what the page shows, and whatever differs
  std::size_t same_left_out = 0;  // further numbers that are the same on both

  struct Seen {
    gpu::FindingKind kind = gpu::FindingKind::memory;
    gpu::Observation there = gpu::Observation::not_observed, here = gpu::Observation::not_observed;
    std::string lines = {};  // where, on the virtual GPU: "line 9", "lines 9, 12"
  };
  std::vector<Seen> seen;  // all kinds
  std::string verdict;     // one or two sentences
};

[[nodiscard]] Comparison compare(const Snapshot& there, const Snapshot& here);

/// A number as the page prints it, without its unit: "4096", "12,345", "−0.25".
[[nodiscard]] std::string printed(const lessons::Number& number);

}  // namespace warpbook::app
