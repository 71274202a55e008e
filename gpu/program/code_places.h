// CodePlaces: addresses in a program's code → lines of its source, by the debug information that the program has (gcc -g), read
// with libdw from the files alone.
//
//     CodePlaces places;
//     for (const CodePlace& place : places.of("/home/ada/program", 0x1169)) print(place.file, place.line, place.function);
//
// Several for one address where functions were inlined, the innermost first; none where the file cannot be read. Without debug
// information the function is named and the line is 0. Addresses are those that the file's own symbols count by.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace warpbook::gpu {

struct CodePlace {
  std::string file;  // as the compiler was given it; empty where it is not known
  int line = 0;
  std::string function;  // as the linker calls it; empty where it is not known
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

/// How a program was linked, as `exec` asks before it starts it.
struct ProgramKind {
  bool elf = false;                    // else a script, or nothing that can be run
  bool own_runtime = false;            // CUDA's runtime library is linked into it (-cudart static)
  std::vector<std::string> libraries;  // that it asks the loader for: "libcudart.so.13"
};
[[nodiscard]] ProgramKind kind_of_program(const std::string& file);

}  // namespace warpbook::gpu
