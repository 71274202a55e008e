// The child process that runs nvcc. It writes a request's files into a scratch folder, starts nvcc confined, and waits for it or
// for the end of the parent (compiler_scratch.h). It does not read the learner's files.
#include <fmt/format.h>
#include <unistd.h>

#include "gpu/compiler_scratch.h"
#include "gpu/nvcc.h"

namespace warpbook::gpu {
namespace {

/// Compiles one request with nvcc and ptxas.
class NvccCompile {
 public:
  NvccCompile(const Nvcc& nvcc, const CompilerScratch& place, const std::vector<int>& architectures, const CompileRequest& request)
      : nvcc_(nvcc), place_(place), architectures_(architectures), request_(request), deadline_(deadline_in(request.max_seconds)) {}

  CompileAnswer answer() {
    CompileAnswer answer;
    answer.architecture = nearest_architecture(architectures_, request_.architecture);
    answer.status = CompileAnswer::Status::internal;
    place_.clear();
    if (!place_.write_sources(request_)) return answer;
    const Ran ran = to_ptx(answer.architecture);
    answer.log = log_of(ran);
    if (ran.exit_code != 0) {
      answer.status = why(ran, answer.log);
      return answer;
    }
    if (request_.resource_usage) {
      const std::string cubin = place_.path() + "/kernel.cubin";
      const Ran assembled = run(nvcc_.assembler_words(answer.architecture, ptx_, cubin));
      answer.machine_code = assembled.exit_code == 0;
      if (answer.machine_code && request_.wants_cubin) answer.cubin = read_file(cubin);
      answer.log += '\n' + assembled.log;
    }
    const int ptx_architecture =
        request_.ptx_architecture ? nearest_architecture(architectures_, request_.ptx_architecture) : answer.architecture;
    if (ptx_architecture != answer.architecture) {
      const Ran again = to_ptx(ptx_architecture);
      if (again.exit_code != 0) {
        answer.log = log_of(again);
        answer.status = why(again, answer.log);
        return answer;
      }
    }
    answer.status = CompileAnswer::Status::ok;
    answer.ptx = read_file(ptx_);
    replace_all(answer.ptx, place_.sources().string() + "/", "/");
    return answer;
  }

 private:
  [[nodiscard]] Ran run(const std::vector<std::string>& words) const {
    return place_.run(words, nvcc_.reach(), deadline_, request_.max_seconds, static_cast<std::size_t>(request_.max_bytes));
  }

  /// Tries nvcc's default C++ standard first, then C++20 if the source uses its keywords.
  [[nodiscard]] Ran to_ptx(int architecture) const {
    Ran ran = run(nvcc_.words(request_, architecture, ptx_, ""));
    if (ran.exit_code == 0 || ran.too_long || !wants_newer_standard(request_.text)) return ran;
    Ran newer = run(nvcc_.words(request_, architecture, ptx_, "c++20"));
    return newer.exit_code == 0 ? newer : ran;
  }

  [[nodiscard]] std::string log_of(const Ran& ran) const {
    std::string log = ran.log;
    replace_all(log, place_.sources().string() + "/", "");
    return as_nvrtc_writes(log, [&](std::string_view file) { return text_of_file(request_, file); });
  }

  static CompileAnswer::Status why(const Ran& ran, std::string_view log) {
    if (ran.too_long) return CompileAnswer::Status::too_long;
    if (says_out_of_memory(log)) return CompileAnswer::Status::out_of_memory;
    return log.find("error") != std::string_view::npos ? CompileAnswer::Status::source : CompileAnswer::Status::internal;
  }

  const Nvcc& nvcc_;
  const CompilerScratch& place_;
  const std::vector<int>& architectures_;
  const CompileRequest& request_;
  const Deadline deadline_;
  const std::string ptx_ = place_.path() + "/kernel.ptx";
};

}  // namespace

void serve_nvcc(FileConfinement files) {
  constexpr double patience = 20;  // seconds, for two commands that usually take hundredths of a second
  ChildHello hello;
  const std::optional<Nvcc> nvcc = find_nvcc();
  if (!nvcc) refuse_to_compile(hello, "The CUDA Toolkit of this machine has no nvcc.");
  const CompilerScratch place("nvcc", files);
  if (place.path().empty()) refuse_to_compile(hello, "nvcc needs a folder in /tmp, and none could be made.");
  const auto ask = [&](const char* question) {
    return place.run({nvcc->path, question}, nvcc->reach(), deadline_in(patience), patience, std::size_t{4} << 30).log;
  };
  hello.version = version_in(ask("--version"));
  const std::string listed = ask("--list-gpu-arch");
  const std::vector<int> architectures = architectures_in(listed);
  if (architectures.empty()) {
    place.remove();
    refuse_to_compile(hello, fmt::format("nvcc cannot be used here: {}", listed.substr(0, listed.find('\n'))));
  }
  hello.available = true;
  hello.path = nvcc->path;
  hello.confinement = name_of(files);
  hello.scratch = place.path();
  hello.hidden_paths = nvcc->header_folders();
  if (!send(child_socket, hello)) place.leave();
  for (;;) {
    CompileRequest request;
    if (receive(child_socket, request, Deadline::max())) place.leave();
    CompileAnswer answer = NvccCompile(*nvcc, place, architectures, request).answer();
    if (!send(child_socket, answer)) place.leave();
  }
}

}  // namespace warpbook::gpu
