#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/App.hpp>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/child_process.h"
#include "app/commands/commands.h"
#include "app/commands/exec_record.h"
#include "app/commands/exec_report.h"
#include "app/commands/exit_code.h"
#include "app/commands/launch_plan.h"
#include "app/commands/outputs.h"
#include "app/commands/report_text.h"
#include "app/commands/run_folder.h"
#include "app/commands/standard_streams.h"
#include "gpu/finding_kinds.h"
#include "gpu/message.h"
#include "gpu/nvcc.h"
#include "gpu/output_file.h"
#include "gpu/program/code_places.h"
#include "gpu/program/journal.h"
#include "gpu/program/run_record.h"
#include "gpu/shown_text.h"
#include "gpu/toolkit.h"
#include "gpu/virtual/profiles.h"

namespace warpbook::app {
namespace {

namespace fs = std::filesystem;

struct ExecOptions {
  std::vector<std::string> words;  // the program and its arguments
  std::string observe = "none", schedule = "fast", profile = "A40", json, html, record;
  std::optional<std::uint64_t> seed;
  double max_seconds = 0;  // a launch; 0: as long as it takes
  bool fail_on_findings = false, quiet = false;
};

tl::unexpected<Error> no_exec(std::string sentence) { return failure("usage", std::move(sentence)); }

/// As a shell finds it.
Result<std::string> find_program(const std::string& name) {
  if (name.empty()) return no_exec(say("PROGRAM is empty. Write the program's name after --: warpbook exec -- ./heat"));
  if (name.find('/') != std::string::npos) {
    if (access(name.c_str(), X_OK) == 0 && !fs::is_directory(name)) return name;
    if (access(name.c_str(), F_OK) == 0)
      return no_exec(say("{name} is no program that can be run: it is neither executable nor a .cu file.", "name"_a = name));
    return no_exec(say("there is no program {name}. Look at how it is spelt and where it lies.", "name"_a = name));
  }
  const char* path = std::getenv("PATH");
  for (std::string_view rest = path ? path : "/usr/bin:/bin"; !rest.empty();) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const std::string file = fmt::format("{}/{}", rest.substr(0, end), name);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (access(file.c_str(), X_OK) == 0 && !fs::is_directory(file)) return file;
  }
  return no_exec(say("there is no program {name}. A program in this folder is called ./{name}.", "name"_a = name));
}

/// Compiles a .cu file into `program`, by `warpbook nvcc` or, where there is no toolkit, by `warpbook cc`, which say what is wrong.
/// Returns the exit code.
int compile(const std::string& source, const std::string& program) {
  if (access(source.c_str(), R_OK) != 0)
    return complain(exit_usage, say("{source} could not be read: {why}.", "source"_a = source, "why"_a = std::strerror(errno)));
  const auto exit_code = run_child({"/proc/self/exe", gpu::find_nvcc() ? "nvcc" : "cc", "-O2", "-o", program, source});
  if (!exit_code) return complain(exit_code.error());
  return *exit_code == exit_clean || *exit_code == exit_missing ? *exit_code : exit_compile_error;
}

Result<void> check_program(const std::string& file) {
  const gpu::ProgramKind kind = gpu::kind_of_program(file);
  if (kind.own_runtime)
    return no_exec(
        say("{file} has CUDA's own runtime library linked into it, which looks for a GPU. Link it with nvcc's option -cudart "
            "shared, or compile it with 'warpbook nvcc'.",
            "file"_a = file));
  for (const std::string& library : kind.libraries)
    if (library.starts_with("libcudart.so") && library != "libcudart.so.12" && library != "libcudart.so.13")
      return no_exec(
          say("{file} was made for {library}; the virtual GPU stands in for CUDA 12 and 13. Compile it with one of these.",
              "file"_a = file, "library"_a = library));
  return {};
}

void set_environment(const ExecOptions& options, const fs::path& library, const fs::path& folder) {
  const auto set = [](const char* name, const std::string& value) { setenv(name, value.c_str(), 1); };
  const auto set_before = [&](const char* name, const std::string& first) {
    const char* others = std::getenv(name);
    set(name, others && *others ? fmt::format("{}:{}", first, others) : first);
  };
  set_before("LD_LIBRARY_PATH", library.string());
  set(gpu::journal_variable, folder.string());
  set("WARPBOOK_PROFILE", options.profile);
  set("WARPBOOK_OBSERVE", options.observe == "none" ? "" : options.observe);
  set("WARPBOOK_SCHEDULE", options.schedule);
  set("WARPBOOK_SEED", options.seed ? std::to_string(*options.seed) : "");
  // Numba: the driver's library, and what makes its kernels PTX (gpu/runtime/python).
  set_before("PYTHONPATH", (library / "python").string());
  set("NUMBA_CUDA_DRIVER", (library / "libcuda.so.1").string());
  std::error_code ignored;
  for (const fs::path& root : gpu::toolkit_roots())
    if (const fs::path file = root / "nvvm" / "libdevice" / "libdevice.10.bc"; fs::exists(file, ignored))
      setenv("WARPBOOK_LIBDEVICE", file.c_str(), 0);
  set(gpu::record_variable, options.record.empty() ? "" : "1");
  if (options.max_seconds > 0) set("WARPBOOK_LAUNCH_SECONDS", fmt::format("{}", options.max_seconds));
}

/// The child's side of fork().
[[noreturn]] void become(const std::string& file, std::vector<std::string>& words, int failed) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);  // whoever ends exec ends the program
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execv(file.c_str(), arguments.data());
  const int why = errno;
  (void)!write(failed, &why, sizeof why);
  _exit(127);
}

Error not_started(const std::string& file, int why) {
  if (why == ENOEXEC)
    return Error{"usage", say("{file} could not be started: it is no program for this machine, and no script whose first line "
                              "names its interpreter, as #!/bin/sh does.",
                              "file"_a = file)};
  return Error{"usage", say("{file} could not be started: {why}.", "file"_a = file, "why"_a = std::strerror(why))};
}

/// Runs it to its end. Ctrl-C reaches the program, which ends by it or not as it likes; then the report follows.
/// `output`: keeps what it prints; nullptr: it prints to our own streams.
Result<ProgramEnd> run_program(const std::string& file, std::vector<std::string> words, OutputCopy* output) {
  ProgramEnd end;
  end.program = words.front();
  const auto start = std::chrono::steady_clock::now();
  std::array<int, 2> failed{};  // why it could not be started; nothing where it was
  if (pipe2(failed.data(), O_CLOEXEC) != 0) return tl::unexpected(not_started(file, errno));
  const pid_t child = fork();
  if (child < 0) {
    const int why = errno;
    close(failed[0]);
    close(failed[1]);
    return tl::unexpected(not_started(file, why));
  }
  if (child == 0) {
    if (output) output->in_child();
    become(file, words, failed[1]);
  }
  close(failed[1]);
  if (output) output->begin();
  const SignalsToChild signals(child);
  int status = 0, why = 0;
  const bool started = read(failed[0], &why, sizeof why) != sizeof why;
  close(failed[0]);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (output) output->end();
  if (!started) return tl::unexpected(not_started(file, why));
  end.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (WIFSIGNALED(status)) {
    end.signal = WTERMSIG(status);
    end.exit_code = 128 + WTERMSIG(status);  // as shells have it
  } else {
    end.exit_code = WEXITSTATUS(status);
  }
  return end;
}

Result<void> check_options(ExecOptions& options) {
  if (auto good = gpu::observe_named(options.observe); !good) return failure(good.error());
  const gpu::Profile* profile = gpu::find_profile(options.profile);
  if (!profile)
    return no_exec(say("there is no profile '{profile}'. 'warpbook devices' lists them.", "profile"_a = cut(options.profile, 40)));
  options.profile = std::string(profile->name);
  const std::array outputs{Output{"--json", options.json, {".json"}}, Output{"--html", options.html, {".html", ".htm"}},
                           Output{"--record", options.record, {".record"}}};
  return check_outputs(outputs, {});
}

/// What was asked for, for the report.
std::string command_line(const ExecOptions& options) {
  std::string line = "warpbook exec";
  if (options.observe != "none") line += " --observe " + options.observe;
  if (options.schedule != "fast") line += " --schedule " + options.schedule;
  line += fmt::format(" --profile {}", options.profile);
  if (!options.record.empty()) line += " --record " + options.record;
  if (options.seed) line += fmt::format(" --seed {}", *options.seed);
  line += " --";
  for (const std::string& word : options.words) line += " " + word;
  return line;
}

int exec(ExecOptions& options) {
  if (auto good = check_options(options); !good) return complain(good.error());
  std::string program = options.words.front();
  const bool is_source = program.ends_with(".cu");
  std::optional<RunFolder> compiled;  // where a source's program lies
  if (is_source) {
    compiled.emplace("warpbook-compiled");
    if (compiled->path.empty()) return complain(exit_missing, no_folder_sentence(errno));
    program = (compiled->path / fs::path(program).stem()).string();
    if (const int failed = compile(options.words.front(), program); failed != 0) return failed;
  }
  const auto file = find_program(program);
  if (!file) return complain(file.error());
  if (auto good = check_program(*file); !good) return complain(good.error());
  const auto library = runtime_folder();
  if (!library) return complain(library.error());
  const RunFolder folder("warpbook-exec");
  if (folder.path.empty()) return complain(exit_missing, no_folder_sentence(errno));
  set_environment(options, *library, folder.path);
  std::optional<OutputCopy> output;
  if (!options.record.empty() && !output.emplace().ready())
    return complain(exit_missing, say("no pipes could be made for the program's output: {why}.", "why"_a = std::strerror(errno)));
  std::vector<std::string> words = options.words;
  if (is_source) words.front() = *file;  // by this name the program finds its own code, whose lines are told
  auto ended = run_program(*file, words, output ? &*output : nullptr);
  if (!ended) return complain(ended.error());
  ended->program = options.words.front();
  ended->device = fmt::format("the virtual GPU, {} profile", options.profile);
  ended->observe = options.observe;
  ended->clock = options.schedule == "clock";
  ended->command = command_line(options);
  const ExecReport report = exec_report(gpu::read_journals(folder.path), *ended);
  if (!options.quiet || !report.clean() || report.not_run) write_err(exec_text(report, *ended));
  if (!options.json.empty())
    if (auto written = write_file(options.json, dump(exec_json(report, *ended), 2) + "\n"); !written)
      return complain(written.error());
  if (!options.html.empty())
    if (auto written = write_file(options.html, exec_html(report, *ended)); !written) return complain(written.error());
  if (output) {
    const RecordedRun run{.command = ended->command,
                          .words = options.words,
                          .profile = options.profile,
                          .observe = options.observe,
                          .schedule = options.schedule,
                          .seed = options.seed,
                          .output = output->text(),
                          .ended = ended_sentence(*ended),
                          .report = exec_text(report, *ended),
                          .folders = report.folders};
    if (auto written = write_record(options.record, run, folder.path); !written) return complain(written.error());
  }
  if (report.not_run) return exit_missing;
  if (options.fail_on_findings && !report.clean()) return exit_finding;
  return ended->exit_code;
}

}  // namespace

void add_exec(CLI::App& program, int& exit_code) {
  auto* const command =
      program.add_subcommand("exec", say("runs a whole CUDA program on the virtual GPU, and says what went wrong in it"));
  auto options = std::make_shared<ExecOptions>();
  command->add_option("PROGRAM", options->words, say("the program and its arguments, after --; a .cu file is compiled first"))
      ->required()
      ->type_name("")
      ->expected(1, -1);
  command->add_option("--observe", options->observe, say("what to look for in its kernels: all, or a list such as race,memory"));
  command->add_option("--schedule", options->schedule, say("fast, or clock, which models how long each kernel takes on the device"))
      ->check(CLI::IsMember({"fast", "clock"}));
  command->add_option("--profile", options->profile, say("the device: a profile of 'warpbook devices'"));
  command->add_option("--seed", options->seed, say("the order of blocks and warps"));
  command->add_option("--max-seconds", options->max_seconds, say("ends a launch that takes longer"))->check(CLI::PositiveNumber);
  command->add_option("--json", options->json, say("writes the report to FILE.json, too"));
  command->add_option("--html", options->html, say("writes the report to FILE.html, too: one page, with the lines of the sources"));
  command
      ->add_option("--record", options->record,
                   say("writes the whole run to FILE.record, too: 'warpbook FILE.record' shows its launches and runs each again"))
      ->type_name("FILE.record");
  command->add_flag("--fail-on-findings", options->fail_on_findings,
                    say("exit code 1 where something was found; else the program's own"));
  command->add_flag("--quiet", options->quiet, say("prints a report only where something was found"));
  command->footer(say(
      "\nA .cu file is compiled by the CUDA Toolkit's nvcc where it is installed, and by clang where it is not. A program of "
      "several\n"
      "files is compiled by 'warpbook nvcc' or 'warpbook cc', which link it with CUDA's shared runtime library and keep its PTX.\n"
      "  warpbook exec --observe race -- heat.cu 512\n"
      "  warpbook cc -o heat heat.cu main.cpp\n"
      "  warpbook exec -- ./heat 512\n"
      "  warpbook exec --observe race,memory --fail-on-findings -- ./heat 64\n"
      "  warpbook exec --record heat.record -- ./heat 64             then: warpbook heat.record\n"
      "  warpbook exec --schedule clock --profile T4 -- ./heat 64\n"
      "  warpbook exec --observe race -- python3 heat.py            a program with Numba's kernels"));
  command->callback([options, &exit_code] { exit_code = exec(*options); });
}

}  // namespace warpbook::app
