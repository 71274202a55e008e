// Findings: the findings of one launch. Each distinct finding is kept once, with its first occurrence and how often it occurred.
//
//     Findings findings(limits.max_findings);
//     Finding* finding = findings.note({.kind = FindingKind::memory, .line = 10, .space = "global", .buffer = "out"}, 32, [&] {
//       return Finding{…};   // called the first time only; kind, space and buffer are filled in from the key
//     });
//     if (finding) …         // nullptr: left out, the launch already has max_findings others
//
// Two findings are the same when kind, line, other line, space and buffer agree. Pointers stay valid for the object's life.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "gpu/report.h"

namespace warpbook::gpu::watch {

struct FindingKey {
  FindingKind kind = FindingKind::memory;
  std::uint32_t line = 0, other_line = 0;  // PTX lines with the top bit set where the source line is unknown
  std::string space, buffer;

  friend bool operator<(const FindingKey& a, const FindingKey& b) {
    return std::tie(a.kind, a.line, a.other_line, a.space, a.buffer) < std::tie(b.kind, b.line, b.other_line, b.space, b.buffer);
  }
};

class Findings {
 public:
  explicit Findings(std::size_t max_findings) : max_(max_findings) {}

  /// Adds `accesses` to this finding's count. `make` describes it; it is called only the first time.
  template <class Make>
  Finding* note(const FindingKey& key, std::uint64_t accesses, Make make) {
    const auto [entry, fresh] = by_key_.try_emplace(key, nullptr);
    if (fresh) {
      seen_[static_cast<std::size_t>(key.kind)] = true;
      in_shared_ |= key.space == "shared";
      if (kept_.size() < max_) {
        kept_.push_back(make());
        moments_.push_back(moment);
        Finding& finding = kept_.back();
        finding.kind = key.kind;
        finding.space = key.space;
        finding.buffer = key.buffer;
        finding.threads = 0;
        entry->second = &finding;
      } else {
        ++left_out_;
      }
    }
    if (entry->second) entry->second->threads += accesses;
    return entry->second;
  }

  /// The number of the event that the detectors are given now.
  std::uint64_t moment = 0;

  /// Adds the findings of `other`, in the order of their events. Afterwards both may only be read.
  void join(Findings& other) {
    std::deque<Finding> both;
    for (std::size_t a = 0, b = 0; a < kept_.size() || b < other.kept_.size();) {
      const bool mine = b == other.kept_.size() || (a < kept_.size() && std::pair(moments_[a], kept_[a].kind) <=
                                                                            std::pair(other.moments_[b], other.kept_[b].kind));
      both.push_back(std::move(mine ? kept_[a++] : other.kept_[b++]));
    }
    left_out_ += other.left_out_;
    for (; both.size() > max_; both.pop_back()) ++left_out_;
    kept_ = std::move(both);
    for (std::size_t kind = 0; kind < seen_.size(); ++kind) seen_[kind] |= other.seen_[kind];
  }

  /// A closer look has shown that it is none. It stays until all detectors have finished.
  void take_back(const Finding* finding) { taken_back_.insert(finding); }
  /// Removes what was taken back. Pointers to findings are no longer valid.
  void settle() {
    if (taken_back_.empty()) return;
    std::deque<Finding> others;
    std::vector<std::uint64_t> moments;
    for (std::size_t f = 0; f < kept_.size(); ++f) {
      if (taken_back_.contains(&kept_[f])) continue;
      others.push_back(std::move(kept_[f]));
      moments.push_back(moments_[f]);
    }
    kept_ = std::move(others);
    moments_ = std::move(moments);
    by_key_.clear();
    taken_back_.clear();
    if (left_out_ > 0) return;
    seen_.fill(false);
    for (const Finding& finding : kept_) seen_[static_cast<std::size_t>(finding.kind)] = true;
  }

  [[nodiscard]] std::deque<Finding>& kept() { return kept_; }  // in the order of their first occurrence
  [[nodiscard]] std::uint64_t left_out() const { return left_out_; }
  [[nodiscard]] bool seen(FindingKind kind) const { return seen_[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] bool in_shared() const { return in_shared_; }  // at least one finding is in shared memory

 private:
  std::size_t max_;
  std::map<FindingKey, Finding*> by_key_;
  std::deque<Finding> kept_;
  std::vector<std::uint64_t> moments_;  // of those kept
  std::set<const Finding*> taken_back_;
  std::uint64_t left_out_ = 0;
  std::array<bool, finding_kinds> seen_{};
  bool in_shared_ = false;
};

}  // namespace warpbook::gpu::watch
