// `warpbook exec` from outside: a program made by hand everywhere (program.cpp); the whole programs of cases/*.cu, compiled by
// `warpbook cc` where there is clang, and by `warpbook nvcc` where there is an nvcc; where Python has Numba, those of cases/*.py,
// whose comments begin with a #. In a case,
//
//     // run: --observe race              options of exec
//     // prints: 499500                   what its standard output holds
//     // says: was never                  what the report holds
//     // exit: 1                          its exit code; 0 without this line
//     // cc refuses: __managed__          cc does not compile it, and says this
//     // cc alone                         nvcc does not compile it
//     counter[0] += 1;  // expect: race   what is told of this line: the kind of a finding, or error, or leak; nothing else is told
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/app/cli.h"

namespace {

using namespace warpbook::test;
namespace fs = std::filesystem;

struct Told {
  Ran ran;
  nlohmann::json report;
};
Told exec_program(const std::string& program, std::vector<std::string> arguments, std::vector<std::string> options = {}) {
  static int runs = 0;
  const fs::path json = scratch() / ("run" + std::to_string(runs++) + ".json");
  std::vector<std::string> words{"exec", "--json", json.string()};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {"--", program});
  words.insert(words.end(), arguments.begin(), arguments.end());
  Told told{warpbook::test::warpbook(words), {}};
  if (fs::exists(json)) told.report = nlohmann::json::parse(read_file(json));
  return told;
}
Told hand_made(std::vector<std::string> arguments, std::vector<std::string> options = {}) {
  return exec_program(RUNTIME_PROGRAM, std::move(arguments), std::move(options));
}

TEST(Exec, RunsAWholeProgram) {
  const Told told = hand_made({"add"});
  EXPECT_EQ(told.ran.exit_code, 0) << told.ran.err;
  EXPECT_EQ(told.ran.out, "999\n");
  ASSERT_EQ(told.report["kernels"].size(), 1u) << told.ran.err;
  EXPECT_EQ(told.report["kernels"][0]["kernel"], "add");
  EXPECT_EQ(told.report["kernels"][0]["launches"], 1);
  EXPECT_TRUE(told.report["errors"].empty()) << told.ran.err;
}

TEST(Exec, TheProgramsOwnExitCodeIsItsOwn) {
  const Told told = hand_made({"nothing"});
  EXPECT_EQ(told.ran.exit_code, 7);
  EXPECT_NE(told.ran.err.find("No CUDA call was seen."), std::string::npos) << told.ran.err;
  EXPECT_NE(hand_made({"idle"}).ran.err.find("did not use it"), std::string::npos);
}

TEST(Exec, FindsARaceAndFailsOnlyWhenAsked) {
  const Told told = hand_made({"race"}, {"--observe", "race"});
  EXPECT_EQ(told.ran.exit_code, 0);
  ASSERT_EQ(told.report["findings"].size(), 1u) << told.ran.err;
  EXPECT_EQ(told.report["findings"][0]["kind"], "race");
  EXPECT_EQ(hand_made({"race"}, {"--observe", "race", "--fail-on-findings"}).ran.exit_code, 1);
  EXPECT_EQ(hand_made({"add"}, {"--observe", "all", "--fail-on-findings"}).ran.exit_code, 0);
}

TEST(Exec, TellsErrorsThatNobodyLookedAt) {
  for (const char* guilty : {"refused", "ignored"}) {
    const Told told = hand_made({guilty}, {"--fail-on-findings"});
    EXPECT_EQ(told.ran.exit_code, 1) << guilty << told.ran.err;
    EXPECT_EQ(told.report["errors"].size(), 1u) << told.ran.err;
    EXPECT_NE(told.ran.err.find("program.cpp:"), std::string::npos) << told.ran.err;
  }
  const Told asked = hand_made({"asked"});
  EXPECT_EQ(asked.ran.out, "cudaErrorInvalidConfiguration\n");
  EXPECT_EQ(asked.ran.err.find("did not ask"), std::string::npos) << asked.ran.err;
}

TEST(Exec, TellsWhatWasNeverFreed) {
  const Told told = hand_made({"leak"});
  ASSERT_EQ(told.report["errors"].size(), 1u) << told.ran.err;
  EXPECT_EQ(told.report["errors"][0]["kind"], "leak");
  EXPECT_EQ(told.report["errors"][0]["bytes"], 4000);
}

TEST(Exec, AFaultIsToldByTheCallThatWaits) {
  const Told told = hand_made({"beyond"});
  EXPECT_EQ(told.ran.out, "cudaErrorIllegalAddress\n");
  EXPECT_EQ(told.ran.exit_code, 4);
  EXPECT_EQ(told.report["errors"][0]["kind"], "fault") << told.ran.err;
}

TEST(Exec, ACrashAndAStopAreTold) {
  const Told crashed = hand_made({"crash"});
  EXPECT_EQ(crashed.ran.exit_code, 128 + SIGSEGV);
  EXPECT_NE(crashed.ran.err.find("crashed"), std::string::npos) << crashed.ran.err;
  EXPECT_EQ(crashed.report["kernels"].size(), 1u) << crashed.ran.err;
  ASSERT_EQ(crashed.report["errors"].size(), 1u) << crashed.ran.err;
  EXPECT_EQ(crashed.report["errors"][0]["kind"], "crash");
  const int line = line_with(read_file(fs::path(WARPBOOK_ROOT) / "tests" / "runtime" / "program.cpp"), "int*>(16)");
  EXPECT_EQ(crashed.report["errors"][0]["line"], line) << crashed.ran.err;
  const Told aborted = hand_made({"abort"});
  EXPECT_EQ(aborted.ran.exit_code, 128 + SIGABRT);
  EXPECT_NE(aborted.ran.err.find("abort()"), std::string::npos) << aborted.ran.err;
  const Ran stopped =
      run_shell("export TMPDIR=$PWD; timeout -s INT 3 \"$warpbook\" exec -- " RUNTIME_PROGRAM " spin; ls | grep warpbook-exec");
  EXPECT_NE(stopped.err.find("while the kernel spin ran"), std::string::npos) << stopped.err;
  EXPECT_EQ(stopped.out, "") << "something was left behind";
  EXPECT_EQ(hand_made({"spin"}, {"--max-seconds", "0.3"}).report["errors"][0]["error"], "cudaErrorLaunchTimeout");
}

TEST(Exec, TheHostDoesNotReachTheDevicesMemoryWhereMemoryIsObserved) {
  EXPECT_EQ(hand_made({"host_reads"}).ran.exit_code, 0);
  const Told told = hand_made({"host_reads"}, {"--observe", "memory"});
  EXPECT_EQ(told.ran.exit_code, 128 + SIGSEGV);
  ASSERT_GE(told.report["errors"].size(), 1u) << told.ran.err;
  EXPECT_EQ(told.report["errors"][0]["kind"], "crash");
  EXPECT_NE(told.ran.err.find("The host code uses the device's memory here: byte 0 of allocation 1."), std::string::npos)
      << told.ran.err;
  EXPECT_NE(told.ran.err.find("is the 4000 bytes that cudaMalloc gave"), std::string::npos) << told.ran.err;
}

TEST(Exec, AForkCannotUseTheDevice) {
  const Told told = hand_made({"fork"});
  EXPECT_EQ(told.ran.out, "child: cudaErrorInitializationError\n999\n") << told.ran.err;
  ASSERT_EQ(told.report["errors"].size(), 1u) << told.ran.err;
  EXPECT_EQ(told.report["errors"][0]["kind"], "fork");
  EXPECT_NE(told.ran.err.find("in a child of fork()"), std::string::npos) << told.ran.err;
}

TEST(Exec, WhatIsMissingIsNamed) {
  const Told told = hand_made({"missing"});
  EXPECT_EQ(told.ran.exit_code, 5);
  EXPECT_NE(told.ran.err.find("cudaMallocMipmappedArray is not here"), std::string::npos) << told.ran.err;
}

TEST(Exec, ClockGivesEveryKernelItsTime) {
  const Told told = hand_made({"add"}, {"--schedule", "clock", "--profile", "T4"});
  EXPECT_GT(told.report["kernels"][0]["model_us"].get<double>(), 0.1) << told.ran.err;
}

TEST(Exec, RefusesWhatItCannotRun) {
  EXPECT_EQ(exec_program("./nowhere", {}).ran.exit_code, 2);
  EXPECT_NE(exec_program("true", {}).ran.err.find("No CUDA call was seen"), std::string::npos);
  EXPECT_EQ(hand_made({"add"}, {"--profile", "nonsense"}).ran.exit_code, 2);
}

/// One sentence or two, and none of a program that was not there.
void expect_sentence(const Ran& ran, int exit_code, const std::string& says) {
  EXPECT_EQ(ran.exit_code, exit_code) << ran.err;
  EXPECT_EQ(ran.out, "");
  EXPECT_NE(ran.err.find(says), std::string::npos) << says << "\n" << ran.err;
  EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
}

TEST(Exec, SaysInASentenceWhatIsNoProgramForIt) {
  expect_sentence(exec_program("nowhere", {}).ran, 2, "there is no program nowhere.");
  expect_sentence(exec_program("heat.cu", {}).ran, 2, "heat.cu could not be read");
  expect_sentence(exec_program("", {}).ran, 2, "PROGRAM is empty");
  expect_sentence(exec_program("/", {}).ran, 2, "/ is no program that can be run");
  for (const char* text : {"", "hello\n",
                           "\x7f"
                           "ELF and nothing more"}) {
    const fs::path file = write_file("no_program", text);
    fs::permissions(file, fs::perms::owner_all);
    expect_sentence(exec_program(file.string(), {}).ran, 2, "it is no program for this machine");
  }
}

TEST(Exec, SaysHowToLinkWhatIsLinkedOtherwise) {
  // Another version: the same program, which asks for another library by a name of the same length.
  std::string bytes = read_file(RUNTIME_PROGRAM);
  const std::string name = "libcudart.so.13";
  ASSERT_NE(bytes.find(name), std::string::npos);
  for (std::size_t at = 0; (at = bytes.find(name, at)) != std::string::npos;) bytes.replace(at, name.size(), "libcudart.so.11");
  const fs::path other = write_file("other_version", bytes);
  fs::permissions(other, fs::perms::owner_all);
  expect_sentence(exec_program(other.string(), {"add"}).ran, 2, "was made for libcudart.so.11");
  // Machine code alone: it starts, and ends where it first needs a kernel.
  expect_sentence(hand_made({"machine_code"}).ran, 5, "holds machine code (SASS)");
}

TEST(Exec, SaysThatTheRuntimeLibraryIsToBeShared) {
  const std::string compiler = "${CXX:-c++} -x c++ program.cpp -o program || exit 77; \"$warpbook\" exec -- ./program";
  const std::string program = "cat > program.cpp <<'END'\nextern \"C\" void __cudaRegisterFatBinary() {}\nint main() {}\nEND\n";
  const Ran linked = run_shell(program + compiler);
  if (linked.exit_code == 77) GTEST_SKIP() << "There is no C++ compiler on this machine.";
  expect_sentence(linked, 2, "Link it with nvcc's option -cudart shared");
  // In a library that the program loads: seen when it asks NVIDIA's driver for what only that has.
  const std::string asks =
      "cat > program.cpp <<'END'\n#include <dlfcn.h>\nint main() {\n  void* driver = dlopen(\"libcuda.so.1\", RTLD_NOW);\n"
      "  auto table = (int (*)(const void**, const void*))dlsym(driver, \"cuGetExportTable\");\n"
      "  const void* got = nullptr;\n  return table(&got, \"\");\n}\nEND\n";
  expect_sentence(run_shell(asks + compiler), 5, "or into a library that it uses");
}

TEST(Exec, WritesThePageOfARun) {
  const fs::path page = scratch() / "run.html";
  hand_made({"crash"}, {"--html", page.string()});
  const std::string crash = read_file(page);
  EXPECT_NE(crash.find("<span class=\"kind\">crash</span>"), std::string::npos) << crash;
  EXPECT_NE(crash.find("class=\"here\"><i>"), std::string::npos) << "the line of the program: " << crash;
  EXPECT_NE(crash.find("int*&gt;(16)"), std::string::npos) << crash;
  hand_made({"race", "<b>&\"x"}, {"--observe", "race", "--html", page.string()});
  const std::string race = read_file(page);
  EXPECT_NE(race.find("<span class=\"kind\">race</span>"), std::string::npos) << race;
  EXPECT_NE(race.find("&lt;b&gt;&amp;&quot;x"), std::string::npos) << "arguments are no markup: " << race;
  EXPECT_NE(race.find("<td><code>count</code></td>"), std::string::npos) << race;
  hand_made({"leak"}, {"--html", page.string()});
  EXPECT_NE(read_file(page).find("4000 bytes that cudaMalloc"), std::string::npos);
  hand_made({"refused"}, {"--html", page.string()});
  EXPECT_NE(read_file(page).find("launch refused"), std::string::npos);
  hand_made({"add"}, {"--observe", "all", "--html", page.string()});
  const std::string clean = read_file(page);
  EXPECT_NE(clean.find("Nothing was found. Looked for: all."), std::string::npos) << clean;
  for (const char* elsewhere : {"http:", "https:", "src=", "@import", "url("})
    EXPECT_EQ(clean.find(elsewhere), std::string::npos) << "it needs no other file: " << elsewhere;
  EXPECT_EQ(hand_made({"add"}, {"--html", (scratch() / "run.cu").string()}).ran.exit_code, 2) << "no other ending";
}

TEST(Exec, AProgramThatPrintsNothingHasAReport) {
  const Told told = hand_made({"silent"});
  EXPECT_EQ(told.ran.exit_code, 0);
  EXPECT_EQ(told.ran.out, "");
  EXPECT_NE(told.ran.err.find("ended with exit code 0"), std::string::npos) << told.ran.err;
  EXPECT_EQ(told.report["kernels"][0]["launches"], 1);
  EXPECT_EQ(hand_made({"silent"}, {"--quiet"}).ran.err, "");
}

/// What nvcc is given for these words: an nvcc of ours says it.
std::string words_for_nvcc(const std::string& words) {
  const std::string toolkit =
      "mkdir -p toolkit/bin toolkit/nvvm/bin; touch toolkit/nvvm/bin/cicc; printf '#!/bin/sh\\necho \"$@\"\\n' > toolkit/bin/nvcc; "
      "chmod +x toolkit/bin/nvcc; "
      "export CUDA_PATH=$PWD/toolkit; ";
  return run_shell(toolkit + "\"$warpbook\" nvcc " + words).out;
}

TEST(ExecNvcc, GetsWhatExecNeeds) {
  const std::string plain = " -cudart shared -g -lineinfo -gencode arch=compute_75,code=compute_75\n";
  EXPECT_EQ(words_for_nvcc("-O3 -o heat heat.cu"), "-O3 -o heat heat.cu" + plain);
  EXPECT_EQ(words_for_nvcc("-arch=native a.cu"), "a.cu" + plain);
  EXPECT_EQ(words_for_nvcc("-arch sm_35 -cudart static a.cu"), "a.cu" + plain) << "older than nvcc knows";
  EXPECT_EQ(words_for_nvcc("-gencode arch=compute_60,code=sm_60 -gencode=arch=compute_75,code=[sm_75,compute_75] a.cu"),
            "a.cu" + plain);
  EXPECT_EQ(words_for_nvcc("-G -arch=sm_90a -code=sm_90a a.cu"),
            "-G a.cu -cudart shared -g -gencode arch=compute_90a,code=compute_90a\n");
}

// ------------------------------------------------------------------------------------------------------ cases

std::string rest_of(const std::string& line, const std::string& mark) {
  const std::size_t at = line.find(mark);
  return at == std::string::npos ? std::string() : line.substr(at + mark.size());
}

struct Case {
  std::vector<std::string> options, prints, says;
  std::string cc_refuses;
  bool cc_alone = false;
  int exit_code = 0;
  std::multiset<std::string> expected;  // "12 race"
};
Case read_case(const fs::path& file) {
  Case read;
  const std::string mark = file.extension() == ".py" ? "# " : "// ";
  std::istringstream text(read_file(file));
  std::string line;
  for (int number = 1; std::getline(text, line); ++number) {
    if (const std::string rest = rest_of(line, mark + "run: "); !rest.empty()) {
      std::istringstream words(rest);
      for (std::string word; words >> word;) read.options.push_back(word);
    }
    if (const std::string rest = rest_of(line, mark + "prints: "); !rest.empty()) read.prints.push_back(rest);
    if (const std::string rest = rest_of(line, mark + "says: "); !rest.empty()) read.says.push_back(rest);
    if (const std::string rest = rest_of(line, mark + "cc refuses: "); !rest.empty()) read.cc_refuses = rest;
    read.cc_alone |= line == mark + "cc alone";
    if (const std::string rest = rest_of(line, mark + "exit: "); !rest.empty()) read.exit_code = std::stoi(rest);
    if (const std::string rest = rest_of(line, mark + "expect: "); !rest.empty())
      read.expected.insert(std::to_string(number) + " " + rest);
  }
  return read;
}

std::multiset<std::string> told_of(const nlohmann::json& report) {
  std::multiset<std::string> told;
  for (const auto& finding : report.value("findings", nlohmann::json::array()))
    told.insert(std::to_string(finding["line"].get<int>()) + " " + finding["kind"].get<std::string>());
  for (const auto& error : report.value("errors", nlohmann::json::array()))
    told.insert(std::to_string(error["line"].get<int>()) + (error["kind"] == "leak" ? " leak" : " error"));
  return told;
}

void expect_told(const Case& wanted, const Told& told) {
  EXPECT_EQ(told.ran.exit_code, wanted.exit_code) << told.ran.err;
  EXPECT_EQ(told_of(told.report), wanted.expected) << told.ran.err;
  for (const std::string& text : wanted.prints)
    EXPECT_NE(told.ran.out.find(text), std::string::npos) << text << "\n" << told.ran.out;
  for (const std::string& text : wanted.says) EXPECT_NE(told.ran.err.find(text), std::string::npos) << text << "\n" << told.ran.err;
}

/// All of cases/*.cu, compiled by `warpbook cc` or `warpbook nvcc`.
void expect_whole_programs(const std::string& compiler) {
  int cases = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(WARPBOOK_ROOT) / "tests" / "runtime" / "cases")) {
    if (entry.path().extension() != ".cu") continue;
    SCOPED_TRACE(entry.path().filename().string());
    ++cases;
    const Case wanted = read_case(entry.path());
    if (wanted.cc_alone && compiler != "cc") continue;
    const fs::path program = scratch() / (entry.path().stem().string() + "_" + compiler);
    const Ran built = warpbook::test::warpbook({compiler, "-o", program.string(), entry.path().string()});
    if (compiler == "cc" && !wanted.cc_refuses.empty()) {
      EXPECT_EQ(built.exit_code, 3) << built.err;
      EXPECT_NE(built.err.find(wanted.cc_refuses), std::string::npos) << built.err;
      continue;
    }
    ASSERT_EQ(built.exit_code, 0) << built.err;
    expect_told(wanted, exec_program(program.string(), {}, wanted.options));
  }
  EXPECT_GT(cases, 5);
}

TEST(ExecCases, WholeProgramsOfNvcc) {
  if (warpbook::test::warpbook({"nvcc", "--version"}).exit_code == 5)
    GTEST_SKIP() << "The CUDA Toolkit's nvcc, which compiles these programs, is not on this machine.";
  expect_whole_programs("nvcc");
}

TEST(ExecCases, WholeProgramsOfCc) {
  if (warpbook::test::warpbook({"cc", "none.o"}).exit_code == 5)
    GTEST_SKIP() << "clang 16 or newer, which compiles these programs, is not on this machine.";
  expect_whole_programs("cc");
}

TEST(ExecCases, ASourceIsCompiledFirst) {
  const fs::path source = fs::path(WARPBOOK_ROOT) / "tests" / "runtime" / "cases" / "leak.cu";
  const Told told = exec_program(source.string(), {"an argument"});
  if (told.ran.exit_code == 5) GTEST_SKIP() << "Neither nvcc nor clang is on this machine.";
  expect_told(read_case(source), told);
  EXPECT_NE(told.ran.err.find("leak.cu ended with exit code 0"), std::string::npos) << told.ran.err;
  const Told wrong = exec_program(write_file("wrong.cu", "int main() { return x; }\n").string(), {});
  EXPECT_EQ(wrong.ran.exit_code, 3);
}

/// A Python that has Numba; empty: this machine has none.
std::string python_with_numba() {
  return run_shell("for p in python3 /usr/bin/python3; do if $p -c 'import numba' 2>/dev/null; then printf %s $p; break; fi; done")
      .out;
}

TEST(ExecCases, ProgramsOfNumba) {
  const std::string python = python_with_numba();
  if (python.empty()) GTEST_SKIP() << "Python's package numba, which compiles these programs, is not on this machine.";
  int cases = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(WARPBOOK_ROOT) / "tests" / "runtime" / "cases")) {
    if (entry.path().extension() != ".py") continue;
    SCOPED_TRACE(entry.path().filename().string());
    ++cases;
    const Case wanted = read_case(entry.path());
    expect_told(wanted, exec_program(python, {"-W", "ignore", entry.path().string()}, wanted.options));
  }
  EXPECT_GT(cases, 2);
}

TEST(ExecCases, BlocksOfADocument) {
  const std::string python = python_with_numba();
  if (python.empty()) GTEST_SKIP() << "Python's package numba, which compiles the blocks, is not on this machine.";
  const Ran ran = run_shell("WARPBOOK=\"$warpbook\" " WARPBOOK_ROOT "/script/documents --python " + python +
                            " " WARPBOOK_ROOT "/tests/documents/example.md");
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_NE(ran.out.find("| example.md:34 | ran | with"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("3 ran, 0 as it stands, 1 needs"), std::string::npos) << ran.out;
}

}  // namespace
