// libFuzzer's entry points (clang only; tests/README.md says how to run them). Built twice: fuzz_parser reads, prints
// and decodes, fuzz_kernels also runs. `fuzz_parser corpus FOLDER` is no fuzzing: it fills FOLDER to begin from.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>

#include "tests/fuzz/corpus.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/subject.h"

using namespace warpbook::gpu;

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  run_compiler_child_if_asked(*argc, *argv);
  if (*argc == 3 && std::string_view((*argv)[1]) == "corpus") {
    Compiler compiler;
    std::filesystem::create_directories((*argv)[2]);
    std::size_t n = 0;
    for (const std::string& text : test::corpus(compiler))
      std::ofstream(std::filesystem::path((*argv)[2]) / std::to_string(n++)) << text;
    std::exit(0);
  }
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  std::mt19937_64 random(seed);
  if (random() % 10 == 0) return LLVMFuzzerMutate(data, size, max_size);
  const std::string text = test::mutated({reinterpret_cast<const char*>(data), size}, random);
  const std::size_t length = std::min(text.size(), max_size);
  std::copy_n(text.data(), length, data);
  return length;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
#ifdef WARPBOOK_FUZZ_KERNELS
  static test::TinyGpu gpu;
  gpu.run(text);
#else
  test::translate(text);
#endif
  return 0;
}
