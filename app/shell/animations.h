// Animations: a live field as it steps, or a recorded launch as it is stepped through, as a GIF file (gif.h).
//
//     animations.ask(session, {.kind = Export::Kind::field});
//     animations.drawn(session, actions, now);       // between two frames: draws the next picture where one is due
//     animations.poll(session);                      // each frame: how far it is, and where the file went
//
// A live field is filmed from now on, 12 pictures a second for 4 seconds. A launch is stepped through from its first step to its
// last as the stepper steps, with steps left out evenly where there are too many. Pictures are drawn with the window's OpenGL, one
// between two frames; a thread of its own chooses their colours and writes them. How far that is stands in LessonState::exported.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "app/session/session.h"
#include "app/shell/canvas.h"

namespace warpbook::app {

/// Takes pictures, and writes them on a thread of its own.
class AnimationFile {
 public:
  AnimationFile(std::string name, std::filesystem::path beside, int pictures_a_second);
  ~AnimationFile();  // what is not complete is given up
  AnimationFile(const AnimationFile&) = delete;
  AnimationFile& operator=(const AnimationFile&) = delete;

  [[nodiscard]] bool has_room() const;  // a few pictures may wait: they are large
  void add(Pixels picture);
  void complete();
  void give_up();
  [[nodiscard]] std::size_t written() const;
  [[nodiscard]] bool over() const;
  [[nodiscard]] Result<std::filesystem::path> result();  // once, when it is over

 private:
  [[nodiscard]] Result<std::filesystem::path> write();
  const std::string name_;
  const std::filesystem::path beside_;  // the opened program's folder; empty: the learner's documents
  const int pictures_a_second_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Pixels> waiting_;
  bool complete_ = false, given_up_ = false;
  std::size_t written_ = 0;
  std::future<Result<std::filesystem::path>> thread_;  // last: starts when everything else stands
};

class Animations {
 public:
  void ask(Session& session, const Export& what);
  void drawn(Session& session, Actions& actions, double now);
  void poll(Session& session);
  void cancel();
  [[nodiscard]] bool busy() const { return film_ != nullptr; }

 private:
  struct Film {
    const lessons::Lesson* lesson = nullptr;
    bool steps = false;                  // of the stepper; else of the live field
    std::size_t total = 0, drawn = 0;    // pictures
    std::vector<std::size_t> positions;  // of the stepper, one a picture
    Stepper stepper;
    std::shared_ptr<const Snapshot> last;  // that was drawn
    double next = 0;                       // when the next picture is due
    float height = 0;                      // of the pictures, once the first was drawn; screen pixels
    std::unique_ptr<AnimationFile> file;
    bool complete = false;
  };
  void draw_field(Session& session, Actions& actions);
  void draw_steps(Session& session, Actions& actions);
  void take(Pixels picture);

  std::unique_ptr<Film> film_;
};

}  // namespace warpbook::app
