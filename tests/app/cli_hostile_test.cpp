// The built program given what strangers write: what it shows of it, what it refuses, and that it needs no more than it is
// promised.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/app/cli.h"

namespace warpbook::test {
namespace {

std::vector<std::string> launch_of(const std::filesystem::path& file, std::vector<std::string> rest = {"--arg", "int32[1]=zeros"}) {
  std::vector<std::string> words{"launch", file.string(), "k", "--grid", "1", "--block", "1"};
  words.insert(words.end(), rest.begin(), rest.end());
  return words;
}

/// Where a terminal would find more than text; npos: nowhere.
std::size_t controls_in(const std::string& text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const bool turns_letters = text.compare(at, 3, "\u202e") == 0;
    if ((byte < ' ' && byte != '\n' && byte != '\t') || byte == 0x7f || byte == 0xff || turns_letters) return at;
  }
  return std::string::npos;
}

std::size_t characters_in(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

/// Of the lines that are sentences, and neither a source's nor a caret's.
std::size_t longest_line(const std::string& text) {
  std::size_t longest = 0, at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    longest = std::max(longest, characters_in(std::string_view(text).substr(at, end - at)));
    at = end + 1;
  }
  return longest;
}

TEST(Hostile, WhatAKernelPrintsMovesNoCursor) {
  const auto file = write_file(
      "prints.cu", "#include <cstdio>\n__global__ void k(int* o) { printf(\"a\\x1b[31mred\\x07 \\x9b \\xff \\x7f\\n\"); }\n");
  const Ran text = warpbook(launch_of(file));
  ASSERT_EQ(text.exit_code, 0) << text.err;
  EXPECT_NE(text.out.find("a\\x1b[31mred\\x07 \\x9b \\xff \\x7f\n"), std::string::npos) << text.out;
  EXPECT_EQ(controls_in(text.out), std::string::npos) << text.out;
  const Ran json = warpbook(launch_of(file, {"--arg", "int32[1]=zeros", "--json"}));
  EXPECT_EQ(controls_in(json.out), std::string::npos) << json.out;
  EXPECT_EQ(json.json()["stdout"], "a\x1b[31mred\x07 \\x9b \\xff \x7f\n");
}

TEST(Hostile, ASourcesControlsAreShownAndNotObeyed) {
  const Ran ran = warpbook(launch_of(write_file("escapes.cu", "__global__ void k(int* o) { \x1b[31m o[0] = x; } // \xe2\x80\xae\n")));
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_NE(ran.err.find("{ \\x1b[31m o[0]"), std::string::npos) << ran.err;
  EXPECT_EQ(controls_in(ran.err), std::string::npos) << ran.err;
}

TEST(Hostile, LongNamesAndListsLeaveTheSentenceReadable) {
  const Ran name =
      warpbook(launch_of(write_file("long.cu", "__global__ void k(int* o) { o[0] = " + std::string(5000, 'v') + "; }\n")));
  EXPECT_LE(longest_line(name.err), 420u) << name.err;
  EXPECT_NE(name.err.find("is not declared here"), std::string::npos) << name.err;
  std::string kernels;
  for (int i = 0; i < 60; ++i) kernels += "__global__ void kernel_number_" + std::to_string(i) + "(int* o) { o[0] = 1; }\n";
  const Ran list = warpbook(launch_of(write_file("many.cu", kernels)));
  EXPECT_LE(longest_line(list.err), 420u) << list.err;
  EXPECT_NE(list.err.find("and 56 more."), std::string::npos) << list.err;
}

TEST(Hostile, AMacroThatNoCompilerTakesHasAReason) {
  const Ran ran = warpbook(launch_of(write_file("plain.cu", "__global__ void k(int* o) { o[0] = 1; }\n"),
                                  {"--arg", "int32[1]=zeros", "--define", "X=a\nb"}));
  if (ran.exit_code == 0) return;  // a compiler may take it
  EXPECT_EQ(ran.err.find("could not be compiled.\n"), std::string::npos) << ran.err;
}

TEST(Hostile, ASeedThatDoesNotFitIsAnError) {
  const auto file = write_file("plain.cu", "__global__ void k(int* o) { o[0] = 1; }\n");
  const Ran beyond = warpbook(launch_of(file, {"--arg", "int32[1]=zeros", "--seed", "18446744073709551616"}));
  EXPECT_EQ(beyond.exit_code, 2);
  const Ran last =
      warpbook(launch_of(file, {"--arg", "int32[1]=zeros", "--seed", "18446744073709551614", "--seeds", "3", "--observe", "race"}));
  EXPECT_EQ(last.exit_code, 2);
  EXPECT_NE(last.err.find("beyond the largest seed"), std::string::npos) << last.err;
  EXPECT_EQ(
      warpbook(launch_of(file, {"--arg", "int32[1]=zeros", "--seed", "18446744073709551614", "--seeds", "2", "--observe", "race"}))
          .exit_code,
      0);
}

TEST(Hostile, AFileThatDoesNotFitIsRefusedBeforeAnythingIsMade) {
  const auto file = write_file("two.cu", "__global__ void k(float* a, float* b) { b[0] = a[0]; }\n");
  const auto csv = write_file("three.csv", "1,2,3\n");
  // The first array has no room in any machine, and nobody gets so far as to try.
  const Ran ran = warpbook(launch_of(file, {"--arg", "float32[1000000000000]=normal:0:1:7", "--arg", "float32[4]=@" + csv.string()}));
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_NE(ran.err.find("holds 3 elements, and 4 are asked for"), std::string::npos) << ran.err;
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which reserve terabytes
TEST(Hostile, FewAddressesAreEnoughOrAreNamed) {
  const auto file = write_file("plain.cu", "__global__ void k(int* o) { o[0] = 1; }\n");
  const std::string command = "ulimit -v 4000000; exec \"$0\" \"$@\"";
  const auto rationed = [&](const std::string& array) {
    std::vector<std::string> words{"-c", command, WARPBOOK_PROGRAM};
    for (const std::string& word : launch_of(file, {"--arg", array, "--print", "0"})) words.push_back(word);
    return run_program("/bin/bash", words);
  };
  const Ran small = rationed("int32[4]=zeros");
  EXPECT_EQ(small.exit_code, 0) << small.err;
  const Ran large = rationed("int32[900000000]=zeros");
  EXPECT_NE(large.exit_code, 0);
  EXPECT_NE(large.err.find("3906 MiB of addresses in all (ulimit -v)"), std::string::npos) << large.err;
}
#endif

}  // namespace
}  // namespace warpbook::test
