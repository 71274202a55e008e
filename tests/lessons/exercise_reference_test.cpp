// What an exercise calls right is held against its words: each solution beside a reference in float64 and integers, written from
// the task and not from the kernel.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>

#include "lessons/arguments/argument_buffers.h"
#include "lessons/catalog.h"
#include "lessons/exercise.h"
#include "tests/lessons/virtual_gpu.h"

namespace warpbook::lessons {
namespace {

/// A case's arguments as numbers: arrays element by element, a scalar as one.
using Numbers = std::vector<std::vector<double>>;

template <class T>
std::vector<double> as(std::span<const std::byte> bytes) {
  std::vector<double> numbers(bytes.size() / sizeof(T));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    numbers[i] = static_cast<double>(value);
  }
  return numbers;
}

std::vector<double> numbers_of(gpu::ScalarType type, std::span<const std::byte> bytes) {
  if (type == gpu::ScalarType::float32) return as<float>(bytes);
  if (type == gpu::ScalarType::int64) return as<std::int64_t>(bytes);
  if (type == gpu::ScalarType::uint8) return as<std::uint8_t>(bytes);
  EXPECT_EQ(gpu::name_of(type), "int32") << "no exercise has had this type so far";
  return as<std::int32_t>(bytes);
}

Numbers before(const Exercise::Case& one) {
  Numbers all;
  for (const ArgumentSpec& spec : one.arguments) all.push_back(numbers_of(spec.type, *initial_bytes(spec)));
  return all;
}

/// What the solution leaves.
Numbers after(const Exercise& exercise, const Exercise::Case& one) {
  const char* const file = exercise.kind == ExerciseKind::choose ? "kernel.cu" : "solution.cu";
  gpu::Device& device = testing::virtual_gpu();
  gpu::Source source;
  source.text = *read_text(exercise.folder / file);
  const auto program = device.compile(source);
  const gpu::Kernel& kernel = *(*program)->find(exercise.kernel);
  gpu::LaunchRequest request;
  request.program = *program;
  request.kernel = kernel.name;
  request.grid = one.grid;
  request.block = one.block;
  request.dynamic_shared_bytes = one.shared_bytes;
  std::vector<GivenArgument> given;
  for (std::size_t i = 0; i < one.arguments.size(); ++i) {
    given.push_back(*make_buffers(device, one.arguments[i], kernel.parameters[i]));
    request.arguments.push_back(make_argument(one.arguments[i], kernel.parameters[i], given.back().buffers));
  }
  const auto report = device.launch(request);
  EXPECT_TRUE(report.ok()) << say(report.message);
  Numbers all;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const ArgumentSpec& spec = one.arguments[i];
    std::vector<std::byte> bytes = *initial_bytes(spec);
    for (const gpu::Buffer& buffer : given[i].buffers) {
      EXPECT_TRUE(device.read(buffer, bytes));
      device.release(buffer);
    }
    all.push_back(numbers_of(spec.type, bytes));
  }
  return all;
}

/// By an exercise's id: its case and what the arguments hold before → what the arrays must hold after.
using Reference = std::function<void(const Exercise::Case&, Numbers&)>;

using References = std::map<std::string, Reference>;

References of_indices() {
  return {{"square",
           [](const Exercise::Case&, Numbers& a) {
             const auto n = static_cast<std::size_t>(a[2][0]);
             for (std::size_t i = 0; i < n; ++i) a[1][i] = static_cast<float>(a[0][i] * a[0][i]);
           }},
          {"number_them",
           [](const Exercise::Case&, Numbers& a) {
             const auto n = static_cast<std::size_t>(a[1][0]);
             for (std::size_t i = 0; i < n; ++i) a[0][i] = static_cast<double>(i);
           }},
          {"shift",
           [](const Exercise::Case&, Numbers& a) {
             a[1][0] = 0;
             for (std::size_t i = 1; i < a[1].size(); ++i) a[1][i] = a[0][i - 1];
           }},
          {"gray",
           [](const Exercise::Case&, Numbers& a) {
             for (std::size_t i = 0; i < a[1].size(); ++i)
               a[1][i] = std::floor((77 * a[0][3 * i] + 150 * a[0][3 * i + 1] + 29 * a[0][3 * i + 2] + 128) / 256);
           }},
          {"pitch",
           [](const Exercise::Case&, Numbers& a) {
             const auto width = static_cast<std::size_t>(a[2][0]), pitch = static_cast<std::size_t>(a[4][0]);
             for (std::size_t i = 0; i < a[0].size(); ++i) {
               if (i % pitch < width) a[1][i] = 2 * a[0][i];
             }
           }},
          {"volume_slice", [](const Exercise::Case&, Numbers& a) {
             const auto first = static_cast<std::size_t>(a[4][0]) * a[1].size();
             for (std::size_t i = 0; i < a[1].size(); ++i) a[1][i] = a[0][first + i];
           }}};
}

References of_layouts() {
  return {{"ping_pong",
           [](const Exercise::Case&, Numbers& a) {
             std::vector<double> now = a[0];
             for (int step = 0; step < static_cast<int>(a[3][0]); ++step) {
               const std::vector<double> before = now;
               for (std::size_t i = 0; i < now.size(); ++i)
                 now[i] = (before[i > 0 ? i - 1 : 0] + before[std::min(i + 1, now.size() - 1)]) / 2;
             }
             a[1] = now;
           }},
          {"aos_to_soa",
           [](const Exercise::Case&, Numbers& a) {
             const std::size_t n = a[0].size() / 3;
             for (std::size_t i = 0; i < a[0].size(); ++i) a[1][i % 3 * n + i / 3] = a[0][i];
           }},
          {"transpose",
           [](const Exercise::Case&, Numbers& a) {
             const auto width = static_cast<std::size_t>(a[2][0]), height = static_cast<std::size_t>(a[3][0]);
             for (std::size_t i = 0; i < a[0].size(); ++i) a[1][i % width * height + i / width] = a[0][i];
           }},
          {"classify",
           [](const Exercise::Case&, Numbers& a) {
             for (std::size_t i = 0; i < a[1].size(); ++i) {
               const double x = a[0][i], factor = x < -1 ? 0.75 : x < 1 ? 0.875 : 0.625, term = x < -1 ? 1 : x < 1 ? 2 : 3;
               a[1][i] = x;
               for (int step = 0; step < 12; ++step) a[1][i] = factor * a[1][i] + term;
             }
           }},
          {"csr_rows", [](const Exercise::Case&, Numbers& a) {
             const auto rows = static_cast<std::size_t>(a[4][0]), many = static_cast<std::size_t>(a[5][0]);
             EXPECT_EQ(a[0].size(), many + (rows - 1) * static_cast<std::size_t>(a[6][0])) << "the rows have all values";
             for (std::size_t k = 0; k < a[0].size(); ++k) {
               const std::size_t row = k < many ? 0 : 1 + (k - many) / static_cast<std::size_t>(a[6][0]);
               a[3][row] += a[0][k] * a[2][static_cast<std::size_t>(a[1][k])];
             }
           }}};
}

References of_costs() {
  return {{"fuse",
           [](const Exercise::Case&, Numbers& a) {
             for (std::size_t i = 0; i < a[0].size(); ++i) a[1][i] = std::clamp((a[0][i] - a[2][0]) * a[3][0], 0.0, 1.0);
           }},
          {"literals",
           [](const Exercise::Case&, Numbers& a) {
             for (std::size_t i = 0; i < a[0].size(); ++i) {
               const double v = std::clamp(a[2][0] * a[0][i], -1.5, 1.5);
               a[1][i] = v - 4 * v * v * v / 27;
             }
           }},
          {"dot",
           [](const Exercise::Case&, Numbers& a) {
             for (std::size_t i = 0; i < a[0].size(); ++i) a[2][0] += a[0][i] * a[1][i];
           }},
          {"column_sums",
           [](const Exercise::Case&, Numbers& a) {
             const auto columns = static_cast<std::size_t>(a[3][0]);
             for (std::size_t c = 0; c < columns; ++c) {
               a[1][c] = 0;
               for (std::size_t i = c; i < a[0].size(); i += columns) a[1][c] += a[0][i];
             }
           }},
          {"matvec",
           [](const Exercise::Case&, Numbers& a) {
             const auto columns = static_cast<std::size_t>(a[4][0]);
             std::fill(a[2].begin(), a[2].end(), 0.0);
             for (std::size_t i = 0; i < a[0].size(); ++i) a[2][i / columns] += a[0][i] * a[1][i % columns];
           }},
          {"tile_matmul", [](const Exercise::Case&, Numbers& a) {
             const auto k = static_cast<std::size_t>(a[4][0]), n = static_cast<std::size_t>(a[5][0]);
             for (std::size_t i = 0; i < a[2].size(); ++i) {
               a[2][i] = 0;
               for (std::size_t j = 0; j < k; ++j) a[2][i] += a[0][i / n * k + j] * a[1][j * n + i % n];
             }
           }}};
}

References of_device_functions() {
  return {{"clamp_all",
           [](const Exercise::Case&, Numbers& a) {
             for (double& x : a[0]) x = std::clamp(x, a[1][0], a[2][0]);
           }},
          {"horner",
           [](const Exercise::Case&, Numbers& a) {
             for (std::size_t i = 0; i < a[2].size(); ++i) {
               a[3][i] = 0;
               for (std::size_t k = 0; k < a[0].size(); ++k) a[3][i] += a[0][k] * std::pow(a[2][i], static_cast<double>(k));
             }
           }},
          {"rk4_step",
           [](const Exercise::Case&, Numbers& a) {
             const double dt = a[2][0];
             for (std::size_t i = 0; i < a[0].size(); ++i) {
               const double y = a[0][i];
               const auto slope = [&](double at) { return a[1][i] * at * (1 - at); };
               const double k1 = slope(y), k2 = slope(y + k1 * dt / 2), k3 = slope(y + k2 * dt / 2), k4 = slope(y + k3 * dt);
               a[0][i] = y + (k1 + 2 * k2 + 2 * k3 + k4) * dt / 6;
             }
           }},
          {"blocks_that_fit", [](const Exercise::Case&, Numbers& a) {  // block after block, as long as each limit holds
             for (std::size_t i = 0; i < a[0].size(); ++i) {
               double blocks = 0;
               while (blocks + 1 <= a[4][0] && (blocks + 1) * 32 * std::ceil(a[0][i] / 32) <= a[3][0] &&
                      (blocks + 1) * (a[1][i] + a[6][0]) <= a[5][0])
                 ++blocks;
               a[2][i] = blocks;
             }
           }}};
}

References of_first_mistakes() {
  return {{"bytes",
           [](const Exercise::Case&, Numbers& a) {
             const auto n = static_cast<std::size_t>(a[2][0]) / 4;
             EXPECT_EQ(n, a[0].size()) << "the host gives the bytes that there are";
             for (std::size_t i = 0; i < n; ++i) a[1][i] = a[0][i] / 2;
           }},
          {"hypot_stride",
           [](const Exercise::Case&, Numbers& a) {
             for (std::size_t i = 0; i < a[2].size(); ++i) a[2][i] = std::hypot(a[0][i], a[1][i]);
           }},
          {"saxpy_any_grid",
           [](const Exercise::Case&, Numbers& a) {
             for (std::size_t i = 0; i < a[2].size(); ++i) a[2][i] += a[0][0] * a[1][i];
           }},
          {"mean_of_big",  // value i goes to the thread of its number, counted round and round
           [](const Exercise::Case&, Numbers& a) {
             std::fill(a[1].begin(), a[1].end(), 0.0);
             for (std::size_t i = 0; i < a[0].size(); ++i) a[1][i % a[1].size()] += a[0][i];
           }},
          {"mirror", [](const Exercise::Case&, Numbers& a) { a[1].assign(a[0].rbegin(), a[0].rend()); }},
          {"pick",
           [](const Exercise::Case&, Numbers& a) {
             const double m = a[1][0];
             for (std::size_t i = 0; i < a[2].size(); ++i) {
               const double from = a[2][i];
               a[3][i] = from < 0 || from > m - 1 ? -1 : a[0][static_cast<std::size_t>(from)];
             }
           }},
          {"launch_it", [](const Exercise::Case&, Numbers& a) {
             for (std::size_t i = 0; i < 5000; ++i) a[1][i] = a[0][i] * a[0][i];
           }}};
}

References of_counts() {
  return {{"count_above",
           [](const Exercise::Case&, Numbers& a) {
             a[2][0] = 0;
             for (const double value : a[0]) a[2][0] += value > a[1][0] ? 1 : 0;
           }},
          {"safe_max",
           [](const Exercise::Case&, Numbers& a) {
             a[2][0] = a[0][0];
             for (const double value : a[0]) a[2][0] = std::fmax(a[2][0], value);
           }},
          {"count_digits",
           [](const Exercise::Case&, Numbers& a) {
             a[1].assign(10, 0);
             for (const double digit : a[0]) a[1][static_cast<std::size_t>(digit)] += 1;
           }},
          {"cuda_histogram", [](const Exercise::Case&, Numbers& a) {
             const double low = a[2][0], high = a[3][0], m = a[5][0];
             for (const double x : a[0]) {
               if (x < low || x >= high) continue;
               std::size_t bin = 0;  // the last whose lower end is not above x
               while (static_cast<double>(bin) + 1 < m && low + (static_cast<double>(bin) + 1) * (high - low) / m <= x) ++bin;
               a[4][bin] += 1;
             }
           }}};
}

References of_neighbours() {
  return {{"three_point",
           [](const Exercise::Case&, Numbers& a) {
             const std::vector<double>& in = a[0];
             for (std::size_t i = 0; i < in.size(); ++i) {
               const bool end = i == 0 || i + 1 == in.size();
               a[1][i] = end ? in[i] : 0.25 * in[i - 1] + 0.5 * in[i] + 0.25 * in[i + 1];
             }
           }},
          {"smooth",
           [](const Exercise::Case&, Numbers& a) {
             const std::vector<double>&w = a[0], &in = a[1];
             const auto n = static_cast<std::ptrdiff_t>(in.size()), s = static_cast<std::ptrdiff_t>(a[4][0]);
             for (std::ptrdiff_t i = 0; i < n; ++i) {
               double sum = 0, ends = 0;
               for (std::ptrdiff_t m = 0; m <= 2 * s; ++m) {
                 const std::ptrdiff_t from = i + m - s;
                 const double value = from < 0 ? in.front() : from >= n ? in.back() : in[static_cast<std::size_t>(from)];
                 (m == 0 || m == 2 * s ? ends : sum) += w[static_cast<std::size_t>(m)] * value;
               }
               a[2][static_cast<std::size_t>(i)] = sum + ends / 2;
             }
           }},
          {"blur1d",
           [](const Exercise::Case&, Numbers& a) {
             const std::vector<double>& in = a[0];
             for (std::size_t i = 0; i < in.size(); ++i) {
               const double left = i == 0 ? in.front() : in[i - 1], right = i + 1 == in.size() ? in.back() : in[i + 1];
               a[1][i] = (left + in[i] + right) / 3;
             }
           }},
          {"game_of_life",
           [](const Exercise::Case&, Numbers& a) {
             const auto rows = static_cast<int>(a[2][0]), columns = static_cast<int>(a[3][0]);
             const auto lives = [&](int y, int x) {
               return y >= 0 && y < rows && x >= 0 && x < columns && a[0][static_cast<std::size_t>(y * columns + x)] == 1;
             };
             for (int y = 0; y < rows; ++y) {
               for (int x = 0; x < columns; ++x) {
                 const int neighbours = lives(y - 1, x - 1) + lives(y - 1, x) + lives(y - 1, x + 1) + lives(y, x - 1) +
                                        lives(y, x + 1) + lives(y + 1, x - 1) + lives(y + 1, x) + lives(y + 1, x + 1);
                 a[1][static_cast<std::size_t>(y * columns + x)] = neighbours == 3 || (neighbours == 2 && lives(y, x)) ? 1 : 0;
               }
             }
           }},
          {"launch_bounds",
           [](const Exercise::Case& one, Numbers& a) {
             const std::size_t rods = one.grid.count() * one.block.count();
             for (int step = 0; step < a[1][0]; ++step) {
               const std::vector<double> old = a[0];
               for (std::size_t i = rods; i < 63 * rods; ++i) a[0][i] = (old[i - rods] + 2 * old[i] + old[i + rods]) / 4;
             }
           }},
          {"lighter",
           [](const Exercise::Case&, Numbers& a) {
             for (std::size_t i = 0; i < a[0].size(); ++i) a[1][i] = 2 * a[0][i / 4096 * 4096 + 4095 - i % 4096];
           }},
          {"tune", [](const Exercise::Case&, Numbers& a) {
             for (std::size_t i = 0; i < a[1].size(); ++i) a[2][i] = a[0][static_cast<std::size_t>(a[1][i])];
           }}};
}

References of_blocks_and_warps() {
  return {{"pair_sums",
           [](const Exercise::Case&, Numbers& a) {
             a[1].assign(a[1].size(), 0);
             for (std::size_t i = 0; i < a[0].size(); ++i) a[1][i % 128] += a[0][i];
             for (double& sum : a[1]) sum = static_cast<float>(sum);
           }},
          {"sum_blocks",
           [](const Exercise::Case& one, Numbers& a) {
             a[2].assign(a[2].size(), 0);
             for (std::size_t i = 0; i < a[0].size(); ++i) a[2][i / one.block.x] += a[0][i];
           }},
          {"warp_max",
           [](const Exercise::Case&, Numbers& a) {
             for (std::size_t w = 0; w < a[1].size(); ++w)
               a[1][w] = *std::max_element(a[0].begin() + static_cast<std::ptrdiff_t>(32 * w),
                                           a[0].begin() + static_cast<std::ptrdiff_t>(32 * w + 32));
           }},
          {"count_above_warp",
           [](const Exercise::Case&, Numbers& a) {
             a[2][0] = 0;
             for (const double value : a[0]) a[2][0] += value > a[1][0] ? 1 : 0;
           }},
          {"warp_tail",
           [](const Exercise::Case&, Numbers& a) {
             EXPECT_EQ(a[1].size(), (a[0].size() + 31) / 32) << "a sum for each group";
             a[1].assign(a[1].size(), 0);
             for (std::size_t i = 0; i < a[0].size(); ++i) a[1][i / 32] += a[0][i];
           }},
          {"compact",
           [](const Exercise::Case& one, Numbers& a) {
             EXPECT_LE(a[0].size(), one.block.count()) << "a value a thread";
             std::size_t kept = 0;
             for (const double value : a[0]) {
               if (value > 0) a[1][kept++] = value;
             }
             a[2][0] = static_cast<double>(kept);
           }},
          {"scan_block", [](const Exercise::Case& one, Numbers& a) {
             for (std::size_t i = 0; i < a[0].size(); ++i) a[1][i] = a[0][i] + (i % one.block.x == 0 ? 0 : a[1][i - 1]);
           }}};
}

/// Of lesson 21's broken kernels: what each was meant to compute.
References of_broken_kernels() {
  return {{"to_celsius",
           [](const Exercise::Case&, Numbers& a) {
             for (std::size_t i = 0; i < a[0].size(); ++i) a[1][i] = (a[0][i] - 32) / 1.8;
           }},
          {"time_stamps",
           [](const Exercise::Case&, Numbers& a) {
             for (std::size_t i = 0; i < a[0].size(); ++i) a[2][i] = 1e6 * a[0][i] + a[1][i];
           }},
          {"bright_mask",
           [](const Exercise::Case&, Numbers& a) {
             const std::size_t width = a[0].size() / a[1].size();
             for (std::size_t i = 0; i < a[0].size(); ++i) a[2][i] = a[0][i] > a[1][i / width] ? 255 : 0;
           }},
          {"turn_around",
           [](const Exercise::Case& one, Numbers& a) {
             a[1] = a[0];
             for (std::size_t first = 0; first < a[1].size(); first += one.block.x) {
               const auto from = a[1].begin() + static_cast<std::ptrdiff_t>(first);
               std::reverse(from, from + static_cast<std::ptrdiff_t>(std::min<std::size_t>(one.block.x, a[1].size() - first)));
             }
           }},
          {"count_bases",
           [](const Exercise::Case&, Numbers& a) {
             for (const double base : a[0]) a[2][static_cast<std::size_t>(base)] += 1;
           }},
          {"slope",
           [](const Exercise::Case&, Numbers& a) {
             const std::size_t last = a[0].size() - 1;
             for (std::size_t i = 0; i <= last; ++i)
               a[1][i] = static_cast<float>(a[0][std::min(i + 1, last)] - a[0][i > 0 ? i - 1 : 0]) / 2;
           }},
          {"water_level",
           [](const Exercise::Case& one, Numbers& a) {
             a[1].assign(a[1].size(), 0);
             for (std::size_t i = 0; i < a[0].size(); ++i) a[1][i / one.block.x] += a[0][i];
           }},
          {"coldest", [](const Exercise::Case& one, Numbers& a) {
             for (std::size_t i = 0; i < a[0].size(); ++i) {
               double& least = a[2][i / one.block.x];
               if (i % one.block.x == 0 || a[0][i] < least) least = a[0][i];
             }
           }}};
}

/// x, a ring of values or a row with ends that go on, with these weights around each value.
std::vector<double> weighted(const std::vector<double>& x, const std::array<double, 3>& weights, bool ring) {
  const auto n = static_cast<std::ptrdiff_t>(x.size());
  std::vector<double> sums(x.size(), 0.0);
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    for (std::ptrdiff_t k = -1; k <= 1; ++k) {
      const std::ptrdiff_t at = ring ? (i + k + n) % n : std::clamp<std::ptrdiff_t>(i + k, 0, n - 1);
      sums[static_cast<std::size_t>(i)] += weights[static_cast<std::size_t>(k + 1)] * x[static_cast<std::size_t>(at)];
    }
  }
  return sums;
}

References of_broken_blocks() {
  return {{"stretch",
           [](const Exercise::Case& one, Numbers& a) {
             for (std::size_t row = 0; row < a[0].size(); row += one.block.x) {
               const auto from = a[0].begin() + static_cast<std::ptrdiff_t>(row);
               const auto [least, most] = std::minmax_element(from, from + one.block.x);
               for (std::size_t i = row; i < row + one.block.x; ++i)
                 a[1][i] = *most > *least ? std::floor((a[0][i] - *least) * 255 / (*most - *least)) : 0;
             }
           }},
          {"fill_gaps",
           [](const Exercise::Case&, Numbers& a) {
             for (std::size_t block = 0; block < a[0].size(); block += 256) {
               double sum = 0, count = 0;
               for (std::size_t i = block; i < block + 256; ++i) {
                 sum += std::max(a[0][i], 0.0);
                 count += a[0][i] >= 0 ? 1 : 0;
               }
               const double mean = count > 0 ? std::floor(sum / count) : 0;
               for (std::size_t i = block; i < block + 256; ++i) a[1][i] = a[0][i] < 0 ? mean : a[0][i];
             }
           }},
          {"two_blurs",
           [](const Exercise::Case&, Numbers& a) {
             const std::array<double, 3> weights{0.25, 0.5, 0.25};
             a[1] = weighted(weighted(a[0], weights, true), weights, true);
           }},
          {"smooth_twice", [](const Exercise::Case&, Numbers& a) {
             const std::array<double, 3> weights{1.0 / 3, 1.0 / 3, 1.0 / 3};
             a[1] = weighted(a[0], weights, false);
             a[2] = weighted(a[1], weights, false);
           }}};
}

References of_memory_order() {
  return {{"guarded_max",
           [](const Exercise::Case&, Numbers& a) {
             for (const double value : a[0]) a[2][0] = std::fmax(a[2][0], value);
           }},
          {"last_block",
           [](const Exercise::Case& one, Numbers& a) {  // a sum for each block, the sum of all, and a counter that is 0 again
             std::fill(a[2].begin(), a[2].end(), 0.0);
             a[4][0] = 0;
             for (std::size_t i = 0; i < a[0].size(); ++i) {
               a[2][i / one.block.x] += a[0][i];
               a[4][0] += a[0][i];
             }
             a[3][0] = 0;
           }},
          {"argmax", [](const Exercise::Case&, Numbers& a) {  // of equal values the last; below 2^53, so that float64 is exact
             std::size_t at = 0;
             for (std::size_t i = 0; i < a[0].size(); ++i)
               if (a[0][i] >= a[0][at]) at = i;
             a[2][0] = a[0][at] * 4294967296.0 + static_cast<double>(at);
           }}};
}

const References& references() {
  static const References all = [] {
    References joined;
    for (const auto& part : {of_indices(), of_layouts(), of_costs(), of_device_functions(), of_first_mistakes(), of_counts(),
                             of_neighbours(), of_blocks_and_warps(), of_memory_order(), of_broken_kernels(), of_broken_blocks()})
      joined.insert(part.begin(), part.end());
    return joined;
  }();
  return all;
}

TEST(ExerciseReference, EverySolutionAgreesWithItsTasksWords) {
  ASSERT_TRUE(all_exercises()) << all_exercises().error().message;
  for (const Exercise& each : *all_exercises()) {
    if (!launches(each)) continue;  // what their answers mean is tested in answers_test.cpp
    const Exercise exercise = each.kind == ExerciseKind::choose ? chosen(each, *read_text(solution_file(each))) : each;
    ASSERT_TRUE(references().contains(exercise.id)) << exercise.id << " has no reference: write one from its words";
    for (const Exercise::Case& one : exercise.cases) {
      SCOPED_TRACE(exercise.id + ", " + one.name);
      Numbers right = before(one);
      references().at(exercise.id)(one, right);
      const Numbers is = after(exercise, one);
      ASSERT_EQ(is.size(), right.size());
      for (std::size_t i = 0; i < is.size(); ++i) {
        ASSERT_EQ(is[i].size(), right[i].size());
        for (std::size_t k = 0; k < is[i].size(); ++k) {
          // A learner who rounds otherwise must have room as well.
          ASSERT_LE(std::abs(is[i][k] - right[i][k]), exercise.tolerance / 4 * std::abs(right[i][k]))
              << "argument " << i << ", element " << k;
        }
      }
      EXPECT_NE(right, before(one)) << "a kernel that does nothing would pass";
    }
  }
}

}  // namespace
}  // namespace warpbook::lessons
