// gpu/runtime's library, loaded as a program loads it and called by CUDA's names.
//
//     const Library& cuda = library();
//     EXPECT_EQ(cuda("cudaFree", pointer), cudaSuccess);
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "gpu/runtime/api.h"
#include "hand_made.h"

namespace warpbook::test {

/// One loaded library with the hand-made kernels in it. Loaded once: its state is the process's.
class Library {
 public:
  explicit Library(int version) {
    const std::string file = std::string(CUDART_FOLDER "/libcudart.so.") + std::to_string(version);
    handle_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle_) {
      ADD_FAILURE() << dlerror();
      return;
    }
    bytes_ = fat_binary(hand_made_ptx);
    wrapper_ = {0x466243b1, 1, bytes_.data(), nullptr};
    void** const module = call<void**>("__cudaRegisterFatBinary", static_cast<void*>(&wrapper_));
    const auto name = [&](const char* stub, const char* kernel) {
      call<void>("__cudaRegisterFunction", module, stub, static_cast<char*>(nullptr), kernel, -1, static_cast<uint3*>(nullptr),
                 static_cast<uint3*>(nullptr), static_cast<dim3*>(nullptr), static_cast<dim3*>(nullptr),
                 static_cast<int*>(nullptr));
    };
    name(&add, "add");
    name(&scale, "scale");
    name(&beyond, "beyond");
    name(&fetch, "fetch");
    call<void>("__cudaRegisterVar", module, &factor, static_cast<char*>(nullptr), "factor", 0, std::size_t{4}, 1, 0);
  }

  template <class Answer, class... Arguments>
  Answer call(const char* name, Arguments... arguments) const {
    auto* const function = reinterpret_cast<Answer (*)(Arguments...)>(dlsym(handle_, name));
    if (!function) {
      ADD_FAILURE() << name << " is not there";
      return Answer();
    }
    return function(arguments...);
  }
  template <class... Arguments>
  cudaError_t operator()(const char* name, Arguments... arguments) const {
    return call<cudaError_t>(name, arguments...);
  }
  cudaError_t launch(const char* stub, unsigned blocks, unsigned threads, void* pointer, int count,
                     cudaStream_t stream = {}) const {
    std::array<void*, 2> arguments{&pointer, &count};
    return (*this)("cudaLaunchKernel", static_cast<const void*>(stub), dim3{blocks}, dim3{threads}, arguments.data(),
                   std::size_t{0}, stream);
  }
  int* ints(std::size_t count) const {
    void* pointer = nullptr;
    EXPECT_EQ((*this)("cudaMalloc", &pointer, count * 4), cudaSuccess);
    EXPECT_EQ((*this)("cudaMemset", pointer, 0, count * 4), cudaSuccess);
    return static_cast<int*>(pointer);
  }
  int at(const int* pointer) const {
    int value = -1;
    EXPECT_EQ((*this)("cudaMemcpy", static_cast<void*>(&value), static_cast<const void*>(pointer), std::size_t{4},
                      cudaMemcpyDeviceToHost),
              cudaSuccess);
    return value;
  }

  char add = 0, scale = 0, beyond = 0, fetch = 0, factor = 0;

 private:
  void* handle_ = nullptr;
  std::vector<char> bytes_;
  Wrapper wrapper_{};
};

inline const Library& library() {
  static const Library* const one = new Library(13);
  return *one;
}

}  // namespace warpbook::test
