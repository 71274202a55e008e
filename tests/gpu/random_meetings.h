// Random kernels of synchronising operations: __syncwarp, votes, shuffles, match and reductions in divergent code, barriers of the
// block, and named barriers with waiting and arriving threads. The oracle is an interpreter that runs one thread after the other,
// synchronises them as the PTX ISA says, and compares all accesses to shared memory by vector clocks.
//
//     MeetingKernel kernel = random_meetings(seed);       // correct: it ends, all reads are ordered, all values are defined
//     leave_out_something(kernel, seed);                  // introduces an error: a lane skips a call, another mask, no arrival …
//     launch(meetings_ptx(kernel), {1}, {32 * kernel.warps.size()}, out);
//     MeetingsOutcome expected = interpret(kernel, 1);    // 1: seed of the threads' order
//
// `out` has one 32-bit value per thread.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace warpbook::gpu::test {

struct MeetingStep {
  enum class Kind : std::uint8_t { compute, meet, store, load, wait, arrive, wait_all, branch, loop };
  enum class Call : std::uint8_t {
    syncwarp,
    ballot,
    any,
    all,
    shuffle,
    shuffle_xor,
    shuffle_up,
    shuffle_down,
    match_any,
    match_all,
    sum,
    least
  };
  enum class Form : std::uint8_t { plain, guarded, in_a_function };
  Kind kind = Kind::compute;
  std::uint32_t lanes = ~0u;  // active lanes; branch: the lanes that take `inner`, the others take `otherwise`
  std::uint32_t number = 0;   // compute: the addend; calls: lane or distance; memory: the word of lane 0; barriers: their number
  std::uint32_t from = 0;     // load: a lane reads the word of lane ^ from
  // Calls
  Call call = Call::syncwarp;
  Form form = Form::plain;
  std::uint32_t mask = 0, other_mask = 0;  // other_mask is used by
  std::uint32_t by_lane = 32;              // this lane; 32: none
  std::uint32_t threads = 0;               // named barriers: the number of threads
  std::array<std::uint8_t, 32> turns{};    // loop
  std::vector<MeetingStep> inner, otherwise;
};

struct MeetingKernel {
  /// By phase and by warp. After each phase except the last, all threads synchronise.
  std::vector<std::vector<std::vector<MeetingStep>>> phases;
  std::uint32_t warps = 1;
};

struct MeetingsOutcome {
  bool ends = false;
  bool races = false;      // two unordered accesses to a word, at least one of them a store
  bool undefined = false;  // an undefined value, or a call with a mask that contains an exited lane
  std::vector<std::uint32_t> values;
  friend bool operator==(const MeetingsOutcome&, const MeetingsOutcome&) = default;
  [[nodiscard]] bool right() const { return ends && !races && !undefined; }
};

[[nodiscard]] MeetingKernel random_meetings(std::uint64_t seed);
/// Returns a description of the error.
std::string leave_out_something(MeetingKernel& kernel, std::uint64_t seed);
[[nodiscard]] std::string meetings_ptx(const MeetingKernel& kernel);
[[nodiscard]] MeetingsOutcome interpret(const MeetingKernel& kernel, std::uint64_t order);

}  // namespace warpbook::gpu::test
