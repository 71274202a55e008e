// Instructions that a lane computes alone: the kernel is made from the row's shape, the oracle gets the operands' bits.
//
//     Prover{"integers", "and", lanewise([](const Spelling&, Args a) { return Answer{a[0].bits & a[1].bits}; })}
#pragma once

#include "tests/forms/prover.h"

namespace warpbook::gpu::test {

/// A source operand: the type that the instruction reads it as, and its bits.
struct Arg {
  ptx::Type type = ptx::Type::none;
  u128 bits = 0;

  [[nodiscard]] s128 integer() const;  // extended by the type's sign
  [[nodiscard]] u64 low() const { return static_cast<u64>(bits); }
};
using Args = std::span<const Arg>;

/// What the instruction must leave.
struct Answer {
  enum class Kind {
    exact,     // these bits
    any_nan,   // these bits, but elements that are NaN may be any NaN of `format`
    between,   // a number of `format` from least to most
    undefined  // the ISA says nothing
  };
  u128 bits = 0;
  Kind kind = Kind::exact;
  Format format{};
  f128 least = 0, most = 0;
  std::vector<Answer> halves = {};  // of a packed type, low first, where each is judged by itself; the above is not used

  [[nodiscard]] bool accepts(u128 got, u128 mask) const;  // mask: the bits that count
};

using Oracle = std::function<Answer(const Spelling&, Args)>;
/// With two destinations the answer's bits hold the second from bit 64 on. Predicates count 0 or 1. With .cc, addc, subc and madc
/// the last argument is the carry that comes in, and the second destination the one that is there afterwards.
[[nodiscard]] std::function<Outcome(Bench&, std::span<const Spelling>)> lanewise(Oracle oracle);

// The rows that integers and floats share (add, min …), each in its file.
[[nodiscard]] Answer integer_arithmetic(const Spelling& spelling, Args args);
[[nodiscard]] Answer float_arithmetic(const Spelling& spelling, Args args);
[[nodiscard]] Answer approximation(const Spelling& spelling, Args args);

}  // namespace warpbook::gpu::test
