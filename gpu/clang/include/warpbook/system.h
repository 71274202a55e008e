// What a kernel asks of the system: printf, assert, memory.
#pragma once
#pragma clang system_header

// The C library's own headers: <cstdlib> and its kin, which repeat these names in std::, then find the device's among them.
#define _GLIBCXX_INCLUDE_NEXT_C_HEADERS
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#undef _GLIBCXX_INCLUDE_NEXT_C_HEADERS

extern "C" {
__device__ int vprintf(const char*, const char*);
__device__ int printf(const char*, ...);  // clang packs the arguments and calls vprintf
__device__ void* malloc(size_t) __attribute__((nothrow, malloc));
__device__ void free(void*) __attribute__((nothrow));
__device__ void __assertfail(const char* message, const char* file, unsigned int line, const char* function, size_t char_bytes)
    __attribute__((noreturn));
}

// clang's own <new> makes new and delete of malloc and free. clang cannot precompile it beside the C++ library's (clang_child.cpp).
#ifndef WARPBOOK_PRECOMPILED
#include <new>
#endif

// Of the sizes that the compiler knows it makes single loads and stores, of others loops.
extern "C" WARPBOOK_DEVICE void* memcpy(void* to, const void* from, size_t bytes) { return __builtin_memcpy(to, from, bytes); }
extern "C" WARPBOOK_DEVICE void* memmove(void* to, const void* from, size_t bytes) { return __builtin_memmove(to, from, bytes); }
extern "C" WARPBOOK_DEVICE void* memset(void* to, int byte, size_t bytes) { return __builtin_memset(to, byte, bytes); }

extern "C" WARPBOOK_DEVICE clock_t clock() { return __nvvm_read_ptx_sreg_clock(); }

// What assert() of <assert.h> calls.
extern "C" WARPBOOK_DEVICE void __assert_fail(const char* message, const char* file, unsigned int line, const char* function) {
  __assertfail(message, file, line, function, sizeof(char));
}
