#include "gpu/program_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

#include "gpu/device_variables.h"

namespace warpbook::gpu {
namespace {

constexpr std::uint32_t static_shared_limit = 48 * 1024;  // CUDA's limit for __shared__ variables on every architecture
constexpr std::uint64_t constant_limit = 64 * 1024;  // CUDA's limit for a program's __constant__ variables on every architecture

/// The line of the first `name (`, which is most likely the kernel's declaration. 0: not found.
int line_of_kernel(std::string_view source, const std::string& kernel) {
  const std::string whole = kernel.substr(0, kernel.find('<'));
  const std::size_t scope = whole.rfind("::");
  const std::string name = scope == std::string::npos ? whole : whole.substr(scope + 2);
  for (std::size_t at = source.find(name + '('); at != std::string_view::npos; at = source.find(name + '(', at + 1))
    if (at == 0 || std::isalnum(static_cast<unsigned char>(source[at - 1])) == 0)
      return 1 + static_cast<int>(std::count(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  return 0;
}

std::string constants_sentence(std::uint64_t bytes, const Variable* largest) {
  return fmt::format(
      "the __constant__ variables take {} bytes in all, and CUDA has {} for them.{} Make them smaller, or pass what is "
      "large to the kernel as an array.",
      bytes, constant_limit,
      largest == nullptr ? "" : fmt::format(" The largest is {} with {} bytes.", largest->array.name, largest->array.bytes()));
}

/// The first line with `__constant__` and this name. 0: not found.
int line_of_constant(std::string_view source, std::string_view variable) {
  const std::size_t scope = variable.rfind("::");
  const std::string_view name = scope == std::string_view::npos ? variable : variable.substr(scope + 2);
  int line = 1;
  for (std::size_t at = 0; at < source.size(); ++line) {
    const std::size_t end = std::min(source.find('\n', at), source.size());
    const std::string_view words = source.substr(at, end - at);
    if (words.find("__constant__") != std::string_view::npos && words.find(name) != std::string_view::npos) return line;
    at = end + 1;
  }
  return 0;
}

std::string shared_memory_sentence(const Kernel& kernel, std::uint32_t bytes) {
  return fmt::format(
      "{} declares {} bytes of __shared__ variables; CUDA allows {} a block. Make the array smaller, or use dynamic shared memory "
      "(extern __shared__), which may be larger on newer GPUs.",
      kernel.name, bytes, static_shared_limit);
}

/// Adds an error to those of the compile. It is placed in the first file for which `line_in` finds a line.
template <class LineIn>
CompileFailure refused(const SourceAndHeaders& whole, const Program& program, const std::vector<Diagnostic>& diagnostics,
                       const std::string& log, std::string sentence, const LineIn& line_in) {
  CompileFailure failure{CompileFailure::Reason::source, {}, diagnostics, log, program.headers};
  Diagnostic error{Diagnostic::Severity::error, whole.source.file, line_in(whole.source.text), 0, std::move(sentence)};
  for (const Header& header : program.headers) {
    if (error.line > 0) break;
    error.line = line_in(header.text);
    if (error.line > 0) error.file = header.name;
  }
  failure.diagnostics.insert(failure.diagnostics.begin(), std::move(error));
  failure.message = whole.explain(failure.diagnostics);
  return failure;
}

}  // namespace

std::string problem_of_text(const Source& source) {
  const std::string& text = source.text;
  if (text.size() > most_source_bytes) return too_large_sentence(source.file, text.size(), most_source_bytes);
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
    return fmt::format("{} is saved as UTF-16, which the compiler does not read. Save it as UTF-8.", source.file);
  const std::size_t zero = text.find('\0');
  if (zero == std::string::npos) return {};
  return fmt::format(
      "{} line {}: a zero byte stands here, and the compiler would read nothing behind it. Is this a text? Take the byte "
      "out.",
      source.file, 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(zero), '\n'));
}

std::optional<CompileFailure> too_many_constants(const SourceAndHeaders& whole, const Program& program,
                                                 const std::vector<Diagnostic>& diagnostics, const std::string& log) {
  const std::uint64_t bytes = constant_bytes(program.ptx);
  if (bytes <= constant_limit) return std::nullopt;
  const Variable* largest = nullptr;
  for (const Variable& variable : program.variables)
    if (variable.constant && (largest == nullptr || variable.array.bytes() > largest->array.bytes())) largest = &variable;
  return refused(whole, program, diagnostics, log, constants_sentence(bytes, largest),
                 [&](std::string_view text) { return largest == nullptr ? 0 : line_of_constant(text, largest->array.name); });
}

std::optional<CompileFailure> too_much_shared(const SourceAndHeaders& whole, const Program& program, const Kernel& kernel,
                                              std::uint32_t bytes, const std::vector<Diagnostic>& diagnostics,
                                              const std::string& log) {
  if (bytes <= static_shared_limit) return std::nullopt;
  return refused(whole, program, diagnostics, log, shared_memory_sentence(kernel, bytes),
                 [&](std::string_view text) { return line_of_kernel(text, kernel.name); });
}

}  // namespace warpbook::gpu
