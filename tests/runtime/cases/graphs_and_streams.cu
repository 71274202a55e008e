// prints: 4096 events in order
// run: --fail-on-findings
#include <cstdio>

__global__ void add(int* data, int value) { data[threadIdx.x] += value; }

int main() {
  int *data, host[64];
  cudaMalloc(&data, sizeof host);
  cudaStream_t stream, other;
  cudaStreamCreate(&stream);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  cudaGraph_t graph;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cudaMemsetAsync(data, 0, sizeof host, stream);
  for (int i = 0; i < 4; ++i) add<<<1, 64, 0, stream>>>(data, 16);
  cudaMemcpyAsync(host, data, sizeof host, cudaMemcpyDeviceToHost, stream);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphExec_t ready;
  cudaGraphInstantiate(&ready, graph, 0);
  cudaEventRecord(begin, stream);
  for (int i = 0; i < 3; ++i) cudaGraphLaunch(ready, stream);
  cudaEventRecord(end, stream);
  cudaStreamWaitEvent(other, end, 0);
  cudaStreamSynchronize(other);
  float ms = -1;
  cudaEventElapsedTime(&ms, begin, end);
  int sum = 0;
  for (int value : host) sum += value;
  printf("%d events %s\n", sum, ms > 0 ? "in order" : "out of order");
  cudaGraphExecDestroy(ready);
  cudaGraphDestroy(graph);
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  cudaStreamDestroy(stream);
  cudaStreamDestroy(other);
  cudaFree(data);
}
