// The main loop of the compiler's child processes (for nvcc: nvcc_child.cpp, for clang: clang/clang_child.cpp). It loads NVRTC,
// confines itself, and compiles one request after the other until the parent has gone. It never returns to main().
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <limits>
#include <new>
#include <sstream>
#include <string_view>
#include <thread>

#include "gpu/builtin_headers.h"
#include "gpu/clang/clang.h"
#include "gpu/compiler.h"
#include "gpu/compiler_hook.h"
#include "gpu/compiler_protocol.h"
#include "gpu/confinement.h"
#include "gpu/nvcc.h"
#include "gpu/nvrtc.h"
#include "gpu/toolkit.h"

namespace warpbook::gpu {
namespace {

bool hooked = false;

constexpr const char* confined_argument = "confined";  // argument of the program that start_over_confined() executes

// Opened before the process is confined, and read in a signal handler.
int own_size = -1;
std::size_t size_limit = std::numeric_limits<std::size_t>::max();

/// When NVRTC cannot allocate memory, it crashes in various ways. A crash near the address space's limit is taken for that.
void die(int signal_number) {
  std::array<char, 64> text{};
  const ssize_t length = own_size < 0 ? 0 : pread(own_size, text.data(), text.size() - 1, 0);
  std::size_t pages = 0;  // the first number in statm is the size of the address space
  for (ssize_t i = 0; i < length && text[static_cast<std::size_t>(i)] >= '0' && text[static_cast<std::size_t>(i)] <= '9'; ++i)
    pages = pages * 10 + static_cast<std::size_t>(text[static_cast<std::size_t>(i)] - '0');
  if (pages * 4096 > size_limit / 4 * 3) _exit(child_out_of_memory);
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

void catch_deadly_signals() {
  own_size = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  // Deeply nested source overflows the stack, so the signal handler needs a stack of its own.
  static std::array<char, 64 * 1024> stack;
  stack_t alternate{};
  alternate.ss_sp = stack.data();
  alternate.ss_size = stack.size();
  sigaltstack(&alternate, nullptr);
  struct sigaction action {};
  action.sa_handler = die;
  action.sa_flags = SA_ONSTACK | static_cast<int>(SA_RESETHAND);
  for (const int number : {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE}) sigaction(number, &action, nullptr);
  std::set_new_handler([] { _exit(child_out_of_memory); });
}

/// Ends the process when the parent's end of the socket is closed, even during a compile. PR_SET_PDEATHSIG is not used, because it
/// fires when the parent's *thread* that started the child ends.
void die_with_parent() {
  std::thread([] {
    for (;;) {
      pollfd parent{child_socket, POLLRDHUP, 0};
      if (poll(&parent, 1, -1) > 0 && (parent.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0) _exit(0);
    }
  }).detach();
}

Nvrtc::Input input_of(const CompileRequest& request, const Nvrtc& nvrtc, int architecture, bool machine_code) {
  Nvrtc::Input input{.name = request.name,
                     .text = request.text,
                     .options = {},
                     .name_expressions = request.instantiate,
                     .header_names = request.header_names,
                     .header_texts = request.header_texts,
                     .wants_cubin = machine_code && request.wants_cubin};
  input.options = {(machine_code ? "--gpu-architecture=sm_" : "--gpu-architecture=compute_") + std::to_string(architecture),
                   "--std=c++20", "--device-int128", std::string("--pre-include=") + prelude_header};
  if (machine_code) input.options.emplace_back("--ptxas-options=-v");
  if (request.device_debug) input.options.emplace_back("--device-debug");
  if (request.line_info) input.options.emplace_back("--generate-line-info");
  for (const std::string& folder : nvrtc.include_paths()) input.options.push_back("--include-path=" + folder);
  for (const std::string& define : request.defines) input.options.push_back("--define-macro=" + define);
  return input;
}

CompileAnswer::Status status_of(Nvrtc::Output::Status status) {
  switch (status) {
    case Nvrtc::Output::Status::ok:
      return CompileAnswer::Status::ok;
    case Nvrtc::Output::Status::source:
      return CompileAnswer::Status::source;
    case Nvrtc::Output::Status::out_of_memory:
      return CompileAnswer::Status::out_of_memory;
    case Nvrtc::Output::Status::internal:
      return CompileAnswer::Status::internal;
  }
  return CompileAnswer::Status::internal;
}

CompileAnswer compile(const Nvrtc& nvrtc, const CompileRequest& request) {
  CompileAnswer answer;
  answer.architecture = nearest_architecture(nvrtc.architectures(), request.architecture);
  // Compiling for a real architecture gives PTX and ptxas's resource usage at once. If ptxas fails (too much shared memory), the
  // log has the resource usage and no error of the source. Then the PTX is made by a second compile.
  answer.machine_code = request.resource_usage;
  const int ptx_architecture =
      request.ptx_architecture ? nearest_architecture(nvrtc.architectures(), request.ptx_architecture) : answer.architecture;
  Nvrtc::Output output = nvrtc.compile(input_of(request, nvrtc, answer.architecture, answer.machine_code));
  if (request.wants_cubin) answer.cubin = std::move(output.cubin);
  const bool good = output.status == Nvrtc::Output::Status::ok;
  const bool only_ptxas =
      request.resource_usage && output.status == Nvrtc::Output::Status::source && output.log.find("error: ") == std::string::npos;
  if (only_ptxas) answer.machine_code = false;
  if (only_ptxas || (good && ptx_architecture != answer.architecture)) {
    std::string figures = std::move(output.log);
    output = nvrtc.compile(input_of(request, nvrtc, ptx_architecture, false));
    if (only_ptxas || output.status == Nvrtc::Output::Status::ok) output.log = std::move(figures);
  }
  answer.status = status_of(output.status);
  answer.log = std::move(output.log);
  answer.ptx = std::move(output.ptx);
  answer.lowered_names = std::move(output.lowered_names);
  return answer;
}

[[noreturn]] void refuse(const std::string& why) {
  ChildHello hello;
  hello.problem = "The compiler's process could not be confined (" + why + "), so it refuses to compile.";
  (void)send(child_socket, hello);
  _exit(0);
}

/// Confines the process to what loading NVRTC needs, then executes this program again, so that threads that the libraries start are
/// confined as well.
[[noreturn]] void start_over_confined(const std::string& nvrtc_library) {
  std::error_code none;
  const std::string self = std::filesystem::read_symlink("/proc/self/exe", none).string();
  std::vector<std::string> readable{"/usr",
                                    "/lib",
                                    "/lib64",
                                    "/etc/ld.so.cache",
                                    "/etc/ld.so.preload",
                                    "/etc/alternatives",
                                    "/proc/self",
                                    "/sys/devices/system/cpu",
                                    "/usr/local/cuda/",
                                    self};
  if (!nvrtc_library.empty()) readable.push_back(std::filesystem::path(nvrtc_library).parent_path().string());
  for (const char* name : {"CUDA_PATH", "CUDA_HOME"})
    if (const char* const value = std::getenv(name)) readable.emplace_back(value);
  for (const std::filesystem::path& packages : toolkit_packages()) readable.push_back(packages.string());
  if (const char* const value = std::getenv("LD_LIBRARY_PATH")) {
    std::istringstream folders(value);
    for (std::string folder; std::getline(folders, folder, ':');)
      if (folder.starts_with('/')) readable.push_back(folder);
  }
  if (const std::string problem = confine_before_loading(readable); !problem.empty()) refuse(problem);
  const std::string files(name_of(FileConfinement::landlock_early));
  const std::string tool(name_of(Tool::nvrtc));
  execl("/proc/self/exe", self.c_str(), child_argument, files.c_str(), tool.c_str(), confined_argument,
        static_cast<char*>(nullptr));
  refuse("it could not be started over");
}

[[noreturn]] void serve(FileConfinement files) {
  ChildHello hello;
  const Result<Nvrtc> nvrtc = Nvrtc::open();
  if (!nvrtc) {
    hello.problem = nvrtc.error().message;
    (void)send(child_socket, hello);
    _exit(0);
  }
  catch_deadly_signals();
  // Compiles a text of our own first. NVRTC then loads its built-in functions, so that later only the toolkit's headers must be
  // readable. It also makes a learner's first compile faster.
  (void)compile(*nvrtc, {.name = "warm.cu", .text = "__global__ void warm() {}"});
  if (files == FileConfinement::landlock && !has_one_thread()) start_over_confined(nvrtc->path());
  if (const std::string problem = confine(files, nvrtc->include_paths()); !problem.empty()) refuse(problem);
  die_with_parent();

  hello.available = true;
  hello.version = nvrtc->version();
  hello.path = nvrtc->path();
  hello.confinement = name_of(files);
  hello.hidden_paths = nvrtc->include_paths();
  // Descending, so that a folder comes before those that contain it.
  std::sort(hello.hidden_paths.begin(), hello.hidden_paths.end(), std::greater<>());
  if (!send(child_socket, hello)) _exit(0);

  for (;;) {
    CompileRequest request;
    if (receive(child_socket, request, Deadline::max())) _exit(0);
    limit_resources(request.max_seconds, request.max_bytes);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // sanitizers reserve terabytes and are not limited
    size_limit = request.max_bytes;
#endif
    CompileAnswer answer = compile(*nvrtc, request);
    if (!send(child_socket, answer)) _exit(0);
  }
}

}  // namespace

bool compiler_child_is_hooked() { return hooked; }

void run_compiler_child_if_asked(int argc, char** argv) {
  hooked = true;
  if (argc < 4 || argc > 5 || std::string_view(argv[1]) != child_argument) return;
  // Close all inherited files except the socket and the three standard ones, which the parent has connected to /dev/null.
  (void)syscall(SYS_close_range, child_socket + 1, ~0U, 0);
  const std::string_view files = argv[2];
  if (chdir("/") != 0) _exit(2);  // NVRTC writes the working directory into the PTX
  const std::string_view tool = argv[3];
  const bool started_over = argc == 5 && std::string_view(argv[4]) == confined_argument;
  for (const auto confinement :
       {FileConfinement::landlock, FileConfinement::landlock_early, FileConfinement::bubblewrap, FileConfinement::no_files}) {
    if (files != name_of(confinement)) continue;
    if (tool == name_of(Tool::nvcc)) serve_nvcc(confinement);
    if (tool == name_of(Tool::clang)) serve_clang(confinement);
    if (confinement == FileConfinement::landlock_early && !started_over) start_over_confined({});
    serve(confinement);
  }
  _exit(2);
}

}  // namespace warpbook::gpu
