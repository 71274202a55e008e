// Variables of the C library and classes of fmt that this library has to itself. Code that is compiled for programs reaches other
// libraries' data as a program may (by a copy in the program), which a shared library must not: so those names are defined here,
// and the version script keeps them from everybody else. What libstdc++ has of the kind comes with -static-libstdc++.
#define FMT_HEADER_ONLY  // fmt's own library is a shared one
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdio>

#undef stdout
#undef stderr

namespace {

FILE* stream_of_the_program(const char* name) {
  void* const variable = dlsym(RTLD_DEFAULT, name);  // this library's own are not among the names that are found
  return variable ? *static_cast<FILE**>(variable) : nullptr;
}

}  // namespace

FILE* stdout = stream_of_the_program("stdout");
FILE* stderr = stream_of_the_program("stderr");

// Whether the process has one thread, by which shared_ptr leaves out atomics: nobody keeps this one up to date, so it says no.
extern "C" {
char __libc_single_threaded = 0;
}

namespace warpbook::cudart {

/// Makes the compiler emit what the class consists of.
[[noreturn]] void throw_format_error() { throw fmt::format_error("this text is never shown"); }

}  // namespace warpbook::cudart
