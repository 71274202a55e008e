// The toolkit's nvcc: its words as NVRTC's, and what it may not do when it compiles what nobody trusts.
#include "gpu/nvcc.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "gpu/compiler_log.h"
#include "tests/gpu/one_compiler.h"
#include "tests/kept_variable.h"

namespace warpbook::gpu {
namespace {

namespace fs = std::filesystem;

TEST(NvccWords, ArchitecturesAndVersionsAreRead) {
  EXPECT_EQ(architectures_in("compute_90\ncompute_75\ncompute_100\n"), (std::vector<int>{75, 90, 100}));
  EXPECT_EQ(architectures_in("nvcc fatal   : Unknown option"), std::vector<int>{});
  EXPECT_EQ(version_in("Cuda compilation tools, release 13.0, V13.0.88\nBuild cuda_13.0\n"), "13.0");
  EXPECT_EQ(version_in("no such thing"), "");
}

TEST(NvccWords, OnlyWordsOfCxx20AskForIt) {
  EXPECT_TRUE(wants_newer_standard("template <class T> concept Number = true;"));
  EXPECT_TRUE(wants_newer_standard("auto order = a <=> b;"));
  EXPECT_FALSE(wants_newer_standard("int main() { add<<<1, 32>>>(a); }"));
}

constexpr const char* macros_source = R"(#define WIDTH 32
__global__ void k(int* a) { a[WIDTH] = nothing; }
__global__ void l(int* a) { int unused; a[0] = WIDTH + other; }
__global__ void m(int* a) { a[WIDTH] = a; a[WIDTH + a] = 0; }
#include "gone.h"
)";

std::vector<Diagnostic> diagnostics_of_nvcc(std::string_view log) {
  const std::string text = as_nvrtc_writes(log, [](std::string_view file) { return file == "b.cu" ? macros_source : ""; });
  return parse_diagnostics(text, "b.cu", "b.cu", {});
}

/// It shows lines with macros replaced; the column is that of the learner's line.
TEST(NvccWords, CaretsStandUnderTheSourcesWords) {
  const auto all = diagnostics_of_nvcc(R"(b.cu(2): error: identifier "nothing" is undefined
  __attribute__((global)) void k(int* a) { a[32] = nothing; }
                                                   ^

b.cu(3): error: identifier "other" is undefined
  __attribute__((global)) void l(int* a) { int unused; a[0] = 32 + other; }
                                                                   ^

b.cu(3): warning #177-D: variable "unused" was declared but never referenced
  __attribute__((global)) void l(int* a) { int unused; a[0] = 32 + other; }
                                               ^

Remark: The warnings can be suppressed with "-diag-suppress <warning-number>"

b.cu(4): error: a value of type "int *" cannot be assigned to an entity of type "int"
  __attribute__((global)) void m(int* a) { a[32] = a; a[32 + a] = 0; }
                                                   ^

2 errors detected in the compilation of "b.cu".
)");
  ASSERT_EQ(all.size(), 4U);
  const std::string_view text = macros_source;
  const auto column = [&](std::string_view line, std::string_view words) {
    const std::size_t begin = text.find(line);
    return static_cast<int>(text.find(words, begin) - begin) + 1;
  };
  EXPECT_EQ(all[0].line, 2);
  EXPECT_EQ(all[0].column, column("__global__ void k", "nothing"));
  EXPECT_EQ(all[1].column, column("__global__ void l", "other"));
  EXPECT_EQ(all[2].severity, Diagnostic::Severity::warning);
  EXPECT_EQ(all[2].column, column("__global__ void l", "unused"));
  EXPECT_EQ(all[3].column, column("__global__ void m", "a; a[")) << "the third of four, not the first";
}

TEST(NvccWords, ThePreprocessorsWordsAreNvrtcs) {
  for (const char* why : {"No such file or directory", "Permission denied"}) {
    const auto all = diagnostics_of_nvcc(std::string("b.cu:5:10: fatal error: gone.h: ") + why +
                                         "\n    5 | #include \"gone.h\"\n      |          ^~~~~~~~\ncompilation terminated.\n");
    ASSERT_EQ(all.size(), 1U) << why;
    EXPECT_EQ(all[0].message, "could not open source file \"gone.h\"") << "nothing tells whether it is there";
    EXPECT_EQ(all[0].line, 5);
    EXPECT_EQ(all[0].column, 10);
  }
}

/// By nvcc alone.
class NvccAlone : public testing::Test {
 protected:
  void SetUp() override {
    if (compiler().status().nvcc.empty()) GTEST_SKIP() << "the toolkit of this machine has no nvcc";
    setenv("WARPBOOK_COMPILER", "nvcc", 1);
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

constexpr const char* innocent_program = "\n__global__ void k(int* a) { a[0] = 1; }\nint main() { k<<<1, 1>>>(nullptr); }\n";

TEST_F(NvccAlone, TellsFiguresLinesAndItsName) {
  const auto program = compile(innocent_program);
  ASSERT_TRUE(program) << words_of(program.error());
  EXPECT_TRUE((*program)->compiler.starts_with("nvcc ")) << (*program)->compiler;
  ASSERT_EQ((*program)->kernels.size(), 1U);
  EXPECT_GT((*program)->kernels[0].registers.value_or(0), 0);
  EXPECT_NE((*program)->ptx.find(".file\t1 \"b.cu\""), std::string::npos) << (*program)->ptx;
  EXPECT_EQ((*program)->ptx.find("/tmp/"), std::string::npos) << "no path of this machine";
}

/// Of what copies asynchronously the PTX is a later architecture's; the registers stay those of the profile's.
TEST_F(NvccAlone, CopiesHaveAnArchitectureOfTheirOwn) {
  const std::string copies =
      "#include <cuda_pipeline.h>\n__global__ void k(const int* in, int* out) {\n  __shared__ int s[32];\n"
      "  __pipeline_memcpy_async(&s[threadIdx.x], &in[threadIdx.x], 4);\n  __pipeline_commit();\n"
      "  __pipeline_wait_prior(0);\n  out[threadIdx.x] = s[threadIdx.x];\n}\nint main() {}\n";
  const auto program = compile(copies, {.architecture = 75, .copies_architecture = 80});
  ASSERT_TRUE(program) << words_of(program.error());
  EXPECT_EQ((*program)->architecture, 75);
  EXPECT_NE((*program)->ptx.find(".target sm_80"), std::string::npos);
  EXPECT_NE((*program)->ptx.find("cp.async"), std::string::npos);
  EXPECT_GT((*program)->kernels[0].registers.value_or(0), 0);
  const auto plain = compile(copies, {.architecture = 75});
  ASSERT_TRUE(plain);
  EXPECT_EQ((*plain)->ptx.find("cp.async"), std::string::npos);
}

TEST_F(NvccAlone, ReadsNothingOfTheLearners) {
  const fs::path secret = fs::temp_directory_path() / ("warpbook_secret_of_" + std::to_string(getpid()));
  std::ofstream(secret) << "hunter2_and_a_half = 1;\n";
  const std::string path = secret.string();
  for (const std::string& include :
       {"#include \"" + path + "\"", "#include <" + path + ">", "#include \"../../../../../../../.." + path + "\"",
        "#define WHAT \"" + path + "\"\n#include WHAT", "#include_next \"" + path + "\"",
        std::string("#include \"/proc/self/environ\""), std::string("#include \"/etc/passwd\""),
        "__asm__(\".include \\\"" + path + "\\\"\");"}) {
    const auto program = compile(include + innocent_program);
    const std::string said = program ? (*program)->ptx : words_of(program.error());
    EXPECT_EQ(said.find("hunter2"), std::string::npos) << include;
    EXPECT_EQ(said.find("root:"), std::string::npos) << include;
    EXPECT_EQ(said.find("LD_LIBRARY_PATH"), std::string::npos) << include;
    EXPECT_EQ(said.find("ermission"), std::string::npos) << "tells that the file is there: " << said;
  }
  fs::remove(secret);
}

TEST_F(NvccAlone, IsStoppedInTimeAndLeavesNothing) {
  const auto folders = [] {  // of this process: others compile, too
    const std::string own = "warpbook-nvcc-" + std::to_string(getpid()) + "-";
    std::size_t count = 0;
    for (const fs::directory_entry& entry : fs::directory_iterator("/tmp"))
      count += entry.path().filename().string().starts_with(own);
    return count;
  };
  const std::size_t before = folders();
  {
    Compiler own;
    const auto begin = std::chrono::steady_clock::now();
    const auto result = own.compile({.file = "bomb.cu", .text = R"(
template <class A, class B> struct Pair {};
template <int N, class T> struct Grow { typedef typename Grow<N - 1, Pair<T, T>>::type type; };
template <class T> struct Grow<0, T> { typedef T type; };
__global__ void k(int* a) { Grow<30, int>::type x; a[0] = sizeof(x); }
int main() {}
)"},
                                    {.max_seconds = 1});
    EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), 10);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().reason, CompileFailure::Reason::too_long) << words_of(result.error());
    EXPECT_TRUE(own.compile({.file = "b.cu", .text = innocent_program})) << "the next one is as good as ever";
    EXPECT_GT(folders(), before);
  }
  EXPECT_EQ(folders(), before);
}

}  // namespace
}  // namespace warpbook::gpu
