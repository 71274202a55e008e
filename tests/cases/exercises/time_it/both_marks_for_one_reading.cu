// expect: wrong
// told: not together with the other marks
// How long does one launch take, without copies and
// without what only a first call has to do? A clock
// is read twice, each time BEFORE one of the lines.
// Mark these two: end them with `// here`.
void host_program(float* h, int n)
{
    const auto kind = cudaMemcpyDefault;
    const int bytes = n * sizeof(float);
    const int blocks = (n + 255) / 256;
    float *x, *y;
    cudaMalloc(&x, bytes);
    cudaMalloc(&y, bytes);
    cudaMemcpy(x, h, bytes, kind);
    cudaMemset(y, 0, bytes);
    relax<<<blocks, 256>>>(y, n);
    cudaStreamSynchronize(0);
    const float before = h[0];  // here
    relax<<<blocks, 256>>>(x, n);  // here
    cudaDeviceSynchronize();
    const float scale = 1.0f / n;
    cudaMemcpy(h, x, bytes, kind);
    cudaFree(x);
    cudaFree(y);
    print(before, h[0], scale);
}
