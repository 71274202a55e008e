// gpu_check: everything about the NVIDIA GPU that only an NVIDIA GPU can show. script/gpu-check builds and starts it.
//
//     gpu_check [--out FOLDER] [--program WARPBOOK] [--device ORDINAL] [--only SECTION,…] [--rehearse]
//
// Runs each section in a process of its own with a time limit, and goes on after one that crashes or hangs. Prints a line a check
// and a table of measurements, writes pictures and FOLDER/gpu-check.json: after every check the section's own file, which is taken
// over about once a second. Exit codes: 0 all is well, 1 a check failed, 2 wrong usage, 5 there is no driver or no GPU. --rehearse
// puts a virtual GPU in the NVIDIA one's place: it shows that the checks themselves work, and proves nothing about a GPU. Three
// sections of a rehearsal have no GPU at all: one crashes, one hangs, one ends well, and each has to be told so.
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
#include "tests/gpu_check/section_process.h"
#include "tests/gpu_check/sections.h"
#include "tests/gpu_check/whole.h"

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
  std::string section;  // this one alone, in this process
  std::optional<std::size_t> fault;
  bool fault_then_again = false, again = false;
  std::string after;
  std::vector<std::size_t> share = {0, 1};
  std::vector<std::string> only;
};

struct Section {
  std::string_view name;
  void (*check)(const Bench&, Report&);
  double seconds;  // then it is stopped; a rehearsal takes longer
  /// Of a rehearsal: it has no GPU in it, only a way to end.
  void (*trial)(Report&) = nullptr;
  Ended::How ends = Ended::How::exited;
};
constexpr double rehearsals_factor = 6;

/// In the order in which they say most, should the time be short.
constexpr std::array<Section, 15> sections = {{{"kernels", check_kernels, 600},
                                               {"measure", measure, 600},
                                               {"interop", check_interop, 120},
                                               {"lessons", check_lessons, 900},
                                               {"exercises", check_exercises, 600},
                                               {"program", check_program, 1800},
                                               {"faults", check_faults, 600},
                                               {"recovery", check_recovery, 120},
                                               {"streams", check_streams, 120},
                                               {"cases", check_cases, 600},
                                               {"random", check_random_kernels, 600},
                                               {"instructions", check_instructions, 3600},
                                               {"crashes", nullptr, 10, crash, Ended::How::crashed},
                                               {"hangs", nullptr, 1, hang, Ended::How::too_long},
                                               {"ends_well", nullptr, 10, end_well}}};

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

std::filesystem::path section_file(const Options& options, std::string_view section) {
  return options.out / "gpu-check-sections" / (std::string(section) + ".json");
}

/// What a section's process does: opens what it needs, then the checks.
int check_section(const Options& options) {
  Report report;
  report.keep_in(section_file(options, options.section));
  const auto section =
      std::find_if(sections.begin(), sections.end(), [&](const Section& candidate) { return candidate.name == options.section; });
  if (section != sections.end() && section->trial != nullptr) {
    section->trial(report);
    return report.failed() == 0 ? 0 : 1;
  }
  gpu::Compiler compiler;
  std::unique_ptr<gpu::CudaDevice> cuda;
  std::unique_ptr<gpu::Device> stand_in;
  if (options.rehearse) {
    auto made = gpu::make_virtual_device(compiler, "H200");
    if (!made) return complain(made.error().message, 5);
    stand_in = std::move(*made);
  } else {
    gpu::CudaSetup setup = gpu::find_cuda_devices();
    if (!setup.missing.empty()) return complain(setup.missing, 5);
    auto made = gpu::make_cuda_device(compiler, setup.driver, options.ordinal);
    if (!made) return complain(made.error().message, 5);
    cuda = std::move(*made);
    report.about("cuda_driver", setup.version);
  }
  const gpu::Compiler::Status nvrtc = compiler.status();
  if (!nvrtc.available) return complain(nvrtc.advice, 5);
  auto reference = gpu::make_virtual_device(compiler);
  if (!reference) return complain(reference.error().message, 5);

  gpu::Device& device = cuda ? *cuda : *stand_in;
  report.about("device", device.info().name);
  report.about("compute_capability", device.info().compute_capability);
  report.about("nvrtc", nvrtc.version);
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
  if (options.fault_then_again) return run_fault_then_again(bench);
  if (options.again) return run_again(bench);
  if (section != sections.end()) section->check(bench, report);
  if (!report.save()) return complain("Cannot write " + section_file(options, options.section).string() + ".", 1);
  return report.failed() == 0 ? 0 : 1;
}

/// Asks for the GPU in a process of its own: this one never opens the driver, and so hangs in nothing. 0, or an exit code.
int find_gpu(const Options& options, const std::vector<std::string>& words, nlohmann::json& about) {
  constexpr double seconds = 120;
  std::vector<std::string> asking = words;
  asking.insert(asking.end(), {"--section", "gpu"});
  const Ended ended = run_section(asking, seconds, [] {});
  if (!ended.exited_with(0))
    return ended.exited_with(5) ? 5 : complain("The process that asked for the GPU " + ended.words() + ".", 5);
  about = read_json(section_file(options, "gpu"));
  if (options.rehearse)
    fmt::print("A rehearsal: {} stands in for the NVIDIA GPU. Nothing here says anything about a GPU.\n",
               about.value("device", std::string()));
  else
    fmt::print("{}, {}, compute capability {:.1f}, CUDA {} driver\n", today(), about.value("device", std::string()),
               about.value("compute_capability", 0) / 10.0, about.value("cuda_driver", std::string()));
  return 0;
}

int check_all(const Options& options) {
  for (const Section& section : sections)
    if (section.trial != nullptr && !options.rehearse &&
        std::find(options.only.begin(), options.only.end(), section.name) != options.only.end())
      return complain(fmt::format("The section {} is rehearsed only: add --rehearse.", section.name), 2);
  std::vector<std::string> words = {"/proc/self/exe", "--out", options.out.string(), "--device", std::to_string(options.ordinal)};
  if (options.rehearse) words.emplace_back("--rehearse");
  if (!options.program.empty()) words.insert(words.end(), {"--program", options.program});
  if (!options.after.empty()) words.insert(words.end(), {"--after", options.after});
  words.insert(words.end(), {"--share", std::to_string(options.share[0]), std::to_string(options.share[1])});
  nlohmann::json about;
  if (const int exit_code = find_gpu(options, words, about); exit_code != 0) return exit_code;
  about["date"] = today();
  about["rehearsal"] = options.rehearse;

  Whole whole(options.out / "gpu-check.json", about);
  for (const Section& section : sections) {
    const bool asked =
        options.only.empty() || std::find(options.only.begin(), options.only.end(), section.name) != options.only.end();
    if (!asked || (section.trial != nullptr && !options.rehearse)) continue;
    std::error_code none;
    const std::filesystem::path file = section_file(options, section.name);
    std::filesystem::remove(file, none);
    std::vector<std::string> running = words;
    running.insert(running.end(), {"--section", std::string(section.name)});
    const Ended ended = run_section(running, section.seconds * (options.rehearse ? rehearsals_factor : 1),
                                    [&] { whole.running(section.name, read_json(file)); });
    whole.ended(section.name, read_json(file), ended, section.ends);
  }
  if (!whole.save()) return complain("Cannot write " + (options.out / "gpu-check.json").string() + ".", 1);
  fmt::print("\n{} of {} checks passed. {}\n", whole.checked() - whole.failed(), whole.checked(),
             (options.out / "gpu-check.json").string());
  return whole.failed() == 0 ? 0 : 1;
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
  for (const auto& section : warpbook::gpu_check::sections) names.emplace_back(section.name);
  app.add_option("--only", options.only, "some of the sections")->delimiter(',')->check(CLI::IsMember(names));
  app.add_option("--section", options.section, "one section, in this process");
  app.add_option("--fault", options.fault, "one fault of the section faults, by its number, in this process");
  app.add_flag("--fault-then-again", options.fault_then_again, "a fault in this process, which then starts over");
  app.add_flag("--again", options.again, "what --fault-then-again starts over with");
  app.add_option("--after", options.after, "of the section cases: those whose files come after this one");
  app.add_option("--share", options.share, "of the section instructions: those whose number modulo the second is the first (0 1)")
      ->expected(2);
  app.add_flag("--rehearse", options.rehearse, "a virtual GPU in the NVIDIA one's place");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  const bool here = !options.section.empty() || options.fault || options.fault_then_again || options.again;
  const int exit_code = here ? warpbook::gpu_check::check_section(options) : warpbook::gpu_check::check_all(options);
  // A kernel that never ends may still run, and with it the thread that waits for it: the process ends without asking them.
  std::fflush(nullptr);
  std::_Exit(exit_code);
}
