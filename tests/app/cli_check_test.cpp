// check, from outside: its words, its JSON, its JUnit, its exit codes.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/app/cli.h"

namespace warpbook::test {
namespace {

using nlohmann::json;

std::string learner(const std::string& file) { return std::string(WARPBOOK_ROOT) + "/tests/cases/exercises/" + file; }
std::string of_lesson(const std::string& file) { return std::string(WARPBOOK_ROOT) + "/lessons/" + file; }

/// What Python's XML parser, which is nobody's we know, makes of it: "testcase name|failure type|message" a line.
std::string read_xml(const std::filesystem::path& file) {
  const auto script = write_file(
      "read_junit.py",
      "import sys, xml.etree.ElementTree as tree\n"
      "suites = tree.parse(sys.argv[1]).getroot()\n"
      "assert suites.tag == 'testsuites'\n"
      "for suite in suites:\n"
      "    print(suite.tag, suite.get('name'), suite.get('tests'), suite.get('failures'), suite.get('errors'))\n"
      "    for case in suite:\n"
      "        print(case.tag, case.get('name'), *[f'{p.tag} {p.get(\"type\")} {p.get(\"message\")}' for p in case], sep='|')\n");
  const Ran ran = run_program("/usr/bin/env", {"python3", script.string(), file.string()});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  return ran.out;
}

TEST(Check, EverySolutionPassesAndEveryStartDoesNot) {
  const json list = warpbook({"list", "--json"}).json();
  ASSERT_GE(list["exercises"].size(), 10U);
  const std::string text = warpbook({"list"}).out;
  for (const json& exercise : list["exercises"]) {
    const std::string id = exercise["id"], lesson = exercise["lesson"];
    EXPECT_FALSE(exercise["title"].get<std::string>().empty());
    EXPECT_NE(text.find("exercise " + id), std::string::npos) << text;
    const std::string folder = lesson + "/exercises/" + id;
    const Ran right = warpbook({"check", id, of_lesson(folder + "/" + exercise["solution"].get<std::string>())});
    if (id == "launch_bounds" && !registers_are_known()) {
      EXPECT_EQ(right.exit_code, 5) << "it is about too many registers";
      EXPECT_NE(right.err.find("does not tell them"), std::string::npos) << right.err;
      continue;
    }
    EXPECT_EQ(right.exit_code, 0) << right.out << right.err;
    EXPECT_EQ(right.out.find("FAILED"), std::string::npos) << right.out;
    const Ran start = warpbook({"check", lesson + "/" + id, of_lesson(folder + "/" + exercise["start"].get<std::string>())});
    EXPECT_EQ(start.exit_code, 1) << start.out << start.err;
    EXPECT_NE(start.out.find("Begin with"), std::string::npos) << start.out;
  }
}

TEST(Check, AQuizIsAnsweredInAFile) {
  const auto file = write_file("answers.txt", "1 = a\n2 = c\n3 = a\n4 = 1\n");
  const Ran ran = warpbook({"check", "about_races", file.string()});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_NE(ran.out.find("FAILED   1. Two threads run"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("Not a. Both threads may load the 0"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("It is not answered yet: write a letter from a to c after `5 =`."), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("3 of 5 cases pass."), std::string::npos) << ran.out;
  EXPECT_EQ(ran.out.find("<<<"), std::string::npos) << "nothing is launched: " << ran.out;

  const auto xml = write_file("answers.xml", "");
  const json answer = warpbook({"check", "about_races", file.string(), "--json", "--junit", xml.string()}).json();
  EXPECT_EQ(answer["kind"], "quiz");
  EXPECT_EQ(answer["passed"], false);
  ASSERT_EQ(answer["cases"].size(), 5U);
  EXPECT_EQ(answer["cases"][0]["verdict"], "wrong");
  EXPECT_EQ(answer["cases"][1]["verdict"], "passed");
  EXPECT_TRUE(answer["cases"][0]["grid"].is_null());
  EXPECT_TRUE(answer["cases"][0]["status"].is_null());
  EXPECT_EQ(read_xml(xml).rfind("testsuite about_races 5 2 0\n", 0), 0U) << read_xml(xml);

  const auto broken = write_file("broken.txt", "1 = b\n2 = e\n");
  const Ran refused = warpbook({"check", "about_races", broken.string()});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_NE(refused.err.find("'e' is no answer to question 2: it takes a letter from a to c."), std::string::npos) << refused.err;
  EXPECT_NE(refused.err.find("broken.txt:2"), std::string::npos) << refused.err;
}

TEST(Check, LinesOfAProgramAreMarked) {
  std::ifstream file(of_lesson("06_diffusion/exercises/missing_barriers/start.cu"));
  const std::string start{std::istreambuf_iterator<char>(file), {}};
  const auto changed = write_file("changed.cu", "#include <cstdio>\n" + start);
  const Ran refused = warpbook({"check", "missing_barriers", changed.string()});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_NE(refused.err.find("Change nothing but the marks"), std::string::npos) << refused.err;
  const Ran ran = warpbook({"check", "missing_barriers", write_file("none.cu", start).string()});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_NE(ran.out.find("No line is marked. 2 lines are wanted"), std::string::npos) << ran.out;
}

TEST(Check, SaysWhichCaseFailedWhereAndWhatToDo) {
  const Ran ran = warpbook({"check", "square", learner("square/no_guard.cu"), "--seed", "1"});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_NE(ran.out.find("passed   32 blocks of 128"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("FAILED   A grid that is too large"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("in[5000]"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("     5 |     const float x = in[i];"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("2 of 5 cases pass. Begin with “A grid that is too large”."), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("The last case is another one at each check. --seed 1 makes it again."), std::string::npos) << ran.out;
}

TEST(Check, ACaseIsMadeAnewAndCanBeMadeAgain) {
  const auto sums = [](const std::string& seed) {
    const Ran ran = warpbook({"check", "square", of_lesson("01_first_kernel/exercises/square/start.cu"), "--json", "--seed", seed});
    EXPECT_EQ(ran.json()["seed"].dump(), seed);
    return ran.json()["cases"].back()["message"].get<std::string>();
  };
  EXPECT_EQ(sums("5"), sums("5"));
  EXPECT_NE(sums("5"), sums("6"));
  const Ran by_the_clock = warpbook({"check", "square", learner("square/ok_grid_stride.cu")});
  EXPECT_EQ(by_the_clock.exit_code, 0);
  EXPECT_NE(by_the_clock.out.find("--seed "), std::string::npos) << by_the_clock.out;
}

TEST(Check, JsonFollowsTheConventionOfTestRunners) {
  const json failed = warpbook({"check", "square", learner("square/no_guard.cu"), "--json", "--seed", "1"}).json();
  EXPECT_EQ(failed["version"], 3);
  EXPECT_EQ(failed["status"], "fail");
  EXPECT_TRUE(failed["message"].is_null());
  ASSERT_EQ(failed["tests"].size(), failed["cases"].size());
  EXPECT_EQ(failed["tests"][0]["name"], "32 blocks of 128");
  EXPECT_EQ(failed["tests"][0]["status"], "pass");
  EXPECT_TRUE(failed["tests"][0]["message"].is_null());
  EXPECT_EQ(failed["tests"][1]["status"], "fail");
  EXPECT_EQ(failed["tests"][1]["message"], failed["cases"][1]["message"]);
  EXPECT_EQ(warpbook({"check", "square", learner("square/ok_grid_stride.cu"), "--json"}).json()["status"], "pass");
  const json broken = warpbook({"check", "square", learner("square/does_not_compile.cu"), "--json"}).json();
  EXPECT_EQ(broken["status"], "error");
  EXPECT_FALSE(broken["message"].get<std::string>().empty());
  EXPECT_TRUE(broken["tests"].empty());
}

TEST(Check, AnswersInJsonWithTheAgreedKeys) {
  const std::string file = learner("square/first_block_only.cu");
  const Ran ran = warpbook({"check", "01/square", file, "--json"});
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  const json answer = ran.json();
  EXPECT_EQ(answer["exercise"], "square");
  EXPECT_EQ(answer["lesson"], "01_first_kernel");
  EXPECT_EQ(answer["file"], file);
  EXPECT_EQ(answer["passed"], false);
  EXPECT_TRUE(answer["diagnostics"].empty());
  EXPECT_FALSE(answer["next"].get<std::string>().empty());
  ASSERT_EQ(answer["cases"].size(), 5U);
  std::set<std::string> keys;
  for (const auto& [key, value] : answer["cases"][0].items()) keys.insert(key);
  EXPECT_EQ(keys, (std::set<std::string>{"name", "verdict", "message", "hint", "hints", "grid", "block", "shared_bytes", "status",
                                         "findings", "over", "first_wrong", "wrong_elements", "stdout"}));
  const json& first = answer["cases"][0];
  EXPECT_EQ(first["verdict"], "wrong");
  EXPECT_EQ(first["grid"], (json{32, 1, 1}));
  EXPECT_EQ(first["block"], (json{128, 1, 1}));
  EXPECT_EQ(first["first_wrong"]["argument"], 1);
  EXPECT_EQ(first["first_wrong"]["array"], "out");
  EXPECT_EQ(first["first_wrong"]["index"], 128);
  EXPECT_EQ(first["first_wrong"]["got"], 0);
  EXPECT_GT(first["first_wrong"]["expected"].get<double>(), 0);
  EXPECT_EQ(first["first_wrong"]["wrong"], 4096 - 128);
  ASSERT_EQ(first["wrong_elements"].size(), 4U);
  EXPECT_EQ(first["wrong_elements"][0]["index"], 128);
  EXPECT_EQ(first["wrong_elements"][0]["got"], 0);
  EXPECT_EQ(first["wrong_elements"][0]["writes"], 0);
  EXPECT_EQ(first["wrong_elements"][0]["last_writer"], nullptr);
  EXPECT_EQ(first["hints"].size(), 3U);
  EXPECT_EQ(first["hints"][0], first["hint"]);
  EXPECT_TRUE(answer["cases"][2]["wrong_elements"].empty());
  EXPECT_EQ(answer["cases"][2]["verdict"], "passed");
  EXPECT_EQ(answer["cases"][2]["first_wrong"], nullptr);

  const json race = warpbook({"check", "square", learner("square/every_block_writes_the_same.cu"), "--json"}).json();
  EXPECT_EQ(race["cases"][0]["verdict"], "finding");
  EXPECT_EQ(race["cases"][0]["findings"][0]["kind"], "race");
  EXPECT_EQ(race["cases"][0]["findings"][0]["line"], 5);
  EXPECT_EQ(race["cases"][0]["findings"][0]["file"], "every_block_writes_the_same.cu");

  const Ran right = warpbook({"check", "square", learner("square/ok_grid_stride.cu"), "--json"});
  EXPECT_EQ(right.exit_code, 0);
  EXPECT_EQ(right.json()["passed"], true);
}

TEST(Check, WritesJUnitThatAParserReads) {
  const auto file = scratch() / "square.xml";
  EXPECT_EQ(warpbook({"check", "square", learner("square/no_guard.cu"), "--seed", "1", "--junit", file.string()}).exit_code, 1);
  const std::string read = read_xml(file);
  EXPECT_EQ(
      read.rfind("testsuite square 5 3 0\ntestcase|32 blocks of 128\ntestcase|A grid that is too large|failure finding Thread", 0),
      0U)
      << read;
  EXPECT_NE(read.find("`if (i < n)`"), std::string::npos) << "escaped and read back: " << read;

  EXPECT_EQ(warpbook({"check", "square", learner("square/ok_grid_stride.cu"), "--junit", file.string()}).exit_code, 0);
  EXPECT_EQ(read_xml(file).rfind("testsuite square 5 0 0\n", 0), 0U);

  EXPECT_EQ(warpbook({"check", "square", learner("square/renamed.cu"), "--junit", file.string()}).exit_code, 2);
  EXPECT_EQ(read_xml(file).rfind("testsuite square 1 0 1\ntestcase|compiles|error None renamed.cu has no kernel", 0), 0U)
      << read_xml(file);

  // Quotes, angle brackets, an escape character and bytes that are no UTF-8, in what the compiler says back.
  const auto nasty =
      write_file("na<s>\"t'y.cu", "__global__ void square(const float* in) { \xff\x1b <&\"> ]]> }\n#error \"<&> \x1b[31m \xfe\"\n");
  EXPECT_EQ(warpbook({"check", "square", nasty.string(), "--junit", file.string()}).exit_code, 3);
  EXPECT_EQ(read_xml(file).rfind("testsuite square 1 0 1\n", 0), 0U) << read_file(file);
}

TEST(Check, ShowsWrongBesideRightAndTellsHintsOneByOne) {
  const std::string file = learner("cuda_histogram/rounds_towards_zero.cu");
  const Ran one = warpbook({"check", "cuda_histogram", file});
  EXPECT_EQ(one.exit_code, 1) << one.err;
  EXPECT_NE(one.out.find("element  is  should be  written by\n             bins[0]"), std::string::npos) << one.out;
  EXPECT_NE(one.out.find("Only the first bin holds too much."), std::string::npos) << one.out;
  EXPECT_EQ(one.out.find("truncates towards 0"), std::string::npos) << "that is the third step";
  EXPECT_NE(one.out.find("There are 2 more hints. --hints 2 tells the next one."), std::string::npos) << one.out;
  const Ran all = warpbook({"check", "cuda_histogram", file, "--hints", "3"});
  EXPECT_NE(all.out.find("truncates towards 0"), std::string::npos) << all.out;
  EXPECT_EQ(all.out.find("--hints"), std::string::npos) << "there is nothing more to ask for";
  const Ran none = warpbook({"check", "cuda_histogram", file, "--hints", "0"});
  EXPECT_EQ(none.out.find("Only the first bin"), std::string::npos) << none.out;
  EXPECT_NE(none.out.find("There are 3 more hints."), std::string::npos) << none.out;
}

TEST(Check, ShowsWhatTheKernelPrintedOnce) {
  const auto file = write_file("talks.cu",
                               "__global__ void square(const float* in, float* out, int n) {\n"
                               "  if (blockIdx.x + threadIdx.x == 0) printf(\"n is %d\\n\", n);\n}\n");
  const Ran ran = warpbook({"check", "square", file.string()});
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  EXPECT_NE(ran.out.find("The kernel printed in “32 blocks of 128”:\nn is 4096\n"), std::string::npos) << ran.out;
  EXPECT_EQ(ran.out.find("n is 5000"), std::string::npos);
  EXPECT_EQ(warpbook({"check", "square", file.string(), "--json"}).json()["cases"][1]["stdout"], "n is 5000\n");
}

/// A folder with answers as a class hands them in.
std::filesystem::path handed_in(const std::string& name, const std::vector<std::pair<std::string, std::string>>& answers) {
  const auto folder = scratch() / name;
  std::filesystem::create_directories(folder);
  for (const auto& [file, from] : answers)
    std::filesystem::copy_file(from, folder / file, std::filesystem::copy_options::overwrite_existing);
  return folder;
}

TEST(CheckAll, SumsUpAFolderOfAnswers) {
  const auto folder = handed_in("class", {{"square.cu", learner("square/ok_grid_stride.cu")},
                                          {"shift.cu", learner("square/ok_grid_stride.cu")},
                                          {"mean_of_big.cu", learner("square/does_not_compile.cu")},
                                          {"about_races.txt", of_lesson("05_race_conditions/exercises/about_races/solution.txt")},
                                          {"about_races.cu", learner("square/ok_grid_stride.cu")},
                                          {"squares.cu", learner("square/ok_grid_stride.cu")},
                                          {"helper.h", learner("square/ok_grid_stride.cu")}});
  std::filesystem::create_directories(folder / "gray.cu");  // a folder is no answer
  const auto xml = scratch() / "class.xml";
  const Ran ran = warpbook({"check", "--all", folder.string(), "--json", "--seed", "7", "--junit", xml.string()});
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  const json answer = ran.json();
  EXPECT_EQ(answer["passed"], 2);
  EXPECT_EQ(answer["handed_in"], 4);
  EXPECT_EQ(answer["status"], "fail");
  EXPECT_EQ(answer["other_files"], (json{"about_races.cu", "squares.cu"}));
  std::map<std::string, json> by_id;
  for (const json& each : answer["exercises"]) by_id[each["id"]] = each;
  EXPECT_EQ(by_id.size(), answer["of"]);
  EXPECT_EQ(by_id["square"]["status"], "pass");
  EXPECT_EQ(by_id["square"]["cases"], by_id["square"]["cases_passed"]);
  EXPECT_EQ(by_id["about_races"]["status"], "pass");
  EXPECT_EQ(by_id["shift"]["status"], "error") << "it has no kernel of that name";
  EXPECT_EQ(by_id["mean_of_big"]["status"], "error");
  EXPECT_FALSE(by_id["mean_of_big"]["message"].get<std::string>().empty());
  EXPECT_EQ(by_id["gray"]["status"], "missing");
  EXPECT_TRUE(by_id["gray"]["file"].is_null());
  const std::string written = read_file(xml);
  for (const char* const suite : {"square", "shift", "mean_of_big", "about_races"})
    EXPECT_NE(written.find("<testsuite name=\"" + std::string(suite) + "\""), std::string::npos) << written;
  EXPECT_EQ(written.find("<testsuites>"), written.rfind("<testsuites>"));

  const Ran text = warpbook({"check", "--all", folder.string()});
  EXPECT_EQ(text.exit_code, 1);
  EXPECT_NE(text.out.find("2 of 4 answers pass."), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("squares.cu is named after no exercise"), std::string::npos) << text.out;
}

TEST(CheckAll, EndsCleanWhereAllAnswersPassAndSaysWhatIsMissing) {
  const auto folder = handed_in("one", {{"square.cu", learner("square/ok_grid_stride.cu")}});
  EXPECT_EQ(warpbook({"check", "--all", folder.string()}).exit_code, 0);
  std::filesystem::create_directories(scratch() / "empty");
  for (const std::vector<std::string>& wrong :
       std::vector<std::vector<std::string>>{{"check", "--all", (scratch() / "empty").string()},
                                             {"check", "--all", "/nonexistent"},
                                             {"check", "--all", folder.string(), "square", learner("square/ok_grid_stride.cu")},
                                             {"check", "square"},
                                             {"check"}}) {
    const Ran ran = warpbook(wrong);
    EXPECT_EQ(ran.exit_code, 2) << ran.out;
    EXPECT_EQ(ran.out, "");
    EXPECT_FALSE(ran.err.empty());
  }
}

TEST(Check, FoldersAtFaultAreNamed) {
  const auto complaint = [](const std::filesystem::path& data) {
    const Ran ran = warpbook({"list"}, "WARPBOOK_DATA=" + data.string());
    EXPECT_EQ(ran.exit_code, 2) << ran.out;
    EXPECT_EQ(ran.out, "");
    EXPECT_EQ(warpbook({"check", "square", learner("square/ok_grid_stride.cu")}, "WARPBOOK_DATA=" + data.string()).err, ran.err);
    return ran.err;
  };
  EXPECT_NE(complaint("/nonexistent").find("WARPBOOK_DATA"), std::string::npos);

  const auto data = scratch() / "data";
  for (const char* const lesson : {"01_first_kernel", "05_race_conditions"}) {
    std::filesystem::create_directories(data / "lessons" / lesson / "exercises");
    std::filesystem::copy(of_lesson("01_first_kernel/exercises/square"), data / "lessons" / lesson / "exercises" / "square");
  }
  const std::string twice = complaint(data);
  EXPECT_NE(twice.find("05_race_conditions/exercises/square: 01_first_kernel has an exercise of this name already"),
            std::string::npos)
      << twice;
  (void)write_file("data/lessons/01_first_kernel/exercises/square/task.toml", "title = \"Square\"\n\nkernel = 3\n");
  const std::string damaged = complaint(data);
  EXPECT_NE(damaged.find("01_first_kernel/exercises/square/task.toml, line 3"), std::string::npos) << damaged;
}

TEST(Check, AnExerciseIsNoExperiment) {
  for (const std::string command : {"run", "sweep", "export"}) {
    std::vector<std::string> words{command, "01_first_kernel/square"};
    if (command == "sweep") words.insert(words.end(), {"--over", "threads"});
    if (command == "export") words.push_back((scratch() / "x.cu").string());
    const Ran ran = warpbook(words);
    EXPECT_EQ(ran.exit_code, 2);
    EXPECT_NE(ran.err.find("warpbook check square"), std::string::npos) << ran.err;
  }
}

TEST(Check, WhatDoesNotCompileIsSaidWithTheLearnersLine) {
  const Ran ran = warpbook({"check", "square", learner("square/does_not_compile.cu")});
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_EQ(ran.err.rfind("does_not_compile.cu:4:", 0), 0U) << ran.err;
  const Ran as_json = warpbook({"check", "square", learner("square/does_not_compile.cu"), "--json"});
  EXPECT_EQ(as_json.exit_code, 3);
  const json answer = as_json.json();
  EXPECT_EQ(answer["passed"], false);
  EXPECT_TRUE(answer["cases"].empty());
  EXPECT_EQ(answer["diagnostics"][0]["line"], 4);
  EXPECT_EQ(answer["diagnostics"][0]["file"], "does_not_compile.cu");
}

TEST(Check, AKernelMayHaveHeadersBesideIt) {
  std::filesystem::create_directories(scratch() / "mine");
  const auto file = write_file("mine/square.cu",
                               "#include \"power.h\"\n"
                               "__global__ void square(const float* in, float* out, int n) {\n"
                               "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                               "  if (i < n) out[i] = power_of_two(in[i]);\n"
                               "}\n");
  (void)write_file("mine/power.h", "__device__ inline float power_of_two(float x) { return x * x; }\n");
  const Ran right = warpbook({"check", "square", file.string()});
  EXPECT_EQ(right.exit_code, 0) << right.out << right.err;
  (void)write_file("mine/power.h", "__device__ inline float power_of_two(float x) { return x * y; }\n");
  const Ran wrong = warpbook({"check", "square", file.string(), "--json"});
  EXPECT_EQ(wrong.exit_code, 3);
  EXPECT_EQ(wrong.json()["diagnostics"][0]["file"], "power.h");
  EXPECT_EQ(wrong.json()["diagnostics"][0]["line"], 1);
}

// A library of that name without NVRTC in it stands for a machine without the toolkit, wherever this one's lies.
TEST(Check, WithoutNvrtcSaysWhatToInstall) {
  Dl_info another{};
  ASSERT_NE(dladdr(dlsym(RTLD_DEFAULT, "_ZSt9terminatev"), &another), 0);
  const std::filesystem::path folder = scratch() / "no_nvrtc";
  std::filesystem::create_directories(folder);
  std::filesystem::create_symlink(std::filesystem::canonical(another.dli_fname), folder / "libnvrtc.so.13");
  const std::string without_nvrtc = "ASAN_OPTIONS=detect_leaks=0 LD_LIBRARY_PATH=" + folder.string();
  const std::string environment = without_nvrtc + " WARPBOOK_COMPILER=nvrtc";
  const std::string right = learner("square/ok_grid_stride.cu");
  const std::filesystem::path xml = scratch() / "no_nvrtc.xml";
  const std::vector<std::vector<std::string>> asked{
      {"check", "square", right},
      {"check", "square", right, "--json", "--junit", xml.string()},
      {"launch", kernel_file("race.cu"), "count", "--grid", "1", "--block", "1", "--arg", "int32[1]=zeros"}};
  for (const auto& words : asked) {
    const Ran ran = warpbook(words, environment);
    EXPECT_EQ(ran.exit_code, 5) << ran.out << ran.err;
    EXPECT_NE(ran.err.find("pip install nvidia-cuda-nvrtc"), std::string::npos) << ran.err;
  }
  EXPECT_NE(read_xml(xml).find("NVRTC"), std::string::npos) << "a grader's report says it, too";
}

TEST(Check, RefusesWhatItCannotCheck) {
  const std::string right = learner("square/ok_grid_stride.cu");
  const struct {
    std::vector<std::string> words;
    std::string names;
  } refused[] = {{{"check", "squares", right}, "The exercises are number_them, square, "},
                 {{"check", "square", "no-such.cu"}, "'no-such.cu'"},
                 {{"check", "square", "/"}, "'/'"},
                 {{"check", "square"}, "an exercise and a file"},
                 {{"check", "square", right, "--junit", "/no/such/folder/x.xml"}, "/no/such/folder/x.xml"},
                 {{"check", "square", learner("square/renamed.cu")}, "squares(const float* in, float* out, int n)"},
                 {{"check", "square", learner("square/other_parameters.cu")}, "square(const float* in, float* out, int n)"}};
  for (const auto& [words, names] : refused) {
    const Ran ran = warpbook(words);
    EXPECT_EQ(ran.exit_code, 2) << names << ran.out;
    EXPECT_NE(ran.err.find(names), std::string::npos) << ran.err;
  }
}

}  // namespace
}  // namespace warpbook::test
