#include "gpu/virtual/vm/ops/mbarrier.h"

namespace warpbook::gpu::vm {
namespace {

using ptx::Opcode;

constexpr std::uint64_t most_arrivals = (1u << 20) - 1;  // PTX ISA, "size and range of mbarrier object's contents"
constexpr std::int64_t most_bytes = (1 << 20) - 1;
constexpr std::uint64_t valid = 2;

struct Parts {
  std::uint64_t pending = 0, expected = 0;
  std::int64_t bytes = 0;
  std::uint64_t phase = 0;
};

Parts parts_of(std::uint64_t word) {
  return {word & most_arrivals, word >> 20 & most_arrivals, static_cast<std::int64_t>(word << 3) >> 43, word >> 61 & 1};
}
std::uint64_t word_of(const Parts& parts) {
  return parts.pending | parts.expected << 20 | (static_cast<std::uint64_t>(parts.bytes) & 0x1fffff) << 40 | parts.phase << 61 |
         valid << 62;
}

void end_phase_if_complete(Parts& parts) {
  if (parts.pending || parts.bytes) return;
  parts.phase ^= 1;
  parts.pending = parts.expected;
}

}  // namespace

MbarrierStep mbarrier_step(Opcode op, std::uint64_t word, std::uint64_t operand) {
  const auto misused = [&](const ToSay& what) { return MbarrierStep{word, 0, false, what}; };
  if (op == Opcode::mbarrier_init) {
    if (operand == 0 || operand > most_arrivals) return misused(to_say("An mbarrier expects 1 to 1048575 arrivals a phase."));
    return {word_of({.pending = operand, .expected = operand, .bytes = 0, .phase = 0}), 0, false, {}};
  }
  if (word >> 62 != valid) return misused(to_say("No mbarrier.init has made an mbarrier here."));
  Parts parts = parts_of(word);
  MbarrierStep step{word, word, false, {}};
  switch (op) {
    case Opcode::mbarrier_inval:
      step.word = 0;
      return step;
    case Opcode::mbarrier_test_wait:
    case Opcode::mbarrier_try_wait:
      step.passed = parts_of(operand).phase != parts.phase;
      return step;
    case Opcode::mbarrier_test_wait_parity:
    case Opcode::mbarrier_try_wait_parity:
      step.passed = (operand & 1) != parts.phase;
      return step;
    case Opcode::mbarrier_expect_tx:
    case Opcode::mbarrier_arrive_expect_tx:
      if (operand > static_cast<std::uint64_t>(most_bytes) || parts.bytes + static_cast<std::int64_t>(operand) > most_bytes)
        return misused(to_say("An mbarrier counts at most 1048575 bytes under way."));
      parts.bytes += static_cast<std::int64_t>(operand);
      if (op == Opcode::mbarrier_expect_tx) {
        step.word = word_of(parts);
        return step;
      }
      operand = 1;
      break;
    case Opcode::mbarrier_complete_tx:
      parts.bytes -= static_cast<std::int64_t>(operand & 0xffffffff);
      if (parts.bytes < -most_bytes) return misused(to_say("An mbarrier counts at most 1048575 bytes under way."));
      end_phase_if_complete(parts);
      step.word = word_of(parts);
      return step;
    case Opcode::cp_async_mbarrier_arrive:  // expects one arrival more, and arrives: its copies are done when they are issued
      return step;
    default:
      break;
  }
  if (operand == 0 || operand > parts.pending) return misused(to_say("More threads arrive than its phase expects."));
  parts.pending -= operand;
  if (op == Opcode::mbarrier_arrive_drop || op == Opcode::mbarrier_arrive_drop_no_complete) parts.expected -= operand;
  const bool stays = op == Opcode::mbarrier_arrive_no_complete || op == Opcode::mbarrier_arrive_drop_no_complete;
  if (stays && !parts.pending && !parts.bytes)
    return misused(to_say("'.noComplete' promises that this arrival does not end the phase, and it does."));
  end_phase_if_complete(parts);
  step.word = word_of(parts);
  return step;
}

bool ended_a_phase(std::uint64_t before, std::uint64_t after) {
  return after >> 62 == valid && parts_of(before).phase != parts_of(after).phase;
}

std::uint32_t mbarrier_pending_count(std::uint64_t token) { return static_cast<std::uint32_t>(parts_of(token).pending); }

}  // namespace warpbook::gpu::vm
