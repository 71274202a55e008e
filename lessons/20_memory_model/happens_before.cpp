#include "lessons/20_memory_model/happens_before.h"

#include <algorithm>
#include <map>
#include <utility>

namespace warpbook::lessons {
namespace {

using Clock = std::vector<std::uint32_t>;
using Kind = MemoryEvent::Kind;
using Scope = MemoryEvent::Scope;

void join(Clock& into, const Clock& from) {
  for (std::size_t i = 0; i < into.size(); ++i) into[i] = std::max(into[i], from[i]);
}

struct Thread {
  Clock known;    // events that happen before its next one
  Clock fenced;   // events before its last fence for the whole device
  Clock pending;  // events that its atomics have observed, before a fence
};

}  // namespace

HappensBefore::HappensBefore(std::span<const MemoryEvent> events) {
  std::map<std::uint32_t, std::size_t> numbers;
  for (const MemoryEvent& event : events) numbers.try_emplace(event.block, numbers.size());
  const Clock nothing(numbers.size(), 0);
  std::vector<Thread> threads(numbers.size(), {nothing, nothing, nothing});
  // By place: what was released there. Each thread is alone in its block here, so only patterns with device scope order anything.
  std::map<std::pair<gpu::BufferId, std::int32_t>, Clock> released;
  for (const MemoryEvent& event : events) {
    const std::size_t t = numbers[event.block];
    Thread& mine = threads[t];
    ++mine.known[t];
    if (event.kind == Kind::fence && event.scope == Scope::device) {
      if (event.acquires) join(mine.known, mine.pending);
      if (event.releases) mine.fenced = mine.known;
    }
    if (event.kind == Kind::atomic && event.scope == Scope::device) {
      Clock& there = released.try_emplace({event.buffer, event.index}, nothing).first->second;
      join(event.acquires ? mine.known : mine.pending, there);
      join(there, event.releases ? mine.known : mine.fenced);
    }
    thread_.push_back(t);
    number_.push_back(mine.known[t]);
    known_.push_back(mine.known);
  }
}

}  // namespace warpbook::lessons
