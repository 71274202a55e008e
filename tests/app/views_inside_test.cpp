// Where things stand in the views of the inside: the timeline's pixels, a request's sectors and banks, the heat beside the lines.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "app/session/heat.h"
#include "app/views/call_layout.h"
#include "app/views/lane_layout.h"
#include "app/views/layout.h"
#include "app/views/ordering_layout.h"
#include "app/views/request_layout.h"
#include "app/views/timeline_layout.h"

namespace warpbook::app {
namespace {

using gpu::AccessRecord;
using gpu::WarpLane;
using gpu::WarpState;

WarpLane lane(std::uint16_t sm, std::uint16_t scheduler, std::vector<WarpLane::Span> spans) {
  WarpLane made;
  made.sm = sm;
  made.scheduler = scheduler;
  made.spans = std::move(spans);
  return made;
}
constexpr auto issued = WarpState::issued, memory = WarpState::memory, barrier = WarpState::barrier;

// ---- the timeline's rows ----

TEST(LaneRows, WarpsThatFollowEachOtherShareARow) {
  gpu::Timeline timeline;
  timeline.lanes = {lane(0, 0, {{0, 10, issued}}), lane(0, 0, {{5, 20, issued}}), lane(0, 0, {{10, 30, issued}}),
                    lane(0, 1, {{0, 5, issued}}),  lane(1, 0, {{0, 5, issued}}),  lane(1, 0, {})};
  const LaneRows rows = pack_lanes(timeline, {.pitch = 8, .scheduler_gap = 2, .sm_gap = 6});
  ASSERT_EQ(rows.rows.size(), 4U);
  EXPECT_EQ(rows.rows[0].lanes, (std::vector<std::uint32_t>{0, 2}));
  EXPECT_EQ(rows.rows[1].lanes, (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(rows.rows[2].scheduler, 1U);
  EXPECT_EQ(rows.rows[2].y, 18);
  EXPECT_EQ(rows.rows[3].sm, 1U);
  EXPECT_EQ(rows.rows[3].y, 32);
  EXPECT_EQ(rows.height, 40);
  const LaneCount count = count_of(rows);
  EXPECT_EQ(count.rows, 4U);
  EXPECT_EQ(count.schedulers, 3U);
  EXPECT_EQ(count.sms, 2U);
  EXPECT_EQ(rows.hit(19), std::optional<std::size_t>(2));
  EXPECT_FALSE(rows.hit(17).has_value());  // between two schedulers
  EXPECT_FALSE(rows.hit(-1).has_value());
  EXPECT_FALSE(rows.hit(40).has_value());
  EXPECT_EQ(lane_at(timeline, rows.rows[0], 12), &timeline.lanes[2]);
  EXPECT_EQ(lane_at(timeline, rows.rows[3], 12), nullptr);
}

// ---- the timeline's pixels ----

TEST(LanePieces, ASpanWiderThanAPixelIsDrawnWhole) {
  const WarpLane one = lane(0, 0, {{0, 10, issued}, {10, 100, memory}});
  const auto pieces = pieces_of(one, {0, 100}, 50);
  ASSERT_EQ(pieces.size(), 2U);
  EXPECT_EQ(pieces[0].end, 5U);
  EXPECT_EQ(pieces[0].state, issued);
  EXPECT_EQ(pieces[0].issued, 1);
  EXPECT_EQ(pieces[1].begin, 5U);
  EXPECT_EQ(pieces[1].end, 50U);
  EXPECT_EQ(pieces[1].state, memory);
  EXPECT_EQ(pieces[1].issued, 0);
}

TEST(LanePieces, APixelOfManyCyclesShowsTheLongestWaitAndTheShareOfIssues) {
  // In every 10 cycles: 1 issued, 7 waiting for memory, 2 at a barrier.
  WarpLane one = lane(0, 0, {});
  for (std::uint64_t c = 0; c < 1000; c += 10) {
    one.spans.push_back({c, c + 1, issued});
    one.spans.push_back({c + 1, c + 8, memory});
    one.spans.push_back({c + 8, c + 10, barrier});
  }
  const auto pieces = pieces_of(one, {0, 1000}, 20);
  ASSERT_EQ(pieces.size(), 1U);
  EXPECT_EQ(pieces[0].end, 20U);
  EXPECT_EQ(pieces[0].state, memory);
  EXPECT_FLOAT_EQ(pieces[0].issued, 0.125f);
}

TEST(LanePieces, OnlyWhatIsInSightIsThere) {
  const WarpLane one = lane(0, 0, {{100, 200, issued}, {200, 300, memory}, {300, 400, barrier}});
  const auto pieces = pieces_of(one, {250, 350}, 100);
  ASSERT_EQ(pieces.size(), 2U);
  EXPECT_EQ(pieces[0].begin, 0U);
  EXPECT_EQ(pieces[0].end, 50U);
  EXPECT_EQ(pieces[1].state, barrier);
  EXPECT_EQ(pieces[1].end, 100U);
  EXPECT_TRUE(pieces_of(one, {400, 500}, 100).empty());
  EXPECT_TRUE(pieces_of(one, {0, 100}, 100).empty());
  EXPECT_TRUE(pieces_of(one, {100, 100}, 100).empty());
  EXPECT_TRUE(pieces_of(one, {0, 100}, 0).empty());
}

/// Against an oracle that looks at every cycle by itself.
TEST(LanePieces, AgreeWithCountingCycleByCycle) {
  std::mt19937 random(5);
  for (int round = 0; round < 60; ++round) {
    WarpLane one = lane(0, 0, {});
    std::uint64_t at = random() % 20;
    const std::uint64_t first = at;
    while (at < 400) {
      const std::uint64_t end = at + 1 + random() % (round % 2 == 0 ? 4 : 60);
      one.spans.push_back({at, end, static_cast<WarpState>(random() % gpu::warp_states)});
      at = end;
    }
    const std::uint32_t cycles_a_column = 1 + random() % 16;  // whole cycles, so that the oracle is exact
    const std::uint64_t from = random() % 50;
    const std::uint32_t columns = 20;
    std::vector<const LanePiece*> shown(columns, nullptr);
    const auto pieces = pieces_of(one, {double(from), double(from + std::uint64_t{columns} * cycles_a_column)}, columns);
    for (const LanePiece& piece : pieces) {
      ASSERT_LT(piece.begin, piece.end);
      for (std::uint32_t c = piece.begin; c < piece.end; ++c) {
        ASSERT_EQ(shown.at(c), nullptr) << "two pieces in one column";
        shown[c] = &piece;
      }
    }
    for (std::uint32_t c = 0; c < columns; ++c) {
      std::array<int, gpu::warp_states> count{};
      int all = 0;
      for (std::uint64_t cycle = from + c * cycles_a_column; cycle < from + (c + 1) * cycles_a_column; ++cycle) {
        if (cycle < first || cycle >= at) continue;
        const auto* span = span_at(one, double(cycle));
        ASSERT_NE(span, nullptr);
        ++count[static_cast<std::size_t>(span->state)];
        ++all;
      }
      if (all == 0) {
        EXPECT_EQ(shown[c], nullptr);
        continue;
      }
      ASSERT_NE(shown[c], nullptr);
      const int waits = *std::max_element(count.begin() + 1, count.end());
      EXPECT_EQ(waits == 0 ? 0 : count[static_cast<std::size_t>(shown[c]->state)], waits);
      EXPECT_NEAR(shown[c]->issued, double(count[0]) / all, 0.1251);
      EXPECT_EQ(shown[c]->issued > 0, count[0] > 0);
    }
  }
}

TEST(IssuedShares, AreThoseOfAllTheSchedulersWarps) {
  gpu::Timeline timeline;
  timeline.lanes = {lane(0, 0, {{0, 2, issued}, {2, 40, memory}}), lane(0, 0, {{2, 3, issued}, {3, 35, memory}, {35, 40, issued}}),
                    lane(0, 1, {{10, 20, issued}}), lane(1, 0, {{20, 30, issued}})};
  EXPECT_EQ(issued_shares(timeline, 0, 0, {0, 40}, 4), (std::vector<float>{0.3f, 0, 0, 0.5f}));
  EXPECT_EQ(issued_shares(timeline, 0, 1, {0, 40}, 4), (std::vector<float>{0, 1, 0, 0}));
  EXPECT_EQ(issued_shares(timeline, 0, 0, {1, 3}, 4), (std::vector<float>{1, 1, 1, 1})) << "half a cycle a pixel";
  EXPECT_EQ(issued_shares(timeline, 0, 0, {10, 20}, 2), (std::vector<float>{0, 0})) << "idle";
}

TEST(AxisPart, ZoomKeepsWhatIsUnderTheMouse) {
  const AxisPart closer = zoom({0.2, 0.6}, 0.25, 0.5, 0.001);
  EXPECT_DOUBLE_EQ(closer.from + 0.25 * (closer.to - closer.from), 0.3);
  EXPECT_DOUBLE_EQ(closer.to - closer.from, 0.2);
  const AxisPart whole = zoom(closer, 0.9, 100, 0.001);
  EXPECT_TRUE(whole.whole());
  const AxisPart closest = zoom({0.2, 0.6}, 0.5, 1e-9, 0.01);
  EXPECT_NEAR(closest.to - closest.from, 0.01, 1e-12);
}

TEST(AxisPart, PanStaysOnTheAxis) {
  EXPECT_DOUBLE_EQ(pan({0.2, 0.4}, 0.5).from, 0.3);
  EXPECT_DOUBLE_EQ(pan({0.2, 0.4}, -5).from, 0);
  EXPECT_DOUBLE_EQ(pan({0.2, 0.4}, 50).to, 1);
  EXPECT_TRUE(pan({0, 1}, 0.5).whole());
}

// ---- a request to memory ----

AccessRecord request(bool shared, std::int32_t stride, std::int32_t first = 0, std::uint32_t lanes = 32, std::uint32_t bytes = 4) {
  AccessRecord record;
  record.shared = shared;
  record.buffer = shared ? 0 : 7;
  record.bytes = bytes;
  record.mask = lanes == 32 ? ~0U : (1U << lanes) - 1;
  for (std::uint32_t lane = 0; lane < lanes; ++lane) record.index[lane] = first + static_cast<std::int32_t>(lane) * stride;
  return record;
}

TEST(GlobalTouch, NeighboursNeedFourSectorsAndStridesUpToThirtyTwo) {
  const GlobalTouch row = touch_of(request(false, 1), 4, 8);
  EXPECT_EQ(row.sectors, 4U);
  EXPECT_EQ(row.asked_bytes, 128U);
  ASSERT_EQ(row.lines.size(), 1U);
  EXPECT_EQ(row.lines[0].lanes[5], 1U << 5);
  const GlobalTouch shifted = touch_of(request(false, 1, 1), 4, 8);
  EXPECT_EQ(shifted.sectors, 5U);
  EXPECT_EQ(shifted.lines.size(), 2U);
  const GlobalTouch strided = touch_of(request(false, 32), 4, 8);
  EXPECT_EQ(strided.sectors, 32U);
  EXPECT_EQ(strided.asked_bytes, 128U);
  EXPECT_EQ(strided.lines.size(), 8U);
  EXPECT_EQ(strided.lines_left_out, 24U);
  EXPECT_EQ(strided.lines[3].first, 96);
  EXPECT_EQ(strided.lines[3].sectors, 1U);
}

TEST(GlobalTouch, OneElementForAllIsOneSector) {
  const GlobalTouch same = touch_of(request(false, 0, 100), 4, 8);
  EXPECT_EQ(same.sectors, 1U);
  EXPECT_EQ(same.asked_bytes, 4U);
  EXPECT_EQ(same.lines[0].lanes[4], ~0U);
}

TEST(GlobalTouch, RowsAreThoseThatAreDrawn) {
  for (const std::int32_t stride : {0, 1, 2, 8, 31, 32, 33}) {
    for (const std::uint32_t bytes : {4U, 8U, 16U}) {
      const AccessRecord record = request(false, stride * static_cast<std::int32_t>(bytes / 4), 8, 29, bytes);
      const GlobalTouch touch = touch_of(record, 4, 5);
      EXPECT_EQ(rows_of(record, 4), touch.lines.size() + touch.lines_left_out) << stride << " " << bytes;
    }
  }
  EXPECT_EQ(rows_of(request(true, 32), 4), 32U);
}

TEST(GlobalTouch, WideElementsAndVectors) {
  EXPECT_EQ(touch_of(request(false, 1, 0, 32, 8), 8, 8).sectors, 8U);     // double
  const GlobalTouch four = touch_of(request(false, 4, 0, 32, 16), 4, 8);  // float4: lane k wants elements 4k … 4k + 3
  EXPECT_EQ(four.sectors, 16U);
  EXPECT_EQ(four.asked_bytes, 512U);
  EXPECT_EQ(four.lines[0].lanes[7], 1U << 1);
  EXPECT_EQ(touch_of(request(false, 1, 0, 32, 1), 1, 8).sectors, 1U);  // bytes
}

TEST(BankTouch, ColumnOfATileConflictsAndAPaddedOneDoesNot) {
  EXPECT_EQ(banks_of(request(true, 1)).passes, 1U);
  const BankTouch column = banks_of(request(true, 32, 3));
  EXPECT_EQ(column.passes, 32U);
  EXPECT_EQ(column.busiest, 3U);
  EXPECT_EQ(column.banks[3].size(), 32U);
  EXPECT_EQ(column.banks[3][2].word, 67);
  EXPECT_EQ(column.banks[3][2].lanes, 1U << 2);
  EXPECT_EQ(banks_of(request(true, 33, 3)).passes, 1U);
  EXPECT_EQ(banks_of(request(true, 2)).passes, 2U);
}

TEST(BankTouch, OneWordIsSharedByReadersButNotByAtomics) {
  AccessRecord same = request(true, 0, 5);
  EXPECT_EQ(banks_of(same).passes, 1U);
  same.kind = AccessRecord::Kind::atomic;
  EXPECT_EQ(banks_of(same).passes, 32U);
  same.mask = 0x0f;
  EXPECT_EQ(banks_of(same).passes, 4U);
}

TEST(BankTouch, SixteenBytesALaneAreServedAQuarterAtATime) {
  EXPECT_EQ(banks_of(request(true, 4, 0, 32, 16)).passes, 1U);
  EXPECT_EQ(banks_of(request(true, 2, 0, 32, 8)).passes, 1U);
  EXPECT_EQ(banks_of(request(true, 8, 0, 32, 16)).passes, 2U);
}

TEST(Visits, NameWhoeverTouchedAnElement) {
  AccessRecord elsewhere = request(false, 1);
  elsewhere.buffer = 8;
  const std::vector<AccessRecord> all = {request(false, 1), request(true, 1), elsewhere, request(false, 4, 0, 32, 16)};
  const auto visits = visits_of(all, 7, 6, 4);
  ASSERT_EQ(visits.size(), 2U);
  EXPECT_EQ(visits[0].request, 0U);
  EXPECT_EQ(visits[0].lane, 6U);
  EXPECT_EQ(visits[1].request, 3U);
  EXPECT_EQ(visits[1].lane, 1U);
  EXPECT_EQ(visits_of(all, 0, 6, 4).size(), 1U);
  EXPECT_TRUE(visits_of(all, 7, 500, 4).empty());
}

// ---- heat ----

gpu::LaunchReport report_of_lines() {
  gpu::LaunchReport report;
  gpu::LineCounts a, b, none;
  a.line = 9;
  a.warp_instructions = 200;
  a.thread_instructions = 3200;
  a.global_requests = 100;
  a.sectors = 3200;
  a.fewest_sectors = 400;
  a.warp_cycles[static_cast<std::size_t>(WarpState::memory)] = 750;
  b.line = 10;
  b.warp_instructions = 50'000;
  b.thread_instructions = 1'600'000;
  b.shared_requests = 10;
  b.shared_passes = 40;
  b.warp_cycles[static_cast<std::size_t>(WarpState::barrier)] = 250;
  b.warp_cycles[static_cast<std::size_t>(WarpState::issued)] = 5000;  // not waiting
  report.lines = {none, a, b};
  return report;
}

TEST(Heat, SaysWhatALineCosts) {
  const auto report = report_of_lines();
  EXPECT_TRUE(heat_of(report, HeatColumn::off).empty());
  const auto executions = heat_of(report, HeatColumn::executions);
  ASSERT_EQ(executions.size(), 2U);
  EXPECT_EQ(executions[0].text, "200");
  EXPECT_EQ(executions[1].text, "50.0k");
  EXPECT_EQ(executions[1].heat, 1);
  const auto lanes = heat_of(report, HeatColumn::lanes);
  EXPECT_EQ(lanes[0].text, "16");
  EXPECT_FLOAT_EQ(lanes[0].heat, 0.5f);
  EXPECT_EQ(lanes[1].heat, 0);  // all 32: nothing is lost
  const auto sectors = heat_of(report, HeatColumn::sectors);
  ASSERT_EQ(sectors.size(), 1U);
  EXPECT_EQ(sectors[0].text, "32");
  EXPECT_EQ(sectors[0].heat, 1);
  const auto conflicts = heat_of(report, HeatColumn::conflicts);
  ASSERT_EQ(conflicts.size(), 1U);
  EXPECT_EQ(conflicts[0].line, 10U);
  EXPECT_EQ(conflicts[0].text, "4");
  const auto stalls = heat_of(report, HeatColumn::stalls);
  ASSERT_EQ(stalls.size(), 2U);
  EXPECT_EQ(stalls[0].text, "75 %");
  EXPECT_EQ(stalls[1].text, "25 %");
}

TEST(Heat, ACardHasOnlyWhatWasCounted) {
  const auto report = report_of_lines();
  const auto has = [&](std::uint32_t line, const std::string& label) {
    const auto facts = facts_of(report, line);
    return std::any_of(facts.begin(), facts.end(), [&](const HeatFact& fact) { return fact.label == label; });
  };
  EXPECT_TRUE(has(9, "sectors a request"));
  EXPECT_FALSE(has(9, "passes a request"));
  EXPECT_TRUE(has(10, "passes a request"));
  EXPECT_TRUE(facts_of(report, 11).empty());
}

// ---- the lanes of a warp ----

lessons::LaneTimeline::Warp warp_of(std::vector<std::uint32_t> instructions) {
  lessons::LaneTimeline::Warp warp;
  for (const std::uint32_t each : instructions) {
    const auto line = static_cast<std::uint32_t>(warp.stretches.size() + 1);
    warp.stretches.push_back({.mask = ~0u, .instructions = each, .line = line, .first_line = line, .last_line = line});
  }
  return warp;
}

TEST(LaneLayout, StretchesStandOneBelowTheOtherInProportion) {
  const auto rows = stretch_rows(warp_of({100, 300, 1, 199}), {.instructions = 1200, .height = 300, .label = 20});
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0].y0, 0);
  EXPECT_EQ(rows[0].y1, 25);
  EXPECT_EQ(rows[1].y0, 25);
  EXPECT_EQ(rows[1].y1, 100);
  EXPECT_EQ(rows[2].y1, rows[2].y0 + 1) << "what is there can be seen";
  EXPECT_EQ(rows[3].y1, 150) << "the other warp has as many instructions again";
  EXPECT_EQ(rows[1].label, 53) << "beside the middle";
}

TEST(LaneLayout, LabelsStayInsideAndApartAndTheLongestComeFirst) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<std::uint32_t> lengths(1 + random() % 30);
    for (auto& each : lengths) each = 1 + static_cast<std::uint32_t>(random() % 200);
    const auto warp = warp_of(lengths);
    std::uint64_t all = 0;
    for (const auto each : lengths) all += each;
    const auto rows = stretch_rows(warp, {.instructions = all, .height = 330, .label = 17});
    std::vector<float> tops;
    for (const StretchRow& row : rows) {
      EXPECT_GT(row.y1, row.y0);
      if (row.label < 0) continue;
      EXPECT_LE(row.label + 17, 330);
      tops.push_back(row.label);
    }
    std::sort(tops.begin(), tops.end());
    for (std::size_t i = 1; i < tops.size(); ++i) EXPECT_GE(tops[i] - tops[i - 1], 17);
    const auto longest = static_cast<std::size_t>(std::max_element(lengths.begin(), lengths.end()) - lengths.begin());
    EXPECT_GE(rows[longest].label, 0);
  }
}

TEST(LaneLayout, TwoLabelsNeedTwiceTheHeightOfOne) {
  EXPECT_TRUE(stretch_rows(warp_of({}), {.instructions = 0, .height = 330, .label = 17}).empty());
  const auto low = stretch_rows(warp_of({5, 5}), {.instructions = 10, .height = 8, .label = 17});
  EXPECT_EQ(low[0].label, 0) << "a plot lower than a label has one, at its top";
  EXPECT_LT(low[1].label, 0);
  EXPECT_EQ(low[1].y1, 8);
  const auto high = stretch_rows(warp_of({5, 5}), {.instructions = 10, .height = 34, .label = 17});
  EXPECT_EQ(high[0].label, 0);
  EXPECT_EQ(high[1].label, 17) << "two just fit";
}

TEST(LaneLayout, NeighboursOnTheSameLinesHaveOneLabel) {
  auto warp = warp_of({100, 100, 100, 20});
  warp.stretches[1] = warp.stretches[2] = warp.stretches[0];
  const auto rows = stretch_rows(warp, {.instructions = 320, .height = 320, .label = 20});
  EXPECT_EQ(rows[0].label, 140) << "beside the middle of the three";
  EXPECT_LT(rows[1].label, 0);
  EXPECT_LT(rows[2].label, 0);
  EXPECT_EQ(rows[3].label, 300);
  warp.stretches[1].last_line = 9;
  const auto apart = stretch_rows(warp, {.instructions = 320, .height = 320, .label = 20});
  for (const std::size_t i : {0u, 1u, 2u}) EXPECT_GE(apart[i].label, 0) << i;
}

TEST(LaneLayout, LanesInWords) {
  EXPECT_EQ(lane_words(~0u), "all 32");
  EXPECT_EQ(lane_words(0), "none");
  EXPECT_EQ(lane_words(0xffffu), "0–15");
  EXPECT_EQ(lane_words(0x80000001u), "0, 31");
  EXPECT_EQ(lane_words(0xff00000fu), "0–3, 24–31");
  EXPECT_EQ(lane_words(0xf0f0f0f0u), "4–7, 12–15, 20–23, 28–31") << "four parts are told";
  EXPECT_EQ(lane_words(0x155u), "0, 2, 4, 6 …") << "a fifth is not";
}

// ---- calls ----

TEST(LanesInCalls, ALaneIsInACallUntilItHasDoneWhatItCalledForAndNoLonger) {
  lessons::CallTree tree;
  tree.calls = {
      {.lanes = 0xf, .stretches = {{.first = 0, .instructions = 2, .mask = 0xf}, {.first = 20, .instructions = 3, .mask = 0xf}}},
      {.parent = 0, .depth = 1, .lanes = 0xf, .stretches = {{.first = 2, .instructions = 4, .mask = 0xf}}},
      {.parent = 1,
       .depth = 2,
       .lanes = 0xc,
       .stretches = {{.first = 6, .instructions = 1, .mask = 0xc}, {.first = 9, .instructions = 2, .mask = 0x8}}}};
  const auto in = lanes_in(tree);
  ASSERT_EQ(in.size(), 3U);
  const auto is = [](const LanesInCall& lanes, std::uint32_t mask, std::uint64_t last) {
    return lanes.mask == mask && lanes.last == last;
  };
  ASSERT_EQ(in[0].size(), 1U);
  EXPECT_TRUE(is(in[0][0], 0xf, 23));
  ASSERT_EQ(in[1].size(), 3U) << "two go on alone in a call that it made, and one of them longer";
  EXPECT_TRUE(is(in[1][0], 0x3, 6));
  EXPECT_TRUE(is(in[1][1], 0x4, 7));
  EXPECT_TRUE(is(in[1][2], 0x8, 11));
  ASSERT_EQ(in[2].size(), 2U);
  EXPECT_TRUE(is(in[2][0], 0x4, 7));
  EXPECT_TRUE(is(in[2][1], 0x8, 11));
}

TEST(CallNames, StandWhereTheyHideNothing) {
  const auto name = [](float x0, float width, std::uint32_t depth, std::uint32_t function, std::uint32_t parent, float call) {
    return CallName{.x0 = x0, .width = width, .depth = depth, .function = function, .parent = parent, .call = call};
  };
  // A row: step at 0; four narrow slopes of one call, and one of another; a wide step twice; at the end too little room.
  const std::vector<CallName> names = {name(0, 20, 1, 0, 0, 25),   name(30, 25, 1, 1, 1, 8),   name(40, 25, 1, 1, 1, 8),
                                       name(50, 25, 1, 1, 1, 8),   name(60, 25, 1, 1, 1, 8),   name(70, 25, 1, 1, 2, 8),
                                       name(100, 20, 1, 0, 0, 25), name(125, 20, 1, 0, 0, 25), name(90, 40, 2, 0, 0, 9),
                                       name(160, 45, 1, 2, 0, 9)};
  EXPECT_EQ(names_with_room(names, 5, 200), (std::vector<bool>{true, true, false, false, false, true, true, true, true, false}));
  // A name that would run into a call of another function is left out, and that one's is drawn.
  const std::vector<CallName> narrow = {name(0, 20, 1, 0, 0, 10), name(15, 20, 1, 1, 0, 10)};
  EXPECT_EQ(names_with_room(narrow, 5, 200), (std::vector<bool>{false, true}));
  EXPECT_TRUE(names_with_room({}, 5, 200).empty());
}

// ---- ordering ----

TEST(OrderingLayout, RowsInTheOrderOfTheRunAndArrowsFromEdgeToEdge) {
  const auto in = [](std::size_t column) { return lessons::Ordering::Event{.column = column, .words = "", .strength = ""}; };
  const lessons::Ordering ordering{.columns = {{.block = 3, .role = ""}, {.block = 5, .role = ""}},
                                   .events = {in(0), in(1), in(0), in(1)},
                                   .arrows = {{0, 2, true, ""}, {2, 1, false, ""}, {0, 3, true, ""}},
                                   .may_see = {},
                                   .saw = "",
                                   .title = ""};
  const OrderingPlace place = arrange_ordering(ordering, {.x0 = 10, .y0 = 100, .width = 300, .row = 40, .gap = 20, .between = 100});
  ASSERT_EQ(place.events.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(place.events[i].y0, 100 + 60 * static_cast<float>(i));
    EXPECT_EQ(place.events[i].height(), 40);
    EXPECT_EQ(place.events[i].x0, i % 2 == 0 ? 10 : 210);
    EXPECT_EQ(place.events[i].width(), 100);
  }
  ASSERT_EQ(place.arrows.size(), 3U);
  EXPECT_EQ(place.arrows[0].x0, place.arrows[0].x1) << "within a column, straight down";
  EXPECT_EQ(place.arrows[0].y0, place.events[0].y1);
  EXPECT_EQ(place.arrows[0].y1, place.events[2].y0);
  EXPECT_EQ(place.arrows[1].x0, 110) << "from the right edge to the left one";
  EXPECT_EQ(place.arrows[1].x1, 210);
  EXPECT_GT(place.arrows[1].y0, place.arrows[1].y1) << "the later row may come first";
  EXPECT_EQ(place.columns[1].y1, place.events[3].y1);
  EXPECT_TRUE(arrange_ordering({}, {}).events.empty());
}

TEST(OrderingLayout, WordsOnLinesThatAreNotTooWide) {
  const auto letters = [](std::string_view words) { return static_cast<float>(words.size()); };
  const auto lines = [&](std::string_view words, float width) { return wrapped(words, width, letters); };
  EXPECT_EQ(lines("one two three", 7), (std::vector<std::string_view>{"one two", "three"}));
  EXPECT_EQ(lines("one two three", 6), (std::vector<std::string_view>{"one", "two", "three"}));
  EXPECT_EQ(lines("__threadfence_block() is", 4), (std::vector<std::string_view>{"__threadfence_block()", "is"}));
  EXPECT_EQ(lines("one", 100), (std::vector<std::string_view>{"one"}));
  EXPECT_TRUE(lines("", 10).empty());
}

// ---- interleaving ----

TEST(ChooseLanes, PickedWarpsComeBeforeTheFirstOnes) {
  std::vector<lessons::Interleaving::Row> rows(100);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].block = static_cast<std::uint32_t>(i / 2);
    rows[i].warp = static_cast<std::uint32_t>(i % 2);
  }
  rows[40].kept = 1;
  const std::vector<std::uint64_t> picked = {warp_key(rows[90]), warp_key(rows[11]), std::uint64_t{7777} << 32};
  EXPECT_EQ(choose_lanes(rows, 4, picked), (std::vector<std::size_t>{0, 11, 40, 90}));
  EXPECT_EQ(choose_lanes(rows, 2, picked), (std::vector<std::size_t>{11, 40}));  // the latest
}

}  // namespace
}  // namespace warpbook::app
