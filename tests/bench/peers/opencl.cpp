// One workload by the first OpenCL device, timed. OCL_ICD_VENDORS names the library, PoCL's or Oclgrind's, that it belongs to.
//
//     peer_opencl diffusion 2000 --repeat 5
//
// Prints one JSON object: ms of each launch, threads, the checksum, the device's name. kernels.cl lies beside this file.
#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#define CL_HPP_ENABLE_EXCEPTIONS
#include <CL/opencl.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/bench/peers/workloads.h"

namespace {

using namespace warpbook::bench;

template <class T, class F>
std::vector<T> filled(std::size_t count, F value_of) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<T>(value_of(i));
  return values;
}

template <class T>
cl::Buffer upload(const cl::Context& context, std::vector<T>& values) {
  return {context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, values.size() * sizeof(T), values.data()};
}

template <class T>
double check(const cl::CommandQueue& queue, const cl::Buffer& buffer, std::size_t count) {
  std::vector<T> values(count);
  queue.enqueueReadBuffer(buffer, CL_TRUE, 0, count * sizeof(T), values.data());
  return checksum(std::span<const T>(values));
}

[[noreturn]] void run(Work work, const std::string& name, std::size_t n, int repeat) {
  const cl::Device device = cl::Device::getDefault();
  const cl::Context context(device);
  const cl::CommandQueue queue(context, device);
  std::ifstream file(PEER_KERNELS);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  cl::Program program(context, text);
  program.build(("-DTILE=" + std::to_string(diffusion_tile) + " -DMATMUL_TILE=" + std::to_string(matmul_tile)).c_str());
  cl::Kernel kernel(program, name.c_str());

  const auto zero = [](std::size_t) { return 0; };
  const Shape shape = shape_of(work, n);
  const auto size = static_cast<cl_int>(n);
  const cl_int bins = bins_of(work);
  cl::Buffer a, b, c;
  const cl::Buffer* result = &b;
  std::size_t count = 1;
  bool real = true;
  switch (work) {
    case Work::diffusion: {
      auto in = filled<float>(n * n, input_diffusion), out = filled<float>(n * n, zero), lapl = out;
      a = upload(context, in), b = upload(context, out), c = upload(context, lapl);
      kernel.setArg(0, a), kernel.setArg(1, b), kernel.setArg(2, c), kernel.setArg(3, size), kernel.setArg(4, coefficient);
      count = n * n;
      break;
    }
    case Work::matmul: {
      auto left = filled<float>(n * n, input_a), right = filled<float>(n * n, input_b), product = filled<float>(n * n, zero);
      a = upload(context, left), b = upload(context, right), c = upload(context, product);
      kernel.setArg(0, a), kernel.setArg(1, b), kernel.setArg(2, c), kernel.setArg(3, size);
      result = &c;
      count = n * n;
      break;
    }
    case Work::histogram_global:
    case Work::histogram_shared: {
      auto x = filled<float>(n, input_histogram);
      auto counts = filled<cl_int>(static_cast<std::size_t>(bins), zero);
      a = upload(context, x), b = upload(context, counts);
      kernel.setArg(0, a), kernel.setArg(1, size), kernel.setArg(2, lowest), kernel.setArg(3, highest), kernel.setArg(4, b);
      kernel.setArg(5, bins);
      if (work == Work::histogram_shared) kernel.setArg(6, cl::Local(static_cast<std::size_t>(bins) * 4));
      count = static_cast<std::size_t>(bins);
      real = false;
      break;
    }
    case Work::sum: {
      auto data = filled<float>(n, input_sum), out = filled<float>(shape.grid_x, zero);
      a = upload(context, data), b = upload(context, out);
      kernel.setArg(0, a), kernel.setArg(1, size), kernel.setArg(2, b), kernel.setArg(3, cl::Local(sum_block * 4));
      count = shape.grid_x;
      break;
    }
    case Work::race: {
      auto counter = filled<cl_int>(1, zero);
      b = upload(context, counter);
      kernel.setArg(0, b);
      real = false;
      break;
    }
  }
  const cl::NDRange global(shape.grid_x * shape.block_x, shape.grid_y * shape.block_y), local(shape.block_x, shape.block_y);
  std::string times;
  double checked = 0;
  for (int i = -1; i < repeat; ++i) {  // the first launch compiles; what it computed is checked
    const auto begin = std::chrono::steady_clock::now();
    queue.enqueueNDRangeKernel(kernel, cl::NullRange, global, local);
    queue.finish();
    const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    if (i < 0) {
      checked = real ? check<float>(queue, *result, count) : check<cl_int>(queue, *result, count);
    } else {
      times += (times.empty() ? "" : ", ") + std::to_string(ms);
    }
  }
  std::printf("{\"ms\": [%s], \"threads\": %zu, \"check\": %.9g, \"device\": \"%s\"}\n", times.c_str(), shape.threads(), checked,
              device.getInfo<CL_DEVICE_NAME>().c_str());
  // Oclgrind 21.10 aborts when what it was given is released.
  std::fflush(stdout);
  std::_Exit(0);
}

}  // namespace

int main(int count, char** words) {
  const auto work = count > 2 ? find_work(words[1]) : std::nullopt;
  if (!work) {
    std::fprintf(stderr, "usage: %s WORK SIZE [--repeat N]\n", words[0]);
    return 2;
  }
  const bool repeats = count > 4 && std::string(words[3]) == "--repeat";
  try {
    run(*work, words[1], std::strtoull(words[2], nullptr, 10), repeats ? std::atoi(words[4]) : 5);
  } catch (const cl::Error& error) {
    std::fprintf(stderr, "OpenCL: %s failed with error %d\n", error.what(), error.err());
    return 1;
  }
}
