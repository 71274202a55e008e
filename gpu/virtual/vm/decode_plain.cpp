// Decodes what does not access memory: rows for operands, and the handler for them.
#include <fmt/format.h>

#include <algorithm>

#include "gpu/virtual/ptx/opcodes.h"
#include "gpu/virtual/vm/analysis/barrier_intervals.h"
#include "gpu/virtual/vm/decoder.h"

namespace warpbook::gpu::vm {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using ptx::Type;

namespace {

/// Bytes that an instruction expects of a source operand, counted from the first source. Registers bring their own width;
/// this is for immediates and special registers.
unsigned source_bytes(const Instruction& inst, std::size_t source) {
  const unsigned whole = ptx::bytes_of(inst.type);
  switch (inst.op) {
    case Opcode::shl:
    case Opcode::shr:
      return source == 1 ? 4 : whole;
    case Opcode::bfe:
      return source >= 1 ? 4 : whole;
    case Opcode::bfi:
      return source >= 2 ? 4 : whole;
    case Opcode::mad:
      return inst.part == ptx::Part::wide && source == 2 ? 2 * whole : whole;
    case Opcode::cvt:
      return ptx::bytes_of(inst.type2);
    case Opcode::set:
      return source < 2 ? ptx::bytes_of(inst.type2) : 4;
    case Opcode::slct:
      return source == 2 ? 4 : whole;
    case Opcode::shf_l:
    case Opcode::shf_r:
    case Opcode::fns:
    case Opcode::bmsk:
    case Opcode::szext:
    case Opcode::prmt:
    case Opcode::lop3:
    case Opcode::dp4a:
    case Opcode::dp2a:
    case Opcode::bar:
    case Opcode::barrier:
    case Opcode::bar_warp:
    case Opcode::brx:
    case Opcode::nanosleep:
    case Opcode::vote:
    case Opcode::redux:
    case Opcode::elect:
      return 4;
    case Opcode::shfl:
      return 4;
    case Opcode::match:
      return source == 0 ? whole : 4;
    case Opcode::mapa:
      return source == 0 ? whole : 4;
    case Opcode::cvt_pack:
      return source < 2 ? ptx::bytes_of(inst.type2) : 4;
    case Opcode::alloca:
      return whole;
    default:
      return whole ? whole : 8;
  }
}

}  // namespace

void Decoder::fill_destinations(const Instruction& inst, Inst& out, Widths& widths) {
  if (inst.destinations == 0) return;
  const Operand& d = inst.operands[0];
  if (d.kind == Operand::Kind::vector) {  // mov.b64 {lo, hi}, %rd1
    Extra extra;
    for (const Operand& element : d.elements) {
      extra.rows.push_back(rows_.row(element, rows_.width_of(element), inst.type));
      extra.row_bytes.push_back(rows_.width_of(element));
    }
    out.extra = new_extra(std::move(extra));
  } else {
    out.d = rows_.row(d, 0, inst.type);
    widths.d = rows_.width_of(d);
    out.bytes = d.kind == Operand::Kind::sink ? 0 : 1;  // of setp, shfl …: 0 where the first destination is "_"
  }
  if (inst.destinations > 1) out.d2 = rows_.row(inst.operands[1], 0, Type::pred);
}

bool Decoder::is_predicate(const Instruction& inst, const Operand& operand, std::size_t source) const {
  if (operand.kind == Operand::Kind::reg) return function_.registers[operand.index].type == Type::pred;
  if (inst.op == Opcode::bar || inst.op == Opcode::barrier) return false;  // the barrier's number, the number of threads
  return inst.op == Opcode::vote ? source == 0 : inst.type == Type::pred;
}

void Decoder::fill_sources(const Instruction& inst, Inst& out, Widths& widths) {
  Row* rows[] = {&out.a, &out.b, &out.c};
  Extra extra;
  const std::size_t next = std::min<std::size_t>(inst.destinations, 2);
  for (std::size_t s = 0; next + s < inst.operands.size(); ++s) {
    const Operand& operand = inst.operands[next + s];
    if (operand.kind == Operand::Kind::vector) {  // mov.b64 %rd1, {lo, hi}
      const unsigned each = ptx::bytes_of(inst.type) / static_cast<unsigned>(operand.elements.size());
      for (const Operand& element : operand.elements) {
        extra.rows.push_back(rows_.row(element, each, Type::none));
        extra.row_bytes.push_back(static_cast<std::uint8_t>(each));
      }
      continue;
    }
    if (operand.kind == Operand::Kind::address) {
      fill_address(operand, out);
      continue;
    }
    const bool predicate = is_predicate(inst, operand, s);
    const unsigned bytes = source_bytes(inst, s);
    Type type = inst.op == Opcode::cvt || inst.op == Opcode::set ? inst.type2 : inst.type;
    if (bytes != ptx::bytes_of(type) || (type == Type::pred && !predicate)) type = Type::none;
    const Row source = rows_.row(operand, bytes, predicate ? Type::pred : type);
    if (operand.negated) out.a_negated = true;
    if (s == 0) widths.a = operand.kind == Operand::Kind::reg ? rows_.width_of(operand) : static_cast<std::uint8_t>(bytes);
    if (s < 3)
      *rows[s] = source;
    else
      extra.rows.push_back(source);
    if (inst.op == Opcode::lop3 && operand.kind == Operand::Kind::immediate && s == 3)
      out.offset = static_cast<std::int64_t>(operand.bits);
    if (operand.kind == Operand::Kind::special && bytes != 4 && inst.op == Opcode::mov) widths.a = 4;
  }
  if (!extra.rows.empty()) out.extra = new_extra(std::move(extra));
}

bool Decoder::fill_frame_address(const Instruction& inst, Inst& out, Widths widths) {
  if (inst.op != Opcode::mov && inst.op != Opcode::cvta) return false;
  if (inst.operands.size() < 2 || inst.operands[1].kind != Operand::Kind::variable || !rows_.in_frame(inst.operands[1]))
    return false;
  out.offset = static_cast<std::int64_t>(rows_.address_of(inst.operands[1]));
  out.bytes = widths.d;
  out.handler = inst.op == Opcode::mov ? frame_address : frame_generic_address;
  return true;
}

Result<void> Decoder::fill_plain(const Instruction& inst, Inst& out) {
  Widths widths;
  fill_destinations(inst, out, widths);
  fill_sources(inst, out, widths);
  if (fill_frame_address(inst, out, widths)) return {};
  if (inst.op == Opcode::cvt) out.cache = static_cast<std::uint32_t>(widths.d) << 8 | widths.a;
  out.handler = control_handler(inst);
  const bool ends = (inst.op == Opcode::ret || inst.op == Opcode::exit) && !inst.guarded;
  out.flow = !out.handler ? Flow::plain : is_plain_barrier(inst) ? Flow::barrier : ends ? Flow::end : Flow::other;
  out.only_reads_shared_after = mode_ == Mode::observed && reads_only_[out.pc];
  if (!out.handler) out.handler = scalar_handler(inst, widths);
  if (!out.handler) {
    const auto choose = set_ == InstructionSet::avx512 ? avx512::lanewise_handler
                        : set_ == InstructionSet::avx2 ? avx2::lanewise_handler
                                                       : generic::lanewise_handler;
    const Handlers found = choose(inst, widths);
    out.handler = found.alone;
    out.in_lockstep = found.in_lockstep;
  }
  if (!out.handler) return unsupported(inst, fmt::format("'{}' in this form", ptx::row(inst.op).spelling));
  return {};
}

}  // namespace warpbook::gpu::vm
