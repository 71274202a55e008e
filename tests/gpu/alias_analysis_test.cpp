// Where a kernel's text can store to, and what launches make of it: what is taken for only read, or for atomics alone, must be so,
// and the arrays that a kernel only reads should be known.
#include "gpu/virtual/vm/analysis/alias_analysis.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "gpu/device.h"
#include "gpu/virtual/ptx/parser.h"
#include "gpu/virtual/vm/code/mark_allocations.h"

namespace warpbook::gpu {
namespace {

struct StoreCase {
  const char* name;
  const char* expected;  // "anywhere", or parameters (a struct's member as parameter+offset) and variables, sorted
  const char* text;
};

constexpr StoreCase store_cases[] = {
    {"AnotherArray", "p1",
     "void k(const float* in, float* out, int n) { if (threadIdx.x < n) out[threadIdx.x] = in[threadIdx.x]; }"},
    {"InPlace", "p0", "void k(float* data, const float* other) { data[threadIdx.x] += other[threadIdx.x]; }"},
    {"ALoopOfPointers", "p1", "void k(const int* from, int* to, int n) { while (n--) *to++ = *from++ + n; }"},
    {"AnIndexFromMemory", "p1", "void k(const int* data, int* bins) { atomicAdd(&bins[data[threadIdx.x]], 1); }"},
    {"AnUnsignedIndexFromMemory", "p1", "void k(const unsigned* index, int* out) { out[index[threadIdx.x]] = 1; }"},
    {"OneOfTwo", "p0 p1", "void k(int* a, int* b, const int* c) { int* p = c[threadIdx.x] > 3 ? a : b; p[threadIdx.x] = 1; }"},
    {"TheWayFromOneToTheOther", "p0 p1", "void k(char* a, char* b) { a[(b - a) + threadIdx.x] = 1; }"},
    {"ALength", "p1 p2", "void k(const int* in, int* out, long long pitch) { out[blockIdx.x * pitch + threadIdx.x] = in[0]; }"},
    {"AStructsMember", "p0+16", "void k(S s) { s.b[threadIdx.x] = s.a[threadIdx.x] + s.n; }"},
    {"TheSecondOfAStructsTwo", "p0+8", "void k(Two s) { s.b[threadIdx.x] = s.a[threadIdx.x]; }"},
    {"Vectors", "p1", "void k(const float4* in, float4* out) { out[threadIdx.x] = in[threadIdx.x]; }"},
    {"AVariable", "total", "void k(const int* in) { atomicAdd(&total, in[threadIdx.x]); }"},
    {"SharedMemoryToo", "p1",
     "void k(const int* in, int* out, int n) { __shared__ int tile[64]; tile[threadIdx.x] = in[threadIdx.x]; __syncthreads();"
     " int* p = n ? tile : out; p[n] = tile[n + 1]; out[n] = tile[2]; }"},
    {"AFunctionThatReads", "p1", "void k(const int* in, int* out) { out[threadIdx.x] = read(in + threadIdx.x); }"},
    {"AFunctionThatStores", "anywhere", "void k(const int* in, int* out) { store(out + threadIdx.x, in[threadIdx.x]); }"},
    {"AFunctionThatSaysWhere", "anywhere", "void k(const int* in, int* out) { *where(out) = in[threadIdx.x]; }"},
    {"APointerFromMemory", "anywhere", "void k(int** table, const int* in) { table[threadIdx.x][0] = in[threadIdx.x]; }"},
    {"AWideIndexFromMemory", "anywhere", "void k(const long long* index, int* out) { out[index[threadIdx.x]] = 1; }"},
    {"FromMemoryAndADistance", "anywhere", "void k(int** table, int* a, int* b) { table[threadIdx.x][b - a] = 1; }"},
    {"FromAFunctionAndADistance", "anywhere", "void k(int* a, int* b) { where(a)[b - a] = 1; }"},
    {"APointerInTwoHalves", "anywhere",
     "void k(const unsigned* half) {"
     " *reinterpret_cast<int*>(static_cast<unsigned long long>(half[1]) << 32 | half[0]) = 1; }"},
    {"GenericButShared", "p0",
     "void k(int* out) { __shared__ int tile[32]; asm volatile(\"st.u32 [%0], %1;\" :: \"l\"(tile + threadIdx.x), \"r\"(1));"
     " __syncthreads(); out[threadIdx.x] = tile[31 - threadIdx.x]; }"},
    {"AsynchronousCopies", "p1",
     "void k(const int* in, int* out) { __shared__ int tile[32];"
     " asm volatile(\"cp.async.ca.shared.global [%0], [%1], 4; cp.async.wait_all;\" ::"
     " \"r\"(static_cast<unsigned>(__cvta_generic_to_shared(tile + threadIdx.x))), \"l\"(in + threadIdx.x) : \"memory\");"
     " __syncthreads(); out[threadIdx.x] = tile[31 - threadIdx.x]; }"},
    {"TheHeap", "anywhere", "void k(const int* in, int** out) { int* p = new int[4]; p[0] = in[0]; out[threadIdx.x] = p; }"},
};

/// Where others than relaxed atomics of the whole GPU go.
constexpr StoreCase touch_cases[] = {
    {"Counted", "p0", "void k(const int* data, int* bins) { atomicAdd(&bins[data[threadIdx.x]], 1); }"},
    {"CountedAndRead", "p0 p1",
     "void k(const int* data, int* bins) { atomicAdd(&bins[data[threadIdx.x]], 1); __syncthreads(); if (bins[3]) __trap(); }"},
    {"CountedAndCleared", "p0",
     "void k(int* bins) { if (!blockIdx.x) bins[threadIdx.x] = 0; else atomicAdd(&bins[threadIdx.x], 1); }"},
    {"CountedForABlock", "p0", "void k(int* bins) { atomicAdd_block(&bins[threadIdx.x], 1); }"},
    {"CountedForTheSystem", "", "void k(int* bins) { atomicAdd_system(&bins[threadIdx.x], 1); }"},
    {"CountedBehindAFence", "anywhere", "void k(int* bins) { __threadfence(); atomicAdd(&bins[threadIdx.x], 1); }"},
    {"AVariableIsCounted", "p0", "void k(const int* in) { atomicAdd(&total, in[threadIdx.x]); }"},
    {"PlacesByACounter", "p0 p1", "void k(const int* in, int* out, int* next) { out[atomicAdd(next, 1)] = in[threadIdx.x]; }"},
    {"Released", "p0",
     "void k(int* flag, int* bins) { atomicAdd(bins, 1);"
     " asm volatile(\"atom.release.gpu.global.add.u32 _, [%0], 1;\" :: \"l\"(flag) : \"memory\"); }"},
    {"AFunctionThatReads", "anywhere", "void k(int* out) { atomicAdd(where(out), 1); }"},
    {"AFunctionThatFences", "anywhere", "void k(int* out) { atomicAdd(out, 1); fence(); }"},
    {"APointerFromMemory", "anywhere", "void k(int** table, int* out) { atomicAdd(out, *table[threadIdx.x]); }"},
    {"AsynchronousCopies", "anywhere",
     "void k(const int* in, int* out) { __shared__ int tile[32];"
     " asm volatile(\"cp.async.ca.shared.global [%0], [%1], 4; cp.async.wait_all;\" ::"
     " \"r\"(static_cast<unsigned>(__cvta_generic_to_shared(tile + threadIdx.x))), \"l\"(in + threadIdx.x) : \"memory\");"
     " __syncthreads(); atomicAdd(out, tile[31 - threadIdx.x]); }"},
};

constexpr const char* before = R"(
struct S { const int* a; int n; int* b; };
struct alignas(16) Two { const int* a; int* b; };
__device__ int total;
__device__ __noinline__ int read(const int* p) { return *p + 1; }
__device__ __noinline__ void store(int* p, int v) { *p = v; }
__device__ __noinline__ int* where(int* p) { return p + total; }
__device__ __noinline__ void fence() { __threadfence(); }
extern "C" __global__ )";

std::string in_words(const vm::PointsTo& stored, const ptx::Module& module) {
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

class AliasAnalysis : public testing::TestWithParam<StoreCase> {
 protected:
  void expect_of(vm::PointsTo (*analysis)(const ptx::Module&, const ptx::Function&)) {
    static Compiler compiler;
    const auto program =
        compiler.compile({.file = "k.cu", .text = std::string(before) + GetParam().text, .defines = {}, .instantiate = {}});
    ASSERT_TRUE(program) << program.error().log;
    const auto module = ptx::parse((*program)->ptx);
    ASSERT_TRUE(module) << module.error().message;
    EXPECT_EQ(in_words(analysis(*module, *module->find("k")), *module), GetParam().expected) << (*program)->ptx;
  }
};

TEST_P(AliasAnalysis, IsWhatTheTextSays) { expect_of(vm::stored_places); }
INSTANTIATE_TEST_SUITE_P(Cases, AliasAnalysis, testing::ValuesIn(store_cases), [](const auto& one) { return one.param.name; });

class PlainlyAccessed : public AliasAnalysis {};
TEST_P(PlainlyAccessed, IsWhatTheTextSays) { expect_of(vm::plainly_accessed_places); }
INSTANTIATE_TEST_SUITE_P(Cases, PlainlyAccessed, testing::ValuesIn(touch_cases), [](const auto& one) { return one.param.name; });

/// What compilers write one way or another: the body of a kernel with parameters p0 … p3 in %rd0 … %rd3, which are pointers, and
/// p4 in %r0, a number, and p5, a struct of two words.
constexpr StoreCase bodies[] = {
    {"TwoWordsAtOnce", "p5+8", "ld.param.v2.u64 {%rd4, %rd5}, [p5]; st.global.u32 [%rd5], %r0;"},
    {"ChosenFromTwo", "p0 p2", "selp.b64 %rd4, %rd2, %rd0, %p0; st.global.u32 [%rd4], %r0;"},
    {"ChosenFromAParameterAndHalves", "anywhere",
     "ld.global.u32 %r1, [%rd1]; mov.b64 %rd4, {%r1, %r0}; selp.b64 %rd5, %rd4, %rd0, %p0; st.global.u32 [%rd5], %r0;"},
    {"AParameterOverHalves", "anywhere",
     "ld.global.u32 %r1, [%rd1]; add.u32 %r2, %r1, 1; mov.b64 %rd4, {%r2, %r1}; @%p0 mov.b64 %rd4, %rd0; st.u32 [%rd4], %r0;"},
    {"HalvesOfAParameter", "anywhere",
     "mov.b64 {%r1, %r2}, %rd0; mov.b64 %rd4, {%r1, %r2}; selp.b64 %rd5, %rd4, %rd1, %p0; st.global.u32 [%rd5], %r0;"},
    {"InTurns", "p0 p1 p2 p3",
     "AGAIN: st.global.u32 [%rd0], %r0; mov.b64 %rd4, %rd0; mov.b64 %rd0, %rd1; mov.b64 %rd1, %rd2; mov.b64 %rd2, %rd3;"
     " mov.b64 %rd3, %rd4; mov.u32 %r1, %r0; @%p0 bra AGAIN;"},
    {"ByAnIndex", "p0", "cvt.u64.u32 %rd4, %r0; shl.b64 %rd4, %rd4, 2; add.u64 %rd5, %rd0, %rd4; red.global.add.u32 [%rd5], 1;"},
    {"AtAnAbsolutePlace", "anywhere", "st.global.u32 [68719476736], %r0;"},
    {"AtAnImmediate", "anywhere", "mov.u64 %rd4, 68719476736; st.global.u32 [%rd4], %r0;"},
    {"AVariableByName", "total", "st.global.u32 [total + 4], %r0;"},
    {"AVariablesAddress", "total", "mov.u64 %rd4, total; add.u64 %rd4, %rd4, 4; atom.global.exch.b32 %r1, [%rd4], %r0;"},
    {"ALocalVariable", "", "mov.u64 %rd4, mine; cvta.local.u64 %rd4, %rd4; st.u32 [%rd4], %r0;"},
    {"ThroughWhatAnAtomicFound", "anywhere",
     "atom.global.exch.b64 %rd4, [%rd0], %rd1; sub.u64 %rd5, %rd3, %rd2; add.u64 %rd4, %rd4, %rd5; st.global.u32 [%rd4], %r0;"},
    {"OnlyLoads", "", "ld.global.u32 %r1, [%rd0]; prefetch.global.L1 [%rd1];"},
};

class StoredToInPtx : public testing::TestWithParam<StoreCase> {};

TEST_P(StoredToInPtx, IsWhatTheTextSays) {
  const std::string text = std::string(R"(
.version 8.0
.target sm_75
.address_size 64
.global .align 4 .b8 total[8];
.visible .entry k(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 p3, .param .u32 p4,
    .param .align 16 .b8 p5[16]) {
.local .align 4 .b8 mine[8];
.reg .b64 %rd<6>;
.reg .b32 %r<3>;
.reg .pred %p<1>;
ld.param.u64 %rd0, [p0];
ld.param.u64 %rd1, [p1];
ld.param.u64 %rd2, [p2];
ld.param.u64 %rd3, [p3];
ld.param.u32 %r0, [p4];
setp.eq.u32 %p0, %r0, 0;
)") + GetParam().text + "\nret;\n}\n";
  const auto module = ptx::parse(text);
  ASSERT_TRUE(module) << module.error().message;
  EXPECT_EQ(in_words(vm::stored_places(*module, *module->find("k")), *module), GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(Bodies, StoredToInPtx, testing::ValuesIn(bodies), [](const auto& one) { return one.param.name; });

constexpr auto both = [] { return vm::PointsTo{.anywhere = false, .pointers = {{0, 0}, {1, 0}}, .globals = {}}; };

/// Two arrays of 4096 bytes and a kernel of two parameters, through which it stores: which of the arrays is only read, which for
/// atomics alone?
std::string only_read(std::uint64_t first, std::uint64_t second, const vm::PointsTo& stored = both(),
                      const vm::PointsTo& accessed = {}) {
  const std::uint64_t parameters[] = {first, second};
  vm::LaunchInfo launch;
  launch.allocations.resize(2);
  launch.allocations[0].base = 0x10'0010'0000;
  launch.allocations[1].base = 0x10'0020'0000;
  for (vm::Allocation& allocation : launch.allocations) allocation.bytes = 4096;
  vm::Code code;
  code.parameter_offsets = {0, 8};
  vm::Image image;
  image.kernel = &code;
  image.layout.globals = {0x10'0010'0000};
  image.stored = stored;
  image.accessed = accessed;
  vm::mark_allocations(launch, image, std::as_bytes(std::span(parameters)));
  std::string found;
  for (const vm::Allocation& allocation : launch.allocations)
    found += allocation.only_read ? 'r' : allocation.only_atomics ? 'a' : 'w';
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
  EXPECT_EQ(only_read(0x10'0020'0000, 0x10'0020'0000, {.anywhere = true, .pointers = {}, .globals = {}}), "ww");
  EXPECT_EQ(only_read(0, 0, {.anywhere = false, .pointers = {}, .globals = {0}}), "wr");  // a variable
  // Beside the parameters there is nothing to read.
  for (const std::uint64_t offset : {std::uint64_t{16}, std::uint64_t{9}, ~std::uint64_t{0} - 3})
    EXPECT_EQ(only_read(0x10'0010'0000, 0, {.anywhere = false, .pointers = {{0, offset}}, .globals = {}}), "rr") << offset;
}

TEST(OnlyAtomics, IsWhereNothingElseLeads) {
  const vm::PointsTo nowhere{.anywhere = false, .pointers = {}, .globals = {}};
  const vm::PointsTo first{.anywhere = false, .pointers = {{0, 0}}, .globals = {}};
  EXPECT_EQ(only_read(0x10'0010'0000, 0x10'0020'0000, both(), nowhere), "aa");
  EXPECT_EQ(only_read(0x10'0010'0000, 0x10'0020'0000, both(), first), "wa");
  EXPECT_EQ(only_read(0x10'0020'0000, 0x10'0020'0004, both(), first), "rw");  // the same array twice
  EXPECT_EQ(only_read(0x10'000f'fffc, 0x10'0020'0000, both(), first), "ww");  // a way into either
  EXPECT_EQ(only_read(0x10'0010'0000, 0x10'0020'0000, {}, nowhere), "aa");    // atomics go anywhere
  EXPECT_EQ(only_read(0x10'0010'0000, 0x10'0020'0000, both(), {}), "ww");
}

/// A store goes astray into an array that the text only reads, by an index that happens to be the distance. Later blocks' loads
/// from there are heard, by an instruction whose loads were not.
TEST(OnlyRead, NoLongerOnceAStoreWentAstray) {
  constexpr const char* source = R"(
extern "C" __global__ void distance(const int* in, const int* out, long long* found) { *found = in - out; }
extern "C" __global__ void astray(const int* in, int* out, int* sum, int far) {
  const int t = threadIdx.x;
  if (blockIdx.x == 1)
    out[far + t] = t;
  else
    sum[32 * blockIdx.x + t] = in[t];
})";
  Compiler compiler;
  auto device = std::move(*make_virtual_device(compiler));
  const auto program = device->compile({.file = "astray.cu", .text = source, .defines = {}, .instantiate = {}});
  ASSERT_TRUE(program) << program.error().log;
  const Buffer in = *device->allocate({"in", ScalarType::int32, {32}}), out = *device->allocate({"out", ScalarType::int32, {32}}),
               sum = *device->allocate({"sum", ScalarType::int32, {96}}), far = *device->allocate({"far", ScalarType::int64, {1}});
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
  request.grid = {3};
  request.block = {32};
  request.arguments = {in, out, sum, Scalar::of(static_cast<std::int32_t>(distance))};
  request.observe.memory = request.observe.race = request.observe.init = true;
  const LaunchReport report = device->launch(request);
  ASSERT_TRUE(report.ok()) << say(report.message);
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].kind, FindingKind::race) << in_english(report.findings[0].message);
  EXPECT_EQ(report.findings[0].buffer, "in");
  EXPECT_EQ(report.findings[0].threads, 32u);
  numbers.resize(96);
  ASSERT_TRUE(device->read(sum, std::as_writable_bytes(std::span(numbers))));
  EXPECT_EQ(numbers[95], 31);

  // And so in the next launch: nothing is remembered.
  request.arguments[3] = Scalar::of(0);
  EXPECT_TRUE(device->launch(request).findings.empty());
}

/// The same where atomics alone were expected.
TEST(OnlyAtomics, NoLongerOnceAStoreWentAstray) {
  constexpr const char* source = R"(
extern "C" __global__ void distance(const int* in, const int* out, long long* found) { *found = in - out; }
extern "C" __global__ void astray(int* bins, int* out, int far) {
  const int t = threadIdx.x;
  if (blockIdx.x == 1)
    out[far + t] = t;
  else
    atomicAdd(&bins[t], 1);
})";
  Compiler compiler;
  auto device = std::move(*make_virtual_device(compiler));
  const auto program = device->compile({.file = "astray.cu", .text = source, .defines = {}, .instantiate = {}});
  ASSERT_TRUE(program) << program.error().log;
  const Buffer bins = *device->allocate({"bins", ScalarType::int32, {32}}),
               out = *device->allocate({"out", ScalarType::int32, {32}}), far = *device->allocate({"far", ScalarType::int64, {1}});
  LaunchRequest request;
  request.program = *program;
  request.kernel = "distance";
  request.arguments = {bins, out, far};
  ASSERT_TRUE(device->launch(request).ok());
  std::int64_t distance = 0;
  ASSERT_TRUE(device->read(far, std::as_writable_bytes(std::span(&distance, 1))));

  request.kernel = "astray";
  request.grid = {3};
  request.block = {32};
  request.arguments = {bins, out, Scalar::of(static_cast<std::int32_t>(distance))};
  request.observe.race = true;
  const LaunchReport report = device->launch(request);
  ASSERT_TRUE(report.ok()) << say(report.message);
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].buffer, "bins") << in_english(report.findings[0].message);
  EXPECT_EQ(report.findings[0].threads, 64u)
      << "with the launch's first atomic, which is always told, and with what came behind it";
  request.arguments[2] = Scalar::of(0);
  EXPECT_TRUE(device->launch(request).findings.empty());
}

}  // namespace
}  // namespace warpbook::gpu
