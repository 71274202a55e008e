// Handlers: what each decoded instruction does to a warp. Lane-wise handlers (arithmetic and straight memory requests) are built
// once for each instruction set of the host; the others once.
//
//     Handlers h = avx2::lanewise_handler(instruction, widths);   // empty: not a lane-wise instruction
#pragma once

#include "gpu/virtual/vm/code/code.h"
#include "gpu/virtual/vm/exec/warp.h"

namespace warpbook::gpu::vm {

// handlers_generic.cpp, handlers_avx2.cpp and handlers_avx512.cpp build the same source: handlers_alu.h, handlers_memory.h and
// handlers_atomic.h.
struct Handlers {
  constexpr Handlers(Handler of_one = nullptr, LockstepHandler of_all = nullptr) : alone(of_one), in_lockstep(of_all) {}
  constexpr Handlers(std::nullptr_t) {}
  constexpr explicit operator bool() const { return alone != nullptr; }
  Handler alone = nullptr;
  LockstepHandler in_lockstep = nullptr;  // nullptr: one warp after the other
};
namespace generic {
Handlers lanewise_handler(const ptx::Instruction&, Widths);
Handlers memory_handler(const ptx::Instruction&, Widths, Addressing, bool watched);
Handlers atomic_handler(const ptx::Instruction&, Addressing, bool adds_unread, bool watched);  // adds_unread: analysis/atomics.h
}  // namespace generic
namespace avx2 {
Handlers lanewise_handler(const ptx::Instruction&, Widths);
Handlers memory_handler(const ptx::Instruction&, Widths, Addressing, bool watched);
Handlers atomic_handler(const ptx::Instruction&, Addressing, bool adds_unread, bool watched);
}  // namespace avx2
namespace avx512 {
Handlers lanewise_handler(const ptx::Instruction&, Widths);
Handlers memory_handler(const ptx::Instruction&, Widths, Addressing, bool watched);
Handlers atomic_handler(const ptx::Instruction&, Addressing, bool adds_unread, bool watched);
}  // namespace avx512

// control.cpp: branches, calls, barriers, exchanges between lanes, special registers that change.
[[nodiscard]] Handler control_handler(const ptx::Instruction& inst);
[[nodiscard]] Handler scalar_handler(const ptx::Instruction& inst,
                                     Widths widths);  // scalar_handlers.cpp: what few programs use, lane by lane
[[nodiscard]] Handler texture_handler(const ptx::Instruction& inst);  // textures.cpp
void guarded(Warp& warp, const Inst& inst);           // @p in front of inst.inner
void reconvergence_point(Warp& warp, const Inst& inst);
void return_handler(Warp& warp, const Inst& inst);
void branch_around(Warp& warp, const Inst& inst);    // in front of a guarded call or ret: lanes whose guard is false jump over it
void builtin_handler(Warp& warp, const Inst& inst);  // printf.cpp: vprintf, assert, malloc, free

// access.cpp: memory instructions one lane at a time: observed, faulting, generic, atomic, or deferred by the clock.
void general_access(Warp& warp, const Inst& inst);
void deferred_access(Warp& warp, const Inst& inst);        // hands the request to Worker::clock
void frame_address(Warp& warp, const Inst& inst);          // mov of a local variable's address
void frame_generic_address(Warp& warp, const Inst& inst);  // cvta of it
void stack_allocate(Warp& warp, const Inst& inst);         // alloca, stacksave, stackrestore
void stack_save(Warp& warp, const Inst& inst);
void stack_restore(Warp& warp, const Inst& inst);
void parameter_load(Warp& warp, const Inst& inst);  // ld.param of the kernel's own parameters

}  // namespace warpbook::gpu::vm
