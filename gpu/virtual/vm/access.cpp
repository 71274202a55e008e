#include "gpu/virtual/vm/access.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "gpu/virtual/vm/handlers.h"
#include "gpu/virtual/vm/ops.h"

namespace warpbook::gpu::vm {
namespace {

using ptx::AtomicOp;
using ptx::Opcode;
using ptx::Space;
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

/// What an atomic leaves in memory.
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

/// One lane's atomic on host memory; returns the old value. Other workers may be at it too when the launch is parallel.
template <class T>
std::uint64_t exchange(std::byte* at, const ptx::Instruction& p, std::uint64_t b, std::uint64_t c, bool parallel) {
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

std::uint64_t do_atomic(std::byte* at, const ptx::Instruction& p, unsigned bytes, std::uint64_t b, std::uint64_t c, bool parallel) {
  switch (bytes) {
    case 2:
      return exchange<std::uint16_t>(at, p, b, c, parallel);
    case 4:
      return exchange<std::uint32_t>(at, p, b, c, parallel);
    default:
      return exchange<std::uint64_t>(at, p, b, c, parallel);
  }
}

void write_register(const Frame& frame, Row row, unsigned register_bytes, std::uint32_t lane, std::uint64_t value) {
  std::memcpy(frame.rows.get() + row.offset + std::size_t{lane} * register_bytes, &value, register_bytes);
}
std::uint64_t read_row(const Warp& w, Row row, unsigned bytes, std::uint32_t lane) {
  std::uint64_t value = 0;
  std::memcpy(&value, w.row(row) + std::size_t{lane} * bytes, bytes);
  return value;
}

/// A loaded element as its register wants it: signed types extend their sign, the rest zeros.
std::uint64_t extend(Type type, unsigned bytes, std::uint64_t value) {
  if (!ptx::is_signed(type) || bytes >= 8) return value;
  const unsigned unused = 64 - 8 * bytes;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value << unused) >> unused);
}

struct Reached {
  std::byte* host = nullptr;
  Access::Problem problem = Access::Problem::none;
};

Reached reach(const MemoryRequest& request, Worker& worker, Resolved at, std::uint32_t lane, unsigned bytes, bool write) {
  using Problem = Access::Problem;
  Warp& warp = *request.warp;
  if (at.address & (std::bit_ceil(bytes) - 1)) return {nullptr, Problem::misaligned};
  switch (at.space) {
    case Space::shared: {
      auto& shared = warp.block->shared;
      if (at.address >= shared.size() || bytes > shared.size() - at.address) return {nullptr, Problem::out_of_bounds};
      return {shared.data() + at.address, Problem::none};
    }
    case Space::local:
      if (at.address >= warp.local_bytes || bytes > warp.local_bytes - at.address) return {nullptr, Problem::out_of_bounds};
      return {warp.local.data() + std::size_t{lane} * warp.local_bytes + at.address, Problem::none};
    default: {
      const Extent extent = worker.find(at.address);
      if (!extent.holds(at.address, bytes)) return {nullptr, Problem::out_of_bounds};
      if (write && !extent.writable) return {nullptr, Problem::read_only};
      return {extent.at(at.address), Problem::none};
    }
  }
}

}  // namespace

Resolved resolve(Space space, std::uint64_t address) {
  switch (space) {
    case Space::shared:
      return {Space::shared, address};
    case Space::param:  // a function's parameters lie in its frame, a kernel's in a buffer of the launch
      if (address >= global_base) return {Space::global, address};
      [[fallthrough]];
    case Space::local:
      return {Space::local, address};
    default:
      break;
  }
  if (address - shared_window < window_bytes) return {Space::shared, address - shared_window};
  if (address - local_window < window_bytes) return {Space::local, address - local_window};
  return {space == Space::constant ? Space::constant : Space::global, address};
}

static std::uint64_t scaled_index(const Warp& w, const Inst& i, std::uint32_t lane) {
  const std::uint32_t index = w.row_of<std::uint32_t>(i.c)[lane];
  const std::int64_t wide = i.index_signed ? std::int64_t{static_cast<std::int32_t>(index)} : std::int64_t{index};
  return static_cast<std::uint64_t>(wide * i.scale);
}

void capture(Warp& w, const Inst& i, MemoryRequest& request) {
  const ptx::Instruction& p = *i.ptx;
  const Extra& extra = w.frame->code->extras[i.extra];
  request.inst = &i;
  request.warp = &w;
  request.frame = w.frame;
  request.mask = w.exec;
  const auto offset = static_cast<std::uint64_t>(i.offset) + (i.frame_relative ? w.frame->local_base : 0u);
  for (std::uint32_t l = 0; l < lanes; ++l)
    request.address[l] = i.scale       ? w.row_of<std::uint64_t>(i.a)[l] + offset + scaled_index(w, i, l)
                         : i.address32 ? w.row_of<std::uint32_t>(i.a)[l] + static_cast<std::uint32_t>(offset)
                                     : w.row_of<std::uint64_t>(i.a)[l] + offset;
  switch (p.op) {
    case Opcode::st:
      for (std::size_t e = 0; e < extra.rows.size(); ++e)
        for (std::uint32_t l = 0; l < lanes; ++l) request.data[e][l] = read_row(w, extra.rows[e], extra.row_bytes[e], l);
      break;
    case Opcode::atom:
    case Opcode::red:
      for (std::uint32_t l = 0; l < lanes; ++l) {
        request.data[0][l] = read_row(w, i.b, i.bytes, l);
        request.data[1][l] = p.atomic == AtomicOp::cas ? read_row(w, i.c, i.bytes, l) : 0;
      }
      break;
    case Opcode::cp_async:
      for (std::uint32_t l = 0; l < lanes; ++l) {
        request.from[l] = (extra.targets[1] ? w.row_of<std::uint32_t>(i.b)[l] : w.row_of<std::uint64_t>(i.b)[l]) +
                          static_cast<std::uint64_t>(static_cast<std::int32_t>(extra.targets[0]));
        request.data[0][l] = extra.targets.size() > 3 ? w.row_of<std::uint32_t>(i.c)[l] : extra.targets[2];
      }
      break;
    default:
      break;
  }
}

namespace {

/// One pass over the lanes of a request: those of one space, `kind`, whole accesses of `bytes`.
struct Pass {
  Access::Kind kind;
  unsigned bytes;                // a lane, all elements
  const std::uint64_t* address;  // [lanes]
  Space space;                   // of the instruction
};

template <class Touch>
void for_lanes(Worker& worker, MemoryRequest& request, const Pass& pass, const Touch& touch) {
  Warp& warp = *request.warp;
  Machine& machine = worker.machine;
  std::uint64_t address[lanes], value[lanes] = {};
  std::byte* host[lanes];
  std::uint32_t by_space[3] = {}, bad[3] = {};
  Access::Problem problem = Access::Problem::none;
  const auto slot = [](Space s) { return s == Space::shared ? 1 : s == Space::local ? 2 : 0; };
  Space global_like = Space::global;
  for (std::uint32_t left = request.mask; left; left &= left - 1) {
    const auto l = static_cast<std::uint32_t>(std::countr_zero(left));
    const Resolved at = resolve(pass.space, pass.address[l]);
    if (at.space == Space::constant) global_like = Space::constant;
    address[l] = at.address;
    // Without cvta, a shared or local address means nothing to ld.global.
    const bool stray = pass.space == Space::global && at.space != Space::global;
    const Reached reached = stray ? Reached{nullptr, Access::Problem::wrong_space}
                                  : reach(request, worker, at, l, pass.bytes, pass.kind != Access::Kind::load);
    host[l] = reached.host;
    (reached.host ? by_space : bad)[slot(at.space)] |= 1u << l;
    if (!reached.host) problem = reached.problem;
  }
  const bool any_bad = bad[0] | bad[1] | bad[2];
  if (!any_bad || machine.go_on_after_bad_access)
    for (std::uint32_t left = request.mask; left; left &= left - 1) {
      const auto l = static_cast<std::uint32_t>(std::countr_zero(left));
      value[l] = touch(l, host[l]);
    }
  if (!machine.observer && !any_bad) return;
  Access event;
  event.site = {request.frame->code->function, request.inst->pc};
  event.warp = warp.block->id(warp);
  event.kind = pass.kind;
  event.bytes = pass.bytes;
  event.order = request.inst->ptx->order;
  event.scope = request.inst->ptx->scope;
  event.address = address;
  event.value = value;
  event.issued = request.issued;
  event.reached = request.reached;
  event.done = request.done;
  for (int s = 0; s < 3; ++s) {
    if (!(by_space[s] | bad[s])) continue;
    event.space = s == 1 ? Space::shared : s == 2 ? Space::local : global_like;
    event.mask = by_space[s];
    event.bad = bad[s];
    event.problem = bad[s] ? problem : Access::Problem::none;
    if (machine.observer && (machine.go_on_after_bad_access || !any_bad)) machine.observer->on_access(event);
    if (!bad[s] || machine.go_on_after_bad_access) continue;
    auto fault = std::make_unique<Fault>();
    fault->status = problem == Access::Problem::misaligned ? "cudaErrorMisalignedAddress" : "cudaErrorIllegalAddress";
    fault->site = event.site;
    fault->warp = event.warp;
    fault->lane = static_cast<std::uint32_t>(std::countr_zero(bad[s]));
    fault->is_access = true;
    fault->address.assign(address, address + lanes);
    fault->value.assign(value, value + lanes);
    fault->access = event;
    fault->access.address = fault->address.data();
    fault->access.value = fault->value.data();
    machine.fail(std::move(fault));
    warp.running = false;
    return;
  }
}

}  // namespace

void perform(Worker& worker, MemoryRequest& request) {
  const Inst& i = *request.inst;
  const ptx::Instruction& p = *i.ptx;
  const Frame& frame = *request.frame;
  const Extra& extra = frame.code->extras[i.extra];
  const bool parallel = worker.machine.parallel;
  const unsigned bytes = i.bytes;
  switch (p.op) {
    case Opcode::st:
      for_lanes(worker, request, {Access::Kind::store, static_cast<unsigned>(bytes * extra.rows.size()), request.address, p.space},
                [&](std::uint32_t l, std::byte* host) {
                  for (std::size_t e = 0; host && e < extra.rows.size(); ++e)
                    std::memcpy(host + e * bytes, &request.data[e][l], bytes);
                  return request.data[0][l];
                });
      return;
    case Opcode::atom:
    case Opcode::red:
      for_lanes(worker, request, {Access::Kind::atomic, bytes, request.address, p.space}, [&](std::uint32_t l, std::byte* host) {
        const std::uint64_t old = host ? do_atomic(host, p, bytes, request.data[0][l], request.data[1][l], parallel) : 0;
        if (p.op == Opcode::atom && extra.row_bytes[0])
          write_register(frame, i.d, extra.row_bytes[0], l, extend(p.type, bytes, old));
        return old;
      });
      return;
    case Opcode::cp_async: {
      std::byte copied[lanes][16] = {};
      for_lanes(worker, request, {Access::Kind::load, bytes, request.from, Space::global}, [&](std::uint32_t l, std::byte* host) {
        const auto wanted = std::min<std::uint64_t>(request.data[0][l], bytes);  // fewer: the rest becomes zeros
        if (host) std::memcpy(copied[l], host, wanted);
        return std::uint64_t{0};
      });
      if (worker.machine.stop.load(std::memory_order_relaxed)) return;
      for_lanes(worker, request, {Access::Kind::store, bytes, request.address, Space::shared},
                [&](std::uint32_t l, std::byte* host) {
                  if (host) std::memcpy(host, copied[l], bytes);
                  return std::uint64_t{0};
                });
      return;
    }
    default:
      for_lanes(worker, request, {Access::Kind::load, static_cast<unsigned>(bytes * extra.rows.size()), request.address, p.space},
                [&](std::uint32_t l, std::byte* host) {
                  std::uint64_t first = 0;
                  for (std::size_t e = 0; e < extra.rows.size(); ++e) {
                    std::uint64_t value = 0;
                    if (host) std::memcpy(&value, host + e * bytes, bytes);
                    if (extra.row_bytes[e])
                      write_register(frame, extra.rows[e], extra.row_bytes[e], l, extend(p.type, bytes, value));
                    if (e == 0) first = value;
                  }
                  return first;
                });
  }
}

std::uint64_t perform_atomic(Warp& w, const Inst& i, const Extra& extra, std::uint32_t lane, std::byte* at, bool parallel) {
  const std::uint64_t b = read_row(w, i.b, i.bytes, lane);
  const std::uint64_t c = i.ptx->atomic == AtomicOp::cas ? read_row(w, i.c, i.bytes, lane) : 0;
  const std::uint64_t old = do_atomic(at, *i.ptx, i.bytes, b, c, parallel);
  if (extra.row_bytes[0]) write_register(*w.frame, i.d, extra.row_bytes[0], lane, extend(i.ptx->type, i.bytes, old));
  return old;
}

void general_access(Warp& w, const Inst& i) {
  MemoryRequest request;
  capture(w, i, request);
  request.issued = request.reached = request.done = w.worker->event_number;
  perform(*w.worker, request);
}

void deferred_access(Warp& w, const Inst& i) { w.worker->clock->take(w, i); }

void frame_address(Warp& w, const Inst& i) {
  const std::uint64_t address = static_cast<std::uint64_t>(i.offset) + w.frame->local_base;
  for (std::uint32_t l = 0; l < lanes; ++l)
    if (w.exec >> l & 1u) std::memcpy(w.row(i.d) + std::size_t{l} * i.bytes, &address, i.bytes);
}

void parameter_load(Warp& w, const Inst& i) {
  const Extra& extra = w.frame->code->extras[i.extra];
  const auto& parameters = w.worker->machine.parameters;
  for (std::size_t e = 0; e < extra.rows.size(); ++e) {
    const unsigned to = extra.row_bytes[e];
    const std::size_t at = static_cast<std::size_t>(i.offset) + e * i.bytes;
    if (!to || at + i.bytes > parameters.size()) continue;
    std::uint64_t value = 0;
    std::memcpy(&value, parameters.data() + at, i.bytes);
    value = extend(i.ptx->type, i.bytes, value);
    if (w.exec == ~0u && to >= 4) {
      if (to == 8)
        std::fill_n(w.row_of<std::uint64_t>(extra.rows[e]), lanes, value);
      else
        std::fill_n(w.row_of<std::uint32_t>(extra.rows[e]), lanes, static_cast<std::uint32_t>(value));
      continue;
    }
    for (std::uint32_t l = 0; l < lanes; ++l)
      if (w.exec >> l & 1u) write_register(*w.frame, extra.rows[e], to, l, value);
  }
}

}  // namespace warpbook::gpu::vm
