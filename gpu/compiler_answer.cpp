#include "gpu/compiler_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "gpu/compiler_log.h"
#include "gpu/device_variables.h"
#include "gpu/host_launch.h"
#include "gpu/kernel_signatures.h"
#include "gpu/program_limits.h"

namespace warpbook::gpu {
namespace {

bool is_error(const Diagnostic& diagnostic) { return diagnostic.severity == Diagnostic::Severity::error; }

/// Demangled names include default template arguments: for scale<float>, the kernel's name is scale<float, 2>. If it is
/// unambiguous, the kernel gets the name that was asked for.
void name_as_asked(std::vector<Kernel>& kernels, const std::vector<std::string>& asked) {
  for (const std::string& each : asked) {
    const std::string name = normalised(each);
    if (!name.ends_with('>')) continue;
    const std::string longer = name.substr(0, name.size() - 1) + ", ";
    const auto is_meant = [&](const Kernel& kernel) { return kernel.name.starts_with(longer); };
    const auto meant = std::find_if(kernels.begin(), kernels.end(), is_meant);
    const bool taken = std::any_of(kernels.begin(), kernels.end(), [&](const Kernel& kernel) { return kernel.name == name; });
    if (!taken && meant != kernels.end() && std::find_if(meant + 1, kernels.end(), is_meant) == kernels.end()) meant->name = name;
  }
}

}  // namespace

std::uint64_t next_program_id() {
  static std::atomic<std::uint64_t> id{0};
  return ++id;
}

tl::unexpected<CompileFailure> failed(CompileFailure::Reason reason, std::string message) {
  return tl::unexpected(CompileFailure{reason, std::move(message), {}, {}});
}

std::string too_much_memory_sentence(const std::string& file, std::size_t max_bytes) {
  return fmt::format(
      "Compiling {} needed more than {} MiB of memory and was stopped. Look for templates that instantiate themselves or very "
      "large constant tables.",
      file, max_bytes >> 20);
}

Compiled program_from(const SourceAndHeaders& whole, const std::vector<std::string>& instantiate, CompileAnswer answer,
                      const ChildHello& hello, Tool tool, std::size_t max_bytes, double compile_ms) {
  const Source& source = whole.source;
  const std::string name = plain_name(source.file);
  std::string log = hide_paths(std::move(answer.log), hello.hidden_paths);
  if (tool == Tool::nvrtc && !whole.local.found.empty()) log = with_own_names(std::move(log));
  std::vector<Diagnostic> diagnostics = parse_diagnostics(log, name, source.file, whole.local.found);
  const bool starved =
      std::any_of(diagnostics.begin(), diagnostics.end(), [](const Diagnostic& d) { return d.message == "out of memory"; });
  if (answer.status == CompileAnswer::Status::out_of_memory || starved)
    return failed(CompileFailure::Reason::too_much_memory, too_much_memory_sentence(source.file, max_bytes));
  if (answer.status != CompileAnswer::Status::ok) {
    CompileFailure failure{CompileFailure::Reason::source, whole.explain(diagnostics), std::move(diagnostics), log,
                           whole.local.found};
    if (std::none_of(failure.diagnostics.begin(), failure.diagnostics.end(), is_error))
      failure.message = without_diagnostics(source.file, log);
    return tl::unexpected(std::move(failure));
  }

  auto program = std::make_shared<Program>();
  program->id = next_program_id();
  program->source = source;
  program->architecture = answer.architecture;
  program->machine_code = std::move(answer.cubin);
  program->compile_ms = compile_ms;
  program->compiler = fmt::format("{} {}", name_of(tool), hello.version);
  std::vector<std::pair<std::string, std::string>> instantiated;
  for (std::size_t i = 0; i < instantiate.size() && i < answer.lowered_names.size(); ++i)
    instantiated.emplace_back(instantiate[i], answer.lowered_names[i]);
  program->headers = whole.local.found;
  program->ptx = with_own_file_names(hide_paths(std::move(answer.ptx), hello.hidden_paths), name, source.file, program->headers);
  const std::string joined = whole.joined();
  program->kernels = list_kernels(program->ptx, joined, instantiated);
  if (runs_program(tool)) name_as_asked(program->kernels, source.instantiate);
  program->variables = list_variables(program->ptx, joined);
  if (auto too_many = too_many_constants(whole, *program, diagnostics, log)) return tl::unexpected(std::move(*too_many));
  program->launches =
      std::make_shared<const std::vector<HostLaunch>>(host_launches(source.text, whole.header_texts(), source.defines));

  const auto usage = parse_resource_usage(log);
  for (Kernel& kernel : program->kernels) {
    const auto found = usage.find(kernel.entry);
    if (found == usage.end() && tool == Tool::clang) {  // there is no assembler that would have refused it
      if (auto too_much = too_much_shared(whole, *program, kernel, kernel.shared_bytes, diagnostics, log))
        return tl::unexpected(std::move(*too_much));
    }
    if (found == usage.end()) continue;
    if (!answer.machine_code) {
      if (auto too_much = too_much_shared(whole, *program, kernel, found->second.shared_bytes, diagnostics, log))
        return tl::unexpected(std::move(*too_much));
    }
    kernel.shared_bytes = found->second.shared_bytes;
    kernel.local_bytes = found->second.stack_bytes;
    if (!answer.machine_code) continue;
    kernel.registers = found->second.registers;
    kernel.spill_bytes = found->second.spill_bytes;
  }
  program->warnings = std::move(diagnostics);
  return program;
}

}  // namespace warpbook::gpu
