// Standard input, output and error of a command: what it prints, and whether that arrived.
//
//     hold_standard_streams();                          // first of all
//     print_out("{} lessons\n", count);                 // as fmt::print, which would throw where the disk is full
//     print_err("warpbook: {}\n", sentence);
//     return exit_code_of_output(exit_code);            // last of all: 5 where something that was printed did not arrive
//
// Nothing that becomes of a stream ends the program by a signal: not a reader that leaves (SIGPIPE), nor a limit on the size of
// files (SIGXFSZ), nor a stream that was closed before the program began.
#pragma once

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace warpbook::app {

/// A stream that is closed gets a descriptor that refuses every byte, so that no file of ours is opened in its place and printed
/// into. Programs that are started from here get the signals back as they were.
void hold_standard_streams();

void write_out(std::string_view text);
void write_err(std::string_view text);
void flush_out();  // what was written so far is to be seen now

template <class... Values>
void print_out(fmt::format_string<Values...> format, Values&&... values) {
  write_out(fmt::format(format, std::forward<Values>(values)...));
}
template <class... Values>
void print_err(fmt::format_string<Values...> format, Values&&... values) {
  write_err(fmt::format(format, std::forward<Values>(values)...));
}

/// Writes out what is still kept back. Where all of it arrived, the code that is given. Else 5, with a sentence to standard error;
/// without one where whoever read it has left, as `head` does when it has seen enough.
[[nodiscard]] int exit_code_of_output(int exit_code);

}  // namespace warpbook::app
