#pragma once
#include "near.h"
#include "../particle.h"
DEVICE inline float moved(float x) { return x + near_by; }
