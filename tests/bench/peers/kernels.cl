// The same work as kernels/ and tests/bench/kernels/, for peers that read OpenCL C.

float cell(__global const float* f, int x, int y, int n)
{
    x = min(max(x, 0), n - 1);
    y = min(max(y, 0), n - 1);
    return f[y * n + x];
}

__kernel void diffusion(__global const float* in, __global float* out, __global float* lapl, int n, float k)
{
    __local float s[TILE + 2][TILE + 2];
    const int x = get_group_id(0) * TILE + get_local_id(0);
    const int y = get_group_id(1) * TILE + get_local_id(1);
    const int i = get_local_id(0) + 1, j = get_local_id(1) + 1;
    s[j][i] = cell(in, x, y, n);
    if (i == 1) s[j][0] = cell(in, x - 1, y, n);
    if (i == TILE) s[j][i + 1] = cell(in, x + 1, y, n);
    if (j == 1) s[0][i] = cell(in, x, y - 1, n);
    if (j == TILE) s[j + 1][i] = cell(in, x, y + 1, n);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x < n && y < n) {
        const float l = 4 * s[j][i] - s[j][i - 1] - s[j][i + 1] - s[j - 1][i] - s[j + 1][i];
        lapl[y * n + x] = l;
        out[y * n + x] = s[j][i] - k * l;
    }
}

__kernel void matmul(__global const float* a, __global const float* b, __global float* c, int n)
{
    __local float tile_a[MATMUL_TILE][MATMUL_TILE], tile_b[MATMUL_TILE][MATMUL_TILE];
    const int x = get_local_id(0), y = get_local_id(1);
    const int column = get_group_id(0) * MATMUL_TILE + x, row = get_group_id(1) * MATMUL_TILE + y;
    float sum = 0;
    for (int t = 0; t < n; t += MATMUL_TILE) {
        tile_a[y][x] = row < n && t + x < n ? a[row * n + t + x] : 0;
        tile_b[y][x] = t + y < n && column < n ? b[(t + y) * n + column] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < MATMUL_TILE; ++k) sum += tile_a[y][k] * tile_b[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < n && column < n) c[row * n + column] = sum;
}

__kernel void histogram_global(__global const float* x, int n, float lo, float hi, __global int* bins, int m)
{
    const float width = (hi - lo) / m;
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
        const int b = (int)floor((x[i] - lo) / width);
        if (b >= 0 && b < m) atomic_add(&bins[b], 1);
    }
}

__kernel void histogram_shared(__global const float* x, int n, float lo, float hi, __global int* bins, int m,
                               __local int* mine)
{
    for (int b = get_local_id(0); b < m; b += get_local_size(0)) mine[b] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const float width = (hi - lo) / m;
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
        const int b = (int)floor((x[i] - lo) / width);
        if (b >= 0 && b < m) atomic_add(&mine[b], 1);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int b = get_local_id(0); b < m; b += get_local_size(0)) atomic_add(&bins[b], mine[b]);
}

__kernel void sum(__global const float* data, int n, __global float* out, __local float* s)
{
    const int tid = get_local_id(0), size = get_local_size(0);
    const int i = get_group_id(0) * size + tid;
    s[tid] = i < n ? data[i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int width = size; width > 1;) {
        const int half_of_it = (width + 1) / 2;
        if (tid < width / 2) s[tid] += s[tid + half_of_it];
        barrier(CLK_LOCAL_MEM_FENCE);
        width = half_of_it;
    }
    if (tid == 0) out[get_group_id(0)] = s[0];
}

__kernel void race(__global int* c) { c[0] += 1; }
