// NVTX with the names of the runtime library's things.
#pragma once
#include <nvtx3/nvToolsExtCuda.h>
