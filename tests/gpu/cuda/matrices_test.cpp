// Products of matrices by cuBLAS: a scripted cuBLAS computes them as its documentation says, column after column.
#include <gtest/gtest.h>

#include <array>
#include <span>
#include <string>
#include <vector>

#include "gpu/cuda/cublas.h"
#include "gpu/matrix_library.h"
#include "tests/gpu/cuda/scenario.h"

namespace warpbook::gpu::testing {
namespace {

/// What the library is asked for, and how it answers.
struct Script {
  int handles = 0, made = 0, answer = Cublas::success;
  CUstream stream = nullptr;
} script;

int create(Cublas::Handle* handle) {
  ++script.handles;
  *handle = &script;
  ++script.made;
  return Cublas::success;
}
int destroy(Cublas::Handle) {
  --script.handles;
  return Cublas::success;
}
int set_stream(Cublas::Handle, CUstream stream) {
  script.stream = stream;
  return Cublas::success;
}
int sgemm(Cublas::Handle, int a_operation, int b_operation, int m, int n, int k, const float* alpha, const float* a, int a_step,
          const float* b, int b_step, const float* beta, float* c, int c_step) {
  EXPECT_EQ(a_operation, Cublas::as_it_stands);
  EXPECT_EQ(b_operation, Cublas::as_it_stands);
  EXPECT_GE(a_step, m);
  EXPECT_GE(b_step, k);
  EXPECT_GE(c_step, m);
  EXPECT_EQ(*beta, 0) << "what c held before must not matter";
  if (script.answer != Cublas::success) return script.answer;
  for (int column = 0; column < n; ++column) {
    for (int row = 0; row < m; ++row) {
      float sum = 0;
      for (int i = 0; i < k; ++i) sum += a[i * a_step + row] * b[column * b_step + i];
      c[column * c_step + row] = *alpha * sum;
    }
  }
  return Cublas::success;
}

class Matrices : public ::testing::Test {
 protected:
  Matrices() {
    script = {};
    auto table = std::make_shared<Cublas>();
    table->create = create;
    table->destroy = destroy;
    table->set_stream = set_stream;
    table->sgemm = sgemm;
    table->name = "cuBLAS 13.0";
    gpu.cublas = table;
    gpu.kernel_ms = 2;
  }

  static Buffer matrix(Device& device, const char* name, std::vector<std::size_t> shape, const std::vector<float>& values = {}) {
    auto buffer = device.allocate({name, ScalarType::float32, std::move(shape)});
    if (!buffer) throw std::runtime_error(buffer.error().message);
    if (!values.empty() && !device.write(*buffer, std::as_bytes(std::span(values)))) throw std::runtime_error("not written");
    return *buffer;
  }
  static std::vector<float> values_of(Device& device, const Buffer& buffer) {
    std::vector<float> values(buffer.array.count());
    if (!device.read(buffer, std::as_writable_bytes(std::span(values)))) throw std::runtime_error("not read");
    return values;
  }

  ScriptedDriver gpu;
};

TEST_F(Matrices, AreMultipliedRowByRow) {
  {
    const auto device = open(gpu);
    ASSERT_TRUE(device);
    MatrixLibrary* const library = device->matrix_library();
    ASSERT_NE(library, nullptr);
    EXPECT_EQ(library->name(), "cuBLAS 13.0");
    const Buffer a = matrix(*device, "A", {2, 3}, {1, 2, 3, 4, 5, 6}), b = matrix(*device, "B", {3, 1}, {7, 8, 9});
    const Buffer c = matrix(*device, "C", {2, 1});
    const auto us = library->multiply(a, b, c);
    ASSERT_TRUE(us) << us.error().message;
    EXPECT_EQ(values_of(*device, c), (std::vector<float>{50, 122}));
    ASSERT_TRUE(library->multiply(a, b, c));
    EXPECT_EQ(script.made, 1) << "one handle for all products";
    EXPECT_NE(script.stream, nullptr) << "the stream between whose events the time is taken";
  }
  EXPECT_EQ(script.handles, 0);
  EXPECT_EQ(gpu.misuse(), "");
  EXPECT_EQ(gpu.alive(), "");
}

TEST_F(Matrices, OfShapesThatDoNotFitAreRefused) {
  const auto device = open(gpu);
  MatrixLibrary* const library = device->matrix_library();
  const Buffer a = matrix(*device, "A", {2, 3}), b = matrix(*device, "B", {2, 3}), c = matrix(*device, "C", {2, 3});
  const Buffer line = matrix(*device, "line", {6});
  for (const auto& [x, y, z] : {std::array{a, b, c}, std::array{a, line, c}}) {
    const auto us = library->multiply(x, y, z);
    ASSERT_FALSE(us);
    EXPECT_EQ(us.error().code, "cudaErrorInvalidValue");
    EXPECT_TRUE(is_sentence(us.error().message)) << us.error().message;
  }
}

TEST_F(Matrices, ThatTheLibraryDoesNotTakeAreToldByItsName) {
  const auto device = open(gpu);
  const Buffer a = matrix(*device, "A", {1, 1}, {2}), c = matrix(*device, "C", {1, 1});
  script.answer = 13;
  const auto us = device->matrix_library()->multiply(a, a, c);
  ASSERT_FALSE(us);
  EXPECT_EQ(us.error().code, "CUBLAS_STATUS_EXECUTION_FAILED");
  EXPECT_TRUE(is_sentence(us.error().message)) << us.error().message;
}

TEST_F(Matrices, AfterAFaultTheLibraryIsStartedAnew) {
  const auto device = open(gpu);
  MatrixLibrary* const library = device->matrix_library();
  const Buffer a = matrix(*device, "A", {1, 1}, {2}), c = matrix(*device, "C", {1, 1});
  ASSERT_TRUE(library->multiply(a, a, c));
  gpu.fail({.name = "eventQuery", .with = CUDA_ERROR_ILLEGAL_ADDRESS});
  const auto failed = library->multiply(a, a, c);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, "cudaErrorIllegalAddress");
  ASSERT_TRUE(library->multiply(a, a, c));
  EXPECT_EQ(script.made, 2) << "the first handle went with its context";
  EXPECT_EQ(values_of(*device, c), std::vector<float>{4});
}

TEST_F(Matrices, WithoutTheLibraryThereIsNone) {
  gpu.cublas = nullptr;
  const auto device = open(gpu);
  EXPECT_EQ(device->matrix_library(), nullptr);
}

}  // namespace
}  // namespace warpbook::gpu::testing
