// Random kernels made of what threads synchronise by: __syncwarp, votes, shuffles, match and reductions in divergent code, barriers
// of the block, and named barriers at which some wait and others only arrive. With an oracle: an interpreter that runs one thread
// after the other, lets them meet as the PTX ISA says, and compares all accesses to shared memory by vector clocks.
//
//     MeetingKernel kernel = random_meetings(seed);       // right: it ends, every read is ordered, every value is defined
//     leave_out_something(kernel, seed);                  // a lane that skips a call, another mask, no arrival …
//     launch(meetings_ptx(kernel), {1}, {32 * kernel.warps.size()}, out);
//     MeetingsOutcome expected = interpret(kernel, 1);    // 1: in which order its threads take turns
//
// `out` gets a 32-bit value a thread.
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
  std::uint32_t lanes = ~0u;  // who executes it; branch: who takes `inner`, the others `otherwise`
  std::uint32_t number = 0;   // compute: what is added; calls: lane or distance; memory: the word of lane 0; barriers: which
  std::uint32_t from = 0;     // load: a lane reads the word of lane ^ from
  // Calls
  Call call = Call::syncwarp;
  Form form = Form::plain;
  std::uint32_t mask = 0, other_mask = 0;  // the latter is named by
  std::uint32_t by_lane = 32;              // this lane; 32: nobody
  std::uint32_t threads = 0;               // named barriers: how many it counts
  std::array<std::uint8_t, 32> turns{};    // loop
  std::vector<MeetingStep> inner, otherwise;
};

struct MeetingKernel {
  /// By phase, by warp. Behind a phase all threads wait for each other, but for the last.
  std::vector<std::vector<std::vector<MeetingStep>>> phases;
  std::uint32_t warps = 1;
};

struct MeetingsOutcome {
  bool ends = false;
  bool races = false;      // two unordered accesses of a word, one of them a store
  bool undefined = false;  // a value that nobody gave, or a call that names who has exited
  std::vector<std::uint32_t> values;
  friend bool operator==(const MeetingsOutcome&, const MeetingsOutcome&) = default;
  [[nodiscard]] bool right() const { return ends && !races && !undefined; }
};

[[nodiscard]] MeetingKernel random_meetings(std::uint64_t seed);
/// In words, what.
std::string leave_out_something(MeetingKernel& kernel, std::uint64_t seed);
[[nodiscard]] std::string meetings_ptx(const MeetingKernel& kernel);
[[nodiscard]] MeetingsOutcome interpret(const MeetingKernel& kernel, std::uint64_t order);

}  // namespace warpbook::gpu::test
