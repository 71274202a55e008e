// Session: what is on screen, as plain values, owned by the thread that draws.
//
//     Session session = make_session(*find_lesson("05"), Appearance::dark);
//     session.lesson().values.set("threads", 64);
//     show(session, std::make_shared<const Snapshot>(…));         // a result; immutable from then on
//     draw_workbook(session, actions, size);                      // panels.h
//
// Panels read it and change what the learner's hand changes (text, guess, scroll); everything that makes the device work goes
// through Actions. What the worker makes arrives as immutable snapshots.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/desktop.h"
#include "app/device_key.h"
#include "app/folder_listing.h"
#include "app/panels/code_look.h"
#include "app/panels/editor_lines.h"
#include "app/panels/editor_text.h"
#include "app/panels/steps.h"
#include "app/theme.h"
#include "app/values_history.h"
#include "app/views/views.h"
#include "gpu/compiler.h"
#include "gpu/device.h"
#include "lessons/glossary.h"
#include "lessons/host_code.h"
#include "lessons/lesson.h"
#include "lessons/page.h"
#include "lessons/progress.h"
#include "lessons/results_csv.h"
#include "lessons/sweep.h"

namespace warpbook::app {

enum class HeatColumn : std::uint8_t;  // panels/heat.h

/// How a live experiment's field comes to the screen.
struct Drawing {
  std::string word;      // "interop", "pinned copy", "mapped"
  std::string sentence;  // the same with its reason
};

/// What a run, or a live step, answered, together with what was asked.
struct Snapshot {
  const lessons::Lesson* lesson = nullptr;
  lessons::Values values;
  std::string text;              // the kernel it ran
  std::filesystem::path folder;  // of its headers
  std::string device;            // "Virtual GPU · T4 profile"
  bool on_gpu = false;           // a hardware GPU, which observes nothing of what its threads do
  bool live = false;
  Drawing drawing;                          // live
  std::optional<lessons::Outcome> outcome;  // empty: it failed before there was one
  std::optional<Error> error;               // why; code "compile_error" when failure says more
  std::optional<gpu::CompileFailure> failure;
  gpu::ProgramPtr program;
  double seconds = 0;  // wall time
};

/// A run on a GPU beside its repetition on the virtual GPU: same text, same values, every observer on.
struct Inside {
  std::shared_ptr<const Snapshot> of;     // the answer that was looked into
  std::shared_ptr<const Snapshot> there;  // what the GPU says: `of`, or for a live experiment a run from its start
  std::shared_ptr<const Snapshot> here;   // the virtual GPU's answer; it may have failed
};

/// What compiling a text gave; one of program and failure.
struct Compiled {
  const lessons::Lesson* lesson = nullptr;
  std::string text;
  gpu::ProgramPtr program;
  std::optional<gpu::CompileFailure> failure;
};

/// The host's program for the values and the text that it names, whether or not they have been run (lessons/dry_run.h).
struct HostProgram {
  const lessons::Lesson* lesson = nullptr;
  lessons::Values values;
  std::string text, device;
  gpu::ProgramPtr program;  // the kernels' parameters were taken from it; may be empty
  Result<lessons::HostCode> cuda, numba;
};
/// What the page's Export writes, and where it went.
struct Export {
  enum class Kind : std::uint8_t { cuda, numba, csv, view, page, field, steps } kind = Kind::cuda;
  std::string view;  // of a view's picture
};
struct Exported {
  std::string words;  // "The program is written." or why it is not; empty: nothing was asked for
  std::string path;   // of what was written
  bool failed = false, busy = false;
  DesktopAnswer folder = {};        // "Open folder"
  std::optional<double> part = {};  // how much of it is done, 0 … 1; empty: not known, and it cannot be cancelled
};

enum class BenchTab : std::uint8_t { kernel, host, numba, given, solution };

/// A lesson's sweep: as the learner sets it up, and its last answer.
struct SweepDesk {
  bool open = false;              // it stands in the page's place
  std::vector<std::string> over;  // controls' ids: none, one, or two
  struct Range {
    double from = 0, to = 0;
  };
  std::map<std::string, Range> ranges;         // where they are not all that the control can be
  std::string result;                          // the number that is shown; empty: the first one
  std::shared_ptr<const lessons::Sweep> last;  // running, done or cancelled; immutable
  lessons::SweepChart chart;                   // `result` of `last`
  std::string exported;                        // where a file was written, or why it was not
  bool export_failed = false;

  void show(std::shared_ptr<const lessons::Sweep> sweep);
  void choose(const std::string& number);
};

/// Search in the kernel's editor, or the line to go to.
struct FindBar {
  enum class For : std::uint8_t { nothing, words, line } looks_for = For::nothing;  // nothing: it is closed
  std::string words;
};

/// The figure of a view, of a run; nullptr: the run has none.
[[nodiscard]] const lessons::Figure* find_figure(const Snapshot& snapshot, const std::string& view);

/// The hand that marks threads: where the keyboard stands, and a stretch being drawn with the mouse.
struct MarkingHand {
  std::uint32_t thread = 0;
  struct Stroke {
    std::uint32_t from = 0;
    bool marks = true;  // false: it takes marks away
    std::set<std::uint32_t> before;
  };
  std::optional<Stroke> stroke;
};

/// A lesson as the learner left it.
struct LessonState {
  lessons::Values values;
  ValuesHistory history;                        // of the values
  std::string shipped;                          // the kernel as it comes
  EditorText text;                              // … as it stands
  std::filesystem::path folder;                 // of the file it was opened from, whose headers it may include; empty: of none
  bool just_opened = false;                     // a playground's file, whose launch is taken over when it has compiled
  std::string opened;                           // a playground's file as it was opened: what still equals it lies in that file
  std::vector<lessons::Kept::Earlier> earlier;  // a playground's texts that opened files took the place of (earlier_texts.h)
  lessons::Page page;
  std::map<std::string, std::shared_ptr<const PageImage>> images;  // of the page, by file
  std::string page_problem;                                        // why there is no page, or the one before; empty: all is well

  std::shared_ptr<const Snapshot> latest;    // the newest answer, good or not
  std::shared_ptr<const Snapshot> reported;  // the newest with an outcome: what the report and the editor's notes speak of
  std::shared_ptr<const Snapshot> shown;     // the newest whose launch ended well: what numbers and views show
  /// A run that the learner keeps, to compare others with (app/panels/kept.h).
  struct Kept {
    std::shared_ptr<const Snapshot> run;
    enum class Show : std::uint8_t { kept, now, both } show = Show::both;  // in the views
    /// The views of both on one scale, made anew when another run is shown.
    std::shared_ptr<const Snapshot> scaled_with = {};
    std::map<std::string, std::pair<lessons::Figure, lessons::Figure>> scaled = {};
  };
  std::optional<Kept> kept;
  std::shared_ptr<const Inside> inside;      // of `latest`; empty: nobody looked
  std::shared_ptr<const Compiled> compiled;  // of some recent text
  gpu::ProgramPtr program;                   // the newest that compiled
  bool changed_since_run = false;            // controls or text
  bool ran_ever = false;                     // in this session or an earlier one
  bool looked_ever = false;                  // at a view with something in it: the stage "look"
  bool changed_ever = false;                 // after the first run: the stage "change"
  bool ran_quickly = false;                  // the last run: it is made again, unasked, when the lesson is opened anew
  bool more = false;                         // what the lesson does not need at first is shown, too: has_more()

  struct Guess {  // app/prediction.h
    std::string typed;
    std::set<std::uint32_t> marks;         // threads that are being marked
    std::vector<lessons::Answer> answers;  // oldest first
    bool skipped = false;                  // the learner does not want to be asked
    MarkingHand hand;
  };
  std::map<std::string, Guess> guesses;  // by the number's or marking's name
  bool asked_to_predict = false;         // a Run has asked for an answer before it ran: it does so once
  bool asking = false;                   // … and waits for it, or for the next Run
  bool bring_question = false;           // the open question is shown where it is out of sight, for one frame

  /// The lesson as it was before it was reset, for some seconds.
  struct WayBack {
    lessons::Values values;
    std::string kernel;
    std::map<std::string, Guess> guesses;
    std::shared_ptr<const Snapshot> latest, reported, shown;
    std::shared_ptr<const Inside> inside;
    bool ran = false, looked = false, changed = false;
    double until = 0;  // ImGui's time
  };
  std::optional<WayBack> way_back;
  std::map<std::string, ViewMemory> views;  // by the view's
  SweepDesk sweep;

  BenchTab tab = BenchTab::kernel;          // while the stepper is not open
  std::shared_ptr<const HostProgram> host;  // the newest that was printed; empty: nobody asked for it yet
  CodeView host_view, numba_view;
  CodeView solution, given;  // an exercise's; given: the kernel that is launched, where a launch is to be chosen

  Exported exported;
  std::vector<lessons::PastRun> past;  // the session's runs, oldest first

  FindBar find;
  EditorLines editor_lines;
  Stepper stepper;
  std::size_t slide = 0;        // of the presentation
  float scroll = 0;             // of the page, screen pixels
  std::string scroll_to_stage;  // asked for by the stage strip, for one frame
  std::string bring_view;       // of a preset that was chosen: brought into sight until its run is there and the page stands still
  int bring_frames = 0;         // for how many frames it has stood still
  /// Where things stood in the last frame, screen pixels; 0: the page has none.
  struct Places {
    float result_end = 0, presets_top = 0, presets_end = 0;
    std::string first_view;  // of the page
  } places;
  bool bring_kept = false;    // a run was kept: the table is shown where it is out of sight, for one frame
  bool bring_inside = false;  // a look inside has come: shown where it is out of sight, for one frame
  float editor_scroll_x = 0, editor_scroll_y = 0;
  bool editor_follow_caret = false;   // for one frame
  bool editor_take_keyboard = false;  // the same
  lessons::Macros editor_macros;      // that the editor last dimmed by
  std::string note_brought;           // the note that the editor last scrolled to by itself
  std::map<std::string, bool> notes;  // sentences under lines that the learner opened (true) or closed

  [[nodiscard]] bool edited() const { return text.str() != shipped; }
  [[nodiscard]] lessons::Done done(const std::set<std::string>& passed) const;  // exercises that ever did
  /// After the controls or the text: remembers whether they are still those of the result.
  void note_change();
  /// The last run or launch failed: why stands in place of the numbers, and the result before it is dimmed.
  [[nodiscard]] bool failed() const;
  /// What report and notes are made of: the virtual GPU's look inside where there is one. Empty before the first run.
  [[nodiscard]] const lessons::Outcome* observed() const;
};

/// What the worker is at.
struct Activity {
  /// looking: inside a GPU's run, on the virtual GPU; recording: a run's steps.
  enum class Kind { idle, running, live, looking, recording, sweeping } kind = Kind::idle;
  double seconds = 0;                       // since it began
  std::uint64_t done = 0, total = 0;        // blocks, of a sweep runs; total 0: unknown
  double frames_per_second = 0;             // live
  const lessons::Lesson* paused = nullptr;  // whose live experiment waits to go on; nullptr: none
};

/// A key press or a typed character, in the order in which they came. ImGui 1.86 knows keys only as they are when a frame
/// begins: two presses within a frame would be one, and "a, Enter, b" might become "Enter, a, b".
struct KeyEvent {
  enum class Key : std::uint8_t {
    character,
    left,
    right,
    up,
    down,
    home,
    end,
    page_up,
    page_down,
    backspace,
    erase,
    enter,
    tab,
    escape,
    find_next,  // F3
    a,
    c,
    f,
    g,
    v,
    x,
    y,
    z,
    slash
  };
  Key key = Key::character;
  char32_t codepoint = 0;  // character
  bool shift = false, ctrl = false;
};

/// A number field or guess that is being typed into; there is one at most.
struct Typing {
  std::string name;  // "control/threads"; empty: none
  EditorText text;
  bool fresh = true;           // does not have the keyboard yet
  std::string wrong;           // "1024 at most"
  std::vector<KeyEvent> keys;  // since the last frame
};

/// What lies over the workbook; there is one at most.
enum class Overlay : std::uint8_t { none, settings, shortcuts, glossary, browse, progress, closing };

/// The glossary, and where the learner is in it.
struct GlossaryDesk {
  lessons::Glossary all;
  std::string problem;  // why there is none, or the one before; empty: all is well
  std::string words;    // in its field
  std::string at;       // the term that was asked for
  std::string bring;    // the same, to be scrolled to: for one frame
};

struct Session {
  Appearance appearance = Appearance::dark;
  float zoom = 1;  // the size of everything, beside the display's scale
  bool full_screen = false;
  bool rerun = true;                  // a quick experiment runs again when a control changes
  gpu::CompilerChoice compiler = gpu::CompilerChoice::automatic;  // the settings' word
  double quick_run = 0.3;             // seconds: a run shorter than this is a quick one
  double soon_made_again = 2;         // seconds: … and one shorter than this is made again when its lesson is opened anew
  std::optional<double> bench_width;  // CSS pixels, by the learner; empty: as the window has it
  std::optional<bool> rail_folded;    // by the learner; empty: as the lesson has it
  std::string kept_in;                // the folder that what the learner does is kept in; empty: it is not
  std::optional<std::size_t> tour;    // the callout that is shown (panels/tour.h); empty: no tour
  bool tour_pressed = false;          // the mouse went down while a callout was shown
  bool toured = false;                // ever
  bool presenting = false;            // panels/present.h
  bool presented_controls = false;    // the controls lie over the slide
  float scroll_by = 0;                // the page, by keys: for one frame, screen pixels
  Overlay overlay = Overlay::none;
  bool overlay_fresh = false;  // it was opened since the last frame

  GlossaryDesk glossary;
  FolderListing browsed;        // by the playground's Browse; empty: not yet
  std::string bring_control;    // a control of the page to be scrolled to, once it is there
  std::string pointed_control;  // whose name in the text is pointed at, in this frame; empty: none

  const lessons::Lesson* open = nullptr;
  std::map<std::string, LessonState> lessons;  // by id, those that have been open

  std::vector<std::string> profiles;  // of the virtual GPU
  NvidiaGpus gpus;
  DeviceKey chosen;
  std::string device;           // "Virtual GPU · T4 profile"; empty until the worker has made it
  gpu::DeviceInfo device_info;  // of it
  DesktopAnswer opened;         // a link's page, in the browser
  std::string other_windows;    // another window works on the same folder, as a sentence; empty: none does
  std::string not_kept;         // the last save failed, as sentences; empty: all is kept (keeper.h)
  std::string not_read;         // what was kept and could not be read, as sentences; empty: nothing
  bool close = false;           // the window is to be closed
  std::string notice;           // something is missing on this machine, as a sentence; empty: nothing
  struct DeviceProblem {
    std::string title;  // "NVIDIA H200 cannot be used"; empty: no problem
    Error error;
    std::optional<int> restart_with;  // the GPU that the program can use again once it has begun anew; empty: that would not help
  } device_problem;                   // until a device is chosen anew
  std::optional<int> restart_with;    // closed, the program begins anew with this GPU (restart.h)

  Activity activity;
  Typing typing;
  std::vector<KeyEvent> keys;  // since the last frame; for the editor
  std::optional<Hover> hover;  // what a view's mouse is over, for the editor's chips
  /// Files that the learner brings to the playground.
  struct Brought {
    std::string path;     // as typed, or dropped
    std::string problem;  // why it could not be opened; empty: none
    std::string data;     // an array's file that was just dropped: the playground's panel takes it
  } brought;
  /// What was copied, or that it was: a notice for a moment (copy.h).
  struct Copied {
    std::string words;
    double until = 0;  // ImGui's time
  } copied;
  HeatColumn heat{};            // what stands beside the kernel's lines
  bool bench_unfolded = false;  // in a narrow window the bench is a strip that unfolds

  std::map<std::string, std::vector<lessons::StageDone>> stages;  // by lesson, as they were kept; see stages_of
  std::set<std::string> missed;  // lessons with a missed question, as they were kept; see has_missed
  std::set<std::string> passed;  // ids of the exercises that ever did

  [[nodiscard]] LessonState& lesson() { return lessons.at(open->id); }
  [[nodiscard]] const LessonState& lesson() const { return lessons.at(open->id); }
};

/// How far the learner has come in a lesson, open or not.
[[nodiscard]] std::vector<lessons::StageDone> stages_of(const Session& session, const lessons::Lesson& lesson);
/// Whether the newest prediction of one of its questions was wrong: then it is worth asking again.
[[nodiscard]] bool has_missed(const Session& session, const lessons::Lesson& lesson);
/// How many lessons are done, of those that count (lessons/catalog.h).
struct LessonsDone {
  std::size_t done = 0, of = 0;
};
[[nodiscard]] LessonsDone lessons_done(const Session& session);
void open_overlay(Session& session, Overlay overlay);

/// A session with one lesson open, its page and kernel read; what could not be read is said on the page.
[[nodiscard]] Session make_session(const lessons::Lesson& lesson, Appearance appearance);
void open_lesson(Session& session, const lessons::Lesson& lesson);
/// The open lesson's page, the glossary, from their files as they are now. What cannot be read is said, and what was there stays.
void read_page(Session& session);
void read_glossary(Session& session);

/// Whether the lesson shows what it needs first, and the rest behind "More"; and whether that rest is hidden now.
[[nodiscard]] bool has_more(const lessons::Lesson& lesson);
[[nodiscard]] bool only_needed(const Session& session);

/// "Run"; of an exercise "Check".
[[nodiscard]] std::string_view run_word(const lessons::Lesson& lesson);

/// Takes a result over, for the lesson it belongs to.
void show(Session& session, std::shared_ptr<const Snapshot> snapshot);
/// Takes the host's program over, and scrolls to its launch where that has moved.
void show(Session& session, std::shared_ptr<const HostProgram> program);
/// Whether the program is that of what is on screen now.
[[nodiscard]] bool is_current(const HostProgram& program, const Session& session);
/// Takes over what compiling gave.
void show(Session& session, std::shared_ptr<const Compiled> compiled);
/// Takes a look inside over, if the result it belongs to is still the lesson's last.
void show(Session& session, std::shared_ptr<const Inside> inside);

/// Takes recorded steps over, for the lesson they belong to.
void show(Session& session, std::shared_ptr<const Steps> steps);

/// Whether "Look inside" is offered, which it is for a GPU, and why it cannot be pressed now.
struct InsideOffer {
  bool offered = false;
  std::string why_not;  // a sentence; empty: it can
};
[[nodiscard]] InsideOffer inside_offer(const Session& session);

/// Takes over what a sweep has so far.
void show(Session& session, std::shared_ptr<const lessons::Sweep> sweep);
/// The sweep that the open lesson's desk asks for, with the kernel and the other controls as they stand.
[[nodiscard]] lessons::SweepPlan sweep_plan(const Session& session);

/// What panels may ask for. Workbook answers in the window; a picture has nobody to ask.
class Actions {
 public:
  virtual ~Actions() = default;
  virtual void open(const lessons::Lesson& lesson) = 0;
  virtual void run() = 0;    // a stepping lesson: starts, or goes on
  virtual void pause() = 0;  // a stepping lesson
  virtual void cancel() = 0;
  virtual void start_again() = 0;                              // a stepping lesson: from its start, with the controls as they stand
  virtual void set_values(const lessons::Values& values) = 0;  // of the open lesson
  virtual void text_changed() = 0;
  virtual void open_file(const std::string& path) = 0;  // a .cu, in the playground
  virtual void choose_device(const DeviceKey& key) = 0;
  virtual void restart_with_gpu(int gpu) = 0;  // the program closes, and begins anew
  virtual void look_inside() = 0;  // of the open lesson's last run on a GPU
  virtual void record() = 0;       // the open lesson's run, step by step, on the virtual GPU
  enum class SweepFile { csv, png };
  virtual void sweep(lessons::SweepPlan plan) = 0;
  virtual void export_sweep(SweepFile kind) = 0;   // of the open lesson, into a folder of the learner's
  virtual void cancel_export() = 0;                // of an animation
  virtual void export_as(const Export& what) = 0;  // of the open lesson's page, into a folder of the learner's
  virtual void draw_heat(double x, double y, double radius) = 0;
  virtual void set_appearance(Appearance appearance) = 0;
  virtual void set_compiler(gpu::CompilerChoice compiler) = 0;  // for every compile from now on
};

}  // namespace warpbook::app
