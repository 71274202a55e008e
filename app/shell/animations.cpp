#include "app/shell/animations.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "app/panels/editor.h"
#include "app/panels/export_menu.h"
#include "app/panels/page.h"
#include "app/panels/stepper.h"
#include "app/shell/export_file.h"
#include "app/shell/exports.h"
#include "app/shell/gif.h"
#include "gpu/message.h"

namespace warpbook::app {
namespace {

namespace fs = std::filesystem;

constexpr int live_pictures_a_second = 12, steps_a_second = 3;
constexpr std::size_t live_pictures = 48, most_steps = 90, most_strides = 4000, most_waiting = 6;
constexpr double longest_still = 1.5;  // seconds: a field that does not move any more ends its film
constexpr float field_width = 480, steps_width = 560, steps_height = 620;  // CSS pixels
constexpr float tallest_field = 2000;

/// Where the stepper's own stride leads, from the first step to the last.
std::vector<std::size_t> positions_of(Stepper stepper) {
  std::vector<std::size_t> all;
  to_start(stepper);
  all.push_back(stepper.view.position);
  while (all.size() < most_strides) {
    stride(stepper, Way::forward);
    if (stepper.view.position <= all.back()) break;
    all.push_back(stepper.view.position);
  }
  if (all.size() <= most_steps) return all;
  std::vector<std::size_t> some;
  for (std::size_t i = 0; i < most_steps; ++i) some.push_back(all[i * (all.size() - 1) / (most_steps - 1)]);
  return some;
}

/// What a picture's drawing does to it stays there, and nothing in it asks to be clicked.
Session still(const Session& session) {
  Session copy = session;
  copy.typing = {};
  copy.keys.clear();
  copy.activity = {};
  copy.lesson().exported = {};
  copy.lesson().changed_since_run = false;
  return copy;
}

}  // namespace

// ---- the file ----

AnimationFile::AnimationFile(std::string name, fs::path beside, int pictures_a_second)
    : name_(std::move(name)),
      beside_(std::move(beside)),
      pictures_a_second_(pictures_a_second),
      thread_(std::async(std::launch::async, [this] { return write(); })) {}

AnimationFile::~AnimationFile() {
  give_up();
  if (thread_.valid()) thread_.wait();
}

bool AnimationFile::has_room() const {
  const std::lock_guard lock(mutex_);
  return waiting_.size() < most_waiting;
}

void AnimationFile::add(Pixels picture) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(picture));
  }
  changed_.notify_all();
}

void AnimationFile::complete() {
  {
    const std::lock_guard lock(mutex_);
    complete_ = true;
  }
  changed_.notify_all();
}

void AnimationFile::give_up() {
  {
    const std::lock_guard lock(mutex_);
    given_up_ = true;
  }
  changed_.notify_all();
}

std::size_t AnimationFile::written() const {
  const std::lock_guard lock(mutex_);
  return written_;
}

bool AnimationFile::over() const {
  return thread_.valid() && thread_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

Result<fs::path> AnimationFile::result() { return thread_.get(); }

Result<fs::path> AnimationFile::write() {
  auto path = export_file(name_, ".gif", beside_);
  if (!path) return path;
  std::optional<GifFile> gif;
  for (;;) {
    std::optional<Pixels> picture;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return given_up_ || complete_ || !waiting_.empty(); });
      if (given_up_) {
        return failure("cancelled", say("The animation was cancelled, and no file is left of it."));
      }
      if (!waiting_.empty()) {
        picture = std::move(waiting_.front());
        waiting_.pop_front();
      }
    }
    if (!picture) break;  // complete
    if (!gif) {
      auto made = GifFile::create(*path, picture->width, picture->height, pictures_a_second_);
      if (!made) return failure(made.error());
      gif = std::move(*made);
    }
    if (auto done = gif->add(*picture); !done) return failure(done.error());
    const std::lock_guard lock(mutex_);
    ++written_;
  }
  if (!gif) return failure("cannot_write", say("No picture was drawn: nothing moved."));
  if (auto done = gif->close(); !done) return failure(done.error());
  return path;
}

// ---- the film ----

void Animations::ask(Session& session, const Export& what) {
  if (film_) return;
  LessonState& state = session.lesson();
  if (const std::string why = why_no_animation(session, what.kind); !why.empty()) {
    state.exported = {.words = why, .path = {}, .failed = true, .busy = false};
    return;
  }
  film_ = std::make_unique<Film>();
  film_->lesson = session.open;
  film_->steps = what.kind == Export::Kind::steps;
  if (film_->steps) {
    film_->stepper = state.stepper;
    film_->positions = positions_of(state.stepper);
    film_->total = film_->positions.size();
  } else {
    film_->total = live_pictures;
  }
  film_->file = std::make_unique<AnimationFile>(session.open->id + (film_->steps ? " steps" : " field"), state.folder,
                                                film_->steps ? steps_a_second : live_pictures_a_second);
  poll(session);
}

void Animations::cancel() {
  if (film_) film_->file->give_up();
}

void Animations::take(Pixels picture) {
  film_->file->add(std::move(picture));
  if (++film_->drawn == film_->total) {
    film_->complete = true;
    film_->file->complete();
  }
}

void Animations::draw_field(Session& session, Actions& actions) {
  Session copy = still(session);
  const lessons::Figure* const field = find_figure_of<lessons::Field>(*session.lesson().shown);
  const std::string view(field != nullptr ? lessons::view_of(*field) : std::string_view());
  const UnnamedWidgets unnamed;
  const float width = std::round(px(field_width));
  Pixels picture;
  for (int pass = film_->height > 0 ? 1 : 0; pass < 2; ++pass) {  // the first one only measures
    const float height = film_->height > 0 ? film_->height : std::round(px(tallest_field));
    float used = 0;
    picture = draw_aside(static_cast<int>(width), static_cast<int>(height), theme().background.page,
                         [&] { used = draw_view_sheet(copy, actions, view, width); });
    if (film_->height == 0) film_->height = std::ceil(used);
  }
  take(std::move(picture));
}

void Animations::draw_steps(Session& session, Actions& actions) {
  Session copy = still(session);
  LessonState& state = copy.lesson();
  state.stepper = film_->stepper;
  state.stepper.open = true;
  to_step(state.stepper, film_->positions[film_->drawn]);
  state.stepper.follow_line = state.stepper.bring_changed = true;
  const UnnamedWidgets unnamed;
  const float width = std::round(px(steps_width)), height = std::round(px(steps_height));
  take(draw_aside(static_cast<int>(width), static_cast<int>(height), theme().background.window, [&] {
    const float below = stepper_height(height);
    draw_editor(copy, actions, {{0, 0}, {width, height - below}});
    draw_stepper(copy, actions, {{0, height - below}, {width, height}});
  }));
}

void Animations::drawn(Session& session, Actions& actions, double now) {
  if (!film_ || film_->complete || film_->lesson != session.open || !film_->file->has_room() || film_->file->over()) return;
  if (film_->steps) return draw_steps(session, actions);
  if (film_->next == 0) film_->next = now;
  if (now < film_->next) return;
  const auto& shown = session.lesson().shown;
  if (shown != film_->last && session.activity.kind == Activity::Kind::live) {
    film_->last = shown;
    film_->next = std::max(film_->next + 1.0 / live_pictures_a_second, now - 0.5 / live_pictures_a_second);
    return draw_field(session, actions);
  }
  if (now > film_->next + longest_still) {
    film_->complete = true;
    film_->total = film_->drawn;
    film_->file->complete();
  }
}

void Animations::poll(Session& session) {
  if (!film_) return;
  Exported& exported = session.lessons.at(film_->lesson->id).exported;
  if (film_->file->over()) {
    const auto path = film_->file->result();
    const bool cancelled = !path && path.error().code == "cancelled";
    exported = {.words = path ? std::string(say("The animation is written. It plays over and over.")) : path.error().message,
                .path = path ? path->string() : std::string(),
                .failed = !path && !cancelled,
                .busy = false};
    film_.reset();
    return;
  }
  if (film_->lesson != session.open && !film_->complete) cancel();  // what moves is no longer drawn
  exported = {.words = film_->complete ? say("Writing the animation: picture {written} of {total}",
                                             "written"_a = film_->file->written(), "total"_a = film_->total)
                                       : say("Recording the animation: picture {drawn} of {total}", "drawn"_a = film_->drawn,
                                             "total"_a = film_->total),
              .path = {},
              .failed = false,
              .busy = true,
              .part = static_cast<double>(film_->drawn + film_->file->written()) / (2.0 * static_cast<double>(film_->total))};
}

}  // namespace warpbook::app
