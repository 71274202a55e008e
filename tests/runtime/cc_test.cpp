// `warpbook cc` from outside: nvcc's options as Makefiles give them, and each thing that it refuses.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/app/cli.h"

namespace {

using namespace warpbook::test;
namespace fs = std::filesystem;

constexpr const char* twice =
    "__global__ void twice(float* a, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) a[i] *= FACTOR;\n"
    "}\n"
    "void launch(float* a, int n) { twice<<<(n + 255) / 256, 256>>>(a, n); }\n";
constexpr const char* host =
    "#include <cuda_runtime.h>\n"
    "#include <cstdio>\n"
    "void launch(float* a, int n);\n"
    "int main() {\n"
    "  float h[1000], *a;\n"
    "  for (float& one : h) one = 3;\n"
    "  cudaMalloc(&a, sizeof h);\n"
    "  cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);\n"
    "  launch(a, 1000);\n"
    "  cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost);\n"
    "  cudaFree(a);\n"
    "  cudaDeviceProp p;\n"
    "  cudaGetDeviceProperties(&p, 0);\n"
    "  std::printf(\"%g %d %d\\n\", h[999], p.warpSize, p.clusterLaunch);\n"
    "}\n";

class Cc : public testing::Test {
 protected:
  void SetUp() override {
    if (warpbook::test::warpbook({"cc", "none.o"}).exit_code == 5)
      GTEST_SKIP() << "clang 16 or newer, which cc runs, is not on this machine.";
    fs::create_directories(folder_);
    write("twice.cu", twice);
    write("host.cpp", host);
  }
  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  [[nodiscard]] Ran shell(const std::string& commands) const { return run_shell("cd " + folder_.string() + "; " + commands); }
  [[nodiscard]] Ran cc(const std::string& words) const { return shell("\"$warpbook\" cc " + words); }

  const fs::path folder_ = scratch() / "cc";
};

TEST_F(Cc, CompilesFilesOnTheirOwnAndLinksThem) {
  const Ran ran = shell(
      "\"$warpbook\" cc -O3 -arch=sm_70 -lineinfo --expt-relaxed-constexpr -Xcompiler -Wall,-Wextra -DFACTOR=2 -c twice.cu && "
      "\"$warpbook\" cc -std=c++14 -Xcompiler \"-O1 -Wall\" -dc host.cpp -o main.o && "
      "\"$warpbook\" cc -o program twice.o main.o -lcudart -lm -L. && ./program");
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(ran.out, "6 32 0\n") << "without exec, too";
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(shell("\"$warpbook\" cc -D FACTOR=4 twice.cu host.cpp && \"$warpbook\" exec --quiet -- ./a.out").out, "12 32 0\n");
}

TEST_F(Cc, MakesPtx) {
  const Ran ran = shell("\"$warpbook\" cc -ptx -gencode arch=compute_80,code=sm_80 -DFACTOR=2 twice.cu; cat twice.ptx");
  EXPECT_NE(ran.out.find(".target sm_80"), std::string::npos) << ran.err;
  EXPECT_NE(ran.out.find(".visible .entry"), std::string::npos);
}

TEST_F(Cc, TheDriversCallsAndOpenMPAreThere) {
  write("driver.cpp",
        "#include <cuda.h>\n#include <omp.h>\n#include <cstdio>\n"
        "int main() {\n"
        "  CUdevice device; CUcontext context; CUmodule module; CUfunction twice; CUdeviceptr a;\n"
        "  float h[3] = {1, 2, 3};\n"
        "  int n = 3, threads = 0;\n"
        "  cuInit(0); cuDeviceGet(&device, 0); cuCtxCreate(&context, 0, device);\n"
        "  if (cuModuleLoad(&module, \"twice.fatbin\") != CUDA_SUCCESS) return 1;\n"
        "  if (cuModuleGetFunction(&twice, module, \"_Z5twicePfi\") != CUDA_SUCCESS) return 2;\n"
        "  cuMemAlloc(&a, sizeof h); cuMemcpyHtoD(a, h, sizeof h);\n"
        "  void* arguments[] = {&a, &n};\n"
        "  cuLaunchKernel(twice, 1, 1, 1, 32, 1, 1, 0, 0, arguments, 0);\n"
        "  cuMemcpyDtoH(h, a, sizeof h); cuMemFree(a); cuCtxDestroy(context);\n"
        "#pragma omp parallel\n"
        "  {\n#pragma omp atomic\n    ++threads;\n  }\n"
        "  std::printf(\"%g %d\\n\", h[2], threads >= 1 && omp_get_wtime() > 0);\n"
        "}\n");
  const Ran ran = shell(
      "\"$warpbook\" cc -fatbin -DFACTOR=5 twice.cu && \"$warpbook\" cc -Xcompiler -fopenmp driver.cpp -o driver -lcuda && "
      "./driver");
  EXPECT_EQ(ran.out, "15 1\n") << ran.err;
}

TEST_F(Cc, BracketsOfLaunchesMayHaveBlanks) {
  write("parts.cuh",
        "#include <cstdio>\n#include <vector>\n"
        "__global__ void add(int* a, int n) { __shared__ alignas(64) int m[32]; m[threadIdx.x] = n; a[threadIdx.x] += "
        "m[threadIdx.x]; }\n"
        "template <class T> __global__ void add_as(T* a, T n) { a[threadIdx.x] += n; }\n"
        "inline void add_one(int* a) { add << < dim3(1), 32>>>(a, 1); }\n");
  write("blanks.cu",
        "#include \"parts.cuh\"\n"
        "int main() {\n"
        "  int* a; cudaMallocManaged(&a, 128); /* add << <1, 1 >> > (a, 7); */\n"
        "  const char* text = \"add << <1, 1 >> >\"; // add << <1, 1 >> > (a, 7);\n"
        "  const int shifted = 1'000 << 3 >> 1; std::vector<std::vector<std::vector<int>> > nested(3);\n"
        "  add << <1, dim3(32) >> > (a, 10);\n"
        "  add<<<1, std::vector<int>(1, 32)[0], 1 << 4>> >(a, 100);\n"
        "  add_as<int> << <1, 32 >> >\n    (a, 1000);\n"
        "  add_one(a); cudaDeviceSynchronize();\n"
        "  std::printf(\"%d %s %d %zu\\n\", a[31], text, shifted, nested.size()); WRONG\n"
        "}\n");
  const Ran ran = shell("\"$warpbook\" cc -DWRONG= blanks.cu && \"$warpbook\" exec --quiet -- ./a.out");
  EXPECT_EQ(ran.out, "1111 add << <1, 1 >> > 4000 3\n") << ran.err;
  const Ran wrong = cc("'-DWRONG=missing;' blanks.cu");
  EXPECT_NE(wrong.err.find("blanks.cu:11:"), std::string::npos) << wrong.err;
}

TEST_F(Cc, ProgramsHaveWhatNvidiasHeaderBrings) {
  write("bare.cu",
        "template <class F, class... A> void call(F f, A&&... a) { f(std::forward<A>(a)...); }\n"
        "__global__ void k(float* x) { x[0] = isnan(x[1]) + std::min(x[2], x[3]) + signbit(x[4]) + pow(x[5], 2); }\n"
        "int main() {\n"
        "  int h[4]; memset(h, 0, sizeof h); h[1] = 7; std::swap(h[0], h[1]);\n"
        "  std::pair<int, float> both(1, 2.0f); call([&](int n) { both.first += n; }, 4);\n"
        "  printf(\"%d %d %d %d %d\\n\", h[0], both.first, isnan(both.second), isfinite(both.second), int(std::min(3, 2) + "
        "(clock() > 0)));\n"
        "}\n");
  EXPECT_EQ(shell("\"$warpbook\" cc bare.cu && ./a.out").out, "7 5 0 1 3\n");
}

TEST_F(Cc, WhatItSaysBesideClang) {
  const auto says = [&](const std::string& source, int exit_code, const std::string& sentence) {
    write("said.cu", source + "\nint main() {}\n");
    const Ran ran = cc("said.cu");
    EXPECT_EQ(ran.exit_code, exit_code) << source << ran.err;
    EXPECT_NE(ran.err.find("warpbook: said.cu: " + sentence), std::string::npos) << source << "\n" << ran.err;
  };
  says("#include <thrust/device_vector.h>", 3, "thrust/device_vector.h belongs to the CUDA Toolkit");
  says("#include <helper_cuda.h>", 3, "helper_cuda.h belongs to NVIDIA's CUDA samples");
  says("__global__ void k(int n) { if (n) k<<<1, 1>>>(n - 1); }", 3, "the kernel k is launched by code that runs on the GPU");
  says("__global__ void k(int* a) { a[0] = __shfl_down(a[1], 2u); if (__any(a[3])) a[0] = __ballot(1); }", 0,
       "__shfl_down is CUDA's name of before version 9");
  write("own.cu", "#include \"mine.h\"\nint main() {}\n");
  EXPECT_EQ(cc("own.cu").err.find("warpbook:"), std::string::npos) << "nothing to add";
}

TEST_F(Cc, LeavesNothingAmongTheTemporaryFiles) {
  EXPECT_EQ(shell("mkdir -p t; export TMPDIR=$PWD/t; \"$warpbook\" cc -c -DFACTOR=2 twice.cu; \"$warpbook\" cc -c twice.cu "
                  "2>/dev/null; ls t")
                .out,
            "");
}

TEST_F(Cc, LeavesNothingWhenItIsStopped) {
  // Four thousand templates of five hundred instantiations each: it takes longer than one is willing to wait.
  const std::string slow =
      "for i in $(seq 4000); do echo \"template <int n> struct S$i : S$i<n - 1> {}; template <> struct S$i<0> {}; S$i<500> s$i;\"; "
      "done > slow.cu; echo 'int main() {}' >> slow.cu; mkdir -p t; export TMPDIR=$PWD/t; ";
  for (const char* command : {"cc slow.cu", "exec -- slow.cu"}) {
    const Ran ran = shell(slow + "timeout -s TERM 1 \"$warpbook\" " + command + " 2>/dev/null; echo $?; ls t | grep warpbook");
    EXPECT_EQ(ran.out, "124\n") << command << ": it was stopped, and nothing is left";
  }
}

TEST_F(Cc, WhatItCannotDoIsASentence) {
  const auto refused = [&](const std::string& words, int exit_code, const std::string& says) {
    const Ran ran = cc(words);
    EXPECT_EQ(ran.exit_code, exit_code) << words;
    EXPECT_NE(ran.err.find(says), std::string::npos) << words << "\n" << ran.err;
  };
  refused("", 2, "cc needs a file to compile");
  refused("none.cu", 2, "none.cu could not be read");
  refused("twice.txt", 2, "it is not known what twice.txt is");
  refused("--bogus twice.cu", 2, "does not know the option --bogus");
  refused("twice.cu -o", 2, "the option -o needs a value");
  refused("-c -o both.o twice.cu host.cpp", 2, "-o names one file");
  refused("-ptx host.cpp", 2, "host.cpp is no CUDA source");
  refused("-DFACTOR=1 twice.cu -lcublas", 3, "the program asks for cublas, which belongs to the CUDA Toolkit");  // it has no main()
  EXPECT_EQ(cc("-DFACTOR=1 twice.cu host.cpp -lcublas").exit_code, 0) << "which does not call it";
  write("wrong.cu", "__global__ void k(int* a) {\n  a[0] = missing;\n}\nint main() {}\n");
  refused("wrong.cu", 3, "wrong.cu:2:10: error");
  write("apart.cu", "extern __device__ int f(int);\n__global__ void k(int* a) { a[0] = f(1); }\nint main() {}\n");
  refused("apart.cu", 3, "its kernels use f(int), which is defined in another file");
  write("apart_array.cu", "extern __device__ int table[4];\n__global__ void k(int* a) { a[0] = table[a[1]]; }\nint main() {}\n");
  refused("apart_array.cu", 3, "its kernels use table, which is defined in another file");
  write(
      "dynamic.cu",
      "extern __shared__ int all[];\n"
      "__global__ void k(int* a) { all[threadIdx.x] = 1; if (!a) { printf(\"%d\", all[1]); free(malloc(4)); } }\nint main() {}\n");
  EXPECT_EQ(cc("dynamic.cu").exit_code, 0) << "not defined elsewhere: the block's memory, and what the system gives";
}

}  // namespace
