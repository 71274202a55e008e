#include "gpu/compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <list>
#include <map>
#include <mutex>
#include <span>
#include <unordered_map>

#include "gpu/compiler_log.h"
#include "gpu/compiler_process.h"
#include "gpu/compiler_protocol.h"
#include "gpu/compiler_source.h"
#include "gpu/confinement.h"
#include "gpu/device_side.h"
#include "gpu/device_variables.h"
#include "gpu/host_launch.h"
#include "gpu/kernel_signatures.h"
#include "gpu/local_headers.h"
#include "gpu/nvcc.h"
#include "gpu/program_limits.h"
#include "gpu/shown_text.h"
#include "gpu/text.h"

namespace warpbook::gpu {
namespace {

using Clock = std::chrono::steady_clock;
using Compiled = tl::expected<ProgramPtr, CompileFailure>;

// Enough for every kernel of the workbook and a session's edits; a program is a few hundred kilobytes at most.
constexpr std::size_t cached_programs = 64;
constexpr std::size_t most_single_launches = 8;
constexpr std::size_t most_missing_headers = 16;  // of one source; each costs a compile that ends at once

std::uint64_t next_program_id() {
  static std::atomic<std::uint64_t> id{0};
  return ++id;
}

tl::unexpected<CompileFailure> failed(CompileFailure::Reason reason, std::string message) {
  return tl::unexpected(CompileFailure{reason, std::move(message), {}, {}});
}

Clock::duration seconds(double count) { return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(count)); }

enum class Tools : std::uint32_t { best, nvrtc, nvcc };

/// WARPBOOK_COMPILER asks for one compiler alone.
Tools tools_asked_for() {
  const char* asked = std::getenv("WARPBOOK_COMPILER");
  const std::string_view wish = asked == nullptr ? "" : asked;
  return wish == "nvrtc" ? Tools::nvrtc : wish == "nvcc" ? Tools::nvcc : Tools::best;
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
  writer(source.file, source.text, static_cast<std::uint32_t>(tools_asked_for()), source.instantiate, options.architecture,
         options.copies_architecture, options.resource_usage, options.line_info, options.machine_code, options.device_debug);
  writer(source.folder.string(), std::uint64_t{whole.local.found.size()}, std::uint64_t{whole.local.refused.size()});
  for (const Header& header : whole.local.found) writer(header.name, header.text);
  for (const auto& [name, why] : whole.local.refused) writer(name, why);
  for (const auto& [name, value] : source.defines) writer(name, value);
  return writer.bytes();
}

bool is_error(const Diagnostic& diagnostic) { return diagnostic.severity == Diagnostic::Severity::error; }

std::string too_much_memory_sentence(const std::string& file, std::size_t max_bytes) {
  return fmt::format(
      "Compiling {} needed more than {} MiB of memory and was stopped. Look for templates that instantiate themselves or very "
      "large "
      "constant tables.",
      file, max_bytes >> 20);
}

/// One compile, which may be several tries: all of them have the time that is promised for one.
struct Asked {
  const CompileOptions& options;
  mutable Clock::time_point until;

  [[nodiscard]] double left() const { return std::max(0.0, std::chrono::duration<double>(until - Clock::now()).count()); }
  [[nodiscard]] bool late() const { return Clock::now() >= until; }
};

tl::unexpected<CompileFailure> took_too_long(const Source& source, const Asked& asked) {
  return failed(
      CompileFailure::Reason::too_long,
      fmt::format("Compiling {} took longer than {:g} s and was stopped. Templates that instantiate themselves, very deep "
                  "nesting or huge unrolled loops do this: make the source smaller. A computer that is busy compiles slowly, "
                  "too: then try again.",
                  source.file, asked.options.max_seconds));
}

Compiled program_from(const Whole& whole, const std::vector<std::string>& instantiate, CompileAnswer answer,
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
  program->variables = list_variables(program->ptx, joined);
  if (auto too_many = too_many_constants(whole, *program, diagnostics, log)) return tl::unexpected(std::move(*too_many));
  program->launches =
      std::make_shared<const std::vector<HostLaunch>>(host_launches(source.text, whole.header_texts(), source.defines));

  const auto usage = parse_resource_usage(log);
  for (Kernel& kernel : program->kernels) {
    const auto found = usage.find(kernel.entry);
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

}  // namespace

std::shared_ptr<const std::vector<HostLaunch>> no_launches() {
  static const auto none_at_all = std::make_shared<const std::vector<HostLaunch>>();
  return none_at_all;
}

const Variable* Program::variable(std::string_view name) const {
  const Variable* only = nullptr;
  for (const Variable& variable : variables) {
    const std::string& whole = variable.array.name;
    if (whole == name || variable.symbol == name) return &variable;
    if (!whole.ends_with(fmt::format("::{}", name))) continue;
    if (only != nullptr) return nullptr;
    only = &variable;
  }
  return only;
}

ProgramPtr started_anew(const ProgramPtr& program) {
  if (program->variables.empty()) return program;
  auto anew = std::make_shared<Program>(*program);
  anew->id = next_program_id();
  return anew;
}

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
  /// A compiler's child, what it said of itself, and why there is none.
  struct Way {
    Tool tool;
    CompilerProcess child{tool};
    ChildHello hello{};
    std::string problem{};

    /// Under child_mutex. True: there is a child that can compile.
    bool ready() {
      if (child.alive()) return true;
      hello = {};
      problem = child.start(hello);
      if (problem.empty()) problem = hello.problem;
      return problem.empty();
    }
  };
  Way nvrtc{Tool::nvrtc}, nvcc{Tool::nvcc};

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

  /// Asked once: where nvcc is missing it is missing for good.
  bool has_nvcc() {
    static const bool there = find_nvcc().has_value() && best_confinement() != FileConfinement::no_files;
    return there;
  }

  Compiled compile(const Whole& whole, const Asked& asked) {
    const Tools tools = tools_asked_for();
    if (tools == Tools::nvcc) return with_nvcc(whole, asked);
    Compiled all = compile(whole, whole.source.instantiate, texts_of(whole), asked);
    if (all || all.error().reason != CompileFailure::Reason::source) return all;
    const bool program = tools == Tools::best && is_program(whole) && has_nvcc();
    if (!program) return without_host_code(whole, asked, std::move(all));
    Compiled authors = with_nvcc(whole, asked);
    if (authors) return authors;
    Compiled device = without_host_code(whole, asked, std::move(all));
    if (device || device.error().reason != CompileFailure::Reason::source) return device;
    // What neither compiles is best explained by the one that knows all of it, if it has read all of it.
    const CompileFailure& why = authors.error();
    const bool read_all = why.reason == CompileFailure::Reason::source && missing_header(why).empty() && !why.diagnostics.empty();
    return read_all ? authors : device;
  }

  /// Whether its author compiles it with nvcc: a kernel alone includes nothing and has no host's part.
  static bool is_program(const Whole& whole) {
    return whole.source.text.find("#include") != std::string::npos || !DeviceSides(whole, {}).nothing_left_out();
  }

  /// As its author compiles it. Templates are asked for by a line behind the last.
  Compiled with_nvcc(const Whole& whole, const Asked& asked) {
    CompileRequest request = request_of(whole, texts_of(whole), {}, asked);
    request.text = whole.source.text;
    for (std::size_t i = 0; i < whole.source.instantiate.size(); ++i)
      request.text +=
          fmt::format("\nnamespace {{ [[maybe_unused]] auto* const warpbook_uses_{} = &{}; }}\n", i, whole.source.instantiate[i]);
    for (const Header& header : whole.local.found) {
      request.header_names.push_back(header.name);
      request.header_texts.push_back(header.text);
    }
    Compiled made = ask(nvcc, whole, {}, asked, request);
    if (!made) return made;
    auto program = std::make_shared<Program>(**made);
    const DeviceSides sides(whole, {});
    program->left_out = sides.names();
    return program;
  }

  /// What NVRTC refuses may be the host's code alone. `all`: what it said of all of it, which stands where that was not it.
  Compiled without_host_code(const Whole& whole, const Asked& asked, Compiled all) {
    std::vector<std::string> missing;  // headers, as they turn up
    if (std::string header = missing_header(all.error()); !header.empty() && !is_host_header(header))
      missing.push_back(std::move(header));
    DeviceSides::Refused refused;
    std::optional<CompileFailure> first;  // before anything was left out because it was refused
    for (std::size_t tries = 0; tries < most_missing_headers; ++tries) {
      if (asked.late()) return took_too_long(whole.source, asked);
      const DeviceSides sides(whole, missing, refused);
      if (sides.nothing_left_out() && sides.nothing_unmarked()) break;
      Compiled device = compile(whole, whole.source.instantiate, sides.texts(), asked);
      if (device && !sides.launches().empty()) device = with_launches(whole, sides, asked, std::move(device));
      if (device) {
        // Without a kernel, or a template of one, what is wrong with the source is what is left out.
        if ((*device)->kernels.empty() && !sides.any_kernel()) break;
        auto program = std::make_shared<Program>(**device);
        program->source = whole.source;
        program->left_out = sides.names();
        return program;
      }
      if (device.error().reason != CompileFailure::Reason::source) return device;
      const std::string header = missing_header(device.error());
      if (!header.empty() && std::find(missing.begin(), missing.end(), header) == missing.end()) {
        missing.push_back(header);
        continue;
      }
      if (!first) first = device.error();
      if (sides.add_refused(device.error().diagnostics, refused)) continue;
      return tl::unexpected(why_not(std::move(*first), all.error(), sides, missing, whole));
    }
    return all;
  }

  /// With the templates that only the host's launches name; some do so in words that mean something only there.
  Compiled with_launches(const Whole& whole, const DeviceSides& sides, const Asked& asked, Compiled without) {
    const auto with = [&](std::span<const std::string> launches) {
      std::vector<std::string> instantiate = whole.source.instantiate;
      instantiate.insert(instantiate.end(), launches.begin(), launches.end());
      return compile(whole, instantiate, sides.texts(), asked);
    };
    const std::vector<std::string> launches = sides.launches();
    if (Compiled all = with(launches)) return all;
    std::vector<std::string> good;
    for (const std::string& launch : std::span(launches).first(std::min(launches.size(), most_single_launches)))
      if (with({&launch, 1})) good.push_back(launch);
    return good.empty() ? without : with(good);
  }

  static CompileRequest request_of(const Whole& whole, const Texts& texts, const std::vector<std::string>& instantiate,
                                   const Asked& asked) {
    CompileRequest request{.name = plain_name(whole.source.file),
                           .text = {},
                           .defines = {},
                           .instantiate = instantiate,
                           .architecture = asked.options.architecture,
                           .ptx_architecture = ptx_architecture(texts, asked.options),
                           .line_info = asked.options.line_info,
                           .resource_usage = asked.options.resource_usage || asked.options.machine_code,
                           .wants_cubin = asked.options.machine_code,
                           .device_debug = asked.options.device_debug,
                           .max_seconds = 0,  // what is left when its turn has come
                           .max_bytes = asked.options.max_bytes};
    for (const auto& [name, value] : whole.source.defines) request.defines.push_back(name + '=' + value);
    return request;
  }

  /// With NVRTC.
  Compiled compile(const Whole& whole, const std::vector<std::string>& instantiate, const Texts& texts, const Asked& asked) {
    CompileRequest request = request_of(whole, texts, instantiate, asked);
    request.text = with_names_for_compiler(texts.front(), {}, whole.local);
    for (std::size_t i = 0; i < whole.local.found.size(); ++i) {
      const std::string& name = whole.local.found[i].name;
      request.header_names.push_back(name_for_compiler(name));
      request.header_texts.push_back(with_names_for_compiler(texts[i + 1], name, whole.local));
    }
    return ask(nvrtc, whole, instantiate, asked, request);
  }

  Compiled ask(Way& way, const Whole& whole, const std::vector<std::string>& instantiate, const Asked& asked,
               CompileRequest request) {
    const Source& source = whole.source;
    const auto waits = Clock::now();
    const std::lock_guard lock(child_mutex);
    asked.until += Clock::now() - waits;  // for another compile, which is not this one's fault
    request.max_seconds = asked.left();
    if (asked.late()) return took_too_long(source, asked);
    if (!way.ready())
      return failed(way.hello.problem.empty() ? CompileFailure::Reason::crashed : CompileFailure::Reason::no_nvrtc, way.problem);
    // nvcc's child stops what takes too long itself, for it has to clear up; it is stopped where it does not.
    constexpr double grace = 5;
    const double patience = request.max_seconds + (way.tool == Tool::nvcc ? grace : 0);
    const auto begin = Clock::now();
    CompileAnswer answer;
    std::optional<ReceiveProblem> trouble = ReceiveProblem::closed;
    if (send(way.child.socket(), request))
      trouble =
          receive(way.child.socket(), answer, begin + seconds(patience), [&] { return way.child.resident() <= request.max_bytes; });
    const double compile_ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
    if (!trouble && answer.status != CompileAnswer::Status::too_long) {
      Compiled result = program_from(whole, instantiate, std::move(answer), way.hello, way.tool, request.max_bytes, compile_ms);
      // NVRTC reported it and lives, but may not have given all of that memory back.
      if (!result && way.tool == Tool::nvrtc && result.error().reason == CompileFailure::Reason::too_much_memory) way.child.stop();
      return result;
    }

    // Whatever happened, this child is done for; the next compile starts another.
    const int exit_code = trouble == ReceiveProblem::closed ? way.child.reap() : way.tool == Tool::nvrtc ? way.child.end() : -1;
    if (trouble) way.child.stop();
    if (!trouble || trouble == ReceiveProblem::late) return took_too_long(source, asked);
    if (trouble == ReceiveProblem::refused || exit_code == child_out_of_memory)
      return failed(CompileFailure::Reason::too_much_memory, too_much_memory_sentence(source.file, request.max_bytes));
    return failed(
        CompileFailure::Reason::crashed,
        fmt::format("{} crashed on {}: a fault of the compiler that this source brings out, often very deep nesting. The compiler "
                    "has been restarted; change the last thing you wrote and try again.",
                    name_of(way.tool), source.file));
  }
};

Compiler::Compiler() : impl_(std::make_unique<Impl>()) {}
Compiler::~Compiler() = default;

Compiled Compiler::compile(const Source& given, const CompileOptions& options) {
  if (const std::string problem = problem_of_text(given); !problem.empty()) return failed(CompileFailure::Reason::source, problem);
  std::optional<Source> readable;  // lines are counted in it, and columns
  if (!is_readable(given.text)) readable.emplace(given).text = in_utf8(given.text);
  const Source& source = readable ? *readable : given;
  Whole whole{.source = source, .local = local_headers(source.text, source.folder)};
  for (Header& header : whole.local.found)
    if (!is_readable(header.text)) header.text = in_utf8(header.text);
  const std::string key = cache_key(whole, options);
  if (std::optional<Compiled> known = impl_->recall(key)) return std::move(*known);
  Compiled result = impl_->compile(whole, Asked{.options = options, .until = Clock::now() + seconds(options.max_seconds)});
  if (!result) put_in_sentences(result.error());
  // What the source decides is worth keeping; what the machine's state decided is not.
  if (result || result.error().reason == CompileFailure::Reason::source) impl_->remember(key, result);
  return result;
}

Compiled Compiler::adopt_ptx(const std::string& file, std::string ptx) {
  if (ptx.size() > most_ptx_bytes)
    return failed(CompileFailure::Reason::source, too_large_sentence(file, ptx.size(), most_ptx_bytes));
  auto program = std::make_shared<Program>();
  program->id = next_program_id();
  program->source.file = file;
  program->kernels = list_kernels(ptx, {});
  program->variables = list_variables(ptx, {});
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
  status.available = impl_->nvrtc.ready();
  status.version = impl_->nvrtc.hello.version;
  status.path = impl_->nvrtc.hello.path;
  if (const auto nvcc = find_nvcc(); nvcc && impl_->has_nvcc()) status.nvcc = nvcc->path;
  if (status.available)
    status.confinement = impl_->nvrtc.hello.confinement;
  else
    status.advice = impl_->nvrtc.problem;
  return status;
}

void Compiler::warm_up() {
  const std::unique_lock lock(impl_->child_mutex, std::try_to_lock);
  if (lock.owns_lock()) (void)impl_->nvrtc.ready();
}

}  // namespace warpbook::gpu
