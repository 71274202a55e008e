// cuBLAS by the name of its own interface.
#pragma once
#include <cublas_v2.h>
