#include "gpu/orders.h"

#include <algorithm>
#include <utility>

namespace warpbook::gpu {
namespace {

bool same_line(const Place& a, const Place& b) { return a.line == b.line && a.column == b.column && a.file == b.file; }

/// One of two accesses may be shown first in one order and second in another.
bool same_finding(const Finding& a, const Finding& b) {
  if (a.kind != b.kind || a.space != b.space || a.buffer != b.buffer || a.other.has_value() != b.other.has_value()) return false;
  if (!a.other) return same_line(a.at, b.at);
  return (same_line(a.at, b.at) && same_line(*a.other, *b.other)) || (same_line(a.at, *b.other) && same_line(*a.other, b.at));
}

/// What several orders say of a kind.
Observation both(Observation a, Observation b) {
  if (a == Observation::observed || b == Observation::observed) return Observation::observed;
  if (a == Observation::incomplete || b == Observation::incomplete) return Observation::incomplete;
  return std::max(a, b);  // none found rather than not observed
}

}  // namespace

Result<KeptVariables> KeptVariables::of(Device& device, ProgramPtr program) {
  KeptVariables kept;
  kept.program_ = std::move(program);
  for (const Variable& variable : kept.program_->variables) {
    std::vector<std::byte>& bytes = kept.bytes_.emplace_back(variable.array.bytes());
    if (auto read = device.read_variable(kept.program_, variable, bytes); !read) return failure(read.error());
  }
  return kept;
}

Result<void> KeptVariables::put_back(Device& device) const {
  for (std::size_t i = 0; i < bytes_.size(); ++i) {
    const Variable& variable = program_->variables[i];
    std::vector<std::byte> now(bytes_[i].size());
    if (auto read = device.read_variable(program_, variable, now); !read) return read;
    if (now == bytes_[i]) continue;
    if (auto written = device.write_variable(program_, variable, bytes_[i]); !written) return written;
  }
  return {};
}

void JoinedOrders::add(LaunchReport report) {
  if (count_++ == 0) {
    joined_ = std::move(report);
    return;
  }
  joined_.orders = count_;
  joined_.run_ms += report.run_ms;
  for (Finding& finding : report.findings) {
    const auto known = std::ranges::find_if(joined_.findings, [&](const Finding& other) { return same_finding(other, finding); });
    if (known != joined_.findings.end())
      ++known->orders;
    else
      joined_.findings.push_back(std::move(finding));
  }
  joined_.findings_left_out = std::max(joined_.findings_left_out, report.findings_left_out);
  for (std::string& remark : report.remarks)
    if (std::ranges::find(joined_.remarks, remark) == joined_.remarks.end()) joined_.remarks.push_back(std::move(remark));
  for (std::size_t kind = 0; kind < finding_kinds; ++kind)
    joined_.observed.of[kind] = both(joined_.observed.of[kind], report.observed.of[kind]);
  if (report.ok()) return;
  joined_.status = std::move(report.status);
  joined_.message = std::move(report.message);
  joined_.stopped = std::move(report.stopped);
}

}  // namespace warpbook::gpu
