// Headers of the learner's: beside the file, below it, and included by one another.
#include "particle.h"
#include "./sub/../sub/move.cuh"
#include <math.h>
#include "math.h"
DEVICE float twice(float x) { return 2 * x; }
__global__ void step(Particle p, float* out) { out[0] = moved(p.x) + twice(own_math(fabsf(p.v))) + half_of(1); }
// expect kernel: step(Particle p, float* out)
// expect kernel: of_a_header(Particle* all, int count)
