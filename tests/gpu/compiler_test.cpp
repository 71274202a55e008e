#include "gpu/compiler.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "gpu/confinement.h"
#include "tests/gpu/one_compiler.h"

namespace warpbook::gpu {
namespace {

namespace fs = std::filesystem;
using Reason = CompileFailure::Reason;

constexpr const char* add_text = R"(__global__ void add(const int* a, const int* b, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i];
}
)";

Source source(std::string text, std::string file = "kernel.cu") {
  return {.file = std::move(file), .text = std::move(text), .defines = {}, .instantiate = {}};
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Processes whose parent is `parent`.
std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> children;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
    std::ifstream stat(entry.path() / "stat");
    std::string text;
    if (!std::getline(stat, text)) continue;
    // "pid (name) state ppid …"; the name may hold blanks.
    const std::size_t close = text.rfind(')');
    if (close == std::string::npos || close + 4 >= text.size()) continue;
    if (std::atoi(text.c_str() + close + 4) == parent && text[close + 2] != 'Z') children.push_back(std::atoi(text.c_str()));
  }
  return children;
}

bool exists(pid_t pid) { return kill(pid, 0) == 0; }

TEST(Compiler, SaysWhatItIsAndHowItIsConfined) {
  const Compiler::Status status = compiler().status();
  ASSERT_TRUE(status.available) << status.advice;
  EXPECT_GE(std::atoi(status.version.c_str()), nvrtc_compiles() ? 12 : 16);
  EXPECT_TRUE(fs::exists(status.path)) << status.path;
  EXPECT_TRUE(status.confinement == "Landlock" || status.confinement == "bubblewrap") << status.confinement;
  EXPECT_TRUE(status.advice.empty());
}

TEST(Compiler, CompilesAKernelWithItsFigures) {
  const auto program = compiler().compile(source(add_text, "add.cu"));
  ASSERT_TRUE(program.has_value()) << program.error().message;
  EXPECT_EQ((*program)->architecture, 75);
  EXPECT_NE((*program)->ptx.find(".target sm_75"), std::string::npos);
  EXPECT_NE((*program)->ptx.find(".loc"), std::string::npos);
  EXPECT_NE((*program)->ptx.find(".file\t1 \"add.cu\""), std::string::npos);
  ASSERT_EQ((*program)->kernels.size(), 1u);
  const Kernel& kernel = (*program)->kernels[0];
  EXPECT_EQ(kernel.name, "add");
  EXPECT_EQ(kernel.entry, "_Z3addPKiS0_Pii");
  EXPECT_EQ(kernel.registers.has_value(), nvrtc_compiles());
  EXPECT_EQ(kernel.spill_bytes.has_value(), nvrtc_compiles());
  if (nvrtc_compiles()) {
    EXPECT_GE(kernel.registers, 8);
    EXPECT_LE(kernel.registers, 32);
    EXPECT_EQ(kernel.spill_bytes, 0);
  }
  EXPECT_EQ(kernel.shared_bytes, 0u);
  ASSERT_EQ(kernel.parameters.size(), 4u);
  EXPECT_EQ(kernel.parameters[0].name, "a");
  EXPECT_EQ(kernel.parameters[0].type, "const int*");
  EXPECT_TRUE(kernel.parameters[0].pointer);
  EXPECT_EQ(kernel.parameters[0].element, ScalarType::int32);
  EXPECT_EQ(kernel.parameters[3].size, 4u);
  EXPECT_FALSE(kernel.parameters[3].pointer);
  EXPECT_TRUE((*program)->warnings.empty());
}

TEST(Compiler, SharedAndLocalMemoryAreCounted) {
  const auto program = compiler().compile(source(R"(
__global__ void reverse(float* x) {
  __shared__ float tile[256];
  extern __shared__ float more[];
  tile[threadIdx.x] = x[threadIdx.x];
  more[threadIdx.x] = 1;
  __syncthreads();
  x[threadIdx.x] = tile[255 - threadIdx.x] + more[255 - threadIdx.x];
}
__global__ void table(int* x, int n) {
  int values[100];
  for (int i = 0; i < 100; ++i) values[i] = n;
  for (int i = 0; i < n; ++i) values[x[i]] += i;
  x[0] = values[x[n]];
})"));
  ASSERT_TRUE(program.has_value()) << program.error().message;
  EXPECT_EQ((*program)->find("reverse")->shared_bytes, 1024u);
  EXPECT_EQ((*program)->find("reverse")->local_bytes, 0u);
  EXPECT_EQ((*program)->find("table")->shared_bytes, 0u);
  EXPECT_EQ((*program)->find("table")->local_bytes, 400u);
  // Without machine code there are no registers, but shared memory is still read from PTX.
  const auto quick = compiler().compile((*program)->source, {.resource_usage = false});
  ASSERT_TRUE(quick.has_value());
  EXPECT_FALSE((*quick)->find("reverse")->registers.has_value());
  EXPECT_FALSE((*quick)->find("reverse")->spill_bytes.has_value());
  EXPECT_EQ((*quick)->find("reverse")->shared_bytes, 1024u);
}

TEST(Compiler, SpillsAreReportedWhereRegistersAreShort) {
  if (!nvrtc_compiles()) GTEST_SKIP() << "Only NVRTC, which has NVIDIA's assembler, tells registers and spills.";
  std::string text = "__global__ void __launch_bounds__(1024, 1) wide(double* x) {\n  double";
  for (int i = 0; i < 80; ++i) text += fmt::format("{} v{} = x[{}]", i == 0 ? "" : ",", i, i);
  text += ";\n  for (int k = 0; k < 100; ++k) {";
  for (int i = 0; i < 80; ++i) text += fmt::format(" v{} = v{} * v{} + x[k];", i, (i + 7) % 80, (i + 31) % 80);
  text += " }\n  x[0] = 0";
  for (int i = 0; i < 80; ++i) text += fmt::format(" + v{}", i);
  text += ";\n}\n";
  const auto program = compiler().compile(source(text));
  ASSERT_TRUE(program.has_value()) << program.error().message;
  EXPECT_EQ((*program)->kernels[0].registers, 64);  // 65,536 registers / 1024 threads
  EXPECT_GT((*program)->kernels[0].spill_bytes, 0);
  EXPECT_GT((*program)->kernels[0].local_bytes, 0u);
}

TEST(Compiler, DefinesReachTheSource) {
  Source s = source("__global__ void k(int* a) { a[0] = WIDTH + OFFSET; }");
  s.defines = {{"WIDTH", "40"}, {"OFFSET", "(1 + 1)"}};
  const auto program = compiler().compile(s);
  ASSERT_TRUE(program.has_value()) << program.error().message;
  EXPECT_NE((*program)->ptx.find("42"), std::string::npos);
  s.defines.pop_back();
  EXPECT_FALSE(compiler().compile(s));
}

TEST(Compiler, KernelsAreFoundByTheNameALearnerWrites) {
  Source s = source(R"(
template <class T> __global__ void scale(T* x, T f) { x[threadIdx.x] *= f; }
namespace n { __global__ void inner(int* a) { a[0] = 1; } }
template <int N> __global__ void twice(int* a) { a[0] = N; }
)");
  s.instantiate = {"scale<float>", "twice<1>", "twice< 2 >"};
  const auto compiled = compiler().compile(s);
  ASSERT_TRUE(compiled.has_value()) << compiled.error().message;
  const Program& program = **compiled;
  ASSERT_NE(program.find("scale<float>"), nullptr);
  EXPECT_EQ(program.find("scale< float >"), program.find("scale<float>"));
  EXPECT_EQ(program.find("scale"), program.find("scale<float>"));
  EXPECT_EQ(program.find("_Z5scaleIfEvPT_S0_"), program.find("scale<float>"));
  ASSERT_NE(program.find("inner"), nullptr);
  EXPECT_EQ(program.find("inner"), program.find("n::inner"));
  EXPECT_NE(program.find("twice<2>"), nullptr);
  EXPECT_EQ(program.find("twice"), nullptr) << "there are two";
  EXPECT_EQ(program.find(""), nullptr) << "there are several";
  EXPECT_EQ(program.find("nobody"), nullptr);
  EXPECT_EQ((*compiler().compile(source(add_text)))->find("")->name, "add");
}

TEST(Compiler, ArchitecturesThatItLacksBecomeTheNearest) {
  const auto old = compiler().compile(source(add_text), {.architecture = 20});
  ASSERT_TRUE(old.has_value()) << old.error().message;
  EXPECT_GE((*old)->architecture, 50);
  EXPECT_EQ((*old)->kernels[0].registers.has_value(), nvrtc_compiles());
  const auto ampere = compiler().compile(source(add_text), {.architecture = 86});
  ASSERT_TRUE(ampere.has_value()) << ampere.error().message;
  EXPECT_EQ((*ampere)->architecture, 86);
}

TEST(Compiler, FileNamesStayTheLearners) {
  const std::string file = "my kernels/round 2 (new).cu";
  const auto wrong = compiler().compile(source("__global__ void k(int* a) {\n  a[0] = b;\n}\n", file));
  ASSERT_FALSE(wrong);
  ASSERT_EQ(wrong.error().diagnostics.size(), 1u);
  EXPECT_EQ(wrong.error().diagnostics[0].file, file);
  EXPECT_EQ(wrong.error().diagnostics[0].line, 2);
  EXPECT_EQ(wrong.error().diagnostics[0].column, 10);
  const auto right = compiler().compile(source(add_text, file));
  ASSERT_TRUE(right.has_value());
  EXPECT_NE((*right)->ptx.find('"' + file + '"'), std::string::npos);
}

TEST(Compiler, CooperativeGroupsCompile) {
  const auto program = compiler().compile(source(R"(#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(int* a) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  a[tile.thread_rank()] = tile.shfl_down(a[0], 1);
})"));
  ASSERT_TRUE(program.has_value()) << program.error().message;
  EXPECT_EQ((*program)->ptx.find(compiler().status().path.substr(0, 10)), std::string::npos) << "a machine path in PTX";
  EXPECT_NE((*program)->ptx.find("\"/include/cooperative_groups.h\""), std::string::npos);
}

// ---- the cache ---------------------------------------------------------------------------------------------------

TEST(CompilerCache, TheSameTextIsTheSameProgram) {
  Compiler own;
  const auto first = own.compile(source(add_text));
  ASSERT_TRUE(first.has_value()) << first.error().message;
  EXPECT_EQ(own.compile(source(add_text)).value()->id, (*first)->id);
  EXPECT_NE(own.compile(source(std::string(add_text) + "// more\n")).value()->id, (*first)->id);
  EXPECT_NE(own.compile(source(add_text), {.resource_usage = false}).value()->id, (*first)->id);
  EXPECT_NE(own.compile(source(add_text, "other.cu")).value()->id, (*first)->id);
  Source defined = source(add_text);
  defined.defines = {{"N", "1"}};
  EXPECT_NE(own.compile(defined).value()->id, (*first)->id);
  EXPECT_EQ(own.compile(source(add_text)).value()->id, (*first)->id);
}

TEST(CompilerCache, IsBounded) {
  Compiler own;
  const CompileOptions quick{.resource_usage = false};
  const auto numbered = [](int i) { return source(fmt::format("__global__ void k(int* a) {{ a[0] = {}; }}", i)); };
  const std::uint64_t first = own.compile(numbered(0), quick).value()->id;
  const std::uint64_t second = own.compile(numbered(1), quick).value()->id;
  for (int i = 2; i < 65; ++i) {
    ASSERT_TRUE(own.compile(numbered(i), quick).has_value());
    if (i != 10) continue;
    EXPECT_EQ(own.compile(numbered(0), quick).value()->id, first);  // used again, so younger than the second
  }
  EXPECT_EQ(own.compile(numbered(0), quick).value()->id, first);
  EXPECT_NE(own.compile(numbered(1), quick).value()->id, second);
}

TEST(CompilerThreads, ShareOneCompiler) {
  std::vector<std::thread> threads;
  std::vector<std::string> names(6);
  for (std::size_t t = 0; t < names.size(); ++t)
    threads.emplace_back([&, t] {
      const auto program = compiler().compile(source(fmt::format("__global__ void thread_{}(int* a) {{ a[0] = 1; }}", t)));
      if (program) names[t] = (*program)->kernels.at(0).name;
    });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t t = 0; t < names.size(); ++t) EXPECT_EQ(names[t], fmt::format("thread_{}", t));
}

// ---- untrusted source --------------------------------------------------------------------------------------------

class SecretFile : public testing::Test {
 protected:
  void SetUp() override {
    path_ = fs::temp_directory_path() / fmt::format("warpbook_secret_{}", getpid());
    std::ofstream(path_) << secret_ << " = 1;\n";
  }
  void TearDown() override { fs::remove(path_); }

  void expect_hidden(const std::string& text) {
    const auto result = compiler().compile(source(text));
    if (result) {  // left out, as any header that is not the toolkit's
      EXPECT_EQ((*result)->left_out.size(), 1U) << text;
      EXPECT_EQ((*result)->ptx.find(secret_), std::string::npos) << text;
      return;
    }
    std::string said = result.error().message + result.error().log;
    for (const Diagnostic& d : result.error().diagnostics) said += d.message;
    EXPECT_EQ(said.find(secret_), std::string::npos) << said;
    EXPECT_EQ(said.find("ermission"), std::string::npos) << "tells that the file is there: " << said;
  }

  fs::path path_;
  std::string secret_ = "hunter2_and_a_half";
};

constexpr const char* innocent = "\n__global__ void k(int* a) { a[0] = 1; }\n";

TEST_F(SecretFile, CannotBeIncluded) {
  const std::string path = path_.string();
  expect_hidden("#include \"" + path + "\"" + innocent);
  expect_hidden("#include <" + path + ">" + innocent);
  expect_hidden("#include \"../../../../../../.." + path + "\"" + innocent);
  expect_hidden("#define WHAT \"" + path + "\"\n%:include WHAT" + innocent);
  expect_hidden("#define WHAT <" + path +
                ">\n?"
                "?=include WHAT\n#include WHAT" +
                innocent);
  expect_hidden("#include <cooperative_groups/../../../../../../../.." + path + ">" + innocent);
  expect_hidden("#include_next \"" + path + "\"" + innocent);
}

TEST_F(SecretFile, CannotEvenBeSeenToExist) {
  const auto seen =
      compiler().compile(source("#if __has_include(\"" + path_.string() + "\")\n#error it is there\n#endif" + innocent));
  EXPECT_TRUE(seen.has_value()) << seen.error().log;
}

TEST_F(SecretFile, MacrosAndOptionsDoNotHelp) {
  // What comes in from outside beside the text must not become an option.
  Source s = source(innocent);
  s.defines = {{"A", "1 --pre-include=" + path_.string()}};
  const auto defined = compiler().compile(s);
  EXPECT_EQ((defined ? (*defined)->ptx : defined.error().log).find(secret_), std::string::npos);
  s.defines.clear();
  s.instantiate = {"k); }\n#include \"" + path_.string() + "\"\n"};
  const auto instantiated = compiler().compile(s);
  ASSERT_FALSE(instantiated);
  EXPECT_EQ(instantiated.error().log.find(secret_), std::string::npos);
}

TEST(CompilerIsolation, TheEnvironmentAndTheSystemStayOutside) {
  setenv("WARPBOOK_TEST_TOKEN", "token_that_nobody_may_read", 1);
  Compiler own;  // its child would inherit it
  for (const char* file :
       {"/proc/self/environ", "/proc/self/maps", "/proc/self/cmdline", "/etc/passwd", "/etc/hostname", "/dev/urandom"}) {
    const auto result = own.compile(source(fmt::format("#include \"{}\"{}", file, innocent)));
    ASSERT_FALSE(result) << file;
    EXPECT_EQ(result.error().diagnostics.size(), 1u) << result.error().log;
    EXPECT_NE(result.error().message.find("cannot be included"), std::string::npos) << result.error().message;
    EXPECT_EQ(result.error().log.find("token_that_nobody_may_read"), std::string::npos);
    EXPECT_EQ(result.error().log.find("root:"), std::string::npos);
  }
  unsetenv("WARPBOOK_TEST_TOKEN");
}

// The next-best confinements, for machines without Landlock. Some containers let nobody make a namespace, bubblewrap neither.
TEST(CompilerIsolation, OtherConfinementsHideFilesToo) {
  const bool namespaces = std::system("bwrap --unshare-all --ro-bind / / true 2>/dev/null") == 0;
  for (const char* confinement : {"early", "bubblewrap", "no_files"}) {
    if (confinement == std::string("bubblewrap") && !namespaces) continue;
    if (confinement == std::string("early") && best_confinement() != FileConfinement::landlock) continue;
    setenv("WARPBOOK_CONFINEMENT", confinement, 1);
    Compiler own;
    const Compiler::Status status = own.status();
    if (confinement == std::string("no_files") && !nvrtc_compiles()) {  // clang is a program that opens files
      unsetenv("WARPBOOK_CONFINEMENT");
      EXPECT_FALSE(status.available);
      EXPECT_NE(status.advice.find("neither Landlock nor bubblewrap"), std::string::npos) << status.advice;
      continue;
    }
    EXPECT_TRUE(status.available) << confinement << ": " << status.advice;
    EXPECT_TRUE(own.compile(source(add_text)).has_value()) << confinement;
    const auto leak = own.compile(source(std::string("#include \"/etc/hostname\"") + innocent));
    unsetenv("WARPBOOK_CONFINEMENT");
    ASSERT_FALSE(leak) << confinement;
    EXPECT_EQ(leak.error().diagnostics.size(), 1u) << leak.error().log;
  }
}

TEST(CompilerLimits, ATemplateBombIsStoppedInTime) {
  const auto begin = std::chrono::steady_clock::now();
  const auto result = compiler().compile(source(R"(
template <class A, class B> struct Pair {};
template <int D, class T> struct Many {
  typename Many<D - 1, Pair<T, int>>::type a;
  typename Many<D - 1, Pair<T, float>>::type b;
  typedef Pair<typename Many<D - 1, Pair<T, char>>::type, T> type;
};
template <class T> struct Many<0, T> { typedef T type; };
__global__ void k(int* a) { Many<20, int> x; a[0] = sizeof(x); }
)",
                                                "bomb.cu"),
                                         {.max_seconds = 0.4});
  EXPECT_LT(seconds_since(begin), 3);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().reason, Reason::too_long) << result.error().message;
  EXPECT_NE(result.error().message.find("bomb.cu"), std::string::npos);
  EXPECT_NE(result.error().message.find("0.4 s"), std::string::npos) << result.error().message;
  EXPECT_TRUE(compiler().compile(source("__global__ void after_bomb(int* a) { a[0] = 1; }")).has_value());
}

TEST(CompilerLimits, MemoryIsBounded) {
  const auto result = compiler().compile(source(R"(
template <class A, class B> struct Pair {};
template <int D, class T> struct Many {
  typename Many<D - 1, Pair<T, int>>::type a;
  typename Many<D - 1, Pair<T, float>>::type b;
  typedef Pair<typename Many<D - 1, Pair<T, char>>::type, T> type;
};
template <class T> struct Many<0, T> { typedef T type; };
__global__ void k(int* a) { Many<14, int> x; a[0] = sizeof(x); }
)",
                                                "greedy.cu"),
                                         {.max_bytes = std::size_t{450} << 20});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().reason, Reason::too_much_memory) << result.error().message;
  EXPECT_NE(result.error().message.find("450 MiB"), std::string::npos) << result.error().message;
  EXPECT_TRUE(compiler().compile(source("__global__ void after_greed(int* a) { a[0] = 1; }")).has_value());
}

TEST(CompilerLimits, ACrashIsASentenceAndTheNextCompileWorks) {
  Compiler own;
  const std::vector<pid_t> before = children_of(getpid());
  own.warm_up();
  std::vector<pid_t> children = children_of(getpid());
  std::erase_if(children, [&](pid_t pid) { return std::find(before.begin(), before.end(), pid) != before.end(); });
  ASSERT_EQ(children.size(), 1u);
  std::thread assassin([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    kill(children[0], SIGSEGV);
  });
  std::string text = "__global__ void k(int* a) {";
  for (int i = 0; i < 20000; ++i) text += "if (a[0]) {";
  const auto result = own.compile(source(text + "a[1] = 1;" + std::string(20001, '}'), "deep.cu"));
  assassin.join();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().reason, Reason::crashed) << result.error().message;
  EXPECT_NE(result.error().message.find("deep.cu"), std::string::npos);
  EXPECT_TRUE(own.compile(source(add_text)).has_value());
}

TEST(CompilerLimits, AChildThatDiedIdleIsReplaced) {
  Compiler own;
  const std::vector<pid_t> before = children_of(getpid());
  own.warm_up();
  for (const pid_t pid : children_of(getpid()))
    if (std::find(before.begin(), before.end(), pid) == before.end()) kill(pid, SIGKILL);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_TRUE(own.compile(source(add_text)).has_value());
}

TEST(CompilerChild, EndsWithItsParentEvenInTheMiddleOfACompile) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t parent = fork();
  ASSERT_GE(parent, 0);
  if (parent == 0) {
    auto* own = new Compiler;  // never destroyed, as in a program that crashes
    own->warm_up();
    const std::vector<pid_t> children = children_of(getpid());
    const pid_t child = children.empty() ? 0 : children[0];
    std::thread([own] {
      std::string text = "__global__ void k(int* a) {";
      for (int i = 0; i < 20000; ++i) text += "if (a[0]) {";
      (void)own->compile(source(text + "a[1] = 1;" + std::string(20001, '}')));
    }).detach();
    usleep(100'000);
    if (write(ends[1], &child, sizeof child) != sizeof child) _exit(1);
    _exit(0);
  }
  pid_t child = 0;
  ASSERT_EQ(read(ends[0], &child, sizeof child), static_cast<ssize_t>(sizeof child));
  ASSERT_GT(child, 0);
  waitpid(parent, nullptr, 0);
  const auto begin = std::chrono::steady_clock::now();
  while (exists(child) && seconds_since(begin) < 5) usleep(10'000);
  // An orphan that has ended may wait for init to collect it; it must not run.
  std::ifstream stat(fmt::format("/proc/{}/stat", child));
  std::string text;
  const bool gone = !std::getline(stat, text) || text[text.rfind(')') + 2] == 'Z';
  EXPECT_TRUE(gone);
  close(ends[0]);
  close(ends[1]);
}

// ---- PTX of others -----------------------------------------------------------------------------------------------

TEST(AdoptPtx, ReadsEntriesAndParameters) {
  const auto program = compiler().adopt_ptx("other.ptx", R"(
.version 7.0
.target sm_80
.address_size 64
// .entry not_this_one(
.visible .entry saxpy(
  .param .u64 .ptr .global .align 4 x,
  .param .f32 factor,
  .param .align 8 .b8 pair[16],
  .param .u64 y,
  .param .u64 count
)
{
  .shared .align 4 .b8 tile[512];
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [y]; ld.param.u64 %rd4, [count];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u64 %rd3, tile;
  ret;
}
.entry empty()
{
  ret;
}
)");
  ASSERT_TRUE(program.has_value()) << program.error().message;
  EXPECT_EQ((*program)->architecture, 80);
  ASSERT_EQ((*program)->kernels.size(), 2u);
  const Kernel& kernel = (*program)->kernels[0];
  EXPECT_EQ(kernel.name, "saxpy");
  EXPECT_EQ(kernel.shared_bytes, 512u);
  EXPECT_FALSE(kernel.registers.has_value());
  ASSERT_EQ(kernel.parameters.size(), 5u);
  EXPECT_EQ(kernel.parameters[0].name, "x");
  EXPECT_TRUE(kernel.parameters[0].pointer);
  EXPECT_EQ(kernel.parameters[0].align, 8u);
  EXPECT_EQ(kernel.parameters[1].element, ScalarType::float32);
  EXPECT_EQ(kernel.parameters[2].size, 16u);
  EXPECT_EQ(kernel.parameters[2].align, 8u);
  EXPECT_TRUE(kernel.parameters[3].pointer) << "its value becomes a global address";
  EXPECT_FALSE(kernel.parameters[4].pointer);
  EXPECT_TRUE((*program)->kernels[1].parameters.empty());
}

TEST(AdoptPtx, WithoutAKernelIsAFailure) {
  const auto program = compiler().adopt_ptx("empty.ptx", ".version 7.0\n.target sm_80\n");
  ASSERT_FALSE(program);
  EXPECT_NE(program.error().message.find("empty.ptx"), std::string::npos);
}

}  // namespace
TEST(AdoptPtx, OfThirtyTwoBitsIsNotTaken) {
  const auto program = compiler().adopt_ptx(
      "old.ptx", ".version 6.5\n.target sm_30\n.address_size 32\n.visible .entry k(.param .u32 p)\n{\n\tret;\n}\n");
  ASSERT_FALSE(program);
  EXPECT_NE(program.error().message.find("32-bit addresses"), std::string::npos) << program.error().message;
}

}  // namespace warpbook::gpu
