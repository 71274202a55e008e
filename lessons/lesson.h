// Lesson: one idea, taught by predict → run → look → change → make. This is the interface of every lesson.
//
//     const Lesson* lesson = find_lesson("05");                       // catalog.h
//     Values values = Values::defaults(lesson->controls);
//     Host host(device, {.kernel_file = "race.cu", .kernel_text = lesson->kernel_text()});
//     Result<Outcome> outcome = lesson->run(host, values);
//     for (const Number& n : outcome->numbers) print(n.name, n.value);
//
// A lesson knows its topic, the Host that it runs on and its figures. It knows neither pixels nor the kind of device.
// Ownership: lessons are static values; an Outcome is a value. Errors: sentences, with CUDA's error name as their code.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/device.h"
#include "gpu/message.h"
#include "gpu/report.h"
#include "gpu/result.h"
#include "lessons/figures.h"

namespace warpbook::lessons {

class Host;       // host.h
struct Exercise;  // exercise.h

struct Control {
  enum class Kind { integer, real, toggle, choice };
  struct Option {
    std::string id;
    Message label;
  };
  std::string id;  // "threads": its name for --set and in the page's text
  Message label;   // "Threads per block"
  Kind kind = Kind::integer;
  double initial = 0, least = 0, most = 1, step = 1;
  bool logarithmic = false;     // the slider has powers of two
  std::vector<Option> options;  // choice: the value is the index of an option
  std::string define;           // macro of the kernel that holds the value; empty: none
  Message help;                 // one sentence, for the tooltip
  bool of_question = true;      // false: the page's questions do not depend on it (a seed, for example)
  bool later = false;           // not needed at first: shown under "More"
  bool seed = false;            // its values have no order; a button chooses another one
};

/// The values of a lesson's controls, by id. A toggle is 0 or 1, a choice is the index of its option.
class Values {
 public:
  [[nodiscard]] static Values defaults(const std::vector<Control>& controls);

  /// Sets a value from text: "64", "on", "shared". The error's sentence lists the control's range or options.
  [[nodiscard]] Result<void> set(const std::vector<Control>& controls, std::string_view id, std::string_view text);
  void set(std::string_view id, double value) { values_[std::string(id)] = value; }

  [[nodiscard]] double real(std::string_view id) const;
  [[nodiscard]] int integer(std::string_view id) const;
  [[nodiscard]] bool on(std::string_view id) const { return integer(id) != 0; }
  [[nodiscard]] const std::map<std::string, double, std::less<>>& all() const { return values_; }

  /// Values that are texts: what a playground's kernel is given (playground.h). Empty if it is not set.
  [[nodiscard]] std::string_view text(std::string_view id) const;
  void set_text(std::string_view id, std::string_view words);  // empty: removes it
  [[nodiscard]] const std::map<std::string, std::string, std::less<>>& texts() const { return texts_; }
  friend bool operator==(const Values&, const Values&) = default;

 private:
  std::map<std::string, double, std::less<>> values_;
  std::map<std::string, std::string, std::less<>> texts_;
};

/// A control's value in the form that --set accepts: "64", "0.25", "on", an option's id.
[[nodiscard]] std::string value_text(const Control& control, double value);

/// A number that the page shows large and that `run --json` prints.
struct Number {
  std::string name;  // "untouched": JSON's key
  Message label;     // "Untouched"
  double value = 0;
  enum class Tone { first, second, bad, good, measured } tone = Tone::second;  // one number of a page is `first`
  int decimals = 0;
  std::string unit;        // "ms"; empty for counts
  bool on_page = true;     // false: JSON only
  bool of_device = false;  // a time or a rate: it may differ between devices
};

/// How outcomes are copied, moved and destroyed is compiled once, in lesson.cpp.
struct Outcome {
  Outcome();
  Outcome(const Outcome& other);
  Outcome(Outcome&& other) noexcept;
  Outcome& operator=(const Outcome& other);
  Outcome& operator=(Outcome&& other) noexcept;
  ~Outcome();

  std::vector<Number> numbers;
  std::vector<Figure> figures;  // in the order of the page
  gpu::LaunchReport report;     // of the launch that the page is about
  bool failure_shown = false;   // the run is meant to show a failing launch, so numbers and figures are there
  std::string note;             // a sentence below the result; may be empty
  double seconds = 0;           // wall time of the whole run
  std::uint32_t trials = 0;     // 0: a single run
  std::map<std::string, std::set<std::uint32_t>> marked;  // threads that a page may ask to mark, by the marking's name

  /// Whether it has its numbers: all launches succeeded, or their failure is the topic.
  [[nodiscard]] bool whole() const { return report.ok() || failure_shown; }
};

/// A set of a block's threads that a page asks the learner to mark before the run shows it.
struct Marking {
  std::string name;                                          // "third_level"
  std::function<std::uint32_t(const Values&)> threads;       // number of threads of the block
  std::function<std::uint32_t(const Values&)> columns = {};  // blockDim.x, where a block's shape matters; empty: a row is a warp
};

/// Values of controls for an interesting run, with a name: "31 blocks", "+= on shared bins".
struct Preset {
  Message label;
  std::map<std::string, double> values;
  std::string view = {};  // the view to look at; empty: the page's first
};

/// An experiment that steps frame by frame until it is paused. draw(), change() and needs_restart() may be called from another
/// thread during a step; the next picture shows their effect.
class Live {
 public:
  virtual ~Live() = default;
  [[nodiscard]] virtual Result<void> step(gpu::Job& job) = 0;             // the steps of a frame, see frame_pacing.h
  virtual void draw(double x, double y, double radius, double heat) = 0;  // field coordinates 0 … 1
  [[nodiscard]] virtual Outcome outcome() const = 0;                      // the present state
  virtual void change(const Values& values) = 0;                          // new values of controls that need no restart
  [[nodiscard]] virtual bool needs_restart(const Values& values) const = 0;
};

/// Names and values: {"USE_ATOMIC_ADD", "1"}.
using Macros = std::vector<std::pair<std::string, std::string>>;

struct Lesson {
  std::string id;           // "01_first_kernel"
  std::string number;       // "01"; empty: a playground
  std::string title;        // "Your first kernel"
  std::string rail_title;   // short: "Your first kernel"
  std::string kernel_file;  // in kernels/: "add.cu"; of an exercise: the name of its text in messages
  std::string kernel;       // the __global__ function: "add"; of a playground: the initial choice
  bool playground = false;  // any kernel: the kernel and its inputs are texts of its Values (playground.h)
  std::vector<Control> controls;
  std::vector<Preset> presets;
  std::vector<std::string> views;    // names in the page's order: "thread_map", "host_timeline" …
  std::vector<std::string> guesses;  // names of the numbers that a page may ask to predict; every successful Outcome has them
  std::vector<Marking> markings;     // markings that a page may ask for; runs with recorded accesses have them
  /// Macros that depend on several controls or not on a control's number, in addition to those of Control::define.
  std::function<Macros(const Values&)> more_macros;
  std::function<Result<Outcome>(Host&, const Values&, gpu::Job*)> run;
  std::function<Result<std::unique_ptr<Live>>(Host&, const Values&)> live;  // empty: not a live experiment
  const Exercise* exercise = nullptr;  // the exercise that it is; its run is the check (exercise.h)
  bool watched = false;                // needs a device that can observe: it runs on the virtual GPU
};

/// All macros for these values: for compiling the kernel, and for dimming inactive code in the editor.
[[nodiscard]] Macros macros_of(const Lesson& lesson, const Values& values);

}  // namespace warpbook::lessons
