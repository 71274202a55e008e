#include "gpu/virtual/watch/watch.h"

#include <array>
#include <memory>
#include <vector>

#include "gpu/virtual/watch/banks.h"
#include "gpu/virtual/watch/barriers.h"
#include "gpu/virtual/watch/bounds.h"
#include "gpu/virtual/watch/coalescing.h"
#include "gpu/virtual/watch/divergence.h"
#include "gpu/virtual/watch/history.h"
#include "gpu/virtual/watch/lines.h"
#include "gpu/virtual/watch/races.h"
#include "gpu/virtual/watch/trace.h"
#include "gpu/virtual/watch/uninitialised.h"

namespace warpbook::gpu::watch {
namespace {

/// The events that a detector overrides; it gets no others.
struct Hears {
  bool access = false;                   // all of them
  bool refused = false, atomic = false;  // those only
  bool synchronise = false, branch = false, issue = false, change = false, misuse = false;
};

template <class T>
std::unique_ptr<Detector> make(const Scene& scene, Findings& findings) {
  return std::make_unique<T>(scene, findings);
}

struct Row {
  FindingKind kind;
  bool Observe::*wanted;
  Hears hears;
  std::unique_ptr<Detector> (*create)(const Scene&, Findings&);
};

// One row a kind, in the order of FindingKind.
constexpr std::array<Row, finding_kinds> table{{
    {FindingKind::memory, &Observe::memory, {.refused = true}, make<Bounds>},
    {FindingKind::race, &Observe::race, {.access = true, .synchronise = true}, make<Races>},
    {FindingKind::init, &Observe::init, {.access = true}, make<Uninitialised>},
    {FindingKind::sync, &Observe::sync, {.misuse = true}, make<Barriers>},
    {FindingKind::coalescing, &Observe::coalescing, {.access = true}, make<Coalescing>},
    {FindingKind::banks, &Observe::banks, {.access = true}, make<Banks>},
    {FindingKind::divergence, &Observe::divergence, {.branch = true}, make<Divergence>},
}};

static_assert([] {
  for (std::size_t i = 0; i < table.size(); ++i)
    if (static_cast<std::size_t>(table[i].kind) != i) return false;
  return true;
}());

}  // namespace

/// Owns the detectors that were asked for and passes each event on to those that hear it.
struct Watch::Impl : vm::Observer {
  Impl(const Observe& what, const Limits& limits) : observe(what), findings(limits.max_findings) {
    for (const Row& row : table)
      if (observe.*row.wanted) add(row.create(scene, findings), row.hears);
    if (observe.trace_shared || !observe.trace.empty()) {
      auto owned = std::make_unique<Trace>(scene, findings, observe.trace, observe.trace_shared, observe.trace_limit);
      trace = owned.get();
      add(std::move(owned), {.access = true});
    }
    if (observe.history) {
      auto owned = std::make_unique<Recorder>(scene, findings, observe.history);
      recorder = owned.get();
      add(std::move(owned), {.issue = true, .change = true});
    }
    if (observe.any()) {
      auto owned = std::make_unique<Lines>(scene, findings);
      lines = owned.get();
      add(std::move(owned), {.atomic = true, .issue = true});
    }
  }

  void add(std::unique_ptr<Detector> detector, const Hears& hears) {
    if (hears.access) on_access_.push_back(detector.get());
    if (hears.refused) on_refused_.push_back(detector.get());
    if (hears.atomic) on_atomic_.push_back(detector.get());
    if (hears.synchronise) on_synchronise_.push_back(detector.get());
    if (hears.branch) on_branch_.push_back(detector.get());
    if (hears.issue) on_issue_.push_back(detector.get());
    if (hears.change) on_change_.push_back(detector.get());
    if (hears.misuse) on_misuse_.push_back(detector.get());
    detectors.push_back(std::move(detector));
  }

  void on_launch(const vm::LaunchInfo& launch) override {
    scene.begin(launch);
    for (const auto& detector : detectors) detector->on_launch(launch);
  }
  void on_access(const vm::Access& access) override {
    if (access.bad)
      for (Detector* detector : on_refused_) detector->on_access(access);
    for (Detector* detector : on_access_) detector->on_access(access);
    if (access.kind == vm::Access::Kind::atomic)
      for (Detector* detector : on_atomic_) detector->on_access(access);
  }
  void on_synchronise(const vm::Synchronisation& event) override {
    for (Detector* detector : on_synchronise_) detector->on_synchronise(event);
  }
  void on_branch(const vm::Branch& branch) override {
    for (Detector* detector : on_branch_) detector->on_branch(branch);
  }
  void on_issue(const vm::Issue& issue) override {
    for (Detector* detector : on_issue_) detector->on_issue(issue);
  }
  void on_stretch(const vm::Stretch& stretch) override { lines->on_stretch(stretch); }
  bool wants_branches() const override { return !on_branch_.empty(); }
  bool wants_shared_loads(std::uint32_t block) override {
    bool wanted = false;
    for (Detector* detector : on_access_) wanted |= detector->wants_shared_loads(block);
    return wanted;
  }
  bool wants_loaded_values() const override { return trace != nullptr; }
  void on_change(const vm::Change& change) override {
    for (Detector* detector : on_change_) detector->on_change(change);
  }
  void on_misuse(const vm::Misuse& misuse) override {
    for (Detector* detector : on_misuse_) detector->on_misuse(misuse);
  }
  void on_block_end(std::uint32_t block) override {
    for (const auto& detector : detectors) detector->on_block_end(block);
  }

  Observe observe;
  Scene scene;
  Findings findings;
  std::vector<std::unique_ptr<Detector>> detectors;
  Trace* trace = nullptr;
  Recorder* recorder = nullptr;
  Lines* lines = nullptr;  // hears of stretches, alone: they are many
  std::vector<Detector*> on_access_, on_refused_, on_atomic_, on_synchronise_, on_branch_, on_issue_, on_change_, on_misuse_;
};

Watch::Watch(const Observe& observe, const Limits& limits) : impl_(std::make_unique<Impl>(observe, limits)) {}
Watch::~Watch() = default;

vm::Observer* Watch::observer() { return impl_->observe.any() ? impl_.get() : nullptr; }

void Watch::report_to(LaunchReport& report) {
  for (const auto& detector : impl_->detectors) detector->finish();
  for (const Row& row : table) {
    const bool watched = impl_->observe.*row.wanted;
    report.observed[row.kind] = !watched                         ? Observation::not_observed
                                : impl_->findings.seen(row.kind) ? Observation::observed
                                                                 : Observation::none_found;
  }
  for (Finding& finding : impl_->findings.kept()) report.findings.push_back(std::move(finding));
  report.findings_left_out += impl_->findings.left_out();
  if (impl_->trace) impl_->trace->move_to(report);
  if (impl_->recorder) report.history = impl_->recorder->take();
  CountsByLine lines;
  for (const auto& detector : impl_->detectors) detector->add_to(lines);
  lines.erase(0);
  report.lines.clear();
  for (auto& [number, counts] : lines) {
    counts.line = number;
    report.lines.push_back(counts);
  }
}

}  // namespace warpbook::gpu::watch
