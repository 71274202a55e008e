#include "gpu/compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <list>
#include <mutex>
#include <span>
#include <unordered_map>

#include "gpu/compiler_log.h"
#include "gpu/compiler_process.h"
#include "gpu/compiler_protocol.h"
#include "gpu/device_side.h"
#include "gpu/kernel_signatures.h"
#include "gpu/local_headers.h"

namespace warpbook::gpu {
namespace {

using Clock = std::chrono::steady_clock;
using Compiled = tl::expected<ProgramPtr, CompileFailure>;

// Enough for every kernel of the workbook and a session's edits; a program is a few hundred kilobytes at most.
constexpr std::size_t cached_programs = 64;
constexpr std::size_t most_single_launches = 8;
constexpr std::size_t most_missing_headers = 16;          // of one source; each costs a compile that ends at once
constexpr std::uint32_t static_shared_limit = 48 * 1024;  // CUDA's, on every architecture, for __shared__ variables

std::uint64_t next_program_id() {
  static std::atomic<std::uint64_t> id{0};
  return ++id;
}

tl::unexpected<CompileFailure> failed(CompileFailure::Reason reason, std::string message) {
  return tl::unexpected(CompileFailure{reason, std::move(message), {}, {}});
}

Clock::duration seconds(double count) { return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(count)); }

/// The file's own name in characters that NVRTC's messages cannot be misread for.
std::string plain_name(const std::string& file) {
  std::string name = std::filesystem::path(file).filename().string();
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '_' && c != '-') c = '_';
  return name.empty() ? "kernel.cu" : name;
}

/// A source and the headers of its folder: all that is compiled.
struct Whole {
  const Source& source;
  LocalHeaders local;

  [[nodiscard]] const LocalHeaders* looked() const { return source.folder.empty() ? nullptr : &local; }
  [[nodiscard]] std::string explain(const std::vector<Diagnostic>& diagnostics) const {
    return gpu::explain(diagnostics, source.file, source.text, looked());
  }
  /// One after the other, for those who read declarations.
  [[nodiscard]] std::string joined() const {
    std::string text = source.text;
    for (const Header& header : local.found) text += '\n' + header.text;
    return text;
  }
};

/// What goes to the child: the source's text first, then its headers', as they are or without what is the host's.
using Texts = std::vector<std::string>;

Texts texts_of(const Whole& whole) {
  Texts texts{whole.source.text};
  for (const Header& header : whole.local.found) texts.push_back(header.text);
  return texts;
}

/// Of a source that copies asynchronously, perhaps another one than that of its machine code; else 0.
int ptx_architecture(const Texts& texts, const CompileOptions& options) {
  if (options.copies_architecture <= options.architecture) return 0;
  // __pipeline_memcpy_async, cooperative_groups::memcpy_async, cuda::memcpy_async, in a macro perhaps.
  const bool copies = std::ranges::any_of(texts, [](const std::string& text) { return text.find("memcpy_async") != text.npos; });
  return copies ? options.copies_architecture : 0;
}

std::string cache_key(const Whole& whole, const CompileOptions& options) {
  const Source& source = whole.source;
  Writer writer;
  writer(source.file, source.text, source.instantiate, options.architecture, options.copies_architecture, options.resource_usage,
         options.line_info);
  writer(source.folder.string(), std::uint64_t{whole.local.found.size()}, std::uint64_t{whole.local.refused.size()});
  for (const Header& header : whole.local.found) writer(header.name, header.text);
  for (const auto& [name, why] : whole.local.refused) writer(name, why);
  for (const auto& [name, value] : source.defines) writer(name, value);
  return writer.bytes();
}

// `.file 1 "/add.cu"` names the working directory; the learner's files get their own names back. The others are the toolkit's,
// whose folder is hidden: "/include/cub/cub.cuh" (source_positions.h).
std::string with_own_file_names(std::string ptx, const std::string& name, const std::string& file,
                                std::span<const Header> headers) {
  std::string escaped;
  for (const char c : file) escaped += c == '"' || c == '\\' || c == '\n' ? '_' : c;
  for (std::size_t at = ptx.find(".file"); at != std::string::npos; at = ptx.find(".file", at + 1)) {
    const std::size_t open = ptx.find('"', at), line = std::min(ptx.find('\n', at), ptx.size());
    if (open >= line) continue;
    const std::size_t close = ptx.find('"', open + 1);
    if (close >= line) continue;
    const std::string_view path = std::string_view(ptx).substr(open + 1, close - open - 1);
    const auto own = std::find_if(headers.begin(), headers.end(), [&](const Header& header) {
      return path.starts_with('/') && path.substr(1) == name_for_compiler(header.name);
    });
    if (own != headers.end())
      ptx.replace(open + 1, path.size(), own->name);
    else if (path.ends_with('/' + name))
      ptx.replace(open + 1, path.size(), escaped);
    else
      ptx.insert(open + 1, path.starts_with('/') ? "/include" : "/include/");
  }
  return ptx;
}

// The line of the first `name (`, where the kernel of that name is most likely declared; 0 where there is none.
int line_of(std::string_view source, const std::string& kernel) {
  const std::string whole = kernel.substr(0, kernel.find('<'));
  const std::size_t scope = whole.rfind("::");
  const std::string name = scope == std::string::npos ? whole : whole.substr(scope + 2);
  for (std::size_t at = source.find(name + '('); at != std::string_view::npos; at = source.find(name + '(', at + 1))
    if (at == 0 || std::isalnum(static_cast<unsigned char>(source[at - 1])) == 0)
      return 1 + static_cast<int>(std::count(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  return 0;
}

std::string shared_memory_sentence(const Kernel& kernel, std::uint32_t bytes) {
  return fmt::format(
      "{} declares {} bytes of __shared__ variables; CUDA allows {} a block. Make the array smaller, or use dynamic shared memory "
      "(extern __shared__), which may be larger on newer GPUs.",
      kernel.name, bytes, static_shared_limit);
}

std::string too_much_memory_sentence(const std::string& file, std::size_t max_bytes) {
  return fmt::format(
      "Compiling {} needed more than {} MiB of memory and was stopped. Look for templates that instantiate themselves or very "
      "large "
      "constant tables.",
      file, max_bytes >> 20);
}

Compiled program_from(const Whole& whole, const std::vector<std::string>& instantiate, CompileAnswer answer,
                      const ChildHello& hello, std::size_t max_bytes, double compile_ms) {
  const Source& source = whole.source;
  const std::string name = plain_name(source.file);
  std::string log = hide_paths(std::move(answer.log), hello.hidden_paths);
  if (!whole.local.found.empty()) log = with_own_names(std::move(log));
  std::vector<Diagnostic> diagnostics = parse_diagnostics(log, name, source.file, whole.local.found);
  const bool starved =
      std::any_of(diagnostics.begin(), diagnostics.end(), [](const Diagnostic& d) { return d.message == "out of memory"; });
  if (answer.status == CompileAnswer::Status::out_of_memory || starved)
    return failed(CompileFailure::Reason::too_much_memory, too_much_memory_sentence(source.file, max_bytes));
  if (answer.status != CompileAnswer::Status::ok) {
    CompileFailure failure{CompileFailure::Reason::source, whole.explain(diagnostics), std::move(diagnostics), log,
                           whole.local.found};
    if (answer.status == CompileAnswer::Status::internal && failure.diagnostics.empty() && !log.empty())
      failure.message = fmt::format("{} could not be compiled: {}", source.file, log.substr(0, log.find('\n')));
    return tl::unexpected(std::move(failure));
  }

  auto program = std::make_shared<Program>();
  program->id = next_program_id();
  program->source = source;
  program->architecture = answer.architecture;
  program->compile_ms = compile_ms;
  std::vector<std::pair<std::string, std::string>> instantiated;
  for (std::size_t i = 0; i < instantiate.size() && i < answer.lowered_names.size(); ++i)
    instantiated.emplace_back(instantiate[i], answer.lowered_names[i]);
  program->headers = whole.local.found;
  program->ptx = with_own_file_names(hide_paths(std::move(answer.ptx), hello.hidden_paths), name, source.file, program->headers);
  program->kernels = list_kernels(program->ptx, whole.joined(), instantiated);

  const auto usage = parse_resource_usage(log);
  for (Kernel& kernel : program->kernels) {
    const auto found = usage.find(kernel.entry);
    if (found == usage.end()) continue;
    if (found->second.shared_bytes > static_shared_limit && !answer.machine_code) {
      CompileFailure failure{CompileFailure::Reason::source, {}, std::move(diagnostics), log, program->headers};
      Diagnostic too_much{Diagnostic::Severity::error, source.file, line_of(source.text, kernel.name), 0,
                          shared_memory_sentence(kernel, found->second.shared_bytes)};
      for (const Header& header : program->headers) {
        if (too_much.line > 0) break;
        too_much.line = line_of(header.text, kernel.name);
        if (too_much.line > 0) too_much.file = header.name;
      }
      failure.diagnostics.insert(failure.diagnostics.begin(), std::move(too_much));
      failure.message = whole.explain(failure.diagnostics);
      return tl::unexpected(std::move(failure));
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

/// The header that could not be included; empty: something else was wrong.
std::string missing_header(const CompileFailure& failure) {
  for (const Diagnostic& each : failure.diagnostics) {
    const std::string name = each.message.find("open source file") != std::string::npos ? quoted_word(each.message) : std::string();
    if (!name.empty() && !name.starts_with('/')) return name;  // no program's header is named from the root
  }
  return {};
}

bool wants_a_declaration(std::string_view message) {
  for (const std::string_view words : {"incomplete type", "namespace name", "not a template", "does not apply here"})
    if (message.find(words) != std::string_view::npos) return true;
  return false;
}

/// The device's side of a source and of its headers.
struct DeviceSides {
  std::vector<std::string> files;  // as diagnostics name them
  std::vector<DeviceSide> of;

  DeviceSides(const Whole& whole, const std::vector<std::string>& missing) {
    std::vector<std::string_view> texts{whole.source.text};
    for (const Header& header : whole.local.found) texts.push_back(header.text);
    files.push_back(whole.source.file);
    for (const Header& header : whole.local.found) files.push_back(header.name);
    for (const std::string_view text : texts) of.push_back(device_side(text, missing, texts));
  }

  [[nodiscard]] Texts texts() const {
    Texts all;
    for (const DeviceSide& side : of) all.push_back(side.text);
    return all;
  }
  [[nodiscard]] bool nothing_left_out() const {
    return std::all_of(of.begin(), of.end(), [](const DeviceSide& side) { return side.left_out.empty(); });
  }
  [[nodiscard]] bool lacks(std::string_view word) const {
    return std::any_of(of.begin(), of.end(), [&](const DeviceSide& side) { return side.lacks(word); });
  }
  [[nodiscard]] bool any_kernel() const {
    return std::any_of(of.begin(), of.end(), [](const DeviceSide& s) { return s.text.find("__global__") != std::string::npos; });
  }
  [[nodiscard]] std::vector<std::string> launches() const {
    std::vector<std::string> all;
    for (const DeviceSide& side : of) all.insert(all.end(), side.launches.begin(), side.launches.end());
    return all;
  }
  /// Whether the line was left out as something that no word of `wanted` names.
  [[nodiscard]] bool left_out(const Diagnostic& at, const std::vector<std::string>& wanted) const {
    const auto file = std::find(files.begin(), files.end(), at.file);
    if (file == files.end()) return false;
    const auto& out = of[static_cast<std::size_t>(file - files.begin())].left_out;
    return std::any_of(out.begin(), out.end(), [&](const DeviceSide::LeftOut& each) {
      return at.line >= each.line && at.line <= each.last_line &&
             std::none_of(wanted.begin(), wanted.end(), [&](const std::string& name) { return each.is(name); });
    });
  }
};

/// Why the device's code does not compile: what NVRTC said of it, and where that is for want of something that was left out, that.
/// `all`: what it said of all the source.
CompileFailure why_not(CompileFailure device, const CompileFailure& all, const DeviceSides& sides,
                       const std::vector<std::string>& missing, const Whole& whole) {
  std::vector<std::string> wanted;  // by the device's code
  for (Diagnostic& each : device.diagnostics) {
    if (each.message.find("namespace \"std\" has no member") != std::string::npos && !missing_header(all).empty()) return all;
    const std::string name = each.message.ends_with("is undefined") ? quoted_word(each.message) : std::string();
    if (name.empty() && !wants_a_declaration(each.message)) continue;
    if (sides.lacks(name)) {
      wanted.push_back(name);
      each.message = host_function_sentence(name);
    } else if (!missing.empty() && &each == &device.diagnostics.front()) {
      const std::string_view why = whole.local.why_not(missing.front());
      const std::string_view cannot = whole.looked() == nullptr ? "cannot be included: copy what you need of it into this file"
                                                                : "is neither in this file's folder nor below it";
      each.message += why.empty()
                          ? fmt::format(". Perhaps \"{}\" declares it, which {}", missing.front(), cannot)
                          : fmt::format(". Perhaps a header declares it that is not read: {}", why.substr(0, why.size() - 1));
    }
  }
  // Of a host's function that a kernel calls, NVRTC's own words are about its declaration.
  std::vector<Diagnostic> own;
  for (const Diagnostic& each : all.diagnostics) {
    if (!sides.left_out(each, wanted)) own.push_back(each);
  }
  if (!wanted.empty() && missing_header(all).empty() && !own.empty()) device.diagnostics = std::move(own);
  device.message = whole.explain(device.diagnostics);
  return device;
}

}  // namespace

const Kernel* Program::find(const std::string& name) const {
  if (name.empty()) return kernels.size() == 1 ? &kernels.front() : nullptr;
  for (const Kernel& kernel : kernels)  // as most are asked for
    if (kernel.name == name || kernel.entry == name) return &kernel;
  const std::string wanted = normalised(name);
  for (const Kernel& kernel : kernels)
    if (kernel.name == wanted) return &kernel;
  // "scale" for the only scale<…>, "add" for the only n::add.
  const Kernel* only = nullptr;
  for (const Kernel& kernel : kernels) {
    const std::string whole = kernel.name.substr(0, kernel.name.find('<'));
    const std::size_t scope = whole.rfind("::");
    const std::string last = scope == std::string::npos ? whole : whole.substr(scope + 2);
    if (whole != wanted && last != wanted) continue;
    if (only != nullptr) return nullptr;
    only = &kernel;
  }
  return only;
}

struct Compiler::Impl {
  std::mutex child_mutex;  // one compile at a time: two at once are no faster than one after the other
  CompilerProcess child;
  ChildHello hello;
  std::string problem;

  struct Cached {
    std::string key;
    Compiled result;
  };
  std::mutex cache_mutex;
  std::list<Cached> cache;  // most recently used first
  std::unordered_map<std::string, std::list<Cached>::iterator> index;

  std::optional<Compiled> recall(const std::string& key) {
    const std::lock_guard lock(cache_mutex);
    const auto found = index.find(key);
    if (found == index.end()) return std::nullopt;
    cache.splice(cache.begin(), cache, found->second);
    return found->second->result;
  }

  void remember(const std::string& key, const Compiled& result) {
    const std::lock_guard lock(cache_mutex);
    if (index.contains(key)) return;  // another thread was faster
    cache.push_front({key, result});
    index[key] = cache.begin();
    while (cache.size() > cached_programs) {
      index.erase(cache.back().key);
      cache.pop_back();
    }
  }

  /// Under child_mutex. True: there is a child that can compile.
  bool ready() {
    if (child.alive()) return true;
    hello = {};
    problem = child.start(hello);
    if (problem.empty()) problem = hello.problem;
    return problem.empty();
  }

  Compiled compile(const Whole& whole, const CompileOptions& options) {
    Compiled all = compile(whole, whole.source.instantiate, texts_of(whole), options);
    if (all || all.error().reason != CompileFailure::Reason::source) return all;
    return without_host_code(whole, options, std::move(all));
  }

  /// What NVRTC refuses may be the host's code alone. `all`: what it said of all of it, which stands where that was not it.
  Compiled without_host_code(const Whole& whole, const CompileOptions& options, Compiled all) {
    std::vector<std::string> missing;  // headers, as they turn up
    if (std::string header = missing_header(all.error()); !header.empty() && !is_host_header(header))
      missing.push_back(std::move(header));
    for (std::size_t tries = 0; tries < most_missing_headers; ++tries) {
      const DeviceSides sides(whole, missing);
      if (sides.nothing_left_out()) break;
      Compiled device = compile(whole, whole.source.instantiate, sides.texts(), options);
      if (device && !sides.launches().empty()) device = with_launches(whole, sides, options, std::move(device));
      if (device) {
        // Without a kernel, or a template of one, what is wrong with the source is what is left out.
        if ((*device)->kernels.empty() && !sides.any_kernel()) break;
        auto program = std::make_shared<Program>(**device);
        program->source = whole.source;
        for (const DeviceSide& side : sides.of) {
          for (const DeviceSide::LeftOut& each : side.left_out) program->left_out.push_back(each.name);
        }
        return program;
      }
      if (device.error().reason != CompileFailure::Reason::source) return device;
      const std::string header = missing_header(device.error());
      if (!header.empty() && std::find(missing.begin(), missing.end(), header) == missing.end()) {
        missing.push_back(header);
        continue;
      }
      return tl::unexpected(why_not(std::move(device.error()), all.error(), sides, missing, whole));
    }
    return all;
  }

  /// With the templates that only the host's launches name; some do so in words that mean something only there.
  Compiled with_launches(const Whole& whole, const DeviceSides& sides, const CompileOptions& options, Compiled without) {
    const auto with = [&](std::span<const std::string> launches) {
      std::vector<std::string> instantiate = whole.source.instantiate;
      instantiate.insert(instantiate.end(), launches.begin(), launches.end());
      return compile(whole, instantiate, sides.texts(), options);
    };
    const std::vector<std::string> launches = sides.launches();
    if (Compiled all = with(launches)) return all;
    std::vector<std::string> good;
    for (const std::string& launch : std::span(launches).first(std::min(launches.size(), most_single_launches)))
      if (with({&launch, 1})) good.push_back(launch);
    return good.empty() ? without : with(good);
  }

  Compiled compile(const Whole& whole, const std::vector<std::string>& instantiate, const Texts& texts,
                   const CompileOptions& options) {
    const Source& source = whole.source;
    const std::lock_guard lock(child_mutex);
    if (!ready())
      return failed(hello.problem.empty() ? CompileFailure::Reason::crashed : CompileFailure::Reason::no_nvrtc, problem);

    CompileRequest request{.name = plain_name(source.file),
                           .text = with_names_for_compiler(texts.front(), {}, whole.local),
                           .defines = {},
                           .instantiate = instantiate,
                           .architecture = options.architecture,
                           .ptx_architecture = ptx_architecture(texts, options),
                           .line_info = options.line_info,
                           .resource_usage = options.resource_usage,
                           .max_seconds = options.max_seconds,
                           .max_bytes = options.max_bytes};
    for (const auto& [name, value] : source.defines) request.defines.push_back(name + '=' + value);
    for (std::size_t i = 0; i < whole.local.found.size(); ++i) {
      const std::string& name = whole.local.found[i].name;
      request.header_names.push_back(name_for_compiler(name));
      request.header_texts.push_back(with_names_for_compiler(texts[i + 1], name, whole.local));
    }

    const auto begin = Clock::now();
    CompileAnswer answer;
    std::optional<ReceiveProblem> trouble = ReceiveProblem::closed;
    if (send(child.socket(), request))
      trouble = receive(child.socket(), answer, begin + seconds(options.max_seconds),
                        [&] { return child.resident() <= options.max_bytes; });
    const double compile_ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
    if (!trouble) {
      Compiled result = program_from(whole, instantiate, std::move(answer), hello, options.max_bytes, compile_ms);
      // NVRTC reported it and lives, but may not have given all of that memory back.
      if (!result && result.error().reason == CompileFailure::Reason::too_much_memory) child.stop();
      return result;
    }

    // Whatever happened, this child is done for; the next compile starts another.
    const int exit_code = trouble == ReceiveProblem::closed ? child.reap() : child.end();
    child.stop();
    if (trouble == ReceiveProblem::late)
      return failed(
          CompileFailure::Reason::too_long,
          fmt::format("Compiling {} took longer than {:g} s and was stopped. Templates that instantiate themselves, very deep "
                      "nesting or huge unrolled loops do this: make the source smaller.",
                      source.file, options.max_seconds));
    if (trouble == ReceiveProblem::refused || exit_code == child_out_of_memory)
      return failed(
          CompileFailure::Reason::too_much_memory,
          fmt::format("Compiling {} needed more than {} MiB of memory and was stopped. Look for templates that instantiate "
                      "themselves or very large constant tables.",
                      source.file, options.max_bytes >> 20));
    return failed(
        CompileFailure::Reason::crashed,
        fmt::format(
            "NVRTC crashed on {}: a fault of the compiler that this source brings out, often very deep nesting. The compiler "
            "has been restarted; change the last thing you wrote and try again.",
            source.file));
  }
};

Compiler::Compiler() : impl_(std::make_unique<Impl>()) {}
Compiler::~Compiler() = default;

Compiled Compiler::compile(const Source& source, const CompileOptions& options) {
  const Whole whole{.source = source, .local = local_headers(source.text, source.folder)};
  const std::string key = cache_key(whole, options);
  if (std::optional<Compiled> known = impl_->recall(key)) return std::move(*known);
  Compiled result = impl_->compile(whole, options);
  // What the source decides is worth keeping; what the machine's state decided is not.
  if (result || result.error().reason == CompileFailure::Reason::source) impl_->remember(key, result);
  return result;
}

Compiled Compiler::adopt_ptx(const std::string& file, std::string ptx) {
  auto program = std::make_shared<Program>();
  program->id = next_program_id();
  program->source.file = file;
  program->kernels = list_kernels(ptx, {});
  if (program->kernels.empty())
    return failed(
        CompileFailure::Reason::source,
        fmt::format("{} holds no kernel: PTX has one .entry a kernel. Was it made from a file with a __global__ function?", file));
  constexpr std::string_view address_size = ".address_size";
  if (const std::size_t at = ptx.find(address_size);
      at != std::string::npos && std::atoi(ptx.c_str() + at + address_size.size()) == 32)
    return failed(
        CompileFailure::Reason::source,
        fmt::format("{} has 32-bit addresses (.address_size 32), which no device takes any more. Compile it again for 64 bits.",
                    file));
  constexpr std::string_view target = ".target sm_";
  if (const std::size_t at = ptx.find(target); at != std::string::npos)
    program->architecture = std::atoi(ptx.c_str() + at + target.size());
  program->ptx = std::move(ptx);
  return program;
}

Compiler::Status Compiler::status() const {
  const std::lock_guard lock(impl_->child_mutex);
  Status status;
  status.available = impl_->ready();
  status.version = impl_->hello.version;
  status.path = impl_->hello.path;
  if (status.available)
    status.confinement = impl_->hello.confinement;
  else
    status.advice = impl_->problem;
  return status;
}

void Compiler::warm_up() {
  const std::unique_lock lock(impl_->child_mutex, std::try_to_lock);
  if (lock.owns_lock()) (void)impl_->ready();
}

}  // namespace warpbook::gpu
