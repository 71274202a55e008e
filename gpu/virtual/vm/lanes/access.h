// MemoryRequest: one warp's memory instruction, taken apart in two: what it asks (addresses, values to store), and doing it.
// The clock schedule keeps requests for hundreds of cycles between the two; everyone else performs them at once.
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
  bool told = false;                                // who watches has heard of it: it was told before it is performed
  std::uint64_t address[lanes];                     // as the instruction's space counts
  std::uint64_t from[lanes];                        // cp.async: the global address
  std::uint64_t data[8][lanes];                     // store: vector elements; atomic: b, c
};

/// Where the lanes of the running split access memory, as the instruction's space counts. into: of all lanes.
void addresses_of(const Warp& warp, const Inst& inst, std::uint64_t* into);

/// Reads the operands of the running split's memory instruction.
void capture(Warp& warp, const Inst& inst, MemoryRequest& request);

/// Touches memory, writes registers, tells the observer; faults where a lane may not access.
void perform(Worker& worker, MemoryRequest& request);

/// Tells the observer of a request that is performed later, and faults where a lane may not access. cp.async: what its thread has
/// begun belongs to the next group that it makes, whenever memory is reached.
void report_ahead(Worker& worker, MemoryRequest& request);

/// atom or red of one lane, on the host's memory; parallel: other workers may be at it too. Returns the old value.
std::uint64_t perform_atomic(Warp& warp, const Inst& inst, const Extra& extra, std::uint32_t lane, std::byte* at, bool parallel);

/// An atomic whose operands may be combined before they reach memory: integers' add, min, max, and, or, xor.
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
