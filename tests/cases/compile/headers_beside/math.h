__device__ inline float own_math(float x) { return x; }
