// For C programs that take their random numbers' seed from the time, and are compared with another run.
#pragma once
#include <stdlib.h>
#define srand(seed) srand(7)
