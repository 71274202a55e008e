// `warpbook launch`, from outside: what it prints, the findings it names, and its exit codes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "tests/app/cli.h"

namespace warpbook::test {
namespace {

using nlohmann::json;

std::vector<std::string> launch(const std::string& file, const std::string& kernel, const std::string& grid,
                                const std::string& block, std::vector<std::string> rest) {
  std::vector<std::string> words{"launch", file, kernel, "--grid", grid, "--block", block};
  words.insert(words.end(), rest.begin(), rest.end());
  return words;
}

std::vector<std::string> count(std::vector<std::string> rest) {
  rest.insert(rest.begin(), {"--arg", "int32[1]=zeros"});
  return launch(kernel_file("race.cu"), "count", "64", "64", std::move(rest));
}

TEST(Launch, JsonHasTheAgreedKeysAndTheRightValues) {
  const Ran ran = warpbook(launch(kernel_file("add.cu"), "add", "2", "8",
                                  {"--arg", "int32[16]=iota", "--arg", "int32[16]=3", "--arg", "int32[16]=zeros", "--arg",
                                   "int32=16", "--define", "GUARD=1", "--print", "2", "--print", "3", "--json"}));
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const json answer = ran.json();
  std::set<std::string> keys;
  for (const auto& [key, value] : answer.items()) keys.insert(key);
  EXPECT_EQ(keys,
            (std::set<std::string>{"kernel", "device", "grid", "block", "status", "compiler", "compile_ms", "run_ms", "thread_instructions",
                                   "registers", "shared_bytes", "findings", "not_observed", "args", "stdout"}));
  EXPECT_EQ(answer["kernel"], "add");
  EXPECT_EQ(answer["grid"], json::array({2, 1, 1}));
  EXPECT_EQ(answer["block"], json::array({8, 1, 1}));
  EXPECT_EQ(answer["status"], "ok");
  EXPECT_EQ(answer["stdout"], "");
  EXPECT_EQ(answer["findings"], json::array());
  EXPECT_EQ(answer["not_observed"].size(), 7u);
  EXPECT_GT(answer["thread_instructions"].get<int>(), 16 * 5);
  ASSERT_EQ(answer["args"].size(), 2u);
  EXPECT_EQ(answer["args"][0]["index"], 2);
  EXPECT_EQ(answer["args"][0]["type"], "int32");
  EXPECT_EQ(answer["args"][0]["shape"], json::array({16}));
  EXPECT_EQ(answer["args"][0]["values"], json::array({3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18}));
  EXPECT_EQ(answer["args"][1]["values"], json::array({16}));
}

TEST(Launch, AtomicsCountRight) {
  const Ran ran = warpbook(count({"--define", "USE_ATOMIC_ADD=1", "--print", "0", "--json"}));
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(ran.json()["args"][0]["values"], json::array({4096}));
}

TEST(Launch, TheClockLosesUpdatesAsHardwareDoesAndRepeatsWithItsSeed) {
  const auto words = count({"--schedule", "clock", "--seed", "7", "--print", "0", "--json"});
  const json first = warpbook(words).json(), second = warpbook(words).json();
  EXPECT_LE(first["args"][0]["values"][0].get<int>(), 128) << "at most one increment a warp survives";
  EXPECT_GE(first["args"][0]["values"][0].get<int>(), 1);
  EXPECT_GT(first["cycles"].get<int>(), 0);
  EXPECT_EQ(first["cycles"], second["cycles"]);
  EXPECT_EQ(first["args"], second["args"]);
}

TEST(Launch, RaceIsFoundWithBothItsPlaces) {
  const Ran ran = warpbook(count({"--observe", "race,memory", "--json"}));
  ASSERT_EQ(ran.exit_code, 1) << ran.err;
  const json answer = ran.json();
  EXPECT_EQ(answer["status"], "ok");
  ASSERT_GE(answer["findings"].size(), 1u);
  const json finding = answer["findings"][0];
  std::set<std::string> keys;
  for (const auto& [key, value] : finding.items()) keys.insert(key);
  EXPECT_EQ(keys, (std::set<std::string>{"kind", "space", "message", "file", "line", "column", "block", "thread", "buffer", "index",
                                         "other"}));
  const int line = line_with(read_file(kernel_file("race.cu")), "c[0] += 1");
  EXPECT_EQ(finding["kind"], "race");
  EXPECT_EQ(finding["space"], "global");
  EXPECT_EQ(finding["file"], "race.cu");
  EXPECT_EQ(finding["line"], line);
  EXPECT_EQ(finding["buffer"], "c");
  EXPECT_EQ(finding["index"], 0);
  EXPECT_EQ(finding["other"]["line"], line);
  EXPECT_EQ(finding["block"].size(), 3u);
  EXPECT_EQ(finding["other"]["thread"].size(), 3u);
  const auto blind = answer["not_observed"].get<std::set<std::string>>();
  EXPECT_EQ(blind, (std::set<std::string>{"init", "sync", "coalescing", "banks", "divergence"}));

  const Ran clean = warpbook(count({"--observe", "race", "--define", "USE_ATOMIC_ADD=1", "--json"}));
  EXPECT_EQ(clean.exit_code, 0) << clean.out;
}

TEST(Launch, OutOfBoundsFailsUnlessObserved) {
  const std::vector<std::string> arguments{"--arg", "int32[16]=iota",  "--arg", "int32[16]=iota",
                                           "--arg", "int32[16]=zeros", "--arg", "int32=16"};
  const auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> rest = arguments;
    rest.insert(rest.end(), more.begin(), more.end());
    return launch(kernel_file("add.cu"), "add", "2", "16", rest);
  };
  const Ran failed = warpbook(with({"--json"}));
  EXPECT_EQ(failed.exit_code, 4);
  EXPECT_EQ(failed.json()["status"], "cudaErrorIllegalAddress");
  const std::string why = failed.json()["message"];
  EXPECT_EQ(failed.err, "warpbook: " + why + "\n");

  const Ran observed = warpbook(with({"--observe", "memory", "--json", "--print", "2"}));
  EXPECT_EQ(observed.exit_code, 1) << observed.err;
  const json answer = observed.json();
  EXPECT_EQ(answer["status"], "ok");
  ASSERT_GE(answer["findings"].size(), 1u);
  EXPECT_EQ(answer["findings"][0]["kind"], "memory");
  EXPECT_EQ(answer["findings"][0]["index"], 16);
  EXPECT_EQ(answer["args"][0]["values"][15], 30) << "what was in bounds was done";

  const Ran guarded = warpbook(with({"--observe", "memory", "--define", "GUARD=1", "--json"}));
  EXPECT_EQ(guarded.exit_code, 0) << guarded.out;
}

TEST(Launch, LimitsCarryCudasNames) {
  const Ran block = warpbook(launch(kernel_file("race.cu"), "count", "1", "2048", {"--arg", "int32[1]=zeros", "--json"}));
  EXPECT_EQ(block.exit_code, 4);
  EXPECT_EQ(block.json()["status"], "cudaErrorInvalidConfiguration");
  const Ran grid = warpbook(launch(kernel_file("race.cu"), "count", "1,70000", "32", {"--arg", "int32[1]=zeros", "--json"}));
  EXPECT_EQ(grid.exit_code, 4);
  EXPECT_EQ(grid.json()["status"], "cudaErrorInvalidConfiguration");
}

TEST(Launch, EndlessLoopEndsAtItsTimeLimit) {
  const auto file = write_file("endless.cu", "extern \"C\" __global__ void spin(volatile int* stop) { while (*stop == 0) {} }\n");
  const Ran ran = warpbook(launch(file.string(), "spin", "1", "1", {"--arg", "int32[1]=zeros", "--max-seconds", "0.5", "--json"}));
  EXPECT_EQ(ran.exit_code, 4);
  EXPECT_EQ(ran.json()["status"], "cudaErrorLaunchTimeout");
}

TEST(Launch, WhatIsStoppedIsIncompleteAndTellsWhereItStood) {
  const auto file = write_file("polls.cu",
                               "extern \"C\" __global__ void polls(volatile int* stop, int* out)\n{\n  out[blockIdx.x] = 1;\n"
                               "  while (*stop == 0) {}\n}\n");
  const std::vector<std::string> rest{"--arg", "int32[1]=zeros", "--arg",      "int32[2]=zeros", "--max-seconds",
                                      "0.5",   "--observe",      "memory,race"};
  std::vector<std::string> as_json = rest;
  as_json.emplace_back("--json");
  const json answer = warpbook(launch(file.string(), "polls", "1", "1", as_json)).json();
  EXPECT_EQ(answer["status"], "cudaErrorLaunchTimeout");
  EXPECT_EQ(answer["incomplete"], (json{"memory", "race"}));
  EXPECT_EQ(answer["stopped"]["line"], 4);
  EXPECT_EQ(answer["stopped"]["thread"], json::array({0, 0, 0}));
  const Ran text = warpbook(launch(file.string(), "polls", "1", "1", rest));
  EXPECT_NE((text.out + text.err).find("Incomplete: "), std::string::npos) << text.out << text.err;
  EXPECT_NE((text.out + text.err).find("polls.cu:4:"), std::string::npos) << text.out << text.err;
  EXPECT_EQ((text.out + text.err).find("Looked for and not found"), std::string::npos) << text.out << text.err;
  const json racing = warpbook(launch(file.string(), "polls", "2", "32", as_json)).json();
  EXPECT_EQ(racing["status"], "cudaErrorLaunchTimeout");
  ASSERT_EQ(racing["findings"].size(), 1u) << "what was found until then";
  EXPECT_EQ(racing["findings"][0]["kind"], "race");
  EXPECT_EQ(racing["incomplete"], (json{"memory"}));
}

TEST(Launch, SeveralOrdersShowWhatOneDoesNot) {
  // Only where block 0 is not the first one do two blocks store to the same place.
  const auto file = write_file("first.cu",
                               "extern \"C\" __global__ void first(int* taken, int* winner) {\n"
                               "  if (atomicExch(taken, 1) == 0 || blockIdx.x == 0) winner[0] = blockIdx.x;\n}\n");
  const auto words = [&](std::vector<std::string> more) {
    std::vector<std::string> rest{"--arg", "int32[1]=zeros", "--arg", "int32[1]=zeros", "--observe", "race", "--json"};
    rest.insert(rest.end(), more.begin(), more.end());
    return launch(file.string(), "first", "4", "1", rest);
  };
  const Ran one = warpbook(words({}));
  EXPECT_EQ(one.exit_code, 0) << one.out;
  EXPECT_FALSE(one.json().contains("orders"));
  const Ran several = warpbook(words({"--seeds", "12"}));
  EXPECT_EQ(several.exit_code, 1);
  ASSERT_EQ(several.json()["findings"].size(), 1u) << several.out;
  EXPECT_EQ(several.json()["orders"], 12);
  EXPECT_GT(several.json()["findings"][0]["orders"], 1);
  EXPECT_LE(several.json()["findings"][0]["orders"], 12);
  EXPECT_EQ(warpbook(words({"--seeds", "12"})).json()["findings"], several.json()["findings"]) << "the same seeds";
  EXPECT_EQ(warpbook(words({"--seeds", "0"})).exit_code, 2);
}

TEST(Launch, CompileErrorsAreShownWhereTheyAre) {
  const auto file = write_file("wrong.cu", "extern \"C\" __global__ void k(int* out)\n{\n    out[0] = nothing;\n}\n");
  const Ran ran = warpbook(launch(file.string(), "k", "1", "1", {"--arg", "int32[1]=zeros"}));
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_NE(ran.err.find("wrong.cu:3:14: error: "), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("     3 |     out[0] = nothing;\n       |              ^\n"), std::string::npos) << ran.err;
  EXPECT_EQ(ran.out, "");
}

TEST(Launch, WhatIsTheHostsOfAWholeProgramIsLeftOutAndSaid) {
  const std::string file = WARPBOOK_ROOT "/tests/cases/compile/whole_program.cu";
  const Ran ran =
      warpbook(launch(file, "scale", "4", "64",
                      {"--arg", "float32[200]=iota", "--arg", "float32=2", "--arg", "int32=200", "--print", "0", "--json"}));
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_NE(ran.err.find("whole_program.cu: Left out, as the host's: <chrono>, <iostream>, \"book.h\", h_a and 3 more."),
            std::string::npos)
      << ran.err;
  EXPECT_EQ(nlohmann::json::parse(ran.out)["args"][0]["values"][199], 398);
}

TEST(Launch, HeadersLieBesideTheFileAndAreShownWhereTheyAre) {
  std::filesystem::create_directories(scratch() / "project/sub");
  const auto file = write_file("project/shift.cu",
                               "#include \"sub/shifted.cuh\"\n"
                               "__global__ void k(int* out) { out[threadIdx.x] = shifted(threadIdx.x); }\n");
  (void)write_file("project/sub/shifted.cuh", "#include \"by.h\"\n__device__ int shifted(int i) { return i + BY; }\n");
  (void)write_file("project/sub/by.h",
                   "#define BY 5\n"
                   "__global__ void past_the_end(int* out) {\n"
                   "  out[threadIdx.x + BY] = 1;\n"
                   "}\n");
  const Ran ran = warpbook(launch(file.string(), "k", "1", "4", {"--arg", "int32[4]=zeros", "--print", "0", "--json"}));
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(ran.json()["args"][0]["values"], (nlohmann::json{5, 6, 7, 8}));

  const Ran found = warpbook(launch(file.string(), "past_the_end", "1", "1", {"--arg", "int32[4]=zeros", "--observe", "memory"}));
  EXPECT_EQ(found.exit_code, 1) << found.err;
  EXPECT_NE(found.out.find("sub/by.h:3:"), std::string::npos) << found.out;
  EXPECT_NE(found.out.find("     3 |   out[threadIdx.x + BY] = 1;\n"), std::string::npos) << found.out;

  const Ran by_clang = warpbook(launch(file.string(), "past_the_end", "1", "1",
                                       {"--arg", "int32[4]=zeros", "--observe", "memory", "--compiler", "clang"}));
  constexpr int no_compiler = 5;
  if (by_clang.exit_code != no_compiler) {
    EXPECT_NE(by_clang.out.find("sub/by.h:3:"), std::string::npos) << by_clang.out;
  }

  (void)write_file("project/sub/shifted.cuh", "\n\n__device__ int shifted(int i) { return i + by; }\n");
  const Ran wrong = warpbook(launch(file.string(), "k", "1", "4", {"--arg", "int32[4]=zeros"}));
  EXPECT_EQ(wrong.exit_code, 3);
  EXPECT_NE(wrong.err.find("sub/shifted.cuh:3:44: error: "), std::string::npos) << wrong.err;
  EXPECT_NE(wrong.err.find("     3 | __device__ int shifted(int i) { return i + by; }\n"), std::string::npos) << wrong.err;

  std::filesystem::create_directories(scratch() / "project/kernels");
  const auto outside =
      write_file("project/kernels/out.cu", "#include \"../sub/by.h\"\n__global__ void k(int* out) { out[0] = BY; }\n");
  const Ran refused = warpbook(launch(outside.string(), "k", "1", "1", {"--arg", "int32[1]=zeros"}));
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_NE(refused.err.find("\"../sub/by.h\" leads out of the folder"), std::string::npos) << refused.err;
}

TEST(Launch, ATemplateWantsItsTypes) {
  const auto file =
      write_file("fill.cu", "template <class T> __global__ void fill(T* a) { a[threadIdx.x] = T(7); }\nint main() {}\n");
  const Ran without = warpbook(launch(file.string(), "fill", "1", "8", {"--arg", "float64[8]=zeros"}));
  EXPECT_EQ(without.exit_code, 2);
  EXPECT_NE(without.err.find("its kernels are templates"), std::string::npos) << without.err;
  const Ran with =
      warpbook(launch(file.string(), "fill<double>", "1", "8", {"--arg", "float64[8]=zeros", "--print", "0", "--json"}));
  EXPECT_EQ(with.exit_code, 0) << with.err;
  EXPECT_EQ(nlohmann::json::parse(with.out)["args"][0]["values"][7], 7);
}

TEST(Launch, DevicePrintfIsKept) {
  const auto file = write_file("say.cu", "extern \"C\" __global__ void say() { printf(\"thread %d\\n\", threadIdx.x); }\n");
  const Ran ran = warpbook(launch(file.string(), "say", "1", "3", {"--seed", "1", "--json"}));
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(ran.json()["stdout"], "thread 0\nthread 1\nthread 2\n");
}

constexpr std::string_view twice_source =
    "template <class T> __global__ void twice(T* x, int n)\n"
    "{\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n) x[i] = x[i] + x[i];\n"
    "}\n"
    "__global__ void reverse(int* x, int n)\n"
    "{\n"
    "    extern __shared__ int tile[];\n"
    "    tile[threadIdx.x] = x[threadIdx.x];\n"
    "    __syncthreads();\n"
    "    x[threadIdx.x] = tile[n - 1 - threadIdx.x];\n"
    "}\n";

TEST(Launch, TemplatesAndDynamicSharedMemory) {
  const std::string file = write_file("twice.cu", twice_source).string();
  const Ran twice =
      warpbook(launch(file, "twice<double>", "1", "32", {"--arg", "float64[4]=0.1", "--arg", "int32=4", "--print", "0", "--json"}));
  ASSERT_EQ(twice.exit_code, 0) << twice.err;
  EXPECT_EQ(twice.json()["args"][0]["values"], json::array({0.2, 0.2, 0.2, 0.2}));

  const Ran reverse = warpbook(launch(file, "reverse", "1", "4",
                                      {"--shared", "16", "--arg", "int32[4]=iota", "--arg", "int32=4", "--print", "0", "--json"}));
  ASSERT_EQ(reverse.exit_code, 0) << reverse.err;
  EXPECT_EQ(reverse.json()["args"][0]["values"], json::array({3, 2, 1, 0}));
  EXPECT_EQ(reverse.json()["shared_bytes"], 16);
}

// Matrices handed over by value, as the CUDA Programming Guide's are.
constexpr std::string_view matrices_source =
    "typedef struct { int width; int height; float* elements; } Matrix;\n"
    "__global__ void product(const Matrix A, const Matrix B, Matrix C)\n"
    "{\n"
    "    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (row >= C.height || column >= C.width) return;\n"
    "    float sum = 0;\n"
    "    for (int k = 0; k < A.width; ++k) sum += A.elements[row * A.width + k] * B.elements[k * B.width + column];\n"
    "    C.elements[row * C.width + column] = sum;\n"
    "}\n";

std::vector<std::string> product(std::vector<std::string> rest) {
  rest.insert(rest.begin(), {"--arg", "{int32=7,int32=5,float32[5x7]=iota}", "--arg", "{int32=9,int32=7,float32[7x9]=iota}",
                             "--arg", "{int32=9,int32=5,float32[5x9]=zeros}"});
  return launch(write_file("matrices.cu", matrices_source).string(), "product", "2", "16,16", std::move(rest));
}

json product_of_iotas() {
  json values = json::array();
  for (int row = 0; row < 5; ++row) {
    for (int column = 0; column < 9; ++column) {
      double sum = 0;
      for (int k = 0; k < 7; ++k) sum += (row * 7 + k) * (k * 9 + column);
      values.push_back(sum);
    }
  }
  return values;
}

TEST(Launch, StructsByValueGoInAndTheirArraysOut) {
  const std::string saved = (scratch() / "c.npy").string();
  const Ran ran = warpbook(product({"--observe", "all", "--print", "2.2", "--print", "1.0", "--save", "2.2=" + saved, "--json"}));
  ASSERT_EQ(ran.exit_code, 0) << ran.err << ran.out;
  const json args = ran.json()["args"];
  ASSERT_EQ(args.size(), 2u);
  EXPECT_EQ(args[0]["index"], 2);
  EXPECT_EQ(args[0]["member"], json::array({2}));
  EXPECT_EQ(args[0]["type"], "float32");
  EXPECT_EQ(args[0]["shape"], json::array({5, 9}));
  EXPECT_EQ(args[0]["values"], product_of_iotas());
  EXPECT_EQ(args[1]["member"], json::array({0}));
  EXPECT_EQ(args[1]["values"], json::array({9}));

  const Ran again =
      warpbook(launch(write_file("matrices.cu", matrices_source).string(), "product", "1", "1",
                      {"--arg", "{int32=0,int32=0,float32[1]=zeros}", "--arg", "{int32=0,int32=0,float32[1]=zeros}", "--arg",
                       "{int32=0,int32=0,float32[5x9]=@" + saved + "}", "--print", "2.2", "--schedule", "clock", "--json"}));
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(again.json()["args"][0]["values"], product_of_iotas());
}

TEST(Launch, APrintedStructIsItsMembers) {
  const Ran ran = warpbook(product({"--print", "2"}));
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_NE(ran.out.find("arg 2.0, int32 C.width:\n    9\n"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("arg 2.1, int32 C.height:\n    5\n"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("arg 2.2, float32[5x9] C.elements:\n"), std::string::npos) << ran.out;
  EXPECT_EQ(warpbook(product({"--print", "2", "--json"})).json()["args"].size(), 3u);
}

TEST(Launch, FindingsNameAStructsArray) {
  const Ran ran = warpbook(launch(write_file("matrices.cu", matrices_source).string(), "product", "1", "8,8",
                                  {"--arg", "{int32=7,int32=5,float32[5x7]=iota}", "--arg", "{int32=9,int32=7,float32[7x9]=iota}",
                                   "--arg", "{int32=8,int32=8,float32[5x8]=zeros}", "--observe", "memory", "--json"}));
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  std::set<std::string> buffers;
  const json answer = ran.json();
  for (const json& finding : answer["findings"]) buffers.insert(finding["buffer"].get<std::string>());
  EXPECT_EQ(buffers, (std::set<std::string>{"A.elements", "C.elements"}));
}

TEST(Launch, CudasVectorsByValue) {
  const auto file = write_file("vectors.cu",
                               "__global__ void dot(float4 a, int2 at, double* out) { out[at.y] = a.x + a.y * a.z + a.w; }\n"
                               "struct Wide { char tag; float4 v; };\n"
                               "__global__ void wide(Wide w, double* out) { out[w.tag] = w.v.x + w.v.w; }\n");
  const Ran dot = warpbook(launch(file.string(), "dot", "1", "1",
                                  {"--arg", "{float32=1,float32=2,float32=3,float32=4}", "--arg", "{int32=9,int32=2}", "--arg",
                                   "float64[3]=zeros", "--print", "2", "--json"}));
  ASSERT_EQ(dot.exit_code, 0) << dot.err;
  EXPECT_EQ(dot.json()["args"][0]["values"], json::array({0.0, 0.0, 11.0}));
  const Ran wide = warpbook(launch(
      file.string(), "wide", "1", "1",
      {"--arg", "{int8=1,{float32=1,float32=2,float32=3,float32=4}}", "--arg", "float64[3]=zeros", "--print", "1", "--json"}));
  ASSERT_EQ(wide.exit_code, 0) << wide.err;
  EXPECT_EQ(wide.json()["args"][0]["values"], json::array({0.0, 5.0, 0.0})) << "a float4 lies at 16 bytes";
}

TEST(Launch, PtxTakesAStructOfItsParametersSize) {
  const std::string file = write_file("pair.ptx",
                                      ".version 6.3\n.target sm_75\n.address_size 64\n"
                                      ".visible .entry put(.param .align 8 .b8 pair[16])\n{\n"
                                      "  .reg .b32 %r<2>;\n  .reg .b64 %rd<3>;\n"
                                      "  ld.param.u32 %r1, [pair];\n  ld.param.u64 %rd1, [pair+8];\n"
                                      "  cvta.to.global.u64 %rd2, %rd1;\n  st.global.u32 [%rd2], %r1;\n  ret;\n}\n")
                               .string();
  const Ran ran = warpbook(launch(file, "put", "1", "1", {"--arg", "{int32=7,int32[2]=ones}", "--print", "0.1", "--json"}));
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(ran.json()["args"][0]["values"], json::array({7, 1}));
  const Ran wrong = warpbook(launch(file, "put", "1", "1", {"--arg", "{int32=7,int32=8}"}));
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_NE(wrong.err.find("16 bytes"), std::string::npos) << wrong.err;
}

TEST(Launch, NpyFilesGoInAndOut) {
  const std::string file = write_file("twice.cu", twice_source).string();
  const std::string saved = (scratch() / "x.npy").string();
  const Ran out = warpbook(
      launch(file, "twice<float>", "1", "32",
             {"--arg", "float32[4x5]=uniform:-1:1:3", "--arg", "int32=20", "--save", "0=" + saved, "--print", "0", "--json"}));
  ASSERT_EQ(out.exit_code, 0) << out.err;
  const Ran in = warpbook(
      launch(file, "twice<float>", "1", "32", {"--arg", "float32[4x5]=@" + saved, "--arg", "int32=0", "--print", "0", "--json"}));
  ASSERT_EQ(in.exit_code, 0) << in.err;
  EXPECT_EQ(in.json()["args"][0]["values"], out.json()["args"][0]["values"]);
  EXPECT_EQ(in.json()["args"][0]["shape"], json::array({4, 5}));

  const Ran wrong = warpbook(launch(file, "twice<float>", "1", "32", {"--arg", "float32[20]=@" + saved, "--arg", "int32=20"}));
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_NE(wrong.err.find("float32[4x5]"), std::string::npos) << wrong.err;
}

TEST(Launch, PtxOfAnotherCompiler) {
  const std::string file =
      write_file("inc.ptx",
                 ".version 6.3\n.target sm_75\n.address_size 64\n"
                 ".visible .entry inc(.param .u64 p, .param .u32 by)\n{\n"
                 "  .reg .b32 %r<4>;\n  .reg .b64 %rd<5>;\n"
                 "  ld.param.u64 %rd1, [p];\n  ld.param.u32 %r1, [by];\n"
                 "  cvta.to.global.u64 %rd2, %rd1;\n  mov.u32 %r2, %tid.x;\n"
                 "  mul.wide.u32 %rd3, %r2, 4;\n  add.s64 %rd4, %rd2, %rd3;\n"
                 "  ld.global.u32 %r3, [%rd4];\n  add.s32 %r3, %r3, %r1;\n  st.global.u32 [%rd4], %r3;\n  ret;\n}\n")
          .string();
  const Ran ran =
      warpbook(launch(file, "inc", "1", "3", {"--arg", "int32[3]=iota", "--arg", "int32=10", "--print", "0", "--json"}));
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(ran.json()["args"][0]["values"], json::array({10, 11, 12}));
}

TEST(Launch, TextSaysTheSame) {
  const Ran ran = warpbook(count({"--observe", "race", "--print", "0"}));
  EXPECT_EQ(ran.exit_code, 1);
  const int line = line_with(read_file(kernel_file("race.cu")), "c[0] += 1");
  EXPECT_NE(ran.out.find("race.cu:" + std::to_string(line) + ":"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("| "), std::string::npos);
  EXPECT_NE(ran.out.find("Not observed: memory, init, sync, coalescing, banks, divergence."), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("arg 0, int32[1] c:"), std::string::npos) << ran.out;
}

TEST(Launch, LinesSayWhatEachCostAndWhatNobodyLookedFor) {
  const Ran ran = warpbook(count({"--observe", "race", "--json"}));
  const json answer = ran.json();
  const int line = line_with(read_file(kernel_file("race.cu")), "c[0] += 1");
  const auto found = std::find_if(answer["lines"].begin(), answer["lines"].end(), [&](const json& l) { return l["line"] == line; });
  ASSERT_NE(found, answer["lines"].end()) << answer["lines"].dump();
  EXPECT_EQ((*found)["text"], "c[0] += 1;");
  EXPECT_EQ((*found)["active_lanes"], 32.0);
  EXPECT_TRUE((*found)["sectors"].is_null());
  EXPECT_TRUE((*found)["warp_cycles"].is_null());  // not under this schedule
  EXPECT_FALSE(answer.contains("clock"));
}

TEST(Launch, TheClocksFiguresAddUp) {
  const json answer = warpbook(count({"--schedule", "clock", "--json"})).json();
  const json& clock = answer["clock"];
  EXPECT_EQ(clock["label"], "model");
  EXPECT_EQ(clock["cycles"], answer["cycles"]);
  EXPECT_EQ(clock["warp_cycles"].size(), 10u);
  std::uint64_t all = 0;
  for (const auto& [state, cycles] : clock["warp_cycles"].items()) all += cycles.get<std::uint64_t>();
  EXPECT_EQ(all, clock["active_warp_cycles"].get<std::uint64_t>());
  std::uint64_t by_line = 0;
  for (const json& line : answer["lines"]) {
    for (const auto& [state, cycles] : line["warp_cycles"].items()) by_line += cycles.get<std::uint64_t>();
  }
  EXPECT_EQ(by_line, all);
}

TEST(Launch, ATimelineIsTheClocks) {
  const std::string file = (scratch() / "timeline.json").string();
  const Ran good = warpbook(count({"--schedule", "clock", "--timeline", file, "--json"}));
  ASSERT_EQ(good.exit_code, 0) << good.err;
  const json trace = json::parse(read_file(file));
  EXPECT_EQ(trace["otherData"]["label"], "model");
  std::uint64_t last = 0;
  std::set<std::string> states;
  for (const json& event : trace["traceEvents"]) {
    if (event["ph"] != "X") continue;
    states.insert(event["name"].get<std::string>());
    last = std::max(last, event["ts"].get<std::uint64_t>() + event["dur"].get<std::uint64_t>());
  }
  EXPECT_TRUE(states.contains("memory"));
  EXPECT_TRUE(states.contains("issued"));
  EXPECT_LE(last, good.json()["cycles"].get<std::uint64_t>());
  EXPECT_GT(last, good.json()["cycles"].get<std::uint64_t>() / 2);

  const Ran ran = warpbook(count({"--timeline", (scratch() / "t.json").string()}));
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_NE(ran.err.find("--schedule clock"), std::string::npos) << ran.err;
}

TEST(Launch, ProfilesChangeTheLimits) {
  const auto words = [&](const char* profile) {
    return launch(write_file("twice.cu", twice_source).string(), "reverse", "1", "4",
                  {"--shared", "60000", "--arg", "int32[4]=iota", "--arg", "int32=4", "--profile", profile, "--json"});
  };
  EXPECT_NE(warpbook(words("GTX 850M")).exit_code, 0) << "48 KB a block";
  EXPECT_EQ(warpbook(words("nonsense")).exit_code, 2);
}

constexpr const char* blur_source = R"(#include <cstdio>
__constant__ float weights[3];
__device__ int edges = 0;
__global__ void blur(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (i == 0 || i == n - 1) atomicAdd(&edges, 1);
  else out[i] = weights[0] * in[i - 1] + weights[1] * in[i] + weights[2] * in[i + 1];
}
int main() {
  const float h[3] = {1, 2, 1};
  cudaMemcpyToSymbol(weights, h, sizeof(h));
})";

std::vector<std::string> blur(std::vector<std::string> rest) {
  rest.insert(rest.begin(), {"--arg", "float32[8]=iota", "--arg", "float32[8]=zeros", "--arg", "int32=8"});
  return launch(write_file("blur.cu", blur_source).string(), "blur", "1", "8", std::move(rest));
}

TEST(Launch, VariablesAreGivenValuesAndPrinted) {
  const auto weights = write_file("weights.csv", "1,2,1\n");
  const Ran ran = warpbook(blur({"--symbol", "weights=float32[3]=@" + weights.string(), "--print", "1", "--print", "edges",
                                 "--print", "weights", "--json"}));
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const json answer = ran.json();
  EXPECT_EQ(answer["args"][0]["values"], json::array({0, 4, 8, 12, 16, 20, 24, 0}));
  EXPECT_FALSE(answer.contains("unfilled_variables"));
  ASSERT_EQ(answer["variables"].size(), 2U);
  EXPECT_EQ(answer["variables"][0]["name"], "edges");
  EXPECT_EQ(answer["variables"][0]["values"], json::array({2}));
  EXPECT_EQ(answer["variables"][1]["values"], json::array({1, 2, 1}));
}

TEST(Launch, AVariableThatOnlyTheHostFillsIsNamed) {
  const Ran text = warpbook(blur({"--print", "1"}));
  ASSERT_EQ(text.exit_code, 0) << text.err;
  EXPECT_NE(text.out.find("`weights` holds zeros: the host program fills it (cudaMemcpyToSymbol)"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("--symbol weights=float32[3]=ones"), std::string::npos) << "what to type: " << text.out;
  EXPECT_EQ(text.out.find("`edges`"), std::string::npos) << "the source says what it holds";
  const json answer = warpbook(blur({"--json"})).json();
  ASSERT_EQ(answer["unfilled_variables"].size(), 1U);
  EXPECT_EQ(answer["unfilled_variables"][0]["name"], "weights");
}

TEST(Launch, SymbolsThatDoNotFitSayWhatWould) {
  const auto said = [&](const std::string& symbol) {
    const Ran ran = warpbook(blur({"--symbol", symbol}));
    EXPECT_EQ(ran.exit_code, 2) << symbol;
    return ran.err;
  };
  EXPECT_NE(said("weights").find("NAME=SPEC"), std::string::npos);
  EXPECT_NE(said("weights=float32[4]=ones").find("float32[3]=ones"), std::string::npos);
  EXPECT_NE(said("weights=int32[3]=ones").find("float32[3]=ones"), std::string::npos);
  EXPECT_NE(said("weight=float32[3]=ones").find("It has "), std::string::npos) << "which there are";
  EXPECT_NE(said("weights=float32[3]=").find("warpbook: "), std::string::npos);
  const Ran print = warpbook(blur({"--print", "weight"}));
  EXPECT_EQ(print.exit_code, 2);
  EXPECT_NE(print.err.find("'weight'"), std::string::npos) << print.err;
}

TEST(Launch, AKernelThatLaunchesIsRefusedByName) {
  const auto file = write_file("nested.cu",
                               "__global__ void child(int* a) { a[0] = 1; }\n"
                               "__global__ void parent(int* a) { child<<<1, 1>>>(a); }\n");
  const Ran ran = warpbook(launch(file.string(), "parent", "1", "1", {"--arg", "int32[1]=zeros"}));
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_NE(ran.err.find("dynamic parallelism"), std::string::npos) << ran.err;
}

}  // namespace
}  // namespace warpbook::test
