// The cases of tests/cases/launch on the GPU: what the virtual GPU is tested by, whose values come from definitions, must hold on
// hardware too. Cases that end in a fault are left out; the section of faults has them. A case after which the device is lost has
// failed, and those after it go on in a process of their own.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "lessons/catalog.h"
#include "tests/gpu/launched_file.h"
#include "tests/gpu_check/sections.h"

namespace warpbook::gpu_check {
namespace {

struct Differing {
  std::string_view file, why;
  bool ends_the_context = false;  // it is left out
};
constexpr std::string_view no_heap =
    "malloc found no memory at all there, not even for a program of nvcc's that asks for 1 KiB of a heap of 8 MiB";
/// Where an H200 was seen to do otherwise than the file expects.
constexpr std::array differing = {
    Differing{"held_while_memory_is_found.ptx", "a NaN of 64 bits keeps its own bits"},
    Differing{"nans_of_min_and_rounding.ptx", "a NaN of 64 bits keeps its own bits"},
    Differing{"small_floats.ptx", "a NaN of tf32 has other bits"},
    Differing{"video.ptx", "video instructions are replaced by others, which saturate differently in the corners"},
    Differing{"last_lane_stays.cu", "CUDA leaves open whose store stays; it was lane 0's of 32-bit stores"},
    Differing{"printf_formats.cu", "CUDA's printf does not take a precision of '*'; what comes after it is another argument's"},
    Differing{"reserved_shared_memory.ptx", "what the system keeps of shared memory lies before the kernel's"},
    Differing{"printf_of_no_string.cu", "a null pointer for %s is an illegal address", true},
    Differing{"recursion_in_depth.cu",
              "a thread's stack has 1024 bytes where nobody asks for more (cudaLimitStackSize): 32 of these calls are too many",
              true},
    Differing{"malloc_fits_between_live_pieces.cu", no_heap},
    Differing{"malloc_until_none_is_left.cu", no_heap},
    Differing{"arrivals_in_every_other_block.ptx", "a barrier met with a count and without one is an illegal instruction", true},
    Differing{"copies_on_the_side.ptx", "one of its copies is an illegal instruction", true},
};

const Differing* differs_on_hardware(const std::string& name) {
  const auto found = std::find_if(differing.begin(), differing.end(), [&](const Differing& one) { return one.file == name; });
  return found == differing.end() ? nullptr : &*found;
}

void go_on_in_another_process(const Bench& bench, const std::string& name, Report& report) {
  const Answer rest = run_command(fmt::format("timeout -k 5 600 {} --out {} --only cases --after {}", bench.again,
                                              (bench.out / ("cases-after-" + name)).string(), name));
  fmt::print("{}", rest.out);
  report.check("the cases after " + name, rest.exit_code == 0, "in a process of their own, above");
}

}  // namespace

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
    if (name <= bench.after_case) continue;
    const Differing* const different = bench.cuda != nullptr ? differs_on_hardware(name) : nullptr;
    if (different != nullptr && different->ends_the_context) {
      report.note(fmt::format("{} is left out: {}.", name, different->why));
      continue;
    }
    const bool is_ptx = file.extension() == ".ptx";
    auto program = is_ptx ? adopting.adopt_ptx(name, read.text)
                          : bench.gpu.compile({.file = name, .text = read.text, .defines = {}, .instantiate = {}});
    if (!program) {
      report.check(name, false, program.error().message);
      continue;
    }
    const auto wrong = gpu::test::run_launched_file(bench.gpu, *program, read, gpu::Schedule::fast);
    if (!wrong.empty() && (wrong.front().starts_with("cudaErrorInvalidPtx") || wrong.front().starts_with("cudaErrorNoKernelImage")))
      report.note(fmt::format("{} is not taken by the driver: {}", name, wrong.front().substr(0, 300)));
    else if (!wrong.empty() && different != nullptr)
      report.note(fmt::format("{}: {}: {}.", name, wrong.front().substr(0, 300), different->why));
    else
      report.check(name, wrong.empty(), wrong.empty() ? "as the file expects" : wrong.front().substr(0, 300));
    if (const std::string lost = bench.gpu.lost(); !lost.empty()) {
      report.check(name + ", the device after it", false, lost);
      return go_on_in_another_process(bench, name, report);
    }
  }
}

}  // namespace warpbook::gpu_check
