// Decoder: one PTX function → Code. For decode*.cpp only; decode.h is the way in.
//
//     if (auto done = Decoder(module, function, image, code, mode, set, copies).run(); !done) …
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/virtual/vm/analysis/block_invariants.h"
#include "gpu/virtual/vm/code/frame_rows.h"
#include "gpu/virtual/vm/decode.h"
#include "gpu/virtual/vm/lanes/handlers.h"

namespace warpbook::gpu::vm {

class Decoder {
 public:
  /// copies: some function of the module copies asynchronously.
  Decoder(const ptx::Module& module, const ptx::Function& function, Image& image, Code& code, Mode mode, InstructionSet set,
          bool copies);
  Result<void> run();

 private:
  using Instruction = ptx::Instruction;
  using Operand = ptx::Operand;

  // decode.cpp: one instruction after the other; branches and calls.
  [[nodiscard]] static bool needs_branch_around(const Instruction& inst);
  [[nodiscard]] bool needs_point(std::uint32_t pc) const;
  [[nodiscard]] bool needs_point_after(const Instruction& inst) const;
  [[nodiscard]] bool hoisted(std::uint32_t pc) const { return omits_instructions_ && invariants_.hoisted[pc]; }
  [[nodiscard]] bool removed(std::uint32_t pc) const { return omits_instructions_ && invariants_.removed[pc]; }
  [[nodiscard]] std::uint32_t end() const { return starts_.back(); }
  void note(std::vector<std::uint16_t>& list, const Operand& operand) const;
  std::uint32_t scoreboard(const Instruction& inst);
  void push(const Inst& inst, std::uint32_t scores = 0) {
    code_->insts.push_back(inst);
    code_->scoreboard.push_back(scores);
  }
  std::uint32_t new_extra(Extra extra) {
    code_->extras.push_back(std::move(extra));
    return static_cast<std::uint32_t>(code_->extras.size() - 1);
  }
  Result<void> decode(std::uint32_t pc);
  Result<void> fill(const Instruction& inst, Inst& out);
  /// Does the memory request, the meeting of lanes, the barrier, or the callee's `ret` report what this instruction changes?
  [[nodiscard]] bool reports_itself(const Inst& out) const;
  /// A forward jump to where the branch's lanes meet, over one basic block of instructions that never wait.
  [[nodiscard]] bool jumps_over_plain(std::uint32_t pc) const;
  Result<void> fill_branch(const Instruction& inst, Inst& out);
  Result<void> fill_call(const Instruction& inst, Inst& out);
  [[nodiscard]] tl::unexpected<Error> unsupported(const Instruction& inst, const std::string& what) const;

  // decode_memory.cpp: loads, stores, atomics, copies, mbarriers.
  struct Request {
    Extra extra;
    Widths widths;
    bool mixed = false;  // a vector's registers differ in width
  };
  void fill_address(const Operand& operand, Inst& out);
  Result<void> fill_memory(const Instruction& inst, Inst& out);
  void fill_copy(const Instruction& inst, Inst& out, Request& request);
  void fill_vector_atomic(const Instruction& inst, const Inst& out, Request& request);
  void fill_atomic(const Instruction& inst, Inst& out, Request& request);
  void fill_access(const Instruction& inst, Inst& out, Request& request);
  /// [d,] [address] [, operand]; extra.row_bytes: of d and of the operand, 0 where there is none.
  Result<void> fill_mbarrier(const Instruction& inst, Inst& out);
  Addressing choose_addressing(const Instruction& inst, const Operand& address, Inst& out);
  [[nodiscard]] Handlers choose_memory_handler(const Instruction& inst, const Inst& out, Widths widths) const;

  /// tex, suld, sust: extra.rows are the values, of which there are out.bytes, and the coordinates.
  Result<void> fill_texture(const Instruction& inst, Inst& out);

  // decode_plain.cpp: everything else.
  Result<void> fill_plain(const Instruction& inst, Inst& out);
  void fill_destinations(const Instruction& inst, Inst& out, Widths& widths);
  void fill_sources(const Instruction& inst, Inst& out, Widths& widths);
  [[nodiscard]] bool is_predicate(const Instruction& inst, const Operand& operand, std::size_t source) const;
  /// `mov` or `cvta` of the address of a variable in the frame, which is known only while the warp runs. False: it is none.
  bool fill_frame_address(const Instruction& inst, Inst& out, Widths widths);

  const ptx::Module& module_;
  const ptx::Function& function_;
  Image& image_;
  Code* code_;
  bool omits_instructions_;       // hoisted and removed ones: where nobody needs every instruction
  BlockInvariants invariants_;    // empty where no instruction is omitted
  std::vector<bool> reads_only_;  // by pc, observed only: only_reads_shared_after()
  FrameRows rows_;
  Mode mode_;
  InstructionSet set_;
  std::uint32_t first_removed_ = 0;
  std::vector<std::uint32_t> starts_;  // by pc: index in Code::insts
};

/// What a function without a body is, of those that the device brings along; Builtin::none: it is not one of them.
[[nodiscard]] Extra::Builtin builtin_of(const ptx::Function& function);

}  // namespace warpbook::gpu::vm
