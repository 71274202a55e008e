// Figures: the results of a lesson's run as plain data, one struct for each view. They know nothing of pixels or colours.
//
// A figure is a value: a lesson makes it on the worker thread, and app/views/<name>.cpp draws it from an immutable snapshot. Every
// number in a figure comes from a run. Comments give the units.
// This file is long because it is the list of all figures: they share no code, and the variant at the end needs them all.
#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "gpu/occupancy.h"
#include "gpu/picture.h"
#include "gpu/report.h"

namespace warpbook::lessons {

/// Which thread wrote which element (lesson 01): a row is a block, a cell is a thread.
struct ThreadMap {
  std::uint32_t threads = 0;   // of a block
  std::uint32_t blocks = 0;    // launched
  std::uint32_t elements = 0;  // of the array
  struct Cell {
    std::int32_t element = -1;                  // index that the thread wrote; −1: none
    bool outside = false;                       // the index is past the array's end
    std::int32_t left = 0, right = 0, sum = 0;  // a[i], b[i] and the stored sum
  };
  std::vector<Cell> cells;            // blocks × threads, thread fastest
  std::vector<std::uint8_t> written;  // by element: 1 if a thread wrote it
};

/// Which thread wrote which cell of an array, an image or a volume (lesson 02). Threads are numbered over the whole grid, block by
/// block, x fastest.
struct BlockMap {
  gpu::Dim3 grid, block;
  std::uint32_t width = 1, height = 1, depth = 1;  // of the data
  std::vector<std::int32_t> writer;                // by cell, x fastest: the thread; −1: not written
  std::vector<std::uint16_t> writes;               // by cell: number of stores; empty: not observed
  bool swapped = false;                            // the kernel confuses x and y
};

/// When the host and the device did what (lesson 01), in µs from the first host call, and the result of each call (lesson 03).
struct HostTimeline {
  struct Span {
    double begin = 0, end = 0;
    std::string label;
    enum class Kind : std::uint8_t { call, wait, copy, kernel, stale, fresh } kind = Kind::call;
    std::string answer = {};  // CUDA's name of an error; empty: no error, or the result was not checked
  };
  struct Lane {
    std::string label;  // "Host", "Device", "A read sees"
    std::vector<Span> spans;
  };
  std::vector<Lane> lanes;
  struct Mark {
    double time = 0;
    std::string label;  // "launch has returned"
    bool bad = false;   // an error occurred or was reported at this time
  };
  std::vector<Mark> marks;
  /// A call of the host program, in order.
  struct Call {
    std::string text;       // "cudaMalloc(x)"
    std::string answer;     // "cudaSuccess"; empty: the call returns nothing
    bool looked_at = true;  // the host program checked the result
    bool wrong = false;     // the error was made here
    bool tells = false;     // the first error that the host program saw
  };
  std::vector<Call> calls = {};  // empty: the results are not shown
  /// A measurement by one kind of clock: what it covers on the axis, and the value (lesson 15).
  struct Ruler {
    std::string label;  // "Wall clock, waiting"
    struct Part {
      double begin = 0, end = 0;
    };
    std::vector<Part> parts;  // the parts that it measures
    double reading = 0;       // µs: their sum
    double of_kernel = 0;     // reading / the kernel's own time
    bool agrees = false;      // the reading agrees with the kernel's time
  };
  std::vector<Ruler> rulers = {};
  Ruler::Part ruled = {};    // the part that should be measured
  std::string printed = {};  // the kernel's printf output, one line each
  double end = 0;
  bool measured = false;  // on a GPU; otherwise the times are a model
  std::string title;      // says what to see: "The launch returns before the kernel ends"
};

/// Results of repeated trials (lesson 05): how often each final value occurred.
struct Trials {
  struct Bar {
    std::int64_t value = 0;
    std::uint32_t count = 0;
  };
  std::vector<Bar> bars;  // sorted by value
  std::uint32_t trials = 0;
  std::int64_t expected = 0;    // the result of a correct kernel
  std::int64_t one_a_warp = 0;  // the result if only the lanes of each warp collided
  std::string guessed;          // name of the number whose guess is marked here
};

/// Load, add and store of every warp on one element (lessons 05, 08). Cycles are the model's.
struct Interleaving {
  std::string element = "c[0]";  // whose updates these are
  struct Row {
    std::uint32_t block = 0, warp = 0;
    std::uint64_t load_issued = 0, load_reached = 0, load_done = 0;  // issued; memory read; value in the register
    std::uint64_t store_issued = 0, store_reached = 0;               // issued; memory changed
    std::int64_t read = 0, stored = 0;
    std::uint32_t lanes = 0;           // active lanes
    std::uint32_t kept = 0, lost = 0;  // of the warp's updates: those in the final value, and the others
  };
  std::vector<Row> rows;  // ordered by load_issued; for atomics load and store happen in one step
  bool atomic = false;
  struct Value {
    std::uint64_t from = 0;  // cycle
    std::int64_t value = 0;
  };
  std::vector<Value> values;  // of the element over time; the first at cycle 0
  std::uint64_t end = 0;      // last cycle
  std::int64_t final_value = 0;
  std::uint64_t kept = 0, lost = 0;  // totals: kept + lost = updates
  std::string title;
};

/// Bins compared with a reference (lesson 07).
struct BinChart {
  double low = 0, high = 0;  // range of all bins
  std::vector<std::int64_t> counted, reference;
  std::int64_t values = 0, outside = 0;  // number of inputs; number of those outside the range
};

/// Lanes of one warp that need the same bin (lesson 07). Rows are warps, columns are bins.
struct BinLanes {
  struct Row {
    std::uint32_t block = 0, warp = 0;
    std::vector<std::uint8_t> lanes;  // by bin
    std::uint32_t passes = 0;         // the maximum: how often the hardware must repeat an atomic
  };
  std::vector<Row> rows;  // the first few requests
  std::uint32_t requests = 0;
  double mean_passes = 0, worst_passes = 32;
};

/// A field that is stepped (lesson 06). The live experiment shows it between steps, too. Row-major, `side` × `side`.
struct Field {
  std::uint32_t side = 0, tile = 0;
  std::shared_ptr<const std::vector<float>> heat, laplacian;  // as last read by the host
  gpu::PicturePtr heat_picture, laplacian_picture;            // in the GPU's memory, more recent; nullptr: none
  std::uint64_t step = 0;
  double step_ms = 0;                             // wall time of a step on this device; 0 before the first
  double limit_ms = 0;                            // memory traffic of a step / bandwidth of the profile (model); 0: unknown
  double course_ms = 0.270;                       // a reference time: 2000², 8×8 blocks, Numba on an A40
  std::vector<double> sums;                       // of the field, after each group of steps
  double drawn = 0;                               // heat that the learner added with the mouse
  double low = 0, high = 1, laplacian_limit = 1;  // colour ranges
  double laplacian_checkerboard = 0;              // share of the Laplacian's energy in the checkerboard mode, 0 … 1
  double coefficient = 0;                         // of the last step
  std::string coefficient_control;                // the control that sets it
  bool blown_up = false;                          // a value is infinite, NaN, or ten times larger than any initial value
  /// Of a live experiment; otherwise 0.
  std::uint32_t steps_a_frame = 0, steps_asked = 0;  // steps made for the last picture; steps set by the control
  std::uint32_t side_asked = 0;                      // set by the control; `side` is smaller if this machine is too slow
  double steps_a_second = 0;                         // measured, including the time between steps
};

/// Several implementations of the same work (lessons 04, 10, 12): their bandwidth compared with the memory's peak.
struct Ladder {
  struct Rung {
    std::string label;
    double gb_per_s = 0;  // bytes that must be moved / time; 0: it did not run
    double us = 0;
  };
  std::vector<Rung> rungs;  // from the first to the fastest
  std::size_t chosen = 0;
  double limit_gb_per_s = 0;  // the device's peak; 0: unknown
  std::uint64_t values = 0;   // number of values that each rung summed; 0: their numbers differ
  bool model = true;          // times are the clock model's
  std::string guessed;        // name of the number whose guess is marked here: the chosen rung's percentage of the limit
  std::string title = {};     // title that says what is compared; empty: kernels that only read
};

/// The stores of one block in a reduction, level by level (lesson 12): which lanes are active, and what their requests cost.
struct TreeLevels {
  std::uint32_t threads = 0;  // of the block
  struct Level {
    std::uint32_t line = 0;            // line of the kernel that stores
    std::vector<std::uint32_t> lanes;  // by warp: its lanes that store
    std::uint32_t cost = 0;            // of the most expensive request: passes through the banks, or 32-byte sectors
  };
  std::vector<Level> levels;
  bool shared = true;  // true: shared memory, cost in passes; false: global memory, cost in sectors
};

/// Values that move between the lanes of one warp, step by step (lesson 13). The kernel itself recorded all of it.
struct LaneSteps {
  using Lanes = std::array<std::int32_t, 32>;
  enum class Kind : std::uint8_t {
    shuffle,
    vote,  // every lane receives the votes of all; `holds` is its own vote, 0 or 1
    alone  // a computation in each lane, without communication
  };
  struct Step {
    std::string label;  // "down by 16"
    Kind kind = Kind::shuffle;
    Lanes from{}, received{}, holds{};  // the source lane of the value, the value, and what the lane holds after the step
    std::uint32_t there = 0;            // active lanes
    std::uint32_t undefined = 0;        // active lanes that read from an inactive one
  };
  std::int32_t values = 32;  // number of lanes that have a value
  Lanes begin{};             // what each lane holds at first
  std::vector<Step> steps;
  Lanes place{}, stored{};  // by lane: the index in the result where it stored at the end (−1: it did not), and the value
  std::string title;        // says what to look at
};

/// What every warp did in every cycle, for several launches above each other on one axis. Cycles are the model's.
struct SmTimeline {
  struct Run {
    std::string label;                              // "with atomicAdd"
    std::shared_ptr<const gpu::ClockReport> clock;  // includes the timeline; shared, so that copying a figure is cheap
  };
  std::vector<Run> runs;    // the launch of the page comes first
  std::string title;        // says what to look at
  bool schedulers = false;  // also show a row for each scheduler: the cycles in which it issued or was idle
};

/// How many warps fit on a multiprocessor as a function of each resource of a launch (gpu/occupancy.h).
struct OccupancyCurves {
  struct Point {
    int at = 0;  // threads of a block, registers of a thread, or bytes of shared memory of a block
    gpu::Occupancy occupancy;
  };
  struct Curve {
    std::string label, unit;    // "threads a block"; "B", empty for counts
    std::vector<Point> points;  // ordered by `at`
    int present = 0;            // the launch's value
  };
  std::vector<Curve> curves;
  gpu::Occupancy present;
  std::optional<double> achieved;  // 0 … 1, average over the launch (model)
};

/// The same work with different launches (lesson 09): their times, their occupancy, and which rules of thumb permit them.
struct LaunchSweep {
  struct Row {
    std::uint32_t value = 0;  // the value of the part's parameter in this launch
    gpu::Dim3 grid, block;
    double us = 0;               // 0: it did not run
    gpu::Occupancy occupancy;    // blocks == 0: not even one block fits
    std::optional<double> held;  // 0 … 1: achieved occupancy (model)
    std::vector<bool> allowed;   // whether each of the part's rules permits it, in their order
  };
  /// One parameter varies; all others are as in the chosen launch.
  struct Part {
    std::string label;               // "threads a block"
    std::vector<std::string> rules;  // "multiple of 32"
    std::vector<Row> rows;           // ordered by value
    std::size_t chosen = 0;          // index of the page's launch

    /// Index of the row with the shortest time. rows.size(): none ran.
    [[nodiscard]] std::size_t fastest() const {
      std::size_t best = rows.size();
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].us > 0 && (best == rows.size() || rows[i].us < rows[best].us)) best = i;
      }
      return best;
    }
  };
  std::vector<Part> parts;
  bool model = true;  // times are from the clock model
};

/// What the requests of a few warps touched, one after the other: elements, sectors, banks. Cycles are the model's.
struct MemoryMap {
  struct Array {
    std::uint32_t buffer = 0;  // AccessRecord::buffer; 0: shared memory of a block, in words
    std::string name;
    std::uint32_t element_bytes = 4;
    std::vector<std::size_t> shape;  // empty: shared memory
  };
  std::vector<Array> arrays;
  std::shared_ptr<const std::vector<gpu::AccessRecord>> requests;  // in the order of issue
  gpu::Dim3 block;                                                 // threads
  std::size_t first = 0;                                           // index of the request that is shown first
};

/// What a kernel's arrays hold after a launch, and what changed (playground).
struct Arrays {
  /// Minimum and maximum of a range of elements. If low > high, the range contains no number.
  struct Part {
    double least = 1, most = 0;
  };
  struct One {
    gpu::Array array;
    bool read_only = false;         // const in the kernel, and not read back
    std::uint64_t changed = 0;      // number of elements
    std::uint64_t not_numbers = 0;  // number of NaN and infinite elements, which are ignored below
    double least = 0, most = 0, mean = 0;
    std::vector<Part> parts;  // a few hundred, of equal length, in order
    // The array as a picture, reduced to a few hundred cells on each side. 0 × 0 if it is not shown as a picture.
    std::uint32_t rows = 0, columns = 0, channels = 1;  // 3: red, green, blue in 0 … 1
    std::vector<float> cells;                           // row-major, channels fastest
    std::vector<std::byte> before, after;               // raw contents; empty if too large to keep
  };
  std::shared_ptr<const std::vector<One>> arrays;  // in the order of the kernel's parameters
  std::string title;                               // empty: a title that says which arrays the launch changed
};

/// The expected and the actual contents of an array over its index, and their difference (lesson 08).
struct Curves {
  std::string title;                 // says what to look at
  std::vector<float> expected, got;  // of equal length
  std::string array = "x";           // the array's name
};

/// Which lanes of a warp executed each of its instructions, in order, for a few warps (lesson 11).
struct LaneTimeline {
  /// Consecutive instructions with the same active lanes.
  struct Stretch {
    std::uint32_t mask = 0;                       // active lanes
    std::uint32_t instructions = 0;               // at least one
    std::uint32_t line = 0;                       // the kernel's line of most of them; 0: unknown
    std::uint32_t first_line = 0, last_line = 0;  // range of the lines of all of them
  };
  struct Warp {
    std::uint32_t block = 0, warp = 0;
    std::uint64_t instructions = 0;       // of the warp
    std::uint64_t lane_instructions = 0;  // sum of the active lanes over all instructions
    std::vector<Stretch> stretches = {};  // in the warp's order
  };
  std::vector<Warp> warps = {};
  std::uint64_t launched = 0;  // number of warps in the launch
};

/// Time of the same work on the GPU, with copies, and on one CPU core, as a function of the number of values (lesson 14).
struct BreakEven {
  struct Point {
    double n = 0;              // number of values
    double cpu_us = 0;         // one core of this computer
    double gpu_us = 0;         // copies and kernels
    double kernel_us = 0;      // its launches alone
    bool cpu_measured = true;  // false: extrapolated from the last measured one
    bool executed = true;      // false: the GPU's time is extrapolated from the last two that were run
  };
  std::vector<Point> points;  // ordered by n
  std::size_t from = 0;       // index from which the GPU is always faster; points.size(): none
  double chosen = 0;          // the page's n
  bool model = true;          // the GPU's times are from the model
  std::string title;          // says what to look at
};

/// The performance of versions of a kernel in the device's roofline: the limits of its memory and of its arithmetic units (lesson
/// 16).
struct Roofline {
  enum class Limit : std::uint8_t {
    none,  // not near any roof: its warps wait, or there are too few
    memory,
    float32,
    float64
  };
  struct Version {
    std::string letter;          // "A"; empty: only the page's launch
    std::string label;           // "16 steps, 0.5f"
    double us = 0;               // 0: it did not run
    double bytes = 0;            // global memory traffic
    double operations = 0;       // floating-point operations of all threads
    double share = 0;            // of the lowest roof's rate, 0 … 1
    Limit lowest = Limit::none;  // the lowest roof at its intensity
    Limit limit = Limit::none;   // the same, if the kernel is close enough to it
    bool float64 = false;        // it computes in float64, so that its roof is the float64 rate
    gpu::WarpCycles waits{};     // what its warps did (model); all 0: not observed
    [[nodiscard]] double intensity() const { return bytes > 0 ? operations / bytes : 0; }  // operations per byte
    [[nodiscard]] double gflop_per_s() const { return us > 0 ? operations / (us * 1e3) : 0; }
  };
  std::vector<Version> versions;
  std::size_t chosen = 0;      // index of the page's launch
  double memory_gb_per_s = 0;  // the device's peaks; 0: unknown
  double float32_gflop_per_s = 0, float64_gflop_per_s = 0;
  bool model = true;    // times are from the clock model
  bool counted = true;  // bytes and operations were counted in the launches; false: calculated
  std::string title;    // says what to look at
};
[[nodiscard]] constexpr std::string_view name_of(Roofline::Limit limit) {
  constexpr std::string_view names[] = {"none", "memory", "float32", "float64"};
  return names[static_cast<std::size_t>(limit)];
}

/// Which elements of two matrices block 0 loaded for their product (lesson 17), and in which iteration of its loop.
struct TileWalk {
  struct Element {
    std::uint32_t by_block_0 = 0, by_all = 0;  // loads from global memory, counted per lane
    std::uint32_t turn = 0;                    // iteration in which block 0 loaded it, from 0
    bool needed = false;                       // needed for the part of the product that block 0 computes
  };
  struct Matrix {
    std::string name;
    std::uint32_t rows = 1, columns = 1;
    std::vector<Element> elements;  // row-major
    [[nodiscard]] std::uint64_t loaded() const {
      std::uint64_t count = 0;
      for (const Element& element : elements) count += element.by_block_0 > 0 ? 1 : 0;
      return count;
    }
  };
  Matrix a, b;
  std::uint32_t turns = 1;                          // iterations of the loop over tiles; 1: no loop
  std::uint32_t block_rows = 0, block_columns = 0;  // the part of the product that block 0 computes; 0: no product is computed
  std::string title;                                // says what to look at
};

/// The calls of one warp, nested, over the warp's instructions, with the active lanes of each (lesson 18).
struct CallTree {
  /// Consecutive instructions of a call with the same active lanes.
  struct Stretch {
    std::uint64_t first = 0;  // index among the warp's instructions, from 0
    std::uint32_t instructions = 1;
    std::uint32_t mask = 0;  // active lanes
  };
  struct Function {
    std::string name;                      // "slope"
    std::uint32_t calls = 0;               // by this warp
    std::uint64_t instructions = 0;        // in all of its calls, without nested calls
    std::optional<std::uint64_t> bytes{};  // stack frame of a thread in bytes, from the PTX; empty: unknown
  };
  static constexpr std::uint32_t none = ~0u;
  struct Call {
    std::uint32_t function = 0;         // index in `functions`
    std::uint32_t parent = none;        // the calling call; none: this is the kernel
    std::uint32_t depth = 0;            // 0: the kernel
    std::uint32_t line = 0;             // the line of the call; 0: unknown
    std::uint32_t lanes = 0;            // lanes active at its first instruction
    std::uint64_t first = 0, last = 0;  // range of instructions, from its first to after its last, including nested calls
    std::uint64_t stack = 0;            // bytes of a thread's stack, including its callers' frames
    std::vector<Stretch> stretches{};   // its own instructions, in order
  };
  std::uint32_t block = 0, warp = 0;
  std::uint64_t instructions = 0;  // of the warp
  std::uint64_t launched = 0;      // number of warps in the launch
  std::vector<Function> functions{};
  std::vector<Call> calls{};  // in the order of their start, the kernel first; empty: not recorded
  bool whole = true;          // false: some calls were too many to keep
  std::string title;          // says what to look at
  [[nodiscard]] std::uint32_t deepest() const {
    std::uint32_t depth = 0;
    for (const Call& call : calls) depth = call.depth > depth ? call.depth : depth;
    return depth;
  }
};

/// A device drawn from its figures: its multiprocessors, the parts of one of them, and the shared memory system.
struct Chip {
  enum class Part : std::uint8_t { multiprocessors, float32_units, float64_units, warps, registers, shared, l2, memory };
  static constexpr std::size_t parts = 8;
  /// A figure of a part, with its source.
  struct Fact {
    Part part = Part::multiprocessors;
    std::string name;  // "Registers of a multiprocessor"
    double value = 0;
    std::string unit;  // "bytes", "kHz", "GB/s"; empty for counts
    int decimals = 0;
    std::string attribute;  // "regsPerMultiprocessor"; empty: no CUDA call returns it
    std::string source;     // the source, if no CUDA call returns it
    bool follows = false;   // calculated from other figures
    std::string meaning;    // what it means for a launch, in sentences
  };
  int multiprocessors = 0;
  int float32_units = 0, float64_units = 0;  // of a multiprocessor; 0: unknown
  int warps = 0;                             // most resident warps of a multiprocessor
  std::vector<Fact> facts;                   // at least one for each part that is known
  double measured = 0;                       // multiply-adds per cycle of a multiprocessor, measured; 0: not measured
  bool measured_float64 = false, model = true;
  std::string title;  // says what to look at
};
[[nodiscard]] constexpr std::string_view name_of(Chip::Part part) {
  constexpr std::string_view names[] = {"multiprocessors", "float32_units", "float64_units", "warps", "registers", "shared", "l2",
                                        "memory"};
  static_assert(std::size(names) == Chip::parts);
  return names[static_cast<std::size_t>(part)];
}

/// The properties of several devices, and values derived from them. A row is a property, a column a device.
struct DeviceTable {
  struct Row {
    std::string name;                                // CUDA's: "warpSize"; of a derived value: a description
    std::string unit;                                // "bytes", "kHz"; empty for counts
    std::string meaning;                             // a sentence; of a derived value also its formula
    std::string launch;                              // what it means for a launch; may be empty
    std::vector<std::optional<double>> values = {};  // by device; empty: unknown
    int decimals = 0;
    bool derived = false;  // calculated from other properties: no CUDA call returns it
  };
  std::vector<std::string> devices;  // the first is the device of this run
  std::vector<Row> rows;             // derived values first
  std::string title;
};

/// The memory operations of two threads of different blocks, and which of them are ordered by the memory model (lesson 20).
struct Ordering {
  enum class What : std::uint8_t { store, load, atomic, fence, barrier };
  struct Column {
    std::uint32_t block = 0, thread = 0;
    std::string role;  // "takes the last ticket and adds up"
  };
  /// An operation of a thread.
  struct Event {
    std::size_t column = 0;
    What what = What::store;
    std::string words;     // "partial[3] = 1,984"
    std::string strength;  // "plain store", "fence for the block"
    std::uint32_t line = 0;
    std::uint64_t cycle = 0;  // when it reached memory (model)
  };
  /// A happens-before relation between two operations.
  struct Arrow {
    std::size_t from = 0, to = 0;  // indices in `events`
    bool promised = true;
    std::string sentence;  // why the order is guaranteed, or what is missing and what would guarantee it
  };
  std::vector<Column> columns;
  std::vector<Event> events;         // in the order of this run
  std::vector<Arrow> arrows;         // from the store to the load; if all are guaranteed, the whole chain is
  std::vector<std::string> may_see;  // values that the load may return; the guaranteed one is the last
  std::string saw;                   // the value that the load returned in this run
  std::string title;                 // says what to look at
  [[nodiscard]] bool promised() const {
    for (const Arrow& arrow : arrows) {
      if (!arrow.promised) return false;
    }
    return !arrows.empty();
  }
};
[[nodiscard]] constexpr std::string_view name_of(Ordering::What what) {
  constexpr std::string_view names[] = {"store", "load", "atomic", "fence", "barrier"};
  return names[static_cast<std::size_t>(what)];
}

/// The result of a check, case by case.
struct Checks {
  enum class Verdict : std::uint8_t {
    passed,
    wrong,    // an array has wrong contents
    finding,  // the contents are right, but there is a forbidden finding: a race, an access out of bounds …
    failed,   // the launch was refused or stopped
    too_slow,
    over_limit  // right, but it costs more than the exercise allows
  };
  /// A limit that was exceeded (limits.h).
  struct Over {
    std::string limit;               // "sectors"
    double amount = 0, allowed = 0;  // for an occupancy, amount < allowed
    std::uint32_t line = 0;          // the most expensive line; 0: unknown
    std::string message;             // sentences
  };
  /// An array with wrong contents.
  struct Wrong {
    struct Element {
      std::size_t index = 0;  // flat index, as in the kernel
      gpu::Scalar expected, got;
      struct Writes {
        std::size_t count = 0;
        std::optional<gpu::Place> last;  // the last write; empty: no thread wrote it
      };
      std::optional<Writes> writes;  // empty: not observed
    };
    std::size_t argument = 0;             // index of the kernel's argument, from 0
    std::string array;                    // its name in the kernel: "out"
    std::vector<std::size_t> shape;       // slowest dimension first
    std::vector<Element> first;           // the first few wrong elements; not empty
    bool read_only = false;               // the kernel must not write to it
    std::size_t wrong = 1, elements = 1;  // number of wrong elements; number of all elements
  };
  struct Row {
    std::string name;
    gpu::Dim3 grid, block;
    std::uint32_t shared_bytes = 0;  // dynamic, of a block
    Verdict verdict = Verdict::passed;
    std::string message;             // a sentence or two; empty when passed
    std::vector<std::string> hints;  // the author's hints for this failure, in steps: a nudge, then where, then how; may be empty
    std::optional<Wrong> wrong;
    std::optional<Over> over = {};
    bool launched = true;  // false for a quiz's question or a program's marks: then grid and block have no meaning
    bool answered = true;  // false for a quiz's question that has no answer yet
  };
  std::vector<Row> rows;                   // in the exercise's order
  std::optional<std::uint64_t> seed = {};  // of the last case, if it was generated; empty: all cases are written
  std::string title = {};                  // empty: a title that says how many pass
};
[[nodiscard]] std::string_view name_of(Checks::Verdict verdict);  // "too_slow"

using FigureKinds = std::variant<ThreadMap, BlockMap, HostTimeline, Trials, Interleaving, BinChart, BinLanes, Field, Ladder,
                                 TreeLevels, SmTimeline, OccupancyCurves, LaunchSweep, MemoryMap, Arrays, Checks, Curves,
                                 LaneTimeline, LaneSteps, BreakEven, Roofline, TileWalk, CallTree, Chip, DeviceTable, Ordering>;

/// One of the figures above; std::visit and std::get_if take it as the variant that it is. How it is filled, copied, moved and
/// destroyed is compiled once, in figures.cpp: for this many kinds that takes seconds, and every file with a figure would do it
/// again.
class Figure : public FigureKinds {
 public:
  template <class Kind>
  requires(!std::is_base_of_v<FigureKinds, Kind>) Figure(Kind kind) : Figure() { assign(std::move(kind)); }
  Figure();  // an empty ThreadMap
  Figure(const Figure& other);
  Figure(Figure&& other) noexcept;
  Figure& operator=(const Figure& other);
  Figure& operator=(Figure&& other) noexcept;
  ~Figure();

  template <class Kind>
  void assign(Kind kind);
};

/// The view that draws it, by the name that pages and Lesson::views use: "thread_map".
[[nodiscard]] inline std::string_view view_of(const Figure& figure) {
  constexpr std::string_view names[] = {
      "thread_map", "block_map", "host_timeline", "trials",        "interleaving", "bin_chart",    "bin_lanes",
      "field",      "ladder",    "tree_levels",   "sm_timeline",   "occupancy",    "launch_sweep", "memory_map",
      "arrays",     "checks",    "curves",        "lane_timeline", "lane_steps",   "break_even",   "roofline",
      "tile_walk",  "call_tree", "chip",          "device_table",  "ordering"};
  static_assert(std::size(names) == std::variant_size_v<FigureKinds>);
  return names[figure.index()];
}

}  // namespace warpbook::lessons
