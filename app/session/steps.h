// Steps: a recorded launch, where the learner stands in it, and what the stepper shows of that, as plain values.
//
//     take(stepper, recorded);                    // stands at the first step
//     stride(stepper, Way::forward);              // by stepper.by: an instruction, a line, up to a barrier
//     draw(stepper.view);
//
// Every move prepares the view anew; drawing it asks nobody.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpu/debug_info.h"
#include "gpu/history.h"
#include "gpu/types.h"
#include "lessons/lesson.h"

namespace warpbook::app {

/// What the worker recorded of a lesson's run: the first launch of each kernel; of an exercise, the first case that does not pass.
struct Steps {
  const lessons::Lesson* lesson = nullptr;
  lessons::Values values;
  std::string text;  // the kernel it ran
  std::string of;    // the case that it was, of an exercise; empty: of a lesson
  struct Launch {
    std::string kernel, name;  // as it was asked for; as the report names it
    gpu::Dim3 grid, block;
    bool clocked = false;  // its steps have cycles of the model
    std::shared_ptr<const gpu::History> history = {};
    std::shared_ptr<const gpu::DebugInfo> debug = {};  // of what was launched; nullptr: registers are all there is
    gpu::Source source = {};                           // … and what it was compiled from
  };
  std::vector<Launch> launches;
  std::string problem;  // why there is none, as a sentence
};

struct StepView {
  std::size_t position = 0, end = 0;
  std::string where;        // "Step 12 of 5,120, cycle 412 (model)"
  std::string warp;         // "Block 0, warp 3"
  std::uint32_t line = 0;   // of the next instruction; 0: unknown, or the warp has ended
  std::string instruction;  // PTX; empty: it has ended
  gpu::LaneStates lanes;
  std::uint32_t born = 0;  // lanes that the launch gave the warp
  std::string lanes_words;
  unsigned lane = 0;  // whose values stand in the first column
  /// A variable, a part of one, or an expression of the line.
  struct Variable {
    std::string name, type;
    std::vector<std::string> lanes;  // each lane's value as it is written in a cell; "–": it has none
    std::vector<std::string> exact;  // … with all digits, for the card
    std::string remark;              // instead of values, where no lane has one: "not computed yet"
    std::uint32_t changed = 0;       // lanes whose value the last move changed
    bool uniform = false;            // all lanes have the same: it is shown once
    bool used = false;               // the line names it
  };
  struct Group {
    std::string title;  // "In line 12", "Variables of add"
    std::vector<Variable> rows;
    std::size_t room = 0;  // rows that it always takes, so that what stands below it does not move
  };
  std::vector<Group> groups;  // the line's expressions, then a group a call, the innermost first
  std::string no_variables;   // why there are none, as a sentence
  struct Row {
    std::string name, type, value, all;  // value: in the lane; all: "same in all", "3 … 96"
    bool changed = false, used = false;  // by the last move; by the next instruction
    std::vector<std::string> lanes;      // every lane's value, for the card
  };
  std::vector<Row> registers;  // by name, each kind together
  struct Cell {
    std::string name, value, brief;            // "tile[3]"; "0.410782"; "0.41"
    bool changed = false, begins_run = false;  // begins_run: the word before it is another place
  };
  std::vector<Cell> shared;
  std::string shared_title;  // "Shared memory of block 0"
  std::string stored;        // "out[5]: 0 → 4 and 31 more words"; empty: nothing
};

struct Stepper {
  bool open = false;
  std::shared_ptr<const Steps> steps;
  std::size_t launch = 0;
  std::optional<gpu::Replay> replay;
  gpu::Stride by = gpu::Stride::line;
  bool one_warp = true;  // steps of the chosen warp only
  bool ptx = false;      // instructions and registers are shown too, and gone through one by one
  gpu::WarpRef warp;     // chosen, or the one whose turn it is
  std::optional<unsigned> lane;
  StepView view;
  std::size_t line_room = 0;  // the most rows that a line of the kernel needs, for StepView::Group::room
  float scroll = 0, scroll_registers = 0, scroll_shared = 0;  // screen pixels
  bool follow_line = false;                                   // the editor brings the line into sight, for one frame
  bool bring_changed = false;  // the changed words of shared memory are brought into sight, for one frame
};

enum class Way { back, forward };

void take(Stepper& stepper, std::shared_ptr<const Steps> steps);
void choose_launch(Stepper& stepper, std::size_t launch);
void stride(Stepper& stepper, Way way);
void to_step(Stepper& stepper, std::size_t position);
void to_start(Stepper& stepper);
void to_end(Stepper& stepper);
/// To the next time that the line comes up, from the beginning where it does not come up again. False: it never does.
bool run_to_line(Stepper& stepper, std::uint32_t line);
void choose_warp(Stepper& stepper, Way way);  // the next one, round and round
void choose_all_warps(Stepper& stepper, bool all);
void choose_lane(Stepper& stepper, unsigned lane);
void show_ptx(Stepper& stepper, bool on);

/// A register's bits as its type prints them; an address inside an array as "&data[5]".
[[nodiscard]] std::string value_text(const gpu::History& history, std::string_view type, std::uint64_t bits);

}  // namespace warpbook::app
