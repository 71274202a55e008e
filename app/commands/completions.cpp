// Completions of three shells. Each offers a command's options, their values where those can be known, and, in place of an
// argument, whatever any of the command's arguments may be.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

#include "app/commands/command_words.h"

namespace warpbook::app {
namespace {

constexpr std::string_view bash_start = R"(# bash completion for warpbook, made by the program itself.

_warpbook_words() { COMPREPLY+=($(compgen -W "$1" -- "$current")); }

# Files with that ending, and folders to look in.
_warpbook_files() {
  local IFS=$'\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY+=($(compgen -f -X "!*$1" -- "$current") $(compgen -d -- "$current"))
}

_warpbook_folders() {
  local IFS=$'\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY+=($(compgen -d -- "$current"))
}

_warpbook() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command='' word
  COMPREPLY=()
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $word in
)";

constexpr std::string_view zsh_start = R"(#compdef warpbook
# zsh completion for warpbook, made by the program itself.

_warpbook() {
  local curcontext=$curcontext state state_descr line
  typeset -A opt_args
  local -a commands=(
)";

// Inside '…' of a POSIX shell and zsh.
std::string in_quotes(std::string_view text) {
  std::string words = "'";
  for (const char c : text) words += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return words + "'";
}

// Inside '…' of fish.
std::string in_fish_quotes(std::string_view text) {
  std::string words = "'";
  for (const char c : text) words += (c == '\'' || c == '\\' ? "\\" : "") + std::string(1, c);
  return words + "'";
}

std::string with_backslashes(std::string_view text, std::string_view before) {
  std::string words;
  for (const char c : text) words += (before.find(c) != std::string_view::npos ? "\\" : "") + std::string(1, c);
  return words;
}

// The words that stand for the value; empty where it is none of a few.
std::string offered(const OptionWords& words, const KnownNames& names) {
  if (words.expects == Expects::lesson) return fmt::format("{}", fmt::join(names.lessons, " "));
  if (words.expects == Expects::exercise) return fmt::format("{}", fmt::join(names.exercises, " "));
  return fmt::format("{}", fmt::join(words.choices, " "));
}

std::string option_names(const CommandWords& command) {
  std::string names;
  for (const OptionWords& option : command.options)
    names += (names.empty() ? "" : " ") + fmt::format("{}", fmt::join(option.names, " "));
  return names;
}

std::string command_names(const CommandWords& program, std::string_view between) {
  std::string names;
  for (const CommandWords& command : program.commands) names += (names.empty() ? "" : std::string(between)) + command.name;
  return names;
}

std::string bash_action(const OptionWords& words, const KnownNames& names) {
  switch (words.expects) {
    case Expects::file:
      return fmt::format("_warpbook_files {}", in_quotes(words.ending));
    case Expects::folder:
      return "_warpbook_folders";
    case Expects::choice:
    case Expects::lesson:
    case Expects::exercise:
      return fmt::format("_warpbook_words {}", in_quotes(offered(words, names)));
    case Expects::nothing:
    case Expects::word:
      break;
  }
  return {};
}

// "    'run --device') _warpbook_words 'virtual cuda'; return ;;" for each option that takes a value.
std::string bash_values(const CommandWords& command, const KnownNames& names) {
  std::string text;
  for (const OptionWords& option : command.options) {
    if (option.expects == Expects::nothing) continue;
    const std::string action = bash_action(option, names);
    for (const std::string& name : option.names)
      text += fmt::format("    '{} {}') {}return ;;\n", command.name, name, action.empty() ? "" : action + "; ");
  }
  return text;
}

std::string bash_command(const CommandWords& command, std::string_view name, const KnownNames& names) {
  std::string text = fmt::format("    '{}')\n", name);
  text += fmt::format("      if [[ $current == -* ]]; then\n        _warpbook_words '{}'\n        return\n      fi\n",
                      option_names(command));
  if (!command.commands.empty()) text += fmt::format("      _warpbook_words '{}'\n", command_names(command, " "));
  for (const OptionWords& argument : command.arguments) {
    if (const std::string action = bash_action(argument, names); !action.empty()) text += fmt::format("      {}\n", action);
  }
  return text + "      ;;\n";
}

std::string zsh_action(const OptionWords& words, const KnownNames& names) {
  switch (words.expects) {
    case Expects::file:
      return words.ending.empty() ? "_files" : fmt::format("_files -g \"*{}\"", words.ending);
    case Expects::folder:
      return "_files -/";
    case Expects::choice:
    case Expects::lesson:
    case Expects::exercise:
      return fmt::format("({})", offered(words, names));
    case Expects::nothing:
    case Expects::word:
      break;
  }
  return " ";
}

// What _arguments takes, a line each.
std::string zsh_specifications(const CommandWords& command, const KnownNames& names, std::string_view indent) {
  std::string text;
  const auto add = [&](const std::string& specification) { text += fmt::format(" \\\n{}{}", indent, in_quotes(specification)); };
  for (const OptionWords& option : command.options) {
    const std::string description = with_backslashes(option.description, "\\[]");
    for (const std::string& name : option.names) {
      if (option.expects == Expects::nothing) {
        add(fmt::format("({}){}[{}]", fmt::join(option.names, " "), name, description));
      } else {
        add(fmt::format("*{}{}[{}]:{}:{}", name, name.starts_with("--") ? "=" : "+", description,
                        with_backslashes(option.value, "\\:"), zsh_action(option, names)));
      }
    }
  }
  for (const OptionWords& argument : command.arguments)
    add(fmt::format(":{}:{}", with_backslashes(argument.names.front(), "\\:"), zsh_action(argument, names)));
  return text;
}

std::string fish_value(const OptionWords& words, const KnownNames& names) {
  switch (words.expects) {
    case Expects::nothing:
      return {};
    case Expects::word:
      return " -x";
    case Expects::file:
      return words.ending.empty() ? " -r -F" : fmt::format(" -x -a '(__fish_complete_suffix {})'", words.ending);
    case Expects::folder:
      return " -x -a '(__fish_complete_directories)'";
    case Expects::choice:
    case Expects::lesson:
    case Expects::exercise:
      break;
  }
  return fmt::format(" -x -a {}", in_fish_quotes(offered(words, names)));
}

std::string fish_lines(const CommandWords& command, std::string_view when, const KnownNames& names) {
  std::string text;
  for (const OptionWords& option : command.options) {
    std::string spelled;
    for (const std::string& name : option.names)
      spelled += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    text += fmt::format("complete -c warpbook -n '{}'{}{} -d {}\n", when, spelled, fish_value(option, names),
                        in_fish_quotes(option.description));
  }
  for (const OptionWords& argument : command.arguments) {
    if (argument.expects == Expects::word) continue;
    std::string value = fish_value(argument, names);
    value.erase(0, std::string_view(" -x").size());  // there is no option to take it
    text += fmt::format("complete -c warpbook -n '{}'{}\n", when, value);
  }
  return text;
}

}  // namespace

std::string bash_completion(const CommandWords& program, const KnownNames& names) {
  std::string text(bash_start);
  text += fmt::format("      {}) command=$word; break ;;\n    esac\n  done\n", command_names(program, " | "));
  text += "  case \"$command $previous\" in\n";
  for (const CommandWords& command : program.commands) text += bash_values(command, names);
  text += "  esac\n  case $command in\n" + bash_command(program, "", names);
  for (const CommandWords& command : program.commands) text += bash_command(command, command.name, names);
  return text + "  esac\n}\ncomplete -F _warpbook warpbook\n";
}

std::string zsh_completion(const CommandWords& program, const KnownNames& names) {
  std::string text(zsh_start);
  for (const CommandWords& command : program.commands)
    text += fmt::format("    {}\n", in_quotes(with_backslashes(command.name, ":") + ":" + command.description));
  CommandWords of_program = program;
  of_program.arguments.clear();
  text += fmt::format("  )\n  _arguments -C{} \\\n    ': :->first' \\\n    '*:: :->rest' && return\n",
                      zsh_specifications(of_program, names, "    "));
  text += "  case $state in\n    first)\n      _describe -t commands 'command' commands\n";
  for (const OptionWords& argument : program.arguments) {
    if (argument.expects == Expects::file) text += fmt::format("      {}\n", zsh_action(argument, names));
  }
  text += "      ;;\n    rest)\n      curcontext=\"${curcontext%:*}-$line[1]:\"\n      case $line[1] in\n";
  for (const CommandWords& command : program.commands)
    text += fmt::format("        {})\n          _arguments{}\n          ;;\n", command.name,
                        zsh_specifications(command, names, "            "));
  return text + "      esac\n      ;;\n  esac\n}\n\n_warpbook \"$@\"\n";
}

std::string fish_completion(const CommandWords& program, const KnownNames& names) {
  std::string text = "# fish completion for warpbook, made by the program itself.\ncomplete -c warpbook -f\n";
  const std::string none = "not __fish_seen_subcommand_from " + command_names(program, " ");
  text += fish_lines(program, none, names);
  for (const CommandWords& command : program.commands)
    text += fmt::format("complete -c warpbook -n '{}' -a {} -d {}\n", none, command.name, in_fish_quotes(command.description));
  for (const CommandWords& command : program.commands)
    text += fish_lines(command, "__fish_seen_subcommand_from " + command.name, names);
  return text;
}

}  // namespace warpbook::app
