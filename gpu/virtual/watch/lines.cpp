#include "gpu/virtual/watch/lines.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

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

typedef std::uint8_t PlaceBytes __attribute__((vector_size(32)));

/// to: each half turned by so many bytes.
template <unsigned By>
[[gnu::always_inline]] inline void turn(const PlaceBytes& v, PlaceBytes& to) {
  constexpr auto n = [](unsigned j) { return static_cast<int>((j + By) % 16); };
  constexpr auto m = [](unsigned j) { return static_cast<int>(16 + (j + By) % 16); };
  to = __builtin_shufflevector(v, v, n(0), n(1), n(2), n(3), n(4), n(5), n(6), n(7), n(8), n(9), n(10), n(11), n(12), n(13), n(14),
                               n(15), m(0), m(1), m(2), m(3), m(4), m(5), m(6), m(7), m(8), m(9), m(10), m(11), m(12), m(13), m(14),
                               m(15));
}
[[gnu::always_inline]] inline void exchange_halves(const PlaceBytes& v, PlaceBytes& to) {
  to = __builtin_shufflevector(v, v, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
                               10, 11, 12, 13, 14, 15);
}
template <unsigned By>
[[gnu::always_inline]] inline void add_equal(const PlaceBytes& v, const PlaceBytes& w, PlaceBytes& count) {
  PlaceBytes other;
  turn<By>(w, other);
  count -= static_cast<PlaceBytes>(v == other);
}
template <unsigned By>
[[gnu::always_inline]] inline void keep_larger(PlaceBytes& most) {
  PlaceBytes other;
  turn<By>(most, other);
  most = most > other ? most : other;
}
/// Each byte is compared with all: how many are equal to the one that most are equal to.
template <std::size_t... By>
[[gnu::always_inline]] inline unsigned most_equal(const PlaceBytes& v, std::index_sequence<By...>) {
  PlaceBytes w, other, most = {}, rest = {};
  exchange_halves(v, w);
  ((add_equal<By>(v, v, most), add_equal<By>(v, w, rest)), ...);
  most += rest;
  exchange_halves(most, other);
  most = most > other ? most : other;
  keep_larger<8>(most);
  keep_larger<4>(most);
  keep_larger<2>(most);
  keep_larger<1>(most);
  return most[0];
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

/// Places that lie near each other are compared as bytes or counted in a table.
WARPBOOK_VECTORISED unsigned lanes_on_one_address(const std::uint64_t* address, std::uint32_t mask) {
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
  std::uint32_t place[lanes];
  std::uint64_t all = 0;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    const std::uint64_t here = mask >> lane & 1 ? (address[lane] - from) >> unit : 0;
    place[lane] = static_cast<std::uint32_t>(here);
    all |= here;
  }
  if (all >= 2 * near) return compare_all(address, mask);
  if (mask == ~0u) {
    std::uint32_t first = place[0], last = place[0];
    for (const std::uint32_t here : place) {
      first = std::min(first, here);
      last = std::max(last, here);
    }
    if (last - first < 256) {
      std::uint8_t number[lanes];
      for (unsigned lane = 0; lane < lanes; ++lane) number[lane] = static_cast<std::uint8_t>(place[lane] - first);
      PlaceBytes numbers;
      std::memcpy(&numbers, number, sizeof numbers);
      return most_equal(numbers, std::make_index_sequence<16>());
    }
  }
  std::uint8_t count[2 * near] = {};
  std::uint8_t most = 0;
  for (std::uint32_t rest = mask; rest; rest &= rest - 1) most = std::max(most, ++count[place[std::countr_zero(rest)]]);
  return most;
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
