// Memory requests lane by lane. Longer than other files: all kinds of requests share capture(), the checks and the events, so that
// observed, clocked and plain launches cannot differ.
#include "gpu/virtual/vm/lanes/access.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "gpu/virtual/ptx/opcodes.h"
#include "gpu/virtual/vm/code/place.h"
#include "gpu/virtual/vm/exec/changes.h"
#include "gpu/virtual/vm/lanes/handlers.h"
#include "gpu/virtual/vm/ops/atomic_operation.h"
#include "gpu/virtual/vm/ops/mbarrier.h"

namespace warpbook::gpu::vm {
namespace {

using ptx::AtomicOp;
using ptx::Opcode;
using ptx::Space;
using ptx::Type;

void write_register(const Frame& frame, Row row, unsigned register_bytes, std::uint32_t lane, std::uint64_t value) {
  std::memcpy(frame.rows.get() + row.offset + std::size_t{lane} * register_bytes, &value, register_bytes);
}
std::uint64_t read_row(const Warp& w, Row row, unsigned bytes, std::uint32_t lane) {
  std::uint64_t value = 0;
  std::memcpy(&value, w.row(row) + std::size_t{lane} * bytes, bytes);
  return value;
}

/// The same of all lanes.
void read_rows(const Warp& w, Row row, unsigned bytes, std::uint64_t* into) {
  const auto read = [&]<class T>(T) {
    for (std::uint32_t l = 0; l < lanes; ++l) into[l] = w.row_of<T>(row)[l];
  };
  switch (bytes) {
    case 1:
      return read(std::uint8_t{});
    case 2:
      return read(std::uint16_t{});
    case 4:
      return read(std::uint32_t{});
    default:
      return read(std::uint64_t{});
  }
}

/// A row of 128-bit registers: low words, then high words.
void read_wide(const Warp& w, Row row, std::uint64_t (*into)[lanes]) {
  for (std::uint32_t l = 0; l < lanes; ++l)
    for (int half = 0; half < 2; ++half)
      std::memcpy(&into[half][l], w.row(row) + std::size_t{l} * 16 + half * 8, sizeof(std::uint64_t));
}
void write_wide(const Frame& frame, Row row, std::uint32_t lane, const void* value) {
  std::memcpy(frame.rows.get() + row.offset + std::size_t{lane} * 16, value, 16);
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

/// last: where the lane before found its address, as a rule in the same buffer.
Reached reach(const MemoryRequest& request, Worker& worker, Extent& last, Resolved at, std::uint32_t lane, unsigned bytes,
              bool write) {
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
      if (!last.holds(at.address, bytes)) last = worker.find(at.address);
      const Extent& extent = last;
      if (!extent.holds(at.address, bytes))
        return {nullptr, worker.machine.memory->was_freed(at.address) ? Problem::freed : Problem::out_of_bounds};
      if (write && !extent.writable) return {nullptr, Problem::read_only};
      const bool plain = extent.only_atomics && ptx::row(request.inst->ptx->op).effect != ptx::Effect::atomic;
      if ((write && !extent.report_loads) || plain) {
        worker.report_from_now_on(extent);
        last.report_loads = true;
        last.only_atomics = false;
      }
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

void addresses_of(const Warp& w, const Inst& i, std::uint64_t* into) {
  const auto offset = static_cast<std::uint64_t>(i.offset) + (i.frame_relative ? w.frame->local_base : 0u);
  if (i.address32) {
    const auto* base = w.row_of<std::uint32_t>(i.a);
    for (std::uint32_t l = 0; l < lanes; ++l) into[l] = base[l] + static_cast<std::uint32_t>(offset);
    return;
  }
  const auto* base = w.row_of<std::uint64_t>(i.a);
  for (std::uint32_t l = 0; l < lanes; ++l) into[l] = base[l] + offset;
  if (!i.scale) return;
  const auto* index = w.row_of<std::uint32_t>(i.c);
  const std::uint64_t scale = i.scale;
  if (i.index_signed) {
    for (std::uint32_t l = 0; l < lanes; ++l)
      into[l] += static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(index[l])}) * scale;
  } else {
    for (std::uint32_t l = 0; l < lanes; ++l) into[l] += index[l] * scale;
  }
}

void capture(Warp& w, const Inst& i, MemoryRequest& request) {
  const ptx::Instruction& p = *i.ptx;
  const Extra& extra = w.frame->code->extras[i.extra];
  request.inst = &i;
  request.warp = &w;
  request.frame = w.frame;
  request.mask = w.exec;
  addresses_of(w, i, request.address);
  switch (p.op) {
    case Opcode::st:
      if (i.bytes == 16) return read_wide(w, extra.rows[0], request.data);
      for (std::size_t e = 0; e < extra.rows.size(); ++e) read_rows(w, extra.rows[e], extra.row_bytes[e], request.data[e]);
      break;
    case Opcode::atom:
    case Opcode::red:
      if (p.vector > 1) {  // rows: destinations, then sources
        for (std::size_t e = 0; e < p.vector; ++e) read_rows(w, extra.rows[p.vector + e], i.bytes, request.data[e]);
        break;
      }
      if (i.bytes == 16) {
        read_wide(w, i.b, request.data);
        if (p.atomic == AtomicOp::cas) read_wide(w, i.c, request.data + 2);
        break;
      }
      read_rows(w, i.b, i.bytes, request.data[0]);
      p.atomic == AtomicOp::cas ? read_rows(w, i.c, i.bytes, request.data[1]) : (void)std::fill_n(request.data[1], lanes, 0);
      break;
    case Opcode::cp_async:
      for (std::uint32_t l = 0; l < lanes; ++l) {
        request.from[l] = (extra.targets[1] ? w.row_of<std::uint32_t>(i.b)[l] : w.row_of<std::uint64_t>(i.b)[l]) +
                          static_cast<std::uint64_t>(static_cast<std::int32_t>(extra.targets[0]));
        request.data[0][l] = extra.targets.size() > 3 ? w.row_of<std::uint32_t>(i.c)[l] : extra.targets[2];
      }
      break;
    default:
      if (ptx::has(p.op, ptx::trait::mbarrier))
        for (std::uint32_t l = 0; l < lanes; ++l)
          request.data[0][l] = extra.row_bytes[1] ? read_row(w, i.b, extra.row_bytes[1], l) : 1;
      break;
  }
}

namespace {

/// One pass over the lanes of a request: those of one space, `kind`, whole accesses of `bytes`.
struct Pass {
  Access::Kind kind;
  unsigned bytes;                              // a lane, all elements
  const std::uint64_t* address;                // [lanes]
  Space space;                                 // of the instruction
  bool only_tells = false;                     // nothing is changed
  const std::uint32_t* ended_phase = nullptr;  // of a barrier object: Access::ended_phase, which `touch` fills
};

/// Unless it says otherwise, an mbarrier's arrival releases and its wait acquires.
ptx::Order order_of(const ptx::Instruction& p) {
  if (p.order != ptx::Order::weak || !ptx::has(p.op, ptx::trait::mbarrier) || p.op == Opcode::mbarrier_init) return p.order;
  if (p.op == Opcode::mbarrier_expect_tx) return ptx::Order::relaxed;
  return ptx::has(p.op, ptx::trait::mbarrier_wait) ? ptx::Order::acquire : ptx::Order::release;
}

template <class Touch>
void for_lanes(Worker& worker, MemoryRequest& request, const Pass& pass, const Touch& touch) {
  Warp& warp = *request.warp;
  Machine& machine = worker.machine;
  std::uint64_t address[lanes], value[lanes] = {};
  std::byte* host[lanes];
  std::uint32_t by_space[3] = {}, bad[3] = {};
  Access::Problem problem[lanes];  // of bad lanes
  const auto slot = [](Space s) { return s == Space::shared ? 1 : s == Space::local ? 2 : 0; };
  Space global_like = Space::global;
  Extent last;
  bool same_buffer = false;  // `last` may be accessed so
  auto& shared = warp.block->shared;
  const std::uint64_t unaligned = std::bit_ceil(pass.bytes) - 1;
  for (std::uint32_t left = request.mask; left; left &= left - 1) {
    const auto l = static_cast<std::uint32_t>(std::countr_zero(left));
    // Most lanes go to shared memory, or where the lane before went.
    const std::uint64_t here = pass.address[l];
    const bool in_shared = pass.space == Space::shared && here < shared.size() && pass.bytes <= shared.size() - here;
    if ((in_shared || (same_buffer && last.holds(here, pass.bytes))) && !(here & unaligned)) {
      address[l] = here;
      host[l] = in_shared ? shared.data() + here : last.at(here);
      by_space[in_shared] |= 1u << l;
      continue;
    }
    const Resolved at = resolve(pass.space, here);
    if (at.space == Space::constant) global_like = Space::constant;
    address[l] = at.address;
    // Without cvta, a shared or local address means nothing to ld.global.
    const bool stray = pass.space == Space::global && at.space != Space::global;
    const Reached reached = stray ? Reached{nullptr, Access::Problem::wrong_space}
                                  : reach(request, worker, last, at, l, pass.bytes, pass.kind != Access::Kind::load);
    host[l] = reached.host;
    (reached.host ? by_space : bad)[slot(at.space)] |= 1u << l;
    problem[l] = reached.problem;
    same_buffer = reached.host && at.space == Space::global;
  }
  const bool any_bad = bad[0] | bad[1] | bad[2];
  if (!any_bad || machine.go_on_after_bad_access)
    for (std::uint32_t left = request.mask; left; left &= left - 1) {
      const auto l = static_cast<std::uint32_t>(std::countr_zero(left));
      const bool told = machine.report_changes && !pass.only_tells && pass.kind != Access::Kind::load && host[l];
      if (!told) {
        value[l] = touch(l, host[l]);
        continue;
      }
      Change::Stored& stored = worker.stored.emplace_back();
      stored.space = by_space[1] >> l & 1u ? Space::shared : by_space[2] >> l & 1u ? Space::local : Space::global;
      stored.lane = l;
      stored.address = address[l];
      stored.bytes = std::min(pass.bytes, static_cast<unsigned>(stored.before.size()));
      std::memcpy(stored.before.data(), host[l], stored.bytes);
      value[l] = touch(l, host[l]);
      std::memcpy(stored.after.data(), host[l], stored.bytes);
    }
  if (request.reported || (!machine.observer && !any_bad)) return;
  Access event;
  event.site = {request.frame->code->function, request.inst->pc};
  event.warp = warp.block->id(warp);
  event.kind = pass.kind;
  event.bytes = pass.bytes;
  event.order = order_of(*request.inst->ptx);
  event.scope = request.inst->ptx->scope;
  if (pass.ended_phase) {
    event.ended_phase = *pass.ended_phase;
    event.barrier_object =
        ptx::has(request.inst->ptx->op, ptx::trait::mbarrier_wait) ? Access::BarrierObject::wait : Access::BarrierObject::arrival;
  }
  event.address = address;
  event.value = value;
  event.issued = request.issued;
  event.reached = request.reached;
  event.done = request.done;
  for (int s = 0; s < 3;) {
    // Lanes that failed for different reasons are told apart.
    const auto first = static_cast<std::uint32_t>(std::countr_zero(bad[s]));
    event.bad = 0;
    for (std::uint32_t left = bad[s]; left; left &= left - 1)
      if (const auto l = static_cast<std::uint32_t>(std::countr_zero(left)); problem[l] == problem[first]) event.bad |= 1u << l;
    event.space = s == 1 ? Space::shared : s == 2 ? Space::local : global_like;
    event.only_read = s == 1 && warp.block->shared_only_read;
    event.mask = by_space[s];
    event.problem = event.bad ? problem[first] : Access::Problem::none;
    by_space[s] = 0;
    bad[s] &= ~event.bad;
    if (!bad[s]) ++s;
    if (!(event.mask | event.bad)) continue;
    if (machine.observer && (machine.go_on_after_bad_access || !any_bad)) machine.observer->on_access(event);
    if (!event.bad || machine.go_on_after_bad_access) continue;
    auto fault = std::make_unique<Fault>();
    fault->status = event.problem == Access::Problem::misaligned ? "cudaErrorMisalignedAddress" : "cudaErrorIllegalAddress";
    fault->site = event.site;
    fault->warp = event.warp;
    fault->lane = first;
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

/// atom.v2/.v4/.v8: every element an atomic of its own.
void perform_vector_atomic(Worker& worker, MemoryRequest& request) {
  const Inst& i = *request.inst;
  const ptx::Instruction& p = *i.ptx;
  const Extra& extra = request.frame->code->extras[i.extra];
  const unsigned bytes = i.bytes;
  for_lanes(
      worker, request, {Access::Kind::atomic, bytes * p.vector, request.address, p.space}, [&](std::uint32_t l, std::byte* host) {
        std::uint64_t first = 0;
        for (std::size_t e = 0; e < p.vector; ++e) {
          const std::uint64_t old = host ? exchange(host + e * bytes, p, bytes, request.data[e][l], 0, worker.machine.parallel) : 0;
          if (extra.row_bytes[e]) write_register(*request.frame, extra.rows[e], extra.row_bytes[e], l, old);
          if (e == 0) first = old;
        }
        return first;
      });
}

void perform_mbarrier(Worker& worker, MemoryRequest& request) {
  const Inst& i = *request.inst;
  const ptx::Instruction& p = *i.ptx;
  Warp& warp = *request.warp;
  const Extra& extra = request.frame->code->extras[i.extra];
  for (std::uint32_t left = request.mask; left; left &= left - 1) {
    const auto l = static_cast<std::uint32_t>(std::countr_zero(left));
    if (resolve(p.space, request.address[l]).space == Space::shared) continue;
    return worker.fault(
        warp, i, l, "cudaErrorIllegalAddress",
        to_say("A barrier object is used{at} that is not in shared memory. Declare it __shared__.", "at"_a = place_of(p)));
  }
  const bool first_write = p.op == Opcode::mbarrier_init;
  std::uint32_t ended_phase = 0;
  for_lanes(worker, request,
            {.kind = first_write ? Access::Kind::store : Access::Kind::atomic,
             .bytes = 8,
             .address = request.address,
             .space = p.space,
             .ended_phase = first_write ? nullptr : &ended_phase},
            [&](std::uint32_t l, std::byte* host) {
              std::uint64_t word = 0;
              if (!host) return word;
              std::memcpy(&word, host, sizeof word);
              const MbarrierStep step = mbarrier_step(p.op, word, request.data[0][l]);
              if (!step.misuse.empty()) {
                Paragraph told = to_say("A barrier object in shared memory is used wrongly{at}.", "at"_a = place_of(p));
                told.add(step.misuse);
                worker.fault(warp, i, l, "cudaErrorIllegalInstruction", std::move(told));
                return word;
              }
              std::memcpy(host, &step.word, sizeof step.word);
              ended_phase |= static_cast<std::uint32_t>(step.passed || ended_a_phase(word, step.word)) << l;
              if (ptx::has(p.op, ptx::trait::mbarrier_wait)) {
                auto* passed = reinterpret_cast<std::uint32_t*>(request.frame->rows.get() + i.d.offset);
                *passed = (*passed & ~(1u << l)) | static_cast<std::uint32_t>(step.passed) << l;
              } else if (extra.row_bytes[0]) {
                write_register(*request.frame, i.d, 8, l, step.token);
              }
              return word;
            });
}

/// The commonest atomic: 32-bit integers are added.
bool counts(const ptx::Instruction& p) { return p.atomic == AtomicOp::add && ptx::bytes_of(p.type) == 4 && !ptx::is_float(p.type); }

/// cp.async
void perform_copy(Worker& worker, MemoryRequest& request, bool only_tells) {
  const unsigned bytes = request.inst->bytes;
  std::byte copied[lanes][16] = {};
  for_lanes(worker, request, {Access::Kind::load, bytes, request.from, Space::global, only_tells},
            [&](std::uint32_t l, const std::byte* host) {
              const auto wanted = std::min<std::uint64_t>(request.data[0][l], bytes);  // fewer: the rest becomes zeros
              if (host) std::memcpy(copied[l], host, wanted);
              return std::uint64_t{0};
            });
  if (worker.machine.stop.load(std::memory_order_relaxed)) return;
  for_lanes(worker, request, {Access::Kind::store, bytes, request.address, Space::shared, only_tells},
            [&](std::uint32_t l, std::byte* host) {
              if (host && !only_tells) std::memcpy(host, copied[l], bytes);
              std::uint64_t low = 0;
              std::memcpy(&low, copied[l], std::min<std::size_t>(bytes, sizeof low));
              return low;
            });
}

void perform_unreported(Worker& worker, MemoryRequest& request) {
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
                  if (bytes == 16) {
                    for (int half = 0; host && half < 2; ++half) std::memcpy(host + half * 8, &request.data[half][l], 8);
                    return request.data[0][l];
                  }
                  std::uint64_t low = 0;
                  for (std::size_t e = 0; e < extra.rows.size(); ++e) {
                    if (host) std::memcpy(host + e * bytes, &request.data[e][l], bytes);
                    if ((e + 1) * bytes <= sizeof low)
                      std::memcpy(reinterpret_cast<std::byte*>(&low) + e * bytes, &request.data[e][l], bytes);
                  }
                  return low;
                });
      return;
    case Opcode::atom:
    case Opcode::red:
      if (p.vector > 1) return perform_vector_atomic(worker, request);
      if (bytes == 16) {
        for_lanes(worker, request, {Access::Kind::atomic, bytes, request.address, p.space}, [&](std::uint32_t l, std::byte* host) {
          const u128 old = host ? exchange128(host, p, joined(request.data[0][l], request.data[1][l]),
                                              joined(request.data[2][l], request.data[3][l]), parallel)
                                : 0;
          if (extra.row_bytes[0]) write_wide(frame, i.d, l, &old);
          return static_cast<std::uint64_t>(old);
        });
        return;
      }
      if (const unsigned row = p.op == Opcode::atom ? extra.row_bytes[0] : 0; counts(p) && !parallel && (row == 0 || row == 4)) {
        for_lanes(worker, request, {Access::Kind::atomic, 4, request.address, p.space}, [&](std::uint32_t l, std::byte* host) {
          std::uint32_t old = 0;
          if (host) {
            std::memcpy(&old, host, 4);
            const std::uint32_t sum = old + static_cast<std::uint32_t>(request.data[0][l]);
            std::memcpy(host, &sum, 4);
          }
          if (row) write_register(frame, i.d, 4, l, old);
          return std::uint64_t{old};
        });
        return;
      }
      for_lanes(worker, request, {Access::Kind::atomic, bytes, request.address, p.space}, [&](std::uint32_t l, std::byte* host) {
        const std::uint64_t old = host ? exchange(host, p, bytes, request.data[0][l], request.data[1][l], parallel) : 0;
        if (p.op == Opcode::atom && extra.row_bytes[0])
          write_register(frame, i.d, extra.row_bytes[0], l, extend(p.type, bytes, old));
        return old;
      });
      return;
    case Opcode::cp_async:
      return perform_copy(worker, request, false);
    default:
      if (ptx::has(p.op, ptx::trait::mbarrier)) return perform_mbarrier(worker, request);
      for_lanes(worker, request, {Access::Kind::load, static_cast<unsigned>(bytes * extra.rows.size()), request.address, p.space},
                [&](std::uint32_t l, std::byte* host) {
                  std::uint64_t low = 0;
                  if (host) std::memcpy(&low, host, std::min<std::size_t>(bytes * extra.rows.size(), sizeof low));
                  if (bytes == 16) {
                    constexpr std::byte zeros[16]{};
                    if (extra.row_bytes[0]) write_wide(frame, extra.rows[0], l, host ? host : zeros);
                    return low;
                  }
                  for (std::size_t e = 0; e < extra.rows.size(); ++e) {
                    std::uint64_t value = 0;
                    if (host) std::memcpy(&value, host + e * bytes, bytes);
                    if (extra.row_bytes[e])
                      write_register(frame, extra.rows[e], extra.row_bytes[e], l, extend(p.type, bytes, value));
                  }
                  return low;
                });
  }
}

}  // namespace

void report_ahead(Worker& worker, MemoryRequest& request) {
  perform_copy(worker, request, true);
  request.reported = true;
}

void perform(Worker& worker, MemoryRequest& request) {
  perform_unreported(worker, request);
  if (!worker.machine.report_changes) return;
  if (!worker.machine.stop.load(std::memory_order_relaxed))
    report_change(worker, *request.warp, *request.frame, *request.inst, request.mask);
  worker.stored.clear();
}

std::uint64_t perform_atomic(Warp& w, const Inst& i, const Extra& extra, std::uint32_t lane, std::byte* at, bool parallel) {
  const std::uint64_t b = read_row(w, i.b, i.bytes, lane);
  const std::uint64_t c = i.ptx->atomic == AtomicOp::cas ? read_row(w, i.c, i.bytes, lane) : 0;
  const std::uint64_t old = exchange(at, *i.ptx, i.bytes, b, c, parallel);
  if (extra.row_bytes[0]) write_register(*w.frame, i.d, extra.row_bytes[0], lane, extend(i.ptx->type, i.bytes, old));
  return old;
}

bool may_be_combined(const ptx::Instruction& p) {
  switch (p.atomic) {
    case AtomicOp::add:
    case AtomicOp::min:
    case AtomicOp::max:
    case AtomicOp::and_:
    case AtomicOp::or_:
    case AtomicOp::xor_:
      return !ptx::is_float(p.type) && p.vector == 1 && ptx::bytes_of(p.type) <= 8;
    default:
      return false;
  }
}

void perform_combined(Warp& w, const Inst& i, std::byte* at, bool parallel) {
  std::uint64_t together = read_row(w, i.b, i.bytes, static_cast<std::uint32_t>(std::countr_zero(w.exec)));
  for (std::uint32_t left = w.exec & (w.exec - 1); left; left &= left - 1)
    together = combine(*i.ptx, together, read_row(w, i.b, i.bytes, static_cast<std::uint32_t>(std::countr_zero(left))), 0);
  (void)exchange(at, *i.ptx, i.bytes, together, 0, parallel);
}

void general_access(Warp& w, const Inst& i) {
  MemoryRequest request;
  capture(w, i, request);
  request.issued = request.reached = request.done = w.worker->event_number;
  perform(*w.worker, request);
  // Who waits at an mbarrier needs others to run.
  if (ptx::has(i.ptx->op, ptx::trait::mbarrier_wait) && w.running && (~*w.row_of<std::uint32_t>(i.d) & w.exec)) {
    w.waiting.push_back(w.save());
    w.running = false;
    w.fuel = 0;
  }
}

void deferred_access(Warp& w, const Inst& i) { w.worker->clock->take(w, i); }

void frame_address(Warp& w, const Inst& i) {
  const std::uint64_t address = static_cast<std::uint64_t>(i.offset) + w.frame->local_base;
  for (std::uint32_t l = 0; l < lanes; ++l)
    if (w.exec >> l & 1u) std::memcpy(w.row(i.d) + std::size_t{l} * i.bytes, &address, i.bytes);
}

/// cvta.local of a local variable's name.
void frame_generic_address(Warp& w, const Inst& i) {
  const std::uint64_t address = local_window + static_cast<std::uint64_t>(i.offset) + w.frame->local_base;
  for (std::uint32_t l = 0; l < lanes; ++l)
    if (w.exec >> l & 1u) std::memcpy(w.row(i.d) + std::size_t{l} * i.bytes, &address, i.bytes);
}

/// alloca: every lane gets the same piece, as large as the largest that any asks for.
void stack_allocate(Warp& w, const Inst& i) {
  Frame& frame = *w.frame;
  std::uint64_t most = 0;
  for (std::uint32_t left = w.exec; left; left &= left - 1)
    most = std::max(most, read_row(w, i.a, ptx::bytes_of(i.ptx->type), static_cast<std::uint32_t>(std::countr_zero(left))));
  const std::uint64_t align = i.ptx->operands.size() > 2 ? std::clamp<std::uint64_t>(i.ptx->operands[2].bits, 8, 4096) : 8;
  const std::uint64_t top = frame.local_base + frame.code->frame_bytes + frame.dynamic_bytes;
  const std::uint64_t address = (top + align - 1) / align * align;
  if (most > max_local_bytes || address + most > max_local_bytes) return w.worker->fault_stack_overflow(w, i);
  if (!w.grow_local(static_cast<std::uint32_t>(address + most))) return;
  frame.dynamic_bytes = static_cast<std::uint32_t>(address + most - frame.local_base - frame.code->frame_bytes);
  for (std::uint32_t l = 0; l < lanes; ++l)
    if (w.exec >> l & 1u) write_register(frame, i.d, ptx::bytes_of(i.ptx->type), l, address);
}
void stack_save(Warp& w, const Inst& i) {
  const std::uint64_t top = w.frame->local_base + w.frame->code->frame_bytes + w.frame->dynamic_bytes;
  for (std::uint32_t l = 0; l < lanes; ++l)
    if (w.exec >> l & 1u) write_register(*w.frame, i.d, ptx::bytes_of(i.ptx->type), l, top);
}
/// While other lanes are elsewhere in this function, what they have allocated stays.
void stack_restore(Warp& w, const Inst& i) {
  Frame& frame = *w.frame;
  if (w.exec != frame.lanes_inside) return;
  const std::uint64_t bottom = std::uint64_t{frame.local_base} + frame.code->frame_bytes;
  const std::uint64_t top = read_row(w, i.a, ptx::bytes_of(i.ptx->type), static_cast<std::uint32_t>(std::countr_zero(w.exec)));
  if (top >= bottom && top <= bottom + frame.dynamic_bytes) frame.dynamic_bytes = static_cast<std::uint32_t>(top - bottom);
}

void parameter_load(Warp& w, const Inst& i) {
  const Extra& extra = w.frame->code->extras[i.extra];
  const auto& parameters = w.worker->machine.parameters;
  for (std::size_t e = 0; e < extra.rows.size(); ++e) {
    const unsigned to = extra.row_bytes[e];
    const std::size_t at = static_cast<std::size_t>(i.offset) + e * i.bytes;
    if (!to || at + i.bytes > parameters.size()) continue;
    if (i.bytes == 16) {
      for (std::uint32_t l = 0; l < lanes; ++l)
        if (w.exec >> l & 1u) write_wide(*w.frame, extra.rows[e], l, parameters.data() + at);
      continue;
    }
    std::uint64_t value = 0;
    if (i.bytes == sizeof value)  // a copy of known size takes no call
      std::memcpy(&value, parameters.data() + at, sizeof value);
    else
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
