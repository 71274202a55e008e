// Native code: stretches of plain instructions as the host's own machine code, for hosts with AVX-512 or AVX2.
//
//     prepare_native_code(image, Observed::no);
//     if (image.native) image.native->count(image, n);   // may set Inst::native
//     next = run_native(warp, next, next + count);       // what the handlers would do, one warp
//
// A stretch is entered and left at an instruction, with all that anybody may read later in the warp's rows: the interpreter goes on
// where native code stops. It stops before a request to memory that is not straight (handlers_memory.h), which the handler then
// does or reports, so faults are the interpreter's alone. Within a stretch registers stay in the host's, those that nobody reads
// behind it are never written, and NaNs are made canonical where somebody could see them.
//
// Two kinds of stretches (code.h, Native): for warps of which all 32 lanes execute, and for any others. The former go on where some
// lanes jump over a few instructions (Flow::over), which are there twice then: for all and for some. Where somebody watches they
// have no requests to memory that he must hear of, which handlers tell.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <thread>

#include "gpu/virtual/vm/warp.h"

namespace warpbook::gpu::vm {

enum class Observed : bool { no, yes };

/// Of one image, which lives as long. Any worker may ask for it: it is made on a thread of its own, for which no launch waits, and
/// workers find it at the next stretch they come to.
class NativeCode {
 public:
  NativeCode(Observed observed, InstructionSet set) : observed_(observed), set_(set) {}
  /// Warp-instructions were executed. Once there were enough of them it is made: what is over soon is not worth the compiler's
  /// time.
  void count(const Image& image, std::uint64_t warp_instructions);
  /// Before anything is executed.
  void make_at_once(const Image& image);

 private:
  void make(const Image& image);
  Observed observed_;
  InstructionSet set_;
  std::atomic<std::uint64_t> executed_{0};
  std::atomic_flag begun_;
  std::shared_ptr<void> code_;  // executable memory
  std::deque<Native> natives_;
  std::jthread maker_;  // the last member: it is waited for before the others go
};

/// For an image decoded for Mode::fast or Mode::observed, with the widest vectors that the host has, where those are AVX2 at least.
/// WARPBOOK_INSTRUCTION_SET may say "avx2": no wider ones; "native" or "native-avx2": it is made at once; "avx512",
/// "interpreted-avx2" or "generic": there is none. Without executable memory the image stays as it is.
void prepare_native_code(Image& image, Observed observed);

/// What begins at an instruction; nullptr: nothing, or not yet.
[[nodiscard, gnu::always_inline]] inline const Native* native_at(const Inst& inst) {
  return __atomic_load_n(&inst.native, __ATOMIC_ACQUIRE);
}

/// A warp of 32 lanes comes to a Flow::over within a stretch: where it goes on, once those have executed what is jumped over who do
/// not jump. Instructions are counted as if all 32 had; this takes the others off.
const Inst* go_over(Warp& warp, const Inst& branch);
/// Native code has left what some jump over before `at` (Warp::within): they execute the rest.
const Inst* finish_over(Warp& warp, const Inst* at);

/// Executes the instructions from `at` until `end`, or until one faults: then the one behind it is returned. They are plain, but
/// for what a stretch for 32 lanes has.
inline const Inst* run_native(Warp& warp, const Inst* at, const Inst* end) {
  while (at != end) {
    if (const Native* native = native_at(*at)) {
      const bool full = native->full && warp.exec == ~0u && at + native->full_count <= end;
      if (full || (native->part && at + native->part_count <= end)) {
        const std::uint32_t count = full ? native->full_count : native->part_count;
        const std::uint32_t executed = full ? native->full(&warp) : native->part(&warp);
        at += executed;
        if (executed == count) continue;
      }
    }
    // What native code has left to its handler, or never was.
    if (warp.within) {
      at = finish_over(warp, at);
    } else if (const Inst& inst = *at++; inst.flow == Flow::plain) {
      inst.handler(warp, inst);
    } else if (inst.flow == Flow::over) {
      at = go_over(warp, inst);
    }
    if (!warp.running) return at;
  }
  return at;
}

}  // namespace warpbook::gpu::vm
