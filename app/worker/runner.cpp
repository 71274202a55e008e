#include "app/worker/runner.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "app/worker/observing_device.h"
#include "app/worker/open_device.h"
#include "app/worker/opengl_pictures.h"
#include "app/worker/recording_device.h"
#include "lessons/check.h"
#include "lessons/exercise.h"
#include "lessons/host.h"
#include "lessons/run.h"

namespace warpbook::app {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

constexpr auto longest_wait_for_the_window = std::chrono::milliseconds(250);  // a hidden window draws nothing
constexpr double heat_of_a_stroke = 1.0;
constexpr double between_sweeps_news = 0.05;  // seconds

constexpr std::string_view out_of_memory = "cudaErrorMemoryAllocation";

bool is_gpu(const gpu::Device& device) { return device.info().id == "cuda"; }

Error no_device() { return {"no_device", "There is no device to run on. Run `warpbook doctor` to see what is missing."}; }

/// What the learner has to look at: the first case that does not pass, else the first.
std::size_t case_to_step(const std::vector<lessons::Checks::Row>& rows) {
  const auto failed = std::find_if(rows.begin(), rows.end(),
                                   [](const lessons::Checks::Row& row) { return row.verdict != lessons::Checks::Verdict::passed; });
  return failed == rows.end() ? 0 : static_cast<std::size_t>(failed - rows.begin());
}

/// A text that is no CUDA C++: what is wrong with it, or an empty program. nullptr: it is to be compiled.
std::shared_ptr<const Compiled> read_answer(const Runner::Request& request) {
  const lessons::Exercise* const exercise = request.lesson->exercise;
  if (exercise == nullptr || lessons::is_compiled(*exercise)) return nullptr;
  auto read = std::make_shared<Compiled>();
  read->lesson = request.lesson;
  read->text = request.text;
  read->failure = lessons::fault_in(*exercise, {.file = request.lesson->kernel_file, .text = request.text});
  if (!read->failure) read->program = std::make_shared<const gpu::Program>();
  return read;
}

/// The answer where there was nothing to run on.
std::shared_ptr<const Snapshot> failed(const Runner::Request& request, Error error) {
  auto snapshot = std::make_shared<Snapshot>();
  snapshot->lesson = request.lesson;
  snapshot->values = request.values;
  snapshot->text = request.text;
  snapshot->error = std::move(error);
  return snapshot;
}

}  // namespace

/// A live experiment and the host program that it runs on.
struct Runner::LiveRun {
  Request request;
  std::unique_ptr<lessons::Host> host;
  std::unique_ptr<lessons::Live> live;
};

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
    stepping_->draw(x, y, radius, heat_of_a_stroke);
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
        began_ = Clock::now();
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
    return {path.kind == gpu::DrawPath::Kind::shared ? "interop" : "pinned copy", path.sentence};
  }
  if (is_gpu(*device_))
    return {"host copy", "Copied through the host: the worker has no OpenGL context that shares with the window's."};
  return {"mapped", "The virtual GPU's memory is the host's: it is written straight into a mapped pixel buffer."};
}

/// After an answer of a GPU that was not a good one: a launch that failed leaves the device usable, as its context is made anew;
/// one that is lost, or whose memory is too small for the lesson, does not.
void Runner::look_after_device(const Snapshot& snapshot) {
  if (!key_.gpu) return;
  if (std::string why = device_->lost(); !why.empty()) return take_over({"device_lost", std::move(why)});
  if (snapshot.error && snapshot.error->code == out_of_memory) take_over(*snapshot.error);
}

void Runner::compile_now(const Request& request) {
  if (!device_) return;
  if (auto read = read_answer(request)) {
    const std::lock_guard lock(mutex_);
    news_.compiled = std::move(read);
    return;
  }
  auto program = device_->compile({.file = request.lesson->kernel_file,
                                   .text = request.text,
                                   .defines = lessons::macros_of(*request.lesson, request.values),
                                   .instantiate = {},
                                   .folder = request.folder});
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

/// Empty when it was cancelled: then there is nothing to say, and the result before it stays.
std::shared_ptr<const Snapshot> Runner::answer(gpu::Device& device, const Request& request, gpu::Job& job) {
  auto snapshot = std::make_shared<Snapshot>();
  snapshot->lesson = request.lesson;
  snapshot->values = request.values;
  snapshot->text = request.text;
  snapshot->folder = request.folder;
  snapshot->device = device.info().name;
  snapshot->on_gpu = is_gpu(device);
  const auto begin = Clock::now();
  lessons::Host host(device, {.kernel_file = request.lesson->kernel_file,
                              .kernel_text = request.text,
                              .defines = {},
                              .job = &job,
                              .folder = request.folder});
  auto outcome = lessons::run_lesson(*request.lesson, host, request.values, &job);
  snapshot->seconds = seconds_since(begin);
  snapshot->program = host.program();
  snapshot->failure = host.failure_of_compile();
  if (const auto read = read_answer(request)) snapshot->failure = read->failure;
  if (job.cancelled || (outcome && outcome->report.status == "cancelled")) return nullptr;
  if (outcome) {
    snapshot->outcome = std::move(*outcome);
  } else {
    snapshot->error = std::move(outcome.error());
  }
  return snapshot;
}

void Runner::run_now(const Request& request, gpu::Job& job) {
  if (!device_) return publish(failed(request, no_device()));
  if (request.lesson->watched && key_.gpu) {
    auto watching = make({.profile = key_.profile, .gpu = {}});
    if (watching) {
      if (auto snapshot = answer(**watching, request, job)) publish(std::move(snapshot));
    } else {
      publish(failed(request, std::move(watching.error())));
    }
    return;
  }
  auto snapshot = answer(*device_, request, job);
  if (!snapshot) return;
  publish(snapshot);
  look_after_device(*snapshot);
}

void Runner::publish(std::shared_ptr<const lessons::Sweep> sweep) {
  {
    const std::lock_guard lock(mutex_);
    news_.sweep = std::move(sweep);
  }
  wake();
}

void Runner::sweep_now(const lessons::SweepPlan& plan, gpu::Job& job) {
  lessons::Sweep swept{.lesson = plan.lesson,
                       .values = plan.values,
                       .text = plan.text,
                       .device = {},
                       .axes = plan.axes,
                       .points = std::vector<lessons::SweepPoint>(plan.points()),
                       .message = {}};
  publish(std::make_shared<const lessons::Sweep>(swept));  // its axes are known, and what was there before is over
  if (device_) {
    auto last = Clock::now();
    swept = lessons::run_sweep(*device_, plan, &job, [&](const lessons::Sweep& so_far) {
      {
        const std::lock_guard lock(mutex_);
        sweep_done_ = so_far.tried();
      }
      if (seconds_since(last) < between_sweeps_news) return;  // a copy of all points each time
      last = Clock::now();
      publish(std::make_shared<const lessons::Sweep>(so_far));
    });
  } else {
    swept.state = lessons::Sweep::State::stopped;
    swept.message = no_device().message;
  }
  publish(std::make_shared<const lessons::Sweep>(std::move(swept)));
  if (key_.gpu && device_ && !device_->lost().empty()) take_over({"device_lost", device_->lost()});
}

void Runner::look_now(std::shared_ptr<const Snapshot> of, gpu::Job& job) {
  const Request request{.lesson = of->lesson, .values = of->values, .text = of->text, .folder = of->folder};
  auto inside = std::make_shared<Inside>();
  inside->of = inside->there = of;
  if (of->live && device_ && key_.gpu) {
    // Its frames came at their own times, and a hand drew on them: both devices make the same run instead.
    inside->there = answer(*device_, request, job);
    if (!inside->there) return;
  }
  auto device = make({.profile = key_.profile, .gpu = {}});
  if (device) {
    WatchfulDevice watchful(**device);
    inside->here = answer(watchful, request, job);
    if (!inside->here) return;
  } else {
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->lesson = of->lesson;
    snapshot->error = std::move(device.error());
    inside->here = std::move(snapshot);
  }
  {
    const std::lock_guard lock(mutex_);
    news_.inside = std::move(inside);
  }
  wake();
}

void Runner::record_now(const Request& request, gpu::Job& job) {
  auto steps = std::make_shared<Steps>();
  steps->lesson = request.lesson;
  steps->values = request.values;
  steps->text = request.text;
  auto device = make({.profile = key_.profile, .gpu = {}});
  if (device) {
    RecordingDevice recording(**device, compiler_);
    const lessons::Exercise* const exercise = request.lesson->exercise;
    const auto snapshot = answer(exercise == nullptr ? recording : **device, request, job);
    if (!snapshot) return;
    if (exercise != nullptr && snapshot->outcome) {
      const auto& checks = std::get<lessons::Checks>(snapshot->outcome->figures.front());
      const std::size_t which = case_to_step(checks.rows);
      const auto launched =
          lessons::launch_case(recording, *exercise, which, request.text, request.lesson->kernel_file, &job, checks.seed);
      if (job.cancelled) return;
      if (!launched) steps->problem = launched.error().message;
      if (lessons::launches(*exercise)) steps->of = checks.rows[which].name;
    }
    steps->launches = recording.launches();
    if (steps->launches.empty() && steps->problem.empty())
      steps->problem = snapshot->failure ? "The kernel does not compile: nothing has run."
                       : snapshot->error ? snapshot->error->message
                                         : "No launch of this lesson made a step.";
  } else {
    steps->problem = device.error().message;
  }
  {
    const std::lock_guard lock(mutex_);
    news_.steps = std::move(steps);
  }
  wake();
}

void Runner::live_failed(const Request& request, Error error) {
  auto snapshot = std::make_shared<Snapshot>();
  snapshot->lesson = request.lesson;
  snapshot->values = request.values;
  snapshot->text = request.text;
  snapshot->live = true;
  if (device_) {
    snapshot->device = device_->info().name;
    snapshot->on_gpu = is_gpu(*device_);
  }
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
    for (const Stroke& stroke : strokes) live_run_->live->draw(stroke.x, stroke.y, stroke.radius, heat_of_a_stroke);
    const auto hears = [this](lessons::Live* live) {
      const std::lock_guard lock(mutex_);
      stepping_ = live;
    };
    hears(live_run_->live.get());
    auto stepped = live_run_->live->step(job);
    hears(nullptr);
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
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->lesson = request.lesson;
    snapshot->values = live_run_->request.values;
    snapshot->text = request.text;
    snapshot->device = device_->info().name;
    snapshot->on_gpu = is_gpu(*device_);
    snapshot->live = true;
    snapshot->drawing = drawing();
    snapshot->outcome = live_run_->live->outcome();
    snapshot->program = live_run_->host->program();
    snapshot->seconds = seconds_since(begin);
    publish(std::move(snapshot));
  }
}

}  // namespace warpbook::app
