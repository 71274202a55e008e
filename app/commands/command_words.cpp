#include "app/commands/command_words.h"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <string_view>

namespace warpbook::app {
namespace {

// "fast|clock" → fast, clock. "N|NAME" is none: capitals stand for what they name.
std::vector<std::string> choices_of(const std::string& value) {
  if (value.find('|') == std::string::npos || std::ranges::any_of(value, [](unsigned char c) { return std::isupper(c) != 0; }))
    return {};
  std::vector<std::string> choices;
  std::istringstream list(value);
  for (std::string choice; std::getline(list, choice, '|');) choices.push_back(choice);
  return choices;
}

void tell_expected(OptionWords& words, const std::string& value) {
  words.choices = choices_of(value);
  if (!words.choices.empty()) {
    words.expects = Expects::choice;
  } else if (value.starts_with("FILE")) {
    words.expects = Expects::file;
    words.ending = value.substr(std::string_view("FILE").size());
  } else if (value.starts_with("FOLDER")) {
    words.expects = Expects::folder;
  } else if (value == "LESSON") {
    words.expects = Expects::lesson;
  } else if (value == "EXERCISE") {
    words.expects = Expects::exercise;
  } else {
    words.expects = Expects::word;
  }
}

OptionWords words_of(const CLI::Option& option) {
  OptionWords words;
  words.description = option.get_description();
  words.required = option.get_required();
  if (option.get_positional()) {
    words.names = {option.get_name(true)};
    tell_expected(words, words.names.front());
    return words;
  }
  for (const std::string& name : option.get_snames()) words.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) words.names.push_back("--" + name);
  if (option.get_items_expected_max() == 0) return words;
  // Behind a colon stands what the value is checked for.
  const std::string value = option.get_type_name();
  words.value = value.substr(0, value.find(':'));
  tell_expected(words, words.value);
  return words;
}

}  // namespace

CommandWords command_words(const CLI::App& program) {
  CommandWords words;
  words.name = program.get_name();
  words.description = program.get_description();
  // A command that has no last words of its own has those of the program.
  if (program.get_parent() == nullptr || program.get_footer() != program.get_parent()->get_footer())
    words.footer = program.get_footer();
  for (const CLI::Option* const option : program.get_options()) {
    if (option->get_group().empty()) continue;
    (option->get_positional() ? words.arguments : words.options).push_back(words_of(*option));
  }
  for (const CLI::App* const command : program.get_subcommands([](const CLI::App*) { return true; })) {
    if (!command->get_group().empty()) words.commands.push_back(command_words(*command));
  }
  return words;
}

}  // namespace warpbook::app
