// The worker: the latest request wins, cancel stops, a live experiment pauses and goes on. On a device that does nothing, with
// lessons that say what happened to them.
#include "app/worker/runner.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "lessons/host.h"

namespace warpbook::app {
namespace {

using namespace std::chrono_literals;

class NoDevice final : public gpu::Device {
 public:
  explicit NoDevice(std::string name) { info_.name = std::move(name); }
  /// A GPU: it observes nothing, and may be lost.
  NoDevice(std::string name, std::shared_ptr<std::string> lost) : NoDevice(std::move(name)) {
    info_.id = "cuda";
    lost_ = std::move(lost);
  }
  const gpu::DeviceInfo& info() const override { return info_; }
  tl::expected<gpu::ProgramPtr, gpu::CompileFailure> compile(const gpu::Source& source) override {
    if (source.text == "wrong") return tl::make_unexpected(gpu::CompileFailure{.message = "wrong", .diagnostics = {}, .log = {}});
    auto program = std::make_shared<gpu::Program>();
    program->kernels.emplace_back().name = "k";
    return program;
  }
  Result<gpu::Buffer> allocate(const gpu::Array& array) override { return gpu::Buffer{1, array}; }
  void release(const gpu::Buffer&) override {}
  Result<void> write(const gpu::Buffer&, std::span<const std::byte>) override { return {}; }
  Result<void> read(const gpu::Buffer&, std::span<std::byte>) override { return {}; }
  Result<void> fill(const gpu::Buffer&, gpu::Scalar) override { return {}; }
  std::span<std::byte> mapped(const gpu::Buffer&) override { return {}; }
  gpu::LaunchReport launch(const gpu::LaunchRequest& request, gpu::Job*) override {
    gpu::LaunchReport report;
    const gpu::Observe& o = request.observe;
    const bool asked[] = {o.memory, o.race, o.init, o.sync, o.coalescing, o.banks, o.divergence};
    for (std::size_t i = 0; i < gpu::finding_kinds; ++i) {
      if (info_.id != "cuda" && asked[i]) report.observed.of[i] = gpu::Observation::none_found;
    }
    return report;
  }
  std::string lost() const override { return lost_ ? *lost_ : std::string(); }

 private:
  gpu::DeviceInfo info_;
  std::shared_ptr<std::string> lost_;
};

constexpr int an_old_gpu = 1;  // GPU 0 can be used

Runner::Options options(std::shared_ptr<std::string> lost = {}) {
  return {.device = {.profile = "A", .gpu = {}},
          .wake = {},
          .make_device = [lost](gpu::Compiler&, const DeviceKey& key) -> Result<std::unique_ptr<gpu::Device>> {
            if (key.gpu == an_old_gpu) return failure("unsupported_device", "It is too old.");
            if (key.gpu) return std::make_unique<NoDevice>("GPU", lost);
            if (key.profile == "none") return failure("no_profile", "There is no such profile.");
            return std::make_unique<NoDevice>("Virtual GPU · " + key.profile);
          }};
}

DeviceKey profile(std::string name) { return {.profile = std::move(name), .gpu = {}}; }
DeviceKey gpu_number(int number) { return {.profile = "A", .gpu = number}; }

lessons::Outcome counted(double value) {
  lessons::Outcome outcome;
  outcome.numbers.push_back({.name = "n", .label = to_say("N"), .value = value, .unit = {}});
  return outcome;
}

/// Collects news until `enough` says so, 10 s at most.
template <class Enough>
std::vector<Runner::News> listen(Runner& runner, Enough enough) {
  std::vector<Runner::News> all;
  const auto end = std::chrono::steady_clock::now() + 10s;
  while (std::chrono::steady_clock::now() < end) {
    all.push_back(runner.news());
    runner.shown();
    if (enough(all.back())) return all;
    std::this_thread::sleep_for(1ms);
  }
  ADD_FAILURE() << "nothing came within 10 s";
  return all;
}

lessons::Values with(double n) {
  lessons::Values values;
  values.set("n", n);
  return values;
}

TEST(Runner, answers_with_the_values_and_text_it_was_given) {
  Runner runner(options());
  lessons::Lesson lesson;
  lesson.run = [](lessons::Host&, const lessons::Values& values, gpu::Job*) -> Result<lessons::Outcome> {
    return counted(values.real("n"));
  };
  runner.run({.lesson = &lesson, .values = with(7), .text = "text"});
  const auto news = listen(runner, [](const auto& n) { return n.result != nullptr; });
  const Snapshot& snapshot = *news.back().result;
  ASSERT_TRUE(snapshot.outcome);
  EXPECT_EQ(snapshot.outcome->numbers[0].value, 7);
  EXPECT_EQ(snapshot.text, "text");
  EXPECT_EQ(snapshot.device, "Virtual GPU · A");
}

TEST(Runner, the_latest_run_wins_and_the_cancelled_one_says_nothing) {
  Runner runner(options());
  std::atomic<int> started{0};
  lessons::Lesson lesson;
  lesson.run = [&](lessons::Host&, const lessons::Values& values, gpu::Job* job) -> Result<lessons::Outcome> {
    ++started;
    while (values.real("n") == 1 && !job->cancelled) std::this_thread::sleep_for(1ms);
    return counted(values.real("n"));
  };
  runner.run({.lesson = &lesson, .values = with(1), .text = {}});
  listen(runner, [&](const auto&) { return started > 0; });
  runner.run({.lesson = &lesson, .values = with(2), .text = {}});
  int results = 0;
  double last = 0;
  listen(runner, [&](const auto& n) {
    if (n.result) ++results, last = n.result->outcome->numbers[0].value;
    return results > 0 && n.activity.kind == Activity::Kind::idle;
  });
  EXPECT_EQ(results, 1);
  EXPECT_EQ(last, 2);
}

TEST(Runner, cancel_ends_a_run_without_a_result) {
  Runner runner(options());
  std::atomic<bool> started{false};
  lessons::Lesson lesson;
  lesson.run = [&](lessons::Host&, const lessons::Values&, gpu::Job* job) -> Result<lessons::Outcome> {
    started = true;
    while (!job->cancelled) std::this_thread::sleep_for(1ms);
    return counted(0);
  };
  runner.run({.lesson = &lesson, .values = {}, .text = {}});
  listen(runner, [&](const auto&) { return started.load(); });
  EXPECT_EQ(runner.news().activity.kind, Activity::Kind::running);
  runner.cancel();
  const auto news = listen(runner, [](const auto& n) { return n.activity.kind == Activity::Kind::idle; });
  for (const auto& n : news) EXPECT_EQ(n.result, nullptr);
}

TEST(Runner, what_fails_is_a_result_with_a_sentence) {
  Runner runner(options());
  lessons::Lesson lesson;
  lesson.run = [](lessons::Host&, const lessons::Values&, gpu::Job*) -> Result<lessons::Outcome> {
    return failure("code", "Why.");
  };
  runner.run({.lesson = &lesson, .values = {}, .text = {}});
  const auto news = listen(runner, [](const auto& n) { return n.result != nullptr; });
  ASSERT_TRUE(news.back().result->error);
  EXPECT_EQ(news.back().result->error->message, "Why.");
  EXPECT_FALSE(news.back().result->outcome);
}

TEST(Runner, compiles_what_was_typed) {
  Runner runner(options());
  lessons::Lesson lesson;
  runner.compile({.lesson = &lesson, .values = {}, .text = "wrong"});
  auto news = listen(runner, [](const auto& n) { return n.compiled != nullptr; });
  EXPECT_TRUE(news.back().compiled->failure);
  runner.compile({.lesson = &lesson, .values = {}, .text = "right"});
  news = listen(runner, [](const auto& n) { return n.compiled != nullptr; });
  EXPECT_TRUE(news.back().compiled->program);
  EXPECT_EQ(news.back().compiled->text, "right");
}

TEST(Runner, a_profile_that_cannot_be_made_is_a_problem_and_the_old_device_stays) {
  Runner runner(options());
  listen(runner, [](const auto& n) { return n.device.has_value(); });
  runner.choose_device(profile("none"));
  const auto news = listen(runner, [](const auto& n) { return n.problem.has_value(); });
  EXPECT_EQ(news.back().problem->error.code, "no_profile");
  ASSERT_TRUE(news.back().device);
  EXPECT_EQ(news.back().device->key, profile("A"));
  runner.choose_device(profile("B"));
  EXPECT_EQ(listen(runner, [](const auto& n) { return n.device.has_value(); }).back().device->info.name, "Virtual GPU · B");
}

TEST(Runner, a_gpu_that_cannot_be_made_leaves_the_virtual_gpu_running) {
  Runner runner(options());
  listen(runner, [](const auto& n) { return n.device.has_value(); });
  runner.choose_device(gpu_number(an_old_gpu));
  const auto news = listen(runner, [](const auto& n) { return n.device.has_value(); });
  ASSERT_TRUE(news.back().problem);
  EXPECT_EQ(news.back().problem->key, gpu_number(an_old_gpu));
  EXPECT_EQ(news.back().problem->error.message, "It is too old.");
  EXPECT_EQ(news.back().device->key, profile("A"));
}

TEST(Runner, a_gpu_that_cannot_be_made_first_or_after_another_gives_way_to_the_virtual_gpu) {
  Runner::Options first = options();
  first.device = gpu_number(an_old_gpu);
  Runner runner(first);
  EXPECT_EQ(listen(runner, [](const auto& n) { return n.device.has_value(); }).back().device->key, profile("A"));
  runner.choose_device(gpu_number(0));
  EXPECT_EQ(listen(runner, [](const auto& n) { return n.device.has_value(); }).back().device->key, gpu_number(0));
  runner.choose_device(gpu_number(an_old_gpu));
  std::optional<DeviceKey> now;
  listen(runner, [&](const auto& n) {
    if (n.device) now = n.device->key;
    return now == profile("A");
  });
}

/// Launches once, with two of seven observers, and answers with what was observed.
lessons::Lesson launching(std::string status = "ok") {
  lessons::Lesson lesson;
  lesson.run = [status](lessons::Host& host, const lessons::Values& values, gpu::Job*) -> Result<lessons::Outcome> {
    if (status == "cudaErrorMemoryAllocation" && host.device().id == "cuda") return failure(status, "There is no memory left.");
    lessons::LaunchOptions options;
    options.observe.memory = options.observe.race = true;
    auto report = host.launch("k", {1}, {32}, {}, options);
    if (!report) return failure(report.error());
    if (host.device().id == "cuda") report->status = status;
    lessons::Outcome outcome = counted(values.all().empty() ? 0 : values.real("n"));
    outcome.report = *report;
    return outcome;
  };
  return lesson;
}

TEST(Runner, a_launch_that_fails_on_a_gpu_leaves_the_gpu_chosen) {
  Runner runner(options(std::make_shared<std::string>()));
  runner.choose_device(gpu_number(0));
  const lessons::Lesson lesson = launching("cudaErrorIllegalAddress");
  runner.run({.lesson = &lesson, .values = {}, .text = {}});
  const auto news = listen(runner, [](const auto& n) { return n.result != nullptr; });
  EXPECT_EQ(news.back().result->outcome->report.status, "cudaErrorIllegalAddress");
  EXPECT_TRUE(news.back().result->on_gpu);
  listen(runner, [](const auto& n) { return n.activity.kind == Activity::Kind::idle; });
  for (const auto& n : news) EXPECT_FALSE(n.problem);
  runner.run({.lesson = &lesson, .values = {}, .text = {}});
  EXPECT_TRUE(listen(runner, [](const auto& n) { return n.result != nullptr; }).back().result->on_gpu);
}

TEST(Runner, after_a_gpu_without_memory_the_virtual_gpu_takes_over) {
  Runner runner(options());
  runner.choose_device(gpu_number(0));
  const lessons::Lesson lesson = launching("cudaErrorMemoryAllocation");
  runner.run({.lesson = &lesson, .values = {}, .text = {}});
  bool told = false;
  listen(runner, [&](const auto& n) {
    told = told || (n.problem && n.problem->error.message == "There is no memory left.");
    return told && n.device && n.device->key == profile("A");
  });
  runner.run({.lesson = &lesson, .values = {}, .text = {}});
  EXPECT_FALSE(listen(runner, [](const auto& n) { return n.result != nullptr; }).back().result->on_gpu);
}

TEST(Runner, looking_inside_repeats_a_gpus_run_on_the_virtual_gpu_with_every_observer) {
  Runner runner(options());
  runner.choose_device(gpu_number(0));
  const lessons::Lesson lesson = launching();
  runner.run({.lesson = &lesson, .values = with(7), .text = "text"});
  const auto result = listen(runner, [](const auto& n) { return n.result != nullptr; }).back().result;
  for (const auto state : result->outcome->report.observed.of) EXPECT_EQ(state, gpu::Observation::not_observed);

  runner.look_inside(result);
  const auto inside = listen(runner, [](const auto& n) { return n.inside != nullptr; }).back().inside;
  EXPECT_EQ(inside->of, result);
  EXPECT_EQ(inside->there, result);
  EXPECT_EQ(inside->here->device, "Virtual GPU · A");
  EXPECT_EQ(inside->here->text, "text");
  ASSERT_TRUE(inside->here->outcome);
  EXPECT_EQ(inside->here->outcome->numbers[0].value, 7);
  for (const auto state : inside->here->outcome->report.observed.of) EXPECT_EQ(state, gpu::Observation::none_found);
  // The GPU still runs afterwards.
  runner.run({.lesson = &lesson, .values = with(1), .text = "text"});
  EXPECT_TRUE(listen(runner, [](const auto& n) { return n.result != nullptr; }).back().result->on_gpu);
}

/// One control, "n" from 1 to 3; a run of 2 waits for `go` or its cancellation.
lessons::Lesson sweepable(std::atomic<bool>& go) {
  lessons::Lesson lesson;
  lessons::Control& n = lesson.controls.emplace_back();
  n.id = "n";
  n.label = to_say("n");
  n.initial = n.least = 1;
  n.most = 3;
  lesson.run = [&go](lessons::Host&, const lessons::Values& values, gpu::Job* job) -> Result<lessons::Outcome> {
    while (values.integer("n") == 2 && !go && !job->cancelled) std::this_thread::sleep_for(1ms);
    return counted(10 * values.real("n"));
  };
  return lesson;
}

lessons::SweepPlan plan_of(const lessons::Lesson& lesson) {
  return {.lesson = &lesson, .values = with(1), .text = "text", .axes = {lessons::axis_of(lesson.controls[0])}};
}

TEST(Runner, a_sweep_tells_how_far_it_is_and_ends_with_all_points) {
  Runner runner(options());
  std::atomic<bool> go{false};
  const lessons::Lesson lesson = sweepable(go);
  runner.sweep(plan_of(lesson));
  const auto far = listen(runner, [](const auto& n) { return n.activity.done == 1; }).back().activity;
  EXPECT_EQ(far.kind, Activity::Kind::sweeping);
  EXPECT_EQ(far.total, 3U);
  go = true;
  const auto done = [](const auto& n) { return n.sweep && n.sweep->state == lessons::Sweep::State::done; };
  const auto sweep = listen(runner, done).back().sweep;
  EXPECT_EQ(sweep->device, "Virtual GPU · A");
  ASSERT_EQ(sweep->points.size(), 3U);
  EXPECT_EQ(sweep->points[2].numbers[0].value, 30);
}

TEST(Runner, a_cancelled_sweep_keeps_its_points_and_a_run_takes_its_place) {
  Runner runner(options());
  std::atomic<bool> go{false};
  const lessons::Lesson lesson = sweepable(go);
  const auto cancelled = [](const auto& n) { return n.sweep && n.sweep->state == lessons::Sweep::State::cancelled; };
  runner.sweep(plan_of(lesson));
  listen(runner, [](const auto& n) { return n.activity.done == 1; });
  runner.cancel();
  const auto sweep = listen(runner, cancelled).back().sweep;
  EXPECT_EQ(sweep->tried(), 1U);
  EXPECT_EQ(sweep->points[0].numbers[0].value, 10);

  runner.sweep(plan_of(lesson));
  listen(runner, [](const auto& n) { return n.activity.done == 1; });
  runner.run({.lesson = &lesson, .values = with(3), .text = "text"});
  bool ended = false;
  listen(runner, [&](const auto& n) {
    ended = ended || cancelled(n);
    return n.result != nullptr;
  });
  EXPECT_TRUE(ended);
}

TEST(Runner, a_gpu_lost_in_the_middle_of_a_sweep_gives_way_to_the_virtual_gpu) {
  const auto lost = std::make_shared<std::string>();
  Runner runner(options(lost));
  runner.choose_device(gpu_number(0));
  std::atomic<bool> go{true};
  lessons::Lesson lesson = sweepable(go);
  lesson.run = [&](lessons::Host&, const lessons::Values& values, gpu::Job*) -> Result<lessons::Outcome> {
    if (values.integer("n") == 2) *lost = "The GPU is gone.";
    return counted(0);
  };
  runner.sweep(plan_of(lesson));
  std::shared_ptr<const lessons::Sweep> sweep;
  std::optional<Runner::News::Problem> problem;
  listen(runner, [&](const auto& n) {
    if (n.sweep && n.sweep->state == lessons::Sweep::State::stopped) sweep = n.sweep;
    if (n.problem) problem = n.problem;
    return sweep && problem;
  });
  ASSERT_TRUE(sweep && problem);
  EXPECT_EQ(sweep->message, "The GPU is gone.");
  EXPECT_EQ(sweep->tried(), 2U);
  EXPECT_EQ(problem->error.code, "device_lost");
}

TEST(Runner, looking_inside_can_be_cancelled) {
  Runner runner(options());
  runner.choose_device(gpu_number(0));
  std::atomic<bool> on_virtual{false};
  lessons::Lesson lesson;
  lesson.run = [&](lessons::Host& host, const lessons::Values&, gpu::Job* job) -> Result<lessons::Outcome> {
    on_virtual = host.device().id != "cuda";
    while (on_virtual && !job->cancelled) std::this_thread::sleep_for(1ms);
    return counted(0);
  };
  runner.run({.lesson = &lesson, .values = {}, .text = {}});
  const auto result = listen(runner, [](const auto& n) { return n.result != nullptr; }).back().result;
  runner.look_inside(result);
  listen(runner, [&](const auto& n) { return on_virtual && n.activity.kind == Activity::Kind::looking; });
  runner.cancel();
  for (const auto& n : listen(runner, [](const auto& n) { return n.activity.kind == Activity::Kind::idle; })) {
    EXPECT_EQ(n.inside, nullptr);
  }
}

/// Counts its steps, and how many of its kind were ever begun.
class Counter final : public lessons::Live {
 public:
  Counter(std::atomic<int>& begun, double n) : n_(n) { ++begun; }
  Result<void> step(gpu::Job&) override {
    ++steps_;
    return {};
  }
  void draw(double, double, double, double) override { ++strokes_; }
  lessons::Outcome outcome() const override { return counted(1000 * n_ + 100 * strokes_ + steps_); }
  void change(const lessons::Values& values) override { n_ = values.real("n"); }
  bool needs_restart(const lessons::Values& values) const override { return values.real("n") == 9; }

 private:
  // What draw() and change() touch may be touched while a step is made.
  std::atomic<double> n_ = 0;
  std::atomic<int> strokes_ = 0;
  int steps_ = 0;
};

struct LiveLesson {
  std::atomic<int> begun{0};
  lessons::Lesson lesson;
  LiveLesson() {
    lesson.live = [this](lessons::Host&, const lessons::Values& values) -> Result<std::unique_ptr<lessons::Live>> {
      return std::make_unique<Counter>(begun, values.real("n"));
    };
  }
};

double number(const Runner::News& news) { return news.result ? news.result->outcome->numbers[0].value : -1; }

TEST(Runner, a_live_experiment_pauses_and_goes_on_where_it_was) {
  Runner runner(options());
  LiveLesson live;
  runner.start_live({.lesson = &live.lesson, .values = with(0), .text = {}});
  double reached = 0;
  listen(runner, [&](const auto& n) { return (reached = std::max(reached, number(n))) >= 3; });
  runner.pause();
  listen(runner, [&](const auto& n) {
    reached = std::max(reached, number(n));
    return n.activity.kind == Activity::Kind::idle;
  });
  runner.start_live({.lesson = &live.lesson, .values = with(0), .text = {}});
  const auto news = listen(runner, [](const auto& n) { return n.result != nullptr; });
  EXPECT_EQ(number(news.back()), reached + 1);
  EXPECT_EQ(live.begun, 1);

  runner.cancel();
  listen(runner, [](const auto& n) { return n.activity.kind == Activity::Kind::idle; });
  runner.start_live({.lesson = &live.lesson, .values = with(0), .text = {}});
  listen(runner, [](const auto& n) { return n.result != nullptr; });
  EXPECT_EQ(live.begun, 2);
}

TEST(Runner, a_paused_experiment_is_told_and_can_be_cancelled) {
  Runner runner(options());
  LiveLesson live;
  runner.start_live({.lesson = &live.lesson, .values = with(0), .text = {}});
  listen(runner, [](const auto& n) { return number(n) >= 1; });
  EXPECT_EQ(runner.news().activity.paused, nullptr) << "it runs";
  runner.pause();
  listen(runner, [&](const auto& n) { return n.activity.paused == &live.lesson; });
  runner.cancel();
  EXPECT_EQ(runner.news().activity.paused, nullptr);
  EXPECT_EQ(runner.news().activity.kind, Activity::Kind::idle);
  runner.start_live({.lesson = &live.lesson, .values = with(0), .text = {}});
  const auto news = listen(runner, [](const auto& n) { return n.result != nullptr; });
  EXPECT_EQ(number(news.back()), 1) << "from its start";
  EXPECT_EQ(live.begun, 2);
}

/// Its step lasts until it has heard both a stroke and another value.
class Listening final : public lessons::Live {
 public:
  Result<void> step(gpu::Job& job) override {
    while (!job.cancelled && (strokes_ == 0 || n_ != 5)) std::this_thread::sleep_for(1ms);
    return {};
  }
  void draw(double, double, double, double) override { ++strokes_; }
  lessons::Outcome outcome() const override { return counted(strokes_); }
  void change(const lessons::Values& values) override { n_ = values.real("n"); }
  bool needs_restart(const lessons::Values&) const override { return false; }

 private:
  std::atomic<double> n_ = 0;
  std::atomic<int> strokes_ = 0;
};

TEST(Runner, strokes_and_values_reach_a_live_experiment_in_the_middle_of_its_step) {
  lessons::Lesson lesson;
  lesson.live = [](lessons::Host&, const lessons::Values&) -> Result<std::unique_ptr<lessons::Live>> {
    return std::make_unique<Listening>();
  };
  Runner runner(options());
  runner.start_live({.lesson = &lesson, .values = with(0), .text = {}});
  std::this_thread::sleep_for(20ms);
  runner.change_live(with(5));
  runner.draw_heat(0.5, 0.5, 0.1);
  const auto news = listen(runner, [](const auto& n) { return n.result != nullptr; });
  EXPECT_GE(number(news.back()), 1);
}

TEST(Runner, a_live_experiment_hears_values_and_strokes) {
  Runner runner(options());
  LiveLesson live;
  runner.start_live({.lesson = &live.lesson, .values = with(1), .text = {}});
  listen(runner, [](const auto& n) { return number(n) >= 1000; });
  runner.draw_heat(0.5, 0.5, 0.1);
  listen(runner, [](const auto& n) { return number(n) >= 1100; });
  runner.change_live(with(2));
  listen(runner, [](const auto& n) { return number(n) >= 2100; });
  EXPECT_EQ(live.begun, 1);
  runner.change_live(with(9));  // needs a restart, which forgets the stroke
  listen(runner, [](const auto& n) { return number(n) >= 9000 && number(n) < 9100; });
  EXPECT_EQ(live.begun, 2);
}

TEST(Runner, a_gpu_lost_in_the_middle_of_a_live_experiment_gives_way_to_the_virtual_gpu) {
  const auto lost = std::make_shared<std::string>();
  Runner runner(options(lost));
  runner.choose_device(gpu_number(0));
  listen(runner, [](const auto& n) { return n.device && n.device->key.gpu; });
  std::atomic<bool> fails{false};
  std::atomic<int> begun{0};
  class Failing final : public lessons::Live {
   public:
    Failing(std::atomic<bool>& fails, std::string& why, bool on_gpu) : fails_(fails), why_(why), on_gpu_(on_gpu) {}
    Result<void> step(gpu::Job&) override {
      if (!fails_ || !on_gpu_) return {};
      why_ = "The GPU has fallen off the bus.";
      return failure("cudaErrorDevicesUnavailable", "It was lost.");
    }
    void draw(double, double, double, double) override {}
    lessons::Outcome outcome() const override { return counted(1); }
    void change(const lessons::Values&) override {}
    bool needs_restart(const lessons::Values&) const override { return false; }

   private:
    std::atomic<bool>& fails_;
    std::string& why_;
    bool on_gpu_;
  };
  lessons::Lesson lesson;
  lesson.live = [&](lessons::Host& host, const lessons::Values&) -> Result<std::unique_ptr<lessons::Live>> {
    ++begun;
    return std::make_unique<Failing>(fails, *lost, host.device().id == "cuda");
  };
  runner.start_live({.lesson = &lesson, .values = {}, .text = {}});
  listen(runner, [](const auto& n) { return n.result && n.result->on_gpu && n.result->outcome; });
  fails = true;
  bool failed = false, told = false;
  listen(runner, [&](const auto& n) {
    failed = failed || (n.result && n.result->error && n.result->error->code == "cudaErrorDevicesUnavailable");
    told = told || (n.problem && n.problem->error.code == "device_lost");
    return failed && told && n.device && n.device->key == profile("A");
  });
  runner.start_live({.lesson = &lesson, .values = {}, .text = {}});
  listen(runner, [](const auto& n) { return n.result && !n.result->on_gpu && n.result->outcome; });
  EXPECT_EQ(begun, 2);
}

TEST(Runner, looking_into_a_live_experiment_runs_both_devices_from_the_start) {
  Runner runner(options());
  runner.choose_device(gpu_number(0));
  LiveLesson live;
  live.lesson.run = launching().run;
  runner.start_live({.lesson = &live.lesson, .values = with(3), .text = {}});
  std::shared_ptr<const Snapshot> last = listen(runner, [](const auto& n) { return number(n) >= 3001; }).back().result;
  runner.pause();
  listen(runner, [&](const auto& n) {
    if (n.result) last = n.result;
    return n.activity.kind == Activity::Kind::idle;
  });
  runner.look_inside(last);
  const auto inside = listen(runner, [](const auto& n) { return n.inside != nullptr; }).back().inside;
  EXPECT_TRUE(inside->there->on_gpu);
  EXPECT_FALSE(inside->here->on_gpu);
  ASSERT_TRUE(inside->there->outcome && inside->here->outcome);
  EXPECT_EQ(inside->there->outcome->numbers[0].value, 3);
  EXPECT_EQ(inside->here->outcome->numbers[0].value, 3);
  // It goes on where it was paused.
  runner.start_live({.lesson = &live.lesson, .values = with(3), .text = {}});
  listen(runner, [](const auto& n) { return n.result != nullptr; });
  EXPECT_EQ(live.begun, 1);
}

TEST(Runner, a_live_experiment_waits_for_the_window) {
  Runner runner(options());
  LiveLesson live;
  runner.start_live({.lesson = &live.lesson, .values = with(0), .text = {}});
  std::this_thread::sleep_for(200ms);  // nobody says shown(): one step at once, others only every 250 ms
  EXPECT_LE(number(runner.news()), 2);
}

}  // namespace
}  // namespace warpbook::app
