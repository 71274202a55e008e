// gpu_check: everything about the NVIDIA GPU that only an NVIDIA GPU can show. script/gpu-check builds and starts it.
//
//     gpu_check [--out FOLDER] [--program WARPBOOK] [--device ORDINAL] [--only SECTION,…] [--rehearse]
//
// Prints a line a check and a table of measurements, writes FOLDER/gpu-check.json and pictures. Exit codes: 0 all is well, 1 a
// check failed, 2 wrong usage, 5 there is no driver or no GPU. --rehearse puts a virtual GPU in the NVIDIA one's place: it shows
// that the checks themselves work, and proves nothing about a GPU.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <ctime>
#include <optional>
#include <string_view>

#include "gpu/compiler.h"
#include "lessons/catalog.h"
#include "tests/gpu_check/sections.h"

namespace warpbook::gpu_check {

Result<gpu::ProgramPtr> compile_file(gpu::Device& device, const std::filesystem::path& file,
                                     std::vector<std::pair<std::string, std::string>> defines) {
  auto text = lessons::read_text(file);
  if (!text) return failure(text.error());
  auto program =
      device.compile({.file = file.filename().string(), .text = *text, .defines = std::move(defines), .instantiate = {}});
  if (!program) return failure("compile_error", program.error().message + "\n" + program.error().log);
  return *program;
}

namespace {

struct Options {
  std::filesystem::path out = "out";
  std::string program;
  int ordinal = 0;
  bool rehearse = false;
  std::optional<std::size_t> fault;
  std::string after;
  std::vector<std::size_t> share = {0, 1};
  std::vector<std::string> only;
};

constexpr std::array<std::pair<std::string_view, void (*)(const Bench&, Report&)>, 11> sections = {
    {{"kernels", check_kernels},
     {"instructions", check_instructions},
     {"cases", check_cases},
     {"random", check_random_kernels},
     {"lessons", check_lessons},
     {"exercises", check_exercises},
     {"interop", check_interop},
     {"program", check_program},
     {"streams", check_streams},
     {"measure", measure},
     {"faults", check_faults}}};

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

int complain(const std::string& sentence, int exit_code) {
  fmt::print(stderr, "gpu-check: {}\n", sentence);
  return exit_code;
}

int check_all(const Options& options) {
  gpu::Compiler compiler;
  Report report;
  std::unique_ptr<gpu::CudaDevice> cuda;
  std::unique_ptr<gpu::Device> stand_in;
  if (options.rehearse) {
    auto made = gpu::make_virtual_device(compiler, "H200");
    if (!made) return complain(made.error().message, 5);
    stand_in = std::move(*made);
    fmt::print("A rehearsal: {} stands in for the NVIDIA GPU. Nothing here says anything about a GPU.\n", stand_in->info().name);
  } else {
    gpu::CudaSetup setup = gpu::find_cuda_devices();
    if (!setup.missing.empty()) return complain(setup.missing, 5);
    auto made = gpu::make_cuda_device(compiler, setup.driver, options.ordinal);
    if (!made) return complain(made.error().message, 5);
    cuda = std::move(*made);
    fmt::print("{}, {}, compute capability {}.{}, CUDA {} driver\n", today(), cuda->info().name,
               cuda->info().compute_capability / 10, cuda->info().compute_capability % 10, setup.version);
    report.about("cuda_driver", setup.version);
  }
  const gpu::Compiler::Status nvrtc = compiler.status();
  if (!nvrtc.available) return complain(nvrtc.advice, 5);
  auto reference = gpu::make_virtual_device(compiler);
  if (!reference) return complain(reference.error().message, 5);

  gpu::Device& device = cuda ? *cuda : *stand_in;
  report.about("date", today());
  report.about("device", device.info().name);
  report.about("rehearsal", options.rehearse);
  report.about("nvrtc", nvrtc.version);
  const std::filesystem::path json = options.out / "gpu-check.json";
  report.keep_in(json);
  const Bench bench{
      .reference = **reference,
      .gpu = device,
      .cuda = cuda.get(),
      .out = options.out,
      .program = options.program,
      .ordinal = options.ordinal,
      .again = fmt::format("/proc/{}/exe --device {}{}", getpid(), options.ordinal, options.rehearse ? " --rehearse" : ""),
      .after_case = options.after,
      .share = options.share[0],
      .shares = options.share[1]};
  if (options.fault) return run_fault(bench, *options.fault);
  for (const auto& [name, check] : sections) {
    if (options.only.empty() || std::find(options.only.begin(), options.only.end(), name) != options.only.end())
      check(bench, report);
  }

  if (!report.save()) return complain("Cannot write " + json.string() + ".", 1);
  fmt::print("\n{} of {} checks passed. {}\n", report.checked() - report.failed(), report.checked(), json.string());
  return report.failed() == 0 ? 0 : 1;
}

}  // namespace
}  // namespace warpbook::gpu_check

int main(int argc, char** argv) {
  warpbook::gpu::run_compiler_child_if_asked(argc, argv);
  warpbook::gpu_check::Options options;
  CLI::App app("everything about the NVIDIA GPU that only an NVIDIA GPU can show", "gpu_check");
  app.add_option("--out", options.out, "where gpu-check.json and pictures go (out)");
  app.add_option("--program", options.program, "the built warpbook, to be run as a user does");
  app.add_option("--device", options.ordinal, "which GPU (0)");
  std::vector<std::string> names;
  for (const auto& [name, check] : warpbook::gpu_check::sections) names.emplace_back(name);
  app.add_option("--only", options.only, "some of the sections")->delimiter(',')->check(CLI::IsMember(names));
  app.add_option("--fault", options.fault, "one fault of the section faults, by its number, in this process");
  app.add_option("--after", options.after, "of the section cases: those whose files come after this one");
  app.add_option("--share", options.share, "of the section instructions: those whose number modulo the second is the first (0 1)")
      ->expected(2);
  app.add_flag("--rehearse", options.rehearse, "a virtual GPU in the NVIDIA one's place");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  const int exit_code = warpbook::gpu_check::check_all(options);
  // A kernel that never ends may still run, and with it the thread that waits for it: the process ends without asking them.
  std::fflush(nullptr);
  std::_Exit(exit_code);
}
