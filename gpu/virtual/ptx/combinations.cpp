// Which modifiers and types of a row of opcodes.def go together, where the row cannot say.
#include "gpu/virtual/ptx/modifiers.h"

namespace warpbook::gpu::ptx {

std::string_view wrong_combination(const Instruction& i) {
  const bool bits = i.type >= Type::b8 && i.type <= Type::b128;
  switch (i.op) {
    case Opcode::mul:
    case Opcode::mad:
      if (i.part == Part::wide && bytes_of(i.type) == 8) return "'.wide' takes 16- and 32-bit types";
      if (i.part == Part::wide && i.carry_out) return "'.cc' does not go with '.wide'";
      if (i.sat && i.type == Type::s32 && i.part != Part::hi) return "'.sat' of '.s32' goes with '.hi' only";
      break;
    case Opcode::tex:
    case Opcode::tex_level:
      if ((i.geometry == Geometry::cube || i.geometry == Geometry::array_cube) && i.type2 == Type::s32)
        return "a cubemap's coordinates are a direction, and of the type '.f32'";
      break;
    case Opcode::suld:
    case Opcode::sust:
      if (bytes_of(i.type) * i.vector > 16) return "a surface access has at most 128 bits";
      break;
    case Opcode::mad24:
      if (i.sat && i.part != Part::hi) return "'.sat' goes with '.hi' only";
      break;
    case Opcode::add:
    case Opcode::sub:
      if (i.sat && i.carry_out) return "'.sat' does not go with '.cc'";
      break;
    case Opcode::fma:
      if (i.relu && i.sat) return "'.relu' does not go with '.sat'";
      break;
    case Opcode::min:
    case Opcode::max:
      if (i.nan && i.type == Type::f64) return "'.NaN' does not go with '.f64'";
      break;
    case Opcode::div:
      if ((i.approx || i.full) && i.type != Type::f32) return "'.approx' and '.full' take '.f32'";
      if (i.ftz && i.type != Type::f32) return "'.ftz' takes '.f32'";
      break;
    case Opcode::rcp:
    case Opcode::rsqrt:
    case Opcode::sqrt:
      if (i.type == Type::f64 && i.ftz && !i.approx) return "'.ftz' goes with '.approx' only";
      if (i.type == Type::f64 && i.approx && !i.ftz && i.op == Opcode::rcp) return "with '.f64', '.approx' needs '.ftz'";
      if (i.type == Type::f64 && i.approx && i.op == Opcode::sqrt) return "there is no approximate square root of '.f64'";
      break;
    case Opcode::ex2:
      if (!i.ftz && (i.type == Type::bf16 || i.type == Type::bf16x2)) return "with bfloat16 '.ftz' is needed";
      break;
    case Opcode::set:
    case Opcode::setp: {
      const Type compared = i.op == Opcode::set ? i.type2 : i.type;
      const bool ordering = i.compare >= Compare::lt && i.compare <= Compare::ge;
      const bool unsigned_word = i.compare >= Compare::lo && i.compare <= Compare::hs;
      const bool float_word = i.compare >= Compare::equ;
      const bool untyped = compared >= Type::b8 && compared <= Type::b128;
      if (float_word && !is_float(compared)) return "this comparison is for floating-point types";
      if (unsigned_word && (is_float(compared) || is_signed(compared) || untyped)) return "this comparison is for unsigned types";
      if (ordering && untyped) return "untyped bits are only equal or not";
      if (i.ftz && compared != Type::f32 && compared != Type::f16 && compared != Type::f16x2)
        return "'.ftz' takes '.f32' and '.f16'";
      if (i.op == Opcode::setp) break;
      const bool half_result = is_float(i.type) && i.type != Type::f32,
                 halves = is_float(compared) && bytes_of(compared) <= 4 && compared != Type::f32;
      const bool packed = compared == Type::f16x2 || compared == Type::bf16x2;
      if (packed && i.type != compared && i.type != Type::u32 && i.type != Type::s32)
        return "a packed comparison gives its own type, '.u32' or '.s32'";
      if (half_result && i.type != compared && (halves || bytes_of(i.type) == 4)) return "halves of different types do not mix";
      if (halves && i.type == Type::f32) return "a comparison of halves gives integers or its own type";
      if (!halves && bytes_of(i.type) == 2 && !half_result) return "a 16-bit integer is the result of comparing halves";
      break;
    }
    case Opcode::slct:
      if (i.ftz && i.type2 != Type::f32) return "'.ftz' takes '.f32'";
      break;
    case Opcode::cvt: {
      const Type to = i.type, from = i.type2;
      const bool to_fp8 = to == Type::e4m3x2 || to == Type::e5m2x2, from_fp8 = from == Type::e4m3x2 || from == Type::e5m2x2;
      if (i.ftz && (from_fp8 || to_fp8 || to == Type::tf32)) return "'.ftz' does not go with 8-bit floats and '.tf32'";
      if (to_fp8) {
        if (!i.sat || i.rounding != Rounding::rn) return "'.rn.satfinite' is needed";
        return from == Type::f32 || from == Type::f16x2 || from == Type::bf16x2 ? ""
                                                                                : "8-bit floats come from '.f32' or packed halves";
      }
      if (from == Type::f16x2 || from == Type::bf16x2) return "packed halves become 8-bit floats only";
      if (from_fp8 && i.sat) return "'.sat' does not go with 8-bit floats";
      if (i.rounding == Rounding::rna && (to != Type::tf32 || i.relu)) return "'.rna' goes with '.tf32' only, without '.relu'";
      if (from_fp8) return to == Type::f16x2 && i.rounding == Rounding::rn ? "" : "8-bit floats are converted with '.rn.f16x2'";
      if (to == Type::tf32) {
        const bool known = i.rounding == Rounding::rna || i.rounding == Rounding::rn || i.rounding == Rounding::rz;
        return known && from == Type::f32 ? "" : "'.rna.tf32.f32', '.rn.tf32.f32' and '.rz.tf32.f32' are known";
      }
      const bool packed = to == Type::f16x2 || to == Type::bf16x2;
      const bool to_integral = i.rounding >= Rounding::rni;
      const bool rounds = i.rounding != Rounding::none;
      if (packed && from != Type::f32) return "packed halves are converted from '.f32'";
      if (packed && (to_integral || (i.rounding != Rounding::rn && i.rounding != Rounding::rz))) return "'.rn' or '.rz' is needed";
      if (!packed) {
        if (is_float(from) && !is_float(to) && !to_integral)
          return "a rounding to integer ('.rni', '.rzi', '.rmi' or '.rpi') is needed";
        if (!is_float(from) && is_float(to) && (!rounds || to_integral))
          return "a rounding ('.rn', '.rz', '.rm' or '.rp') is needed";
        if (!is_float(from) && !is_float(to) && rounds) return "integers convert without rounding";
        if (is_float(from) && is_float(to)) {
          const bool narrows = bytes_of(to) < bytes_of(from) || (bytes_of(to) == bytes_of(from) && to != from);
          if (narrows && (!rounds || to_integral)) return "a rounding ('.rn', '.rz', '.rm' or '.rp') is needed";
          if (bytes_of(to) > bytes_of(from) && rounds) return "a wider type needs no rounding";
          if (to == from && rounds && !to_integral) return "the same type needs no rounding";
        }
      }
      if (i.ftz && to != Type::f32 && from != Type::f32) return "'.ftz' takes '.f32'";
      if (i.relu && !(is_float(to) && bytes_of(from) == 4 && is_float(from) && (packed || bytes_of(to) == 2)))
        return "'.relu' is for conversions from '.f32' to halves";
      break;
    }
    case Opcode::ld:
    case Opcode::st:
    case Opcode::ldu:
      if (i.vector * bytes_of(i.type) > 32) return "a vector has at most 32 bytes";
      if (i.vector > 1 && i.type == Type::b128) return "there are no vectors of '.b128'";
      if (i.order == Order::weak || i.order == Order::volatile_) {
        if (i.scope != Scope::none) return "a scope goes with '.relaxed', '.acquire' or '.release'";
      } else {
        if (i.scope == Scope::none) return "a scope is missing: '.cta', '.cluster', '.gpu' or '.sys'";
        if (i.order == Order::mmio && (i.scope != Scope::sys || i.space == Space::shared))
          return "'.mmio' takes '.sys' and '.global'";
        if (i.space != Space::generic && i.space != Space::global && i.space != Space::shared)
          return "only '.global' and '.shared' are shared between threads";
        if (i.non_coherent) return "'.nc' takes no order";
      }
      if (i.non_coherent && i.order == Order::volatile_) return "'.nc' does not go with '.volatile'";
      if (i.non_coherent && i.space != Space::global && i.space != Space::generic) return "'.nc' is for '.global'";
      break;
    case Opcode::atom:
    case Opcode::red: {
      const unsigned bytes = bytes_of(i.type);
      if (i.vector > 1) {
        if (i.space == Space::shared) return "vectors are for '.global'";
        if (i.vector * bytes > 16) return "a vector has at most 16 bytes";
        if (i.atomic != AtomicOp::add && (i.type == Type::f32 || (i.atomic != AtomicOp::min && i.atomic != AtomicOp::max)))
          return "vectors are added; those of halves also have '.min' and '.max'";
        return is_float(i.type) && i.type != Type::f32 && !i.noftz ? "with half precision '.noftz' is needed" : "";
      }
      const bool half = is_float(i.type) && i.type != Type::f32 && i.type != Type::f64;
      bool good = false;
      switch (i.atomic) {
        case AtomicOp::add:
          good = is_float(i.type) || (!bits && bytes >= 4);
          break;
        case AtomicOp::min:
        case AtomicOp::max:
          good = !bits && bytes >= 4 && !is_float(i.type);
          break;
        case AtomicOp::inc:
        case AtomicOp::dec:
          good = i.type == Type::u32;
          break;
        case AtomicOp::and_:
        case AtomicOp::or_:
        case AtomicOp::xor_:
          good = bits && bytes >= 4 && bytes <= 8;
          break;
        case AtomicOp::exch:
          good = bits && bytes >= 4;
          break;
        case AtomicOp::cas:
          good = bits;
          break;
        case AtomicOp::none:
          break;
      }
      if (!good) return "this atomic operation does not work on this type";
      if (half && !i.noftz) return "with half precision '.noftz' is needed";
      break;
    }
    case Opcode::redux: {
      const bool logic = i.atomic >= AtomicOp::and_;
      if (logic != (i.type == Type::b32)) return "'.and', '.or' and '.xor' take '.b32', the others '.u32' and '.s32'";
      break;
    }
    case Opcode::vote:
      if ((i.vote == Vote::ballot) != (i.type == Type::b32)) return "'.ballot' gives '.b32', the others '.pred'";
      break;
    case Opcode::bar:
    case Opcode::barrier: {
      const Type expected = i.barrier == Barrier::red_popc                                  ? Type::u32
                            : i.barrier == Barrier::red_and || i.barrier == Barrier::red_or ? Type::pred
                                                                                            : Type::none;
      if (i.type != expected) return "'.red.popc' gives '.u32', '.red.and' and '.red.or' give '.pred', the others nothing";
      break;
    }
    case Opcode::mapa:
    case Opcode::getctarank:
      if (i.type == Type::u32 && i.space == Space::generic) return "generic addresses have 64 bits";
      break;
    case Opcode::vshl:
    case Opcode::vshr:
      if (i.type3 != Type::u32) return "the amount of a shift is '.u32'";
      break;
    default:
      if (i.op >= Opcode::vadd2 && i.op <= Opcode::vmax4 && i.sat && i.atomic != AtomicOp::none)
        return "'.sat' does not go with '.add'";
      break;
  }
  return {};
}

}  // namespace warpbook::gpu::ptx
