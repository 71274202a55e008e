// CUB's parts for a warp and for a block. Those for the whole device are not here.
#pragma once
#pragma clang system_header

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
