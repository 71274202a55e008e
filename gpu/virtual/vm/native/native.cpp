#include "gpu/virtual/vm/native/native.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "gpu/virtual/vm/exec/native_code.h"
#ifdef __x86_64__
#  include "gpu/virtual/vm/native/stretch.h"
#endif

namespace warpbook::gpu::vm {

#ifdef __x86_64__

namespace {

/// Warp-instructions, an instruction of the image, after which native code is made. It saves 1 to 3 ns each time. To make it takes
/// the compiler 0.1 to 0.3 ms an instruction, with AVX2, where a row is twice as many vectors, up to 0.6 ms.
std::uint64_t worth_it(InstructionSet set) { return set == InstructionSet::avx512 ? 4000 : 20'000; }

/// Of an image: the compiler cannot be interrupted.
constexpr std::uint64_t most_instructions = 20'000;

/// Stretches end after so many instructions: the compiler's work grows faster than they do.
constexpr std::uint32_t longest = 200;

/// Stretches of fewer instructions go on behind a barrier. Longer ones gain nothing, and would have to exist twice.
constexpr std::uint32_t short_stretch = 32;

/// Does a basic block begin at inst `n`, or among the removed instructions before it?
bool begins_block(const Code& code, std::uint32_t n) {
  const Inst& inst = code.insts[n];
  for (std::uint32_t pc = inst.first_pc; pc <= inst.pc; ++pc)
    if (pc >= code.function->is_leader.size() || code.function->is_leader[pc]) return true;
  return false;
}

struct Planned {
  StretchPlan plan;
  asmjit::Label entry;
};

bool is_access(const Form& form) { return form.kind == Form::Kind::load || form.kind == Form::Kind::store; }

enum class Among { all, some, arithmetic };

bool can_be_native(const Code& code, const Inst& inst, Among what, Observed observed, InstructionSet set) {
  const Form form = form_of(code, inst);
  if (form.kind == Form::Kind::none || !NativeVectors::have(set, form, *inst.ptx)) return false;
  if (!is_access(form)) return true;
  if (observed == Observed::yes && (form.kind == Form::Kind::store || inst.ptx->order != ptx::Order::weak)) return false;
  return what == Among::all || (what == Among::some && !loads_its_address(inst));
}

/// By inst: loops begin here.
std::vector<bool> jumped_back_to(const Code& code) {
  std::vector<bool> found(code.insts.size());
  for (std::uint32_t n = 0; n < code.insts.size(); ++n) {
    const Inst& inst = code.insts[n];
    const auto leads_to = [&](std::uint32_t target) {
      if (target <= n) found[target] = true;
    };
    if (!inst.ptx) continue;
    if (inst.ptx->op == ptx::Opcode::bra) leads_to(inst.target);
    if (inst.ptx->op == ptx::Opcode::brx) std::ranges::for_each(code.extras[inst.extra].targets, leads_to);
  }
  return found;
}

bool is_branch(const Inst& inst) { return inst.flow == Flow::branch || inst.flow == Flow::skip; }

/// In lockstep nobody waits at a barrier, unless some threads only arrive there.
bool passes_barriers(const Code& code) {
  return std::ranges::none_of(code.insts, [](const Inst& inst) {
    const bool barrier = inst.ptx && (inst.ptx->op == ptx::Opcode::bar || inst.ptx->op == ptx::Opcode::barrier);
    return barrier && !inst.pseudo && inst.flow != Flow::barrier;
  });
}

std::vector<Planned> plan(const Code& code, Observed observed, InstructionSet set, bool lockstep) {
  std::vector<Planned> stretches;
  const std::vector<bool> loops = jumped_back_to(code);
  const auto size = static_cast<std::uint32_t>(code.insts.size());
  const auto end_of = [&](std::uint32_t first, Among what) {
    std::uint32_t end = first;
    while (end < size && end - first < longest && (end == first || !begins_block(code, end)) &&
           can_be_native(code, code.insts[end], what, observed, set))
      ++end;
    return end;
  };
  const auto add = [&](std::uint32_t first, std::uint32_t end, bool full) {
    if (end - first > 1) stretches.push_back({{first, end - first, full, false}, {}});
  };
  // On behind what some lanes jump over, but not into a loop, which has its own.
  const auto further = [&](std::uint32_t first, std::uint32_t end) {
    while (end < size && code.insts[end].flow == Flow::skip) {
      const std::uint32_t meets = code.insts[end].target;
      if (meets >= size || meets - first > longest || end_of(end + 1, Among::some) != meets || loops[meets]) break;
      end = end_of(meets + (code.insts[meets].flow == Flow::point), Among::all);
    }
    return end;
  };
  // In lockstep on behind barriers too, as far as nothing there touches memory: no warp can tell then that another has not come.
  const bool barriers = lockstep && passes_barriers(code);
  const auto behind_barriers = [&](std::uint32_t first, std::uint32_t end) {
    while (barriers && end - first < short_stretch && code.insts[end].flow == Flow::barrier && !begins_block(code, end + 1))
      end = end_of(end + 1, Among::arithmetic);
    return end;
  };
  // What is for warps in lockstep serves one warp too, unless it goes further.
  const auto add_for_all_lanes = [&](std::uint32_t first, std::uint32_t end, bool alone) {
    const std::uint32_t until = lockstep && end > first ? behind_barriers(first, end) : first;
    if (alone && until != end) add(first, end, true);
    if (until > first && (until - first > 1 || is_branch(code.insts[until])))
      stretches.push_back({{first, until - first, true, true}, {}});
  };
  // Where one is left at a request, arithmetic goes on behind it.
  const auto add_behind_requests = [&](std::uint32_t first, std::uint32_t end, bool full) {
    for (std::uint32_t n = first; n + 1 < end; ++n)
      if (is_access(form_of(code, code.insts[n]))) add(n + 1, std::min(end, end_of(n + 1, Among::arithmetic)), full);
  };
  std::uint32_t covered = 0;
  for (std::uint32_t first = 0; first < size;) {
    const std::uint32_t end = end_of(first, Among::all);
    const bool skips = lockstep && code.insts[first].flow == Flow::skip;  // only warps in lockstep look there
    const bool goes_on = observed == Observed::no && (end > first || skips) && first >= covered;
    const std::uint32_t until = goes_on ? further(first, end) : end;
    add_for_all_lanes(first, until, end > first);
    if (observed == Observed::yes) add_behind_requests(first, end, true);
    covered = std::max(covered, until);
    first = std::max(end, first + 1);
  }
  for (std::uint32_t first = 0; first < size;) {
    const std::uint32_t end = end_of(first, Among::some);
    add(first, end, false);
    add_behind_requests(first, end, false);
    first = std::max(end, first + 1);
  }
  return stretches;
}

/// Never destroyed: an image may be, later.
asmjit::JitRuntime& runtime() {
  static asmjit::JitRuntime* const one = new asmjit::JitRuntime;
  return *one;
}

/// Many hosts that these tests run on have AVX-512, and would not tell.
bool needs_avx2_alone(const asmjit::BaseBuilder& builder) {
  using Features = asmjit::CpuFeatures;
  for (const asmjit::BaseNode* node = builder.firstNode(); node; node = node->next()) {
    if (!node->isInst() || node->as<asmjit::InstNode>()->id() == asmjit::BaseInst::kIdAbstract) continue;  // a return
    const auto* const inst = node->as<asmjit::InstNode>();
    Features needed;
    if (asmjit::InstAPI::queryFeatures(asmjit::Arch::kX64, inst->baseInst(), inst->operands(), inst->opCount(), &needed) ||
        needed.has(Features::X86::kAVX512_F) || needed.has(Features::X86::kAVX512_VL) || needed.has(Features::X86::kAVX512_BW) ||
        needed.has(Features::X86::kAVX512_DQ))
      return false;
  }
  return true;
}

/// Belongs to one image, which lives as long.
class MadeCode : public NativeCode {
 public:
  MadeCode(Observed observed, InstructionSet set) : observed_(observed), set_(set) {}
  void count(const Image& image, std::uint64_t warp_instructions) override;
  void make_at_once(const Image& image) override {
    if (!begun_.test_and_set()) make(image);
  }

 private:
  void make(const Image& image);
  Observed observed_;
  InstructionSet set_;
  std::atomic<std::uint64_t> executed_{0};
  std::atomic_flag begun_;
  std::shared_ptr<void> code_;  // executable memory
  std::deque<NativeStart> natives_;
  std::jthread maker_;  // the last member: it is waited for before the others go
};

void MadeCode::make(const Image& image) {
  asmjit::CodeHolder holder;
  if (holder.init(runtime().environment())) return;
  asmjit::x86::Compiler compiler(&holder);
  std::vector<std::pair<Code*, std::vector<Planned>>> all;
  for (const auto& code : image.codes) {
    if (!code) continue;
    const bool lockstep = image.may_run_in_lockstep && observed_ == Observed::no && code.get() == image.kernel;
    all.emplace_back(code.get(), plan(*code, observed_, set_, lockstep));
    Expected expected{.by_lane = rows_by_lane(*code), .otherwise = {}};
    const std::vector<bool> alike = alike_in_all_lanes(*code->function);
    for (Planned& stretch : all.back().second) {
      expected.otherwise = stretch.entry = NativeStretch(compiler, set_, *code, alike, stretch.plan, observed_).emit();
      if (lockstep && !stretch.plan.together) continue;  // seldom used
      NativeStretch likely(compiler, set_, *code, alike, stretch.plan, observed_);
      if (likely.expect(expected)) stretch.entry = likely.emit();
    }
  }
  if (set_ == InstructionSet::avx2 && !needs_avx2_alone(compiler)) return;
  void* base = nullptr;
  if (compiler.finalize() || runtime().add(&base, &holder)) return;
  code_ = std::shared_ptr<void>(base, [](void* code) { runtime().release(code); });
  for (auto& [code, stretches] : all) {
    std::map<std::uint32_t, NativeStart*> at;
    for (const Planned& stretch : stretches) {
      const auto [first, count, full, together] = stretch.plan;
      NativeStart*& native = at[first];
      if (!native) native = &natives_.emplace_back();
      std::byte* const entry = static_cast<std::byte*>(base) + holder.labelOffsetFromBase(stretch.entry);
      if (together) {
        native->together = reinterpret_cast<NativeStart::RunTogether>(entry);
        native->together_count = count;
        const std::span insts = std::span(code->insts).subspan(first, count);
        const bool passes = std::ranges::any_of(insts, [](const Inst& inst) { return inst.flow == Flow::barrier; });
        if (!passes && count > 1) native->full_count = count;
        continue;
      }
      (full ? native->full : native->part) = reinterpret_cast<Native::Run>(entry);
      (full ? native->full_count : native->part_count) = count;
    }
    for (const auto& [first, native] : at) __atomic_store_n(&code->insts[first].native, native, __ATOMIC_RELEASE);
  }
}

void MadeCode::count(const Image& image, std::uint64_t warp_instructions) {
  const std::uint64_t executed = executed_.fetch_add(warp_instructions, std::memory_order_relaxed) + warp_instructions;
  std::uint64_t size = 0;
  for (const auto& code : image.codes) size += code ? code->insts.size() : 0;
  if (size > most_instructions || executed < size * worth_it(set_) || begun_.test_and_set()) return;
  try {
    maker_ = std::jthread([this, &image] { make(image); });
  } catch (const std::system_error&) {  // no more threads: the interpreter goes on
  }
}

}  // namespace

void prepare_native_code(Image& image, Observed observed) {
  const char* const wanted = std::getenv("WARPBOOK_INSTRUCTION_SET");
  const std::string_view at_most = wanted ? wanted : "";
  if (at_most == "generic" || at_most == "avx512" || at_most == "interpreted-avx2") return;
  __builtin_cpu_init();
  const bool narrow = at_most == "avx2" || at_most == "native-avx2" || !__builtin_cpu_supports("x86-64-v4");
  if (narrow && !__builtin_cpu_supports("x86-64-v3")) return;
  image.native = std::make_shared<MadeCode>(observed, narrow ? InstructionSet::avx2 : InstructionSet::avx512);
  if (at_most == "native" || at_most == "native-avx2") image.native->make_at_once(image);
}

#else

void prepare_native_code(Image&, Observed) {}

#endif

}  // namespace warpbook::gpu::vm
