#include "gpu/virtual/vm/ops/atomic_operation.h"

#include <cstring>

#include "gpu/virtual/vm/ops/ops.h"

namespace warpbook::gpu::vm {
namespace {

using ptx::AtomicOp;
using ptx::Type;

template <class T>
T as(std::uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
template <class T>
std::uint64_t to_bits(T value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

template <class T>
std::uint64_t combine_integers(AtomicOp op, std::uint64_t old_bits, std::uint64_t b_bits, std::uint64_t c_bits) {
  const T old = as<T>(old_bits), b = as<T>(b_bits);
  switch (op) {
    case AtomicOp::add:
      return to_bits(ops::add(old, b));
    case AtomicOp::min:
      return to_bits(ops::min(old, b));
    case AtomicOp::max:
      return to_bits(ops::max(old, b));
    case AtomicOp::inc:
      return to_bits(static_cast<T>(old >= b ? 0 : old + 1));
    case AtomicOp::dec:
      return to_bits(static_cast<T>(old == 0 || old > b ? b : old - 1));
    case AtomicOp::and_:
      return to_bits(static_cast<T>(old & b));
    case AtomicOp::or_:
      return to_bits(static_cast<T>(old | b));
    case AtomicOp::xor_:
      return to_bits(static_cast<T>(old ^ b));
    case AtomicOp::exch:
      return b_bits;
    case AtomicOp::cas:
      return old_bits == b_bits ? c_bits : old_bits;
    case AtomicOp::none:
      break;
  }
  return old_bits;
}
template <class T>
std::uint64_t combine_floats(AtomicOp op, std::uint64_t old_bits, std::uint64_t b_bits) {
  const T old = as<T>(old_bits), b = as<T>(b_bits);
  switch (op) {
    case AtomicOp::min:
      return to_bits(ops::min(old, b));
    case AtomicOp::max:
      return to_bits(ops::max(old, b));
    default:
      return to_bits(ops::add(old, b));
  }
}

}  // namespace

std::uint64_t combine(const ptx::Instruction& p, std::uint64_t old, std::uint64_t b, std::uint64_t c) {
  if (p.atomic == AtomicOp::exch) return b;
  switch (p.type) {
    case Type::s32:
      return combine_integers<std::int32_t>(p.atomic, old, b, c);
    case Type::s64:
      return combine_integers<std::int64_t>(p.atomic, old, b, c);
    case Type::f32:
      return combine_floats<float>(p.atomic, old, b);
    case Type::f64:
      return combine_floats<double>(p.atomic, old, b);
    case Type::f16:
      return combine_floats<ops::f16>(p.atomic, old, b);
    case Type::bf16:
      return combine_floats<ops::bf16>(p.atomic, old, b);
    case Type::f16x2:
      return combine_floats<ops::f16x2>(p.atomic, old, b);
    case Type::bf16x2:
      return combine_floats<ops::bf16x2>(p.atomic, old, b);
    default:
      break;
  }
  switch (ptx::bytes_of(p.type)) {
    case 2:
      return combine_integers<std::uint16_t>(p.atomic, old, b, c);
    case 4:
      return combine_integers<std::uint32_t>(p.atomic, old, b, c);
    default:
      return combine_integers<std::uint64_t>(p.atomic, old, b, c);
  }
}

namespace {

template <class T>
std::uint64_t exchange_as(std::byte* at, const ptx::Instruction& p, std::uint64_t b, std::uint64_t c, bool parallel) {
  T* memory = reinterpret_cast<T*>(at);
  if (!parallel) {
    const T old = *memory;
    *memory = static_cast<T>(combine(p, old, b, c));
    return old;
  }
  if constexpr (sizeof(T) >= 4) {
    if (p.atomic == AtomicOp::add && !ptx::is_float(p.type)) return __atomic_fetch_add(memory, static_cast<T>(b), __ATOMIC_SEQ_CST);
  }
  T old = __atomic_load_n(memory, __ATOMIC_SEQ_CST);
  while (
      !__atomic_compare_exchange_n(memory, &old, static_cast<T>(combine(p, old, b, c)), true, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
  }
  return old;
}

}  // namespace

std::uint64_t exchange(std::byte* at, const ptx::Instruction& p, unsigned bytes, std::uint64_t b, std::uint64_t c, bool parallel) {
  switch (bytes) {
    case 2:
      return exchange_as<std::uint16_t>(at, p, b, c, parallel);
    case 4:
      return exchange_as<std::uint32_t>(at, p, b, c, parallel);
    default:
      return exchange_as<std::uint64_t>(at, p, b, c, parallel);
  }
}

u128 exchange128(std::byte* at, const ptx::Instruction& p, u128 b, u128 c, bool parallel) {
  u128* memory = reinterpret_cast<u128*>(at);
  const auto wanted = [&](u128 old) { return p.atomic == AtomicOp::exch ? b : old == b ? c : old; };
  if (!parallel) {
    const u128 old = *memory;
    *memory = wanted(old);
    return old;
  }
  u128 old = __sync_val_compare_and_swap(memory, u128{0}, u128{0});  // an atomic load
  for (;;) {
    const u128 seen = __sync_val_compare_and_swap(memory, old, wanted(old));
    if (seen == old) return old;
    old = seen;
  }
}

}  // namespace warpbook::gpu::vm
