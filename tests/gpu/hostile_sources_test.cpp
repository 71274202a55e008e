// Sources and PTX that nobody writes to learn from: each ends in a sentence or compiles, and takes the time that its length
// explains.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "gpu/compiler.h"
#include "gpu/compiler_log.h"
#include "gpu/device_variables.h"
#include "gpu/kernel_signatures.h"
#include "gpu/shown_text.h"
#include "gpu/virtual/ptx/parser.h"
#include "gpu/virtual/vm/decode.h"
#include "tests/gpu/one_compiler.h"

namespace warpbook::gpu {
namespace {

constexpr const char* one_kernel = "__global__ void k(int* o) { o[0] = 1; }\n";
constexpr std::string_view ptx_head = ".version 8.0\n.target sm_75\n.address_size 64\n";

/// Far more than what is linear takes on a slow machine, and far less than a square of these lengths.
constexpr double patience = 30;

Source hostile(std::string text) { return {.file = "k.cu", .text = std::move(text), .defines = {}, .instantiate = {}}; }

std::string refusal(std::string text) {
  const auto program = compiler().compile(hostile(std::move(text)));
  EXPECT_FALSE(program);
  return program ? std::string() : program.error().message;
}

double seconds(const auto& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::string times(int count, const auto& text) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text(i);
  return all;
}

// ---- text that a compiler cannot read ----

TEST(HostileSources, AByteOrderMarkAndBytesOfAnotherEncodingCompile) {
  for (const std::string& text :
       {std::string("\xEF\xBB\xBF") + one_kernel, std::string("// caf\xe9 \xff\n") + one_kernel,
        std::string("/* \x80 \xff */ ") + one_kernel, std::string("__device__ const char* s = \"caf\xe9\xff\";\n") + one_kernel}) {
    const auto program = compiler().compile(hostile(text));
    ASSERT_TRUE(program) << program.error().message;
    EXPECT_NE((*program)->find("k"), nullptr) << without_controls(text);
  }
}

TEST(HostileSources, AZeroByteAndUtf16AreRefusedByName) {
  const std::string zero = refusal(std::string("// first\n") + std::string(1, '\0') + one_kernel);
  EXPECT_NE(zero.find("line 2"), std::string::npos) << zero;
  EXPECT_NE(zero.find("zero byte"), std::string::npos) << zero;
  EXPECT_NE(refusal("\xff\xfe_\x20").find("UTF-16"), std::string::npos);
}

TEST(HostileSources, AHugeSourceEndsInASentence) {
  std::string said;
  EXPECT_LT(seconds([&] { said = refusal(std::string(100'000'000, 'x')); }), 2);
  EXPECT_NE(said.find("95.4 MiB"), std::string::npos) << said;
  EXPECT_NE(said.find("up to 16 MiB"), std::string::npos) << said;
  EXPECT_FALSE(compiler().adopt_ptx("k.ptx", std::string(100'000'000, ' ')));
}

TEST(HostileSources, EveryFailureHasAReason) {
  Source source = hostile(one_kernel);
  source.defines = {{"1X", "3"}};
  const auto program = compiler().compile(source);
  ASSERT_FALSE(program);
  const std::string& message = program.error().message;
  EXPECT_TRUE(message.find("could not be compiled: invalid macro definition") != std::string::npos ||  // NVRTC
              message.find("macro name must be an identifier") != std::string::npos)                   // clang
      << message;
  EXPECT_EQ(without_diagnostics("k.cu", "\nptxas fatal   : Unresolved extern function 'f'\n"),
            "k.cu could not be compiled: Unresolved extern function 'f'.");
  EXPECT_NE(without_diagnostics("k.cu", "").find("gave no reason"), std::string::npos);
}

TEST(HostileSources, NoMessageIsLongerThanAReaderReads) {
  const std::string name(3000, 'v');
  const std::string undeclared = refusal("__global__ void k(int* o) { o[0] = " + name + "; }\n");
  EXPECT_LE(characters_in(undeclared), 400u) << undeclared;
  EXPECT_NE(undeclared.find("is not declared here"), std::string::npos) << undeclared;
}

TEST(HostileSources, AnErrorWithinTheToolkitIsToldAtTheLearnersLine) {
  const std::string log =
      "cub/warp/shfl.cuh(457): error: no instance of function template \"plus\" matches the argument list\n"
      "        output = reduction_op(input, temp);\n"
      "                 ^\n"
      "cuda/std/operations.h(49): note #3327-D: candidate function template failed deduction\n"
      "    constexpr auto operator()(T&& t, U&& u) const\n"
      "                   ^\n"
      "          detected during:\n"
      "            instantiation of \"T Reduce(T)\" at line 511\n"
      "            instantiation of \"T Sum(T)\" at line 518 of cub/block/block_reduce.cuh\n"
      "            instantiation of \"T BlockReduce<T>::Sum(T) [with T=S]\" at line 5 of k_.cu\n"
      "\n"
      "cub/block/other.cuh(144): error: no instance of function template \"plus\" matches the argument list\n"
      "        w = reduction_op(w, a);\n"
      "            ^\n"
      "          detected during instantiation of \"T Sum(T)\" at line 5 of k_.cu\n"
      "\n";
  const auto diagnostics = parse_diagnostics(log, "k_.cu", "k.cu");
  ASSERT_EQ(diagnostics.size(), 1u);  // one line of the learner's, one error
  EXPECT_EQ(diagnostics[0].file, "k.cu");
  EXPECT_EQ(diagnostics[0].line, 5);
  EXPECT_NE(diagnostics[0].message.find("cub/warp/shfl.cuh line 457"), std::string::npos) << diagnostics[0].message;
  const std::string said = explain(diagnostics, "k.cu", "");
  EXPECT_TRUE(said.starts_with("k.cu line 5: no instance of function template")) << said;
}

TEST(HostileSources, TheLearnersOwnErrorComesBeforeTheToolkits) {
  const auto diagnostics =
      parse_diagnostics("cub/a.cuh(7): error: broken\n  x\n  ^\n\nk.cu(9): error: mine\n  y\n  ^\n", "k.cu", "k.cu");
  EXPECT_TRUE(explain(diagnostics, "k.cu", "").starts_with("k.cu line 9: mine")) << explain(diagnostics, "k.cu", "");
}

TEST(HostileSources, OfThousandsOfWarningsTheFirstAreKeptAndTheOthersCounted) {
  const std::string log =
      times(5000, [](int i) { return fmt::format("k.cu({}): warning #177-D: never referenced\n  int a;\n      ^\n\n", i + 1); });
  const auto diagnostics = parse_diagnostics(log, "k.cu", "k.cu");
  EXPECT_EQ(diagnostics.size(), 101u);
  EXPECT_EQ(diagnostics.back().message, "4900 more warnings and notes are not shown.");
}

// ---- what CUDA refuses ----

TEST(HostileSources, ConstantsBeyondTheirRoomAreRefused) {
  const std::string use = "__global__ void k(float* o) { o[threadIdx.x] = big[threadIdx.x * 3]; }\n";
  const std::string said = refusal("\n__constant__ float big[20000];\n" + use);
  EXPECT_TRUE(said.starts_with("k.cu line 2: the __constant__ variables take 80000 bytes in all, and CUDA has 65536")) << said;
  EXPECT_TRUE(compiler().compile(hostile("__constant__ float big[16384];\n" + use)));  // exactly as many
}

// ---- the time that it takes ----

TEST(HostileSources, BracketsThatNeverEnd) {
  const std::string source = times(300'000, [](int) { return "f("; });
  EXPECT_LT(seconds([&] { (void)list_kernels(fmt::format("{}.visible .entry k() {{\n}}\n", ptx_head), source); }), patience);
}

TEST(HostileSources, ManyKernelsAndVariablesInAnyLayout) {
  for (const char* const end : {"\n", " "}) {
    const std::string ptx =
        std::string(ptx_head) +
        times(50'000,
              [&](int i) { return fmt::format(".shared .align 4 .b8 s{}[4];{}.global .align 4 .b8 g{}[4];{}", i, end, i, end); }) +
        times(50'000, [&](int i) { return fmt::format(".visible .entry k{}(.param .u64 a) {{ ret; }}{}", i, end); });
    std::vector<Kernel> kernels;
    EXPECT_LT(seconds([&] { kernels = list_kernels(ptx, {}); }), patience);
    EXPECT_EQ(kernels.size(), 50'000u);
    EXPECT_LT(seconds([&] { (void)list_variables(ptx, {}); }), patience);
  }
}

TEST(HostileSources, SharedBytesAreThoseThatAKernelNames) {
  const std::string ptx =
      std::string(ptx_head) +
      ".shared .align 4 .b8 tile[64];\n.extern .shared .align 16 .b8 dynamic[];\n"
      ".visible .entry a() {\n// .shared .b8 remark[8];\n.shared .align 4 .b8 own[32];\nst.shared.u32 [tile+4], 1;\n"
      "st.shared.u32 [own], 1;\nld.shared .u32 %r1, [dynamic];\n}\n"
      ".visible .entry b() {\nst.shared.u32 [tiles], 1;\n}\n";
  const std::vector<Kernel> kernels = list_kernels(ptx, {});
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].shared_bytes, 96u);
  EXPECT_EQ(kernels[1].shared_bytes, 0u);
}

/// Parses and decodes in the ways in which launches need it.
void expect_in_time(const std::string& ptx) {
  const double took = seconds([&] {
    const auto module = ptx::parse(ptx);
    ASSERT_TRUE(module) << module.error().message;
    const ptx::Function* const kernel = module->find("k");
    ASSERT_NE(kernel, nullptr);
    for (const vm::Mode mode : {vm::Mode::fast, vm::Mode::observed}) {
      const auto image = vm::decode(*module, *kernel, vm::lay_out_shared(*module, *kernel), mode, vm::best_instruction_set());
      ASSERT_TRUE(image) << image.error().message;
    }
  });
  EXPECT_LT(took, patience);
}

std::string kernel_of(const std::string& body) {
  return std::string(ptx_head) +
         ".visible .entry k(.param .u64 a) {\n.reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<4>;\nld.param.u64 %rd1, [a];\n"
         "mov.u32 %r1, %tid.x;\nsetp.gt.u32 %p1, %r1, %r2;\n" +
         body + "ret;\n}\n";
}

TEST(HostilePtx, JumpsBackOverEverything) {
  constexpr int many = 150'000;
  expect_in_time(kernel_of(times(many, [](int i) { return fmt::format("L{}:\nadd.u32 %r3, %r3, 1;\n", i); }) +
                           times(many, [](int i) { return fmt::format("@%p1 bra L{};\n", i); })));
}

TEST(HostilePtx, BarriersBehindBranches) {
  expect_in_time(kernel_of(times(100'000, [](int i) { return fmt::format("@%p1 bra L{};\nbar.sync 0;\nL{}:\n", i, i); })));
}

TEST(HostilePtx, ManyFunctionsThatAreCalled) {
  constexpr int many = 60'000;
  expect_in_time(std::string(ptx_head) + times(many, [](int i) { return fmt::format(".func f{}() {{\n ret;\n}}\n", i); }) +
                 ".visible .entry k() {\n" + times(many, [](int i) { return fmt::format("call f{};\n", i); }) + "ret;\n}\n");
}

TEST(HostilePtx, ManyRegistersThatLiveAtOnce) {
  constexpr int many = 200'000;
  const std::string registers = fmt::format(".reg .b32 %x<{}>;\n", many);
  expect_in_time(kernel_of(registers + times(many, [](int i) { return fmt::format("add.u32 %x{}, %r1, {};\n", i, i); }) +
                           times(many, [](int i) { return fmt::format("st.global.u32 [%rd1], %x{};\n", i); })));
}

TEST(HostilePtx, AJumpTableThatEverybodyShares) {
  constexpr int many = 2'000;
  const std::string table = "T: .branchtargets " + times(many, [](int i) { return fmt::format("{}L{}", i ? "," : "", i); }) + ";\n";
  const auto module = ptx::parse(
      kernel_of(table + times(many, [](int i) { return fmt::format("L{}: add.u32 %r3, %r3, 1;\n@%p1 brx.idx %r3, T;\n", i); })));
  ASSERT_FALSE(module);
  EXPECT_NE(module.error().message.find("ways in all"), std::string::npos) << module.error().message;
}

}  // namespace
}  // namespace warpbook::gpu
