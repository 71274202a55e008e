// LessonState: one lesson as the learner has left it: its text, its controls, its results, and where things are scrolled to.
//
// Members that say "for one frame" are requests: a panel answers the request in the next frame and clears it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/session/desktop.h"
#include "app/session/snapshot.h"
#include "app/session/steps.h"
#include "app/session/values_history.h"
#include "app/text/editor_lines.h"
#include "app/text/editor_text.h"
#include "app/text/highlight_cache.h"
#include "app/views/view_memory.h"
#include "lessons/lesson.h"
#include "lessons/page.h"
#include "lessons/progress.h"
#include "lessons/results_csv.h"
#include "lessons/sweep.h"

namespace warpbook::app {

/// The last export, and where its file is.
struct Exported {
  std::string words;  // "The program is written.", or why it is not; empty: nothing was exported
  std::string path;   // of the file
  bool failed = false, busy = false;
  DesktopAnswer folder = {};        // of "Open folder"
  std::optional<double> part = {};  // how much of it is done, 0 … 1; empty: unknown, and it cannot be cancelled
};

enum class BenchTab : std::uint8_t { kernel, host, numba, given, solution };

/// A lesson's sweep: how the learner has set it up, and its last result.
struct SweepState {
  bool open = false;              // it is shown instead of the page
  std::vector<std::string> over;  // the ids of one or two controls; empty: none is chosen yet
  struct Range {
    double from = 0, to = 0;
  };
  std::map<std::string, Range> ranges;         // by control, where it is not the control's whole range
  std::string result;                          // the name of the number that is shown; empty: the first one
  std::shared_ptr<const lessons::Sweep> last;  // running, done or cancelled; immutable
  lessons::SweepChart chart;                   // of `result` in `last`
  std::string exported;                        // where a file was written, or why it was not
  bool export_failed = false;

  void show(std::shared_ptr<const lessons::Sweep> sweep);
  void choose(const std::string& number);
};

/// The editor's search bar: for words, or for the line to go to.
struct FindBar {
  enum class For : std::uint8_t { nothing, words, line } looks_for = For::nothing;  // nothing: it is closed
  std::string words;
};

/// How threads are being marked in a question: where the keyboard is, and the stroke that the mouse is drawing.
struct Marking {
  std::uint32_t thread = 0;
  struct Stroke {
    std::uint32_t from = 0;
    bool marks = true;  // false: it removes marks
    std::set<std::uint32_t> before;
  };
  std::optional<Stroke> stroke;
};

struct LessonState {
  lessons::Values values;
  ValuesHistory history;                        // of the values
  std::string shipped;                          // the kernel as it comes with the lesson
  EditorText text;                              // the kernel as it is now
  std::filesystem::path folder;                 // of the opened file, whose headers it may include; empty: no file was opened
  bool just_opened = false;                     // the playground takes its file's launch over once the file has compiled
  std::string opened;                           // the playground's file as it was opened; while the text equals it, nothing is lost
  std::vector<lessons::Kept::Earlier> earlier;  // texts of the playground that an opened file has replaced (earlier_texts.h)
  lessons::Page page;
  std::map<std::string, std::shared_ptr<const PageImage>> images;  // of the page, by file
  std::string page_problem;                                        // why the page cannot be shown as it is now; empty: it can

  std::shared_ptr<const Snapshot> latest;    // the newest answer, whether it failed or not
  std::shared_ptr<const Snapshot> reported;  // the newest with an outcome: for the report and the editor's notes
  std::shared_ptr<const Snapshot> shown;     // the newest whose launch ended well: for numbers and views
  /// A run that the learner keeps, to compare later runs with it (panels/reference_run.h).
  struct Reference {
    std::shared_ptr<const Snapshot> run;
    enum class Show : std::uint8_t { reference, now, both } show = Show::both;  // in the views
    /// The views of both runs on one scale. They are made again when `scaled_with` is no longer the run that is shown.
    std::shared_ptr<const Snapshot> scaled_with = {};
    std::map<std::string, std::pair<lessons::Figure, lessons::Figure>> scaled = {};
  };
  std::optional<Reference> reference;
  std::shared_ptr<const Inside> inside;      // of `latest`; empty: the learner has not looked inside
  std::shared_ptr<const Compiled> compiled;  // the newest answer of the compiler
  gpu::ProgramPtr program;                   // the newest that compiled
  bool changed_since_run = false;            // controls or text
  bool ran_ever = false;                     // in this session or an earlier one
  bool looked_ever = false;                  // at a view with a result: the stage "look" is done
  bool changed_ever = false;                 // after the first run: the stage "change" is done
  bool ran_quickly = false;                  // the last run did: it is repeated when the lesson is opened in another session
  bool more = false;                         // the controls behind "More" are shown, too: has_more()

  struct Guess {  // prediction.h
    std::string typed;
    std::set<std::uint32_t> marks;         // threads that are being marked
    std::vector<lessons::Answer> answers;  // oldest first
    bool skipped = false;                  // the learner does not want to answer
    Marking marking;
  };
  std::map<std::string, Guess> guesses;  // by the name of the number or of the marking
  bool asked_to_predict = false;         // Run has asked for an answer before it ran; it asks only once
  bool asking = false;                   // that Run waits for the answer, or for the next Run
  bool bring_question = false;           // scroll to the open question if it is out of sight, for one frame

  /// The lesson before it was reset; kept for some seconds, so that the reset can be undone.
  struct ResetUndo {
    lessons::Values values;
    std::string kernel;
    std::map<std::string, Guess> guesses;
    std::shared_ptr<const Snapshot> latest, reported, shown;
    std::shared_ptr<const Inside> inside;
    bool ran = false, looked = false, changed = false;
    double until = 0;  // ImGui's time
  };
  std::optional<ResetUndo> reset_undo;
  std::map<std::string, ViewMemory> views;  // by the view's name
  SweepState sweep;

  BenchTab tab = BenchTab::kernel;          // while the stepper is not open
  std::shared_ptr<const HostProgram> host;  // the newest that was printed; empty: it was not needed yet
  CodeView host_view, numba_view;
  CodeView solution, given;  // of an exercise; given: the kernel of an exercise in which a launch is chosen

  Exported exported;
  std::vector<lessons::PastRun> past;  // the session's runs, oldest first

  FindBar find;
  EditorLines editor_lines;
  Stepper stepper;
  std::size_t slide = 0;        // of the presentation
  float scroll = 0;             // of the page, screen pixels
  std::string scroll_to_stage;  // which the stage strip was clicked at, for one frame
  std::string bring_view;       // scroll to this view of a chosen preset, until its run is there and the page has come to rest
  int bring_frames = 0;         // how many frames the page has been at rest meanwhile
  /// Where things were in the last frame, screen pixels; 0: the page does not have them.
  struct Places {
    float result_end = 0, presets_top = 0, presets_end = 0;
    std::string first_view;  // of the page
  } places;
  bool bring_reference = false;  // a run was kept: scroll to the table if it is out of sight, for one frame
  bool bring_inside = false;     // a look inside has arrived: scroll to it if it is out of sight, for one frame
  float editor_scroll_x = 0, editor_scroll_y = 0;
  bool editor_follow_caret = false;   // for one frame
  bool editor_take_keyboard = false;  // for one frame
  lessons::Macros editor_macros;      // by which the editor last dimmed lines
  std::string note_brought;           // the note that the editor last scrolled to by itself
  std::map<std::string, bool> notes;  // sentences under lines, by key: the learner opened (true) or closed (false) them

  [[nodiscard]] bool edited() const { return text.str() != shipped; }
  /// Which stages are done. `passed`: the ids of all exercises that were ever passed.
  [[nodiscard]] lessons::Done done(const std::set<std::string>& passed) const;
  /// To be called when the controls or the text have changed.
  void note_change();
  /// The last run failed: the reason is shown instead of the numbers, and the result before it is dimmed.
  [[nodiscard]] bool failed() const;
  /// What the report and the notes speak of: the look inside if there is one, else the last run. nullptr before the first run.
  [[nodiscard]] const lessons::Outcome* observed() const;
};

}  // namespace warpbook::app
