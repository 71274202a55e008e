// main() for tests that compile CUDA C++: the Compiler runs this very program again as its child.
#include <gtest/gtest.h>

#include "gpu/compiler.h"

int main(int argc, char** argv) {
  warpbook::gpu::run_compiler_child_if_asked(argc, argv);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
