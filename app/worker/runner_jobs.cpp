// The runner's jobs, one function a kind of request: compile, run, sweep, look inside, record.
#include <algorithm>
#include <utility>
#include <variant>

#include "app/worker/observing_device.h"
#include "app/worker/recording_device.h"
#include "app/worker/runner_parts.h"
#include "gpu/message.h"
#include "gpu/replay/replay.h"
#include "lessons/check.h"
#include "lessons/exercise.h"
#include "lessons/programs.h"
#include "lessons/run.h"

namespace warpbook::app {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double between_sweeps_news = 0.05;  // seconds

/// The case that is stepped through: the first one that does not pass, else the first one.
std::size_t case_to_step(const std::vector<lessons::Checks::Row>& rows) {
  const auto failed = std::find_if(rows.begin(), rows.end(),
                                   [](const lessons::Checks::Row& row) { return row.verdict != lessons::Checks::Verdict::passed; });
  return failed == rows.end() ? 0 : static_cast<std::size_t>(failed - rows.begin());
}

/// For an exercise whose answer is not CUDA C++: an empty program, or what is wrong with the text. nullptr: it is to be compiled.
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

/// A recorded launch of a whole program brings its own code and device.
bool is_launch_of_program(const Runner::Request& request) { return request.lesson == &lessons::programs(); }

/// The answer to a request that could not be run.
std::shared_ptr<const Snapshot> failed(const Runner::Request& request, Error error) {
  auto snapshot = snapshot_of(request, nullptr);
  snapshot->error = std::move(error);
  return snapshot;
}

}  // namespace

Error no_device() { return {"no_device", say("There is no device to run on. Run `warpbook doctor` to see what is missing.")}; }

std::shared_ptr<Snapshot> snapshot_of(const Runner::Request& request, const gpu::Device* device) {
  auto snapshot = std::make_shared<Snapshot>();
  snapshot->lesson = request.lesson;
  snapshot->values = request.values;
  snapshot->text = request.text;
  snapshot->folder = request.folder;
  if (device != nullptr) {
    snapshot->device = device->info().name;
    snapshot->on_gpu = is_gpu(*device);
  }
  return snapshot;
}

Result<std::unique_ptr<gpu::Device>> Runner::make_for(const Request& request) {
  if (!is_launch_of_program(request)) return make({.profile = key_.profile, .gpu = {}});
  const auto open = lessons::record_of(request.values);
  if (open.record) return gpu::make_replay_device(compiler_, open.record, lessons::launch_in(request.values));
  return failure(open.why_not.message.empty()
                     ? Error{"no_record", say("No program has run yet. Type a program above, or open a record.")}
                     : open.why_not);
}

void Runner::compile_now(const Request& request) {
  if (!device_) return;
  if (is_launch_of_program(request)) {
    auto compiled = std::make_shared<Compiled>();
    compiled->lesson = request.lesson;
    compiled->text = request.text;
    const auto open = lessons::record_of(request.values);
    auto program = open.record ? gpu::recorded_program(compiler_, *open.record, lessons::launch_in(request.values))
                               : Result<gpu::ProgramPtr>(std::make_shared<const gpu::Program>());
    compiled->program = program ? *program : std::make_shared<const gpu::Program>();
    const std::lock_guard lock(mutex_);
    news_.compiled = std::move(compiled);
    return;
  }
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

/// nullptr: the run was cancelled, and the result before it stays.
std::shared_ptr<const Snapshot> Runner::answer(gpu::Device& device, const Request& request, gpu::Job& job) {
  auto snapshot = snapshot_of(request, &device);
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
  if (is_launch_of_program(request) || (request.lesson->watched && key_.gpu)) {
    auto watching = make_for(request);
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
    ObservingDevice observing(**device);
    inside->here = answer(observing, request, job);
    if (!inside->here) return;
  } else {
    inside->here = failed(request, std::move(device.error()));
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
  auto device = make_for(request);
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
      steps->problem = snapshot->failure ? say("The kernel does not compile: nothing has run.")
                       : snapshot->error ? snapshot->error->message
                                         : say("No launch of this lesson made a step.");
  } else {
    steps->problem = device.error().message;
  }
  {
    const std::lock_guard lock(mutex_);
    news_.steps = std::move(steps);
  }
  wake();
}

}  // namespace warpbook::app
