#include "gpu/compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <list>
#include <mutex>
#include <span>
#include <unordered_map>

#include "gpu/clang/clang.h"
#include "gpu/compiler_answer.h"
#include "gpu/compiler_process.h"
#include "gpu/compiler_protocol.h"
#include "gpu/compiler_source.h"
#include "gpu/compiler_store.h"
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

// Enough for all kernels of the workbook and a session's edits. A program has a few hundred kilobytes at most.
constexpr std::size_t cached_programs = 64;
constexpr std::size_t most_single_launches = 8;
constexpr std::size_t most_missing_headers = 16;  // per source; each one costs a compile that fails early

Clock::duration seconds(double count) { return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(count)); }

/// The PTX architecture of a source that copies asynchronously, if it differs from that of its machine code; else 0.
int ptx_architecture(const Texts& texts, const CompileOptions& options) {
  if (options.copies_architecture <= options.architecture) return 0;
  // __pipeline_memcpy_async, cooperative_groups::memcpy_async and cuda::memcpy_async, also inside a macro.
  const bool copies = std::ranges::any_of(texts, [](const std::string& text) { return text.find("memcpy_async") != text.npos; });
  return copies ? options.copies_architecture : 0;
}

std::string cache_key(const SourceAndHeaders& whole, const CompileOptions& options) {
  const Source& source = whole.source;
  Writer writer;
  writer(source.file, source.text, compiler_choice(), source.instantiate, options.architecture, options.copies_architecture,
         options.resource_usage, options.line_info, options.machine_code, options.device_debug);
  writer(source.folder.string(), std::uint64_t{whole.local.found.size()}, std::uint64_t{whole.local.refused.size()});
  for (const Header& header : whole.local.found) writer(header.name, header.text);
  for (const auto& [name, why] : whole.local.refused) writer(name, why);
  for (const auto& [name, value] : source.defines) writer(name, value);
  return writer.bytes();
}

/// One compile. It may consist of several attempts, which share one time limit.
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
  for (const Kernel& kernel : kernels)  // most callers ask by this name
    if (kernel.name == name || kernel.entry == name) return &kernel;
  const std::string wanted = normalised(name);
  for (const Kernel& kernel : kernels)
    if (kernel.name == wanted) return &kernel;
  // Also by a unique short name: "scale" for scale<…>, "add" for n::add.
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
  std::mutex child_mutex;  // one compile at a time, because two at once are not faster
  /// A compiler's child, with its hello and the reason why it is missing.
  struct Way {
    Tool tool;
    CompilerProcess child{tool};
    ChildHello hello{};
    std::string problem{};
    bool never_started = true;
    std::optional<ChildHello> kept{};  // the hello that an earlier process stored

    /// Requires child_mutex. True: there is a child that can compile.
    bool ready() {
      if (child.alive()) return true;
      hello = {};
      problem = child.start(hello);
      if (problem.empty()) problem = hello.problem;
      if (problem.empty() && never_started) keep_hello(tool, child.surroundings(), hello);
      if (!problem.empty()) kept.reset();
      never_started = false;
      return problem.empty();
    }

    /// Requires child_mutex. The compiler's hello, if it is known without starting a child; else nullptr.
    const ChildHello* known() {
      if (hello.available) return &hello;
      if (never_started && !kept) kept = recall_hello(tool, child.surroundings());
      return kept ? &*kept : nullptr;
    }
  };
  Way nvrtc{Tool::nvrtc}, nvcc{Tool::nvcc}, clang{Tool::clang};
  bool nvrtc_is_missing = false;  // it stays missing

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
    if (index.contains(key)) return;  // another thread has compiled it meanwhile
    cache.push_front({key, result});
    index[key] = cache.begin();
    while (cache.size() > cached_programs) {
      index.erase(cache.back().key);
      cache.pop_back();
    }
  }

  /// Checked once, because a missing program stays missing.
  static bool has_nvcc() {
    static const bool there = find_nvcc().has_value() && best_confinement() != FileConfinement::no_files;
    return there;
  }
  static bool has_clang() {
    static const bool there = find_clang().has_value() && best_confinement() != FileConfinement::no_files;
    return there;
  }

  /// Requires child_mutex.
  bool nvrtc_ready() {
    if (nvrtc_is_missing) return false;
    const bool ready = nvrtc.ready();
    nvrtc_is_missing = !ready && !nvrtc.hello.problem.empty();
    return ready;
  }

  /// Requires child_mutex. Whether NVRTC is available, if possible without starting a child.
  bool has_nvrtc() { return nvrtc.known() != nullptr || nvrtc_ready(); }

  /// Requires child_mutex. Whether clang must be used.
  bool takes_clang() {
    const CompilerChoice choice = compiler_choice();
    return choice == CompilerChoice::clang || (choice == CompilerChoice::automatic && !has_nvrtc() && has_clang());
  }

  Compiled compile(const SourceAndHeaders& whole, const Asked& asked) {
    const CompilerChoice choice = compiler_choice();
    if (choice == CompilerChoice::nvcc) return as_authors_do(nvcc, whole, asked);
    const bool by_clang = [&] {
      const auto waits = Clock::now();
      const std::lock_guard lock(child_mutex);
      asked.until += Clock::now() - waits;  // waiting for another compile does not count
      return takes_clang();
    }();
    if (by_clang) {
      Compiled all = as_authors_do(clang, whole, asked);
      const bool hosts = !all && all.error().reason == CompileFailure::Reason::source && is_program(whole);
      return hosts ? better_of(all, without_host_code(clang, whole, asked, all)) : all;
    }
    Compiled all = compile(nvrtc, whole, whole.source.instantiate, texts_of(whole), asked);
    if (all || all.error().reason != CompileFailure::Reason::source) return all;
    const bool program = choice == CompilerChoice::automatic && is_program(whole) && has_nvcc();
    if (!program) return without_host_code(nvrtc, whole, asked, std::move(all));
    Compiled authors = as_authors_do(nvcc, whole, asked);
    if (authors) return authors;
    return better_of(std::move(authors), without_host_code(nvrtc, whole, asked, std::move(all)));
  }

  /// If nothing compiles, the failure for the complete source is the better explanation, provided that its compiler could read all
  /// of it.
  static Compiled better_of(Compiled authors, Compiled device) {
    if (device || device.error().reason != CompileFailure::Reason::source) return device;
    const CompileFailure& why = authors.error();
    const bool read_all = why.reason == CompileFailure::Reason::source && missing_header(why).empty() && !why.diagnostics.empty();
    return read_all ? authors : device;
  }

  /// Whether the source is a whole program, for nvcc. A plain kernel includes nothing and has no host code.
  static bool is_program(const SourceAndHeaders& whole) {
    return whole.source.text.find("#include") != std::string::npos || !DeviceSides(whole, {}).nothing_left_out();
  }

  /// Compiles the complete source by a compiler that accepts host code.
  Compiled as_authors_do(Way& way, const SourceAndHeaders& whole, const Asked& asked) {
    Compiled made = compile(way, whole, whole.source.instantiate, texts_of(whole), asked);
    if (!made) return made;
    auto program = std::make_shared<Program>(**made);
    program->left_out = DeviceSides(whole, {}).names();
    return program;
  }

  /// Compiles without the host code, in which the error may be. `all`: the failure for the complete source, which is reported if
  /// host code was not the reason.
  Compiled without_host_code(Way& way, const SourceAndHeaders& whole, const Asked& asked, Compiled all) {
    std::vector<std::string> missing;  // headers that turned out to be missing
    if (std::string header = missing_header(all.error()); !header.empty() && !is_host_header(header))
      missing.push_back(std::move(header));
    DeviceSides::Refused refused;
    std::optional<CompileFailure> first;  // the failure before refused lines were left out
    for (std::size_t tries = 0; tries < most_missing_headers; ++tries) {
      if (asked.late()) return took_too_long(whole.source, asked);
      const DeviceSides sides(whole, missing, refused);
      if (sides.nothing_left_out() && sides.nothing_unmarked()) break;
      Compiled device = compile(way, whole, whole.source.instantiate, sides.texts(), asked);
      if (device && !sides.launches().empty()) device = with_launches(way, whole, sides, asked, std::move(device));
      if (device) {
        // Without a kernel or a kernel template, the code that is left out is what is wrong.
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

  /// Instantiates the templates that only host code launches. Some template arguments have a meaning only in host code and fail.
  Compiled with_launches(Way& way, const SourceAndHeaders& whole, const DeviceSides& sides, const Asked& asked, Compiled without) {
    const auto with = [&](std::span<const std::string> launches) {
      std::vector<std::string> instantiate = whole.source.instantiate;
      instantiate.insert(instantiate.end(), launches.begin(), launches.end());
      return compile(way, whole, instantiate, sides.texts(), asked);
    };
    const std::vector<std::string> launches = sides.launches();
    if (Compiled all = with(launches)) return all;
    std::vector<std::string> good;
    for (const std::string& launch : std::span(launches).first(std::min(launches.size(), most_single_launches)))
      if (with({&launch, 1})) good.push_back(launch);
    return good.empty() ? without : with(good);
  }

  static CompileRequest request_of(const SourceAndHeaders& whole, const Texts& texts, const std::vector<std::string>& instantiate,
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
                           .max_seconds = 0,  // set when the request is sent
                           .max_bytes = asked.options.max_bytes};
    for (const auto& [name, value] : whole.source.defines) request.defines.push_back(name + '=' + value);
    return request;
  }

  Compiled compile(Way& way, const SourceAndHeaders& whole, const std::vector<std::string>& instantiate, const Texts& texts,
                   const Asked& asked) {
    const bool in_files = runs_program(way.tool);  // else in memory, beside our own headers, whose names may be equal
    CompileRequest request = request_of(whole, texts, in_files ? std::vector<std::string>{} : instantiate, asked);
    request.text = in_files ? texts.front() : with_names_for_compiler(texts.front(), {}, whole.local);
    // A compiler program instantiates the templates that lines at the end of the source name.
    for (std::size_t i = 0; in_files && i < instantiate.size(); ++i)
      request.text += fmt::format("\nnamespace {{ [[maybe_unused]] auto* const warpbook_uses_{} = &{}; }}\n", i, instantiate[i]);
    for (std::size_t i = 0; i < whole.local.found.size(); ++i) {
      const std::string& name = whole.local.found[i].name;
      request.header_names.push_back(in_files ? name : name_for_compiler(name));
      request.header_texts.push_back(in_files ? texts[i + 1] : with_names_for_compiler(texts[i + 1], name, whole.local));
    }
    return ask(way, whole, request.instantiate, asked, request);
  }

  Compiled ask(Way& way, const SourceAndHeaders& whole, const std::vector<std::string>& instantiate, const Asked& asked,
               CompileRequest request) {
    const Source& source = whole.source;
    const auto waits = Clock::now();
    const std::lock_guard lock(child_mutex);
    asked.until += Clock::now() - waits;  // waiting for another compile does not count
    request.max_seconds = asked.left();
    if (asked.late()) return took_too_long(source, asked);
    if (const ChildHello* known = way.known()) {
      if (std::optional<KeptAnswer> kept = recall_answer(way.tool, *known, request)) {
        ChildHello then = *known;
        then.hidden_paths = std::move(kept->hidden_paths);
        return program_from(whole, instantiate, std::move(kept->answer), then, way.tool, request.max_bytes, kept->compile_ms);
      }
    }
    if (!way.ready()) {
      if (way.hello.problem.empty()) return failed(CompileFailure::Reason::crashed, way.problem);
      return failed(CompileFailure::Reason::no_compiler, compiler_choice() == CompilerChoice::automatic ? advice() : way.problem);
    }
    // The child of a compiler program stops the compiler itself, to clean up. It gets this long before it is killed.
    constexpr double grace = 5;
    const double patience = request.max_seconds + (runs_program(way.tool) ? grace : 0);
    const auto begin = Clock::now();
    CompileAnswer answer;
    std::optional<ReceiveProblem> trouble = ReceiveProblem::closed;
    if (send(way.child.socket(), request))
      trouble =
          receive(way.child.socket(), answer, begin + seconds(patience), [&] { return way.child.resident() <= request.max_bytes; });
    const double compile_ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
    if (!trouble && answer.status == CompileAnswer::Status::crashed) return crashed(way.tool, source);
    if (!trouble && answer.status == CompileAnswer::Status::ok)
      keep_answer(way.tool, way.hello, request, {answer, way.hello.hidden_paths, compile_ms});
    if (!trouble && answer.status != CompileAnswer::Status::too_long) {
      Compiled result = program_from(whole, instantiate, std::move(answer), way.hello, way.tool, request.max_bytes, compile_ms);
      // NVRTC has reported that it ran out of memory. It is still running, but may not have freed all of it.
      if (!result && way.tool == Tool::nvrtc && result.error().reason == CompileFailure::Reason::too_much_memory) way.child.stop();
      return result;
    }

    // This child cannot be used any more. The next compile starts another one.
    const int exit_code = trouble == ReceiveProblem::closed ? way.child.reap() : runs_program(way.tool) ? -1 : way.child.end();
    if (trouble) way.child.stop();
    if (!trouble || trouble == ReceiveProblem::late) return took_too_long(source, asked);
    if (trouble == ReceiveProblem::refused || exit_code == child_out_of_memory)
      return failed(CompileFailure::Reason::too_much_memory, too_much_memory_sentence(source.file, request.max_bytes));
    return crashed(way.tool, source);
  }

  static tl::unexpected<CompileFailure> crashed(Tool tool, const Source& source) {
    return failed(
        CompileFailure::Reason::crashed,
        fmt::format("{} crashed on {}: a fault of the compiler that this source brings out, often very deep nesting. The compiler "
                    "has been restarted; change the last thing you wrote and try again.",
                    name_of(tool), source.file));
  }

  /// The advice if neither NVRTC nor clang is available, or clang is there and cannot be used.
  [[nodiscard]] std::string advice() const { return nvrtc.problem + ' ' + (find_clang() ? unusable_clang() : clang_advice()); }
  [[nodiscard]] std::string unusable_clang() const {
    return clang.problem.empty()
               ? "clang is here, but this system has neither Landlock nor bubblewrap, one of which it needs to keep "
                 "a source from reading your files: install bubblewrap."
               : clang.problem;
  }
};

Compiler::Compiler() : impl_(std::make_unique<Impl>()) {}
Compiler::~Compiler() = default;

Compiled Compiler::compile(const Source& given, const CompileOptions& options) {
  if (const std::string problem = problem_of_text(given); !problem.empty()) return failed(CompileFailure::Reason::source, problem);
  std::optional<Source> readable;  // keeps lines and columns
  if (!is_readable(given.text)) readable.emplace(given).text = in_utf8(given.text);
  const Source& source = readable ? *readable : given;
  SourceAndHeaders whole{.source = source, .local = local_headers(source.text, source.folder)};
  for (Header& header : whole.local.found)
    if (!is_readable(header.text)) header.text = in_utf8(header.text);
  const std::string key = cache_key(whole, options);
  if (std::optional<Compiled> known = impl_->recall(key)) return std::move(*known);
  Compiled result = impl_->compile(whole, Asked{.options = options, .until = Clock::now() + seconds(options.max_seconds)});
  if (!result) put_in_sentences(result.error());
  // Failures that depend on the source are cached; failures that depend on the machine's state are not.
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
  const auto found = [](const Impl::Way& way, bool ready) {
    return Found{ready, way.hello.version, way.hello.path, ready ? std::string() : way.problem};
  };
  status.nvrtc = found(impl_->nvrtc, impl_->nvrtc_ready());
  status.clang =
      Impl::has_clang()
          ? found(impl_->clang, impl_->clang.ready())
          : Found{false, {}, {}, find_clang() ? impl_->unusable_clang() : "clang 16 or newer was not found. " + clang_advice()};
  if (const auto nvcc = find_nvcc(); nvcc && Impl::has_nvcc()) status.nvcc = nvcc->path;
  const Impl::Way& used = impl_->takes_clang() ? impl_->clang : impl_->nvrtc;
  const Found& of_used = used.tool == Tool::clang ? status.clang : status.nvrtc;
  status.available = of_used.available;
  status.version = of_used.version;
  status.path = of_used.path;
  if (status.available) {
    status.compiler = fmt::format("{} {}", name_of(used.tool), status.version);
    status.confinement = used.hello.confinement;
  } else {
    status.advice = compiler_choice() == CompilerChoice::automatic ? impl_->advice() : used.problem;
  }
  return status;
}

void Compiler::warm_up() {
  const std::unique_lock lock(impl_->child_mutex, std::try_to_lock);
  if (!lock.owns_lock()) return;
  (void)(impl_->takes_clang() ? impl_->clang : impl_->nvrtc).ready();
}

}  // namespace warpbook::gpu
