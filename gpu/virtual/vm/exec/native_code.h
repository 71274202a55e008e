// Native code, as those see it who execute it: stretches of plain instructions that exist as the host's machine code. native/ makes
// it.
//
//     if (image.native) image.native->count(image, n);   // may set Inst::native, at once or later
//     next = run_native(warp, next, next + count);       // what the handlers would do, for one warp
//
// A stretch is entered and left at an instruction. Everything that anybody may read later is then in the warp's rows, so that the
// interpreter goes on where native code stops. It stops before a request to memory that is not straight (lanes/handlers_memory.h):
// the handler performs the request or reports it, so that all faults are the interpreter's.
#pragma once

#include <cstdint>

#include "gpu/virtual/vm/exec/warp.h"

namespace warpbook::gpu::vm {

/// The native code of one image.
class NativeCode {
 public:
  virtual ~NativeCode() = default;
  /// Warp-instructions were executed. Once there were enough of them the code is made, on a thread of its own. From any worker.
  virtual void count(const Image& image, std::uint64_t warp_instructions) = 0;
  /// Before anything is executed.
  virtual void make_at_once(const Image& image) = 0;
};

/// What begins at an instruction; nullptr: nothing, or not yet.
[[nodiscard, gnu::always_inline]] inline const Native* native_at(const Inst& inst) {
  return __atomic_load_n(&inst.native, __ATOMIC_ACQUIRE);
}

/// A warp of 32 lanes has come to a Flow::skip inside a stretch. The lanes that do not jump execute the instructions in between.
/// Returns where all lanes go on. The stretch counts these instructions as if all 32 lanes had executed them; this corrects the
/// count.
const Inst* execute_skip(Warp& warp, const Inst& branch);
/// Native code was left before `at`, between a Flow::skip and its target (Warp::skip_lanes). The lanes that did not jump execute
/// the rest.
const Inst* finish_skip(Warp& warp, const Inst* at);

/// Executes the instructions from `at` until `end`, or until one faults: then the instruction behind it is returned. All are plain
/// but for what a stretch for 32 lanes has.
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
    // Native code has left this instruction to its handler, or there is none here.
    if (warp.skip_lanes) {
      at = finish_skip(warp, at);
    } else if (const Inst& inst = *at++; inst.flow == Flow::plain) {
      inst.handler(warp, inst);
    } else if (inst.flow == Flow::skip) {
      at = execute_skip(warp, inst);
    }
    if (!warp.running) return at;
  }
  return at;
}

}  // namespace warpbook::gpu::vm
