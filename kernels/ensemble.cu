// Members of an ensemble: rings of 32 cells.
// dx[i] = (x[i+1] - x[i-2]) * x[i-1] - x[i] + 8
// (Lorenz, 1996). A step of Runge and Kutta takes
// four slopes. WORK: 0 a thread a member, 1 a
// thread a cell. BY_VALUE: states are copied into
// slope() and out of it. INLINED: a function need
// not be called. HALVED: member m halves its step
// m % 4 times, in a function that calls itself.
#define CELLS 32
#if INLINED
#define FUNCTION __device__
#else
#define FUNCTION __device__ __noinline__
#endif
// Inside a recursion, each level would keep room on
// the stack for the arrays of an inlined step().
#if HALVED
#define STEP __device__ __noinline__
#else
#define STEP FUNCTION
#endif

#if WORK == 0  // a thread a member
struct State {
    float x[CELLS];
};

__device__ float rate(const State& z, int i)
{
    return (z.x[(i + 1) % CELLS]
            - z.x[(i + CELLS - 2) % CELLS])
           * z.x[(i + CELLS - 1) % CELLS]
           - z.x[i] + 8;
}

#if BY_VALUE
FUNCTION State slope(State z)
{
    State d;
    for (int i = 0; i < CELLS; ++i)
        d.x[i] = rate(z, i);
    return d;
}
#else
FUNCTION void slope(const State& z, State& d)
{
    for (int i = 0; i < CELLS; ++i)
        d.x[i] = rate(z, i);
}
#endif

STEP void step(State& now, float dt)
{
    State z = now, d, sum = {};
    for (int k = 1; k <= 4; ++k) {
#if BY_VALUE
        d = slope(z);
#else
        slope(z, d);
#endif
        const float part = k < 3 ? dt / 2 : dt;
        const int weight = k % 3 == 1 ? 1 : 2;
        for (int i = 0; i < CELLS; ++i) {
            sum.x[i] += weight * d.x[i];
            z.x[i] = now.x[i] + part * d.x[i];
        }
    }
    for (int i = 0; i < CELLS; ++i)
        now.x[i] += dt / 6 * sum.x[i];
}

#else  // a thread a cell, a block a member
struct State {
    float x;   // of this thread's cell
    float* z;  // all cells, in shared memory
};

FUNCTION float slope(const float* z, int i)
{
    return (z[(i + 1) % CELLS]
            - z[(i + CELLS - 2) % CELLS])
           * z[(i + CELLS - 1) % CELLS]
           - z[i] + 8;
}

STEP void step(State& now, float dt)
{
    const int i = threadIdx.x;
    float mine = now.x, sum = 0;
    for (int k = 1; k <= 4; ++k) {
        now.z[i] = mine;
        __syncthreads();
        const float d = slope(now.z, i);
        __syncthreads();
        sum += (k % 3 == 1 ? 1 : 2) * d;
        mine = now.x + (k < 3 ? dt / 2 : dt) * d;
    }
    now.x += dt / 6 * sum;
}
#endif

#if HALVED
// Returns the time by which the member went on.
FUNCTION float advance(
    State& now, float dt, int halvings)
{
    if (halvings == 0) {
        step(now, dt);
        return dt;
    }
    const float half = dt / 2;
    const float first =
        advance(now, half, halvings - 1);
    return first + advance(now, half, halvings - 1);
}
#endif

extern "C" __global__ void ensemble(
    float* x, float* time, int members, float dt)
{
    State now;
#if WORK == 0
    const int m = blockIdx.x * blockDim.x
                + threadIdx.x;
    if (m >= members) return;
    for (int i = 0; i < CELLS; ++i)
        now.x[i] = x[m * CELLS + i];
#else
    __shared__ float z[CELLS];
    const int m = blockIdx.x, i = threadIdx.x;
    now.x = x[m * CELLS + i];
    now.z = z;
#endif

    float went = dt;
#if HALVED
    went = advance(now, dt, m % 4);
#else
    step(now, dt);
#endif

#if WORK == 0
    for (int i = 0; i < CELLS; ++i)
        x[m * CELLS + i] = now.x[i];
    time[m] += went;
#else
    x[m * CELLS + i] = now.x;
    if (i == 0) time[m] += went;
#endif
}
