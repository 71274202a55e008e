#include "tests/bench/clock/points.h"

#include <fmt/format.h>

#include <cstdint>

namespace warpbook::bench {
namespace {

using gpu::Dim3;
using gpu::Scalar;

constexpr double a40_mhz = 1725;  // as GB's listings show it

Given floats(std::size_t n) { return {Scalar::of(1.0f), n}; }
Given doubles(std::size_t n) { return {Scalar::of(1.0), n}; }
Given whole(std::size_t n) { return {Scalar::of(static_cast<std::int32_t>(n)), 0}; }

std::uint32_t blocks(std::size_t n, std::uint32_t block) { return static_cast<std::uint32_t>((n + block - 1) / block); }

/// GB, gpu-stream: two blocks a multiprocessor, held down by shared memory. Measured with 2^27 elements, modelled with fewer: far
/// more than the L2 holds, so GB/s are the same.
void stream(std::vector<Point>& into, const char* profile, const char* kernel, double arrays, bool fitted,
            std::vector<std::pair<std::uint32_t, double>> gb_per_s) {
  const bool a40 = std::string(profile) == "A40";
  const std::size_t n = a40 ? std::size_t{1} << 22 : std::size_t{1} << 23;
  for (const auto& [block, speed] : gb_per_s)
    into.push_back({.profile = profile,
                    .file = "stream.cu",
                    .kernel = kernel,
                    .configuration = fmt::format("float64, 2 blocks of {} an SM", block),
                    .grid = {blocks(n, block)},
                    .block = {block},
                    .given = {doubles(n), doubles(n), doubles(n), whole(n)},
                    .measured_us = arrays * 8.0 * static_cast<double>(n) / speed / 1e3,
                    .source = "GB gpu-stream",
                    .ladder = fmt::format("{} {}", profile, kernel),
                    .with_launch = false,
                    .fitted = fitted,
                    .mhz = a40 ? a40_mhz : 0,
                    .shared_bytes = a40 ? 48000u : 100000u});
}

/// GB, gpu-small-kernels: the same scale kernel again and again, as many blocks an SM as fit.
void small(std::vector<Point>& into, const char* profile, std::size_t n, bool fitted,
           std::vector<std::pair<std::uint32_t, double>> gb_per_s) {
  for (const auto& [block, speed] : gb_per_s)
    into.push_back({.profile = profile,
                    .file = "stream.cu",
                    .kernel = "scale",
                    .configuration = fmt::format("float64, {} elements, block {}", n, block),
                    .grid = {static_cast<std::uint32_t>(n / block + 1)},
                    .block = {block},
                    .given = {doubles(n), doubles(n), doubles(1), whole(n)},
                    .measured_us = 16.0 * static_cast<double>(n) / speed / 1e3,
                    .source = "GB gpu-small-kernels",
                    .ladder = fmt::format("{} scale {}", profile, n),
                    .fitted = fitted,
                    .mhz = std::string(profile) == "A40" ? a40_mhz : 0});
}

/// VS, vector_add.csv. Times scaled where the model takes fewer elements.
void add(std::vector<Point>& into, const char* kernel, std::size_t n, std::uint32_t block, double measured_us, const char* ladder) {
  const bool looped = std::string(kernel) == "add_strided";
  into.push_back({.profile = "T4",
                  .file = "add.cu",
                  .kernel = kernel,
                  .configuration = fmt::format("float32, {} elements, block {}{}", n, block, looped ? ", 160 blocks" : ""),
                  .grid = {looped ? 160 : blocks(n, block)},
                  .block = {block},
                  .given = {floats(n), floats(n), floats(n), whole(n)},
                  .measured_us = measured_us,
                  .source = "VS vector_add",
                  .ladder = ladder});
}

/// VS, matmul.csv.
void matmul(std::vector<Point>& into, const char* kernel, std::uint32_t n, Dim3 block, double measured_us) {
  const std::uint32_t x = blocks(n, block.x), y = blocks(n, block.y);
  into.push_back({.profile = "T4",
                  .file = "matmul.cu",
                  .kernel = kernel,
                  .configuration = fmt::format("float32, {}², block {}×{}", n, block.x, block.y),
                  .grid = {x, y},
                  .block = block,
                  .given = {floats(std::size_t{n} * n), floats(std::size_t{n} * n), floats(std::size_t{n} * n), whole(n)},
                  .measured_us = measured_us,
                  .source = "VS matmul",
                  .ladder = fmt::format("T4 matmul {}", n),
                  .fitted = std::string(kernel) == "by_row",
                  .defines = {{"TILE", fmt::format("{}", block.x)}}});
}

/// KW: reductions of 2^25 numbers, transposes of 4096², chains on 528 blocks of 256.
void kernel_wiki(std::vector<Point>& into) {
  constexpr std::size_t n = std::size_t{1} << 25;
  const auto sum = [&](const char* kernel, std::uint32_t grid, double us, bool fitted) {
    into.push_back({.profile = "H200",
                    .file = "sum.cu",
                    .kernel = kernel,
                    .configuration = fmt::format("float32, 2^25, {} blocks of 256", grid),
                    .grid = {grid},
                    .block = {256},
                    .given = {floats(n), floats(1), whole(n)},
                    .measured_us = us,
                    .source = "KW atomic-reduction",
                    .ladder = "H200 sum",
                    .fitted = fitted});
  };
  sum("naive", 131072, 58900, true);
  sum("by_block", 131072, 238, false);
  sum("strided", 2112, 39, false);
  for (const auto& [steps, us] : std::vector<std::pair<int, double>>{{64, 3.25}, {1024, 19.0}, {4096, 68.6}})
    into.push_back({.profile = "H200",
                    .file = "chain.cu",
                    .kernel = "chain",
                    .configuration = fmt::format("{} steps, 528 blocks of 256", steps),
                    .grid = {528},
                    .block = {256},
                    .given = {floats(528 * 256), whole(static_cast<std::size_t>(steps))},
                    .measured_us = us,
                    .source = "KW launch-overhead",
                    .ladder = "H200 chain"});
  constexpr std::size_t side = 4096;
  for (const auto& [kernel, us] : std::vector<std::pair<const char*, double>>{{"straight", 254}, {"tile32", 136.3}, {"tile33", 79.6}})
    into.push_back({.profile = "H200",
                    .file = "transpose.cu",
                    .kernel = kernel,
                    .configuration = "float32, 4096²",
                    .grid = {128, 128},
                    .block = {32, 32},
                    .given = {floats(side * side), floats(side * side), whole(side)},
                    .measured_us = us,
                    .source = "KW smem-tile-reuse",
                    .ladder = "H200 transpose"});
}

/// The course's own: diffusion on an A40 (the seed), and NumPy's hypot as a kernel on a GPU that it does not name.
void course(std::vector<Point>& into) {
  constexpr std::size_t side = 2000;
  into.push_back({.profile = "A40",
                  .file = "diffusion.cu",
                  .kernel = "diffuse",
                  .configuration = "float32, 2000², 8×8",
                  .grid = {250, 250},
                  .block = {8, 8},
                  .given = {floats(side * side), floats(side * side), floats(side * side), whole(side), {Scalar::of(0.25f), 0}},
                  .measured_us = 270,
                  .source = "course",
                  .mhz = a40_mhz,
                  .defines = {{"TILE", "8"}, {"SYNC", "1"}, {"IN_PLACE", "0"}, {"FAST", "0"}}});
}

}  // namespace

const std::vector<Point>& points() {
  static const std::vector<Point> all = [] {
    std::vector<Point> p;
    stream(p, "A40", "init", 1, true, {{32, 201}, {64, 397}, {128, 679}});
    stream(p, "H200", "init", 1, true, {{32, 297}, {128, 1163}, {256, 2196}, {512, 3670}});
    stream(p, "A40", "read", 1, true, {{32, 82}, {128, 304}, {256, 552}});
    stream(p, "H200", "read", 1, true, {{32, 123}, {256, 935}, {1024, 2756}});
    stream(p, "A40", "scale", 2, false, {{32, 154}, {64, 290}, {128, 514}, {256, 643}, {512, 655}});
    stream(p, "H200", "scale", 2, false, {{32, 240}, {64, 463}, {128, 852}, {256, 1395}, {512, 2263}, {1024, 3165}});
    stream(p, "A40", "triad", 3, false, {{32, 219}, {128, 625}, {512, 655}});
    stream(p, "H200", "triad", 3, false, {{32, 334}, {256, 1905}, {1024, 3534}});
    stream(p, "A40", "stencil3", 2, false, {{32, 142}, {128, 466}, {512, 655}});
    stream(p, "H200", "stencil3", 2, false, {{32, 222}, {256, 1338}, {1024, 3128}});
    stream(p, "A40", "stencil5", 2, false, {{32, 126}, {128, 391}, {512, 641}});
    stream(p, "H200", "stencil5", 2, false, {{32, 218}, {256, 1315}, {1024, 3110}});
    small(p, "A40", 1036569, false, {{32, 562}, {256, 532}});
    small(p, "H200", 10058284, true, {{32, 838}, {64, 1648}});
    small(p, "H200", 1036569, false, {{32, 759}, {64, 1366}, {256, 3169}});
    small(p, "H200", 214958, false, {{32, 537}, {256, 1188}});
    add(p, "add", 1024, 256, 2.718, "T4 add sizes");
    add(p, "add", 262144, 256, 4.321, "T4 add sizes");
    add(p, "add", 1048576, 256, 50.85, "T4 add sizes");
    add(p, "add", 16777216, 256, 783.6, "T4 add sizes");
    add(p, "add_strided", 262144, 256, 3.482, "T4 add looped sizes");
    add(p, "add_strided", 1048576, 256, 52.68, "T4 add looped sizes");
    add(p, "add_strided", 16777216, 256, 890.1, "T4 add looped sizes");
    // 2^26 elements, 3.649 … 3.114 ms: scaled to 2^24.
    add(p, "add", 16777216, 32, 3648.6 / 4, "T4 add blocks");
    add(p, "add", 16777216, 64, 3126.6 / 4, "T4 add blocks");
    add(p, "add", 16777216, 1024, 3114.1 / 4, "T4 add blocks");
    matmul(p, "by_row", 128, {32, 8}, 87.75);
    matmul(p, "by_column", 128, {32, 8}, 8.464);
    matmul(p, "tiled", 128, {32, 32}, 9.830);
    matmul(p, "by_row", 256, {32, 8}, 599.7);
    matmul(p, "by_column", 256, {32, 8}, 45.79);
    matmul(p, "tiled", 256, {32, 32}, 40.16);
    matmul(p, "by_row", 512, {32, 8}, 4434.9);
    matmul(p, "by_column", 512, {32, 8}, 329.3);
    matmul(p, "tiled", 512, {32, 32}, 293.2);
    matmul(p, "by_row", 1024, {32, 8}, 35066.6);
    matmul(p, "by_column", 1024, {32, 8}, 4049.1);
    matmul(p, "by_column", 1024, {8, 8}, 6748.4);
    matmul(p, "tiled", 1024, {8, 8}, 4098.6);
    matmul(p, "tiled", 1024, {16, 16}, 2742.3);
    matmul(p, "tiled", 1024, {32, 32}, 2636.5);
    kernel_wiki(p);
    course(p);
    return p;
  }();
  return all;
}

}  // namespace warpbook::bench
