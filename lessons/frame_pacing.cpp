#include "lessons/frame_pacing.h"

#include <algorithm>

namespace warpbook::lessons {
namespace {

/// An exponential moving average; the new value counts a quarter.
void learn(double& mean, double seconds) { mean = mean == 0 ? seconds : mean + (seconds - mean) / 4; }

}  // namespace

void FramePacing::begin(double now) {
  if (ended_ >= 0) learn(window_, std::clamp(now - ended_, 0.0, longest_window));
  began_ = last_ = now;
  done_ = 0;
}

bool FramePacing::another(std::uint32_t done, std::uint32_t asked, double now) {
  learn(step_, now - last_);
  last_ = now;
  done_ = done;
  return done < asked && now - began_ + step_ + picture_ + window_ <= aim;
}

void FramePacing::end(double now) {
  const double picture = now - last_;
  learn(picture_, picture);
  ended_ = now;
  const bool slow = done_ == 1 && now - began_ > slowest;
  slow_pictures_ = slow ? slow_pictures_ + 1 : 0;
}

std::uint32_t half_side(std::uint32_t side, std::uint32_t tile) {
  const std::uint32_t half = side / 2;
  return side % tile != 0 && half % tile == 0 ? half - 1 : half;
}

std::uint32_t side_in_time(std::uint32_t side, std::uint32_t tile, double seconds, std::uint32_t least) {
  while (seconds > FramePacing::one_step && side / 2 >= least) {
    side = half_side(side, tile);
    seconds /= 4;
  }
  return side;
}

}  // namespace warpbook::lessons
