// The printed host program says what was run, and NVIDIA's compiler takes it, for every lesson.
#include "lessons/host_code.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "gpu/device_side.h"
#include "lessons/catalog.h"
#include "tests/lessons/holds.h"

namespace warpbook::lessons {
namespace {

namespace fs = std::filesystem;

HostCall launch(std::vector<std::string> arguments) {
  HostCall call;
  call.kind = HostCall::Kind::launch;
  call.what = "k";
  call.grid = {2};
  call.block = {32};
  call.arguments = std::move(arguments);
  return call;
}

HostCall copy_in(const std::string& name, std::vector<std::int32_t> values) {
  HostCall call;
  call.kind = HostCall::Kind::copy_to_device;
  call.what = name;
  call.array = {name, gpu::ScalarType::int32, {values.size()}};
  const auto bytes = std::as_bytes(std::span(values));
  call.bytes = std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end());
  return call;
}

HostCall allocate(const std::string& name, std::size_t count) {
  HostCall call;
  call.kind = HostCall::Kind::allocate;
  call.what = name;
  call.array = {name, gpu::ScalarType::int32, {count}};
  return call;
}

std::string line(const std::string& text, std::size_t number) {
  std::istringstream in(text);
  std::string found;
  for (std::size_t i = 0; i < number; ++i) std::getline(in, found);
  return found;
}

TEST(HostCode, SaysWhatWasLaunchedAndWhere) {
  const auto code = host_code("extern \"C\" __global__ void k(int* a, int n) {}\n", {{"GUARD", "1"}},
                              {allocate("a", 4), copy_in("a", {7, 1, 2, 3}), launch({"a", "4"})});
  ASSERT_TRUE(code) << code.error().message;
  EXPECT_EQ(line(code->text, code->launch_line), "    k<<<2, 32>>>(a, 4);");
  EXPECT_TRUE(holds(code->text, "#define GUARD 1\n"));
  EXPECT_TRUE(holds(code->text, "7, 1, 2, 3,"));
  EXPECT_TRUE(code->inputs.empty());
}

TEST(HostCode, WritesRulesInsteadOfValuesWhereThereIsOne) {
  std::vector<std::int32_t> rising(100000);
  for (std::size_t i = 0; i < rising.size(); ++i) rising[i] = static_cast<std::int32_t>(i);
  const auto code = host_code("", {},
                              {allocate("a", 100000), copy_in("a", rising), allocate("b", 100000),
                               copy_in("b", std::vector<std::int32_t>(100000, 5)), launch({"a", "b"})});
  ASSERT_TRUE(code);
  EXPECT_TRUE(holds(code->text, "host[i] = int(i);"));
  EXPECT_TRUE(holds(code->text, "host(100000, 5);"));
  EXPECT_TRUE(code->inputs.empty());
}

TEST(HostCode, LargeInputsBecomeFiles) {
  std::vector<std::int32_t> many(100000, 1);
  many[3] = 2;
  const auto code = host_code("", {}, {allocate("a", many.size()), copy_in("a", many), launch({"a"})});
  ASSERT_TRUE(code);
  ASSERT_EQ(code->inputs.size(), 1u);
  EXPECT_EQ(code->inputs[0].name, "k_a.bin");
  EXPECT_EQ(code->inputs[0].bytes->size(), 400000u);
  EXPECT_TRUE(holds(code->text, "read_values<int>(\"k_a.bin\", 100000)"));
}

TEST(HostCode, RepeatedLaunchesAreALoop) {
  std::vector<HostCall> calls{allocate("in", 4), allocate("out", 4)};
  for (int i = 0; i < 3; ++i) {
    calls.push_back(launch({"in", "out"}));
    calls.push_back(launch({"out", "in"}));
  }
  calls.push_back(launch({"in", "out"}));
  const auto code = host_code("", {}, calls);
  ASSERT_TRUE(code);
  EXPECT_TRUE(holds(code->text, "repeat < 3;"));
  EXPECT_TRUE(holds(code->text,
                    "        k<<<2, 32>>>(in, out);\n"
                    "        CHECK_CUDA(cudaGetLastError());\n"
                    "        k<<<2, 32>>>(out, in);"));
  EXPECT_TRUE(holds(code->text, "\n    k<<<2, 32>>>(in, out);"));
}

TEST(HostCode, TwoArraysOfOneNameAreTwoVariables) {
  const auto code = host_code("", {}, {allocate("a b", 4), launch({"a b"}), allocate("a b", 4), launch({"a b"})});
  ASSERT_TRUE(code);
  EXPECT_TRUE(holds(code->text, "(a_b);"));
  EXPECT_TRUE(holds(code->text, "(a_b_2);"));
}

TEST(HostCode, StructsAreWrittenWithTheirArraysVariables) {
  const auto code = host_code("", {},
                              {allocate("A.elements", 4), allocate("B.elements", 4), allocate("A.elements", 4),
                               launch({"Matrix{2, 2, `A.elements`}", "Pair{{1, `B.elements`}, nullptr}", "3"})});
  ASSERT_TRUE(code);
  EXPECT_TRUE(holds(code->text, "k<<<2, 32>>>(Matrix{2, 2, A_elements_2}, Pair{{1, B_elements}, nullptr}, 3);")) << code->text;
}

TEST(HostCode, SaysWhyThereIsNone) {
  EXPECT_EQ(host_code("", {}, {launch({""})}).error().code, "untold_struct");
  EXPECT_EQ(host_code("", {}, {}).error().code, "nothing_launched");
  HostCall lost = copy_in("a", {1});
  lost.bytes.reset();
  EXPECT_EQ(host_code("", {}, {allocate("a", 1), lost, launch({"a"})}).error().code, "too_large");
}

/// The toolkit's compiler, where the whole toolkit is installed.
fs::path nvcc() {
  for (const char* root :
       std::initializer_list<const char*>{std::getenv("CUDA_PATH"), std::getenv("CUDA_HOME"), "/usr/local/cuda"}) {
    if (root != nullptr && fs::exists(fs::path(root) / "bin/nvcc")) return fs::path(root) / "bin/nvcc";
  }
  return {};
}

void expect_compiles(const std::string& program, const std::string& name, const std::vector<gpu::Header>& headers = {}) {
  const fs::path folder = fs::temp_directory_path() / fmt::format("warpbook_host_code_{}_{}", getpid(), name);
  fs::create_directories(folder);
  std::ofstream(folder / "program.cu") << program;
  for (const gpu::Header& header : headers) {
    fs::create_directories((folder / header.name).parent_path());
    std::ofstream(folder / header.name) << header.text;
  }
  const std::string command = fmt::format("cd '{}' && '{}' -O0 -Werror all-warnings -c program.cu -o program.o > log 2>&1",
                                          folder.string(), nvcc().string());
  const int status = std::system(command.c_str());
  std::ifstream log(folder / "log");
  EXPECT_EQ(status, 0) << std::string(std::istreambuf_iterator<char>(log), {}) << program;
  fs::remove_all(folder);
}

/// A learner's macros must not replace words of the program behind the kernel.
constexpr const char* with_macros =
    "#define T 8\n"
    "#define n 4\n"
    "  # define host(x) (x)\n"
    "#define UNUSED 1\n"
    "#define CHECK_CUDA(call) call\n"
    "extern \"C\" __global__ void k(int* a) { a[threadIdx.x] = T * n * GRID; }\n";

TEST(HostCode, MacrosOfTheKernelEndWithIt) {
  const std::vector<HostCall> calls = {allocate("a", 4), copy_in("a", {7, 1, 2, 3}), launch({"a"})};
  const auto code = host_code(with_macros, {{"GRID", "2"}, {"count", "5"}}, calls);
  ASSERT_TRUE(code) << code.error().message;
  EXPECT_TRUE(holds(code->text, "#undef CHECK_CUDA\n#undef T\n#undef count\n#undef host\n")) << code->text;
  EXPECT_FALSE(holds(code->text, "#undef UNUSED")) << "no word of the program";
  EXPECT_FALSE(holds(code->text, "#undef GRID"));
  EXPECT_EQ(line(code->text, code->launch_line), "    k<<<2, 32>>>(a);");
  if (nvcc().empty()) GTEST_SKIP() << "nvcc is not installed";
  expect_compiles(code->text, "macros");
}

TEST(HostCode, ProgramsWithStructsCompile) {
  if (nvcc().empty()) GTEST_SKIP() << "nvcc is not installed";
  const std::string kernel = R"(
typedef struct { int width, height; float* elements; } Matrix;
struct Mixed { bool on; char c; unsigned short s[2]; long long n; const double* d; float3 v; Matrix m; };
__global__ void all(const Matrix a, struct Mixed b, float4 c, uchar2 d, int n) { a.elements[0] = b.m.elements[n] + b.d[0] + c.w + d.y; }
)";
  gpu::Compiler compiler;
  auto device = gpu::make_virtual_device(compiler);
  ASSERT_TRUE(device);
  const Lesson& lesson = *find_lesson("playground");
  Host host(**device, {.kernel_file = "mine.cu", .kernel_text = kernel, .defines = {}});
  const auto outcome = lesson.run(host, Values::defaults(lesson.controls), nullptr);
  ASSERT_TRUE(outcome) << outcome.error().message;
  ASSERT_TRUE(outcome->report.ok()) << say(outcome->report.message);
  const auto code = host_code(kernel, host.defines(), host.calls());
  ASSERT_TRUE(code) << code.error().message;
  EXPECT_TRUE(holds(line(code->text, code->launch_line),
                    "(Matrix{64, 64, a_elements}, Mixed{1, 1, 1, 1, 4096LL, b_d, {1.0f, 1.0f, 1.0f}, "
                    "{64, 64, b_m_elements}}, float4{1.0f, 1.0f, 1.0f, 1.0f}, uchar2{1, 1}, 4096);"))
      << line(code->text, code->launch_line);
  expect_compiles(code->text, "structs");
}

/// In, compute, out in two streams, an event between them, values of every kind.
std::vector<HostCall> calls_of_streams() {
  const auto call = [](HostCall::Kind kind, std::uint32_t stream, std::uint32_t event = 0) {
    HostCall made;
    made.kind = kind;
    made.stream = stream;
    made.event = event;
    return made;
  };
  const auto host_array = [](const std::string& name, const std::vector<std::int32_t>& values, bool pinned) {
    HostCall made = copy_in(name, values);
    made.kind = HostCall::Kind::allocate_host;
    made.pinned = pinned;
    return made;
  };
  const auto copy = [](HostCall::Kind kind, const std::string& device, const std::string& host, std::uint32_t stream) {
    HostCall made = allocate(device, 32);
    made.kind = kind;
    made.host_array = host;
    made.stream = stream;
    return made;
  };
  using Kind = HostCall::Kind;
  std::vector<std::int32_t> rising(32), mixed(32), few(32);
  for (std::int32_t i = 0; i < 32; ++i) rising[i] = i, mixed[i] = i * i % 7, few[i] = 5;
  HostCall first = launch({"x"}), second = launch({"y"}), read_x = host_array("h_x", rising, true);
  first.stream = 1;
  second.stream = 2;
  second.dynamic_shared_bytes = 64;
  read_x.kind = Kind::read_host;
  HostCall waiting = call(Kind::set_waiting, 0), before = call(Kind::read_clock, 0), after = before;
  waiting.what = "block";
  before.what = "before";
  after.what = "after it";
  HostCall elapsed = call(Kind::elapsed, 0, 2);
  elapsed.from_event = 1;
  return {waiting,
          before,
          call(Kind::create_stream, 1),
          call(Kind::create_stream, 2),
          host_array("h_x", rising, true),
          host_array("h_y", mixed, true),
          host_array("h_z", few, false),
          allocate("x", 32),
          allocate("y", 32),
          copy(Kind::copy_to_device, "x", "h_x", 1),
          first,
          call(Kind::record_event, 1, 1),
          call(Kind::wait_event, 2, 1),
          copy(Kind::copy_to_device, "y", "h_y", 2),
          second,
          copy(Kind::copy_to_host, "x", "h_x", 1),
          copy(Kind::copy_to_host, "y", "h_z", 2),
          call(Kind::record_event, 0, 2),
          call(Kind::synchronize_event, 0, 2),
          call(Kind::synchronize_stream, 1),
          call(Kind::synchronize_stream, 2),
          after,
          elapsed,
          read_x};
}

TEST(HostCode, StreamsEventsAndPinnedMemoryArePrintedAsCudaHasThem) {
  const std::string kernel = "extern \"C\" __global__ void k(int* x) { x[threadIdx.x] += 1; }\n";
  const auto code = host_code(kernel, {}, calls_of_streams());
  ASSERT_TRUE(code) << code.error().message;
  for (const char* const expected :
       {"CHECK_CUDA(cudaStreamCreate(&stream_2));", "CHECK_CUDA(cudaMallocHost(&h_x, 32 * sizeof(int)));",
        "for (std::size_t i = 0; i < 32; ++i) h_x[i] = int(i);", "std::vector<int> h_z(32);",
        "CHECK_CUDA(cudaMemcpyAsync(x, h_x, 32 * sizeof(int), cudaMemcpyDefault, stream_1));", "k<<<2, 32, 0, stream_1>>>(x);",
        "k<<<2, 32, 64, stream_2>>>(y);", "CHECK_CUDA(cudaStreamWaitEvent(stream_2, event_1));",
        "CHECK_CUDA(cudaMemcpyAsync(h_z.data(), y, 32 * sizeof(int), cudaMemcpyDefault, stream_2));",
        "CHECK_CUDA(cudaEventSynchronize(event_2));", "print_values(\"h_x\", h_x, 32);",
        "CHECK_CUDA(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));", "const Clocks clocks_2 = read_clocks();",
        "CHECK_CUDA(cudaEventElapsedTime(&ms, event_1, event_2));", "print_elapsed(\"after it\", clocks_1, clocks_2);"})
    EXPECT_TRUE(holds(code->text, expected)) << expected << "\n" << code->text;
  if (nvcc().empty()) GTEST_SKIP() << "nvcc is not installed";
  expect_compiles(code->text, "streams");
}

TEST(HostCode, StreamsRunInNumbasSimulator) {
  const auto code =
      numba_code("from numba import cuda\n\n\n@cuda.jit\ndef k(x):\n    i = cuda.grid(1)\n    if i < 32:\n        x[i] += 1\n", {},
                 calls_of_streams());
  ASSERT_TRUE(code) << code.error().message;
  const fs::path folder = fs::temp_directory_path() / fmt::format("warpbook_numba_streams_{}", getpid());
  fs::create_directories(folder);
  std::ofstream(folder / "program.py") << code->text;
  const int status = std::system(
      fmt::format("NUMBA_ENABLE_CUDASIM=1 /usr/bin/python3 '{0}/program.py' > '{0}/log' 2>&1", folder.string()).c_str());
  std::ifstream log(folder / "log");
  const std::string printed(std::istreambuf_iterator<char>(log), {});
  EXPECT_EQ(status, 0) << printed << code->text;
  EXPECT_TRUE(holds(printed, "h_x: 32 values, sum 528")) << printed;  // 1 + 2 + … + 32
  fs::remove_all(folder);
}

TEST(HostCode, VariablesAreFilledByTheirNames) {
  HostCall table = copy_in("n::table", std::vector<std::int32_t>(2000, 5)), few = copy_in("few", {3, 1, 4});
  table.symbol = few.symbol = true;
  const std::string kernel =
      "namespace n { __constant__ int table[2000]; }\n__device__ int few[3];\n"
      "extern \"C\" __global__ void k(int* a, int n) { a[0] = n::table[n] + few[n]; }\n";
  const auto code = host_code(kernel, {}, {allocate("a", 4), table, few, launch({"a", "1"})});
  ASSERT_TRUE(code) << code.error().message;
  EXPECT_TRUE(holds(code->text, "CHECK_CUDA(cudaMemcpyToSymbol(n::table, host.data(), 2000 * sizeof(int)));"));
  EXPECT_TRUE(holds(code->text, "CHECK_CUDA(cudaMemcpyToSymbol(few, host.data(), 3 * sizeof(int)));"));
  const auto numba = numba_code("def k(a, n): pass\n", {}, {allocate("a", 4), few, launch({"a", "1"})});
  ASSERT_FALSE(numba);
  EXPECT_TRUE(holds(numba.error().message, "`few`"));
  if (nvcc().empty()) GTEST_SKIP() << "nvcc is not installed";
  expect_compiles(code->text, "variables");
}

TEST(HostCode, ProgramsWithPointersToStructsAndHeadersCompile) {
  if (nvcc().empty()) GTEST_SKIP() << "nvcc is not installed";
  const fs::path folder = fs::temp_directory_path() / fmt::format("warpbook_host_code_headers_{}", getpid());
  fs::create_directories(folder / "sub");
  std::ofstream(folder / "particle.h") << "#pragma once\n#include <cstdio>\n#include \"sub/tools.cuh\"\n"
                                          "struct Particle { float x, v; };\n"
                                          "inline void show(const Particle& p) { std::printf(\"%g\", p.x); }\n";
  std::ofstream(folder / "sub/tools.cuh") << "template <class T>\n__device__ T sum(T a, T b) { return a + b; }\n";
  const std::string kernel = R"(#include "particle.h"
__global__ void step(Particle* __restrict__ p, const Particle* before, float4* v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i].x = sum(before[i].x, v[i].w);
}
)";
  gpu::Compiler compiler;
  auto device = gpu::make_virtual_device(compiler);
  ASSERT_TRUE(device);
  const Lesson& lesson = *find_lesson("playground");
  Host host(**device, {.kernel_file = "mine.cu", .kernel_text = kernel, .defines = {}, .folder = folder});
  const auto outcome = lesson.run(host, Values::defaults(lesson.controls), nullptr);
  fs::remove_all(folder);
  ASSERT_TRUE(outcome) << outcome.error().message;
  const auto code = host_code(kernel, host.defines(), host.calls());
  ASSERT_TRUE(code) << code.error().message;
  EXPECT_TRUE(
      holds(line(code->text, code->launch_line),
            "(reinterpret_cast<Particle*>(p), reinterpret_cast<const Particle*>(before), reinterpret_cast<float4*>(v), 4096);"))
      << line(code->text, code->launch_line);
  expect_compiles(code->text, "pointers", host.program()->headers);
}

TEST(HostCode, OfAWholeProgramTheHostsPartIsPrintedAnew) {
  if (nvcc().empty()) GTEST_SKIP() << "nvcc is not installed";
  const std::string text = *read_text(fs::path(WARPBOOK_ROOT) / "tests/cases/compile/whole_program.cu");
  gpu::Compiler compiler;
  auto device = gpu::make_virtual_device(compiler);
  ASSERT_TRUE(device);
  const Lesson& lesson = *find_lesson("playground");
  Host host(**device, {.kernel_file = "whole.cu", .kernel_text = text, .defines = {}});
  const auto outcome = lesson.run(host, Values::defaults(lesson.controls), nullptr);
  ASSERT_TRUE(outcome) << outcome.error().message;
  const auto code = host_code(gpu::without_host_code(text, host.program()->left_out), host.defines(), host.calls());
  ASSERT_TRUE(code) << code.error().message;
  EXPECT_EQ(code->text.find("std::chrono"), std::string::npos) << code->text;
  EXPECT_EQ(code->text.find("\n\n\n"), std::string::npos) << code->text;
  expect_compiles(code->text, "whole");
}

class HostCodeOf : public ::testing::TestWithParam<const Lesson*> {};

TEST_P(HostCodeOf, CompilesAsAProgram) {
  if (nvcc().empty()) GTEST_SKIP() << "nvcc is not installed";
  const Lesson& lesson = *GetParam();
  gpu::Compiler compiler;
  auto device = gpu::make_virtual_device(compiler);
  ASSERT_TRUE(device);
  const std::string kernel = *kernel_text(lesson);
  Values values = Values::defaults(lesson.controls);
  for (const auto& [control, value] : {std::pair{"side", 64.0}, {"n", 4096.0}, {"trials", 1.0}})
    if (values.all().contains(control)) values.set(control, value);
  Host host(**device, {.kernel_file = lesson.kernel_file, .kernel_text = kernel, .defines = {}});
  ASSERT_TRUE(lesson.run(host, values, nullptr));
  const auto code = host_code(kernel, host.defines(), host.calls());
  ASSERT_TRUE(code) << code.error().message;
  EXPECT_TRUE(line(code->text, code->launch_line).find(lesson.kernel + "<<<") != std::string::npos);

  expect_compiles(code->text, lesson.id);
}

INSTANTIATE_TEST_SUITE_P(Lessons, HostCodeOf, ::testing::ValuesIn(all_lessons().begin(), all_lessons().end()),
                         [](const auto& lesson) { return "lesson_" + lesson.param->id; });

}  // namespace
}  // namespace warpbook::lessons
