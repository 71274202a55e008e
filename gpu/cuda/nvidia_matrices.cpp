// NvidiaDevice's MatrixLibrary: cuBLAS in the device's context and stream.
#include <fmt/format.h>

#include <array>
#include <limits>
#include <optional>

#include "gpu/cuda/cublas.h"
#include "gpu/cuda/nvidia_device.h"

namespace warpbook::gpu {
namespace {

/// m, k and n. Empty: the arrays' shapes do not match.
struct ProductShape {
  int m = 0, k = 0, n = 0;
};
std::optional<ProductShape> shape_of(const Array& a, const Array& b, const Array& c) {
  const auto matrix = [](const Array& array) { return array.type == ScalarType::float32 && array.shape.size() == 2; };
  if (!matrix(a) || !matrix(b) || !matrix(c)) return std::nullopt;
  const bool fits = b.shape[0] == a.shape[1] && c.shape[0] == a.shape[0] && c.shape[1] == b.shape[1];
  for (const Array* array : {&a, &b, &c}) {
    for (const std::size_t side : array->shape)
      if (side == 0 || side > static_cast<std::size_t>(std::numeric_limits<int>::max())) return std::nullopt;
  }
  if (!fits) return std::nullopt;
  return ProductShape{static_cast<int>(a.shape[0]), static_cast<int>(a.shape[1]), static_cast<int>(b.shape[1])};
}

}  // namespace

MatrixLibrary* NvidiaDevice::matrix_library() {
  if (!asked_for_cublas_) cublas_ = driver_->open_cublas();
  asked_for_cublas_ = true;
  return cublas_ ? this : nullptr;
}

std::string NvidiaDevice::name() const { return cublas_->name; }

Result<Cublas::Handle> NvidiaDevice::cublas_handle() {
  if (cublas_handle_ != nullptr) return cublas_handle_;
  if (Context::kernel_left_behind())
    return failure("cudaErrorNotReady",
                   fmt::format("{} cannot be started while a kernel that does not end still runs on {}. Start Warpbook again.",
                               name(), info_.name));
  int status = cublas_->create(&cublas_handle_);
  if (status == Cublas::success) status = cublas_->set_stream(cublas_handle_, context_->stream());
  if (status == Cublas::success) return cublas_handle_;
  cublas_handle_ = nullptr;
  return failure(cublas_name(status), fmt::format("{} could not be started on {}: {}.", name(), info_.name, cublas_name(status)));
}

Result<double> NvidiaDevice::multiply(const Buffer& a, const Buffer& b, const Buffer& c) {
  return use([&]() -> Result<double> {
    const auto shape = shape_of(a.array, b.array, c.array);
    if (!shape)
      return failure("cudaErrorInvalidValue",
                     fmt::format("`{}`, `{}` and `{}` are no product of matrices of floats: a has m rows of k, b has k rows of n, "
                                 "and c has m rows of n.",
                                 a.array.name, b.array.name, c.array.name));
    std::array<float*, 3> addresses{};
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      auto address = arrays_.address(*std::array{&a, &b, &c}[i]);
      if (!address) return failure(address.error());
      addresses[i] = reinterpret_cast<float*>(*address);
    }
    auto handle = cublas_handle();
    if (!handle) return failure(handle.error());
    CUresult result = driver_->eventRecord(context_->begin(), context_->stream());
    if (result != CUDA_SUCCESS) return failure(driver_error(*driver_, result, "A product could not be measured"));
    // cuBLAS uses column-major order, in which a row-major matrix appears transposed. (a · b) transposed is b transposed times a
    // transposed.
    const float one = 1, zero = 0;
    const auto [m, k, n] = *shape;
    const int status = cublas_->sgemm(*handle, Cublas::as_it_stands, Cublas::as_it_stands, n, m, k, &one, addresses[1], n,
                                      addresses[0], k, &zero, addresses[2], n);
    result = driver_->eventRecord(context_->end(), context_->stream());
    if (result == CUDA_SUCCESS) {
      const Waited waited = wait(context_->end(), Limits{}.max_seconds, nullptr);
      if (waited.still_running) {
        context_->abandon();
        return failure("cudaErrorLaunchTimeout", fmt::format("{} had not ended after {:g} s.", name(), Limits{}.max_seconds));
      }
      result = waited.result;
    }
    float milliseconds = 0;
    if (result == CUDA_SUCCESS) result = driver_->eventElapsedTime(&milliseconds, context_->begin(), context_->end());
    if (result != CUDA_SUCCESS) {
      context_->give_up(result);
      return failure(driver_error(*driver_, result, fmt::format("{} failed", name())));
    }
    if (status != Cublas::success)
      return failure(cublas_name(status), fmt::format("{} could not multiply `{}` by `{}`: {}.", name(), a.array.name, b.array.name,
                                                      cublas_name(status)));
    return double{milliseconds} * 1e3;
  });
}

}  // namespace warpbook::gpu
