// Lane-wise instructions: every lane computes alone. Included by handlers_<set>.cpp, once an instruction set.
//
// Each loop runs over all 32 lanes, whether they are active or not: semantics never trap, and a whole row is one or two vector
// instructions. Under divergence results go to a scratch row first and only active lanes are kept.
//
// Longer than other files: one short handler for each kind of instruction, all by the same few loops at its beginning.
#pragma once

#include "gpu/virtual/vm/exec/lockstep.h"
#include "gpu/virtual/vm/lanes/handlers.h"
#include "gpu/virtual/vm/lanes/vectors.h"
#include "gpu/virtual/vm/ops/ops.h"

#ifdef __SSE2__
#  include <immintrin.h>
#endif

namespace warpbook::gpu::vm::WARPBOOK_OPS_TARGET {

using ops::bf16;
using ops::bf16x2;
using ops::f16;
using ops::f16x2;
using ops::s16;
using ops::s32;
using ops::s64;
using ops::s8;
using ops::u16;
using ops::u32;
using ops::u64;
using ops::u8;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Type;

inline constexpr u32 all_lanes = 0xffffffffu;

[[gnu::always_inline]] inline void keep_bits(u32* d, u32 fresh, u32 mask) { *d = (*d & ~mask) | (fresh & mask); }

/// 32 truth values → a bit a lane: by the host's own instruction for the sign bits of a vector, where it has one.
template <class Test>
[[gnu::always_inline]] inline u32 bits_where(Test test) {
  alignas(64) u32 all[lanes];
#ifdef __SSE2__
  for (u32 l = 0; l < lanes; ++l) all[l] = test(l) ? ~0u : 0u;
  u32 bits = 0;
#  if defined(__AVX512F__)
  constexpr u32 wide = 16;
  for (u32 l = 0; l < lanes; l += wide) bits |= u32{_mm512_movepi32_mask(read_vector<__m512i>(all + l))} << l;
#  elif defined(__AVX2__)
  constexpr u32 wide = 8;
  for (u32 l = 0; l < lanes; l += wide) bits |= static_cast<u32>(_mm256_movemask_ps(read_vector<__m256>(all + l))) << l;
#  else
  constexpr u32 wide = 4;
  for (u32 l = 0; l < lanes; l += wide) bits |= static_cast<u32>(_mm_movemask_ps(read_vector<__m128>(all + l))) << l;
#  endif
#else
  for (u32 l = 0; l < lanes; ++l) all[l] = test(l) ? 1u << l : 0u;
  u32 bits = 0;
  for (u32 l = 0; l < lanes; ++l) bits |= all[l];
#endif
  return bits;
}

/// Is any lane a NaN?
template <class D>
[[gnu::always_inline]] inline bool any_nan(const D* row) {
#ifdef __AVX512F__
  u32 found = 0;
  for (u32 l = 0; l < lanes; l += 64 / sizeof(D)) {
    if constexpr (sizeof(D) == 4) {
      const auto v = read_vector<__m512>(row + l);
      found |= _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q);
    } else {
      const auto v = read_vector<__m512d>(row + l);
      found |= _mm512_cmp_pd_mask(v, v, _CMP_UNORD_Q);
    }
  }
  return found != 0;
#elif defined(__AVX2__)
  if constexpr (sizeof(D) == 4) {
    __m256 found = _mm256_setzero_ps();
    for (u32 l = 0; l < lanes; l += 8) {
      const auto v = read_vector<__m256>(row + l);
      found = _mm256_or_ps(found, _mm256_cmp_ps(v, v, _CMP_UNORD_Q));
    }
    return _mm256_movemask_ps(found) != 0;
  } else {
    __m256d found = _mm256_setzero_pd();
    for (u32 l = 0; l < lanes; l += 4) {
      const auto v = read_vector<__m256d>(row + l);
      found = _mm256_or_pd(found, _mm256_cmp_pd(v, v, _CMP_UNORD_Q));
    }
    return _mm256_movemask_pd(found) != 0;
  }
#else
  ops::unsigned_of<D> found = 0;
  for (u32 l = 0; l < lanes; ++l) found |= row[l] == row[l] ? 0 : 1;
  return found != 0;
#endif
}

/// F::of takes the sources, and the instruction first where its modifiers matter. F::raw takes the sources too, and leaves NaNs as
/// the host makes them: they are rare, and putting them right afterwards does not keep the next instruction waiting.
template <class F, class... S>
[[gnu::always_inline]] inline auto apply([[maybe_unused]] const Instruction& p, S... x) {
  if constexpr (requires { F::raw(x...); })
    return F::raw(x...);
  else if constexpr (requires { F::of(x...); })
    return F::of(x...);
  else
    return F::of(p, x...);
}
/// The same for what takes the instruction, which is more than a few of the host's instructions a lane: compiled once, and not
/// unrolled.
template <class F, class D, class... S>
[[gnu::noinline]] void fill_with_modifiers(D* d, const Instruction& p, const S*... s) {
#pragma GCC unroll 1
#pragma GCC ivdep
  for (u32 l = 0; l < lanes; ++l) d[l] = F::of(p, s[l]...);
}
/// d[l] = F of the sources' l, for all lanes.
template <class F, class D, class... S>
[[gnu::always_inline]] inline void fill(D* d, const Instruction& p, const S*... s) {
  if constexpr (requires { F::of(p, *s...); }) return fill_with_modifiers<F>(d, p, s...);
#pragma GCC ivdep
  for (u32 l = 0; l < lanes; ++l) d[l] = apply<F>(p, s[l]...);
  if constexpr (requires { F::raw(*s...); })
    if (any_nan(d)) [[unlikely]]
      for (u32 l = 0; l < lanes; ++l) d[l] = ops::canonical(d[l]);
}
template <class F, class D, class... S>
[[gnu::always_inline]] inline void fill_lanes(Warp& w, const Inst& i, const S*... s) {
  D* const d = w.row_of<D>(i.d);
  alignas(64) D fresh[lanes];
  const bool whole = (w.exec | i.inactive_lanes_dead) == all_lanes;
  fill<F>(whole ? d : fresh, *i.ptx, s...);
  if (!whole) keep(d, fresh, w.exec);
}

template <class F, class D, class A>
void one_alone(Warp& w, const Inst& i) {
  fill_lanes<F, D>(w, i, w.row_of<A>(i.a));
}
template <class F, class D, class A, class B>
void two_alone(Warp& w, const Inst& i) {
  fill_lanes<F, D>(w, i, w.row_of<A>(i.a), w.row_of<B>(i.b));
}
template <class F, class D, class A, class B, class C>
void three_alone(Warp& w, const Inst& i) {
  fill_lanes<F, D>(w, i, w.row_of<A>(i.a), w.row_of<B>(i.b), w.row_of<C>(i.c));
}
// The instruction's rows are looked up once for all warps.
template <class F, class D, class A>
void one_together(const Lockstep& m, const Inst& i) {
  const u64 d = i.d.offset, a = i.a.offset;
  const Instruction& p = *i.ptx;
  for (u32 w = 0; w < m.count; ++w) fill<F>(m.row<D>(w, d), p, m.row<A>(w, a));
}
template <class F, class D, class A, class B>
void two_together(const Lockstep& m, const Inst& i) {
  const u64 d = i.d.offset, a = i.a.offset, b = i.b.offset;
  const Instruction& p = *i.ptx;
  for (u32 w = 0; w < m.count; ++w) fill<F>(m.row<D>(w, d), p, m.row<A>(w, a), m.row<B>(w, b));
}
template <class F, class D, class A, class B, class C>
void three_together(const Lockstep& m, const Inst& i) {
  const u64 d = i.d.offset, a = i.a.offset, b = i.b.offset, c = i.c.offset;
  const Instruction& p = *i.ptx;
  for (u32 w = 0; w < m.count; ++w) fill<F>(m.row<D>(w, d), p, m.row<A>(w, a), m.row<B>(w, b), m.row<C>(w, c));
}
template <class F, class D, class A>
inline constexpr Handlers one{one_alone<F, D, A>, one_together<F, D, A>};
template <class F, class D, class A, class B>
inline constexpr Handlers two{two_alone<F, D, A, B>, two_together<F, D, A, B>};
template <class F, class D, class A, class B, class C>
inline constexpr Handlers three{three_alone<F, D, A, B, C>, three_together<F, D, A, B, C>};

// ---- semantics as functors ------------------------------------------------------------------------------------------

#define WARPBOOK_ONE(name)            \
  struct Op_##name {                  \
    template <class T>                \
    WARPBOOK_OP static auto of(T a) { \
      return ops::name(a);            \
    }                                 \
  };
#define WARPBOOK_TWO(name)                 \
  struct Op_##name {                       \
    template <class T, class U>            \
    WARPBOOK_OP static auto of(T a, U b) { \
      return ops::name(a, b);              \
    }                                      \
  };
#define WARPBOOK_THREE(name)                    \
  struct Op_##name {                            \
    template <class T, class U, class V>        \
    WARPBOOK_OP static auto of(T a, U b, V c) { \
      return ops::name(a, b, c);                \
    }                                           \
  };
#define WARPBOOK_RAW(name, op)           \
  struct Op_##name {                     \
    template <class T>                   \
    WARPBOOK_OP static T of(T a, T b) {  \
      return ops::name(a, b);            \
    }                                    \
    template <ops::Native T>             \
    WARPBOOK_OP static T raw(T a, T b) { \
      return a op b;                     \
    }                                    \
  };
WARPBOOK_RAW(add, +)
WARPBOOK_RAW(sub, -)
WARPBOOK_RAW(mul, *)
#undef WARPBOOK_RAW
struct Op_fma {
  template <ops::Native T>
  WARPBOOK_OP static T raw(T a, T b, T c) {
    return ops::fma_raw(a, b, c);
  }
};
WARPBOOK_TWO(mul_lo)
WARPBOOK_TWO(mul_hi)
WARPBOOK_TWO(mul_wide)
WARPBOOK_TWO(add_sat)
WARPBOOK_TWO(sub_sat) WARPBOOK_TWO(mul24_lo) WARPBOOK_TWO(mul24_hi) WARPBOOK_TWO(div) WARPBOOK_TWO(rem) WARPBOOK_TWO(min)
    WARPBOOK_TWO(max) WARPBOOK_TWO(and_) WARPBOOK_TWO(or_) WARPBOOK_TWO(xor_) WARPBOOK_TWO(shl) WARPBOOK_TWO(shr)
        WARPBOOK_TWO(bmsk_wrap) WARPBOOK_TWO(bmsk_clamp) WARPBOOK_TWO(szext_wrap) WARPBOOK_TWO(szext_clamp) WARPBOOK_TWO(copysign)
            WARPBOOK_THREE(mad_lo) WARPBOOK_THREE(mad_hi) WARPBOOK_THREE(mad_wide) WARPBOOK_THREE(mad_hi_sat)
                WARPBOOK_THREE(mad24_lo) WARPBOOK_THREE(mad24_hi) WARPBOOK_THREE(mad24_hi_sat) WARPBOOK_THREE(sad)
                    WARPBOOK_THREE(bfe) WARPBOOK_THREE(fns) WARPBOOK_THREE(shf_l_wrap) WARPBOOK_THREE(shf_l_clamp)
                        WARPBOOK_THREE(shf_r_wrap) WARPBOOK_THREE(shf_r_clamp) WARPBOOK_ONE(neg) WARPBOOK_ONE(abs)
                            WARPBOOK_ONE(not_) WARPBOOK_ONE(cnot) WARPBOOK_ONE(popc) WARPBOOK_ONE(clz) WARPBOOK_ONE(brev)
                                WARPBOOK_ONE(bfind) WARPBOOK_ONE(bfind_shiftamt) WARPBOOK_ONE(tanh_approx) WARPBOOK_ONE(rcp)
                                    WARPBOOK_ONE(sqrt)
#undef WARPBOOK_ONE
#undef WARPBOOK_TWO
#undef WARPBOOK_THREE

                                        WARPBOOK_OP ops::FloatMode float_mode(const Instruction& p) {
  return {.rounding = p.rounding, .ftz = p.ftz, .sat = p.sat};
}

// The same with any mode; slower, for .rz and friends, .ftz and .sat.
#define WARPBOOK_MODE_ONE(name)                             \
  struct Mode_##name {                                      \
    template <class T>                                      \
    WARPBOOK_OP static auto of(const Instruction& p, T a) { \
      return ops::name(a, float_mode(p));                   \
    }                                                       \
  };
#define WARPBOOK_MODE_TWO(name)                                  \
  struct Mode_##name {                                           \
    template <class T>                                           \
    WARPBOOK_OP static auto of(const Instruction& p, T a, T b) { \
      return ops::name(a, b, float_mode(p));                     \
    }                                                            \
  };
WARPBOOK_MODE_TWO(add)
WARPBOOK_MODE_TWO(sub)
WARPBOOK_MODE_TWO(mul)
WARPBOOK_MODE_TWO(div)
WARPBOOK_MODE_TWO(div_approx)
WARPBOOK_MODE_TWO(div_full)
WARPBOOK_MODE_ONE(rcp) WARPBOOK_MODE_ONE(sqrt) WARPBOOK_MODE_ONE(rcp_approx) WARPBOOK_MODE_ONE(sqrt_approx)
    WARPBOOK_MODE_ONE(rsqrt_approx) WARPBOOK_MODE_ONE(sin_approx) WARPBOOK_MODE_ONE(cos_approx) WARPBOOK_MODE_ONE(lg2_approx)
        WARPBOOK_MODE_ONE(ex2_approx) WARPBOOK_MODE_ONE(tanh_approx)
#undef WARPBOOK_MODE_ONE
#undef WARPBOOK_MODE_TWO
            struct Mode_fma {
  template <class T>
  WARPBOOK_OP static T of(const Instruction& p, T a, T b, T c) {
    const T d = ops::fma(a, b, c, float_mode(p));
    if constexpr (ops::Native<T>)
      return d;
    else
      return p.relu ? ops::relu(d) : d;
  }
};
// Flush-to-zero in the nearest rounding is what -use_fast_math gives: worth a form that vectorises.
#define WARPBOOK_FLUSHED(name)                                                                                    \
  struct Flushed_##name {                                                                                         \
    WARPBOOK_OP static float of(float a, float b) { return ops::flush(ops::name(ops::flush(a), ops::flush(b))); } \
  };
WARPBOOK_FLUSHED(add)
WARPBOOK_FLUSHED(sub)
WARPBOOK_FLUSHED(mul)
#undef WARPBOOK_FLUSHED
struct Flushed_fma {
  WARPBOOK_OP static float of(float a, float b, float c) {
    return ops::flush(ops::fma(ops::flush(a), ops::flush(b), ops::flush(c)));
  }
};
template <bool Max>
struct Op_order {
  template <class T>
  WARPBOOK_OP static T of(const Instruction& p, T a, T b) {
    const ops::OrderMode mode{.ftz = p.ftz, .nan = p.nan, .xorsign = p.xorsign, .abs = p.xorsign};
    return Max ? ops::max(a, b, mode) : ops::min(a, b, mode);
  }
};
template <bool Max>
struct Op_order_relu {
  WARPBOOK_OP static s32 of(s32 a, s32 b) { return ops::relu(Max ? ops::max(a, b) : ops::min(a, b)); }
};
struct Op_flushed_abs {
  template <class T>
  WARPBOOK_OP static T of(T a) {
    return ops::flush(ops::abs(a));
  }
};
struct Op_flushed_neg {
  template <class T>
  WARPBOOK_OP static T of(T a) {
    return ops::flush(ops::neg(a));
  }
};
struct Op_rcp_f64 {
  WARPBOOK_OP static double of(double a) { return ops::rcp_approx(a); }
};
struct Op_rsqrt_f64 {
  WARPBOOK_OP static double of(const Instruction& p, double a) { return p.ftz ? ops::rsqrt_approx_ftz(a) : ops::rsqrt_approx(a); }
};
struct Op_copy {
  template <class T>
  WARPBOOK_OP static T of(T a) {
    return a;
  }
};
struct Op_prmt {
  WARPBOOK_OP static u32 of(const Instruction& p, u32 a, u32 b, u32 c) {
    return p.prmt == ptx::Prmt::none ? ops::prmt(a, b, c) : ops::prmt(p.prmt, a, b, c);
  }
};
template <class A, class B, int Part>  // 0: dp4a, 1: dp2a.lo, 2: dp2a.hi
struct Op_dot {
  WARPBOOK_OP static u32 of(u32 a, u32 b, u32 c) {
    if constexpr (Part == 0)
      return ops::dp4a<A, B>(a, b, c);
    else if constexpr (Part == 1)
      return ops::dp2a_lo<A, B>(a, b, c);
    else
      return ops::dp2a_hi<A, B>(a, b, c);
  }
};
struct Op_slct {
  template <class T, class C>
  WARPBOOK_OP static T of(const Instruction& p, T a, T b, C c) {
    if constexpr (sizeof(C) == 4 && !ops::Integer<C>) c = p.ftz ? ops::flush(c) : c;
    return ops::slct_first(c) ? a : b;
  }
};

// ---- instructions that touch predicates or carries ------------------------------------------------------------------

template <ptx::Compare C, class T>
[[gnu::always_inline]] inline u32 compare_bits(const T* a, const T* b) {
  return bits_where([&](u32 l) [[gnu::always_inline]] { return ops::compare<C>(a[l], b[l]); });
}
template <ptx::Compare C, class T>
void compare_alone(Warp& w, const Inst& i) {
  keep_bits(w.row_of<u32>(i.d), compare_bits<C>(w.row_of<T>(i.a), w.row_of<T>(i.b)), w.exec);
}
template <ptx::Compare C, class T>
void compare_together(const Lockstep& m, const Inst& i) {
  const u64 d = i.d.offset, a = i.a.offset, b = i.b.offset;
  for (u32 w = 0; w < m.count; ++w) *m.row<u32>(w, d) = compare_bits<C>(m.row<T>(w, a), m.row<T>(w, b));
}
template <ptx::Compare C, class T>
inline constexpr Handlers compare_rows{compare_alone<C, T>, compare_together<C, T>};
/// A comparison of set or setp, with its .ftz.
template <class T>
WARPBOOK_OP bool compare_one(const Instruction& p, T a, T b) {
  if constexpr (ops::AnyFloat<T>) {
    if (p.ftz) a = ops::flush(a), b = ops::flush(b);
  }
  return ops::compare(p.compare, a, b);
}
/// setp's results, a bit a lane: with a boolean they are combined with %p first.
inline void keep_predicates(Warp& w, const Inst& i, u32 first, u32 second) {
  const Instruction& p = *i.ptx;
  if (p.boolean != ptx::Boolean::none) {
    const u32 c = *w.row_of<u32>(i.c) ^ (i.a_negated ? ~0u : 0u);
    const auto with = [&](u32 x) {
      return p.boolean == ptx::Boolean::and_ ? x & c : p.boolean == ptx::Boolean::or_ ? x | c : x ^ c;
    };
    first = with(first);
    second = with(second);
  }
  if (i.bytes) keep_bits(w.row_of<u32>(i.d), first, w.exec);
  if (p.destinations > 1) keep_bits(w.row_of<u32>(i.d2), second, w.exec);
}
/// Any comparison with all of setp's trimmings: .ftz, a boolean with %p, a second destination.
template <class T>
void compare_general(Warp& w, const Inst& i) {
  const T* a = w.row_of<T>(i.a);
  const T* b = w.row_of<T>(i.b);
  u32 bits = 0;
  for (u32 l = 0; l < lanes; ++l) bits |= static_cast<u32>(compare_one(*i.ptx, a[l], b[l])) << l;
  keep_predicates(w, i, bits, ~bits);
}
/// Packed halves: d for the low, d2 for the high element.
template <class P>
void compare_pairs(Warp& w, const Inst& i) {
  const P* a = w.row_of<P>(i.a);
  const P* b = w.row_of<P>(i.b);
  u32 low = 0, high = 0;
  for (u32 l = 0; l < lanes; ++l) {
    low |= static_cast<u32>(compare_one(*i.ptx, ops::low(a[l]), ops::low(b[l]))) << l;
    high |= static_cast<u32>(compare_one(*i.ptx, ops::high(a[l]), ops::high(b[l]))) << l;
  }
  keep_predicates(w, i, low, high);
}
template <class D, class S>
void set_rows(Warp& w, const Inst& i) {
  const Instruction& p = *i.ptx;
  const S* a = w.row_of<S>(i.a);
  const S* b = w.row_of<S>(i.b);
  const u32 c = p.boolean == ptx::Boolean::none ? 0 : *w.row_of<u32>(i.c) ^ (i.a_negated ? ~0u : 0u);
  D* d = w.row_of<D>(i.d);
  for (u32 l = 0; l < lanes; ++l) {
    if (!(w.exec >> l & 1u)) continue;
    const auto value = [&](auto x, auto y) { return ops::combine(p.boolean, compare_one(p, x, y), c >> l & 1u); };
    if constexpr (ops::HalfPair<S>) {  // packed halves: 16 bits of the result for each
      using E = std::conditional_t<std::is_same_v<D, S>, decltype(ops::low(a[l])), u16>;
      const auto half = [&](auto x, auto y) { return u32{__builtin_bit_cast(u16, ops::set_value<E>(value(x, y)))}; };
      const u32 both = half(ops::high(a[l]), ops::high(b[l])) << 16 | half(ops::low(a[l]), ops::low(b[l]));
      d[l] = __builtin_bit_cast(D, both);
    } else {
      d[l] = ops::set_value<D>(value(a[l], b[l]));
    }
  }
}
template <class T>
void select_rows(Warp& w, const Inst& i) {
  const T* a = w.row_of<T>(i.a);
  const T* b = w.row_of<T>(i.b);
  const u32 p = *w.row_of<u32>(i.c);
  T* d = w.row_of<T>(i.d);
  if ((w.exec | i.inactive_lanes_dead) == all_lanes) {
#pragma GCC ivdep
    for (u32 l = 0; l < lanes; ++l) d[l] = (p >> l & 1u) ? a[l] : b[l];
    return;
  }
  alignas(64) T fresh[lanes];
  for (u32 l = 0; l < lanes; ++l) fresh[l] = (p >> l & 1u) ? a[l] : b[l];
  keep(d, fresh, w.exec);
}
template <int Op>  // 0 and, 1 or, 2 xor, 3 not, 4 mov
[[gnu::always_inline]] inline u32 logic_of(const u32* a, const u32* b) {
  return Op == 0 ? *a & *b : Op == 1 ? *a | *b : Op == 2 ? *a ^ *b : Op == 3 ? ~*a : *a;
}
template <int Op>
void predicate_logic_alone(Warp& w, const Inst& i) {
  keep_bits(w.row_of<u32>(i.d), logic_of<Op>(w.row_of<u32>(i.a), w.row_of<u32>(i.b)), w.exec);
}
template <int Op>
void predicate_logic_together(const Lockstep& m, const Inst& i) {
  const u64 d = i.d.offset, a = i.a.offset, b = i.b.offset;
  for (u32 w = 0; w < m.count; ++w) *m.row<u32>(w, d) = logic_of<Op>(m.row<u32>(w, a), m.row<u32>(w, b));
}
template <int Op>
inline constexpr Handlers predicate_logic{predicate_logic_alone<Op>, predicate_logic_together<Op>};
template <class T>
void test_rows(Warp& w, const Inst& i) {
  const T* a = w.row_of<T>(i.a);
  u32 bits = 0;
  for (u32 l = 0; l < lanes; ++l) bits |= static_cast<u32>(ops::testp(i.ptx->testp, a[l])) << l;
  keep_bits(w.row_of<u32>(i.d), bits, w.exec);
}
inline void logic3(Warp& w, const Inst& i) {
  const u32* a = w.row_of<u32>(i.a);
  const u32* b = w.row_of<u32>(i.b);
  const u32* c = w.row_of<u32>(i.c);
  const auto lut = static_cast<u32>(i.offset);
  alignas(64) u32 fresh[lanes];
  for (u32 l = 0; l < lanes; ++l) fresh[l] = ops::lop3(a[l], b[l], c[l], lut);
  if (i.ptx->boolean != ptx::Boolean::none) {
    const u32 q = *w.row_of<u32>(w.frame->code->extras[i.extra].rows.back()) ^ (i.a_negated ? ~0u : 0u);
    const u32 nonzero = bits_where([&](u32 l) { return fresh[l] != 0; });
    keep_bits(w.row_of<u32>(i.d2), i.ptx->boolean == ptx::Boolean::and_ ? nonzero & q : nonzero | q, w.exec);
    if (!i.bytes) return;
  }
  keep(w.row_of<u32>(i.d), fresh, w.exec);
}
template <class T>
void bit_field_insert(Warp& w, const Inst& i) {
  const T* a = w.row_of<T>(i.a);
  const T* b = w.row_of<T>(i.b);
  const u32* position = w.row_of<u32>(i.c);
  const u32* length = w.row_of<u32>(w.frame->code->extras[i.extra].rows[0]);
  alignas(64) T fresh[lanes];
  for (u32 l = 0; l < lanes; ++l) fresh[l] = ops::bfi(a[l], b[l], position[l], length[l]);
  keep(w.row_of<T>(i.d), fresh, w.exec);
}

/// add.cc addc subc madc …: the carry is a bit a lane in the warp. As the machines do it, a − b is a + ~b + 1: a subtraction leaves
/// (and takes) no carry where the ISA speaks of a borrow, which only code that mixes both can see.
template <class T, class Of>
[[gnu::always_inline]] inline void with_carry(Warp& w, const Inst& i, Of of) {
  T* d = w.row_of<T>(i.d);
  u32 carry = w.carry;
  for (u32 l = 0; l < lanes; ++l) {
    if (!(w.exec >> l & 1u)) continue;
    const ops::WithCarry<T> result = of(l, (w.carry >> l & 1u) != 0);
    d[l] = result.value;
    carry = (carry & ~(1u << l)) | static_cast<u32>(result.carry) << l;
  }
  if (i.ptx->carry_out) w.carry = carry;
}
template <class T, bool In>
void add_carry(Warp& w, const Inst& i) {
  with_carry<T>(w, i, [&](u32 l, bool c) { return ops::add_carry(w.row_of<T>(i.a)[l], w.row_of<T>(i.b)[l], In && c); });
}
template <class T, bool In>
void sub_carry(Warp& w, const Inst& i) {
  with_carry<T>(w, i, [&](u32 l, bool c) {
    const ops::WithCarry<T> result = ops::sub_borrow(w.row_of<T>(i.a)[l], w.row_of<T>(i.b)[l], In && !c);
    return ops::WithCarry<T>{result.value, !result.carry};
  });
}
template <class T, bool In>
void mad_carry(Warp& w, const Inst& i) {
  with_carry<T>(w, i, [&](u32 l, bool c) {
    const T a = w.row_of<T>(i.a)[l], b = w.row_of<T>(i.b)[l], d = w.row_of<T>(i.c)[l];
    return i.ptx->part == ptx::Part::hi ? ops::mad_hi_carry(a, b, d, In && c) : ops::mad_lo_carry(a, b, d, In && c);
  });
}

// ---- conversion -----------------------------------------------------------------------------------------------------

/// Register and type of the same size on both sides, default mode: the hot form.
template <class D, class S>
struct Op_convert {
  WARPBOOK_OP static D of(S a) { return ops::convert<D>(a); }
};
/// floor, ceil and their kin, and floor straight to an integer.
template <class D, class S, ptx::Rounding R>
struct Op_convert_rounded {
  WARPBOOK_OP static D of(S a) { return ops::convert<D>(a, ops::ConvertMode{.rounding = R}); }
};
/// Everything else: modifiers, registers wider than their types.
template <class D, class S>
void convert_general(Warp& w, const Inst& i) {
  const Instruction& p = *i.ptx;
  const ops::ConvertMode mode{.rounding = p.rounding, .ftz = p.ftz, .sat = p.sat, .relu = p.relu};
  const u32 d_bytes = i.cache >> 8, s_bytes = i.cache & 0xffu;  // register widths, set by the decoder
  std::byte* d = w.row(i.d);
  const std::byte* s = w.row(i.a);
  alignas(64) u64 fresh[lanes];
  for (u32 l = 0; l < lanes; ++l) {
    S source;
    __builtin_memcpy(&source, s + l * s_bytes, sizeof source);
    const D value = ops::convert<D>(source, mode);
    if constexpr (ops::Integer<D>) {
      fresh[l] = static_cast<u64>(static_cast<s64>(value));  // signed types extend their sign
    } else {
      fresh[l] = 0;
      __builtin_memcpy(&fresh[l], &value, sizeof value);
    }
  }
  for (u32 l = 0; l < lanes; ++l)
    if (w.exec >> l & 1u) __builtin_memcpy(d + l * d_bytes, &fresh[l], d_bytes);
}
template <class P>
void convert_pair(Warp& w, const Inst& i) {
  const Instruction& p = *i.ptx;
  const ops::ConvertMode mode{.rounding = p.rounding, .ftz = p.ftz, .sat = p.sat, .relu = p.relu};
  const float* a = w.row_of<float>(i.a);
  const float* b = w.row_of<float>(i.b);
  P* d = w.row_of<P>(i.d);
  for (u32 l = 0; l < lanes; ++l)
    if (w.exec >> l & 1u) d[l] = ops::convert_pack<P>(a[l], b[l], mode);
}

/// mov.b64 {a, b}, d and back: little-endian pieces.
inline void pack_rows(Warp& w, const Inst& i) {
  const Extra& extra = w.frame->code->extras[i.extra];
  const u32 whole = ptx::bytes_of(i.ptx->type), each = whole / static_cast<u32>(extra.rows.size());
  for (u32 l = 0; l < lanes; ++l) {
    if (!(w.exec >> l & 1u)) continue;
    std::byte value[16];
    for (u32 e = 0; e < extra.rows.size(); ++e) __builtin_memcpy(value + e * each, w.row(extra.rows[e]) + l * each, each);
    __builtin_memcpy(w.row(i.d) + l * whole, value, whole);
  }
}
inline void unpack_rows(Warp& w, const Inst& i) {
  const Extra& extra = w.frame->code->extras[i.extra];
  const u32 whole = ptx::bytes_of(i.ptx->type), each = whole / static_cast<u32>(extra.rows.size());
  for (u32 l = 0; l < lanes; ++l) {
    if (!(w.exec >> l & 1u)) continue;
    std::byte value[16];
    __builtin_memcpy(value, w.row(i.a) + l * whole, whole);
    for (u32 e = 0; e < extra.rows.size(); ++e)
      if (extra.row_bytes[e]) __builtin_memcpy(w.row(extra.rows[e]) + l * each, value + e * each, each);
  }
}
/// mov of a 32-bit special register into a register of another width.
template <class D>
void move_special(Warp& w, const Inst& i) {
  const u32* a = w.row_of<u32>(i.a);
  D* d = w.row_of<D>(i.d);
  for (u32 l = 0; l < lanes; ++l)
    if (w.exec >> l & 1u) d[l] = static_cast<D>(a[l]);
}

/// cvta: what turns an address of a space into a generic one, and back.
template <class T>
void convert_address(Warp& w, const Inst& i) {
  const u64 base = i.ptx->space == ptx::Space::shared ? shared_window : i.ptx->space == ptx::Space::local ? local_window : 0;
  const u64 change = i.ptx->to ? 0 - base : base;
  const T* a = w.row_of<T>(i.a);
  T* d = w.row_of<T>(i.d);
  for (u32 l = 0; l < lanes; ++l)
    if (w.exec >> l & 1u) d[l] = static_cast<T>(a[l] + change);
}

}  // namespace warpbook::gpu::vm::WARPBOOK_OPS_TARGET
