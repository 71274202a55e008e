// The live field of lesson 06. It keeps stepping while it is shown and drawn on, and adapts the number of steps to the frame rate.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "lessons/06_diffusion/field.h"
#include "lessons/06_diffusion/outcome.h"
#include "lessons/06_diffusion/steps.h"
#include "lessons/experiment.h"
#include "lessons/frame_pacing.h"
#include "lessons/host.h"

namespace warpbook::lessons::heat {
namespace {

constexpr std::size_t sums_kept = 512;          // then every second one is dropped
constexpr std::uint32_t least_live_side = 256;  // cells; a field is not reduced below this
constexpr std::uint32_t probe_side = 512;       // size of the field that measures how fast this machine is

/// Reuses the memory of fields that were read for pictures and are no longer shown, because allocating 16 MB for each picture takes
/// as long as reading them.
class FieldPool {
 public:
  /// The caller fills it before passing it on.
  std::shared_ptr<std::vector<float>> take(std::size_t cells) {
    std::erase_if(fields_, [&](const auto& field) { return field->size() != cells; });
    for (const auto& field : fields_) {
      if (field.use_count() != 1) continue;
      std::atomic_thread_fence(std::memory_order_acquire);  // the last thread that showed it has finished reading
      return field;
    }
    if (fields_.size() >= most_kept) fields_.clear();
    return fields_.emplace_back(std::make_shared<std::vector<float>>(cells));
  }

 private:
  static constexpr std::size_t most_kept = 10;
  std::vector<std::shared_ptr<std::vector<float>>> fields_;
};

/// step() runs on the worker thread. draw(), change() and outcome() may be called from another thread; they only access what the
/// mutex protects.
class LiveField final : public Live {
 public:
  LiveField(Host& host, const Settings& settings)
      : host_(host), asked_side_(settings.side), settings_(settings), stepper_(host, settings) {}

  [[nodiscard]] Result<void> start() {
    if (auto side = side_for_this_machine(); !side) {
      return failure(side.error());
    } else {
      settings_.side = *side;
    }
    stepper_.use(settings_);
    start_ = jagged_field(settings_.side);
    if (auto done = stepper_.upload(*start_, settings_.side); !done) return done;
    measured_ = begin(host_, settings_, start_);
    measured_.live = true;
    measured_.figure.steps_asked = settings_.steps;
    measured_.figure.side_asked = asked_side_;
    if (auto done = watch(); !done) return done;
    measured_.report = watched_;
    show();
    return {};
  }

  [[nodiscard]] Result<void> step(gpu::Job& job) override {
    const Stopwatch watch;
    auto answered = take_up_changes();
    if (!answered) return failure(answered.error());
    if (pace_.too_slow() && settings_.side / 2 >= least_live_side) {
      if (auto done = go_on_with_half(); !done) return done;
    }
    std::vector<double> times;
    std::uint32_t steps = 0;
    pace_.begin(now());
    while (!job.cancelled && measured_.finite) {  // a field that is not finite cannot be stepped
      auto report = stepper_.step();
      if (!report) return failure(report.error());
      if (report->status == "cancelled") break;
      if (!report->ok()) return failure(report->status, say(report->message));
      times.push_back(report->run_ms);
      measured_.report = with_findings_of(std::move(*report), watched_);
      ++measured_.figure.step;
      ++steps;
      // When the user draws or changes a control, the result must show soon, so the remaining steps are skipped.
      if (!pace_.another(steps, settings_.steps, now()) || asked()) break;
    }
    if (steps > 0) count(steps, median(times));
    if (asked()) answered = take_up_changes();
    if (!answered) return failure(answered.error());
    seconds_ += watch.seconds();
    auto looked = look(*answered);
    pace_.end(now());
    return looked;
  }

  void draw(double x, double y, double radius, double heat) override {
    const std::lock_guard lock(mutex_);
    strokes_.push_back({x, y, radius, heat});
  }
  void change(const Values& values) override {
    const std::lock_guard lock(mutex_);
    next_ = values;
  }
  [[nodiscard]] bool needs_restart(const Values& values) const override { return Settings::from(values).side != asked_side_; }
  [[nodiscard]] Outcome outcome() const override {
    const std::lock_guard lock(mutex_);
    return shown_;
  }

 private:
  struct Stroke {
    double x, y, radius, heat;
  };
  using clock = std::chrono::steady_clock;

  [[nodiscard]] static double now() { return std::chrono::duration<double>(clock::now().time_since_epoch()).count(); }

  /// The number of cells on a side: as set by the control, or fewer if one step of those does not permit 20 pictures a second. A
  /// smaller field is stepped and read twice, and the second time is measured.
  [[nodiscard]] Result<std::uint32_t> side_for_this_machine() {
    if (asked_side_ <= probe_side) return asked_side_;
    const Host::Unrecorded unrecorded(host_);
    Stepper probe(host_, settings_);
    if (auto done = probe.upload(std::vector<float>(std::size_t{probe_side} * probe_side), probe_side); !done)
      return failure(done.error());
    double seconds = 0;
    for (int i = 0; i < 2; ++i) {
      const Stopwatch watch;
      auto report = probe.step();
      if (!report) return failure(report.error());
      if (!report->ok()) break;  // the watched step says why
      auto heat = probe.heat(), laplacian = probe.laplacian();
      if (!heat) return failure(heat.error());
      if (!laplacian) return failure(laplacian.error());
      (void)summarise(*heat);
      seconds = watch.seconds();
    }
    probe.release();
    const double larger = static_cast<double>(asked_side_) / probe_side;
    return side_in_time(asked_side_, settings_.tile, seconds * larger * larger, least_live_side);
  }

  /// Continues with the same heat and half as many cells on a side, each the mean of four. Sums of heat become a quarter.
  [[nodiscard]] Result<void> go_on_with_half() {
    auto heat = stepper_.heat();
    if (!heat) return failure(heat.error());
    const std::size_t side = settings_.side, half = half_side(settings_.side, settings_.tile);
    std::vector<float> fewer(half * half);
    for (std::size_t y = 0; y < half; ++y) {
      const float *above = &(*heat)[2 * y * side], *below = above + side;
      for (std::size_t x = 0; x < half; ++x)
        fewer[y * half + x] = (above[2 * x] + above[2 * x + 1] + below[2 * x] + below[2 * x + 1]) / 4;
    }
    const Host::Unrecorded unrecorded(host_);
    stepper_.release();
    settings_.side = static_cast<std::uint32_t>(half);
    stepper_.use(settings_);
    if (auto done = stepper_.upload(fewer, settings_.side); !done) return done;
    start_ = jagged_field(settings_.side);
    Field& figure = measured_.figure;
    figure.side = settings_.side;
    figure.limit_ms = memory_limit_ms(host_, settings_.side);
    for (double& sum : figure.sums) sum /= 4;
    figure.drawn /= 4;
    measured_.sum_before /= 4;
    measured_.settings = settings_;
    pace_.forget();
    looked_ = looked_fully_ = {};  // the picture has a new size
    return {};
  }

  [[nodiscard]] Result<void> watch() {
    auto report = watch_one_step(host_, settings_, *start_);
    if (!report) return failure(report.error());
    if (!report->ok()) return failure(report->status, say(report->message));
    watched_ = std::move(*report);
    auto inside = look_inside(host_, settings_, *start_);
    if (!inside) return failure(inside.error());
    measured_.inside = std::move(*inside);
    watched_.lines = measured_.inside.lines;
    return {};
  }

  [[nodiscard]] bool asked() {
    const std::lock_guard lock(mutex_);
    return next_ || !strokes_.empty();
  }

  /// Whether there were any changes.
  [[nodiscard]] Result<bool> take_up_changes() {
    std::optional<Values> next;
    std::vector<Stroke> strokes;
    {
      const std::lock_guard lock(mutex_);
      next.swap(next_);
      strokes.swap(strokes_);
    }
    if (next && !needs_restart(*next)) {
      const Settings before = settings_;
      settings_ = Settings::from(*next);
      settings_.side = before.side;
      define_macros(host_, diffusion(), *next);
      stepper_.use(settings_);
      measured_.settings = settings_;
      measured_.figure.tile = settings_.tile;
      measured_.figure.coefficient = static_cast<double>(settings_.coefficient);
      measured_.figure.coefficient_control = "coefficient";
      measured_.figure.steps_asked = settings_.steps;
      if (!settings_.same_kernel(before)) {
        if (auto done = watch(); !done) return failure(done.error());
      }
    }
    if (strokes.empty()) return next.has_value();
    auto heat = stepper_.heat();
    if (!heat) return failure(heat.error());
    for (const Stroke& s : strokes) measured_.figure.drawn += add_heat(*heat, settings_.side, s.x, s.y, s.radius, s.heat);
    measured_.ceiling = std::max(measured_.ceiling, summarise(*heat).most);
    if (auto done = stepper_.put_heat(*heat); !done) return failure(done.error());
    return true;
  }

  void count(std::uint32_t steps, double step_ms) {
    measured_.figure.step_ms = step_ms;
    measured_.figure.steps_a_frame = steps;
    const double at = now();
    if (counted_from_ == 0) counted_from_ = at;
    if (const double span = at - counted_from_; span >= 0.5) {
      measured_.figure.steps_a_second = counted_ / span;
      counted_ = 0;
      counted_from_ = at;
    }
    counted_ += steps;
  }

  /// Reads the field for the views, at most 60 times a second unless there is something new. Measurements that take longer are made
  /// 4 times a second, and for at most an eighth of the time.
  [[nodiscard]] Result<void> look(bool at_once) {
    using namespace std::chrono_literals;
    const clock::time_point begin = clock::now();
    if (begin - looked_ < 16ms && !at_once) return {};
    looked_ = begin;
    const bool fully = begin - looked_fully_ >= std::max<clock::duration>(250ms, 8 * full_look_);
    if (fully) looked_fully_ = begin;
    // If a window draws from the device's memory, the host reads the field only for measurements.
    measured_.figure.heat_picture = stepper_.heat_picture();
    measured_.figure.laplacian_picture = stepper_.laplacian_picture();
    if (!fully && measured_.figure.heat_picture && measured_.figure.laplacian_picture) {
      show();
      return {};
    }
    const std::size_t cells = std::size_t{settings_.side} * settings_.side;
    auto heat = pool_.take(cells);
    if (auto done = stepper_.read_heat(*heat); !done) return done;
    measure_field(measured_, std::move(heat));
    auto laplacian = pool_.take(cells);
    if (auto done = stepper_.read_laplacian(*laplacian); !done) return done;
    measure_laplacian(measured_, std::move(laplacian), fully);
    std::vector<double>& sums = measured_.figure.sums;
    if (sums.size() > sums_kept) {
      for (std::size_t i = 0; 2 * i < sums.size(); ++i) sums[i] = sums[2 * i];
      sums.resize((sums.size() + 1) / 2);
    }
    show();
    if (fully) full_look_ = clock::now() - begin;
    return {};
  }

  void show() {
    Outcome outcome = describe(measured_);
    outcome.seconds = seconds_;
    const std::lock_guard lock(mutex_);
    shown_ = std::move(outcome);
  }

  Host& host_;
  const std::uint32_t asked_side_;  // if it changes, the experiment must restart
  Settings settings_;               // side: the one that is stepped
  Stepper stepper_;
  std::shared_ptr<const std::vector<float>> start_;
  gpu::LaunchReport watched_;
  Measured measured_;
  FramePacing pace_;
  FieldPool pool_;
  double seconds_ = 0, counted_ = 0, counted_from_ = 0;
  clock::time_point looked_{}, looked_fully_{};
  clock::duration full_look_{};

  mutable std::mutex mutex_;
  std::optional<Values> next_;
  std::vector<Stroke> strokes_;
  Outcome shown_;
};

}  // namespace

Result<std::unique_ptr<Live>> go_live(Host& host, const Values& values) {
  define_macros(host, diffusion(), values);
  auto experiment = std::make_unique<LiveField>(host, Settings::from(values));
  if (auto started = experiment->start(); !started) return failure(started.error());
  return experiment;
}

}  // namespace warpbook::lessons::heat
