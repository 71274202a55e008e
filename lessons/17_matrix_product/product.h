// Product: the host program of lesson 17: the column sums of a matrix product, by one version of the kernel.
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

/// Of the kernel, as its macro VERSION counts them.
enum Version : int { naive, tiles, registers_2, registers_4, sums_first };

/// What is mended in the kernel with tiles; each is a macro.
struct Mends {
  bool less = false;        // its guards are < and not <=
  bool whole = false;       // its loop goes over all tiles of a row, not over as many as the grid has blocks
  bool along_rows = false;  // neighbouring lanes take neighbouring elements
  bool float32 = false;     // its sum is a float
  friend bool operator==(const Mends&, const Mends&) = default;
};
inline constexpr Mends all_mends{.less = true, .whole = true, .along_rows = true, .float32 = true};

/// A has m rows of k numbers, B has k rows of n.
struct Shape {
  std::size_t m = 1, k = 1, n = 1;
};

struct Plan {
  int version = tiles;
  Mends mends = {};  // of the version with tiles alone
  Shape shape;
  std::uint32_t launches = 1;  // one after the other; out is zero before the first one only

  [[nodiscard]] bool same_kernel(const Plan& other) const {
    return version == other.version && (version != tiles || mends == other.mends);
  }
  [[nodiscard]] std::string label() const;  // "tiles, as found"
};

/// What the matrices hold: 1 everywhere, or numbers between 0 and 1.
enum Content : int { ones, scattered };
struct Matrices {
  std::vector<float> a, b;
};
[[nodiscard]] Matrices matrices_for(Content content, const Shape& shape);

struct Product {
  gpu::LaunchReport report;  // of the launch with the most findings, with the trace of all; where one did not end well, of that one
  std::vector<float> out;    // empty: a launch did not end well
  double us = 0;             // of the first launch; where one product takes two launches, of both
  std::array<gpu::Buffer, 2> matrices;
};

/// Before a launch: the macros of this version.
void define(Host& host, const Plan& plan);

/// Copies both matrices, launches, copies out back. Buffers are given back. Fails where the kernel does not compile, and when it is
/// cancelled.
[[nodiscard]] Result<Product> multiply(Host& host, const Plan& plan, std::span<const float> a, std::span<const float> b,
                                       const gpu::Observe& observe, bool trace_matrices = false);

/// The column sums of the product in float64.
[[nodiscard]] std::vector<double> reference(const Shape& shape, std::span<const float> a, std::span<const float> b);

/// What must be computed, and moved if each array is moved once.
struct Work {
  double float32 = 0, float64 = 0;  // operations
  double bytes = 0;
  [[nodiscard]] double operations() const { return float32 + float64; }
};
[[nodiscard]] Work work_of(const Plan& plan);

/// The shortest time, in µs, that a device with these peaks needs: 10⁹ bytes and 10⁹ operations a second.
struct Peaks {
  double memory = 0, float32 = 0, float64 = 0;  // 0: unknown
};
[[nodiscard]] Peaks peaks_of(const gpu::DeviceInfo& device);
[[nodiscard]] double least_us(const Work& work, const Peaks& peaks);

}  // namespace warpbook::lessons::matrices
