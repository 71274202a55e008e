// Wrong usage: exit code 2, and a sentence that names the offending words. Nothing may be printed to standard output.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/app/cli.h"

namespace warpbook::test {
namespace {

struct Wrong {
  std::vector<std::string> words;
  std::string names;
  int exit_code = 2;
};

void PrintTo(const Wrong& wrong, std::ostream* out) {
  for (const std::string& word : wrong.words) *out << word << ' ';
}

class Usage : public testing::TestWithParam<Wrong> {};

TEST_P(Usage, IsToldWhatIsWrong) {
  Wrong wrong = GetParam();
  for (std::string& word : wrong.words) {
    if (word == "RACE") word = kernel_file("race.cu");
    if (word == "ADD") word = kernel_file("add.cu");
  }
  const Ran ran = warpbook(wrong.words);
  EXPECT_EQ(ran.exit_code, wrong.exit_code) << ran.out << ran.err;
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err.find("warpbook: "), 0u) << ran.err;
  EXPECT_NE(ran.err.find(wrong.names), std::string::npos) << ran.err;
}

std::vector<std::string> launch_race(std::vector<std::string> rest) {
  rest.insert(rest.begin(), {"launch", "RACE", "count", "--grid", "1", "--block", "1"});
  return rest;
}

INSTANTIATE_TEST_SUITE_P(
    Cli, Usage,
    testing::Values(Wrong{{"lunch"}, "'lunch'"}, Wrong{{"--nonsense"}, "--nonsense"}, Wrong{{"list", "--nonsense"}, "--nonsense"},
                    Wrong{{"--language", "xx", "list"}, "there is no language 'xx'"},
                    Wrong{{"--language=../xx", "list"}, "there is no language '../xx'"}, Wrong{{"launch"}, "FILE"},
                    Wrong{{"--language"}, "warpbook: --language needs a value: CODE. "},
                    Wrong{{"--compiler"}, "warpbook: --compiler needs a value: nvrtc|nvcc|clang. "},
                    Wrong{{"launch", "--grid"}, "warpbook: --grid needs a value: X[,Y[,Z]]. "},
                    Wrong{{"launch", "RACE", "count", "--block", "1"}, "--grid"},
                    Wrong{{"launch", "RACE", "count", "--grid", "1"}, "--block"},
                    Wrong{{"launch", "no-such.cu", "k", "--grid", "1", "--block", "1"}, "'no-such.cu'"},
                    Wrong{{"launch", "/", "k", "--grid", "1", "--block", "1"}, ".cu"},
                    Wrong{{"launch", "RACE", "count", "--grid", "1,2,3,4", "--block", "1"}, "1,2,3,4"},
                    Wrong{{"launch", "RACE", "count", "--grid", "two", "--block", "1"}, "--grid two"},
                    Wrong{{"launch", "RACE", "count", "--grid", "1", "--block", "-5"}, "--block"},
                    Wrong{{"launch", "RACE", "count", "--grid", "99999999999", "--block", "1"}, "99999999999"},
                    Wrong{launch_race({"--arg", "int=1"}), "'int=1'"},
                    Wrong{launch_race({"--arg", "int32[1]=@none.npy"}), "none.npy"}, Wrong{launch_race({}), "int* c"},
                    Wrong{launch_race({"--arg", "int32=0"}), "int* c"}, Wrong{launch_race({"--arg", "float32[1]=zeros"}), "int* c"},
                    Wrong{launch_race({"--arg", "int32[1]=zeros", "int32=2"}), "int32=2"},
                    Wrong{launch_race({"--arg", "int32[1]=zeros", "--print", "1"}), "--print 1"},
                    Wrong{launch_race({"--arg", "int32[1]=zeros", "--print", "one"}),
                          "no __constant__ or __device__ variable 'one'"},
                    Wrong{launch_race({"--arg", "int32[1]=zeros", "--print", "0.0"}), "'int32[1]=zeros' is no struct"},
                    Wrong{launch_race({"--arg", "{int32=1,int32=2}", "--print", "0.2"}), "has 2, numbered from 0"},
                    Wrong{launch_race({"--arg", "{int32=1,int32=2}", "--save", "0=out.npy"}), "--save 0.1=out.npy"},
                    Wrong{launch_race({"--arg", "{int32[1]=zeros}"}), "an array of int32"},
                    Wrong{launch_race({"--arg", "int32[1]=zeros", "--save", "out.npy"}), "out.npy"},
                    Wrong{launch_race({"--arg", "int32[1]=zeros", "--save", "0=no-such-folder/out.npy"}), "no-such-folder"},
                    Wrong{launch_race({"--arg", "int32[1]=zeros", "--observe", "racing"}), "'racing'"},
                    Wrong{launch_race({"--arg", "int32[1]=zeros", "--schedule", "slow"}), "'slow'"},
                    Wrong{launch_race({"--arg", "int32[1]=zeros", "--seed", "x"}), "--seed"},
                    Wrong{launch_race({"--arg", "int32[1]=zeros", "--max-seconds", "0"}), "--max-seconds"},
                    Wrong{launch_race({"--arg", "int32[1]=zeros", "--define", "3=4"}), "3=4"},
                    Wrong{launch_race({"--arg", "int32[1]=zeros", "--profile", "T5"}), "'T5'"},
                    Wrong{launch_race({"--arg", "int32[1]=zeros", "--device", "amd"}), "'amd'"},
                    Wrong{launch_race({"--arg", "int32[1]=zeros", "--device", "cuda:x"}), "'cuda:x'"},
                    Wrong{launch_race({"--arg", "int32[1]=zeros", "--device", "cuda:99"}), "Leave --device out", 5},
                    Wrong{{"launch", "RACE", "counter", "--grid", "1", "--block", "1", "--arg", "int32[1]=zeros"}, "count(int* c)"},
                    Wrong{{"run"}, "LESSON"}, Wrong{{"check"}, "an exercise and a file"}, Wrong{{"check", "cube", "ADD"}, "'cube'"},
                    Wrong{{"run", "99"}, "'99'"}, Wrong{{"run", "05", "--set", "threads"}, "threads"},
                    Wrong{{"run", "05", "--set", "threads=5000"}, "threads"}, Wrong{{"run", "05", "--set", "nothing=1"}, "nothing"},
                    Wrong{{"picture", "05"}, "FILE"}, Wrong{{"picture", "99", "x.png"}, "'99'"},
                    Wrong{{"picture", "05", "x.png", "--size", "big"}, "big"}));

TEST(Cli, TooManyArgumentsAreNamed) {
  const Ran ran = warpbook({"launch", kernel_file("add.cu"), "add", "--grid", "1", "--block", "1", "--arg", "int32[4]=iota",
                            "--arg", "int32[4]=iota", "--arg", "int32[4]=iota"});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_NE(ran.err.find("int n"), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("const int* a"), std::string::npos) << ran.err;
}

TEST(Cli, TheWindowsDeviceIsOneThatThereIs) {
  const Ran unknown = warpbook({"--device", "gpu"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.err.find("there is no device 'gpu'"), std::string::npos) << unknown.err;
  // A command has an option of its own.
  const Ran before = warpbook({"--device", "cuda", "list"});
  EXPECT_EQ(before.exit_code, 2) << before.out;
  EXPECT_NE(before.err.find("--device"), std::string::npos) << before.err;
}

TEST(Cli, WithoutADisplayTheWindowIsMissing) {
  const Ran ran = warpbook({}, "-u DISPLAY -u WAYLAND_DISPLAY");
  EXPECT_EQ(ran.exit_code, 5);
  EXPECT_NE(ran.err.find("display"), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("warpbook picture"), std::string::npos) << ran.err;
}

/// A folder of data with a language of its own, whose catalogue is msgfmt's.
TEST(Cli, SpeaksTheLanguageThatItIsAskedFor) {
  namespace fs = std::filesystem;
  const fs::path data = scratch() / "data";
  fs::create_directories(data / "languages");
  for (const char* const folder : {"lessons", "kernels", "assets"}) {
    std::error_code there;
    fs::create_symlink(fs::path(WARPBOOK_ROOT) / folder, data / folder, there);
  }
  const fs::path po =
      write_file("xt.po",
                 "msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=UTF-8\\n\"\n\n"
                 "msgid \"in front of a command: the language of all sentences, such as en; otherwise the desktop's\"\n"
                 "msgstr \"čo inej reči\"\n");
  ASSERT_EQ(run_shell("msgfmt --output-file='" + (data / "languages/xt.mo").string() + "' '" + po.string() + "'").exit_code, 0);
  const std::string with_data = "WARPBOOK_DATA='" + data.string() + "' ";
  const auto speaks = [&](const std::vector<std::string>& words, const std::string& environment) {
    const Ran ran = warpbook(words, with_data + environment);
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    return ran.out.find("čo inej reči") != std::string::npos;
  };
  EXPECT_TRUE(speaks({"--language", "xt", "--help"}, ""));
  EXPECT_TRUE(speaks({"--language=xt", "--help"}, "LANG=C"));
  EXPECT_TRUE(speaks({"--help"}, "WARPBOOK_LANGUAGE=xt"));
  EXPECT_TRUE(speaks({"--help"}, "LC_ALL=xt_YZ.UTF-8"));
  EXPECT_FALSE(speaks({"--help"}, "LC_ALL=fr_FR.UTF-8"));
  EXPECT_FALSE(speaks({"--language", "en", "--help"}, "WARPBOOK_LANGUAGE=xt LC_ALL=xt_YZ.UTF-8"));
  const Ran unknown = warpbook({"--language", "fr", "list"}, with_data);
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.err.find("there is no language 'fr'. There are en and these: xt."), std::string::npos) << unknown.err;
}

TEST(Cli, HelpIsAPageForEachCommand) {
  for (const char* const command : {"list", "run", "check", "launch", "devices", "doctor", "picture"}) {
    const Ran ran = warpbook({command, "--help"});
    EXPECT_EQ(ran.exit_code, 0);
    EXPECT_NE(ran.out.find(command), std::string::npos) << ran.out;
    EXPECT_NE(warpbook({"--help"}).out.find(command), std::string::npos);
    for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
      end = ran.out.find('\n', begin);
      EXPECT_LE(end == std::string::npos ? 0 : end - begin, 140u) << ran.out.substr(begin, end - begin);
    }
  }
  EXPECT_NE(warpbook({"launch", "--help"}).out.find("uniform:LO:HI:SEED"), std::string::npos);
}

}  // namespace
}  // namespace warpbook::test
