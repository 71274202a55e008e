// Data flow: what the values and addresses of a function's memory instructions are made from, and which instructions lie on the
// ways between two others. For those who explain what a kernel did: the answers follow from the text alone.
//
//     DataFlow flow(function);
//     flow.value_of(store).loads                       // the loads that the stored value was computed from
//     flow.address_of(store).uses(Special::tid_x)      // its index depends on threadIdx.x
//     flow.same_place(load, store)                     // both have the same address, as far as the text shows it
//     flow.reaches(store, load, Between::no_barrier)   // some way leads there without a barrier of the block
//
// Registers are followed backwards through every way that leads to an instruction, loops too, and through local memory, where a
// value may come from any store. Calls are not followed: what they return is unknown. Answers are computed when they are asked for;
// a function too large to follow gives unknown ones. The function must outlive this object.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "gpu/virtual/ptx/module.h"

namespace warpbook::gpu::ptx {

/// What a value is made from, apart from numbers and parameters that are the same for all threads.
struct Origin {
  std::uint32_t indices = 0;              // a bit for each of tid_x … ctaid_z; lanes and warps count as all of threadIdx
  std::vector<std::uint32_t> loads = {};  // pcs of loads and atomics, in their order
  std::vector<std::uint64_t> roots = {};  // parameters of eight bytes and variables, a number for each: what may be a pointer
  bool unknown = false;                   // of something else, too

  [[nodiscard]] static std::uint32_t bit(Special index) { return 1u << static_cast<unsigned>(index); }
  [[nodiscard]] bool uses(Special index) const { return (indices & bit(index)) != 0; }
  [[nodiscard]] bool uses_thread() const;  // some part of threadIdx
  [[nodiscard]] bool uses_block() const;   // some part of blockIdx
};

/// What a store does to what was there: atomics have these names. none: something else, or nothing.
enum class Update : std::uint8_t { none, add, sub, min, max, and_, or_, xor_ };

enum class Between : std::uint8_t { anything, no_barrier };

class DataFlow {
 public:
  explicit DataFlow(const Function& function);

  [[nodiscard]] Origin address_of(std::uint32_t pc);
  [[nodiscard]] Origin value_of(std::uint32_t pc);  // of a store or an atomic: what it stores
  /// Is the address made from what changes from one turn of a loop to the next, as a counter does?
  [[nodiscard]] bool address_changes_in_loop(std::uint32_t pc);
  /// Of what decides whether the instruction is executed: its own guard, and the conditions of the branches around it.
  [[nodiscard]] Origin condition_of(std::uint32_t pc);
  /// Does a load read the very place that a store writes? Only if both addresses are computed in the same way.
  [[nodiscard]] bool same_place(std::uint32_t load, std::uint32_t store);
  /// Are the two places always equally far from each other, like `a[i]` and `a[i + 1]`? Only if the text shows it.
  [[nodiscard]] bool equally_far(std::uint32_t pc_a, std::uint32_t pc_b);
  /// May a load read what a store writes? Not where both addresses come from parameters or variables, and from different ones.
  [[nodiscard]] bool perhaps_same_array(std::uint32_t load, std::uint32_t store);
  /// Is what a load reads no more than a first guess, which an atomicCAS of the same place compares with what lies there?
  [[nodiscard]] bool is_guess(std::uint32_t load);
  /// The operation by which a store's value comes from what a load of the same place has read.
  [[nodiscard]] Update update_of(std::uint32_t store);
  /// Some way leads from one instruction to the other; to itself: round a loop.
  [[nodiscard]] bool reaches(std::uint32_t from, std::uint32_t to, Between between = Between::anything) const;
  /// Some way leads from one to the other and comes to none of `around` in between.
  [[nodiscard]] bool reaches_around(std::uint32_t from, std::uint32_t to, const std::vector<std::uint32_t>& around) const;
  /// A barrier of the block lies on some way from one to the other.
  [[nodiscard]] bool barrier_on_a_way(std::uint32_t from, std::uint32_t to) const;
  /// Some way leads to one of these.
  [[nodiscard]] bool reaches_one_of(std::uint32_t from, const std::vector<std::uint32_t>& pcs) const;
  /// It belongs to a loop of nothing but branches, as is left of `while (*ready == 0);` where the compiler reads *ready once.
  [[nodiscard]] bool in_empty_loop(std::uint32_t pc) const;
  /// Not all threads of a block may come to it: it stands in one side of a branch whose condition varies among them.
  [[nodiscard]] bool in_divergent_branch(std::uint32_t pc) const;

 private:
  using Definitions = std::vector<std::uint32_t>;
  const Definitions& definitions(std::uint32_t pc, std::uint32_t reg);
  [[nodiscard]] Origin follow(std::uint32_t pc, const std::vector<const Operand*>& operands);
  /// The instructions that an instruction's registers may come from.
  [[nodiscard]] Definitions sources_of(std::uint32_t pc, const std::vector<const Operand*>& operands);
  [[nodiscard]] bool same_value(std::uint32_t pc_a, const Operand& a, std::uint32_t pc_b, const Operand& b, int depth);
  /// Behind moves and changes of address space: the one instruction that computed it, or none.
  [[nodiscard]] std::pair<std::uint32_t, const Operand*> origin_of(std::uint32_t pc, const Operand& operand);
  /// Instructions on the ways that begin with one and end before `meet`.
  [[nodiscard]] std::vector<std::uint8_t> reachable_before(std::uint32_t meet, std::uint32_t from) const;
  [[nodiscard]] std::vector<std::uint8_t> nothing_seen() const;
  [[nodiscard]] std::vector<std::uint8_t> reachable(const std::vector<std::uint32_t>& from, Between between) const;

  const Function& function_;
  std::vector<std::vector<std::uint32_t>> before_, behind_;  // by pc: the instructions that come before it, and those after it
  std::map<std::pair<std::uint32_t, std::uint32_t>, Definitions> known_;
  mutable std::uint64_t steps_ = 0;  // taken in all searches; from a limit on, what is asked is not known
};

}  // namespace warpbook::gpu::ptx
