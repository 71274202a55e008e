// Product: the host program of lesson 17, which computes the column sums of a matrix product by one version of the kernel.
//
//     const Plan plan{.version = tiles, .mends = all_mends, .shape = {16, 32, 16}};
//     auto product = multiply(host, plan, a, b, gpu::Observe::all());
//     print(product->out[0], product->us, reference(plan.shape, a, b)[0]);
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gpu/report.h"
#include "gpu/result.h"
#include "lessons/host.h"

namespace warpbook::lessons::matrices {

inline constexpr std::size_t side_of_tile = 16;  // SIDE in the kernel

/// Versions of the kernel, with the numbers of its macro VERSION.
enum Version : int { naive, tiles, registers_2, registers_4, sums_first };

/// The fixes in the kernel with tiles; each is a macro.
struct Mends {
  bool less = false;        // guards use < instead of <=
  bool whole = false;       // the loop runs over all tiles of a row, instead of as many as the grid has blocks
  bool along_rows = false;  // neighbouring lanes access neighbouring elements
  bool float32 = false;     // the sum is a float
  friend bool operator==(const Mends&, const Mends&) = default;
};
inline constexpr Mends all_mends{.less = true, .whole = true, .along_rows = true, .float32 = true};

/// A has m rows of k numbers, B has k rows of n numbers.
struct Shape {
  std::size_t m = 1, k = 1, n = 1;
};

struct Plan {
  int version = tiles;
  Mends mends = {};  // only for the version with tiles
  Shape shape;
  std::uint32_t launches = 1;  // number of repetitions; out is reset to zero before the first only

  [[nodiscard]] bool same_kernel(const Plan& other) const {
    return version == other.version && (version != tiles || mends == other.mends);
  }
  [[nodiscard]] std::string label() const;  // "tiles, as found"
};

/// The elements of the matrices: all 1, or numbers between 0 and 1.
enum Content : int { ones, scattered };
struct Matrices {
  std::vector<float> a, b;
};
[[nodiscard]] Matrices matrices_for(Content content, const Shape& shape);

struct Product {
  gpu::LaunchReport report;  // of the launch with the most findings, with all traces; or of the one that failed
  std::vector<float> out;    // empty: a launch failed
  double us = 0;             // of the first product (one or two launches)
  std::array<gpu::Buffer, 2> matrices;
};

/// Defines the macros of this version. Call it before a launch.
void define(Host& host, const Plan& plan);

/// Copies both matrices, launches, and copies out back. Buffers are released. Fails if the kernel does not compile, and if it is
/// cancelled.
[[nodiscard]] Result<Product> multiply(Host& host, const Plan& plan, std::span<const float> a, std::span<const float> b,
                                       const gpu::Observe& observe, bool trace_matrices = false);

/// The column sums of the product in float64.
[[nodiscard]] std::vector<double> reference(const Shape& shape, std::span<const float> a, std::span<const float> b);

/// The operations that are needed, and the bytes if each array is moved once.
struct Work {
  double float32 = 0, float64 = 0;  // operations
  double bytes = 0;
  [[nodiscard]] double operations() const { return float32 + float64; }
};
[[nodiscard]] Work work_of(const Plan& plan);

/// The shortest possible time in µs on a device with these peaks, in 10⁹ bytes and operations per second.
struct Peaks {
  double memory = 0, float32 = 0, float64 = 0;  // 0: unknown
};
[[nodiscard]] Peaks peaks_of(const gpu::DeviceInfo& device);
[[nodiscard]] double least_us(const Work& work, const Peaks& peaks);

}  // namespace warpbook::lessons::matrices
