// History: a launch that can be stepped forwards and backwards. The virtual GPU records it when Observe::history is set.
//
//     const History& history = *report.history;
//     Replay replay(report.history);                           // stands before the first step
//     replay.to(history.next(0, Stride::barrier, warp));       // any step, forwards or back
//     for (const RegisterRow& r : replay.registers(warp)) show(r.name, r.lanes, r.changed);
//
// A step is one instruction of one warp, in the order in which the launch issued them. Position p stands before step p: the steps
// before it have been made; steps().size() is the end. Under the clock a load's register changes when memory has answered, some
// steps after the load was issued.
//
// Memory can be read at every position: shared and local memory as far as something was stored there, global memory where it was
// small enough to keep (64 MiB in all).
//
// The newest steps are kept where a launch is longer than the memory it was given; dropped() says how many are gone. Immutable and
// shared, and independent of the device that recorded it; a Replay is used by one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gpu/types.h"

namespace warpbook::gpu {

struct WarpRef {
  std::uint32_t block = 0, warp = 0;  // linear index in the grid; within the block
  friend auto operator<=>(const WarpRef&, const WarpRef&) = default;
};

inline constexpr std::uint32_t no_frame = ~0u;

struct HistoryStep {
  WarpRef warp;
  std::uint32_t line = 0;              // source line; 0: the compiler gave none
  std::uint32_t function = 0, pc = 0;  // of History::functions; instruction within it
  std::uint32_t mask = 0;              // lanes that took part
  std::uint32_t frame = 0;             // the call whose registers it uses: a number for Replay
  std::uint32_t caller = no_frame;     // the call that this one was made from; no_frame: it is the kernel's own
  bool barrier = false;                // it waits for other warps of its block
  std::uint64_t cycle = 0;             // clock schedule; else a running number
};

/// Names that outlive the device's program.
struct HistoryFunction {
  struct Register {
    std::string name, type;    // "%r5"; "s32", "f32", "pred" …: as it is used, where it was declared without a sign
    std::uint32_t bytes = 0;   // a lane; 0: a predicate, one bit a lane
    std::uint32_t offset = 0;  // in a frame's rows
  };
  std::string name;
  std::vector<Register> registers;
  struct Parameter {
    std::string name;                     // in PTX: "_Z3addPfi_param_0"
    std::uint32_t offset = 0, bytes = 0;  // of a kernel's: where in History::parameters()
    /// The registers that the function loads it into.
    struct Load {
      std::uint32_t reg = 0;     // of `registers`
      std::uint32_t offset = 0;  // within the parameter
      std::uint32_t bytes = 0;
    };
    std::vector<Load> loads;
  };
  std::uint32_t row_bytes = 0;            // all registers, 32 lanes
  std::vector<std::string> text;          // PTX by pc, of instructions that were issued: "add.s32 %r3, %r1, %r2;"
  std::vector<std::uint32_t> ptx_lines;   // by pc: the line of the PTX text, from 1
  std::vector<std::uint32_t> writes;      // by pc: the register that the instruction gives a value; no_register: none, or several
  std::vector<Parameter> parameters;
  bool kernel = false;
  static constexpr std::uint32_t no_register = ~0u;
};

/// A buffer or module variable, or a shared variable of every block.
struct HistoryArray {
  std::string name;
  std::string symbol = {};  // of a variable, its name in PTX; empty: a buffer
  bool shared = false;
  bool constant = false;              // a __constant__ variable
  bool dynamic = false;               // the shared memory whose size the launch chose
  std::uint64_t base = 0, bytes = 0;  // guest address; offset in a block's shared memory
  ScalarType type = ScalarType::int32;
};

/// Why a piece of memory can be shown, or cannot.
enum class Known {
  yes,
  unwritten,  // shared and local memory: nobody has stored there since the recording began
  outside,    // the address lies in no array
  not_kept    // it lies in no array that was recorded: the kernels' heap, an array too large to keep, or behind an array's end
};

enum class Stride { instruction, line, barrier };

class History {
 public:
  [[nodiscard]] std::span<const HistoryStep> steps() const { return steps_; }
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }  // steps before the first kept one
  [[nodiscard]] const std::vector<HistoryFunction>& functions() const { return functions_; }
  [[nodiscard]] const std::vector<HistoryArray>& arrays() const { return arrays_; }
  [[nodiscard]] const std::vector<WarpRef>& warps() const { return warps_; }  // that made a kept step, in order
  [[nodiscard]] std::size_t bytes() const { return bytes_; }                  // of memory that steps and changes hold
  [[nodiscard]] const std::string& text_of(std::size_t step) const;
  [[nodiscard]] std::uint32_t ptx_line_of(std::size_t step) const;
  [[nodiscard]] const std::vector<std::byte>& parameters() const { return parameters_; }  // the kernel's, as PTX lays them out
  /// The array that holds an address or an offset in shared memory; nullptr: none.
  [[nodiscard]] const HistoryArray* find(bool shared, std::uint64_t address) const;
  /// The variable of that name in PTX; nullptr: none.
  [[nodiscard]] const HistoryArray* find_symbol(std::string_view symbol) const;

  /// The position a stride away, of one warp or of all: its next or last instruction, the beginning of the next or last run of
  /// instructions on one line, the next or last barrier. The end, or the warp's first step, where there is none.
  [[nodiscard]] std::size_t next(std::size_t from, Stride stride, std::optional<WarpRef> warp = {}) const;
  [[nodiscard]] std::size_t previous(std::size_t from, Stride stride, std::optional<WarpRef> warp = {}) const;
  /// The first step on `line` behind `from`; empty: none.
  [[nodiscard]] std::optional<std::size_t> next_on_line(std::size_t from, std::uint32_t line,
                                                        std::optional<WarpRef> warp = {}) const;
  /// The warp's first step at `from` or behind it; empty: it has ended.
  [[nodiscard]] std::optional<std::size_t> next_of(std::size_t from, WarpRef warp) const;
  /// The warp's steps, in order; empty for a warp without one.
  [[nodiscard]] std::span<const std::uint32_t> steps_of(WarpRef warp) const;

  /// What the recorder keeps, and a Replay moves through.
  struct Frame {
    WarpRef warp;
    std::uint32_t function = 0;
    std::vector<std::uint32_t> rows;     // values, by Register::offset
    std::vector<std::uint32_t> written;  // by register: lanes that hold a value
  };
  struct Shared {
    std::uint32_t block = 0;
    std::vector<std::uint32_t> words;
    std::vector<std::uint8_t> written;  // by word: a bit a byte
  };
  /// Local memory of a warp's lanes: word w of lane l is words[32 × w + l].
  struct Local {
    WarpRef warp;
    std::vector<std::uint32_t> words;
    std::vector<std::uint8_t> written;  // as in Shared
  };
  struct State {
    std::vector<Frame> frames;
    std::vector<Shared> blocks;
    std::vector<Local> locals;
    std::unordered_map<std::uint64_t, std::uint32_t> global;  // by a word's address: what it differs by (XOR) from the launch's end
  };
  /// Changes of consecutive steps. A change is a header, then words that are XORed onto the state: the same forwards and back.
  struct Chunk {
    std::uint64_t first = 0;            // step
    std::vector<std::uint32_t> begins;  // by step: in words
    std::vector<std::uint32_t> words;
  };
  enum class ChangeKind : std::uint32_t {
    registers,  // frame, register, lanes newly written; then its row
    entered,    // frame; then by register: lanes that held a value of an earlier call
    shared,     // block; then word, change, newly written bytes
    local,      // the warp's number in State::locals; then as for shared
    global      // block, warp; then address (low, high), before, after
  };
  struct ChangeHeader {
    ChangeKind kind{};
    std::uint32_t count = 0;  // words behind the header
    std::uint32_t line = 0;   // of the instruction that did it
    std::uint32_t where = 0, reg = 0, written = 0;
  };
  static constexpr std::size_t header_words = sizeof(ChangeHeader) / sizeof(std::uint32_t);

  /// What a recorder hands over. `end`: the state behind the last step.
  struct Recording {
    std::vector<HistoryStep> steps;
    std::vector<Chunk> chunks;
    std::vector<HistoryFunction> functions;
    std::vector<HistoryArray> arrays;
    std::vector<std::vector<std::byte>> contents;  // by array, of global memory when the launch had ended; empty: not kept
    std::vector<std::byte> parameters;             // the kernel's
    State end;
    std::uint64_t dropped = 0;
  };
  explicit History(Recording recording);

 private:
  friend class Replay;

  std::vector<HistoryStep> steps_;
  std::vector<Chunk> chunks_;  // Chunk::first counts from the first kept step
  std::vector<HistoryFunction> functions_;
  std::vector<HistoryArray> arrays_;
  std::vector<WarpRef> warps_;
  std::vector<std::uint32_t> first_of_warp_, by_warp_;  // where in by_warp_ each warp's steps begin; steps, warp by warp
  std::vector<std::vector<std::byte>> contents_;
  std::vector<std::byte> parameters_;
  State begin_, end_;
  std::uint64_t dropped_ = 0;
  std::size_t bytes_ = 0;
};

struct RegisterRow {
  std::string_view name, type;
  std::uint32_t bytes = 0;                // a lane; 0: a predicate
  std::array<std::uint64_t, 32> lanes{};  // bits; of a 128-bit register the low half
  std::uint32_t written = 0;              // lanes that hold a value
  std::uint32_t changed = 0;              // lanes that the last move gave another value
  std::uint32_t line = 0;                 // where changed: the line that did it
};

struct SharedWord {
  std::uint32_t offset = 0;  // bytes, a multiple of 4
  std::uint32_t value = 0;
  bool changed = false;
};

/// Four bytes of global memory that the last move changed, or wrote again.
struct GlobalWord {
  std::uint64_t address = 0;
  std::uint32_t before = 0, after = 0;
  std::uint32_t line = 0;
  WarpRef by;
};

/// One of the calls in which a warp stands.
struct CallLevel {
  std::size_t step = 0;  // where it stands: the next instruction, or the call that the level before was made by
  std::uint32_t frame = 0;
};

/// Lanes of a warp where it stands.
struct LaneStates {
  std::uint32_t on = 0;       // take part in its next instruction
  std::uint32_t waiting = 0;  // take part in a later one
};

class Replay {
 public:
  explicit Replay(std::shared_ptr<const History> history);

  [[nodiscard]] const History& history() const { return *history_; }
  [[nodiscard]] std::size_t position() const { return position_; }
  /// Moves there; what it passes is marked as changed, unless it is more than `marked_steps` away.
  void to(std::size_t position);
  static constexpr std::size_t marked_steps = 4096;

  /// Registers that hold a value, of the call in which the warp stands.
  [[nodiscard]] std::vector<RegisterRow> registers(WarpRef warp) const;
  /// The calls in which it stands, the innermost first, the kernel last; behind its last step, those of that step. Empty: the warp
  /// made no step.
  [[nodiscard]] std::vector<CallLevel> calls(WarpRef warp) const;
  /// A register of a call; its function: History::functions[steps[level.step].function]. Lanes that hold no value have no bit in
  /// `written`.
  [[nodiscard]] RegisterRow register_of(const CallLevel& level, std::uint32_t reg) const;
  /// Bytes at a generic address (address_windows.h), as a lane sees them. `into` is left alone unless the answer is yes.
  [[nodiscard]] Known read(WarpRef warp, std::uint32_t lane, std::uint64_t address, std::span<std::byte> into) const;
  /// Words of the block's shared memory that it has written.
  [[nodiscard]] std::vector<SharedWord> shared(std::uint32_t block) const;
  [[nodiscard]] const std::vector<GlobalWord>& global() const { return global_; }
  [[nodiscard]] LaneStates lanes(WarpRef warp) const;

 private:
  struct Mark {
    History::ChangeKind kind{};
    std::uint32_t where = 0, what = 0, lanes = 0, line = 0;
  };
  [[nodiscard]] Known read_global(std::uint64_t address, std::span<std::byte> into) const;
  void pass(const std::uint32_t* from, const std::uint32_t* until, bool back, bool mark);

  std::shared_ptr<const History> history_;
  History::State state_;
  std::size_t position_ = 0;
  std::vector<Mark> marks_;
  std::vector<GlobalWord> global_;
};

}  // namespace warpbook::gpu
