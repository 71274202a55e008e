// One stretch of instructions as x86 machine code, with AVX-512 or AVX2 (native.h, vectors.h). For native/*.cpp only.
//
//     NativeStretch stretch(compiler, InstructionSet::avx2, code, alike, {.first = 3, .count = 9, .full = true}, Observed::no);
//     asmjit::Label entry = stretch.emit();   // a function, Native::Run or NativeStart::RunTogether
//
// Errors in the emitted code are reported by the compiler's finalize().
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <set>
#include <vector>

#include "gpu/virtual/vm/exec/native_code.h"
#include "gpu/virtual/vm/native/form.h"
#include "gpu/virtual/vm/native/native.h"
#include "gpu/virtual/vm/native/vectors.h"

namespace warpbook::gpu::vm {

struct StretchPlan {
  std::uint32_t first = 0, count = 0;  // of Code::insts
  bool full = false;                   // all 32 lanes execute, except within a Flow::skip
  bool together = false;               // for all warps in lockstep, one after the other; then full is true
};

/// How the addresses of a stretch's fixed loads are expected to lie. The stretch checks all of them where it begins; each load is
/// then done where its value is first used, without a check. Where the check fails, another stretch does the same work.
struct Expected {
  std::set<std::uint32_t>
      by_lane;  // rows of addresses that are consecutive in each group of lanes; in all other rows, all lanes have one address
  asmjit::Label otherwise;
};
/// Rows that the kernel's prologue fills with values that depend on threadIdx.x.
[[nodiscard]] std::set<std::uint32_t> rows_by_lane(const Code& code);

/// By register: equal in all lanes wherever all 32 of them execute.
[[nodiscard]] std::vector<bool> alike_in_all_lanes(const ptx::Function& function);

/// Addresses are checked in groups of lanes: each group may be consecutive by itself.
inline constexpr unsigned native_group = 8, native_groups = lanes / native_group;

/// The instruction loads into the register of its own address, so that going lane by lane would overwrite addresses.
[[nodiscard]] bool loads_its_address(const Inst& inst);

class NativeStretch {
 public:
  /// alike: by register, equal in all lanes where all 32 execute. It must live as long as this.
  NativeStretch(x86::Compiler& compiler, InstructionSet set, const Code& code, const std::vector<bool>& alike, StretchPlan plan,
                Observed observed)
      : cc(compiler), v(compiler, set), code_(code), alike_(alike), plan_(plan), observed_(observed) {}
  asmjit::Label emit();
  /// Makes it a stretch that checks first; false: there are too few fixed loads. `expected` must live as long as this.
  [[nodiscard]] bool expect(const Expected& expected);

 private:
  using Mask = NativeVectors::Mask;
  /// A value of 32 lanes of 4 or 8 bytes; each part is a vector.
  struct Value {
    std::array<x86::Vec, 8> part;
    unsigned bytes = 4;
    unsigned all_parts = 0;  // how many vectors 32 lanes take
    bool uniform = false;    // all lanes are equal: only part[0] is used
    bool raw = false;        // NaNs may differ from CUDA's canonical NaN
    [[nodiscard]] unsigned parts() const { return uniform ? 1 : all_parts; }
    [[nodiscard]] const x86::Vec& of(unsigned n) const { return part[uniform ? 0 : n]; }
  };
  [[nodiscard]] Value value_of(unsigned bytes, bool uniform);  // with registers that hold nothing yet
  /// Where native code is left before an instruction: values that later instructions read are written to their rows.
  struct Exit {
    asmjit::Label label;
    std::uint32_t executed = 0;
    bool all_lanes = true;
    x86::Gp exec;  // otherwise
    std::vector<std::pair<std::uint32_t, Value>> values;
    std::vector<std::pair<std::uint32_t, x86::Gp>> predicates;
  };

  /// A request of all lanes whose addresses are neither consecutive nor equal in their groups.
  struct Scattered {
    asmjit::Label begin, end, leave;
    const Inst* inst;
    Form form;
    Value places, data;
  };

  // expected_loads.cpp
  [[nodiscard]] bool is_expected(const Inst& inst) const;
  [[nodiscard]] bool in_a_row(const Inst& inst) const { return expected_->by_lane.contains(inst.a.offset); }
  void check_expected();
  void emit_otherwise();
  void load_later(const Inst& inst);
  void load_now(std::uint32_t row);
  void load_all_now();

  void emit_alone();
  void emit_together();
  void emit_body();
  [[nodiscard]] bool branches() const;
  void add_jumps();
  void store_jumps();
  void answer(std::uint32_t executed);
  void emit_exits();
  void emit_insts(std::uint32_t begin, std::uint32_t end);
  std::uint32_t emit_over(std::uint32_t n);

  // Sources and results.
  Value source(const Inst& inst, const Form& form, unsigned n);
  x86::Gp predicate_source(const Inst& inst, unsigned n);
  Value row_value(std::uint32_t row, unsigned bytes, bool uniform);
  Value load_row(std::uint32_t row, unsigned bytes, bool uniform);
  x86::Gp load_predicate(std::uint32_t row);
  void keep(const Inst& inst, Value value);
  void keep_predicate(const Inst& inst, x86::Gp bits);
  void store_row(std::uint32_t row, const Value& value, bool all_lanes);
  [[nodiscard]] Mask executing(unsigned bytes, unsigned part);
  template <class F>
  Value make(unsigned bytes, std::initializer_list<const Value*> sources, F emit_part);
  void settle(Value& value);
  void settle_always(Value& value);
  [[nodiscard]] asmjit::Label leave(std::uint32_t n);
  void write_back(std::uint32_t behind_pc);

  // arithmetic.cpp
  void emit_inst(const Inst& inst, const Form& form);
  Value arithmetic(const Inst& inst, const Form& form);
  Value wide_product(const Inst& inst, const Form& form, const std::array<Value, 3>& sources);
  Value shifted(const Inst& inst, const Form& form, const std::array<Value, 3>& sources);
  Value real(const Inst& inst, const Form& form);
  Value convert(const Inst& inst, const Form& form);
  Value widened(const Value& narrow, bool is_signed);
  Value narrowed(const Value& wide);
  Value real_to_integer(const Inst& inst, const Value& a);
  template <class F>
  Value from_halves(const Value& narrow, F emit_part);
  template <class F>
  Value to_halves(const Value& wide, F emit_part);
  Value select(const Value& a, const Value& b, const x86::Gp& where);
  x86::Gp compare(const Inst& inst, const Form& form);

  // requests.cpp
  void access(const Inst& inst, const Form& form);
  void access_lanes(const Inst& inst, const Form& form);
  void access_some(const Inst& inst, const Form& form);
  void access_consecutive(const Inst& inst, const Form& form, const asmjit::Label& elsewhere);
  void leave_unless_consecutive(const Inst& inst, const Form& form, const NativeVectors::Spread& here, const x86::Gp& start,
                                const asmjit::Label& elsewhere);
  template <class F>
  void for_chunks(unsigned bytes, F emit_part);
  void leave_if_reported(const Inst& inst);
  void leave_if_unknown(const std::array<x86::Gp, 4>& at, unsigned bytes);
  void access_scattered(const Inst& inst, const Form& form, const Value& places, Value& data);
  void access_fixed(const Inst& inst, const Form& form, Value& data);
  void access_indexed(const Inst& inst, const Form& form, const Value& index, Value& data);
  void access_groups(const Inst& inst, const Form& form, const Value& address, Value& data);
  void emit_scattered();
  [[nodiscard]] Value data_of(const Inst& inst, const Form& form);
  [[nodiscard]] bool has_one_address(const Inst& inst) const;
  [[nodiscard]] Value places_of(const Inst& inst);
  void access_one(const Form& form, const x86::Gp& from_low, const x86::Gp& bytes, const x86::Gp& host, Value& data);
  void allocation_of(const Inst& inst, const Form& form, x86::Gp& low, x86::Gp& bytes, x86::Gp& host);
  void prefetch(const Inst& inst, const x86::Gp& at, const x86::Gp& host);
  [[nodiscard]] std::array<x86::Gp, 4> indexed_groups(const Inst& inst, const Form& form, const Value& index, const x86::Gp& base,
                                                      const x86::Gp& bytes);
  void leave_unless_within(const std::array<x86::Gp, 4>& at, unsigned reach, const x86::Gp& bytes);
  void copy_groups(const Form& form, const std::array<x86::Mem, 4>& at, Value& data);
  void spread_groups(const std::array<x86::Mem, 4>& at, Value& data);
  /// Where the groups of a request begin: from the allocation's first byte, and in the host's memory.
  struct Groups {
    const std::array<x86::Gp, 4>& at;
    const std::array<x86::Mem, 4>& place;
    const x86::Gp &bytes, &host;  // of the allocation
  };
  /// The zero flag says that every group is consecutive: then each is copied. Otherwise each may be one element, for a load:
  /// compare_within_groups() emits the comparison that sets the zero flag where it is. All else is left to others.
  template <class F>
  void copy_or_spread(const Inst& inst, const Form& form, const Groups& groups, Value& data, F compare_within_groups) {
    if (form.kind == Form::Kind::store) {
      cc.jnz(scattered_);
      leave_unless_within(groups.at, native_group * form.bytes, groups.bytes);
      return copy_groups(form, groups.place, data);
    }
    const asmjit::Label same = cc.newLabel(), done = cc.newLabel();
    cc.jnz(same);
    leave_unless_within(groups.at, native_group * form.bytes, groups.bytes);
    if (inst.d2.offset) prefetch(inst, groups.at[0], groups.host);
    copy_groups(form, groups.place, data);
    cc.jmp(done);
    cc.bind(same);
    compare_within_groups();
    cc.jnz(leave_);
    leave_unless_within(groups.at, form.bytes, groups.bytes);
    spread_groups(groups.place, data);
    cc.bind(done);
  }

  // requests_avx2.cpp
  void access_scattered_avx2(const Inst& inst, const Form& form, const Value& places, Value& data);
  void gather(const Form& form, const x86::Gp& host, const std::array<x86::Vec, 8>& from_low, Value& data);
  void scatter(const Form& form, const x86::Gp& host, const std::array<x86::Vec, 8>& from_low, const Value& data);
  [[nodiscard]] std::array<x86::Gp, 4> indexed_groups_avx2(const Inst& inst, const Form& form, const Value& index,
                                                           const x86::Gp& base, const x86::Gp& bytes);
  void access_groups_avx2(const Inst& inst, const Form& form, const Value& address, const x86::Gp& low, const x86::Gp& bytes,
                          const x86::Gp& host, Value& data);

  /// Equal in all lanes. Those that are alike where all lanes execute need not be where some jump over the kernel's last
  /// instructions.
  [[nodiscard]] bool is_uniform(std::uint32_t reg) const { return code_.uniform[reg] || (full_ && alike_[reg]); }
  [[nodiscard]] std::uint32_t register_of(const Inst& inst) const { return inst.ptx->operands[0].index; }

  x86::Compiler& cc;
  NativeVectors v;
  const Code& code_;
  const std::vector<bool>& alike_;
  StretchPlan plan_;
  Observed observed_;
  bool full_ = plan_.full;  // all 32 lanes execute the present instruction
  x86::Gp warp_, rows_, exec_;
  x86::Gp together_, which_, jump_, stay_;  // for warps in lockstep: which one it is; lanes that jump at the end, and that do not
  std::map<std::uint32_t, Value> values_;   // by row
  std::map<std::uint32_t, x86::Gp> predicates_;  // by row: a bit a lane
  std::map<std::uint32_t, std::uint32_t> held_;  // by row: the pc of its last use
  std::map<std::pair<unsigned, unsigned>, Mask> executing_;
  const Expected* expected_ = nullptr;
  asmjit::Label otherwise_;
  struct Base {
    std::int64_t offset = 0;
    std::array<x86::Gp, native_groups> at;  // the groups' addresses for an instruction with this offset
  };
  std::map<std::uint32_t, Base> bases_;         // by row of the address
  std::map<std::uint32_t, const Inst*> later_;  // by row: expected loads whose value was not used yet
  bool inside_over_ = false;
  std::vector<Exit> exits_;
  std::vector<Scattered> scattered_later_;
  x86::Mem spilled_;                 // AVX2: addresses and data of a scattered store
  asmjit::Label leave_, scattered_;  // before the present instruction; to its Scattered
};

}  // namespace warpbook::gpu::vm
