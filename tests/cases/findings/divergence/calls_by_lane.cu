// launch: areas --grid 1 --block 32 --arg float32[32]=zeros
struct Shape {
  __device__ virtual float area() const = 0;
};
struct Square : Shape {
  float side = 2;
  __device__ float area() const override { return side * side; }
};
struct Circle : Shape {
  float radius = 1;
  __device__ float area() const override { return 3.14159f * radius * radius; }
};
__global__ void areas(float* out) {
  Square square;
  Circle circle;
  Shape* const shapes[] = {&square, &circle};
  out[threadIdx.x] = shapes[threadIdx.x % 2]->area();  // expect: divergence
}
