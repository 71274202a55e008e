// Debug information: which variables a kernel's source has, of which types, and where PTX keeps their values.
//
//     Result<DebugInfo> info = read_debug_info(program->ptx);       // compiled with CompileOptions::device_debug
//     const DebugFunction* function = info->find("_Z3addPfi");      // a kernel, or a __device__ function that is called
//     for (const DebugVariable* v : visible(*function, ptx_line))   // innermost first
//       if (const DebugPlace* place = v->place_at(ptx_line)) …       // "%r1", or 16 bytes into the shared variable "tile"
//
// The compiler writes DWARF into the PTX text, as bytes between labels. libdw reads it: here the text only becomes an ELF file in
// memory. Addresses are line numbers of the PTX text, which ptx::Instruction::ptx_line has too.
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
    unknown,  // what is not told, or void
    boolean,
    character,
    signed_integer,
    unsigned_integer,
    floating,
    enumeration,
    pointer,  // a reference too
    array,
    structure  // a class or a union too
  };
  struct Member {
    std::string name;  // empty: of an unnamed union or struct, or a base class
    std::uint32_t type = 0;
    std::uint64_t offset = 0;  // bytes
  };
  Kind kind = Kind::unknown;
  std::string name = {};  // as one writes it: "unsigned int", "float4", "const float*", "float[4][8]"
  std::uint64_t bytes = 0;
  bool reference = false;                   // of a pointer: it is used without `*`
  std::uint32_t target = 0;                 // what a pointer points to, an array's element; of DebugInfo::types
  std::vector<std::uint64_t> extents = {};  // of an array; 0: not told, as of `extern __shared__ int s[]`
  std::vector<Member> members = {};         // of a structure
  std::vector<std::pair<std::int64_t, std::string>> values = {};  // of an enumeration
};

/// Where a value is kept.
struct DebugPlace {
  enum class Kind : std::uint8_t {
    reg,        // in the register `name`
    variable,   // `offset` bytes into a variable of the PTX: global, constant or shared memory
    frame,      // `offset` bytes into the function's piece of local memory, whose generic address is in the register %SP
    parameter,  // `offset` bytes into the parameter `name`
    constant    // nowhere: it is always `offset`
  };
  Kind kind = Kind::reg;
  std::string name;
  std::int64_t offset = 0;

  friend bool operator==(const DebugPlace&, const DebugPlace&) = default;
};

struct DebugVariable {
  /// Lines of the PTX text, from `first` up to, but without, `end`.
  struct Stretch {
    std::uint64_t first = 0, end = ~std::uint64_t{0};
    DebugPlace place;
  };
  std::string name;
  std::uint32_t type = 0;  // of DebugInfo::types
  std::uint32_t line = 0;  // where it is declared; 0: not told
  bool parameter = false;
  std::vector<Stretch> stretches = {};  // empty: the compiler kept it nowhere

  /// nullptr: it has no place there.
  [[nodiscard]] const DebugPlace* place_at(std::uint64_t ptx_line) const;
};

/// A block of the source, `{ … }`, or the body of a function that was put in place of its call.
struct DebugScope {
  std::uint64_t first = 0, end = 0;  // lines of the PTX text
  std::string inlined;               // the name of that function; empty: an ordinary block
  std::vector<DebugVariable> variables;
  std::vector<DebugScope> inner;

  [[nodiscard]] bool holds(std::uint64_t ptx_line) const { return ptx_line >= first && ptx_line < end; }
};

struct DebugFunction {
  std::string symbol, name;  // "_Z3addPfi", "add"
  std::uint32_t line = 0;    // where it is declared
  DebugScope body;           // its parameters are the body's first variables
};

struct DebugInfo {
  std::vector<DebugType> types;  // [0] is unknown
  std::vector<DebugFunction> functions;
  std::vector<DebugVariable> globals;  // __device__, __constant__ and `extern __shared__` variables

  /// By its name in PTX; nullptr: none.
  [[nodiscard]] const DebugFunction* find(std::string_view symbol) const;
};

/// The debug information of a PTX text. It is somebody's file, so whatever is in it, this returns.
[[nodiscard]] Result<DebugInfo> read_debug_info(std::string_view ptx);

/// The variables of the blocks that hold a line of the PTX text, innermost block first, each block in the source's order. A name
/// may come more than once: the first is meant.
[[nodiscard]] std::vector<const DebugVariable*> visible(const DebugFunction& function, std::uint64_t ptx_line);

}  // namespace warpbook::gpu
