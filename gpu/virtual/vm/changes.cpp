#include "gpu/virtual/vm/changes.h"

#include <array>

#include "gpu/virtual/vm/handlers.h"

namespace warpbook::gpu::vm {
namespace {

using ptx::Opcode;

bool told_elsewhere(const Inst& inst, const Extra& extra) {
  const Handler handler = inst.inner ? inst.inner : inst.handler;
  if (handler == general_access || handler == deferred_access) return true;
  switch (inst.ptx->op) {
    case Opcode::shfl:
    case Opcode::vote:
    case Opcode::match:
    case Opcode::redux:
    case Opcode::elect:
    case Opcode::bar:
    case Opcode::barrier:
      return true;
    case Opcode::call:
      return extra.builtin == Extra::Builtin::none;  // by its ret
    default:
      return false;
  }
}

}  // namespace

void execute_and_tell(Warp& warp, const Inst& inst) {
  Frame& frame = *warp.frame;
  const bool guarded = inst.ptx && inst.ptx->guarded && inst.inner;
  const std::uint32_t mask = guarded ? warp.lanes_where(inst.guard, inst.guard_negated) : warp.mask;
  inst.handler(warp, inst);
  if (!inst.pseudo && mask && !told_elsewhere(inst, frame.code->extras[inst.extra]))
    tell_change(*warp.worker, warp, frame, inst, mask);
}

void tell_change(Worker& worker, const Warp& warp, const Frame& frame, const Inst& inst, std::uint32_t mask) {
  const auto index = static_cast<std::size_t>(&inst - frame.code->insts.data());
  const auto& written = frame.code->extras[frame.code->scoreboard[index]].writes;
  std::array<Change::Value, 16> values;
  std::size_t count = 0;
  for (const std::uint16_t reg : written)
    if (count < values.size()) values[count++] = {reg, frame.rows.get() + frame.code->registers[reg].offset};
  if (count || !worker.stored.empty()) {
    Change change;
    change.site = {frame.code->function, inst.pc};
    change.warp = warp.block->id(warp);
    change.frame = frame.id;
    change.mask = mask;
    change.registers = {values.data(), count};
    change.memory = worker.stored;
    worker.machine.observer->on_change(change);
  }
  worker.stored.clear();
}

}  // namespace warpbook::gpu::vm
