#include <fmt/format.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <string>

#include "app/commands/commands.h"
#include "app/commands/device_choice.h"
#include "app/commands/exit_code.h"
#include "app/commands/lesson_choice.h"
#include "app/commands/outputs.h"
#include "app/commands/page_picture.h"
#include "app/commands/standard_streams.h"
#include "gpu/input_file.h"
#include "gpu/message.h"
#include "gpu/output_file.h"
#include "gpu/text.h"

namespace warpbook::app {
namespace {

struct ExportOptions {
  LessonChoice choice;
  DeviceChoice device;
  std::string file;
};

namespace fs = std::filesystem;

constexpr std::uintmax_t most_compared = std::uintmax_t{1} << 28;  // bytes

/// A program that an export has written may be replaced by the next; one that somebody has written may not.
bool is_an_export(const std::string& text) {
  return text.substr(0, text.find('\n')).find(lessons::mark_of_host_code) != std::string::npos;
}

/// Empty: there is no such file, or it is a device or our own standard output, where nothing is replaced.
Result<std::string> text_before(const fs::path& file) {
  const auto place = place_of_output(file);
  if (!place) return failure(place.error());
  return place->kind == OutputPlace::Kind::file && place->there ? read_input(file, most_compared) : std::string();
}

/// Beside the program; where that is no file, where we are.
fs::path folder_of_inputs(const fs::path& program) {
  const auto place = place_of_output(program);
  return place && place->kind == OutputPlace::Kind::file ? program.parent_path() : fs::path();
}

Result<void> check_program(const fs::path& file) {
  const auto before = text_before(file);
  if (!before) return failure(before.error());
  if (before->empty() || is_an_export(*before)) return {};
  return failure("usage",
                 say("{file} is there already and was not written by 'warpbook export'. Name another file, so that it is not lost.",
                     "file"_a = file.string()));
}

/// An input belongs to the program that is replaced, or is the same already; else another program reads it.
Result<void> check_input(const fs::path& file, const lessons::InputFile& input, const std::string& program_before) {
  const auto before = text_before(file);
  if (!before) return failure(before.error());
  const std::string_view bytes(reinterpret_cast<const char*>(input.bytes->data()), input.bytes->size());
  if (before->empty() || *before == bytes || program_before.find(input.name) != std::string::npos) return {};
  return failure("usage",
                 say("{file} is there already and holds something else, which a program may need. Export into another folder.",
                     "file"_a = file.string()));
}

/// The program last, so that none is there without its inputs.
Result<void> write_all(const fs::path& file, const lessons::HostCode& code) {
  const auto before = text_before(file);
  if (!before) return failure(before.error());
  const fs::path folder = folder_of_inputs(file);
  std::vector<Output> outputs;
  for (const lessons::InputFile& input : code.inputs) outputs.push_back({"", (folder / input.name).string(), {".bin"}});
  if (auto good = check_outputs(outputs, {}); !good) return good;
  for (const lessons::InputFile& input : code.inputs)
    if (auto good = check_input(folder / input.name, input, *before); !good) return good;
  for (const lessons::InputFile& input : code.inputs)
    if (auto done = write_file(folder / input.name, *input.bytes); !done) return done;
  return write_file(file, code.text);
}

int write_program(ExportOptions& options) {
  const fs::path file = options.file;
  const bool python = lowered(file.extension().string()) == ".py";
  const std::array outputs{Output{"", options.file, {".cu", ".py"}}};
  if (auto good = check_outputs(outputs, {}); !good) return complain(good.error());
  if (auto good = check_program(file); !good) return complain(good.error());
  auto lesson = options.choice.lesson();
  if (!lesson) return complain(lesson.error());
  auto values = options.choice.values(**lesson);
  if (!values) return complain(values.error());
  gpu::Compiler compiler;
  auto device = options.device.open(compiler);
  if (!device) return complain(device.error());
  auto experiment = run_experiment(**device, **lesson, *values);
  if (!experiment) return complain(experiment.error());
  if (!experiment->outcome) return complain(*experiment);
  const Result<lessons::HostCode>& printed = python ? experiment->numba_code : experiment->host_code;
  if (!printed) return complain(printed.error());

  const lessons::HostCode& code = *printed;
  if (auto written = write_all(file, code); !written) return complain(written.error());
  std::string words = fmt::format("{}: the kernel and its host program. {} {}\n", options.file,
                                  python ? say("Run it with: python3") : say("Compile it with: nvcc -o program"), options.file);
  for (const lessons::InputFile& input : code.inputs) words += fmt::format("{}: an input that the program reads\n", input.name);
  const auto place = place_of_output(file);
  if (place && place->kind == OutputPlace::Kind::own_stream)
    write_err(words);  // the program itself stands in standard output
  else
    write_out(words);
  return exit_clean;
}

}  // namespace

void add_export(CLI::App& program, int& exit_code) {
  auto* const command =
      program.add_subcommand("export", say("a lesson's experiment as a program of its own, in CUDA C++ or Numba"));
  auto options = std::make_shared<ExportOptions>();
  options->choice.add_to(*command);
  options->device.add_to(*command);
  command->add_option("FILE", options->file, say("where to write it: FILE.cu for CUDA C++, FILE.py for Numba"))
      ->required()
      ->type_name("");
  command->footer(say(
      "\nThe file holds the kernel, the values in force and a main() that does what the lesson's host does. Inputs larger than 64 "
      "KiB\n"
      "are written beside it.\n"
      "\nExamples:\n"
      "  warpbook export 01 add.cu --set blocks=31 && nvcc -o add add.cu && ./add\n"
      "  warpbook export 05 race.py && NUMBA_ENABLE_CUDASIM=1 python3 race.py"));
  command->callback([options, &exit_code] { exit_code = write_program(*options); });
}

}  // namespace warpbook::app
