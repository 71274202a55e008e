// Every lesson with its own settings and with every preset, on both devices. What is compared, and how, stands in `rules`: a number
// that is not named there is a time, a model's figure or something that only the virtual GPU observes.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <optional>

#include "lessons/catalog.h"
#include "lessons/host.h"
#include "lessons/run.h"
#include "tests/gpu_check/sections.h"

namespace warpbook::gpu_check {
namespace {

using lessons::Lesson;
using lessons::Outcome;
using lessons::Values;

struct Rule {
  std::string number;               // its name; "bin_*": all that begin so
  double tolerance = 0;             // how far both devices' may lie apart
  std::optional<double> low, high;  // instead: the GPU's must lie between
};

struct LessonRules {
  std::string number;  // "07"
  std::vector<Rule> correct;
  /// The settings under which a lesson races, and what then may come out.
  std::function<bool(const Values&)> races;
  std::vector<Rule> racing;
};

const std::vector<LessonRules>& rules() {
  static const std::vector<LessonRules> all = {
      {"01",
       {{"written"}, {"untouched"}, {"wrong"}, {"threads_launched"}},
       [](const Values& v) { return !v.on("guard"); },  // writes past the end: what lies there is anybody's
       {{"written"}, {"untouched"}, {"threads_launched"}}},
      {"02",
       {{"written"}, {"unwritten"}, {"blocks_launched"}, {"threads_launched"}, {"warp_1_row"}},
       [](const Values&) { return false; },
       {}},
      {"04", {{"computed"}, {"missing"}, {"wrong"}, {"worst_error", 0, 0, 1e-4}}, [](const Values&) { return false; }, {}},
      {"05",
       {{"expected"}, {"got"}, {"lost"}, {"warps"}},
       [](const Values& v) { return !v.on("atomic"); },
       {{"expected"}, {"warps"}, {"least", 0, 1, {}}, {"lost", 0, 0, {}}}},
      {"07",
       {{"counted"}, {"missing"}, {"outside"}, {"wrong_bins"}, {"bin_*"}, {"reference_*"}},
       [](const Values& v) { return v.integer("atomics") == 0; },
       {{"outside"}, {"reference_*"}, {"counted", 0, 1, {}}, {"missing", 0, 0, {}}}},
      {"08",
       {{"wrong"}, {"largest_error", 1e-4}},
       [](const Values& v) { return v.integer("version") < 3; },  // threads add before the output is set to zero
       {{"largest_error", 0, 0, {}}}},
      {"09", {{"a40_occupancy"}, {"blocks"}, {"wrong"}}, [](const Values&) { return false; }, {}},
      {"10", {{"wrong"}}, [](const Values&) { return false; }, {}},
      {"11", {{"wrong"}, {"sum", 0.1}}, [](const Values&) { return false; }, {}},
      {"06",
       {{"steps"},
        {"sum_before"},
        {"sum_lost", 0.5},
        {"wrong_cells"},
        {"max_error", 0, 0, 1e-5},
        {"blown_up"},
        {"checkerboard", 1e-3}},
       [](const Values& v) { return v.integer("kernel") == 0 && (!v.on("sync") || v.integer("update") == 0); },
       {{"steps"}, {"sum_before"}}},
      {"12",
       {{"exact_sum"}, {"cpu_sum"}, {"gpu_sum", 1e-3}, {"gpu_error", 0, 0, 1e-3}, {"of_limit", 0, 0, 100}},
       [](const Values&) { return false; },
       {}},
      {"13",
       {{"lane_20"}, {"holders"}, {"wrong"}, {"sum"}, {"any"}, {"all"}, {"ballot"}},
       [](const Values& v) { return v.integer("absent") == 1; },  // what comes from a lane that has left is anybody's
       {{"lane_20"}, {"sum"}}},
      {"14", {{"wrong"}}, [](const Values&) { return false; }, {}},
      {"15", {{"wrong"}}, [](const Values&) { return false; }, {}},
      {"16", {{"wrong"}, {"sum", 5}}, [](const Values&) { return false; }, {}},
      {"17",
       {{"wrong"}, {"should_be", 1e-3}, {"first_sum", 0.05}, {"times_right", 1e-4}, {"fewer_operations"}},
       [](const Values& v) {
         return v.integer("version") == 1 && !v.on("less");
       },  // may read outside: what lies there is anybody's
       {{"should_be", 1e-3}, {"fewer_operations"}}},
      {"18", {{"wrong"}, {"late"}, {"largest_error", 0, 0, 2e-5}}, [](const Values&) { return false; }, {}},
      {"19", {{"wrong"}, {"not_told"}, {"gtx_850m"}}, [](const Values&) { return false; }, {}},
      {"20",
       {{"first_sum"}, {"second_sum"}, {"should_be"}},
       [](const Values& v) { return v.integer("version") != 2 && v.integer("version") != 5; },  // sums that need not be seen
       {{"should_be"}, {"first_sum", 0, 0, {}}, {"second_sum", 0, 0, {}}}},
      {"",  // the playground
       {{"threads"}, {"steps_changed"}, {"steps_least"}, {"steps_most"}, {"steps_mean", 1e-2}},
       [](const Values&) { return false; },
       {}},
  };
  return all;
}

Result<Outcome> run(gpu::Device& device, const Lesson& lesson, const Values& values) {
  auto text = lessons::kernel_text(lesson);
  if (!text) return failure(text.error());
  lessons::Host host(device, {.kernel_file = lesson.kernel_file, .kernel_text = *text, .defines = {}, .job = nullptr});
  auto outcome = lessons::run_lesson(lesson, host, values, nullptr);
  if (outcome && !outcome->report.ok()) return failure(outcome->report.status, say(outcome->report.message));
  return outcome;
}

std::map<std::string, double> numbers_of(const Outcome& outcome) {
  std::map<std::string, double> numbers;
  for (const lessons::Number& number : outcome.numbers) numbers[number.name] = number.value;
  return numbers;
}

bool matches(const Rule& rule, const std::string& name) {
  return rule.number.ends_with('*') ? name.starts_with(rule.number.substr(0, rule.number.size() - 1)) : name == rule.number;
}

std::string compare(const std::vector<Rule>& wanted, const Outcome& gpu, const Outcome& reference, std::size_t& compared) {
  const auto right = numbers_of(reference);
  for (const auto& [name, value] : numbers_of(gpu)) {
    for (const Rule& rule : wanted) {
      if (!matches(rule, name)) continue;
      ++compared;
      if (rule.low || rule.high) {
        if ((rule.low && !(value >= *rule.low)) || (rule.high && !(value <= *rule.high)))
          return fmt::format("{} is {:.9g}, outside of what is possible", name, value);
      } else if (const auto other = right.find(name);
                 other == right.end() || !(std::abs(value - other->second) <= rule.tolerance)) {
        return fmt::format("{} is {:.9g}, on the virtual GPU {:.9g}", name, value, other == right.end() ? NAN : other->second);
      }
    }
  }
  if (compared == 0 && !wanted.empty()) return "no number of it was there to be compared";
  return {};
}

/// What a GPU cannot observe must be said to be not observed.
std::string claims_too_much(const gpu::LaunchReport& report) {
  for (std::size_t kind = 0; kind < gpu::finding_kinds; ++kind) {
    if (report.observed.of[kind] != gpu::Observation::not_observed)
      return fmt::format("it claims to have looked for {}", gpu::name_of(static_cast<gpu::FindingKind>(kind)));
  }
  return {};
}

}  // namespace

void check_lessons(const Bench& bench, Report& report) {
  report.section("Every lesson on both devices");
  for (const Lesson* lesson : lessons::all_lessons()) {
    if (lesson->watched) continue;  // the virtual GPU's, whatever device is chosen
    const LessonRules* found = nullptr;
    for (const LessonRules& candidate : rules()) {
      if (candidate.number == lesson->number) found = &candidate;
    }
    std::vector<std::pair<std::string, Values>> settings = {{"as it opens", Values::defaults(lesson->controls)}};
    for (const lessons::Preset& preset : lesson->presets) {
      Values values = Values::defaults(lesson->controls);
      for (const auto& [id, value] : preset.values) values.set(id, value);
      settings.emplace_back(in_english(preset.label), values);
    }
    for (const auto& [label, values] : settings) {
      const std::string name = fmt::format("{} {}, {}", lesson->number, lesson->title, label);
      const auto gpu = run(bench.gpu, *lesson, values);
      const auto reference = run(bench.reference, *lesson, values);
      if (!gpu) {
        const bool both = !reference && reference.error().code == gpu.error().code;
        report.check(name, both, both ? "both refuse it: " + gpu.error().code : gpu.error().code + ": " + gpu.error().message);
        continue;
      }
      if (!reference) {
        report.check(name, false, "virtual GPU: " + reference.error().message);
        continue;
      }
      std::string wrong = bench.cuda != nullptr ? claims_too_much(gpu->report) : std::string();
      std::size_t compared = 0;
      const bool races = found != nullptr && found->races(values);
      if (wrong.empty() && found != nullptr) wrong = compare(races ? found->racing : found->correct, *gpu, *reference, compared);
      const std::string detail = found == nullptr ? "it ran; no rule in tests/gpu_check/lessons.cpp says what to compare"
                                                  : fmt::format("{} numbers {}", compared, races ? "in their range" : "agree");
      report.check(name, wrong.empty(), wrong.empty() ? detail : wrong);
    }
  }
}

}  // namespace warpbook::gpu_check
