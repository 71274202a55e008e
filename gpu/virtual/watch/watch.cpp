#include "gpu/virtual/watch/watch.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "gpu/virtual/ptx/opcodes.h"
#include "gpu/virtual/watch/asynchronous_detector.h"
#include "gpu/virtual/watch/banks.h"
#include "gpu/virtual/watch/barriers.h"
#include "gpu/virtual/watch/bounds.h"
#include "gpu/virtual/watch/coalescing.h"
#include "gpu/virtual/watch/divergence.h"
#include "gpu/virtual/watch/event_replay.h"
#include "gpu/virtual/watch/history.h"
#include "gpu/virtual/watch/lines.h"
#include "gpu/virtual/watch/races.h"
#include "gpu/virtual/watch/trace.h"
#include "gpu/virtual/watch/uninitialised.h"

namespace warpbook::gpu::watch {
namespace {

bool reads_textures(const ptx::Module& module) {
  return std::ranges::any_of(module.functions, [](const ptx::Function& function) {
    return std::ranges::any_of(function.code, [](const ptx::Instruction& i) { return ptx::has(i.op, ptx::trait::texture); });
  });
}

/// The events that a detector overrides; it gets no others.
struct Events {
  bool access = false;                   // all of them
  bool refused = false, atomic = false;  // those only
  bool branch = false, issue = false, change = false, misuse = false;
  bool asynchronous = false;  // on a thread of its own: accesses and synchronisations
  bool every_block = false;   // it needs every block, even one that does what an earlier one did (event_replay.h)
};

template <class T>
std::unique_ptr<Detector> make(const LaunchContext& context, Findings& findings) {
  return std::make_unique<T>(context, findings);
}

struct Row {
  FindingKind kind;
  Events events;
  std::unique_ptr<Detector> (*create)(const LaunchContext&, Findings&);
};

#define WARPBOOK_EVENTS(...) \
  Events { __VA_ARGS__ }
constexpr std::array<Row, finding_kinds> table{{
#define WARPBOOK_FINDING(id, group, title, title_of_many, short_title, glyph, place, term, meaning, detector, events) \
  {FindingKind::id, WARPBOOK_EVENTS events, make<detector>},
#include "gpu/findings.def"
#undef WARPBOOK_FINDING
}};
#undef WARPBOOK_EVENTS

}  // namespace

/// Owns the detectors that were asked for and passes each event on to those that hear it.
struct Watch::Impl : vm::Observer {
  Impl(const Observe& what, const Limits& limits) : observe(what), near(limits.max_findings), far(limits.max_findings) {
    for (const Row& row : table) {
      if (!observe[row.kind]) continue;
      row.events.asynchronous ? add_asynchronous(row.create(far.context, far.findings))
                              : add(row.create(near.context, near.findings), row.events);
      if (row.kind == FindingKind::race) static_cast<Races&>(*far_detector).remember_with(limits.max_race_bytes);
      if (row.kind == FindingKind::init) init = static_cast<Uninitialised*>(detectors.back().get());
      every_block |= row.events.every_block;
    }
    if (observe.trace_shared || !observe.trace.empty()) {
      auto owned = std::make_unique<Trace>(near.context, near.findings, observe.trace, observe.trace_shared, observe.trace_limit);
      trace = owned.get();
      add(std::move(owned), {.access = true});
    }
    if (observe.history) {
      auto owned = std::make_unique<Recorder>(near.context, near.findings, observe.history);
      recorder = owned.get();
      add(std::move(owned), {.issue = true, .change = true});
    }
    if (observe.any()) {
      auto owned = std::make_unique<Lines>(near.context, near.findings);
      lines = owned.get();
      add(std::move(owned), {.atomic = true, .issue = true});
    }
  }

  void add_asynchronous(std::unique_ptr<Detector> detector) {
    asynchronous = std::make_unique<AsynchronousDetector>(*detector, far.findings);
    far_detector = std::move(detector);
  }

  void add(std::unique_ptr<Detector> detector, const Events& events) {
    if (events.access) on_access_.push_back(detector.get());
    if (events.refused) on_refused_.push_back(detector.get());
    if (events.atomic) on_atomic_.push_back(detector.get());
    if (events.branch) on_branch_.push_back(detector.get());
    if (events.issue) on_issue_.push_back(detector.get());
    if (events.change) on_change_.push_back(detector.get());
    if (events.misuse) on_misuse_.push_back(detector.get());
    detectors.push_back(std::move(detector));
  }

  void on_launch(const vm::LaunchInfo& launch) override {
    // What a block copies asynchronously goes on behind its barriers, where one of these steps ends.
    const bool copies = launch.module && ptx::copies_asynchronously(*launch.module);
    if (launch.shared_bytes && !every_block && !observe.trace_shared && !recorder && !copies)
      event_replay = std::make_unique<EventReplay>(asynchronous.get(), init, near.findings);
    textures = launch.module && reads_textures(*launch.module);
    near.context.begin(launch);
    for (const auto& detector : detectors) detector->on_launch(launch);
    if (!asynchronous) return;
    lost_copies = launch.module && ptx::lost_copies(*launch.module);
    far.context.begin(launch);
    far_detector->on_launch(launch);
  }
  void on_access(const vm::Access& access) override {
    if (event_replay) event_replay->on_access(access);
    ++near.findings.moment;
    const bool first_atomic = access.only_atomics && !std::exchange(atomics_seen, true);  // that there are some has to be known
    if (asynchronous && (first_atomic || Races::needs(access))) asynchronous->on_access(access, near.findings.moment);
    if (access.bad)
      for (Detector* detector : on_refused_) detector->on_access(access);
    for (Detector* detector : on_access_) detector->on_access(access);
    if (access.kind == vm::Access::Kind::atomic)
      for (Detector* detector : on_atomic_) detector->on_access(access);
  }
  void on_synchronise(const vm::Synchronisation& event) override {
    if (event_replay) event_replay->on_synchronise(event);
    if (!asynchronous) return;
    ++near.findings.moment;
    // Two barriers of a block order no more than one, where nothing was told in between.
    const bool whole = event.kind == vm::Synchronisation::Kind::block && event.copy == ptx::Copy::none;
    if (whole && asynchronous->told() == told_at_barrier && barrier_block == event.warp.block) return;
    asynchronous->on_synchronise(event, near.findings.moment);
    if (!whole) return;
    told_at_barrier = asynchronous->told();
    barrier_block = event.warp.block;
  }
  void on_branch(const vm::Branch& branch) override {
    for (Detector* detector : on_branch_) detector->on_branch(branch);
  }
  void on_issue(const vm::Issue& issue) override {
    for (Detector* detector : on_issue_) detector->on_issue(issue);
  }
  vm::Executions* executions_of(const ptx::Function& function) override { return lines->executions_of(function); }
  bool wants_branches() const override { return !on_branch_.empty(); }
  vm::SharedLoads wants_shared_loads(std::uint32_t block) override {
    vm::SharedLoads wanted{.any = false};
    for (Detector* detector : on_access_) {
      const vm::SharedLoads its = detector->wants_shared_loads(block);
      if (!its.any) continue;
      if (wanted.any || !its.known) return {};
      wanted = its;
    }
    if (event_replay) event_replay->after_barrier(block, wanted);
    return wanted;
  }
  vm::Replay* replay_of(std::uint32_t block) override { return event_replay ? event_replay->replay_of(block) : nullptr; }
  bool wants_loads(const vm::Allocation& allocation) const override {
    const auto wants = [&](const Detector* detector) { return detector->wants_loads(allocation); };
    return (far_detector && wants(far_detector.get())) || std::ranges::any_of(on_access_, wants);
  }
  bool wants_loaded_values() const override { return trace != nullptr; }
  void on_change(const vm::Change& change) override {
    for (Detector* detector : on_change_) detector->on_change(change);
  }
  void on_misuse(const vm::Misuse& misuse) override {
    ++near.findings.moment;
    for (Detector* detector : on_misuse_) detector->on_misuse(misuse);
  }
  void on_block_end(std::uint32_t block) override {
    for (const auto& detector : detectors) detector->on_block_end(block);
    if (asynchronous) asynchronous->on_block_end(block);
    if (event_replay) event_replay->on_block_end(block);
  }

  void finish() {
    if (asynchronous) {
      asynchronous->finish();
      far_detector->finish();
    }
    for (const auto& detector : detectors) detector->finish();
    near.findings.settle();
    far.findings.settle();
    near.findings.join(far.findings);
  }

  /// What detectors share that work on one thread; in lines of the cache that no other thread writes.
  struct alignas(64) Group {
    explicit Group(std::size_t max_findings) : findings(max_findings) {}
    LaunchContext context;
    Findings findings;
  };

  Observe observe;
  Group near, far;  // the launch's own thread, and the one aside
  std::vector<std::unique_ptr<Detector>> detectors;
  std::unique_ptr<Detector> far_detector;
  std::unique_ptr<AsynchronousDetector> asynchronous;  // last to be made and first to go: its thread uses the others
  Trace* trace = nullptr;
  Recorder* recorder = nullptr;
  Lines* lines = nullptr;
  Uninitialised* init = nullptr;
  std::uint64_t told_at_barrier =
      ~std::uint64_t{0};            // AsynchronousDetector::told() behind the last barrier of all threads of a block,
  std::uint32_t barrier_block = 0;  // and of which block
  bool every_block = false, atomics_seen = false;
  bool textures = false;                      // what its textures and surfaces access is not to be seen
  bool lost_copies = false;                   // of the kernel's asynchronous copies nothing is to be seen
  std::unique_ptr<EventReplay> event_replay;  // nullptr: all is told of every block
  std::vector<Detector*> on_access_, on_refused_, on_atomic_, on_branch_, on_issue_, on_change_, on_misuse_;
};

Watch::Watch(const Observe& observe, const Limits& limits) : impl_(std::make_unique<Impl>(observe, limits)) {}
Watch::~Watch() = default;

vm::Observer* Watch::observer() { return impl_->observe.any() ? impl_.get() : nullptr; }

void Watch::report_to(LaunchReport& report, bool complete) {
  impl_->finish();
  for (const Row& row : table) {
    const bool watched = impl_->observe[row.kind];
    report.observed[row.kind] = !watched                              ? Observation::not_observed
                                : impl_->near.findings.seen(row.kind) ? Observation::observed
                                : complete                            ? Observation::none_found
                                                                      : Observation::incomplete;
  }
  for (Finding& finding : impl_->near.findings.kept()) report.findings.push_back(std::move(finding));
  report.findings_left_out += impl_->near.findings.left_out();
  if (impl_->trace) impl_->trace->move_to(report);
  if (impl_->recorder) report.history = impl_->recorder->take();
  CountsByLine lines;
  for (const auto& detector : impl_->detectors) detector->add_to(lines);
  if (impl_->far_detector) impl_->far_detector->add_to(report.remarks);
  if (impl_->textures) {
    bool looked = false;
    for (const FindingKind kind : {FindingKind::memory, FindingKind::race, FindingKind::init}) {
      looked |= report.observed[kind] != Observation::not_observed;
      if (report.observed[kind] == Observation::none_found) report.observed[kind] = Observation::not_observed;
    }
    if (looked)
      report.remarks.emplace_back(to_say(
          "Textures and surfaces: what is read and written through them was not looked at. Ordinary loads and stores were."));
  }
  if (impl_->lost_copies) {
    Observation& races = report.observed[FindingKind::race];
    if (races == Observation::none_found) races = Observation::not_observed;
    report.remarks.emplace_back(to_say(
        "Races: this PTX was compiled for a GPU before compute capability 8.0, where asynchronous copies are ordinary loads and "
        "stores, so copies that are not waited for were not looked for. Compile it for compute capability 8.0 or later."));
  }
  lines.erase(0);
  report.lines.clear();
  for (auto& [number, counts] : lines) {
    counts.line = number;
    report.lines.push_back(counts);
  }
}

}  // namespace warpbook::gpu::watch
