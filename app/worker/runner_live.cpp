// The runner's live experiments: pictures at the window's rate, changed by values and strokes between two steps.
#include <utility>

#include "app/worker/runner_parts.h"

namespace warpbook::app {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto longest_wait_for_the_window = std::chrono::milliseconds(250);  // a hidden window draws nothing

}  // namespace

void Runner::live_failed(const Request& request, Error error) {
  auto snapshot = snapshot_of(request, device_.get());
  snapshot->live = true;
  if (live_run_) snapshot->failure = live_run_->host->failure_of_compile();
  snapshot->error = std::move(error);
  publish(snapshot);
  // The experiment lives in the device's memory: it goes first.
  live_run_.reset();
  look_after_device(*snapshot);
}

bool Runner::begin_live(const Request& request, gpu::Job& job) {
  live_run_ = std::make_unique<LiveRun>();
  live_run_->request = request;
  live_run_->host = std::make_unique<lessons::Host>(*device_, lessons::Host::Setup{.kernel_file = request.lesson->kernel_file,
                                                                                   .kernel_text = request.text,
                                                                                   .defines = {},
                                                                                   .job = &job,
                                                                                   .pictures = pictures_.get()});
  auto live = request.lesson->live(*live_run_->host, request.values);
  if (live) {
    live_run_->live = std::move(*live);
    return true;
  }
  if (job.cancelled) {
    live_run_.reset();
  } else {
    live_failed(request, std::move(live.error()));
  }
  return false;
}

void Runner::live_now(const Request& request, gpu::Job& job) {
  if (!device_) return live_failed(request, no_device());
  std::optional<lessons::Values> values;
  if (live_run_ && live_run_->request.lesson == request.lesson && live_run_->request.text == request.text) {
    live_run_->host->watch_for_cancel(&job);
    if (live_run_->request.values != request.values) values = request.values;
  } else if (!begin_live(request, job)) {
    return;
  }

  const auto begin = Clock::now();
  auto mark = begin;
  int frames = 0;
  for (;;) {
    if (values) {
      live_run_->request.values = *values;
      if (!live_run_->live->needs_restart(*values)) {
        live_run_->live->change(*values);
      } else if (const Request again = live_run_->request; !begin_live(again, job)) {
        return;
      }
    }
    std::vector<Stroke> strokes;  // from before it began
    std::optional<Request> compile;
    bool pause = false, other = false;
    {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, longest_wait_for_the_window,
                        [&] { return shown_ || wanted() || pause_ || live_values_ || compile_ || job.cancelled; });
      pause = std::exchange(pause_, false);
      other = interrupted();
      values = std::exchange(live_values_, std::nullopt);
      strokes = std::exchange(strokes_, {});
      compile = std::exchange(compile_, std::nullopt);
      shown_ = false;
    }
    if (!other && !job.cancelled && pause) return live_run_->host->watch_for_cancel(nullptr);
    if (other || job.cancelled) return live_run_.reset();
    if (compile) compile_now(*compile);
    for (const Stroke& stroke : strokes) live_run_->live->draw(stroke.x, stroke.y, stroke.radius, heat_of_stroke);
    const auto set_stepping = [this](lessons::Live* live) {
      const std::lock_guard lock(mutex_);
      stepping_ = live;
    };
    set_stepping(live_run_->live.get());
    auto stepped = live_run_->live->step(job);
    set_stepping(nullptr);
    if (job.cancelled) return live_run_.reset();
    if (!stepped) {
      return live_failed(Request(live_run_->request), std::move(stepped.error()));
    }
    ++frames;
    if (const double span = seconds_since(mark); span >= 0.5) {
      const std::lock_guard lock(mutex_);
      frames_per_second_ = frames / span;
      frames = 0;
      mark = Clock::now();
    }
    auto snapshot = snapshot_of(live_run_->request, device_.get());
    snapshot->live = true;
    snapshot->drawing = drawing();
    snapshot->outcome = live_run_->live->outcome();
    snapshot->program = live_run_->host->program();
    snapshot->seconds = seconds_since(begin);
    publish(std::move(snapshot));
  }
}

}  // namespace warpbook::app
