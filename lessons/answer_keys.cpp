#include "lessons/answer_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "lessons/device_formula.h"

namespace warpbook::lessons {
namespace {

void only(const toml::table& table, std::initializer_list<std::string_view> keys, const WrongNode& wrong) {
  for (const auto& [key, node] : table) {
    if (std::find(keys.begin(), keys.end(), key.str()) == keys.end())
      wrong(node, fmt::format("'{}' means nothing here. What may stand here: {}.", key.str(), fmt::join(keys, ", ")));
  }
}

std::string words(const toml::table& table, std::string_view key, const WrongNode& wrong) {
  const toml::node* const node = table.get(key);
  const auto text = node == nullptr ? std::nullopt : node->value_exact<std::string>();
  if (node == nullptr) wrong(table, fmt::format("{} is missing: {} = \"…\".", key, key));
  if (node != nullptr && (!text || text->empty())) wrong(*node, fmt::format("{} is words in quotes: {} = \"…\".", key, key));
  return text.value_or(std::string());
}

std::vector<std::string> list(const toml::table& table, std::string_view key, const WrongNode& wrong) {
  std::vector<std::string> all;
  const toml::node* const node = table.get(key);
  if (node == nullptr) return all;
  const auto told = fmt::format("{} is a list of words in quotes: {} = [\"…\", \"…\"].", key, key);
  if (!node->is_array() || node->as_array()->empty()) wrong(*node, told);
  if (!node->is_array()) return all;
  for (const toml::node& each : *node->as_array()) {
    all.push_back(each.value_exact<std::string>().value_or(std::string()));
    if (all.back().empty()) wrong(each, told);
  }
  return all;
}

/// The tables [[key]]; none where there are none.
std::vector<const toml::table*> tables(const toml::table& table, std::string_view key, const WrongNode& wrong) {
  std::vector<const toml::table*> all;
  const toml::node* const node = table.get(key);
  if (node == nullptr) return all;
  if (!node->is_array_of_tables()) wrong(*node, fmt::format("{} is a list of tables: each begins with a line [[{}]].", key, key));
  if (!node->is_array_of_tables()) return all;
  for (const toml::node& each : *node->as_array()) all.push_back(each.as_table());
  return all;
}

void read_number(const toml::table& table, Question& question, const WrongNode& wrong) {
  const toml::node* const answer = table.get("answer");
  const auto number = answer == nullptr ? std::nullopt : answer->value<double>();
  if (answer == nullptr) wrong(table, "answer is missing: answer = 32, or options = [\"…\", \"…\"] and answer = \"b\".");
  question.answer = number ? fmt::format("{}", *number) : answer == nullptr ? "" : answer->value_or(std::string());
  if (answer != nullptr && !DeviceFigures::for_reading().value(question.answer))
    wrong(*answer,
          "without options the answer is a number, or a formula of a device's figures: answer = 32. With them it is one of their "
          "letters.");
  if (const toml::node* const node = table.get("tolerance")) {
    question.tolerance = node->value<double>().value_or(-1);
    if (!(question.tolerance >= 0 && question.tolerance < 1)) wrong(*node, "tolerance is a number from 0 to less than 1.");
  }
}

Question read_question(const toml::table& table, const WrongNode& wrong) {
  only(table, {"text", "options", "answer", "tolerance", "why"}, wrong);
  Question question{.text = words(table, "text", wrong), .options = list(table, "options", wrong)};
  const auto is_option = [&](std::string_view name) {
    return name.size() == 1 && name[0] >= 'a' && static_cast<std::size_t>(name[0] - 'a') < question.options.size();
  };
  const toml::node* const options = table.get("options");
  if (options != nullptr && (question.options.size() < 2 || question.options.size() > 8))
    wrong(*options, "a question has two to eight options.");
  if (options == nullptr) {
    read_number(table, question, wrong);
  } else {
    question.answer = words(table, "answer", wrong);
    if (!is_option(question.answer)) wrong(table, "answer is the letter of an option: the first is \"a\".");
    if (const toml::node* const node = table.get("tolerance")) wrong(*node, "tolerance is of a number: this question has options.");
  }
  const toml::node* const why = table.get("why");
  if (why != nullptr && !why->is_table()) wrong(*why, "why is a table: why = {a = \"…\", else = \"…\"}.");
  if (why == nullptr || !why->is_table()) return question;
  for (const auto& [key, node] : *why->as_table()) {
    question.why[std::string(key.str())] = words(*why->as_table(), key.str(), wrong);
    if (key.str() == "else") continue;
    if (key.str() == question.answer)
      wrong(node, fmt::format("'{}' is the right answer: there is nothing to say of it.", key.str()));
    if (options != nullptr && !is_option(key.str())) wrong(node, fmt::format("'{}' is no option of this question.", key.str()));
    if (options == nullptr && !DeviceFigures::for_reading().value(key.str()))
      wrong(node, fmt::format("'{}' is no number and no formula of a device's figures.", key.str()));
  }
  return question;
}

std::string name_at(const toml::node& node, const WrongNode& wrong) {
  const std::string name = node.value_exact<std::string>().value_or(std::string());
  const bool fits = std::all_of(name.begin(), name.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
  if (node.is_string() && (name.empty() || !fits))
    wrong(node, "a name that the learner gives a number has small letters and _ only.");
  return name;
}

}  // namespace

ExerciseKind read_kind(const toml::table& table, const WrongNode& wrong) {
  const toml::node* const node = table.get("kind");
  if (node == nullptr) return ExerciseKind::kernel;
  const std::string name = node->value_exact<std::string>().value_or(std::string());
  for (const auto kind : {ExerciseKind::kernel, ExerciseKind::choose, ExerciseKind::mark, ExerciseKind::quiz}) {
    if (name_of(kind) == name) return kind;
  }
  wrong(*node, "kind is \"kernel\", \"choose\", \"mark\" or \"quiz\".");
  return ExerciseKind::kernel;
}

void read_answer_keys(const toml::table& table, Exercise& exercise, const WrongNode& wrong) {
  if (exercise.kind == ExerciseKind::quiz) {
    for (const toml::table* each : tables(table, "question", wrong)) exercise.questions.push_back(read_question(*each, wrong));
    if (exercise.questions.empty()) wrong(table, "it has no question: each begins with a line [[question]].");
  }
  if (exercise.kind != ExerciseKind::mark) return;
  for (const toml::table* each : tables(table, "answer", wrong)) {
    only(*each, {"lines"}, wrong);
    exercise.answers.push_back(list(*each, "lines", wrong));
    if (!each->contains("lines")) wrong(*each, "lines is missing: lines = [\"…\"].");
  }
  for (const toml::table* each : tables(table, "wrong", wrong)) {
    only(*each, {"line", "sentence", "steps"}, wrong);
    exercise.wrong_marks.push_back(
        {.line = words(*each, "line", wrong), .sentence = words(*each, "sentence", wrong), .steps = list(*each, "steps", wrong)});
  }
}

LaunchNames read_launch_names(const toml::table& table, const WrongNode& wrong) {
  LaunchNames names;
  const auto along = [&](std::string_view key) {
    std::vector<std::string> all;
    const toml::node* const node = table.get(key);
    if (node == nullptr || !node->is_array()) return all;
    for (const toml::node& each : *node->as_array()) all.push_back(name_at(each, wrong));
    return all;
  };
  names.grid = along("grid");
  names.block = along("block");
  if (const toml::node* const shared = table.get("shared")) names.shared = name_at(*shared, wrong);
  return names;
}

}  // namespace warpbook::lessons
