// Lesson: one idea, taught by predict → run → look → change → make. The contract that every lesson keeps.
//
//     const Lesson* lesson = find_lesson("05");                       // catalog.h
//     Values values = Values::defaults(lesson->controls);
//     Host host(device, {.kernel_file = "race.cu", .kernel_text = lesson->kernel_text()});
//     Result<Outcome> outcome = lesson->run(host, values);
//     for (const Number& n : outcome->numbers) print(n.name, n.value);
//
// A lesson knows what is taught, the Host it runs on and the figures it fills. It never sees a pixel or which device it is on.
// Ownership: lessons are static values; an Outcome is a value. Errors: sentences, with CUDA's name as code.
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
#include "gpu/report.h"
#include "gpu/result.h"
#include "lessons/figures.h"

namespace warpbook::lessons {

class Host;       // host.h
struct Exercise;  // exercise.h

struct Control {
  enum class Kind { integer, real, toggle, choice };
  struct Option {
    std::string id, label;
  };
  std::string id;     // "threads": what --set and the page's text call it
  std::string label;  // "Threads per block"
  Kind kind = Kind::integer;
  double initial = 0, least = 0, most = 1, step = 1;
  bool logarithmic = false;     // its slider moves in powers of two
  std::vector<Option> options;  // choice: the value is the option's index
  std::string define;           // macro of the kernel that carries the value; empty: none
  std::string help;             // one sentence, for the tooltip
  bool of_question = true;      // false: what the page asks for stays the same whatever its value, as a seed's
  bool later = false;           // not needed at first: it stands behind "More"
};

/// Values of a lesson's controls, by id. Toggles are 0 or 1, choices the option's index.
class Values {
 public:
  [[nodiscard]] static Values defaults(const std::vector<Control>& controls);

  /// From text: "64", "on", "shared". Fails with a sentence that names the control's range or options.
  [[nodiscard]] Result<void> set(const std::vector<Control>& controls, std::string_view id, std::string_view text);
  void set(std::string_view id, double value) { values_[std::string(id)] = value; }

  [[nodiscard]] double real(std::string_view id) const;
  [[nodiscard]] int integer(std::string_view id) const;
  [[nodiscard]] bool on(std::string_view id) const { return integer(id) != 0; }
  [[nodiscard]] const std::map<std::string, double, std::less<>>& all() const { return values_; }

  /// Words beside the numbers: what a playground's kernel is given (playground.h). Empty where nothing was said.
  [[nodiscard]] std::string_view text(std::string_view id) const;
  void set_text(std::string_view id, std::string_view words);  // empty: takes back what was said
  [[nodiscard]] const std::map<std::string, std::string, std::less<>>& texts() const { return texts_; }
  friend bool operator==(const Values&, const Values&) = default;

 private:
  std::map<std::string, double, std::less<>> values_;
  std::map<std::string, std::string, std::less<>> texts_;
};

/// A value of a control as --set takes it: "64", "0.25", "on", an option's id.
[[nodiscard]] std::string value_text(const Control& control, double value);

/// A number that the page shows large and `run --json` prints.
struct Number {
  std::string name;   // "untouched": JSON's key
  std::string label;  // "Untouched"
  double value = 0;
  enum class Tone { first, second, bad, good, measured } tone = Tone::second;  // layout.md: one `first`, what went wrong `bad`
  int decimals = 0;
  std::string unit;        // "ms"; empty for counts
  bool on_page = true;     // false: JSON only
  bool of_device = false;  // a time or a rate: another device has another one, and nothing is wrong
};

struct Outcome {
  std::vector<Number> numbers;
  std::vector<Figure> figures;  // in the page's order
  gpu::LaunchReport report;     // of the launch that the page is about; findings and three-states
  bool failure_shown = false;   // a launch that fails is what the run was to show: numbers and figures are there all the same
  std::string note;             // one sentence under the result, where the lesson has something to say; may be empty
  double seconds = 0;           // wall time of the whole run
  std::uint32_t trials = 0;     // 0: a single run
  std::map<std::string, std::set<std::uint32_t>> marked;  // the threads that a page may ask to mark, by the marking's name

  /// It has its numbers: every launch ended well, or its failure is what they are about.
  [[nodiscard]] bool whole() const { return report.ok() || failure_shown; }
};

/// A set of a block's threads that a page may ask to mark before a run tells it.
struct Marking {
  std::string name;                                     // "third_level"
  std::function<std::uint32_t(const Values&)> threads;  // of the block
  std::function<std::uint32_t(const Values&)> columns = {};  // blockDim.x, where a block's shape matters; empty: a row is a warp
};

/// Named control values that show something worth seeing: "31 blocks", "+= on shared bins".
struct Preset {
  std::string label;
  std::map<std::string, double> values;
  std::string view = {};  // that shows it; empty: the page's first
};

/// An experiment that goes on by itself, frame after frame, until it is paused. draw(), change() and needs_restart() may be called
/// from another thread while a step is made: the frame that is being made shows what they asked for.
class Live {
 public:
  virtual ~Live() = default;
  [[nodiscard]] virtual Result<void> step(gpu::Job& job) = 0;             // a frame's steps: as many as there is time for (pace.h)
  virtual void draw(double x, double y, double radius, double heat) = 0;  // field coordinates 0 … 1
  [[nodiscard]] virtual Outcome outcome() const = 0;                      // what to show now
  virtual void change(const Values& values) = 0;                          // controls that need no restart
  [[nodiscard]] virtual bool needs_restart(const Values& values) const = 0;
};

/// Names and values: {"USE_ATOMIC_ADD", "1"}.
using Macros = std::vector<std::pair<std::string, std::string>>;

struct Lesson {
  std::string id;           // "01_first_kernel"
  std::string number;       // "01"; empty: a playground
  std::string title;        // "Your first kernel"
  std::string rail_title;   // short: "Your first kernel"
  std::string kernel_file;  // in kernels/: "add.cu"; of an exercise only what messages call its text
  std::string kernel;       // the __global__ function: "add"; of a playground the one chosen at first
  bool playground = false;  // any kernel: which one, and what it is given, are texts of its Values (playground.h)
  std::vector<Control> controls;
  std::vector<Preset> presets;
  std::vector<std::string> views;    // by name, in the page's order: "thread_map", "host_timeline" …
  std::vector<std::string> guesses;  // names of the numbers that a page may ask to predict; every good run's Outcome has them
  std::vector<Marking> markings;     // … threads; runs whose accesses were followed have them
  /// Macros of the kernel that follow from more than one control, or not by its number; beside those of Control::define.
  std::function<Macros(const Values&)> more_macros;
  std::function<Result<Outcome>(Host&, const Values&, gpu::Job*)> run;
  std::function<Result<std::unique_ptr<Live>>(Host&, const Values&)> live;  // empty: not a stepping experiment
  const Exercise* exercise = nullptr;  // whose kernel the learner writes, and whose run is the check (exercise.h)
  bool watched = false;                // its run is worth nothing on a device that cannot observe: it goes to the virtual GPU
};

/// All macros that the kernel is compiled with for these values: what a run defines, and what an editor dims by.
[[nodiscard]] Macros macros_of(const Lesson& lesson, const Values& values);

}  // namespace warpbook::lessons
