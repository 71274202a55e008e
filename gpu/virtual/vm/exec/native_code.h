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

#include "gpu/virtual/vm/exec/lockstep.h"
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

/// What native code for warps in lockstep is told, and what it tells.
struct Together {
  const Lockstep* lockstep = nullptr;
  std::uint32_t warp = 0;            // the one that begins, and the one that left before the end
  std::uint32_t jump = 0, stay = 0;  // where a branch follows: lanes of one warp or another that jump there, and that do not
};

/// What begins at an instruction. All that Inst::native points to are these.
struct NativeStart : Native {
  /// For warps in lockstep of which all 32 lanes execute: those from `warp` on execute the instructions one after the other. It
  /// goes on across barriers. Returns how many instructions the last one of them executed, as Run does.
  using RunTogether = std::uint32_t (*)(Together*);
  RunTogether together = nullptr;
  std::uint32_t together_count = 0;

  /// For one warp of which all 32 lanes execute; full_count says how many instructions, 0: there is none. Where `full` is missing,
  /// `together` serves one warp, too.
  [[nodiscard]] std::uint32_t run_full(Warp& warp) const {
    if (full) return full(&warp);
    Lockstep one;
    one.count = 1;
    one.warps[0] = &warp;
    one.rows[0] = warp.rows;
    Together alone{.lockstep = &one};
    return together(&alone);
  }
};

/// nullptr: nothing begins there, or not yet.
[[nodiscard, gnu::always_inline]] inline const NativeStart* native_at(const Inst& inst) {
  return static_cast<const NativeStart*>(__atomic_load_n(&inst.native, __ATOMIC_ACQUIRE));
}

/// A warp of 32 lanes has come to a Flow::skip inside a stretch. The lanes that do not jump execute the instructions in between.
/// Returns where all lanes go on. The stretch counts these instructions as if all 32 lanes had executed them; this corrects the
/// count.
const Inst* execute_skip(Warp& warp, const Inst& branch);
/// Native code was left before `at`, between a Flow::skip and its target (Warp::skip_lanes). The lanes that did not jump execute
/// the rest.
const Inst* finish_skip(Warp& warp, const Inst* at);

/// Native code has left the instruction `at` to its handler, or there is none. Returns the next one.
inline const Inst* execute_left(Warp& warp, const Inst* at) {
  if (warp.skip_lanes) return finish_skip(warp, at);
  const Inst& inst = *at++;
  if (inst.flow == Flow::plain)
    inst.handler(warp, inst);
  else if (inst.flow == Flow::skip)
    return execute_skip(warp, inst);
  return at;
}

/// Executes the instructions from `at` until `end`, or until one faults: then the instruction behind it is returned. All are plain
/// but for what a stretch for 32 lanes has; barriers are passed, since warps in lockstep have met there.
inline const Inst* run_native(Warp& warp, const Inst* at, const Inst* end) {
  while (at != end) {
    if (const NativeStart* native = native_at(*at)) {
      const bool full = native->full_count && warp.exec == ~0u && at + native->full_count <= end;
      if (full || (native->part && at + native->part_count <= end)) {
        const std::uint32_t count = full ? native->full_count : native->part_count;
        const std::uint32_t executed = full ? native->run_full(warp) : native->part(&warp);
        at += executed;
        if (executed == count) continue;
      }
    }
    at = execute_left(warp, at);
    if (!warp.running) return at;
  }
  return at;
}

/// Executes what begins at `at` for warps in lockstep. Where a branch follows, Together::jump and stay say which ways they go.
inline void run_together(Together& together, const NativeStart& native, const Inst* at) {
  const Inst* const end = at + native.together_count;
  together.warp = together.jump = together.stay = 0;
  for (; together.warp < together.lockstep->count; ++together.warp) {
    const std::uint32_t executed = native.together(&together);
    if (executed == native.together_count) return;
    Warp& warp = *together.lockstep->warps[together.warp];
    const Inst* const next = execute_left(warp, at + executed);
    if (warp.running) (void)run_native(warp, next, end);
    const std::uint32_t jump = warp.lanes_where(end->guard, end->guard_negated);
    together.jump |= jump;
    together.stay |= warp.mask & ~jump;
  }
}

}  // namespace warpbook::gpu::vm
