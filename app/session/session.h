// Session: everything that is on screen, as plain values. The thread that draws owns it.
//
//     Session session = make_session(*find_lesson("05"), Appearance::dark);
//     session.lesson().values.set("threads", 64);
//     show(session, std::make_shared<const Snapshot>(…));         // a result, which never changes from then on
//     draw_workbook(session, actions, size);                      // shell/panel_table.h
//
// Panels read it and change what the learner changes directly: texts, answers, scrolling. Everything that needs the device goes
// through Actions. What the worker makes arrives as immutable snapshots.
//
// No ImGui and no OpenGL in this folder: the session can be tested without a window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/actions.h"
#include "app/session/desktop.h"
#include "app/session/device_key.h"
#include "app/session/folder_listing.h"
#include "app/session/heat.h"
#include "app/session/lesson_state.h"
#include "app/session/programs.h"
#include "app/session/snapshot.h"
#include "app/session/steps.h"
#include "app/text/key_event.h"
#include "app/text/typing.h"
#include "app/ui/appearance.h"
#include "app/views/view_memory.h"
#include "gpu/compiler.h"
#include "gpu/device.h"
#include "lessons/glossary.h"
#include "lessons/lesson.h"
#include "lessons/progress.h"
#include "lessons/sweep.h"

namespace warpbook::app {

/// What is drawn over the workbook. There is one at most.
enum class Overlay : std::uint8_t { none, settings, shortcuts, glossary, browse, progress, closing };

/// The glossary, and what the learner is looking at in it.
struct GlossaryState {
  lessons::Glossary all;
  std::string problem;  // why the file cannot be read; `all` is then what was read before. Empty: it was read
  std::string words;    // in its search field
  std::string at;       // the term that was asked for
  std::string bring;    // the same term, to be scrolled to, for one frame
};

struct Session {
  // Settings.
  Appearance appearance = Appearance::dark;
  float zoom = 1;  // of everything, in addition to the display's scale
  bool full_screen = false;
  bool rerun = true;  // a quick experiment runs again by itself when a control changes
  gpu::CompilerChoice compiler = gpu::CompilerChoice::automatic;
  std::optional<gpu::CompilerChoice> asked_compiler;  // of --compiler or WARPBOOK_COMPILER, which stand above the setting
  std::filesystem::path languages;    // the folder with their catalogues (gpu/language.h)
  std::string language;               // its code, as it was chosen here; empty: the desktop's, or what was asked for at the start
  double quick_run = 0.3;             // seconds: a shorter run is a quick one
  double soon_made_again = 2;         // seconds: a shorter run is repeated when its lesson is opened in another session
  std::optional<double> bench_width;  // CSS pixels, as the learner dragged it; empty: a share of the window
  std::optional<bool> rail_folded;    // by the learner; empty: as the lesson wants it
  std::string kept_in;                // the folder that the learner's work is saved in; empty: it is not saved

  // What is on screen beside the open lesson.
  std::optional<std::size_t> tour;  // the callout that is shown (panels/tour.h); empty: no tour
  bool tour_pressed = false;        // the mouse button went down while a callout was shown
  bool toured = false;              // ever
  bool presenting = false;          // panels/present.h
  bool presented_controls = false;  // the controls are shown over the slide
  float scroll_by = 0;              // scrolls the page, screen pixels, for one frame
  Overlay overlay = Overlay::none;
  bool overlay_fresh = false;  // the overlay was opened since the last frame
  GlossaryState glossary;
  FolderListing browsed;        // what the playground's Browse shows; empty until it is opened
  std::string bring_control;    // a control of the page to scroll to, once it is there
  std::string pointed_control;  // the control whose name the mouse points at in the text, in this frame; empty: none
  HeatColumn heat{};            // the column beside the kernel's lines
  bool bench_unfolded = false;  // in a narrow window, where the bench is a strip
  Typing typing;
  std::vector<KeyEvent> keys;  // since the last frame
  std::optional<Hover> hover;  // what the mouse points at in a view, for the editor's chips
  /// Files that the learner opens in the playground, or drops onto the window.
  struct Brought {
    std::string path;     // as typed, or dropped
    std::string problem;  // why it could not be opened; empty: none
    std::string data;     // an array's file that was just dropped; the playground's panel takes it
  } brought;
  ProgramState program;  // of the page for whole programs
  /// The notice that something was copied (panels/copy.h).
  struct Copied {
    std::string words;
    double until = 0;  // ImGui's time
  } copied;

  const lessons::Lesson* open = nullptr;
  std::map<std::string, LessonState> lessons;  // by id: those that have been opened

  // The device.
  std::vector<std::string> profiles;  // of the virtual GPU
  NvidiaGpus gpus;
  DeviceKey chosen;
  std::string device;           // "Virtual GPU · T4 profile"; empty until the worker has made it
  gpu::DeviceInfo device_info;  // of the same
  struct DeviceProblem {
    std::string title;  // "NVIDIA H200 cannot be used"; empty: no problem
    Error error;
    std::optional<int> restart_with;  // the GPU that works again after the program has restarted; empty: a restart does not help
  } device_problem;                   // until another device is chosen
  std::optional<int> restart_with;    // when the window is closed, the program starts again with this GPU (shell/restart.h)
  Activity activity;

  // Problems and notices, as sentences. Empty: there is none.
  DesktopAnswer opened;       // a link's page, in the browser
  std::string other_windows;  // another window works on the same folder
  std::string not_kept;       // the last save failed (autosave.h)
  std::string not_read;       // saved work that could not be read
  std::string notice;         // something is missing on this machine
  bool close = false;         // the window is to be closed

  // Progress as it was saved. Of a lesson that is open, its LessonState says more: see stages_of, has_missed.
  std::map<std::string, std::vector<lessons::StageDone>> stages;  // by lesson
  std::set<std::string> missed;                                   // lessons with a wrong prediction
  std::set<std::string> passed;                                   // ids of all exercises that were ever passed

  [[nodiscard]] LessonState& lesson() { return lessons.at(open->id); }
  [[nodiscard]] const LessonState& lesson() const { return lessons.at(open->id); }
};

/// How far the learner has come in a lesson, whether it has been opened or not.
[[nodiscard]] std::vector<lessons::StageDone> stages_of(const Session& session, const lessons::Lesson& lesson);
/// Whether the newest prediction for one of its questions was wrong. Then it is worth asking again.
[[nodiscard]] bool has_missed(const Session& session, const lessons::Lesson& lesson);
/// How many lessons are done, of those that count (lessons/catalog.h).
struct LessonsDone {
  std::size_t done = 0, of = 0;
};
[[nodiscard]] LessonsDone lessons_done(const Session& session);
void open_overlay(Session& session, Overlay overlay);

/// A session with one lesson open, its page and kernel read. What could not be read is said on the page.
[[nodiscard]] Session make_session(const lessons::Lesson& lesson, Appearance appearance);
void open_lesson(Session& session, const lessons::Lesson& lesson);
/// Read the open lesson's page, or the glossary, from their files. If that fails, what was there stays, with the reason.
void read_page(Session& session);
void read_glossary(Session& session);

/// Whether some of the lesson's controls are hidden behind "More" at first; and whether they are hidden now.
[[nodiscard]] bool has_more(const lessons::Lesson& lesson);
[[nodiscard]] bool only_needed(const Session& session);

/// "Run"; of an exercise "Check".
[[nodiscard]] std::string_view run_word(const lessons::Lesson& lesson);

/// Each of these takes an answer of the worker over, for the lesson that it belongs to.
void show(Session& session, std::shared_ptr<const Snapshot> snapshot);
void show(Session& session, std::shared_ptr<const Compiled> compiled);
void show(Session& session, std::shared_ptr<const Steps> steps);
void show(Session& session, std::shared_ptr<const lessons::Sweep> sweep);
/// Also scrolls to the launch, where its line has changed.
void show(Session& session, std::shared_ptr<const HostProgram> program);
/// Does nothing where the run that was repeated is no longer the lesson's last one.
void show(Session& session, std::shared_ptr<const Inside> inside);

/// Whether the program belongs to the text, the values and the device that are on screen now.
[[nodiscard]] bool is_current(const HostProgram& program, const Session& session);

/// Whether "Look inside" is shown, which it is for a GPU; and why it cannot be pressed now.
struct InsideOffer {
  bool offered = false;
  std::string why_not;  // a sentence; empty: it can be pressed
};
[[nodiscard]] InsideOffer inside_offer(const Session& session);

/// The sweep that the open lesson's settings ask for, with the kernel and the other controls as they are now.
[[nodiscard]] lessons::SweepPlan sweep_plan(const Session& session);

}  // namespace warpbook::app
