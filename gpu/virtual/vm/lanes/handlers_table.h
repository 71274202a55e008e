// Which handler executes a lane-wise instruction: the opcode table's rows, spread over their types. Included by
// handlers_<set>.cpp after handlers_alu.h and handlers_memory.h. A form that is not here decodes to an error, never to a guess.
// Long because it is a table.
#pragma once

namespace warpbook::gpu::vm::WARPBOOK_OPS_TARGET {

namespace {

template <class T>
struct Of {
  using type = T;
};
// Calls f(Of<T>{}) for the lane type of a PTX type.
#define WARPBOOK_TYPE(name, T) \
  case Type::name:             \
    return f(Of<T>{});
template <class F>
Handlers for_integer(Type type, F f) {
  switch (type) {
    WARPBOOK_TYPE(u16, u16)
    WARPBOOK_TYPE(u32, u32)
    WARPBOOK_TYPE(u64, u64) WARPBOOK_TYPE(s16, s16) WARPBOOK_TYPE(s32, s32) WARPBOOK_TYPE(s64, s64) default : return nullptr;
  }
}
template <class F>
Handlers for_bits(Type type, F f) {  // any type, by its size
  switch (ptx::bytes_of(type)) {
    case 2:
      return f(Of<u16>{});
    case 4:
      return f(Of<u32>{});
    case 8:
      return f(Of<u64>{});
    default:
      return nullptr;
  }
}
template <class F>
Handlers for_word(Type type, F f) {  // 32 or 64 bits, signless
  switch (ptx::bytes_of(type)) {
    case 4:
      return f(Of<u32>{});
    case 8:
      return f(Of<u64>{});
    default:
      return nullptr;
  }
}
template <class F>
Handlers for_float(Type type, F f) {
  switch (type) { WARPBOOK_TYPE(f32, float) WARPBOOK_TYPE(f64, double) default : return nullptr; }
}
template <class F>
Handlers for_half(Type type, F f) {
  switch (type) {
    WARPBOOK_TYPE(f16, f16)
    WARPBOOK_TYPE(bf16, bf16) WARPBOOK_TYPE(f16x2, f16x2) WARPBOOK_TYPE(bf16x2, bf16x2) default : return nullptr;
  }
}
template <class F>
Handlers for_any_float(Type type, F f) {
  const Handlers found = for_float(type, f);
  return found ? found : for_half(type, f);
}
template <class F>
Handlers for_32_64(Type type, F f) {
  switch (type) {
    WARPBOOK_TYPE(b32, u32)
    WARPBOOK_TYPE(b64, u64)
    WARPBOOK_TYPE(u32, u32) WARPBOOK_TYPE(u64, u64) WARPBOOK_TYPE(s32, s32) WARPBOOK_TYPE(s64, s64) default : return nullptr;
  }
}
template <class F>
Handlers for_scalar(Type type, F f) {  // what set and setp compare
  switch (type) {
    WARPBOOK_TYPE(b16, u16)
    WARPBOOK_TYPE(b32, u32)
    WARPBOOK_TYPE(b64, u64)
    WARPBOOK_TYPE(f16, f16)
    WARPBOOK_TYPE(bf16, bf16) WARPBOOK_TYPE(f32, float) WARPBOOK_TYPE(f64, double) default : return for_integer(type, f);
  }
}
template <class F>
Handlers for_convertible(Type type, F f) {
  switch (type) {
    WARPBOOK_TYPE(u8, u8)
    WARPBOOK_TYPE(s8, s8)
    WARPBOOK_TYPE(f16, f16)
    WARPBOOK_TYPE(bf16, bf16) WARPBOOK_TYPE(f32, float) WARPBOOK_TYPE(f64, double) default : return for_integer(type, f);
  }
}
#undef WARPBOOK_TYPE
#define T_OF(x) typename decltype(x)::type

bool nearest(const Instruction& p) { return p.rounding == ptx::Rounding::none || p.rounding == ptx::Rounding::rn; }

/// add sub mul of all kinds.
template <class Integers, class Hot, class Flushed, class Mode>
Handlers arithmetic(const Instruction& p) {
  // The low bits are the same for signed and unsigned.
  if (const Handlers h = for_integer(p.type, [](auto t) -> Handlers {
        using T = ops::unsigned_of<T_OF(t)>;
        return two<Integers, T, T, T>;
      }))
    return h;
  const bool plain = nearest(p) && !p.ftz && !p.sat;
  if (plain && ptx::bytes_of(p.type) >= 4 && (p.type == Type::f32 || p.type == Type::f64))
    return for_float(p.type, [](auto t) -> Handlers { return two<Hot, T_OF(t), T_OF(t), T_OF(t)>; });
  if (p.type == Type::f32 && nearest(p) && !p.sat) return two<Flushed, float, float, float>;
  return for_any_float(p.type, [](auto t) -> Handlers { return two<Mode, T_OF(t), T_OF(t), T_OF(t)>; });
}

Handlers addition(const Instruction& p, bool carry_in) {
  if (carry_in || p.carry_out)
    return for_32_64(p.type, [&](auto t) -> Handlers { return carry_in ? add_carry<T_OF(t), true> : add_carry<T_OF(t), false>; });
  if (p.type == Type::s32 && p.sat) return two<Op_add_sat, s32, s32, s32>;
  return arithmetic<Op_add, Op_add, Flushed_add, Mode_add>(p);
}
Handlers subtraction(const Instruction& p, bool carry_in) {
  if (carry_in || p.carry_out)
    return for_32_64(p.type, [&](auto t) -> Handlers { return carry_in ? sub_carry<T_OF(t), true> : sub_carry<T_OF(t), false>; });
  if (p.type == Type::s32 && p.sat) return two<Op_sub_sat, s32, s32, s32>;
  return arithmetic<Op_sub, Op_sub, Flushed_sub, Mode_sub>(p);
}

template <class F>
Handlers for_widening(Type type, F f) {
  switch (type) {
    case Type::u16:
      return f(Of<u16>{});
    case Type::s16:
      return f(Of<s16>{});
    case Type::u32:
      return f(Of<u32>{});
    case Type::s32:
      return f(Of<s32>{});
    default:
      return nullptr;
  }
}

Handlers multiplication(const Instruction& p) {
  if (p.part == ptx::Part::wide)
    return for_widening(p.type, [](auto t) -> Handlers {
      using T = T_OF(t);
      return two<Op_mul_wide, ops::wide_of<T>, T, T>;
    });
  if (p.part == ptx::Part::hi)
    return for_integer(p.type, [](auto t) -> Handlers { return two<Op_mul_hi, T_OF(t), T_OF(t), T_OF(t)>; });
  if (p.part == ptx::Part::lo)
    return for_integer(p.type, [](auto t) -> Handlers {
      using T = ops::unsigned_of<T_OF(t)>;
      return two<Op_mul_lo, T, T, T>;
    });
  return arithmetic<Op_mul_lo, Op_mul, Flushed_mul, Mode_mul>(p);
}

Handlers multiply_add(const Instruction& p, bool carry_in) {
  if (carry_in || p.carry_out)
    return for_32_64(p.type, [&](auto t) -> Handlers { return carry_in ? mad_carry<T_OF(t), true> : mad_carry<T_OF(t), false>; });
  if (p.part == ptx::Part::wide)
    return for_widening(p.type, [](auto t) -> Handlers {
      using T = T_OF(t);
      return three<Op_mad_wide, ops::wide_of<T>, T, T, ops::wide_of<T>>;
    });
  if (p.part == ptx::Part::hi) {
    if (p.sat) return p.type == Type::s32 ? three<Op_mad_hi_sat, s32, s32, s32, s32> : nullptr;
    return for_integer(p.type, [](auto t) -> Handlers {
      using T = T_OF(t);
      return three<Op_mad_hi, T, T, T, T>;
    });
  }
  if (p.part == ptx::Part::lo)
    return for_integer(p.type, [](auto t) -> Handlers {
      using T = ops::unsigned_of<T_OF(t)>;
      return three<Op_mad_lo, T, T, T, T>;
    });
  // fma, and mad of floats, which is the same since sm_20.
  if (nearest(p) && !p.ftz && !p.sat && !p.relu)
    if (const Handlers h = for_float(p.type, [](auto t) -> Handlers {
          using T = T_OF(t);
          return three<Op_fma, T, T, T, T>;
        }))
      return h;
  if (p.type == Type::f32 && nearest(p) && !p.sat) return three<Flushed_fma, float, float, float, float>;
  return for_any_float(p.type, [](auto t) -> Handlers {
    using T = T_OF(t);
    return three<Mode_fma, T, T, T, T>;
  });
}

Handlers multiplication24(const Instruction& p, bool add) {
  const bool high = p.part == ptx::Part::hi;
  return for_32_64(p.type, [&](auto t) -> Handlers {
    using T = T_OF(t);
    if constexpr (sizeof(T) != 4)
      return nullptr;
    else if (!add)
      return high ? two<Op_mul24_hi, T, T, T> : two<Op_mul24_lo, T, T, T>;
    else if (p.sat)
      return three<Op_mad24_hi_sat, s32, s32, s32, s32>;
    else
      return high ? three<Op_mad24_hi, T, T, T, T> : three<Op_mad24_lo, T, T, T, T>;
  });
}

Handlers division(const Instruction& p) {
  if (const Handlers h = for_integer(p.type, [](auto t) -> Handlers { return two<Op_div, T_OF(t), T_OF(t), T_OF(t)>; })) return h;
  if (p.approx) return p.type == Type::f32 ? two<Mode_div_approx, float, float, float> : nullptr;
  if (p.full) return p.type == Type::f32 ? two<Mode_div_full, float, float, float> : nullptr;
  if (nearest(p) && !p.ftz) return for_float(p.type, [](auto t) -> Handlers { return two<Op_div, T_OF(t), T_OF(t), T_OF(t)>; });
  return for_float(p.type, [](auto t) -> Handlers { return two<Mode_div, T_OF(t), T_OF(t), T_OF(t)>; });
}

template <class Hot, class Mode, class Approximate, class Approximate64>
Handlers root(const Instruction& p) {  // rcp, sqrt
  if (p.approx)
    return p.type == Type::f32 ? Handlers{one<Approximate, float, float>} : Handlers{one<Approximate64, double, double>};
  if (nearest(p) && !p.ftz) return for_float(p.type, [](auto t) -> Handlers { return one<Hot, T_OF(t), T_OF(t)>; });
  return for_float(p.type, [](auto t) -> Handlers { return one<Mode, T_OF(t), T_OF(t)>; });
}

template <bool Max, class Integers>
Handlers order(const Instruction& p) {
  if (p.relu && p.type == Type::s32) return two<Op_order_relu<Max>, s32, s32, s32>;
  if (const Handlers h = for_integer(p.type, [](auto t) -> Handlers { return two<Integers, T_OF(t), T_OF(t), T_OF(t)>; })) return h;
  if (!p.ftz && !p.nan && !p.xorsign)
    if (const Handlers h = for_float(p.type, [](auto t) -> Handlers { return two<Integers, T_OF(t), T_OF(t), T_OF(t)>; })) return h;
  return for_any_float(p.type, [](auto t) -> Handlers { return two<Op_order<Max>, T_OF(t), T_OF(t), T_OF(t)>; });
}

template <class F, class Flushed>
Handlers sign(const Instruction& p) {  // abs, neg
  switch (p.type) {
    case Type::s16:
      return one<F, s16, s16>;
    case Type::s32:
      return one<F, s32, s32>;
    case Type::s64:
      return one<F, s64, s64>;
    default:
      return for_any_float(p.type,
                           [&](auto t) -> Handlers { return p.ftz ? one<Flushed, T_OF(t), T_OF(t)> : one<F, T_OF(t), T_OF(t)>; });
  }
}

template <class F>
Handlers logic(const Instruction& p, Handlers of_predicates) {
  if (p.type == Type::pred) return of_predicates;
  return for_bits(p.type, [](auto t) -> Handlers { return two<F, T_OF(t), T_OF(t), T_OF(t)>; });
}

template <class T>
Handlers comparison_of(ptx::Compare c) {
  switch (c) {
#define WARPBOOK_COMPARE(name) \
  case ptx::Compare::name:     \
    return compare_rows<ptx::Compare::name, T>;
    WARPBOOK_COMPARE(eq)
    WARPBOOK_COMPARE(ne)
    WARPBOOK_COMPARE(lt)
    WARPBOOK_COMPARE(le)
    WARPBOOK_COMPARE(gt)
    WARPBOOK_COMPARE(ge)
    WARPBOOK_COMPARE(lo) WARPBOOK_COMPARE(ls) WARPBOOK_COMPARE(hi) WARPBOOK_COMPARE(hs) WARPBOOK_COMPARE(equ) WARPBOOK_COMPARE(neu)
        WARPBOOK_COMPARE(ltu) WARPBOOK_COMPARE(leu) WARPBOOK_COMPARE(gtu) WARPBOOK_COMPARE(geu) WARPBOOK_COMPARE(num)
            WARPBOOK_COMPARE(nan)
#undef WARPBOOK_COMPARE
                default : return nullptr;
  }
}
Handlers comparison(const Instruction& p) {
  if (p.type == Type::f16x2) return compare_pairs<f16x2>;
  if (p.type == Type::bf16x2) return compare_pairs<bf16x2>;
  const bool plain =
      p.destinations == 1 && p.boolean == ptx::Boolean::none && !p.ftz && p.operands[0].kind == ptx::Operand::Kind::reg;
  return for_scalar(p.type, [&](auto t) -> Handlers {
    using T = T_OF(t);
    if constexpr (sizeof(T) > 2) {
      if (plain) return comparison_of<T>(p.compare);
    }
    return compare_general<T>;
  });
}
template <class P>
Handlers set_pair(const Instruction& p) {
  return ptx::is_float(p.type) ? Handlers{set_rows<P, P>} : Handlers{set_rows<u32, P>};
}
Handlers set_value(const Instruction& p) {
  if (p.type2 == Type::f16x2) return set_pair<f16x2>(p);
  if (p.type2 == Type::bf16x2) return set_pair<bf16x2>(p);
  return for_scalar(p.type2, [&](auto s) -> Handlers {
    using S = T_OF(s);
    switch (p.type) {
      case Type::u32:
      case Type::s32:
        return set_rows<u32, S>;
      case Type::f32:
        return set_rows<float, S>;
      case Type::u16:
      case Type::s16:
        return set_rows<u16, S>;
      case Type::f16:
        return set_rows<f16, S>;
      case Type::bf16:
        return set_rows<bf16, S>;
      default:
        return nullptr;
    }
  });
}

/// A float to an integral value, of its own type or of an integer's.
template <class D, class S>
Handlers rounded(ptx::Rounding rounding) {
  using enum ptx::Rounding;
  switch (rounding) {
    case rni:
      return one<Op_convert_rounded<D, S, rni>, D, S>;
    case rzi:
      return one<Op_convert_rounded<D, S, rzi>, D, S>;
    case rmi:
      return one<Op_convert_rounded<D, S, rmi>, D, S>;
    case rpi:
      return one<Op_convert_rounded<D, S, rpi>, D, S>;
    default:
      return nullptr;
  }
}
Handlers conversion(const Instruction& p, Widths widths) {
  if (p.type == Type::f16x2) return p.operands.size() == 3 ? convert_pair<f16x2> : nullptr;
  if (p.type == Type::bf16x2) return p.operands.size() == 3 ? convert_pair<bf16x2> : nullptr;
  const bool float_to_int = ptx::is_float(p.type2) && !ptx::is_float(p.type);
  const bool default_mode = !p.ftz && !p.sat && !p.relu &&
                            (p.rounding == ptx::Rounding::none || (p.rounding == ptx::Rounding::rn && ptx::is_float(p.type)) ||
                             (p.rounding == ptx::Rounding::rzi && float_to_int));
  const bool same_size = widths.d == ptx::bytes_of(p.type) && widths.a == ptx::bytes_of(p.type2);
  return for_convertible(p.type, [&](auto d) -> Handlers {
    return for_convertible(p.type2, [&](auto s) -> Handlers {
      using D = T_OF(d);
      using S = T_OF(s);
      if constexpr (sizeof(D) > 1 && sizeof(S) > 1) {
        if (default_mode && same_size) return one<Op_convert<D, S>, D, S>;
        if constexpr (ops::Native<S> && (std::is_same_v<D, S> || (ops::Integer<D> && sizeof(D) >= 4)))
          if (!p.ftz && !p.sat && !p.relu && same_size)
            if (const Handlers h = rounded<D, S>(p.rounding)) return h;
      }
      return convert_general<D, S>;
    });
  });
}

Handlers move(const Instruction& p, Widths widths) {
  using Kind = ptx::Operand::Kind;
  if (p.operands[0].kind == Kind::vector) return unpack_rows;
  if (p.operands[1].kind == Kind::vector) return pack_rows;
  if (p.type == Type::pred) return predicate_logic<4>;
  if (p.operands[1].kind == Kind::special && widths.d != 4)
    return widths.d == 8 ? Handlers{move_special<u64>} : Handlers{move_special<u16>};
  if (ptx::bytes_of(p.type) == 16) return nullptr;
  return for_bits(p.type, [](auto t) -> Handlers { return one<Op_copy, T_OF(t), T_OF(t)>; });
}

Handlers dot(const Instruction& p) {
  const int part = p.op == Opcode::dp4a ? 0 : p.part == ptx::Part::hi ? 2 : 1;
  const auto with = [&](auto a, auto b) -> Handlers {
    using A = T_OF(a);
    using B = T_OF(b);
    if (part == 0) return three<Op_dot<A, B, 0>, u32, u32, u32, u32>;
    // dp2a: a holds 16-bit values, b bytes.
    using Wide = ops::wide_of<A>;
    return part == 1 ? Handlers{three<Op_dot<Wide, B, 1>, u32, u32, u32, u32>}
                     : Handlers{three<Op_dot<Wide, B, 2>, u32, u32, u32, u32>};
  };
  const bool sa = p.type == Type::s32, sb = p.type2 == Type::s32;
  if (sa) return sb ? with(Of<s8>{}, Of<s8>{}) : with(Of<s8>{}, Of<u8>{});
  return sb ? with(Of<u8>{}, Of<s8>{}) : with(Of<u8>{}, Of<u8>{});
}

}  // namespace

Handlers lanewise_handler(const Instruction& p, Widths widths) {
  switch (p.op) {
    case Opcode::add:
      return addition(p, false);
    case Opcode::addc:
      return addition(p, true);
    case Opcode::sub:
      return subtraction(p, false);
    case Opcode::subc:
      return subtraction(p, true);
    case Opcode::mul:
      return multiplication(p);
    case Opcode::mad:
    case Opcode::fma:
      return multiply_add(p, false);
    case Opcode::madc:
      return multiply_add(p, true);
    case Opcode::mul24:
      return multiplication24(p, false);
    case Opcode::mad24:
      return multiplication24(p, true);
    case Opcode::sad:
      return for_integer(p.type, [](auto t) -> Handlers {
        using T = T_OF(t);
        return three<Op_sad, T, T, T, T>;
      });
    case Opcode::div:
      return division(p);
    case Opcode::rem:
      return for_integer(p.type, [](auto t) -> Handlers { return two<Op_rem, T_OF(t), T_OF(t), T_OF(t)>; });
    case Opcode::abs:
      return sign<Op_abs, Op_flushed_abs>(p);
    case Opcode::neg:
      return sign<Op_neg, Op_flushed_neg>(p);
    case Opcode::min:
      return order<false, Op_min>(p);
    case Opcode::max:
      return order<true, Op_max>(p);
    case Opcode::rcp:
      return root<Op_rcp, Mode_rcp, Mode_rcp_approx, Op_rcp_f64>(p);
    case Opcode::sqrt:
      return root<Op_sqrt, Mode_sqrt, Mode_sqrt_approx, Op_sqrt>(p);
    case Opcode::rsqrt:
      return p.type == Type::f32 ? Handlers{one<Mode_rsqrt_approx, float, float>} : Handlers{one<Op_rsqrt_f64, double, double>};
    case Opcode::sin:
      return one<Mode_sin_approx, float, float>;
    case Opcode::cos:
      return one<Mode_cos_approx, float, float>;
    case Opcode::lg2:
      return one<Mode_lg2_approx, float, float>;
    case Opcode::ex2:
      if (p.type == Type::f32) return one<Mode_ex2_approx, float, float>;
      return for_half(p.type, [](auto t) -> Handlers { return one<Mode_ex2_approx, T_OF(t), T_OF(t)>; });
    case Opcode::tanh:
      if (p.type == Type::f32) return one<Mode_tanh_approx, float, float>;
      return for_half(p.type, [](auto t) -> Handlers { return one<Op_tanh_approx, T_OF(t), T_OF(t)>; });
    case Opcode::copysign:
      return for_float(p.type, [](auto t) -> Handlers { return two<Op_copysign, T_OF(t), T_OF(t), T_OF(t)>; });
    case Opcode::testp:
      return for_float(p.type, [](auto t) -> Handlers { return test_rows<T_OF(t)>; });

    case Opcode::popc:
      return for_word(p.type, [](auto t) -> Handlers { return one<Op_popc, u32, T_OF(t)>; });
    case Opcode::clz:
      return for_word(p.type, [](auto t) -> Handlers { return one<Op_clz, u32, T_OF(t)>; });
    case Opcode::brev:
      return for_word(p.type, [](auto t) -> Handlers { return one<Op_brev, T_OF(t), T_OF(t)>; });
    case Opcode::bfind:
      return for_32_64(p.type, [&](auto t) -> Handlers {
        return p.shiftamt ? one<Op_bfind_shiftamt, u32, T_OF(t)> : one<Op_bfind, u32, T_OF(t)>;
      });
    case Opcode::bfe:
      return for_32_64(p.type, [](auto t) -> Handlers {
        using T = T_OF(t);
        return three<Op_bfe, T, T, u32, u32>;
      });
    case Opcode::bfi:
      return for_word(p.type, [](auto t) -> Handlers { return bit_field_insert<T_OF(t)>; });
    case Opcode::bmsk:
      return p.wrap ? two<Op_bmsk_wrap, u32, u32, u32> : two<Op_bmsk_clamp, u32, u32, u32>;
    case Opcode::szext:
      if (p.type == Type::s32) return p.wrap ? two<Op_szext_wrap, s32, s32, u32> : two<Op_szext_clamp, s32, s32, u32>;
      return p.wrap ? two<Op_szext_wrap, u32, u32, u32> : two<Op_szext_clamp, u32, u32, u32>;
    case Opcode::fns:
      return three<Op_fns, u32, u32, u32, s32>;
    case Opcode::dp4a:
    case Opcode::dp2a:
      return dot(p);
    case Opcode::lop3:
      return logic3;
    case Opcode::prmt:
      return three<Op_prmt, u32, u32, u32, u32>;
    case Opcode::shl:
      return for_bits(p.type, [](auto t) -> Handlers { return two<Op_shl, T_OF(t), T_OF(t), u32>; });
    case Opcode::shr:
      if (const Handlers h = for_integer(p.type, [](auto t) -> Handlers { return two<Op_shr, T_OF(t), T_OF(t), u32>; })) return h;
      return for_bits(p.type, [](auto t) -> Handlers { return two<Op_shr, T_OF(t), T_OF(t), u32>; });
    case Opcode::shf_l:
      return p.clamp ? three<Op_shf_l_clamp, u32, u32, u32, u32> : three<Op_shf_l_wrap, u32, u32, u32, u32>;
    case Opcode::shf_r:
      return p.clamp ? three<Op_shf_r_clamp, u32, u32, u32, u32> : three<Op_shf_r_wrap, u32, u32, u32, u32>;
    case Opcode::and_:
      return logic<Op_and_>(p, predicate_logic<0>);
    case Opcode::or_:
      return logic<Op_or_>(p, predicate_logic<1>);
    case Opcode::xor_:
      return logic<Op_xor_>(p, predicate_logic<2>);
    case Opcode::not_:
      if (p.type == Type::pred) return predicate_logic<3>;
      return for_bits(p.type, [](auto t) -> Handlers { return one<Op_not_, T_OF(t), T_OF(t)>; });
    case Opcode::cnot:
      return for_bits(p.type, [](auto t) -> Handlers { return one<Op_cnot, T_OF(t), T_OF(t)>; });

    case Opcode::set:
      return set_value(p);
    case Opcode::setp:
      return comparison(p);
    case Opcode::selp:
      return for_bits(p.type, [](auto t) -> Handlers { return select_rows<T_OF(t)>; });
    case Opcode::slct:
      return for_bits(p.type, [&](auto t) -> Handlers {
        using T = T_OF(t);
        return p.type2 == Type::f32 ? Handlers{three<Op_slct, T, T, T, float>} : Handlers{three<Op_slct, T, T, T, s32>};
      });
    case Opcode::mov:
      return move(p, widths);
    case Opcode::cvt:
      return conversion(p, widths);
    case Opcode::cvta:
      return for_word(p.type, [](auto t) -> Handlers { return convert_address<T_OF(t)>; });
    default:
      return nullptr;
  }
}
#undef T_OF

}  // namespace warpbook::gpu::vm::WARPBOOK_OPS_TARGET
