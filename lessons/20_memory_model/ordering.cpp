#include "lessons/20_memory_model/ordering.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "gpu/text.h"
#include "lessons/20_memory_model/happens_before.h"

namespace warpbook::lessons {
namespace {

using Kind = MemoryEvent::Kind;
using Scope = MemoryEvent::Scope;
using What = Ordering::What;

bool is_access(const MemoryEvent& event, Kind kind, gpu::BufferId buffer) { return event.kind == kind && event.buffer == buffer; }

/// The block whose thread loaded the most partial sums.
std::optional<std::uint32_t> adder_of(std::span<const MemoryEvent> events, gpu::BufferId partial) {
  std::map<std::uint32_t, std::size_t> loads;
  for (const MemoryEvent& event : events) {
    if (is_access(event, Kind::load, partial)) ++loads[event.block];
  }
  const auto most = std::ranges::max_element(loads, {}, [](const auto& entry) { return entry.second; });
  if (most == loads.end()) return {};
  return most->first;
}

/// The synchronisation between the store and the load.
struct Way {
  std::size_t store = 0, load = 0;
  std::optional<std::size_t> signal, seen;           // the two atomics on the counter
  std::optional<std::size_t> release, acquire;       // the adjacent fences
  std::optional<std::size_t> barrier, barrier_seen;  // without tickets: barriers after the store and before the load
};

bool better_fence(std::span<const MemoryEvent> events, const std::optional<std::size_t>& so_far, std::size_t another) {
  return !so_far || (events[*so_far].scope == Scope::block && events[another].scope == Scope::device);
}

Way way_of(std::span<const MemoryEvent> events, const SharedArrays& arrays, const Promises::Pair& pair) {
  Way way{.store = pair.store, .load = pair.load};
  const std::uint32_t writer = events[pair.store].block, reader = events[pair.load].block;
  for (std::size_t i = pair.store + 1; i < events.size() && !way.signal; ++i) {
    if (events[i].block != writer) continue;
    if (is_access(events[i], Kind::atomic, arrays.count)) way.signal = i;
    if (events[i].kind == Kind::fence && events[i].releases && better_fence(events, way.release, i)) way.release = i;
    if (events[i].kind == Kind::barrier && !way.barrier) way.barrier = i;
  }
  for (std::size_t i = pair.load; i-- > 0 && !way.seen;) {
    if (events[i].block != reader) continue;
    if (is_access(events[i], Kind::atomic, arrays.count)) way.seen = i;
    if (events[i].kind == Kind::fence && events[i].acquires && better_fence(events, way.acquire, i)) way.acquire = i;
    if (events[i].kind == Kind::barrier && !way.barrier_seen) way.barrier_seen = i;
  }
  if (!way.signal || !way.seen) {
    way.signal = way.seen = way.release = way.acquire = {};
  } else {
    way.barrier = way.barrier_seen = {};
  }
  return way;
}

std::string scope_words(Scope scope) { return scope == Scope::block ? "for the block" : "for the device"; }

Ordering::Event described(const MemoryEvent& event, std::size_t column, const SharedArrays& arrays) {
  Ordering::Event one{.column = column, .words = "", .strength = "", .line = event.line, .cycle = event.cycle};
  const std::string how = event.is_volatile ? "volatile" : "plain";
  switch (event.kind) {
    case Kind::store:
      one.what = What::store;
      one.words = fmt::format("partial[{}] = {}", event.index, with_commas(event.value));
      one.strength = how + " store";
      break;
    case Kind::load:
      one.what = What::load;
      one.words = fmt::format("partial[{}] is {}", event.index, with_commas(event.value));
      one.strength = how + " load";
      break;
    case Kind::atomic:
      one.what = What::atomic;
      one.words = event.buffer == arrays.count ? fmt::format("count: {} → {}", event.value, event.value + 1) : "atomic";
      one.strength =
          fmt::format("atomic {}{}", scope_words(event.scope), event.acquires && event.releases ? ", releases and acquires" : "");
      break;
    case Kind::fence:
      one.what = What::fence;
      one.words = event.scope == Scope::block ? "__threadfence_block()" : "__threadfence()";
      one.strength = "fence " + scope_words(event.scope);
      break;
    case Kind::barrier:
      one.what = What::barrier;
      one.words = "__syncthreads()";
      one.strength = "barrier of the block";
      break;
  }
  return one;
}

/// The chain if both sides use `count`.
class Arrows {
 public:
  Arrows(std::span<const MemoryEvent> events, const Way& way) : events_(events), way_(way) {}

  struct Arrow {
    std::size_t from, to;  // indices of the launch's events
    bool promised;
    std::string sentence;
  };
  [[nodiscard]] std::vector<Arrow> all() && {
    if (!way_.signal) {
      across_barriers();
    } else {
      to_the_ticket();
      between_tickets();
      from_the_ticket();
    }
    return std::move(arrows_);
  }

 private:
  [[nodiscard]] std::uint32_t line(std::size_t event) const { return events_[event].line; }
  [[nodiscard]] std::uint32_t writer() const { return events_[way_.store].block; }
  [[nodiscard]] std::uint32_t reader() const { return events_[way_.load].block; }
  void promise(std::size_t from, std::size_t to, std::string sentence) { arrows_.push_back({from, to, true, std::move(sentence)}); }
  void miss(std::size_t from, std::size_t to, std::string sentence) { arrows_.push_back({from, to, false, std::move(sentence)}); }

  void to_the_ticket() {
    const std::size_t signal = *way_.signal;
    if (events_[signal].releases)
      return promise(way_.store, signal, "The ticket releases: what its thread did before it comes before it.");
    if (!way_.release)
      return miss(
          way_.store, signal,
          fmt::format("An atomic orders its own place only, so the store of line {} may reach memory after the ticket of line "
                      "{}. A __threadfence() between the two promises their order.",
                      line(way_.store), line(signal)));
    promise(way_.store, *way_.release, "A fence stands behind the store.");
    if (events_[*way_.release].scope == Scope::device)
      return promise(*way_.release, signal, "The fence before the ticket releases: the store comes before the ticket.");
    miss(*way_.release, signal,
         fmt::format("The fence of line {} counts for the threads of block {} only. A __threadfence() in its place counts for all "
                     "blocks.",
                     line(*way_.release), writer()));
  }

  void between_tickets() {
    const std::size_t signal = *way_.signal, seen = *way_.seen;
    if (events_[signal].scope == Scope::device && events_[seen].scope == Scope::device)
      return promise(signal, seen,
                     fmt::format("Two atomics on one place come one after the other: block {} took ticket {}, block {} ticket {}.",
                                 writer(), events_[signal].value, reader(), events_[seen].value));
    miss(signal, seen,
         fmt::format(
             "The scope of the tickets of line {} is the block: they are atomic, and order something, for the threads of one "
             "block only. cuda::thread_scope_device in its place counts for all blocks.",
             line(seen)));
  }

  void from_the_ticket() {
    const std::size_t seen = *way_.seen;
    if (events_[seen].acquires)
      return promise(seen, way_.load, "The ticket acquires: what its thread does behind it comes after it.");
    if (!way_.acquire)
      return miss(
          seen, way_.load,
          fmt::format("An atomic orders its own place only, so the load of line {} may be made before the ticket of line {}. A "
                      "__threadfence() between the two promises their order.",
                      line(way_.load), line(seen)));
    if (events_[*way_.acquire].scope == Scope::device)
      promise(seen, *way_.acquire, "The fence behind the ticket acquires: the load comes after the ticket.");
    else
      miss(
          seen, *way_.acquire,
          fmt::format("The fence of line {} counts for the threads of block {} only. A __threadfence() in its place counts for all "
                      "blocks.",
                      line(*way_.acquire), reader()));
    promise(*way_.acquire, way_.load, "The load stands behind the fence.");
  }

  void across_barriers() {
    std::size_t from = way_.store, to = way_.load;
    if (way_.barrier) {
      promise(from, *way_.barrier, "The store stands before the barrier.");
      from = *way_.barrier;
    }
    if (way_.barrier_seen) to = *way_.barrier_seen;
    miss(from, to,
         fmt::format("__syncthreads() waits for the threads of one block. Nothing makes block {} wait for block {}. Let the last "
                     "block to finish add the sums, or launch a second kernel for that.",
                     reader(), writer()));
    if (way_.barrier_seen) promise(to, way_.load, "The load stands behind the barrier.");
  }

  std::span<const MemoryEvent> events_;
  const Way& way_;
  std::vector<Arrow> arrows_;
};

/// The pair to show.
const Promises::Pair& shown_pair(std::span<const MemoryEvent> events, const SharedArrays& arrays, const Promises& promises) {
  const auto not_seen = std::ranges::find_if(
      promises.others, [&](const Promises::Pair& pair) { return events[pair.load].value != events[pair.store].value; });
  if (not_seen != promises.others.end()) return *not_seen;
  std::map<std::uint32_t, std::int32_t> tickets;  // by block
  for (const MemoryEvent& event : events) {
    if (is_access(event, Kind::atomic, arrays.count)) tickets.try_emplace(event.block, event.value);
  }
  return *std::ranges::max_element(promises.others, {}, [&](const Promises::Pair& pair) {
    const auto ticket = tickets.find(events[pair.store].block);
    return ticket == tickets.end() ? -1 : ticket->second;
  });
}

}  // namespace

Promises promises_of(std::span<const MemoryEvent> events, gpu::BufferId partial) {
  Promises promises;
  promises.adder = adder_of(events, partial);
  if (!promises.adder) return promises;
  const HappensBefore order(events);
  std::map<std::int32_t, std::size_t> loads;  // by element
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].block == *promises.adder && is_access(events[i], Kind::load, partial)) loads[events[i].index] = i;
  }
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (!is_access(events[i], Kind::store, partial)) continue;
    const auto load = loads.find(events[i].index);
    if (load == loads.end()) continue;
    const bool promised = order.before(i, load->second);
    if (promised) promises.least += events[i].value;
    if (events[i].block != *promises.adder) promises.others.push_back({i, load->second, promised});
  }
  return promises;
}

Ordering ordering_of(std::span<const MemoryEvent> events, const SharedArrays& arrays, const Promises& promises) {
  Ordering figure;
  if (!promises.adder || promises.others.empty()) return figure;
  const Promises::Pair& pair = shown_pair(events, arrays, promises);
  const Way way = way_of(events, arrays, pair);
  const std::uint32_t writer = events[pair.store].block, reader = *promises.adder;
  figure.columns = {{.block = writer, .role = "stores its sum"}, {.block = reader, .role = "adds the sums of all blocks"}};

  std::vector<std::size_t> shown = {way.store, way.load};
  for (const auto& one : {way.signal, way.seen, way.release, way.acquire, way.barrier, way.barrier_seen}) {
    if (one) shown.push_back(*one);
  }
  std::ranges::sort(shown);
  for (const std::size_t event : shown)
    figure.events.push_back(described(events[event], events[event].block == writer ? 0 : 1, arrays));
  const auto row = [&](std::size_t event) { return static_cast<std::size_t>(std::ranges::find(shown, event) - shown.begin()); };
  for (Arrows::Arrow& arrow : Arrows(events, way).all())
    figure.arrows.push_back({row(arrow.from), row(arrow.to), arrow.promised, std::move(arrow.sentence)});

  const MemoryEvent& store = events[pair.store];
  if (!pair.promised) figure.may_see.push_back("0");
  figure.may_see.push_back(with_commas(store.value));
  figure.saw = with_commas(events[pair.load].value);
  figure.title = pair.promised ? fmt::format("Block {} must see the sum of block {}", reader, writer)
                               : fmt::format("Nothing promises that block {} sees the sum of block {}", reader, writer);
  return figure;
}

}  // namespace warpbook::lessons
