// Additions to 32-bit integers whose results nobody reads: what counters and histograms do. Included by handlers_<set>.cpp, once an
// instruction set, after handlers_memory.h. All other atomics, and whatever is not straight here, go to straight_atomic().
#pragma once

#include "gpu/virtual/vm/atomics.h"
#include "gpu/virtual/vm/handlers_memory.h"

namespace warpbook::gpu::vm::WARPBOOK_OPS_TARGET {
namespace {

/// add_one(address, value) for every lane that executes; once with the sum where all have the same address.
template <class AddOne>
[[gnu::always_inline]] inline void add_lanes(const u64* at, const u32* values, Form form, u32 exec, AddOne add_one) {
  if (form == Form::same) {
    u32 sum = 0;
    for (u32 l = 0; l < lanes; ++l) sum += values[l];
    return add_one(at[0], sum);
  }
  if (exec == 0xffffffffu) {
    for (u32 l = 0; l < lanes; ++l) add_one(at[l], values[l]);
    return;
  }
  for (; exec; exec &= exec - 1) {
    const u32 l = static_cast<u32>(__builtin_ctz(exec));
    add_one(at[l], values[l]);
  }
}

template <Where Space, bool Indexed>
void add_unread(Warp& w, const Inst& i) {
  alignas(64) u64 at[lanes];
  const Shape shape = look<4, Indexed>(w, i, at);
  const u32* values = w.row_of<u32>(i.b);
  const auto to_memory = [&](std::byte* host) {
    add_lanes(at, values, shape.form, w.exec, [=](u64 address, u32 value) { *reinterpret_cast<u32*>(host + address) += value; });
  };
  if constexpr (Space == Where::shared) {
    const Host host = reach<Space, 4>(w, i, shape, true);
    return host.straight ? to_memory(host.base) : general_access(w, i);
  } else {
    Extent& remembered = w.extents[i.cache];
    // What straight_atomic() remembers may be written to.
    if (!shape.aligned || shape.low < remembered.low || shape.high + 4 > remembered.high || shape.high < shape.low)
      return straight_atomic(w, i);
    const Extent extent = remembered;
    if (!w.worker->machine.parallel) return to_memory(extent.host - extent.low);
    DelayedAdds::Array* sums = w.worker->machine.image->may_delay_adds ? w.worker->delayed.array_of(*w.worker, extent) : nullptr;
    if (!sums) return straight_atomic(w, i);
    remembered = extent;  // the array is only kept from those that read it
    add_lanes(at, values, shape.form, w.exec,
              [=, low = extent.low](u64 address, u32 value) { DelayedAdds::add(*sums, (address - low) / 4, value); });
  }
}

}  // namespace

Handler addition_handler(const ptx::Instruction& p, Addressing addressing) {
  if (p.space == ptx::Space::shared) return add_unread<Where::shared, false>;
  return addressing == Addressing::indexed ? add_unread<Where::global, true> : add_unread<Where::global, false>;
}

}  // namespace warpbook::gpu::vm::WARPBOOK_OPS_TARGET
