// The cases of tests/cases/launch on the GPU: what the virtual GPU is tested by, whose values come from definitions, must hold on
// hardware too. Cases that end in a fault are left out; the section of faults has them.
#include <fmt/format.h>

#include <algorithm>

#include "lessons/catalog.h"
#include "tests/gpu/launched_file.h"
#include "tests/gpu_check/sections.h"

namespace warpbook::gpu_check {

void check_cases(const Bench& bench, Report& report) {
  report.section("The launch cases of the virtual GPU's tests");
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(lessons::data_directory() / "tests/cases/launch"))
    if (entry.path().extension() != ".md") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  gpu::Compiler adopting;
  for (const auto& file : files) {
    const gpu::test::LaunchedFile read = gpu::test::read_launched_file(file);
    if (read.status != "ok") continue;
    const std::string name = file.filename().string();
    const bool is_ptx = file.extension() == ".ptx";
    auto program = is_ptx ? adopting.adopt_ptx(name, read.text)
                          : bench.gpu.compile({.file = name, .text = read.text, .defines = {}, .instantiate = {}});
    if (!program) {
      report.check(name, false, program.error().message);
      continue;
    }
    const auto wrong = gpu::test::run_launched_file(bench.gpu, *program, read, gpu::Schedule::fast);
    if (!wrong.empty() && wrong.front().starts_with("cudaErrorInvalidPtx"))
      report.note(fmt::format("{} is not taken by the driver: {}", name, wrong.front()));
    else
      report.check(name, wrong.empty(), wrong.empty() ? "as the file expects" : wrong.front());
    if (const std::string lost = bench.gpu.lost(); !lost.empty()) return report.check("the device is there still", false, lost);
  }
}

}  // namespace warpbook::gpu_check
