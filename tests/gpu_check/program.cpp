// The built program as a user meets it: every command that can use the GPU, by its exit code and its JSON.
#include <fmt/format.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>

#include "lessons/catalog.h"
#include "tests/gpu_check/sections.h"

namespace warpbook::gpu_check {
namespace {

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')).substr(0, 160); }

}  // namespace

Answer run_command(const std::string& command) {
  Answer ran;
  FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return ran;
  std::array<char, 4096> piece{};
  for (std::size_t got = 0; (got = fread(piece.data(), 1, piece.size(), pipe)) > 0;) ran.out.append(piece.data(), got);
  const int status = pclose(pipe);
  if (WIFEXITED(status)) ran.exit_code = WEXITSTATUS(status);
  return ran;
}

void check_program(const Bench& bench, Report& report) {
  report.section("The program itself");
  const std::string device = bench.cuda != nullptr ? " --device cuda" : "";
  const std::string kernels = (lessons::data_directory() / "kernels").string();
  const auto check = [&](const std::string& name, const std::string& arguments, int least, int most, std::string_view must_say) {
    const Answer ran = run_command("timeout -k 5 120 " + bench.program + " " + arguments);
    const bool right = ran.exit_code >= least && ran.exit_code <= most && ran.out.find(must_say) != std::string::npos;
    report.check(
        "warpbook " + name, right,
        right ? fmt::format("exit code {}", ran.exit_code) : fmt::format("exit code {}: {}", ran.exit_code, first_line(ran.out)));
  };
  if (bench.program.empty()) return report.note("The program was not named (--program): left out.");
  check("doctor", "doctor", 0, 0, bench.cuda != nullptr ? "NVIDIA" : "");
  check("devices", "devices --json", 0, 0, bench.cuda != nullptr ? "\"cuda\"" : "\"virtual\"");
  check("launch add.cu",
        fmt::format("launch {}/add.cu add{} --grid 32 --block 128 --define GUARD=1 --arg int32[4096]=iota --arg int32[4096]=ones "
                    "--arg int32[4096]=zeros --arg int32=4096 --json",
                    kernels, device),
        0, 0, "\"status\":\"ok\"");
  for (const lessons::Lesson* lesson : lessons::all_lessons()) {
    if (lesson->watched) continue;  // the virtual GPU's, whatever device is chosen
    // 1: a lesson that shows a bug has found it.
    const std::string picture = (bench.out / fmt::format("gpu-check-{}.png", lesson->id)).string();
    check("run " + lesson->id, fmt::format("run {}{} --json --picture {}", lesson->id, device, picture), 0, 1, "\"results\"");
  }
}

}  // namespace warpbook::gpu_check
