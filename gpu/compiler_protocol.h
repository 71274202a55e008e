// The messages between the Compiler and its child process over one socket: a hello, then a request and an answer for each compile.
//
//     send(socket, request);                                     // 8 bytes of length, then the fields in order
//     auto answer = receive<CompileAnswer>(socket, deadline, watch);
//
// Both ends are the same binary, so messages carry no version. Every length is checked, because the child may have been
// compromised.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpbook::gpu {

inline constexpr int child_socket = 3;  // the child's file descriptor
inline constexpr const char* child_argument =
    "--warpbook-compiler-child";  // followed by the kind of confinement and the tool's name

/// Which compiler a child runs.
enum class Tool : std::uint8_t { nvrtc, nvcc, clang };
[[nodiscard]] std::string_view name_of(Tool tool);
/// Whether the compiler is a program that the child starts. NVRTC is a library that the child loads.
[[nodiscard]] inline bool runs_program(Tool tool) { return tool != Tool::nvrtc; }
inline constexpr int child_out_of_memory = 77;  // the child's exit code

struct ChildHello {
  bool available = false;
  std::string problem;  // a sentence, if the compiler is not available
  std::string version, path;
  std::string confinement;                // the kind of confinement, for `doctor`
  std::string scratch;                    // the compiler program's scratch folder, to be removed when the child is gone
  std::vector<std::string> hidden_paths;  // paths of this machine that learners must not see

  template <class Archive>
  void fields(Archive& a) {
    a(available, problem, version, path, confinement, scratch, hidden_paths);
  }
};

struct CompileRequest {
  std::string name, text;
  std::vector<std::string> defines{}, instantiate{};        // "NAME=VALUE"; "scale<float>"
  std::vector<std::string> header_names{}, header_texts{};  // headers that it may include in addition to the toolkit's
  std::int32_t architecture = 75;
  std::int32_t ptx_architecture = 0;  // another architecture for the PTX; 0: the same
  bool line_info = true, resource_usage = true, wants_cubin = false, device_debug = false;
  double max_seconds = 20;
  std::uint64_t max_bytes = 0;

  template <class Archive>
  void fields(Archive& a) {
    a(name, text, defines, instantiate, header_names, header_texts, architecture, ptx_architecture, line_info, resource_usage,
      wants_cubin, device_debug, max_seconds, max_bytes);
  }
};

struct CompileAnswer {
  enum class Status : std::uint8_t { ok, source, out_of_memory, internal, too_long, crashed };  // the last two: of a program
  Status status = Status::ok;
  std::int32_t architecture = 0;  // the nearest that the compiler supports
  bool machine_code = false;      // compiled to machine code too, so that the log holds ptxas's resource usage
  std::string log, ptx;
  std::string cubin;  // if it was requested and ptxas made one
  std::vector<std::string> lowered_names;

  template <class Archive>
  void fields(Archive& a) {
    a(status, architecture, machine_code, log, ptx, cubin, lowered_names);
  }
};

/// The latest of these architectures that is not later than `wanted`, or else the first. `known` is ascending and not empty.
[[nodiscard]] int nearest_architecture(const std::vector<int>& known, int wanted);

class Writer {
 public:
  template <class... T>
  void operator()(const T&... values) {
    (put(values), ...);
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  template <class T>
  requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) void put(const T& value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void put(const std::string& text) {
    put(std::uint64_t{text.size()});
    bytes_ += text;
  }
  void put(const std::vector<std::string>& texts) {
    put(std::uint64_t{texts.size()});
    for (const std::string& text : texts) put(text);
  }
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  template <class... T>
  void operator()(T&... values) {
    (get(values), ...);
  }
  [[nodiscard]] bool complete() const { return ok_ && bytes_.empty(); }

 private:
  [[nodiscard]] std::string_view take(std::uint64_t count);
  template <class T>
  requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) void get(T& value) {
    const std::string_view part = take(sizeof value);
    if constexpr (std::is_same_v<T, bool>) {
      value = !part.empty() && part[0] != 0;
    } else {
      if (part.size() == sizeof value) part.copy(reinterpret_cast<char*>(&value), sizeof value);
    }
  }
  void get(std::string& text);
  void get(std::vector<std::string>& texts);

  std::string_view bytes_;
  bool ok_ = true;
};

using Deadline = std::chrono::steady_clock::time_point;

/// Returns false if the other end has closed the socket.
[[nodiscard]] bool send_bytes(int socket, std::string_view bytes);

enum class ReceiveProblem { closed, late, refused, garbled };
/// `watch`, if given, is called about 50 times a second while waiting. If it returns false, the wait ends with `refused`.
[[nodiscard]] std::optional<ReceiveProblem> receive_bytes(int socket, std::string& bytes, Deadline deadline,
                                                          const std::function<bool()>& watch);

template <class Message>
[[nodiscard]] bool send(int socket, Message& message) {
  Writer writer;
  message.fields(writer);
  return send_bytes(socket, writer.bytes());
}

template <class Message>
[[nodiscard]] std::optional<ReceiveProblem> receive(int socket, Message& message, Deadline deadline,
                                                    const std::function<bool()>& watch = {}) {
  std::string bytes;
  if (const auto problem = receive_bytes(socket, bytes, deadline, watch)) return problem;
  Reader reader(bytes);
  message.fields(reader);
  if (!reader.complete()) return ReceiveProblem::garbled;
  return std::nullopt;
}

}  // namespace warpbook::gpu
