// Runs the built program as a user would and keeps what it said.
//
//     Ran ran = warpbook({"launch", file.string(), "count", "--grid", "64", …, "--json"});
//     EXPECT_EQ(ran.exit_code, 0) << ran.err;
//     EXPECT_EQ(ran.json()["status"], "ok");
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace warpbook::test {

struct Ran {
  int exit_code = -1;  // −1: it did not end by itself
  std::string out, err;

  /// Standard output as JSON; a failed expectation and null where it is none.
  [[nodiscard]] nlohmann::json json() const;
};

/// The environment of a command that draws or asks OpenGL. Mesa keeps a little when EGL ends, and unloads its driver:
/// LeakSanitizer cannot tell whose it was, nor be told to let it be.
inline constexpr const char* with_opengl = "ASAN_OPTIONS=detect_leaks=0";

/// environment: "NAME=VALUE" as env(1) takes them, "-u NAME" to unset.
[[nodiscard]] Ran warpbook(const std::vector<std::string>& arguments, const std::string& environment = {});
/// Another of the built programs.
[[nodiscard]] Ran run_program(const std::string& program, const std::vector<std::string>& arguments,
                              const std::string& environment = {});

/// A script of bash in a folder of its own, with the program as "$warpbook": for redirected streams, links, pipes and limits. It is
/// ended after a minute, with exit code 124; a program that a signal has ended answers 128 and its number.
[[nodiscard]] Ran run_shell(const std::string& script, const std::string& environment = {});

/// Whether kernels are compiled by NVRTC, which alone tells their registers.
[[nodiscard]] bool registers_are_known();

/// A folder of this process, removed at its end.
[[nodiscard]] const std::filesystem::path& scratch();
[[nodiscard]] std::filesystem::path write_file(const std::string& name, std::string_view text);

/// kernels/NAME of the source tree.
[[nodiscard]] std::string kernel_file(const std::string& name);
/// 1-based line of the first line of `text` that contains `words`; 0: none.
[[nodiscard]] int line_with(std::string_view text, std::string_view words);
[[nodiscard]] std::string read_file(const std::filesystem::path& file);

}  // namespace warpbook::test
