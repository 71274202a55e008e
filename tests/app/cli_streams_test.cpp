// Standard input, output and error that are full, closed, limited or read by nobody: what was not printed is no success, and no
// command is ended by a signal.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/app/cli.h"

namespace warpbook::test {
namespace {

const std::string race =
    std::string("launch '") + WARPBOOK_ROOT + "/kernels/race.cu' count --grid 1 --block 1 --arg int32[1]=zeros --print 0";
const std::string square = std::string(WARPBOOK_ROOT) + "/tests/cases/exercises/square/ok_grid_stride.cu";

/// Every command that prints, as words of a shell.
std::vector<std::string> commands() {
  return {"list",
          "list --json",
          "next",
          "next --json",
          "devices",
          "devices --json",
          "doctor",
          "run 01",
          "run 01 --json",
          "sweep 01 --over guard",
          "sweep 01 --over guard --json",
          "check square '" + square + "'",
          "check square '" + square + "' --json",
          "check --all answers",
          "check --all answers --json",
          race,
          race + " --json",
          "export 01 x.cu",
          "--help",
          "launch --help",
          "--version"};
}

class Streams : public testing::TestWithParam<std::string> {
 protected:
  static Ran with(const std::string& streams) {
    return run_shell(fmt::format("mkdir answers; cp '{}' answers/square.cu; export HOME=$PWD\nrun() {{ \"$warpbook\" {}; }}\n{}",
                                 square, GetParam(), streams),
                     GetParam() == "doctor" ? with_opengl : "");
  }
};

TEST_P(Streams, AFullDiskIsNoSuccess) {
  const Ran ran = with("run >/dev/full");
  EXPECT_EQ(ran.exit_code, 5) << ran.err;
  EXPECT_EQ(ran.err,
            "warpbook: what was to be printed could not be written: the disk is full. Make room, or send the output elsewhere.\n");
}

TEST_P(Streams, AReaderThatHasLeftIsNoSuccessAndNothingIsSaid) {
  const Ran ran = with("{ sleep 0.1; run; } | true; exit ${PIPESTATUS[0]}");
  EXPECT_EQ(ran.exit_code, 5) << ran.err;
  EXPECT_EQ(ran.err, "");
}

TEST_P(Streams, ClosedOnesEndNothingByASignal) {
  const Ran out = with("run >&-");
  EXPECT_EQ(out.exit_code, 5) << out.err;
  EXPECT_EQ(out.err, "warpbook: what was to be printed could not be written: standard output is closed.\n");
  const Ran as_ever = with("run"), in = with("run <&-"), err = with("run 2>&-"), all = with("run <&- >&- 2>&-");
  EXPECT_EQ(in.exit_code, as_ever.exit_code) << in.err;
  EXPECT_EQ(err.exit_code, as_ever.exit_code);
  EXPECT_EQ(all.exit_code, 5);
}

TEST_P(Streams, ALimitOnFilesIsNoSuccess) {
  const Ran ran = with("( ulimit -f 0; run 2>&1 >log ) | cat >&2; exit ${PIPESTATUS[0]}");
  EXPECT_EQ(ran.exit_code, 5) << ran.err;
  EXPECT_NE(ran.err.find("larger than a file may become here"), std::string::npos) << ran.err;
}

INSTANTIATE_TEST_SUITE_P(Cli, Streams, testing::ValuesIn(commands()));

TEST(StandardStreams, WhatPrintsNothingNeedsNone) {
  EXPECT_EQ(
      run_shell("\"$warpbook\" picture 01 x.png <&- >&- 2>&-; code=$?; [ -s x.png ] || exit 99; exit $code", with_opengl).exit_code,
      0);
  EXPECT_EQ(run_shell("\"$warpbook\" picture 01 x.png >/dev/full", with_opengl).exit_code, 0);
}

TEST(StandardStreams, NoFileTakesThePlaceOfAClosedOne) {
  const Ran ran = run_shell("\"$warpbook\" " + race + " --save 0=a.npy >log; \"$warpbook\" " + race +
                            " --save 0=b.npy <&- >&- 2>&-; cmp a.npy b.npy");
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
}

TEST(StandardStreams, AComplaintThatNobodyHearsKeepsItsCode) {
  for (const char* const streams : {"2>/dev/full", "2>&-", ">&- 2>&-"}) {
    EXPECT_EQ(run_shell(std::string("\"$warpbook\" run 99 ") + streams).exit_code, 2) << streams;
    EXPECT_EQ(run_shell(std::string("\"$warpbook\" lunch ") + streams).exit_code, 2) << streams;
    const Ran ran = run_shell(
        std::string("echo '__global__ void k() { x; }' > k.cu; \"$warpbook\" launch k.cu k --grid 1 --block 1 ") + streams);
    EXPECT_EQ(ran.exit_code, 3) << streams;
  }
}

TEST(StandardStreams, FilesAreWrittenThoughNobodyReadsWhatIsPrinted) {
  for (const std::string words : {"run 01 --csv x.csv", "check --all . --junit x.xml", "sweep 01 --over guard --csv x.csv"}) {
    const Ran ran =
        run_shell(fmt::format("cp '{}' square.cu; {{ sleep 0.1; \"$warpbook\" {}; }} | true; code=${{PIPESTATUS[0]}}\n"
                              "[ -s x.csv ] || [ -s x.xml ] || exit 99; exit $code",
                              square, words));
    EXPECT_EQ(ran.exit_code, 5) << words << ran.err;
  }
}

}  // namespace
}  // namespace warpbook::test
