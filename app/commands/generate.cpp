// `warpbook generate`: what an installation needs and the sources need not hold, since the parser's definitions say it all. It is
// for the build, and hidden from --help.
#include <CLI/App.hpp>
#include <memory>
#include <string>

#include "app/commands/command_words.h"
#include "app/commands/commands.h"
#include "app/commands/exit_code.h"
#include "app/commands/standard_streams.h"
#include "lessons/catalog.h"
#include "lessons/exercise.h"

namespace warpbook::app {
namespace {

Result<KnownNames> known_names() {
  KnownNames names;
  for (const lessons::Lesson* const lesson : lessons::all_lessons()) names.lessons.push_back(lesson->id);
  const auto& exercises = lessons::all_exercises();
  if (!exercises) return failure(exercises.error());
  for (const lessons::Exercise& exercise : *exercises) names.exercises.push_back(exercise.id);
  return names;
}

int generate(const CLI::App& program, const std::string& what, const std::string& date) {
  const CommandWords words = command_words(program);
  if (what == "man") {
    print_out("{}", man_page(words, WARPBOOK_VERSION, date));
    return exit_clean;
  }
  const auto names = known_names();
  if (!names) return complain(names.error());
  const auto completion = what == "bash" ? bash_completion : what == "zsh" ? zsh_completion : fish_completion;
  print_out("{}", completion(words, *names));
  return exit_clean;
}

}  // namespace

void add_generate(CLI::App& program, int& exit_code) {
  auto* const command = program.add_subcommand("generate", "the man page, or a shell's completions, on standard output");
  command->group("");
  auto what = std::make_shared<std::string>();
  auto date = std::make_shared<std::string>();
  command->add_option("WHAT", *what, "man, bash, zsh or fish")->required()->check(CLI::IsMember({"man", "bash", "zsh", "fish"}));
  command->add_option("--date", *date, "what the man page says it is from")->type_name("YYYY-MM-DD");
  command->callback([&program, what, date, &exit_code] { exit_code = generate(program, *what, *date); });
}

}  // namespace warpbook::app
