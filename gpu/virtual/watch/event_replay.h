// Event replay: most blocks of a launch do the same with their shared memory, so it is enough to examine it once. What one block
// did is recorded, step by step. As long as a later block takes the same steps, and nothing was found in them, the vm reports
// nothing and the detectors do nothing.
//
//     EventReplay event_replay(races, init, findings);      // the detectors that would be told; either may be nullptr
//     vm::Replay* replay = event_replay.replay_of(block);   // the vm compares what the block does with these steps
//     event_replay.on_access(access);                       // whatever the vm reports, before the detectors are told
//     event_replay.on_block_end(block);
//
// A step is a weak request to the same addresses as in the recording, or a barrier of the whole block. A block that does anything
// else (a shuffle or an atomic, for example) ends its replay: the detectors are told what it did since its last barrier, without
// the values that it stored, and everything from then on. That is recorded as a branch of the recording, so that blocks at each
// edge of a grid have a recording of their own.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "gpu/virtual/watch/asynchronous_detector.h"
#include "gpu/virtual/watch/by_block.h"
#include "gpu/virtual/watch/uninitialised.h"

namespace warpbook::gpu::watch {

class EventReplay {
 public:
  EventReplay(AsynchronousDetector* races, Uninitialised* init, Findings& findings)
      : races_(races), init_(init), findings_(findings) {}

  [[nodiscard]] vm::Replay* replay_of(std::uint32_t block);
  void on_access(const vm::Access& access) {
    if (access.space == ptx::Space::shared || access.kind == vm::Access::Kind::atomic || access.order != ptx::Order::weak)
      on_step(access);
  }
  void on_synchronise(const vm::Synchronisation& event);
  /// After a barrier: the loads that the block's detectors need.
  void after_barrier(std::uint32_t block, const vm::SharedLoads& wanted);
  void on_block_end(std::uint32_t block);

 private:
  struct Step {
    vm::Access access;  // unused where the step is a barrier
    std::array<std::uint64_t, 32> address;
    bool barrier = false;
    std::shared_ptr<const Uninitialised::Written> written;  // at a barrier; empty where init is not observed
  };
  /// What a block did from the kernel's beginning, or from where it left an earlier recording.
  struct Recording {
    Recording* before = nullptr;  // it begins after the first `steps_before` steps of this one; nullptr: at the kernel's beginning
    std::size_t steps_before = 0;
    std::deque<Step> steps;
    std::vector<vm::ReplayStep> known;  // the same steps for the vm, and one that marks the end
  };
  struct Running {
    vm::Replay replay;
  };

  Running* find(std::uint32_t block);
  void on_step(const vm::Access& access);
  void end_replay(Running& running, std::uint32_t block);
  void begin_recording(Running& running, Recording* before, std::size_t steps_before);
  Step* new_step();
  void end_recording();
  void accept_recorded();

  AsynchronousDetector* races_;
  Uninitialised* init_;
  Findings& findings_;
  ByBlock<Running> running_;
  std::uint32_t last_block_ = 0;
  Running* last_ = nullptr;
  std::vector<std::unique_ptr<Recording>> recordings_;
  std::unique_ptr<Recording> recording_;  // of a block that still runs
  std::unique_ptr<Recording> recorded_;   // of a block that has ended; the race detector may not have examined it yet
  const Running* recorded_block_ = nullptr;
  std::uint32_t mark_ = 0;  // AsynchronousDetector's, of recorded_
  std::size_t steps_ = 0;   // of all ways
  unsigned attempts_ = 0;
  bool stopped_recording_ = false;
};

}  // namespace warpbook::gpu::watch
