// One workload in plain C++, timed: what this CPU can do when nobody checks or watches anything. script/bench compiles it with -O3
// for the instruction set that Warpbook uses.
//
//     peer_twin diffusion 2000 --repeat 5
//
// Prints one JSON object: ms of each run, threads, the checksum. The arithmetic is the kernels' (kernels.cl); all cores share it,
// and where the kernels count with atomics, each core has counters of its own.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/bench/peers/workloads.h"

namespace {

using namespace warpbook::bench;

/// Calls work(from, to, core) with a part of 0 … count on each core.
template <class F>
void on_all_cores(std::size_t count, F work) {
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::thread> threads;
  for (std::size_t core = 1; core < cores; ++core)
    threads.emplace_back([=] { work(count * core / cores, count * (core + 1) / cores, core); });
  work(0, count / cores, std::size_t{0});
  for (std::thread& thread : threads) thread.join();
}

template <class T, class F>
std::vector<T> filled(std::size_t count, F value_of) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = value_of(i);
  return values;
}

struct Twin {
  std::function<void()> run;
  std::function<double()> check;
};

Twin diffusion(std::size_t n) {
  struct Fields {
    std::vector<float> in, out, lapl;
  };
  auto f =
      std::make_shared<Fields>(Fields{filled<float>(n * n, input_diffusion), std::vector<float>(n * n), std::vector<float>(n * n)});
  const auto step = [=](std::size_t from, std::size_t to, std::size_t) {
    for (std::size_t y = from; y < to; ++y) {
      const float* const row = &f->in[y * n];
      const float* const above = y ? row - n : row;
      const float* const below = y + 1 < n ? row + n : row;
      float* const out = &f->out[y * n];
      float* const lapl = &f->lapl[y * n];
      const auto cell = [=](std::size_t x, std::size_t left, std::size_t right) {
        const float l = 4 * row[x] - row[left] - row[right] - above[x] - below[x];
        lapl[x] = l;
        out[x] = row[x] - coefficient * l;
      };
      cell(0, 0, std::min<std::size_t>(1, n - 1));
#pragma GCC ivdep
      for (std::size_t x = 1; x + 1 < n; ++x) cell(x, x - 1, x + 1);
      if (n > 1) cell(n - 1, n - 2, n - 1);
    }
  };
  return {[=] { on_all_cores(n, step); }, [=] { return checksum(std::span<const float>(f->out)); }};
}

Twin matmul(std::size_t n) {
  struct Matrices {
    std::vector<float> a, b, c;
  };
  auto m =
      std::make_shared<Matrices>(Matrices{filled<float>(n * n, input_a), filled<float>(n * n, input_b), std::vector<float>(n * n)});
  constexpr std::size_t tile = matmul_tile;
  const auto rows_of_tiles = [=](std::size_t from, std::size_t to, std::size_t) {
    for (std::size_t y = from * tile; y < to * tile; y += tile)
      for (std::size_t x = 0; x < n; x += tile) {
        float sum[tile][tile] = {};
        for (std::size_t k = 0; k < n; ++k)
          for (std::size_t j = 0; j < tile; ++j)
            for (std::size_t i = 0; i < tile; ++i) sum[j][i] += m->a[(y + j) * n + k] * m->b[k * n + x + i];
        for (std::size_t j = 0; j < tile; ++j) std::copy(sum[j], sum[j] + tile, &m->c[(y + j) * n + x]);
      }
  };
  return {[=] { on_all_cores(n / tile, rows_of_tiles); }, [=] { return checksum(std::span<const float>(m->c)); }};
}

Twin histogram(Work work, std::size_t n) {
  struct Counted {
    std::vector<float> x;
    std::vector<std::vector<int>> mine;
    std::vector<int> bins;
  };
  const auto m = static_cast<std::size_t>(bins_of(work));
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  auto c = std::make_shared<Counted>(
      Counted{filled<float>(n, input_histogram), std::vector(cores, std::vector<int>(m)), std::vector<int>(m)});
  const float width = (highest - lowest) / static_cast<float>(m);
  const auto count = [=](std::size_t from, std::size_t to, std::size_t core) {
    std::vector<int>& mine = c->mine[core];
    std::fill(mine.begin(), mine.end(), 0);
    for (std::size_t i = from; i < to; ++i) {
      const int b = static_cast<int>(std::floor((c->x[i] - lowest) / width));
      if (b >= 0 && b < static_cast<int>(m)) ++mine[static_cast<std::size_t>(b)];
    }
  };
  // The kernels add to what the launch before has counted; what is checked is the first run.
  const auto run = [=] {
    on_all_cores(n, count);
    for (const auto& mine : c->mine)
      for (std::size_t b = 0; b < m; ++b) c->bins[b] += mine[b];
  };
  return {run, [=] { return checksum(std::span<const int>(c->bins)); }};
}

Twin sum(std::size_t n) {
  struct Sums {
    std::vector<float> data, out;
  };
  const std::size_t blocks = shape_of(Work::sum, n).grid_x;
  auto s = std::make_shared<Sums>(Sums{filled<float>(n, input_sum), std::vector<float>(blocks)});
  const auto sums = [=](std::size_t from, std::size_t to, std::size_t) {
    for (std::size_t block = from; block < to; ++block) {
      float tree[sum_block];
      for (std::size_t t = 0; t < sum_block; ++t) {
        const std::size_t i = block * sum_block + t;
        tree[t] = i < n ? s->data[i] : 0;
      }
      for (std::size_t half = sum_block / 2; half > 0; half /= 2)
        for (std::size_t t = 0; t < half; ++t) tree[t] += tree[t + half];
      s->out[block] = tree[0];
    }
  };
  return {[=] { on_all_cores(blocks, sums); }, [=] { return checksum(std::span<const float>(s->out)); }};
}

Twin race() {
  auto counter = std::make_shared<std::vector<int>>(1);
  const auto run = [=] {
    volatile int& c = counter->front();
    for (std::size_t thread = 0; thread < shape_of(Work::race, 0).threads(); ++thread) c = c + 1;
  };
  return {run, [=] { return static_cast<double>(counter->front()); }};
}

Twin twin_of(Work work, std::size_t n) {
  switch (work) {
    case Work::diffusion:
      return diffusion(n);
    case Work::matmul:
      return matmul(n);
    case Work::histogram_global:
    case Work::histogram_shared:
      return histogram(work, n);
    case Work::sum:
      return sum(n);
    case Work::race:
      break;
  }
  return race();
}

}  // namespace

int main(int count, char** words) {
  const auto work = count > 2 ? find_work(words[1]) : std::nullopt;
  const std::size_t n = count > 2 ? std::strtoull(words[2], nullptr, 10) : 0;
  if (!work || (*work == Work::matmul && n % matmul_tile != 0)) {
    std::fprintf(stderr, "usage: %s WORK SIZE [--repeat N]; the side of a matrix is a multiple of 16\n", words[0]);
    return 2;
  }
  const int repeat = count > 4 && std::string(words[3]) == "--repeat" ? std::atoi(words[4]) : 5;
  const Twin twin = twin_of(*work, n);
  std::string times;
  double checked = 0;
  for (int i = -1; i < repeat; ++i) {  // what the first run computed is checked
    const auto begin = std::chrono::steady_clock::now();
    twin.run();
    const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    if (i < 0)
      checked = twin.check();
    else
      times += (times.empty() ? "" : ", ") + std::to_string(ms);
  }
  std::printf("{\"ms\": [%s], \"threads\": %zu, \"check\": %.9g}\n", times.c_str(), shape_of(*work, n).threads(), checked);
  return 0;
}
