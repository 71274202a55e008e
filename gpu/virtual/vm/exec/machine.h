// Machine: one launch on the virtual GPU, as all its workers share it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/message.h"
#include "gpu/virtual/vm/code/code.h"
#include "gpu/virtual/vm/memory/memory.h"
#include "gpu/virtual/vm/observer.h"

namespace warpbook::gpu::vm {

inline constexpr std::uint32_t max_local_bytes = 512 * 1024;  // a lane; CUDA's own limit (Programming Guide, table of limits)

/// Why a launch ended early: CUDA's name for it, a sentence, and the access that caused it, if it was one.
struct Fault {
  std::string status;
  Paragraph message;          // what happened; empty where `access` tells it
  bool from_outside = false;  // a time limit or a cancel. Site, warp and lane then say where one of the threads stood, if known
  Site site;
  WarpId warp;
  std::uint32_t lane = 0;
  bool is_access = false;
  Access access;  // its pointers point into `address` and `value`
  std::vector<std::uint64_t> address, value;
};

struct Block;
/// Small blocks that a launch keeps for the next launch of the same image: to make them is half of the time that a small launch
/// takes.
using SpareBlocks = std::vector<std::unique_ptr<Block>>;

/// One launch, shared by all its workers.
struct Machine {
  const ptx::Module* module = nullptr;
  const Image* image = nullptr;
  Memory* memory = nullptr;
  LaunchInfo info;
  Observer* observer = nullptr;
  std::vector<std::byte> parameters;
  std::uint32_t dynamic_shared_bytes = 0, shared_bytes = 0;
  std::uint64_t grid_workspace = 0;  // guest address of the words that grid.sync() counts in; 0: not a cooperative launch
  std::uint64_t seed = 0;
  // What the observer asked for when the launch began.
  bool report_changes = false;  // it keeps a history
  bool report_loaded_values = false, report_branches = false;
  std::vector<std::uint64_t> unreported_loads;  // bases of the allocations from which it does not want loads
  std::vector<std::uint64_t> only_atomics;      // bases of the allocations with Allocation::only_atomics
  bool parallel = false;                        // several workers: atomics have to be the host's atomics
  double clock_mhz = 1000;
  std::chrono::steady_clock::time_point began, deadline;
  double max_seconds = 0;
  Job* job = nullptr;
  std::size_t max_output = 0;
  bool go_on_after_bad_access = false;  // memory is observed: report a bad access, leave it out and go on
  std::size_t max_warp_bytes = 0;       // of the host's memory, for registers and local memory of all warps that run at once

  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> thread_instructions{0}, warp_instructions{0};
  std::atomic<std::size_t> warp_bytes{0};  // in use, of max_warp_bytes
  std::mutex mutex;                        // guards the members below
  SpareBlocks* spare = nullptr;            // nullptr: blocks are not kept
  std::string output;
  std::unique_ptr<Fault> fault;

  void fail(std::unique_ptr<Fault> reason);  // stops the launch; the first fault counts
  void print(std::string_view text);
  /// True where the launch has stopped, was cancelled, or is past its deadline; the last two fail it.
  [[nodiscard]] bool should_stop();
  /// False where the warps need more of the host's memory than max_warp_bytes; the launch has then failed.
  [[nodiscard]] bool has_room();
};

/// The clock schedule, as handlers see it.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual void take(Warp& warp, const Inst& inst) = 0;  // a memory instruction, which the clock performs later
  virtual void wake(Warp& warp) = 0;                    // the barrier that the warp waited at has completed
};

}  // namespace warpbook::gpu::vm
