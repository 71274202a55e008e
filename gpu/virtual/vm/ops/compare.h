// Comparisons of set, setp and slct (PTX ISA sections 9.7.6 and 9.7.7), and how set combines them.
//
//     bool p = ops::compare<Compare::ltu>(a, b);    // known when compiling: the hot form, vectorises
//     bool p = ops::compare(instruction.compare, a, b);
//
// T is any integer, float, double, f16 or bf16. eq … ge are false when an operand is NaN, equ … geu true. lo ls hi hs compare
// unsigned. For .ftz compare flush(a) with flush(b).
#pragma once

#include "gpu/virtual/vm/ops/half.h"

WARPBOOK_OPS_BEGIN

using ptx::Compare;

template <Compare C, class T>
WARPBOOK_OP bool compare(T a, T b) {
  if constexpr (Half<T>) {
    return compare<C>(to_float(a), to_float(b));
  } else if constexpr (Integer<T>) {
    using U = unsigned_of<T>;
    switch (C) {
      case Compare::eq:
      case Compare::equ:
        return a == b;
      case Compare::ne:
      case Compare::neu:
        return a != b;
      case Compare::lt:
      case Compare::ltu:
        return a < b;
      case Compare::le:
      case Compare::leu:
        return a <= b;
      case Compare::gt:
      case Compare::gtu:
        return a > b;
      case Compare::ge:
      case Compare::geu:
        return a >= b;
      case Compare::lo:
        return static_cast<U>(a) < static_cast<U>(b);
      case Compare::ls:
        return static_cast<U>(a) <= static_cast<U>(b);
      case Compare::hi:
        return static_cast<U>(a) > static_cast<U>(b);
      case Compare::hs:
        return static_cast<U>(a) >= static_cast<U>(b);
      case Compare::num:
        return true;
      case Compare::nan:
      case Compare::none:
        return false;
    }
  } else {
    switch (C) {
      case Compare::eq:
        return a == b;
      case Compare::ne:
        return (a < b) | (a > b);  // ordered: C's != would be true of NaN
      case Compare::lt:
      case Compare::lo:
        return a < b;
      case Compare::le:
      case Compare::ls:
        return a <= b;
      case Compare::gt:
      case Compare::hi:
        return a > b;
      case Compare::ge:
      case Compare::hs:
        return a >= b;
      case Compare::equ:
        return !((a < b) | (a > b));
      case Compare::neu:
        return a != b;
      case Compare::ltu:
        return !(a >= b);
      case Compare::leu:
        return !(a > b);
      case Compare::gtu:
        return !(a <= b);
      case Compare::geu:
        return !(a < b);
      case Compare::num:
        return (a == a) & (b == b);
      case Compare::nan:
        return (a != a) | (b != b);
      case Compare::none:
        return false;
    }
  }
  return false;
}

template <class T>
WARPBOOK_OP bool compare(Compare c, T a, T b) {
  switch (c) {
#define WARPBOOK_COMPARE(name) \
  case Compare::name:          \
    return compare<Compare::name>(a, b);
    WARPBOOK_COMPARE(eq)
    WARPBOOK_COMPARE(ne)
    WARPBOOK_COMPARE(lt)
    WARPBOOK_COMPARE(le)
    WARPBOOK_COMPARE(gt)
    WARPBOOK_COMPARE(ge)
    WARPBOOK_COMPARE(lo)
    WARPBOOK_COMPARE(ls)
    WARPBOOK_COMPARE(hi)
    WARPBOOK_COMPARE(hs)
    WARPBOOK_COMPARE(equ)
    WARPBOOK_COMPARE(neu)
    WARPBOOK_COMPARE(ltu)
    WARPBOOK_COMPARE(leu)
    WARPBOOK_COMPARE(gtu)
    WARPBOOK_COMPARE(geu)
    WARPBOOK_COMPARE(num)
    WARPBOOK_COMPARE(nan)
#undef WARPBOOK_COMPARE
    case Compare::none:
      break;
  }
  return false;
}

/// setp.and, set.or …: the comparison with the third operand.
WARPBOOK_OP bool combine(ptx::Boolean op, bool compared, bool c) {
  switch (op) {
    case ptx::Boolean::and_:
      return compared & c;
    case ptx::Boolean::or_:
      return compared | c;
    case ptx::Boolean::xor_:
      return compared != c;
    case ptx::Boolean::none:
      break;
  }
  return compared;
}
/// set's result: 1.0 or all ones for true.
template <class D>
WARPBOOK_OP D set_value(bool value) {
  if constexpr (Native<D>) {
    return value ? D{1} : D{0};
  } else if constexpr (Half<D>) {
    return from_float<D>(value ? 1.0f : 0.0f);
  } else {
    return value ? static_cast<D>(~D{0}) : D{0};
  }
}
/// slct: c ≥ 0, with −0 as zero; NaN is not.
template <class C>
WARPBOOK_OP bool slct_first(C c) {
  return c >= 0;
}

WARPBOOK_OPS_END
