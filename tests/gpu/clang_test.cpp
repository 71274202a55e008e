// clang: its words as NVRTC's, what it makes of CUDA C++, and what it may not do when it compiles what nobody trusts.
#include "gpu/clang/clang.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "gpu/compiler_log.h"
#include "gpu/debug_info.h"
#include "tests/gpu/one_compiler.h"
#include "tests/kept_variable.h"

namespace warpbook::gpu {
namespace {

namespace fs = std::filesystem;

TEST(ClangWords, VersionsAndArchitecturesAreRead) {
  EXPECT_EQ(clang_version_in("Debian clang version 19.1.7 (3~deb12u1)\nTarget: x86_64\n"), "19.1");
  EXPECT_EQ(clang_version_in("clang version 20.1.0-rc2"), "20.1");
  EXPECT_EQ(clang_version_in("no such thing"), "");
  EXPECT_EQ(clang_architectures_in("Available CPUs for this target:\n\n\tsm_20\n\tsm_50\n\tsm_90\n\tsm_90a\n\tsm_75\n\nUse -mcpu"),
            (std::vector<int>{50, 75, 90}))
      << "none that are too old, none that are one GPU's alone";
  EXPECT_EQ(clang_architectures_in("error: unknown target"), std::vector<int>{});
}

TEST(ClangWords, AnArchitectureHasTheOldestPtxThatKnowsIt) {
  EXPECT_EQ(ptx_feature(50), "ptx63");
  EXPECT_EQ(ptx_feature(75), "ptx63");
  EXPECT_EQ(ptx_feature(80), "ptx70");
  EXPECT_EQ(ptx_feature(86), "ptx71");
  EXPECT_EQ(ptx_feature(90), "ptx78");
  EXPECT_EQ(ptx_feature(120), "ptx87");
}

constexpr const char* told_source = R"(#include "gone.h"
template <class T> __device__ T f(T x) { return x.y; }
int host(int x) { return x; }
__global__ void k(int* a) {
	a[0] = twise(1) + host(2);
  a[1] = f(a[0]);
}
)";

std::vector<Diagnostic> diagnostics_of_clang(std::string_view log) {
  const std::string text = clang_as_nvrtc_writes(log, [](std::string_view file) { return file == "b.cu" ? told_source : ""; });
  return parse_diagnostics(text, "b.cu", "b.cu", {});
}

TEST(ClangWords, MessagesAreNvrtcsWhereTheRestGoesByThem) {
  const auto all = diagnostics_of_clang(R"(b.cu:1:10: fatal error: 'gone.h' file not found
b.cu:5:9: error: use of undeclared identifier 'twise'
b.cu:5:20: error: no matching function for call to 'host'
b.cu:3:5: note: candidate function not viable: call to __host__ function from __global__ function
b.cu:5:2: warning: something else
4 errors generated when compiling for sm_75.
)");
  ASSERT_EQ(all.size(), 5U);
  EXPECT_EQ(all[0].message, "could not open source file \"gone.h\"");
  EXPECT_EQ(all[0].severity, Diagnostic::Severity::error);
  EXPECT_EQ(all[0].column, 10);
  EXPECT_EQ(all[1].message, "identifier \"twise\" is undefined");
  EXPECT_EQ(all[1].column, 9) << "a tab is one column";
  EXPECT_EQ(all[2].message.find("calling a __host__ function(\"host\")"), 0U) << all[2].message;
  EXPECT_EQ(all[3].severity, Diagnostic::Severity::note);
  EXPECT_EQ(all[4].message, "something else");
}

TEST(ClangWords, ThatAFileMayNotBeReadIsNotTold) {
  const auto all = diagnostics_of_clang("b.cu:1:10: fatal error: cannot open file '/etc/shadow': Permission denied\n");
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].message, "could not open source file \"/etc/shadow\"");
}

TEST(ClangWords, ATemplatesErrorTellsWhoUsesIt) {
  const auto all = diagnostics_of_clang(R"(b.cu:2:50: error: member reference base type 'int' is not a structure or union
b.cu:6:10: note: in instantiation of function template specialization 'f<int>' requested here
)");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].line, 2);
  EXPECT_EQ(all[1].line, 6);
  EXPECT_EQ(all[1].message, "detected during instantiation of function template specialization 'f<int>' at line 6 of b.cu");
}

TEST(ClangWords, AnErrorInOurHeadersIsToldAtTheLearnersLine) {
  const auto all = diagnostics_of_clang(R"(In file included from b.cu:1:
gone.h:7:3: error: static assertion failed
gone.h:9:5: error: another one
)");
  ASSERT_EQ(all.size(), 1U) << "of several from one line the first";
  EXPECT_EQ(all[0].file, "b.cu");
  EXPECT_EQ(all[0].line, 1);
  EXPECT_NE(all[0].message.find("gone.h line 7"), std::string::npos) << all[0].message;
}

/// By clang alone.
class ClangAlone : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto clang = compiler().status().clang; !clang.available) GTEST_SKIP() << clang.problem;
    setenv("WARPBOOK_COMPILER", "clang", 1);
  }
  const warpbook::test::KeptVariable kept_{"WARPBOOK_COMPILER"};

  static auto compile(const std::string& text, const CompileOptions& options = {}) {
    return compiler().compile({.file = "b.cu", .text = text}, options);
  }
  static std::string words_of(const CompileFailure& failure) {
    std::string said = failure.message + failure.log;
    for (const Diagnostic& each : failure.diagnostics) said += each.message;
    return said;
  }
};

constexpr const char* small_program = "\n__global__ void k(int* a) { a[0] = 1; }\nint main() { k<<<1, 1>>>(nullptr); }\n";

TEST_F(ClangAlone, DefinesOfOneLetterAreTheKernelsAlone) {
  const auto program = compiler().compile({.file = "n.cu",
                                           .text = "__global__ void k(T* x) { x[threadIdx.x] = max(threadIdx.x, 3u) * N; }",
                                           .defines = {{"N", "1024"}, {"T", "float"}},
                                           .instantiate = {}});
  ASSERT_TRUE(program) << program.error().message;
  EXPECT_EQ((*program)->kernels.at(0).parameters.at(0).element, ScalarType::float32);
}

TEST_F(ClangAlone, DefinesOfOneLetterDoNotReachTheHeadersThatAKernelIncludes) {
  std::vector<std::pair<std::string, std::string>> every_letter;
  for (char letter = 'A'; letter <= 'Z'; ++letter) every_letter.emplace_back(std::string(1, letter), "1024");
  for (const char* header :
       {"cooperative_groups.h", "cooperative_groups/reduce.h", "cooperative_groups/scan.h", "cooperative_groups/memcpy_async.h",
        "cuda_fp16.h", "cuda_bf16.h", "cuda_pipeline.h", "cuda_awbarrier.h", "cuComplex.h", "curand_kernel.h", "cub/cub.cuh",
        "cuda/atomic", "cuda/barrier", "cuda/pipeline", "cuda/ptx", "cuda/std/atomic", "cuda/std/barrier"}) {
    const auto program =
        compiler().compile({.file = "n.cu",
                            .text = fmt::format("#include <{}>\n__global__ void k(int* x) {{ x[threadIdx.x] = N; }}", header),
                            .defines = every_letter,
                            .instantiate = {}});
    EXPECT_TRUE(program) << header << ": " << program.error().message;
  }
}

TEST_F(ClangAlone, TellsItsNameAndLinesAndNoRegisters) {
  const Compiler::Status status = compiler().status();
  EXPECT_TRUE(status.available);
  EXPECT_TRUE(status.compiler.starts_with("clang ")) << status.compiler;
  EXPECT_TRUE(fs::exists(status.path)) << status.path;
  const auto program = compile(small_program);
  ASSERT_TRUE(program) << words_of(program.error());
  EXPECT_EQ((*program)->compiler, status.compiler);
  EXPECT_EQ((*program)->architecture, 75);
  ASSERT_EQ((*program)->kernels.size(), 1U);
  EXPECT_EQ((*program)->kernels[0].name, "k");
  EXPECT_FALSE((*program)->kernels[0].registers);
  EXPECT_FALSE((*program)->kernels[0].spill_bytes);
  EXPECT_NE((*program)->ptx.find(".file\t1 \"b.cu\""), std::string::npos) << (*program)->ptx;
  EXPECT_NE((*program)->ptx.find(".loc\t1 2 "), std::string::npos) << (*program)->ptx;
  EXPECT_EQ((*program)->ptx.find("/tmp/"), std::string::npos) << "no path of this machine";
  EXPECT_EQ((*program)->left_out, std::vector<std::string>{"main()"});
}

TEST_F(ClangAlone, SharedMemoryIsCounted) {
  const auto program = compile(R"(
__global__ void reverse(float* x) {
  __shared__ float tile[256];
  extern __shared__ float more[];
  tile[threadIdx.x] = x[threadIdx.x];
  more[threadIdx.x] = 1;
  __syncthreads();
  x[threadIdx.x] = tile[255 - threadIdx.x] + more[255 - threadIdx.x];
})");
  ASSERT_TRUE(program) << words_of(program.error());
  EXPECT_EQ((*program)->find("reverse")->shared_bytes, 1024U);
}

TEST_F(ClangAlone, TemplatesAndDefinesAreAskedFor) {
  const auto program =
      compiler().compile({.file = "b.cu",
                          .text = "template <class T> __global__ void scale(T* x, T f) { x[threadIdx.x] *= f + ADD; }\n"
                                  "namespace n { template <int N> __global__ void fill(int* a) { a[0] = N; } }",
                          .defines = {{"ADD", "2"}},
                          .instantiate = {"scale<float>", "n::fill<3>"}});
  ASSERT_TRUE(program) << words_of(program.error());
  ASSERT_NE((*program)->find("scale<float>"), nullptr);
  EXPECT_EQ((*program)->find("scale")->parameters.at(1).name, "f");
  EXPECT_NE((*program)->find("n::fill<3>"), nullptr);
}

TEST_F(ClangAlone, ArchitecturesAreHonoured) {
  for (const int architecture : {50, 61, 75, 80, 86, 90}) {
    const auto program = compile(small_program, {.architecture = architecture});
    ASSERT_TRUE(program) << words_of(program.error());
    EXPECT_EQ((*program)->architecture, architecture);
    EXPECT_NE((*program)->ptx.find(".target sm_" + std::to_string(architecture)), std::string::npos);
  }
  const auto later = compile(small_program, {.architecture = 999});
  ASSERT_TRUE(later);
  EXPECT_GE((*later)->architecture, 90) << "the nearest";
}

/// For stepping: without optimisation, with the source's variables.
TEST_F(ClangAlone, DebugInformationHasTheSourcesVariables) {
  const auto program = compile(R"(
__device__ float twice(float v) { float w = v * 2; return w; }
__global__ void k(float* a, int n) {
  __shared__ float tile[32];
  int i = threadIdx.x;
  if (i < n) {
    float t = twice(a[i]);
    tile[i] = t;
    a[i] = tile[i] + 1;
  }
})",
                               {.resource_usage = false, .device_debug = true});
  ASSERT_TRUE(program) << words_of(program.error());
  const auto info = read_debug_info((*program)->ptx);
  ASSERT_TRUE(info) << info.error().message;
  const auto function =
      std::find_if(info->functions.begin(), info->functions.end(), [](const DebugFunction& each) { return each.name == "k"; });
  ASSERT_NE(function, info->functions.end());
  std::vector<std::string> names;
  const auto collect = [&](const auto& self, const DebugScope& scope) -> void {
    for (const DebugVariable& variable : scope.variables) {
      names.push_back(variable.name);
      EXPECT_FALSE(variable.ranges.empty()) << variable.name << " has no place";
    }
    for (const DebugScope& inner : scope.inner) self(self, inner);
  };
  collect(collect, function->body);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"a", "i", "n", "t", "tile"}));
  EXPECT_EQ((*program)->ptx.find("/tmp/"), std::string::npos) << "no path of this machine";
}

TEST_F(ClangAlone, CopiesHaveAnArchitectureOfTheirOwn) {
  const std::string copies =
      "#include <cuda_pipeline.h>\n__global__ void k(const int* in, int* out) {\n  __shared__ int s[32];\n"
      "  __pipeline_memcpy_async(&s[threadIdx.x], &in[threadIdx.x], 4);\n  __pipeline_commit();\n"
      "  __pipeline_wait_prior(0);\n  out[threadIdx.x] = s[threadIdx.x];\n}\nint main() {}\n";
  const auto program = compile(copies, {.architecture = 75, .copies_architecture = 80});
  ASSERT_TRUE(program) << words_of(program.error());
  EXPECT_EQ((*program)->architecture, 75);
  EXPECT_NE((*program)->ptx.find(".target sm_80"), std::string::npos);
  EXPECT_NE((*program)->ptx.find("cp.async"), std::string::npos);
  const auto plain = compile(copies, {.architecture = 75});
  ASSERT_TRUE(plain);
  EXPECT_EQ((*plain)->ptx.find("cp.async"), std::string::npos);
}

/// With the settings that the lessons have at first, as far as a file needs any.
TEST_F(ClangAlone, TheLessonsKernelsCompile) {
  std::size_t files = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(WARPBOOK_ROOT) / "kernels")) {
    if (entry.path().extension() != ".cu") continue;
    std::ifstream in(entry.path());
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    Source source{.file = entry.path().filename().string(), .text = text};
    for (const char* name : {"STEPS", "TILE", "ITEMS", "ABSENT"}) source.defines.emplace_back(name, "4");
    const auto program = compiler().compile(source);
    EXPECT_TRUE(program) << source.file << ": " << words_of(program.error());
    EXPECT_TRUE(!program || !(*program)->kernels.empty()) << source.file;
    ++files;
  }
  EXPECT_GT(files, 15U);
}

TEST_F(ClangAlone, ReadsNothingOfTheLearners) {
  const fs::path secret = fs::temp_directory_path() / ("warpbook_secret_of_clang_" + std::to_string(getpid()));
  std::ofstream(secret) << "hunter2_and_a_half = 1;\n";
  const std::string path = secret.string();
  for (const std::string& include :
       {"#include \"" + path + "\"", "#include <" + path + ">", "#include \"../../../../../../../.." + path + "\"",
        "#define WHAT \"" + path + "\"\n#include WHAT", "#include_next \"" + path + "\"",
        "constexpr char all[] = {\n#embed \"" + path + "\"\n};", std::string("#include \"/proc/self/environ\""),
        std::string("#include \"/etc/passwd\"")}) {
    const auto program = compile(include + small_program);
    const std::string said = program ? (*program)->ptx : words_of(program.error());
    EXPECT_EQ(said.find("hunter2_and"), std::string::npos) << include;
    EXPECT_EQ(said.find("root:"), std::string::npos) << include;
    EXPECT_EQ(said.find("ermission"), std::string::npos) << "tells that the file is there: " << said;
  }
  fs::remove(secret);
}

std::size_t scratch_folders() {  // of this process: others compile, too
  const std::string own = "warpbook-clang-" + std::to_string(getpid()) + "-";
  std::size_t count = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator("/tmp"))
    count += entry.path().filename().string().starts_with(own);
  return count;
}

fs::path kept_by_the_child() {
  const std::string own = "warpbook-clang-" + std::to_string(getpid()) + "-";
  for (const fs::directory_entry& entry : fs::directory_iterator("/tmp"))
    if (entry.path().filename().string().starts_with(own)) return entry.path() / "kept";
  return {};
}

TEST_F(ClangAlone, PrecompiledHeadersChangeNothingAndMayBeLost) {
  // `rest` makes it a source that was not compiled before; the time, one that no earlier run has kept the result of.
  const std::string now = std::to_string(std::chrono::system_clock::now().time_since_epoch().count());
  const auto ptx_of = [&](const std::string& rest, std::vector<std::pair<std::string, std::string>> defines = {}) {
    const auto program =
        compiler().compile({.file = "same.cu",
                            .text = "#include <cooperative_groups.h>\n__global__ void k(float* a, int n) {\n"
                                    "  __shared__ float s[64];\n  s[threadIdx.x] = __expf(sinf(a[threadIdx.x]));\n"
                                    "  cooperative_groups::this_thread_block().sync();\n"
                                    "  assert(n > 3);\n  atomicAdd(a, s[63 - threadIdx.x] + powf(a[n], 1.5f));\n}\n" +
                                    rest + "\n// " + now,
                            .defines = std::move(defines),
                            .instantiate = {}},
                           {.architecture = 86});
    return program ? (*program)->ptx : words_of(program.error());
  };
  const std::string first = ptx_of("");
  EXPECT_NE(first.find(".entry"), std::string::npos) << first;
  (void)ptx_of("// two");
  // The headers are precompiled when the second request has been answered.
  const fs::path kept = kept_by_the_child();
  const auto precompiled = [&] {
    std::size_t files = 0;
    for (const fs::directory_entry& entry : fs::directory_iterator(kept)) files += entry.path().extension() == ".pch";
    return files;
  };
  EXPECT_EQ(ptx_of("// three"), first);
  EXPECT_GE(precompiled(), 1u);
  EXPECT_EQ(ptx_of("// four", {{"S", "5"}}), first);
  // What the C++ library declares, too.
  for (const char* text : {"__global__ void k(int** p) { p[1] = new int[4]; delete[] p[0]; }",
                           "#include <cstdio>\n__global__ void k(int* p) { *p = 1; }\nint main() { printf(\"%d\", 1); }",
                           "#include <vector>\n__global__ void k(int* p) { *p = 1; }\nint main() { std::vector<int> v(3); }"}) {
    const auto program = compiler().compile({.file = "library.cu", .text = std::string(text) + "\n// " + now, .instantiate = {}},
                                            {.architecture = 86});
    EXPECT_TRUE(program) << words_of(program.error());
  }
  for (const char* lost : {"include/warpbook/index.h", "nothing.cu"}) {
    fs::remove(kept / lost);
    EXPECT_EQ(ptx_of(std::string("// without ") + lost), first) << lost;
    EXPECT_TRUE(fs::exists(kept / lost)) << lost;
  }
}

TEST_F(ClangAlone, IsStoppedInTimeAndLeavesNothing) {
  const std::size_t before = scratch_folders();
  {
    Compiler own;
    const auto begin = std::chrono::steady_clock::now();
    const auto result = own.compile({.file = "bomb.cu", .text = R"(
template <class A, class B> struct Pair {};
template <int N, class A, class B> struct Grow {
  typedef Pair<typename Grow<N - 1, A, Pair<A, B>>::type, typename Grow<N - 1, B, Pair<B, A>>::type> type;
};
template <class A, class B> struct Grow<0, A, B> { typedef Pair<A, B> type; };
__global__ void k(int* a) { Grow<24, int, char>::type x; a[0] = sizeof(x); }
)"},
                                    {.max_seconds = 1});
    EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), 10);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().reason, CompileFailure::Reason::too_long) << words_of(result.error());
    EXPECT_TRUE(own.compile({.file = "b.cu", .text = small_program})) << "the next one is as good as ever";
    EXPECT_GT(scratch_folders(), before);
  }
  EXPECT_EQ(scratch_folders(), before);
}

#ifndef __SANITIZE_ADDRESS__  // under which nothing is limited
TEST_F(ClangAlone, MemoryIsLimited) {
  const auto result = compile(small_program + std::string("// one more\n"), {.max_bytes = std::size_t{100} << 20});
  ASSERT_FALSE(result);
  EXPECT_TRUE(result.error().reason == CompileFailure::Reason::too_much_memory ||
              result.error().reason == CompileFailure::Reason::crashed)
      << words_of(result.error());
  EXPECT_TRUE(compile(small_program));
}
#endif

/// NVRTC is the first choice where it is there; clang where it is not.
TEST(CompilerChoices, HaveNamesAndAnOrder) {
  for (const CompilerChoice choice :
       {CompilerChoice::automatic, CompilerChoice::nvrtc, CompilerChoice::nvcc, CompilerChoice::clang})
    EXPECT_EQ(compiler_choice_named(name_of(choice)), choice);
  EXPECT_FALSE(compiler_choice_named("gcc"));
  const warpbook::test::KeptVariable kept("WARPBOOK_COMPILER");
  unsetenv("WARPBOOK_COMPILER");
  EXPECT_EQ(compiler_choice(), CompilerChoice::automatic);
  prefer_compiler(CompilerChoice::clang);
  EXPECT_EQ(compiler_choice(), CompilerChoice::clang);
  setenv("WARPBOOK_COMPILER", "nvrtc", 1);
  EXPECT_EQ(compiler_choice(), CompilerChoice::nvrtc) << "the environment goes before the settings";
  unsetenv("WARPBOOK_COMPILER");
  prefer_compiler(CompilerChoice::automatic);
  const Compiler::Status status = compiler().status();
  if (status.nvrtc.available)
    EXPECT_TRUE(status.compiler.starts_with("NVRTC ")) << status.compiler;
  else if (status.clang.available)
    EXPECT_TRUE(status.compiler.starts_with("clang ")) << status.compiler;
  else
    EXPECT_FALSE(status.available);
}

}  // namespace
}  // namespace warpbook::gpu
