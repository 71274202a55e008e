// warpbook_clock [PART-OF-A-NAME]: the clock model beside what others measured on hardware. Prints the table of
// docs/clock-model.md.
//
// A point is a kernel, a configuration and a device, with its time as published. Points with `fitted` gave a constant of the
// profiles its value and count in no figure below; all others were never looked at for that.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "gpu/compiler.h"
#include "gpu/virtual/profiles.h"
#include "gpu/virtual/virtual_device.h"
#include "tests/bench/clock/points.h"

namespace warpbook::bench {
namespace {

std::string read_file(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

struct Answer {
  double us = 0, seconds = 0;
  bool sampled = false;
  std::string problem;
};

Answer model(gpu::Compiler& compiler, const Point& point) {
  Answer answer;
  gpu::Profile profile = *gpu::find_profile(point.profile);
  if (point.mhz > 0) profile.clock_mhz = point.mhz;
  gpu::VirtualDevice device(compiler, profile);
  const std::string folder =
      std::string(WARPBOOK_ROOT) + (point.file.starts_with("diffusion") ? "/kernels/" : "/tests/bench/clock/");
  auto program =
      device.compile({.file = point.file, .text = read_file(folder + point.file), .defines = point.defines, .instantiate = {}});
  if (!program) {
    answer.problem = program.error().message;
    return answer;
  }
  gpu::LaunchRequest request{.program = *program,
                             .kernel = point.kernel,
                             .grid = point.grid,
                             .block = point.block,
                             .dynamic_shared_bytes = point.shared_bytes,
                             .arguments = {},
                             .observe = {},
                             .schedule = gpu::Schedule::clock,
                             .limits = {}};
  request.limits.max_seconds = 300;
  std::size_t bytes = 0;
  for (const Given& given : point.given) bytes += given.elements * gpu::size_of(given.value.type);
  for (const Given& given : point.given) {
    if (given.elements == 0) {
      request.arguments.emplace_back(given.value);
      continue;
    }
    auto buffer = device.allocate({.name = "x", .type = given.value.type, .shape = {given.elements}});
    if (!buffer) {
      answer.problem = buffer.error().message;
      return answer;
    }
    // As the launches before the measured one left it: in the L2 if all fits, which fill() does, else nothing that serves again.
    if (auto filled = device.fill(*buffer, given.value); !filled) answer.problem = filled.error().message;
    if (bytes > profile.l2_bytes) {
      const auto memory = device.mapped(*buffer);
      if (auto written = device.write(*buffer, memory); !written) answer.problem = written.error().message;
    }
    request.arguments.emplace_back(*buffer);
  }
  const auto began = std::chrono::steady_clock::now();
  const gpu::LaunchReport report = device.launch(request, nullptr);
  answer.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  if (!report.ok()) {
    answer.problem = report.status + ": " + say(report.message);
    return answer;
  }
  answer.us = report.clock->us + (point.with_launch ? profile.launch_overhead_us : 0);
  answer.sampled = report.clock->sampled();
  return answer;
}

std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<double> result(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    for (const double other : values) result[i] += (other < values[i]) + 0.5 * (other == values[i]);
  return result;
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  double mean_a = 0, mean_b = 0, ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    mean_a += a[i] / static_cast<double>(a.size()), mean_b += b[i] / static_cast<double>(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean_a) * (b[i] - mean_b);
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
  }
  return ab / std::sqrt(aa * bb);
}

int run(const std::string& wanted) {
  gpu::Compiler compiler;
  std::vector<double> measured, modelled;
  std::map<std::string, std::vector<std::pair<double, double>>> ladders;
  double sum = 0, worst = 0;
  fmt::print(
      "| device | kernel | configuration | measured µs | model µs | error | source |\n| --- | --- | --- | ---: | ---: | ---: | --- "
      "|\n");
  for (const Point& point : points()) {
    const std::string name = fmt::format("{} {} {}", point.profile, point.kernel, point.configuration);
    if (!wanted.empty() && name.find(wanted) == std::string::npos) continue;
    const Answer answer = model(compiler, point);
    if (!answer.problem.empty()) {
      fmt::print(stderr, "{}: {}\n", name, answer.problem);
      return 1;
    }
    const double error = answer.us / point.measured_us - 1;
    fmt::print("| {} | {} | {} | {:.4g} | {:.4g} | {:+.0f} %{} | {} |\n", point.profile, point.kernel, point.configuration,
               point.measured_us, answer.us, 100 * error, point.fitted ? " (fitted)" : "", point.source);
    std::fflush(stdout);
    if (!wanted.empty()) fmt::print(stderr, "  {:.2f} s{}\n", answer.seconds, answer.sampled ? ", sampled" : "");
    if (!point.ladder.empty()) ladders[point.ladder].emplace_back(point.measured_us, answer.us);
    if (point.fitted) continue;
    measured.push_back(point.measured_us);
    modelled.push_back(answer.us);
    sum += std::abs(error);
    worst = std::max(worst, std::abs(error));
  }
  if (measured.size() < 2) return 0;
  const auto count = static_cast<double>(measured.size());
  fmt::print("\n{} points, mean absolute error {:.1f} %, largest {:.0f} %, rank correlation {:.3f}.\n", measured.size(),
             100 * sum / count, 100 * worst, correlation(ranks(measured), ranks(modelled)));
  // A ladder's steps of less than a twentieth are noise in the measurement.
  std::size_t steps = 0, right = 0;
  for (const auto& [ladder, rungs] : ladders)
    for (std::size_t i = 0; i < rungs.size(); ++i)
      for (std::size_t j = i + 1; j < rungs.size(); ++j) {
        const double ratio = rungs[i].first / rungs[j].first;
        if (ratio < 1.05 && ratio > 1 / 1.05) continue;
        ++steps;
        right += (ratio > 1) == (rungs[i].second > rungs[j].second);
      }
  fmt::print("Ladders of variants: {} of {} pairs in the measured order.\n", right, steps);
  return 0;
}

}  // namespace
}  // namespace warpbook::bench

int main(int argc, char** argv) {
  warpbook::gpu::run_compiler_child_if_asked(argc, argv);
  return warpbook::bench::run(argc > 1 ? argv[1] : "");
}
