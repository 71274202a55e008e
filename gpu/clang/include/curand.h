// The types and calls of the host are not here: kernels draw their numbers by curand_kernel.h.
#pragma once
#include <curand_kernel.h>
