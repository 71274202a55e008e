// Compiler: compiles CUDA C++ to PTX with NVRTC, with the toolkit's nvcc or with clang, each in a child process.
//
//     Compiler compiler;                                        // one a program; thread-safe
//     auto program = compiler.compile({.file = "add.cu", .text = text}, {.architecture = 75});
//     if (!program) for (const Diagnostic& d : program.error().diagnostics) show(d.line, d.message);
//
// Untrusted source is dangerous at compile time (an absolute #include leaks a file, a template bomb never ends), so the
// child can read nothing but the toolkit's own files, and is killed and restarted when it exceeds its time or memory.
// Results are cached by source, defines and options: compiling the same text again is free.
//
// NVRTC compiles device code only and needs 0.03 to 0.1 s. nvcc compiles whole programs as their authors do and needs a second.
// NVRTC is tried first. A source that it refuses, or that has host code, goes to nvcc if the toolkit has one. Without nvcc, NVRTC
// gets the source again with the host code blanked out (device_side.h).
//
// clang comes with every distribution and needs nothing from NVIDIA (gpu/clang/clang.h). It compiles whole programs and is used
// where NVRTC is not found. CompilerChoice asks for one of the three only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/local_headers.h"
#include "gpu/result.h"
#include "gpu/types.h"

namespace warpbook::gpu {

/// Which compiler is wanted. automatic: NVRTC, with nvcc's help; clang if NVRTC is not found.
enum class CompilerChoice : std::uint8_t { automatic, nvrtc, nvcc, clang };
[[nodiscard]] std::string_view name_of(CompilerChoice choice);  // "automatic", "nvrtc", "nvcc", "clang"
[[nodiscard]] std::optional<CompilerChoice> compiler_choice_named(std::string_view name);

/// Sets the choice of the settings for every later compile of this process. The environment variable WARPBOOK_COMPILER=nvrtc, nvcc
/// or clang, which --compiler sets, has priority.
void prefer_compiler(CompilerChoice choice);
/// The choice that is in force.
[[nodiscard]] CompilerChoice compiler_choice();

struct Source {
  std::string file = "kernel.cu";  // the name that messages use; the file is not read
  std::string text;
  std::vector<std::pair<std::string, std::string>> defines = {};  // -D NAME=VALUE
  std::vector<std::string> instantiate = {};                      // template kernels to instantiate: "scale<float>"
  /// The folder in which `#include "helper.h"` is looked up, at every compile anew (local_headers.h). Empty: headers are not looked
  /// up.
  std::filesystem::path folder = {};
};

struct Diagnostic {
  enum class Severity { error, warning, note };
  Severity severity = Severity::error;
  std::string file;
  int line = 0;    // 1-based; 0 if the compiler named none
  int column = 0;  // 1-based, from the caret's position; 0 if there was no caret
  std::string message;
};

/// A struct seen as an array of numbers: a struct of six floats is six float32. If its members have different types, it is integers
/// that are as wide as its alignment.
struct Numbers {
  ScalarType type = ScalarType::int32;
  std::uint32_t count = 1;
};

struct Parameter {
  std::string name;  // "out"; "argument 2" if the source could not be parsed
  std::string type;  // as written: "const float*"; empty where unknown
  bool pointer = false;
  std::optional<ScalarType>
      element;  // the scalar's own type, or the type that a pointer points to; empty if Warpbook has no such type
  std::uint32_t size = 0, align = 0;  // bytes, as in PTX
  /// The members of a struct in their order, each at the next multiple of its alignment. Empty if neither the source nor CUDA
  /// (float4) defines them.
  std::vector<Parameter> members = {};
  std::optional<Numbers> pointee = {};  // of a pointer to structs, if the source or CUDA (float4) defines their members
};

/// One __global__ function of a program.
struct Kernel {
  std::string name;   // as the source writes it: "add", "scale<float>"
  std::string entry;  // its PTX (mangled) name
  std::vector<Parameter> parameters;
  // Known from ptxas's log of compiling to machine code for `architecture`. Empty if that was not possible, as with clang.
  std::optional<int> registers, spill_bytes;
  // Static shared memory of a block; local memory of a thread, of which ptxas counts more than PTX declares.
  std::uint32_t shared_bytes = 0, local_bytes = 0;
};

/// A __device__ or __constant__ variable of a program, outside functions.
struct Variable {
  std::string symbol;  // its PTX name
  std::string type;    // type of an element as written: "float"; empty if the source could not be parsed
  /// The name as written ("filter", "n::table") and the element type: a struct is seen as Numbers, and an unknown type as bytes.
  Array array;
  bool constant = false;     // __constant__
  bool initialised = false;  // the source gives it a value
  std::string filled_by;     // the host call that fills it in the source: "cudaMemcpyToSymbol"; empty: there is none
};

struct HostLaunch;  // host_launch.h
[[nodiscard]] std::shared_ptr<const std::vector<HostLaunch>> no_launches();

/// An immutable compiled program; shared by whoever needs it.
struct Program {
  std::uint64_t id = 0;  // unique within the process: devices use it as the key of their cache of decoded modules
  Source source;
  std::string ptx;
  int architecture = 0;      // 75 for sm_75
  std::string machine_code;  // a cubin for `architecture`, if CompileOptions asked for it
  std::string compiler;      // "NVRTC 13.0", "nvcc 13.0", "clang 19.1"; empty for PTX that was not compiled here
  std::vector<Kernel> kernels;
  std::vector<Variable> variables;  // in the PTX's order
  std::vector<Diagnostic> warnings;
  std::vector<std::string> left_out;  // host code, which does not run: "main()", "<iostream>" (device_side.h)
  std::vector<Header> headers;        // headers of the source's folder that were included
  /// The launches in its host program, as far as the source can be read without running it (host_launch.h). Never null.
  std::shared_ptr<const std::vector<HostLaunch>> launches = no_launches();
  double compile_ms = 0;

  /// By name or entry. An empty name finds the only kernel. nullptr: not found, or not unique.
  [[nodiscard]] const Kernel* find(const std::string& name) const;
  /// By name, or by the last part of a qualified name if that is unique. nullptr: not found.
  [[nodiscard]] const Variable* variable(std::string_view name) const;
};
using ProgramPtr = std::shared_ptr<const Program>;

/// A copy of the program, as another process would load it: its __device__ and __constant__ variables have their initial values
/// again, whatever launches of the first program have stored there. A program without variables is returned itself.
[[nodiscard]] ProgramPtr started_anew(const ProgramPtr& program);

struct CompileFailure {
  enum class Reason { source, too_long, too_much_memory, no_compiler, crashed };
  Reason reason = Reason::source;
  std::string message;                  // one sentence
  std::vector<Diagnostic> diagnostics;  // for Reason::source
  std::string log;                      // the compiler's own words, paths stripped
  std::vector<Header> headers = {};     // as Program::headers
};

struct CompileOptions {
  int architecture = 75;  // compute capability × 10; the compiler takes the nearest that it supports (Program::architecture)
  /// Sources that copy asynchronously (cuda_pipeline.h, memcpy_async) are compiled for at least this architecture. Before 8.0 the
  /// toolkit's headers replace asynchronous copies by plain ones, and a missing wait would stay hidden. 0: no such minimum.
  int copies_architecture = 0;
  double max_seconds = 20;                       // per compile; then the child is killed
  std::size_t max_bytes = std::size_t{4} << 30;  // the child's address space
  bool resource_usage = true;                    // also compile to machine code for registers and spills
  bool line_info = true;
  bool machine_code = false;  // fill Program::machine_code, for a driver that is older than this compiler's PTX version
  /// Compile without optimisation and with debug information in the PTX (debug_info.h), for stepping through a launch.
  bool device_debug = false;
};

class Compiler {
 public:
  Compiler();
  ~Compiler();
  Compiler(const Compiler&) = delete;
  Compiler& operator=(const Compiler&) = delete;

  [[nodiscard]] tl::expected<ProgramPtr, CompileFailure> compile(const Source& source, const CompileOptions& options = {});

  /// Makes a program of PTX that was compiled elsewhere (`launch FILE.ptx`). Its parameters have the names that the PTX gives them.
  [[nodiscard]] tl::expected<ProgramPtr, CompileFailure> adopt_ptx(const std::string& file, std::string ptx);

  /// What `doctor` shows.
  struct Found {
    bool available = false;
    std::string version, path;  // "13.0"; path of the library or program
    std::string problem;        // a sentence that says what to install; empty if the compiler is available
  };
  struct Status {
    bool available = false;
    std::string compiler;       // the compiler that is used: "NVRTC 13.0", "clang 19.1"
    std::string version, path;  // of that compiler
    std::string confinement;    // how its process is confined: "Landlock", "bubblewrap"
    std::string advice;         // what to install if no compiler is available
    std::string nvcc;           // its path; empty if the toolkit has none or it cannot be confined
    Found nvrtc, clang;
  };
  [[nodiscard]] Status status() const;

  /// Starts the child now, so that the first compile need not wait for it. Optional. It takes about 0.1 s: call it from a worker
  /// thread.
  void warm_up();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Entry point of the compiler's child process. main() calls it first thing: it returns only in the parent.
void run_compiler_child_if_asked(int argc, char** argv);

}  // namespace warpbook::gpu
