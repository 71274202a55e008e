// Random kernels made of everything that threads synchronise by, judged by an interpreter of their own (random_meetings.h): right
// ones end silently with its values, whoever runs them; where one thing is left out, a race or a hang is told.
// WARPBOOK_RANDOM_MEETINGS=N tries N of them, WARPBOOK_RANDOM_SEED=S begins with seed S.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "gpu/device.h"
#include "tests/gpu/random_meetings.h"
#include "tests/how_many.h"

namespace warpbook::gpu {
namespace {

using test::interpret;
using test::MeetingKernel;
using test::MeetingsOutcome;

struct LaunchedWith {
  std::string_view name;
  Schedule schedule = Schedule::fast;
  std::optional<std::uint64_t> seed;
  bool watched = false;
};

constexpr LaunchedWith watched{.name = "watched", .seed = {}, .watched = true};
constexpr LaunchedWith watched_clock{.name = "watched under the clock", .schedule = Schedule::clock, .seed = 3, .watched = true};

struct SeenMeeting {
  std::string said;  // status and findings; "ok": it ended, and nothing was found
  bool races = false;
  std::vector<std::uint32_t> values;
};

class MeetingsBench {
 public:
  SeenMeeting run(const MeetingKernel& kernel, const LaunchedWith& way) {
    auto program = compiler_.adopt_ptx("meetings.ptx", test::meetings_ptx(kernel));
    if (!program) return {.said = program.error().message, .values = {}};
    const std::uint32_t threads = 32 * kernel.warps;
    const Buffer out = *device_->allocate({"out", ScalarType::uint32, {threads}});
    const LaunchReport report = device_->launch({.program = *program,
                                                 .kernel = "k",
                                                 .grid = {1},
                                                 .block = {threads},
                                                 .arguments = {out},
                                                 .observe = {.race = way.watched, .sync = way.watched, .trace = {}},
                                                 .schedule = way.schedule,
                                                 .seed = way.seed,
                                                 .limits = {.max_seconds = 20}});
    SeenMeeting seen{.said = report.status, .values = std::vector<std::uint32_t>(threads)};
    if (!report.ok()) seen.said += ": " + say(report.message);
    for (const Finding& finding : report.findings) {
      seen.said += "; " + in_english(finding.message);
      seen.races |= finding.kind == FindingKind::race;
    }
    (void)device_->read(out, std::as_writable_bytes(std::span(seen.values)));
    device_->release(out);
    return seen;
  }

 private:
  Compiler compiler_;
  std::unique_ptr<Device> device_{std::move(*make_virtual_device(compiler_))};
};

TEST(Meetings, RightOnesEndSilentlyWithTheValuesOfTheInterpreter) {
  MeetingsBench bench;
  const std::uint64_t first = warpbook::test::number_from("WARPBOOK_RANDOM_SEED", 0);
  const std::uint64_t count = warpbook::test::how_many("WARPBOOK_RANDOM_MEETINGS", 75);
  static constexpr std::array ways{watched,
                                   LaunchedWith{.name = "by one thread", .seed = 0},
                                   LaunchedWith{.name = "in an order of a seed", .seed = 3},
                                   LaunchedWith{.name = "unwatched", .seed = {}},
                                   LaunchedWith{.name = "under the clock", .schedule = Schedule::clock, .seed = 5},
                                   watched_clock};
  int failures = 0;
  for (std::uint64_t seed = first; seed < first + count && failures < 3; ++seed) {
    const MeetingKernel kernel = test::random_meetings(seed);
    const MeetingsOutcome expected = interpret(kernel, seed);
    ASSERT_TRUE(expected.right()) << "seed " << seed << ": the kernel itself is wrong";
    for (const LaunchedWith& way : ways) {
      const SeenMeeting seen = bench.run(kernel, way);
      if (seen.said == "ok" && seen.values == expected.values) continue;
      const auto at = std::mismatch(seen.values.begin(), seen.values.end(), expected.values.begin()).first - seen.values.begin();
      ADD_FAILURE() << "seed " << seed << ", " << way.name << ": " << seen.said << "; first other value: thread " << at << "\n"
                    << test::meetings_ptx(kernel);
      ++failures;
      break;
    }
  }
}

TEST(Meetings, WithOneThingLeftOutTheyAreFoundOrStopped) {
  MeetingsBench bench;
  const std::uint64_t first = warpbook::test::number_from("WARPBOOK_RANDOM_SEED", 0);
  const std::uint64_t count = warpbook::test::how_many("WARPBOOK_RANDOM_MEETINGS", 200);
  int guilty = 0, hang = 0, innocent = 0, missed = 0, failures = 0;
  for (std::uint64_t seed = first; seed < first + count && failures < 3; ++seed) {
    MeetingKernel kernel = test::random_meetings(seed);
    const std::string what = test::leave_out_something(kernel, seed);
    const MeetingsOutcome expected = interpret(kernel, 1);
    // Where it depends on who comes first whether anything is wrong, there is no right answer.
    const auto as_expected = [&](std::uint64_t order) {
      const MeetingsOutcome other = interpret(kernel, order);
      return expected.right() ? other == expected : !other.right() && other.ends == expected.ends && other.races == expected.races;
    };
    if (what.empty() || !as_expected(2) || !as_expected(3)) continue;
    const SeenMeeting seen = bench.run(kernel, seed % 4 ? watched : watched_clock);
    const bool silent = seen.said == "ok";
    ++(expected.right() ? innocent : guilty);
    hang += !expected.ends;
    bool wrong = false;
    if (expected.right())
      wrong = !silent || seen.values != expected.values;
    else if (!expected.ends)
      wrong = seen.said.starts_with("ok");
    else if (silent && expected.races && !expected.undefined)
      ++missed;  // a third reader may be forgotten
    else
      wrong = silent;
    if (!wrong) continue;
    ++failures;
    ADD_FAILURE() << "seed " << seed << ", " << what << "; ends " << expected.ends << ", races " << expected.races << ", undefined "
                  << expected.undefined << "; said: " << seen.said << "\n"
                  << test::meetings_ptx(kernel);
  }
  if (count < 400) return;
  EXPECT_GT(guilty, static_cast<int>(count) / 3);
  EXPECT_GT(hang, static_cast<int>(count) / 8);
  EXPECT_GT(innocent, static_cast<int>(count) / 20);
  EXPECT_LE(missed * 50, guilty);
}

}  // namespace
}  // namespace warpbook::gpu
