// LaunchReport: the result of a launch and what was observed during it. Plain values; views and JSON are made from it.
//
//     if (report.status != "ok") say(report.message);
//     for (const Finding& f : report.findings) mark(f.at.line, say(f.message));
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
#include "gpu/message.h"
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
[[nodiscard]] std::string_view name_of(FindingKind kind);  // its name in --observe: "memory", "race" …

/// More than found or not found: a device that cannot look must not say "none found", and neither must a launch that was stopped
/// before its end.
enum class Observation : std::uint8_t {
  not_observed,
  none_found,
  observed,
  incomplete  // nothing was found before the launch was stopped; what would have followed is unknown
};

/// One Observation for each kind.
struct Observations {
  std::array<Observation, finding_kinds> of{};
  Observation& operator[](FindingKind kind) { return of[static_cast<std::size_t>(kind)]; }
  Observation operator[](FindingKind kind) const { return of[static_cast<std::size_t>(kind)]; }
};

/// A place in the source and the thread that was there. line 0: the compiler gave no position.
struct Place {
  std::string file;
  std::uint32_t line = 0, column = 0;
  Dim3 block{0, 0, 0}, thread{0, 0, 0};
};

/// One distinct finding: its first occurrence, and the number of all.
struct Finding {
  FindingKind kind = FindingKind::memory;
  std::string space;  // "global", "shared", "local", "constant"; empty where it does not apply
  Paragraph message;  // sentences for learners: what, where, which thread, what to try
  Place at;
  std::string buffer;                 // "out", or the name of a shared variable; empty: unknown
  std::optional<std::int64_t> index;  // element of that buffer; may be negative or past the end
  std::optional<Place> other;         // a race's second access
  std::uint64_t threads = 1;          // number of accesses on this line with this finding
  std::uint32_t orders = 1;           // number of launches with this finding, out of LaunchReport::orders
};

/// One access of a warp to a traced buffer or to shared memory. Times are cycles of the clock schedule; with `fast`, a running
/// number.
struct AccessRecord {
  enum class Kind : std::uint8_t { load, store, atomic };
  Kind kind = Kind::load;
  bool shared = false;
  std::uint32_t buffer = 0;  // BufferId; 0 for shared memory
  std::uint32_t line = 0;
  std::uint32_t block = 0, warp = 0;                // linear block index; warp within the block
  std::uint32_t mask = 0;                           // active lanes
  std::uint32_t bytes = 4;                          // per lane, all elements of a vector together
  std::uint64_t issued = 0, reached = 0, done = 0;  // the times of: issue; access to memory; arrival of the value in the register
  std::array<std::int32_t, 32> index{};             // element of the buffer, or 4-byte word of shared memory
  std::array<std::uint32_t, 32> value{};            // low 32 bits that were loaded or stored (for an atomic: the old value)
};

/// The cost of one source line, summed over the launch. What was not observed is 0.
struct LineCounts {
  std::uint32_t line = 0;
  std::uint64_t warp_instructions = 0, thread_instructions = 0;
  std::uint64_t float64_instructions = 0;  // warp instructions that compute in float64 or convert from or to it
  // Additions, multiplications, divisions and roots of all threads. A fused multiply-add is two.
  std::uint64_t float32_operations = 0, float64_operations = 0;
  std::uint64_t global_requests = 0, sectors = 0,
                fewest_sectors = 0;  // of loads and stores; fewest_sectors: the number that could hold the requested bytes
  std::uint64_t shared_requests = 0, shared_passes = 0;  // passes: a request is repeated if lanes need different words of one bank
  std::uint64_t branches = 0, split_branches = 0;  // branches that warps executed; those at which a warp's lanes took both ways
  std::uint64_t atomic_requests = 0, atomic_lanes = 0,
                atomic_passes = 0;  // passes: lanes with the same address go one after another
  WarpCycles warp_cycles{};         // clock schedule: what warps at this line did (model)
};

/// When a launch was passed to the device, and when the device executed it. Measured in µs from the host's call.
struct LaunchTimes {
  double returned = 0;                  // when the call returned to the host
  double begin = 0, end = 0;            // the kernel, between two events on the device
  double read_begin = 0, read_end = 0;  // the host's read of LaunchRequest::read_early; 0 where there was none
};

/// A __constant__ or __device__ variable that was still zero, because it was never given a value (device_variables.h).
struct UnfilledVariable {
  std::string name;      // as the source writes it
  std::string sentence;  // which host call fills it, and that this call does not run
};

/// How reports are copied, moved and destroyed is compiled once, in report.cpp.
struct LaunchReport {
  LaunchReport();
  LaunchReport(const LaunchReport& other);
  LaunchReport(LaunchReport&& other) noexcept;
  LaunchReport& operator=(const LaunchReport& other);
  LaunchReport& operator=(LaunchReport&& other) noexcept;
  ~LaunchReport();

  std::string kernel, device;
  Dim3 grid, block;
  std::string status = "ok";         // or CUDA's name: "cudaErrorIllegalAddress"; "cancelled"
  Paragraph message;                 // why it did not end well; empty when ok
  bool enqueued = false;             // passed to a stream: "ok" only says that it was accepted (streams.h)
  double run_ms = 0;                 // wall time on this machine; on a GPU the kernel's time between two events
  std::optional<LaunchTimes> times;  // empty: times come from a model
  std::uint64_t thread_instructions = 0, warp_instructions = 0;
  std::optional<int> registers;
  std::uint32_t shared_bytes = 0;       // static + dynamic, a block
  std::optional<std::uint64_t> cycles;  // clock schedule only: a model
  std::optional<double> model_us;       // cycles at the profile's clock
  std::optional<ClockReport> clock;     // clock schedule only: a model
  std::vector<Finding> findings;
  std::uint64_t findings_left_out = 0;
  std::vector<Message> remarks;            // what could not be observed completely, and why
  std::vector<UnfilledVariable> unfilled;  // variables that the kernel uses
  Observations observed;
  std::optional<Place> stopped;  // where the launch was when it ended early (time limit, cancel, fault); empty: unknown
  std::uint32_t orders = 1;      // number of launches whose findings were merged (merged_reports.h)
  std::string output;            // device printf
  std::vector<AccessRecord> trace;
  bool trace_truncated = false;
  std::vector<std::byte> read_early;       // the contents of LaunchRequest::read_early
  std::vector<LineCounts> lines;           // filled if anything was observed, and with the clock schedule
  std::shared_ptr<const History> history;  // filled if Observe::history is set

  [[nodiscard]] bool ok() const { return status == "ok"; }
};

/// "(3,0,0)"
[[nodiscard]] std::string to_string(const Dim3& index);

}  // namespace warpbook::gpu
