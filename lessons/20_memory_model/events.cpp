#include "lessons/20_memory_model/events.h"

#include <algorithm>
#include <map>
#include <ranges>
#include <utility>

#include "gpu/history.h"

namespace warpbook::lessons {
namespace {

using Kind = MemoryEvent::Kind;

/// Splits an opcode: "ld.volatile.global.u32".
std::vector<std::string_view> parts_of(std::string_view ptx) {
  if (ptx.starts_with('@')) ptx.remove_prefix(std::min(ptx.find(' ') + 1, ptx.size()));  // skips the guard predicate
  ptx = ptx.substr(0, ptx.find_first_of(" ;\t"));
  std::vector<std::string_view> parts;
  while (!ptx.empty()) {
    const std::size_t end = std::min(ptx.find('.'), ptx.size());
    parts.push_back(ptx.substr(0, end));
    ptx.remove_prefix(std::min(end + 1, ptx.size()));
  }
  return parts;
}

using Records = std::map<std::uint64_t, const gpu::AccessRecord*>;  // accesses of one warp by cycle of issue

/// The accesses of lane 0 in the first warp of each block.
std::map<std::uint32_t, Records> records_by_block(const gpu::LaunchReport& report) {
  std::map<std::uint32_t, Records> by_block;
  for (const gpu::AccessRecord& record : report.trace) {
    if (record.warp == 0 && !record.shared && (record.mask & 1) != 0) by_block[record.block][record.issued] = &record;
  }
  return by_block;
}

void add_events_of(const gpu::History& history, gpu::WarpRef warp, const Records& records, std::vector<MemoryEvent>& events) {
  std::uint64_t last = 0;
  for (const std::uint32_t index : history.steps_of(warp)) {
    const gpu::HistoryStep& step = history.steps()[index];
    MemoryEvent event;
    if ((step.mask & 1) == 0 || !read_instruction(history.text_of(index), event)) continue;
    event.block = warp.block;
    event.line = step.line;
    event.cycle = step.cycle;
    if (event.accesses()) {
      const auto found = records.find(step.cycle);
      if (found == records.end()) continue;  // of an array that is not traced
      event.buffer = found->second->buffer;
      event.index = found->second->index[0];
      event.value = static_cast<std::int32_t>(found->second->value[0]);
      if (event.kind != Kind::store) event.cycle = found->second->reached;
    }
    // Loads may be answered out of order. Events of a thread are kept in program order.
    event.cycle = last = std::max(last, event.cycle);
    events.push_back(event);
  }
}

}  // namespace

bool read_instruction(std::string_view ptx, MemoryEvent& event) {
  const std::vector<std::string_view> parts = parts_of(ptx);
  const auto has = [&](std::string_view part) { return std::ranges::find(parts, part) != parts.end(); };
  if (parts.empty()) return false;
  const std::string_view name = parts.front();
  event.scope = has("cta") ? MemoryEvent::Scope::block : MemoryEvent::Scope::device;
  const bool both = has("acq_rel") || has("sc");
  event.acquires = both || has("acquire");
  event.releases = both || has("release");
  event.is_volatile = has("volatile");
  if (name == "bar" || name == "barrier") {
    event.kind = Kind::barrier;
    event.scope = MemoryEvent::Scope::block;
    return true;
  }
  if (name == "membar" || name == "fence") {
    if (has("proxy")) return false;
    event.kind = Kind::fence;
    // A fence without either qualifier does both.
    event.acquires = both || has("acquire") || !has("release");
    event.releases = both || has("release") || !has("acquire");
    return true;
  }
  // A generic address may be in global memory; the trace shows whether it is.
  if (has("shared") || has("local") || has("param") || has("const")) return false;
  if (name == "ld")
    event.kind = Kind::load;
  else if (name == "st")
    event.kind = Kind::store;
  else if (name == "atom" || name == "red")
    event.kind = Kind::atomic;
  else
    return false;
  return true;
}

std::vector<MemoryEvent> memory_events(const gpu::LaunchReport& report) {
  std::vector<MemoryEvent> events;
  if (!report.history || report.history->dropped() > 0 || report.trace_truncated) return events;
  const auto by_block = records_by_block(report);
  static const Records none;
  for (const gpu::WarpRef& warp : report.history->warps()) {
    if (warp.warp != 0) continue;
    const auto records = by_block.find(warp.block);
    add_events_of(*report.history, warp, records == by_block.end() ? none : records->second, events);
  }
  std::ranges::stable_sort(events, {}, &MemoryEvent::cycle);
  return events;
}

}  // namespace warpbook::lessons
