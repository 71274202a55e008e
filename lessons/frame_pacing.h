// Frame pacing: how many steps a live experiment makes for one picture, so that at least 20 pictures a second are shown.
//
//     pace.begin(now);                                   // seconds of a monotonic clock
//     do { step(); ++done; } while (pace.another(done, asked, now));
//     take_picture();
//     pace.end(now);
//
// It has no clock of its own. It measures three durations: a step, taking a picture, and the window's time between two pictures. At
// least one step is made. too_slow() says that even one step takes too long; then the field must have fewer cells.
#pragma once

#include <cstdint>

namespace warpbook::lessons {

class FramePacing {
 public:
  static constexpr double aim = 0.040;      // target seconds per picture, a little less than `slowest`
  static constexpr double slowest = 0.050;  // 20 pictures a second
  /// Longest time of a step and its picture. Drawing with the mouse takes the same time again and must show within 100 ms.
  static constexpr double one_step = 0.025;

  void begin(double now);
  /// Call it after each step: whether there is time for another one. `asked`: the most that the learner wants.
  [[nodiscard]] bool another(std::uint32_t done, std::uint32_t asked, double now);
  void end(double now);
  /// Whether one step and its picture have taken too long for several pictures in a row.
  [[nodiscard]] bool too_slow() const { return slow_pictures_ >= slow_pictures_counted; }
  /// Starts again, for a field of another size.
  void forget() { *this = {}; }

 private:
  static constexpr int slow_pictures_counted = 6;  // several, because a single slow picture may have another cause
  static constexpr double longest_window = 0.025;  // cap, because a hidden window draws rarely whatever the field's size is

  double began_ = 0, last_ = 0, ended_ = -1;    // times
  double step_ = 0, picture_ = 0, window_ = 0;  // mean durations
  std::uint32_t done_ = 0;                      // steps of this picture
  int slow_pictures_ = 0;                       // consecutive ones
};

/// Half as many cells on a side. A side that is not a multiple of the tile stays one that is not, because the incomplete tiles are
/// the topic.
[[nodiscard]] std::uint32_t half_side(std::uint32_t side, std::uint32_t tile);

/// The largest of side, side / 2 … for which a picture is fast enough, if a step and its picture take `seconds` at `side` and their
/// time grows with the number of cells. Not below `least`.
[[nodiscard]] std::uint32_t side_in_time(std::uint32_t side, std::uint32_t tile, double seconds, std::uint32_t least);

}  // namespace warpbook::lessons
