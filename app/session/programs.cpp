#include "app/session/programs.h"

#include <algorithm>

#include "app/session/session.h"
#include "gpu/message.h"
#include "lessons/programs.h"

namespace warpbook::app {

Result<std::vector<std::string>> words_of(std::string_view line) {
  std::vector<std::string> words;
  bool inside = false;  // of a word
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char each = line[i];
    if (quote == 0 && (each == ' ' || each == '\t')) {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    if (quote == 0 && (each == '"' || each == '\''))
      quote = each;
    else if (each == quote)
      quote = 0;
    else if (each == '\\' && quote != '\'' && i + 1 < line.size())
      words.back() += line[++i];
    else
      words.back() += each;
  }
  if (quote != 0) return failure("usage", say("A quotation mark ({mark}) is not closed.", "mark"_a = quote));
  return words;
}

std::string line_of(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    if (!word.empty() && word.find_first_of(" \t\"'\\") == std::string::npos) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char each : word) line += each == '\'' ? std::string("'\\''") : std::string(1, each);
    line += '\'';
  }
  return line;
}

bool shows_program(const Session& session) { return session.open == &lessons::programs(); }

bool has_launches(const Session& session) {
  const auto open = lessons::record_of(session.lesson().values);
  return open.record && !open.record->launches.empty();
}

std::string shown_file(const Session& session) {
  if (!shows_program(session)) return session.open->kernel_file;
  const lessons::Values& values = session.lesson().values;
  const auto open = lessons::record_of(values);
  return open.record ? lessons::source_name(*open.record, lessons::launch_in(values)) : std::string();
}

namespace {

void show_source(LessonState& state) {
  const auto open = lessons::record_of(state.values);
  const std::string text = open.record ? lessons::source_text(*open.record, lessons::launch_in(state.values)) : std::string();
  state.stepper.open = false;
  if (text == state.shipped) return;
  state.shipped = text;
  state.text.assign(text);
  state.editor_scroll_x = state.editor_scroll_y = 0;
  state.program.reset();
  state.compiled.reset();
}

}  // namespace

void take_record(Session& session, const std::filesystem::path& file) {
  LessonState& state = session.lesson();
  state.values.set_text(lessons::record_key, file.string());
  state.latest.reset();
  state.reported.reset();
  state.shown.reset();
  state.inside.reset();
  state.reference.reset();
  state.past.clear();
  state.stepper = {};
  int first = 1;
  if (const auto open = lessons::record_of(state.values); open.record) {
    const auto& launches = open.record->launches;
    const auto found = std::find_if(launches.begin(), launches.end(), [](const gpu::RecordedLaunch& launch) {
      return !launch.findings.empty() && launch.left_out.empty();
    });
    if (found != launches.end()) first = static_cast<int>(found - launches.begin()) + 1;
    session.program.line = line_of(open.record->words);
    session.program.output = open.record->output;
  }
  state.values.set_text(lessons::launch_key, std::to_string(first));
  session.program.bring_launch = true;
  state.program.reset();
  state.compiled.reset();
  show_source(state);
}

void choose_launch(Session& session, int number) {
  LessonState& state = session.lesson();
  state.values.set_text(lessons::launch_key, std::to_string(number));
  session.program.bring_launch = true;
  show_source(state);
}

}  // namespace warpbook::app
