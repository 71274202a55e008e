// ClockReport: what the clock schedule's model says about a launch. Every number comes from a model and must be labelled so.
//
//     if (report.clock) say("{} cycles (model), {:.0f} % of issue slots used", report.clock->cycles, 100 *
//     report.clock->issue_use()); for (const WarpLane& lane : report.clock->timeline.lanes) draw(lane);
//
// Units: cycles of the multiprocessor's clock, bytes, microseconds. Plain values; views and JSON are printed from them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpbook::gpu {

/// What a resident warp did in a cycle. In brackets: the name of the same stall reason in NVIDIA's profilers.
enum class WarpState : std::uint8_t {
  issued,        // its instruction was issued (selected)
  not_selected,  // it could have issued, but the scheduler chose another warp (not selected)
  arithmetic,    // waits for the result of an arithmetic instruction (wait, math dependency)
  unit_busy,     // the unit that it needs is still busy with another warp's instruction (math pipe throttle)
  memory,        // waits for a value from global or local memory, or from a global atomic (long scoreboard)
  shared,        // waits for a value from shared memory or another lane (short scoreboard)
  memory_busy,   // the load/store unit takes no further request yet (LG/MIO throttle)
  fence,         // waits until its requests have reached memory (membar)
  barrier,       // waits at a barrier for other warps of its block (barrier)
  lanes          // waits for lanes of its own warp, or for its first instruction (branch resolving)
};
inline constexpr std::size_t warp_states = 10;
[[nodiscard]] std::string_view name_of(WarpState state);         // "not_selected": JSON's key
[[nodiscard]] std::string_view explanation_of(WarpState state);  // one sentence for the learner

using WarpCycles = std::array<std::uint64_t, warp_states>;  // indexed by WarpState

/// A warp on its scheduler, from its first cycle to its last.
struct WarpLane {
  std::uint16_t sm = 0, scheduler = 0;
  std::uint32_t block = 0, warp = 0;  // linear block index; warp within the block
  struct Span {
    std::uint64_t begin = 0, end = 0;  // cycles: [begin, end)
    WarpState state = WarpState::issued;
    std::uint32_t line = 0, pc = 0;  // of the instruction that was issued or that waits
  };
  std::vector<Span> spans;  // in order, without gaps
};

struct Timeline {
  std::vector<WarpLane> lanes;  // ordered by SM, by scheduler, then by start
  std::uint64_t end = 0;        // last cycle
  bool truncated = false;       // the launch had more warps or spans than are kept here
};

/// One level of the memory system. Sectors are 32 bytes.
struct MemoryLevel {
  std::uint64_t sectors = 0;  // requested
  std::uint64_t hits = 0;     // found in this level
  std::uint64_t bytes_read = 0, bytes_written = 0;
};

struct ClockReport {
  std::string profile;       // "T4"
  std::uint64_t cycles = 0;  // of the whole launch; scaled up when it was sampled
  double us = 0;             // cycles at the profile's clock, without the launch's overhead
  unsigned multiprocessors = 0, schedulers = 0;
  std::uint64_t blocks = 0,
                blocks_simulated = 0;    // if fewer were simulated, the launch was sampled and every sum here is scaled up
  std::uint64_t issued = 0;              // warp-instructions
  std::uint64_t issue_slots = 0;         // cycles × schedulers × SMs
  std::uint64_t active_warp_cycles = 0;  // resident warps, summed over all cycles and all SMs
  unsigned resident_blocks = 0;          // most blocks on one SM (gpu/occupancy.h)
  double theoretical_occupancy = 0;      // 0 … 1
  double occupancy = 0;                  // achieved: active_warp_cycles / (cycles × most warps of an SM × SMs that had work)
  WarpCycles warp_cycles{};              // their sum is active_warp_cycles
  MemoryLevel l1, l2, dram;
  std::uint64_t shared_passes = 0, shared_requests = 0;      // passes − requests: replays because of bank conflicts
  std::uint64_t constant_passes = 0, constant_requests = 0;  // passes − requests: replays because lanes read different words
  double dram_gb_per_s = 0, dram_limit_gb_per_s = 0;         // achieved; the profile's peak
  Timeline timeline;                                         // filled when Observe::timeline is set

  [[nodiscard]] bool sampled() const { return blocks_simulated < blocks; }
  [[nodiscard]] double issue_use() const {
    return issue_slots ? static_cast<double>(issued) / static_cast<double>(issue_slots) : 0;
  }
};

}  // namespace warpbook::gpu
