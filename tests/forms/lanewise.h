// Instructions that each lane computes on its own. The kernel is made from the row's shape, and the oracle gets the operands' bits.
//
//     Prover{"integers", "and", lanewise([](const Spelling&, Args a) { return Answer{a[0].bits & a[1].bits}; })}
#pragma once

#include "tests/forms/prover.h"

namespace warpbook::gpu::test {

/// A source operand: the type as which the instruction reads it, and its bits.
struct Arg {
  ptx::Type type = ptx::Type::none;
  u128 bits = 0;

  [[nodiscard]] s128 integer() const;  // extended according to the type's sign
  [[nodiscard]] u64 low() const { return static_cast<u64>(bits); }
};
using Args = std::span<const Arg>;

/// The required result.
struct Answer {
  enum class Kind {
    exact,     // these bits
    any_nan,   // these bits, but elements that are NaN may be any NaN of `format`
    between,   // a number of `format` from least to most
    undefined  // the ISA does not define it
  };
  u128 bits = 0;
  Kind kind = Kind::exact;
  Format format{};
  f128 least = 0, most = 0;
  std::vector<Answer> halves = {};  // of a packed type, low half first; then only these are compared

  [[nodiscard]] bool accepts(u128 got, u128 mask) const;  // mask: the significant bits
};

using Oracle = std::function<Answer(const Spelling&, Args)>;
/// With two destinations, the second one is in the answer's bits from bit 64 on. Predicates are 0 or 1. For .cc, addc, subc and
/// madc, the last argument is the carry in, and the second destination the carry out.
[[nodiscard]] std::function<Outcome(Bench&, std::span<const Spelling>)> lanewise(Oracle oracle);

// The rows that integers and floats share (add, min …), each in its file.
[[nodiscard]] Answer integer_arithmetic(const Spelling& spelling, Args args);
[[nodiscard]] Answer float_arithmetic(const Spelling& spelling, Args args);
[[nodiscard]] Answer approximation(const Spelling& spelling, Args args);

}  // namespace warpbook::gpu::test
