// The child process that runs clang. It writes a request's files and our headers into a scratch folder, starts clang confined, and
// waits for it or for the end of the parent (compiler_scratch.h). It does not read the learner's files.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <tuple>

#include "gpu/clang/clang.h"
#include "gpu/clang/headers.h"
#include "gpu/compiler_scratch.h"

namespace warpbook::gpu {
namespace {

/// The names that our headers ask for in #if and the like: a program that defines one of them must have them read anew.
const std::set<std::string>& names_that_headers_ask_for() {
  static const std::set<std::string> names = [] {
    std::set<std::string> found;
    for (const ClangHeader& header : clang_headers()) {
      std::istringstream text{std::string(header.text)};
      for (std::string line; std::getline(text, line);) {
        line.erase(0, line.find_first_not_of(" \t"));
        if (!line.starts_with("#if") && !line.starts_with("#elif")) continue;
        std::replace_if(
            line.begin(), line.end(), [](unsigned char c) { return std::isalnum(c) == 0 && c != '_'; }, ' ');
        std::istringstream words(line);
        for (std::string word; words >> word;) found.insert(word);
      }
    }
    return found;
  }();
  return names;
}

/// Whether a text includes nothing but Warpbook's headers and the request's own. What the C library declares for the host as well,
/// printf for example, is not found behind precompiled headers. False in doubt: for the word in a comment.
bool includes_ours_alone(std::string_view text, const CompileRequest& request) {
  constexpr std::string_view word = "include";
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    std::string_view rest = text.substr(at + word.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    if (rest.empty() || (rest.front() != '<' && rest.front() != '"')) return false;
    const std::string_view name = rest.substr(1, rest.find_first_of(">\"\n", 1) - 1);
    const bool of_request = std::ranges::any_of(
        request.header_names, [&](const std::string& each) { return each == name || each.ends_with("/" + std::string(name)); });
    const bool ours = !name.starts_with("cuda/std/") &&
                      std::ranges::any_of(clang_headers(), [&](const ClangHeader& each) { return each.name == name; });
    if (!of_request && !ours) return false;
  }
  return true;
}

/// Warpbook's headers in the scratch folder. clang takes as long to read them as for a small kernel, so that they are precompiled
/// once a way of compiling was asked for twice.
class HeadersForClang {
 public:
  HeadersForClang(const Clang& clang, const CompilerScratch& place) : clang_(clang), place_(place) {}

  [[nodiscard]] const std::string& folder() const { return folder_; }

  /// Writes them, at first and when somebody has tidied up /tmp. Returns false if that fails.
  [[nodiscard]] bool are_there() {
    std::error_code problem;
    const auto is_there = [&](const std::string& path) { return std::filesystem::exists(path, problem); };
    const bool complete =
        is_there(nothing_) &&
        std::all_of(clang_headers().begin(), clang_headers().end(), [&](const auto& each) { return is_there(file_of(each)); }) &&
        std::all_of(ways_.begin(), ways_.end(),
                    [&](const auto& way) { return way.second.file.empty() || is_there(way.second.file); });
    if (complete) return true;
    ways_.clear();
    return write_file(nothing_, "") && std::all_of(clang_headers().begin(), clang_headers().end(),
                                                   [&](const auto& each) { return write_file(file_of(each), each.text); });
  }

  [[nodiscard]] Clang::Headers of(const CompileRequest& request, int architecture) const {
    const auto way = ways_.find(way_of(request, architecture));
    const bool known = way != ways_.end() && !way->second.file.empty() && fits_precompiled(request);
    return {folder_, known ? way->second.file : std::string()};
  }

  /// Call it when a request was answered.
  void prepare(const CompileRequest& request, int architecture) {
    Way& way = ways_[way_of(request, architecture)];
    if (++way.asked != 2) return;
    CompileRequest nothing;
    nothing.name = nothing_;
    nothing.device_debug = request.device_debug;
    nothing.line_info = request.line_info;
    const std::string file = fmt::format("{}/headers-{}{}{}.pch", place_.kept(), architecture, request.device_debug ? "-debug" : "",
                                         request.line_info ? "-lines" : "");
    constexpr double patience = 20;
    const Ran ran = place_.run(clang_.precompile_words(nothing, architecture, {folder_}, file), clang_.reach(),
                               deadline_in(patience), patience, std::size_t{4} << 30);
    std::error_code missing;
    if (ran.exit_code == 0 && std::filesystem::file_size(file, missing) > 0 && !missing) way.file = file;
  }

 private:
  struct Way {
    int asked = 0;
    std::string file;  // empty: the headers are not precompiled for it
  };
  using Key = std::tuple<int, bool, bool>;

  [[nodiscard]] std::string file_of(const ClangHeader& header) const { return folder_ + "/" + std::string(header.name); }

  static Key way_of(const CompileRequest& request, int architecture) {
    return {architecture, request.device_debug, request.line_info};
  }

  static bool fits_precompiled(const CompileRequest& request) {
    const bool changes_headers = std::ranges::any_of(request.defines, [](const std::string& define) {
      return names_that_headers_ask_for().contains(define.substr(0, define.find_first_of("=(")));
    });
    return !changes_headers && includes_ours_alone(request.text, request) &&
           std::ranges::all_of(request.header_texts, [&](const std::string& each) { return includes_ours_alone(each, request); });
  }

  const Clang& clang_;
  const CompilerScratch& place_;
  const std::string folder_ = place_.kept() + "/include";
  const std::string nothing_ = place_.kept() + "/nothing.cu";  // clang looks for it whenever it reads the precompiled headers
  std::map<Key, Way> ways_;
};

/// Compiles one request with clang.
class ClangCompile {
 public:
  ClangCompile(const Clang& clang, const CompilerScratch& place, const std::vector<int>& architectures, HeadersForClang& headers,
               const CompileRequest& request)
      : clang_(clang), place_(place), headers_(headers), request_(request) {
    architecture_ = nearest_architecture(architectures, request.architecture);
    of_ptx_ = request.ptx_architecture != 0 ? nearest_architecture(architectures, request.ptx_architecture) : architecture_;
  }

  [[nodiscard]] int architecture_of_ptx() const { return of_ptx_; }

  CompileAnswer answer() {
    CompileAnswer answer;
    answer.architecture = architecture_;
    answer.status = CompileAnswer::Status::internal;
    place_.clear();
    if (!write_sources() || !headers_.are_there()) return answer;
    const Ran ran =
        place_.run(clang_.words(request_, of_ptx_, headers_.of(request_, of_ptx_), ptx_), clang_.reach(),
                   deadline_in(request_.max_seconds), request_.max_seconds, static_cast<std::size_t>(request_.max_bytes));
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

  static CompileAnswer::Status why(const Ran& ran) {
    if (ran.too_long) return CompileAnswer::Status::too_long;
    if (says_out_of_memory(ran.log)) return CompileAnswer::Status::out_of_memory;
    constexpr int refused = 1;  // clang's exit code for a refused source; other codes mean that clang itself failed
    return ran.exit_code == refused ? CompileAnswer::Status::source : CompileAnswer::Status::crashed;
  }

  const Clang& clang_;
  const CompilerScratch& place_;
  HeadersForClang& headers_;
  const CompileRequest& request_;
  const std::string ptx_ = place_.path() + "/kernel.ptx";
  int architecture_ = 0, of_ptx_ = 0;
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
  HeadersForClang headers(*clang, place);
  if (!headers.are_there()) {
    place.remove();
    refuse_to_compile(hello, "clang needs a folder in /tmp, and its files could not be written.");
  }
  hello.hidden_paths = {headers.folder(), clang->resources + "/include"};
  if (!send(child_socket, hello)) place.leave();
  for (;;) {
    CompileRequest request;
    if (receive(child_socket, request, Deadline::max())) place.leave();
    ClangCompile compile(*clang, place, architectures, headers, request);
    CompileAnswer answer = compile.answer();
    if (!send(child_socket, answer)) place.leave();
    headers.prepare(request, compile.architecture_of_ptx());
  }
}

}  // namespace warpbook::gpu
