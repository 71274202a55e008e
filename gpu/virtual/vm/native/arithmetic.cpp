// Arithmetic, conversions and comparisons of native code: what ops/ computes, by the host's own instructions.
#ifdef __x86_64__

#  include <algorithm>
#  include <bit>

#  include "gpu/virtual/vm/native/stretch.h"

namespace warpbook::gpu::vm {

using ptx::Instruction;
using ptx::Operand;
using ptx::Type;
using x86::Gp;
using x86::Vec;
using Kind = Form::Kind;

namespace {

/// A product with a power of two.
bool is_power_of_two(const Form& form, const Instruction& p) {
  return (form.kind == Kind::mul_wide || form.kind == Kind::mad_wide) && p.operands[2].kind == Operand::Kind::immediate &&
         std::has_single_bit(p.operands[2].bits) && p.operands[2].bits < 0x80000000u;
}

}  // namespace

/// emit_part(destination, n) for each part.
template <class F>
NativeStretch::Value NativeStretch::make(unsigned bytes, std::initializer_list<const Value*> sources, F emit_part) {
  const bool uniform = std::ranges::all_of(sources, &Value::uniform);
  const Value value = value_of(bytes, uniform);
  for (unsigned n = 0; n < value.parts(); ++n) emit_part(value.part[n], n);
  return value;
}

void NativeStretch::emit_inst(const Inst& inst, const Form& form) {
  switch (form.kind) {
    case Kind::none:
      return;
    case Kind::load:
    case Kind::store:
      return access(inst, form);
    case Kind::compare:
      return keep_predicate(inst, compare(inst, form));
    case Kind::predicate_copy:
    case Kind::predicate_not: {
      const Gp bits = cc.newGpd();
      cc.mov(bits, predicate_source(inst, 0));
      if (form.kind == Kind::predicate_not) cc.not_(bits);
      return keep_predicate(inst, bits);
    }
    case Kind::predicate_and:
    case Kind::predicate_or:
    case Kind::predicate_xor: {
      const Gp bits = cc.newGpd();
      const Gp b = predicate_source(inst, 1);
      cc.mov(bits, predicate_source(inst, 0));
      if (form.kind == Kind::predicate_and) cc.and_(bits, b);
      if (form.kind == Kind::predicate_or) cc.or_(bits, b);
      if (form.kind == Kind::predicate_xor) cc.xor_(bits, b);
      return keep_predicate(inst, bits);
    }
    case Kind::convert:
      return keep(inst, convert(inst, form));
    case Kind::select: {
      Value a = source(inst, form, 0), b = source(inst, form, 1);
      if (a.raw != b.raw) settle(a), settle(b);  // as in keep()
      Value d = select(a, b, predicate_source(inst, 2));
      d.raw = a.raw;
      return keep(inst, d);
    }
    case Kind::fadd:
    case Kind::fsub:
    case Kind::fmul:
    case Kind::ffma:
    case Kind::fdiv:
    case Kind::fsqrt:
    case Kind::frcp:
    case Kind::fmin:
    case Kind::fmax:
      return keep(inst, real(inst, form));
    default:
      return keep(inst, arithmetic(inst, form));
  }
}

NativeStretch::Value NativeStretch::wide_product(const Inst& inst, const Form& form, const std::array<Value, 3>& s) {
  const Instruction& p = *inst.ptx;
  const bool is_signed = ptx::is_signed(p.type);
  const Value a = widened(s[0], is_signed);
  if (is_power_of_two(form, p))
    return make(8, {&a}, [&](const Vec& d, unsigned n) { cc.vpsllq(d, a.of(n), std::countr_zero(p.operands[2].bits)); });
  const Value b = widened(s[1], is_signed);
  return make(8, {&a, &b},
              [&](const Vec& d, unsigned n) { is_signed ? cc.vpmuldq(d, a.of(n), b.of(n)) : cc.vpmuludq(d, a.of(n), b.of(n)); });
}

NativeStretch::Value NativeStretch::shifted(const Inst& inst, const Form& form, const std::array<Value, 3>& s) {
  const Instruction& p = *inst.ptx;
  const bool wide = form.bytes == 8, is_signed = ptx::is_signed(p.type), left = form.kind == Kind::shl;
  const Operand& count = p.operands[2];
  if (count.kind == Operand::Kind::immediate) {
    const unsigned by = static_cast<unsigned>(std::min<std::uint64_t>(count.bits & 0xffffffffu, 8 * form.bytes));
    return make(form.bytes, {&s[0]}, [&](const Vec& d, unsigned n) {
      const Vec a = s[0].of(n);
      if (left)
        wide ? cc.vpsllq(d, a, by) : cc.vpslld(d, a, by);
      else if (is_signed)
        v.shift_right_signed(d, a, by, form.bytes);
      else
        wide ? cc.vpsrlq(d, a, by) : cc.vpsrld(d, a, by);
    });
  }
  const Value counts = wide ? widened(s[1], false) : s[1];
  return make(form.bytes, {&s[0], &counts}, [&](const Vec& d, unsigned n) {
    const Vec a = s[0].of(n), b = counts.of(n);
    if (left)
      wide ? cc.vpsllvq(d, a, b) : cc.vpsllvd(d, a, b);
    else if (is_signed)
      v.shift_right_signed(d, a, b, form.bytes);
    else
      wide ? cc.vpsrlvq(d, a, b) : cc.vpsrlvd(d, a, b);
  });
}

NativeStretch::Value NativeStretch::arithmetic(const Inst& inst, const Form& form) {
  const Instruction& p = *inst.ptx;
  const bool wide = form.bytes == 8, is_signed = ptx::is_signed(p.type);
  std::array<Value, 3> s;
  const bool shifts = form.kind == Kind::shl || form.kind == Kind::shr;
  const bool by_immediate = shifts ? p.operands[2].kind == Operand::Kind::immediate : is_power_of_two(form, p);
  for (unsigned n = 0; n < form.sources; ++n) {
    if (n == 1 && by_immediate) continue;
    s[n] = source(inst, form, n);
    if (form.kind != Kind::copy && s[n].raw) {
      settle(s[n]);
      values_[(n == 0 ? inst.a : n == 1 ? inst.b : inst.c).offset] = s[n];
    }
  }
  const auto two = [&](auto narrow_form, auto wide_form) {
    return make(form.bytes, {&s[0], &s[1]}, [&](const Vec& d, unsigned n) {
      const Vec a = s[0].of(n), b = s[1].of(n);
      wide ? wide_form(d, a, b) : narrow_form(d, a, b);
    });
  };
  const auto any_two = [&](auto either_form) { return two(either_form, either_form); };
#  define TWO(narrow, wide_name)                                               \
    two([&](const Vec& d, const Vec& a, const Vec& b) { cc.narrow(d, a, b); }, \
        [&](const Vec& d, const Vec& a, const Vec& b) { cc.wide_name(d, a, b); })
  switch (form.kind) {
    case Kind::copy:
      return s[0];
    case Kind::add:
      return TWO(vpaddd, vpaddq);
    case Kind::sub:
      return TWO(vpsubd, vpsubq);
    case Kind::mul:
      return any_two([&](const Vec& d, const Vec& a, const Vec& b) { v.mul(d, a, b, form.bytes); });
    case Kind::min:
    case Kind::max:
      return any_two(
          [&](const Vec& d, const Vec& a, const Vec& b) { v.order(d, a, b, form.bytes, is_signed, form.kind == Kind::max); });
    case Kind::and_:
      return any_two([&](const Vec& d, const Vec& a, const Vec& b) { v.and_(d, a, b); });
    case Kind::or_:
      return any_two([&](const Vec& d, const Vec& a, const Vec& b) { v.or_(d, a, b); });
    case Kind::xor_:
      return any_two([&](const Vec& d, const Vec& a, const Vec& b) { v.xor_(d, a, b); });
    case Kind::mad: {
      const Value product = any_two([&](const Vec& d, const Vec& a, const Vec& b) { v.mul(d, a, b, form.bytes); });
      return make(form.bytes, {&product, &s[2]}, [&](const Vec& d, unsigned n) {
        wide ? cc.vpaddq(d, product.of(n), s[2].of(n)) : cc.vpaddd(d, product.of(n), s[2].of(n));
      });
    }
    case Kind::mul_wide:
      return wide_product(inst, form, s);
    case Kind::mad_wide: {
      const Value product = wide_product(inst, form, s);
      return make(8, {&product, &s[2]}, [&](const Vec& d, unsigned n) { cc.vpaddq(d, product.of(n), s[2].of(n)); });
    }
    case Kind::shl:
    case Kind::shr:
      return shifted(inst, form, s);
    case Kind::not_:
      return make(form.bytes, {&s[0]}, [&](const Vec& d, unsigned n) { v.xor_(d, s[0].of(n), v.constant(~0u)); });
    case Kind::neg:
      return make(form.bytes, {&s[0]}, [&](const Vec& d, unsigned n) {
        v.xor_(d, d, d);
        wide ? cc.vpsubq(d, d, s[0].of(n)) : cc.vpsubd(d, d, s[0].of(n));
      });
    case Kind::abs:
      return make(form.bytes, {&s[0]}, [&](const Vec& d, unsigned n) { v.abs(d, s[0].of(n), form.bytes); });
    case Kind::lop3:
      return make(4, {&s[0], &s[1], &s[2]}, [&](const Vec& d, unsigned n) {
        v.lop3(d, s[0].of(n), s[1].of(n), s[2].of(n), static_cast<std::uint8_t>(inst.offset));
      });
    default:
      return {};
  }
#  undef TWO
}

NativeStretch::Value NativeStretch::real(const Inst& inst, const Form& form) {
  const bool wide = form.bytes == 8;
  std::array<Value, 3> s;
  for (unsigned n = 0; n < form.sources; ++n) s[n] = source(inst, form, n);
  const Value &a = s[0], &b = s[1];
  Value d;
  switch (form.kind) {
#  define REAL(kind, name)                                                                                                        \
    case Kind::kind:                                                                                                              \
      d = make(form.bytes, {&a, &b},                                                                                              \
               [&](const Vec& to, unsigned n) { wide ? cc.name##pd(to, a.of(n), b.of(n)) : cc.name##ps(to, a.of(n), b.of(n)); }); \
      break
    REAL(fadd, vadd);
    REAL(fsub, vsub);
    REAL(fmul, vmul);
    REAL(fdiv, vdiv);
#  undef REAL
    case Kind::ffma:
      d = make(form.bytes, {&a, &b, &s[2]}, [&](const Vec& to, unsigned n) {
        v.move(to, s[2].of(n));
        wide ? cc.vfmadd231pd(to, a.of(n), b.of(n)) : cc.vfmadd231ps(to, a.of(n), b.of(n));
      });
      break;
    case Kind::fsqrt:
      d = make(form.bytes, {&a}, [&](const Vec& to, unsigned n) { wide ? cc.vsqrtpd(to, a.of(n)) : cc.vsqrtps(to, a.of(n)); });
      break;
    case Kind::frcp:
      d = make(form.bytes, {&a}, [&](const Vec& to, unsigned n) {
        if (wide) {
          cc.vpbroadcastq(to, cc.newUInt64Const(asmjit::ConstPoolScope::kGlobal, std::bit_cast<std::uint64_t>(1.0)));
          cc.vdivpd(to, to, a.of(n));
        } else {
          cc.vpbroadcastd(to, cc.newUInt32Const(asmjit::ConstPoolScope::kGlobal, std::bit_cast<std::uint32_t>(1.0f)));
          cc.vdivps(to, to, a.of(n));
        }
      });
      break;
    default:
      d = make(form.bytes, {&a, &b},
               [&](const Vec& to, unsigned n) { v.order_reals(to, a.of(n), b.of(n), form.bytes, form.kind == Kind::fmax); });
      break;
  }
  d.raw = true;
  return d;
}

NativeStretch::Value NativeStretch::select(const Value& a, const Value& b, const Gp& where) {
  const Value d = value_of(a.bytes, false);
  const NativeVectors::Spread spread = v.spread(where);
  for (unsigned n = 0; n < d.parts(); ++n) {
    const Mask mask = v.mask(spread, d.bytes, n);
    v.move(d.part[n], b.of(n));
    v.blend(d.part[n], a.of(n), mask, d.bytes);
  }
  return d;
}

// ---- conversion -----------------------------------------------------------------------------------------------------

/// emit_part(vector of 64-bit lanes, half a vector of 32-bit ones) for each part.
template <class F>
NativeStretch::Value NativeStretch::from_halves(const Value& narrow, F emit_part) {
  return make(8, {&narrow}, [&](const Vec& d, unsigned n) {
    const Vec from = narrow.of(n / 2);
    Vec half = from.half();
    if (!narrow.uniform && n % 2) {
      half = v.fresh_half();
      v.upper_half(half, from);
    }
    emit_part(d, half);
  });
}
template <class F>
NativeStretch::Value NativeStretch::to_halves(const Value& wide, F emit_part) {
  return make(4, {&wide}, [&](const Vec& d, unsigned n) {
    emit_part(d.half(), wide.of(2 * n));
    const Vec high = v.fresh_half();
    emit_part(high, wide.of(2 * n + 1));
    v.set_upper_half(d, high);
  });
}

NativeStretch::Value NativeStretch::widened(const Value& narrow, bool is_signed) {
  return from_halves(narrow, [&](const Vec& d, const Vec& half) { is_signed ? cc.vpmovsxdq(d, half) : cc.vpmovzxdq(d, half); });
}
NativeStretch::Value NativeStretch::narrowed(const Value& wide) {
  return make(4, {&wide}, [&](const Vec& d, unsigned n) { v.narrow(d, wide.of(2 * n), wide.of(2 * n + 1)); });
}

NativeStretch::Value NativeStretch::convert(const Inst& inst, const Form& form) {
  const Instruction& p = *inst.ptx;
  const Type to = p.type, from = p.type2;
  Value a = source(inst, form, 0);
  const bool between_reals = ptx::is_float(to) && ptx::is_float(from);
  if (a.raw && !ptx::is_float(from)) settle(a);
  if (!ptx::is_float(to) && !ptx::is_float(from)) {
    if (form.bytes == form.source[0]) return a;
    return form.bytes == 8 ? widened(a, ptx::is_signed(from)) : narrowed(a);
  }
  if (!ptx::is_float(to)) return real_to_integer(inst, a);
  if (between_reals && to == from) {
    Value d = make(form.bytes, {&a}, [&](const Vec& whole, unsigned n) {
      const unsigned mode = p.rounding == ptx::Rounding::rni   ? 0
                            : p.rounding == ptx::Rounding::rmi ? 1
                            : p.rounding == ptx::Rounding::rpi ? 2
                                                               : 3;
      v.round(whole, a.of(n), mode, form.bytes);
    });
    d.raw = true;
    return d;
  }
  if (between_reals) {
    Value d;
    if (to == Type::f64) {
      settle(a);
      d = from_halves(a, [&](const Vec& whole, const Vec& half) { cc.vcvtps2pd(whole, half); });
    } else {
      d = to_halves(a, [&](const Vec& half, const Vec& whole) { cc.vcvtpd2ps(half, whole); });
      d.raw = true;
    }
    return d;
  }
  if (to == Type::f32) {
    if (from == Type::s32) return make(4, {&a}, [&](const Vec& d, unsigned n) { cc.vcvtdq2ps(d, a.of(n)); });
    if (from == Type::u32) return make(4, {&a}, [&](const Vec& d, unsigned n) { v.u32_to_f32(d, a.of(n)); });
    if (from == Type::s64) return to_halves(a, [&](const Vec& half, const Vec& whole) { cc.vcvtqq2ps(half, whole); });
    return to_halves(a, [&](const Vec& half, const Vec& whole) { cc.vcvtuqq2ps(half, whole); });
  }
  if (from == Type::s32) return from_halves(a, [&](const Vec& whole, const Vec& half) { cc.vcvtdq2pd(whole, half); });
  if (from == Type::u32) return from_halves(a, [&](const Vec& whole, const Vec& half) { v.u32_to_f64(whole, half); });
  if (from == Type::s64) return make(8, {&a}, [&](const Vec& d, unsigned n) { cc.vcvtqq2pd(d, a.of(n)); });
  return make(8, {&a}, [&](const Vec& d, unsigned n) { cc.vcvtuqq2pd(d, a.of(n)); });
}

/// What does not fit is clamped; NaN gives 0, from f64 the least (ops/convert.h).
NativeStretch::Value NativeStretch::real_to_integer(const Inst& inst, const Value& a) {
  const Instruction& p = *inst.ptx;
  if (p.type2 == Type::f64)  // to s32, towards zero
    return to_halves(a, [&](const Vec& half, const Vec& whole) { v.f64_to_s32(half, whole); });
  return make(4, {&a}, [&](const Vec& d, unsigned n) {
    Vec from = a.of(n);
    if (p.rounding != ptx::Rounding::rzi) {
      from = v.fresh();
      v.round(from, a.of(n), p.rounding == ptx::Rounding::rni ? 0 : p.rounding == ptx::Rounding::rmi ? 1 : 2, 4);
    }
    p.type == Type::s32 ? v.f32_to_s32(d, from) : v.f32_to_u32(d, from);
  });
}

// ---- comparison -----------------------------------------------------------------------------------------------------

Gp NativeStretch::compare(const Inst& inst, const Form& form) {
  const Instruction& p = *inst.ptx;
  Value a = source(inst, form, 0), b = source(inst, form, 1);
  const bool real = ptx::is_float(p.type);
  if (!real) settle(a), settle(b);
  using enum ptx::Compare;
  const auto of_reals = [&]() -> unsigned {
    switch (p.compare) {
      case eq:
        return 0;
      case ne:
        return 12;
      case lt:
        return 17;
      case le:
        return 18;
      case gt:
        return 30;
      case ge:
        return 29;
      case equ:
        return 8;
      case neu:
        return 4;
      case ltu:
        return 25;
      case leu:
        return 26;
      case gtu:
        return 22;
      case geu:
        return 21;
      case num:
        return 7;
      default:
        return 3;
    }
  };
  const auto of_integers = [&]() -> unsigned {
    switch (p.compare) {
      case eq:
        return 0;
      case ne:
        return 4;
      case lt:
      case lo:
        return 1;
      case le:
      case ls:
        return 2;
      case gt:
      case hi:
        return 6;
      default:
        return 5;
    }
  };
  const unsigned how = real ? of_reals() : of_integers();
  const bool is_signed = ptx::is_signed(p.type) && p.compare != lo && p.compare != ls && p.compare != hi && p.compare != hs;
  const NativeVectors::Comparison integers = v.comparison(how, is_signed, form.source[0]);
  NativeVectors::Masks masks;
  for (unsigned n = 0; n < v.parts(form.source[0]); ++n) {
    if (n > 0 && a.uniform && b.uniform)
      masks[n] = masks[0];
    else
      masks[n] = real ? v.compare_reals(a.of(n), b.of(n), how, form.source[0]) : v.compare(a.of(n), b.of(n), integers);
  }
  const Gp bits = v.bits_of(masks, form.source[0], a.uniform && b.uniform);
  if (!real && integers.inverted) cc.not_(bits);
  return bits;
}

}  // namespace warpbook::gpu::vm

#endif
