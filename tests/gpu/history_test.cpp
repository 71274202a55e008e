// History: what a replay shows against what the launch left behind, forwards, backwards and by jumps, under both schedules.
// WARPBOOK_RANDOM_KERNELS=N tries N of them.
#include "gpu/history.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <span>

#include "gpu/device.h"
#include "tests/gpu/one_compiler.h"
#include "tests/gpu/random_kernel.h"
#include "tests/how_many.h"

namespace warpbook::gpu {
namespace {

using test::RandomKernel;

struct HistoryBench {
  std::unique_ptr<Device> device = std::move(*make_virtual_device(compiler()));
  ProgramPtr program;

  explicit HistoryBench(const std::string& source) {
    auto compiled = device->compile({.file = "test.cu", .text = source, .defines = {}, .instantiate = {}});
    EXPECT_TRUE(compiled) << (compiled ? "" : compiled.error().message + compiled.error().log);
    if (compiled) program = *compiled;
  }
  Buffer zeros(const std::string& name, ScalarType type, std::size_t n) {
    const Buffer buffer = *device->allocate({name, type, {n}});
    EXPECT_TRUE(device->fill(buffer, {.type = type, .bits = 0}));
    return buffer;
  }
  LaunchReport launch(Dim3 grid, Dim3 block, std::vector<Argument> arguments, Schedule schedule,
                      std::size_t history = Observe::history_bytes) {
    LaunchRequest request;
    request.program = program;
    request.grid = grid;
    request.block = block;
    request.arguments = std::move(arguments);
    request.observe.history = history;
    request.schedule = schedule;
    return device->launch(request);
  }
};

/// Everything that a replay shows of where it stands.
std::string shown(const Replay& replay) {
  std::string all;
  const auto add = [&](const auto& value) { all.append(reinterpret_cast<const char*>(&value), sizeof value); };
  std::uint32_t block = ~0u;
  for (const WarpRef& warp : replay.history().warps()) {
    for (const RegisterRow& row : replay.registers(warp)) {
      all += row.name;
      add(row.lanes);
      add(row.written);
    }
    add(replay.lanes(warp));
    if (warp.block == block) continue;
    block = warp.block;
    for (const SharedWord& word : replay.shared(block)) {
      add(word.offset);
      add(word.value);
    }
  }
  return all;
}

const RegisterRow* find(const std::vector<RegisterRow>& rows, std::string_view name) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const RegisterRow& row) { return row.name == name; });
  return found == rows.end() ? nullptr : &*found;
}

/// The last step on a line whose PTX begins so.
std::size_t step_of(const History& history, std::uint32_t line, std::string_view begins, std::size_t from = 0) {
  for (std::size_t s = from; s < history.steps().size(); ++s)
    if (history.steps()[s].line == line && history.text_of(s).starts_with(begins)) return s;
  ADD_FAILURE() << "no " << begins << " on line " << line;
  return 0;
}
/// "%r5" of "st.global.u32 [%rd1], %r5;"
std::string stored_register(const std::string& text) {
  const std::size_t at = text.rfind('%');
  return text.substr(at, text.find(';') - at);
}

class HistoryOf : public testing::TestWithParam<Schedule> {};

TEST_P(HistoryOf, ARegisterHoldsItsValueInEachLane) {
  HistoryBench bench(R"(__global__ void k(int* out) {
  int i = blockIdx.x * 64 + threadIdx.x;
  out[i] = 3 * i + 1;
}
)");
  const Buffer out = bench.zeros("out", ScalarType::int32, 128);
  const LaunchReport report = bench.launch({2}, {64}, {out}, GetParam());
  ASSERT_TRUE(report.ok() && report.history) << say(report.message);
  const History& history = *report.history;
  EXPECT_EQ(history.dropped(), 0u);
  EXPECT_EQ(history.steps().size(), report.warp_instructions);
  ASSERT_EQ(history.warps().size(), 4u);
  Replay replay(report.history);
  for (std::size_t s = 0; s < history.steps().size(); ++s) {
    if (!history.text_of(s).starts_with("st.global")) continue;
    const HistoryStep& step = history.steps()[s];
    EXPECT_EQ(step.line, 3u);
    replay.to(s);
    const auto rows = replay.registers(step.warp);
    const RegisterRow* value = find(rows, stored_register(history.text_of(s)));
    ASSERT_TRUE(value) << history.text_of(s);
    EXPECT_EQ(value->type, "s32");
    EXPECT_EQ(value->written, ~0u);
    for (std::uint32_t l = 0; l < 32; ++l) EXPECT_EQ(value->lanes[l], 3 * (64 * step.warp.block + 32 * step.warp.warp + l) + 1);
  }
  const HistoryArray* array = history.find(false, history.arrays().front().base + 12);
  ASSERT_TRUE(array);
  EXPECT_EQ(array->name, "out");
}

TEST_P(HistoryOf, SidesOfABranchAndSharedMemory) {
  HistoryBench bench(R"(__global__ void k(float* out) {
  volatile __shared__ float tile[32];
  if (threadIdx.x < 12)
    tile[11 - threadIdx.x] = 1.5f;
  else
    tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = tile[31 - threadIdx.x];
}
)");
  const Buffer out = bench.zeros("out", ScalarType::float32, 32);
  const LaunchReport report = bench.launch({1}, {32}, {out}, GetParam());
  ASSERT_TRUE(report.ok() && report.history) << say(report.message);
  const History& history = *report.history;
  Replay replay(report.history);
  const WarpRef warp{0, 0};
  const std::size_t low = step_of(history, 4, "st."), high = step_of(history, 6, "st.");
  EXPECT_EQ(history.steps()[low].mask, 0xfffu);
  EXPECT_EQ(history.steps()[high].mask, ~0xfffu);
  const std::size_t first = std::min(low, high);
  replay.to(first);
  EXPECT_TRUE(replay.shared(0).empty());
  EXPECT_EQ(replay.lanes(warp).on, history.steps()[first].mask);
  EXPECT_EQ(replay.lanes(warp).waiting, ~history.steps()[first].mask);
  // The barrier waits until the stores have been made.
  const std::size_t barrier = history.next(0, Stride::barrier, warp);
  ASSERT_LT(barrier, history.steps().size());
  EXPECT_EQ(history.steps()[barrier].line, 7u);
  replay.to(barrier);
  const auto words = replay.shared(0);
  ASSERT_EQ(words.size(), 32u);
  for (std::uint32_t w = 0; w < 32; ++w) {
    float value;
    std::memcpy(&value, &words[w].value, sizeof value);
    EXPECT_EQ(value, w < 12 ? 1.5f : static_cast<float>(w));
    EXPECT_TRUE(words[w].changed);
  }
  const HistoryArray* tile = history.find(true, 8);
  ASSERT_TRUE(tile);
  EXPECT_EQ(tile->name, "tile");
  EXPECT_EQ(tile->type, ScalarType::float32);
  replay.to(history.steps().size());
  EXPECT_EQ(replay.lanes(warp).on, 0u);
  EXPECT_EQ(replay.shared(0).size(), 32u);
}

TEST_P(HistoryOf, ACallHasRegistersOfItsOwn) {
  HistoryBench bench(R"(__device__ __noinline__ int fold(int n) {
  return n < 2 ? 1 : fold(n - 1) + 2 * fold(n - 2);
}
__global__ void k(int* out) {
  out[threadIdx.x] = fold(threadIdx.x % 4) + fold(3);
}
)");
  const Buffer out = bench.zeros("out", ScalarType::int32, 32);
  const LaunchReport report = bench.launch({1}, {32}, {out}, GetParam());
  ASSERT_TRUE(report.ok() && report.history) << say(report.message);
  const History& history = *report.history;
  Replay replay(report.history);
  // Wherever a call begins, it holds nothing of earlier calls.
  int calls = 0;
  for (std::size_t s = 0; s < history.steps().size(); ++s) {
    const HistoryStep& step = history.steps()[s];
    if (history.functions()[step.function].name.find("fold") == std::string::npos || step.pc != 0) continue;
    ++calls;
    replay.to(s);
    EXPECT_TRUE(replay.registers(step.warp).empty()) << s;
    replay.to(s + 1);
    EXPECT_FALSE(replay.registers(step.warp).empty()) << s;
    replay.to(s);
    EXPECT_TRUE(replay.registers(step.warp).empty()) << s;
  }
  EXPECT_GE(calls, 4);  // of two launches of it, at least one calls itself
  const std::size_t store = step_of(history, 5, "st.global");
  replay.to(store);
  const auto rows = replay.registers({0, 0});
  const RegisterRow* value = find(rows, stored_register(history.text_of(store)));
  ASSERT_TRUE(value);
  constexpr std::uint64_t folded[] = {1, 1, 3, 5};
  for (std::uint32_t l = 0; l < 32; ++l) EXPECT_EQ(value->lanes[l], folded[l % 4] + 5);
}

TEST_P(HistoryOf, AFaultIsTheLastStep) {
  HistoryBench bench(R"(__global__ void k(int* out) {
  out[1000 * threadIdx.x] = 1;
}
)");
  const Buffer out = bench.zeros("out", ScalarType::int32, 32);
  const LaunchReport report = bench.launch({1}, {32}, {out}, GetParam());
  ASSERT_EQ(report.status, "cudaErrorIllegalAddress");
  ASSERT_TRUE(report.history);
  EXPECT_EQ(report.history->steps().back().line, GetParam() == Schedule::fast ? 2u : report.history->steps().back().line);
  Replay replay(report.history);
  replay.to(report.history->steps().size());
  EXPECT_TRUE(replay.global().empty());  // nothing was stored
}

INSTANTIATE_TEST_SUITE_P(Schedules, HistoryOf, testing::Values(Schedule::fast, Schedule::clock),
                         [](const auto& schedule) { return schedule.param == Schedule::fast ? "fast" : "clock"; });

TEST(History, ALoadChangesItsRegisterWhenMemoryAnswers) {
  HistoryBench bench(R"(__global__ void k(const int* in, int* out) {
  int v = in[threadIdx.x];
  out[threadIdx.x] = v + 1;
}
)");
  const Buffer in = bench.zeros("in", ScalarType::int32, 64), out = bench.zeros("out", ScalarType::int32, 64);
  const LaunchReport report = bench.launch({1}, {64}, {in, out}, Schedule::clock);
  ASSERT_TRUE(report.ok() && report.history) << say(report.message);
  const History& history = *report.history;
  const std::size_t load = step_of(history, 2, "ld.global"), add = step_of(history, 3, "add");
  const WarpRef warp = history.steps()[load].warp;
  ASSERT_EQ(history.steps()[add].warp, warp);
  ASSERT_LT(load + 1, add);  // the other warp's steps lie between
  const std::string text = history.text_of(load);
  const std::string name = text.substr(text.find('%'), text.find(',') - text.find('%'));
  Replay replay(report.history);
  replay.to(load + 1);
  EXPECT_FALSE(find(replay.registers(warp), name));
  replay.to(add);
  const auto rows = replay.registers(warp);
  const RegisterRow* value = find(rows, name);
  ASSERT_TRUE(value);
  EXPECT_EQ(value->changed, ~0u);
  EXPECT_EQ(value->line, 2u);
}

TEST(History, LanesThatStoreBytesOfOneWord) {
  HistoryBench bench(R"(__global__ void k(unsigned* out) {
  volatile __shared__ unsigned char bytes[32];
  bytes[threadIdx.x] = threadIdx.x + 1;
  bytes[threadIdx.x] = threadIdx.x + 0x41;
  __syncthreads();
  out[threadIdx.x] = bytes[31 - threadIdx.x];
}
)");
  const Buffer out = bench.zeros("out", ScalarType::uint32, 32);
  const LaunchReport report = bench.launch({1}, {32}, {out}, Schedule::fast);
  ASSERT_TRUE(report.ok() && report.history) << say(report.message);
  const History& history = *report.history;
  Replay replay(report.history);
  const auto first_word_behind = [&](std::uint32_t line) {
    replay.to(step_of(history, line, "st.volatile.shared") + 1);
    const std::vector<SharedWord> words = replay.shared(0);
    return words.size() == 8 ? words[0].value : 0;
  };
  EXPECT_EQ(first_word_behind(4), 0x44434241u);
  EXPECT_EQ(first_word_behind(3), 0x04030201u);
  EXPECT_EQ(first_word_behind(4), 0x44434241u);
}

TEST(History, StridesOfOneWarp) {
  HistoryBench bench(R"(__global__ void k(int* out) {
  out[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x + 64] = 2;
  __syncthreads();
  out[threadIdx.x + 128] = 3;
}
)");
  const Buffer out = bench.zeros("out", ScalarType::int32, 192);
  for (const Schedule schedule : {Schedule::fast, Schedule::clock}) {
    const LaunchReport report = bench.launch({1}, {64}, {out}, schedule);
    ASSERT_TRUE(report.history);
    const History& history = *report.history;
    const WarpRef warp{0, 1};
    const auto line = [&](std::size_t at) { return history.steps()[at].line; };
    const std::size_t begin = *history.next_of(0, warp), end = history.steps().size();
    const std::size_t second = *history.next_on_line(begin, 4, warp);
    EXPECT_EQ(line(second), 4u);
    EXPECT_EQ(history.steps()[second].warp, warp);
    const std::size_t first_barrier = history.next(begin, Stride::barrier, warp);
    EXPECT_EQ(line(first_barrier), 3u);
    EXPECT_EQ(line(history.next(first_barrier, Stride::barrier, warp)), 5u);
    EXPECT_EQ(history.next(history.next(first_barrier, Stride::barrier, warp), Stride::barrier, warp), end);
    EXPECT_EQ(line(history.previous(end, Stride::barrier, warp)), 5u);
    EXPECT_EQ(history.previous(first_barrier, Stride::barrier, warp), begin);  // none before: where the warp begins
    // Forward by lines and back again meets the same places.
    std::vector<std::size_t> stops{begin};
    while (history.next(stops.back(), Stride::line, warp) != end) stops.push_back(history.next(stops.back(), Stride::line, warp));
    EXPECT_GE(stops.size(), 5u);
    for (std::size_t s = stops.size(); s-- > 1;) EXPECT_EQ(history.previous(stops[s], Stride::line, warp), stops[s - 1]);
    for (std::size_t s = begin, next; (next = history.next(s, Stride::instruction, warp)) != end; s = next) {
      EXPECT_EQ(history.steps()[next].warp, warp);
      EXPECT_EQ(history.previous(next, Stride::instruction, warp), s);
    }
    EXPECT_FALSE(history.next_on_line(begin, 40, warp));
  }
}

TEST(History, TheNewestStepsAreKept) {
  HistoryBench bench(R"(__global__ void k(int* out, int n) {
  int v = threadIdx.x;
  for (int i = 0; i < n; ++i) v = v * 5 + i;
  out[threadIdx.x + 64 * blockIdx.x] = v;
}
)");
  const Buffer out = bench.zeros("out", ScalarType::int32, 64 * 40);
  const std::vector<Argument> arguments{out, Scalar::of(std::int32_t{500})};
  for (const Schedule schedule : {Schedule::fast, Schedule::clock}) {
    const LaunchReport whole = bench.launch({40}, {64}, arguments, schedule);
    constexpr std::size_t limit = 2 << 20;
    const LaunchReport report = bench.launch({40}, {64}, arguments, schedule, limit);
    ASSERT_TRUE(report.ok() && report.history && whole.history);
    const History& history = *report.history;
    EXPECT_EQ(whole.history->dropped(), 0u);
    EXPECT_GT(history.dropped(), 0u);
    EXPECT_EQ(history.dropped() + history.steps().size(), report.warp_instructions);
    EXPECT_LT(history.bytes(), 2 * limit);
    // What is kept is the same as the end of the whole.
    Replay kept(report.history), all(whole.history);
    for (const std::size_t back : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, history.steps().size()}) {
      kept.to(history.steps().size() - back);
      all.to(whole.history->steps().size() - back);
      for (const WarpRef& warp : history.warps()) {
        if (!history.next_of(kept.position(), warp)) continue;
        const auto a = kept.registers(warp), b = all.registers(warp);
        ASSERT_EQ(a.size(), b.size());
        for (std::size_t r = 0; r < a.size(); ++r) {
          EXPECT_EQ(a[r].name, b[r].name);
          EXPECT_EQ(a[r].lanes, b[r].lanes);
        }
      }
    }
  }
}

TEST(History, BlocksThatAreLongGoneTakeNoRoom) {
  HistoryBench bench(R"(__global__ void k(int* out) {
  __shared__ int tile[512];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = tile[31 - threadIdx.x];
}
)");
  const Buffer out = bench.zeros("out", ScalarType::int32, 32);
  constexpr std::size_t limit = 1 << 20;
  const LaunchReport report = bench.launch({8000}, {32}, {out}, Schedule::fast, limit);
  ASSERT_TRUE(report.ok() && report.history);
  EXPECT_GT(report.history->dropped(), 0u);
  EXPECT_LT(report.history->bytes(), 2 * limit);
}

TEST(History, IsThereOnlyWhenAskedFor) {
  HistoryBench bench("__global__ void k(int* out) { out[threadIdx.x] = 1; }");
  const Buffer out = bench.zeros("out", ScalarType::int32, 32);
  EXPECT_FALSE(bench.launch({1}, {32}, {out}, Schedule::clock, 0).history);
}

// ---- random kernels --------------------------------------------------------------------------------------------------

std::uint32_t word_at(std::span<const std::byte> bytes, std::size_t at) {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes.data() + at, std::min<std::size_t>(sizeof word, bytes.size() - at));
  return word;
}

/// Some stores to global memory: each writes the value of the register that it names.
void probe_stores(Replay& replay, std::mt19937& random) {
  const History& history = replay.history();
  for (int probe = 0; probe < 200; ++probe) {
    const std::size_t s = random() % history.steps().size();
    const std::string& text = history.text_of(s);
    if (!text.starts_with("st.global.u32") && !text.starts_with("st.global.b32") && !text.starts_with("st.global.f32")) continue;
    const HistoryStep& step = history.steps()[s];
    replay.to(s);
    const auto rows = replay.registers(step.warp);
    const RegisterRow* value = find(rows, stored_register(text));
    if (!value) continue;
    replay.to(s + 1);
    std::size_t word = 0;
    for (std::uint32_t l = 0; l < 32; ++l)
      if (step.mask >> l & 1u && word < replay.global().size()) {
        EXPECT_EQ(replay.global()[word++].after, value->lanes[l]) << text;
      }
  }
}

void check(Device& device, const RandomKernel& kernel, Schedule schedule, std::uint64_t seed) {
  const auto program = compiler().adopt_ptx("random.ptx", kernel.ptx);
  ASSERT_TRUE(program);
  const Buffer in = *device.allocate({"in", ScalarType::uint32, {RandomKernel::in_bytes / 4}});
  std::vector<std::uint32_t> values(RandomKernel::in_bytes / 4);
  std::mt19937 random(static_cast<unsigned>(seed));
  for (std::uint32_t& value : values) value = static_cast<std::uint32_t>(random());
  ASSERT_TRUE(device.write(in, std::as_bytes(std::span(values))));
  const Buffer out = *device.allocate({"out", ScalarType::uint8, {kernel.out_bytes}});
  const Buffer counters = *device.allocate({"counters", ScalarType::uint8, {RandomKernel::counter_bytes}});
  for (const Buffer& buffer : {out, counters}) ASSERT_TRUE(device.fill(buffer, Scalar::of(std::uint8_t{0})));
  LaunchRequest request;
  request.program = *program;
  request.grid = kernel.grid;
  request.block = kernel.block;
  request.arguments = {in, out, counters, Scalar::of(kernel.scalar)};
  request.observe.history = std::size_t{1} << 30;
  request.schedule = schedule;
  const LaunchReport report = device.launch(request);
  ASSERT_TRUE(report.ok() && report.history) << say(report.message);
  const History& history = *report.history;
  const std::size_t end = history.steps().size();
  ASSERT_GT(end, 0u);
  EXPECT_EQ(end, report.warp_instructions);

  // All stores together, in their order, are what memory holds; and each took its value from the register it names.
  std::map<std::uint64_t, std::uint32_t> stored;  // by the word
  Replay replay(report.history);
  std::vector<std::string> states;
  const bool small = end <= 3000 && history.warps().size() <= 8;
  for (std::size_t s = 0; s <= end; ++s) {
    replay.to(s);
    for (const GlobalWord& word : replay.global()) {
      std::uint32_t& value = stored[word.address];
      // Of a word written in part, before and after agree elsewhere and are zero there.
      value = (value & ~(word.before | word.after)) | word.after;
    }
    if (small && s % 64 == 0) states.push_back(shown(replay));
  }
  for (const Buffer& buffer : {out, counters}) {
    const auto bytes = device.mapped(buffer);
    const auto array = std::find_if(history.arrays().begin(), history.arrays().end(),
                                    [&](const HistoryArray& a) { return a.name == buffer.array.name; });
    ASSERT_NE(array, history.arrays().end());
    for (std::size_t at = 0; at < bytes.size(); at += 4) {
      const auto word = stored.find(array->base + at);
      ASSERT_EQ(word_at(bytes, at), word == stored.end() ? 0u : word->second) << buffer.array.name << " + " << at;
    }
  }

  // Back again, step by step, and by jumps: the same states.
  if (small) {
    for (std::size_t s = end + 1; s-- > 0;) {
      replay.to(s);
      if (s % 64 == 0) {
        ASSERT_EQ(shown(replay), states[s / 64]) << "back to " << s;
      }
    }
    for (int jump = 0; jump < 20; ++jump) {
      const std::size_t to = random() % states.size();
      replay.to(64 * to);
      ASSERT_EQ(shown(replay), states[to]) << "jump to " << 64 * to;
    }
  }
  if (schedule == Schedule::fast) probe_stores(replay, random);  // the clock's stores land later
  for (const Buffer& buffer : {in, out, counters}) device.release(buffer);
}

TEST(History, OfRandomKernels) {
  const std::uint64_t count = warpbook::test::how_many("WARPBOOK_RANDOM_KERNELS", 20);
  const auto device = std::move(*make_virtual_device(compiler()));
  for (std::uint64_t seed = 0; seed < count; ++seed)
    for (const Schedule schedule : {Schedule::fast, Schedule::clock}) {
      check(*device, test::random_kernel(seed), schedule, seed);
      ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed << (schedule == Schedule::clock ? ", clock" : ", fast");
    }
}

}  // namespace
}  // namespace warpbook::gpu
