#include "lessons/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <regex>
#include <set>
#include <tuple>
#include <utility>

#include "gpu/text.h"
#include "lessons/catalog.h"
#include "lessons/check.h"
#include "lessons/device_formula.h"
#include "lessons/exercise.h"

namespace warpbook::lessons {
namespace {

using Verdict = Checks::Verdict;

/// The lines without trailing blanks, and without blank lines at the end.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    lines.push_back(line.substr(0, line.find_last_not_of(" \t\r") + 1));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

gpu::CompileFailure fault(const std::string& file, std::size_t line, std::string words) {
  gpu::CompileFailure failed;
  failed.message = fmt::format("{} is no answer yet. Line {}: {}", file, line, words);
  failed.diagnostics.push_back(
      {.severity = gpu::Diagnostic::Severity::error, .file = file, .line = static_cast<int>(line), .message = std::move(words)});
  return failed;
}

std::optional<std::uint32_t> whole_number_in(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Error own_fault(const Exercise& exercise, const std::string& why) {
  return {"bad_task", fmt::format("The exercise {} itself is at fault: {}", exercise.id, why)};
}

// ---- A sheet: a line `name = value` for each expected name. -------------------------------------------------------------------

using Written = std::map<std::string, std::string, std::less<>>;

struct Sheet {
  Written values;  // of the lines that have a value
  std::map<std::string, std::size_t, std::less<>> lines;
  std::optional<gpu::CompileFailure> fault;
};

Sheet read_sheet(const std::string& file, std::string_view text, const std::vector<std::string>& names) {
  Sheet sheet;
  const auto lines = lines_of(text);
  for (std::size_t i = 0; i < lines.size() && !sheet.fault; ++i) {
    const std::string_view line = trimmed(lines[i].substr(0, lines[i].find('#')));
    if (line.empty()) continue;
    const auto equals = line.find('=');
    const std::string name(trimmed(line.substr(0, equals)));
    if (equals == std::string_view::npos) {
      sheet.fault =
          fault(file, i + 1, fmt::format("a line is `{} = ` and a value, or begins with # and is a remark.", names.front()));
    } else if (std::find(names.begin(), names.end(), name) == names.end()) {
      sheet.fault =
          fault(file, i + 1, fmt::format("'{}' is not asked for. What may stand here: {}.", name, fmt::join(names, ", ")));
    } else if (const auto before = sheet.lines.find(name); before != sheet.lines.end()) {
      sheet.fault =
          fault(file, i + 1, fmt::format("{} has a value already, in line {}. Leave one of the two.", name, before->second));
    } else {
      sheet.lines[name] = i + 1;
      if (const auto value = trimmed(line.substr(equals + 1)); !value.empty()) sheet.values[name] = value;
    }
  }
  return sheet;
}

// ---- choose -----------------------------------------------------------------------------------------------------------------

std::vector<std::string> names_of(const Exercise& exercise) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const Exercise::Case& one : exercise.cases) {
    for (const std::string& name : one.names.grid) add(name);
    for (const std::string& name : one.names.block) add(name);
    add(one.names.shared);
  }
  return names;
}

Sheet read_choice(const Exercise& exercise, const std::string& file, std::string_view text) {
  const auto names = names_of(exercise);
  Sheet sheet = read_sheet(file, text, names);
  if (sheet.fault) return sheet;
  const std::size_t end = std::max<std::size_t>(lines_of(text).size(), 1);
  for (const std::string& name : names) {
    const auto line = sheet.lines.find(name);
    const std::size_t at = line == sheet.lines.end() ? end : line->second;
    const auto value = sheet.values.find(name);
    if (value == sheet.values.end())
      sheet.fault = fault(file, at, fmt::format("{} has no value: write `{} = ` and a whole number.", name, name));
    else if (!whole_number_in(value->second))
      sheet.fault = fault(file, at,
                          fmt::format("'{}' is no value for {}: it takes a whole number from 0 to {}, in digits alone.",
                                      value->second, name, std::numeric_limits<std::uint32_t>::max()));
    if (sheet.fault) break;
  }
  return sheet;
}

// ---- mark -------------------------------------------------------------------------------------------------------------------

using Marks = std::set<std::size_t>;  // line numbers, from 0

struct Marked {
  std::vector<std::string_view> lines;  // without the marks
  Marks marks;
};

Marked read_marks(std::string_view text) {
  Marked marked{.lines = lines_of(text)};
  for (std::size_t i = 0; i < marked.lines.size(); ++i) {
    std::string_view& line = marked.lines[i];
    for (const std::string_view mark : {"// here", "//here"}) {
      if (!line.ends_with(mark)) continue;
      line.remove_suffix(mark.size());
      line = line.substr(0, line.find_last_not_of(" \t") + 1);
      marked.marks.insert(i);
      break;
    }
  }
  return marked;
}

std::optional<gpu::CompileFailure> fault_in_marks(std::string_view start, const gpu::Source& source) {
  const Marked given = read_marks(start), learners = read_marks(source.text);
  constexpr std::string_view leave = "Change nothing but the marks: `// here` at the end of a line.";
  const std::size_t both = std::min(given.lines.size(), learners.lines.size());
  for (std::size_t i = 0; i < both; ++i) {
    const std::string_view is = learners.lines[i], was = given.lines[i];
    if (is == was) {
      if (learners.marks.contains(i) && trimmed(is).empty())
        return fault(source.file, i + 1, "there is nothing to mark in an empty line.");
      continue;
    }
    if (is.starts_with(was) && trimmed(is.substr(was.size())).starts_with("//"))
      return fault(source.file, i + 1, "a mark is `// here`, in these letters, with nothing after it.");
    return fault(source.file, i + 1,
                 was.empty() ? fmt::format("this line was empty in the program. {}", leave)
                             : fmt::format("in the program this line is `{}`. {}", trimmed(was), leave));
  }
  if (given.lines.size() == learners.lines.size()) return std::nullopt;
  return fault(source.file, std::max<std::size_t>(both, 1),
               fmt::format("the program has {} lines, and here are {}. {}", given.lines.size(), learners.lines.size(), leave));
}

/// The correct sets of lines; the first is the solution's.
Result<std::vector<Marks>> right_marks(const Exercise& exercise, const Marked& program) {
  auto text = read_text(solution_file(exercise));
  if (!text) return failure(text.error());
  const Marked solution = read_marks(*text);
  if (solution.lines != program.lines) return failure(own_fault(exercise, "its solution.cu is another program than its start.cu."));
  if (solution.marks.empty()) return failure(own_fault(exercise, "its solution.cu marks no line."));
  std::vector<Marks> all{solution.marks};
  for (const auto& lines : exercise.answers) {
    Marks marks;
    for (const std::string& words : lines) {
      const auto holds = [&](std::string_view line) { return line.find(words) != std::string_view::npos; };
      const auto count = std::count_if(program.lines.begin(), program.lines.end(), holds);
      if (count != 1) return failure(own_fault(exercise, fmt::format("'{}' stands in {} lines of its program.", words, count)));
      marks.insert(
          static_cast<std::size_t>(std::find_if(program.lines.begin(), program.lines.end(), holds) - program.lines.begin()));
    }
    all.push_back(std::move(marks));
  }
  for (const WrongMark& wrong : exercise.wrong_marks) {
    for (const Marks& marks : all) {
      for (const std::size_t line : marks) {
        if (program.lines[line].find(wrong.line) != std::string_view::npos)
          return failure(own_fault(exercise, fmt::format("'{}' is in a line that is right.", wrong.line)));
      }
    }
  }
  return all;
}

std::size_t common(const Marks& a, const Marks& b) {
  return static_cast<std::size_t>(std::count_if(a.begin(), a.end(), [&](std::size_t line) { return b.contains(line); }));
}

std::string lines_word(std::size_t count) { return count == 1 ? "1 line" : fmt::format("{} lines", count); }

CheckReport::Case row(std::string name) { return {{.name = std::move(name), .launched = false}, {}}; }

void fails(CheckReport::Case& one, std::string message, std::vector<std::string> hints) {
  one.verdict = Verdict::wrong;
  one.message = std::move(message);
  one.hints = std::move(hints);
}

/// The steps of the exercise's first hint. Empty if it has none.
std::vector<std::string> general_hint(const Exercise& exercise) {
  return exercise.hints.empty() ? std::vector<std::string>() : exercise.hints.front().steps;
}

Result<CheckReport> check_marks(const Exercise& exercise, const gpu::Source& source) {
  const Marked marked = read_marks(source.text);
  const auto answers = right_marks(exercise, marked);
  if (!answers) return failure(answers.error());
  // The correct answer with the fewest differences.
  const auto distance = [&](const Marks& answer) {
    const std::size_t both = common(answer, marked.marks);
    return std::tuple(answer.size() + marked.marks.size() - 2 * both, answer.size());
  };
  const Marks& answer = *std::min_element(answers->begin(), answers->end(),
                                          [&](const Marks& a, const Marks& b) { return distance(a) < distance(b); });
  const std::size_t count = marked.marks.size(), right = common(answer, marked.marks);
  CheckReport report;
  report.cases.push_back(row("As many marks as are asked for"));
  if (count == 0)
    fails(report.cases.back(),
          fmt::format("No line is marked. {} wanted: end a line with `// here`.",
                      answer.size() == 1 ? "1 line is" : fmt::format("{} lines are", answer.size())),
          general_hint(exercise));
  else if (count != answer.size())
    fails(report.cases.back(),
          fmt::format("{} {} marked, and {} {} wanted.", lines_word(count), count == 1 ? "is" : "are", answer.size(),
                      answer.size() == 1 ? "is" : "are"),
          general_hint(exercise));
  report.cases.push_back(row("Every mark is on a line that is asked for"));
  if (count == 0) fails(report.cases.back(), "There is no mark yet.", general_hint(exercise));
  if (right == count) return report;
  const std::size_t first =
      *std::find_if(marked.marks.begin(), marked.marks.end(), [&](std::size_t l) { return !answer.contains(l); });
  const std::string_view text = trimmed(marked.lines[first]);
  const auto known = std::find_if(exercise.wrong_marks.begin(), exercise.wrong_marks.end(),
                                  [&](const WrongMark& wrong) { return text.find(wrong.line) != std::string_view::npos; });
  const bool spoken_of = known != exercise.wrong_marks.end();
  if (std::ranges::any_of(*answers, [&](const Marks& other) { return other.contains(first); })) {
    fails(
        report.cases.back(),
        fmt::format("Line {}, `{}`, can be right, but not together with the other marks: look whether two of them mark places for "
                    "one and the same thing.",
                    first + 1, text),
        general_hint(exercise));
    return report;
  }
  fails(report.cases.back(),
        fmt::format("{} of {} {} right. Line {}, `{}`, is not asked for{}", right,
                    count == 1 ? "1 mark" : fmt::format("{} marks", count), count == 1 || right == 1 ? "is" : "are", first + 1,
                    text, spoken_of ? ": " + known->sentence : "."),
        spoken_of && !known->steps.empty() ? known->steps : general_hint(exercise));
  return report;
}

// ---- quiz -------------------------------------------------------------------------------------------------------------------

std::vector<std::string> numbers_of(const Exercise& exercise) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i <= exercise.questions.size(); ++i) names.push_back(fmt::format("{}", i));
  return names;
}

/// The option's letter: "b" for "B", "b)" and "(b)". Empty: it is not an option.
std::string option_in(std::string_view value, const Question& question) {
  if (value.starts_with('(')) value.remove_prefix(1);
  while (value.ends_with(')') || value.ends_with('.')) value.remove_suffix(1);
  if (value.size() != 1) return {};
  const char letter = static_cast<char>(value[0] >= 'A' && value[0] <= 'Z' ? value[0] - 'A' + 'a' : value[0]);
  return letter >= 'a' && static_cast<std::size_t>(letter - 'a') < question.options.size() ? std::string(1, letter) : std::string();
}

bool close(double given, std::optional<double> right, double tolerance) {
  return right && std::abs(given - *right) <= tolerance * std::abs(*right);
}

/// "2,560" → "2560": as the tables of a page print it.
std::string without_commas(const std::string& value) {
  static const std::regex grouped(R"(\d{1,3}(,\d{3})+(\.\d+)?)");
  if (!std::regex_match(value, grouped)) return value;
  std::string plain = value;
  std::erase(plain, ',');
  return plain;
}

std::string wanted(const Question& question) {
  return question.options.empty() ? "a number"
                                  : fmt::format("a letter from a to {}", static_cast<char>('a' + question.options.size() - 1));
}

Sheet read_quiz(const Exercise& exercise, const std::string& file, std::string_view text) {
  Sheet sheet = read_sheet(file, text, numbers_of(exercise));
  if (sheet.fault) return sheet;
  for (std::size_t i = 0; i < exercise.questions.size(); ++i) {
    const Question& question = exercise.questions[i];
    const auto value = sheet.values.find(fmt::format("{}", i + 1));
    if (value == sheet.values.end()) continue;
    if (question.options.empty()) value->second = without_commas(value->second);
    if (question.options.empty() ? DeviceFigures::for_reading().value(value->second).has_value()
                                 : !option_in(value->second, question).empty())
      continue;
    sheet.fault = fault(file, sheet.lines.at(value->first),
                        fmt::format("'{}' is no answer to question {}: it takes {}.", value->second, i + 1, wanted(question)));
    break;
  }
  return sheet;
}

/// The author's message for a wrong answer.
std::string why_not(const Question& question, std::string_view value, const DeviceFigures& device) {
  const auto number = question.options.empty() ? device.value(value) : std::nullopt;
  for (const auto& [answer, why] : question.why) {
    if (answer == "else") continue;
    if (question.options.empty() ? number && close(*number, device.value(answer), question.tolerance)
                                 : answer == option_in(value, question))
      return why;
  }
  const auto other = question.why.find("else");
  return other == question.why.end() ? std::string() : other->second;
}

/// The message for a wrong answer. Empty: it is right.
std::string wrong_with(const Question& question, std::string_view name, std::string_view value, const DeviceFigures& device) {
  const bool of_number = question.options.empty();
  const auto right = of_number ? device.value(question.answer) : std::nullopt;
  const auto given = of_number ? device.value(value) : std::nullopt;
  if (of_number && !right)
    return device.fill_in(
        "{device: name} does not tell all that this question asks for. Choose another device, for example a profile.");
  if (value.empty()) return fmt::format("It is not answered yet: write {} after `{} =`.", wanted(question), name);
  if (of_number && !given)
    return device.fill_in(fmt::format("{{device: name}} does not tell all that `{}` needs, or it is no finite number.", value));
  if (of_number ? close(*given, right, question.tolerance) : option_in(value, question) == question.answer) return {};
  const std::string why = device.fill_in(why_not(question, value, device));
  return fmt::format("Not {}.{}{}", of_number ? std::string(value) : option_in(value, question), why.empty() ? "" : " ", why);
}

CheckReport check_quiz(const Exercise& exercise, const gpu::Source& source, const DeviceFigures& device) {
  const Sheet sheet = read_quiz(exercise, source.file, source.text);
  CheckReport report;
  for (std::size_t i = 0; i < exercise.questions.size(); ++i) {
    const Question& question = exercise.questions[i];
    const std::string name = fmt::format("{}", i + 1);
    CheckReport::Case& one = report.cases.emplace_back(row(fmt::format("{}. {}", name, device.fill_in(question.text))));
    const auto value = sheet.values.find(name);
    const std::string given = value == sheet.values.end() ? "" : value->second;
    one.answered = !given.empty();
    const std::string wrong = wrong_with(question, name, given, device);
    if (!wrong.empty()) fails(one, wrong, general_hint(exercise));
  }
  return report;
}

}  // namespace

std::string_view name_of(ExerciseKind kind) {
  constexpr std::string_view names[] = {"kernel", "choose", "mark", "quiz"};
  return names[static_cast<std::size_t>(kind)];
}

bool is_compiled(const Exercise& exercise) { return exercise.kind == ExerciseKind::kernel; }

bool launches(const Exercise& exercise) { return exercise.kind == ExerciseKind::kernel || exercise.kind == ExerciseKind::choose; }

std::size_t rows_of(const Exercise& exercise) {
  if (exercise.kind == ExerciseKind::mark) return 2;
  return exercise.kind == ExerciseKind::quiz ? exercise.questions.size() : exercise.cases.size();
}

namespace {

std::filesystem::path file_of(const Exercise& exercise, std::string_view stem) {
  const bool cuda = exercise.kind == ExerciseKind::kernel || exercise.kind == ExerciseKind::mark;
  return exercise.folder / fmt::format("{}{}", stem, cuda ? ".cu" : ".txt");
}

}  // namespace

std::filesystem::path start_file(const Exercise& exercise) { return file_of(exercise, "start"); }
std::filesystem::path solution_file(const Exercise& exercise) { return file_of(exercise, "solution"); }

std::string what_to_do(const Exercise& exercise) {
  switch (exercise.kind) {
    case ExerciseKind::choose:
      return fmt::format("choose {} for the kernel {}", fmt::join(names_of(exercise), " and "), exercise.kernel);
    case ExerciseKind::mark:
      return "mark lines of a program";
    case ExerciseKind::quiz:
      return exercise.questions.size() == 1 ? "answer a question" : fmt::format("answer {} questions", exercise.questions.size());
    case ExerciseKind::kernel:
      break;
  }
  return fmt::format("write the kernel {}", exercise.kernel);
}

std::optional<gpu::CompileFailure> fault_in(const Exercise& exercise, const gpu::Source& source) {
  if (exercise.kind == ExerciseKind::choose) return read_choice(exercise, source.file, source.text).fault;
  if (exercise.kind == ExerciseKind::quiz) return read_quiz(exercise, source.file, source.text).fault;
  if (exercise.kind == ExerciseKind::kernel) return std::nullopt;
  const auto start = read_text(start_file(exercise));
  return start ? fault_in_marks(*start, source) : std::nullopt;
}

Exercise chosen(const Exercise& exercise, std::string_view text) {
  Exercise with = exercise;
  const Written values = read_choice(exercise, {}, text).values;
  const auto put = [&](const std::string& name, std::uint32_t& number) {
    if (const auto value = values.find(name); value != values.end()) number = whole_number_in(value->second).value_or(0);
  };
  const auto put_along = [&](const std::vector<std::string>& names, gpu::Dim3& shape) {
    std::uint32_t* const along[] = {&shape.x, &shape.y, &shape.z};
    for (std::size_t i = 0; i < names.size() && i < 3; ++i) put(names[i], *along[i]);
  };
  for (Exercise::Case& one : with.cases) {
    put_along(one.names.grid, one.grid);
    put_along(one.names.block, one.block);
    put(one.names.shared, one.shared_bytes);
  }
  return with;
}

Result<CheckReport> check_answers(const Exercise& exercise, const gpu::Source& source, const gpu::DeviceInfo& device) {
  if (auto broken = fault_in(exercise, source)) {
    CheckReport report;
    report.compile_failure = std::move(broken);
    return report;
  }
  if (exercise.kind == ExerciseKind::mark) return check_marks(exercise, source);
  return check_quiz(exercise, source, DeviceFigures(device));
}

std::string questions_text(const Exercise& exercise) {
  std::string text;
  for (std::size_t i = 0; i < exercise.questions.size(); ++i) {
    const Question& question = exercise.questions[i];
    text += fmt::format("\n**{}.** {}\n\n", i + 1, question.text);
    for (std::size_t k = 0; k < question.options.size(); ++k)
      text += fmt::format("- **{}** {}\n", static_cast<char>('a' + k), question.options[k]);
  }
  return text;
}

}  // namespace warpbook::lessons
