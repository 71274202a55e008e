#include "gpu/compiler.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <list>
#include <mutex>
#include <span>
#include <unordered_map>

#include "gpu/compiler_hook.h"
#include "gpu/compiler_log.h"
#include "gpu/compiler_protocol.h"
#include "gpu/confinement.h"
#include "gpu/device_side.h"
#include "gpu/kernel_signatures.h"
#include "gpu/nvrtc.h"

namespace warpbook::gpu {
namespace {

using Clock = std::chrono::steady_clock;
using Compiled = tl::expected<ProgramPtr, CompileFailure>;

// Loading NVRTC takes a tenth of a second; a machine that swaps may need long.
constexpr std::chrono::seconds start_patience{30};
// Enough for every kernel of the workbook and a session's edits; a program is a few hundred kilobytes at most.
constexpr std::size_t cached_programs = 64;
constexpr std::size_t most_single_launches = 8;
constexpr std::size_t most_headers = 16;  // of one source that cannot be included; each costs a compile that ends at once
constexpr std::uint32_t static_shared_limit = 48 * 1024;  // CUDA's, on every architecture, for __shared__ variables

std::uint64_t next_program_id() {
  static std::atomic<std::uint64_t> id{0};
  return ++id;
}

tl::unexpected<CompileFailure> failed(CompileFailure::Reason reason, std::string message) {
  return tl::unexpected(CompileFailure{reason, std::move(message), {}, {}});
}

Clock::duration seconds(double count) { return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(count)); }

// ---- the child, seen from the parent -----------------------------------------------------------------------------

class Child {
 public:
  ~Child() { stop(); }

  [[nodiscard]] bool alive() const {
    if (pid_ <= 0) return false;
    pollfd socket{socket_, POLLRDHUP, 0};
    return poll(&socket, 1, 0) == 0;  // an idle child says nothing: whatever is there is its end
  }

  /// Returns an empty string, or why it could not be started.
  [[nodiscard]] std::string start(ChildHello& hello) {
    stop();
    if (!compiler_child_is_hooked())
      return "This program cannot compile: its main() must call warpbook::gpu::run_compiler_child_if_asked(argc, argv) first.";
    int ends[2] = {-1, -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
      return "The compiler's process could not be started: no socket.";
    const bool spawned = spawn(ends[1]);
    close(ends[1]);
    socket_ = ends[0];
    if (!spawned) {
      stop();
      return "The compiler's process could not be started. Is the machine out of memory or processes?";
    }
    if (receive(socket_, hello, Clock::now() + start_patience)) {
      stop();
      return "The compiler's process started and ended at once.";
    }
    if (!hello.available) stop();
    return {};
  }

  void stop() {
    if (socket_ >= 0) close(socket_);
    socket_ = -1;
    (void)end();
  }

  /// Kills it and returns its exit code, or −1 where a signal ended it.
  int end() {
    if (pid_ <= 0) return -1;
    kill(pid_, SIGKILL);
    return wait_for(0).value_or(-1);
  }

  /// For a child that has closed its socket, and so is ending by itself; it gets half a second for that.
  int reap() {
    for (int tries = 0; pid_ > 0 && tries < 50; ++tries) {
      if (const std::optional<int> code = wait_for(WNOHANG)) return *code;
      usleep(10'000);
    }
    return end();
  }

  [[nodiscard]] int socket() const { return socket_; }

  /// Bytes of physical memory it holds now.
  [[nodiscard]] std::uint64_t resident() const {
    std::ifstream statm(fmt::format("/proc/{}/statm", pid_));
    std::uint64_t size = 0, pages = 0;
    statm >> size >> pages;
    return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  }

 private:
  std::optional<int> wait_for(int flags) {
    int status = 0;
    pid_t done = 0;
    while ((done = waitpid(pid_, &status, flags)) < 0 && errno == EINTR) continue;
    if (done == 0) return std::nullopt;
    pid_ = -1;
    return done > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  bool spawn(int socket) {
    std::error_code unreadable;
    const std::string self = std::filesystem::read_symlink("/proc/self/exe", unreadable).string();
    if (unreadable) return false;
    const FileConfinement files = best_confinement();

    // The child needs to find the toolkit, and nothing else of what our environment may hold.
    std::vector<std::string> environment = toolkit_variables();
    for (const char* name : {"LD_LIBRARY_PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS"})
      if (const char* value = std::getenv(name)) environment.push_back(std::string(name) + '=' + value);

    std::vector<std::string> arguments;
    if (files == FileConfinement::bubblewrap) arguments = inside_bubblewrap(self);
    const std::string program = arguments.empty() ? "/proc/self/exe" : arguments.front();
    for (const std::string& argument : {self, std::string(child_argument), std::string(name_of(files))})
      arguments.push_back(argument);

    const auto pointers = [](std::vector<std::string>& texts) {
      std::vector<char*> list;
      for (std::string& text : texts) list.push_back(text.data());
      list.push_back(nullptr);
      return list;
    };
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    for (const int standard : {0, 1, 2}) posix_spawn_file_actions_addopen(&actions, standard, "/dev/null", O_RDWR, 0);
    // Two steps: if our end happened to be number 3 already, dup2 onto itself would keep its close-on-exec flag.
    posix_spawn_file_actions_adddup2(&actions, socket, child_socket + 1);
    posix_spawn_file_actions_adddup2(&actions, child_socket + 1, child_socket);
    posix_spawn_file_actions_addclose(&actions, child_socket + 1);
    // A window's Ctrl-C or a blocked signal is not the child's business.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    const int error =
        posix_spawn(&pid_, program.c_str(), &actions, &attributes, pointers(arguments).data(), pointers(environment).data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) pid_ = -1;
    return error == 0;
  }

  // CUDA_PATH and CUDA_HOME, their links followed.
  static std::vector<std::string> toolkit_variables() {
    std::vector<std::string> variables;
    for (const char* name : {"CUDA_PATH", "CUDA_HOME"}) {
      const char* value = std::getenv(name);
      if (value == nullptr || *value != '/') continue;
      std::error_code missing;
      const std::string folder = std::filesystem::canonical(value, missing).string();
      if (!missing) variables.push_back(std::string(name) + '=' + folder);
    }
    return variables;
  }

  // System libraries, the toolkit and this program, read-only; no network, no other processes. Where Landlock is missing.
  static std::vector<std::string> inside_bubblewrap(const std::string& self) {
    std::vector<std::string> arguments{bubblewrap_path(), "--unshare-all", "--new-session", "--proc", "/proc", "--dev", "/dev"};
    std::vector<std::string> folders{"/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/alternatives"};
    for (const std::string& root : toolkit_variables())
      if (const std::string folder = root.substr(root.find('=') + 1); !folder.starts_with("/usr/")) folders.push_back(folder);
    for (const std::string& folder : folders) arguments.insert(arguments.end(), {"--ro-bind-try", folder, folder});
    arguments.insert(arguments.end(), {"--ro-bind", self, self, "--chdir", "/", "--"});
    return arguments;
  }

  pid_t pid_ = -1;
  int socket_ = -1;
};

// ---- requests and answers ----------------------------------------------------------------------------------------

/// The file's own name in characters that NVRTC's messages cannot be misread for.
std::string plain_name(const std::string& file) {
  std::string name = std::filesystem::path(file).filename().string();
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '_' && c != '-') c = '_';
  return name.empty() ? "kernel.cu" : name;
}

std::string cache_key(const Source& source, const CompileOptions& options) {
  Writer writer;
  writer(source.file, source.text, source.instantiate, options.architecture, options.resource_usage, options.line_info);
  for (const auto& [name, value] : source.defines) writer(name, value);
  return writer.bytes();
}

// `.file 1 "/add.cu"` names the working directory; the learner's file gets its own name back.
std::string with_own_file_name(std::string ptx, const std::string& name, const std::string& file) {
  std::string escaped;
  for (const char c : file) escaped += c == '"' || c == '\\' || c == '\n' ? '_' : c;
  const std::string ending = '/' + name + '"';
  for (std::size_t at = ptx.find(".file"); at != std::string::npos; at = ptx.find(".file", at + 1)) {
    const std::size_t open = ptx.find('"', at), line = std::min(ptx.find('\n', at), ptx.size());
    if (open >= line) continue;
    const std::size_t close = ptx.find('"', open + 1);
    if (close >= line || close + 1 - open < ending.size()) continue;
    if (ptx.compare(close + 1 - ending.size(), ending.size(), ending) == 0) ptx.replace(open + 1, close - open - 1, escaped);
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

Compiled program_from(const Source& source, CompileAnswer answer, const ChildHello& hello, std::size_t max_bytes,
                      double compile_ms) {
  const std::string name = plain_name(source.file);
  const std::string log = hide_paths(std::move(answer.log), hello.hidden_paths);
  std::vector<Diagnostic> diagnostics = parse_diagnostics(log, name, source.file);
  const bool starved =
      std::any_of(diagnostics.begin(), diagnostics.end(), [](const Diagnostic& d) { return d.message == "out of memory"; });
  if (answer.status == CompileAnswer::Status::out_of_memory || starved)
    return failed(CompileFailure::Reason::too_much_memory, too_much_memory_sentence(source.file, max_bytes));
  if (answer.status != CompileAnswer::Status::ok) {
    CompileFailure failure{CompileFailure::Reason::source, explain(diagnostics, source.file, source.text), std::move(diagnostics),
                           log};
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
  for (std::size_t i = 0; i < source.instantiate.size() && i < answer.lowered_names.size(); ++i)
    instantiated.emplace_back(source.instantiate[i], answer.lowered_names[i]);
  program->ptx = with_own_file_name(hide_paths(std::move(answer.ptx), hello.hidden_paths), name, source.file);
  program->kernels = list_kernels(program->ptx, source.text, instantiated);

  const auto usage = parse_resource_usage(log);
  for (Kernel& kernel : program->kernels) {
    const auto found = usage.find(kernel.entry);
    if (found == usage.end()) continue;
    if (found->second.shared_bytes > static_shared_limit && !answer.machine_code) {
      CompileFailure failure{CompileFailure::Reason::source, {}, std::move(diagnostics), log};
      failure.diagnostics.insert(failure.diagnostics.begin(),
                                 {Diagnostic::Severity::error, source.file, line_of(source.text, kernel.name), 0,
                                  shared_memory_sentence(kernel, found->second.shared_bytes)});
      failure.message = explain(failure.diagnostics, source.file, source.text);
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

/// Why the device's code does not compile: what NVRTC said of it, and where that is for want of something that was left out, that.
/// `whole`: what it said of all the source.
CompileFailure why_not(CompileFailure device, const CompileFailure& whole, const DeviceSide& side,
                       const std::vector<std::string>& headers, const Source& source) {
  std::vector<std::string> wanted;  // by the device's code
  for (Diagnostic& each : device.diagnostics) {
    if (each.message.find("namespace \"std\" has no member") != std::string::npos && !missing_header(whole).empty()) return whole;
    const std::string name = each.message.ends_with("is undefined") ? quoted_word(each.message) : std::string();
    if (name.empty() && !wants_a_declaration(each.message)) continue;
    if (side.lacks(name)) {
      wanted.push_back(name);
      each.message = host_function_sentence(name);
    } else if (!headers.empty() && &each == &device.diagnostics.front()) {
      each.message += fmt::format(". Perhaps \"{}\" declares it, which cannot be included: copy what you need of it into this file",
                                  headers.front());
    }
  }
  // Of a host's function that a kernel calls, NVRTC's own words are about its declaration.
  std::vector<Diagnostic> own;
  for (const Diagnostic& each : whole.diagnostics) {
    const bool hosts = std::any_of(side.left_out.begin(), side.left_out.end(), [&](const DeviceSide::LeftOut& out) {
      return each.line >= out.line && each.line <= out.last_line &&
             std::none_of(wanted.begin(), wanted.end(), [&](const std::string& name) { return out.is(name); });
    });
    if (!hosts) own.push_back(each);
  }
  if (!wanted.empty() && missing_header(whole).empty() && !own.empty()) device.diagnostics = std::move(own);
  device.message = explain(device.diagnostics, source.file, source.text);
  return device;
}

}  // namespace

const Kernel* Program::find(const std::string& name) const {
  if (name.empty()) return kernels.size() == 1 ? &kernels.front() : nullptr;
  const std::string wanted = normalised(name);
  for (const Kernel& kernel : kernels)
    if (kernel.name == wanted || kernel.entry == name) return &kernel;
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
  Child child;
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

  Compiled compile(const Source& source, const CompileOptions& options) {
    Compiled whole = compile(source, source.text, options);
    if (whole || whole.error().reason != CompileFailure::Reason::source) return whole;
    return without_host_code(source, options, std::move(whole));
  }

  /// What NVRTC refuses may be the host's code alone. `whole`: what it said of all of it, which stands where that was not it.
  Compiled without_host_code(const Source& source, const CompileOptions& options, Compiled whole) {
    std::vector<std::string> headers;  // that cannot be included, as they turn up
    if (std::string header = missing_header(whole.error()); !header.empty() && !is_host_header(header))
      headers.push_back(std::move(header));
    for (std::size_t tries = 0; tries < most_headers; ++tries) {
      const DeviceSide side = device_side(source.text, headers);
      if (side.left_out.empty()) break;
      Compiled device = compile(source, side.text, options);
      if (device && !side.launches.empty()) device = with_launches(source, side, options, std::move(device));
      if (device) {
        // Without a kernel, or a template of one, what is wrong with the source is what is left out.
        if ((*device)->kernels.empty() && side.text.find("__global__") == std::string::npos) break;
        auto program = std::make_shared<Program>(**device);
        program->source = source;
        for (const DeviceSide::LeftOut& each : side.left_out) program->left_out.push_back(each.name);
        return program;
      }
      if (device.error().reason != CompileFailure::Reason::source) return device;
      const std::string header = missing_header(device.error());
      if (!header.empty() && std::find(headers.begin(), headers.end(), header) == headers.end()) {
        headers.push_back(header);
        continue;
      }
      return tl::unexpected(why_not(std::move(device.error()), whole.error(), side, headers, source));
    }
    return whole;
  }

  /// With the templates that only the host's launches name; some do so in words that mean something only there.
  Compiled with_launches(const Source& source, const DeviceSide& side, const CompileOptions& options, Compiled without) {
    const auto with = [&](std::span<const std::string> launches) {
      Source named = source;
      named.instantiate.insert(named.instantiate.end(), launches.begin(), launches.end());
      return compile(named, side.text, options);
    };
    if (Compiled all = with(side.launches)) return all;
    std::vector<std::string> good;
    for (const std::string& launch : std::span(side.launches).first(std::min(side.launches.size(), most_single_launches)))
      if (with({&launch, 1})) good.push_back(launch);
    return good.empty() ? without : with(good);
  }

  Compiled compile(const Source& source, const std::string& text, const CompileOptions& options) {
    const std::lock_guard lock(child_mutex);
    if (!ready())
      return failed(hello.problem.empty() ? CompileFailure::Reason::crashed : CompileFailure::Reason::no_nvrtc, problem);

    CompileRequest request{.name = plain_name(source.file),
                           .text = text,
                           .defines = {},
                           .instantiate = source.instantiate,
                           .architecture = options.architecture,
                           .line_info = options.line_info,
                           .resource_usage = options.resource_usage,
                           .max_seconds = options.max_seconds,
                           .max_bytes = options.max_bytes};
    for (const auto& [name, value] : source.defines) request.defines.push_back(name + '=' + value);

    const auto begin = Clock::now();
    CompileAnswer answer;
    std::optional<ReceiveProblem> trouble = ReceiveProblem::closed;
    if (send(child.socket(), request))
      trouble = receive(child.socket(), answer, begin + seconds(options.max_seconds),
                        [&] { return child.resident() <= options.max_bytes; });
    const double compile_ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
    if (!trouble) {
      Compiled result = program_from(source, std::move(answer), hello, options.max_bytes, compile_ms);
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
  const std::string key = cache_key(source, options);
  if (std::optional<Compiled> known = impl_->recall(key)) return std::move(*known);
  Compiled result = impl_->compile(source, options);
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
    status.confinement = name_of(best_confinement());
  else
    status.advice = impl_->problem;
  return status;
}

void Compiler::warm_up() {
  const std::unique_lock lock(impl_->child_mutex, std::try_to_lock);
  if (lock.owns_lock()) (void)impl_->ready();
}

}  // namespace warpbook::gpu
