// The distribution's asmjit names stderr in a way that only a program may, not a shared library, unless stderr is its own: cudart.map
// keeps this one from the programs.
#include <cstdio>

FILE* stderr = [] {
  FILE* const file = fdopen(2, "w");
  setvbuf(file, nullptr, _IONBF, 0);
  return file;
}();
