// All instruction semantics: pure typed functions, no machine state. See each header for its instructions.
//
//     for (int l = 0; l < 32; ++l) d[l] = ops::fma(a[l], b[l], c[l]);
//
// Call them qualified: an unqualified div(int, int), abs(int) or sqrt(double) may find the C library's.
#pragma once

#include "gpu/virtual/vm/ops/approximate.h"
#include "gpu/virtual/vm/ops/compare.h"
#include "gpu/virtual/vm/ops/convert.h"
#include "gpu/virtual/vm/ops/float.h"
#include "gpu/virtual/vm/ops/half.h"
#include "gpu/virtual/vm/ops/integer.h"
