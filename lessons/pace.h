// Pace: how many steps a live experiment makes for one picture, so that at least 20 pictures a second are shown.
//
//     pace.begin(now);                                   // seconds of a clock that only grows
//     do { step(); ++done; } while (pace.another(done, asked, now));
//     take_picture();
//     pace.end(now);
//
// It has no clock of its own and measures three things as they come: a step, the picture of it, and the window's time between two
// pictures. One step is always made. Where even that takes too long, too_slow() says so, and fewer cells are the way out.
#pragma once

#include <cstdint>

namespace warpbook::lessons {

class Pace {
 public:
  static constexpr double aim = 0.040;      // seconds a picture: a little less than what is promised
  static constexpr double slowest = 0.050;  // 20 a second
  /// A step and its picture: what is drawn with the mouse takes as long again as these two, and shows within 100 ms.
  static constexpr double one_step = 0.025;

  void begin(double now);
  /// After each step: whether there is time for one more. `asked`: as many as the learner wants, at most.
  [[nodiscard]] bool another(std::uint32_t done, std::uint32_t asked, double now);
  void end(double now);
  /// One step and its picture take longer than a picture may, and have done so for some pictures.
  [[nodiscard]] bool too_slow() const { return slow_pictures_ >= slow_pictures_counted; }
  /// Another field, another pace.
  void forget() { *this = {}; }

 private:
  static constexpr int slow_pictures_counted = 6;  // one alone may be somebody else's fault
  static constexpr double longest_window = 0.025;  // a hidden window takes its time, and no field is too large for it

  double began_ = 0, last_ = 0, ended_ = -1;    // moments
  double step_ = 0, picture_ = 0, window_ = 0;  // how long each takes, in the mean
  std::uint32_t done_ = 0;                      // of this picture
  int slow_pictures_ = 0;                       // in a row
};

/// Half as many cells a side. A side that is no multiple of the tile stays one, since its last tiles are what is looked at.
[[nodiscard]] std::uint32_t half_side(std::uint32_t side, std::uint32_t tile);

/// The largest of side, half of it … that one picture has time for, where `seconds` are a step's and its picture's at `side`, which
/// grow with its cells. Not below `least`.
[[nodiscard]] std::uint32_t side_in_time(std::uint32_t side, std::uint32_t tile, double seconds, std::uint32_t least);

}  // namespace warpbook::lessons
