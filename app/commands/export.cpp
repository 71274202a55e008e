#include <fmt/format.h>

#include <CLI/App.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <string>

#include "app/commands/commands.h"
#include "app/commands/device_choice.h"
#include "app/commands/exit_code.h"
#include "app/commands/lesson_choice.h"
#include "app/commands/page_picture.h"

namespace warpbook::app {
namespace {

struct ExportOptions {
  LessonChoice choice;
  DeviceChoice device;
  std::string file;
};

bool write(const std::filesystem::path& file, std::span<const char> bytes) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  return static_cast<bool>(out);
}

int write_program(ExportOptions& options) {
  const std::filesystem::path file = options.file;
  const bool python = file.extension() == ".py";
  if (!python && file.extension() != ".cu") {
    return complain(exit_usage, fmt::format("'{}' ends with neither .cu (CUDA C++) nor .py (Numba), which are what is written.",
                                            options.file));
  }
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
  bool written = write(file, code.text);
  for (const lessons::InputFile& input : code.inputs) {
    const auto* const bytes = reinterpret_cast<const char*>(input.bytes->data());
    written = written && write(file.parent_path() / input.name, {bytes, input.bytes->size()});
  }
  if (!written)
    return complain(exit_usage, fmt::format("Could not write {}: does its folder exist, and may you write there?", options.file));
  fmt::print("{}: the kernel and its host program. {} {}\n", options.file,
             python ? "Run it with: python3" : "Compile it with: nvcc -o program", options.file);
  for (const lessons::InputFile& input : code.inputs) fmt::print("{}: an input that the program reads\n", input.name);
  return exit_clean;
}

}  // namespace

void add_export(CLI::App& program, int& exit_code) {
  auto* const command = program.add_subcommand("export", "a lesson's experiment as a program of its own, in CUDA C++ or Numba");
  auto options = std::make_shared<ExportOptions>();
  options->choice.add_to(*command);
  options->device.add_to(*command);
  command->add_option("FILE", options->file, "where to write it: FILE.cu for CUDA C++, FILE.py for Numba")->required()->type_name("");
  command->footer(
      "\nThe file holds the kernel, the values in force and a main() that does what the lesson's host does. Inputs larger than 64 KiB\n"
      "are written beside it.\n"
      "\nExamples:\n"
      "  warpbook export 01 add.cu --set blocks=31 && nvcc -o add add.cu && ./add\n"
      "  warpbook export 05 race.py && NUMBA_ENABLE_CUDASIM=1 python3 race.py");
  command->callback([options, &exit_code] { exit_code = write_program(*options); });
}

}  // namespace warpbook::app
