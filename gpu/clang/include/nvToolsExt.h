// NVTX as toolkits before CUDA 13 named it.
#pragma once
#include <nvtx3/nvToolsExt.h>
