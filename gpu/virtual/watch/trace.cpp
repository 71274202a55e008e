#include "gpu/virtual/watch/trace.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace warpbook::gpu::watch {

Trace::Trace(const LaunchContext& context, Findings& findings, std::vector<BufferId> buffers, bool shared, std::size_t limit)
    : Detector(context, findings), buffers_(std::move(buffers)), shared_(shared), limit_(limit) {}

AccessRecord* Trace::add(const vm::Access& access) {
  if (records_.size() >= limit_) {
    truncated_ = true;
    return nullptr;
  }
  AccessRecord& record = records_.emplace_back();
  switch (access.kind) {
    case vm::Access::Kind::load:
      record.kind = AccessRecord::Kind::load;
      break;
    case vm::Access::Kind::store:
      record.kind = AccessRecord::Kind::store;
      break;
    case vm::Access::Kind::atomic:
      record.kind = AccessRecord::Kind::atomic;
      break;
  }
  record.line = line_of(access.site);
  record.block = access.warp.block;
  record.warp = access.warp.warp;
  record.bytes = access.bytes;
  record.issued = access.issued;
  record.reached = access.reached;
  record.done = access.done;
  return &record;
}

void Trace::on_access(const vm::Access& access) {
  if (access.mask == 0 || truncated_) return;
  const auto value = [&](unsigned lane) {
    return access.words ? access.words[lane] : access.value ? static_cast<std::uint32_t>(access.value[lane]) : 0u;
  };
  if (access.space == ptx::Space::shared) {
    if (!shared_) return;
    AccessRecord* record = add(access);
    if (!record) return;
    record->shared = true;
    record->mask = access.mask;
    for (std::uint32_t rest = access.mask; rest; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      record->index[lane] = static_cast<std::int32_t>(access.address[lane] / 4);
      record->value[lane] = value(lane);
    }
    return;
  }
  if (access.space != ptx::Space::global || buffers_.empty()) return;
  // One record for each traced buffer that the lanes meet, mostly one.
  std::uint32_t left = access.mask;
  while (left) {
    const Region* region = context_.find_global(access.address[std::countr_zero(left)]);
    std::uint32_t same = left & (0u - left);
    if (region) {
      for (std::uint32_t rest = left; rest; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(rest));
        if (access.address[lane] - region->base < region->bytes) same |= 1u << lane;
      }
    }
    left &= ~same;
    if (!region || region->buffer == 0 || std::find(buffers_.begin(), buffers_.end(), region->buffer) == buffers_.end()) continue;
    AccessRecord* record = add(access);
    if (!record) return;
    record->buffer = region->buffer;
    record->mask = same;
    for (std::uint32_t rest = same; rest; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      record->index[lane] = static_cast<std::int32_t>((access.address[lane] - region->base) / region->element_bytes);
      record->value[lane] = value(lane);
    }
  }
}

void Trace::move_to(LaunchReport& report) {
  report.trace = std::move(records_);
  report.trace_truncated = truncated_;
}

}  // namespace warpbook::gpu::watch
