// The straight memory paths: nobody watches, no lane misbehaves. Included by handlers_<set>.cpp, once an instruction set.
//
// A request's 32 addresses are looked at together: consecutive ones are one copy, equal ones one load, others a gather. The whole
// request must lie in one allocation, aligned; whatever does not is left to general_access(), which goes lane by lane.
#pragma once

#include "gpu/virtual/vm/block.h"
#include "gpu/virtual/vm/handlers.h"
#include "gpu/virtual/vm/ops_base.h"

namespace warpbook::gpu::vm::WARPBOOK_OPS_TARGET {

namespace {

using ops::u32;
using ops::u64;

/// The lanes' addresses; lanes that do not execute repeat an active one's, so that they may be read (never written).
struct Request {
  alignas(64) u64 at[lanes];
  std::byte* host = nullptr;  // add at[l]; nullptr: not a straight request
  bool consecutive = false, same = false;
};

[[gnu::always_inline]] inline void addresses(const Warp& w, const Inst& i, u64* at) {
  const auto offset = static_cast<u64>(i.offset) + (i.frame_relative ? w.frame->local_base : 0u);
  if (i.address32) {
    const u32* a = w.row_of<u32>(i.a);
    for (u32 l = 0; l < lanes; ++l) at[l] = a[l] + static_cast<u32>(offset);
  } else {
    const u64* a = w.row_of<u64>(i.a);
    for (u32 l = 0; l < lanes; ++l) at[l] = a[l] + offset;
  }
  if (w.exec != 0xffffffffu) {
    const u64 some = at[__builtin_ctz(w.exec)];
    for (u32 l = 0; l < lanes; ++l) at[l] = (w.exec >> l & 1u) ? at[l] : some;
  }
}

/// Bytes: of one lane's access. Low and high: what the lanes touch.
template <u32 Bytes>
[[gnu::always_inline]] inline void shape(Request& r, u32 exec, u64& low, u64& high, bool& aligned) {
  const u64 first = r.at[0];
  u64 not_same = 0, not_consecutive = 0;
  for (u32 l = 0; l < lanes; ++l) {
    not_same |= r.at[l] ^ first;
    not_consecutive |= r.at[l] - (first + l * Bytes);
  }
  r.same = !not_same;
  r.consecutive = !not_consecutive && exec == 0xffffffffu;
  if (r.same || r.consecutive) {
    low = first;
    high = r.same ? first : first + (lanes - 1) * Bytes;
    aligned = (first & (Bytes - 1)) == 0;
    return;
  }
  u64 all = 0, least = ~u64{0}, most = 0;
  for (u32 l = 0; l < lanes; ++l) {
    all |= r.at[l];
    least = r.at[l] < least ? r.at[l] : least;
    most = r.at[l] > most ? r.at[l] : most;
  }
  low = least;
  high = most;
  aligned = (all & (Bytes - 1)) == 0;
}

template <u32 Bytes>
[[gnu::always_inline]] inline bool in_global(Warp& w, const Inst& i, Request& r, bool write) {
  addresses(w, i, r.at);
  u64 low, high;
  bool aligned;
  shape<Bytes>(r, w.exec, low, high, aligned);
  if (!aligned) return false;
  Extent& extent = w.worker->extents[i.cache];
  if (low < extent.low || high + Bytes > extent.high || high < low) {
    const Extent found = w.worker->machine.memory->find(low);
    if (found.heap || !found.holds(low, Bytes) || !found.holds(high, Bytes)) return false;
    extent = found;
  }
  if (write && !extent.writable) return false;
  r.host = extent.host - extent.low;
  return true;
}

template <u32 Bytes>
[[gnu::always_inline]] inline bool in_shared(Warp& w, const Inst& i, Request& r) {
  addresses(w, i, r.at);
  u64 low, high;
  bool aligned;
  shape<Bytes>(r, w.exec, low, high, aligned);
  const u64 size = w.block->shared.size();
  if (!aligned || high + Bytes > size || high >= size) return false;
  r.host = w.block->shared.data();
  return true;
}

template <class T, class R>
[[gnu::always_inline]] inline void load_row(R* d, const Request& r, u32 exec, u32 skip) {
  if (exec == 0xffffffffu) {
    if (r.consecutive && !skip) {
      const T* from = reinterpret_cast<const T*>(r.host + r.at[0]);
      for (u32 l = 0; l < lanes; ++l) d[l] = static_cast<R>(from[l]);
      return;
    }
    if (r.same) {
      const R value = static_cast<R>(*reinterpret_cast<const T*>(r.host + r.at[0] + skip));
      for (u32 l = 0; l < lanes; ++l) d[l] = value;
      return;
    }
    for (u32 l = 0; l < lanes; ++l) d[l] = static_cast<R>(*reinterpret_cast<const T*>(r.host + r.at[l] + skip));
    return;
  }
  for (u32 l = 0; l < lanes; ++l) {
    const R value = static_cast<R>(*reinterpret_cast<const T*>(r.host + r.at[l] + skip));
    d[l] = (exec >> l & 1u) ? value : d[l];
  }
}

template <class T, class R>
[[gnu::always_inline]] inline void store_row(const R* a, const Request& r, u32 exec, u32 skip) {
  if (r.consecutive && !skip) {
    T* to = reinterpret_cast<T*>(r.host + r.at[0]);
    for (u32 l = 0; l < lanes; ++l) to[l] = static_cast<T>(a[l]);
    return;
  }
  for (u32 left = exec; left; left &= left - 1) {
    const u32 l = static_cast<u32>(__builtin_ctz(left));
    *reinterpret_cast<T*>(r.host + r.at[l] + skip) = static_cast<T>(a[l]);
  }
}

enum class Where { global, shared };

template <Where Space, u32 Bytes>
[[gnu::always_inline]] inline bool reach(Warp& w, const Inst& i, Request& r, bool write) {
  if constexpr (Space == Where::shared) {
    (void)write;
    return in_shared<Bytes>(w, i, r);
  } else {
    return in_global<Bytes>(w, i, r, write);
  }
}

template <Where Space, class T, class R>
void load(Warp& w, const Inst& i) {
  Request r;
  if (!reach<Space, sizeof(T)>(w, i, r, false)) return general_access(w, i);
  load_row<T, R>(w.row_of<R>(i.d), r, w.exec, 0);
}
template <Where Space, class T, class R>
void store(Warp& w, const Inst& i) {
  Request r;
  if (!reach<Space, sizeof(T)>(w, i, r, true)) return general_access(w, i);
  store_row<T, R>(w.row_of<R>(i.b), r, w.exec, 0);
}
template <Where Space, class T, class R, u32 Count>
void load_vector(Warp& w, const Inst& i) {
  Request r;
  if (!reach<Space, sizeof(T) * Count>(w, i, r, false)) return general_access(w, i);
  r.consecutive = false;
  const Extra& extra = w.frame->code->extras[i.extra];
  for (u32 e = 0; e < Count; ++e)
    if (extra.row_bytes[e]) load_row<T, R>(w.row_of<R>(extra.rows[e]), r, w.exec, static_cast<u32>(e * sizeof(T)));
}
template <Where Space, class T, class R, u32 Count>
void store_vector(Warp& w, const Inst& i) {
  Request r;
  if (!reach<Space, sizeof(T) * Count>(w, i, r, true)) return general_access(w, i);
  r.consecutive = false;
  const Extra& extra = w.frame->code->extras[i.extra];
  for (u32 e = 0; e < Count; ++e) store_row<T, R>(w.row_of<R>(extra.rows[e]), r, w.exec, static_cast<u32>(e * sizeof(T)));
}

/// .local: every lane its own bytes, usually at the same offset.
template <class T, class R, bool Load>
void local(Warp& w, const Inst& i) {
  Request r;
  addresses(w, i, r.at);
  u64 low, high;
  bool aligned;
  shape<sizeof(T)>(r, w.exec, low, high, aligned);
  if (!aligned || high >= w.local_bytes || high + sizeof(T) > w.local_bytes) return general_access(w, i);
  std::byte* base = w.local.data();
  R* row = w.row_of<R>(Load ? i.d : i.b);
  for (u32 left = w.exec; left; left &= left - 1) {
    const u32 l = static_cast<u32>(__builtin_ctz(left));
    T* at = reinterpret_cast<T*>(base + u64{l} * w.local_bytes + r.at[l]);
    if constexpr (Load)
      row[l] = static_cast<R>(*at);
    else
      *at = static_cast<T>(row[l]);
  }
}

template <bool Load, class T, class R>
Handler by_space(const ptx::Instruction& p) {
  using ptx::Space;
  const bool shared = p.space == Space::shared;
  // Generic addresses nearly always mean global memory; the others fall out of the bounds check into the general path.
  const bool global = p.space == Space::global || p.space == Space::generic || p.space == Space::constant;
  if (p.vector == 1) {
    if (shared) return Load ? load<Where::shared, T, R> : store<Where::shared, T, R>;
    if (global) return Load ? load<Where::global, T, R> : store<Where::global, T, R>;
    if (p.space == Space::local || p.space == Space::param) return local<T, R, Load>;
    return nullptr;
  }
  if constexpr (sizeof(T) == sizeof(R)) {
    if (!shared && !global) return nullptr;
    if (p.vector == 2) {
      if (shared) return Load ? load_vector<Where::shared, T, R, 2> : store_vector<Where::shared, T, R, 2>;
      return Load ? load_vector<Where::global, T, R, 2> : store_vector<Where::global, T, R, 2>;
    }
    if (p.vector == 4 && sizeof(T) <= 4) {
      if (shared) return Load ? load_vector<Where::shared, T, R, 4> : store_vector<Where::shared, T, R, 4>;
      return Load ? load_vector<Where::global, T, R, 4> : store_vector<Where::global, T, R, 4>;
    }
  }
  return nullptr;
}

template <bool Load, class T>
Handler by_register(const ptx::Instruction& p, u32 bytes) {
  // Registers may be wider than the access: loads extend (signed types their sign), stores cut.
  using ops::is_signed_v;
  if (bytes == 2) {
    if constexpr (sizeof(T) <= 2) return by_space<Load, T, std::conditional_t<is_signed_v<T>, ops::s16, ops::u16>>(p);
  } else if (bytes == 4) {
    if constexpr (sizeof(T) <= 4) return by_space<Load, T, std::conditional_t<is_signed_v<T>, ops::s32, ops::u32>>(p);
  } else if (bytes == 8) {
    return by_space<Load, T, std::conditional_t<is_signed_v<T>, ops::s64, ops::u64>>(p);
  }
  return nullptr;
}

template <bool Load>
Handler by_type(const ptx::Instruction& p, u32 register_bytes) {
  using ptx::Type;
  switch (p.type) {
    case Type::s8:
      return by_register<Load, ops::s8>(p, register_bytes);
    case Type::s16:
      return by_register<Load, ops::s16>(p, register_bytes);
    case Type::s32:
      return by_register<Load, ops::s32>(p, register_bytes);
    default:
      break;
  }
  switch (ptx::bytes_of(p.type)) {
    case 1:
      return by_register<Load, ops::u8>(p, register_bytes);
    case 2:
      return by_register<Load, ops::u16>(p, register_bytes);
    case 4:
      return by_register<Load, ops::u32>(p, register_bytes);
    case 8:
      return by_register<Load, ops::u64>(p, register_bytes);
    default:
      return nullptr;
  }
}

}  // namespace

Handler memory_handler(const ptx::Instruction& p, Widths widths) {
  if (p.op == ptx::Opcode::st) return by_type<false>(p, widths.a);
  if (p.op == ptx::Opcode::ld || p.op == ptx::Opcode::ldu) return by_type<true>(p, widths.d);
  return nullptr;
}

}  // namespace warpbook::gpu::vm::WARPBOOK_OPS_TARGET
