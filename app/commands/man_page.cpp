// The man page, in the macros of man(7).
#include <fmt/format.h>

#include <sstream>
#include <string_view>

#include "app/commands/command_words.h"

namespace warpbook::app {
namespace {

constexpr std::string_view surroundings = R"(.SH ENVIRONMENT
.TP
.B WARPBOOK_DATA
The folder that holds Warpbook's lessons, kernels and assets.
Without it they are looked for beside the program and in ../share/warpbook
as seen from it.
.TP
.B XDG_DATA_HOME
The folder in which warpbook/ keeps what a learner edits, sets and guesses.
Without it: ~/.local/share.
.TP
.B WARPBOOK_COMPILER
.BR nvrtc ", " nvcc " or " clang
compiles kernels, as with \-\-compiler; the window heeds it, too.
.TP
.B WARPBOOK_LANGUAGE
The language of all sentences, as with \-\-language.
Without it: what the window's settings say, or LANGUAGE, LC_ALL, LC_MESSAGES and LANG.
.TP
.B WARPBOOK_COMPILED
The folder in which compiled kernels are kept, so that none is compiled twice;
.B off
keeps none. Without it: ~/.cache/warpbook/compiled, of at most 256 MB.
.TP
.BR CUDA_PATH ", " CUDA_HOME
Where the CUDA Toolkit lies, if not in /usr/local/cuda.
.TP
.B WARPBOOK_INSTRUCTION_SET
.BR generic " or " avx2
keeps the virtual GPU from using wider vectors of the host's processor.
.SH FILES
.TP
.I ~/.local/share/warpbook/
What a learner edits, sets and guesses, the exercises that passed,
and how the window was left.
Removing Warpbook leaves it in place.
)";

// Text in which roff finds nothing of its own: a dash that can be searched for, and no line that begins as a request.
std::string plain(std::string_view text) {
  std::string escaped;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) escaped += "\\&";
    line_begins = c == '\n';
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else if (c == '\'') {
      escaped += "\\(aq";  // typographic otherwise, and no use in an example that is copied
    } else if (c == '~') {
      escaped += "\\(ti";
    } else if (c == '^') {
      escaped += "\\(ha";
    } else if (c == '`') {
      escaped += "\\(ga";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string section(std::string_view title) { return fmt::format(".SH {}\n", title); }

std::string option_entry(const OptionWords& option) {
  std::string names;
  for (const std::string& name : option.names) names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", plain(name));
  if (!option.value.empty()) names += fmt::format(" \\fI{}\\fR", plain(option.value));
  return fmt::format(".TP\n{}\n{}\n", names, plain(option.description));
}

std::string argument_entry(const OptionWords& argument) {
  return fmt::format(".TP\n\\fI{}\\fR\n{}\n", plain(argument.names.front()), plain(argument.description));
}

std::string entries(const CommandWords& command) {
  std::string text;
  for (const OptionWords& argument : command.arguments) text += argument_entry(argument);
  for (const OptionWords& option : command.options) text += option_entry(option);
  return text;
}

// As it stands in --help: its columns are made with spaces.
std::string as_it_stands(std::string_view text) {
  while (text.starts_with('\n')) text.remove_prefix(1);
  while (text.ends_with('\n')) text.remove_suffix(1);
  std::string lines;
  std::istringstream all{std::string(text)};
  // An empty line is a request of its own in the middle of a page.
  for (std::string line; std::getline(all, line);) lines += line.empty() ? ".sp\n" : plain(line) + '\n';
  return fmt::format(".nf\n{}.fi\n", lines);
}

std::string command_section(const CommandWords& command) {
  std::string words;
  for (const OptionWords& argument : command.arguments)
    words += fmt::format(" {}{}{}", argument.required ? "" : "[", plain(argument.names.front()), argument.required ? "" : "]");
  for (const OptionWords& option : command.options) {
    if (option.required) words += fmt::format(" {} {}", plain(option.names.back()), plain(option.value));
  }
  std::string text = fmt::format(".SS \"warpbook {}{} [OPTION]...\"\n{}\n", plain(command.name), words, plain(command.description));
  text += entries(command);
  if (!command.footer.empty()) text += ".PP\n" + as_it_stands(command.footer);
  return text;
}

// The program's last words are paragraphs with a heading each.
std::string last_words(std::string_view footer) {
  std::string text;
  while (!footer.empty()) {
    const std::size_t end = footer.find("\n\n");
    const std::string_view paragraph = footer.substr(0, end);
    footer = end == std::string_view::npos ? std::string_view() : footer.substr(end + 2);
    if (paragraph.find_first_not_of('\n') == std::string_view::npos) continue;
    const bool codes = paragraph.find("Exit codes:") != std::string_view::npos;
    text += section(codes ? "EXIT STATUS" : "EXAMPLES") + as_it_stands(paragraph);
  }
  return text;
}

}  // namespace

std::string man_page(const CommandWords& program, std::string_view version, std::string_view date) {
  std::string text = fmt::format(".TH WARPBOOK 1 \"{}\" \"Warpbook {}\" \"User Commands\"\n", date, version);
  text += section("NAME") + "warpbook \\- a workbook that teaches CUDA\n";
  text += section("SYNOPSIS") + ".B warpbook\n";
  for (const OptionWords& argument : program.arguments) text += fmt::format(".RI [ {} ]\n", plain(argument.names.front()));
  text += ".br\n.B warpbook\n.I COMMAND\n.RI [ ARGUMENT ]...\n";
  text += section("DESCRIPTION") + plain(program.description) + '\n' + entries(program);
  text += section("COMMANDS");
  for (const CommandWords& command : program.commands) text += command_section(command);
  text += last_words(program.footer);
  text += surroundings;
  return text;
}

}  // namespace warpbook::app
