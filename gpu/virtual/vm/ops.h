// All instruction semantics: pure typed functions, no machine state. See each header for its instructions.
//
//     for (int l = 0; l < 32; ++l) d[l] = ops::fma(a[l], b[l], c[l]);
//
// Call them qualified: an unqualified div(int, int), abs(int) or sqrt(double) may find the C library's.
#pragma once

#include "gpu/virtual/vm/ops_approx.h"
#include "gpu/virtual/vm/ops_compare.h"
#include "gpu/virtual/vm/ops_convert.h"
#include "gpu/virtual/vm/ops_float.h"
#include "gpu/virtual/vm/ops_half.h"
#include "gpu/virtual/vm/ops_integer.h"
