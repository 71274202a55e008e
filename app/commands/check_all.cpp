#include "app/commands/check_all.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <utility>
#include <vector>

#include "app/commands/exit_code.h"
#include "app/commands/junit.h"
#include "app/commands/launch_plan.h"
#include "app/commands/outputs.h"
#include "app/commands/report_text.h"
#include "app/commands/standard_streams.h"
#include "gpu/message.h"
#include "gpu/output_file.h"
#include "gpu/shown_text.h"
#include "lessons/catalog.h"
#include "lessons/check.h"

namespace warpbook::app {
namespace {

namespace fs = std::filesystem;

/// What became of one exercise.
struct Checked {
  const lessons::Exercise* exercise = nullptr;
  std::string file;  // in the folder; empty: there is none
  enum class Status : std::uint8_t { missing, pass, fail, error } status = Status::missing;
  std::size_t passed = 0, cases = 0;
  std::string message;  // of the first case that failed, or why nothing was checked
  std::string suite;    // of JUnit
};
[[nodiscard]] std::string_view name_of(Checked::Status status) {
  constexpr std::string_view names[] = {"missing", "pass", "fail", "error"};
  return names[static_cast<std::size_t>(status)];
}

struct Folder {
  std::map<std::string, fs::path> answers;  // by the exercise's id
  std::vector<std::string> others;          // file names that are no exercise's
};

/// Whether a file of this ending can be the exercise's answer.
bool answers(const lessons::Exercise& exercise, const fs::path& file) {
  return file.extension() == lessons::start_file(exercise).extension();
}

Result<Folder> read_folder(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error))
    return failure("usage", say("there is no folder '{path}'. Is its path right?", "path"_a = path));
  Folder folder;
  for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error)) {
    const fs::path& file = it->path();
    std::error_code no_status;
    if ((file.extension() != ".cu" && file.extension() != ".txt") || it->is_directory(no_status)) continue;
    const auto exercise = lessons::find_exercise(file.stem().string());
    if (exercise && (*exercise)->id == file.stem() && answers(**exercise, file))
      folder.answers[(*exercise)->id] = file;
    else
      folder.others.push_back(file.filename().string());
  }
  if (error) return failure("usage", say("the folder '{path}' cannot be read: {why}.", "path"_a = path, "why"_a = error.message()));
  std::sort(folder.others.begin(), folder.others.end());
  return folder;
}

Checked check_one(gpu::Device& device, const lessons::Exercise& exercise, const fs::path& file, std::uint64_t seed) {
  Checked checked{.exercise = &exercise, .file = file.filename().string(), .message = {}, .suite = {}};
  checked.status = Checked::Status::error;
  const auto source = read_source(file.string());
  const auto report =
      source ? lessons::check(device, exercise, *source, nullptr, seed) : Result<lessons::CheckReport>(failure(source.error()));
  if (!report) {
    checked.message = report.error().message;
    checked.suite = junit_suite(exercise, checked.message);
    return checked;
  }
  checked.suite = junit_suite(exercise, *report);
  if (report->compile_failure) {
    checked.message = report->compile_failure->message;
    return checked;
  }
  checked.passed = report->passed();
  checked.cases = report->cases.size();
  checked.status = report->all_passed() ? Checked::Status::pass : Checked::Status::fail;
  if (!report->all_passed()) checked.message = report->first_failed()->message;
  return checked;
}

void print_all_as_json(const CheckAllOptions& options, const std::vector<Checked>& all, const std::vector<std::string>& others,
                       std::size_t passed, std::size_t handed_in) {
  using Json = nlohmann::ordered_json;
  Json exercises = Json::array();
  for (const Checked& each : all) {
    const bool checked = each.cases > 0;
    exercises.push_back({{"id", each.exercise->id},
                         {"lesson", each.exercise->lesson->id},
                         {"title", each.exercise->title},
                         {"file", each.file.empty() ? Json() : Json(each.file)},
                         {"status", name_of(each.status)},
                         {"cases", checked ? Json(each.cases) : Json()},
                         {"cases_passed", checked ? Json(each.passed) : Json()},
                         {"message", each.message.empty() ? Json() : Json(each.message)}});
  }
  print_out("{}\n", dump({{"version", 1},
                          {"folder", options.folder},
                          {"seed", options.seed},
                          {"status", passed == handed_in ? "pass" : "fail"},
                          {"passed", passed},
                          {"handed_in", handed_in},
                          {"of", all.size()},
                          {"exercises", exercises},
                          {"other_files", others}},
                         2));
}

void print_all_as_text(const CheckAllOptions& options, const std::vector<Checked>& all, const std::vector<std::string>& others,
                       std::size_t passed, std::size_t handed_in) {
  const lessons::Lesson* lesson = nullptr;
  for (const Checked& each : all) {
    if (each.status == Checked::Status::missing) continue;
    if (std::exchange(lesson, each.exercise->lesson) != each.exercise->lesson)
      print_out("{}{}  {}\n", lesson == all.front().exercise->lesson ? "" : "\n", lesson->number, lesson->title);
    const std::string_view verdict = each.status == Checked::Status::pass ? "passed" : "FAILED";
    const std::string cases = each.cases == 0
                                  ? std::string(say("not checked"))
                                  : say("{passed} of {cases} cases pass", "passed"_a = each.passed, "cases"_a = each.cases);
    print_out("  {}   {:<20} {}\n", verdict, each.exercise->id, cases);
    if (!each.message.empty()) print_out("           {}\n", in_sentences(each.message));
  }
  print_out("{}{} of {} answers pass. The course has {} exercises.\n", handed_in > 0 ? "\n" : "", passed, handed_in, all.size());
  for (const std::string& other : others)
    print_out("{} is named after no exercise, or has another ending than its answers: it was not checked.\n", in_sentences(other));
  if (passed < handed_in) print_out("'warpbook check EXERCISE FILE' tells more of one of them, with hints.\n");
  if (handed_in > 0)
    print_out("The last case of each kernel is another one at each check. --seed {} makes them again.\n", options.seed);
}

}  // namespace

Result<void> write_junit(const std::string& file, std::span<const std::string> suites) {
  if (file.empty()) return {};
  return write_file(file, junit_xml(suites));
}

int check_all(const CheckAllOptions& options) {
  const auto& exercises = lessons::all_exercises();
  if (!exercises) return complain(exercises.error());
  const auto folder = read_folder(options.folder);
  if (!folder) return complain(folder.error());
  if (folder->answers.empty()) {
    return complain(exit_usage,
                    say("no file in '{folder}' is named after an exercise, as square.cu is. 'warpbook list' has their names.",
                        "folder"_a = options.folder));
  }
  std::vector<fs::path> inputs;
  for (const auto& [id, file] : folder->answers) inputs.push_back(file);
  const std::array outputs{Output{"--junit", options.junit, {".xml"}}};
  if (auto good = check_outputs(outputs, inputs); !good) return complain(good.error());
  gpu::Compiler compiler;
  const auto device = gpu::make_virtual_device(compiler);
  if (!device) return complain(device.error());

  std::vector<Checked> all;
  std::vector<std::string> suites;
  std::size_t passed = 0;
  for (const lessons::Exercise& exercise : *exercises) {
    const auto answer = folder->answers.find(exercise.id);
    if (answer == folder->answers.end()) {
      all.push_back({.exercise = &exercise, .file = {}, .message = {}, .suite = {}});
      continue;
    }
    all.push_back(check_one(**device, exercise, answer->second, options.seed));
    suites.push_back(all.back().suite);
    passed += all.back().status == Checked::Status::pass ? 1 : 0;
  }
  const auto print = options.json ? &print_all_as_json : &print_all_as_text;
  print(options, all, folder->others, passed, suites.size());
  if (const auto written = write_junit(options.junit, suites); !written) return complain(written.error());
  return passed == suites.size() ? exit_clean : exit_finding;
}

}  // namespace warpbook::app
