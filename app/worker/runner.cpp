#include "app/worker/runner.h"

#include <algorithm>
#include <utility>

#include "app/worker/open_device.h"
#include "app/worker/opengl_pictures.h"
#include "app/worker/runner_parts.h"
#include "gpu/message.h"

namespace warpbook::app {
namespace {

constexpr std::string_view out_of_memory = "cudaErrorMemoryAllocation";

}  // namespace

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

bool is_gpu(const gpu::Device& device) { return device.info().id == "cuda"; }

Runner::Runner(Options options) : options_(std::move(options)), choice_(options_.device), thread_([this] { work(); }) {}

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
    look_.reset();
    record_.reset();
    sweep_.reset();
    if (job_) job_->cancelled = true;
  }
  changed_.notify_all();
}

void Runner::sweep(lessons::SweepPlan plan) {
  {
    const std::lock_guard lock(mutex_);
    sweep_ = std::move(plan);
    run_.reset();
    live_.reset();
    look_.reset();
    record_.reset();
    if (job_) job_->cancelled = true;
  }
  changed_.notify_all();
}

void Runner::start_live(Request request) {
  {
    const std::lock_guard lock(mutex_);
    live_ = std::move(request);
    run_.reset();
    look_.reset();
    record_.reset();
    sweep_.reset();
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
      // At once, so that the picture that is being made shows it already; the worker takes it up again.
      if (stepping_ != nullptr && !stepping_->needs_restart(values)) stepping_->change(values);
    }
  }
  changed_.notify_all();
}

void Runner::draw_heat(double x, double y, double radius) {
  const std::lock_guard lock(mutex_);
  if (stepping_ != nullptr)
    stepping_->draw(x, y, radius, heat_of_stroke);
  else
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
    look_.reset();
    record_.reset();
    sweep_.reset();
    if (kind_ != Activity::Kind::looking && kind_ != Activity::Kind::sweeping)
      anew_ = true, paused_ = nullptr;  // a paused experiment is not what is cancelled then
    if (job_) job_->cancelled = true;
  }
  changed_.notify_all();
}

void Runner::choose_device(DeviceKey key) {
  {
    const std::lock_guard lock(mutex_);
    choice_ = std::move(key);
    look_.reset();
    record_.reset();
    sweep_.reset();
    if (job_) job_->cancelled = true;
  }
  changed_.notify_all();
}

void Runner::look_inside(std::shared_ptr<const Snapshot> of) {
  {
    const std::lock_guard lock(mutex_);
    look_ = std::move(of);
  }
  changed_.notify_all();
}

void Runner::record(Request request) {
  {
    const std::lock_guard lock(mutex_);
    record_ = std::move(request);
    live_.reset();
    sweep_.reset();
    if (job_) {
      if (kind_ == Activity::Kind::live)
        pause_ = true;
      else
        job_->cancelled = true;
    }
  }
  changed_.notify_all();
}

Runner::News Runner::news() {
  const std::lock_guard lock(mutex_);
  News news = std::exchange(news_, {});
  // What waits counts as running: between the click and the first instruction nothing may look idle.
  const auto waiting = run_      ? Activity::Kind::running
                       : live_   ? Activity::Kind::live
                       : look_   ? Activity::Kind::looking
                       : record_ ? Activity::Kind::recording
                       : sweep_  ? Activity::Kind::sweeping
                                 : Activity::Kind::idle;
  news.activity.kind = waiting != Activity::Kind::idle ? waiting : kind_;
  if (kind_ != Activity::Kind::idle) news.activity.seconds = seconds_since(began_);
  if (kind_ == Activity::Kind::sweeping) {
    news.activity.done = sweep_done_;
    news.activity.total = sweep_total_;
  } else if (job_) {
    news.activity.done = job_->blocks_done;
    news.activity.total = job_->blocks_total;
  }
  news.activity.frames_per_second = frames_per_second_;
  news.activity.paused = paused_;
  return news;
}

bool Runner::interrupted() const { return stop_ || choice_ || run_ || live_ || look_ || sweep_; }
bool Runner::wanted() const { return interrupted() || record_; }

void Runner::wake() const {
  if (options_.wake) options_.wake();
}

void Runner::work() {
  for (;;) {
    std::optional<DeviceKey> choice;
    std::optional<Request> compile, run, live, record;
    std::shared_ptr<const Snapshot> look;
    std::optional<lessons::SweepPlan> sweep;
    std::shared_ptr<gpu::Job> job;
    bool drop = false;  // what is paused
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return wanted() || compile_ || anew_; });
      if (stop_) break;
      drop = std::exchange(anew_, false);
      choice = std::exchange(choice_, std::nullopt);
      // In this order: what the learner typed last, then what is to be run of it.
      if (!choice) compile = std::exchange(compile_, std::nullopt);
      if (!choice && !compile) run = std::exchange(run_, std::nullopt);
      if (!choice && !compile && !run) live = std::exchange(live_, std::nullopt);
      if (!choice && !compile && !run && !live) look = std::exchange(look_, nullptr);
      if (!choice && !compile && !run && !live && !look) record = std::exchange(record_, std::nullopt);
      if (!choice && !compile && !run && !live && !look && !record) sweep = std::exchange(sweep_, std::nullopt);
      if (run || live || look || record || sweep) {
        job_ = job = std::make_shared<gpu::Job>();
        kind_ = run      ? Activity::Kind::running
                : live   ? Activity::Kind::live
                : look   ? Activity::Kind::looking
                : record ? Activity::Kind::recording
                         : Activity::Kind::sweeping;
        sweep_done_ = 0;
        sweep_total_ = sweep ? sweep->points() : 0;
        began_ = std::chrono::steady_clock::now();
      }
    }
    if (drop) live_run_.reset();
    if (choice) use(*choice);
    if (compile) compile_now(*compile);
    if (run) run_now(*run, *job);
    if (live) live_now(*live, *job);
    if (look) look_now(std::move(look), *job);
    if (record) record_now(*record, *job);
    if (sweep) sweep_now(*sweep, *job);
    {
      const std::lock_guard lock(mutex_);
      job_.reset();
      kind_ = Activity::Kind::idle;
      frames_per_second_ = 0;
      paused_ = live_run_ && !anew_ ? live_run_->request.lesson : nullptr;
    }
    wake();
  }
  put(nullptr);  // here and not in the destructor: arrays that OpenGL draws from are given back where its context is current
}

Result<std::unique_ptr<gpu::Device>> Runner::make(const DeviceKey& key) {
  return options_.make_device ? options_.make_device(compiler_, key) : open_device(compiler_, key);
}

void Runner::use(const DeviceKey& key) {
  live_run_.reset();  // what it stepped on is about to go
  auto made = make(key);
  if (made) {
    put(std::move(*made));  // without the lock: a context takes its time
    key_ = key;
    const std::lock_guard lock(mutex_);
    news_.device = News::InUse{key_, device_->info()};
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    news_.problem = News::Problem{key, std::move(made.error())};
    if (device_) news_.device = News::InUse{key_, device_->info()};  // stays, if it is no GPU that another was to follow
  }
  if (key.gpu && (key_.gpu || !device_)) use({.profile = key.profile, .gpu = {}});
}

void Runner::take_over(Error error) {
  {
    const std::lock_guard lock(mutex_);
    news_.problem = News::Problem{key_, std::move(error)};
  }
  put(nullptr);
  use({.profile = std::exchange(key_, {}).profile, .gpu = {}});
}

void Runner::put(std::unique_ptr<gpu::Device> device) {
  live_run_.reset();
  if (pictures_) {
    pictures_.reset();
    options_.opengl(false);
  }
  device_ = std::move(device);
  if (device_ && device_->graphics() != nullptr && options_.opengl && options_.opengl(true)) {
    pictures_ = std::make_unique<OpenGLPictures>(*device_->graphics());
  }
}

Drawing Runner::drawing() const {
  if (pictures_) {
    const gpu::DrawPath& path = device_->graphics()->path();
    return {path.kind == gpu::DrawPath::Kind::shared ? say("interop") : say("pinned copy"), path.sentence};
  }
  if (is_gpu(*device_))
    return {say("host copy"), say("Copied through the host: the worker has no OpenGL context that shares with the window's.")};
  return {say("mapped"), say("The virtual GPU's memory is the host's: it is written straight into a mapped pixel buffer.")};
}

/// After an answer of a GPU that was not a good one: a launch that failed leaves the device usable, as its context is made anew;
/// one that is lost, or whose memory is too small for the lesson, does not.
void Runner::look_after_device(const Snapshot& snapshot) {
  if (!key_.gpu) return;
  if (std::string why = device_->lost(); !why.empty()) return take_over({"device_lost", std::move(why)});
  if (snapshot.error && snapshot.error->code == out_of_memory) take_over(*snapshot.error);
}

void Runner::publish(std::shared_ptr<const Snapshot> snapshot) {
  {
    const std::lock_guard lock(mutex_);
    news_.result = std::move(snapshot);
  }
  wake();
}

void Runner::publish(std::shared_ptr<const lessons::Sweep> sweep) {
  {
    const std::lock_guard lock(mutex_);
    news_.sweep = std::move(sweep);
  }
  wake();
}

}  // namespace warpbook::app
