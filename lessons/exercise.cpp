#include "lessons/exercise.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "gpu/finding_kinds.h"
#include "lessons/answer_keys.h"
#include "lessons/catalog.h"
#include "lessons/check.h"

namespace warpbook::lessons {
namespace {

namespace fs = std::filesystem;

/// The file's name in messages: "01_first_kernel/exercises/square/task.toml".
std::string called(const fs::path& file) { return file.lexically_relative(data_directory() / "lessons").string(); }

/// Reads a task.toml. The first error is kept with its line; values read after it have no meaning.
class Task {
 public:
  explicit Task(fs::path file) : file_(std::move(file)) {}

  void wrong(const toml::source_region& where, std::string_view what) {
    if (!problem_) problem_ = Error{"bad_task", fmt::format("{}, line {}: {}", called(file_), where.begin.line, what)};
  }
  void wrong(const toml::node& node, std::string_view what) { wrong(node.source(), what); }
  [[nodiscard]] const std::optional<Error>& problem() const { return problem_; }

  void only(const toml::table& table, std::initializer_list<std::string_view> keys) {
    for (const auto& [key, node] : table) {
      if (std::find(keys.begin(), keys.end(), key.str()) != keys.end()) continue;
      std::string known;
      for (const std::string_view each : keys) known += fmt::format("{}{}", known.empty() ? "" : ", ", each);
      wrong(node, fmt::format("'{}' means nothing here. What may stand here: {}.", key.str(), known));
    }
  }

  std::string words(const toml::table& table, std::string_view key, bool may_lack = false) {
    const toml::node* const node = table.get(key);
    if (node == nullptr) {
      if (!may_lack) wrong(table, fmt::format("{} is missing: {} = \"…\".", key, key));
      return {};
    }
    const auto text = node->value_exact<std::string>();
    if (!text || text->empty()) wrong(*node, fmt::format("{} is words in quotes: {} = \"…\".", key, key));
    return text.value_or(std::string());
  }

  double share(const toml::table& table, std::string_view key) {
    const toml::node* const node = table.get(key);
    if (node == nullptr) return 0;
    const auto number = node->value<double>();
    if (!number || !(*number >= 0 && *number < 1)) wrong(*node, fmt::format("{} is a number from 0 to less than 1.", key));
    return number.value_or(0);
  }

  /// The time limit of a launch, at most the default.
  double seconds(const toml::table& table, std::string_view key) {
    const toml::node* const node = table.get(key);
    if (node == nullptr) return case_seconds;
    const auto number = node->value<double>();
    if (!number || !(*number > 0 && *number <= case_seconds))
      wrong(*node, fmt::format("{} is a number above 0 and up to {}.", key, case_seconds));
    return number.value_or(case_seconds);
  }

  std::uint32_t count(const toml::node& node, std::string_view key, std::int64_t least) {
    const auto number = node.value_exact<std::int64_t>();
    if (!number || *number < least || *number > std::numeric_limits<std::int32_t>::max()) {
      wrong(node, fmt::format("{} takes whole numbers from {} on.", key, least));
      return 1;
    }
    return static_cast<std::uint32_t>(*number);
  }

  /// A name that the learner gives a value counts as 1 at first.
  std::uint32_t count_or_name(const toml::node& node, std::string_view key, std::int64_t least, ExerciseKind kind) {
    return kind == ExerciseKind::choose && node.is_string() ? 1 : count(node, key, least);
  }

  gpu::Dim3 shape(const toml::table& table, std::string_view key, ExerciseKind kind) {
    const toml::node* const node = table.get(key);
    const toml::array* const extents = node == nullptr ? nullptr : node->as_array();
    if (extents == nullptr || extents->empty() || extents->size() > 3) {
      const std::string example = fmt::format("{} = [32], or [8, 8] or [4, 4, 2]", key);
      if (node == nullptr) wrong(table, fmt::format("{} is missing: {}.", key, example));
      if (node != nullptr) wrong(*node, fmt::format("{} has one to three numbers: {}.", key, example));
      return {};
    }
    std::array<std::uint32_t, 3> along{1, 1, 1};
    for (std::size_t i = 0; i < extents->size(); ++i) along[i] = count_or_name((*extents)[i], key, 1, kind);
    return {along[0], along[1], along[2]};
  }

  std::vector<gpu::FindingKind> kinds(const toml::table& table, std::string_view key) {
    std::vector<gpu::FindingKind> kinds;
    const toml::node* const node = table.get(key);
    if (node == nullptr) return kinds;
    if (!node->is_array()) wrong(*node, fmt::format("{} is a list: {} = [\"divergence\"].", key, key));
    if (!node->is_array()) return kinds;
    for (const toml::node& each : *node->as_array()) {
      const std::string name = each.value_exact<std::string>().value_or(std::string());
      const auto found = gpu::finding_kind(name);
      if (!found) wrong(each, fmt::format("'{}' is no kind of finding. There are {}.", name, gpu::finding_names()));
      if (found) kinds.push_back(*found);
    }
    return kinds;
  }

  std::vector<ArgumentSpec> arguments(const toml::table& table, std::string_view key) {
    std::vector<ArgumentSpec> specs;
    const toml::node* const node = table.get(key);
    const toml::array* const list = node == nullptr ? nullptr : node->as_array();
    if (list == nullptr) {
      wrong(
          node == nullptr ? static_cast<const toml::node&>(table) : *node,
          fmt::format("{} is a list, one for each parameter of the kernel: {} = [\"float32[64]=zeros\", \"int32=64\"].", key, key));
      return specs;
    }
    for (const toml::node& each : *list) {
      auto spec = parse_argument_spec(each.value_exact<std::string>().value_or(std::string()));
      if (!spec) wrong(each, spec.error().message);
      if (spec) specs.push_back(std::move(*spec));
    }
    return specs;
  }

  Limits limits(const toml::table& table, std::string_view key) {
    Limits limits;
    const toml::node* const node = table.get(key);
    if (node == nullptr) return limits;
    if (!node->is_table()) wrong(*node, fmt::format("{} is a table: a line [{}], and below it lines like time = 1.2.", key, key));
    if (!node->is_table()) return limits;
    for (const auto& [name, each] : *node->as_table()) {
      if (name.str() == "profile") {
        limits.profile = words(*node->as_table(), "profile");
        continue;
      }
      const auto which = limit_named(name.str());
      const auto most = each.value<double>();
      if (!which) wrong(each, fmt::format("'{}' is no limit. Those that there are stand in limits.h.", name.str()));
      if (!most || !(*most >= 0)) wrong(each, fmt::format("{} is a number from 0 on.", name.str()));
      if (which && most) limits[*which] = *most;
    }
    return limits;
  }

  /// A string, a list of steps, or tables [[hint]] with conditions.
  std::vector<Hint> hints(const toml::table& table, std::string_view key) {
    const toml::node* const node = table.get(key);
    if (node == nullptr) return {};
    if (!node->is_array_of_tables()) return {Hint{.steps = steps(table, key)}};
    std::vector<Hint> hints;
    for (const toml::node& each : *node->as_array()) {
      Hint next = hint(*each.as_table());
      if (std::ranges::any_of(hints, [&](const Hint& before) { return hides(before, next); }))
        wrong(each, "this hint is never shown: one before it is for all that it is for. Put it in front of that one.");
      hints.push_back(std::move(next));
    }
    return hints;
  }

 private:
  std::vector<std::string> steps(const toml::table& table, std::string_view key) {
    const toml::node& node = *table.get(key);
    std::vector<std::string> steps;
    const auto add = [&](const toml::node& one) {
      const auto text = one.value_exact<std::string>();
      if (!text || text->empty())
        wrong(one, fmt::format("{} is words in quotes, or a list of them: {} = [\"…\", \"…\"].", key, key));
      steps.push_back(text.value_or(std::string()));
      if (const std::string place = unknown_place(steps.back()); !place.empty())
        wrong(one,
              fmt::format("{{{}}} means nothing here. What is filled in: {{line}}, {{element}}, {{expected}}, {{got}}.", place));
    };
    if (!node.is_array()) add(node);
    if (!node.is_array()) return steps;
    for (const toml::node& each : *node.as_array()) add(each);
    if (steps.empty()) wrong(node, fmt::format("{} has no step: {} = [\"…\", \"…\"].", key, key));
    return steps;
  }

  Hint hint(const toml::table& table) {
    only(table, {"when", "space", "same_block", "element", "wrong", "steps"});
    Hint hint{.steps = {}, .when = words(table, "when", true), .space = words(table, "space", true)};
    if (!hint.when.empty() && !is_failure(hint.when))
      wrong(*table.get("when"), fmt::format("'{}' is no failure. They are {}.", hint.when, failures()));
    if (table.contains("steps"))
      hint.steps = steps(table, "steps");
    else
      wrong(table, "steps is missing: steps = [\"…\", \"…\"].");
    if (const toml::node* const node = table.get("same_block")) {
      hint.same_block = node->value_exact<bool>();
      if (!hint.same_block) wrong(*node, "same_block is true or false.");
    }
    if (const toml::node* const node = table.get("element")) hint.element = count(*node, "element", 0);
    if (const toml::node* const node = table.get("wrong")) {
      hint.all_wrong = node->value_exact<std::string>() == "all";
      if (!hint.all_wrong) hint.wrong = count(*node, "wrong", 1);
    }
    return hint;
  }

  fs::path file_;
  std::optional<Error> problem_;
};

Exercise::Case read_case(Task& task, const toml::table& table, ExerciseKind kind) {
  task.only(table, {"name", "grid", "block", "shared", "arguments", "hint"});
  const toml::node* const shared = table.get("shared");
  return {.name = task.words(table, "name"),
          .grid = task.shape(table, "grid", kind),
          .block = task.shape(table, "block", kind),
          .shared_bytes = shared == nullptr ? 0 : task.count_or_name(*shared, "shared", 0, kind),
          .arguments = task.arguments(table, "arguments"),
          .hints = task.hints(table, "hint"),
          .names = kind == ExerciseKind::choose
                       ? read_launch_names(table, [&](const toml::node& at, std::string_view what) { task.wrong(at, what); })
                       : LaunchNames()};
}

/// Reads a mark or a quiz, which have neither kernel nor cases.
Exercise read_answered_task(Task& task, const toml::table& table, ExerciseKind kind) {
  if (kind == ExerciseKind::quiz)
    task.only(table, {"kind", "title", "hint", "question"});
  else
    task.only(table, {"kind", "title", "hint", "answer", "wrong"});
  Exercise exercise{.title = task.words(table, "title"), .hints = task.hints(table, "hint"), .kind = kind};
  read_answer_keys(table, exercise, [&](const toml::node& at, std::string_view what) { task.wrong(at, what); });
  return exercise;
}

Exercise read_task(Task& task, const toml::table& table) {
  const ExerciseKind kind = read_kind(table, [&](const toml::node& at, std::string_view what) { task.wrong(at, what); });
  if (kind == ExerciseKind::mark || kind == ExerciseKind::quiz) return read_answered_task(task, table, kind);
  task.only(table, {"kind", "title", "kernel", "tolerance", "also", "orders", "by_registers", "seconds", "limits", "hint", "case"});
  Exercise exercise{.title = task.words(table, "title"),
                    .kernel = task.words(table, "kernel"),
                    .tolerance = task.share(table, "tolerance"),
                    .seconds = task.seconds(table, "seconds"),
                    .forbidden = {gpu::FindingKind::memory, gpu::FindingKind::race, gpu::FindingKind::init, gpu::FindingKind::sync},
                    .kind = kind};
  for (const gpu::FindingKind also : task.kinds(table, "also")) exercise.forbidden.push_back(also);
  if (const toml::node* const node = table.get("orders")) exercise.orders = task.count(*node, "orders", 1);
  if (const toml::node* const node = table.get("by_registers")) {
    if (node->is_boolean())
      exercise.by_registers = node->as_boolean()->get();
    else
      task.wrong(*node, "by_registers is true or false.");
  }
  exercise.hints = task.hints(table, "hint");
  exercise.limits = task.limits(table, "limits");
  if (kind == ExerciseKind::choose && exercise.limits[Limit::sectors_of_start])
    task.wrong(*table.get("limits"), "sectors_of_start compares kernels, and a learner who chooses a launch writes none.");
  const toml::node* const cases = table.get("case");
  if (cases == nullptr || !cases->is_array_of_tables()) {
    task.wrong(cases == nullptr ? static_cast<const toml::node&>(table) : *cases,
               "it has no case: each begins with a line [[case]] and has a name, grid, block and arguments.");
    return exercise;
  }
  std::set<std::string> names;
  for (const toml::node& node : *cases->as_array()) {
    exercise.cases.push_back(read_case(task, *node.as_table(), kind));
    if (!names.insert(exercise.cases.back().name).second) task.wrong(node, "another case has this name already.");
  }
  const bool asks = std::any_of(exercise.cases.begin(), exercise.cases.end(), [](const Exercise::Case& one) {
    return !one.names.shared.empty() || fmt::format("{}{}", fmt::join(one.names.grid, ""), fmt::join(one.names.block, "")) != "";
  });
  if (kind == ExerciseKind::choose && !asks)
    task.wrong(table,
               "nothing is to be chosen: a case has a name in its grid, its block or its shared bytes, as grid = [\"blocks\"].");
  return exercise;
}

Lesson lesson_of(const Exercise& exercise) {
  return {.id = exercise.lesson->id + "/" + exercise.id,
          .number = exercise.lesson->number,
          .title = exercise.title,
          .rail_title = exercise.title,
          .kernel_file = exercise.id + start_file(exercise).extension().string(),
          .kernel = exercise.kernel,
          .views = {"checks"},
          .run = [&exercise](Host& host, const Values&, gpu::Job* job) { return run_check(host, exercise, job); },
          .exercise = &exercise,
          .watched = true};
}

Result<std::vector<Exercise>> read_all() {
  std::vector<Exercise> all;
  std::error_code none;
  const fs::path lessons = data_directory() / "lessons";
  if (!fs::is_directory(lessons, none)) {
    return failure("missing_file",
                   fmt::format("There is no folder {}. Set WARPBOOK_DATA to the one that holds Warpbook's lessons/, "
                               "kernels/ and assets/.",
                               lessons.string()));
  }
  for (const Lesson* lesson : all_lessons()) {
    std::vector<fs::path> folders;
    for (const auto& entry : fs::directory_iterator(lessons / lesson->id / "exercises", none)) {
      if (entry.is_directory(none)) folders.push_back(entry.path());
    }
    // In the order of the page, easiest first. Exercises that the page does not name come last.
    const auto page = page_text(*lesson);
    const auto place = [&](const fs::path& folder) {
      return std::pair(!page ? 0 : page->find(fmt::format("::exercise {}\n", folder.filename().string())), folder);
    };
    std::sort(folders.begin(), folders.end(), [&](const fs::path& a, const fs::path& b) { return place(a) < place(b); });
    for (const fs::path& folder : folders) {
      auto exercise = read_exercise(*lesson, folder);
      if (!exercise) return failure(exercise.error());
      const auto same = std::find_if(all.begin(), all.end(), [&](const Exercise& each) { return each.id == exercise->id; });
      if (same != all.end()) {
        return failure("bad_task", fmt::format("{}: {} has an exercise of this name already. Rename one of the two folders.",
                                               called(folder), same->lesson->id));
      }
      all.push_back(std::move(*exercise));
    }
  }
  return all;
}

}  // namespace

Result<Exercise> read_exercise(const Lesson& lesson, const fs::path& folder) {
  const fs::path file = folder / "task.toml";
  auto text = read_text(file);
  if (!text) return failure(text.error());
  Task task(file);
  Exercise exercise;
  try {
    exercise = read_task(task, toml::parse(*text));
  } catch (const toml::parse_error& error) {
    task.wrong(error.source(), error.description());
  }
  if (task.problem()) return failure(*task.problem());
  exercise.id = folder.filename().string();
  exercise.lesson = &lesson;
  exercise.folder = folder;
  return exercise;
}

const Result<std::vector<Exercise>>& all_exercises() {
  static const auto exercises = [] {
    static Result<std::vector<Exercise>> all = read_all();  // their addresses do not change from now on
    if (all) {
      for (Exercise& exercise : *all) exercise.as_lesson = lesson_of(exercise);
    }
    return &all;
  }();
  return *exercises;
}

std::vector<const Lesson*> lessons_and_exercises() {
  std::vector<const Lesson*> all(all_lessons().begin(), all_lessons().end());
  if (!all_exercises()) return all;
  for (const Exercise& exercise : *all_exercises()) all.push_back(&exercise.as_lesson);
  return all;
}

std::vector<const Exercise*> exercises_of(const Lesson& lesson) {
  std::vector<const Exercise*> found;
  if (!all_exercises()) return found;
  for (const Exercise& exercise : *all_exercises()) {
    if (exercise.lesson->id == lesson.id) found.push_back(&exercise);
  }
  return found;
}

Result<const Exercise*> find_exercise(std::string_view name) {
  if (!all_exercises()) return failure(all_exercises().error());
  std::string known;
  for (const Exercise& exercise : *all_exercises()) {
    if (name == exercise.id || name == exercise.as_lesson.id || name == exercise.lesson->number + "/" + exercise.id)
      return &exercise;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", exercise.id);
  }
  return failure("unknown_exercise", fmt::format("there is no exercise '{}'. The exercises are {}.", name, known));
}

}  // namespace warpbook::lessons
