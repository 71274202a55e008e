#include "lessons/check.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/commands/check_all.h"
#include "app/commands/commands.h"
#include "app/commands/compiler_option.h"
#include "app/commands/exit_code.h"
#include "app/commands/junit.h"
#include "app/commands/launch_plan.h"
#include "app/commands/outputs.h"
#include "app/commands/report_text.h"
#include "app/commands/standard_streams.h"
#include "app/commands/whole_number.h"
#include "gpu/message.h"
#include "gpu/shown_text.h"
#include "lessons/element_words.h"
#include "lessons/fresh_case.h"

namespace warpbook::app {
namespace {

using Json = nlohmann::ordered_json;
using Case = lessons::CheckReport::Case;

struct CheckOptions {
  std::string exercise, file, junit;
  std::string all;  // a folder of answers; empty: one answer is checked
  std::size_t hints = 1;
  bool json = false;
  std::optional<std::uint64_t> seed;  // of the case that is made anew; empty: by the clock
};

Json number_of(const gpu::Scalar& scalar) {
  return values_json(scalar.type, std::as_bytes(std::span(&scalar.bits, 1)).first(gpu::size_of(scalar.type))).front();
}

Json place_json(const std::optional<gpu::Place>& place) {
  if (!place) return nullptr;
  return {{"block", to_json(place->block)}, {"thread", to_json(place->thread)}, {"line", place->line}};
}

/// The first few wrong elements. `writes`: null where it was not observed who wrote them.
Json wrong_json(const lessons::Checks::Wrong& wrong) {
  Json elements = Json::array();
  for (const lessons::Checks::Wrong::Element& each : wrong.first) {
    elements.push_back({{"index", each.index},
                        {"expected", number_of(each.expected)},
                        {"got", number_of(each.got)},
                        {"writes", each.writes ? Json(each.writes->count) : Json()},
                        {"last_writer", each.writes ? place_json(each.writes->last) : Json()}});
  }
  return elements;
}

Json shape_json(const Case& one, const gpu::Dim3& shape) { return one.launched ? to_json(shape) : Json(); }

Json case_json(const Case& one) {
  Json json{{"name", one.name},
            {"verdict", name_of(one.verdict)},
            {"message", one.message},
            {"hint", one.hints.empty() ? "" : one.hints.front()},
            {"hints", one.hints},
            {"grid", shape_json(one, one.grid)},
            {"block", shape_json(one, one.block)},
            {"shared_bytes", one.launched ? Json(one.shared_bytes) : Json()},
            {"status", one.launched ? Json(one.report.status) : Json()},
            {"findings", findings_json(one.report)},
            {"over", one.over ? Json{{"limit", one.over->limit},
                                     {"amount", one.over->amount},
                                     {"allowed", one.over->allowed},
                                     {"line", one.over->line}}
                              : Json()},
            {"first_wrong", nullptr},
            {"wrong_elements", Json::array()},
            {"stdout", one.report.output}};
  if (one.wrong) {
    const lessons::Checks::Wrong::Element& first = one.wrong->first.front();
    json["first_wrong"] = {{"argument", one.wrong->argument},       {"array", one.wrong->array},   {"index", first.index},
                           {"expected", number_of(first.expected)}, {"got", number_of(first.got)}, {"wrong", one.wrong->wrong},
                           {"elements", one.wrong->elements}};
    json["wrong_elements"] = wrong_json(*one.wrong);
  }
  return json;
}

/// A case as course platforms' test runners tell it: https://exercism.org/docs/building/tooling/test-runners/interface
Json test_json(const Case& one) {
  const bool passed = one.verdict == lessons::Checks::Verdict::passed;
  return {{"name", one.name},
          {"status", passed ? "pass" : "fail"},
          {"message", passed ? Json() : Json(one.message)},
          {"output", one.report.output.empty() ? Json() : Json(one.report.output)}};
}

void print_json(const lessons::Exercise& exercise, const CheckOptions& options, const lessons::CheckReport& report) {
  Json cases = Json::array(), diagnostics = Json::array();
  Json tests = Json::array();
  for (const Case& each : report.cases) {
    cases.push_back(case_json(each));
    tests.push_back(test_json(each));
  }
  if (report.compile_failure) {
    for (const gpu::Diagnostic& each : report.compile_failure->diagnostics) {
      diagnostics.push_back({{"file", each.file}, {"line", each.line}, {"column", each.column}, {"message", each.message}});
    }
  }
  print_out("{}\n", dump({{"version", 3},
                          {"status", report.compile_failure ? "error"
                                     : report.all_passed()  ? "pass"
                                                            : "fail"},
                          {"message", report.compile_failure ? Json(report.compile_failure->message) : Json()},
                          {"tests", tests},
                          {"seed", *options.seed},
                          {"exercise", exercise.id},
                          {"kind", name_of(exercise.kind)},
                          {"lesson", exercise.lesson->id},
                          {"file", options.file},
                          {"passed", report.all_passed()},
                          {"cases", cases},
                          {"diagnostics", diagnostics},
                          {"next", next_step(report)}}));
}

/// "             out[128]    is 0    should be 36.5    written by no thread", in columns.
void print_wrong(const lessons::Checks::Wrong& wrong) {
  std::vector<std::array<std::string, 4>> rows{{say("element"), say("is"), say("should be"), say("written by")}};
  for (const lessons::Checks::Wrong::Element& each : wrong.first) {
    rows.push_back({fmt::format("{}[{}]", wrong.array, each.index), lessons::text_of(each.got), lessons::text_of(each.expected),
                    lessons::writer_of(each)});
  }
  std::array<std::size_t, 3> widths{};
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (const auto& row : rows)
    print_out("             {:<{}}  {:>{}}  {:>{}}  {}\n", row[0], widths[0], row[1], widths[1], row[2], widths[2], row[3]);
}

/// How many steps of the hint there are still to ask for.
void print_more_hints(const lessons::CheckReport& report, std::size_t hints) {
  const std::size_t steps = hints_for(*report.first_failed()).size();
  if (steps <= hints) return;
  if (steps - hints == 1)
    print_out("{}\n", say("There is one more hint. --hints {next} tells it.", "next"_a = hints + 1));
  else
    print_out("{}\n", say("There are {hints} more hints. --hints {next} tells the next one.", "hints"_a = steps - hints,
                          "next"_a = hints + 1));
}

void print_text(const lessons::Exercise& exercise, const gpu::Source& source, const lessons::CheckReport& report,
                const CheckOptions& options) {
  const std::size_t hints = options.hints;
  print_out("{} ({}): {}\n\n", exercise.title, exercise.id, in_sentences(source.file));
  const std::string launched = report.program ? report.program->source.text : source.text;  // of `choose` the kernel that is given
  std::set<std::pair<std::string, std::uint32_t>> shown;                                    // lines of a file
  for (const Case& each : report.cases) {
    const bool passed = each.verdict == lessons::Checks::Verdict::passed;
    const std::string launch =
        each.launched ? fmt::format(", {}<<<{}, {}>>>", exercise.kernel, gpu::to_string(each.grid), gpu::to_string(each.block))
                      : "";
    print_out("  {}   {}{}\n", passed ? "passed" : "FAILED", each.name, launch);
    if (!passed) print_out("           {}\n", in_sentences(each.message));
    if (each.wrong && &each == report.first_failed()) print_wrong(*each.wrong);
    gpu::Place at;
    if (each.found) at = each.report.findings[*each.found].at;
    if (each.over) at = {.file = report.program ? report.program->source.file : source.file, .line = each.over->line};
    if (at.line > 0 && shown.emplace(at.file, at.line).second)
      print_out("{}", excerpt(SourceLines(launched, report.program->headers).of(at.file), at.line, at.column));
  }
  for (const Case& each : report.cases) {
    if (each.report.output.empty()) continue;
    print_out("\n{}\n{}{}", say("The kernel printed in “{case}”:", "case"_a = each.name), without_controls(each.report.output),
              each.report.output.ends_with('\n') ? "" : "\n");
    break;
  }
  const std::size_t all = report.cases.size();
  if (exercise.kind == lessons::ExerciseKind::kernel && all > exercise.cases.size())
    print_out("\n{}\n", say("The last case is another one at each check. --seed {seed} makes it again.", "seed"_a = *options.seed));
  if (report.all_passed())
    print_out("\n{}\n", say_many(all, "The case passes.", "All {n} cases pass.", "n"_a = all));
  else if (all == 1)
    print_out("\n{} {}\n", say("The case does not pass yet."), next_step(report, hints));
  else
    print_out(
        "\n{} {}\n",
        say_many(report.passed(), "{n} of {all} cases passes.", "{n} of {all} cases pass.", "n"_a = report.passed(), "all"_a = all),
        next_step(report, hints));
  if (!report.all_passed()) print_more_hints(report, hints);
}

int check(CheckOptions options) {
  if (!options.seed) options.seed = lessons::seed_by_the_clock();
  if (!options.all.empty() && options.exercise.empty())
    return check_all({.folder = options.all, .junit = options.junit, .json = options.json, .seed = *options.seed});
  if (!options.all.empty()) return complain(exit_usage, "--all checks a whole folder: name no exercise and no file beside it.");
  if (options.exercise.empty() || options.file.empty()) {
    return complain(
        exit_usage,
        say("check wants an exercise and a file with your answer, as in 'warpbook check square mine.cu', or --all and a "
            "folder with answers."));
  }
  const auto exercise = lessons::find_exercise(options.exercise);
  if (!exercise) return complain(exercise.error());
  const auto source = read_source(options.file);
  if (!source) return complain(source.error());
  const std::array outputs{Output{"--junit", options.junit, {".xml"}}};
  const std::array<std::filesystem::path, 1> inputs{options.file};
  if (auto good = check_outputs(outputs, inputs); !good) return complain(good.error());
  gpu::Compiler compiler;
  const auto device = gpu::make_virtual_device(compiler);
  if (!device) return complain(device.error());

  const auto report = lessons::check(**device, **exercise, *source, nullptr, options.seed);
  const auto written = write_junit(
      options.junit, std::array{report ? junit_suite(**exercise, *report) : junit_suite(**exercise, report.error().message)});
  if (!report) return complain(report.error());
  if (options.json) print_json(**exercise, options, *report);
  if (report->compile_failure) return complain(*report->compile_failure, source->text);
  if (!options.json) print_text(**exercise, *source, *report, options);
  if (!written) return complain(written.error());
  return report->all_passed() ? exit_clean : exit_finding;
}

}  // namespace

void add_check(CLI::App& program, int& exit_code) {
  auto* const command = program.add_subcommand("check", say("whether your kernel does what an exercise asks"));
  auto options = std::make_shared<CheckOptions>();
  command->add_option("EXERCISE", options->exercise, say("its name, as square or 01/square; 'warpbook list' has them"))
      ->type_name("");
  command
      ->add_option("FILE", options->file,
                   say("CUDA C++ with the kernel that the exercise launches; of a quiz or a choice the answers"))
      ->type_name("");
  command
      ->add_option("--all", options->all,
                   say("instead, every answer of a folder: files named after their exercises, as square.cu and "
                       "about_races.txt"))
      ->type_name("FOLDER");
  add_compiler_option(*command);
  command->add_flag("--json", options->json, say("one JSON object instead of text"));
  command
      ->add_option("--hints", options->hints,
                   say("how many steps of the hint are told, one unless said; each tells more than the last"))
      ->type_name("N")
      ->check(whole_number<std::size_t>());
  command
      ->add_option("--seed", options->seed,
                   say("makes the last case, which is another one at each check, as it was with this number"))
      ->type_name("N")
      ->check(whole_number<std::uint64_t>());
  command->add_option("--junit", options->junit, say("also write the cases as JUnit's XML, for graders and CI"))
      ->type_name("FILE.xml");
  command->footer(say(
      "\nThe kernel runs once for every case, on the virtual GPU, and is watched: the arrays must hold what they should, and "
      "there\n"
      "must be no race, no access out of bounds, no read of what nobody wrote, and no barrier that some threads miss.\n"
      "What to start from lies in lessons/NN_name/exercises/EXERCISE/start.cu, or start.txt where no kernel is to be written; then "
      "FILE\n"
      "has its answers. #include \"helper.h\" finds what lies in the\n"
      "folder of FILE.cu and below it.\n"
      "\n"
      "Exit codes: 0 all cases pass, 1 a case does not, 2 no such exercise, file or kernel, 3 it does not compile, 5 no compiler.\n"
      "\n"
      "Example:\n"
      "  warpbook check square mine.cu --junit square.xml\n"
      "  warpbook check --all handed_in --json"));
  command->callback([options, &exit_code] { exit_code = check(*options); });
}

}  // namespace warpbook::app
