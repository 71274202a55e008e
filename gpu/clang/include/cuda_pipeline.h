// The primitives are all of it: __pipeline_memcpy_async, __pipeline_commit, __pipeline_wait_prior.
#pragma once
#include <cuda_pipeline_primitives.h>
