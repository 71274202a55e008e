#include "/etc/hostname"  // expect: error "/etc/hostname"
__global__ void k(int* a) { a[0] = 1; }
// expect message: "/etc/hostname" leads out of the folder
