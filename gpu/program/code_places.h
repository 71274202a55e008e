// CodePlaces: translates addresses in a program's code to source lines, with libdw and the debug information in the program's files
// (gcc -g).
//
//     CodePlaces places;
//     for (const CodePlace& place : places.of("/home/ada/program", 0x1169)) print(place.file, place.line, place.function);
//
// If functions were inlined, an address has several places, the innermost first. It has none if the file cannot be read. Without
// debug information, only the function is known and the line is 0. Addresses are relative to the file, like those of its symbols.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace warpbook::gpu {

struct CodePlace {
  std::string file;  // as it was given to the compiler; empty: unknown
  int line = 0;
  std::string function;  // the linker's (mangled) name; empty: unknown
};

class CodePlaces {
 public:
  CodePlaces();
  ~CodePlaces();
  CodePlaces(const CodePlaces&) = delete;
  CodePlaces& operator=(const CodePlaces&) = delete;

  [[nodiscard]] std::vector<CodePlace> of(const std::string& file, std::uint64_t address);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// How a program is linked. `exec` looks at this before it starts the program.
struct ProgramKind {
  bool elf = false;                    // false: a script, or not executable at all
  bool own_runtime = false;            // CUDA's runtime library is linked statically (-cudart static)
  std::vector<std::string> libraries;  // shared libraries that it needs: "libcudart.so.13"
};
[[nodiscard]] ProgramKind kind_of_program(const std::string& file);

}  // namespace warpbook::gpu
