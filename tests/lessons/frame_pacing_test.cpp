// FramePacing against machines made of numbers: what a step, a picture and a window take, and a clock that adds them up.
#include "lessons/frame_pacing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace warpbook::lessons {
namespace {

struct Machine {
  double step = 0, picture = 0, window = 0;  // seconds
};

/// Goes through pictures as a live experiment does.
class Film {
 public:
  explicit Film(const Machine& machine) : machine_(machine) {}
  void becomes(const Machine& machine) { machine_ = machine; }

  /// The steps of each of some pictures.
  std::vector<std::uint32_t> pictures(int count, std::uint32_t asked) {
    std::vector<std::uint32_t> steps;
    seconds_.clear();
    for (int i = 0; i < count; ++i) {
      const double begin = now_;
      now_ += machine_.window;
      pace.begin(now_);
      std::uint32_t done = 0;
      do {
        now_ += machine_.step;
        ++done;
      } while (pace.another(done, asked, now_));
      now_ += machine_.picture;
      pace.end(now_);
      steps.push_back(done);
      seconds_.push_back(now_ - begin);
    }
    return steps;
  }
  /// Of the last pictures() but its first ones, in which the pace was not known yet.
  [[nodiscard]] double longest(std::size_t after = 10) const {
    return *std::max_element(seconds_.begin() + static_cast<std::ptrdiff_t>(after), seconds_.end());
  }

  FramePacing pace;

 private:
  Machine machine_;
  double now_ = 100;
  std::vector<double> seconds_;
};

TEST(FramePacing, makes_all_steps_where_there_is_time) {
  Film film({.step = 0.0002, .picture = 0.001, .window = 0.016});
  EXPECT_EQ(film.pictures(30, 80).back(), 80U);
  EXPECT_FALSE(film.pace.too_slow());
}

TEST(FramePacing, makes_fewer_where_20_pictures_a_second_would_not_be_left) {
  for (const Machine machine : {Machine{0.005, 0.010, 0.008}, Machine{0.009, 0.004, 0.014}, Machine{0.001, 0.020, 0.002}}) {
    Film film(machine);
    const auto steps = film.pictures(60, 500);
    EXPECT_LE(film.longest(), FramePacing::slowest) << machine.step;
    EXPECT_GT(steps.back(), 1U);
    EXPECT_LT(steps.back(), 500U);
    // … but no fewer than fit.
    EXPECT_GT(film.longest() + machine.step, FramePacing::aim) << machine.step;
    EXPECT_FALSE(film.pace.too_slow());
  }
}

TEST(FramePacing, follows_a_machine_that_gets_busy_and_free_again) {
  const Machine free{0.002, 0.004, 0.008}, busy{0.009, 0.012, 0.014};
  Film film(free);
  const std::uint32_t many = film.pictures(40, 500).back();
  film.becomes(busy);
  const std::uint32_t few = film.pictures(40, 500).back();
  EXPECT_LE(film.longest(), FramePacing::slowest);
  EXPECT_LT(few, many);
  film.becomes(free);
  EXPECT_NEAR(film.pictures(60, 500).back(), many, 1) << "but for rounding";
}

TEST(FramePacing, makes_one_step_at_least_and_says_where_even_that_is_too_slow) {
  Film film({.step = 0.080, .picture = 0.030, .window = 0.010});
  EXPECT_EQ(film.pictures(5, 10), std::vector<std::uint32_t>(5, 1));
  EXPECT_FALSE(film.pace.too_slow()) << "a few slow pictures may be somebody else's fault";
  film.pictures(5, 10);
  EXPECT_TRUE(film.pace.too_slow());
  film.pace.forget();
  EXPECT_FALSE(film.pace.too_slow());
}

TEST(FramePacing, one_slow_picture_is_no_reason_for_fewer_cells) {
  Film film({.step = 0.004, .picture = 0.004, .window = 0.016});
  for (int i = 0; i < 20; ++i) {
    film.becomes({.step = 0.300, .picture = 0.004, .window = 0.016});
    film.pictures(1, 1);
    film.becomes({.step = 0.004, .picture = 0.004, .window = 0.016});
    film.pictures(3, 1);
    ASSERT_FALSE(film.pace.too_slow());
  }
}

TEST(FramePacing, a_hidden_window_is_not_a_slow_machine) {
  Film film({.step = 0.004, .picture = 0.004, .window = 0.250});
  EXPECT_GT(film.pictures(40, 10).back(), 1U);
  EXPECT_FALSE(film.pace.too_slow());
}

TEST(FramePacing, half_a_side_keeps_tiles_that_stick_out) {
  EXPECT_EQ(half_side(2000, 8), 1000U);
  EXPECT_EQ(half_side(2001, 8), 999U) << "1000 would be a multiple";
  EXPECT_EQ(half_side(2006, 8), 1003U);
}

TEST(FramePacing, a_field_is_halved_until_there_is_time_for_it) {
  EXPECT_EQ(side_in_time(2000, 8, 0.020, 256), 2000U);
  EXPECT_EQ(side_in_time(2000, 8, 0.060, 256), 1000U);
  EXPECT_EQ(side_in_time(4096, 8, 0.380, 256), 1024U);
  EXPECT_EQ(side_in_time(2000, 8, 60.0, 256), 500U) << "never below the least";
}

}  // namespace
}  // namespace warpbook::lessons
