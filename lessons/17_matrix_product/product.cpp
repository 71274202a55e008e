#include "lessons/17_matrix_product/product.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "gpu/arithmetic.h"
#include "lessons/experiment.h"

namespace warpbook::lessons::matrices {

namespace {

constexpr std::size_t columns_of_block = 64;     // if A has one row
constexpr std::size_t rows_for_each_thread = 8;  // … of B

std::uint32_t blocks(std::size_t cells, std::size_t of) { return static_cast<std::uint32_t>((cells + of - 1) / of); }

gpu::Dim3 grid_of(int version, const Shape& shape) {
  if (version == sums_first) return {blocks(shape.n, columns_of_block), blocks(shape.k, rows_for_each_thread)};
  const std::size_t side = side_of_tile * (version == registers_2 ? 2 : version == registers_4 ? 4 : 1);
  return {blocks(shape.m, side), blocks(shape.n, side)};
}

gpu::Dim3 block_of(int version) {
  return version == sums_first ? gpu::Dim3{columns_of_block} : gpu::Dim3{side_of_tile, side_of_tile};
}

/// The arrays of a product. If A's column sums come first, a row of ones is multiplied by A, and the result by B.
struct Arrays {
  gpu::Buffer a, b, out;
  std::vector<gpu::Buffer> ones_and_sums;  // empty, or both
};

Result<Arrays> arrays_of(Host& host, const Plan& plan, std::span<const float> a, std::span<const float> b) {
  const auto& [m, k, n] = plan.shape;
  Arrays arrays;
  auto on_device = host.to_device<float>("A", a, {m, k});
  if (!on_device) return failure(on_device.error());
  arrays.a = *on_device;
  if (on_device = host.to_device<float>("B", b, {k, n}); !on_device) return failure(on_device.error());
  arrays.b = *on_device;
  if (on_device = host.zeros<float>("out", {n}); !on_device) return failure(on_device.error());
  arrays.out = *on_device;
  if (plan.version != sums_first) return arrays;
  if (on_device = host.fill("ones", {m}, gpu::Scalar::of(1.0F)); !on_device) return failure(on_device.error());
  arrays.ones_and_sums.push_back(*on_device);
  if (on_device = host.zeros<float>("sums", {k}); !on_device) return failure(on_device.error());
  arrays.ones_and_sums.push_back(*on_device);
  return arrays;
}

struct Step {
  gpu::Buffer a, b, out;
  Shape shape;
};

std::vector<Step> steps_of(const Plan& plan, const Arrays& arrays) {
  const auto& [m, k, n] = plan.shape;
  if (plan.version != sums_first) return {{arrays.a, arrays.b, arrays.out, plan.shape}};
  return {{arrays.ones_and_sums[0], arrays.a, arrays.ones_and_sums[1], {1, m, k}},
          {arrays.ones_and_sums[1], arrays.b, arrays.out, {1, k, n}}};
}

Result<gpu::LaunchReport> launch(Host& host, int version, const Step& step, const gpu::Observe& observe) {
  const auto number = [](std::size_t value) { return gpu::Scalar::of(static_cast<std::int32_t>(value)); };
  auto report = host.launch("product", grid_of(version, step.shape), block_of(version),
                            {step.a, step.b, step.out, number(step.shape.m), number(step.shape.k), number(step.shape.n)},
                            {.observe = observe, .schedule = gpu::Schedule::clock});
  if (report && report->status == "cancelled") return failure("cancelled", "Cancelled. Press Run to start again.");
  return report;
}

/// Makes all launches and records their results in `product`. False: one failed.
Result<bool> launch_all(Host& host, const Plan& plan, const Arrays& arrays, const gpu::Observe& observe, Product& product) {
  bool first = true;
  std::vector<gpu::AccessRecord> trace;
  std::uint64_t cycles = 0;  // of the launches so far
  for (std::uint32_t round = 0; round < plan.launches; ++round) {
    if (round > 0 && plan.version == sums_first) {  // this array is internal; the caller resets out
      if (auto cleared = host.refill(arrays.ones_and_sums[1], gpu::Scalar::of(0.0F)); !cleared) return failure(cleared.error());
    }
    for (const Step& step : steps_of(plan, arrays)) {
      auto report = launch(host, plan.version, step, observe);
      if (!report) return failure(report.error());
      if (round == 0) product.us += microseconds(*report);
      for (gpu::AccessRecord& record : report->trace) {
        record.issued += cycles;
        trace.push_back(record);
      }
      cycles += report->cycles.value_or(0);
      const bool ok = report->ok();
      if (first || !ok || report->findings.size() > product.report.findings.size()) product.report = std::move(*report);
      first = false;
      if (!ok) return false;
    }
  }
  product.report.trace = std::move(trace);
  return true;
}

/// All 1, or scattered between 0 and 1 and exact in float32 (24 bits). B continues where A ends.
std::vector<float> matrix(Content content, std::size_t rows, std::size_t columns, std::size_t first) {
  std::vector<float> elements(rows * columns, 1.0F);
  if (content == ones) return elements;
  for (std::size_t i = 0; i < elements.size(); ++i)
    elements[i] = static_cast<float>(static_cast<std::uint32_t>(first + i) * 2654435761U >> 8) * 0x1p-24F;
  return elements;
}

}  // namespace

Matrices matrices_for(Content content, const Shape& shape) {
  return {.a = matrix(content, shape.m, shape.k, 0), .b = matrix(content, shape.k, shape.n, shape.m * shape.k)};
}

std::string Plan::label() const {
  switch (version) {
    case naive:
      return "an element a thread";
    case registers_2:
      return "2 × 2 elements a thread";
    case registers_4:
      return "4 × 4 elements a thread";
    case sums_first:
      return "column sums of A first";
    default:
      break;
  }
  if (mends == Mends{}) return "tiles, as found";
  return mends == all_mends ? "tiles, mended" : "tiles, partly mended";
}

void define(Host& host, const Plan& plan) {
  host.define("VERSION", fmt::format("{}", plan.version));
  host.define("LESS", plan.mends.less ? "1" : "0");
  host.define("WHOLE", plan.mends.whole ? "1" : "0");
  host.define("ALONG_ROWS", plan.mends.along_rows ? "1" : "0");
  host.define("FLOAT", plan.mends.float32 ? "1" : "0");
}

Result<Product> multiply(Host& host, const Plan& plan, std::span<const float> a, std::span<const float> b,
                         const gpu::Observe& observe, bool trace_matrices) {
  define(host, plan);
  auto arrays = arrays_of(host, plan, a, b);
  if (!arrays) return failure(arrays.error());
  gpu::Observe wanted = observe;
  if (trace_matrices) wanted.trace = {arrays->a.id, arrays->b.id};
  Product product{.matrices = {arrays->a, arrays->b}};
  auto ended = launch_all(host, plan, *arrays, wanted, product);
  if (!ended) return failure(ended.error());
  if (*ended) {
    auto out = host.copy_to_host<float>(arrays->out);
    if (!out) return failure(out.error());
    product.out = std::move(*out);
  }
  for (const gpu::Buffer& buffer : {arrays->a, arrays->b, arrays->out}) host.release(buffer);
  for (const gpu::Buffer& buffer : arrays->ones_and_sums) host.release(buffer);
  return product;
}

std::vector<double> reference(const Shape& shape, std::span<const float> a, std::span<const float> b) {
  std::vector<double> sums(shape.k), out(shape.n);
  for (std::size_t i = 0; i < a.size(); ++i) sums[i % shape.k] += a[i];
  for (std::size_t i = 0; i < b.size(); ++i) out[i % shape.n] += sums[i / shape.n] * b[i];
  return out;
}

Work work_of(const Plan& plan) {
  const double m = static_cast<double>(plan.shape.m), k = static_cast<double>(plan.shape.k), n = static_cast<double>(plan.shape.n);
  Work work{.bytes = sizeof(float) * (m * k + k * n + n)};
  if (plan.version == sums_first) {
    work.float32 = m * k + 2 * k * n;  // an addition for each element of A; an addition and a multiplication for each element of B
    return work;
  }
  const double products = m * k * n;  // each is a multiplication and an addition
  const bool in_float64 = plan.version == tiles && !plan.mends.float32;
  work.float64 = in_float64 ? products : 0;
  work.float32 = (in_float64 ? 1 : 2) * products + m * n;  // the last term: adding the product's elements by columns
  return work;
}

Peaks peaks_of(const gpu::DeviceInfo& device) {
  const gpu::ArithmeticPeak peak = gpu::arithmetic_peak(device);
  return {.memory = device.memory_gb_per_s, .float32 = peak.float32 / 1e9, .float64 = peak.float64 / 1e9};
}

double least_us(const Work& work, const Peaks& peaks) {
  const auto needs = [](double amount, double rate) { return rate > 0 ? amount / (rate * 1e3) : 0; };
  return std::max({needs(work.bytes, peaks.memory), needs(work.float32, peaks.float32), needs(work.float64, peaks.float64)});
}

}  // namespace warpbook::lessons::matrices
