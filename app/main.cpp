// Warpbook. In order: the compiler's child process, if that is what was started; a command, if one was given; else the window. A
// kernel that never ends must not keep the program from ending, and what did not reach its reader is no success: end_program().
#include "app/commands/command_line.h"
#include "app/commands/open_workbook.h"
#include "app/commands/standard_streams.h"
#include "gpu/compiler.h"
#include "gpu/compiler_store.h"

int main(int argc, char** argv) {
  warpbook::gpu::run_compiler_child_if_asked(argc, argv);
  warpbook::app::hold_standard_streams();
  warpbook::gpu::keep_compiled_in(warpbook::gpu::usual_compiled_folder());
  if (const auto exit_code = warpbook::app::run_command_line(argc, argv)) return warpbook::app::end_program(*exit_code);
  return warpbook::app::end_program(warpbook::app::open_workbook());
}
