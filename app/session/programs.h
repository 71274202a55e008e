// Programs: the state of the page for whole programs (lessons/programs.h): the program that is typed and runs, and the record that
// is looked at.
//
//     auto words = words_of("python3 'my heat.py' 64");    // as a shell takes them apart
//     take_record(session, "/tmp/run.record");             // its launches are on the page from now on
//     choose_launch(session, 3);                           // the editor shows its source
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/result.h"

namespace warpbook::app {

struct Session;

/// The program that is run, or was.
struct ProgramState {
  std::string line;     // as typed: the program and its arguments
  bool observe = true;  // look for mistakes in every launch
  bool running = false;
  double seconds = 0;         // since it began
  std::string output;         // so far, standard output and error together
  std::string problem;        // why it did not run, or why a file could not be opened; empty: no problem
  float scroll_launches = 0;  // screen pixels
  bool bring_launch = false;  // the chosen launch is brought into sight in the list, for one frame
};

/// A program and its arguments: words apart by spaces, those in quotes together. The error says what is not closed.
[[nodiscard]] Result<std::vector<std::string>> words_of(std::string_view line);
/// The words as such a line.
[[nodiscard]] std::string line_of(const std::vector<std::string>& words);

/// Whether the page for whole programs is open.
[[nodiscard]] bool shows_program(const Session& session);
/// Whether there is a record with a launch to look at.
[[nodiscard]] bool has_launches(const Session& session);
/// The file that the editor shows: the lesson's kernel, or the source of the program's launch.
[[nodiscard]] std::string shown_file(const Session& session);

/// The record is what the open page, which is the one for programs, shows from now on: at its first launch with a finding, else at
/// its first.
void take_record(Session& session, const std::filesystem::path& file);
/// Number from 1.
void choose_launch(Session& session, int number);

}  // namespace warpbook::app
