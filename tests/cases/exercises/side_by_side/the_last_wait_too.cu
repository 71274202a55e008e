// expect: wrong
// told: the host needs the values now
// Four chunks in four streams should overlap, and
// hardly anything does. Three lines make the host
// or the device wait without need. Mark each of
// them: end it with `// here`.
void host_program(const float* values, int n)
{
    const auto kind = cudaMemcpyDefault;
    const int m = n / 4, bytes = m * sizeof(float);
    cudaStream_t s[4];
    for (auto& each : s) cudaStreamCreate(&each);
    float *h, *d;
    h = (float*)malloc(4 * bytes);  // here
    cudaMalloc(&d, 4 * bytes);
    std::copy(values, values + n, h);
    for (int k = 0; k < 4; ++k) {
        float *hk = h + k * m, *dk = d + k * m;
        cudaMemcpyAsync(dk, hk, bytes, kind, s[k]);
        relax<<<m / 128, 128>>>(dk, m);  // here
        cudaMemcpyAsync(hk, dk, bytes, kind, s[k]);
        cudaDeviceSynchronize();
    }
    for (auto each : s) cudaStreamSynchronize(each);  // here
    print(h, n);
    cudaFree(d);
}
