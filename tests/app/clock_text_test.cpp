// The clock model's figures and costs by line, in words and in JSON.
#include "app/commands/clock_text.h"

#include <gtest/gtest.h>

#include "app/commands/report_text.h"

namespace warpbook::app {
namespace {

using gpu::WarpState;

constexpr std::string_view source = "__global__ void k() {\n  c[0] += 1;\n}";

gpu::WarpCycles cycles(std::uint64_t issued, std::uint64_t memory, std::uint64_t barrier = 0) {
  gpu::WarpCycles all{};
  all[static_cast<std::size_t>(WarpState::issued)] = issued;
  all[static_cast<std::size_t>(WarpState::memory)] = memory;
  all[static_cast<std::size_t>(WarpState::barrier)] = barrier;
  return all;
}

gpu::LaunchReport report() {
  gpu::LaunchReport report;
  report.kernel = "k";
  report.device = "Virtual GPU";
  gpu::ClockReport& clock = report.clock.emplace();
  clock.profile = "T4";
  clock.cycles = 1000;
  clock.us = 0.63;
  clock.blocks = 8;
  clock.blocks_simulated = 2;
  clock.issued = 30;
  clock.issue_slots = 400;
  clock.occupancy = 0.25;
  clock.theoretical_occupancy = 0.5;
  clock.resident_blocks = 4;
  clock.warp_cycles = cycles(30, 60, 10);
  clock.l1 = {.sectors = 8, .hits = 6, .bytes_read = 256, .bytes_written = 0};
  clock.dram = {.sectors = 2, .hits = 0, .bytes_read = 64, .bytes_written = 12'500};
  clock.dram_gb_per_s = 12.25;
  clock.dram_limit_gb_per_s = 320;
  clock.shared_requests = 4;
  clock.shared_passes = 128;
  clock.timeline.lanes = {{.sm = 1, .scheduler = 2, .block = 3, .warp = 4, .spans = {{10, 14, WarpState::memory, 2, 7}}}};
  report.lines = {{.line = 1, .warp_instructions = 2, .thread_instructions = 64, .warp_cycles = cycles(20, 0)},
                  {.line = 2,
                   .warp_instructions = 4,
                   .thread_instructions = 64,
                   .global_requests = 2,
                   .sectors = 8,
                   .fewest_sectors = 8,
                   .warp_cycles = cycles(20, 60)}};
  return report;
}

TEST(ClockJson, HasTheModelsFiguresAndSaysThatItIsOne) {
  const auto json = clock_json(*report().clock);
  EXPECT_EQ(json["label"], "model");
  EXPECT_EQ(json["profile"], "T4");
  EXPECT_EQ(json["sampled"], true);
  EXPECT_EQ(json["issue_use"], 0.075);
  EXPECT_EQ(dump(json["warp_cycles"]),
            R"({"issued":30,"not_selected":0,"arithmetic":0,"unit_busy":0,"memory":60,"shared":0,"memory_busy":0,"fence":0,)"
            R"("barrier":10,"lanes":0})");
  EXPECT_EQ(dump(json["l1"]), R"({"sectors":8,"hits":6,"bytes_read":256,"bytes_written":0})");
}

TEST(LinesJson, TellsWhatWasNotObservedFromNothing) {
  gpu::LaunchReport watched = report();
  watched.observed[gpu::FindingKind::coalescing] = gpu::Observation::none_found;
  const auto lines = lines_json(watched, source);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[1]["line"], 2);
  EXPECT_EQ(lines[1]["text"], "c[0] += 1;");
  EXPECT_EQ(lines[1]["active_lanes"], 16.0);
  EXPECT_EQ(lines[1]["sectors"], 8);
  EXPECT_EQ(lines[0]["sectors"], 0);                 // looked, and there was none
  EXPECT_TRUE(lines[1]["shared_passes"].is_null());  // nobody looked
  EXPECT_TRUE(lines[1]["branches"].is_null());
  EXPECT_EQ(lines[1]["warp_cycles"]["memory"], 60);

  watched.clock.reset();
  EXPECT_TRUE(lines_json(watched, source)[1]["warp_cycles"].is_null());
  EXPECT_FALSE(lines_json(watched, "")[1].contains("text"));  // PTX: its lines are another file's
}

TEST(ClockText, SaysWhatWarpsDidAndWhere) {
  EXPECT_EQ(clock_text(report(), source),
            "By the clock model of the T4, from 2 of 8 blocks: occupancy 25 % of at most 50 % (blocks resident on an SM: 4), 7.5 % "
            "of the issue slots used.\n"
            "What warps did:\n"
            "   60.0 %  memory        It waits for a value from global memory.\n"
            "   30.0 %  issued        Its instruction was issued.\n"
            "   10.0 %  barrier       It waits at a barrier for other warps of its block.\n"
            "Where warps stood:\n"
            "   80.0 %  line 2    c[0] += 1;                                75 % memory\n"
            "   20.0 %  line 1    __global__ void k() {                     100 % issued\n"
            "Found in L1 75 % of 8 sectors, in L2 0 % of 0 sectors; 64 B read from memory and 12.5 KB written to it, 12.2 of 320 "
            "GB/s.\n"
            "Shared memory took 128 passes for 4 requests.\n");
  gpu::LaunchReport fast = report();
  fast.clock.reset();
  EXPECT_EQ(clock_text(fast, source), "");
}

TEST(TraceEvents, AreWhatPerfettoOpens) {
  const auto trace = trace_events(report(), source);
  EXPECT_EQ(trace["otherData"]["label"], "model");
  ASSERT_EQ(trace["traceEvents"].size(), 3U);
  EXPECT_EQ(dump(trace["traceEvents"][0]), R"({"ph":"M","name":"process_name","pid":1,"args":{"name":"SM 1"}})");
  EXPECT_EQ(trace["traceEvents"][1]["args"]["name"], "scheduler 2: block 3, warp 4");
  EXPECT_EQ(dump(trace["traceEvents"][2]), R"({"ph":"X","name":"memory","cat":"model","pid":1,"tid":0,"ts":10,"dur":4,)"
                                           R"("args":{"line":2,"pc":7,"text":"c[0] += 1;"}})");
}

}  // namespace
}  // namespace warpbook::app
