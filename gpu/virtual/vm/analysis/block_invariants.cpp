#include "gpu/virtual/vm/analysis/block_invariants.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "gpu/virtual/ptx/opcodes.h"
#include "gpu/virtual/vm/analysis/atomics.h"

namespace warpbook::gpu::vm {
namespace {

using ptx::Function;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using ptx::Space;

/// Equal in all lanes and blocks, different from lane to lane but equal in all blocks, or neither.
enum class Sameness : std::uint8_t { lanes_and_blocks, blocks, none };

Sameness sameness_of(ptx::Special which) {
  using enum ptx::Special;
  switch (which) {
    case ntid_x:
    case ntid_y:
    case ntid_z:
    case nctaid_x:
    case nctaid_y:
    case nctaid_z:
      return Sameness::lanes_and_blocks;
    case tid_x:
    case tid_y:
    case tid_z:
    case laneid:
    case lanemask_eq:
    case lanemask_le:
    case lanemask_lt:
    case lanemask_ge:
    case lanemask_gt:
      return Sameness::blocks;
    default:
      return Sameness::none;
  }
}

template <class Visit>
void for_registers(const Operand& operand, const Visit& visit) {
  if (operand.kind == Operand::Kind::reg || (operand.kind == Operand::Kind::address && operand.base == Operand::Base::reg))
    visit(operand.index);
  for (const Operand& element : operand.elements) for_registers(element, visit);
}

class Simplifier {
 public:
  explicit Simplifier(const Function& function)
      : function_(function),
        writers_(function.registers.size()),
        writer_(function.registers.size(), ptx::no_pc),
        uses_(function.registers.size()),
        sameness_(function.registers.size(), Sameness::none),
        written_(function.registers.size()),
        first_value_(function.registers.size(), Sameness::none) {}

  BlockInvariants run() {
    const std::size_t size = function_.code.size();
    invariants_.hoisted.resize(size);
    invariants_.removed.resize(size);
    invariants_.indexed.resize(size);
    invariants_.fixed.resize(function_.registers.size());
    invariants_.uniform.resize(function_.registers.size());
    invariants_.inactive_dead.resize(size);
    count();
    find_inactive_dead();
    find_loops();
    if (function_.entry)
      for (std::uint32_t pc = 0; pc < size; ++pc) {
        hoist(pc);
        for (std::size_t d = 0; d < results(code(pc)); ++d)
          for_registers(code(pc).operands[d], [&](std::uint32_t r) { ++written_[r]; });
      }
    for (std::uint32_t pc = 0; pc < size; ++pc) index(pc);
    share_rows();
    return std::move(invariants_);
  }

 private:
  static std::size_t results(const Instruction& inst) { return std::max(inst.destinations, inst.call_results); }
  const Instruction& code(std::uint32_t pc) const { return function_.code[pc]; }

  void count() {
    for (std::uint32_t pc = 0; pc < function_.code.size(); ++pc) {
      const Instruction& inst = code(pc);
      for (std::size_t o = 0; o < inst.operands.size(); ++o)
        for_registers(inst.operands[o], [&](std::uint32_t r) {
          if (o >= results(inst)) {
            ++uses_[r];
          } else {
            ++writers_[r];
            writer_[r] = pc;
          }
        });
      if (inst.guarded) ++uses_[inst.guard];
    }
  }

  void find_inactive_dead() {
    constexpr std::uint32_t several = ptx::no_pc;
    // By register: the stretch in which all its uses lie, and the first of them.
    std::vector<std::uint32_t> used_in(function_.registers.size(), 0), first_use(function_.registers.size(), ptx::no_pc);
    stretch_.resize(function_.code.size());
    std::uint32_t number = 1;
    for (std::uint32_t pc = 0; pc < function_.code.size(); ++pc) {
      const Instruction& inst = code(pc);
      // Who waits reads its operands after that, when others may have been here.
      const bool waits = may_wait(inst);
      if (function_.is_leader[pc] || waits) ++number;
      stretch_[pc] = number;
      const auto use = [&](std::uint32_t r) {
        used_in[r] = used_in[r] == 0 || used_in[r] == number ? number : several;
        first_use[r] = std::min(first_use[r], pc);
      };
      for (std::size_t o = results(inst); o < inst.operands.size(); ++o) for_registers(inst.operands[o], use);
      if (inst.guarded) use(inst.guard);
      if (waits) ++number;
    }
    for (std::uint32_t pc = 0; pc < function_.code.size(); ++pc) {
      if (!is_pure(code(pc))) continue;
      bool dead = true;
      for (std::size_t d = 0; d < code(pc).destinations; ++d)
        for_registers(code(pc).operands[d],
                      [&](std::uint32_t r) { dead &= used_in[r] == 0 || (used_in[r] == stretch_[pc] && first_use[r] > pc); });
      invariants_.inactive_dead[pc] = dead;
    }
  }

  /// No effect but on its registers, and none on the warp.
  bool is_pure(const Instruction& inst) const {
    if (inst.guarded || inst.carry_out || !inst.destinations) return false;
    if (inst.op == Opcode::ld) return reads_own_parameter(function_, inst);
    return ptx::row(inst.op).effect == ptx::Effect::none && !ptx::has(inst.op, ptx::trait::carry | ptx::trait::stack);
  }

  /// Between a jump backwards and its target.
  void find_loops() {
    in_loop_.resize(function_.code.size());
    std::vector<std::int64_t> more(function_.code.size() + 1);  // loops that begin at a pc, less those that ended before it
    const auto jump = [&](std::uint32_t from, std::uint32_t to) {
      if (to > from) return;
      ++more[to];
      --more[from + 1];
    };
    for (std::uint32_t pc = 0; pc < function_.code.size(); ++pc) {
      if (code(pc).op == Opcode::bra) jump(pc, code(pc).operands[0].index);
      if (code(pc).op == Opcode::brx)
        for (const std::uint32_t target : function_.branch_targets[code(pc).operands[1].index]) jump(pc, target);
    }
    std::int64_t loops = 0;
    for (std::uint32_t pc = 0; pc < function_.code.size(); ++pc) in_loop_[pc] = (loops += more[pc]) > 0;
  }

  /// Of what a register holds at `pc`. Outside loops a later writer has not been there yet: `mov i, %tid.x; shl a, i, 2; …` is the
  /// same in every block, though the loop that follows counts i on.
  Sameness sameness_at(std::uint32_t r, std::uint32_t pc) const {
    return writers_[r] > 1 && written_[r] == 1 && !in_loop_[pc] ? first_value_[r] : sameness_[r];
  }

  void hoist(std::uint32_t pc) {
    const Instruction& inst = code(pc);
    if (!is_pure(inst)) return;
    Sameness same = Sameness::lanes_and_blocks;
    bool alone = true, first = true;  // of the instructions that write its registers it is the only one, the first one
    for (std::size_t o = 0; o < inst.operands.size(); ++o) {
      const Operand& operand = inst.operands[o];
      if (operand.kind == Operand::Kind::special) same = std::max(same, sameness_of(operand.special));
      for_registers(operand, [&](std::uint32_t r) {
        if (o < inst.destinations) {
          alone &= writers_[r] == 1;
          first &= written_[r] == 0;
        } else {
          same = std::max(same, sameness_at(r, pc));
        }
      });
    }
    if (same == Sameness::none || !first) return;
    // Where others write the register too, it stays in the code as well.
    invariants_.hoisted[pc] = true;
    if (alone) remove(pc);
    for (std::size_t d = 0; d < inst.destinations; ++d)
      for_registers(inst.operands[d], [&](std::uint32_t r) {
        if (alone) invariants_.fixed[r] = true, invariants_.uniform[r] = same == Sameness::lanes_and_blocks;
        (alone ? sameness_ : first_value_)[r] = same;
      });
  }

  void remove(std::uint32_t pc) {
    invariants_.removed[pc] = pc + 1 < function_.code.size() && !function_.is_leader[pc + 1] && !comes_again(code(pc + 1));
  }
  /// Lanes that want another target execute it once more, and would count what was removed before it again.
  static bool comes_again(const Instruction& inst) {
    return inst.op == Opcode::brx || (inst.op == Opcode::call && inst.operands[inst.call_results].kind != Operand::Kind::function);
  }

  /// The one instruction that writes `r`, if it stands before `pc` in the same basic block, is unguarded and what it reads is not
  /// written in between; no_pc otherwise.
  std::uint32_t made_just_before(std::uint32_t r, std::uint32_t pc) const {
    const std::uint32_t made = writer_[r];
    constexpr std::uint32_t far = 1024;  // instructions: no compiler's block, and looking further would take longer than it gains
    if (writers_[r] != 1 || made >= pc || pc - made > far || code(made).guarded || code(made).destinations != 1) return ptx::no_pc;
    for (std::uint32_t between = made + 1; between <= pc; ++between) {
      if (function_.is_leader[between]) return ptx::no_pc;
      if (between == pc) break;
      const Instruction& other = code(between);
      bool disturbs = false;
      for (std::size_t d = 0; d < results(other); ++d)
        for_registers(other.operands[d], [&](std::uint32_t written) {
          for (const Operand& read : code(made).operands)
            for_registers(read, [&](std::uint32_t wanted) { disturbs |= wanted == written; });
        });
      if (disturbs) return ptx::no_pc;
    }
    return made;
  }

  bool is_base(const Operand& operand) const {
    return operand.kind == Operand::Kind::reg && sameness_[operand.index] == Sameness::lanes_and_blocks;
  }
  /// `mul.wide d, r, imm` or the product in `mad.wide d, r, imm, base`.
  static bool scales(const Instruction& inst) {
    return inst.part == ptx::Part::wide && (inst.type == ptx::Type::s32 || inst.type == ptx::Type::u32) &&
           inst.operands[1].kind == Operand::Kind::reg && inst.operands[2].kind == Operand::Kind::immediate;
  }

  void index(std::uint32_t pc) {
    const Instruction& inst = code(pc);
    const bool store = inst.op == Opcode::st || inst.op == Opcode::red;
    const bool plain = inst.op == Opcode::ld || inst.op == Opcode::st;
    if ((!plain && !adds_unread(function_, inst)) || inst.vector != 1) return;
    const bool adds_to_shared = !plain && inst.space == Space::shared;
    if (inst.space != Space::global && inst.space != Space::generic && inst.space != Space::constant && !adds_to_shared) return;
    const Operand& address = inst.operands[store ? 0 : 1];
    if (address.base != Operand::Base::reg || address.kind != Operand::Kind::address) return;
    const std::uint32_t sum_at = made_just_before(address.index, pc);
    if (sum_at == ptx::no_pc) return;
    const Instruction& sum = code(sum_at);
    BlockInvariants::Indexed found;
    const Instruction* product = nullptr;
    std::uint32_t product_at = ptx::no_pc;
    if (sum.op == Opcode::mad && scales(sum) && is_base(sum.operands[3])) {
      product = &sum;
      found.base = sum.operands[3].index;
    } else if (sum.op == Opcode::add && ptx::bytes_of(sum.type) == 8 && !ptx::is_float(sum.type) && !sum.carry_out) {
      for (const std::size_t side : {std::size_t{1}, std::size_t{2}}) {
        const Operand &base = sum.operands[side], &other = sum.operands[3 - side];
        if (!is_base(base) || other.kind != Operand::Kind::reg) continue;
        // What the product reads must still be what it was when the access is reached, not only when the sum was made.
        product_at = made_just_before(other.index, pc);
        if (product_at == ptx::no_pc || code(product_at).op != Opcode::mul || !scales(code(product_at))) continue;
        product = &code(product_at);
        found.base = base.index;
        break;
      }
    }
    if (!product || product->operands[2].bits != ptx::bytes_of(inst.type)) return;
    found.index = product->operands[1].index;
    found.scale = static_cast<std::uint32_t>(product->operands[2].bits);
    found.is_signed = product->type == ptx::Type::s32;
    invariants_.indexed[pc] = found;
    if (--uses_[address.index]) return;
    remove(sum_at);
    if (invariants_.removed[sum_at] && product_at != ptx::no_pc && !--uses_[writes(product_at)]) remove(product_at);
  }
  std::uint32_t writes(std::uint32_t pc) const { return code(pc).operands[0].index; }

  /// Registers that live for a part of one stretch only take turns in a row, and those that nobody looks at any more have one
  /// together: rows stay few, and in the host's nearest cache.
  void share_rows() {
    const std::size_t registers = function_.registers.size();
    invariants_.row_of.resize(registers);
    std::vector<std::uint32_t> last_use(registers);
    std::vector<bool> temporary(registers), seen(registers);
    for (std::uint32_t r = 0; r < registers; ++r) {
      invariants_.row_of[r] = r;
      last_use[r] = writer_[r];
      temporary[r] = writers_[r] == 1 && !invariants_.fixed[r] && !code(writer_[r]).guarded;
    }
    for (std::uint32_t pc = 0; pc < function_.code.size(); ++pc) {
      if (invariants_.removed[pc] && !invariants_.hoisted[pc]) continue;
      const Instruction& inst = code(pc);
      const auto use = [&](std::uint32_t r) {
        seen[r] = true;
        if (!temporary[r]) return;
        temporary[r] = writer_[r] < pc && stretch_[writer_[r]] == stretch_[pc];
        last_use[r] = std::max(last_use[r], pc);
      };
      const BlockInvariants::Indexed& indexed = invariants_.indexed[pc];
      for (std::size_t o = 0; o < inst.operands.size(); ++o) {
        if (o < results(inst))
          for_registers(inst.operands[o], [&](std::uint32_t r) { seen[r] = true; });
        else if (!indexed.scale || inst.operands[o].kind != Operand::Kind::address)
          for_registers(inst.operands[o], use);
      }
      if (inst.guarded) use(inst.guard);
      if (indexed.scale) use(indexed.index), use(indexed.base);
    }
    invariants_.last_use.assign(registers, ptx::no_pc);
    for (std::uint32_t r = 0; r < registers; ++r)
      if (seen[r] && temporary[r]) invariants_.last_use[r] = last_use[r];
    std::map<unsigned, std::uint32_t> unseen;  // by width: the first
    for (std::uint32_t r = 0; r < registers; ++r)
      if (!seen[r]) invariants_.row_of[r] = unseen.emplace(width_of(r), r).first->second;
    struct Rows {                                               // of one width
      std::set<std::uint32_t> free;                             // by number: the first is taken first
      std::set<std::pair<std::uint32_t, std::uint32_t>> taken;  // until when, and which
    };
    std::vector<std::uint32_t> owners;  // of each shared row: the register that had it first
    std::map<unsigned, Rows> rows;
    for (std::uint32_t pc = 0; pc < function_.code.size(); ++pc)
      for (std::size_t d = 0; d < results(code(pc)); ++d)
        for_registers(code(pc).operands[d], [&](std::uint32_t r) {
          if (!seen[r] || !temporary[r] || function_.registers[r].type == ptx::Type::pred) return;
          Rows& alike = rows[width_of(r)];
          while (!alike.taken.empty() && alike.taken.begin()->first < pc) {
            alike.free.insert(alike.taken.begin()->second);
            alike.taken.erase(alike.taken.begin());
          }
          auto row = static_cast<std::uint32_t>(owners.size());
          if (alike.free.empty()) {
            owners.push_back(r);
          } else {
            row = alike.free.extract(alike.free.begin()).value();
            invariants_.row_of[r] = owners[row];
          }
          alike.taken.emplace(last_use[r], row);
        });
  }
  /// Bytes a lane; 0: a predicate, whose lanes are bits of a mask and share no row with numbers.
  unsigned width_of(std::uint32_t r) const {
    const ptx::Type type = function_.registers[r].type;
    return type == ptx::Type::pred ? 0 : ptx::bytes_of(type);
  }

  const Function& function_;
  std::vector<std::uint32_t> writers_, writer_;  // by register: how many instructions write it, the last of them
  std::vector<std::uint32_t> uses_;              // by register: operands that read it, and still will
  std::vector<Sameness> sameness_;               // by register that one instruction writes
  std::vector<std::uint32_t> written_;           // by register: how many have written it so far, while hoisting
  std::vector<Sameness> first_value_;            // by register that several write: of what the first of them leaves
  std::vector<bool> in_loop_;                    // by pc
  std::vector<std::uint32_t> stretch_;           // by pc: a number for each basic block, cut where the warp may turn to other lanes
  BlockInvariants invariants_;
};

}  // namespace

BlockInvariants find_block_invariants(const Function& function) { return Simplifier(function).run(); }

bool may_wait(const Instruction& inst) {
  switch (ptx::row(inst.op).effect) {
    case ptx::Effect::none:
    case ptx::Effect::load:
    case ptx::Effect::store:
    case ptx::Effect::fence:
      return false;
    case ptx::Effect::atomic:
      return inst.op != Opcode::atom && inst.op != Opcode::red;
    default:
      return true;
  }
}

bool reads_own_parameter(const Function& function, const Instruction& inst) {
  if (inst.op != Opcode::ld || inst.space != Space::param || !function.entry) return false;
  const Operand& address = inst.operands[1];
  return address.base == Operand::Base::variable && address.variable.where == Operand::VariableRef::Where::parameter;
}

}  // namespace warpbook::gpu::vm
