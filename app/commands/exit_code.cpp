#include "app/commands/exit_code.h"

#include <fmt/format.h>

#include <cstdio>

#include "app/commands/report_text.h"
#include "app/commands/standard_streams.h"
#include "gpu/shown_text.h"

namespace warpbook::app {

int exit_code_of(const Error& error) {
  if (error.code == "compile_error") return exit_compile_error;
  if (error.code.starts_with("cudaError") || error.code == "cancelled") return exit_launch_failed;
  if (error.code == "no_nvrtc" || error.code == "missing_device" || error.code == "no_opengl" || error.code == "no_display" ||
      error.code == "write_failed" || error.code == "no_registers") {
    return exit_missing;
  }
  return exit_usage;
}

int complain(const Error& error) { return complain(exit_code_of(error), error.message); }

int complain(int exit_code, std::string_view sentence) {
  print_err("warpbook: {}\n", in_sentences(sentence));
  return exit_code;
}

int complain(const gpu::CompileFailure& failure, std::string_view source) {
  for (const gpu::Diagnostic& diagnostic : failure.diagnostics)
    print_err("{}", diagnostic_text(diagnostic, {source, failure.headers}));
  return complain(failure.reason == gpu::CompileFailure::Reason::no_compiler ? exit_missing : exit_compile_error, failure.message);
}

}  // namespace warpbook::app
