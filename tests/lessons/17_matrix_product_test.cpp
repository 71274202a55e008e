// Lesson 17: what the course promises, on the virtual GPU. The right sums come from the whole product, in float64, element by
// element; the lesson takes a shorter way.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "app/worker/forwarding_device.h"
#include "gpu/matrix_library.h"
#include "gpu/virtual/profiles.h"
#include "lessons/17_matrix_product/product.h"
#include "tests/lessons/lesson_run.h"

namespace warpbook::lessons {
namespace {

using testing::LessonRunOnce;
using testing::number;
using testing::Settings;
using Sums = std::vector<double>;

const std::array<const char*, 5> versions{"naive", "tiles", "registers_2", "registers_4", "sums_first"};

Settings with(Settings settings, const Settings& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}
Settings sized(int m, int k, int n) { return {{"m", std::to_string(m)}, {"k", std::to_string(k)}, {"n", std::to_string(n)}}; }
const Settings mended{{"whole", "on"}, {"less", "on"}, {"float32", "on"}, {"along_rows", "on"}};

/// Element i of A, or of B, which goes on where A ends.
double scattered(std::size_t i) { return double(static_cast<std::uint32_t>(i) * 2654435761U >> 8) / double(1 << 24); }

Sums sums_of_product(std::size_t m, std::size_t k, std::size_t n) {
  Sums sums(n);
  for (std::size_t x = 0; x < m; ++x) {
    for (std::size_t y = 0; y < n; ++y) {
      double element = 0;
      for (std::size_t j = 0; j < k; ++j) element += scattered(x * k + j) * scattered(m * k + j * n + y);
      sums[y] += element;
    }
  }
  return sums;
}

class MatrixProduct : public LessonRunOnce {
 protected:
  MatrixProduct() : LessonRunOnce("17") {}

  /// One run in which all versions are timed.
  [[nodiscard]] const Outcome& larger() { return preset("All mended"); }

  static std::vector<gpu::Finding> faults(const Outcome& outcome) {
    std::vector<gpu::Finding> found;
    for (const gpu::Finding& each : outcome.report.findings) {
      if (each.kind <= gpu::FindingKind::sync) found.push_back(each);
    }
    return found;
  }
  /// The largest column of A that block 0 reads.
  static std::int32_t last_column_read(const Outcome& outcome) {
    const auto& map = testing::figure<MemoryMap>(outcome);
    const MemoryMap::Array& a = map.arrays.at(1);  // after the block's shared memory
    EXPECT_EQ(a.name, "A");
    const auto columns = static_cast<std::int32_t>(a.shape.at(1));
    std::int32_t last = -1;
    for (const gpu::AccessRecord& record : *map.requests) {
      if (record.buffer != a.buffer) continue;
      for (std::size_t lane = 0; lane < 32; ++lane) {
        if ((record.mask >> lane & 1) != 0) last = std::max(last, static_cast<std::int32_t>(record.index[lane]) % columns);
      }
    }
    return last;
  }
  Result<Outcome> run_edited(const std::string& code, const std::string& instead, const Settings& settings) {
    std::string text = kernel();
    text.replace(text.find(code), code.size(), instead);
    Host host(device(), {.kernel_file = lesson().kernel_file, .kernel_text = text, .defines = {}});
    return lesson().run(host, values(settings), nullptr);
  }
};

// ---- the question, and the faults ----

TEST_F(MatrixProduct, AsFoundTheProductIsCutShortAndNothingTellsIt) {
  const Outcome& outcome = preset("As found");
  EXPECT_EQ(number(outcome, "first_sum"), 256) << "16 rows times 16 of the 32 products";
  EXPECT_EQ(number(outcome, "should_be"), 512);
  EXPECT_EQ(number(outcome, "wrong"), 16);
  EXPECT_EQ(number(outcome, "times_right"), 0.5);
  EXPECT_TRUE(faults(outcome).empty());
  EXPECT_EQ(last_column_read(outcome), 15) << "half of A";
  EXPECT_EQ(outcome.report.grid.x, 1U);
  EXPECT_EQ(number(run({}), "first_sum"), 256) << "it is what the page begins with";
}

TEST_F(MatrixProduct, WithItsLoopMendedItIsRight) {
  const Outcome& outcome = preset("Its loop mended");
  EXPECT_EQ(number(outcome, "first_sum"), 512);
  EXPECT_EQ(number(outcome, "wrong"), 0);
  EXPECT_EQ(last_column_read(outcome), 31);
}

TEST_F(MatrixProduct, MoreRowsThanColumnsReadOutsideBothMatrices) {
  const Outcome& outcome = preset("32 rows of 16");
  EXPECT_EQ(number(outcome, "wrong"), 0);
  const auto found = faults(outcome);
  ASSERT_EQ(found.size(), 2U);
  // In no order: one warp's load of B may come before another one's of A.
  const std::map<std::string, std::int64_t> first_outside{{"A", 32 * 16}, {"B", 16 * 16}};
  for (const auto& [buffer, index] : first_outside) {
    const auto finding = std::ranges::find(found, buffer, &gpu::Finding::buffer);
    ASSERT_NE(finding, found.end()) << buffer;
    EXPECT_EQ(finding->kind, gpu::FindingKind::memory) << buffer;
    EXPECT_EQ(finding->index, index) << in_english(finding->message);
  }
}

TEST_F(MatrixProduct, TheGuardsLetReadsOutsidePassAndMendedOnesDoNot) {
  EXPECT_EQ(faults(preset("No multiple of 16")).size(), 2U);
  EXPECT_TRUE(faults(preset("Its guards mended")).empty());
  EXPECT_EQ(number(preset("Its guards mended"), "wrong"), 0);
}

TEST_F(MatrixProduct, SquareMatricesOfWholeTilesHideEverything) {
  const Outcome& outcome = run(with(sized(32, 32, 32), {{"values", "scattered"}}));
  EXPECT_EQ(number(outcome, "wrong"), 0);
  EXPECT_TRUE(faults(outcome).empty());
}

TEST_F(MatrixProduct, WhatIsNotClearedIsAddedTo) {
  const Outcome& outcome = preset("Three launches");
  EXPECT_NEAR(number(outcome, "times_right"), 3, 1e-5);
  EXPECT_EQ(number(outcome, "wrong"), 24);
  for (const char* version : versions) {
    const Outcome& twice = run(with(mended, {{"version", version}, {"launches", "2"}}));
    EXPECT_NEAR(number(twice, "times_right"), 2, 1e-5) << version;
  }
}

TEST_F(MatrixProduct, ThePictureShowsWhatBlock0NeedsAndNeverLoads) {
  const auto missing = [](const TileWalk::Matrix& matrix) {
    return std::count_if(matrix.elements.begin(), matrix.elements.end(),
                         [](const TileWalk::Element& one) { return one.needed && one.by_block_0 == 0; });
  };
  const auto& found = testing::figure<TileWalk>(preset("As found"));
  EXPECT_EQ(found.a.name, "A");
  EXPECT_EQ(found.a.loaded(), 256U);
  EXPECT_EQ(found.b.loaded(), 256U);
  EXPECT_EQ(missing(found.a), 256);
  EXPECT_EQ(missing(found.b), 256);
  EXPECT_EQ(found.turns, 2U);
  const auto& whole = testing::figure<TileWalk>(preset("Its loop mended"));
  EXPECT_EQ(missing(whole.a) + missing(whole.b), 0);
  for (const TileWalk::Element& one : whole.a.elements) EXPECT_EQ(one.by_block_0, 1U) << "once into the tile";
}

TEST_F(MatrixProduct, ThePictureShowsTheReadsBeyondTheEnd) {
  const auto& tall = testing::figure<TileWalk>(preset("32 rows of 16"));
  ASSERT_EQ(tall.a.elements.size(), 32U * 16 + 1) << "one element beyond the end, by one thread of the last row";
  EXPECT_EQ(tall.a.elements.back().by_all, 1U);
  ASSERT_EQ(tall.b.elements.size(), 16U * 16 + 1);
  EXPECT_EQ(tall.b.elements.back().by_all, 2U * 16) << "16 columns in the second turn of two blocks";
  EXPECT_EQ(tall.title, "The kernel reads beyond the end of A and of B");
  EXPECT_EQ(testing::figure<TileWalk>(preset("Its guards mended")).a.elements.size(), 24U * 24);
}

TEST_F(MatrixProduct, ASmallerPictureKeepsWhatIsWrong) {
  const auto& cut = testing::figure<TileWalk>(run(sized(32, 48, 16)));
  EXPECT_EQ(cut.a.rows, 16U);
  EXPECT_EQ(cut.a.columns, 32U);
  EXPECT_EQ(cut.title, "In a smaller product, block 0 loads 256 of the 512 elements of A that it needs, and 256 of the 512 of B");
  const auto& edges = testing::figure<TileWalk>(run(with(sized(40, 40, 40), {{"whole", "on"}})));
  EXPECT_EQ(edges.a.rows, 24U) << "no multiple of 16, as 40";
  EXPECT_GT(edges.a.elements.size(), 24U * 24);
}

TEST_F(MatrixProduct, WithoutTilesABlockLoadsEachElementSixteenTimes) {
  const auto& walk = testing::figure<TileWalk>(run({{"version", "naive"}}));
  for (const TileWalk::Matrix* matrix : {&walk.a, &walk.b}) {
    for (const TileWalk::Element& one : matrix->elements) ASSERT_EQ(one.by_block_0, 16U) << matrix->name;
  }
  const auto& sums = testing::figure<TileWalk>(run({{"version", "sums_first"}}));
  for (const TileWalk::Matrix* matrix : {&sums.a, &sums.b}) {
    for (const TileWalk::Element& one : matrix->elements) ASSERT_EQ(one.by_all, 1U) << matrix->name << ": two launches";
  }
}

// ---- right or wrong ----

TEST_F(MatrixProduct, EveryVersionGivesTheSumsOfTheWholeProduct) {
  constexpr std::size_t m = 37, k = 41, n = 29;
  const Sums right = sums_of_product(m, k, n);
  for (const char* version : versions) {
    const Outcome& outcome = run(with(with(mended, sized(m, k, n)), {{"version", version}, {"values", "scattered"}}));
    const auto& curves = testing::figure<Curves>(outcome);
    ASSERT_EQ(curves.got.size(), n);
    for (std::size_t y = 0; y < n; ++y) {
      EXPECT_NEAR(curves.got[y], right[y], 2e-6 * right[y]) << version << " " << y;
      EXPECT_NEAR(curves.expected[y], right[y], 1e-7 * right[y]) << version << " " << y;
    }
    EXPECT_EQ(number(outcome, "wrong"), 0) << version;
    EXPECT_LT(number(outcome, "largest_error"), 1e-6) << version;
    EXPECT_TRUE(faults(outcome).empty()) << version;
  }
}

TEST_F(MatrixProduct, EveryMendAloneLeavesTheSumsAsTheyWere) {
  for (const auto& [id, on] : mended) {
    if (id == "whole") continue;
    EXPECT_EQ(number(run({{id, on}}), "first_sum"), 256) << id;
    EXPECT_EQ(number(run({{"whole", "on"}, {id, on}}), "first_sum"), 512) << id;
  }
}

TEST_F(MatrixProduct, CountsWhatAnEditedKernelComputesWrong) {
  const auto outcome = run_edited("if (tx == 0 && y < n)", "if (tx == 0 && y < n && y != 3)", mended);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(number(*outcome, "wrong"), 1);
}

// ---- what it costs ----

TEST_F(MatrixProduct, LanesDownColumnsTakeFourTimesTheSectors) {
  const auto per_request = [](const Outcome& outcome) {
    std::uint64_t sectors = 0, requests = 0;
    for (const gpu::LineCounts& line : outcome.report.lines) {
      sectors += line.sectors;
      requests += line.global_requests;
    }
    return double(sectors) / double(requests);
  };
  EXPECT_EQ(per_request(preset("Its loop mended")), 16);
  EXPECT_EQ(per_request(run(mended)), 4);
}

TEST_F(MatrixProduct, OnlyTheDoubleSumComputesInFloat64) {
  const auto float64_of = [](const Outcome& outcome) {
    std::uint64_t operations = 0;
    for (const gpu::LineCounts& line : outcome.report.lines) operations += line.float64_operations;
    return operations;
  };
  EXPECT_EQ(float64_of(preset("As found")), 16U * 16 * 16) << "an addition for each product";
  EXPECT_EQ(float64_of(run({{"float32", "on"}})), 0U);
}

TEST_F(MatrixProduct, EachVersionIsFasterThanTheOneBefore) {
  const Outcome& outcome = larger();
  const auto us = [&](const char* letter) { return number(outcome, std::string("us_of_") + letter); };
  EXPECT_GT(us("A"), 2 * us("B")) << "as found, slower than without any tile (model)";
  EXPECT_GT(us("B"), us("C"));
  EXPECT_GT(us("C"), us("D"));
  EXPECT_GT(us("D"), us("F"));
  EXPECT_GT(us("E"), us("D")) << "four blocks only";
  EXPECT_GT(us("F"), 0);
  const auto& roofline = testing::figure<Roofline>(outcome);
  ASSERT_EQ(roofline.versions.size(), 6U);
  EXPECT_EQ(roofline.chosen, 2U);
  EXPECT_EQ(number(outcome, "us"), us("C"));
}

TEST_F(MatrixProduct, APartlyMendedKernelStandsBesideTheSix) {
  const auto& roofline = testing::figure<Roofline>(preset("Its loop mended"));
  ASSERT_EQ(roofline.versions.size(), 7U);
  EXPECT_EQ(roofline.chosen, 6U);
  EXPECT_EQ(roofline.versions[6].label, "tiles, partly mended");
}

TEST_F(MatrixProduct, NoPointStandsAboveARoof) {
  const auto& roofline = testing::figure<Roofline>(larger());
  EXPECT_FALSE(roofline.counted);
  const double side = 128, products = side * side * side, bytes = 4 * (2 * side * side + side);
  for (const Roofline::Version& one : roofline.versions) {
    EXPECT_GT(one.share, 0) << one.label;
    EXPECT_LE(one.share, 1) << one.label;
    EXPECT_EQ(one.bytes, bytes) << one.label;
    EXPECT_EQ(one.operations, one.letter == "F" ? 3 * side * side : 2 * products + side * side) << one.label;
    EXPECT_EQ(one.float64, one.letter == "A") << one.label;
    EXPECT_LE(one.gflop_per_s(), roofline.memory_gb_per_s * one.intensity()) << one.label;
    EXPECT_LE(one.gflop_per_s(), roofline.float32_gflop_per_s) << one.label;
  }
  EXPECT_EQ(roofline.versions[0].lowest, Roofline::Limit::float64);
  EXPECT_EQ(roofline.versions[2].lowest, Roofline::Limit::float32);
  EXPECT_EQ(roofline.versions[5].lowest, Roofline::Limit::memory);
  EXPECT_LT(roofline.versions[5].gflop_per_s(), roofline.versions[2].gflop_per_s()) << "the lowest rate, and the shortest time";
}

// ---- the algebra ----

TEST_F(MatrixProduct, ForTheDocumentsMatricesThereIsFarLessToDoButNotAsMuchLessTimeToSpend) {
  const double m = 1e4, k = 5e3, n = 7e3;
  EXPECT_NEAR(number(run({}), "fewer_operations"), (2 * m * k * n + m * n) / (m * k + 2 * k * n), 1e-6);
  EXPECT_NEAR(number(run({}), "fewer_operations"), 5800, 50) << "as the page says";
  for (const gpu::Profile& profile : gpu::profiles()) {
    if (profile.name != "A40") continue;
    const matrices::Peaks peaks = matrices::peaks_of(gpu::device_info(profile));
    const matrices::Shape shape{10'000, 5'000, 7'000};
    const double product = matrices::least_us(matrices::work_of({.version = matrices::naive, .shape = shape}), peaks),
                 sums = matrices::least_us(matrices::work_of({.version = matrices::sums_first, .shape = shape}), peaks);
    EXPECT_NEAR(product, 2 * m * k * n / (84 * 128 * 2 * 1.74e3), 20) << "84 SMs with 128 units";
    EXPECT_NEAR(product / 1e3, 19, 0.5) << "ms, as the page says";
    EXPECT_NEAR(sums, 4 * (m * k + k * n) / 696e3, 0.1) << "696 GB/s";
    EXPECT_NEAR(sums / 1e3, 0.49, 0.005);
    EXPECT_NEAR(product / sums, 38, 0.5);
    return;
  }
  ADD_FAILURE() << "no A40";
}

// ---- what may go wrong ----

TEST_F(MatrixProduct, AVersionThatAnEditBreaksIsLeftOut) {
  const auto outcome = run_edited("float sum[R][R] = {}", "nonsense", mended);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(number(*outcome, "us_of_D"), 0);
  EXPECT_EQ(number(*outcome, "us_of_E"), 0);
  EXPECT_GT(number(*outcome, "us_of_C"), 0);
  EXPECT_EQ(number(*outcome, "wrong"), 0);
}

/// A device that measures, and whose maker has a library: the virtual GPU, and products on the host.
class WithALibrary : public app::ForwardingDevice, public gpu::MatrixLibrary {
 public:
  explicit WithALibrary(gpu::Device& device) : ForwardingDevice(device), info_(device.info()) { info_.is_model = false; }
  [[nodiscard]] const gpu::DeviceInfo& info() const override { return info_; }
  [[nodiscard]] gpu::MatrixLibrary* matrix_library() override { return this; }
  [[nodiscard]] std::string name() const override { return "a library"; }
  [[nodiscard]] Result<double> multiply(const gpu::Buffer& a, const gpu::Buffer& b, const gpu::Buffer& c) override {
    const std::size_t m = a.array.shape[0], k = a.array.shape[1], n = b.array.shape[1];
    EXPECT_EQ(b.array.shape[0], k);
    EXPECT_EQ(c.array.shape, (std::vector<std::size_t>{m, n}));
    shapes.push_back({double(m), double(k), double(n)});
    std::vector<float> x(m * k), y(k * n), product(m * n);
    (void)to().read(a, std::as_writable_bytes(std::span(x)));
    (void)to().read(b, std::as_writable_bytes(std::span(y)));
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < k; ++j) {
        for (std::size_t l = 0; l < n; ++l) product[i * n + l] += x[i * k + j] * y[j * n + l];
      }
    }
    (void)to().write(c, std::as_bytes(std::span<const float>(product)));
    last = product;
    return 10.0 - static_cast<double>(shapes.size()) / 4;  // each call is a little faster
  }

  std::vector<Sums> shapes;
  std::vector<float> last;

 private:
  gpu::DeviceInfo info_;
};

TEST_F(MatrixProduct, BesideALibraryItsTimeIsShown) {
  WithALibrary device(this->device());
  Host host(device, {.kernel_file = lesson().kernel_file, .kernel_text = kernel(), .defines = {}});
  const auto outcome = lesson().run(host, values(with(mended, sized(4, 6, 5))), nullptr);
  ASSERT_TRUE(outcome) << outcome.error().message;
  const Roofline& roofline = testing::figure<Roofline>(*outcome);
  ASSERT_EQ(roofline.versions.size(), 7U);
  EXPECT_EQ(roofline.versions[6].letter, "G");
  EXPECT_EQ(roofline.versions[6].label, "a library");
  ASSERT_EQ(device.shapes.size(), 10U) << "five times: the product, and ones times it";
  EXPECT_EQ(device.shapes[0], (Sums{32, 48, 40}));
  EXPECT_EQ(device.shapes[1], (Sums{1, 32, 40}));
  EXPECT_EQ(device.last, std::vector<float>(40, 32 * 48)) << "all 1: m · k each";
  EXPECT_EQ(roofline.versions[6].us, 10 - 9 / 4.0 + 10 - 10 / 4.0) << "both calls of the fastest time";
  EXPECT_EQ(number(*outcome, "us_of_G"), roofline.versions[6].us);
  EXPECT_EQ(roofline.versions[6].operations, roofline.versions[1].operations) << "it makes the whole product";
  for (const HostCall& call : host.calls()) EXPECT_NE(call.what, "ones") << "no part of the host program that is taught";
}

TEST_F(MatrixProduct, Cancels) {
  gpu::Job job;
  job.cancelled = true;
  const Result<Outcome> outcome = try_run({}, &job);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, "cancelled");
}

}  // namespace
}  // namespace warpbook::lessons
