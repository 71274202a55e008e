// Every spelling of every PTX instruction on the GPU. The oracles are those of tests/forms, which hold the virtual GPU to the text
// of the ISA. Three outcomes: a spelling agrees; the driver's assembler does not take it (the virtual GPU is more lenient, or the
// spelling is of a newer GPU); it disagrees. A disagreement fails the check unless it is known and stands below with its reason.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <regex>

#include "tests/forms/page.h"
#include "tests/gpu_check/sections.h"

namespace warpbook::gpu_check {
namespace {

struct Known {
  const char* sentence;  // a regular expression: how a prover's sentence begins
  const char* why;
};
constexpr std::array<Known, 9> known = {{
    {R"((atom|red)\..*add.*f32 .*left 0x0)",
     "an atomic sum of floats in global memory flushes what is subnormal, as the ISA says; the virtual GPU does not yet"},
    {R"(v(add|sub|absdiff|min|max|shl|shr|mad)\..* gave)",
     "the driver replaces video instructions by others, which saturate differently in the corners"},
    {R"(st\..*param.* left other bytes)", "what a function that returns nothing finds in its parameters is its own"},
    {R"(st\..*v8\.[bsu](8|16) left other bytes)", "vectors of eight are for 32-bit elements"},
    {R"((mul|mad|fma|div)\..*ftz.*gave)",
     "the hardware flushes what is subnormal before it is rounded, the oracle what is subnormal afterwards: they differ where a "
     "result just below the smallest normal number rounds up to it"},
    {R"((bfe|bfi)\.[bsu]64)", "positions and lengths beyond 255 are not taken modulo 256, as the ISA has it"},
    {R"(fns\.b32 .*0x80000000\))", "an offset of −2³¹ finds nothing"},
    {R"(cvt\..*(tf32\.f32|f32\.f64|f16\.f64) \(0x7f[f8]0+1\))", "a NaN keeps its own bits"},
    {R"(cvt\.r[mp]\.ftz\..*f16\.f32 )", "a subnormal operand is not flushed before it is rounded to a half"},
}};

const Known* known_difference(const std::string& sentence) {
  const auto found = std::find_if(known.begin(), known.end(), [&](const Known& one) {
    return std::regex_search(sentence, std::regex(one.sentence), std::regex_constants::match_continuous);
  });
  return found == known.end() ? nullptr : &*found;
}

}  // namespace

void check_instructions(const Bench& bench, Report& report) {
  report.section("Every PTX instruction against the ISA's text");
  gpu::test::Bench forms(bench.gpu);
  std::size_t number = 0;
  for (const gpu::ptx::OpcodeRow& row : gpu::ptx::opcode_table()) {
    if (number++ % bench.shares != bench.share) continue;
    // They end the device's context: the section of faults does that.
    if (row.op == gpu::ptx::Opcode::trap || row.op == gpu::ptx::Opcode::brkpt) continue;
    const gpu::test::Proof proof = gpu::test::prove(forms, row);
    std::size_t refused = 0, differ = 0, wrong = 0;
    std::string first;
    for (const std::string& sentence : proof.outcome.wrong) {
      if (sentence.find("cudaErrorInvalidPtx") != std::string::npos) {
        ++refused;
      } else if (const Known* const one = known_difference(sentence)) {
        ++differ;
        report.note(fmt::format("{}: {}.", sentence, one->why));
      } else {
        if (wrong++ == 0) first = sentence;
        report.note(sentence);
      }
    }
    report.check(
        std::string(row.spelling), wrong == 0,
        fmt::format("{} spellings agree, {} differ as known, {} are not taken by the driver{}", proof.outcome.agreed.size(), differ,
                    refused, wrong == 0 ? "" : fmt::format(", {} are wrong: {}", wrong, first)));
    if (const std::string lost = bench.gpu.lost(); !lost.empty()) return report.check("the device is there still", false, lost);
  }
}

}  // namespace warpbook::gpu_check
