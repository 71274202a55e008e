// Where a kernel's text can store to, and what launches make of it: what is taken for only read must be so, and the arrays that a
// kernel only reads should be known.
#include "gpu/virtual/vm/stored_to.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "gpu/device.h"
#include "gpu/virtual/ptx/parser.h"
#include "gpu/virtual/vm/code.h"

namespace warpbook::gpu {
namespace {

struct Case {
  const char* name;
  const char* expected;  // "anywhere", or parameters (a struct's member as parameter+offset) and variables, sorted
  const char* text;
};

constexpr Case cases[] = {
    {"AnotherArray", "p1",
     "void k(const float* in, float* out, int n) { if (threadIdx.x < n) out[threadIdx.x] = in[threadIdx.x]; }"},
    {"InPlace", "p0", "void k(float* data, const float* other) { data[threadIdx.x] += other[threadIdx.x]; }"},
    {"ALoopOfPointers", "p1", "void k(const int* from, int* to, int n) { while (n--) *to++ = *from++ + n; }"},
    {"AnIndexFromMemory", "p1", "void k(const int* data, int* bins) { atomicAdd(&bins[data[threadIdx.x]], 1); }"},
    {"OneOfTwo", "p0 p1", "void k(int* a, int* b, const int* c) { int* p = c[threadIdx.x] > 3 ? a : b; p[threadIdx.x] = 1; }"},
    {"TheWayFromOneToTheOther", "p0 p1", "void k(char* a, char* b) { a[(b - a) + threadIdx.x] = 1; }"},
    {"ALength", "p1 p2", "void k(const int* in, int* out, long long pitch) { out[blockIdx.x * pitch + threadIdx.x] = in[0]; }"},
    {"AStructsMember", "p0+16", "void k(S s) { s.b[threadIdx.x] = s.a[threadIdx.x] + s.n; }"},
    {"Vectors", "p1", "void k(const float4* in, float4* out) { out[threadIdx.x] = in[threadIdx.x]; }"},
    {"AVariable", "total", "void k(const int* in) { atomicAdd(&total, in[threadIdx.x]); }"},
    {"SharedMemoryToo", "p1",
     "void k(const int* in, int* out, int n) { __shared__ int tile[64]; tile[threadIdx.x] = in[threadIdx.x]; __syncthreads();"
     " int* p = n ? tile : out; p[n] = tile[n + 1]; out[n] = tile[2]; }"},
    {"AFunctionThatReads", "p1", "void k(const int* in, int* out) { out[threadIdx.x] = read(in + threadIdx.x); }"},
    {"AFunctionThatStores", "anywhere", "void k(const int* in, int* out) { store(out + threadIdx.x, in[threadIdx.x]); }"},
    {"AFunctionThatSaysWhere", "anywhere", "void k(const int* in, int* out) { *where(out) = in[threadIdx.x]; }"},
    {"APointerFromMemory", "anywhere", "void k(int** table, const int* in) { table[threadIdx.x][0] = in[threadIdx.x]; }"},
    {"APointerInTwoHalves", "anywhere",
     "void k(const unsigned* half, const int* in) {"
     " *reinterpret_cast<int*>(static_cast<unsigned long long>(half[1]) << 32 | half[0]) = in[threadIdx.x]; }"},
    {"HalvesOrAParameter", "anywhere",
     "void k(const unsigned* half, int* out, int n) {"
     " int* p = reinterpret_cast<int*>(static_cast<unsigned long long>(half[1]) << 32 | half[0]);"
     " for (int i = 0; i < n; ++i) { p[i] = i; p = half[i] > 7 ? out : p; } }"},
    {"TheHeap", "anywhere", "void k(const int* in, int** out) { int* p = new int[4]; p[0] = in[0]; out[threadIdx.x] = p; }"},
};

constexpr const char* before = R"(
struct S { const int* a; int n; int* b; };
__device__ int total;
__device__ __noinline__ int read(const int* p) { return *p + 1; }
__device__ __noinline__ void store(int* p, int v) { *p = v; }
__device__ __noinline__ int* where(int* p) { return p + total; }
extern "C" __global__ )";

std::string in_words(const vm::StoredTo& stored, const ptx::Module& module) {
  if (stored.anywhere) return "anywhere";
  std::vector<std::string> words;
  for (const auto& pointer : stored.pointers)
    words.push_back("p" + std::to_string(pointer.parameter) + (pointer.offset ? "+" + std::to_string(pointer.offset) : ""));
  for (const std::uint32_t global : stored.globals) words.push_back(module.globals[global].name);
  std::sort(words.begin(), words.end());
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : " ") + word;
  return all;
}

class StoredTo : public testing::TestWithParam<Case> {};

TEST_P(StoredTo, IsWhatTheTextSays) {
  static Compiler compiler;
  const auto program =
      compiler.compile({.file = "k.cu", .text = std::string(before) + GetParam().text, .defines = {}, .instantiate = {}});
  ASSERT_TRUE(program) << program.error().log;
  const auto module = ptx::parse((*program)->ptx);
  ASSERT_TRUE(module) << module.error().message;
  EXPECT_EQ(in_words(vm::stored_to(*module, *module->find("k")), *module), GetParam().expected) << (*program)->ptx;
}

INSTANTIATE_TEST_SUITE_P(Cases, StoredTo, testing::ValuesIn(cases), [](const auto& one) { return one.param.name; });

/// Two arrays of 4096 bytes and a kernel that stores through its first two parameters: which of the arrays is only read?
std::string only_read(std::uint64_t first, std::uint64_t second, bool anywhere = false) {
  const std::uint64_t parameters[] = {first, second};
  vm::Code code;
  code.parameter_offsets = {0, 8};
  vm::Image image;
  image.kernel = &code;
  vm::LaunchInfo launch;
  launch.allocations.resize(2);
  launch.allocations[0].base = 0x10'0010'0000;
  launch.allocations[1].base = 0x10'0020'0000;
  for (vm::Allocation& allocation : launch.allocations) allocation.bytes = 4096;
  vm::mark_only_read(launch, {.anywhere = anywhere, .pointers = {{0, 0}, {1, 0}}, .globals = {}}, image,
                     std::as_bytes(std::span(parameters)));
  std::string found;
  for (const vm::Allocation& allocation : launch.allocations) found += allocation.only_read ? 'r' : 'w';
  return found;
}

TEST(OnlyRead, IsWhereNoPointerOfALaunchLeads) {
  EXPECT_EQ(only_read(0x10'0010'0000, 0x10'0020'0000), "ww");
  EXPECT_EQ(only_read(0x10'0010'0000, 0x10'0010'0fff), "wr");
  EXPECT_EQ(only_read(0x10'0020'0800, 0), "rw");
  EXPECT_EQ(only_read(0x10'0020'0800, 1 << 20), "rw");                // a length
  EXPECT_EQ(only_read(0x10'0020'0800, 0x3ff0'0000'0000'0000), "rw");  // 1.0
  EXPECT_EQ(only_read(0x10'0020'0800, ~std::uint64_t{0}), "rw");      // -1
  EXPECT_EQ(only_read(0x10'0020'0000, 0x10'0010'1000), "ww");         // behind the last element, to walk back from
  EXPECT_EQ(only_read(0x10'0020'0000, 0x10'000f'fffc), "ww");         // before the first, to count from one
  EXPECT_EQ(only_read(0x10'0020'0000, 0x10'0020'0000, true), "ww");
}

/// A store goes astray into an array that the text only reads, by an index that happens to be the distance. Later blocks' loads
/// from there are heard.
TEST(OnlyRead, NoLongerOnceAStoreWentAstray) {
  constexpr const char* source = R"(
extern "C" __global__ void distance(const int* in, const int* out, long long* found) { *found = in - out; }
extern "C" __global__ void astray(const int* in, int* out, int* sum, int far) {
  const int t = threadIdx.x;
  if (blockIdx.x == 0)
    out[far + t] = t;
  else
    sum[t] = in[t];
})";
  Compiler compiler;
  auto device = std::move(*make_virtual_device(compiler));
  const auto program = device->compile({.file = "astray.cu", .text = source, .defines = {}, .instantiate = {}});
  ASSERT_TRUE(program) << program.error().log;
  const Buffer in = *device->allocate({"in", ScalarType::int32, {32}}), out = *device->allocate({"out", ScalarType::int32, {32}}),
               sum = *device->allocate({"sum", ScalarType::int32, {32}}), far = *device->allocate({"far", ScalarType::int64, {1}});
  std::vector<std::int32_t> numbers(32);
  std::iota(numbers.begin(), numbers.end(), 100);
  ASSERT_TRUE(device->write(in, std::as_bytes(std::span(numbers))));

  LaunchRequest request;
  request.program = *program;
  request.kernel = "distance";
  request.arguments = {in, out, far};
  ASSERT_TRUE(device->launch(request).ok());
  std::int64_t distance = 0;
  ASSERT_TRUE(device->read(far, std::as_writable_bytes(std::span(&distance, 1))));

  request.kernel = "astray";
  request.grid = {2};
  request.block = {32};
  request.arguments = {in, out, sum, Scalar::of(static_cast<std::int32_t>(distance))};
  request.observe.memory = request.observe.race = request.observe.init = true;
  const LaunchReport report = device->launch(request);
  ASSERT_TRUE(report.ok()) << report.message;
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].kind, FindingKind::race) << report.findings[0].message;
  EXPECT_EQ(report.findings[0].buffer, "in");
  EXPECT_EQ(report.findings[0].threads, 32u);
  ASSERT_TRUE(device->read(sum, std::as_writable_bytes(std::span(numbers))));
  EXPECT_EQ(numbers[31], 31);

  // And so in the next launch: nothing is remembered.
  request.arguments[3] = Scalar::of(0);
  EXPECT_TRUE(device->launch(request).findings.empty());
}

}  // namespace
}  // namespace warpbook::gpu
