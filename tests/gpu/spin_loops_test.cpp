// Which loops may wait for others: each kernel's, from its first backward branch on.
#include "gpu/virtual/vm/analysis/spin_loops.h"

#include <gtest/gtest.h>

#include <string>

#include "gpu/virtual/ptx/parser.h"
#include "tests/gpu/one_compiler.h"

namespace warpbook::gpu {
namespace {

struct LoopCase {
  const char* name;
  const char* expected;  // of every backward branch, in the order of the text: y or n
  const char* text;
};

constexpr LoopCase loop_cases[] = {
    {"AFlag", "y", "void k(volatile int* p) { while (*p == 0) {} p[1] = 2; }"},
    {"AFlagAcquired", "y",
     R"(void k(int* p) { int v; do asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(v) : "l"(p)); while (v < 3); p[1] = v; })"},
    {"AFlagThatOneLaneReads", "y",
     "void k(volatile int* p) { int v; do v = __shfl_sync(~0u, threadIdx.x ? 0 : *p, 0); while (v == 0); p[1] = v; }"},
    {"ALock", "y", "void k(int* p) { while (atomicCAS(p, 0, 1) != 0) {} p[1] += 1; atomicExch(p, 0); }"},
    {"ALockTakenByExchange", "y", "void k(int* p) { while (atomicExch(p, 1) == 1) {} p[1] += 1; atomicExch(p, 0); }"},
    {"AnAtomicThatOnlyLooks", "y", "void k(int* p) { while (atomicAdd(p, 0) < 7) {} p[1] = 1; }"},
    {"ARetry", "y", "void k(float* p) { int* a = (int*)p, o = *a, e; do { e = o; o = atomicCAS(a, e, e * 3); } while (o != e); }"},
    {"ARetryInALoop", "yn",
     "void k(int* a, int n) { for (int i = 0; i < n; ++i) { int o = a[i], e; do { e = o; o = atomicCAS(a + i, e, e * 3); }"
     " while (o != e); } }"},
    {"AHistogram", "n",
     "void k(int* p, const int* in, int n) {\n#pragma unroll 1\n for (int i = 0; i < n; ++i) atomicAdd(p + in[i], 1); }"},
    {"PlacesInAList", "n",
     "void k(int* p, int* out, int n) {\n#pragma unroll 1\n for (int i = 0; i < n; ++i) out[atomicAdd(p, 1)] = i; }"},
    {"AQueueOfWork", "n", "void k(int* p, int* out, int n) { for (int i; (i = atomicAdd(p, 1)) < n;) out[i] = i; }"},
    {"ASumOfVolatiles", "n",
     "void k(volatile int* p, int n) { int s = 0;\n#pragma unroll 1\n for (int i = 0; i < n; ++i) s += p[i]; p[n] = s; }"},
    {"APlainLoad", "n", "void k(int* p) { int i = 0;\n#pragma unroll 1\n while (p[i] != 0) ++i; p[0] = i; }"},
};

class SpinLoops : public testing::TestWithParam<LoopCase> {};

TEST_P(SpinLoops, AsTheLoopWaits) {
  const auto program = compiler().compile(
      {.file = "k.cu", .text = std::string("extern \"C\" __global__ ") + GetParam().text, .defines = {}, .instantiate = {}});
  ASSERT_TRUE(program) << program.error().log;
  const auto module = ptx::parse((*program)->ptx);
  ASSERT_TRUE(module) << module.error().message;
  const ptx::Function& kernel = *module->find("k");
  std::string found;
  for (std::uint32_t pc = 0; pc < kernel.code.size(); ++pc)
    if (kernel.code[pc].op == ptx::Opcode::bra && kernel.code[pc].operands[0].index <= pc)
      found += vm::is_spin_loop(kernel, kernel.code[pc].operands[0].index, pc) ? 'y' : 'n';
  EXPECT_EQ(found, GetParam().expected) << (*program)->ptx;
}

INSTANTIATE_TEST_SUITE_P(Cases, SpinLoops, testing::ValuesIn(loop_cases), [](const auto& one) { return one.param.name; });

TEST(SpinLoops, LongLoopsAreNotLookedAt) {
  std::string body = "LOOP: ld.volatile.global.u32 %r0, [%rd0]; setp.eq.u32 %p0, %r0, 0;";
  for (int n = 0; n < 100; ++n) body += " add.u32 %r1, %r1, 1;";
  const auto module = ptx::parse(
      ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p) { .reg .pred %p<1>;"
      ".reg .b32 %r<2>; .reg .b64 %rd<1>; ld.param.u64 %rd0, [p]; mov.u32 %r1, 0; " +
      body + " @%p0 bra LOOP; ret; }");
  ASSERT_TRUE(module) << module.error().message;
  const auto pc = static_cast<std::uint32_t>(module->find("k")->code.size()) - 2;
  EXPECT_FALSE(vm::is_spin_loop(*module->find("k"), 2, pc));
  EXPECT_FALSE(vm::is_spin_loop(*module->find("k"), pc, 2));
}

}  // namespace
}  // namespace warpbook::gpu
