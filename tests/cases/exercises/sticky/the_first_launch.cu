// expect: wrong
// told: waited for it afterwards
// CHECK(c) prints what call c answers, and goes on.
// Which line made the error? End it with `// here`.
void host_program(int* in, int* x, int* y, int n)
{
    const auto kind = cudaMemcpyDefault;
    const int bytes = n * sizeof(int);
    const int blocks = (n + 127) / 128;
    CHECK(cudaMemcpy(x, in, bytes, kind));
    square<<<blocks, 128>>>(x, n);  // here
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    shift<<<blocks, 128>>>(x, y, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(in, y, bytes, kind));
    twice<<<blocks, 128>>>(y, n);
    CHECK(cudaGetLastError());
    CHECK(cudaFree(x));
}
// It printed:
// 1  cudaSuccess
// 2  cudaSuccess
// 3  cudaSuccess
// 4  cudaSuccess
// 5  cudaErrorIllegalAddress
// 6  cudaErrorIllegalAddress
// 7  cudaErrorIllegalAddress
