#include "tests/fuzz/corpus.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "gpu/virtual/ptx/parser.h"
#include "tests/gpu/random_kernel.h"

namespace warpbook::gpu::test {
namespace fs = std::filesystem;

std::vector<std::string> corpus(Compiler& compiler) {
  // Not the exercises' answers: hundreds that differ in a line, and mutants of one kernel do as well.
  std::vector<fs::path> files;
  for (const char* const folder : {"kernels", "tests/cases/compile", "tests/cases/findings", "tests/cases/launch",
                                   "tests/cases/launches", "tests/cases/ptx"})
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(WARPBOOK_ROOT) / folder))
      if (entry.path().extension() == ".cu" || entry.path().extension() == ".ptx") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<std::string> texts;
  for (const fs::path& file : files) {
    std::ifstream stream(file);
    std::string text{std::istreambuf_iterator<char>(stream), {}};
    if (file.extension() == ".cu") {
      const auto program =
          compiler.compile({.file = file.filename().string(), .text = std::move(text), .defines = {}, .instantiate = {}},
                           {.resource_usage = false, .line_info = false});
      if (!program) continue;  // cases of errors, or no compiler here
      text = (*program)->ptx;
    }
    if (ptx::parse(text)) texts.push_back(std::move(text));  // not cases of errors
  }
  for (std::uint64_t seed = 0; seed < 20; ++seed) texts.push_back(random_kernel(seed).ptx);
  return texts;
}

}  // namespace warpbook::gpu::test
