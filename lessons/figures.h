// Figures: what a lesson's run has to show, as plain data. A view draws one; nobody here knows pixels or colours.
//
// Each is a value: made by a lesson on the worker, drawn from an immutable snapshot by app/views/<name>.cpp.
// Every number in a figure comes from a run. Units stand in the field's comment.
#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "gpu/occupancy.h"
#include "gpu/picture.h"
#include "gpu/report.h"

namespace warpbook::lessons {

/// Which thread wrote which element (lesson 01): a row is a block, a cell is a thread.
struct ThreadMap {
  std::uint32_t threads = 0;   // a block
  std::uint32_t blocks = 0;    // launched
  std::uint32_t elements = 0;  // of the array
  struct Cell {
    std::int32_t element = -1;                  // index the thread wrote; −1: it wrote nothing
    bool outside = false;                       // … past the array's end
    std::int32_t left = 0, right = 0, sum = 0;  // a[i], b[i], what was stored
  };
  std::vector<Cell> cells;            // blocks × threads, thread fastest
  std::vector<std::uint8_t> written;  // an element each: 1 where some thread wrote it
};

/// Which thread wrote which cell of an array, an image or a volume (lesson 02). Threads are numbered over the whole grid: block by
/// block, x first.
struct BlockMap {
  gpu::Dim3 grid, block;
  std::uint32_t width = 1, height = 1, depth = 1;  // of the data
  std::vector<std::int32_t> writer;                // a cell each, x fastest: the thread; −1: nobody wrote it
  std::vector<std::uint16_t> writes;               // a cell each: how many stores; empty: not observed
  bool swapped = false;                            // the kernel takes y for x and x for y
};

/// What the host and the device did when (lesson 01), in µs from the first host call; and what each call answered (lesson 03).
struct HostTimeline {
  struct Span {
    double begin = 0, end = 0;
    std::string label;
    enum class Kind : std::uint8_t { call, wait, copy, kernel, stale, fresh } kind = Kind::call;
    std::string answer = {};  // CUDA's name of an error; empty: none, or nobody asked
  };
  struct Lane {
    std::string label;  // "Host", "Device", "A read sees"
    std::vector<Span> spans;
  };
  std::vector<Lane> lanes;
  struct Mark {
    double time = 0;
    std::string label;  // "launch has returned"
    bool bad = false;   // an error was made then, or told
  };
  std::vector<Mark> marks;
  /// A call of the host program, in order.
  struct Call {
    std::string text;       // "cudaMalloc(x)"
    std::string answer;     // "cudaSuccess"; empty: it returns nothing
    bool looked_at = true;  // by the host program
    bool wrong = false;     // the error was made here
    bool tells = false;     // the first that the host looked at and that was no success
  };
  std::vector<Call> calls = {};  // empty: answers are not what is shown
  /// What a watch measured: where on the axis, and what it shows (lesson 15).
  struct Ruler {
    std::string label;  // "Wall clock, waiting"
    struct Part {
      double begin = 0, end = 0;
    };
    std::vector<Part> parts;  // that it counts
    double reading = 0;       // µs: their sum
    double of_kernel = 0;     // … over the kernel's own time
    bool agrees = false;      // with that
  };
  std::vector<Ruler> rulers = {};
  Ruler::Part ruled = {};    // what the rulers were meant to measure
  std::string printed = {};  // by the kernel, a line each
  double end = 0;
  bool measured = false;  // on a GPU; otherwise the times are a model
  std::string title;      // says what to see: "The launch returns before the kernel ends"
};

/// Results of repeated trials (lesson 05): how often each final value came out.
struct Trials {
  struct Bar {
    std::int64_t value = 0;
    std::uint32_t count = 0;
  };
  std::vector<Bar> bars;  // sorted by value
  std::uint32_t trials = 0;
  std::int64_t expected = 0;    // what a correct kernel gives
  std::int64_t one_a_warp = 0;  // what in-warp collapse alone would leave
  std::string guessed;          // the number whose guess is marked among them
};

/// Load, add and store of every warp on one element (lessons 05, 08). Cycles are the model's.
struct Interleaving {
  std::string element = "c[0]";  // whose updates these are
  struct Row {
    std::uint32_t block = 0, warp = 0;
    std::uint64_t load_issued = 0, load_reached = 0, load_done = 0;  // issued; memory read; value in the register
    std::uint64_t store_issued = 0, store_reached = 0;               // issued; memory changed
    std::int64_t read = 0, stored = 0;
    std::uint32_t lanes = 0;           // that took part
    std::uint32_t kept = 0, lost = 0;  // of their updates, in the final value
  };
  std::vector<Row> rows;  // by load_issued; with atomics load_… and store_… meet in one step
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

/// Bins over their reference (lesson 07).
struct BinChart {
  double low = 0, high = 0;  // range covered by the bins
  std::vector<std::int64_t> counted, reference;
  std::int64_t values = 0, outside = 0;  // in the input; of those outside the range
};

/// Lanes of one warp that want the same bin (lesson 07): rows are warps, columns bins.
struct BinLanes {
  struct Row {
    std::uint32_t block = 0, warp = 0;
    std::vector<std::uint8_t> lanes;  // a bin
    std::uint32_t passes = 0;         // the largest entry: how often the hardware must repeat an atomic
  };
  std::vector<Row> rows;  // the first few requests
  std::uint32_t requests = 0;
  double mean_passes = 0, worst_passes = 32;
};

/// A stepping field (lesson 06); also what the live experiment shows between steps. Row-major, `side` × `side`.
struct Field {
  std::uint32_t side = 0, tile = 0;
  std::shared_ptr<const std::vector<float>> heat, laplacian;  // as the host last read them
  gpu::PicturePtr heat_picture, laplacian_picture;            // as they lie in the GPU's memory, newer; empty: nowhere but above
  std::uint64_t step = 0;
  double step_ms = 0;                             // wall time of a step on this device; 0 before the first
  double limit_ms = 0;                            // memory traffic of a step over the profile's bandwidth (model); 0: unknown
  double course_ms = 0.270;                       // the course's figure: 2000², 8×8, Numba on an A40
  std::vector<double> sums;                       // of the field, after each group of steps
  double drawn = 0;                               // heat the learner added
  double low = 0, high = 1, laplacian_limit = 1;  // colour ranges
  double laplacian_checkerboard = 0;              // share of the Laplacian's energy in the finest checkerboard, 0 … 1
  double coefficient = 0;                         // of the last step
  bool blown_up = false;                          // a value is not finite, or ten times the largest that was ever put in
  /// Of a live field; 0 where it is none.
  std::uint32_t steps_a_frame = 0, steps_asked = 0;  // between the last two pictures; that the control asks for
  std::uint32_t side_asked = 0;                      // by the control; `side` is smaller where this machine is too slow for it
  double steps_a_second = 0;                         // made, with all that is done between them
};

/// The same work in several ways (lessons 04, 10, 12): how fast each moves its values, against what the memory can give.
struct Ladder {
  struct Rung {
    std::string label;
    double gb_per_s = 0;  // bytes that it must move over its time; 0: it did not run
    double us = 0;
  };
  std::vector<Rung> rungs;  // from the first to the fastest
  std::size_t chosen = 0;
  double limit_gb_per_s = 0;  // the device's peak; 0: unknown
  std::uint64_t values = 0;   // that each rung summed
  bool model = true;          // times are the clock model's
  std::string guessed;        // the number whose guess is marked: the chosen rung's share of the limit, in percent
  std::string title = {};     // says what is compared; empty: kernels that only read
};

/// What one block of a reduction stores, level by level (lesson 12): which lanes still work, and what their requests cost.
struct TreeLevels {
  std::uint32_t threads = 0;  // of the block
  struct Level {
    std::uint32_t line = 0;            // of the kernel, that stores
    std::vector<std::uint32_t> lanes;  // a warp each: its lanes that store
    std::uint32_t cost = 0;            // of the costliest request: passes through the banks, or 32-byte sectors
  };
  std::vector<Level> levels;
  bool shared = true;  // cost is in passes; false: the block works in global memory, in sectors
};

/// Values that travel between the lanes of one warp, a step after the other (lesson 13). Everything was written down by the kernel.
struct LaneSteps {
  using Lanes = std::array<std::int32_t, 32>;
  enum class Kind : std::uint8_t {
    shuffle,
    vote,  // every lane receives what all said; `holds` is what it said itself, 0 or 1
    alone  // a lane's own computation: nothing travels
  };
  struct Step {
    std::string label;  // "down by 16"
    Kind kind = Kind::shuffle;
    Lanes from{}, received{}, holds{};  // the lane that a value came from, the value, what the receiver holds after the step
    std::uint32_t there = 0;            // lanes that took part
    std::uint32_t undefined = 0;        // … and read from a lane that did not
  };
  std::int32_t values = 32;  // so many lanes have a value
  Lanes begin{};             // what each lane holds before
  std::vector<Step> steps;
  Lanes place{}, stored{};  // by the lane: where in the result it stored in the end, −1: nowhere; and what
  std::string title;        // says what to see
};

/// What every warp did in every cycle, launches one above the other over the same cycles. Cycles are the model's.
struct SmTimeline {
  struct Run {
    std::string label;                              // "with atomicAdd"
    std::shared_ptr<const gpu::ClockReport> clock;  // its timeline, too; shared, so that a figure is cheap to copy
  };
  std::vector<Run> runs;    // the launch that the page is about first
  std::string title;        // says what to see
  bool schedulers = false;  // … with a row for each scheduler above the warps: the cycles in which it issued, and was idle
};

/// How many warps fit on a multiprocessor, over each thing that a launch may want more of. From gpu/occupancy.h.
struct OccupancyCurves {
  struct Point {
    int at = 0;  // threads a block, registers a thread, bytes of shared memory a block
    gpu::Occupancy occupancy;
  };
  struct Curve {
    std::string label, unit;    // "threads a block"; "B", empty for counts
    std::vector<Point> points;  // by `at`
    int present = 0;            // of the launch
  };
  std::vector<Curve> curves;
  gpu::Occupancy present;
  std::optional<double> achieved;  // 0 … 1, over the launch (model)
};

/// The same work by many launches (lesson 09): how long each takes, how many warps fit, and which rules of thumb allow it.
struct LaunchSweep {
  struct Row {
    std::uint32_t value = 0;  // what this launch has of its part's thing
    gpu::Dim3 grid, block;
    double us = 0;               // 0: it did not run
    gpu::Occupancy occupancy;    // blocks == 0: not even one block fits
    std::optional<double> held;  // 0 … 1: warps that were there, over the launch (model)
    std::vector<bool> allowed;   // by the part's rules, in their order
  };
  /// One thing is changed, and the others are as in the chosen launch.
  struct Part {
    std::string label;               // "threads a block"
    std::vector<std::string> rules;  // "multiple of 32"
    std::vector<Row> rows;           // by value
    std::size_t chosen = 0;          // the page's launch

    /// The row with the shortest time; rows.size() where none ran.
    [[nodiscard]] std::size_t fastest() const {
      std::size_t best = rows.size();
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].us > 0 && (best == rows.size() || rows[i].us < rows[best].us)) best = i;
      }
      return best;
    }
  };
  std::vector<Part> parts;
  bool model = true;  // times are the clock model's
};

/// What the requests of a few warps touched, one request after the other: elements, sectors, banks. Cycles are the model's.
struct MemoryMap {
  struct Array {
    std::uint32_t buffer = 0;  // AccessRecord::buffer; 0: a block's shared memory, in words
    std::string name;
    std::uint32_t element_bytes = 4;
    std::vector<std::size_t> shape;  // empty: shared memory
  };
  std::vector<Array> arrays;
  std::shared_ptr<const std::vector<gpu::AccessRecord>> requests;  // as they were issued
  gpu::Dim3 block;                                                 // threads
  std::size_t first = 0;                                           // the request to begin with
};

/// What a kernel's arrays hold after a launch, and what has changed (the playground).
struct Arrays {
  /// Least and most of a run of elements; least > most: there is no number among them.
  struct Part {
    double least = 1, most = 0;
  };
  struct One {
    gpu::Array array;
    bool read_only = false;         // const: the kernel was not to change it, and it was not read back
    std::uint64_t changed = 0;      // elements
    std::uint64_t not_numbers = 0;  // NaN and infinities; no part of what follows
    double least = 0, most = 0, mean = 0;
    std::vector<Part> parts;  // of equal length, in order; a few hundred
    // As a picture, averaged down to a few hundred cells a side; 0 × 0 where its shape is no picture's.
    std::uint32_t rows = 0, columns = 0, channels = 1;  // 3: red, green, blue in 0 … 1
    std::vector<float> cells;                           // row-major, channels fastest
    std::vector<std::byte> before, after;               // as they lay in memory; empty where they are too large to keep
  };
  std::shared_ptr<const std::vector<One>> arrays;  // in the order of the kernel's parameters
  std::string title;                               // empty: says which of them the launch has changed
};

/// An array as it should be and as it is, over its index, and the difference of the two (lesson 08).
struct Curves {
  std::string title;                 // says what to see
  std::vector<float> expected, got;  // as many of each
  std::string array = "x";           // its name
};

/// Which lanes of a warp executed each of its instructions, in their order; a few warps side by side (lesson 11).
struct LaneTimeline {
  /// Neighbouring instructions with the same lanes.
  struct Stretch {
    std::uint32_t mask = 0;                       // lanes that executed them
    std::uint32_t instructions = 0;               // at least one
    std::uint32_t line = 0;                       // of the kernel, that most of them belong to; 0: not known
    std::uint32_t first_line = 0, last_line = 0;  // that any of them belongs to
  };
  struct Warp {
    std::uint32_t block = 0, warp = 0;
    std::uint64_t instructions = 0;       // of the warp
    std::uint64_t lane_instructions = 0;  // each counted for every lane that executed it
    std::vector<Stretch> stretches = {};  // in the warp's order
  };
  std::vector<Warp> warps = {};
  std::uint64_t launched = 0;  // warps of the launch
};

/// How long the same work takes on the GPU, with its copies, and on one core of the CPU, over the number of values (lesson 14).
struct BreakEven {
  struct Point {
    double n = 0;              // values
    double cpu_us = 0;         // one core of this computer
    double gpu_us = 0;         // copies and kernels
    double kernel_us = 0;      // its launches alone
    bool cpu_measured = true;  // false: in proportion to the last one that was
    bool executed = true;      // the program was run; false: in proportion to the last two that were
  };
  std::vector<Point> points;  // by n
  std::size_t from = 0;       // the point from which on the GPU is always faster; points.size(): there is none
  double chosen = 0;          // the page's n
  bool model = true;          // the GPU's times are
  std::string title;          // says what to see
};

/// How fast versions of a kernel compute, under the roofs of the device: what its memory and its arithmetic units allow (lesson
/// 16).
struct Roofline {
  enum class Limit : std::uint8_t {
    none,  // it comes close to no roof: its warps wait, or there are too few of them
    memory,
    float32,
    float64
  };
  struct Version {
    std::string letter;          // "A"; empty: only the page's launch has these settings
    std::string label;           // "16 steps, 0.5f"
    double us = 0;               // 0: it did not run
    double bytes = 0;            // of global memory that it moves
    double operations = 0;       // floating-point, of all threads
    double share = 0;            // of the rate of its lowest roof, 0 … 1
    Limit lowest = Limit::none;  // the roof that is the lowest above it
    Limit limit = Limit::none;   // … if it comes close enough
    bool float64 = false;        // it computes in float64: that is its roof
    gpu::WarpCycles waits{};     // what its warps did (model); all 0: not observed
    [[nodiscard]] double intensity() const { return bytes > 0 ? operations / bytes : 0; }  // operations a byte
    [[nodiscard]] double gflop_per_s() const { return us > 0 ? operations / (us * 1e3) : 0; }
  };
  std::vector<Version> versions;
  std::size_t chosen = 0;      // the page's launch
  double memory_gb_per_s = 0;  // the device's peaks; 0: unknown
  double float32_gflop_per_s = 0, float64_gflop_per_s = 0;
  bool model = true;    // times are the clock model's
  bool counted = true;  // bytes and operations were counted in the launches; false: worked out
  std::string title;    // says what to see
};
[[nodiscard]] constexpr std::string_view name_of(Roofline::Limit limit) {
  constexpr std::string_view names[] = {"none", "memory", "float32", "float64"};
  return names[static_cast<std::size_t>(limit)];
}

/// Which elements of two matrices block 0 loaded while their product was made (lesson 17), and in which turn of its loop.
struct TileWalk {
  struct Element {
    std::uint32_t by_block_0 = 0, by_all = 0;  // loads from global memory, each counted for every lane
    std::uint32_t turn = 0;                    // by block 0, from 0
    bool needed = false;                       // for the elements of the product that block 0 makes
  };
  struct Matrix {
    std::string name;
    std::uint32_t rows = 1, columns = 1;
    std::vector<Element> elements;  // row by row
    [[nodiscard]] std::uint64_t loaded() const {
      std::uint64_t count = 0;
      for (const Element& element : elements) count += element.by_block_0 > 0 ? 1 : 0;
      return count;
    }
  };
  Matrix a, b;
  std::uint32_t turns = 1;                          // of the loop over tiles; 1: there is none
  std::uint32_t block_rows = 0, block_columns = 0;  // of the product, that block 0 makes; 0: no product is made
  std::string title;                                // says what to see
};

/// The calls of one warp, each within the one that made it, over the warp's instructions; and which lanes were in which (lesson
/// 18).
struct CallTree {
  /// Neighbouring instructions of a call with the same lanes.
  struct Stretch {
    std::uint64_t first = 0;  // of the warp's instructions, from 0
    std::uint32_t instructions = 1;
    std::uint32_t mask = 0;  // lanes that executed them
  };
  struct Function {
    std::string name;                      // "slope"
    std::uint32_t calls = 0;               // by this warp
    std::uint64_t instructions = 0;        // of its own, in all of its calls
    std::optional<std::uint64_t> bytes{};  // of a thread's stack that a call takes, as PTX has it; empty: not known
  };
  static constexpr std::uint32_t none = ~0u;
  struct Call {
    std::uint32_t function = 0;         // of `functions`
    std::uint32_t parent = none;        // the call that made it; none: it is the kernel itself
    std::uint32_t depth = 0;            // 0: the kernel
    std::uint32_t line = 0;             // where it was called; 0: not known
    std::uint32_t lanes = 0;            // that came into it
    std::uint64_t first = 0, last = 0;  // from its first instruction to behind its last one, with those of the calls that it made
    std::uint64_t stack = 0;            // bytes a thread: its own and those of the calls around it
    std::vector<Stretch> stretches{};   // its own instructions, in their order
  };
  std::uint32_t block = 0, warp = 0;
  std::uint64_t instructions = 0;  // of the warp
  std::uint64_t launched = 0;      // warps of the launch
  std::vector<Function> functions{};
  std::vector<Call> calls{};  // in the order in which they began; the kernel first. Empty: nobody recorded them
  bool whole = true;          // false: there were too many to keep all
  std::string title;          // says what to see
  [[nodiscard]] std::uint32_t deepest() const {
    std::uint32_t depth = 0;
    for (const Call& call : calls) depth = call.depth > depth ? call.depth : depth;
    return depth;
  }
};

/// A device, drawn from its figures: its multiprocessors, what one of them has, and the memory that they share.
struct Chip {
  enum class Part : std::uint8_t { multiprocessors, float32_units, float64_units, warps, registers, shared, l2, memory };
  static constexpr std::size_t parts = 8;
  /// A figure of a part, and who tells it.
  struct Fact {
    Part part = Part::multiprocessors;
    std::string name;  // "Registers of a multiprocessor"
    double value = 0;
    std::string unit;  // "bytes", "kHz", "GB/s"; empty for counts
    int decimals = 0;
    std::string attribute;  // "regsPerMultiprocessor"; empty: no call tells it
    std::string source;     // where it comes from if no call tells it
    bool follows = false;   // it is worked out from other figures
    std::string meaning;    // for a launch; sentences
  };
  int multiprocessors = 0;
  int float32_units = 0, float64_units = 0;  // of a multiprocessor; 0: not known
  int warps = 0;                             // places of a multiprocessor
  std::vector<Fact> facts;                   // each part has one at least, if it is known
  double measured = 0;                       // multiply-adds that a multiprocessor finished in a cycle; 0: none
  bool measured_float64 = false, model = true;
  std::string title;  // says what to see
};
[[nodiscard]] constexpr std::string_view name_of(Chip::Part part) {
  constexpr std::string_view names[] = {"multiprocessors", "float32_units", "float64_units", "warps", "registers", "shared", "l2",
                                        "memory"};
  static_assert(std::size(names) == Chip::parts);
  return names[static_cast<std::size_t>(part)];
}

/// What a device says of itself, beside others, and what follows from that. A row a figure, a column a device.
struct DeviceTable {
  struct Row {
    std::string name;                                // CUDA's: "warpSize"; derived: in words
    std::string unit;                                // "bytes", "kHz"; empty for counts
    std::string meaning;                             // a sentence; derived: the formula, too
    std::string launch;                              // what it means for a launch; may be empty
    std::vector<std::optional<double>> values = {};  // by device; empty: nobody has told it
    int decimals = 0;
    bool derived = false;  // worked out from other figures: no call tells it
  };
  std::vector<std::string> devices;  // the first is the one that ran
  std::vector<Row> rows;             // derived ones first
  std::string title;
};

/// What two threads of different blocks did with memory, and which of it is promised to happen before which (lesson 20).
struct Ordering {
  enum class What : std::uint8_t { store, load, atomic, fence, barrier };
  struct Column {
    std::uint32_t block = 0, thread = 0;
    std::string role;  // "takes the last ticket and adds up"
  };
  /// One thing that a thread did.
  struct Event {
    std::size_t column = 0;
    What what = What::store;
    std::string words;     // "partial[3] = 1,984"
    std::string strength;  // "plain store", "fence for the block"
    std::uint32_t line = 0;
    std::uint64_t cycle = 0;  // when it reached memory, by the clock's model
  };
  /// From what must come first to what must come behind it.
  struct Arrow {
    std::size_t from = 0, to = 0;  // of `events`
    bool promised = true;
    std::string sentence;  // why it is promised; or what is missing, and what would promise it
  };
  std::vector<Column> columns;
  std::vector<Event> events;         // in the order of this run
  std::vector<Arrow> arrows;         // from the store to the load; all of them promised: so is the whole way
  std::vector<std::string> may_see;  // the values that the load may return, the promised one last; one: it must return this
  std::string saw;                   // the value that it returned in this run
  std::string title;                 // says what to see
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

/// What a check found, case by case: an exercise's result.
struct Checks {
  enum class Verdict : std::uint8_t {
    passed,
    wrong,    // an array does not hold what it should
    finding,  // … or does, but the kernel did what no kernel may: it raced, went out of bounds …
    failed,   // the launch was refused or stopped
    too_slow,
    over_limit  // right and safe, but it costs more than the exercise allows
  };
  /// What costs too much (limits.h).
  struct Over {
    std::string limit;               // "sectors"
    double amount = 0, allowed = 0;  // of an occupancy: less than is allowed
    std::uint32_t line = 0;          // that costs the most; 0: not known
    std::string message;             // sentences
  };
  /// An array that does not hold what it should.
  struct Wrong {
    struct Element {
      std::size_t index = 0;  // flat, as the kernel counts
      gpu::Scalar expected, got;
      struct Writes {
        std::size_t count = 0;
        std::optional<gpu::Place> last;  // empty: no thread wrote it
      };
      std::optional<Writes> writes;  // empty: not observed
    };
    std::size_t argument = 0;             // of the kernel, from 0
    std::string array;                    // its name there: "out"
    std::vector<std::size_t> shape;       // slowest dimension first
    std::vector<Element> first;           // the first few that are wrong; at least one
    bool read_only = false;               // the kernel must not write to it
    std::size_t wrong = 1, elements = 1;  // how many of how many in this array
  };
  struct Row {
    std::string name;
    gpu::Dim3 grid, block;
    std::uint32_t shared_bytes = 0;  // dynamic, a block
    Verdict verdict = Verdict::passed;
    std::string message;             // a sentence or two; empty when passed
    std::vector<std::string> hints;  // what the author says of this failure: a nudge first, then where, then how; may be empty
    std::optional<Wrong> wrong;
    std::optional<Over> over = {};
    bool launched = true;  // not so a quiz's question, or a program's marks: then grid and block mean nothing
  };
  std::vector<Row> rows;                   // in the order of the exercise
  std::optional<std::uint64_t> seed = {};  // of the last one, which was made anew; empty: all of them are written
  std::string title = {};                  // empty: how many pass
};
[[nodiscard]] std::string_view name_of(Checks::Verdict verdict);  // "too_slow"

using Figure = std::variant<ThreadMap, BlockMap, HostTimeline, Trials, Interleaving, BinChart, BinLanes, Field, Ladder, TreeLevels,
                            SmTimeline, OccupancyCurves, LaunchSweep, MemoryMap, Arrays, Checks, Curves, LaneTimeline, LaneSteps,
                            BreakEven, Roofline, TileWalk, CallTree, Chip, DeviceTable, Ordering>;

/// The view that draws it, as pages and Lesson::views name it: "thread_map".
[[nodiscard]] inline std::string_view view_of(const Figure& figure) {
  constexpr std::string_view names[] = {"thread_map",  "block_map", "host_timeline", "trials",     "interleaving",
                                        "bin_chart",   "bin_lanes", "field",         "ladder",     "tree_levels",
                                        "sm_timeline", "occupancy", "launch_sweep",  "memory_map", "arrays",
                                        "checks",      "curves",    "lane_timeline", "lane_steps", "break_even",
                                        "roofline",    "tile_walk", "call_tree",     "chip",       "device_table",
                                        "ordering"};
  static_assert(std::size(names) == std::variant_size_v<Figure>);
  return names[figure.index()];
}

}  // namespace warpbook::lessons
