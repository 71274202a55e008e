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
WARPBOOK_VECTORISED unsigned compare_all(const std::uint64_t* address, std::uint32_t mask) {
  unsigned most = 0;
  for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
    const std::uint64_t one = address[std::countr_zero(rest)];
    std::uint32_t same = 0;
    for (unsigned lane = 0; lane < lanes; ++lane) same += (mask >> lane & 1) & static_cast<std::uint32_t>(address[lane] == one);
    most = std::max(most, same);
  }
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

/// Places that lie near each other are counted in a table, others compared.
WARPBOOK_VECTORISED unsigned lanes_on_one_address(const std::uint64_t* address, std::uint32_t mask) {
  typedef std::uint8_t Counts __attribute__((vector_size(32)));
  constexpr std::uint32_t near = 256;  // places below the first lane's, and above
  constexpr int widest = 50;           // so that no distance wraps round to a near one
  if (!mask) return 0;
  const std::uint64_t some = address[std::countr_zero(mask)];
  std::uint64_t different = 0;
  for (unsigned lane = 0; lane < lanes; ++lane) different |= mask >> lane & 1 ? address[lane] - some : 0;
  if (!different) return static_cast<unsigned>(std::popcount(mask));
  const int unit = std::countr_zero(different);
  if (unit > widest) return compare_all(address, mask);
  const std::uint64_t from = some - (std::uint64_t{near} << unit);
  alignas(64) std::uint32_t place[lanes];
  std::uint64_t all = 0;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    const std::uint64_t here = mask >> lane & 1 ? (address[lane] - from) >> unit : 0;
    place[lane] = static_cast<std::uint32_t>(here);
    all |= here;
  }
  if (all >= 2 * near) return compare_all(address, mask);
  constexpr unsigned pieces = 2 * near / sizeof(Counts);
  alignas(64) std::uint8_t count[2 * near] = {};
  if (mask == ~0u) {
    for (const std::uint32_t here : place) ++count[here];
  } else {
    for (std::uint32_t rest = mask; rest; rest &= rest - 1) ++count[place[std::countr_zero(rest)]];
  }
  Counts most = {};
  for (unsigned n = 0; n < pieces; ++n) {
    Counts some_counts;
    std::memcpy(&some_counts, count + n * sizeof some_counts, sizeof some_counts);
    most = most > some_counts ? most : some_counts;
  }
  unsigned result = 0;
  for (unsigned j = 0; j < sizeof most; ++j) result = std::max<unsigned>(result, most[j]);
  return result;
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
