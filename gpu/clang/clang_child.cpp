// The child process that runs clang. It writes a request's files and our headers into a scratch folder, starts clang confined, and
// waits for it or for the end of the parent (compiler_scratch.h). It does not read the learner's files.
#include <fmt/format.h>
#include <unistd.h>

#include "gpu/clang/clang.h"
#include "gpu/clang/headers.h"
#include "gpu/compiler_scratch.h"

namespace warpbook::gpu {
namespace {

/// Compiles one request with clang.
class ClangCompile {
 public:
  ClangCompile(const Clang& clang, const CompilerScratch& place, const std::vector<int>& architectures,
               const CompileRequest& request)
      : clang_(clang), place_(place), architectures_(architectures), request_(request) {}

  CompileAnswer answer() {
    CompileAnswer answer;
    answer.architecture = nearest_architecture(architectures_, request_.architecture);
    answer.status = CompileAnswer::Status::internal;
    place_.clear();
    if (!write_sources() || !write_headers()) return answer;
    const int of_ptx =
        request_.ptx_architecture != 0 ? nearest_architecture(architectures_, request_.ptx_architecture) : answer.architecture;
    const Ran ran = place_.run(clang_.words(request_, of_ptx, headers_, ptx_), clang_.reach(), deadline_in(request_.max_seconds),
                               request_.max_seconds, static_cast<std::size_t>(request_.max_bytes));
    std::string log = ran.log;
    replace_all(log, place_.sources().string() + "/", "");
    answer.log = clang_as_nvrtc_writes(log, [&](std::string_view file) { return text_of_file(request_, file); });
    answer.status = ran.exit_code == 0 ? CompileAnswer::Status::ok : why(ran);
    if (ran.exit_code != 0) return answer;
    answer.ptx = read_file(ptx_);
    replace_all(answer.ptx, place_.sources().string() + "/", "/");
    replace_all(answer.ptx, "\"/./", "\"/");
    return answer;
  }

 private:
  [[nodiscard]] bool write_sources() const {
    CompileRequest as_clang_reads = request_;
    as_clang_reads.text = with_alignment_anywhere(request_.text);
    for (std::string& text : as_clang_reads.header_texts) text = with_alignment_anywhere(text);
    return place_.write_sources(as_clang_reads);
  }

  [[nodiscard]] bool write_headers() const {
    for (const auto& header : clang_headers())
      if (!write_file(headers_ + "/" + std::string(header.name), header.text)) return false;
    return true;
  }

  static CompileAnswer::Status why(const Ran& ran) {
    if (ran.too_long) return CompileAnswer::Status::too_long;
    if (says_out_of_memory(ran.log)) return CompileAnswer::Status::out_of_memory;
    constexpr int refused = 1;  // clang's exit code for a refused source; other codes mean that clang itself failed
    return ran.exit_code == refused ? CompileAnswer::Status::source : CompileAnswer::Status::crashed;
  }

  const Clang& clang_;
  const CompilerScratch& place_;
  const std::vector<int>& architectures_;
  const CompileRequest& request_;
  const std::string headers_ = place_.path() + "/include", ptx_ = place_.path() + "/kernel.ptx";
};

}  // namespace

void serve_clang(FileConfinement files) {
  constexpr double patience = 20;  // seconds, for two commands that usually take hundredths of a second
  ChildHello hello;
  const std::optional<Clang> clang = find_clang();
  if (!clang) refuse_to_compile(hello, "clang 16 or newer was not found. " + clang_advice());
  const CompilerScratch place("clang", files);
  if (place.path().empty()) refuse_to_compile(hello, "clang needs a folder in /tmp, and none could be made.");
  const auto ask = [&](std::vector<std::string> question) {
    question.insert(question.begin(), clang->path);
    return place.run(question, clang->reach(), deadline_in(patience), patience, std::size_t{4} << 30).log;
  };
  hello.version = clang_version_in(ask({"--version"}));
  const std::string listed = ask({"--print-supported-cpus", "--target=nvptx64-nvidia-cuda"});
  const std::vector<int> architectures = clang_architectures_in(listed);
  if (architectures.empty()) {
    place.remove();
    refuse_to_compile(hello, fmt::format("{} has no NVPTX back end, or cannot be used here: {}", clang->path,
                                         listed.substr(0, listed.find('\n'))));
  }
  hello.available = true;
  hello.path = clang->path;
  hello.confinement = name_of(files);
  hello.scratch = place.path();
  hello.hidden_paths = {place.path() + "/include", clang->resources + "/include"};
  if (!send(child_socket, hello)) place.leave();
  for (;;) {
    CompileRequest request;
    if (receive(child_socket, request, Deadline::max())) place.leave();
    CompileAnswer answer = ClangCompile(*clang, place, architectures, request).answer();
    if (!send(child_socket, answer)) place.leave();
  }
}

}  // namespace warpbook::gpu
