// Debug information: the variables of a kernel's source, their types, and where the PTX keeps their values.
//
//     Result<DebugInfo> info = read_debug_info(program->ptx);       // compiled with CompileOptions::device_debug
//     const DebugFunction* function = info->find("_Z3addPfi");      // a kernel, or a __device__ function that is called
//     for (const DebugVariable* v : visible(*function, ptx_line))   // innermost first
//       if (const DebugPlace* place = v->place_at(ptx_line)) …       // "%r1", or 16 bytes into the shared variable "tile"
//
// The compiler writes DWARF into the PTX text as bytes between labels. Here the bytes become an ELF file in memory, which libdw
// reads. Addresses in it are line numbers of the PTX text, as in ptx::Instruction::ptx_line.
//
// Result errors: the text has no debug information ("no_debug_info"), or it cannot be read ("bad_debug_info").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/result.h"

namespace warpbook::gpu {

struct DebugType {
  enum class Kind : std::uint8_t {
    unknown,  // void, or not described
    boolean,
    character,
    signed_integer,
    unsigned_integer,
    floating,
    enumeration,
    pointer,  // or a reference
    array,
    structure  // or a class or a union
  };
  struct Member {
    std::string name;  // empty: an unnamed union or struct, or a base class
    std::uint32_t type = 0;
    std::uint64_t offset = 0;  // bytes
  };
  Kind kind = Kind::unknown;
  std::string name = {};  // as C++ writes it: "unsigned int", "float4", "const float*", "float[4][8]"
  std::uint64_t bytes = 0;
  bool reference = false;                   // a pointer that stands for a C++ reference, so that no `*` is written
  std::uint32_t target = 0;                 // index in DebugInfo::types of what a pointer points to, or of an array's element
  std::vector<std::uint64_t> extents = {};  // of an array; 0: unknown, as in `extern __shared__ int s[]`
  std::vector<Member> members = {};         // of a structure
  std::vector<std::pair<std::int64_t, std::string>> values = {};  // of an enumeration: each value and its name
};

/// Where a variable's value is kept.
struct DebugPlace {
  enum class Kind : std::uint8_t {
    reg,        // in the register `name`
    variable,   // `offset` bytes into a variable of the PTX: global, constant or shared memory
    frame,      // `offset` bytes into the function's local memory, whose generic address is in the register %SP
    parameter,  // `offset` bytes into the parameter `name`
    constant    // the value is always `offset` and needs no storage
  };
  Kind kind = Kind::reg;
  std::string name;
  std::int64_t offset = 0;

  friend bool operator==(const DebugPlace&, const DebugPlace&) = default;
};

struct DebugVariable {
  /// A range of lines of the PTX text: from `first` up to, but not including, `end`.
  struct LineRange {
    std::uint64_t first = 0, end = ~std::uint64_t{0};
    DebugPlace place;
  };
  std::string name;
  std::uint32_t type = 0;  // of DebugInfo::types
  std::uint32_t line = 0;  // of its declaration; 0: unknown
  bool parameter = false;
  std::vector<LineRange> ranges = {};  // empty: the compiler kept its value nowhere

  /// Where the value is kept at this line. nullptr: nowhere.
  [[nodiscard]] const DebugPlace* place_at(std::uint64_t ptx_line) const;
};

/// A block of the source, `{ … }`, or the body of an inlined function.
struct DebugScope {
  std::uint64_t first = 0, end = 0;  // lines of the PTX text
  std::string inlined;               // the name of the inlined function; empty: an ordinary block
  std::vector<DebugVariable> variables;
  std::vector<DebugScope> inner;

  [[nodiscard]] bool holds(std::uint64_t ptx_line) const { return ptx_line >= first && ptx_line < end; }
};

struct DebugFunction {
  std::string symbol, name;  // "_Z3addPfi", "add"
  std::uint32_t line = 0;    // where it is declared
  DebugScope body;           // the parameters are the body's first variables
};

struct DebugInfo {
  std::vector<DebugType> types;  // [0] is the unknown type
  std::vector<DebugFunction> functions;
  std::vector<DebugVariable> globals;  // __device__, __constant__ and `extern __shared__` variables

  /// By the name in PTX. nullptr: not found.
  [[nodiscard]] const DebugFunction* find(std::string_view symbol) const;
};

/// Reads the debug information of a PTX text. The text is untrusted: malformed data is an error, never a crash.
[[nodiscard]] Result<DebugInfo> read_debug_info(std::string_view ptx);

/// The variables of the blocks that hold a line of the PTX text: the innermost block first, each block in the source's order. If a
/// name occurs more than once, the first one hides the others.
[[nodiscard]] std::vector<const DebugVariable*> visible(const DebugFunction& function, std::uint64_t ptx_line);

}  // namespace warpbook::gpu
