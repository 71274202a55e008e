// Compiler: CUDA C++ → PTX, with NVRTC, with the toolkit's nvcc, or with clang, each in a child process.
//
//     Compiler compiler;                                        // one a program; thread-safe
//     auto program = compiler.compile({.file = "add.cu", .text = text}, {.architecture = 75});
//     if (!program) for (const Diagnostic& d : program.error().diagnostics) show(d.line, d.message);
//
// Untrusted source is dangerous at compile time (an absolute #include leaks a file, a template bomb never ends), so the
// child can read nothing but the toolkit's own files, and is killed and restarted when it exceeds its time or memory.
// Results are cached by source, defines and options: compiling the same text again is free.
//
// NVRTC takes device code alone and needs 0.03 to 0.1 s. nvcc takes whole programs, as their authors compile them, and needs a
// second. NVRTC is asked first. What it refuses, and what has a host's part, goes to nvcc where the toolkit has it, and elsewhere
// to NVRTC again without the host's part (device_side.h).
//
// clang is every distribution's and needs nothing of NVIDIA's (gpu/clang/clang.h). It takes whole programs, and is used where NVRTC
// is not found. CompilerChoice asks for one of the three alone.
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

/// Which compiler is wanted. automatic: NVRTC, with nvcc's help; clang where NVRTC is not found.
enum class CompilerChoice : std::uint8_t { automatic, nvrtc, nvcc, clang };
[[nodiscard]] std::string_view name_of(CompilerChoice choice);  // "automatic", "nvrtc", "nvcc", "clang"
[[nodiscard]] std::optional<CompilerChoice> compiler_choice_named(std::string_view name);

/// For every compile of this process from now on; the settings' word. The environment's WARPBOOK_COMPILER=nvrtc, nvcc or clang,
/// which --compiler sets, goes before it.
void prefer_compiler(CompilerChoice choice);
/// What is in force.
[[nodiscard]] CompilerChoice compiler_choice();

struct Source {
  std::string file = "kernel.cu";  // how messages name it; it is not read from disk
  std::string text;
  std::vector<std::pair<std::string, std::string>> defines = {};  // -D NAME=VALUE
  std::vector<std::string> instantiate = {};                      // template kernels to instantiate: "scale<float>"
  /// Where `#include "helper.h"` is looked for, at every compile anew (local_headers.h). Empty: nowhere.
  std::filesystem::path folder = {};
};

struct Diagnostic {
  enum class Severity { error, warning, note };
  Severity severity = Severity::error;
  std::string file;
  int line = 0;    // 1-based; 0 where the compiler named none
  int column = 0;  // 1-based, where the caret stood; 0 where there was none
  std::string message;
};

/// A struct said in numbers: six of float32 where it has six floats; where its members differ, integers as wide as its alignment.
struct Numbers {
  ScalarType type = ScalarType::int32;
  std::uint32_t count = 1;
};

struct Parameter {
  std::string name;  // "out"; "argument 2" where the source could not be read for it
  std::string type;  // as written: "const float*"; empty where unknown
  bool pointer = false;
  std::optional<ScalarType> element;  // the scalar's own type, or what a pointer points to, where it is one of ours
  std::uint32_t size = 0, align = 0;  // bytes, as in PTX
  /// A struct's, in their order, one after the other at their alignments; empty where neither the source nor CUDA (float4) tells.
  std::vector<Parameter> members = {};
  std::optional<Numbers> pointee = {};  // of a pointer to structs, where the source or CUDA (float4) tells what they are made of
};

/// One __global__ function of a program.
struct Kernel {
  std::string name;   // as a learner writes it: "add", "scale<float>"
  std::string entry;  // its PTX (mangled) name
  std::vector<Parameter> parameters;
  // From compiling to machine code for `architecture` and reading ptxas's log; empty where that was not possible: with clang.
  std::optional<int> registers, spill_bytes;
  std::uint32_t shared_bytes = 0, local_bytes = 0;  // static, a block; a thread
};

/// A __device__ or __constant__ variable of a program, outside functions.
struct Variable {
  std::string symbol;  // its PTX name
  std::string type;    // of an element, as written: "float"; empty where the source could not be read for it
  /// Its name as written ("filter", "n::table"), and its numbers: a struct's as Numbers says, bytes where nothing tells.
  Array array;
  bool constant = false;     // __constant__
  bool initialised = false;  // the source gives it a value
  std::string filled_by;     // the call with which the source's host program fills it: "cudaMemcpyToSymbol"; empty: none
};

struct HostLaunch;  // host_launch.h
[[nodiscard]] std::shared_ptr<const std::vector<HostLaunch>> no_launches();

/// An immutable compiled program; shared by whoever needs it.
struct Program {
  std::uint64_t id = 0;  // unique within the process: what devices cache decoded modules by
  Source source;
  std::string ptx;
  int architecture = 0;  // 75 for sm_75
  std::string machine_code;  // of that architecture (a cubin), where CompileOptions asked for it
  std::string compiler;  // "NVRTC 13.0", "nvcc 13.0", "clang 19.1"; empty: PTX that somebody else emitted
  std::vector<Kernel> kernels;
  std::vector<Variable> variables;  // in the PTX's order
  std::vector<Diagnostic> warnings;
  std::vector<std::string> left_out;  // the host's, which does not run: "main()", "<iostream>" (device_side.h)
  std::vector<Header> headers;        // of the source's folder, that it was compiled with
  /// What its host program launches, as far as the source says so plainly (host_launch.h). Never null.
  std::shared_ptr<const std::vector<HostLaunch>> launches = no_launches();
  double compile_ms = 0;

  /// By name or entry; if empty, the only kernel. nullptr: none, or not unique.
  [[nodiscard]] const Kernel* find(const std::string& name) const;
  /// By name, or the last part of it where that is unique; nullptr: none.
  [[nodiscard]] const Variable* variable(std::string_view name) const;
};
using ProgramPtr = std::shared_ptr<const Program>;

/// The program as a process of its own has it: to a device it is another one, whose __device__ and __constant__ variables have the
/// values that the source gives them, whatever launches of the first one have stored there. Without variables, the program itself.
[[nodiscard]] ProgramPtr started_anew(const ProgramPtr& program);

struct CompileFailure {
  enum class Reason { source, too_long, too_much_memory, no_compiler, crashed };
  Reason reason = Reason::source;
  std::string message;                  // one sentence
  std::vector<Diagnostic> diagnostics;  // for Reason::source
  std::string log;                      // the compiler's own words, paths stripped
  std::vector<Header> headers = {};     // as Program's
};

struct CompileOptions {
  int architecture = 75;  // compute capability × 10; where the compiler lacks it, the nearest it has (Program::architecture)
  /// Of what copies asynchronously (cuda_pipeline.h, memcpy_async), the PTX is that of this architecture, if it is a later one:
  /// before 8.0 the toolkit's headers copy at once, and nobody sees what the source forgets to wait for. 0: no matter.
  int copies_architecture = 0;
  double max_seconds = 20;                       // for the child, per compile
  std::size_t max_bytes = std::size_t{4} << 30;  // the child's address space
  bool resource_usage = true;                    // also compile to machine code for registers and spills
  bool line_info = true;
  bool machine_code = false;  // Program::machine_code as well: for a driver that is older than this compiler's PTX
  /// Without optimisation, and with the source's variables in the PTX (debug_info.h): for going through a launch step by step.
  bool device_debug = false;
};

class Compiler {
 public:
  Compiler();
  ~Compiler();
  Compiler(const Compiler&) = delete;
  Compiler& operator=(const Compiler&) = delete;

  [[nodiscard]] tl::expected<ProgramPtr, CompileFailure> compile(const Source& source, const CompileOptions& options = {});

  /// Wraps PTX that somebody else emitted (`launch FILE.ptx`); parameter names are then the PTX's own.
  [[nodiscard]] tl::expected<ProgramPtr, CompileFailure> adopt_ptx(const std::string& file, std::string ptx);

  /// What `doctor` shows.
  struct Found {
    bool available = false;
    std::string version, path;  // "13.0"; of the library or program
    std::string problem;        // where it is not available: a sentence, with what to install
  };
  struct Status {
    bool available = false;
    std::string compiler;       // who compiles: "NVRTC 13.0", "clang 19.1"
    std::string version, path;  // of that one
    std::string confinement;    // how its process is confined: "Landlock", "bubblewrap"
    std::string advice;         // where none is available: what to install
    std::string nvcc;           // its path; empty: the toolkit has none, or nothing can confine it
    Found nvrtc, clang;
  };
  [[nodiscard]] Status status() const;

  /// Starts the child now (about 0.1 s, so call it from a worker), that the first compile need not wait for it. Optional.
  void warm_up();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Entry point of the compiler's child process. main() calls it first thing: it returns only in the parent.
void run_compiler_child_if_asked(int argc, char** argv);

}  // namespace warpbook::gpu
