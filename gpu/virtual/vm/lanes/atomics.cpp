#include "gpu/virtual/vm/lanes/atomics.h"

#include <algorithm>
#include <bit>

#include "gpu/virtual/vm/analysis/atomics.h"
#include "gpu/virtual/vm/lanes/access.h"
#include "gpu/virtual/vm/lanes/handlers.h"

namespace warpbook::gpu::vm {

using ptx::Space;

void straight_atomic(Warp& w, const Inst& i) {
  const ptx::Instruction& p = *i.ptx;
  Worker& worker = *w.worker;
  const Extra& extra = w.frame->code->extras[i.extra];
  const unsigned bytes = i.bytes;
  const bool shared = p.space == Space::shared;
  std::uint64_t at[lanes], least = ~std::uint64_t{0}, most = 0, all = 0, differ = 0;
  addresses_of(w, i, at);
  const auto first = static_cast<std::uint32_t>(std::countr_zero(w.exec));
  for (std::uint32_t left = w.exec; left; left &= left - 1) {
    const auto l = static_cast<std::uint32_t>(std::countr_zero(left));
    all |= at[l];
    differ |= at[l] ^ at[first];
    least = std::min(least, at[l]);
    most = std::max(most, at[l]);
  }
  if (all & (bytes - 1)) return general_access(w, i);
  std::byte* host;
  DelayedAdds::Array* delayed = nullptr;
  if (shared) {
    if (most >= w.shared_bytes || bytes > w.shared_bytes - most) return general_access(w, i);
    host = w.shared;
  } else {
    Extent& extent = w.extents[i.cache];
    if (!extent.holds(least, bytes) || !extent.holds(most, bytes)) {
      const Extent found = worker.machine.memory->find(least);
      if (found.heap || !found.holds(least, bytes) || !found.holds(most, bytes) || !found.writable) return general_access(w, i);
      extent = found;
    }
    host = extent.host - extent.low;
    if (worker.machine.parallel && worker.machine.image->may_delay_adds) {
      const Extent of = extent;
      delayed = worker.delayed.array_of(worker, of);
      extent = of;
    }
  }
  const bool parallel = worker.machine.parallel && !shared;
  const bool has_result = extra.row_bytes[0] != 0;
  if (is_plain_add(p) && !has_result) {
    const std::uint32_t* values = w.row_of<std::uint32_t>(i.b);
    const auto add_one = [&](std::uint64_t address, std::uint32_t value) {
      if (delayed)
        DelayedAdds::add(*delayed, (address - delayed->extent.low) / 4, value);
      else if (auto* word = reinterpret_cast<std::uint32_t*>(host + address); parallel)
        __atomic_fetch_add(word, value, __ATOMIC_SEQ_CST);
      else
        *word += value;
    };
    if (!differ) {
      std::uint32_t sum = 0;
      for (std::uint32_t left = w.exec; left; left &= left - 1) sum += values[std::countr_zero(left)];
      return add_one(at[first], sum);
    }
    for (std::uint32_t left = w.exec; left; left &= left - 1) {
      const auto l = std::countr_zero(left);
      add_one(at[l], values[l]);
    }
    return;
  }
  if (!has_result && !differ && may_be_combined(p)) return perform_combined(w, i, host + at[first], parallel);
  for (std::uint32_t left = w.exec; left; left &= left - 1) {
    const auto l = static_cast<std::uint32_t>(std::countr_zero(left));
    perform_atomic(w, i, extra, l, host + at[l], parallel);
  }
}

}  // namespace warpbook::gpu::vm
