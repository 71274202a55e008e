// Parameters as people write them.
struct Particle {
  float x, y;
  double mass;
};
#define LAUNCH(n) __launch_bounds__(n)
#define KERNEL extern "C" __global__ void
#define REAL float

__global__ void restricted(const float* __restrict__ in, float* __restrict__ out, int n) { out[0] = in[n]; }
__global__ void __launch_bounds__(256, 2) bounded(unsigned int* counts /* a comment, with a comma */, unsigned long long n) { counts[0] = n; }
static __global__ void LAUNCH(128) by_macro(double x[], bool flag) { x[0] = flag; }  // expect: warning was declared but never referenced // by clang: nothing
KERNEL hidden(short* s, unsigned char c) { s[0] = c; }
__global__ void by_value(Particle p, float* out) { out[0] = p.x + p.mass; }
__global__ void macro_type(REAL* x, const REAL factor) { x[0] *= factor; }
__global__ void unnamed(int* a, int, float*) { a[0] = 1; }
__global__ void nothing() {}
__global__ void also_nothing(void) {}
__global__ void pointers(float** rows, int* const fixed, volatile int* flag, int (*table)[4]) { rows[0][0] = fixed[0] + flag[0] + table[1][2]; }
namespace deep {
namespace down {
__global__ void inside(signed char* a) { a[0] = 1; }
}  // namespace down
}  // namespace deep
namespace {
__global__ void anonymous(long* a) { a[0] = 1; }  // expect: warning was declared but never referenced // by clang: nothing
}  // namespace
__global__ void declared_first(int* later);
__global__ void declared_first(int* now) { now[0] = 1; }

// expect kernel: restricted(const float* in, float* out, int n)
// expect kernel: bounded(unsigned int* counts, unsigned long long n)
// expect kernel: by_macro(double* x, bool flag)
// expect kernel: hidden(short* s, unsigned char c)
// expect kernel: by_value(Particle p, float* out)
// expect kernel: macro_type(REAL* x, const REAL factor)
// expect kernel: unnamed(int* a, int argument 2, float* argument 3)
// expect kernel: nothing()
// expect kernel: also_nothing()
// expect kernel: pointers(float** rows, int* const fixed, volatile int* flag, int(*)[4] table)
// expect kernel: deep::down::inside(signed char* a)
// expect kernel: anonymous(long* a)
// expect kernel: declared_first(int* now)
// clang differs: of a kernel that nothing in the file launches it does not warn.
