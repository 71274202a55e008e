// gpu_check without a GPU: it says so, and its checks can be rehearsed, both to pass and to fail.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>

#include "tests/app/cli.h"

namespace warpbook::test {
namespace {

namespace fs = std::filesystem;

TEST(CliGpuCheck, WithoutADriverEndsWithOneSentence) {
  const Ran ran = run_program(GPU_CHECK_PROGRAM, {"--out", (scratch() / "none").string()});
  if (ran.exit_code != 5) GTEST_SKIP() << "this machine has an NVIDIA driver";
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err.find("gpu-check: "), 0U) << ran.err;
  EXPECT_NE(ran.err.find("NVIDIA"), std::string::npos) << ran.err;
  EXPECT_EQ(ran.err.find('\n'), ran.err.size() - 1) << "one line: " << ran.err;
  EXPECT_FALSE(fs::exists(scratch() / "none"));
}

TEST(CliGpuCheck, IsToldWhatIsWrong) {
  EXPECT_EQ(run_program(GPU_CHECK_PROGRAM, {"--only", "nothing"}).exit_code, 2);
  EXPECT_EQ(run_program(GPU_CHECK_PROGRAM, {"--what"}).exit_code, 2);
}

TEST(CliGpuCheck, RehearsesOnTheVirtualGpu) {
  const fs::path out = scratch() / "rehearsal";
  const Ran ran =
      run_program(GPU_CHECK_PROGRAM, {"--rehearse", "--only", "interop,random,streams,faults,recovery", "--out", out.string()});
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_NE(ran.out.find("Nothing here says anything about a GPU"), std::string::npos);
  EXPECT_TRUE(fs::exists(out / "gpu-check-field.png"));
  const auto json = nlohmann::json::parse(read_file(out / "gpu-check.json"));
  EXPECT_EQ(json["failed"], 0);
  EXPECT_TRUE(json["rehearsal"]);
  EXPECT_GE(json["checks"].size(), 15U);
}

nlohmann::json named(const nlohmann::json& lines, const std::string& key, const std::string& value) {
  for (const auto& line : lines)
    if (line[key] == value) return line;
  return {};
}

// Each section has a process of its own: one that crashes, or hangs, takes no other with it, nor what it had found.
TEST(CliGpuCheck, ASectionThatCrashesOrHangsIsToldAndTheNextOneRuns) {
  const fs::path out = scratch() / "trials";
  const Ran ran = run_program(GPU_CHECK_PROGRAM, {"--rehearse", "--only", "crashes,hangs,ends_well", "--out", out.string()});
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  const auto json = nlohmann::json::parse(read_file(out / "gpu-check.json"));
  EXPECT_EQ(json["failed"], 0);
  EXPECT_EQ(json["checked"], 5);  // one in each, and how two of them ended
  ASSERT_EQ(json["sections"].size(), 3U);
  const auto ended = [&](const char* section) { return named(json["sections"], "name", section)["ended"].get<std::string>(); };
  EXPECT_EQ(ended("crashes"), "ended by signal 6 (Aborted)");
  EXPECT_NE(ended("hangs").find("was killed"), std::string::npos) << ended("hangs");
  EXPECT_EQ(ended("ends_well"), "ended with exit code 0");
  for (const char* check : {"a check before the crash", "a check before it hangs", "a check that is right"})
    EXPECT_EQ(named(json["checks"], "name", check)["passed"], true) << check;
  const auto crashed = named(json["checks"], "name", "the section crashes");
  EXPECT_NE(crashed["detail"].get<std::string>().find("after \"a check before the crash\""), std::string::npos) << crashed;
}

// A GPU has no sections that crash on purpose.
TEST(CliGpuCheck, TrialsAreRehearsedAlone) {
  const Ran ran = run_program(GPU_CHECK_PROGRAM, {"--only", "crashes", "--out", (scratch() / "trial").string()});
  EXPECT_EQ(ran.exit_code, 2) << ran.err;
  EXPECT_EQ(ran.out.find("A section that crashes"), std::string::npos) << ran.out;
}

TEST(CliGpuCheck, AfterAFaultTheProgramBeginsAnewInTheSameProcess) {
  const fs::path out = scratch() / "recovery";
  const Ran ran = run_program(GPU_CHECK_PROGRAM, {"--rehearse", "--only", "recovery", "--out", out.string()});
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  const auto json = nlohmann::json::parse(read_file(out / "gpu-check.json"));
  ASSERT_EQ(json["checks"].size(), 1U);
  const std::string detail = json["checks"][0]["detail"];
  std::smatch words;
  ASSERT_TRUE(std::regex_match(detail, words,
                               std::regex("cudaErrorIllegalAddress; .*process ([0-9]+), process ([0-9]+): a launch is right")))
      << detail;
  EXPECT_EQ(words[1], words[2]);
}

TEST(CliGpuCheck, EverySolutionIsComparedInEveryCase) {
  const fs::path out = scratch() / "exercises";
  const Ran ran = run_program(GPU_CHECK_PROGRAM, {"--rehearse", "--only", "exercises", "--out", out.string()});
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  const auto checks = nlohmann::json::parse(read_file(out / "gpu-check.json"))["checks"];
  const auto listed = warpbook({"list", "--json"}).json();
  for (const auto& exercise : listed["exercises"]) {
    if (exercise["kind"] == "mark" || exercise["kind"] == "quiz") continue;  // no kernel
    const std::string begin = exercise["id"].get<std::string>() + ", ";
    EXPECT_TRUE(std::any_of(checks.begin(), checks.end(), [&](const auto& check) {
      return check["name"].template get<std::string>().starts_with(begin);
    })) << begin;
  }
}

/// The folder that holds NVRTC's "lib64"; empty: there is none.
std::string toolkit() {
  const std::string said = warpbook({"doctor"}, with_opengl).out;
  std::smatch words;
  if (!std::regex_search(said, words, std::regex("NVRTC +found +[0-9.]+, (/.*)/(lib64|lib|targets)/.*libnvrtc"))) return {};
  return words[1];
}

// As on a machine that has a shell, the C library and no more.
TEST(CliGpuCheck, TheBundleRunsInABareRootAndSaysWhatItLacks) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "a bundle is made of a release";
#endif
  const fs::path tools = fs::path(WARPBOOK_ROOT) / "tests/gpu_check", bundle = scratch() / "bundle.tar.gz",
                 root = scratch() / "root";
  const Ran made = run_program((tools / "bundle").string(), {WARPBOOK_BUILD, bundle.string()});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  fs::create_directories(root);
  ASSERT_EQ(run_program("tar", {"xzf", bundle.string(), "-C", root.string()}).exit_code, 0);
  const auto in_root = [&](std::vector<std::string> arguments, const std::string& environment) {
    arguments.insert(arguments.begin(), {root.string(), "/warpbook-gpu-check/run", "--out", "/tmp/out"});
    return run_program((tools / "bare_root").string(), arguments, environment);
  };
  const Ran without_driver = in_root({}, {});
  if (without_driver.exit_code == 77) GTEST_SKIP() << "nothing can be mounted here";
  EXPECT_EQ(without_driver.exit_code, 5) << without_driver.out;
  EXPECT_NE(without_driver.err.find("There is no NVIDIA driver on this machine"), std::string::npos) << without_driver.err;
  const Ran without_nvrtc = in_root({"--rehearse"}, {});
  EXPECT_EQ(without_nvrtc.exit_code, 5) << without_nvrtc.out;
  EXPECT_NE(without_nvrtc.err.find("NVRTC"), std::string::npos) << without_nvrtc.err;

  if (toolkit().empty()) GTEST_SKIP() << "no NVRTC to show it";
  const Ran without_mesa = in_root({"--rehearse", "--only", "interop,random,ends_well"}, "BIND=" + toolkit());
  EXPECT_EQ(without_mesa.exit_code, 1) << without_mesa.out << without_mesa.err;
  const auto json = nlohmann::json::parse(read_file(root / "tmp/out/gpu-check.json"));
  const auto opengl = named(json["checks"], "name", "an OpenGL context on this GPU");
  EXPECT_EQ(opengl["passed"], false);
  EXPECT_NE(opengl["detail"].get<std::string>().find("needs OpenGL 4.5 through EGL"), std::string::npos) << opengl;
  EXPECT_EQ(json["failed"], 1) << "the virtual GPU does without OpenGL";
}

// The same data with one mistake: a rehearsal that overlooked it would overlook a GPU's.
TEST(CliGpuCheck, ARehearsalFailsWhereSomethingIsWrong) {
  const fs::path data = scratch() / "data", root = WARPBOOK_ROOT;
  for (const char* folder : {"kernels", "tests/gpu_check/kernels"}) {
    fs::create_directories(data / folder);
    fs::copy(root / folder, data / folder, fs::copy_options::recursive);
  }
  const fs::path file = data / "tests/gpu_check/kernels/faults.cu";
  std::string text = read_file(file);
  const std::string right = "out[i] = 3 * in[i]";
  text.replace(text.find(right), right.size(), "out[i] = 2 * in[i]");
  (void)write_file("data/tests/gpu_check/kernels/faults.cu", text);
  const Ran ran = run_program(GPU_CHECK_PROGRAM, {"--rehearse", "--only", "faults", "--out", (scratch() / "wrong").string()},
                              "WARPBOOK_DATA='" + data.string() + "'");
  EXPECT_EQ(ran.exit_code, 1) << ran.out << ran.err;
  EXPECT_NE(ran.out.find("FAILED  an illegal address"), std::string::npos) << ran.out;
}

}  // namespace
}  // namespace warpbook::test
