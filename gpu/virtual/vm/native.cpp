#include "gpu/virtual/vm/native.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#ifdef __x86_64__
#  include "gpu/virtual/vm/native_stretch.h"
#endif

namespace warpbook::gpu::vm {

/// Warp-instructions, an instruction of the image, after which native code is made: to make it takes 10 to 20 µs an instruction,
/// and it saves 1 to 3 ns each time.
static constexpr std::uint64_t worth_it = 4000;

/// Of an image: the compiler cannot be interrupted.
static constexpr std::uint64_t most_instructions = 20'000;

#ifdef __x86_64__

namespace {

/// Stretches end after so many instructions: the compiler's work grows faster than they do.
constexpr std::uint32_t longest = 200;

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

bool can_be_native(const Code& code, const Inst& inst, Among what) {
  const Form form = form_of(code, inst);
  if (form.kind == Form::Kind::none) return false;
  return !is_access(form) || what == Among::all || (what == Among::some && !loads_its_address(inst));
}

std::vector<Planned> plan(const Code& code, Observed observed) {
  std::vector<Planned> stretches;
  const auto size = static_cast<std::uint32_t>(code.insts.size());
  const auto end_of = [&](std::uint32_t first, Among what) {
    std::uint32_t end = first;
    while (end < size && end - first < longest && (end == first || !begins_block(code, end)) &&
           can_be_native(code, code.insts[end], what))
      ++end;
    return end;
  };
  const auto add = [&](std::uint32_t first, std::uint32_t end, bool full) {
    if (end - first > 1) stretches.push_back({{first, end - first, full}, {}});
  };
  for (std::uint32_t first = 0; first < size;) {
    const std::uint32_t end = end_of(first, observed == Observed::yes ? Among::arithmetic : Among::all);
    add(first, end, true);
    first = std::max(end, first + 1);
  }
  for (std::uint32_t first = 0; first < size;) {
    const std::uint32_t end = end_of(first, observed == Observed::yes ? Among::arithmetic : Among::some);
    add(first, end, false);
    // Where one is left at a request, arithmetic goes on behind it.
    for (std::uint32_t n = first; n + 1 < end; ++n)
      if (is_access(form_of(code, code.insts[n]))) add(n + 1, std::min(end, end_of(n + 1, Among::arithmetic)), false);
    first = std::max(end, first + 1);
  }
  return stretches;
}

/// Never destroyed: an image may be, later.
asmjit::JitRuntime& runtime() {
  static asmjit::JitRuntime* const one = new asmjit::JitRuntime;
  return *one;
}

}  // namespace

void NativeCode::make(const Image& image) {
  asmjit::CodeHolder holder;
  if (holder.init(runtime().environment())) return;
  asmjit::x86::Compiler compiler(&holder);
  std::vector<std::pair<Code*, std::vector<Planned>>> all;
  for (const auto& code : image.codes) {
    if (!code) continue;
    all.emplace_back(code.get(), plan(*code, observed_));
    for (Planned& stretch : all.back().second) stretch.entry = NativeStretch(compiler, *code, stretch.plan).emit();
  }
  void* base = nullptr;
  if (compiler.finalize() || runtime().add(&base, &holder)) return;
  code_ = std::shared_ptr<void>(base, [](void* code) { runtime().release(code); });
  for (auto& [code, stretches] : all) {
    std::map<std::uint32_t, Native*> at;
    for (const Planned& stretch : stretches) {
      const auto [first, count, full] = stretch.plan;
      Native*& native = at[first];
      if (!native) native = &natives_.emplace_back();
      const auto run = reinterpret_cast<Native::Run>(static_cast<std::byte*>(base) + holder.labelOffsetFromBase(stretch.entry));
      (full ? native->full : native->part) = run;
      (full ? native->full_count : native->part_count) = count;
    }
    for (const auto& [first, native] : at) __atomic_store_n(&code->insts[first].native, native, __ATOMIC_RELEASE);
  }
}

void prepare_native_code(Image& image, Observed observed) {
  const char* const wanted = std::getenv("WARPBOOK_INSTRUCTION_SET");
  const std::string_view at_most = wanted ? wanted : "";
  __builtin_cpu_init();
  if (at_most == "generic" || at_most == "avx2" || at_most == "avx512" || !__builtin_cpu_supports("x86-64-v4")) return;
  image.native = std::make_shared<NativeCode>(observed);
  if (at_most == "native") image.native->count(image, ~std::uint64_t{0});
}

#else

void NativeCode::make(const Image&) {}
void prepare_native_code(Image&, Observed) {}

#endif

void NativeCode::count(const Image& image, std::uint64_t warp_instructions) {
  const std::uint64_t executed = executed_.fetch_add(warp_instructions, std::memory_order_relaxed) + warp_instructions;
  std::uint64_t size = 0;
  for (const auto& code : image.codes) size += code ? code->insts.size() : 0;
  if (size <= most_instructions && executed >= size * worth_it && !begun_.test_and_set())
    make(image);  // the other workers go on meanwhile
}

}  // namespace warpbook::gpu::vm
