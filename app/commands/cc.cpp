#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/App.hpp>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/commands/cc_advice.h"
#include "app/commands/cc_words.h"
#include "app/commands/child_process.h"
#include "app/commands/commands.h"
#include "app/commands/exit_code.h"
#include "app/commands/launch_brackets.h"
#include "app/commands/run_folder.h"
#include "app/commands/standard_streams.h"
#include "gpu/clang/headers.h"
#include "gpu/demangle.h"
#include "gpu/input_file.h"
#include "gpu/message.h"
#include "gpu/output_file.h"
#include "gpu/program/fat_binary_layout.h"

namespace warpbook::app {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t longest_ptx = std::uintmax_t{1} << 30;

/// One run of cc.
class Cc {
 public:
  Cc(CcPlan plan, CcTools tools) : plan_(std::move(plan)), tools_(std::move(tools)) {}

  int make() {
    if (folder_.path.empty()) return complain(exit_missing, no_folder_sentence(errno));
    tools_.headers = in_folder("include");
    for (const auto& header : gpu::clang_headers()) {
      const fs::path file = fs::path(tools_.headers) / header.name;
      std::error_code ignored;
      fs::create_directories(file.parent_path(), ignored);
      if (auto written = write_file(file.string(), header.text); !written) return complain(written.error());
    }
    std::vector<std::string> objects;
    for (const CcInput& input : plan_.inputs) {
      if (input.kind == CcInput::Kind::object) {
        objects.push_back(input.file);
        continue;
      }
      objects.push_back(plan_.goal == CcPlan::Goal::program ? in_folder(fmt::format("{}.o", objects.size()))
                                                            : cc_output(plan_, input));
      if (const int failed = compile(input, objects.back()); failed != 0) return failed;
    }
    if (plan_.goal != CcPlan::Goal::program) return exit_clean;
    const int failed = ended(run_child(link_command(plan_, tools_, objects)));
    if (failed == exit_compile_error && !plan_.left_out.empty())
      return complain(failed, say("the program asks for {libraries}, which belongs to the CUDA Toolkit, and cc works without the "
                                  "toolkit. If it calls that library, compile it with 'warpbook nvcc'.",
                                  "libraries"_a = fmt::format("{}", fmt::join(plan_.left_out, ", "))));
    return failed;
  }

 private:
  [[nodiscard]] std::string in_folder(const std::string& name) const { return (folder_.path / name).string(); }

  /// clang has said what is wrong.
  static int ended(const Result<int>& exit_code) {
    if (!exit_code) return complain(exit_code.error());
    return *exit_code == 0 ? exit_clean : exit_compile_error;
  }

  /// Of the source and what it includes: what nvcc accepts and clang does not is read in clang's spelling (launch_brackets.h).
  Result<void> replace_texts(const std::string& source) {
    tools_.overlay.clear();
    std::vector<std::string> folders;
    for (const std::string& word : plan_.common)
      if (word.starts_with("-I")) folders.push_back(word.substr(2));
    nlohmann::json files = nlohmann::json::array();
    for (const Replacement& file : texts_for_clang(source, folders)) {
      const std::string copy = in_folder(fmt::format("replaced{}.cu", files.size()));
      if (auto written = write_file(copy, file.text); !written) return failure(written.error());
      files.push_back({{"type", "file"}, {"name", file.path}, {"external-contents", copy}});
    }
    if (files.empty()) return {};
    tools_.overlay = in_folder("overlay.json");
    return write_file(tools_.overlay, nlohmann::json{{"version", 0}, {"use-external-names", false}, {"roots", files}}.dump());
  }

  int compile_kernels(const std::string& source, const std::string& ptx_file) {
    std::vector<std::string> words = ptx_command(plan_, tools_, source, ptx_file);
    if (isatty(STDERR_FILENO) != 0) words.emplace_back("-fcolor-diagnostics");  // clang writes into a file
    const std::string errors = in_folder("errors.txt");
    const int failed = ended(run_child(std::move(words), errors));
    if (const auto said = read_input(errors)) {
      write_err(*said);
      for (const std::string& sentence : cc_advice(*said)) print_err("warpbook: {}: {}\n", source, sentence);
    }
    return failed;
  }

  int compile(const CcInput& input, const std::string& output) {
    if (access(input.file.c_str(), R_OK) != 0)
      return complain(exit_usage, say("{file} could not be read: {why}.", "file"_a = input.file, "why"_a = std::strerror(errno)));
    const bool only_ptx = plan_.goal == CcPlan::Goal::ptx;
    const std::string ptx_file = only_ptx ? output : in_folder("kernels.ptx"), fat_file = in_folder("kernels.fatbin");
    if (input.kind == CcInput::Kind::cuda) {
      if (auto replaced = replace_texts(input.file); !replaced) return complain(replaced.error());
      if (const int failed = compile_kernels(input.file, ptx_file); failed != 0 || only_ptx) return failed;
      auto ptx = read_input(ptx_file, longest_ptx);
      if (!ptx) return complain(ptx.error());
      for (const std::string& sentence : cc_warnings(*ptx)) print_err("warpbook: {}: {}\n", input.file, sentence);
      *ptx = with_pure_virtual(std::move(*ptx));
      if (const std::string_view name = defined_elsewhere(*ptx); !name.empty())
        return complain(exit_compile_error,
                        say("{file}: its kernels use {name}, which is defined in another file. cc compiles the kernels of each "
                            "file on their own: put the definition into a header that this file includes.",
                            "file"_a = input.file, "name"_a = gpu::demangled(std::string(name)).value_or(std::string(name))));
      const auto architecture = static_cast<std::uint32_t>(plan_.architecture);
      const bool only_fat = plan_.goal == CcPlan::Goal::fat_binary;
      if (auto written = write_file(only_fat ? output : fat_file, fat_binary(*ptx, architecture)); !written)
        return complain(written.error());
      if (only_fat) return exit_clean;
    }
    return ended(run_child(object_command(plan_, tools_, input, fat_file, output)));
  }

  const CcPlan plan_;
  CcTools tools_;
  const RunFolder folder_{"warpbook-cc"};
};

int cc(const std::vector<std::string>& words) {
  auto plan = cc_plan(words);
  if (!plan) return complain(plan.error());
  auto clang = gpu::find_clang();
  if (!clang) return complain(exit_missing, "clang 16 or newer was not found. " + gpu::clang_advice());
  const auto runtime = runtime_folder();
  if (!runtime) return complain(runtime.error());
  CcTools tools{
      .clang = std::move(*clang), .headers = {}, .runtime_folder = runtime->string(), .gcc = {}, .gxx = {}, .overlay = {}};
  find_gcc(tools);
  return Cc(std::move(*plan), std::move(tools)).make();
}

}  // namespace

void add_cc(CLI::App& program, int& exit_code) {
  auto* const command = program.add_subcommand(
      "cc", say("compiles a whole CUDA program with clang, without NVIDIA's toolkit, for 'warpbook exec'; takes nvcc's options"));
  command->set_help_flag("--help", say("this text"));
  command->allow_extras();
  command->footer(
      say("\n  warpbook cc -O3 -o heat heat.cu\n"
          "  warpbook exec -- ./heat\n"
          "  make NVCC=\"warpbook cc\"\n"
          "\nWhat is not there: the toolkit's libraries (Thrust, CUB for the whole device and so on; cuBLAS's common calls are), "
          "__managed__ variables, and "
          "kernels that use what another file defines."));
  command->callback([command, &exit_code] { exit_code = cc(command->remaining()); });
}

}  // namespace warpbook::app
