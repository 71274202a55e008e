#include "gpu/virtual/watch/lines.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "gpu/virtual/ptx/opcodes.h"
#include "gpu/virtual/watch/vectorised.h"

namespace warpbook::gpu::watch {

namespace {

constexpr unsigned lanes = 32;

/// Each with each, wherever they are.
unsigned compare_all(const std::uint64_t* address, std::uint32_t mask) {
  unsigned most = 0;
  for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
    const std::uint64_t one = address[std::countr_zero(rest)];
    unsigned same = 0;
    for (unsigned lane = 0; lane < lanes; ++lane) same += (mask >> lane & 1) && address[lane] == one;
    most = std::max(most, same);
  }
  return most;
}

/// How many lanes have the number that most have. Numbers leave their type's highest bit free.
template <class Number>
[[gnu::always_inline]] inline unsigned most_of_one_number(const std::uint64_t* of_lane, std::uint32_t mask) {
  typedef Number Vector __attribute__((vector_size(32)));
  constexpr unsigned each = sizeof(Vector) / sizeof(Number), count = lanes / each;
  constexpr auto nobody = static_cast<Number>(Number{1} << (8 * sizeof(Number) - 1));
  alignas(64) Number number[lanes], found[lanes];
  for (unsigned lane = 0; lane < lanes; ++lane)
    number[lane] = static_cast<Number>(mask >> lane & 1 ? of_lane[lane] : nobody + lane);
  Vector mine[count], same[count] = {};
  std::memcpy(mine, number, sizeof mine);
  for (const Number one : number)
    for (unsigned j = 0; j < count; ++j) same[j] -= static_cast<Vector>(mine[j] == one);
  std::memcpy(found, same, sizeof found);
  Number most = 0;
  for (const Number here : found) most = std::max(most, here);
  return most;
}

/// What a multiprocessor's float64 unit is for. Moving 8 bytes about is not.
bool computes_in_float64(const ptx::Instruction& instruction) {
  using ptx::Opcode;
  constexpr std::array moves{Opcode::ld, Opcode::st, Opcode::mov, Opcode::atom, Opcode::red, Opcode::selp, Opcode::call};
  if (std::find(moves.begin(), moves.end(), instruction.op) != moves.end()) return false;
  return instruction.type == ptx::Type::f64 || instruction.type2 == ptx::Type::f64;
}

/// Floating-point operations of a thread that executes it, as peak rates count them.
unsigned operations_of(const ptx::Instruction& instruction) {
  return ptx::has(instruction.op, ptx::trait::two_flops) ? 2 : ptx::has(instruction.op, ptx::trait::flop);
}

}  // namespace

WARPBOOK_VECTORISED unsigned lanes_on_one_address(const std::uint64_t* address, std::uint32_t mask) {
  if (!mask) return 0;
  const std::uint64_t some = address[std::countr_zero(mask)];
  std::uint64_t least = some, different = 0;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    const std::uint64_t here = mask >> lane & 1 ? address[lane] : some;
    least = std::min(least, here);
    different |= here ^ some;
  }
  if (!different) return static_cast<unsigned>(std::popcount(mask));
  // Places are numbered from the least. Who does not execute gets a number of its own.
  const int unit = std::countr_zero(different);
  std::uint64_t place[lanes], all = 0;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    place[lane] = mask >> lane & 1 ? (address[lane] - least) >> unit : 0;
    all |= place[lane];
  }
  if (all < 1u << 7) return most_of_one_number<std::uint8_t>(place, mask);
  if (all < 1u << 15) return most_of_one_number<std::uint16_t>(place, mask);
  return all < 1u << 31 ? most_of_one_number<std::uint32_t>(place, mask) : compare_all(address, mask);
}

void Lines::on_access(const vm::Access& access) {
  if (access.kind != vm::Access::Kind::atomic || access.mask == 0) return;
  Count& count = counts_[context_.site_number(access.site)];
  ++count.atomic_requests;
  count.atomic_lanes += static_cast<unsigned>(std::popcount(access.mask));
  count.atomic_passes += lanes_on_one_address(access.address, access.mask);
}

void Lines::add_to(CountsByLine& lines) const {
  vm::Executions executions = {};
  for (std::uint32_t number = 1; number < counts_.size(); ++number) {
    Count count = counts_[number];
    executions += executions_[number];
    count.warps += executions[0];
    count.threads += executions[1];
    if (count.warps == 0 && count.atomic_requests == 0) continue;
    LineCounts& line = lines[line_of(context_.site(number))];
    line.warp_instructions += count.warps;
    line.thread_instructions += count.threads;
    const ptx::Instruction& instruction = context_.site(number).instruction();
    if (computes_in_float64(instruction)) line.float64_instructions += count.warps;
    if (instruction.type == ptx::Type::f32) line.float32_operations += operations_of(instruction) * count.threads;
    if (instruction.type == ptx::Type::f64) line.float64_operations += operations_of(instruction) * count.threads;
    line.atomic_requests += count.atomic_requests;
    line.atomic_lanes += count.atomic_lanes;
    line.atomic_passes += count.atomic_passes;
  }
}

}  // namespace warpbook::gpu::watch
