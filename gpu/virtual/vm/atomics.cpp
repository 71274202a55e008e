#include "gpu/virtual/vm/atomics.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "gpu/virtual/vm/access.h"
#include "gpu/virtual/vm/handlers.h"

namespace warpbook::gpu::vm {
namespace {

using ptx::AtomicOp;
using ptx::Opcode;
using ptx::Space;

constexpr std::uint64_t most_delayed_bytes = 256 * 1024;  // an array of counters, not of data
constexpr unsigned most_forced = 16;
constexpr std::size_t row_words = 16;  // most of a page may be empty: looked at by the row
static_assert(DelayedAdds::page_words % row_words == 0);

bool is_plain_add(const ptx::Instruction& p) {
  return p.atomic == AtomicOp::add && !ptx::is_float(p.type) && ptx::bytes_of(p.type) == 4;
}

}  // namespace

DelayedAdds::Array* DelayedAdds::array_of(Worker& worker, const Extent& extent) {
  auto found = std::find_if(arrays_.begin(), arrays_.end(), [&](const Array& array) { return array.extent.low == extent.low; });
  if (found == arrays_.end()) {
    if (extent.high - extent.low > most_delayed_bytes) return nullptr;
    const std::size_t words = ((extent.high - extent.low + 3) / 4 + row_words - 1) / row_words * row_words;
    arrays_.push_back({.extent = extent,
                       .sums = std::vector<std::uint32_t>(words),
                       .touched = std::vector<std::uint8_t>((words + page_words - 1) / page_words)});
    found = std::prev(arrays_.end());
  }
  if (found->forced > most_forced) return nullptr;
  if (!found->pending) {
    // Whoever remembers this array must ask for it again, and so be noticed.
    for (Extent& remembered : worker.extents)
      if (remembered.low == extent.low) remembered = {};
    pending_ = found->pending = true;
  }
  return &*found;
}

void DelayedAdds::flush(Array& array) {
  if (!std::exchange(array.pending, false)) return;
  for (std::size_t page = 0; page < array.touched.size(); ++page) {
    if (!std::exchange(array.touched[page], 0)) continue;
    const std::size_t end = std::min(array.sums.size(), (page + 1) * page_words);
    for (std::size_t row = page * page_words; row < end; row += row_words) {
      std::uint32_t* const sums = &array.sums[row];
      std::uint32_t any = 0;
      for (std::size_t w = 0; w < row_words; ++w) any |= sums[w];
      if (!any) continue;
      for (std::size_t w = 0; w < row_words; ++w)
        if (const std::uint32_t sum = std::exchange(sums[w], 0))
          __atomic_fetch_add(reinterpret_cast<std::uint32_t*>(array.extent.host) + row + w, sum, __ATOMIC_RELAXED);
    }
  }
}

void DelayedAdds::touch(const Extent& extent) {
  for (Array& array : arrays_)
    if (array.extent.low == extent.low && array.pending) {
      flush(array);
      ++array.forced;
    }
}

void DelayedAdds::flush() {
  for (Array& array : arrays_) flush(array);
  pending_ = false;
}

bool may_delay_adds(const ptx::Module& module, const std::vector<std::uint32_t>& functions) {
  for (const std::uint32_t f : functions)
    for (const ptx::Instruction& inst : module.functions[f].code) switch (inst.op) {
        case Opcode::membar:
        case Opcode::fence:
          return false;
        case Opcode::ld:
        case Opcode::st:
          if (inst.order != ptx::Order::weak) return false;
          break;
        case Opcode::atom:
        case Opcode::red: {
          if (inst.space == Space::shared) break;
          if (!adds_unread(module.functions[f], inst) || inst.order > ptx::Order::relaxed) return false;
          break;
        }
        default:
          break;
      }
  return true;
}

bool is_read(const ptx::Function& function, const ptx::Operand& destination) {
  if (destination.kind != ptx::Operand::Kind::reg) return false;
  const auto reads = [&](const ptx::Operand& operand, const auto& self) -> bool {
    const bool names = operand.kind == ptx::Operand::Kind::reg ||
                       (operand.kind == ptx::Operand::Kind::address && operand.base == ptx::Operand::Base::reg);
    return (names && operand.index == destination.index) ||
           std::any_of(operand.elements.begin(), operand.elements.end(), [&](const auto& element) { return self(element, self); });
  };
  return std::any_of(function.code.begin(), function.code.end(), [&](const ptx::Instruction& inst) {
    return (inst.guarded && inst.guard == destination.index) ||
           std::any_of(inst.operands.begin() + std::max(inst.destinations, inst.call_results), inst.operands.end(),
                       [&](const ptx::Operand& operand) { return reads(operand, reads); });
  });
}

bool adds_unread(const ptx::Function& function, const ptx::Instruction& inst) {
  const bool atom = inst.op == Opcode::atom;
  return (atom || inst.op == Opcode::red) && inst.vector == 1 && is_plain_add(inst) &&
         (inst.space == Space::shared || inst.space == Space::global || inst.space == Space::generic) &&
         !(atom && is_read(function, inst.operands[0]));
}

void straight_atomic(Warp& w, const Inst& i) {
  const ptx::Instruction& p = *i.ptx;
  Worker& worker = *w.worker;
  const Extra& extra = w.frame->code->extras[i.extra];
  const unsigned bytes = i.bytes;
  const bool shared = p.space == Space::shared;
  std::uint64_t at[lanes], least = ~std::uint64_t{0}, most = 0, all = 0, differ = 0;
  addresses_of(w, i, at);
  const auto first = static_cast<std::uint32_t>(std::countr_zero(w.exec));
  for (std::uint32_t left = w.exec; left; left &= left - 1) {
    const auto l = static_cast<std::uint32_t>(std::countr_zero(left));
    all |= at[l];
    differ |= at[l] ^ at[first];
    least = std::min(least, at[l]);
    most = std::max(most, at[l]);
  }
  if (all & (bytes - 1)) return general_access(w, i);
  std::byte* host;
  DelayedAdds::Array* delayed = nullptr;
  if (shared) {
    if (most >= w.shared_bytes || bytes > w.shared_bytes - most) return general_access(w, i);
    host = w.shared;
  } else {
    Extent& extent = w.extents[i.cache];
    if (!extent.holds(least, bytes) || !extent.holds(most, bytes)) {
      const Extent found = worker.machine.memory->find(least);
      if (found.heap || !found.holds(least, bytes) || !found.holds(most, bytes) || !found.writable) return general_access(w, i);
      extent = found;
    }
    host = extent.host - extent.low;
    if (worker.machine.parallel && worker.machine.image->may_delay_adds) {
      const Extent of = extent;
      delayed = worker.delayed.array_of(worker, of);
      extent = of;
    }
  }
  const bool parallel = worker.machine.parallel && !shared;
  const bool has_result = extra.row_bytes[0] != 0;
  if (is_plain_add(p) && !has_result) {
    const std::uint32_t* values = w.row_of<std::uint32_t>(i.b);
    const auto add_one = [&](std::uint64_t address, std::uint32_t value) {
      if (delayed)
        DelayedAdds::add(*delayed, (address - delayed->extent.low) / 4, value);
      else if (auto* word = reinterpret_cast<std::uint32_t*>(host + address); parallel)
        __atomic_fetch_add(word, value, __ATOMIC_SEQ_CST);
      else
        *word += value;
    };
    if (!differ) {
      std::uint32_t sum = 0;
      for (std::uint32_t left = w.exec; left; left &= left - 1) sum += values[std::countr_zero(left)];
      return add_one(at[first], sum);
    }
    for (std::uint32_t left = w.exec; left; left &= left - 1) {
      const auto l = std::countr_zero(left);
      add_one(at[l], values[l]);
    }
    return;
  }
  if (!has_result && !differ && may_be_combined(p)) return perform_combined(w, i, host + at[first], parallel);
  for (std::uint32_t left = w.exec; left; left &= left - 1) {
    const auto l = static_cast<std::uint32_t>(std::countr_zero(left));
    perform_atomic(w, i, extra, l, host + at[l], parallel);
  }
}

}  // namespace warpbook::gpu::vm
