// Random kernels on both devices: the same words, up to what PTX leaves open. They are those by which the virtual GPU's schedules
// are compared (tests/gpu/random_kernel.h); here the GPU says what is right.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "tests/gpu/random_kernel.h"
#include "tests/gpu_check/sections.h"

namespace warpbook::gpu_check {
namespace {

using gpu::test::RandomKernel;

struct LeftBehind {
  std::string problem;  // empty: it ended well
  std::vector<std::byte> out, counters;
};

LeftBehind run(gpu::Device& device, const gpu::ProgramPtr& program, const RandomKernel& kernel) {
  LeftBehind left{.problem = {},
                  .out = std::vector<std::byte>(kernel.out_bytes),
                  .counters = std::vector<std::byte>(RandomKernel::counter_bytes)};
  std::vector<std::uint32_t> values(RandomKernel::in_bytes / 4);
  std::uint32_t x = 12345;
  for (std::uint32_t& value : values) value = x = x * 1664525U + 1013904223U;
  const auto in = device.allocate({"in", gpu::ScalarType::uint32, {values.size()}});
  const auto out = device.allocate({"out", gpu::ScalarType::uint8, {left.out.size()}});
  const auto counters = device.allocate({"counters", gpu::ScalarType::uint8, {left.counters.size()}});
  if (!in || !out || !counters) return {.problem = "an array could not be had"};
  bool moved = device.write(*in, std::as_bytes(std::span(values))).has_value();
  for (const auto& buffer : {*out, *counters}) moved = moved && device.fill(buffer, gpu::Scalar::of(std::uint8_t{0}));
  gpu::LaunchRequest request{.program = program, .kernel = {}, .grid = kernel.grid, .block = kernel.block};
  request.arguments = {*in, *out, *counters, gpu::Scalar::of(kernel.scalar)};
  const gpu::LaunchReport report = device.launch(request);
  if (!report.ok()) left.problem = report.status + ": " + say(report.message);
  moved = moved && device.read(*out, left.out) && device.read(*counters, left.counters);
  if (!moved && left.problem.empty()) left.problem = "an array could not be written or read";
  for (const auto& buffer : {*in, *out, *counters}) device.release(buffer);
  return left;
}

std::uint32_t word(const std::vector<std::byte>& bytes, std::size_t at) {
  std::uint32_t value = 0;
  std::memcpy(&value, &bytes[at], sizeof value);
  return value;
}

/// Where the text leaves bits open: which NaN it is, and the last places of what approximates.
bool may_differ(std::uint32_t a, std::uint32_t b, bool approximates) {
  constexpr std::uint32_t infinity = 0x7f800000, magnitude = 0x7fffffff;
  if ((a & magnitude) > infinity && (b & magnitude) > infinity) return true;
  return approximates && std::max(a, b) - std::min(a, b) <= 4;
}

std::string difference(const std::vector<std::byte>& got, const std::vector<std::byte>& right, bool approximates) {
  for (std::size_t at = 0; at + 4 <= got.size(); at += 4)
    if (const std::uint32_t a = word(got, at), b = word(right, at); a != b && !may_differ(a, b, approximates))
      return fmt::format("the word at byte {} is {:#x}, on the virtual GPU {:#x}", at, a, b);
  return {};
}

}  // namespace

void check_random_kernels(const Bench& bench, Report& report) {
  report.section("Random kernels on both devices");
  gpu::Compiler adopting;
  constexpr std::uint64_t seeds = 300;
  std::size_t same = 0, tried = 0, refused = 0;
  for (std::uint64_t seed = bench.share; seed < seeds; seed += bench.shares) {
    if (bench.cuda != nullptr && seed == 88) {
      report.note(
          "Kernel 88 is left out: of a bfi with a constant length of 33 the driver's assembler takes 1 bit, and the GPU itself, "
          "with the length in a register, all that there are.");
      continue;
    }
    const RandomKernel kernel = gpu::test::random_kernel(seed);
    const auto program = adopting.adopt_ptx("random.ptx", kernel.ptx);
    if (!program) return report.check("random kernels", false, program.error().message);
    const bool approximates = kernel.ptx.find(".approx") != std::string::npos;
    const LeftBehind gpu = run(bench.gpu, *program, kernel), reference = run(bench.reference, *program, kernel);
    if (gpu.problem.starts_with("cudaErrorInvalidPtx")) {  // a constant out of its instruction's range, say
      ++refused;
      continue;
    }
    std::string wrong = gpu.problem.empty() ? reference.problem : gpu.problem;
    if (wrong.empty()) wrong = difference(gpu.out, reference.out, approximates);
    if (wrong.empty()) wrong = difference(gpu.counters, reference.counters, approximates);
    ++tried;
    if (wrong.empty())
      ++same;
    else
      report.check(fmt::format("random kernel {}", seed), false, wrong);
    if (const std::string lost = bench.gpu.lost(); !lost.empty()) return report.check("the device is there still", false, lost);
  }
  report.check("random kernels", same == tried,
               fmt::format("{} of {} leave the same on both; {} more are not taken by the driver", same, tried, refused));
}

}  // namespace warpbook::gpu_check
