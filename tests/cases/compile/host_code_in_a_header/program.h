// In the order of the files, and of their lines.
#include <vector>  // expect left out: <vector>
#define ON_GPU __host__ __device__
static void check(cudaError_t error) {  // expect left out: check()
  std::vector<int> none;
}
ON_GPU float scale(float x) { return 2 * x; }
