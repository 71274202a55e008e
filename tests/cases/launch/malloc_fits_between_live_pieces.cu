// Of three large pieces the middle one stays: what is free on both sides of it is not one piece, and holds several small ones.
extern "C" __global__ void between(int* out) {
  const size_t large = 5 << 19, small = 1 << 20;
  char* first = static_cast<char*>(malloc(large));
  char* middle = static_cast<char*>(malloc(large));
  char* last = static_cast<char*>(malloc(large));
  out[0] = first && middle && last;
  free(first);
  free(last);
  out[1] = malloc(3 << 20) == nullptr;
  char* small_ones[4];
  bool apart = true;
  for (int i = 0; i < 4; ++i) {
    small_ones[i] = static_cast<char*>(malloc(small));
    apart &= small_ones[i] && (small_ones[i] + small <= middle || small_ones[i] >= middle + large);
    for (int k = 0; k < i; ++k) apart &= small_ones[i] + small <= small_ones[k] || small_ones[i] >= small_ones[k] + small;
  }
  out[2] = apart;
}
// launch: between --grid 1 --block 1 --arg int32[3]=0,…
// expect: arg 0 = 1 1 1
