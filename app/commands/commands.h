// The commands of the command line: each adds itself to the parser and leaves its exit code behind. One file a command.
//
//     CLI::App program;
//     int exit_code = 0;
//     add_launch(program, exit_code);
//
// To add one: write add_NAME in a file of its own, declare it here, call it in command_line.cpp. It prints by standard_streams.h;
// what it is going to write it has looked at by outputs.h before it works, and writes by gpu/output_file.h.
#pragma once

#include <CLI/App.hpp>

namespace warpbook::app {

void add_list(CLI::App& program, int& exit_code);
void add_next(CLI::App& program, int& exit_code);
void add_run(CLI::App& program, int& exit_code);
void add_check(CLI::App& program, int& exit_code);
void add_sweep(CLI::App& program, int& exit_code);
void add_launch(CLI::App& program, int& exit_code);
void add_exec(CLI::App& program, int& exit_code);
void add_cc(CLI::App& program, int& exit_code);
void add_nvcc(CLI::App& program, int& exit_code);
void add_devices(CLI::App& program, int& exit_code);
void add_doctor(CLI::App& program, int& exit_code);
void add_picture(CLI::App& program, int& exit_code);
void add_export(CLI::App& program, int& exit_code);
void add_generate(CLI::App& program, int& exit_code);  // hidden

}  // namespace warpbook::app
