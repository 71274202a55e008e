#include "app/runner.h"

#include <utility>

#include "lessons/host.h"

namespace warpbook::app {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

constexpr auto longest_wait_for_the_window = std::chrono::milliseconds(250);  // a hidden window draws nothing
constexpr double heat_of_a_stroke = 1.0;

Error no_device() { return {"no_device", "There is no device to run on. Run `warpbook doctor` to see what is missing."}; }

}  // namespace

/// A live experiment and the host program that it runs on.
struct Runner::LiveRun {
  Request request;
  std::unique_ptr<lessons::Host> host;
  std::unique_ptr<lessons::Live> live;
};

Runner::Runner(Options options) : options_(std::move(options)), profile_(options_.profile), thread_([this] { work(); }) {}

Runner::~Runner() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    if (job_) job_->cancelled = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Runner::compile(Request request) {
  {
    const std::lock_guard lock(mutex_);
    compile_ = std::move(request);
  }
  changed_.notify_all();
}

void Runner::run(Request request) {
  {
    const std::lock_guard lock(mutex_);
    run_ = std::move(request);
    live_.reset();
    if (job_) job_->cancelled = true;
  }
  changed_.notify_all();
}

void Runner::start_live(Request request) {
  {
    const std::lock_guard lock(mutex_);
    live_ = std::move(request);
    run_.reset();
    live_values_.reset();
    strokes_.clear();
    pause_ = false;
    // The same experiment, paused or not, goes on; another job makes room.
    if (job_ && kind_ != Activity::Kind::live) job_->cancelled = true;
  }
  changed_.notify_all();
}

void Runner::change_live(const lessons::Values& values) {
  {
    const std::lock_guard lock(mutex_);
    if (live_) {
      live_->values = values;
    } else {
      live_values_ = values;
    }
  }
  changed_.notify_all();
}

void Runner::draw_heat(double x, double y, double radius) {
  const std::lock_guard lock(mutex_);
  strokes_.push_back({x, y, radius});
}

void Runner::shown() {
  {
    const std::lock_guard lock(mutex_);
    shown_ = true;
  }
  changed_.notify_all();
}

void Runner::pause() {
  {
    const std::lock_guard lock(mutex_);
    live_.reset();
    pause_ = kind_ == Activity::Kind::live;
  }
  changed_.notify_all();
}

void Runner::cancel() {
  {
    const std::lock_guard lock(mutex_);
    run_.reset();
    live_.reset();
    anew_ = true;
    if (job_) job_->cancelled = true;
  }
  changed_.notify_all();
}

void Runner::choose_profile(std::string profile) {
  {
    const std::lock_guard lock(mutex_);
    profile_ = std::move(profile);
    if (job_) job_->cancelled = true;
  }
  changed_.notify_all();
}

Runner::News Runner::news() {
  const std::lock_guard lock(mutex_);
  News news = std::exchange(news_, {});
  // What waits counts as running: between the click and the first instruction nothing may look idle.
  const auto waiting = run_ ? Activity::Kind::running : live_ ? Activity::Kind::live : Activity::Kind::idle;
  news.activity.kind = waiting != Activity::Kind::idle ? waiting : kind_;
  if (kind_ != Activity::Kind::idle) news.activity.seconds = seconds_since(began_);
  if (job_) {
    news.activity.done = job_->blocks_done;
    news.activity.total = job_->blocks_total;
  }
  news.activity.frames_per_second = frames_per_second_;
  return news;
}

bool Runner::wanted() const { return stop_ || profile_ || run_ || live_; }

void Runner::wake() const {
  if (options_.wake) options_.wake();
}

void Runner::work() {
  for (;;) {
    std::optional<std::string> profile;
    std::optional<Request> compile, run, live;
    std::shared_ptr<gpu::Job> job;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return wanted() || compile_; });
      if (stop_) return;
      profile = std::exchange(profile_, std::nullopt);
      // In this order: what the learner typed last, then what is to be run of it.
      if (!profile) compile = std::exchange(compile_, std::nullopt);
      if (!profile && !compile) run = std::exchange(run_, std::nullopt);
      if (!profile && !compile && !run) live = std::exchange(live_, std::nullopt);
      if (run || live) {
        job_ = job = std::make_shared<gpu::Job>();
        kind_ = run ? Activity::Kind::running : Activity::Kind::live;
        began_ = Clock::now();
      }
    }
    if (profile) make_device(*profile);
    if (compile) compile_now(*compile);
    if (run) run_now(*run, *job);
    if (live) live_now(*live, *job);
    {
      const std::lock_guard lock(mutex_);
      job_.reset();
      kind_ = Activity::Kind::idle;
      frames_per_second_ = 0;
    }
    wake();
  }
}

void Runner::make_device(const std::string& profile) {
  live_run_.reset();
  auto made = options_.make_device ? options_.make_device(compiler_, profile) : gpu::make_virtual_device(compiler_, profile);
  const std::lock_guard lock(mutex_);
  if (made) {
    device_ = std::move(*made);
    news_.device = device_->info().name;
  } else {
    news_.problem = made.error();
  }
}

void Runner::compile_now(const Request& request) {
  if (!device_) return;
  auto program = device_->compile({.file = request.lesson->kernel_file,
                                   .text = request.text,
                                   .defines = lessons::macros_of(*request.lesson, request.values),
                                   .instantiate = {}});
  auto compiled = std::make_shared<Compiled>();
  compiled->lesson = request.lesson;
  compiled->text = request.text;
  if (program) {
    compiled->program = *program;
  } else {
    compiled->failure = std::move(program.error());
  }
  const std::lock_guard lock(mutex_);
  news_.compiled = std::move(compiled);
}

void Runner::publish(std::shared_ptr<const Snapshot> snapshot) {
  {
    const std::lock_guard lock(mutex_);
    news_.result = std::move(snapshot);
  }
  wake();
}

void Runner::run_now(const Request& request, gpu::Job& job) {
  auto snapshot = std::make_shared<Snapshot>();
  snapshot->lesson = request.lesson;
  snapshot->values = request.values;
  snapshot->text = request.text;
  if (!device_) {
    snapshot->error = no_device();
    return publish(std::move(snapshot));
  }
  snapshot->device = device_->info().name;
  const auto begin = Clock::now();
  lessons::Host host(*device_,
                     {.kernel_file = request.lesson->kernel_file, .kernel_text = request.text, .defines = {}, .job = &job});
  auto outcome = request.lesson->run(host, request.values, &job);
  snapshot->seconds = seconds_since(begin);
  snapshot->program = host.program();
  snapshot->failure = host.failure_of_compile();
  // A cancelled run has nothing to say: the result before it stays.
  if (job.cancelled || (outcome && outcome->report.status == "cancelled")) return;
  if (outcome) {
    snapshot->outcome = std::move(*outcome);
  } else {
    snapshot->error = std::move(outcome.error());
  }
  publish(std::move(snapshot));
}

void Runner::live_failed(const Request& request, Error error) {
  auto snapshot = std::make_shared<Snapshot>();
  snapshot->lesson = request.lesson;
  snapshot->values = request.values;
  snapshot->text = request.text;
  snapshot->live = true;
  if (device_) snapshot->device = device_->info().name;
  if (live_run_) snapshot->failure = live_run_->host->failure_of_compile();
  snapshot->error = std::move(error);
  publish(std::move(snapshot));
}

bool Runner::begin_live(const Request& request, gpu::Job& job) {
  live_run_ = std::make_unique<LiveRun>();
  live_run_->request = request;
  live_run_->host = std::make_unique<lessons::Host>(
      *device_,
      lessons::Host::Setup{.kernel_file = request.lesson->kernel_file, .kernel_text = request.text, .defines = {}, .job = &job});
  auto live = request.lesson->live(*live_run_->host, request.values);
  if (live) {
    live_run_->live = std::move(*live);
    return true;
  }
  if (!job.cancelled) live_failed(request, std::move(live.error()));
  live_run_.reset();
  return false;
}

void Runner::live_now(const Request& request, gpu::Job& job) {
  if (!device_) return live_failed(request, no_device());
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(anew_, false)) live_run_.reset();
  }
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
    std::vector<Stroke> strokes;
    std::optional<Request> compile;
    bool pause = false, other = false;
    {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, longest_wait_for_the_window,
                        [&] { return shown_ || wanted() || pause_ || live_values_ || compile_ || job.cancelled; });
      pause = std::exchange(pause_, false);
      other = wanted();
      values = std::exchange(live_values_, std::nullopt);
      strokes = std::exchange(strokes_, {});
      compile = std::exchange(compile_, std::nullopt);
      shown_ = false;
    }
    if (!other && !job.cancelled && pause) return live_run_->host->watch_for_cancel(nullptr);
    if (other || job.cancelled) return live_run_.reset();
    if (compile) compile_now(*compile);
    for (const Stroke& stroke : strokes) live_run_->live->draw(stroke.x, stroke.y, stroke.radius, heat_of_a_stroke);
    auto stepped = live_run_->live->step(job);
    if (job.cancelled) return live_run_.reset();
    if (!stepped) {
      live_failed(live_run_->request, std::move(stepped.error()));
      return live_run_.reset();
    }
    ++frames;
    if (const double span = seconds_since(mark); span >= 0.5) {
      const std::lock_guard lock(mutex_);
      frames_per_second_ = frames / span;
      frames = 0;
      mark = Clock::now();
    }
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->lesson = request.lesson;
    snapshot->values = live_run_->request.values;
    snapshot->text = request.text;
    snapshot->device = device_->info().name;
    snapshot->live = true;
    snapshot->outcome = live_run_->live->outcome();
    snapshot->program = live_run_->host->program();
    snapshot->seconds = seconds_since(begin);
    publish(std::move(snapshot));
  }
}

}  // namespace warpbook::app
