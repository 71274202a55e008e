#include "app/commands/language_choice.h"

#include <array>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "gpu/language.h"
#include "gpu/message.h"
#include "lessons/catalog.h"

namespace warpbook::app {
namespace {

constexpr const char* variable = "WARPBOOK_LANGUAGE";

/// What stands behind --language. The words behind a command are the command's, and some a program's.
std::optional<std::string> language_option(int argc, const char* const* argv) {
  constexpr std::string_view option = "--language";
  constexpr std::array<std::string_view, 2> others{"--device", "--compiler"};
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (!word.starts_with("-")) return std::nullopt;
    if (word.starts_with(option) && word.substr(option.size()).starts_with("=")) return std::string(word.substr(option.size() + 1));
    if (word == option) return i + 1 < argc ? std::optional<std::string>(argv[i + 1]) : std::nullopt;
    if (word == others[0] || word == others[1]) ++i;
  }
  return std::nullopt;
}

}  // namespace

bool language_was_asked_for() {
  const char* const asked = std::getenv(variable);
  return asked != nullptr && *asked != '\0';
}

Result<void> choose_language(int argc, const char* const* argv) {
  if (const auto option = language_option(argc, argv)) setenv(variable, option->c_str(), 1);
  if (language_was_asked_for()) return speak(std::getenv(variable), lessons::language_directory());
  speak_as_the_desktop(lessons::language_directory());
  return {};
}

void add_language_option(CLI::App& program) {
  program
      .add_option_function<std::string>(
          "--language", [](const std::string&) {},  // choose_language() has heeded it
          say("in front of a command: the language of all sentences, such as en; otherwise the desktop's"))
      ->type_name("CODE");
}

}  // namespace warpbook::app
