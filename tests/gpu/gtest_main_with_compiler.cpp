// main() for tests that compile CUDA C++: the Compiler runs this very program again as its child.
//
// With WARPBOOK_COMPILED=FOLDER, as ctest sets it, all test programs share what was compiled.
//
// With WARPBOOK_SUITES=K/N, as ctest sets it for programs that it starts N times, every Nth suite from the Kth on: tests of one
// suite often ask for the same runs, which are made once (tests/lessons/lesson_run.h).
//
// Where NVRTC does not compile, the tests that hold what only its code or its assembler tells are left out: those that
// tests/only_with_nvrtc.txt lists with their reasons.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include "gpu/compiler.h"
#include "gpu/compiler_store.h"

namespace {

/// "Suite.Test" of those in the list, with ':' between them: as --gtest_filter takes them.
std::string only_with_nvrtc() {
  std::ifstream list(WARPBOOK_ROOT "/tests/only_with_nvrtc.txt");
  std::string patterns;
  for (std::string line; std::getline(list, line);) {
    std::istringstream words(line);
    std::string pattern;
    if (!(words >> pattern) || pattern.starts_with('#')) continue;
    patterns += (patterns.empty() ? "" : ":") + pattern;
  }
  return patterns;
}

/// Google Test's filter has one list of what runs and one of what does not, and the second follows a '-'.
void leave_out(const std::string& patterns) {
  const std::string filter = GTEST_FLAG_GET(filter);
  GTEST_FLAG_SET(filter, filter + (filter.find('-') == std::string::npos ? "-" : ":") + patterns);
}

void leave_out_what_others_run() {
  const char* const part = std::getenv("WARPBOOK_SUITES");
  int mine = 0, parts = 0;
  if (part == nullptr || std::sscanf(part, "%d/%d", &mine, &parts) != 2) return;
  std::string others;
  const auto& tests = *testing::UnitTest::GetInstance();
  for (int i = 0; i < tests.total_test_suite_count(); ++i) {
    if (i % parts != mine) others += (others.empty() ? "" : ":") + std::string(tests.GetTestSuite(i)->name()) + ".*";
  }
  if (!others.empty()) leave_out(others);
}

void leave_out_what_nvrtc_alone_tells() {
  const auto status = warpbook::gpu::Compiler().status();
  if (status.compiler.starts_with("NVRTC")) return;
  leave_out(only_with_nvrtc());
  std::cout << "Left out are tests of what only NVRTC tells, as "
            << (status.available ? status.compiler + " compiles here" : "nothing compiles here")
            << "; tests/only_with_nvrtc.txt lists them." << std::endl;
}

}  // namespace

int main(int argc, char** argv) {
  warpbook::gpu::run_compiler_child_if_asked(argc, argv);
  testing::InitGoogleTest(&argc, argv);
  if (std::getenv("WARPBOOK_COMPILED") != nullptr) warpbook::gpu::keep_compiled_in(warpbook::gpu::usual_compiled_folder());
  leave_out_what_others_run();
  leave_out_what_nvrtc_alone_tells();
  return RUN_ALL_TESTS();
}
