// The namespace of instruction semantics. The ops headers are compiled several times, once an instruction set; an inline
// namespace named after it keeps the linker from merging an AVX-512 body into code that must run without.
//
//     WARPBOOK_OPS_BEGIN
//     WARPBOOK_OP std::uint32_t twice(std::uint32_t a) { return a + a; }
//     WARPBOOK_OPS_END
//
// For the same reason an op calls builtins, never an inline function of the standard library: that one would be emitted
// once for the whole program, for whichever instruction set the linker meets first.
#pragma once

#if defined(__AVX512F__)
#  define WARPBOOK_OPS_TARGET avx512
#elif defined(__AVX2__)
#  define WARPBOOK_OPS_TARGET avx2
#else
#  define WARPBOOK_OPS_TARGET generic
#endif

#define WARPBOOK_OPS_BEGIN           \
  namespace warpbook::gpu::vm::ops { \
  inline namespace WARPBOOK_OPS_TARGET {
#define WARPBOOK_OPS_END \
  }                      \
  }

/// A short semantic function: always inlined, so that a loop over lanes becomes vector code.
#define WARPBOOK_OP [[gnu::always_inline]] inline
