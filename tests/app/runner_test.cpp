// The worker: the latest request wins, cancel stops, a live experiment pauses and goes on. On a device that does nothing, with
// lessons that say what happened to them.
#include "app/runner.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace warpbook::app {
namespace {

using namespace std::chrono_literals;

class NoDevice final : public gpu::Device {
 public:
  explicit NoDevice(std::string name) { info_.name = std::move(name); }
  const gpu::DeviceInfo& info() const override { return info_; }
  tl::expected<gpu::ProgramPtr, gpu::CompileFailure> compile(const gpu::Source& source) override {
    if (source.text == "wrong") return tl::make_unexpected(gpu::CompileFailure{.message = "wrong", .diagnostics = {}, .log = {}});
    return std::make_shared<const gpu::Program>();
  }
  Result<gpu::Buffer> allocate(const gpu::Array& array) override { return gpu::Buffer{1, array}; }
  void release(const gpu::Buffer&) override {}
  Result<void> write(const gpu::Buffer&, std::span<const std::byte>) override { return {}; }
  Result<void> read(const gpu::Buffer&, std::span<std::byte>) override { return {}; }
  Result<void> fill(const gpu::Buffer&, gpu::Scalar) override { return {}; }
  std::span<std::byte> mapped(const gpu::Buffer&) override { return {}; }
  gpu::LaunchReport launch(const gpu::LaunchRequest&, gpu::Job*) override { return {}; }

 private:
  gpu::DeviceInfo info_;
};

Runner::Options options() {
  return {.profile = "A",
          .wake = {},
          .make_device = [](gpu::Compiler&, const std::string& profile) -> Result<std::unique_ptr<gpu::Device>> {
            if (profile == "none") return failure("no_profile", "There is no such profile.");
            return std::make_unique<NoDevice>("Virtual GPU · " + profile);
          }};
}

lessons::Outcome counted(double value) {
  lessons::Outcome outcome;
  outcome.numbers.push_back({.name = "n", .label = "N", .value = value, .unit = {}});
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
  runner.choose_profile("none");
  const auto news = listen(runner, [](const auto& n) { return n.problem.has_value(); });
  EXPECT_EQ(news.back().problem->code, "no_profile");
  runner.choose_profile("B");
  EXPECT_EQ(listen(runner, [](const auto& n) { return n.device.has_value(); }).back().device, "Virtual GPU · B");
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
  double n_ = 0;
  int steps_ = 0, strokes_ = 0;
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

TEST(Runner, a_live_experiment_waits_for_the_window) {
  Runner runner(options());
  LiveLesson live;
  runner.start_live({.lesson = &live.lesson, .values = with(0), .text = {}});
  std::this_thread::sleep_for(200ms);  // nobody says shown(): one step at once, others only every 250 ms
  EXPECT_LE(number(runner.news()), 2);
}

}  // namespace
}  // namespace warpbook::app
