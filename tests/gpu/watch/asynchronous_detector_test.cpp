// AsynchronousDetector: what a detector hears behind the launch is what it would have heard at once.
#include "gpu/virtual/watch/asynchronous_detector.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <stdexcept>

#include "tests/gpu/watch/script.h"

namespace warpbook::gpu::watch {
namespace {

/// Writes down what it hears, as far as asynchronous promises it.
class Listener final : public Detector {
 public:
  using Detector::Detector;
  void on_access(const vm::Access& a) override {
    std::string text = fmt::format(
        "{} access {} pc {} warp {}.{} kind {} space {} mask {:x} bytes {} rows {} {} order {} scope {} barrier object {} {:x}:",
        findings_.moment, static_cast<const void*>(a.site.function), a.site.pc, a.warp.block, a.warp.warp, static_cast<int>(a.kind),
        static_cast<int>(a.space), a.mask, a.bytes, static_cast<int>(a.rows), a.only_read, static_cast<int>(a.order),
        static_cast<int>(a.scope), static_cast<int>(a.barrier_object), a.ended_phase);
    const bool values = (a.value || a.words) && a.kind == vm::Access::Kind::store;
    for (unsigned lane = 0; lane < 32; ++lane) {
      if (!(a.mask >> lane & 1)) continue;
      text += fmt::format(" {:x}", a.address[lane]);
      if (values) text += fmt::format("={:x}", a.words ? a.words[lane] : a.value[lane]);
    }
    heard.push_back(text);
    if (on_event) on_event();
  }
  void on_synchronise(const vm::Synchronisation& s) override {
    std::string text =
        fmt::format("{} synchronise {} pc {} warp {}.{} kind {} mask {:x} scope {} barrier {} groups {} {}:", findings_.moment,
                    static_cast<const void*>(s.site.function), s.site.pc, s.warp.block, s.warp.warp, static_cast<int>(s.kind),
                    s.mask, static_cast<int>(s.scope), s.barrier, s.groups, s.sources_only);
    for (const std::uint32_t warp : s.participants) text += fmt::format(" {}", warp);
    heard.push_back(text);
  }
  void on_block_end(std::uint32_t block) override { heard.push_back(fmt::format("end of block {}", block)); }

  std::vector<std::string> heard;
  std::function<void()> on_event;
};

struct Behind {
  LaunchContext context;
  Findings findings{10};
  Listener listener{context, findings};
};

/// An access as the vm may tell it: rows of eight, one place for all, lanes near each other or anywhere, few or many.
void tell_some_access(std::mt19937_64& random, std::uint64_t moment, Listener& at_once, Findings& findings,
                      AsynchronousDetector& asynchronous) {
  const auto below = [&](std::uint64_t n) { return random() % n; };
  static const ptx::Function functions[2];
  std::uint64_t address[32], value[32];
  for (auto& v : value) v = random();
  vm::Access access;
  access.site = {&functions[below(2)], static_cast<std::uint32_t>(below(1000))};
  access.warp = {static_cast<std::uint32_t>(random()), static_cast<std::uint32_t>(below(32))};
  access.kind = static_cast<vm::Access::Kind>(below(3));
  access.space = below(2) ? ptx::Space::shared : ptx::Space::global;
  access.order = static_cast<ptx::Order>(below(8));
  access.scope = static_cast<ptx::Scope>(below(5));
  access.bytes = 1u << below(6);
  access.only_read = below(2);
  access.barrier_object = static_cast<vm::Access::BarrierObject>(below(3));
  access.ended_phase = static_cast<std::uint32_t>(random());
  access.rows = static_cast<vm::Access::Rows>(below(3));
  const std::uint64_t base = below(2) ? random() : below(4096);
  if (access.rows == vm::Access::Rows::unknown) {
    access.mask = static_cast<std::uint32_t>(below(3) ? random() : 1u << below(32));
    if (below(8) == 0) access.mask |= 1;
    const std::uint64_t spread = below(2) ? std::uint64_t{1} << (8 + below(56)) : 64;
    for (auto& a : address) a = base + below(spread) - spread / 2;
  } else {
    for (unsigned lane = 0; lane < 32; lane += 8) {
      if (below(4)) access.mask |= 0xffu << lane;
      const bool same = access.rows == vm::Access::Rows::same;
      const std::uint64_t first = below(3) ? base + (same ? 0 : lane * access.bytes) : random();
      for (unsigned k = 0; k < 8; ++k) address[lane + k] = first + (same ? 0 : k * access.bytes);
    }
  }
  for (unsigned lane = 0; lane < 32; ++lane)
    if (access.bytes <= 4) value[lane] &= 0xffffffffu >> (32 - 8 * access.bytes);
  access.address = address;
  std::uint32_t words[32];
  std::copy(std::begin(value), std::end(value), words);
  const bool known = below(3) > 0, fit = access.bytes <= 4 && below(2);
  if (known && fit) access.words = words;
  if (known && !fit) access.value = value;
  findings.moment = moment;
  if (access.mask) at_once.on_access(access);  // of nobody there is nothing to hear
  asynchronous.on_access(access, moment);
}

TEST(AsynchronousDetector, WhatIsHeardIsWhatWasTold) {
  for (const std::size_t batch : {std::size_t{1}, std::size_t{4096}, std::size_t{32} << 10}) {
    std::mt19937_64 random(batch);
    Behind direct, behind;
    AsynchronousDetector asynchronous(behind.listener, behind.findings, batch, 1000);
    std::uint64_t moment = 0;
    for (int k = 0; k < 5000; ++k) {
      ++moment;
      if (random() % 8) {
        tell_some_access(random, moment, direct.listener, direct.findings, asynchronous);
        continue;
      }
      std::uint32_t warps[32];
      for (auto& warp : warps) warp = static_cast<std::uint32_t>(random() % 32);
      const bool copies = random() % 3 == 0;
      const vm::Synchronisation event{.site = {nullptr, static_cast<std::uint32_t>(random() % 9)},
                                      .warp = {static_cast<std::uint32_t>(random()), 3},
                                      .kind = static_cast<vm::Synchronisation::Kind>(random() % 5),
                                      .mask = static_cast<std::uint32_t>(random()),
                                      .scope = static_cast<ptx::Scope>(random() % 5),
                                      .barrier = copies ? 0 : static_cast<std::uint32_t>(random() % 17),
                                      .participants = {warps, static_cast<std::size_t>(random() % 33)},
                                      .copy = copies ? ptx::Copy::bulk_group : ptx::Copy::none,
                                      .sources_only = copies && random() % 2,
                                      .groups = copies ? static_cast<std::uint32_t>(random()) : 0};
      direct.findings.moment = moment;
      direct.listener.on_synchronise(event);
      asynchronous.on_synchronise(event, moment);
      direct.listener.on_block_end(event.warp.block);
      asynchronous.on_block_end(event.warp.block);
    }
    asynchronous.finish();
    ASSERT_EQ(behind.listener.heard.size(), direct.listener.heard.size());
    for (std::size_t k = 0; k < direct.listener.heard.size(); ++k)
      ASSERT_EQ(behind.listener.heard[k], direct.listener.heard[k]) << "event " << k << ", batches of " << batch;
  }
}

/// Stores of one lane, so many.
void tell_stores(AsynchronousDetector& asynchronous, int count) {
  std::uint64_t address[32] = {};
  vm::Access access;
  access.mask = 1;
  access.bytes = 4;
  access.address = address;
  for (int k = 0; k < count; ++k) asynchronous.on_access(access, static_cast<std::uint64_t>(k));
}

TEST(AsynchronousDetector, FewEventsStartNoThread) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "one core";
  const auto told_here = [](int count, std::uint64_t few) {
    Behind behind;
    bool here = true;
    behind.listener.on_event = [&, me = std::this_thread::get_id()] { here = here && std::this_thread::get_id() == me; };
    AsynchronousDetector asynchronous(behind.listener, behind.findings, 1, few);
    tell_stores(asynchronous, count);
    asynchronous.finish();
    EXPECT_EQ(behind.listener.heard.size(), static_cast<std::size_t>(count));
    return here;
  };
  EXPECT_TRUE(told_here(3, 10));
  EXPECT_TRUE(told_here(10, 10));
  EXPECT_TRUE(told_here(11, 10));  // what is left when all is over needs none
  EXPECT_FALSE(told_here(200, 10));
  EXPECT_FALSE(told_here(200, 0));
}

TEST(AsynchronousDetector, WhatTheDetectorThrowsFinishThrows) {
  for (const std::uint64_t few : {0, 3000}) {
    Behind behind;
    int events = 0;
    behind.listener.on_event = [&] {
      if (++events == 2000) throw std::runtime_error("no memory");
    };
    AsynchronousDetector asynchronous(behind.listener, behind.findings, 1, few);
    EXPECT_THROW(
        {
          tell_stores(asynchronous, 10000);
          asynchronous.finish();
        },
        std::runtime_error);
    EXPECT_LT(behind.listener.heard.size(), 10000u);
  }
}

TEST(AsynchronousDetector, LeftInTheMiddle) {
  Behind behind;
  {
    AsynchronousDetector asynchronous(behind.listener, behind.findings, 1, 10);
    tell_stores(asynchronous, 1000);
  }
  EXPECT_LE(behind.listener.heard.size(), 1000u);
}

/// Findings of both threads come in the order of first sight, and no more than asked for.
TEST(AsynchronousDetector, FindingsAreJoinedInOrder) {
  for (const std::size_t most : {std::size_t{20}, std::size_t{3}}) {
    Script script({.memory = true, .race = true, .trace = {}}, {.grid = {2}, .limits = {.max_findings = most}});
    vm::Access outside;
    outside.bad = 1;
    outside.problem = vm::Access::Problem::out_of_bounds;
    for (std::uint32_t k = 0; k < 5; ++k) {
      for (const std::uint32_t block : {0u, 1u}) script.store(10 + k, {block, 0}, one_lane(0), element(k));
      script.load(20 + k, {0, 0}, one_lane(0), element(5000), outside);
    }
    const LaunchReport report = script.report();
    std::vector<std::uint32_t> lines;
    for (const Finding& finding : report.findings) lines.push_back(finding.at.line);
    std::vector<std::uint32_t> expected{10, 20, 11, 21, 12, 22, 13, 23, 14, 24};
    expected.resize(std::min(most, expected.size()));
    EXPECT_EQ(lines, expected);
    EXPECT_EQ(report.findings_left_out, 10 - expected.size());
  }
}

}  // namespace
}  // namespace warpbook::gpu::watch
