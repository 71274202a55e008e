// History: the record of a launch that can be stepped forwards and backwards. The virtual GPU makes it when Observe::history is
// set.
//
//     const History& history = *report.history;
//     Replay replay(report.history);                           // stands before the first step
//     replay.to(history.next(0, Stride::barrier, warp));       // any step, forwards or back
//     for (const RegisterRow& r : replay.registers(warp)) show(r.name, r.lanes, r.changed);
//
// A step is one instruction of one warp, in the order in which the launch issued them. Position p is before step p, after all
// earlier steps; steps().size() is the end. With the clock schedule, a load's register changes when the memory has answered, which
// is some steps after the load was issued.
//
// Memory can be read at every position: shared and local memory where something was stored, global memory as far as its arrays were
// small enough to be kept (64 MiB in all).
//
// If a launch is longer than the memory for its history, the oldest steps are dropped; dropped() says how many. A History is
// immutable, shared, and independent of the device. A Replay is used by one thread.
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
  std::uint32_t function = 0, pc = 0;  // index in History::functions; instruction within it
  std::uint32_t mask = 0;              // active lanes
  std::uint32_t frame = 0;             // the call whose registers it uses: an identifier for Replay
  std::uint32_t caller = no_frame;     // the calling frame; no_frame: this is the kernel's own
  bool barrier = false;                // it waits for other warps of its block
  std::uint64_t cycle = 0;             // clock schedule: the cycle; else a running number
};

/// A function of the program. The names outlive the device's program.
struct HistoryFunction {
  struct Register {
    std::string name, type;    // "%r5"; "s32", "f32", "pred" …: the type of its uses, if its declaration has no sign
    std::uint32_t bytes = 0;   // per lane; 0: a predicate, one bit per lane
    std::uint32_t offset = 0;  // in the frame's rows
  };
  std::string name;
  std::vector<Register> registers;
  struct Parameter {
    std::string name;                     // in PTX: "_Z3addPfi_param_0"
    std::uint32_t offset = 0, bytes = 0;  // of a kernel's parameter: in History::parameters()
    /// A load of the parameter into a register.
    struct Load {
      std::uint32_t reg = 0;     // index in `registers`
      std::uint32_t offset = 0;  // within the parameter
      std::uint32_t bytes = 0;
    };
    std::vector<Load> loads;
  };
  std::uint32_t row_bytes = 0;           // of all registers, 32 lanes
  std::vector<std::string> text;         // by pc: PTX of the instructions that were issued: "add.s32 %r3, %r1, %r2;"
  std::vector<std::uint32_t> ptx_lines;  // by pc: the line of the PTX text, from 1
  std::vector<std::uint32_t> writes;     // by pc: the register that the instruction writes; no_register: none, or several
  std::vector<Parameter> parameters;
  bool kernel = false;
  static constexpr std::uint32_t no_register = ~0u;
};

/// A buffer, a variable of the module, or a shared variable of every block.
struct HistoryArray {
  std::string name;
  std::string symbol = {};  // a variable's name in PTX; empty: a buffer
  bool shared = false;
  bool constant = false;              // a __constant__ variable
  bool dynamic = false;               // the dynamic shared memory of the launch
  std::uint64_t base = 0, bytes = 0;  // address on the device, or offset in the block's shared memory
  ScalarType type = ScalarType::int32;
};

/// Whether a piece of memory can be shown, and if not, why.
enum class Known {
  yes,
  unwritten,  // shared or local memory where nothing was stored since the recording began
  outside,    // the address is in no array
  not_kept    // not in a recorded array: the kernels' heap, an array that was too large to keep, or past an array's end
};

enum class Stride { instruction, line, barrier };

class History {
 public:
  [[nodiscard]] std::span<const HistoryStep> steps() const { return steps_; }
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }  // steps before the first one that was kept
  [[nodiscard]] const std::vector<HistoryFunction>& functions() const { return functions_; }
  [[nodiscard]] const std::vector<HistoryArray>& arrays() const { return arrays_; }
  [[nodiscard]] const std::vector<WarpRef>& warps() const { return warps_; }  // warps that made a step that was kept, in order
  [[nodiscard]] std::size_t bytes() const { return bytes_; }                  // memory used by steps and changes
  [[nodiscard]] const std::string& text_of(std::size_t step) const;
  [[nodiscard]] std::uint32_t ptx_line_of(std::size_t step) const;
  [[nodiscard]] const std::vector<std::byte>& parameters() const {
    return parameters_;
  }  // the kernel's parameter block, as PTX lays it out
  /// The array that holds an address or an offset in shared memory. nullptr: none.
  [[nodiscard]] const HistoryArray* find(bool shared, std::uint64_t address) const;
  /// The variable with this name in PTX. nullptr: none.
  [[nodiscard]] const HistoryArray* find_symbol(std::string_view symbol) const;

  /// The position one stride away, for one warp or for all: the next or previous instruction, the start of the next or previous run
  /// of instructions on one line, the next or previous barrier. If there is none: the end, or the warp's first step.
  [[nodiscard]] std::size_t next(std::size_t from, Stride stride, std::optional<WarpRef> warp = {}) const;
  [[nodiscard]] std::size_t previous(std::size_t from, Stride stride, std::optional<WarpRef> warp = {}) const;
  /// The first step on `line` after `from`. Empty: none.
  [[nodiscard]] std::optional<std::size_t> next_on_line(std::size_t from, std::uint32_t line,
                                                        std::optional<WarpRef> warp = {}) const;
  /// The warp's first step at or after `from`. Empty: the warp has ended.
  [[nodiscard]] std::optional<std::size_t> next_of(std::size_t from, WarpRef warp) const;
  /// The warp's steps, in order. Empty if it made none.
  [[nodiscard]] std::span<const std::uint32_t> steps_of(WarpRef warp) const;

  /// What the recorder keeps and what a Replay moves through: the registers of one call.
  struct Frame {
    WarpRef warp;
    std::uint32_t function = 0;
    std::vector<std::uint32_t> rows;     // the values, by Register::offset
    std::vector<std::uint32_t> written;  // by register: mask of the lanes that hold a value
  };
  struct Shared {
    std::uint32_t block = 0;
    std::vector<std::uint32_t> words;
    std::vector<std::uint8_t> written;  // by word: one bit for each byte that was written
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
    std::unordered_map<std::uint64_t, std::uint32_t>
        global;  // by word address: the XOR of the value with the value at the end of the launch
  };
  /// The changes of consecutive steps. A change is a header, then words that are XORed into the state. XOR undoes itself, so the
  /// same words serve both directions.
  struct Chunk {
    std::uint64_t first = 0;            // index of the first step
    std::vector<std::uint32_t> begins;  // by step: where its changes begin in `words`
    std::vector<std::uint32_t> words;
  };
  enum class ChangeKind : std::uint32_t {
    registers,  // frame, register, mask of lanes written for the first time; then the row
    entered,    // frame; then by register: lanes that held a value of an earlier call
    shared,     // block; then for each word: its index, the XOR, the bytes written for the first time
    local,      // index in State::locals; then as for shared
    global      // block, warp; then address (low, high), value before, value after
  };
  struct ChangeHeader {
    ChangeKind kind{};
    std::uint32_t count = 0;  // words after the header
    std::uint32_t line = 0;   // of the instruction that made the change
    std::uint32_t where = 0, reg = 0, written = 0;
  };
  static constexpr std::size_t header_words = sizeof(ChangeHeader) / sizeof(std::uint32_t);

  /// What a recorder passes to a History. `end`: the state after the last step.
  struct Recording {
    std::vector<HistoryStep> steps;
    std::vector<Chunk> chunks;
    std::vector<HistoryFunction> functions;
    std::vector<HistoryArray> arrays;
    std::vector<std::vector<std::byte>> contents;  // by array: contents of global memory at the end of the launch; empty: not kept
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
  std::vector<std::uint32_t> first_of_warp_,
      by_warp_;  // by_warp_ holds the steps of all warps, warp by warp; first_of_warp_ says where each warp's begin
  std::vector<std::vector<std::byte>> contents_;
  std::vector<std::byte> parameters_;
  State begin_, end_;
  std::uint64_t dropped_ = 0;
  std::size_t bytes_ = 0;
};

struct RegisterRow {
  std::string_view name, type;
  std::uint32_t bytes = 0;                // per lane; 0: a predicate
  std::array<std::uint64_t, 32> lanes{};  // raw bits; the low half of a 128-bit register
  std::uint32_t written = 0;              // lanes that hold a value
  std::uint32_t changed = 0;              // lanes whose value the last move changed
  std::uint32_t line = 0;                 // the source line that made the change
};

struct SharedWord {
  std::uint32_t offset = 0;  // bytes, a multiple of 4
  std::uint32_t value = 0;
  bool changed = false;
};

/// Four bytes of global memory that the last move wrote, whether their value changed or not.
struct GlobalWord {
  std::uint64_t address = 0;
  std::uint32_t before = 0, after = 0;
  std::uint32_t line = 0;
  WarpRef by;
};

/// One level of a warp's call stack.
struct CallLevel {
  std::size_t step = 0;  // the next instruction, or the call that leads to the level before
  std::uint32_t frame = 0;
};

/// The lanes of a warp at the current position.
struct LaneStates {
  std::uint32_t on = 0;       // active in its next instruction
  std::uint32_t waiting = 0;  // active in a later one
};

class Replay {
 public:
  explicit Replay(std::shared_ptr<const History> history);

  [[nodiscard]] const History& history() const { return *history_; }
  [[nodiscard]] std::size_t position() const { return position_; }
  /// Moves to a position. Changes on the way are marked, unless the position is more than `marked_steps` away.
  void to(std::size_t position);
  static constexpr std::size_t marked_steps = 4096;

  /// The registers that hold a value, of the innermost call.
  [[nodiscard]] std::vector<RegisterRow> registers(WarpRef warp) const;
  /// The warp's call stack: the innermost call first, the kernel last. After the warp's last step, it is the stack of that step.
  /// Empty: the warp made no step.
  [[nodiscard]] std::vector<CallLevel> calls(WarpRef warp) const;
  /// A register of a call. The call's function is History::functions[steps[level.step].function]. Lanes without a value have no bit
  /// in `written`.
  [[nodiscard]] RegisterRow register_of(const CallLevel& level, std::uint32_t reg) const;
  /// Reads the bytes at a generic address (address_windows.h), as seen by a lane. `into` is only changed if the result is yes.
  [[nodiscard]] Known read(WarpRef warp, std::uint32_t lane, std::uint64_t address, std::span<std::byte> into) const;
  /// The words of the block's shared memory that were written.
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
