// The command line as plain structs, read out of the parser's own definitions: what the man page and the shells' completions are
// made of. Hidden commands and options are left out, as --help leaves them out.
//
//     const CommandWords words = command_words(program);
//     for (const CommandWords& command : words.commands) print(command.name);
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace warpbook::app {

/// What a word on the command line may be, as far as a shell can help with it.
enum class Expects {
  nothing,  // a flag
  word,     // something only the user knows
  choice,   // one of OptionWords::choices
  file,     // that ends as OptionWords::ending says; empty: any
  folder,
  lesson,    // its id
  exercise,  // its name
};

struct OptionWords {
  std::vector<std::string> names;  // "--json", "-h"; of an argument without dashes its one name, "LESSON"
  std::string description;
  std::string value;  // as --help names it: "FILE.png"; empty: none
  Expects expects = Expects::nothing;
  std::vector<std::string> choices;
  std::string ending;  // ".png"
  bool required = false;
};

struct CommandWords {
  std::string name, description, footer;
  std::vector<OptionWords> options;    // those with dashes
  std::vector<OptionWords> arguments;  // those without, in their order
  std::vector<CommandWords> commands;
};

/// A value that is named "fast|clock" is a choice between the two; one whose name begins with FILE or FOLDER, or is LESSON or
/// EXERCISE, is what it says; any other is a word.
[[nodiscard]] CommandWords command_words(const CLI::App& program);

[[nodiscard]] std::string man_page(const CommandWords& program, std::string_view version, std::string_view date);
/// What the completions offer for Expects::lesson and Expects::exercise.
struct KnownNames {
  std::vector<std::string> lessons, exercises;
};
[[nodiscard]] std::string bash_completion(const CommandWords& program, const KnownNames& names);
[[nodiscard]] std::string zsh_completion(const CommandWords& program, const KnownNames& names);
[[nodiscard]] std::string fish_completion(const CommandWords& program, const KnownNames& names);

}  // namespace warpbook::app
