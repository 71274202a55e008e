// HostClock: CUDA's rules of streams, each against what a host with a pencil would note.
#include "lessons/host_clock.h"

#include <gtest/gtest.h>

namespace warpbook::lessons {
namespace {

using Engine = HostClock::Engine;

TEST(HostClock, AStreamGoesInOrderAndTwoStreamsSideBySide) {
  HostClock clock(2);
  const auto a = clock.new_stream(), b = clock.new_stream();
  EXPECT_EQ(clock.work(a, Engine::to_device, 0, 10).end, 10);
  EXPECT_EQ(clock.work(a, Engine::kernels, 0, 10).begin, 10) << "after its copy";
  EXPECT_EQ(clock.work(b, Engine::to_device, 0, 10).begin, 10) << "the engine is busy with a's";
  const HostClock::Span second = clock.work(b, Engine::kernels, 0, 10);
  EXPECT_EQ(second.begin, 20) << "after its copy, and after a's kernel";
  EXPECT_EQ(clock.work(a, Engine::to_host, 0, 10).begin, 20) << "beside b's kernel";
  EXPECT_EQ(clock.done(a), 30);
  EXPECT_EQ(clock.all_done(), 30);
}

TEST(HostClock, ThreeChunksThroughThreeEnginesTakeFiveSteps) {
  HostClock clock(2);
  for (int chunk = 0; chunk < 3; ++chunk) {
    const auto stream = clock.new_stream();
    clock.work(stream, Engine::to_device, 0, 10);
    clock.work(stream, Engine::kernels, 0, 10);
    clock.work(stream, Engine::to_host, 0, 10);
  }
  EXPECT_EQ(clock.all_done(), 50) << "of 90 one after the other";
}

TEST(HostClock, OneCopyEngineIsSharedByBothDirections) {
  for (const auto& [engines, begin] : {std::pair{2, 0.0}, std::pair{3, 0.0}, std::pair{1, 10.0}, std::pair{0, 10.0}}) {
    HostClock clock(engines);
    const auto a = clock.new_stream(), b = clock.new_stream();
    clock.work(a, Engine::to_device, 0, 10);
    EXPECT_EQ(clock.work(b, Engine::to_host, 0, 10).begin, begin) << engines;
  }
  HostClock none(0);
  const auto a = none.new_stream(), b = none.new_stream();
  none.work(a, Engine::kernels, 0, 10);
  EXPECT_EQ(none.work(b, Engine::to_device, 0, 10).begin, 10) << "without a copy engine nothing overlaps";
}

TEST(HostClock, TheDefaultStreamWaitsForAllAndAllForIt) {
  HostClock clock(2);
  const auto a = clock.new_stream(), b = clock.new_stream();
  clock.work(a, Engine::kernels, 0, 10);
  EXPECT_EQ(clock.work(0, Engine::to_device, 0, 10).begin, 10);
  EXPECT_EQ(clock.work(b, Engine::to_host, 0, 10).begin, 20);
}

TEST(HostClock, AStreamThatWaitsForAnEventBeginsAfterIt) {
  HostClock clock(2);
  const auto a = clock.new_stream(), b = clock.new_stream();
  clock.work(a, Engine::to_device, 0, 10);
  clock.hold(b, clock.done(a));
  EXPECT_EQ(clock.work(b, Engine::kernels, 0, 5).begin, 10);
}

}  // namespace
}  // namespace warpbook::lessons
