// The lanes of one warp hand each other values.
// PATTERN: 0 sums move down, 1 a butterfly, 2 a
// prefix sum, 3 votes, 4 tiles of TILE lanes.
// ABSENT: 0 lanes without a value add 0, 1 they
// return, 2 they return, and no mask names them.
#if PATTERN == 4
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
#endif

// Three rows of the log: the lane that a value came
// from, the value, and what the receiver holds now.
__device__ void note(
    int*& log, int from, int value, int holds)
{
    log[threadIdx.x] = from;
    log[threadIdx.x + 32] = value;
    log[threadIdx.x + 64] = holds;
    log += 96;
}

extern "C" __global__ void talk(
    const int* in, int n, int* out, int* log)
{
    const int lane = threadIdx.x;
    int x = lane < n ? in[lane] : 0;
#if PATTERN < 4  // a tile has a mask of its own
    unsigned mask = 0xffffffff;
#if ABSENT == 2
    mask = __ballot_sync(mask, lane < n);
#endif
#endif
#if ABSENT > 0
    if (lane >= n) return;
#endif
    int place = lane;  // in out
    bool stores = true;

#if PATTERN == 0  // lane 0 gets the sum
    for (int gap = 16; gap > 0; gap /= 2) {
        int y = __shfl_down_sync(mask, x, gap);
        int k = __shfl_down_sync(mask, lane, gap);
        if (ABSENT < 2 || lane + gap < n) x += y;
        note(log, k, y, x);
    }
    stores = lane == 0;

#elif PATTERN == 1  // every lane gets the sum
    for (int gap = 16; gap > 0; gap /= 2) {
        int y = __shfl_xor_sync(mask, x, gap);
        int k = __shfl_xor_sync(mask, lane, gap);
        if (ABSENT < 2 || (lane ^ gap) < n) x += y;
        note(log, k, y, x);
    }

#elif PATTERN == 2  // lane k: sum of lanes 0 to k
    for (int gap = 1; gap < 32; gap *= 2) {
        int y = __shfl_up_sync(mask, x, gap);
        int k = __shfl_up_sync(mask, lane, gap);
        if (lane >= gap) x += y;
        note(log, k, y, x);
    }

#elif PATTERN == 3  // values above 1 move together
    const bool yes = x > 1;
    note(log, lane, __any_sync(mask, yes), yes);
    note(log, lane, __all_sync(mask, yes), yes);
    const unsigned votes = __ballot_sync(mask, yes);
    note(log, lane, votes, yes);
    // Bit k is lane k's vote: count those below.
    place = __popc(votes & ((1u << lane) - 1));
    note(log, lane, place, place);
    stores = yes;

#else  // a tile's first lane gets the tile's sum
    const auto tile = cg::tiled_partition<TILE>(
        cg::this_thread_block());
    for (int gap = TILE / 2; gap > 0; gap /= 2) {
        int y = tile.shfl_down(x, gap);
        int k = tile.shfl_down(lane, gap);
        x += y;
        note(log, k, y, x);
    }
    stores = tile.thread_rank() == 0;
    place = lane / TILE;
#endif

    if (stores) {
        out[place] = x;
        note(log, place, x, x);
    }
}
