#include "gpu/merged_reports.h"

#include <algorithm>
#include <utility>

namespace warpbook::gpu {
namespace {

bool same_line(const Place& a, const Place& b) { return a.line == b.line && a.column == b.column && a.file == b.file; }

/// The two accesses of a race may be swapped between reports.
bool same_finding(const Finding& a, const Finding& b) {
  if (a.kind != b.kind || a.space != b.space || a.buffer != b.buffer || a.other.has_value() != b.other.has_value()) return false;
  if (!a.other) return same_line(a.at, b.at);
  return (same_line(a.at, b.at) && same_line(*a.other, *b.other)) || (same_line(a.at, *b.other) && same_line(*a.other, b.at));
}

/// The combined result of two reports for one kind.
Observation both(Observation a, Observation b) {
  if (a == Observation::observed || b == Observation::observed) return Observation::observed;
  if (a == Observation::incomplete || b == Observation::incomplete) return Observation::incomplete;
  return std::max(a, b);  // none_found is greater than not_observed
}

}  // namespace

Result<SavedVariables> SavedVariables::of(Device& device, ProgramPtr program) {
  SavedVariables kept;
  kept.program_ = std::move(program);
  for (const Variable& variable : kept.program_->variables) {
    std::vector<std::byte>& bytes = kept.bytes_.emplace_back(variable.array.bytes());
    if (auto read = device.read_variable(kept.program_, variable, bytes); !read) return failure(read.error());
  }
  return kept;
}

Result<void> SavedVariables::restore(Device& device) const {
  for (std::size_t i = 0; i < bytes_.size(); ++i) {
    const Variable& variable = program_->variables[i];
    std::vector<std::byte> now(bytes_[i].size());
    if (auto read = device.read_variable(program_, variable, now); !read) return read;
    if (now == bytes_[i]) continue;
    if (auto written = device.write_variable(program_, variable, bytes_[i]); !written) return written;
  }
  return {};
}

void MergedReports::add(LaunchReport report) {
  if (count_++ == 0) {
    merged_ = std::move(report);
    return;
  }
  merged_.orders = count_;
  merged_.run_ms += report.run_ms;
  for (Finding& finding : report.findings) {
    const auto known = std::ranges::find_if(merged_.findings, [&](const Finding& other) { return same_finding(other, finding); });
    if (known != merged_.findings.end())
      ++known->orders;
    else
      merged_.findings.push_back(std::move(finding));
  }
  merged_.findings_left_out = std::max(merged_.findings_left_out, report.findings_left_out);
  for (Message& remark : report.remarks)
    if (std::ranges::find(merged_.remarks, remark) == merged_.remarks.end()) merged_.remarks.push_back(std::move(remark));
  for (std::size_t kind = 0; kind < finding_kinds; ++kind)
    merged_.observed.of[kind] = both(merged_.observed.of[kind], report.observed.of[kind]);
  if (report.ok()) return;
  merged_.status = std::move(report.status);
  merged_.message = std::move(report.message);
  merged_.stopped = std::move(report.stopped);
}

}  // namespace warpbook::gpu
