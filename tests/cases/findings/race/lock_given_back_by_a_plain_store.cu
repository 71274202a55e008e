// Block 0 has the lock from the beginning.
// launch: hand_over --grid 2 --block 1 --arg int32[1]=ones
__global__ void hand_over(int* lock)
{
    if (blockIdx.x == 0) {
        *lock = 0;  // expect: race global make it an atomic as well: atomicExch
    } else {
        while (atomicCAS(lock, 0, 1) != 0)
            ;
    }
}
