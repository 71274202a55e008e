#include "gpu/virtual/vm/clock/cost.h"

#include <algorithm>
#include <cmath>

namespace warpbook::gpu::vm {
namespace {

using ptx::Opcode;

// Machine instructions of what PTX calls one, counted from the size of the code that ptxas 13.0 makes of them for sm_75 and
// sm_90, less the paths for subnormal numbers: they take issue slots from other warps. The time until the result is there is the
// profile's.
constexpr std::uint8_t divide_signed_slots = 23, divide_unsigned_slots = 17, divide64_slots = 80, divide_float_slots = 10;
constexpr std::uint8_t divide_approx_slots = 5, square_root_slots = 9, square_root_approx_slots = 3, wide_slots = 2,
                       wide_product_slots = 4;

/// Reads of special registers (%tid, %clock) go a slower way than arithmetic; inferred, as a shuffle's.
bool reads_special(const ptx::Instruction& p) {
  return p.op == Opcode::mov && p.operands.size() > 1 && p.operands[1].kind == ptx::Operand::Kind::special;
}

WaitsFor waits_for(Opcode op) {
  switch (op) {
    case Opcode::bar:
    case Opcode::barrier:
    case Opcode::bar_warp:
    case Opcode::shfl:  // lanes that meet are ordered: what they asked memory for before is done
    case Opcode::vote:
    case Opcode::match:
    case Opcode::redux:
    case Opcode::membar:
    case Opcode::fence:
    case Opcode::cluster_arrive:
    case Opcode::cluster_wait:
    case Opcode::cp_async_bulk_commit_group:  // bulk copies are ordinary loads and stores here
    case Opcode::cp_async_bulk_wait_group:
    case Opcode::cp_async_bulk_wait_group_read:
      return WaitsFor::requests;
    case Opcode::cp_async_wait_group:
      return WaitsFor::groups;
    case Opcode::cp_async_wait_all:
    case Opcode::cp_async_mbarrier_arrive:
    case Opcode::cp_async_mbarrier_arrive_noinc:
    case Opcode::call:
      return WaitsFor::copies;
    default:
      return WaitsFor::nothing;
  }
}

bool touches_memory(const ptx::Instruction& p) {
  if (p.space == ptx::Space::param) return false;
  switch (p.op) {
    case Opcode::ld:
    case Opcode::ldu:
    case Opcode::st:
    case Opcode::atom:
    case Opcode::red:
    case Opcode::cp_async:
      return true;
    default:
      return false;
  }
}

struct Shape {
  Unit unit;
  double latency;
  std::uint8_t slots = 1;
};

Shape shape_of(const ptx::Instruction& p, const ClockFigures& f) {
  const bool wide = ptx::bytes_of(p.type) == 8;
  const bool is_float = ptx::is_float(p.type);
  switch (p.op) {
    case Opcode::mul:
    case Opcode::mad:
    case Opcode::mul24:
    case Opcode::mad24:
      if (is_float) return wide ? Shape{Unit::fp64, f.fp64} : Shape{Unit::fp32, f.alu};
      return {Unit::int32, wide ? 2 * f.imad : f.imad, wide ? wide_product_slots : std::uint8_t{1}};
    case Opcode::div:
    case Opcode::rem:
      if (is_float && p.approx) return {Unit::sfu, f.sfu + f.alu, divide_approx_slots};
      if (is_float) return {wide ? Unit::fp64 : Unit::other, wide ? f.divide64 : f.divide32, divide_float_slots};
      return {Unit::other, wide ? f.divide64 : f.divide32,
              wide                       ? divide64_slots
              : p.type == ptx::Type::s32 ? divide_signed_slots
                                         : divide_unsigned_slots};
    case Opcode::sqrt:
    case Opcode::rcp:
    case Opcode::rsqrt:
      if (p.approx) return {Unit::sfu, f.sfu, p.op == Opcode::sqrt ? square_root_approx_slots : std::uint8_t{1}};
      return {Unit::sfu, f.square_root, square_root_slots};
    case Opcode::sin:
    case Opcode::cos:
    case Opcode::ex2:
    case Opcode::lg2:
    case Opcode::tanh:
      return {Unit::sfu, f.sfu};
    case Opcode::cvt:
      return ptx::is_float(p.type) != ptx::is_float(p.type2) ? Shape{Unit::sfu, f.sfu} : Shape{Unit::int32, f.alu};
    case Opcode::popc:
    case Opcode::clz:
    case Opcode::brev:
      return {Unit::sfu, f.sfu};
    case Opcode::shfl:
    case Opcode::vote:
    case Opcode::match:
    case Opcode::redux:
      return {Unit::other, f.shuffle};
    case Opcode::ld:
    case Opcode::st:
    case Opcode::atom:
    case Opcode::red:
    case Opcode::cp_async:
      return {Unit::other, f.alu};
    case Opcode::mov:
      return {Unit::int32, reads_special(p) ? f.shuffle : f.alu};
    case Opcode::selp:
      return {Unit::int32, f.alu};
    case Opcode::bra:
      return {Unit::other, f.alu};
    default:
      break;
  }
  if (is_float) return wide ? Shape{Unit::fp64, f.fp64} : Shape{Unit::fp32, f.alu};
  return {Unit::int32, f.alu, wide ? wide_slots : std::uint8_t{1}};
}

int lanes_of(Unit unit, const ClockFigures& f) {
  switch (unit) {
    case Unit::fp32:
      return f.fp32_lanes;
    case Unit::int32:
      return f.int32_lanes;
    case Unit::fp64:
      return f.fp64_lanes;
    case Unit::sfu:
      return f.sfu_lanes;
    default:
      return static_cast<int>(32 * f.schedulers);
  }
}

/// base + i × size: the product is written just before and read here, and both are one instruction of the machine.
bool completes_product(const Code& code, std::size_t index) {
  const ptx::Instruction& p = *code.insts[index].ptx;
  if (p.op != Opcode::add || ptx::bytes_of(p.type) != 8 || ptx::is_float(p.type) || code.insts[index].pseudo) return false;
  const auto& reads = code.extras[code.scoreboard[index]].reads;
  for (std::size_t back = 1; back <= 4 && back <= index; ++back) {
    const Inst& before = code.insts[index - back];
    if (before.pseudo) return false;
    if (before.ptx->op != Opcode::mul || before.ptx->part != ptx::Part::wide) continue;
    for (const std::uint16_t written : code.extras[code.scoreboard[index - back]].writes)
      if (std::find(reads.begin(), reads.end(), written) != reads.end()) return true;
  }
  return false;
}

/// Of the same 16 bytes as a load shortly before, by the address register that both use.
bool joins(const Code& code, std::size_t index) {
  const auto shared_load = [](const Inst& inst) {
    return !inst.pseudo && inst.ptx->op == Opcode::ld && inst.ptx->space == ptx::Space::shared && inst.ptx->vector == 1 &&
           inst.bytes >= 4 && inst.bytes <= 8 && !inst.ptx->guarded;
  };
  const Inst& inst = code.insts[index];
  if (!shared_load(inst)) return false;
  const ptx::Operand& address = inst.ptx->operands.back();
  for (std::size_t back = 1; back <= 16 && back <= index; ++back) {
    const Inst& before = code.insts[index - back];
    if (before.pseudo || before.flow != Flow::plain) return false;
    if (address.base == ptx::Operand::Base::reg) {
      const auto& written = code.extras[code.scoreboard[index - back]].writes;
      if (std::find(written.begin(), written.end(), static_cast<std::uint16_t>(address.index)) != written.end()) return false;
    }
    if (!shared_load(before) || before.bytes != inst.bytes) continue;
    const ptx::Operand& other = before.ptx->operands.back();
    if (other.base == address.base && other.index == address.index && before.offset != inst.offset &&
        before.offset >> 4 == inst.offset >> 4)
      return true;
  }
  return false;
}

bool vanishes(const Code& code, std::size_t index) {
  const Inst& inst = code.insts[index];
  const ptx::Instruction& p = *inst.ptx;
  if (p.guarded) return false;
  switch (p.op) {
    case Opcode::cvta:
      return true;
    case Opcode::mov:
      return !reads_special(p);
    case Opcode::ld:
      return p.space == ptx::Space::param;
    default:
      return completes_product(code, index);
  }
}

}  // namespace

CostTable::CostTable(const Code& of_code, const ClockFigures& figures)
    : code(&of_code), costs(of_code.insts.size()), cycles(of_code.insts.size()) {
  // A thread that ends leaves its stores on their way; a function's frame must stay until what it asked for is there.
  const bool leaves_frame = !of_code.function->entry;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const Inst& inst = of_code.insts[i];
    Cost& cost = costs[i];
    if (inst.pseudo) {
      // The implicit ret at the end of the code is an instruction of the machine, reconvergence points are not.
      cost.slots = i + 1 == costs.size() ? 1 : 0;
      if (leaves_frame && cost.slots) cost.waits_for = WaitsFor::copies;
      continue;
    }
    const ptx::Instruction& p = *inst.ptx;
    const Shape shape = shape_of(p, figures);
    cost.unit = shape.unit;
    cost.latency = static_cast<std::uint16_t>(std::lround(shape.latency));
    cost.slots = vanishes(of_code, i) ? 0 : shape.slots;
    // Of a subroutine on the special functions' unit only one instruction is theirs.
    const int on_unit = shape.unit == Unit::sfu ? 1 : std::max<int>(1, cost.slots);
    cost.busy = static_cast<std::uint16_t>(
        std::max<int>({1, cost.slots, static_cast<int>(32 * figures.schedulers) / lanes_of(shape.unit, figures) * on_unit}));
    cost.memory = touches_memory(p);
    cost.joins = joins(of_code, i);
    cost.waits_for = leaves_frame && p.op == Opcode::ret ? WaitsFor::copies : waits_for(p.op);
    if (p.op == Opcode::shfl || p.op == Opcode::vote || p.op == Opcode::match || p.op == Opcode::redux || reads_special(p))
      cost.result = WarpState::shared;
  }
}

}  // namespace warpbook::gpu::vm
