// Lesson 17: the column sums of a matrix product. A published kernel, its mistakes, and what makes it fast: tiles, registers, and
// above all less work.
#include "lessons/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lessons/17_matrix_product/product.h"
#include "lessons/17_matrix_product/versions.h"
#include "lessons/17_matrix_product/walk.h"
#include "lessons/clock_figures.h"
#include "lessons/experiment.h"
#include "lessons/host.h"

namespace warpbook::lessons {

const Lesson& matrix_product();

namespace {

using matrices::all_mends;
using matrices::Content;
using matrices::Matrices;
using matrices::Mends;
using matrices::Peaks;
using matrices::Plan;
using matrices::Product;
using matrices::Shape;
using matrices::Version;
using matrices::Work;

constexpr Shape documents{10'000, 5'000, 7'000};  // the matrices for which the kernel was written
constexpr double tolerance = 1e-5;                // relative error of a column's sum

Plan plan_of(const Values& values) {
  const auto size = [&](const char* id) { return static_cast<std::size_t>(values.integer(id)); };
  return {.version = values.integer("version"),
          .mends = {.less = values.on("less"),
                    .whole = values.on("whole"),
                    .along_rows = values.on("along_rows"),
                    .float32 = values.on("float32")},
          .shape = {size("m"), size("k"), size("n")},
          .launches = static_cast<std::uint32_t>(values.integer("launches"))};
}

// ---- right or wrong ----

struct Judged {
  std::int64_t wrong = 0;
  double largest_error = 0;  // relative error of a column's sum
  double times_right = 0;    // sum of out / the right sum
};

Judged judge(const std::vector<float>& out, const std::vector<double>& right) {
  Judged judged;
  for (std::size_t y = 0; y < right.size(); ++y) {
    const double error = std::abs(out[y] - right[y]) / right[y];
    judged.wrong += !(error <= tolerance);
    if (!(error <= judged.largest_error)) judged.largest_error = error;
  }
  const double should_be = std::accumulate(right.begin(), right.end(), 0.0);
  judged.times_right = should_be > 0 ? std::accumulate(out.begin(), out.end(), 0.0) / should_be : 0;
  return judged;
}

Curves curves_of(const std::vector<float>& out, const std::vector<double>& right, const Judged& judged) {
  Curves curves{.expected = std::vector<float>(right.begin(), right.end()), .got = out};
  curves.title = judged.wrong > 0 ? fmt::format("{} of {} column sums are wrong", judged.wrong, right.size())
                                  : fmt::format("All {} column sums are right", right.size());
  return curves;
}

// ---- what the page says ----

/// How much work is saved, and how much faster a device could be, if A's column sums are computed first.
struct Gain {
  double operations = 0, time = 0;
};
Gain gain_of(const Shape& shape, const Peaks& peaks) {
  const Work product = matrices::work_of({.version = Version::naive, .shape = shape}),
             sums = matrices::work_of({.version = Version::sums_first, .shape = shape});
  const double shortest = matrices::least_us(sums, peaks);
  return {.operations = product.operations() / sums.operations(),
          .time = shortest > 0 ? matrices::least_us(product, peaks) / shortest : 0};
}

std::string say(const Judged& judged, const Plan& plan, const Roofline& roofline) {
  const Roofline::Version& chosen = roofline.versions[roofline.chosen];
  std::string said;
  if (judged.wrong > 0) {
    said = fmt::format("{} of {} column sums are wrong. Together they are {:.2f} times what they should be.", judged.wrong,
                       plan.shape.n, judged.times_right);
  } else {
    said = judged.largest_error > 0 ? fmt::format("All column sums are right: the largest error is {:.2f} millionths of a sum.",
                                                  1e6 * judged.largest_error)
                                    : std::string("All column sums are right, to the last digit.");
  }
  if (!roofline.model && chosen.us > 0)
    said += fmt::format(" The times are those of matrices with {0} × {0} times as many elements.", matrices::times_on_gpu);
  return said;
}

std::vector<Number> numbers_of(const Plan& plan, const std::vector<float>& out, const std::vector<double>& right,
                               const Judged& judged, const Roofline& roofline) {
  using Tone = Number::Tone;
  const Roofline::Version& chosen = roofline.versions[roofline.chosen];
  const bool is_model = roofline.model;
  const Gain gain = gain_of(documents, {roofline.memory_gb_per_s, roofline.float32_gflop_per_s, roofline.float64_gflop_per_s});
  const int decimals = out[0] == std::floor(out[0]) && right[0] == std::floor(right[0]) ? 0 : 1;
  const bool less_to_do = plan.version == Version::sums_first;
  std::vector<Number> numbers{
      {.name = "first_sum",
       .label = to_say("out[0]"),
       .value = out[0],
       .tone = judged.wrong > 0 ? Tone::bad : Tone::first,
       .decimals = decimals},
      {.name = "should_be", .label = to_say("out[0] should be"), .value = right[0], .decimals = decimals},
      {.name = "wrong",
       .label = to_say("Wrong, of {elements}", "elements"_a = plan.shape.n),
       .value = double(judged.wrong),
       .tone = judged.wrong > 0 ? Tone::bad : Tone::second},
      {.name = "us",
       .label = is_model ? to_say("Time (model)") : to_say("Time"),
       .value = chosen.us,
       .tone = Tone::measured,
       .decimals = 1,
       .unit = "µs",
       .of_device = true},
      {.name = "times_right", .label = to_say("Times what is right"), .value = judged.times_right, .decimals = 3, .on_page = false},
      {.name = "largest_error", .label = to_say("Largest error"), .value = judged.largest_error, .decimals = 9, .on_page = false},
      {.name = "of_roof",
       .label = is_model ? to_say("Of its lowest roof (model)") : to_say("Of its lowest roof"),
       .value = 100 * chosen.share,
       .unit = "%",
       .on_page = false,
       .of_device = true},
      {.name = "gflop_per_s",
       .label = is_model ? to_say("Rate (model)") : to_say("Rate"),
       .value = chosen.gflop_per_s(),
       .unit = "GFLOP/s",
       .on_page = false,
       .of_device = true},
      {.name = "operations", .label = to_say("Operations"), .value = chosen.operations, .on_page = false, .of_device = true},
      {.name = "fewer_operations",
       .label = to_say("Fewer operations (notes)"),
       .value = gain.operations,
       .tone = Tone::good,
       .unit = "×",
       .on_page = less_to_do},
      {.name = "faster_at_peaks",
       .label = to_say("Faster at peaks (notes)"),
       .value = gain.time,
       .tone = Tone::good,
       .unit = "×",
       .on_page = less_to_do && gain.time > 0,
       .of_device = true}};
  add_times(numbers, roofline);
  return numbers;
}

Result<Outcome> run(Host& host, const Values& values, gpu::Job*) {
  const Stopwatch watch;
  const Plan plan = plan_of(values);
  const auto content = static_cast<Content>(values.integer("values"));
  const Matrices inputs = matrices::matrices_for(content, plan.shape);
  auto product = matrices::multiply(host, plan, inputs.a, inputs.b, gpu::Observe::all());
  if (!product) return failure(product.error());
  if (!product->report.ok()) return without_results(std::move(product->report));
  auto traced = matrices::trace(host, plan, content);
  if (!traced) return failure(traced.error());
  auto roofline = matrices::compare(host, plan, content, *product);
  if (!roofline) return failure(roofline.error());

  const std::vector<double> right = matrices::reference(plan.shape, inputs.a, inputs.b);
  const Judged judged = judge(product->out, right);
  Outcome outcome;
  outcome.numbers = numbers_of(plan, product->out, right, judged, *roofline);
  outcome.note = say(judged, plan, *roofline);
  if (*traced) {
    outcome.figures.emplace_back(std::move((*traced)->walk));
    outcome.figures.emplace_back(std::move((*traced)->requests));
  }
  outcome.figures.emplace_back(curves_of(product->out, right, judged));
  outcome.figures.emplace_back(std::move(*roofline));
  outcome.report = std::move(product->report);
  outcome.seconds = watch.seconds();
  return outcome;
}

// ---- the lesson ----

std::map<std::string, double> preset(int version, const Mends& mends, const Shape& shape, Content content, int launches = 1) {
  return {{"version", version},       {"less", mends.less},   {"whole", mends.whole}, {"along_rows", mends.along_rows},
          {"float32", mends.float32}, {"m", double(shape.m)}, {"k", double(shape.k)}, {"n", double(shape.n)},
          {"values", content},        {"launches", launches}};
}

std::vector<Preset> presets() {
  constexpr Shape asked{16, 32, 16}, tall{32, 16, 16}, no_multiple{24, 24, 24}, larger{128, 128, 128};
  constexpr Mends correct{.less = true, .whole = true};
  return {{to_say("As found"), preset(Version::tiles, {}, asked, Content::ones)},
          {to_say("Its loop mended"), preset(Version::tiles, {.whole = true}, asked, Content::ones)},
          {to_say("32 rows of 16"), preset(Version::tiles, {}, tall, Content::ones)},
          {to_say("No multiple of 16"), preset(Version::tiles, {.whole = true}, no_multiple, Content::scattered)},
          {to_say("Its guards mended"), preset(Version::tiles, correct, no_multiple, Content::scattered)},
          {to_say("Three launches"), preset(Version::tiles, correct, no_multiple, Content::scattered, 3)},
          {to_say("Larger"), preset(Version::tiles, correct, larger, Content::scattered), "roofline"},
          {to_say("A float sum"),
           preset(Version::tiles, {.less = true, .whole = true, .float32 = true}, larger, Content::scattered), "roofline"},
          {to_say("All mended"), preset(Version::tiles, all_mends, larger, Content::scattered), "roofline"},
          {to_say("2 × 2 in registers"), preset(Version::registers_2, all_mends, larger, Content::scattered), "roofline"},
          {to_say("4 × 4 in registers"), preset(Version::registers_4, all_mends, larger, Content::scattered), "roofline"},
          {to_say("Column sums first"), preset(Version::sums_first, all_mends, larger, Content::scattered), "roofline"}};
}

Control toggle(std::string id, const ToSay& label, std::string define, const ToSay& help) {
  return {.id = std::move(id), .label = label, .kind = Control::Kind::toggle, .define = std::move(define), .help = help};
}

Control size(std::string id, const ToSay& label, double initial, const ToSay& help) {
  return {.id = std::move(id), .label = label, .initial = initial, .least = 1, .most = 256, .logarithmic = true, .help = help};
}

std::vector<Control> controls() {
  return {{.id = "version",
           .label = to_say("Kernel"),
           .kind = Control::Kind::choice,
           .initial = Version::tiles,
           .most = Version::sums_first,
           .options = {{"naive", to_say("An element a thread")},
                       {"tiles", to_say("Tiles")},
                       {"registers_2", to_say("2 × 2 elements a thread")},
                       {"registers_4", to_say("4 × 4 elements a thread")},
                       {"sums_first", to_say("Column sums first")}},
           .define = "VERSION",
           .help = to_say("How the sums are computed. The four mends below belong to the kernel with tiles.")},
          toggle("whole", to_say("Loop over all of k"), "WHOLE",
                 to_say("The kernel goes over all tiles of a row; as found, over gridDim.x tiles.")),
          toggle("less", to_say("Guards with <"), "LESS", to_say("As found, the guards have <=.")),
          toggle("float32", to_say("Float sum"), "FLOAT", to_say("As found, the sum is a double.")),
          toggle("along_rows", to_say("Lanes along rows"), "ALONG_ROWS",
                 to_say("Neighbouring lanes take neighbouring elements of a row; as found, of a column.")),
          size("m", to_say("Rows of A: m"), 16, to_say("The product has as many rows.")),
          size("k", to_say("Columns of A: k"), 32, to_say("B has as many rows.")),
          size("n", to_say("Columns of B: n"), 16, to_say("The product has as many columns, and out as many elements.")),
          {.id = "values",
           .label = to_say("Elements"),
           .kind = Control::Kind::choice,
           .initial = Content::ones,
           .most = Content::scattered,
           .options = {{"ones", to_say("All 1")}, {"scattered", to_say("Between 0 and 1")}},
           .help = to_say("What the matrices hold.")},
          {.id = "launches",
           .label = to_say("Launches"),
           .initial = 1,
           .least = 1,
           .most = 5,
           .help = to_say("One after the other. out is set to zero before the first one only."),
           .later = true}};
}

}  // namespace

const Lesson& matrix_product() {
  static const Lesson lesson{.id = "17_matrix_product",
                             .number = "17",
                             .title = "Matrix multiply",
                             .rail_title = "Matrix multiply",
                             .kernel_file = "matmul.cu",
                             .kernel = "product",
                             .controls = controls(),
                             .presets = presets(),
                             .views = {"tile_walk", "memory_map", "curves", "roofline"},
                             .guesses = {"first_sum"},
                             .markings = {},
                             .more_macros = {},
                             .run = run,
                             .live = {}};
  return lesson;
}

}  // namespace warpbook::lessons
