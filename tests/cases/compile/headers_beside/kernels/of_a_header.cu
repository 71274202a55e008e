#include "../particle.h"
__global__ void of_a_header(Particle* all, int count) {
  if (threadIdx.x < count) all[threadIdx.x].x += all[threadIdx.x].v;
}
