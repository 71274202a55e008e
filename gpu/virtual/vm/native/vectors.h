// NativeVectors: the vector instructions of AVX-512 and of AVX2 behind one interface. Where AVX2 lacks an instruction of AVX-512,
// several are emitted here, so that the other files of native code are the same for both. For native/*.cpp only.
//
//     NativeVectors v(compiler, InstructionSet::avx2);
//     x86::Vec sum = v.fresh();                      // 32 bytes; with AVX-512 64
//     v.blend(sum, other, v.mask(v.spread(bits), 4, 0), 4);
//
// A row of 32 lanes is parts(4) or parts(8) vectors. Emitters write `d`, which must not be one of their sources unless they say so.
#pragma once

#include <asmjit/x86.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "gpu/virtual/vm/native/form.h"

namespace warpbook::gpu::vm {

namespace x86 = asmjit::x86;

class NativeVectors {
 public:
  /// One bit a lane; with AVX2 a vector whose lanes are all ones or all zeros.
  struct Mask {
    x86::KReg bits;
    x86::Vec lanes;
  };
  /// A predicate, from which masks are made.
  struct Spread {
    x86::Gp bits;
    x86::Vec everywhere;  // AVX2: in every lane of 32 bits
  };
  using Masks = std::array<Mask, 8>;

  NativeVectors(x86::Compiler& compiler, InstructionSet set) : cc(compiler), wide_(set == InstructionSet::avx512) {}

  /// Can the instruction set do this form? With AVX2, conversions of 64-bit integers to reals are left to the interpreter.
  [[nodiscard]] static bool have(InstructionSet set, const Form& form, const ptx::Instruction& p);

  [[nodiscard]] bool are_512_bits() const { return wide_; }
  [[nodiscard]] unsigned bytes() const { return wide_ ? 64 : 32; }
  [[nodiscard]] unsigned parts(unsigned lane_bytes) const { return lanes * lane_bytes / bytes(); }
  void prepare(asmjit::FuncFrame& frame) const;

  // Registers, rows and constants. Errors of all emitters are reported by the compiler's finalize().
  [[nodiscard]] x86::Vec fresh();
  [[nodiscard]] x86::Vec fresh_half();
  [[nodiscard]] x86::Mem at(const x86::Gp& base, std::uint32_t offset) const;
  asmjit::Error move(const x86::Vec& to, const x86::Vec& from);
  asmjit::Error load(const x86::Vec& to, const x86::Mem& from);
  asmjit::Error store(const x86::Mem& to, const x86::Vec& from);
  [[nodiscard]] x86::Mem constant(std::uint32_t bits);  // in all lanes, as the last operand
  [[nodiscard]] x86::Mem constant64(std::uint64_t bits);
  template <class T, std::size_t N>
  [[nodiscard]] x86::Mem constant_vector(const std::array<T, N>& values) {
    return cc.newConst(asmjit::ConstPoolScope::kGlobal, values.data(), sizeof values);
  }
  asmjit::Error upper_half(const x86::Vec& half, const x86::Vec& of);
  void low_to(const x86::Gp& to, const x86::Vec& from);                   // the first lane, of `to`'s 4 or 8 bytes
  asmjit::Error set_upper_half(const x86::Vec& d, const x86::Vec& half);  // of d itself

  // Integers of so many bytes.
  template <class B>
  void and_(const x86::Vec& d, const x86::Vec& a, const B& b) {
    wide_ ? cc.vpandd(d, a, b) : cc.vpand(d, a, b);
  }
  template <class B>
  void or_(const x86::Vec& d, const x86::Vec& a, const B& b) {
    wide_ ? cc.vpord(d, a, b) : cc.vpor(d, a, b);
  }
  template <class B>
  void xor_(const x86::Vec& d, const x86::Vec& a, const B& b) {
    wide_ ? cc.vpxord(d, a, b) : cc.vpxor(d, a, b);
  }
  void lop3(const x86::Vec& d, const x86::Vec& a, const x86::Vec& b, const x86::Vec& c, unsigned table);
  void mul(const x86::Vec& d, const x86::Vec& a, const x86::Vec& b, unsigned bytes);
  void order(const x86::Vec& d, const x86::Vec& a, const x86::Vec& b, unsigned bytes, bool is_signed, bool max);
  void shift_right_signed(const x86::Vec& d, const x86::Vec& a, unsigned by, unsigned bytes);
  void shift_right_signed(const x86::Vec& d, const x86::Vec& a, const x86::Vec& by, unsigned bytes);
  void abs(const x86::Vec& d, const x86::Vec& a, unsigned bytes);
  void narrow(const x86::Vec& d, const x86::Vec& low, const x86::Vec& high);  // 64 → 32 bits

  // Reals.
  void order_reals(const x86::Vec& d, const x86::Vec& a, const x86::Vec& b, unsigned bytes, bool max);
  void round(const x86::Vec& d, const x86::Vec& a, unsigned mode, unsigned bytes);
  void u32_to_f32(const x86::Vec& d, const x86::Vec& a);
  void u32_to_f64(const x86::Vec& d, const x86::Vec& half);
  void f32_to_s32(const x86::Vec& d, const x86::Vec& a);  // towards zero; what does not fit is clamped, NaN gives 0
  void f32_to_u32(const x86::Vec& d, const x86::Vec& a);
  void f64_to_s32(const x86::Vec& half, const x86::Vec& a);  // NaN gives the least

  // Masks. mask(): the bits of a predicate that belong to a part. bits_of(): the predicate that the parts' comparisons make.
  [[nodiscard]] Spread spread(const x86::Gp& bits);
  [[nodiscard]] Mask mask(const Spread& spread, unsigned bytes, unsigned part);
  [[nodiscard]] Mask compare_reals(const x86::Vec& a, const x86::Vec& b, unsigned how, unsigned bytes);
  void blend(const x86::Vec& d, const x86::Vec& from, const Mask& where, unsigned bytes);  // d = where ? from : d
  /// Lanes of `where` alone. What the others would load need not be there, and they keep d's.
  void load_some(const x86::Vec& d, const x86::Mem& from, const Mask& where, unsigned bytes);
  /// To memory that nobody else sees meanwhile: AVX2 writes what is there again in the other lanes' places, which must be there.
  void store_some_of_own(const x86::Mem& to, const x86::Vec& from, const Mask& where, unsigned bytes);
  [[nodiscard]] x86::Gp bits_of(Masks& masks, unsigned bytes, bool all_alike);
  /// A comparison of integers; `how` is vpcmp's: 0 =, 1 <, 2 ≤, 4 ≠, 5 ≥, 6 >. AVX2 has fewer comparisons, so that its result may
  /// be inverted.
  struct Comparison {
    unsigned how = 0;
    bool is_signed = false, inverted = false, swapped = false;
    unsigned bytes = 4;
  };
  [[nodiscard]] Comparison comparison(unsigned how, bool is_signed, unsigned bytes) const;
  [[nodiscard]] Mask compare(const x86::Vec& a, const x86::Vec& b, const Comparison& how);

  /// Replaces NaNs by CUDA's canonical NaN. NaNs are rare, so that this is usually one comparison and a jump.
  void settle(const x86::Vec* parts, unsigned count, unsigned bytes);
  void settle_always(const x86::Vec& d, const x86::Vec& a, unsigned bytes);

 private:
  [[nodiscard]] x86::Vec two_input(const x86::Vec& b, const x86::Vec& c, unsigned table, bool& ones, bool& zeros);
  [[nodiscard]] x86::Vec canonical_nan(unsigned bytes);

  x86::Compiler& cc;
  bool wide_;
};

}  // namespace warpbook::gpu::vm
