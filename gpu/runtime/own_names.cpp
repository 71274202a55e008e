// Variables of the C library and classes of fmt that are defined again in this library. gpu/ is compiled for programs, and programs
// may access data of other libraries by copy relocations. A shared library must not have these, so the names are defined here, and
// the version script hides them. -static-libstdc++ does the same for libstdc++.
#define FMT_HEADER_ONLY  // because fmt's compiled library is a shared one
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdio>

#undef stdout
#undef stderr

namespace {

FILE* stream_of_the_program(const char* name) {
  void* const variable = dlsym(RTLD_DEFAULT, name);  // does not find this library's own hidden symbols
  return variable ? *static_cast<FILE**>(variable) : nullptr;
}

}  // namespace

FILE* stdout = stream_of_the_program("stdout");
FILE* stderr = stream_of_the_program("stderr");

// Says whether the process has a single thread, so that shared_ptr can avoid atomics. Nobody would update this copy, so it always
// says no.
extern "C" {
char __libc_single_threaded = 0;
}

namespace warpbook::cudart {

/// Makes the compiler emit the class's virtual table and type information.
[[noreturn]] void throw_format_error() { throw fmt::format_error("this text is never shown"); }

}  // namespace warpbook::cudart
