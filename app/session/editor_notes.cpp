#include "app/session/editor_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "gpu/finding_kinds.h"
#include "gpu/message.h"

namespace warpbook::app {
namespace {

bool in_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

/// The whole statement of a line, without its blanks.
void underline_line(EditorNote& note, const std::string& text) {
  const auto first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  if (first == std::string::npos) return;
  note.begin = first;
  note.end = last + 1;
}

/// The word at the compiler's caret.
void underline_word(EditorNote& note, const std::string& text, int column) {
  if (column <= 0 || static_cast<std::size_t>(column) > text.size()) return underline_line(note, text);
  note.begin = note.end = static_cast<std::size_t>(column) - 1;
  while (note.end < text.size() && in_word(text[note.end])) ++note.end;
  if (note.end == note.begin) ++note.end;
}

/// Where a launch stood that was stopped, unless a finding says so already.
void add_stop(std::vector<EditorNote>& notes, const Snapshot& ran, const std::vector<std::string>& lines) {
  const gpu::LaunchReport& report = ran.outcome->report;
  if (!report.stopped || report.stopped->line == 0 || report.stopped->line > lines.size()) return;
  if (ran.program && in_header(ran.program->headers, report.stopped->file)) return;
  const std::string message = say(report.message);
  for (const EditorNote& each : notes)
    if (each.message == message) return;
  EditorNote note;
  note.title = say("Stopped here");
  note.message = message;
  note.line = report.stopped->line - 1;
  underline_line(note, lines[note.line]);
  note.key = note.title + " " + lines[note.line];
  notes.push_back(std::move(note));
}

constexpr std::size_t most_open_at_first = 2;  // more would push the kernel out of sight

/// At the line that brings the header in, saying where in it.
void speak_of_header(EditorNote& note, const std::vector<std::string>& lines, const std::string& file, std::size_t line) {
  note.line = line_that_includes(lines, file);
  underline_line(note, lines[note.line]);
  note.message = file + " line " + std::to_string(line) + ": " + note.message;
}

}  // namespace

std::size_t line_that_includes(const std::vector<std::string>& lines, const std::string& header) {
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t words = lines[i].find_first_not_of(" \t#");
    if (lines[i].find('#') > words || lines[i].compare(std::min(words, lines[i].size()), 7, "include") != 0) continue;
    if (lines[i].find('"') == std::string::npos) continue;
    if (lines[i].find('"' + header + '"') != std::string::npos) return i;
    if (!first) first = i;
  }
  return first.value_or(0);
}

bool in_header(const std::vector<gpu::Header>& headers, const std::string& file) {
  return std::any_of(headers.begin(), headers.end(), [&](const gpu::Header& each) { return each.name == file; });
}

std::string finding_words(const gpu::Finding& finding, const gpu::LaunchReport& report) {
  const auto title = "title"_a = say(gpu::row_of(finding.kind).title);
  const auto line = "line"_a = finding.at.line;
  const auto message = "message"_a = say(finding.message);
  std::string words = finding.at.line == 0 ? say("{title}: {message}", title, message)
                      : finding.at.file.empty()
                          ? say("{title}, line {line}: {message}", title, line, message)
                          : say("{title}, {file} line {line}: {message}", title, "file"_a = finding.at.file, line, message);
  if (report.orders > 1) words += " " + say("Seen in {some} of {all} orders.", "some"_a = finding.orders, "all"_a = report.orders);
  return words;
}

std::vector<EditorNote> notes_of(const LessonState& state) {
  std::vector<EditorNote> notes;
  const auto& lines = state.text.lines();
  const std::string now = state.text.str();
  if (state.compiled && state.compiled->failure && state.compiled->text == now) {
    std::set<std::size_t> taken;
    for (const gpu::Diagnostic& problem : state.compiled->failure->diagnostics) {
      if (problem.severity != gpu::Diagnostic::Severity::error) continue;
      EditorNote note;
      note.title = say("Does not compile");
      note.message = problem.message;
      if (in_header(state.compiled->failure->headers, problem.file)) {
        speak_of_header(note, lines, problem.file, static_cast<std::size_t>(std::max(problem.line, 0)));
      } else {
        // An error past the last line ("expected a }") belongs to the last one.
        note.line = std::min<std::size_t>(problem.line > 0 ? static_cast<std::size_t>(problem.line) - 1 : 0, lines.size() - 1);
        underline_word(note, lines[note.line], problem.column);
      }
      if (!taken.insert(note.line).second) continue;
      note.key = "compiler " + std::to_string(note.line) + problem.message;
      notes.push_back(std::move(note));
    }
  } else if (const lessons::Outcome* outcome = state.observed(); outcome != nullptr && state.reported->text == now) {
    std::set<std::pair<std::size_t, gpu::FindingKind>> taken;
    for (const gpu::Finding& finding : outcome->report.findings) {
      const auto& program = state.reported->program;
      const bool elsewhere = program && in_header(program->headers, finding.at.file);
      if (finding.at.line == 0 || (!elsewhere && finding.at.line > lines.size())) continue;
      EditorNote note;
      note.kind = finding.kind;
      note.title = say(gpu::row_of(finding.kind).title);
      note.message = say(finding.message);
      if (outcome->report.orders > 1)
        note.message += " " + say("Seen in {some} of {all} orders.", "some"_a = finding.orders, "all"_a = outcome->report.orders);
      if (elsewhere) {
        speak_of_header(note, lines, finding.at.file, finding.at.line);
      } else {
        note.line = finding.at.line - 1;
        underline_line(note, lines[note.line]);
      }
      if (!taken.insert({note.line, finding.kind}).second) continue;
      note.key = note.title + " " + lines[note.line];
      notes.push_back(std::move(note));
    }
    add_stop(notes, *state.reported, lines);
  }
  for (std::size_t i = 0; i < notes.size(); ++i) notes[i].open_at_first = i < most_open_at_first;
  std::stable_sort(notes.begin(), notes.end(), [](const EditorNote& a, const EditorNote& b) { return a.line < b.line; });
  return notes;
}

}  // namespace warpbook::app
