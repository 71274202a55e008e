// Shapes of two dimensions, made in several ways, and memory that a block is given.
#define TILE 16
#define CEIL(a, b) (((a) + (b) - 1) / (b))
constexpr int width = 100, height = 70;
enum { border = 2, channels };
static int padded(int extent) { return extent + 2 * border; }
__global__ void blur(const unsigned char* in, unsigned char* out, int w, int h) {}
__global__ void turn(double* a, const double* b, unsigned w) {}
int main() {
  unsigned char *in, *out;
  cudaMallocManaged(&in, width * height * channels);
  cudaMallocManaged(&out, padded(width) * padded(height));
  cudaMemset(in, 0, width * height * channels);
  dim3 block(TILE, TILE);
  dim3 grid(CEIL(width, TILE), CEIL(height, block.y));
  // launch: blur<<<7,5,1; 16,16,1; 256>>>(21000 bytes of 0, 7696 bytes, 100, 70)
  blur<<<grid, block, TILE * TILE * sizeof(char)>>>(in, out, width, height);
  double *a, *b;
  cudaMalloc(&a, sizeof(double) << 10);
  cudaMalloc(&b, 1024 * sizeof(*b));
  dim3 tile;
  tile.x = 8;
  tile.y = 4;
  // launch: turn<<<2,3,4; 8,4,1; 0>>>(8192 bytes, 8192 bytes, 32)
  turn<<<dim3(2, 3, 4), tile>>>(a, b, 32u);
  // launch: turn<<<8,1,1; 64,1,1; 16>>>(8192 bytes of what is not known, 8192 bytes, 4)
  turn<<<1 << 3, 256 >> 2, 1 << 4>>>(a, b, 1 << 2);
  // launch: turn<<<1,1,1; 32,2,1; 0>>>(8192 bytes of what is not known, 8192 bytes, 6)
  turn<<<1, {32, 2}>>>(a, b, width > height ? 6 : 7);
}
