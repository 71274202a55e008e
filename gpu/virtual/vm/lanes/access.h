// MemoryRequest: one warp's memory instruction in two steps. capture() reads addresses and values to store; perform() accesses
// memory. The clock schedule keeps a request for hundreds of cycles in between; the other schedules perform it at once.
#pragma once

#include <cstdint>

#include "gpu/virtual/vm/exec/block.h"

namespace warpbook::gpu::vm {

struct MemoryRequest {
  const Inst* inst = nullptr;
  Warp* warp = nullptr;
  Frame* frame = nullptr;
  std::uint32_t mask = 0;
  std::uint64_t issued = 0, reached = 0, done = 0;  // cycles; all the same outside the clock
  bool reported = false;                            // it was reported before it is performed: report_ahead()
  std::uint64_t address[lanes];                     // in the instruction's space
  std::uint64_t from[lanes];                        // cp.async: the global address
  std::uint64_t data[8][lanes];                     // store: vector elements; atomic: b, c
};

/// The addresses that the lanes of the running split access, in the instruction's space. into: [32].
void addresses_of(const Warp& warp, const Inst& inst, std::uint64_t* into);

/// Reads the operands of the running split's memory instruction.
void capture(Warp& warp, const Inst& inst, MemoryRequest& request);

/// Accesses memory, writes registers and reports to the observer; faults where a lane may not access an address.
void perform(Worker& worker, MemoryRequest& request);

/// Reports a request that is performed later, and faults where a lane may not access an address. Needed for cp.async: a copy
/// belongs to the next group that its thread commits, whenever it reaches memory.
void report_ahead(Worker& worker, MemoryRequest& request);

/// atom or red of one lane on the host's memory. parallel: other workers may access it at the same time. Returns the old value.
std::uint64_t perform_atomic(Warp& warp, const Inst& inst, const Extra& extra, std::uint32_t lane, std::byte* at, bool parallel);

/// An atomic whose operands may be combined before they reach memory: add, min, max, and, or, xor of integers.
[[nodiscard]] bool may_be_combined(const ptx::Instruction& inst);
/// Such an atomic of all lanes that execute, at one place, whose result nobody reads: one exchange instead of 32.
void perform_combined(Warp& warp, const Inst& inst, std::byte* at, bool parallel);

/// Space that an address of the instruction belongs to, and the address within it.
struct Resolved {
  ptx::Space space = ptx::Space::global;
  std::uint64_t address = 0;
};
[[nodiscard]] Resolved resolve(ptx::Space space, std::uint64_t address);

}  // namespace warpbook::gpu::vm
