// Whole programs in their window: one is run, its record is opened, and its launches are looked into.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/app/window_words.h"

namespace warpbook::test {
namespace {

namespace fs = std::filesystem;

/// What exec writes of the program made by hand (tests/runtime/program.cpp).
fs::path recorded(const Window& window, const std::string& what, const std::string& options = "") {
  const fs::path file = window.kept().parent_path() / (what + ".record");
  fs::create_directories(file.parent_path());
  const std::string words = std::string(WARPBOOK_PROGRAM) + " exec --quiet --record " + file.string() + " " + options + " -- " +
                            RUNTIME_PROGRAM + " " + what + " >/dev/null 2>&1";
  EXPECT_EQ(std::system(words.c_str()), 0) << words;
  EXPECT_TRUE(fs::exists(file)) << words;
  return file;
}

void enter(const Window& window, const std::string& line) {
  window.click("program/line");
  window.key("ctrl+a");
  window.type(line);
  window.key("Return");
}

std::string of_program(const Window& window, const std::string& key) {
  const auto state = window.state();
  return state.is_object() && state.contains("program") ? state["program"][key].get<std::string>() : std::string();
}

TEST(Programs, ARecordIsOpenedAndALaunchIsPicked) {
  const Window window;
  const fs::path file = recorded(window, "several");
  open_lesson(window, "programs", "programs");
  ASSERT_TRUE(window.wait_for("program/line"));
  EXPECT_FALSE(window.find("launch/1")) << "no program has run yet";
  enter(window, file.string());
  ASSERT_TRUE(window.wait_for("launch/4")) << seen(window);
  // The first launch adds i to a[i], 1,000 elements, of which the first has 0 added to it.
  ASSERT_TRUE(window.wait([&] { return number(window, "changed") == 999; })) << seen(window);
  window.click("launch/4");
  EXPECT_TRUE(window.wait([&] { return number(window, "changed") == 1; })) << seen(window);
  EXPECT_EQ(window.state()["texts"]["record/launch"], "4");
  window.click("launch/1");
  EXPECT_TRUE(window.wait([&] { return number(window, "changed") == 999; })) << seen(window);
  EXPECT_NE(of_program(window, "text").find("does not say from which lines"), std::string::npos) << "PTX by hand has no line table";
  EXPECT_TRUE(window.running()) << window.complaints();
}

TEST(Programs, AProgramRunsAndItsRaceIsFoundAtItsLaunch) {
  const Window window;
  open_lesson(window, "programs", "programs");
  ASSERT_TRUE(window.wait_for("program/line"));
  enter(window, std::string(RUNTIME_PROGRAM) + " race");
  ASSERT_TRUE(window.wait_for("launch/1", 60)) << seen(window);
  ASSERT_TRUE(window.wait([&] {
    const auto findings = window.state()["findings"];
    return std::find(findings.begin(), findings.end(), "race") != findings.end();
  })) << seen(window);
  window.click("tab/steps");
  EXPECT_TRUE(window.wait([&] { return window.state().contains("stepper"); })) << seen(window);
  EXPECT_TRUE(window.running()) << window.complaints();
}

TEST(Programs, WhatCannotBeRunOrReadIsASentence) {
  const Window window;
  open_lesson(window, "programs", "programs");
  ASSERT_TRUE(window.wait_for("program/line"));
  enter(window, "./no-such-program 5");
  ASSERT_TRUE(window.wait([&] { return of_program(window, "problem").find("no program ./no-such-program") != std::string::npos; }))
      << seen(window);
  const fs::path whole = recorded(window, "several"), cut = window.kept().parent_path() / "cut.record";
  std::ifstream in(whole, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  std::ofstream(cut, std::ios::binary) << bytes.substr(0, bytes.size() / 2);
  enter(window, cut.string());
  EXPECT_TRUE(window.wait_for("launch/1")) << "what comes before the cut is shown: " << seen(window);
  std::ofstream(cut, std::ios::binary | std::ios::trunc) << "int main() {}";
  enter(window, cut.string());
  EXPECT_TRUE(window.wait([&] { return of_program(window, "problem").find("is no record") != std::string::npos; })) << seen(window);
  EXPECT_TRUE(window.running()) << window.complaints();
}

TEST(Programs, ASourceIsCompiledFirst) {
  const Window window;
  open_lesson(window, "programs", "programs");
  ASSERT_TRUE(window.wait_for("program/line"));
  const fs::path source = window.kept().parent_path() / "mine.cu";
  std::ofstream(source) << "int main() { return missing; }\n";
  enter(window, source.string());
  ASSERT_TRUE(window.wait([&] { return of_program(window, "problem").find("does not compile") != std::string::npos; }, 60))
      << seen(window);
  EXPECT_TRUE(window.find("program/output")) << "what the compiler says";
  std::ofstream(source, std::ios::trunc) << "__global__ void k(int* a) { a[threadIdx.x] = 7; }\n"
                                            "int main() { int* a; cudaMalloc(&a, 128); k<<<1, 32>>>(a); return cudaFree(a); }\n";
  enter(window, source.string());
  ASSERT_TRUE(window.wait_for("launch/1", 60)) << seen(window);
  EXPECT_TRUE(window.wait([&] { return number(window, "changed") == 32; })) << seen(window);
  EXPECT_NE(of_program(window, "text").find("a[threadIdx.x] = 7"), std::string::npos) << "the kernel's source is shown";
  EXPECT_TRUE(window.running()) << window.complaints();
}

TEST(Programs, AProgramThatDoesNotEndIsStopped) {
  const Window window;
  open_lesson(window, "programs", "programs");
  ASSERT_TRUE(window.wait_for("program/line"));
  enter(window, std::string(RUNTIME_PROGRAM) + " spin");
  const auto running = [&] { return window.state()["program"]["running"] == true; };
  ASSERT_TRUE(window.wait(running)) << seen(window);
  window.click("program/run");
  EXPECT_TRUE(window.wait([&] { return !running(); })) << seen(window);
  EXPECT_TRUE(window.wait_for("launch/1")) << "what it did until then is recorded: " << seen(window);
  EXPECT_TRUE(window.running()) << window.complaints();
}

}  // namespace
}  // namespace warpbook::test
