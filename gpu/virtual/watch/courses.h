// Courses: what the blocks of a launch do with their shared memory, step by step. Most do the same, and need be looked at once: as
// long as a block takes the steps that one before it took, in which nothing was found, nobody is told of them.
//
//     Courses courses(races, init, findings);          // who would be told; either may be nullptr
//     vm::Course* course = courses.course_of(block);   // the vm goes along it
//     courses.hear(access);                            // before it is told: has the block left its course, or is it noted?
//     courses.on_block_end(block);
//
// A step is a weak request to places where it was before, or a barrier of the whole block. A block that does anything else, a
// shuffle or an atomic too, leaves its course: who would be told is told what it did since its last barrier, though not what it
// stored, and all that follows. That is noted as another way, so that there is one for the blocks at each edge, too.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "gpu/virtual/watch/aside.h"
#include "gpu/virtual/watch/by_block.h"
#include "gpu/virtual/watch/uninitialised.h"

namespace warpbook::gpu::watch {

class Courses {
 public:
  Courses(Aside* races, Uninitialised* init, Findings& findings) : races_(races), init_(init), findings_(findings) {}

  [[nodiscard]] vm::Course* course_of(std::uint32_t block);
  void hear(const vm::Access& access) {
    if (access.space == ptx::Space::shared || access.kind == vm::Access::Kind::atomic || access.order != ptx::Order::weak)
      hear_step(access);
  }
  void hear(const vm::Synchronisation& event);
  /// Behind a barrier: what its block's observers need to hear of.
  void note(std::uint32_t block, const vm::SharedLoads& wanted);
  void on_block_end(std::uint32_t block);

 private:
  struct Step {
    vm::Access access;  // of a barrier unused
    std::array<std::uint64_t, 32> address;
    bool barrier = false;
    std::shared_ptr<const Uninitialised::Written> written;  // as of a barrier; null: nobody looks
  };
  /// Begins where blocks first left what was known.
  struct Way {
    Way* before = nullptr;  // behind so many of its steps; nullptr: at the kernel's beginning
    std::size_t steps_before = 0;
    std::deque<Step> steps;
    std::vector<vm::SharedStep> known;  // the same for the vm, and an end
  };
  struct Running {
    vm::Course course;
  };

  Running* find(std::uint32_t block);
  void hear_step(const vm::Access& access);
  void leave(Running& running, std::uint32_t block);
  void begin_noting(Running& running, Way* before, std::size_t steps_before);
  Step* new_step();
  void end_noting();
  void settle();

  Aside* races_;
  Uninitialised* init_;
  Findings& findings_;
  ByBlock<Running> running_;
  std::uint32_t last_block_ = 0;
  Running* last_ = nullptr;
  std::vector<std::unique_ptr<Way>> ways_;
  std::unique_ptr<Way> noting_, noted_;  // of a block that runs; of one that has ended, but may not have been looked at
  const Running* noted_running_ = nullptr;
  std::uint32_t mark_ = 0;  // Aside's, of noted_
  std::size_t steps_ = 0;   // of all ways
  unsigned tries_ = 0;
  bool no_more_ = false;
};

}  // namespace warpbook::gpu::watch
