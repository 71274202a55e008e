// Lesson 10: tiles in shared memory, a barrier between loading and using them, and a field that shows when it is missing.
#include "lessons/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <mutex>
#include <optional>
#include <utility>

#include "lessons/10_diffusion/field.h"
#include "lessons/10_diffusion/steps.h"
#include "lessons/experiment.h"
#include "lessons/host.h"
#include "lessons/inside.h"

namespace warpbook::lessons {

const Lesson& diffusion();

namespace {

using heat::Settings, heat::Stepper;

constexpr std::size_t sums_kept = 512;  // then every other one goes
constexpr double blow_up = 10;          // times the start's largest value

/// Tiles a side of the piece whose every request is recorded: enough to have a middle, few enough to record.
constexpr std::uint32_t tiles_inside(std::uint32_t tile) { return tile <= 16 ? 6 : 3; }

/// A few blocks under the model's clock, every warp and every request recorded: what the views of the inside show.
struct Inside {
  std::optional<MemoryMap> map;
  std::optional<SmTimeline> timeline;
  std::optional<OccupancyCurves> occupancy;
  std::vector<gpu::LineCounts> lines;
};

Result<Inside> look_inside(Host& host, const Settings& settings, std::span<const float> field) {
  if (!host.device().is_model) return Inside{};
  const Host::Aside aside(host);
  const std::uint32_t side =
      std::min(settings.side, settings.fast ? 2 * heat::strips_wide : tiles_inside(settings.tile) * settings.tile);
  const std::size_t from = (settings.side - side) / 2;
  std::vector<float> piece(std::size_t{side} * side);
  for (std::size_t y = 0; y < side; ++y) std::copy_n(&field[(from + y) * settings.side + from], side, &piece[y * side]);
  Stepper stepper(host, settings);
  if (auto done = stepper.upload(piece, side); !done) return failure(done.error());
  const auto arrays = stepper.arrays();
  // Only counted, not judged: what makes a step slow is another lesson's subject.
  LaunchOptions options{.schedule = gpu::Schedule::clock};
  options.observe = {.coalescing = true, .banks = true, .divergence = true, .trace_shared = true, .timeline = true};
  for (const gpu::Buffer& array : arrays) options.observe.trace.push_back(array.id);
  auto report = stepper.step(options);
  stepper.release();
  if (!report) return failure(report.error());
  if (!report->ok()) return Inside{};  // the watched step says why
  const gpu::Dim3 grid = settings.shape(side).grid;
  const std::uint32_t middle = grid.y / 2 * grid.x + grid.x / 2;
  Inside inside{.map = memory_map(*report, arrays, [&](const gpu::AccessRecord& record) { return record.block == middle; }),
                .timeline = SmTimeline{},
                .occupancy = occupancy_curves(host.device(), *report, 0),
                .lines = std::move(report->lines)};
  if (has_timeline(*report)) {
    inside.timeline->title = title_of(main_wait(*report->clock));
    inside.timeline->runs.push_back(take_run(*report, fmt::format("one step of {0} × {0} cells", side)));
  }
  return inside;
}

/// What a run or a frame has to show.
struct Measured {
  Settings settings;
  Field figure;
  gpu::LaunchReport report;
  double sum_before = 0;
  bool finite = true;
  Inside inside;
  std::optional<heat::Differences> first_step;  // against the reference
};

void measure_field(Measured& m, std::vector<float> heat) {
  const heat::Summary summary = heat::summarise(heat);
  m.figure.sums.push_back(summary.sum);
  m.finite = summary.finite;
  m.figure.blown_up = !summary.finite || std::max(-summary.least, summary.most) > blow_up * m.figure.high;
  m.figure.heat = std::make_shared<const std::vector<float>>(std::move(heat));
}

void measure_laplacian(Measured& m, std::vector<float> laplacian, bool fully) {
  if (fully) {
    m.figure.laplacian_checkerboard = heat::checkerboard_share(laplacian, m.figure.side);
    m.figure.laplacian_limit = heat::laplacian_limit(laplacian, m.figure.side);
  }
  m.figure.laplacian = std::make_shared<const std::vector<float>>(std::move(laplacian));
}

Measured begin(const Host& host, const Settings& settings, const std::shared_ptr<const std::vector<float>>& start) {
  Measured m{.settings = settings};
  const heat::Summary summary = heat::summarise(*start);
  m.sum_before = summary.sum;
  m.figure.side = settings.side;
  m.figure.tile = settings.tile;
  m.figure.heat = start;
  m.figure.laplacian = std::make_shared<const std::vector<float>>(start->size());
  m.figure.sums = {summary.sum};
  m.figure.low = 0;
  m.figure.high = summary.most;
  // Every cell is read once and written once, and its Laplacian is written: three arrays of 4 bytes a cell, over the peak
  // bandwidth. The rims that tiles read twice come from the cache.
  const double bandwidth = host.device().memory_gb_per_s;
  if (bandwidth > 0) m.figure.limit_ms = 12.0 * settings.side * settings.side / (bandwidth * 1e6);
  return m;
}

std::string say(const Measured& m) {
  const Field& figure = m.figure;
  if (figure.blown_up) {
    return m.settings.coefficient > 0.25F
               ? fmt::format(
                     "Blown up: with {} the finest checkerboard grows {:.2g}-fold a step. Go to 0.25 or below and start again.",
                     m.settings.coefficient, 8.0 * static_cast<double>(m.settings.coefficient) - 1)
               : std::string("The field has left its range. Start again with the barrier on and a coefficient of at most 0.25.");
  }
  if (m.first_step && m.first_step->cells > 0) {
    return fmt::format(
        "After one step {} cells differ from the reference: by up to {:.2g} along the edges of tiles, {:.2g} inside them.",
        m.first_step->cells, m.first_step->along_tile_edges, m.first_step->inside_tiles);
  }
  return {};
}

Outcome describe(const Measured& m) {
  const Field& figure = m.figure;
  const double sum = figure.sums.back();
  const double lost = m.sum_before + figure.drawn - sum;
  const auto races = std::count_if(m.report.findings.begin(), m.report.findings.end(),
                                   [](const gpu::Finding& f) { return f.kind == gpu::FindingKind::race; });
  Outcome outcome;
  using Tone = Number::Tone;
  outcome.numbers = {{.name = "steps_per_second",
                      .label = "Steps a second",
                      .value = figure.step_ms > 0 ? 1e3 / figure.step_ms : 0,
                      .tone = Tone::first,
                      .decimals = figure.step_ms > 10 ? 1 : 0,
                      .on_page = false,  // the view shows it beside the limit
                      .of_device = true},
                     {.name = "steps", .label = "Steps", .value = double(figure.step), .on_page = false},
                     {.name = "step_ms",
                      .label = "A step",
                      .value = figure.step_ms,
                      .decimals = 3,
                      .unit = "ms",
                      .on_page = false,
                      .of_device = true},
                     {.name = "limit_ms",
                      .label = "Memory limit",
                      .value = figure.limit_ms,
                      .decimals = 3,
                      .unit = "ms",
                      .on_page = false,
                      .of_device = true},
                     {.name = "course_ms",
                      .label = "The course's A40",
                      .value = figure.course_ms,
                      .decimals = 3,
                      .unit = "ms",
                      .on_page = false,
                      .of_device = true},
                     {.name = "sum_before", .label = "Sum at the start", .value = m.sum_before, .decimals = 1, .on_page = false},
                     {.name = "sum_after", .label = "Sum of the field", .value = sum, .decimals = 1, .on_page = false},
                     {.name = "sum_lost", .label = "Lost from the sum", .value = lost, .decimals = 1, .on_page = false},
                     {.name = "lost_share",
                      .label = "Lost, of the sum at the start",
                      .value = m.sum_before != 0 ? 100 * std::abs(lost) / m.sum_before : 0,
                      .decimals = 4,
                      .unit = "%",
                      .on_page = false},
                     {.name = "drawn", .label = "Heat drawn", .value = figure.drawn, .decimals = 1, .on_page = false},
                     {.name = "checkerboard",
                      .label = "Checkerboard's share of the Laplacian",
                      .value = figure.laplacian_checkerboard,
                      .decimals = 4,
                      .on_page = false},
                     {.name = "blown_up", .label = "Blown up", .value = figure.blown_up ? 1.0 : 0.0, .on_page = false}};
  if (m.report.observed[gpu::FindingKind::race] != gpu::Observation::not_observed) {
    outcome.numbers.push_back({.name = "races", .label = "Races found", .value = double(races), .on_page = false});
  }
  if (m.first_step) {
    const double largest = std::max(m.first_step->along_tile_edges, m.first_step->inside_tiles);
    outcome.numbers.push_back({.name = "wrong_cells",
                               .label = "Wrong after one step",
                               .value = double(m.first_step->cells),
                               .tone = m.first_step->cells > 0 ? Tone::bad : Tone::second,
                               .on_page = m.first_step->cells > 0});
    outcome.numbers.push_back(
        {.name = "max_error", .label = "Largest error after one step", .value = largest, .decimals = 7, .on_page = false});
    outcome.numbers.push_back({.name = "error_along_tile_edges",
                               .label = "… along tile edges",
                               .value = m.first_step->along_tile_edges,
                               .decimals = 7,
                               .on_page = false});
    outcome.numbers.push_back({.name = "error_inside_tiles",
                               .label = "… inside tiles",
                               .value = m.first_step->inside_tiles,
                               .decimals = 7,
                               .on_page = false});
  }
  outcome.note = say(m);
  outcome.figures.push_back(figure);
  if (m.inside.map) outcome.figures.push_back(*m.inside.map);
  if (m.inside.timeline) outcome.figures.push_back(*m.inside.timeline);
  if (m.inside.occupancy) outcome.figures.push_back(*m.inside.occupancy);
  outcome.report = m.report;
  return outcome;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Result<Outcome> run(Host& host, const Values& values, gpu::Job* job) {
  const Stopwatch watch;
  const Settings settings = Settings::from(values);
  define_macros(host, diffusion(), values);
  const auto start = heat::jagged_field(settings.side);
  Measured m = begin(host, settings, start);
  Stepper stepper(host, settings);
  if (auto done = stepper.upload(*start, settings.side); !done) return failure(done.error());

  auto watched = heat::watch_one_step(host, settings, *start);
  if (!watched) return failure(watched.error());
  if (!watched->ok()) return without_results(std::move(*watched));
  auto inside = look_inside(host, settings, *start);
  if (!inside) return failure(inside.error());
  m.inside = std::move(*inside);
  watched->lines = m.inside.lines;

  std::vector<double> times;
  for (std::uint32_t step = 0; step < settings.steps; ++step) {
    if (job != nullptr && job->cancelled)
      return failure("cancelled", fmt::format("Cancelled after {} of {} steps.", step, settings.steps));
    auto report = stepper.step();
    if (!report) return failure(report.error());
    if (!report->ok()) return without_results(std::move(*report));
    times.push_back(report->run_ms);
    if (step == 0) {
      auto heat = stepper.heat();
      if (!heat) return failure(heat.error());
      m.first_step = heat::compare(*heat, heat::reference_step(*start, settings.side, settings.coefficient).heat, settings.side,
                                   settings.tile);
      // Progress counts steps from here on, and cancelling takes effect between two of them.
      host.watch_for_cancel(nullptr);
    }
    m.report = std::move(*report);
    if (job != nullptr) {
      job->blocks_total = settings.steps;
      job->blocks_done = step + 1;
    }
  }
  host.watch_for_cancel(job);

  auto heat = stepper.heat();
  if (!heat) return failure(heat.error());
  auto laplacian = stepper.laplacian();
  if (!laplacian) return failure(laplacian.error());
  m.report = with_findings_of(std::move(m.report), *watched);
  m.figure.step = settings.steps;
  m.figure.step_ms = median(times);
  measure_field(m, std::move(*heat));
  measure_laplacian(m, std::move(*laplacian), true);
  Outcome outcome = describe(m);
  outcome.seconds = watch.seconds();
  return outcome;
}

/// The field that goes on stepping while it is watched and drawn on. step() runs on the worker; draw(), change() and outcome()
/// may come from another thread: they only touch what the mutex guards.
class Diffusion final : public Live {
 public:
  Diffusion(Host& host, const Settings& settings)
      : host_(host), side_(settings.side), settings_(settings), stepper_(host, settings) {}

  [[nodiscard]] Result<void> start() {
    start_ = heat::jagged_field(settings_.side);
    if (auto done = stepper_.upload(*start_, settings_.side); !done) return done;
    measured_ = begin(host_, settings_, start_);
    if (auto done = watch(); !done) return done;
    measured_.report = watched_;
    show();
    return {};
  }

  [[nodiscard]] Result<void> step(gpu::Job& job) override {
    using namespace std::chrono_literals;
    const Stopwatch watch;
    std::vector<double> times;
    for (std::uint32_t step = 0; step < settings_.steps && !job.cancelled; ++step) {
      if (auto done = take_up_changes(); !done) return done;
      if (!measured_.finite) break;  // nothing left to diffuse
      auto report = stepper_.step();
      if (!report) return failure(report.error());
      if (report->status == "cancelled") break;
      if (!report->ok()) return failure(report->status, report->message);
      times.push_back(report->run_ms);
      measured_.report = with_findings_of(std::move(*report), watched_);
      ++measured_.figure.step;
      measured_.figure.step_ms = median(times);
      // Where a frame takes long, it is seen to grow.
      if (clock::now() - looked_ > 100ms) {
        if (auto done = look(); !done) return done;
      }
    }
    seconds_ += watch.seconds();
    return look();
  }

  void draw(double x, double y, double radius, double heat) override {
    const std::lock_guard lock(mutex_);
    strokes_.push_back({x, y, radius, heat});
  }
  void change(const Values& values) override {
    const std::lock_guard lock(mutex_);
    next_ = values;
  }
  [[nodiscard]] bool needs_restart(const Values& values) const override { return Settings::from(values).side != side_; }
  [[nodiscard]] Outcome outcome() const override {
    const std::lock_guard lock(mutex_);
    return shown_;
  }

 private:
  struct Stroke {
    double x, y, radius, heat;
  };
  using clock = std::chrono::steady_clock;

  [[nodiscard]] Result<void> watch() {
    auto report = heat::watch_one_step(host_, settings_, *start_);
    if (!report) return failure(report.error());
    if (!report->ok()) return failure(report->status, report->message);
    watched_ = std::move(*report);
    auto inside = look_inside(host_, settings_, *start_);
    if (!inside) return failure(inside.error());
    measured_.inside = std::move(*inside);
    watched_.lines = measured_.inside.lines;
    return {};
  }

  [[nodiscard]] Result<void> take_up_changes() {
    std::optional<Values> next;
    std::vector<Stroke> strokes;
    {
      const std::lock_guard lock(mutex_);
      next.swap(next_);
      strokes.swap(strokes_);
    }
    if (next && !needs_restart(*next)) {
      const Settings before = std::exchange(settings_, Settings::from(*next));
      define_macros(host_, diffusion(), *next);
      stepper_.use(settings_);
      measured_.settings = settings_;
      measured_.figure.tile = settings_.tile;
      if (!settings_.same_kernel(before)) {
        if (auto done = watch(); !done) return done;
      }
    }
    if (strokes.empty()) return {};
    auto heat = stepper_.heat();
    if (!heat) return failure(heat.error());
    for (const Stroke& s : strokes) measured_.figure.drawn += heat::add_heat(*heat, settings_.side, s.x, s.y, s.radius, s.heat);
    return stepper_.put_heat(*heat);
  }

  /// Takes the field for the views, at most 60 times a second; what takes longer to compute, 4 times.
  [[nodiscard]] Result<void> look() {
    using namespace std::chrono_literals;
    const clock::time_point now = clock::now();
    if (now - looked_ < 16ms) return {};
    looked_ = now;
    const bool fully = now - looked_fully_ >= 250ms;
    if (fully) looked_fully_ = now;
    // Where a window draws from the device's memory, the host reads the field only for what it computes of it.
    measured_.figure.heat_picture = stepper_.heat_picture();
    measured_.figure.laplacian_picture = stepper_.laplacian_picture();
    if (!fully && measured_.figure.heat_picture && measured_.figure.laplacian_picture) {
      show();
      return {};
    }
    auto heat = stepper_.heat();
    if (!heat) return failure(heat.error());
    auto laplacian = stepper_.laplacian();
    if (!laplacian) return failure(laplacian.error());
    measure_field(measured_, std::move(*heat));
    measure_laplacian(measured_, std::move(*laplacian), fully);
    std::vector<double>& sums = measured_.figure.sums;
    if (sums.size() > sums_kept) {
      for (std::size_t i = 0; 2 * i < sums.size(); ++i) sums[i] = sums[2 * i];
      sums.resize((sums.size() + 1) / 2);
    }
    show();
    return {};
  }

  void show() {
    Outcome outcome = describe(measured_);
    outcome.seconds = seconds_;
    const std::lock_guard lock(mutex_);
    shown_ = std::move(outcome);
  }

  Host& host_;
  const std::uint32_t side_;  // another one is another experiment
  Settings settings_;
  Stepper stepper_;
  std::shared_ptr<const std::vector<float>> start_;
  gpu::LaunchReport watched_;
  Measured measured_;
  double seconds_ = 0;
  clock::time_point looked_{}, looked_fully_{};

  mutable std::mutex mutex_;
  std::optional<Values> next_;
  std::vector<Stroke> strokes_;
  Outcome shown_;
};

Result<std::unique_ptr<Live>> live(Host& host, const Values& values) {
  define_macros(host, diffusion(), values);
  auto experiment = std::make_unique<Diffusion>(host, Settings::from(values));
  if (auto started = experiment->start(); !started) return failure(started.error());
  return experiment;
}

}  // namespace

const Lesson& diffusion() {
  static const Lesson lesson{
      .id = "10_diffusion",
      .number = "10",
      .title = "Shared memory and __syncthreads",
      .rail_title = "Shared memory",
      .kernel_file = "diffusion.cu",
      .kernel = "diffuse",
      .controls = {{.id = "side",
                    .label = "Field",
                    .initial = 2000,
                    .least = 64,
                    .most = 4096,
                    .logarithmic = true,
                    .help = "Cells a side. Need not be a multiple of the tile."},
                   {.id = "tile",
                    .label = "Tile",
                    .initial = 8,
                    .least = 4,
                    .most = 32,
                    .define = "TILE",
                    .help = "Cells a side of the square that one block computes, a thread a cell."},
                   {.id = "coefficient",
                    .label = "Coefficient",
                    .kind = Control::Kind::real,
                    .initial = 0.25,
                    .least = 0,
                    .most = 0.5,
                    .step = 0.01,
                    .help = "How much of its difference to the neighbours a cell gives up in one step."},
                   {.id = "steps",
                    .label = "Steps a frame",
                    .initial = 10,
                    .least = 1,
                    .most = 500,
                    .logarithmic = true,
                    .help = "Steps between two pictures.",
                    .of_question = false},
                   {.id = "sync",
                    .label = "__syncthreads",
                    .kind = Control::Kind::toggle,
                    .initial = 1,
                    .define = "SYNC",
                    .help = "Off: a warp may use cells of the tile that another warp has not stored yet."},
                   {.id = "update",
                    .label = "Update",
                    .kind = Control::Kind::choice,
                    .initial = 1,
                    .most = 1,
                    .options = {{"in_place", "In place"}, {"two_buffers", "Two buffers"}},
                    .help = "In place: a block overwrites cells that its neighbours may still have to read."},
                   {.id = "kernel",
                    .label = "Kernel",
                    .kind = Control::Kind::choice,
                    .most = 1,
                    .options = {{"tiled", "Tiled"}, {"fast", "Fast"}},
                    .define = "FAST",
                    .help = "Fast: no tile and no barrier. A thread computes a strip of 4 by 4 cells out of its registers, always "
                            "into a second buffer."}},
      .presets = {{"No barrier", {{"sync", 0}, {"update", 1}, {"tile", 8}, {"coefficient", 0.25}, {"kernel", heat::tiled}}},
                  {"In place", {{"sync", 1}, {"update", 0}, {"tile", 8}, {"coefficient", 0.25}, {"kernel", heat::tiled}}},
                  {"0.24", {{"sync", 1}, {"update", 1}, {"coefficient", 0.24}}},
                  {"0.26: blow-up", {{"sync", 1}, {"update", 1}, {"coefficient", 0.26}}},
                  {"Fast", {{"coefficient", 0.25}, {"kernel", heat::fast}}}},
      .views = {"field", "memory_map", "sm_timeline", "occupancy"},
      .guesses = {"lost_share", "sum_lost", "races", "steps_per_second"},
      .more_macros = [](const Values& values) -> Macros {
        return {{"IN_PLACE", values.integer("update") == 0 ? "1" : "0"}, {"ROWS", fmt::format("{}", heat::strip_rows)}};
      },
      .run = run,
      .live = live};
  return lesson;
}

}  // namespace warpbook::lessons
