// LaunchReport: what a launch answered and what was observed of it. Plain values: views and JSON are printed from it.
//
//     if (report.status != "ok") say(report.message);
//     for (const Finding& f : report.findings) mark(f.at.line, f.message);
//     if (report.observed[FindingKind::race] == Observation::none_found) say("no race");
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/clock_report.h"
#include "gpu/types.h"

namespace warpbook::gpu {

class History;  // history.h

/// What is known of each kind: findings.def and finding_kinds.h.
enum class FindingKind : std::uint8_t {
#define WARPBOOK_FINDING(id, ...) id,
#include "gpu/findings.def"
#undef WARPBOOK_FINDING
};
inline constexpr std::size_t finding_kinds = 0
#define WARPBOOK_FINDING(...) +1
#include "gpu/findings.def"
#undef WARPBOOK_FINDING
    ;
[[nodiscard]] std::string_view name_of(FindingKind kind);  // the word of --observe: "memory", "race" …

/// Never two states only: a device that cannot look must not say "none", nor may one that was stopped before it had seen
/// everything.
enum class Observation : std::uint8_t {
  not_observed,
  none_found,
  observed,
  incomplete  // nothing was found until the launch was stopped; what would have come after that is not known
};

/// One Observation a kind, indexed by the kind.
struct Observations {
  std::array<Observation, finding_kinds> of{};
  Observation& operator[](FindingKind kind) { return of[static_cast<std::size_t>(kind)]; }
  Observation operator[](FindingKind kind) const { return of[static_cast<std::size_t>(kind)]; }
};

/// Where in the source and which thread. line 0: the compiler gave no position.
struct Place {
  std::string file;
  std::uint32_t line = 0, column = 0;
  Dim3 block{0, 0, 0}, thread{0, 0, 0};
};

/// One distinct thing that went wrong: the first time it was seen, and how often.
struct Finding {
  FindingKind kind = FindingKind::memory;
  std::string space;    // "global", "shared", "local", "constant"; empty where it does not apply
  std::string message;  // a sentence or two a learner understands: what, where, who, what to try
  Place at;
  std::string buffer;                 // "out"; a shared variable's name; empty where unknown
  std::optional<std::int64_t> index;  // element of that buffer, may be negative or past the end
  std::optional<Place> other;         // a race's second access
  std::uint64_t threads = 1;          // how many accesses met this finding on this line
  std::uint32_t orders = 1;           // in how many of LaunchReport::orders it was seen
};

/// One warp's access to a traced buffer or to shared memory. Cycles are the clock schedule's; under `fast`, a running number.
struct AccessRecord {
  enum class Kind : std::uint8_t { load, store, atomic };
  Kind kind = Kind::load;
  bool shared = false;
  std::uint32_t buffer = 0;  // BufferId; 0 for shared memory
  std::uint32_t line = 0;
  std::uint32_t block = 0, warp = 0;                // linear block index; warp within the block
  std::uint32_t mask = 0;                           // lanes that took part
  std::uint32_t bytes = 4;                          // of a lane, all elements of a vector together
  std::uint64_t issued = 0, reached = 0, done = 0;  // issued; memory read or changed; value back in the register
  std::array<std::int32_t, 32> index{};             // element of the buffer, or 4-byte word of shared memory
  std::array<std::uint32_t, 32> value{};            // low 32 bits loaded or stored (an atomic: the old value)
};

/// What one source line cost. Sums over the launch; what was not observed is 0.
struct LineCounts {
  std::uint32_t line = 0;
  std::uint64_t warp_instructions = 0, thread_instructions = 0;
  std::uint64_t float64_instructions = 0;  // of the warp's: those that compute in, or convert from or to, float64
  // Additions, multiplications, divisions and roots of threads; a fused multiply-add is two.
  std::uint64_t float32_operations = 0, float64_operations = 0;
  std::uint64_t global_requests = 0, sectors = 0, fewest_sectors = 0;  // loads and stores; `fewest` could hold what lanes asked for
  std::uint64_t shared_requests = 0, shared_passes = 0;  // passes: repeated where lanes want one bank's different words
  std::uint64_t branches = 0, split_branches = 0;        // warps that came; … and went both ways
  std::uint64_t atomic_requests = 0, atomic_lanes = 0, atomic_passes = 0;  // passes: lanes on the same place, one after another
  WarpCycles warp_cycles{};  // clock schedule: what warps that stood at this line did (model)
};

/// When a launch was given to the device and when the device worked at it: measured, in µs from the host's call.
struct LaunchTimes {
  double returned = 0;                  // the call came back to the host
  double begin = 0, end = 0;            // the kernel, between two events on the device
  double read_begin = 0, read_end = 0;  // the host's read of LaunchRequest::read_early; 0 where there was none
};

/// A __constant__ or __device__ variable that held zeros because nobody had given it a value (device_variables.h).
struct UnfilledVariable {
  std::string name;      // as the source writes it
  std::string sentence;  // what fills it in the host program, and that this does not run
};

struct LaunchReport {
  std::string kernel, device;
  Dim3 grid, block;
  std::string status = "ok";         // or CUDA's name: "cudaErrorIllegalAddress"; "cancelled"
  std::string message;               // empty when ok
  bool enqueued = false;             // given to a stream: "ok" says no more than that it was taken (streams.h)
  double run_ms = 0;                 // wall time on this machine; on a GPU the kernel's own, between two events
  std::optional<LaunchTimes> times;  // measured; empty where times are a model
  std::uint64_t thread_instructions = 0, warp_instructions = 0;
  std::optional<int> registers;
  std::uint32_t shared_bytes = 0;       // static + dynamic, a block
  std::optional<std::uint64_t> cycles;  // clock schedule only: a model
  std::optional<double> model_us;       // cycles at the profile's clock
  std::optional<ClockReport> clock;     // clock schedule only: a model
  std::vector<Finding> findings;
  std::uint64_t findings_left_out = 0;
  std::vector<std::string> remarks;        // what could not be watched to the end, and why: sentences
  std::vector<UnfilledVariable> unfilled;  // of those that the kernel uses
  Observations observed;
  std::optional<Place> stopped;  // where the launch stood when it ended early: a time limit, a cancel, a fault; empty: not known
  std::uint32_t orders = 1;      // in how many seeded orders the launch ran (orders.h); more than one: their findings are joined
  std::string output;            // device printf
  std::vector<AccessRecord> trace;
  bool trace_truncated = false;
  std::vector<std::byte> read_early;       // what LaunchRequest::read_early held
  std::vector<LineCounts> lines;           // when anything was observed, or under clock
  std::shared_ptr<const History> history;  // when Observe::history

  [[nodiscard]] bool ok() const { return status == "ok"; }
};

/// "(3,0,0)"
[[nodiscard]] std::string to_string(const Dim3& index);

}  // namespace warpbook::gpu
