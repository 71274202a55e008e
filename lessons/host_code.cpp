#include "lessons/host_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "gpu/source_tokens.h"
#include "lessons/host_code_parts.h"

namespace warpbook::lessons {
namespace {

using gpu::ScalarType;
using Kind = HostCall::Kind;
using namespace host_code_parts;

std::string_view type_name(ScalarType type) {
  switch (type) {
    case ScalarType::int8:
      return "std::int8_t";
    case ScalarType::uint8:
      return "std::uint8_t";
    case ScalarType::int16:
      return "std::int16_t";
    case ScalarType::uint16:
      return "std::uint16_t";
    case ScalarType::int32:
      return "int";
    case ScalarType::uint32:
      return "unsigned";
    case ScalarType::int64:
      return "std::int64_t";
    case ScalarType::uint64:
      return "std::uint64_t";
    case ScalarType::float32:
      return "float";
    case ScalarType::float64:
      return "double";
  }
  return "int";
}

std::string dim3_text(const gpu::Dim3& d) {
  if (d.z != 1) return fmt::format("dim3({}, {}, {})", d.x, d.y, d.z);
  if (d.y != 1) return fmt::format("dim3({}, {})", d.x, d.y);
  return fmt::format("{}", d.x);
}

class Printer {
 public:
  Printer(const std::string& kernel, const std::vector<std::pair<std::string, std::string>>& defines,
          const std::vector<HostCall>& calls)
      : kernel_(kernel), defines_(defines), calls_(calls) {}

  Result<HostCode> print() {
    const HostCall* const launch = first_launch(calls_);
    if (launch == nullptr) return failure(nothing_launched());
    stem_ = identifier(launch->what);
    head(*launch);
    for (std::size_t at = 0; at < calls_.size();) {
      const Repeat repeat = repeat_at(calls_, at);
      if (repeat.times > 1) line(1, fmt::format("for (int repeat = 0; repeat < {}; ++repeat) {{", repeat.times));
      for (std::size_t k = 0; k < repeat.period; ++k)
        if (auto done = call(calls_[at + k], repeat.times > 1 ? 2 : 1); !done) return failure(done.error());
      if (repeat.times > 1) line(1, "}");
      at += repeat.period * repeat.times;
    }
    for (std::size_t k = 1; k < clocks_.size(); ++k)
      line(1, fmt::format("print_elapsed(\"{}\", clocks_1, clocks_{});", clocks_[k], k + 1));
    line(1, "return 0;");
    line(0, "}");
    for (const std::string& text : after_main_) line(0, text);
    drop_macros();
    return std::move(code_);
  }

 private:
  void line(int depth, std::string_view text) {
    code_.text.append(static_cast<std::size_t>(depth) * 4, ' ');
    code_.text += text;
    code_.text += '\n';
    ++lines_;
  }

  void head(const HostCall& launch) {
    line(0, fmt::format("// The host program of {}<<<{}, {}>>>, {}.", launch.what, dim3_text(launch.grid), dim3_text(launch.block),
                        mark_of_host_code));
    line(0, fmt::format("//     nvcc -o {0} FILE.cu && ./{0}", stem_));
    const bool clocks = std::any_of(calls_.begin(), calls_.end(), [](const HostCall& c) { return c.kind == Kind::read_clock; });
    if (clocks) line(0, "#include <chrono>");
    for (const char* header : {"cmath", "cstdint", "cstdio", "cstdlib", "vector"}) line(0, fmt::format("#include <{}>", header));
    if (clocks) line(0, "#include <ctime>");
    line(0, "");
    for (const auto& [name, value] : defines_) line(0, fmt::format("#define {} {}", name, value));
    if (!defines_.empty()) line(0, "");
    for (std::size_t at = 0; at < kernel_.size();) {
      const std::size_t end = std::min(kernel_.find('\n', at), kernel_.size());
      line(0, std::string_view(kernel_).substr(at, end - at));
      at = end + 1;
    }
    kernel_end_ = code_.text.size();
    constexpr std::string_view helpers[] = {
        "",
        "static void check_cuda(cudaError_t error, const char* what) {",
        "    if (error == cudaSuccess) return;",
        "    std::fprintf(stderr, \"%s: %s, %s\\n\", what, cudaGetErrorName(error), cudaGetErrorString(error));",
        "    std::exit(1);",
        "}",
        "#define CHECK_CUDA(call) check_cuda(call, #call)",
        "",
        "template <class T>",
        "static void print_values(const char* name, const T* values, std::size_t count) {",
        "    double sum = 0;",
        "    for (std::size_t i = 0; i < count; ++i) sum += double(values[i]);",
        "    std::printf(\"%s:\", name);",
    };
    for (const std::string_view text : helpers) line(0, text);
    line(1, fmt::format("for (std::size_t i = 0; i < count && count <= {}; ++i) std::printf(\" %.17g\", double(values[i]));", few));
    line(1, fmt::format("if (count > {}) std::printf(\" %zu values, sum %.17g\", count, sum);", few));
    line(1, "std::printf(\"\\n\");");
    line(0, "}");
    if (clocks) {
      constexpr std::string_view watches[] = {
          "",
          "// Microseconds: of the wall clock, and for which this process has had a core.",
          "struct Clocks {",
          "    double wall, cpu;",
          "};",
          "static Clocks read_clocks() {",
          "    const auto now = std::chrono::steady_clock::now().time_since_epoch();",
          "    return {std::chrono::duration<double, std::micro>(now).count(), 1e6 * double(std::clock()) / CLOCKS_PER_SEC};",
          "}",
          "static void print_elapsed(const char* until, Clocks from, Clocks to) {",
          "    std::printf(\"%s: wall clock %.1f us, CPU time %.1f us\\n\", until, to.wall - from.wall, to.cpu - from.cpu);",
          "}",
      };
      for (const std::string_view text : watches) line(0, text);
    }
    if (std::any_of(calls_.begin(), calls_.end(), [&](const HostCall& c) { return needs_file(c); })) {
      constexpr std::string_view reader[] = {
          "",
          "template <class T>",
          "static std::vector<T> read_values(const char* name, std::size_t count) {",
          "    std::vector<T> values(count);",
          "    std::FILE* file = std::fopen(name, \"rb\");",
          "    if (!file || std::fread(values.data(), sizeof(T), count, file) != count) {",
          "        std::fprintf(stderr, \"%s is missing or too short: it was written beside this program.\\n\", name);",
          "        std::exit(1);",
          "    }",
          "    std::fclose(file);",
          "    return values;",
          "}",
      };
      for (const std::string_view text : reader) line(0, text);
    }
    line(0, "");
    declare_literals();
    line(0, "int main() {");
  }

  /// Undefines the kernel's macros, such as T, n or CHECK_CUDA, so that they do not replace words in the rest of the text.
  void drop_macros() {
    const auto macros = macros_of(kernel_, defines_);
    std::set<std::string_view> met;
    for (const std::string_view word : gpu::tokens_of(std::string_view(code_.text).substr(kernel_end_)))
      if (macros.contains(word)) met.insert(word);
    std::string undefined;
    for (const std::string_view name : met) undefined += fmt::format("#undef {}\n", name);
    if (code_.launch_line != 0) code_.launch_line += met.size();
    code_.text.insert(kernel_end_, undefined);
  }

  void declare_literals() {
    for (const HostCall& c : calls_) {
      if ((c.kind != Kind::copy_to_device && c.kind != Kind::allocate_host) || !c.bytes) continue;
      const WrittenValues values = written_values(c.array.type, *c.bytes, Language::cuda);
      if (values.elements.size() <= literals_in_main) continue;
      const unsigned number = ++used_[identifier(c.what) + "_values"];
      const std::string name = identifier(c.what) + "_values" + (number == 1 ? "" : fmt::format("_{}", number));
      const std::string declaration = fmt::format("const {} {}[{}]", type_name(c.array.type), name, values.elements.size());
      line(0, fmt::format("extern {};  // below", declaration));
      literals_[&c] = name;
      after_main_.insert(after_main_.end(), {"", declaration + " = {"});
      for (const std::string& row : rows_of(values.elements)) after_main_.push_back("    " + row);
      after_main_.emplace_back("};");
    }
    if (!literals_.empty()) line(0, "");
  }

  static bool needs_file(const HostCall& call) {
    if ((call.kind != Kind::copy_to_device && call.kind != Kind::allocate_host) || !call.bytes) return false;
    return written_values(call.array.type, *call.bytes, Language::cuda).needs_file();
  }

  /// The variable that currently holds the array with this name.
  [[nodiscard]] std::string variable(const std::string& name) const {
    const auto found = variables_.find(name);
    return found == variables_.end() ? name : found->second;
  }

  std::string new_variable(const std::string& name) {
    const std::string plain = identifier(name);
    const unsigned number = ++used_[plain];
    return variables_[name] = number == 1 ? plain : fmt::format("{}_{}", plain, number);
  }

  static std::string stream_name(std::uint32_t stream) {
    return stream == 0 ? "cudaStreamLegacy" : fmt::format("stream_{}", stream);
  }

  Result<void> call(const HostCall& c, int depth) {
    if (!c.host_array.empty()) {
      async_copy(c, depth);
      return {};
    }
    const std::string_view type = type_name(c.array.type);
    const std::size_t count = c.array.count();
    const std::string bytes = fmt::format("{} * sizeof({})", count, type);
    switch (c.kind) {
      case Kind::allocate: {
        const std::string name = new_variable(c.what);
        line(depth, fmt::format("{}* {} = nullptr;", type, name));
        line(depth, c.mapped ? fmt::format("CHECK_CUDA(cudaHostAlloc(&{}, {}, cudaHostAllocMapped));", name, bytes)
                             : fmt::format("CHECK_CUDA(cudaMalloc(&{}, {}));", name, bytes));
        return {};
      }
      case Kind::fill:
        return fill(c, depth, bytes);
      case Kind::copy_to_device:
        return copy_in(c, depth, bytes);
      case Kind::launch:
        return launch(c, depth);
      case Kind::synchronize:
        line(depth, "CHECK_CUDA(cudaDeviceSynchronize());");
        return {};
      case Kind::allocate_host:
        return allocate_host(c, depth, bytes);
      case Kind::create_stream:
        line(depth, fmt::format("cudaStream_t {} = nullptr;", stream_name(c.stream)));
        line(depth, fmt::format("CHECK_CUDA(cudaStreamCreate(&{}));", stream_name(c.stream)));
        return {};
      case Kind::record_event:
        line(depth, fmt::format("cudaEvent_t event_{} = nullptr;", c.event));
        line(depth, fmt::format("CHECK_CUDA(cudaEventCreate(&event_{}));", c.event));
        line(depth, fmt::format("CHECK_CUDA(cudaEventRecord(event_{}, {}));", c.event, stream_name(c.stream)));
        return {};
      case Kind::wait_event:
        line(depth, fmt::format("CHECK_CUDA(cudaStreamWaitEvent({}, event_{}));", stream_name(c.stream), c.event));
        return {};
      case Kind::synchronize_stream:
        line(depth, fmt::format("CHECK_CUDA(cudaStreamSynchronize({}));", stream_name(c.stream)));
        return {};
      case Kind::synchronize_event:
        line(depth, fmt::format("CHECK_CUDA(cudaEventSynchronize(event_{}));", c.event));
        return {};
      case Kind::set_waiting:
        line(depth, fmt::format("CHECK_CUDA(cudaSetDeviceFlags({}));",
                                c.what == "block" ? "cudaDeviceScheduleBlockingSync" : "cudaDeviceScheduleSpin"));
        return {};
      case Kind::read_clock:
        clocks_.push_back(c.what);
        line(depth, fmt::format("const Clocks clocks_{} = read_clocks();", clocks_.size()));
        return {};
      case Kind::elapsed:
        line(depth, "{");
        line(depth + 1, "float ms = 0;");
        line(depth + 1, fmt::format("CHECK_CUDA(cudaEventElapsedTime(&ms, event_{}, event_{}));", c.from_event, c.event));
        line(depth + 1, "std::printf(\"between the events: %.1f us\\n\", 1000 * ms);");
        line(depth, "}");
        return {};
      case Kind::read_host:
        line(depth, fmt::format("print_values(\"{}\", {}, {});", c.what, host_pointers_[c.what], count));
        return {};
      case Kind::read_mapped:
        line(depth, fmt::format("print_values(\"{0}, read without a copy\", {1}, {2});", c.what, variable(c.what), count));
        return {};
      case Kind::copy_to_host: {
        const std::string name = variable(c.what);
        line(depth, "{");
        line(depth + 1, fmt::format("std::vector<{}> host({});", type, count));
        line(depth + 1, fmt::format("CHECK_CUDA(cudaMemcpy(host.data(), {}, {}, cudaMemcpyDefault));", name, bytes));
        line(depth + 1, fmt::format("print_values(\"{}\", host.data(), host.size());", c.what));
        line(depth, "}");
        return {};
      }
    }
    return {};
  }

  Result<void> fill(const HostCall& c, int depth, const std::string& bytes) {
    const std::string name = variable(c.what);
    const std::string value = c.arguments.empty() ? "0" : c.arguments.front();
    if (value.find_first_not_of("0.f") == std::string::npos) {
      line(depth, fmt::format("CHECK_CUDA(cudaMemset({}, 0, {}));", name, bytes));
      return {};
    }
    line(depth, "{");
    line(depth + 1, fmt::format("const std::vector<{}> host({}, {});", type_name(c.array.type), c.array.count(), value));
    line(depth + 1, fmt::format("CHECK_CUDA(cudaMemcpy({}, host.data(), {}, cudaMemcpyDefault));", name, bytes));
    line(depth, "}");
    return {};
  }

  Result<void> copy_in(const HostCall& c, int depth, const std::string& bytes) {
    if (!c.bytes) return failure(too_large(c));
    const std::string_view type = type_name(c.array.type);
    const std::size_t count = c.array.count();
    const WrittenValues values = written_values(c.array.type, *c.bytes, Language::cuda);
    if (values.elements.size() > literals_in_main) {
      line(depth, copy_text(c, literals_.at(&c), bytes));
      return {};
    }
    line(depth, "{");
    if (values.constant) {
      line(depth + 1, fmt::format("const std::vector<{}> host({}, {});", type, count, *values.constant));
    } else if (values.counts_up) {
      line(depth + 1, fmt::format("std::vector<{}> host({});", type, count));
      line(depth + 1, fmt::format("for (std::size_t i = 0; i < host.size(); ++i) host[i] = {}(i);", type));
    } else if (!values.elements.empty()) {
      line(depth + 1, fmt::format("const std::vector<{}> host = {{", type));
      for (const std::string& row : rows_of(values.elements)) line(depth + 2, row);
      line(depth + 1, "};");
    } else {
      line(depth + 1, fmt::format("const auto host = read_values<{}>(\"{}\", {});", type, add_input(code_, stem_, c), count));
    }
    line(depth + 1, copy_text(c, "host.data()", bytes));
    line(depth, "}");
    return {};
  }

  /// Pinned memory is allocated by CUDA; other memory is a vector.
  Result<void> allocate_host(const HostCall& c, int depth, const std::string& bytes) {
    if (!c.bytes) return failure(too_large(c));
    const std::string_view type = type_name(c.array.type);
    const std::size_t count = c.array.count();
    const std::string name = new_variable(c.what);
    host_pointers_[c.what] = c.pinned ? name : name + ".data()";
    const WrittenValues values = written_values(c.array.type, *c.bytes, Language::cuda);
    if (c.pinned) {
      line(depth, fmt::format("{}* {} = nullptr;", type, name));
      line(depth, fmt::format("CHECK_CUDA(cudaMallocHost(&{}, {}));", name, bytes));
    } else {
      line(depth, fmt::format("std::vector<{}> {}({});", type, name, count));
    }
    const auto each = [&](int deeper, const std::string& value) {
      line(depth + deeper, fmt::format("for (std::size_t i = 0; i < {}; ++i) {}[i] = {};", count, name, value));
    };
    if (values.constant) {
      each(0, *values.constant);
    } else if (values.counts_up) {
      each(0, fmt::format("{}(i)", type));
    } else if (values.elements.size() > literals_in_main) {
      each(0, literals_.at(&c) + "[i]");
    } else {
      line(depth, "{");
      if (values.elements.empty())
        line(depth + 1, fmt::format("const auto values = read_values<{}>(\"{}\", {});", type, add_input(code_, stem_, c), count));
      else
        line(depth + 1, fmt::format("const {} values[] = {{{}}};", type, fmt::join(values.elements, ", ")));
      each(1, "values[i]");
      line(depth, "}");
    }
    return {};
  }

  void async_copy(const HostCall& c, int depth) {
    const std::string device = variable(c.what), host = host_pointers_[c.host_array];
    const bool in = c.kind == Kind::copy_to_device;
    line(depth, fmt::format("CHECK_CUDA(cudaMemcpyAsync({}, {}, {} * sizeof({}), cudaMemcpyDefault, {}));", in ? device : host,
                            in ? host : device, c.array.count(), type_name(c.array.type), stream_name(c.stream)));
  }

  [[nodiscard]] std::string copy_text(const HostCall& c, std::string_view from, std::string_view bytes) const {
    if (c.symbol) return fmt::format("CHECK_CUDA(cudaMemcpyToSymbol({}, {}, {}));", c.what, from, bytes);
    return fmt::format("CHECK_CUDA(cudaMemcpy({}, {}, {}, cudaMemcpyDefault));", variable(c.what), from, bytes);
  }

  /// Replaces the array names between backquotes in a struct by their variables.
  [[nodiscard]] std::string with_variables(std::string_view argument) const {
    std::string text;
    for (std::size_t at = 0; at < argument.size();) {
      const std::size_t open = std::min(argument.find('`', at), argument.size());
      const std::size_t close = std::min(argument.find('`', open + 1), argument.size());
      text += argument.substr(at, open - at);
      if (open < close) text += variable(std::string(argument.substr(open + 1, close - open - 1)));
      at = close + 1;
    }
    return text;
  }

  Result<void> launch(const HostCall& c, int depth) {
    std::string arguments;
    for (const std::string& argument : c.arguments) {
      if (argument.empty()) return failure(untold_struct(c));
      arguments +=
          (arguments.empty() ? "" : ", ") + (variables_.contains(argument) ? variable(argument) : with_variables(argument));
    }
    std::string shared = c.dynamic_shared_bytes || c.stream ? fmt::format(", {}", c.dynamic_shared_bytes) : "";
    if (c.stream != 0) shared += ", " + stream_name(c.stream);
    if (c.dynamic_shared_bytes > 48 * 1024 && !allowed_shared_) {
      line(depth, fmt::format("CHECK_CUDA(cudaFuncSetAttribute({}, cudaFuncAttributeMaxDynamicSharedMemorySize, {}));", c.what,
                              c.dynamic_shared_bytes));
      allowed_shared_ = true;
    }
    if (code_.launch_line == 0) code_.launch_line = lines_ + 1;
    line(depth, fmt::format("{}<<<{}, {}{}>>>({});", c.what, dim3_text(c.grid), dim3_text(c.block), shared, arguments));
    line(depth, "CHECK_CUDA(cudaGetLastError());");
    return {};
  }

  const std::string& kernel_;
  const std::vector<std::pair<std::string, std::string>>& defines_;
  const std::vector<HostCall>& calls_;
  HostCode code_;
  std::size_t lines_ = 0;
  std::size_t kernel_end_ = 0;  // position in code_.text
  std::string stem_;
  std::map<std::string, std::string> variables_;  // array name to the variable that currently holds it
  std::map<std::string, std::string> host_pointers_;  // … for arrays in host memory
  std::map<std::string, unsigned> used_;
  std::map<const HostCall*, std::string> literals_;  // the array after main() with the values that the call copies
  std::vector<std::string> after_main_;
  std::vector<std::string> clocks_;  // for each reading of the clocks: the call before it
  bool allowed_shared_ = false;
};

}  // namespace

Result<HostCode> host_code(const std::string& kernel_text, const std::vector<std::pair<std::string, std::string>>& defines,
                           const std::vector<HostCall>& calls) {
  return Printer(kernel_text, defines, calls).print();
}

}  // namespace warpbook::lessons
