// cuBLAS for `warpbook cc`: what learners compare their own kernels with. Each call launches a plain kernel of this file, and its sums
// are taken in order; the toolkit's library has faster ones, whose last digits differ. Matrices lie by columns, as in Fortran.
// Source: "cuBLAS", NVIDIA's reference manual. Only for files that clang compiles: the kernels are in this header.
#pragma once
#pragma clang system_header

#include <warpbook/letters_away.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <library_types.h>
#include <warpbook_cuda.h>

#define CUBLAS_API_H_  // asked for by programs
#define CUBLAS_VER_MAJOR 12
#define CUBLAS_VER_MINOR 0
#define CUBLAS_VER_PATCH 0
#define CUBLAS_VERSION 120000

enum cublasStatus_t {
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_NOT_INITIALIZED = 1,
  CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7,
  CUBLAS_STATUS_ARCH_MISMATCH = 8,
  CUBLAS_STATUS_MAPPING_ERROR = 11,
  CUBLAS_STATUS_EXECUTION_FAILED = 13,
  CUBLAS_STATUS_INTERNAL_ERROR = 14,
  CUBLAS_STATUS_NOT_SUPPORTED = 15,
  CUBLAS_STATUS_LICENSE_ERROR = 16
};
enum cublasOperation_t { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1, CUBLAS_OP_C = 2 };
enum cublasFillMode_t { CUBLAS_FILL_MODE_LOWER = 0, CUBLAS_FILL_MODE_UPPER = 1, CUBLAS_FILL_MODE_FULL = 2 };
enum cublasDiagType_t { CUBLAS_DIAG_NON_UNIT = 0, CUBLAS_DIAG_UNIT = 1 };
enum cublasSideMode_t { CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1 };
enum cublasPointerMode_t { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 };
enum cublasAtomicsMode_t { CUBLAS_ATOMICS_NOT_ALLOWED = 0, CUBLAS_ATOMICS_ALLOWED = 1 };
enum cublasMath_t {
  CUBLAS_DEFAULT_MATH = 0,
  CUBLAS_TENSOR_OP_MATH = 1,
  CUBLAS_PEDANTIC_MATH = 2,
  CUBLAS_TF32_TENSOR_OP_MATH = 3,
  CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16
};
enum cublasGemmAlgo_t { CUBLAS_GEMM_DFALT = -1, CUBLAS_GEMM_DEFAULT = -1, CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99, CUBLAS_GEMM_DFALT_TENSOR_OP = 99 };
enum cublasComputeType_t {
  CUBLAS_COMPUTE_16F = 64,
  CUBLAS_COMPUTE_16F_PEDANTIC = 65,
  CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_32F_PEDANTIC = 69,
  CUBLAS_COMPUTE_32F_FAST_16F = 74,
  CUBLAS_COMPUTE_32F_FAST_16BF = 75,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
  CUBLAS_COMPUTE_64F = 70,
  CUBLAS_COMPUTE_64F_PEDANTIC = 71,
  CUBLAS_COMPUTE_32I = 72,
  CUBLAS_COMPUTE_32I_PEDANTIC = 73
};
typedef cudaDataType cublasDataType_t;

struct cublasContext {
  cudaStream_t stream;
  cublasPointerMode_t pointers;
  cublasMath_t math;
};
typedef cublasContext* cublasHandle_t;

inline cublasStatus_t cublasCreate(cublasHandle_t* handle) {
  if (!handle) return CUBLAS_STATUS_INVALID_VALUE;
  *handle = new cublasContext{nullptr, CUBLAS_POINTER_MODE_HOST, CUBLAS_DEFAULT_MATH};
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasDestroy(cublasHandle_t handle) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasGetVersion(cublasHandle_t, int* version) { return *version = CUBLAS_VERSION, CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  return handle->stream = stream, CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasGetStream(cublasHandle_t handle, cudaStream_t* stream) {
  return *stream = handle->stream, CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasSetPointerMode(cublasHandle_t handle, cublasPointerMode_t mode) {
  return handle->pointers = mode, CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasGetPointerMode(cublasHandle_t handle, cublasPointerMode_t* mode) {
  return *mode = handle->pointers, CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
  return handle->math = mode, CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode) {
  return *mode = handle->math, CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasSetWorkspace(cublasHandle_t, void*, size_t) { return CUBLAS_STATUS_SUCCESS; }
inline const char* cublasGetStatusName(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS: return "CUBLAS_STATUS_SUCCESS";
    case CUBLAS_STATUS_NOT_INITIALIZED: return "CUBLAS_STATUS_NOT_INITIALIZED";
    case CUBLAS_STATUS_ALLOC_FAILED: return "CUBLAS_STATUS_ALLOC_FAILED";
    case CUBLAS_STATUS_INVALID_VALUE: return "CUBLAS_STATUS_INVALID_VALUE";
    case CUBLAS_STATUS_ARCH_MISMATCH: return "CUBLAS_STATUS_ARCH_MISMATCH";
    case CUBLAS_STATUS_MAPPING_ERROR: return "CUBLAS_STATUS_MAPPING_ERROR";
    case CUBLAS_STATUS_EXECUTION_FAILED: return "CUBLAS_STATUS_EXECUTION_FAILED";
    case CUBLAS_STATUS_INTERNAL_ERROR: return "CUBLAS_STATUS_INTERNAL_ERROR";
    case CUBLAS_STATUS_NOT_SUPPORTED: return "CUBLAS_STATUS_NOT_SUPPORTED";
    case CUBLAS_STATUS_LICENSE_ERROR: return "CUBLAS_STATUS_LICENSE_ERROR";
  }
  return "<unknown>";
}
inline const char* cublasGetStatusString(cublasStatus_t status) { return cublasGetStatusName(status); }

// Copies between host and device. A row of `rows` elements, one of which follows another after `step`, is a matrix of one row.
inline cublasStatus_t warpbook_blas_copy(cudaError_t error) {
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}
#define WARPBOOK_BLAS_COPIES(NAME, KIND)                                                                                         \
  inline cublasStatus_t NAME##Matrix(int rows, int columns, int bytes, const void* from, int lda, void* to, int ldb) {           \
    if (rows < 0 || columns < 0 || bytes <= 0 || lda <= 0 || ldb <= 0) return CUBLAS_STATUS_INVALID_VALUE;                       \
    return warpbook_blas_copy(cudaMemcpy2D(to, size_t(ldb) * bytes, from, size_t(lda) * bytes, size_t(rows) * bytes, columns, KIND)); \
  }                                                                                                                              \
  inline cublasStatus_t NAME##MatrixAsync(int rows, int columns, int bytes, const void* from, int lda, void* to, int ldb,        \
                                          cudaStream_t stream) {                                                                 \
    if (rows < 0 || columns < 0 || bytes <= 0 || lda <= 0 || ldb <= 0) return CUBLAS_STATUS_INVALID_VALUE;                       \
    return warpbook_blas_copy(cudaMemcpy2DAsync(to, size_t(ldb) * bytes, from, size_t(lda) * bytes, size_t(rows) * bytes, columns, \
                                                KIND, stream));                                                                  \
  }                                                                                                                              \
  inline cublasStatus_t NAME##Vector(int count, int bytes, const void* from, int step, void* to, int to_step) {                  \
    if (count < 0 || bytes <= 0 || step <= 0 || to_step <= 0) return CUBLAS_STATUS_INVALID_VALUE;                                \
    return NAME##Matrix(1, count, bytes, from, step, to, to_step);                                                               \
  }                                                                                                                              \
  inline cublasStatus_t NAME##VectorAsync(int count, int bytes, const void* from, int step, void* to, int to_step,               \
                                          cudaStream_t stream) {                                                                 \
    if (count < 0 || bytes <= 0 || step <= 0 || to_step <= 0) return CUBLAS_STATUS_INVALID_VALUE;                                \
    return NAME##MatrixAsync(1, count, bytes, from, step, to, to_step, stream);                                                  \
  }
WARPBOOK_BLAS_COPIES(cublasSet, cudaMemcpyHostToDevice)
WARPBOOK_BLAS_COPIES(cublasGet, cudaMemcpyDeviceToHost)
#undef WARPBOOK_BLAS_COPIES

#ifdef __CUDA__
namespace warpbook_blas {

// A factor that the program gives by the address of a number in host memory, or in device memory.
template <class T>
struct Scalar {
  const T* device;  // null: it is `value`
  T value;
  __device__ T get() const { return device ? *device : value; }
};
template <class T>
Scalar<T> scalar(cublasHandle_t handle, const T* at) {
  if (handle->pointers == CUBLAS_POINTER_MODE_DEVICE) return {at, T()};
  return {nullptr, *at};
}

// A matrix, or as many as there are of them, each `stride` elements behind the one before.
template <class T>
struct Matrix {
  T* first;
  int step;  // from column to column: the leading dimension
  long long stride;
  bool turned;
  __device__ T& at(int row, int column, int number) const {
    if (turned) return first[stride * number + row * static_cast<long long>(step) + column];
    return first[stride * number + column * static_cast<long long>(step) + row];
  }
};
template <class A, class C, class Sum>
__global__ void gemm(int rows, int columns, int inner, Scalar<Sum> alpha, Matrix<const A> a, Matrix<const A> b, Scalar<Sum> beta,
                     Matrix<C> c) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y, number = blockIdx.z;
  if (row >= rows || column >= columns) return;
  Sum sum = Sum(0.0f);
  for (int i = 0; i < inner; ++i) sum += Sum(a.at(row, i, number)) * Sum(b.at(i, column, number));
  C& element = c.at(row, column, number);
  const Sum factor = beta.get();
  // Where beta is 0, what lies there need not be a number.
  element = factor == Sum(0.0f) ? C(alpha.get() * sum) : C(alpha.get() * sum + factor * Sum(element));
}
template <class T>
__global__ void geam(int rows, int columns, Scalar<T> alpha, Matrix<const T> a, Scalar<T> beta, Matrix<const T> b, Matrix<T> c) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= rows || column >= columns) return;
  const T of_a = alpha.get(), of_b = beta.get();
  c.at(row, column, 0) = (of_a == T(0) ? T(0) : of_a * a.at(row, column, 0)) + (of_b == T(0) ? T(0) : of_b * b.at(row, column, 0));
}

// Elements of a vector; a negative step begins at the end.
template <class T>
struct Vector {
  T* first;
  int count, step;
  __device__ T& operator[](int i) const { return first[static_cast<long long>(step < 0 ? i - count + 1 : i) * step]; }
};
template <class T>
__global__ void gemv(int rows, int columns, Scalar<T> alpha, Matrix<const T> a, Vector<const T> x, Scalar<T> beta, Vector<T> y) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  T sum = 0;
  for (int i = 0; i < columns; ++i) sum += a.at(row, i, 0) * x[i];
  const T factor = beta.get();
  y[row] = factor == T(0) ? alpha.get() * sum : alpha.get() * sum + factor * y[row];
}
template <class T>
__global__ void ger(int rows, int columns, Scalar<T> alpha, Vector<const T> x, Vector<const T> y, Matrix<T> a) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && column < columns) a.at(row, column, 0) += alpha.get() * x[row] * y[column];
}
template <class T>
__global__ void axpy(Scalar<T> alpha, Vector<const T> x, Vector<T> y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < x.count) y[i] += alpha.get() * x[i];
}
template <class T>
__global__ void scal(Scalar<T> alpha, Vector<T> x) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < x.count) x[i] *= alpha.get();
}
template <class T>
__global__ void copy(Vector<const T> x, Vector<T> y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < x.count) y[i] = x[i];
}
template <class T>
__global__ void swap(Vector<T> x, Vector<T> y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= x.count) return;
  const T kept = x[i];
  x[i] = y[i];
  y[i] = kept;
}

// Each reduction is one block's: thread t takes the elements t, t + 256 …
constexpr int reducing = 256;
enum class Reduction { dot, sum_of_sizes, length, largest, smallest };
template <class T>
__device__ T size_of(T value) {
  return value < T(0) ? -value : value;
}
template <Reduction kind, class T, class Result>
__global__ void reduce(Vector<const T> x, Vector<const T> y, Result* result) {
  __shared__ T values[reducing];
  __shared__ int places[reducing];
  const int thread = threadIdx.x;
  constexpr bool extreme = kind == Reduction::largest || kind == Reduction::smallest;
  T value = T(0);
  int place = -1;
  for (int i = thread; i < x.count; i += reducing) {
    if constexpr (extreme) {
      const T size = size_of(x[i]);
      if (place < 0 || (kind == Reduction::largest ? size > value : size < value)) value = size, place = i;
    } else {
      value += kind == Reduction::sum_of_sizes ? size_of(x[i]) : x[i] * (kind == Reduction::dot ? y[i] : x[i]);
    }
  }
  values[thread] = value;
  places[thread] = place;
  for (int half = reducing / 2; half > 0; half /= 2) {
    __syncthreads();
    if (thread >= half) continue;
    const T other = values[thread + half];
    if constexpr (extreme) {
      const int there = places[thread + half], here = places[thread];
      const T mine = values[thread];
      const bool better = kind == Reduction::largest ? other > mine : other < mine;
      if (there >= 0 && (here < 0 || better || (other == mine && there < here))) values[thread] = other, places[thread] = there;
    } else {
      values[thread] += other;
    }
  }
  if (thread != 0) return;
  if constexpr (extreme)
    *result = places[0] + 1;  // counted from 1
  else
    *result = kind == Reduction::length ? Result(sqrt(values[0])) : Result(values[0]);
}

inline dim3 blocks_of(int rows, int columns = 1, int numbers = 1, int side = 16) {
  return dim3((rows + side - 1) / side, (columns + side - 1) / side, numbers);
}
inline cublasStatus_t launched() {
  return cudaPeekAtLastError() == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}
/// Whether a matrix of so many rows fits into its leading dimension.
inline bool fits(cublasOperation_t how, int rows, int columns, int step) {
  const int needed = how == CUBLAS_OP_N ? rows : columns;
  return step >= (needed > 1 ? needed : 1);
}

template <class A, class C, class Sum>
cublasStatus_t multiply(cublasHandle_t handle, cublasOperation_t how_a, cublasOperation_t how_b, int rows, int columns, int inner,
                        const Sum* alpha, const A* a, int lda, long long stride_a, const A* b, int ldb, long long stride_b,
                        const Sum* beta, C* c, int ldc, long long stride_c, int numbers) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (rows < 0 || columns < 0 || inner < 0 || numbers < 0 || !alpha || !beta || !fits(how_a, rows, inner, lda) ||
      !fits(how_b, inner, columns, ldb) || !fits(CUBLAS_OP_N, rows, columns, ldc))
    return CUBLAS_STATUS_INVALID_VALUE;
  if (rows == 0 || columns == 0 || numbers == 0) return CUBLAS_STATUS_SUCCESS;
  gemm<A, C, Sum><<<blocks_of(rows, columns, numbers), dim3(16, 16), 0, handle->stream>>>(
      rows, columns, inner, scalar(handle, alpha), Matrix<const A>{a, lda, stride_a, how_a != CUBLAS_OP_N},
      Matrix<const A>{b, ldb, stride_b, how_b != CUBLAS_OP_N}, scalar(handle, beta), Matrix<C>{c, ldc, stride_c, false});
  return launched();
}
/// By the types that a call names.
inline cublasStatus_t multiply_as(cublasHandle_t handle, cublasOperation_t how_a, cublasOperation_t how_b, int rows, int columns,
                                  int inner, const void* alpha, const void* a, cudaDataType type_a, int lda, long long stride_a,
                                  const void* b, cudaDataType type_b, int ldb, long long stride_b, const void* beta, void* c,
                                  cudaDataType type_c, int ldc, long long stride_c, int numbers, cublasComputeType_t compute) {
  const bool halves = compute == CUBLAS_COMPUTE_16F || compute == CUBLAS_COMPUTE_16F_PEDANTIC;
#define WARPBOOK_BLAS_TYPES(NAME_A, A, NAME_C, C, SUM)                                                                          \
  if (type_a == NAME_A && type_b == NAME_A && type_c == NAME_C)                                                                 \
    return multiply<A, C, SUM>(handle, how_a, how_b, rows, columns, inner, static_cast<const SUM*>(alpha),                      \
                               static_cast<const A*>(a), lda, stride_a, static_cast<const A*>(b), ldb, stride_b,                \
                               static_cast<const SUM*>(beta), static_cast<C*>(c), ldc, stride_c, numbers)
  if (halves) {
    WARPBOOK_BLAS_TYPES(CUDA_R_16F, __half, CUDA_R_16F, __half, __half);
    return CUBLAS_STATUS_NOT_SUPPORTED;
  }
  WARPBOOK_BLAS_TYPES(CUDA_R_32F, float, CUDA_R_32F, float, float);
  WARPBOOK_BLAS_TYPES(CUDA_R_64F, double, CUDA_R_64F, double, double);
  WARPBOOK_BLAS_TYPES(CUDA_R_16F, __half, CUDA_R_16F, __half, float);
  WARPBOOK_BLAS_TYPES(CUDA_R_16F, __half, CUDA_R_32F, float, float);
  WARPBOOK_BLAS_TYPES(CUDA_R_16BF, __nv_bfloat16, CUDA_R_16BF, __nv_bfloat16, float);
  WARPBOOK_BLAS_TYPES(CUDA_R_16BF, __nv_bfloat16, CUDA_R_32F, float, float);
#undef WARPBOOK_BLAS_TYPES
  return CUBLAS_STATUS_NOT_SUPPORTED;
}
template <Reduction kind, class T, class Result>
cublasStatus_t reduced(cublasHandle_t handle, int count, const T* x, int step_x, const T* y, int step_y, Result* result) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!result) return CUBLAS_STATUS_INVALID_VALUE;
  Result* there = result;
  const bool on_host = handle->pointers == CUBLAS_POINTER_MODE_HOST;
  if (on_host && cudaMalloc(&there, sizeof(Result)) != cudaSuccess) return CUBLAS_STATUS_ALLOC_FAILED;
  reduce<kind, T, Result><<<1, reducing, 0, handle->stream>>>(Vector<const T>{x, count, step_x}, Vector<const T>{y, count, step_y}, there);
  if (!on_host) return launched();
  const bool good = cudaMemcpy(result, there, sizeof(Result), cudaMemcpyDeviceToHost) == cudaSuccess;
  return cudaFree(there) == cudaSuccess && good ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

}  // namespace warpbook_blas

#define WARPBOOK_BLAS_GEMM(NAME, T)                                                                                              \
  inline cublasStatus_t cublas##NAME##gemm(cublasHandle_t handle, cublasOperation_t how_a, cublasOperation_t how_b, int m, int n, \
                                           int k, const T* alpha, const T* a, int lda, const T* b, int ldb, const T* beta, T* c, \
                                           int ldc) {                                                                            \
    return warpbook_blas::multiply<T, T, T>(handle, how_a, how_b, m, n, k, alpha, a, lda, 0, b, ldb, 0, beta, c, ldc, 0, 1);     \
  }                                                                                                                              \
  inline cublasStatus_t cublas##NAME##gemmStridedBatched(                                                                        \
      cublasHandle_t handle, cublasOperation_t how_a, cublasOperation_t how_b, int m, int n, int k, const T* alpha, const T* a,  \
      int lda, long long stride_a, const T* b, int ldb, long long stride_b, const T* beta, T* c, int ldc, long long stride_c,    \
      int count) {                                                                                                               \
    return warpbook_blas::multiply<T, T, T>(handle, how_a, how_b, m, n, k, alpha, a, lda, stride_a, b, ldb, stride_b, beta, c,   \
                                            ldc, stride_c, count);                                                               \
  }
WARPBOOK_BLAS_GEMM(S, float)
WARPBOOK_BLAS_GEMM(D, double)
WARPBOOK_BLAS_GEMM(H, __half)
#undef WARPBOOK_BLAS_GEMM

inline cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t how_a, cublasOperation_t how_b, int m, int n, int k,
                                   const void* alpha, const void* a, cudaDataType type_a, int lda, const void* b,
                                   cudaDataType type_b, int ldb, const void* beta, void* c, cudaDataType type_c, int ldc,
                                   cublasComputeType_t compute, cublasGemmAlgo_t) {
  return warpbook_blas::multiply_as(handle, how_a, how_b, m, n, k, alpha, a, type_a, lda, 0, b, type_b, ldb, 0, beta, c, type_c,
                                    ldc, 0, 1, compute);
}
// Before CUDA 11, the type that is computed in was a type of elements.
inline cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t how_a, cublasOperation_t how_b, int m, int n, int k,
                                   const void* alpha, const void* a, cudaDataType type_a, int lda, const void* b,
                                   cudaDataType type_b, int ldb, const void* beta, void* c, cudaDataType type_c, int ldc,
                                   cudaDataType compute, cublasGemmAlgo_t algorithm) {
  const cublasComputeType_t as = compute == CUDA_R_16F   ? CUBLAS_COMPUTE_16F
                                 : compute == CUDA_R_64F ? CUBLAS_COMPUTE_64F
                                                         : CUBLAS_COMPUTE_32F;
  return cublasGemmEx(handle, how_a, how_b, m, n, k, alpha, a, type_a, lda, b, type_b, ldb, beta, c, type_c, ldc, as, algorithm);
}
inline cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t how_a, cublasOperation_t how_b, int m,
                                                 int n, int k, const void* alpha, const void* a, cudaDataType type_a, int lda,
                                                 long long stride_a, const void* b, cudaDataType type_b, int ldb,
                                                 long long stride_b, const void* beta, void* c, cudaDataType type_c, int ldc,
                                                 long long stride_c, int count, cublasComputeType_t compute, cublasGemmAlgo_t) {
  return warpbook_blas::multiply_as(handle, how_a, how_b, m, n, k, alpha, a, type_a, lda, stride_a, b, type_b, ldb, stride_b, beta,
                                    c, type_c, ldc, stride_c, count, compute);
}

#define WARPBOOK_BLAS_OF(NAME, SMALL, T)                                                                                         \
  inline cublasStatus_t cublas##NAME##gemv(cublasHandle_t handle, cublasOperation_t how, int m, int n, const T* alpha, const T* a, \
                                           int lda, const T* x, int step_x, const T* beta, T* y, int step_y) {                   \
    using namespace warpbook_blas;                                                                                               \
    if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;                                                                           \
    if (m < 0 || n < 0 || step_x == 0 || step_y == 0 || !fits(CUBLAS_OP_N, m, n, lda)) return CUBLAS_STATUS_INVALID_VALUE;       \
    const bool turned = how != CUBLAS_OP_N;                                                                                      \
    const int rows = turned ? n : m, columns = turned ? m : n;                                                                   \
    if (rows == 0) return CUBLAS_STATUS_SUCCESS;                                                                                 \
    gemv<T><<<blocks_of(rows, 1, 1, 256), 256, 0, handle->stream>>>(                                                             \
        rows, columns, scalar(handle, alpha), Matrix<const T>{a, lda, 0, turned}, Vector<const T>{x, columns, step_x},           \
        scalar(handle, beta), Vector<T>{y, rows, step_y});                                                                       \
    return launched();                                                                                                           \
  }                                                                                                                              \
  inline cublasStatus_t cublas##NAME##ger(cublasHandle_t handle, int m, int n, const T* alpha, const T* x, int step_x,           \
                                          const T* y, int step_y, T* a, int lda) {                                               \
    using namespace warpbook_blas;                                                                                               \
    if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;                                                                           \
    if (m < 0 || n < 0 || step_x == 0 || step_y == 0 || !fits(CUBLAS_OP_N, m, n, lda)) return CUBLAS_STATUS_INVALID_VALUE;       \
    if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;                                                                          \
    ger<T><<<blocks_of(m, n), dim3(16, 16), 0, handle->stream>>>(m, n, scalar(handle, alpha), Vector<const T>{x, m, step_x},     \
                                                                 Vector<const T>{y, n, step_y}, Matrix<T>{a, lda, 0, false});    \
    return launched();                                                                                                           \
  }                                                                                                                              \
  inline cublasStatus_t cublas##NAME##geam(cublasHandle_t handle, cublasOperation_t how_a, cublasOperation_t how_b, int m, int n, \
                                           const T* alpha, const T* a, int lda, const T* beta, const T* b, int ldb, T* c,        \
                                           int ldc) {                                                                            \
    using namespace warpbook_blas;                                                                                               \
    if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;                                                                           \
    if (m < 0 || n < 0 || !fits(how_a, m, n, lda) || !fits(how_b, m, n, ldb) || !fits(CUBLAS_OP_N, m, n, ldc))                   \
      return CUBLAS_STATUS_INVALID_VALUE;                                                                                        \
    if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;                                                                          \
    geam<T><<<blocks_of(m, n), dim3(16, 16), 0, handle->stream>>>(                                                               \
        m, n, scalar(handle, alpha), Matrix<const T>{a, lda, 0, how_a != CUBLAS_OP_N}, scalar(handle, beta),                     \
        Matrix<const T>{b, ldb, 0, how_b != CUBLAS_OP_N}, Matrix<T>{c, ldc, 0, false});                                          \
    return launched();                                                                                                           \
  }                                                                                                                              \
  inline cublasStatus_t cublas##NAME##axpy(cublasHandle_t handle, int n, const T* alpha, const T* x, int step_x, T* y,           \
                                           int step_y) {                                                                         \
    using namespace warpbook_blas;                                                                                               \
    if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;                                                                           \
    if (n <= 0) return CUBLAS_STATUS_SUCCESS;                                                                                    \
    axpy<T><<<blocks_of(n, 1, 1, 256), 256, 0, handle->stream>>>(scalar(handle, alpha), Vector<const T>{x, n, step_x},           \
                                                                 Vector<T>{y, n, step_y});                                       \
    return launched();                                                                                                           \
  }                                                                                                                              \
  inline cublasStatus_t cublas##NAME##scal(cublasHandle_t handle, int n, const T* alpha, T* x, int step) {                       \
    using namespace warpbook_blas;                                                                                               \
    if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;                                                                           \
    if (n <= 0) return CUBLAS_STATUS_SUCCESS;                                                                                    \
    scal<T><<<blocks_of(n, 1, 1, 256), 256, 0, handle->stream>>>(scalar(handle, alpha), Vector<T>{x, n, step});                  \
    return launched();                                                                                                           \
  }                                                                                                                              \
  inline cublasStatus_t cublas##NAME##copy(cublasHandle_t handle, int n, const T* x, int step_x, T* y, int step_y) {             \
    using namespace warpbook_blas;                                                                                               \
    if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;                                                                           \
    if (n <= 0) return CUBLAS_STATUS_SUCCESS;                                                                                    \
    warpbook_blas::copy<T><<<blocks_of(n, 1, 1, 256), 256, 0, handle->stream>>>(Vector<const T>{x, n, step_x},                   \
                                                                                Vector<T>{y, n, step_y});                        \
    return launched();                                                                                                           \
  }                                                                                                                              \
  inline cublasStatus_t cublas##NAME##swap(cublasHandle_t handle, int n, T* x, int step_x, T* y, int step_y) {                   \
    using namespace warpbook_blas;                                                                                               \
    if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;                                                                           \
    if (n <= 0) return CUBLAS_STATUS_SUCCESS;                                                                                    \
    warpbook_blas::swap<T><<<blocks_of(n, 1, 1, 256), 256, 0, handle->stream>>>(Vector<T>{x, n, step_x}, Vector<T>{y, n, step_y}); \
    return launched();                                                                                                           \
  }                                                                                                                              \
  inline cublasStatus_t cublas##NAME##dot(cublasHandle_t handle, int n, const T* x, int step_x, const T* y, int step_y,          \
                                          T* result) {                                                                           \
    return warpbook_blas::reduced<warpbook_blas::Reduction::dot>(handle, n, x, step_x, y, step_y, result);                       \
  }                                                                                                                              \
  inline cublasStatus_t cublas##NAME##nrm2(cublasHandle_t handle, int n, const T* x, int step, T* result) {                      \
    return warpbook_blas::reduced<warpbook_blas::Reduction::length>(handle, n, x, step, x, step, result);                        \
  }                                                                                                                              \
  inline cublasStatus_t cublas##NAME##asum(cublasHandle_t handle, int n, const T* x, int step, T* result) {                      \
    return warpbook_blas::reduced<warpbook_blas::Reduction::sum_of_sizes>(handle, n, x, step, x, step, result);                  \
  }                                                                                                                              \
  inline cublasStatus_t cublasI##SMALL##amax(cublasHandle_t handle, int n, const T* x, int step, int* result) {                  \
    return warpbook_blas::reduced<warpbook_blas::Reduction::largest>(handle, n, x, step, x, step, result);                       \
  }                                                                                                                              \
  inline cublasStatus_t cublasI##SMALL##amin(cublasHandle_t handle, int n, const T* x, int step, int* result) {                  \
    return warpbook_blas::reduced<warpbook_blas::Reduction::smallest>(handle, n, x, step, x, step, result);                      \
  }
WARPBOOK_BLAS_OF(S, s, float)
WARPBOOK_BLAS_OF(D, d, double)
#undef WARPBOOK_BLAS_OF
#else
#error "cc compiles cuBLAS's kernels with the file that calls it: name the file .cu, or compile it with -x cu."
#endif  // __CUDA__

#include <warpbook/letters_back.h>
