// What an installation has beside the program: the man page, the completions, and the data that it finds wherever it was installed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/app/cli.h"

namespace warpbook::test {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream all(text);
  for (std::string line; std::getline(all, line);) lines.push_back(line);
  return lines;
}

// As --help lists them.
std::vector<std::string> listed_commands() {
  std::vector<std::string> found;
  bool listed = false;
  for (const std::string& line : lines_of(warpbook({"--help"}).out)) {
    if (line == "Subcommands:") {
      listed = true;
    } else if (listed && line.empty()) {
      break;
    } else if (listed && line.size() > 2 && line[2] != ' ') {
      found.push_back(line.substr(2, line.find(' ', 2) - 2));
    }
  }
  return found;
}

std::vector<std::string> options_of(const std::string& command) {
  std::vector<std::string> found;
  const std::regex option("^ +(?:-[a-z],)?(--[a-z-]+)");
  for (const std::string& line : lines_of(warpbook({command, "--help"}).out)) {
    if (std::smatch match; std::regex_search(line, match, option)) found.push_back(match[1]);
  }
  return found;
}

std::string generated(const std::string& what) {
  const Ran ran = warpbook({"generate", what, "--date", "2026-11-28"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  return ran.out;
}

// The part of a text from the first place of `begin` to the next of `end`.
std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t from = text.find(begin);
  if (from == std::string::npos) return {};
  const std::size_t to = text.find(end, from + begin.size());
  return text.substr(from, to == std::string::npos ? to : to - from);
}

// What a generated text says of one command; an option is looked for as that text spells it.
struct Text {
  std::string what;
  std::string begin, end;  // of a command's part, whose name is put in for {}
  std::string option;      // for {}: its name without dashes
};

class Generated : public testing::TestWithParam<Text> {};

TEST_P(Generated, HasEveryCommandAndOptionOfHelp) {
  const Text& made = GetParam();
  const std::string text = generated(made.what);
  const auto all = listed_commands();
  ASSERT_GE(all.size(), 10u);
  for (const std::string& command : all) {
    std::string part = between(text, fmt::format(fmt::runtime(made.begin), command), made.end);
    if (made.what == "fish") {  // each of its lines is complete
      part.clear();
      for (const std::string& line : lines_of(text)) {
        if (line.find(fmt::format(fmt::runtime(made.begin), command)) != std::string::npos) part += line + "\n";
      }
      EXPECT_NE(text.find(fmt::format(" -a {} ", command)), std::string::npos) << command;
    }
    ASSERT_NE(part, "") << command;
    const auto options = options_of(command);
    EXPECT_FALSE(options.empty()) << command;
    for (const std::string& option : options) {
      std::string name = option.substr(2);
      if (made.what == "man") name = std::regex_replace(name, std::regex("-"), "\\-");
      const std::string spelled = fmt::format(fmt::runtime(made.option), name);
      EXPECT_NE(part.find(spelled), std::string::npos) << command << ' ' << spelled << " is not in\n" << part;
    }
  }
  EXPECT_EQ(text.find("generate"), std::string::npos) << "the hidden command is told";
}

INSTANTIATE_TEST_SUITE_P(Install, Generated,
                         testing::Values(Text{"man", "\n.SS \"warpbook {} ", "\n.S", "\\fB\\-\\-{}\\fR"},
                                         Text{"bash", "\n    '{}')\n", "\n      ;;", "--{}"},
                                         Text{"zsh", "\n        {})\n", "\n          ;;", "--{}"},
                                         Text{"fish", "-n '__fish_seen_subcommand_from {}'", "", " -l {} "}),
                         [](const auto& each) { return each.param.what; });

TEST(Install, VersionIsOneLine) {
  const Ran ran = warpbook({"--version"});
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_TRUE(std::regex_match(ran.out, std::regex("warpbook [0-9]+\\.[0-9]+\\.[0-9]+\n"))) << ran.out;
}

TEST(Install, GenerateIsHiddenAndRefusesWhatItDoesNotKnow) {
  EXPECT_EQ(warpbook({"--help"}).out.find("generate"), std::string::npos);
  EXPECT_EQ(warpbook({"generate", "tcsh"}).exit_code, 2);
}

TEST(Install, BashCompletesCommandsOptionsValuesAndFiles) {
  const Ran ran = run_shell(R"(
touch mine.cu page.png notes.txt
"$warpbook" generate bash >completion
source ./completion
try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _warpbook; echo "${COMPREPLY[*]}"; }
try warpbook ru
try warpbook run --pic
try warpbook launch --schedule ''
try warpbook run --picture p
try warpbook run 05
try warpbook check squ
try warpbook mi
try warpbook launch --grid '')");
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(ran.out, "run\n--picture\nfast clock\npage.png\n05_race_conditions\nsquare\nmine.cu\n\n") << ran.err;
}

TEST(Install, TheOtherShellsAcceptTheirs) {
  for (const char* const shell : {"zsh", "fish"}) {
    const Ran ran = run_shell(
        fmt::format("command -v {0} >/dev/null || exit 77\n\"$warpbook\" generate {0} >completion && {0} -n completion", shell));
    if (ran.exit_code == 77) continue;  // it is not installed here
    EXPECT_EQ(ran.exit_code, 0) << shell << ran.out << ran.err;
    EXPECT_EQ(ran.err, "");
  }
}

class Installed : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const Ran ran = run_program("cmake", {"--install", WARPBOOK_BUILD, "--prefix", (scratch() / "first").string()});
    ASSERT_EQ(ran.exit_code, 0) << ran.out << ran.err;
    // It is where nobody said it would be, and there is no other.
    fs::rename(scratch() / "first", folder());
  }
  static fs::path folder() { return scratch() / "installed"; }
  // From another folder, and with an environment that has no help in it.
  static Ran installed(const std::vector<std::string>& arguments) {
    std::vector<std::string> words{"-i", "--chdir=/", "HOME=" + (scratch() / "home").string(),
                                   (folder() / "bin/warpbook").string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return run_program("env", words);
  }
};

TEST_F(Installed, FindsItsDataWhereverItLies) {
  const Ran doctor = installed({"doctor"});
  const std::string line = between(doctor.out, "\nLessons ", "\n");
  EXPECT_NE(line.find(fs::canonical(folder() / "share/warpbook").string() + ", "), std::string::npos) << doctor.out;
  const Ran list = installed({"list", "--json"});
  EXPECT_EQ(list.exit_code, 0) << list.err;
  EXPECT_GE(list.json()["exercises"].size(), 60u);
}

TEST_F(Installed, HasEveryFileThatTheProgramReads) {
  for (const char* const room : {"lessons", "kernels", "assets/shaders"}) {
    int files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(WARPBOOK_ROOT) / room)) {
      const fs::path file = entry.path();
      if (!entry.is_regular_file() || file.extension() == ".cpp" || file.extension() == ".h" || file.filename() == "README.md" ||
          file.filename() == "CMakeLists.txt")
        continue;
      ++files;
      EXPECT_EQ(read_file(folder() / "share/warpbook" / file.lexically_relative(WARPBOOK_ROOT)), read_file(file)) << file;
    }
    EXPECT_GE(files, 2) << room;
  }
  for (const auto& entry : fs::recursive_directory_iterator(folder() / "share/warpbook")) {
    EXPECT_NE(entry.path().extension(), ".cpp");
    EXPECT_FALSE(entry.is_directory() && fs::is_empty(entry.path())) << entry.path();
  }
}

TEST_F(Installed, HasWhatADesktopAndAShellLookFor) {
  for (const char* const file : {"applications/org.warpbook.Warpbook.desktop", "metainfo/org.warpbook.Warpbook.metainfo.xml",
                                 "mime/packages/warpbook.xml", "icons/hicolor/scalable/apps/warpbook.svg", "man/man1/warpbook.1.gz",
                                 "bash-completion/completions/warpbook", "zsh/site-functions/_warpbook",
                                 "fish/vendor_completions.d/warpbook.fish", "doc/warpbook/copyright", "doc/warpbook/changelog.gz"})
    EXPECT_NE(read_file(folder() / "share" / file), "") << file;
  EXPECT_EQ(read_file(folder() / "share/bash-completion/completions/warpbook"), generated("bash"));
}

TEST_F(Installed, KnowsNoSourceTree) {
  const fs::path away = scratch() / "away";
  fs::rename(folder() / "share/warpbook", away);
  const Ran ran = installed({"list"});
  fs::rename(away, folder() / "share/warpbook");
  EXPECT_EQ(ran.exit_code, 2) << ran.out;
  EXPECT_NE(ran.err.find((folder() / "share/warpbook").string()), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("WARPBOOK_DATA"), std::string::npos) << ran.err;
}

}  // namespace
}  // namespace warpbook::test
