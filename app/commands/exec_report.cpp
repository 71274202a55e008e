#include "app/commands/exec_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <map>

#include "app/commands/report_text.h"
#include "gpu/address_windows.h"
#include "gpu/demangle.h"
#include "gpu/input_file.h"
#include "gpu/program/code_places.h"
#include "gpu/program/finding_json.h"
#include "gpu/shown_text.h"

namespace warpbook::app {
namespace {

using Json = nlohmann::ordered_json;
using Wrong = ExecReport::Wrong;

constexpr std::string_view launch_call = "a kernel's launch";

/// The headers of the toolkit, and ours for `warpbook cc`, call CUDA for the program: cudaMalloc<int>, cudaLaunchKernel.
bool is_toolkits(const gpu::CodePlace& place) {
  for (const std::string_view part : {"/crt/", "cuda_runtime", "cuda_launch", "cooperative_groups", "/include/warpbook/"})
    if (place.file.find(part) != std::string::npos) return true;
  return place.line == 0 && place.function.find("cuda") != std::string::npos;
}

/// Of the calls that lead to CUDA's, the one that the program's author wrote: not in the toolkit's headers, and not in the code
/// that nvcc makes of a kernel, which calls by a stub and a function of the kernel's own name. clang makes only a stub.
class Places {
 public:
  explicit Places(std::vector<std::string>& folders) : folders_(folders) {}

  [[nodiscard]] gpu::CodePlace written(const Json& at) {
    gpu::CodePlace place = found(at);
    const std::string folder = std::filesystem::path(place.file).parent_path();
    if (!folder.empty() && std::find(folders_.begin(), folders_.end(), folder) == folders_.end()) folders_.push_back(folder);
    return place;
  }

 private:
  [[nodiscard]] gpu::CodePlace found(const Json& at) {
    gpu::CodePlace best;
    bool after_stub = false;
    for (const Json& frame : at) {
      if (!frame.is_array() || frame.size() != 2) continue;
      for (gpu::CodePlace& place : places_.of(frame[0].get<std::string>(), frame[1].get<std::uint64_t>())) {
        const bool nvccs = place.file.empty() || place.file.ends_with(".stub.c");
        const bool stub = place.file.ends_with(".stub.c") || place.function.find("__device_stub__") != std::string::npos;
        const bool kernels_own = after_stub && !stub;
        after_stub = stub && nvccs;
        if (stub || kernels_own || is_toolkits(place)) continue;
        if (place.line > 0) return place;
        if (best.function.empty()) best = std::move(place);
      }
    }
    return best;
  }

  std::vector<std::string>& folders_;
  gpu::CodePlaces places_;
};

/// Python calls CUDA through its own library for foreign functions: no place in a program.
bool is_pythons(const gpu::CodePlace& place) { return place.function.starts_with("ffi_call"); }

/// "in main", for a program without debug information.
std::string in_function(const gpu::CodePlace& place) {
  if (place.line > 0 || place.function.empty() || is_pythons(place)) return {};
  return fmt::format(" in {}", gpu::demangled(place.function).value_or(place.function));
}

/// "add" of Numba's "cudapy::__main__::add[abi:v1][abi:…](Array<…>)"; other names as they are.
std::string shown_kernel(const std::string& name) {
  constexpr std::string_view numbas = "cudapy::", module = "__main__::";
  if (!name.starts_with(numbas)) return name;
  std::string shown = name.substr(numbas.size(), name.find('[') - numbas.size());
  return shown.starts_with(module) ? shown.substr(module.size()) : shown;
}

/// One process's lines, one after the other.
class Reader {
 public:
  Reader(ExecReport& report, const ProgramEnd& end) : report_(report), end_(end), places_(report.folders) {}

  void read(const gpu::ProgramRun& run) {
    allocations_.clear();
    pending_.clear();
    for (const Json& line : run.lines) take(line);
    // Findings name their file without its folder: that of the host's code, whose place any allocation tells.
    if (!report_.findings.empty() && report_.folders.empty() && !allocations_.empty())
      (void)places_.written(allocations_.begin()->second.value("at", Json::array()));
    // Whoever ends at once with a code of its own has seen the error.
    const bool left_at_once = end_.exit_code != 0 && !end_.signal && last_was_failure_;
    for (std::size_t p = 0; p + (left_at_once ? 1 : 0) < pending_.size(); ++p) tell_ignored(pending_[p]);
    if (end_.exit_code == 0 && !end_.signal) tell_leaks();  // who gives up at an error seldom frees what he has
    if (end_.exit_code != 0 && last_with_reason_) {         // the program has told the error; its name says little
      const gpu::CodePlace place = places_.written(last_with_reason_->value("at", Json::array()));
      report_.remarks.push_back(fmt::format(
          "{}{} failed with {}{}.", last_with_reason_->value("call", ""),
          place.line > 0 ? fmt::format(" at {}:{}", std::filesystem::path(place.file).filename().string(), place.line) : "",
          last_with_reason_->value("error", ""), reason(*last_with_reason_)));
    }
    if (!run.running.empty())
      report_.remarks.push_back(fmt::format("It ended while the kernel {} ran.", cut(shown_kernel(run.running), 80)));
  }

 private:
  struct Failure {
    Json line;
    std::optional<std::size_t> told;  // in ExecReport::wrong: the fault or refusal that it tells of
  };

  void take(const Json& line) {
    const std::string kind = line.value("kind", "");
    last_was_failure_ = kind == "failed" || ((kind == "leak" || kind == "kernel") && last_was_failure_);
    if (kind == "allocation") {
      allocations_[line.value("number", std::uint64_t{0})] = line;
    } else if (kind == "finding") {
      report_.findings.push_back(
          {gpu::finding_of(line), shown_kernel(line.value("kernel", "")), buffer_sentence(line.value("buffer", ""))});
    } else if (kind == "fault" || kind == "refused") {
      tell_fault(line, kind);
    } else if (kind == "failed") {
      if (line.contains("why")) last_with_reason_ = line;
      pending_.push_back({line, told_already(line)});
    } else if (kind == "looked") {
      pending_.clear();
    } else if (kind == "leak") {
      leaks_.push_back(line.value("allocation", std::uint64_t{0}));
    } else if (kind == "crash") {
      tell_crash(line);
    } else if (kind == "forked") {
      tell_fork(line);
    } else if (kind == "not_run") {
      report_.not_run = true;
      report_.remarks.push_back(line.value("message", ""));
    }
  }

  std::optional<std::size_t> told_already(const Json& line) const {
    for (std::size_t w = report_.wrong.size(); w-- > 0;)
      if (report_.wrong[w].error == line.value("error", "") &&
          (report_.wrong[w].kind == "fault" || (report_.wrong[w].kind == "refused" && line.value("call", "") == launch_call)))
        return w;
    return std::nullopt;
  }

  void tell_fault(const Json& line, const std::string& kind) {
    const gpu::CodePlace place = places_.written(line.value("at", Json::array()));
    Wrong wrong;
    wrong.kind = kind;
    wrong.file = place.file;
    wrong.line = place.line;
    wrong.error = line.value("error", "");
    wrong.kernel = shown_kernel(line.value("kernel", ""));
    wrong.sentence = fmt::format("{}, {} of {}{}: {}", wrong.error, kind == "fault" ? "by the launch" : "CUDA refuses the launch",
                                 cut(wrong.kernel, 80), in_function(place), line.value("message", ""));
    add(std::move(wrong));
  }

  void tell_crash(const Json& line) {
    const gpu::CodePlace place = places_.written(line.value("at", Json::array()));
    const auto address = line.value("address", std::uint64_t{0});
    const int signal_number = line.value("signal", SIGSEGV);
    Wrong wrong;
    wrong.kind = "crash";
    wrong.file = place.file;
    wrong.line = place.line;
    const std::string where = place.line > 0 ? std::string(" here") : in_function(place);
    if (const std::string devices = devices_memory(address); signal_number == SIGSEGV && !devices.empty())
      wrong.sentence = fmt::format(
          "The host code uses the device's memory{}: {} The host cannot reach it: copy it with cudaMemcpy, or take memory of "
          "cudaMallocManaged.",
          where, devices);
    else if (signal_number == SIGSEGV && address < 4096)
      wrong.sentence =
          fmt::format("The host code uses a null pointer{}, or a number near zero as one (the address {:#x}).", where, address);
    else if (signal_number == SIGSEGV || signal_number == SIGBUS)
      wrong.sentence =
          fmt::format("The host code reaches{} for the address {:#x}, where this program has no memory.", where, address);
    else if (signal_number == SIGABRT)
      wrong.sentence =
          fmt::format("The host code ends itself{} by abort(): an assertion, or an exception that nobody catches.", where);
    else
      wrong.sentence = fmt::format("The host code is ended{} by signal {} ({}).", where, signal_number, strsignal(signal_number));
    add(std::move(wrong));
  }

  /// What lies at an address of the device's memory, a sentence; empty: it is not the device's.
  std::string devices_memory(std::uint64_t address) {
    if (address < gpu::global_base || address >= gpu::global_base << 8) return {};
    for (auto made = allocations_.rbegin(); made != allocations_.rend(); ++made) {
      const auto first = made->second.value("address", std::uint64_t{0});
      if (address < first || address >= first + made->second.value("bytes", std::uint64_t{0})) continue;
      const std::string name = fmt::format("allocation {}", made->first);
      return fmt::format("byte {} of {}. {}", address - first, name, buffer_sentence(name));
    }
    return fmt::format("the address {:#x}, where no allocation lies.", address);
  }

  void tell_fork(const Json& line) {
    const gpu::CodePlace place = places_.written(line.value("at", Json::array()));
    Wrong wrong;
    wrong.kind = "fork";
    wrong.file = place.file;
    wrong.line = place.line;
    wrong.error = line.value("error", "");
    wrong.call = line.value("call", "");
    wrong.sentence = fmt::format(
        "{}{} failed with {} in a child of fork(): its parent had used the device before, and CUDA does not go along into a child. "
        "Start the children before the first of CUDA's calls, or let each be a program of its own.",
        wrong.call, in_function(place), wrong.error);
    add(std::move(wrong));
  }

  /// " (the destination is host memory)", or nothing.
  static std::string reason(const Json& failed) {
    const std::string why = failed.value("why", "");
    return why.empty() ? std::string() : fmt::format(" ({})", why);
  }

  void tell_ignored(const Failure& failure) {
    if (failure.told) {
      constexpr std::string_view ignored = " The program did not ask for this error.";
      Wrong& wrong = report_.wrong[*failure.told];
      if (!wrong.sentence.ends_with(ignored)) wrong.sentence += ignored;
      return;
    }
    const gpu::CodePlace place = places_.written(failure.line.value("at", Json::array()));
    Wrong wrong;
    wrong.kind = "ignored_error";
    wrong.file = place.file;
    wrong.line = place.line;
    wrong.error = failure.line.value("error", "");
    wrong.call = failure.line.value("call", "");
    wrong.sentence = fmt::format(
        "{}{} failed with {}{}, and the program went on without asking for the error. Look at what each of CUDA's calls returns.",
        wrong.call, in_function(place), wrong.error, reason(failure.line));
    add(std::move(wrong));
  }

  void tell_leaks() {
    std::map<std::pair<std::string, int>, Wrong> by_place;
    for (const std::uint64_t number : leaks_) {
      const Json& made = allocations_[number];
      const gpu::CodePlace place = places_.written(made.value("at", Json::array()));
      if (is_pythons(place)) continue;  // which frees what it holds when it ends, or not at all
      Wrong& wrong = by_place[{place.line > 0 ? place.file : place.function, place.line}];
      wrong.times = wrong.kind.empty() ? 1 : wrong.times + 1;
      wrong.kind = "leak";
      wrong.file = place.file;
      wrong.line = place.line;
      wrong.bytes += made.value("bytes", std::uint64_t{0});
      wrong.call = made.value("call", "cudaMalloc");
      wrong.sentence = in_function(place);
    }
    leaks_.clear();
    for (auto& [at, wrong] : by_place) {
      const bool host = wrong.call == "cudaMallocHost" || wrong.call == "cudaHostAlloc";
      wrong.sentence =
          fmt::format("{} bytes that {}{} gave {} never freed. Call {} when they are no longer needed.", wrong.bytes, wrong.call,
                      wrong.sentence, wrong.times == 1 ? "were" : fmt::format("in {} calls were", wrong.times),
                      host ? "cudaFreeHost" : "cudaFree");
      add(std::move(wrong));
    }
  }

  /// Where an observer's buffer was allocated.
  std::string buffer_sentence(const std::string& name) {
    constexpr std::string_view prefix = "allocation ";
    if (!name.starts_with(prefix)) return {};
    const auto made = allocations_.find(std::strtoull(name.c_str() + prefix.size(), nullptr, 10));
    if (made == allocations_.end()) return {};
    const gpu::CodePlace place = places_.written(made->second.value("at", Json::array()));
    return fmt::format(
        "`{}` is the {} bytes that {} gave{}{}.", name, made->second.value("bytes", std::uint64_t{0}),
        made->second.value("call", "cudaMalloc"),
        place.line > 0 ? fmt::format(" at {}:{}", std::filesystem::path(place.file).filename().string(), place.line) : "",
        in_function(place));
  }

  /// The same thing at the same place is told once, and counted.
  void add(Wrong wrong) {
    for (Wrong& told : report_.wrong)
      if (told.kind == wrong.kind && told.file == wrong.file && told.line == wrong.line && told.sentence == wrong.sentence) {
        ++told.times;
        return;
      }
    report_.wrong.push_back(std::move(wrong));
  }

  ExecReport& report_;
  const ProgramEnd& end_;
  Places places_;
  std::map<std::uint64_t, Json> allocations_;
  std::vector<Failure> pending_;
  std::vector<std::uint64_t> leaks_;
  std::optional<Json> last_with_reason_;
  bool last_was_failure_ = false;
};

void join_kernels(const gpu::ProgramRun& run, std::vector<gpu::ProgramRun::Kernel>& kernels) {
  for (gpu::ProgramRun::Kernel kernel : run.kernels) {
    kernel.name = shown_kernel(kernel.name);
    auto same = std::find_if(kernels.begin(), kernels.end(), [&](const auto& k) { return k.name == kernel.name; });
    if (same == kernels.end()) {
      kernels.push_back(kernel);
      continue;
    }
    same->counters.launches += kernel.counters.launches;
    same->counters.thread_instructions += kernel.counters.thread_instructions;
    same->counters.run_ms += kernel.counters.run_ms;
    same->counters.model_us += kernel.counters.model_us;
  }
}

std::string kernels_text(const ExecReport& report, const ProgramEnd& end) {
  std::size_t width = 6;
  for (const auto& kernel : report.kernels) width = std::max(width, std::min<std::size_t>(60, kernel.name.size()));
  std::string text = fmt::format("\n  {:<{}}  {:>9}  {:>12}", "kernel", width, "launches", "this machine");
  text += end.clock ? fmt::format("  {:>12}\n", "model") : "\n";
  for (const auto& kernel : report.kernels) {
    text += fmt::format("  {:<{}}  {:>9}  {:>12}", cut(kernel.name, 60), width, kernel.counters.launches,
                        time_text(kernel.counters.run_ms));
    text += end.clock ? fmt::format("  {:>12}\n", time_text(kernel.counters.model_us / 1e3)) : "\n";
  }
  return text;
}

}  // namespace

std::string ended_sentence(const ProgramEnd& end) {
  if (!end.signal) return fmt::format("{} ended with exit code {} after {:.2f} s.", end.program, end.exit_code, end.seconds);
  if (*end.signal == SIGINT) return fmt::format("{} was interrupted (Ctrl-C) after {:.2f} s.", end.program, end.seconds);
  if (*end.signal == SIGSEGV)
    return fmt::format("{} crashed after {:.2f} s: its host code reached for memory that it does not have (SIGSEGV).", end.program,
                       end.seconds);
  return fmt::format("{} was ended by signal {} ({}) after {:.2f} s.", end.program, *end.signal, strsignal(*end.signal),
                     end.seconds);
}

std::string source_text(const std::string& file, const std::vector<std::string>& folders) {
  constexpr std::uintmax_t most = std::uintmax_t{4} << 20;
  if (auto text = read_input(file, most)) return std::move(*text);
  for (const std::string& folder : folders)
    if (auto text = read_input(std::filesystem::path(folder) / file, most)) return std::move(*text);
  return {};
}

std::string time_text(double ms) {
  if (ms >= 1000) return fmt::format("{:.2f} s", ms / 1e3);
  return ms >= 1 ? fmt::format("{:.1f} ms", ms) : fmt::format("{:.1f} µs", ms * 1e3);
}

ExecReport exec_report(std::span<const gpu::ProgramRun> runs, const ProgramEnd& end) {
  ExecReport report;
  Reader reader(report, end);
  for (const gpu::ProgramRun& run : runs) {
    report.loaded = true;
    report.calls += run.calls;
    join_kernels(run, report.kernels);
    reader.read(run);
  }
  if (report.calls == 0 && !report.not_run)
    report.remarks.push_back(report.loaded
                                 ? "No CUDA call was seen: the program is linked with CUDA's runtime library and did not use it."
                                 : "No CUDA call was seen. If this is a CUDA program, compile it with 'warpbook nvcc' or 'warpbook "
                                   "cc', or link it with -cudart shared.");
  return report;
}

std::string exec_text(const ExecReport& report, const ProgramEnd& end) {
  std::string text = fmt::format("warpbook: {}", report.not_run ? end.program + " was stopped." : ended_sentence(end));
  for (const std::string& remark : report.remarks) text += " " + in_sentences(remark);
  text += "\n";
  if (!report.kernels.empty()) {
    text += fmt::format("warpbook: kernels on {}:", end.device);
    text += kernels_text(report, end);
  }
  for (const Wrong& wrong : report.wrong) {
    const std::string at = wrong.line > 0 ? fmt::format("{}:{}: ", wrong.file, wrong.line) : "";
    const std::string often = wrong.times > 1 && wrong.kind != "leak" ? fmt::format(" ({} times)", wrong.times) : "";
    text += fmt::format("{}{}: {}{}\n", at, wrong.kind == "leak" ? "leak" : "error", in_sentences(wrong.sentence), often);
    if (wrong.line > 0) text += excerpt(source_text(wrong.file, report.folders), static_cast<std::uint32_t>(wrong.line), 0);
  }
  for (const ExecReport::Found& found : report.findings) {
    text += finding_text(found.finding, SourceLines(source_text(found.finding.at.file, report.folders)));
    if (!found.buffer.empty()) text += fmt::format("  {}\n", found.buffer);
  }
  if (end.observe != "none" && report.findings.empty() && report.calls > 0)
    text += fmt::format("warpbook: looked for {} in its kernels and found nothing.\n", end.observe);
  return text;
}

Json exec_json(const ExecReport& report, const ProgramEnd& end) {
  Json json{{"program", end.program},     {"device", end.device},   {"observe", end.observe},
            {"exit_code", end.exit_code}, {"seconds", end.seconds}, {"calls", report.calls}};
  if (end.signal) json["signal"] = *end.signal;
  json["kernels"] = Json::array();
  for (const auto& kernel : report.kernels) {
    Json one{{"kernel", kernel.name},
             {"launches", kernel.counters.launches},
             {"run_ms", kernel.counters.run_ms},
             {"thread_instructions", kernel.counters.thread_instructions}};
    if (end.clock) one["model_us"] = kernel.counters.model_us;
    json["kernels"].push_back(std::move(one));
  }
  json["findings"] = Json::array();
  for (const ExecReport::Found& found : report.findings) {
    Json one = to_json(found.finding);
    one["kernel"] = found.kernel;
    json["findings"].push_back(std::move(one));
  }
  json["errors"] = Json::array();
  for (const Wrong& wrong : report.wrong) {
    Json one{{"kind", wrong.kind}, {"message", wrong.sentence}, {"file", wrong.file}, {"line", wrong.line}, {"times", wrong.times}};
    if (!wrong.error.empty()) one["error"] = wrong.error;
    if (!wrong.call.empty()) one["call"] = wrong.call;
    if (!wrong.kernel.empty()) one["kernel"] = wrong.kernel;
    if (wrong.kind == "leak") one["bytes"] = wrong.bytes;
    json["errors"].push_back(std::move(one));
  }
  json["remarks"] = report.remarks;
  return json;
}

}  // namespace warpbook::app
