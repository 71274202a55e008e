// The fuzzers' subjects on a fixed series of mutants, for machines without libFuzzer: the same texts every time.
// WARPBOOK_MUTANTS=N tries N of them, WARPBOOK_MUTANT=K begins with the Kth.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>

#include "tests/fuzz/corpus.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/subject.h"
#include "tests/how_many.h"

namespace warpbook::gpu::test {
namespace {

/// The Kth mutant is the same in every run, so a crash is found again by its number; the last one's text is kept. How many there
/// were.
template <class Do>
std::uint64_t for_each_mutant(const std::vector<std::string>& texts, std::uint64_t usual, const Do& what) {
  const std::uint64_t first = warpbook::test::number_from("WARPBOOK_MUTANT", 0);
  const std::uint64_t count = warpbook::test::how_many("WARPBOOK_MUTANTS", usual);
  const char* const keep = std::getenv("WARPBOOK_KEEP_MUTANT");
  for (std::uint64_t k = first; k < first + count; ++k) {
    std::mt19937_64 random(k * 0x9e3779b97f4a7c15u + 1);
    std::string text = texts[random() % texts.size()];
    text = mutated(text, random);
    if (keep) std::ofstream(keep) << text << "// mutant " << k << '\n';
    what(text);
  }
  return count;
}

/// Compiled once: hundreds of kernels take as long as their mutants.
const std::vector<std::string>& texts() {
  static const std::vector<std::string> kept = [] {
    Compiler compiler;
    return corpus(compiler);
  }();
  return kept;
}

TEST(Fuzz, MutantsParsePrintAndDecode) {
  std::uint64_t decoded = 0, refused = 0;
  const std::uint64_t count = for_each_mutant(texts(), 500, [&](const std::string& text) {
    const Fate fate = translate(text);
    decoded += fate == Fate::decoded;
    refused += fate == Fate::refused;
  });
  EXPECT_GT(decoded, count / 10);
  EXPECT_GT(refused, 0);
  std::printf("%d mutants decoded, %d refused\n", static_cast<int>(decoded), static_cast<int>(refused));
}

TEST(Fuzz, MutantsRun) {
  TinyGpu gpu;
  int ran = 0, others = 0;
  for_each_mutant(texts(), 150, [&](const std::string& text) { ++(gpu.run(text) == Fate::ran ? ran : others); });
  EXPECT_GT(ran, others / 10) << "few mutants get past the parser";
  RecordProperty("ran", ran);
  std::printf("%d of %d mutants ran\n", ran, ran + others);
}

}  // namespace
}  // namespace warpbook::gpu::test
