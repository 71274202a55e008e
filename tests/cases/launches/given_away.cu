// Near misses: a list, a number and a member that something else may have changed since are not known.
#include <cstdio>
struct Params { int n; float scale; };
void load(float* values, int count);
void choose(Params* p);
int read_count(int* count);
__global__ void k(float* v, int n) {}
__global__ void scaled(Params p) {}
int main() {
  float filled[3] = {1, 2, 3}, printed[3] = {4, 5, 6}, branch[2] = {1, 2}, any[2] = {1, 2};
  load(filled, 3);
  printf("%p", printed);
  if (time(nullptr) % 2 == 0) branch[0] = 7;
  int at = rand() % 2;
  any[at] = 9;
  // launch: k<<<1,1,1; 3,1,1; 0>>>(12 bytes of what is not known, 3)
  k<<<1, 3>>>(filled, 3);
  // launch: k<<<1,1,1; 3,1,1; 0>>>(12 bytes of [4 5 6], 3)
  k<<<1, 3>>>(printed, 3);
  // launch: k<<<1,1,1; 2,1,1; 0>>>(8 bytes of what is not known, 2)
  k<<<1, 2>>>(branch, 2);
  // launch: k<<<1,1,1; 2,1,1; 0>>>(8 bytes of what is not known, ?)
  k<<<1, 2>>>(any, at);
  int n = 3, m = 3;
  scanf("%d", &n);
  if (read_count(&m) != 0) return 1;
  // launch: k<<<1,1,1; 2,1,1; 0>>>(8 bytes of what is not known, ?)
  k<<<1, 2>>>(any, n);
  // launch: k<<<1,1,1; 2,1,1; 0>>>(8 bytes of what is not known, ?)
  k<<<1, 2>>>(any, m);
  Params p = {4, 0.5f};
  p.n += 1;
  p.scale = rand();
  // launch: scaled<<<1,1,1; 1,1,1; 0>>>({0: 4, 1: 0.5, n: ?, scale: ?})
  scaled<<<1, 1>>>(p);
  Params q;
  q.n = 2;
  choose(&q);
  // launch: scaled<<<1,1,1; 1,1,1; 0>>>(?)
  scaled<<<1, 1>>>(q);
  for (int i = 0; i < 3; ++i) {
    // launch: k<<<?; 1,1,1; 0>>>(12 bytes of what is not known, ?)
    k<<<q.n, 1>>>(filled, q.n);
    q.n = i;
  }
}
