#include "gpu/virtual/vm/native/form.h"

#include <initializer_list>

#include "gpu/virtual/ptx/module.h"

namespace warpbook::gpu::vm {
namespace {

using ptx::Compare;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using ptx::Rounding;
using ptx::Type;
using Kind = Form::Kind;

bool is_integer(Type type) {
  using enum Type;
  return type == u32 || type == s32 || type == u64 || type == s64;
}
bool is_word(Type type) { return is_integer(type) || type == Type::b32 || type == Type::b64; }
bool is_real(Type type) { return type == Type::f32 || type == Type::f64; }
bool is_nearest(const Instruction& p) { return p.rounding == Rounding::none || p.rounding == Rounding::rn; }
bool is_plain_real(const Instruction& p) {
  return is_real(p.type) && is_nearest(p) && !p.ftz && !p.sat && !p.relu && !p.approx && !p.full && !p.nan && !p.xorsign;
}
bool is_plain_integer(const Instruction& p) { return is_integer(p.type) && !p.sat && !p.carry_out && !p.relu; }

Form same(Kind kind, Type type, std::uint8_t sources) {
  const auto bytes = static_cast<std::uint8_t>(ptx::bytes_of(type));
  return {kind, bytes, sources, {bytes, bytes, bytes}};
}

Form arithmetic(const Instruction& p, Kind integers, Kind reals, std::uint8_t sources) {
  if (is_plain_integer(p) && p.part == ptx::Part::none) return same(integers, p.type, sources);
  return is_plain_real(p) ? same(reals, p.type, sources) : Form{};
}
Form product(const Instruction& p, bool adds) {
  const std::uint8_t sources = adds ? 3 : 2;
  if (is_plain_integer(p) && p.part == ptx::Part::lo) return same(adds ? Kind::mad : Kind::mul, p.type, sources);
  if (is_plain_integer(p) && p.part == ptx::Part::wide && ptx::bytes_of(p.type) == 4)
    return {adds ? Kind::mad_wide : Kind::mul_wide, 8, sources, {4, 4, 8}};
  return is_plain_real(p) ? same(adds ? Kind::ffma : Kind::fmul, p.type, sources) : Form{};
}
Form conversion(const Instruction& p) {
  const Type to = p.type, from = p.type2;
  if (p.ftz || p.sat || p.relu || p.operands.size() != 2) return {};
  const bool both_integers = is_integer(to) && is_integer(from) && p.rounding == Rounding::none;
  const bool integral =
      p.rounding == Rounding::rni || p.rounding == Rounding::rzi || p.rounding == Rounding::rmi || p.rounding == Rounding::rpi;
  const bool to_integer = (from == Type::f32 && (to == Type::s32 || to == Type::u32) && integral) ||
                          (from == Type::f64 && to == Type::s32 && p.rounding == Rounding::rzi);
  const bool to_real = is_real(to) && is_integer(from) && p.rounding == Rounding::rn;
  const bool widens =
      to == Type::f64 && (from == Type::s32 || from == Type::u32 || from == Type::f32) && p.rounding == Rounding::none;
  const bool between_reals = is_real(to) && is_real(from) && (to == from ? integral : to == Type::f32 && is_nearest(p));
  if (!both_integers && !to_integer && !to_real && !widens && !between_reals) return {};
  return {Kind::convert, static_cast<std::uint8_t>(ptx::bytes_of(to)), 1, {static_cast<std::uint8_t>(ptx::bytes_of(from))}};
}
Form comparison(const Instruction& p) {
  if (p.destinations != 1 || p.boolean != ptx::Boolean::none || p.ftz) return {};
  if (!is_word(p.type) && !is_real(p.type)) return {};
  const auto bytes = static_cast<std::uint8_t>(ptx::bytes_of(p.type));
  return {Kind::compare, 0, 2, {bytes, bytes, 0}};
}
Form logic(const Instruction& p, Kind words, Kind predicates, std::uint8_t sources) {
  if (p.type == Type::pred) return {predicates, 0, sources, {}};
  return is_word(p.type) ? same(words, p.type, sources) : Form{};
}
Form shift(const Instruction& p, Kind kind) {
  const auto bytes = static_cast<std::uint8_t>(ptx::bytes_of(p.type));
  return is_word(p.type) ? Form{kind, bytes, 2, {bytes, 4, 0}} : Form{};
}
/// One element of a register's width, at addresses of 64 bits: a register's, or a variable's own, which is a row like any other.
Form access(const Instruction& p, const Inst& inst) {
  const auto bytes = static_cast<std::uint8_t>(ptx::bytes_of(p.type));
  const bool load = p.op == Opcode::ld;
  const bool known_space = p.space == ptx::Space::global || p.space == ptx::Space::generic ||
                           (p.space == ptx::Space::constant && load) || p.space == ptx::Space::shared;
  if (p.guarded || p.vector != 1 || (bytes != 4 && bytes != 8) || !known_space || inst.frame_relative || inst.address32) return {};
  return {load ? Kind::load : Kind::store, bytes, static_cast<std::uint8_t>(load ? 0 : 1), {bytes}};
}

Form form_by_opcode(const Instruction& p, const Inst& inst) {
  switch (p.op) {
    case Opcode::add:
      return arithmetic(p, Kind::add, Kind::fadd, 2);
    case Opcode::sub:
      return arithmetic(p, Kind::sub, Kind::fsub, 2);
    case Opcode::mul:
      return product(p, false);
    case Opcode::mad:
    case Opcode::fma:
      return product(p, true);
    case Opcode::div:
      return is_plain_real(p) ? same(Kind::fdiv, p.type, 2) : Form{};
    case Opcode::sqrt:
      return is_plain_real(p) ? same(Kind::fsqrt, p.type, 1) : Form{};
    case Opcode::rcp:
      return is_plain_real(p) ? same(Kind::frcp, p.type, 1) : Form{};
    case Opcode::min:
      return arithmetic(p, Kind::min, Kind::fmin, 2);
    case Opcode::max:
      return arithmetic(p, Kind::max, Kind::fmax, 2);
    case Opcode::neg:
    case Opcode::abs:
      return is_plain_integer(p) ? same(p.op == Opcode::neg ? Kind::neg : Kind::abs, p.type, 1) : Form{};
    case Opcode::and_:
      return logic(p, Kind::and_, Kind::predicate_and, 2);
    case Opcode::or_:
      return logic(p, Kind::or_, Kind::predicate_or, 2);
    case Opcode::xor_:
      return logic(p, Kind::xor_, Kind::predicate_xor, 2);
    case Opcode::not_:
      return logic(p, Kind::not_, Kind::predicate_not, 1);
    case Opcode::shl:
      return shift(p, Kind::shl);
    case Opcode::shr:
      return shift(p, Kind::shr);
    case Opcode::lop3:
      return p.boolean == ptx::Boolean::none ? same(Kind::lop3, Type::b32, 3) : Form{};
    case Opcode::mov:
      if (p.type == Type::pred) return {Kind::predicate_copy, 0, 1, {}};
      return is_word(p.type) || is_real(p.type) ? same(Kind::copy, p.type, 1) : Form{};
    case Opcode::cvta:
      return p.space == ptx::Space::global || p.space == ptx::Space::constant ? same(Kind::copy, p.type, 1) : Form{};
    case Opcode::cvt:
      return conversion(p);
    case Opcode::setp:
      return comparison(p);
    case Opcode::selp: {
      Form form = is_word(p.type) || is_real(p.type) ? same(Kind::select, p.type, 3) : Form{};
      form.source[2] = 0;
      return form;
    }
    case Opcode::ld:
    case Opcode::st:
      return access(p, inst);
    default:
      return {};
  }
}

/// A register of so many bytes a lane; 0: a predicate.
bool is_register(const Code& code, const Operand& operand, unsigned bytes) {
  if (operand.kind != Operand::Kind::reg || operand.negated) return false;
  const Type type = code.function->registers[operand.index].type;
  return bytes == 0 ? type == Type::pred : type != Type::pred && ptx::bytes_of(type) == bytes;
}
bool is_source(const Code& code, const Operand& operand, unsigned bytes) {
  if (operand.kind == Operand::Kind::immediate) return bytes != 0;
  if (operand.kind == Operand::Kind::special) return bytes == 4;
  return is_register(code, operand, bytes);
}

}  // namespace

Form form_of(const Code& code, const Inst& inst) {
  if (inst.flow != Flow::plain || inst.pseudo || !inst.ptx) return {};
  const Instruction& p = *inst.ptx;
  const Form form = form_by_opcode(p, inst);
  if (form.kind == Kind::none) return {};
  if (form.kind == Kind::load) return is_register(code, p.operands[0], form.bytes) ? form : Form{};
  if (form.kind == Kind::store) return is_source(code, p.operands[1], form.bytes) ? form : Form{};
  if (p.destinations != 1 || !is_register(code, p.operands[0], form.bytes)) return {};
  for (std::size_t s = 0; s < form.sources; ++s)
    if (p.operands.size() <= 1 + s || !is_source(code, p.operands[1 + s], form.source[s])) return {};
  return form;
}

}  // namespace warpbook::gpu::vm
