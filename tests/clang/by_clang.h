// Tests that compile by clang alone, and are left out with a sentence where there is none.
#pragma once

#include <gtest/gtest.h>

#include "gpu/device.h"
#include "tests/gpu/one_compiler.h"

namespace warpbook::gpu::test {

/// As long as it lives, clang compiles, or NVRTC.
struct CompilerOfChoice {
  explicit CompilerOfChoice(CompilerChoice choice) { prefer_compiler(choice); }
  ~CompilerOfChoice() { prefer_compiler(CompilerChoice::automatic); }
};

/// With patience: a busy computer compiles slowly, and that is not what is tested.
inline auto compile_patiently(const Source& source, int architecture = 75) {
  return compiler().compile(source, {.architecture = architecture, .max_seconds = 200, .resource_usage = false});
}

}  // namespace warpbook::gpu::test

#define WARPBOOK_WITH_CLANG()                                                                        \
  if (const auto clang = compiler().status().clang; !clang.available) GTEST_SKIP() << clang.problem; \
  const test::CompilerOfChoice clang_only(CompilerChoice::clang)
