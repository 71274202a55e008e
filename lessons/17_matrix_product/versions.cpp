#include "lessons/17_matrix_product/versions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "gpu/matrix_library.h"
#include "lessons/experiment.h"

namespace warpbook::lessons::matrices {

namespace {

using Limit = Roofline::Limit;

constexpr int repeats = 5;     // of a version on a GPU; the shortest time counts
constexpr double close = 0.5;  // a version that reaches this share of its lowest roof is limited by it

Roofline::Version under_the_roofs(const Plan& plan, double us, const Peaks& peaks) {
  const Work work = work_of(plan);
  Roofline::Version version{.us = us, .bytes = work.bytes, .operations = work.operations(), .float64 = work.float64 > 0};
  version.label = plan.label();
  const double longest = least_us(work, peaks);
  if (longest <= 0) return version;
  if (longest == least_us({.bytes = work.bytes}, peaks)) {
    version.lowest = Limit::memory;
  } else {
    version.lowest = longest == least_us({.float32 = work.float32}, peaks) ? Limit::float32 : Limit::float64;
  }
  version.share = us > 0 ? longest / us : 0;
  version.limit = version.share >= close ? version.lowest : Limit::none;
  return version;
}

/// Whether its guards permit reads outside the arrays and some iteration makes them. On a GPU such a read may be fatal.
bool may_read_outside(const Plan& plan) {
  if (plan.version != tiles || plan.mends.less) return false;
  const auto& [m, k, n] = plan.shape;
  const bool whole_tiles = m % side_of_tile == 0 && k % side_of_tile == 0 && n % side_of_tile == 0;
  return !whole_tiles || (!plan.mends.whole && m > k);
}

/// A timed version. us is 0 if an edited kernel does not compile or run this way.
Result<Roofline::Version> try_version(Host& host, const Plan& plan, const Matrices& inputs, const Peaks& peaks) {
  const bool model = host.device().is_model;
  double best = 0;
  gpu::WarpCycles waits{};
  for (int repeat = 0; repeat < (model ? 1 : repeats); ++repeat) {
    auto product = multiply(host, plan, inputs.a, inputs.b, {.memory = model});
    if (!product && product.error().code != "compile_error") return failure(product.error());
    if (!product || !product->report.ok()) break;
    best = repeat == 0 ? product->us : std::min(best, product->us);
    if (product->report.clock) waits = product->report.clock->warp_cycles;
  }
  Roofline::Version version = under_the_roofs(plan, best, peaks);
  version.waits = waits;
  return version;
}

/// The time of the vendor's library for the same sums: for the whole product, and for a row of ones times it.
Result<Roofline::Version> try_library(Host& host, gpu::MatrixLibrary& library, const Shape& shape, const Matrices& inputs,
                                      const Peaks& peaks) {
  const auto& [m, k, n] = shape;
  std::vector<gpu::Buffer> arrays;  // A, B, their product, ones, the sums
  const auto keep = [&](Result<gpu::Buffer> made) -> Result<void> {
    if (!made) return failure(made.error());
    arrays.push_back(std::move(*made));
    return {};
  };
  auto made = keep(host.to_device<float>("A", inputs.a, {m, k}));
  if (made) made = keep(host.to_device<float>("B", inputs.b, {k, n}));
  if (made) made = keep(host.zeros<float>("product", {m, n}));
  if (made) made = keep(host.fill("ones", {1, m}, gpu::Scalar::of(1.0F)));
  if (made) made = keep(host.zeros<float>("sums", {1, n}));
  Result<double> best = made ? Result<double>(0.0) : failure(made.error());
  for (int repeat = 0; repeat < repeats && best; ++repeat) {
    const auto product = library.multiply(arrays[0], arrays[1], arrays[2]);
    const auto sums = product ? library.multiply(arrays[3], arrays[2], arrays[4]) : product;
    if (!sums)
      best = sums;
    else
      best = repeat == 0 ? *product + *sums : std::min(*best, *product + *sums);
  }
  for (const gpu::Buffer& buffer : arrays) host.release(buffer);
  if (!best) return failure(best.error());
  Roofline::Version version = under_the_roofs({.version = Version::naive, .shape = shape}, *best, peaks);
  version.label = library.name();
  return version;
}

std::string title_of(const Roofline::Version& chosen) {
  if (chosen.limit == Limit::none) return "This run comes close to none of its roofs";
  return fmt::format("This run is limited by {}", chosen.limit == Limit::memory ? "the memory" : "arithmetic");
}

}  // namespace

Result<Roofline> compare(Host& host, const Plan& chosen, Content content, const Product& product) {
  const Host::Unrecorded unrecorded(host);
  const bool model = host.device().is_model;
  const Peaks peaks = peaks_of(host.device());
  Roofline roofline{.memory_gb_per_s = peaks.memory,
                    .float32_gflop_per_s = peaks.float32,
                    .float64_gflop_per_s = peaks.float64,
                    .model = model,
                    .counted = false};
  Plan timed{.version = chosen.version, .mends = chosen.mends, .shape = chosen.shape};
  if (!model) timed.shape = {times_on_gpu * chosen.shape.m, times_on_gpu * chosen.shape.k, times_on_gpu * chosen.shape.n};
  const bool takes_time = product.us > 0;  // a dry run takes none
  const Matrices inputs = takes_time ? matrices_for(content, timed.shape) : Matrices{};
  const auto time_of = [&](const Plan& plan) -> Result<Roofline::Version> {
    if (!takes_time || (!model && may_read_outside(plan))) return under_the_roofs(plan, 0, peaks);
    return try_version(host, plan, inputs, peaks);
  };
  Result<Roofline::Version> mine = model ? Result<Roofline::Version>(under_the_roofs(timed, product.us, peaks)) : time_of(timed);
  if (!mine) return failure(mine.error());
  if (product.report.clock) mine->waits = product.report.clock->warp_cycles;
  const std::array<std::pair<Version, Mends>, 6> known{{{Version::tiles, {}},
                                                        {Version::naive, {}},
                                                        {Version::tiles, all_mends},
                                                        {Version::registers_2, {}},
                                                        {Version::registers_4, {}},
                                                        {Version::sums_first, {}}}};
  roofline.chosen = known.size();
  for (const auto& [version, mends] : known) {
    const Plan plan{.version = version, .mends = mends, .shape = timed.shape};
    const bool same = plan.same_kernel(timed);
    auto tried = same ? mine : time_of(plan);
    if (!tried) return failure(tried.error());
    if (same) roofline.chosen = roofline.versions.size();
    tried->letter = std::string(1, static_cast<char>('A' + roofline.versions.size()));
    roofline.versions.push_back(std::move(*tried));
  }
  gpu::MatrixLibrary* const library = takes_time && !model ? host.bare_device().matrix_library() : nullptr;
  if (library != nullptr) {
    auto theirs = try_library(host, *library, timed.shape, inputs, peaks);
    if (!theirs) return failure(theirs.error());
    theirs->letter = 'G';
    roofline.versions.push_back(std::move(*theirs));
  }
  if (roofline.chosen == known.size()) {
    roofline.chosen = roofline.versions.size();
    roofline.versions.push_back(std::move(*mine));
  }
  roofline.title = title_of(roofline.versions[roofline.chosen]);
  define(host, chosen);
  return roofline;
}

}  // namespace warpbook::lessons::matrices
