#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

#include "lessons/host_code.h"
#include "lessons/host_code_parts.h"

namespace warpbook::lessons {
namespace {

using gpu::ScalarType;
using Kind = HostCall::Kind;
using namespace host_code_parts;

std::string_view numpy_name(ScalarType type) {
  switch (type) {
    case ScalarType::int8:
      return "np.int8";
    case ScalarType::uint8:
      return "np.uint8";
    case ScalarType::int16:
      return "np.int16";
    case ScalarType::uint16:
      return "np.uint16";
    case ScalarType::int32:
      return "np.int32";
    case ScalarType::uint32:
      return "np.uint32";
    case ScalarType::int64:
      return "np.int64";
    case ScalarType::uint64:
      return "np.uint64";
    case ScalarType::float32:
      return "np.float32";
    case ScalarType::float64:
      return "np.float64";
  }
  return "np.int32";
}

std::string numpy_shape(const std::vector<std::size_t>& shape) {
  if (shape.size() == 1) return fmt::format("{}", shape[0]);
  return fmt::format("({})", fmt::join(shape, ", "));
}

std::string extents_text(const gpu::Dim3& d) {
  if (d.z != 1) return fmt::format("({}, {}, {})", d.x, d.y, d.z);
  if (d.y != 1) return fmt::format("({}, {})", d.x, d.y);
  return fmt::format("{}", d.x);
}

/// A recorded scalar (4096, 7u, 0.25f, 0.5) in Python, with an explicit type if Python's own would differ.
std::string scalar_text(std::string text) {
  const bool real = text.find_first_of(".en") != std::string::npos;  // a decimal point, an exponent, inf or nan
  const bool single = real && text.back() == 'f' && text != "inf" && text != "-inf";
  while (!text.empty() && (text.back() == 'L' || text.back() == 'U' || text.back() == 'u' || (single && text.back() == 'f'))) {
    text.pop_back();
    if (single) break;
  }
  if (text.find('n') != std::string::npos) text = fmt::format("float(\"{}\")", text);
  return single ? fmt::format("np.float32({})", text) : text;
}

class NumbaPrinter {
 public:
  NumbaPrinter(const std::string& kernel, const std::vector<std::pair<std::string, std::string>>& defines,
               const std::vector<HostCall>& calls)
      : kernel_(kernel), defines_(defines), calls_(calls) {}

  Result<HostCode> print() {
    const HostCall* const launch = first_launch(calls_);
    if (launch == nullptr) return failure(nothing_launched());
    stem_ = identifier(launch->what);
    taken_.insert(stem_);
    head(*launch);
    line(0, "def main():");
    for (std::size_t at = 0; at < calls_.size();) {
      const Repeat repeat = repeat_at(calls_, at);
      if (repeat.times > 1) line(1, fmt::format("for _ in range({}):", repeat.times));
      std::size_t used = 0;
      while (used < repeat.period) {
        auto done = call(at + used, repeat.times > 1 ? 2 : 1);
        if (!done) return failure(done.error());
        used += *done;
      }
      at += repeat.times > 1 ? repeat.period * repeat.times : used;
    }
    for (std::size_t k = 1; k < clocks_.size(); ++k)
      line(1, fmt::format("print_elapsed(\"{}\", clocks_1, clocks_{})", clocks_[k], k + 1));
    for (const std::string& text : after_main_) line(0, text);
    line(0, "");
    line(0, "");
    line(0, "main()");
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
    line(0, fmt::format("# The host program of {}[{}, {}], {}, in Numba CUDA Python.", launch.what, extents_text(launch.grid),
                        extents_text(launch.block), mark_of_host_code));
    line(0, "#     python3 FILE.py, or without a GPU: NUMBA_ENABLE_CUDASIM=1 python3 FILE.py");
    const bool files = std::any_of(calls_.begin(), calls_.end(), [](const HostCall& c) {
      return (c.kind == Kind::copy_to_device || c.kind == Kind::allocate_host) && c.bytes &&
             written_values(c.array.type, *c.bytes, Language::numba).needs_file();
    });
    const bool clocks = std::any_of(calls_.begin(), calls_.end(), [](const HostCall& c) { return c.kind == Kind::read_clock; });
    if (clocks) line(0, "import time");
    if (files) line(0, "from pathlib import Path");
    if (clocks || files) line(0, "");
    line(0, "import numpy as np");
    line(0, "");
    for (const auto& [name, value] : defines_) line(0, fmt::format("{} = {}", name, value));
    if (!defines_.empty()) line(0, "");
    for (std::size_t at = 0; at < kernel_.size();) {
      const std::size_t end = std::min(kernel_.find('\n', at), kernel_.size());
      line(0, std::string_view(kernel_).substr(at, end - at));
      at = end + 1;
    }
    line(0, "");
    line(0, "");
    if (clocks) {
      line(0, "def read_clocks():  # seconds: of the wall clock, and for which this process has had a core");
      line(1, "return time.perf_counter(), time.process_time()");
      line(0, "");
      line(0, "");
      line(0, "def print_elapsed(until, start, end):");
      line(1, "wall, cpu = (1e6 * (b - a) for a, b in zip(start, end))");
      line(1, "print(f\"{until}: wall clock {wall:.1f} us, CPU time {cpu:.1f} us\")");
      line(0, "");
      line(0, "");
    }
    line(0, "def print_values(name, values):");
    line(1, "values = np.asarray(values).ravel()");
    line(1, fmt::format("if len(values) <= {}:", few));
    line(2, "print(f\"{name}:\", *(\"%.17g\" % v for v in values))");
    line(1, "else:");
    line(2, "total = np.cumsum(values, dtype=np.float64)[-1]  # in order, as a loop adds");
    line(2, "print(f\"{name}: {len(values)} values, sum {total:.17g}\")");
    line(0, "");
    line(0, "");
  }

  /// The variable that currently holds the array with this name.
  [[nodiscard]] std::string variable(const std::string& name) const {
    const auto found = variables_.find(name);
    return found == variables_.end() ? name : found->second;
  }

  std::string free_name(std::string name) {
    static const std::set<std::string, std::less<>> words{
        "in",   "is",    "as",    "if",     "or",     "and",   "not", "for", "from", "def",  "del",  "with", "pass",        "None",
        "True", "False", "class", "lambda", "global", "yield", "try", "np",  "cuda", "main", "math", "Path", "print_values"};
    if (words.contains(name)) name += '_';
    const std::string plain = name;
    for (int number = 2; !taken_.insert(name).second; ++number) name = fmt::format("{}_{}", plain, number);
    return name;
  }

  std::string new_variable(const std::string& name) { return variables_[name] = free_name(identifier(name)); }

  /// A NumPy array expression with the values that the call copies or fills.
  Result<std::string> values_of(const HostCall& c) {
    const std::string_view type = numpy_name(c.array.type);
    const std::string shape = numpy_shape(c.array.shape);
    if (c.kind == Kind::fill) return filled(shape, c.arguments.empty() ? "0" : scalar_text(c.arguments.front()), type);
    if (!c.bytes) return failure(too_large(c));
    const WrittenValues values = written_values(c.array.type, *c.bytes, Language::numba);
    const std::string reshaped = c.array.shape.size() == 1 ? "" : fmt::format(".reshape({})", fmt::join(c.array.shape, ", "));
    if (values.constant) return filled(shape, *values.constant, type);
    if (values.counts_up) return fmt::format("np.arange({}, dtype={}){}", c.array.count(), type, reshaped);
    if (values.needs_file()) {
      return fmt::format("np.fromfile(Path(__file__).with_name(\"{}\"), dtype={}){}", add_input(code_, stem_, c), type, reshaped);
    }
    if (values.elements.size() <= literals_in_main)
      return fmt::format("np.array([{}], dtype={}){}", fmt::join(values.elements, ", "), type, reshaped);
    const std::string name = free_name(identifier(c.what) + "_values");
    after_main_.insert(after_main_.end(), {"", "", name + " = np.array(["});
    for (const std::string& row : rows_of(values.elements)) after_main_.push_back("    " + row);
    after_main_.push_back(fmt::format("], dtype={}){}", type, reshaped));
    return name;
  }

  static std::string filled(const std::string& shape, const std::string& value, std::string_view type) {
    if (value.find_first_not_of("0.") == std::string::npos || value == "np.float32(0.0)")
      return fmt::format("np.zeros({}, dtype={})", shape, type);
    return fmt::format("np.full({}, {}, dtype={})", shape, value, type);
  }

  /// Empty for the default stream, which calls use by default.
  static std::string stream_name(std::uint32_t stream) { return stream == 0 ? "" : fmt::format("stream_{}", stream); }

  Result<void> allocate_host(const HostCall& c, int depth) {
    auto values = values_of(c);
    if (!values) return failure(values.error());
    const std::string name = new_variable(c.what);
    if (!c.pinned) {
      line(depth, fmt::format("{} = {}", name, *values));
      return {};
    }
    line(depth, fmt::format("{} = cuda.pinned_array({}, dtype={})", name, numpy_shape(c.array.shape), numpy_name(c.array.type)));
    line(depth, fmt::format("{}[...] = {}", name, *values));
    return {};
  }

  void async_copy(const HostCall& c, int depth) {
    line(depth, fmt::format("{}.{}({}{}{})", variable(c.what), c.kind == Kind::copy_to_device ? "copy_to_device" : "copy_to_host",
                            variable(c.host_array), c.stream != 0 ? ", stream=" : "", stream_name(c.stream)));
  }

  /// Allocates a device array and fills it by the next call. Returns the number of calls that were used.
  Result<std::size_t> allocate(std::size_t at, int depth) {
    const HostCall& c = calls_[at];
    const bool written = !c.mapped && at + 1 < calls_.size() && calls_[at + 1].what == c.what &&
                         calls_[at + 1].host_array.empty() && calls_[at + 1].array.shape == c.array.shape &&
                         (calls_[at + 1].kind == Kind::fill || calls_[at + 1].kind == Kind::copy_to_device);
    const std::string name = new_variable(c.what);
    elements_[name] = c.array.count();
    if (!written) {
      line(depth, fmt::format("{} = cuda.{}_array({}, dtype={})", name, c.mapped ? "mapped" : "device", numpy_shape(c.array.shape),
                              numpy_name(c.array.type)));
      mapped_.erase(name);
      if (c.mapped) mapped_.insert(name);
      return std::size_t{1};
    }
    auto values = values_of(calls_[at + 1]);
    if (!values) return failure(values.error());
    line(depth, fmt::format("{} = cuda.to_device({})", name, *values));
    return std::size_t{2};
  }

  Result<void> fill(const HostCall& c, int depth) {
    if (c.symbol)
      return failure("no_twin", fmt::format("In Numba no host can fill a variable of the device's, as it does with `{}` here: "
                                            "the CUDA program does.",
                                            c.what));
    auto values = values_of(c);
    if (!values) return failure(values.error());
    const std::string name = variable(c.what);
    line(depth, mapped_.contains(name) ? fmt::format("{}[...] = {}", name, *values)
                                       : fmt::format("{}{}.copy_to_device({})", name, part_of(c, name), *values));
    return {};
  }

  /// Prints call `at`, and the next one if Python needs only one call for both. Returns the number of calls that were printed.
  Result<std::size_t> call(std::size_t at, int depth) {
    const HostCall& c = calls_[at];
    if (!c.host_array.empty()) {
      async_copy(c, depth);
      return std::size_t{1};
    }
    switch (c.kind) {
      case Kind::allocate:
        return allocate(at, depth);
      case Kind::fill:
      case Kind::copy_to_device:
        if (auto done = fill(c, depth); !done) return failure(done.error());
        break;
      case Kind::launch:
        launch(c, depth);
        break;
      case Kind::synchronize:
        line(depth, "cuda.synchronize()");
        break;
      case Kind::allocate_host:
        if (auto done = allocate_host(c, depth); !done) return failure(done.error());
        break;
      case Kind::create_stream:
        line(depth, fmt::format("{} = cuda.stream()", stream_name(c.stream)));
        break;
      case Kind::record_event:
        line(depth, fmt::format("event_{} = cuda.event()", c.event));
        line(depth, fmt::format("event_{}.record({})", c.event, stream_name(c.stream)));
        break;
      case Kind::wait_event:
        line(depth, fmt::format("event_{}.wait({})", c.event, stream_name(c.stream)));
        break;
      case Kind::synchronize_stream:
        line(depth, c.stream != 0 ? stream_name(c.stream) + ".synchronize()" : "cuda.synchronize()");
        break;
      case Kind::synchronize_event:
        line(depth, fmt::format("event_{}.synchronize()", c.event));
        break;
      case Kind::set_waiting:
        line(depth, fmt::format("# In CUDA C++ the host is told here to {} while it waits; Numba has no call for it.", c.what));
        break;
      case Kind::read_clock:
        clocks_.push_back(c.what);
        line(depth, fmt::format("clocks_{} = read_clocks()", clocks_.size()));
        break;
      case Kind::elapsed:
        line(depth, fmt::format("elapsed_ms = event_{}.elapsed_time(event_{})", c.from_event, c.event));
        line(depth, "print(f\"between the events: {1000 * elapsed_ms:.1f} us\")");
        break;
      case Kind::read_host:
        line(depth, fmt::format("print_values(\"{}\", {})", c.what, variable(c.what)));
        break;
      case Kind::read_mapped:
        line(depth, fmt::format("print_values(\"{}, read without a copy\", {})", c.what, variable(c.what)));
        break;
      case Kind::copy_to_host:
        line(depth, fmt::format("print_values(\"{}\", {}.copy_to_host())", c.what, variable(c.what)));
        break;
    }
    return std::size_t{1};
  }

  /// A slice, "[:1024]", if only the first elements of an array are copied; else empty.
  [[nodiscard]] std::string part_of(const HostCall& copy, const std::string& name) const {
    const auto all = elements_.find(name);
    return all == elements_.end() || copy.array.count() >= all->second ? "" : fmt::format("[:{}]", copy.array.count());
  }

  void launch(const HostCall& c, int depth) {
    std::string arguments;
    for (const std::string& argument : c.arguments)
      arguments += (arguments.empty() ? "" : ", ") + (variables_.contains(argument) ? variable(argument) : scalar_text(argument));
    std::string shared = c.dynamic_shared_bytes || c.stream ? fmt::format(", {}", c.stream ? stream_name(c.stream) : "0") : "";
    if (c.dynamic_shared_bytes) shared += fmt::format(", {}", c.dynamic_shared_bytes);
    if (code_.launch_line == 0) code_.launch_line = lines_ + 1;
    line(depth, fmt::format("{}[{}, {}{}]({})", c.what, extents_text(c.grid), extents_text(c.block), shared, arguments));
  }

  const std::string& kernel_;
  const std::vector<std::pair<std::string, std::string>>& defines_;
  const std::vector<HostCall>& calls_;
  HostCode code_;
  std::size_t lines_ = 0;
  std::string stem_;
  std::map<std::string, std::string> variables_;  // array name to the variable that currently holds it
  std::map<std::string, std::size_t> elements_;   // by variable: the number of elements
  std::set<std::string> taken_, mapped_;
  std::vector<std::string> after_main_;
  std::vector<std::string> clocks_;  // for each reading of the clocks: the call before it
};

}  // namespace

Result<HostCode> numba_code(const std::string& kernel_text, const std::vector<std::pair<std::string, std::string>>& defines,
                            const std::vector<HostCall>& calls) {
  const HostCall* const launch = first_launch(calls);
  const auto is_struct = [](const std::string& argument) { return argument.empty() || argument.ends_with('}'); };
  if (launch != nullptr && std::any_of(launch->arguments.begin(), launch->arguments.end(), is_struct)) {
    return failure("no_twin",
                   fmt::format("{} takes a struct by value, which a kernel in Numba cannot: there its members are parameters "
                               "of their own, numbers and arrays.",
                               launch->what));
  }
  if (launch != nullptr && kernel_text.find("def " + launch->what + "(") == std::string::npos) {
    return failure("no_twin",
                   fmt::format("{} has no twin in Python: the lesson's own kernel has one, yours has none.", launch->what));
  }
  return NumbaPrinter(kernel_text, defines, calls).print();
}

}  // namespace warpbook::lessons
