#ifndef PARTICLE
#define PARTICLE
#define DEVICE __device__
struct Particle {
  float x, v;
};
#include "kernels/of_a_header.cu"
#endif
