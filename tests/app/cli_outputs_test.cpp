// What the commands write: never over what somebody has written, whole or not at all, and never waiting for nobody.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/app/cli.h"

namespace warpbook::test {
namespace {

/// A command that writes a file, as words of a shell; {} is the file.
struct Writer {
  std::string name, ending, words;
};
void PrintTo(const Writer& writer, std::ostream* out) { *out << writer.name; }

const std::string launch_words =
    std::string("launch '") + WARPBOOK_ROOT + "/kernels/race.cu' count --grid 1 --block 1 --arg int32[1]=zeros";
const std::string answer = std::string(WARPBOOK_ROOT) + "/tests/cases/exercises/square/ok_grid_stride.cu";

std::vector<Writer> writers() {
  return {{"RunCsv", ".csv", "run 01 --csv {}"},
          {"RunPicture", ".png", "run 01 --picture {}"},
          {"SweepCsv", ".csv", "sweep 01 --over guard --csv {}"},
          {"SweepPicture", ".png", "sweep 01 --over guard --picture {}"},
          {"LaunchSave", ".npy", launch_words + " --save 0={}"},
          {"LaunchTimeline", ".json", launch_words + " --schedule clock --timeline {}"},
          {"CheckJunit", ".xml", "check square '" + answer + "' --junit {}"},
          {"CheckAllJunit", ".xml", "check --all answers --junit {}"},
          {"Picture", ".png", "picture 01 {}"},
          {"ExportCuda", ".cu", "export 01 {}"},
          {"ExportNumba", ".py", "export 01 {}"}};
}

class Outputs : public testing::TestWithParam<Writer> {
 protected:
  /// $run FILE runs it; what stood before is in the files "mine…", which hold the word "mine" alone.
  static Ran with(const std::string& script) {
    const std::string words = fmt::format(fmt::runtime(GetParam().words), "\"$1\"");
    return run_shell(fmt::format("mkdir answers; cp '{}' answers/square.cu\nrun() {{ \"$warpbook\" {}; }}\nending={}\n{}", answer,
                                 words, GetParam().ending, script),
                     GetParam().ending == ".png" ? with_opengl : "");
  }
  static void is_refused(const Ran& ran, const std::string& words) {
    EXPECT_EQ(ran.exit_code, 2) << ran.out << ran.err;
    EXPECT_NE(ran.err.find(words), std::string::npos) << ran.err;
  }
};

TEST_P(Outputs, AFileOfAnotherKindIsKept) {
  is_refused(with("echo mine > mine.md; run mine.md >log; code=$?; [ \"$(cat mine.md)\" = mine ] || echo destroyed; exit $code"),
             "does not end with");
  EXPECT_NE(with("echo mine > mine.md; run mine.md >log; cat mine.md").out, "");
}

TEST_P(Outputs, ALinkOntoASourceIsNotFollowed) {
  is_refused(with("echo mine > mine.cuh; ln -s mine.cuh link$ending; run link$ending >log; code=$?\n"
                  "[ \"$(cat mine.cuh)\" = mine ] && [ -L link$ending ] || exit 99; exit $code"),
             "mine.cuh, which does not end with");
}

TEST_P(Outputs, AFolderThatIsNotThereIsSaidBeforeTheWork) {
  is_refused(with("run nowhere/x$ending"), "There is no folder nowhere");
  EXPECT_EQ(with("run nowhere/x$ending").out, "");
  is_refused(with("mkdir x$ending; run x$ending"), "is a folder");
}

TEST_P(Outputs, ADeviceTakesWhatIsWritten) {
  const Ran null = with("run /dev/null >log");
  EXPECT_LE(null.exit_code, 1) << null.err;
  const Ran full = with("run /dev/full >log");
  EXPECT_EQ(full.exit_code, 5) << full.err;
  EXPECT_NE(full.err.find("/dev/full was not written: the disk is full"), std::string::npos) << full.err;
}

TEST_P(Outputs, APipeIsNotWaitedForWithoutEnd) {
  const Ran alone = with("mkfifo pipe; run pipe >log");
  EXPECT_EQ(alone.exit_code, 2) << alone.err;
  EXPECT_NE(alone.err.find("a pipe that nobody reads"), std::string::npos) << alone.err;
  const Ran read = with("mkfifo pipe; cat pipe > copy & run pipe >log; code=$?; wait; [ -s copy ] || exit 99; exit $code");
  EXPECT_LE(read.exit_code, 1) << read.err;
}

TEST_P(Outputs, WhatDoesNotFitLeavesTheOldFile) {
  // The log is a pipe's: a file would meet the limit, too.
  const Ran ran = with(
      "echo '// as Warpbook ran it: old' > x$ending\n"
      "( ulimit -f 0; run x$ending 2>&1 >/dev/null ) | cat >&2; code=${PIPESTATUS[0]}\n"
      "cat x$ending; ls -A | grep '\\.new$'; exit $code");
  EXPECT_EQ(ran.exit_code, 5) << ran.err;
  EXPECT_EQ(ran.out, "// as Warpbook ran it: old\n") << "nothing else is left";
  EXPECT_NE(ran.err.find("larger than a file may become"), std::string::npos) << ran.err;
}

TEST_P(Outputs, AFileIsReplacedAndALinkStaysALink) {
  const Ran ran = with(
      "echo '// as Warpbook ran it: formerly' > x$ending; chmod 640 x$ending; ln -s x$ending link$ending; run link$ending >log; "
      "code=$?\n"
      "[ -L link$ending ] && [ \"$(stat -c %a x$ending)\" = 640 ] || exit 99\n"
      "grep -q formerly x$ending && exit 98; exit $code");
  EXPECT_LE(ran.exit_code, 1) << ran.err;
}

INSTANTIATE_TEST_SUITE_P(Cli, Outputs, testing::ValuesIn(writers()), [](const auto& each) { return each.param.name; });

Ran launch(const std::string& script) {
  return run_shell(fmt::format("run() {{ \"$warpbook\" {} \"$@\"; }}\n{}", launch_words, script));
}

TEST(OutputsOfCommands, AnInputIsRefusedByWhateverName) {
  const std::string make_input = "run --save 0=in.npy >log || exit 99; cp in.npy before\n";
  const std::string launch_it = "\"$warpbook\" launch '" + std::string(WARPBOOK_ROOT) +
                                "/kernels/race.cu' count --grid 1 --block 1 --arg int32[1]=@in.npy --save 0={} >log; code=$?\n"
                                "cmp in.npy before || exit 98; exit $code";
  for (const char* const other :
       {"true", "ln in.npy other.npy", "ln -s in.npy other.npy", "ln -s in.npy a.npy; ln -s a.npy other.npy"}) {
    const bool same = std::string(other) == "true";
    const std::string name = same ? "./in.npy" : "other.npy";
    const Ran ran = launch(make_input + other + "\n" + fmt::format(fmt::runtime(launch_it), name));
    EXPECT_EQ(ran.exit_code, 2) << other << ran.err;
    EXPECT_NE(ran.err.find("is what the command reads (in.npy)"), std::string::npos) << ran.err;
  }
}

TEST(OutputsOfCommands, APlaygroundsInputIsRefusedToo) {
  const Ran ran = run_shell(
      "echo 1,2,3 > in.csv\n"
      "\"$warpbook\" run playground --set kernel=saxpy --set saxpy/n=3 --set saxpy/x=[3]=@in.csv --csv in.csv >log; code=$?\n"
      "cat in.csv; exit $code");
  EXPECT_EQ(ran.exit_code, 2) << ran.err;
  EXPECT_EQ(ran.out, "1,2,3\n");
}

TEST(OutputsOfCommands, TwoOutputsAreTwoFiles) {
  for (const char* const other : {"a.npy", "./a.npy", "link.npy"}) {
    const Ran ran = launch(fmt::format("ln -s a.npy link.npy; run --save 0=a.npy --save 0={}", other));
    EXPECT_EQ(ran.exit_code, 2) << ran.out;
    EXPECT_NE(ran.err.find("is written twice"), std::string::npos) << ran.err;
  }
  EXPECT_EQ(launch("run --save 0=/dev/null --save 0=/dev/null >log").exit_code, 0);
}

TEST(OutputsOfCommands, AnExportReplacesOnlyAnExport) {
  const Ran own =
      run_shell("echo '__global__ void mine() {}' > mine.cu; \"$warpbook\" export 01 mine.cu; code=$?; cat mine.cu; exit $code");
  EXPECT_EQ(own.exit_code, 2) << own.err;
  EXPECT_EQ(own.out, "__global__ void mine() {}\n");
  EXPECT_NE(own.err.find("was not written by 'warpbook export'"), std::string::npos) << own.err;
  EXPECT_EQ(run_shell("\"$warpbook\" export 01 a.cu && \"$warpbook\" export 01 a.cu --set blocks=31").exit_code, 0);

  const Ran input = run_shell(
      "echo mine > diffuse_in.bin; \"$warpbook\" export 06 heat.cu --set side=256; code=$?\n"
      "cat diffuse_in.bin; [ -e heat.cu ] && exit 98; exit $code");
  EXPECT_EQ(input.exit_code, 2) << input.err;
  EXPECT_EQ(input.out, "mine\n");
  EXPECT_EQ(run_shell("\"$warpbook\" export 06 heat.cu --set side=256 && \"$warpbook\" export 06 heat.cu --set side=200").exit_code,
            0);
  const Ran printed = run_shell(
      "\"$warpbook\" export 06 /dev/stdout --set side=256 > heat.cu; code=$?\n"
      "head -1 heat.cu; tail -1 heat.cu; ls *.bin; [ -e /dev/diffuse_in.bin ] && exit 97; exit $code");
  EXPECT_EQ(printed.exit_code, 0) << printed.err;
  EXPECT_NE(printed.out.find("as Warpbook ran it"), std::string::npos) << printed.out;
  EXPECT_NE(printed.out.find("\n}\ndiffuse_in.bin"), std::string::npos) << printed.out;
}

TEST(OutputsOfCommands, WarpbooksOwnFilesAreKept) {
  const Ran ran = run_shell("cp -r '" + std::string(WARPBOOK_ROOT) + "/kernels' '" + WARPBOOK_ROOT + "/lessons' '" + WARPBOOK_ROOT +
                            "/assets' .\nexport WARPBOOK_DATA=$PWD\necho mine > lessons/mine.csv\n"
                            "\"$warpbook\" run 01 --csv lessons/mine.csv; code=$?; cat lessons/mine.csv; exit $code");
  EXPECT_EQ(ran.exit_code, 2) << ran.err;
  EXPECT_EQ(ran.out, "mine\n");
  EXPECT_NE(ran.err.find("one of Warpbook's own files"), std::string::npos) << ran.err;
}

TEST(OutputsOfCommands, StandardOutputIsAFileAmongOthers) {
  const Ran ran = run_shell("\"$warpbook\" run 01 --csv /dev/stdout > all; code=$?; head -1 all; tail -1 all; exit $code");
  EXPECT_LE(ran.exit_code, 1) << ran.err;
  EXPECT_EQ(ran.out.find("01  "), 0u) << ran.out;
  EXPECT_NE(ran.out.find(','), std::string::npos) << ran.out;
  const Ran picture = run_shell("\"$warpbook\" picture 01 /dev/stdout | head -c 4", with_opengl);
  EXPECT_EQ(picture.out, "\x89PNG");
}

TEST(OutputsOfCommands, AFullDiskKeepsTheOldFile) {
  if (run_shell("unshare -rm true").exit_code != 0) GTEST_SKIP() << "this machine mounts nothing for its users";
  for (const std::string words : {"picture 01 d/x.png", "run 01 --csv d/x.csv"}) {
    const std::string file = words.substr(words.find("d/"));
    const Ran ran = run_shell(
        fmt::format("unshare -rm bash -c 'mkdir d; mount -t tmpfs -o size=16k tmpfs d; echo old > {0}\n"
                    "head -c 9000 /dev/zero > d/other; \"$warpbook\" {1} >/dev/null; code=$?; cat {0}; ls -A d; exit $code'",
                    file, words),
        with_opengl);
    EXPECT_EQ(ran.exit_code, 5) << ran.err;
    EXPECT_NE(ran.err.find("the disk is full"), std::string::npos) << ran.err;
    EXPECT_EQ(ran.out, "old\nother\n" + file.substr(2) + "\n");
  }
}

TEST(InputsOfCommands, PipesAndDevicesAreNotWaitedFor) {
  const std::string race = std::string(WARPBOOK_ROOT) + "/kernels/race.cu";
  const std::vector<std::string> commands{
      "launch pipe.cu k --grid 1 --block 1",
      "launch zero.cu k --grid 1 --block 1",
      "launch pipe.ptx k --grid 1 --block 1",
      "check square pipe.cu",
      "check square zero.cu",
      "check about_races pipe.txt",
      "launch '" + race + "' count --grid 1 --block 1 --arg int32[1]=@pipe.npy",
      "launch '" + race + "' count --grid 1 --block 1 --arg int32[1]=@zero.npy",
      "launch '" + race + "' count --grid 1 --block 1 --arg int32[1]=@pipe.csv",
      "launch '" + race + "' count --grid 1 --block 1 --arg int32[1]=@zero.csv",
      "launch '" + race + "' count --grid 1 --block 1 --arg int32[1]=@pipe.png",
      "run playground --set kernel=saxpy --set saxpy/n=3 --set saxpy/x=[3]=@pipe.csv",
  };
  for (const std::string& words : commands) {
    const Ran ran =
        run_shell("for e in cu ptx txt npy csv png; do mkfifo pipe.$e; ln -s /dev/zero zero.$e; done\n\"$warpbook\" " + words);
    EXPECT_EQ(ran.exit_code, 2) << words << ": " << ran.err;
    EXPECT_NE(ran.err.find("only files are read"), std::string::npos) << words << ": " << ran.err;
  }
  const Ran all = run_shell("mkdir all; mkfifo all/square.cu; \"$warpbook\" check --all all");
  EXPECT_EQ(all.exit_code, 1) << all.err;
  EXPECT_NE(all.out.find("only files are read"), std::string::npos) << all.out;
}

}  // namespace
}  // namespace warpbook::test
