// Form: what an instruction is in native code, if it can be native code at all. For native/*.cpp only.
#pragma once

#include <array>
#include <cstdint>

#include "gpu/virtual/vm/code/code.h"

namespace warpbook::gpu::vm {

struct Form {
  enum class Kind : std::uint8_t {
    none,  // left to the interpreter
    copy,
    add,
    sub,
    mul,
    mad,
    mul_wide,
    mad_wide,
    min,
    max,
    and_,
    or_,
    xor_,
    not_,
    shl,
    shr,
    neg,
    abs,
    lop3,
    fadd,
    fsub,
    fmul,
    ffma,
    fdiv,
    fsqrt,
    frcp,
    fmin,
    fmax,  // nearest rounding, no modifiers
    convert,
    compare,
    select,
    predicate_and,
    predicate_or,
    predicate_xor,
    predicate_not,
    predicate_copy,
    load,
    store
  };
  Kind kind = Kind::none;
  std::uint8_t bytes = 0;  // of the value that it writes or stores; 0: a predicate
  std::uint8_t sources = 0;
  std::array<std::uint8_t, 3> source = {};  // bytes of each; 0: a predicate
};

[[nodiscard]] Form form_of(const Code& code, const Inst& inst);

}  // namespace warpbook::gpu::vm
