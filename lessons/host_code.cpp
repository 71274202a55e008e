#include "lessons/host_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <string_view>

namespace warpbook::lessons {
namespace {

using gpu::ScalarType;
using Kind = HostCall::Kind;

constexpr std::size_t most_literal_bytes = std::size_t{64} << 10;
constexpr std::size_t literals_a_line = 8;
constexpr std::size_t few = 16;  // values that are printed one by one

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

template <class T>
std::string literal(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(value)) return "NAN";
    if (std::isinf(value)) return value < 0 ? "-INFINITY" : "INFINITY";
    std::string text = fmt::format("{}", value);  // the shortest digits that give the value back
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return sizeof(T) == 4 ? text + "f" : text;
  } else {
    return fmt::format("{}{}", +value, sizeof(T) < 8 ? "" : std::is_signed_v<T> ? "LL" : "ULL");
  }
}

/// How a host program would come by these values: an expression in i where there is one, else its elements.
struct Values {
  std::optional<std::string> rule;  // "i", "0.5f"
  std::vector<std::string> elements;
};

template <class T>
Values values_of(std::span<const std::byte> bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  const auto same_bits = [](T a, T b) { return std::memcmp(&a, &b, sizeof a) == 0; };
  if (values.empty() || std::all_of(values.begin(), values.end(), [&](T v) { return same_bits(v, values[0]); }))
    return {.rule = literal(values.empty() ? T{} : values[0]), .elements = {}};
  std::size_t i = 0;
  if (std::all_of(values.begin(), values.end(), [&](T v) { return same_bits(v, static_cast<T>(i++)); })) return {.rule = "i", .elements = {}};
  Values found;
  if (bytes.size() > most_literal_bytes) return found;
  for (const T value : values) found.elements.push_back(literal(value));
  return found;
}

Values values_of(ScalarType type, std::span<const std::byte> bytes) {
  switch (type) {
    case ScalarType::int8:
      return values_of<std::int8_t>(bytes);
    case ScalarType::uint8:
      return values_of<std::uint8_t>(bytes);
    case ScalarType::int16:
      return values_of<std::int16_t>(bytes);
    case ScalarType::uint16:
      return values_of<std::uint16_t>(bytes);
    case ScalarType::int32:
      return values_of<std::int32_t>(bytes);
    case ScalarType::uint32:
      return values_of<std::uint32_t>(bytes);
    case ScalarType::int64:
      return values_of<std::int64_t>(bytes);
    case ScalarType::uint64:
      return values_of<std::uint64_t>(bytes);
    case ScalarType::float32:
      return values_of<float>(bytes);
    case ScalarType::float64:
      return values_of<double>(bytes);
  }
  return {};
}

/// "a and b" → "a_and_b": a name that C++ takes.
std::string identifier(std::string_view name) {
  std::string result;
  for (const char c : name) result += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  if (result.empty() || std::isdigit(static_cast<unsigned char>(result[0])) != 0) result.insert(0, "_");
  return result;
}

std::string dim3_text(const gpu::Dim3& d) {
  if (d.z != 1) return fmt::format("dim3({}, {}, {})", d.x, d.y, d.z);
  if (d.y != 1) return fmt::format("dim3({}, {})", d.x, d.y);
  return fmt::format("{}", d.x);
}

bool same_launch(const HostCall& a, const HostCall& b) {
  const auto shape = [](const gpu::Dim3& d) { return std::array{d.x, d.y, d.z}; };
  return a.kind == Kind::launch && b.kind == Kind::launch && a.what == b.what && a.arguments == b.arguments &&
         shape(a.grid) == shape(b.grid) && shape(a.block) == shape(b.block) && a.dynamic_shared_bytes == b.dynamic_shared_bytes;
}

/// The calls from `at` on that repeat: `period` launches, `times` over.
struct Repeat {
  std::size_t period = 1, times = 1;
};
Repeat repeat_at(const std::vector<HostCall>& calls, std::size_t at) {
  for (const std::size_t period : {std::size_t{1}, std::size_t{2}}) {
    std::size_t end = at + period;
    while (end < calls.size() && same_launch(calls[end], calls[end - period])) ++end;
    const std::size_t times = (end - at) / period;
    if (calls[at].kind == Kind::launch && times >= 2) return {period, times};
  }
  return {};
}

class Printer {
 public:
  Printer(const std::string& kernel, const std::vector<std::pair<std::string, std::string>>& defines,
          const std::vector<HostCall>& calls)
      : kernel_(kernel), defines_(defines), calls_(calls) {}

  Result<HostCode> print() {
    const auto launch = std::find_if(calls_.begin(), calls_.end(), [](const HostCall& c) { return c.kind == Kind::launch; });
    if (launch == calls_.end()) return failure("nothing_launched", "There is no host program yet: run the experiment once.");
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
    line(1, "return 0;");
    line(0, "}");
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
    line(0, fmt::format("// The host program of {}<<<{}, {}>>>, as Warpbook ran it.", launch.what, dim3_text(launch.grid),
                        dim3_text(launch.block)));
    line(0, fmt::format("//     nvcc -o {0} FILE.cu && ./{0}", stem_));
    for (const char* header : {"cmath", "cstdint", "cstdio", "cstdlib", "vector"}) line(0, fmt::format("#include <{}>", header));
    line(0, "");
    for (const auto& [name, value] : defines_) line(0, fmt::format("#define {} {}", name, value));
    if (!defines_.empty()) line(0, "");
    for (std::size_t at = 0; at < kernel_.size();) {
      const std::size_t end = std::min(kernel_.find('\n', at), kernel_.size());
      line(0, std::string_view(kernel_).substr(at, end - at));
      at = end + 1;
    }
    constexpr std::string_view helpers[] = {
        "",
        "static void check_cuda(cudaError_t error, const char* what) {",
        "    if (error == cudaSuccess) return;",
        "    std::fprintf(stderr, \"%s: %s, %s\\n\", what, cudaGetErrorName(error), cudaGetErrorString(error));",
        "    std::exit(1);",
        "}",
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
    line(0, "int main() {");
  }

  static bool needs_file(const HostCall& call) {
    if (call.kind != Kind::copy_to_device || !call.bytes) return false;
    const Values values = values_of(call.array.type, *call.bytes);
    return !values.rule && values.elements.empty();
  }

  /// The variable of the array that this name stands for now.
  [[nodiscard]] std::string variable(const std::string& name) const {
    const auto found = variables_.find(name);
    return found == variables_.end() ? name : found->second;
  }

  std::string new_variable(const std::string& name) {
    const std::string plain = identifier(name);
    const unsigned number = ++used_[plain];
    return variables_[name] = number == 1 ? plain : fmt::format("{}_{}", plain, number);
  }

  Result<void> call(const HostCall& c, int depth) {
    const std::string_view type = type_name(c.array.type);
    const std::size_t count = c.array.count();
    const std::string bytes = fmt::format("{} * sizeof({})", count, type);
    switch (c.kind) {
      case Kind::allocate: {
        const std::string name = new_variable(c.what);
        line(depth, fmt::format("{}* {} = nullptr;", type, name));
        line(depth, c.mapped ? fmt::format("check_cuda(cudaHostAlloc(&{}, {}, cudaHostAllocMapped), \"cudaHostAlloc\");", name, bytes)
                             : fmt::format("check_cuda(cudaMalloc(&{}, {}), \"cudaMalloc\");", name, bytes));
        return {};
      }
      case Kind::fill:
        return fill(c, depth, bytes);
      case Kind::copy_to_device:
        return copy_in(c, depth, bytes);
      case Kind::launch:
        launch(c, depth);
        return {};
      case Kind::synchronize:
        line(depth, "check_cuda(cudaDeviceSynchronize(), \"cudaDeviceSynchronize\");");
        return {};
      case Kind::read_mapped:
        line(depth, fmt::format("print_values(\"{0}, read without a copy\", {1}, {2});", c.what, variable(c.what), count));
        return {};
      case Kind::copy_to_host: {
        const std::string name = variable(c.what);
        line(depth, "{");
        line(depth + 1, fmt::format("std::vector<{}> host({});", type, count));
        line(depth + 1, fmt::format("check_cuda(cudaMemcpy(host.data(), {}, {}, cudaMemcpyDefault), \"cudaMemcpy\");", name, bytes));
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
      line(depth, fmt::format("check_cuda(cudaMemset({}, 0, {}), \"cudaMemset\");", name, bytes));
      return {};
    }
    line(depth, "{");
    line(depth + 1, fmt::format("const std::vector<{}> host({}, {});", type_name(c.array.type), c.array.count(), value));
    line(depth + 1, fmt::format("check_cuda(cudaMemcpy({}, host.data(), {}, cudaMemcpyDefault), \"cudaMemcpy\");", name, bytes));
    line(depth, "}");
    return {};
  }

  Result<void> copy_in(const HostCall& c, int depth, const std::string& bytes) {
    if (!c.bytes)
      return failure("too_large", fmt::format("`{}` holds {} bytes, more than is kept of a run: choose a smaller size to export.",
                                              c.what, c.array.bytes()));
    const std::string_view type = type_name(c.array.type);
    const std::size_t count = c.array.count();
    const Values values = values_of(c.array.type, *c.bytes);
    line(depth, "{");
    if (values.rule && *values.rule != "i") {
      line(depth + 1, fmt::format("const std::vector<{}> host({}, {});", type, count, *values.rule));
    } else if (values.rule) {
      line(depth + 1, fmt::format("std::vector<{}> host({});", type, count));
      line(depth + 1, fmt::format("for (std::size_t i = 0; i < host.size(); ++i) host[i] = {}(i);", type));
    } else if (!values.elements.empty()) {
      line(depth + 1, fmt::format("const std::vector<{}> host = {{", type));
      for (std::size_t at = 0; at < values.elements.size(); at += literals_a_line) {
        std::string row;
        for (std::size_t i = at; i < std::min(at + literals_a_line, values.elements.size()); ++i)
          row += (i == at ? "" : " ") + values.elements[i] + ",";
        line(depth + 2, row);
      }
      line(depth + 1, "};");
    } else {
      const std::string file = fmt::format("{}_{}.bin", stem_, variable(c.what));
      line(depth + 1, fmt::format("const auto host = read_values<{}>(\"{}\", {});", type, file, count));
      code_.inputs.push_back({file, c.bytes});
    }
    line(depth + 1, fmt::format("check_cuda(cudaMemcpy({}, host.data(), {}, cudaMemcpyDefault), \"cudaMemcpy\");", variable(c.what), bytes));
    line(depth, "}");
    return {};
  }

  void launch(const HostCall& c, int depth) {
    std::string arguments;
    for (const std::string& argument : c.arguments)
      arguments += (arguments.empty() ? "" : ", ") + (variables_.contains(argument) ? variable(argument) : argument);
    const std::string shared = c.dynamic_shared_bytes ? fmt::format(", {}", c.dynamic_shared_bytes) : "";
    if (c.dynamic_shared_bytes > 48 * 1024 && !allowed_shared_) {
      line(depth, fmt::format("check_cuda(cudaFuncSetAttribute({}, cudaFuncAttributeMaxDynamicSharedMemorySize, {}), \"shared memory\");",
                              c.what, c.dynamic_shared_bytes));
      allowed_shared_ = true;
    }
    if (code_.launch_line == 0) code_.launch_line = lines_ + 1;
    line(depth, fmt::format("{}<<<{}, {}{}>>>({});", c.what, dim3_text(c.grid), dim3_text(c.block), shared, arguments));
    line(depth, fmt::format("check_cuda(cudaGetLastError(), \"{}\");", c.what));
  }

  const std::string& kernel_;
  const std::vector<std::pair<std::string, std::string>>& defines_;
  const std::vector<HostCall>& calls_;
  HostCode code_;
  std::size_t lines_ = 0;
  std::string stem_;
  std::map<std::string, std::string> variables_;  // by the array's name: the variable that it has now
  std::map<std::string, unsigned> used_;
  bool allowed_shared_ = false;
};

}  // namespace

Result<HostCode> host_code(const std::string& kernel_text, const std::vector<std::pair<std::string, std::string>>& defines,
                           const std::vector<HostCall>& calls) {
  return Printer(kernel_text, defines, calls).print();
}

}  // namespace warpbook::lessons
