// Every control of the window, by mouse and by keyboard. None is listed by hand: what the scenes below offer is found by its name,
// must be reached by Tab, and must do something when it is clicked and when Enter presses it. The last test holds the scenes
// against the sources: a control that is named there and offered by no scene fails it.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <imgui_internal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/panels/change_values.h"
#include "app/panels/tour.h"
#include "gpu/compiler.h"
#include "gpu/language.h"
#include "lessons/catalog.h"
#include "lessons/exercise.h"
#include "lessons/programs.h"
#include "tests/app/hand_made_record.h"
#include "tests/app/headless.h"

namespace warpbook::test {
namespace {

using Key = app::KeyEvent::Key;
using Names = std::set<std::string>;

/// What the window looks like when its controls are worked.
struct Scene {
  std::string name;
  std::function<void(Headless&)> make = [](Headless&) {};  // from the lesson as it was opened; what a Session holds is kept
  std::function<void(Headless&)> show = {};                // again before each control: what ImGui holds, an open list
  ImVec2 size = {1440, 900};
};

/// "line/17" → "line/#": of what is there by the dozen, one is worked.
std::string family_of(const std::string& name) { return std::regex_replace(name, std::regex("[0-9]+"), "#"); }
std::string parent_of(const std::string& name) { return name.substr(0, name.rfind('/') + 1); }
/// Words with a dotted line: there are too many to step over, and F2 opens what they open.
bool is_term(const std::string& name) { return name.starts_with("term/"); }

/// By all scenes so far, also those of other tests: what was worked once is not worked again.
struct Record {
  Names offered, unreached;
  std::map<std::string, bool> clicks, presses;  // by family: whether they did something
};
Record& record() {
  static Record all;
  return all;
}

class EveryControl : public testing::Test {
 protected:
  EveryControl() { begin(); }
  explicit EveryControl(const app::NvidiaGpus& gpus) : window_(1440, 900, gpus) { begin(); }
  void begin() {
    window_.session().rerun = false;
    EXPECT_TRUE(window_.settle());
  }
  void open(const lessons::Lesson& lesson) {
    window_.book().open(lesson);
    EXPECT_TRUE(window_.settle());
    opened_ = window_.session();
  }
  /// In the end: each has done something, in one scene or another. What is told is told once.
  void TearDown() override {
    const auto idle = [](std::map<std::string, bool>& worked, bool by_key) {
      Names names;
      for (auto& [family, does] : worked) {
        if (!does && !(by_key && is_term(family))) names.insert(family);
        does = true;
      }
      return names;
    };
    EXPECT_EQ(std::exchange(record().unreached, {}), Names()) << "Tab does not reach them";
    EXPECT_EQ(idle(record().clicks, false), Names()) << "a click on them changes nothing";
    EXPECT_EQ(idle(record().presses, true), Names()) << "Enter on them changes nothing";
  }
  /// Works what no scene before has worked.
  void work(const Scene& scene) {
    SCOPED_TRACE(scene.name);
    ImGui::GetIO().DisplaySize = scene.size;
    made_ = opened_;
    again({});
    scene.make(window_);
    ASSERT_TRUE(window_.settle());
    made_ = window_.session();
    again({});
    Names before, fresh;
    if (scene.show) {
      for (const app::NamedRect& widget : app::named_widgets())
        if (widget.pressed) before.insert(widget.name);
    }
    again(scene);
    for (const app::NamedRect& widget : app::named_widgets()) {
      record().offered.insert(widget.name);
      if (!widget.pressed || before.contains(widget.name) ||
          (record().clicks[family_of(widget.name)] && (is_term(widget.name) || record().presses[family_of(widget.name)])))
        continue;
      fresh.insert(widget.name);
    }
    by_mouse(scene, fresh);
    by_keyboard(scene, fresh);
  }

  Headless window_;

 private:
  void again(const Scene& scene) {
    window_.let_go();
    const app::Activity& now = window_.session().activity;
    if (now.kind != app::Activity::Kind::idle || now.paused != nullptr) {
      window_.book().cancel();
      window_.settle();
    }
    window_.session() = made_;
    gpu::prefer_compiler(made_.compiler);
    window_.frame();
    if (scene.show) scene.show(window_);
    window_.frame();
  }
  std::string seen_without_mouse() {
    window_.leave();
    for (int i = 0; i < 3; ++i) window_.frame();
    return window_.seen();
  }
  bool clicking_changes(const std::string& name) {
    window_.point(name);
    const std::string before = seen_without_mouse();
    if (!window_.click(name)) return false;
    if (changes(name, before)) return true;
    window_.drag(name, {40, 0});  // an edge is dragged
    return changes(name, before);
  }
  bool pressing_changes(const std::string& name) {
    const std::string before = seen_without_mouse();
    return std::ranges::any_of(std::array{Key::enter, Key::left, Key::right}, [&](Key key) {
      window_.key(key);
      return changes(name, before);
    });
  }
  bool changes(const std::string& name, const std::string& before) {
    window_.leave();
    return window_.wait([&] { return window_.find(name) == nullptr || seen_without_mouse() != before; }, 0.1);
  }
  /// A choice that is in force changes nothing, until another one was made: by keyboard too.
  void by_mouse(const Scene& scene, const Names& fresh) {
    for (const std::string& name : fresh) {
      bool& does = record().clicks[family_of(name)];
      if (does) continue;
      again(scene);
      does = clicking_changes(name);
      for (const std::string& other : fresh) {
        if (does || other == name || parent_of(other) != parent_of(name)) continue;
        again(scene);
        window_.click(other);
        does = clicking_changes(name);
      }
    }
  }
  void by_keyboard(const Scene& scene, const Names& fresh) {
    Names reached;
    again(scene);
    while (reached.size() < 1000) {
      // A list that opens has the focus already.
      if (window_.focus().empty() || reached.contains(window_.focus())) window_.key(Key::tab);
      const std::string name = window_.focus();
      ASSERT_NE(name, "") << "Tab leads nowhere after " << fmt::format("{}", fmt::join(reached, ", "));
      if (!reached.insert(name).second) break;
      if (!fresh.contains(name)) continue;
      bool& does = record().presses[family_of(name)];
      if (does) continue;
      does = pressing_changes(name);
      for (const std::string& other : fresh) {
        if (does || other == name || parent_of(other) != parent_of(name)) continue;
        again(scene);
        window_.click(other);
        does = window_.tab_to(name) && pressing_changes(name);
      }
      again(scene);
      ASSERT_TRUE(window_.tab_to(name)) << name << " is not reached again";
    }
    for (const std::string& name : fresh) {
      if (!reached.contains(name) && !is_term(name)) record().unreached.insert(name);
    }
  }

  app::Session opened_, made_;
};

void run(Headless& window) {
  window.click("run");
  ASSERT_TRUE(window.wait([&] { return window.session().lesson().shown != nullptr; }));
  if (window.session().open->live) window.book().pause();
}

TEST_F(EveryControl, OfLessons) {
  for (const lessons::Lesson* lesson : lessons::all_lessons()) {
    SCOPED_TRACE(lesson->id);
    open(*lesson);
    work({.name = "page"});
    work({.name = "after a run", .make = run});
    work({.name = "step through", .make = [](Headless& w) {
            w.click("tab/steps");
            w.settle();
            for (int i = 0; i < 4; ++i) w.click("stepper/step");  // to lines that can be run to
          }});
    work({.name = "sweep", .make = [](Headless& w) {
            w.click("sweep");
            for (const lessons::Control& control : w.session().open->controls) {
              if (w.session().lesson().sweep.over.size() < 2) w.click("sweep/over/" + control.id);
            }
          }});
    work({.name = "presented", .make = [](Headless& w) {
            run(w);
            w.command(app::Command::present);
            w.command(app::Command::slide_controls);
          }});
  }
}

TEST_F(EveryControl, OfAKeptRun) {
  open(*lessons::find_lesson("01"));
  work({.name = "before and after", .make = [](Headless& w) {
          run(w);
          w.settle();
          w.click("kept/keep");
          w.session().lesson().values.set("blocks", 31);
          w.click("run");
          w.settle();
        }});
}

/// The field as it is shown, blown up with this coefficient.
std::function<void(Headless&)> blown_up(double coefficient) {
  return [coefficient](Headless& w) {
    run(w);
    w.settle();
    auto snapshot = std::make_shared<app::Snapshot>(*w.session().lesson().shown);
    for (lessons::Figure& figure : snapshot->outcome->figures) {
      if (auto* const field = std::get_if<lessons::Field>(&figure)) field->blown_up = true, field->coefficient = coefficient;
    }
    app::show(w.session(), std::move(snapshot));
  };
}

TEST_F(EveryControl, OfASlideWithSeveralSweeps) {
  open(*lessons::find_lesson("09"));
  work({.name = "sweeps",
        .show =
            [](Headless& w) {
              run(w);
              w.settle();
              w.session().presenting = true;
              const std::vector<std::string>& views = w.session().open->views;
              w.session().lesson().slide = static_cast<std::size_t>(std::ranges::find(views, "launch_sweep") - views.begin()) + 1;
              for (int i = 0; i < 20; ++i) w.frame();
            },
        .size = {720, 450}});
}

TEST_F(EveryControl, OfALiveField) {
  open(*lessons::find_lesson("06"));
  window_.session().lesson().values.set("side", 256);
  work({.name = "paused", .show = [](Headless& w) {
          run(w);
          w.settle();
        }});
  work({.name = "blown up", .make = blown_up(0.3)});
  work({.name = "filmed", .show = [](Headless& w) {
          w.session().lesson().values.set("side", 64);  // its pictures follow the frames, so that the film goes on
          w.click("run");
          ASSERT_TRUE(w.wait([&] { return w.session().lesson().shown != nullptr; }));
          w.book().export_as({.kind = app::Export::Kind::field, .view = {}});
          w.frame();
        }});
}

TEST_F(EveryControl, OfATableThatIsSearched) {
  open(*lessons::find_lesson("19"));
  const auto searched = [](const std::string& words) {
    return [words](Headless& w) {
      run(w);
      w.settle();
      ASSERT_TRUE(w.click("view/device_table/field"));
      w.type(words);
      w.settle();
    };
  };
  run(window_);
  window_.settle();
  ASSERT_TRUE(window_.tab_to("view/device_table/field"));
  const app::NamedRect* const field = window_.find("view/device_table/field");
  EXPECT_LE(field->area.b.y, 900) << "it comes into sight";
  EXPECT_GT(field->area.a.y, 0);
  window_.key(Key::enter);
  EXPECT_EQ(window_.session().typing.name, "view/device_table/field");
  work({.name = "few rows", .make = searched("shared optin")});
  EXPECT_NE(window_.find("device_table/sharedMemPerBlockOptin"), nullptr);
  EXPECT_EQ(window_.find("device_table/warpSize"), nullptr) << "it has none of these words";
  EXPECT_EQ(window_.find("device_table/all"), nullptr) << "all that were found are shown";
  work({.name = "no row", .make = searched("moon")});
  EXPECT_EQ(window_.find("device_table/sharedMemPerBlockOptin"), nullptr);
}

/// Opens a list by keys, so that Tab goes on within it.
std::function<void(Headless&)> press(const std::string& name) {
  return [name](Headless& window) {
    EXPECT_TRUE(window.tab_to(name));
    window.key(Key::enter);
  };
}

std::function<void(Headless&)> do_it(app::Command command) {
  return [command](Headless& window) { window.command(command); };
}

TEST_F(EveryControl, SlidersMoveByArrows) {
  for (const lessons::Lesson* lesson : lessons::all_lessons()) {
    open(*lesson);
    for (const lessons::Control& control : lesson->controls) {
      const bool slides = control.kind == lessons::Control::Kind::integer || control.kind == lessons::Control::Kind::real;
      if (!slides || control.id == "seed") continue;  // a seed is no more or less: it has "next"
      if (control.later && window_.find("control/" + control.id) == nullptr) {
        ASSERT_TRUE(window_.click("more"));
      }
      ASSERT_TRUE(window_.tab_to("control/" + control.id)) << lesson->id << ", " << control.id;
      const double before = window_.session().lesson().values.real(control.id);
      window_.key(before > control.least ? Key::left : Key::right);
      EXPECT_NE(window_.session().lesson().values.real(control.id), before) << lesson->id << ", " << control.id;
    }
  }
}

TEST_F(EveryControl, OfTheStepper) {
  const auto recorded = [](Headless& w) {
    w.click("tab/steps");
    w.settle();
  };
  open(*lessons::find_lesson("07"));
  work({.name = "run", .make = run});
  work({.name = "shared memory", .make = [&](Headless& w) {
          w.click("control/where/shared");
          recorded(w);
          w.click("stepper/end");
        }});
  work({.name = "PTX", .make = [&](Headless& w) {
          recorded(w);
          w.click("stepper/ptx");
          for (int i = 0; i < 4; ++i) w.click("stepper/step");
        }});
  work({.name = "changed since", .make = [&](Headless& w) {
          recorded(w);
          w.click("control/where/shared");
        }});
  work({.name = "two kernels", .make = [&](Headless& w) {
          recorded(w);
          auto both = std::make_shared<app::Steps>(*w.session().lesson().stepper.steps);
          both->launches.push_back(both->launches.front());
          app::show(w.session(), std::move(both));
        }});
}

/// A folder with a second language, for the settings to offer.
std::filesystem::path languages() {
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("warpbook_two_languages_{}", getpid());
  std::filesystem::create_directories(folder);
  const std::string source = std::string(WARPBOOK_ROOT) + "/tests/gpu/languages/three_forms.po";
  EXPECT_EQ(std::system(fmt::format("msgfmt --output-file='{}/xt.mo' '{}'", folder.string(), source).c_str()), 0);
  return folder;
}

TEST_F(EveryControl, OfTheWindow) {
  open(*lessons::find_lesson("01"));
  work({.name = "run", .make = run});
  work({.name = "settings", .make = [](Headless& w) {
          w.session().bench_width = 600;
          w.session().languages = languages();
          w.command(app::Command::settings);
        }});
  work({.name = "languages",
        .make =
            [](Headless& w) {
              w.session().languages = languages();
              w.command(app::Command::settings);
            },
        .show = press("settings/language")});
  EXPECT_TRUE(speak("en", languages()));
  std::filesystem::remove_all(languages());
  work({.name = "shortcuts", .make = do_it(app::Command::shortcuts)});
  work({.name = "glossary", .make = do_it(app::Command::glossary)});
  work({.name = "progress", .make = do_it(app::Command::progress)});
  work({.name = "device list", .show = press("device/virtual")});
  work({.name = "help list", .show = press("help")});
  work({.name = "tour", .make = [](Headless& w) {
          app::start_tour(w.session(), w.book());
          w.session().tour = 1;
        }});
  const auto changed = [](Headless& w) {
    lessons::Values values = w.session().lesson().values;
    values.set("blocks", 31);
    app::change_values(w.session(), w.book(), values);
  };
  work({.name = "a control has changed", .make = changed});
  work({.name = "and was undone", .make = [&](Headless& w) {
          changed(w);
          w.click("undo/blocks");
        }});
  work({.name = "another window", .make = [](Headless& w) { w.session().other_windows = "Warpbook is open in another window."; }});
  work({.name = "closed before all is kept", .make = [](Headless& w) {
          w.session().not_kept = "The disk is full.";
          app::open_overlay(w.session(), app::Overlay::closing);
        }});
  work({.name = "exported", .make = [](Headless& w) {
          w.click("export");
          w.click("export/cu");
        }});
  work({.name = "export list", .make = run, .show = [](Headless& w) {
          w.settle();  // a run that ends closes no list
          press("export")(w);
        }});
  const auto menu_of = [](const std::string& name) {
    return [name](Headless& w) {
      w.settle();  // a run that ends closes no menu
      w.right_click(name);
    };
  };
  work({.name = "menu of a number", .make = run, .show = menu_of("number/written")});
  work({.name = "menu of a view", .make = run, .show = menu_of("view/thread_map")});
  work({.name = "host tab", .make = [](Headless& w) { w.click("tab/host"); }});
  work({.name = "reset lesson", .make = [](Headless& w) { w.click("lesson/reset"); }});
  work({.name = "narrow", .size = {1020, 720}});
  work({.name = "narrow, unfolded", .make = [](Headless& w) { w.click("bench/unfold"); }, .size = {1020, 720}});
}

TEST_F(EveryControl, OfTheEditor) {
  open(*lessons::find_lesson("05"));
  work({.name = "findings", .make = run});
  work({.name = "watched in part", .make = [](Headless& w) {
          run(w);
          auto in_part = std::make_shared<app::Snapshot>(*w.session().lesson().reported);
          in_part->outcome->report.remarks = {as_it_is("Races: not all was compared.")};
          w.session().lesson().reported = std::move(in_part);
        }});
  work({.name = "does not compile", .make = [](Headless& w) {
          w.click("editor", 0.5F, 0.1F);
          w.type("wrong here ");
        }});
  const auto keys_in_editor = [](Key key) {
    return [key](Headless& w) {
      w.click("editor", 0.5F, 0.1F);
      w.key(key, false, true);
    };
  };
  work({.name = "find", .make = [&](Headless& w) {
          keys_in_editor(Key::f)(w);
          w.type("c[0]");
        }});
  work({.name = "go to a line", .make = keys_in_editor(Key::g)});
  work({.name = "a long line", .make = [](Headless& w) {
          w.session().lesson().text.insert("// " + std::string(300, 'x') + "\n");
          w.book().text_changed();
        }});
}

TEST_F(EveryControl, OfASweep) {
  open(*lessons::find_lesson("01"));
  work({.name = "run", .make = run});
  const auto swept = [](Headless& w) {
    for (const char* name : {"sweep", "sweep/over/guard", "sweep/start"}) w.click(name);
    w.settle();
  };
  work({.name = "swept", .make = swept});
  work({.name = "results", .make = swept, .show = press("sweep/result")});
}

TEST_F(EveryControl, OfThePlayground) {
  open(*lessons::find_lesson("playground"));
  work({.name = "run", .make = run});
  work({.name = "a kernel with arrays", .make = [](Headless& w) { w.click("kernel/saxpy"); }});
  work({.name = "a whole program", .make = [](Headless& w) {
          w.session().lesson().text.insert("int main() {}\n");
          w.book().text_changed();
        }});
  work({.name = "a launch of its own, and another one set", .make = [](Headless& w) {
          w.session().lesson().text.insert("int main() { mandelbrot<<<dim3(2, 2), dim3(16, 16)>>>(nullptr, 32, 32, 64); }\n");
          w.book().text_changed();
          w.settle();
          lessons::Values values = w.session().lesson().values;
          values.set("threads", 8);
          w.book().set_values(values);
        }});
  work({.name = "variables", .make = [](Headless& w) {
          app::EditorText& text = w.session().lesson().text;
          text.select_all();
          text.insert(
              "__constant__ float weights[3];\n__constant__ int shift;\n"
              "__global__ void k(float* x) { x[threadIdx.x] = weights[0] + shift; }\n");
          w.book().text_changed();
          w.settle();
          w.click("variable/weights/content");
          w.click("variable/weights/content/value");
        }});
  work({.name = "an earlier text", .make = [](Headless& w) {
          app::LessonState& state = w.session().lesson();
          state.earlier.push_back(
              {.file = "1.cu", .kernel = "__global__ void earlier(int* x) {}\n", .folder = {}, .values = state.values});
        }});
  work({.name = "a path", .make = [](Headless& w) { w.session().brought.path = "absent.cu"; }});
  work({.name = "browse", .make = [](Headless& w) {
          w.session().lesson().folder = std::filesystem::path(WARPBOOK_ROOT) / "kernels";
          w.click("playground/browse");
        }});
  work({.name = "contents", .make = [](Headless& w) { w.click("kernel/saxpy"); }, .show = press("argument/x/content")});
  work({.name = "details", .make = [](Headless& w) {
          for (const char* name : {"kernel/saxpy", "argument/x/content", "argument/x/content/uniform"}) w.click(name);
        }});
}

TEST_F(EveryControl, OfAWholeProgram) {
  open(lessons::programs());
  const auto record = std::filesystem::temp_directory_path() / ("every_control" + std::to_string(getpid()) + ".record");
  write_hand_made_record(record);
  work({.name = "nothing has run", .make = [](Headless& w) { w.session().program.line = "./no-such-program 5"; }});
  work({.name = "a record", .make = [&](Headless& w) { w.book().open_file(record.string()); }});
  work({.name = "a record with another schedule", .make = [&](Headless& w) {
          w.book().open_file(record.string());
          w.settle();
          w.click("control/schedule/clock");
        }});
  work({.name = "browse", .make = [](Headless& w) {
          w.session().lesson().folder = std::filesystem::path(WARPBOOK_ROOT) / "tests";
          w.click("program/browse");
        }});
  std::filesystem::remove(record);
}

TEST_F(EveryControl, OfAnExercise) {
  open((*lessons::find_exercise("square"))->as_lesson);
  work({.name = "page"});
  work({.name = "after a check", .make = run});
  work({.name = "solution", .make = [](Headless& w) {
          run(w);
          w.click("tab/solution");
        }});
}

TEST_F(EveryControl, OfALaunchThatIsChosen) {
  open((*lessons::find_exercise("launch_it"))->as_lesson);
  work({.name = "page"});
  work({.name = "the kernel that is given", .make = [](Headless& w) { w.click("tab/given"); }});
}

class EveryControlWithGpus : public EveryControl {
 protected:
  EveryControlWithGpus()
      : EveryControl({.found = {{.name = "NVIDIA H200", .problem = {}}, {.name = "NVIDIA K80", .problem = "It is too old."}},
                      .none = {},
                      .why = {}}) {}
};

TEST_F(EveryControlWithGpus, OfTheirs) {
  open(*lessons::find_lesson("01"));
  work({.name = "run", .make = run});
  const auto chosen = [](Headless& w) {
    w.click("device/cuda");
    w.click("gpu/0");
    w.settle();
    run(w);
  };
  work({.name = "on a GPU", .make = chosen});
  work({.name = "list", .make = chosen, .show = press("device/cuda")});
  work({.name = "looked inside", .make = [&](Headless& w) {
          chosen(w);
          w.click("look_inside");
        }});
  work({.name = "lost", .make = [](Headless& w) {
          w.session().device_problem = {
              .title = "NVIDIA H200 cannot be used", .error = {"device_lost", "CUDA refuses this program."}, .restart_with = 0};
        }});
}

TEST(EveryControlOfAList, EscapeClosesTheListAlone) {
  Headless window;
  ASSERT_TRUE(window.settle());
  window.click("export");
  ASSERT_NE(window.find("export/cu"), nullptr);
  window.key(Key::escape);
  EXPECT_EQ(window.find("export/cu"), nullptr);
  window.session().presenting = true;
  window.frame();
  window.key(Key::escape);
  EXPECT_FALSE(window.session().presenting) << "the next one leaves what is under it";
}

/// What ends a run is offered only while there is one.
TEST(EveryControlOfARun, CancelsAndPauses) {
  Headless window;
  ASSERT_TRUE(window.settle());
  window.book().open(*lessons::find_lesson("05"));
  window.settle();
  lessons::Values values = window.session().lesson().values;
  for (const auto& [id, value] : {std::pair{"threads", 1024.0}, {"blocks", 256.0}, {"trials", 1000.0}}) values.set(id, value);
  window.book().set_values(values);
  const auto busy = [&] { return window.session().activity.kind != app::Activity::Kind::idle; };
  const auto ends = [&](const std::string& name) {
    record().offered.insert(name);
    for (const bool by_mouse : {true, false}) {
      window.click(name.starts_with("sweep") ? "sweep/start" : "run");
      ASSERT_TRUE(window.wait(busy)) << name;
      if (by_mouse) {
        EXPECT_TRUE(window.click(name)) << name;
      } else {
        EXPECT_TRUE(window.tab_to(name)) << name;
        window.key(Key::enter);
      }
      EXPECT_TRUE(window.wait([&] { return !busy(); }, 5)) << name;
      ASSERT_TRUE(window.settle());
    }
  };
  ends("cancel");
  window.click("sweep");
  window.click("sweep/over/atomic");
  ends("sweep/cancel");
  window.session().lesson().sweep.open = false;
  ImGui::GetIO().DisplaySize = {1020, 720};  // the bench is a strip there
  ends("cancel");
}

/// The names that the sources give to controls: "sweep/over/" + control.id is "sweep/over/".
Names named_in_sources() {
  Names names;
  const std::regex call(
      R"re((?:hit_area|button|link|press|tab|choose|chip|toggle|list_row|_field|segments)\((?:BenchTab::\w+, |fmt::format\(|unique\(|std::string\()?"([^"]+)")re");
  const std::regex member(R"re(\.name = "([^"]+)")re");
  for (const auto& file : std::filesystem::recursive_directory_iterator(std::filesystem::path(WARPBOOK_ROOT) / "app")) {
    if (file.path().extension() != ".cpp" || file.path().string().find("/commands/") != std::string::npos) continue;
    std::ifstream in(file.path());
    const std::string text(std::istreambuf_iterator<char>(in), {});
    const std::string of_view = file.path().filename() == "figure.cpp" ? "view/" : "";  // the table of views
    for (const std::regex& named : {call, member}) {
      for (auto it = std::sregex_iterator(text.begin(), text.end(), named); it != std::sregex_iterator(); ++it)
        names.insert(of_view + (*it)[1].str().substr(0, (*it)[1].str().find('{')));
    }
  }
  names.erase("");       // what is made of other names alone
  names.erase("check");  // an array's name
  return names;
}

TEST(EveryControlOfAll, IsOfferedByAScene) {
  if (record().offered.size() < 200) GTEST_SKIP() << "Only after all scenes: --gtest_filter='*EveryControl*'";
  Names missing;
  for (const std::string& named : named_in_sources()) {
    const auto offers = [&](const std::string& name) { return name == named || (named.ends_with('/') && name.starts_with(named)); };
    if (std::none_of(record().offered.begin(), record().offered.end(), offers)) missing.insert(named);
  }
  EXPECT_EQ(missing, Names());
  std::printf("%zu controls and panels are offered\n", record().offered.size());
}

}  // namespace
}  // namespace warpbook::test
