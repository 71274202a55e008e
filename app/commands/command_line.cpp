#include "app/commands/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <exception>
#include <sstream>
#include <string>

#include "app/commands/commands.h"
#include "app/commands/compiler_option.h"
#include "app/commands/device_choice.h"
#include "app/commands/exit_code.h"
#include "app/commands/language_choice.h"
#include "app/commands/open_workbook.h"
#include "app/commands/standard_streams.h"
#include "gpu/cuda/cuda_device.h"
#include "gpu/message.h"

namespace warpbook::app {
namespace {

std::string no_command(std::string_view word) {
  return say(
      "there is no command '{word}'. The commands are list, next, run, check, sweep, launch, exec, nvcc, devices, doctor, picture "
      "and export; a file to open ends in .cu, or in .record. 'warpbook --help' explains it, with examples.",
      "word"_a = word);
}

// What went wrong with the words on the command line, as a sentence with a way on.
std::string usage_sentence(const CLI::App& program, const CLI::ParseError& error) {
  const auto chosen = program.get_subcommands();
  const std::string command = chosen.empty() ? "warpbook" : fmt::format("warpbook {}", chosen.front()->get_name());
  const std::string help = say("'{command} --help' explains it, with examples.", "command"_a = command);
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const auto unknown = program.remaining(true);
    if (chosen.empty()) return no_command(unknown.empty() ? error.what() : unknown.front());
    return say("{command} does not know what to do with '{words}'. {help}", "command"_a = command,
               "words"_a = fmt::format("{}", fmt::join(unknown, " ")), "help"_a = help);
  }
  const std::string_view problem = error.what();  // CLI11's, as "--grid: 1 required X[,Y[,Z]] missing" for an option at the end
  constexpr std::string_view before = ": 1 required ", behind = " missing";
  if (const std::size_t at = problem.find(before); at != problem.npos && problem.ends_with(behind)) {
    const std::string_view wanted = problem.substr(at + before.size());
    return say("{option} needs a value: {wanted}. {help}", "option"_a = problem.substr(0, at),
               "wanted"_a = wanted.substr(0, wanted.size() - behind.size()), "help"_a = help);
  }
  return chosen.empty() ? fmt::format("{}. {}", problem, help) : fmt::format("{}: {}. {}", command, problem, help);
}

}  // namespace

int end_program(int exit_code) { return gpu::end_process(exit_code_of_output(exit_code)); }

std::optional<int> run_command_line(int argc, char** argv) {
  if (const auto chosen = choose_language(argc, argv); !chosen)
    return complain(chosen.error().code == "unknown_language" ? exit_usage : exit_missing, chosen.error().message);
  int exit_code = exit_clean;
  CLI::App program{
      say("Warpbook: a workbook that teaches CUDA. Without a command it opens its window; the commands do the same work as text."),
      "warpbook"};
  program.set_version_flag("--version", "warpbook " WARPBOOK_VERSION);
  program.get_formatter()->column_width(34);
  program.require_subcommand(0, 1);
  std::string file;
  program
      .add_option("FILE.cu", file,
                  say("a file of your own: the window opens it in the playground, or the record that exec has written"))
      ->type_name("");
  std::string device;
  auto* const window_device =
      program.add_option("--device", device, say("what the window begins with: virtual (default), cuda, cuda:1"))
          ->type_name("NAME");
  add_compiler_option(program);
  add_language_option(program);
  program.footer(
      say("\nExit codes: 0 done and clean, 1 something was found or a check failed, 2 wrong usage, 3 compile error, 4 the launch "
          "failed,\n"
          "5 something needed is missing on this machine, or what was asked for could not be written: the disk is full, or nobody "
          "reads it.\n"
          "\n"
          "First steps:\n"
          "  warpbook mine.cu                       the window, with your own kernel in its playground\n"
          "  warpbook list                          the lessons and their exercises\n"
          "  warpbook next                          the lesson to go on with\n"
          "  warpbook run 05 --set trials=10        one of them, as text\n"
          "  warpbook check square mine.cu          your solution of an exercise\n"
          "  warpbook sweep 05 --over threads       the same at every number of threads\n"
          "  warpbook launch --help                 your own kernel, thread by thread\n"
          "  warpbook exec --help                   a whole program of yours"));
  try {
    add_list(program, exit_code);
    add_next(program, exit_code);
    add_run(program, exit_code);
    add_check(program, exit_code);
    add_sweep(program, exit_code);
    add_launch(program, exit_code);
    add_exec(program, exit_code);
    add_cc(program, exit_code);
    add_nvcc(program, exit_code);
    add_devices(program, exit_code);
    add_doctor(program, exit_code);
    add_picture(program, exit_code);
    add_export(program, exit_code);
    add_generate(program, exit_code);
    for (CLI::App* const command : program.get_subcommands({})) command->excludes(window_device);  // they have their own
    program.parse(argc, argv);
  } catch (const CLI::Success& asked) {  // --help, --version
    std::ostringstream words;
    program.exit(asked, words, words);
    write_out(words.str());
    return exit_clean;
  } catch (const CLI::ParseError& error) {
    return complain(exit_usage, usage_sentence(program, error));
  } catch (const std::bad_alloc&) {
    return complain(exit_missing, say("this machine has not enough memory for that. Make the arrays smaller."));
  }
  if (!program.get_subcommands().empty()) return exit_code;
  const std::optional<int> gpu = gpu_number(device);
  if (!gpu && !device.empty() && device != "virtual")
    return complain(exit_usage, say("there is no device '{device}': --device is virtual or cuda (cuda:1 for the second GPU).",
                                    "device"_a = device));
  if (file.empty()) return gpu ? std::optional(open_workbook({}, gpu)) : std::nullopt;
  if (!file.ends_with(".cu") && !file.ends_with(".cuh") && !file.ends_with(".record"))
    return complain(exit_usage, no_command(file));
  return open_workbook(file, gpu);
}

}  // namespace warpbook::app
