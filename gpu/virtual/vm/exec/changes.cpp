#include "gpu/virtual/vm/exec/changes.h"

#include <array>

namespace warpbook::gpu::vm {
void execute_and_report(Warp& warp, const Inst& inst) {
  Frame& frame = *warp.frame;
  const bool guarded = inst.ptx && inst.ptx->guarded && inst.inner;
  const std::uint32_t mask = guarded ? warp.lanes_where(inst.guard, inst.guard_negated) : warp.mask;
  inst.handler(warp, inst);
  if (!inst.pseudo && mask && !inst.reports_itself) report_change(*warp.worker, warp, frame, inst, mask);
}

void report_change(Worker& worker, const Warp& warp, const Frame& frame, const Inst& inst, std::uint32_t mask) {
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
