// Arithmetic, conversions and comparisons of native code: what ops_*.h computes, by the host's own instructions.
#ifdef __x86_64__

#  include <algorithm>
#  include <bit>

#  include "gpu/virtual/vm/native_stretch.h"

namespace warpbook::gpu::vm {

using ptx::Instruction;
using ptx::Operand;
using ptx::Type;
using x86::Gp;
using x86::KReg;
using x86::Zmm;
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
  Value value;
  value.bytes = bytes;
  value.uniform = true;
  for (const Value* source : sources) value.uniform &= source->uniform;
  for (unsigned n = 0; n < value.parts(); ++n) {
    value.part[n] = cc.newZmm();
    emit_part(value.part[n], n);
  }
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
    return make(form.bytes, {&s[0], &s[1]}, [&](Zmm d, unsigned n) {
      const Zmm a = s[0].of(n), b = s[1].of(n);
      wide ? wide_form(d, a, b) : narrow_form(d, a, b);
    });
  };
#  define TWO(narrow, wide_name) \
    two([&](Zmm d, Zmm a, Zmm b) { cc.narrow(d, a, b); }, [&](Zmm d, Zmm a, Zmm b) { cc.wide_name(d, a, b); })
  switch (form.kind) {
    case Kind::copy:
      return s[0];
    case Kind::add:
      return TWO(vpaddd, vpaddq);
    case Kind::sub:
      return TWO(vpsubd, vpsubq);
    case Kind::mul:
      return TWO(vpmulld, vpmullq);
    case Kind::min:
      return is_signed ? TWO(vpminsd, vpminsq) : TWO(vpminud, vpminuq);
    case Kind::max:
      return is_signed ? TWO(vpmaxsd, vpmaxsq) : TWO(vpmaxud, vpmaxuq);
    case Kind::and_:
      return TWO(vpandd, vpandq);
    case Kind::or_:
      return TWO(vpord, vporq);
    case Kind::xor_:
      return TWO(vpxord, vpxorq);
    case Kind::mad: {
      const Value product = TWO(vpmulld, vpmullq);
      return make(form.bytes, {&product, &s[2]}, [&](Zmm d, unsigned n) {
        wide ? cc.vpaddq(d, product.of(n), s[2].of(n)) : cc.vpaddd(d, product.of(n), s[2].of(n));
      });
    }
    case Kind::mul_wide:
    case Kind::mad_wide: {
      const Operand& factor = p.operands[2];
      const Value a = widened(s[0], is_signed);
      Value product;
      if (by_immediate) {
        product = make(8, {&a}, [&](Zmm d, unsigned n) { cc.vpsllq(d, a.of(n), std::countr_zero(factor.bits)); });
      } else {
        const Value b = widened(s[1], is_signed);
        product = make(8, {&a, &b},
                       [&](Zmm d, unsigned n) { is_signed ? cc.vpmuldq(d, a.of(n), b.of(n)) : cc.vpmuludq(d, a.of(n), b.of(n)); });
      }
      if (form.kind == Kind::mul_wide) return product;
      return make(8, {&product, &s[2]}, [&](Zmm d, unsigned n) { cc.vpaddq(d, product.of(n), s[2].of(n)); });
    }
    case Kind::shl:
    case Kind::shr: {
      const bool left = form.kind == Kind::shl;
      const Operand& count = p.operands[2];
      if (count.kind == Operand::Kind::immediate) {
        const unsigned by = static_cast<unsigned>(std::min<std::uint64_t>(count.bits & 0xffffffffu, 8 * form.bytes));
        return make(form.bytes, {&s[0]}, [&](Zmm d, unsigned n) {
          const Zmm a = s[0].of(n);
          if (left)
            wide ? cc.vpsllq(d, a, by) : cc.vpslld(d, a, by);
          else if (is_signed)
            wide ? cc.vpsraq(d, a, by) : cc.vpsrad(d, a, by);
          else
            wide ? cc.vpsrlq(d, a, by) : cc.vpsrld(d, a, by);
        });
      }
      if (wide) s[1] = widened(s[1], false);
      if (left) return TWO(vpsllvd, vpsllvq);
      return is_signed ? TWO(vpsravd, vpsravq) : TWO(vpsrlvd, vpsrlvq);
    }
    case Kind::not_:
      return make(form.bytes, {&s[0]}, [&](Zmm d, unsigned n) { cc.vpxord(d, s[0].of(n), constant(~0u)); });
    case Kind::neg:
      return make(form.bytes, {&s[0]}, [&](Zmm d, unsigned n) {
        cc.vpxord(d, d, d);
        wide ? cc.vpsubq(d, d, s[0].of(n)) : cc.vpsubd(d, d, s[0].of(n));
      });
    case Kind::abs:
      return make(form.bytes, {&s[0]}, [&](Zmm d, unsigned n) { wide ? cc.vpabsq(d, s[0].of(n)) : cc.vpabsd(d, s[0].of(n)); });
    case Kind::lop3:
      return make(4, {&s[0], &s[1], &s[2]}, [&](Zmm d, unsigned n) {
        cc.vmovdqa64(d, s[0].of(n));
        cc.vpternlogd(d, s[1].of(n), s[2].of(n), static_cast<std::uint8_t>(inst.offset));
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
#  define REAL(kind, name)                                                                                                 \
    case Kind::kind:                                                                                                       \
      d = make(form.bytes, {&a, &b},                                                                                       \
               [&](Zmm to, unsigned n) { wide ? cc.name##pd(to, a.of(n), b.of(n)) : cc.name##ps(to, a.of(n), b.of(n)); }); \
      break
    REAL(fadd, vadd);
    REAL(fsub, vsub);
    REAL(fmul, vmul);
    REAL(fdiv, vdiv);
#  undef REAL
    case Kind::ffma:
      d = make(form.bytes, {&a, &b, &s[2]}, [&](Zmm to, unsigned n) {
        cc.vmovaps(to, s[2].of(n));
        wide ? cc.vfmadd231pd(to, a.of(n), b.of(n)) : cc.vfmadd231ps(to, a.of(n), b.of(n));
      });
      break;
    case Kind::fsqrt:
      d = make(form.bytes, {&a}, [&](Zmm to, unsigned n) { wide ? cc.vsqrtpd(to, a.of(n)) : cc.vsqrtps(to, a.of(n)); });
      break;
    case Kind::frcp:
      d = make(form.bytes, {&a}, [&](Zmm to, unsigned n) {
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
      d = order_reals(a, b, form.kind == Kind::fmax);
      break;
  }
  d.raw = true;
  return d;
}

/// One NaN gives the other operand; −0 < +0 (ops_float.h).
NativeStretch::Value NativeStretch::order_reals(const Value& a, const Value& b, bool max) {
  return make(a.bytes, {&a, &b}, [&](Zmm d, unsigned n) {
    // vrange takes the zeros as PTX does, and the number of a number and a quiet NaN; a NaN that signals is put right.
    const Zmm x = a.of(n), y = b.of(n);
    const KReg x_nan = cc.newKw();
    const unsigned control = max ? 0b0101 : 0b0100;  // sign of the result, larger or smaller
    if (a.bytes == 4) {
      cc.vrangeps(d, x, y, control);
      cc.vcmpps(x_nan, x, x, unordered);
      cc.k(x_nan).vmovdqa32(d, y);
      cc.vcmpps(x_nan, y, y, unordered);
      cc.k(x_nan).vmovdqa32(d, x);
    } else {
      cc.vrangepd(d, x, y, control);
      cc.vcmppd(x_nan, x, x, unordered);
      cc.k(x_nan).vmovdqa64(d, y);
      cc.vcmppd(x_nan, y, y, unordered);
      cc.k(x_nan).vmovdqa64(d, x);
    }
  });
}

NativeStretch::Value NativeStretch::select(const Value& a, const Value& b, const Gp& where) {
  Value d;
  d.bytes = a.bytes;
  for (unsigned n = 0; n < d.parts(); ++n) {
    d.part[n] = cc.newZmm();
    const KReg mask = lanes_of(where, d.bytes, n);
    cc.vmovdqa64(d.part[n], b.of(n));
    if (d.bytes == 4)
      cc.k(mask).vmovdqa32(d.part[n], a.of(n));
    else
      cc.k(mask).vmovdqa64(d.part[n], a.of(n));
  }
  return d;
}

// ---- conversion -----------------------------------------------------------------------------------------------------

NativeStretch::Value NativeStretch::widened(const Value& narrow, bool is_signed) {
  return make(8, {&narrow}, [&](Zmm d, unsigned n) {
    const Zmm from = narrow.of(n / 2);
    x86::Ymm half = from.ymm();
    if (!narrow.uniform && n % 2) {
      half = cc.newYmm();
      cc.vextracti64x4(half, from, 1);
    }
    is_signed ? cc.vpmovsxdq(d, half) : cc.vpmovzxdq(d, half);
  });
}
NativeStretch::Value NativeStretch::narrowed(const Value& wide) {
  return make(4, {&wide}, [&](Zmm d, unsigned n) {
    cc.vpmovqd(d.ymm(), wide.of(2 * n));
    const x86::Ymm high = cc.newYmm();
    cc.vpmovqd(high, wide.of(2 * n + 1));
    cc.vinserti64x4(d, d, high, 1);
  });
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
  // To f32 and f64. Halves of eight lanes where one side is 64 bits wide.
  const auto halves_to_wide = [&](auto convert_half) {
    return make(8, {&a}, [&](Zmm d, unsigned n) {
      x86::Ymm half = a.of(n / 2).ymm();
      if (!a.uniform && n % 2) {
        half = cc.newYmm();
        cc.vextracti64x4(half, a.of(n / 2), 1);
      }
      convert_half(d, half);
    });
  };
  const auto wide_to_halves = [&](auto convert_wide) {
    return make(4, {&a}, [&](Zmm d, unsigned n) {
      convert_wide(d.ymm(), a.of(2 * n));
      const x86::Ymm high = cc.newYmm();
      convert_wide(high, a.of(2 * n + 1));
      cc.vinserti64x4(d, d, high, 1);
    });
  };
  if (between_reals && to == from) {
    Value d = make(form.bytes, {&a}, [&](Zmm to_zmm, unsigned n) {
      const unsigned mode = p.rounding == ptx::Rounding::rni   ? 0
                            : p.rounding == ptx::Rounding::rmi ? 1
                            : p.rounding == ptx::Rounding::rpi ? 2
                                                               : 3;
      form.bytes == 4 ? cc.vrndscaleps(to_zmm, a.of(n), mode) : cc.vrndscalepd(to_zmm, a.of(n), mode);
    });
    d.raw = true;
    return d;
  }
  if (between_reals) {
    Value d;
    if (to == Type::f64) {
      settle(a);
      d = halves_to_wide([&](Zmm z, x86::Ymm y) { cc.vcvtps2pd(z, y); });
    } else {
      d = wide_to_halves([&](x86::Ymm y, Zmm z) { cc.vcvtpd2ps(y, z); });
      d.raw = true;
    }
    return d;
  }
  if (to == Type::f32) {
    if (from == Type::s32) return make(4, {&a}, [&](Zmm d, unsigned n) { cc.vcvtdq2ps(d, a.of(n)); });
    if (from == Type::u32) return make(4, {&a}, [&](Zmm d, unsigned n) { cc.vcvtudq2ps(d, a.of(n)); });
    if (from == Type::s64) return wide_to_halves([&](x86::Ymm y, Zmm z) { cc.vcvtqq2ps(y, z); });
    return wide_to_halves([&](x86::Ymm y, Zmm z) { cc.vcvtuqq2ps(y, z); });
  }
  if (from == Type::s32) return halves_to_wide([&](Zmm z, x86::Ymm y) { cc.vcvtdq2pd(z, y); });
  if (from == Type::u32) return halves_to_wide([&](Zmm z, x86::Ymm y) { cc.vcvtudq2pd(z, y); });
  if (from == Type::s64) return make(8, {&a}, [&](Zmm d, unsigned n) { cc.vcvtqq2pd(d, a.of(n)); });
  return make(8, {&a}, [&](Zmm d, unsigned n) { cc.vcvtuqq2pd(d, a.of(n)); });
}

/// What does not fit is clamped; NaN gives 0, from f64 the least (ops_convert.h).
NativeStretch::Value NativeStretch::real_to_integer(const Inst& inst, Value a) {
  const Instruction& p = *inst.ptx;
  constexpr unsigned not_less = 29;  // GE_OQ
  if (p.type2 == Type::f64) {        // to s32, towards zero
    return make(4, {&a}, [&](Zmm d, unsigned n) {
      const auto half = [&](const x86::Ymm& to, const Zmm& from) {
        const KReg high = cc.newKw();
        cc.vcvttpd2dq(to, from);
        cc.vcmppd(high, from, constant64(std::bit_cast<std::uint64_t>(2147483648.0)), not_less);
        const x86::Ymm most = cc.newYmm();
        cc.vpbroadcastd(most, cc.newUInt32Const(asmjit::ConstPoolScope::kGlobal, 0x7fffffffu));
        cc.k(high).vmovdqa32(to, most);
      };
      half(d.ymm(), a.of(2 * n));
      const x86::Ymm upper = cc.newYmm();
      half(upper, a.of(2 * n + 1));
      cc.vinserti64x4(d, d, upper, 1);
    });
  }
  return make(4, {&a}, [&](Zmm d, unsigned n) {
    Zmm from = a.of(n);
    if (p.rounding != ptx::Rounding::rzi) {
      from = cc.newZmm();
      cc.vrndscaleps(from, a.of(n), p.rounding == ptx::Rounding::rni ? 0 : p.rounding == ptx::Rounding::rmi ? 1 : 2);
    }
    const KReg mask = cc.newKw();
    if (p.type == Type::s32) {
      cc.vcvttps2dq(d, from);  // 0x80000000 for what does not fit
      cc.vcmpps(mask, from, constant(std::bit_cast<std::uint32_t>(2147483648.0f)), not_less);
      cc.k(mask).vpblendmd(d, d, constant(0x7fffffffu));
      cc.vcmpps(mask, from, from, 7);  // ordered
      cc.k(mask).z().vmovdqa32(d, d);
    } else {
      cc.vcvttps2udq(d, from);  // all ones for what does not fit
      cc.vcmpps(mask, from, constant(0), not_less);
      cc.k(mask).z().vmovdqa32(d, d);
    }
  });
}

// ---- comparison -----------------------------------------------------------------------------------------------------

/// Masks of the parts, together.
Gp NativeStretch::bits_of(std::array<KReg, 4> masks, unsigned count) {
  if (count == 4)
    for (unsigned n = 0; n < 2; ++n) {
      const KReg both = cc.newKd();
      cc.kunpckbw(both, masks[2 * n + 1], masks[2 * n]);
      masks[n] = both;
    }
  const KReg all = cc.newKd();
  cc.kunpckwd(all, masks[1], masks[0]);
  const Gp bits = cc.newGpd();
  cc.kmovd(bits, all);
  return bits;
}

Gp NativeStretch::compare(const Inst& inst, const Form& form) {
  const Instruction& p = *inst.ptx;
  Value a = source(inst, form, 0), b = source(inst, form, 1);
  const bool wide = form.source[0] == 8, real = ptx::is_float(p.type);
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
  const unsigned parts = wide ? 4 : 2;
  std::array<KReg, 4> masks;
  for (unsigned n = 0; n < parts; ++n) {
    if (n > 0 && a.uniform && b.uniform) {
      masks[n] = masks[0];
      continue;
    }
    masks[n] = cc.newKd();
    const Zmm x = a.of(n), y = b.of(n);
    if (real)
      wide ? cc.vcmppd(masks[n], x, y, how) : cc.vcmpps(masks[n], x, y, how);
    else if (is_signed)
      wide ? cc.vpcmpq(masks[n], x, y, how) : cc.vpcmpd(masks[n], x, y, how);
    else
      wide ? cc.vpcmpuq(masks[n], x, y, how) : cc.vpcmpud(masks[n], x, y, how);
  }
  return bits_of(masks, parts);
}

}  // namespace warpbook::gpu::vm

#endif
