// The library in front of the toolkit's NVRTC: machine code that a program asks for is PTX, and nothing else changes.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace {

struct Front {
  void* library = dlopen(CUDART_FOLDER "/libnvrtc.so.13", RTLD_NOW | RTLD_LOCAL);

  template <class... Arguments>
  int operator()(const char* name, Arguments... arguments) const {
    auto* const function = reinterpret_cast<int (*)(Arguments...)>(dlsym(library, name));
    if (function) return function(arguments...);
    ADD_FAILURE() << name;
    return -1;
  }
  /// What nvrtcGetCUBIN gives of a kernel that was compiled for that architecture.
  [[nodiscard]] std::string compiled(const char* architecture) const {
    void* program = nullptr;
    EXPECT_EQ((*this)("nvrtcCreateProgram", &program, "extern \"C\" __global__ void one(int* a) { *a = 1; }", "one.cu", 0,
                      static_cast<const char* const*>(nullptr), static_cast<const char* const*>(nullptr)),
              0);
    const char* const options[] = {architecture};
    EXPECT_EQ((*this)("nvrtcCompileProgram", program, 1, static_cast<const char* const*>(options)), 0);
    std::size_t bytes = 0;
    EXPECT_EQ((*this)("nvrtcGetCUBINSize", program, &bytes), 0);
    std::string code(bytes, '\0');
    if (bytes) {
      EXPECT_EQ((*this)("nvrtcGetCUBIN", program, code.data()), 0);
    }
    EXPECT_EQ((*this)("nvrtcDestroyProgram", &program), 0);
    return code;
  }
};

TEST(NvrtcFront, GivesPtxInTheStead) {
  const char* const toolkit = std::getenv("CUDA_PATH");
  if (!std::filesystem::exists(std::string(toolkit ? toolkit : "/usr/local/cuda") + "/lib64/libnvrtc.so.13"))
    GTEST_SKIP() << "The CUDA Toolkit 13, whose NVRTC this hands on to, is not on this machine.";
  const Front front;
  ASSERT_TRUE(front.library) << dlerror();
  const std::string code = front.compiled("--gpu-architecture=sm_86");
  EXPECT_NE(code.find(".visible .entry one"), std::string::npos) << code;
  EXPECT_NE(code.find(".target sm_86"), std::string::npos) << code;
  EXPECT_NE(code.find(".loc"), std::string::npos) << "with lines, for findings";
  EXPECT_EQ(front.compiled("--gpu-architecture=compute_86"), "") << "who asked for PTX has no machine code";
}

}  // namespace
