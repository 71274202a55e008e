// cuBLAS as cc has it, against loops on the host in double.
// run: --observe all --fail-on-findings
// prints: sgemm 0 dgemm 0 mixed 0 batched 0 gemv 0 geam 0 ger 0
// prints: axpy 0 dot 0 nrm2 0 asum 0 amax 0 amin 0 scal 0 device 0
// prints: refused 7 7 1
// cc alone
#include <cublas_v2.h>
#include <nvtx3/nvToolsExt.h>

#include <cmath>
#include <cstdio>
#include <vector>

constexpr int m = 37, n = 21, k = 50;
constexpr cublasOperation_t both[] = {CUBLAS_OP_N, CUBLAS_OP_T};

template <class T>
T* on_device(const std::vector<T>& values) {
  T* there;
  cudaMalloc(&there, values.size() * sizeof(T));
  cublasSetVector(int(values.size()), sizeof(T), values.data(), 1, there, 1);
  return there;
}
template <class T>
std::vector<T> numbers(int count, int seed) {
  std::vector<T> all(count);
  for (int i = 0; i < count; ++i) all[i] = T(float((i * 7919 + seed * 104729) % 101 - 50) / 16.0f);
  return all;
}
int off(double is, double should) { return !(std::fabs(is - should) <= 1e-4 * (1 + std::fabs(should))); }

// C = 1.5 A B - 0.5 C, of every kind; each leading dimension is larger than it must be.
template <class A, class C, class Call>
int products(Call call, int batches = 1) {
  int wrong = 0;
  for (const cublasOperation_t how_a : both)
    for (const cublasOperation_t how_b : both) {
      const bool ta = how_a == CUBLAS_OP_T, tb = how_b == CUBLAS_OP_T;
      const int lda = (ta ? k : m) + 3, ldb = (tb ? n : k) + 2, ldc = m + 1, as = lda * 60, bs = ldb * 60, cs = ldc * 30;
      const auto a = numbers<A>(as * batches, 1), b = numbers<A>(bs * batches, 2);
      auto c = numbers<C>(cs * batches, 3);
      const auto before = c;
      A *da = on_device(a), *db = on_device(b);
      C* dc = on_device(c);
      wrong += call(how_a, how_b, da, lda, as, db, ldb, bs, dc, ldc, cs) != CUBLAS_STATUS_SUCCESS;
      cublasGetVector(int(c.size()), sizeof(C), dc, 1, c.data(), 1);
      for (int batch = 0; batch < batches; ++batch)
        for (int y = 0; y < n; ++y)
          for (int x = 0; x < m; ++x) {
            double sum = 0;
            for (int i = 0; i < k; ++i)
              sum += double(float(a[batch * as + (ta ? x * lda + i : i * lda + x)])) *
                     double(float(b[batch * bs + (tb ? i * ldb + y : y * ldb + i)]));
            const int at = batch * cs + y * ldc + x;
            wrong += off(double(float(c[at])), 1.5 * sum - 0.5 * double(float(before[at])));
          }
      cudaFree(da);
      cudaFree(db);
      cudaFree(dc);
    }
  return wrong;
}

int main() {
  nvtxRangePushA("products");
  cublasHandle_t blas;
  cublasCreate(&blas);
  const float alpha = 1.5f, beta = -0.5f;
  const double alpha2 = 1.5, beta2 = -0.5;
  const int s = products<float, float>([&](auto ha, auto hb, auto a, int la, int, auto b, int lb, int, auto c, int lc, int) {
    return cublasSgemm(blas, ha, hb, m, n, k, &alpha, a, la, b, lb, &beta, c, lc);
  });
  const int d = products<double, double>([&](auto ha, auto hb, auto a, int la, int, auto b, int lb, int, auto c, int lc, int) {
    return cublasDgemm(blas, ha, hb, m, n, k, &alpha2, a, la, b, lb, &beta2, c, lc);
  });
  const int mixed = products<__half, float>([&](auto ha, auto hb, auto a, int la, int, auto b, int lb, int, auto c, int lc, int) {
    return cublasGemmEx(blas, ha, hb, m, n, k, &alpha, a, CUDA_R_16F, la, b, CUDA_R_16F, lb, &beta, c, CUDA_R_32F, lc,
                        CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  });
  const int batched = products<float, float>(
      [&](auto ha, auto hb, auto a, int la, int as, auto b, int lb, int bs, auto c, int lc, int cs) {
        return cublasSgemmStridedBatched(blas, ha, hb, m, n, k, &alpha, a, la, as, b, lb, bs, &beta, c, lc, cs, 3);
      },
      3);
  const auto a = numbers<float>(m * n, 4), x = numbers<float>(2 * m, 5), y = numbers<float>(m, 6);
  float *da = on_device(a), *dx = on_device(x), *dy = on_device(y), *dc = on_device(a);
  std::vector<float> out(m * n);
  int gemv = 0, geam = 0, ger = 0, axpy = 0, scal = 0;
  for (const auto how : both) {  // x has every second element of 2 m, and begins at the end
    const int rows = how == CUBLAS_OP_N ? m : n, columns = m + n - rows;
    cublasSetVector(m, 4, y.data(), 1, dy, 1);
    cublasSgemv(blas, how, m, n, &alpha, da, m, dx, -2, &beta, dy, 1);
    cublasGetVector(rows, 4, dy, 1, out.data(), 1);
    for (int r = 0; r < rows; ++r) {
      double sum = 0;
      for (int i = 0; i < columns; ++i) sum += double(how == CUBLAS_OP_N ? a[i * m + r] : a[r * m + i]) * x[2 * (columns - 1 - i)];
      gemv += off(out[r], 1.5 * sum - 0.5 * y[r]);
    }
  }
  cublasSetVector(m, 4, y.data(), 1, dy, 1);
  float* db = on_device(numbers<float>(m * n, 8));
  const auto b = numbers<float>(m * n, 8);
  cublasSgeam(blas, CUBLAS_OP_T, CUBLAS_OP_N, n, m, &alpha, da, m, &beta, db, n, dc, n);
  cublasGetMatrix(n, m, 4, dc, n, out.data(), n);
  for (int column = 0; column < m; ++column)
    for (int row = 0; row < n; ++row)
      geam += off(out[column * n + row], 1.5 * a[row * m + column] - 0.5 * b[column * n + row]);
  cublasSger(blas, m, n, &alpha, dy, 1, dx, 1, da, m);
  cublasGetMatrix(m, n, 4, da, m, out.data(), m);
  for (int column = 0; column < n; ++column)
    for (int row = 0; row < m; ++row) ger += off(out[column * m + row], a[column * m + row] + 1.5 * y[row] * x[column]);
  std::printf("sgemm %d dgemm %d mixed %d batched %d gemv %d geam %d ger %d\n", s, d, mixed, batched, gemv, geam, ger);

  double dot = 0, squares = 0, sizes = 0;
  int largest = 0, smallest = 0;
  for (int i = 0; i < m; ++i) {
    dot += double(x[2 * i]) * y[i];
    squares += double(y[i]) * y[i];
    sizes += std::fabs(y[i]);
    if (std::fabs(y[i]) > std::fabs(y[largest])) largest = i;
    if (std::fabs(y[i]) < std::fabs(y[smallest])) smallest = i;
  }
  float told_dot, told_nrm2, told_asum;
  int told_amax, told_amin;
  cublasSdot(blas, m, dx, 2, dy, 1, &told_dot);
  cublasSnrm2(blas, m, dy, 1, &told_nrm2);
  cublasSasum(blas, m, dy, 1, &told_asum);
  cublasIsamax(blas, m, dy, 1, &told_amax);
  cublasIsamin(blas, m, dy, 1, &told_amin);
  cublasSaxpy(blas, m, &alpha, dx, 2, dy, 1);
  cublasGetVector(m, 4, dy, 1, out.data(), 1);
  for (int i = 0; i < m; ++i) axpy += off(out[i], y[i] + 1.5 * x[2 * i]);
  cublasSscal(blas, m, &beta, dx, 2);
  cublasGetVector(m, 4, dx, 2, out.data(), 1);
  for (int i = 0; i < m; ++i) scal += off(out[i], -0.5 * x[2 * i]);
  float *factor, told = 0;  // both factor and result in device memory
  cudaMalloc(&factor, 8);
  cudaMemcpy(factor, &alpha, 4, cudaMemcpyHostToDevice);
  cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_DEVICE);
  cublasSscal(blas, m, factor, dx, 2);
  cublasSasum(blas, m, dx, 2, factor + 1);
  cudaMemcpy(&told, factor + 1, 4, cudaMemcpyDeviceToHost);
  cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_HOST);
  double all = 0;
  for (int i = 0; i < m; ++i) all += 0.75 * std::fabs(x[2 * i]);
  std::printf("axpy %d dot %d nrm2 %d asum %d amax %d amin %d scal %d device %d\n", axpy, off(told_dot, dot),
              off(told_nrm2, std::sqrt(squares)), off(told_asum, sizes), told_amax - 1 - largest, told_amin - 1 - smallest, scal,
              off(told, all));
  std::printf("refused %d %d %d\n", cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &alpha, da, m - 1, dx, k, &beta, dy, m),
              cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, -1, n, k, &alpha, da, m, dx, k, &beta, dy, m),
              cublasSaxpy(nullptr, m, &alpha, dx, 1, dy, 1));
  for (float* one : {da, dx, dy, dc, db, factor}) cudaFree(one);
  cublasDestroy(blas);
  nvtxRangePop();
}
