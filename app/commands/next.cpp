#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/exit_code.h"
#include "app/commands/lesson_choice.h"
#include "app/commands/report_text.h"
#include "app/commands/standard_streams.h"
#include "gpu/message.h"
#include "lessons/catalog.h"
#include "lessons/exercise.h"
#include "lessons/progress.h"

namespace warpbook::app {
namespace {

/// What the learner has done of the course, as the window has kept it.
struct Standing {
  std::map<const lessons::Lesson*, std::vector<lessons::StageDone>> stages;  // of the lessons that count
  std::set<std::string> passed;                                              // exercises
  const lessons::Lesson* last = nullptr;                                     // that was open when the window was closed

  [[nodiscard]] bool done(const lessons::Lesson& lesson) const {
    const auto found = stages.find(&lesson);
    return found != stages.end() && lessons::all_done(found->second);
  }
  [[nodiscard]] std::size_t count_done() const {
    return static_cast<std::size_t>(std::count_if(stages.begin(), stages.end(), [&](const auto& one) { return done(*one.first); }));
  }
};

Result<Standing> read_standing(const lessons::Progress& progress) {
  Standing standing;
  auto passed = progress.passed();
  if (!passed) return failure(passed.error());
  standing.passed = std::move(*passed);
  for (const lessons::Lesson* lesson : lessons::all_lessons()) {
    if (!lessons::counts(*lesson)) continue;
    const auto text = lessons::page_text(*lesson);
    if (!text) return failure(text.error());
    const auto page = lessons::parse_page(*text, *lesson);
    if (!page) return failure(page.error());
    const auto kept = progress.load(*lesson);
    if (!kept) return failure(kept.error());
    standing.stages[lesson] = lessons::stages_of(*page, lessons::done_of(*page, *kept, standing.passed));
  }
  const auto desk = progress.load_desk();
  if (!desk) return failure(desk.error());
  standing.last = lessons::find_lesson(desk->lesson);
  return standing;
}

/// The lesson that was open last while it is not done; else the one that the window leads to from there. nullptr: all are done.
const lessons::Lesson* next_of(const Standing& standing) {
  const lessons::Lesson* here =
      standing.last != nullptr && standing.last->exercise != nullptr ? standing.last->exercise->lesson : standing.last;
  if (here == nullptr || !lessons::counts(*here)) here = lessons::all_lessons().front();
  if (!standing.done(*here)) return here;
  return lessons::next_lesson(*here, [&](const lessons::Lesson& each) { return standing.done(each); });
}

void print_as_json(const Standing& standing, const lessons::Lesson* next) {
  nlohmann::ordered_json json{{"lessons_done", standing.count_done()}, {"lessons", standing.stages.size()}, {"next", nullptr}};
  if (next != nullptr) {
    nlohmann::ordered_json stages = nlohmann::ordered_json::object(), exercises = nlohmann::ordered_json::array();
    for (const lessons::StageDone& stage : standing.stages.at(next)) stages[std::string(stage.name)] = stage.done;
    for (const lessons::Exercise* exercise : lessons::exercises_of(*next)) {
      exercises.push_back({{"id", exercise->id}, {"title", exercise->title}, {"passed", standing.passed.contains(exercise->id)}});
    }
    json["next"] = {{"id", next->id}, {"title", next->title}, {"stages", stages}, {"exercises", exercises}};
  }
  print_out("{}\n", dump(json, 2));
}

void print_as_text(const Standing& standing, const lessons::Lesson* next) {
  print_out("{}\n", say("{done} of {all} lessons are done.", "done"_a = standing.count_done(), "all"_a = standing.stages.size()));
  if (next == nullptr) return print_out("{}\n", say("Now your own kernels: 'warpbook mine.cu' opens one in the playground."));
  print_out("\nNext: {}\n", heading_of(*next));
  std::vector<std::string_view> done, open;
  for (const lessons::StageDone& stage : standing.stages.at(next)) (stage.done ? done : open).push_back(stage.name);
  if (!done.empty()) print_out("    done   {}\n", fmt::join(done, ", "));
  print_out("    to do  {}\n", fmt::join(open, ", "));
  for (const lessons::Exercise* exercise : lessons::exercises_of(*next)) {
    print_out("    exercise {:<14} {}: {}\n", exercise->id, exercise->title,
              standing.passed.contains(exercise->id) ? say("passed") : say("to do"));
  }
  print_out("\n{}\n", say("'warpbook' opens the workbook where you left it."));
}

}  // namespace

void add_next(CLI::App& program, int& exit_code) {
  auto* const command = program.add_subcommand("next", say("the lesson to go on with, and how much of the course is done"));
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, say("one JSON object instead of text"));
  command->callback([json, &exit_code] {
    const std::filesystem::path folder = lessons::progress_directory();
    if (folder.empty()) {
      exit_code = complain(exit_missing, say("nobody knows where your progress is kept: set HOME to your home folder."));
      return;
    }
    const auto standing = read_standing(lessons::Progress(folder));
    if (!standing) {
      exit_code = complain(standing.error());
      return;
    }
    const lessons::Lesson* const next = next_of(*standing);
    if (*json)
      print_as_json(*standing, next);
    else
      print_as_text(*standing, next);
    exit_code = exit_clean;
  });
}

}  // namespace warpbook::app
