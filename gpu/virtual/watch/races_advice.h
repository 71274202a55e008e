// Races' advice: what kind of mistake a race is, as far as the kernel's text shows it, and what to try next. The race detector says
// who raced; this says why, so that the advice can be followed in the kernel at hand.
//
//     RaceAdvice advice(context);
//     advice.stored_by(store)                  // is "both store the same value" harmless, or an update that was lost?
//     advice.text(race)                        // "There is no barrier between them. Put __syncthreads() between …"
//
// What is told first:
//   - the index lacks blockIdx or a part of threadIdx, so that many threads have one element: the index;
//   - atomics on another place stand between two accesses of different blocks, a ticket, a flag or a lock: the missing fence, and
//     where;
//   - several blocks step together with __syncthreads(): a launch for each step, or a barrier of the grid;
//   - a barrier object (mbarrier, cuda::barrier) stands between the two: every thread that stored arrives;
//   - one line stores twice to an element though its index has the thread's number: the index;
//   - a store's value comes from a load of the same place: an atomic, by its name;
//   - two stores that do not: one thread, or an element each;
//   - a store and a load in one block: where __syncthreads() is missing, between the two lines or at the end of the loop;
//   - a store and a load in two blocks: two buffers, or two launches.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "gpu/message.h"
#include "gpu/virtual/ptx/data_flow.h"
#include "gpu/virtual/watch/launch_context.h"

namespace warpbook::gpu::watch {

/// One of the two accesses of a race.
struct RaceSide {
  vm::Site site;
  Place at;
  bool write = false;
  bool strong = false;  // an atomic, or ordered like one
};

struct RaceToExplain {
  RaceSide now, before;  // `now` is the one that is shown first
  bool same_warp = false, same_block = false;
  bool shared_memory = false;
  bool signals_used = false;     // the launch has atomics or volatile accesses
  bool atomics_used = false;     // it has atomics in global memory, which may be a lock
  bool others_write_it = false;  // the writing line races with itself, too
};

class RaceAdvice {
 public:
  explicit RaceAdvice(const LaunchContext& context) : context_(context) {}

  /// Where a stored value comes from.
  enum class Stored : std::uint8_t {
    elsewhere,   // no load of this place
    same_place,  // a load of this very place: an update
    perhaps      // a load that may be of this place, or something that was not followed
  };
  [[nodiscard]] Stored stored_by(const vm::Site& store);
  /// Is it only executed where a load of the same place has found a certain value?
  [[nodiscard]] bool looks_first(const vm::Site& store);
  /// Does this store's value come from that load?
  [[nodiscard]] bool comes_from(const vm::Site& store, const vm::Site& load);
  /// The index lacks a part: the sentences that say so; empty: it does not.
  [[nodiscard]] Paragraph about_index(const RaceToExplain& race);
  /// The index has all parts, and yet both threads come to the same element in one line: the sentences that say so; empty: not so.
  [[nodiscard]] Paragraph about_equal_indices(const RaceToExplain& race);
  /// Two blocks signal to each other through atomics, and a fence is missing beside them: the sentences that say where;
  /// empty: it is not so. For an atomic and a plain read, too.
  [[nodiscard]] Paragraph about_signal(const RaceToExplain& race);
  /// What two plain accesses lack and what to try, to be put behind the sentence about who raced.
  [[nodiscard]] Paragraph text(const RaceToExplain& race);
  /// A store whose value comes from the load that it races with, or two stores of which one is such an update.
  [[nodiscard]] bool is_update(const RaceToExplain& race);
  /// What it reads is only a guess for an atomicCAS.
  [[nodiscard]] bool guesses(const vm::Site& load) { return load.function && flow_of(load).is_guess(load.pc); }
  /// The same value for all threads, whatever they have read.
  [[nodiscard]] bool stores_constant(const vm::Site& store);
  /// Where two threads of one block lack a barrier: "Put __syncthreads() between line 5 and line 7."
  [[nodiscard]] Paragraph barrier_for(const RaceToExplain& race);
  /// What an update that was lost needs: "Use an atomic such as atomicMax."
  [[nodiscard]] Message atomic_for(const vm::Site& store);

 private:
  /// Atomics on one place, perhaps one and the same: a thread comes to `given` behind its store, and to `taken` before its load.
  struct Signal {
    std::uint32_t given = 0, taken = 0;
  };
  [[nodiscard]] std::optional<Signal> signal_between(const vm::Site& store, const vm::Site& load);
  [[nodiscard]] ptx::DataFlow& flow_of(const vm::Site& site);
  [[nodiscard]] bool adds_up_blocks(const vm::Site& store);
  [[nodiscard]] bool stores_from_shared(const vm::Site& store);
  /// Who changes one element, if that is meant: several threads; all blocks; all threads that differ in nothing else.
  enum class Meant : std::uint8_t { by_threads, by_blocks, by_all };
  [[nodiscard]] Message if_meant(Meant meant, const vm::Site& store);
  [[nodiscard]] std::string_view atomic_of(const vm::Site& store);
  [[nodiscard]] Paragraph index_without_block(const RaceToExplain& race, const RaceSide& writer);
  [[nodiscard]] Paragraph index_without_part_of_block(std::uint32_t line, int which) const;
  [[nodiscard]] Paragraph index_without_part_of_thread(std::uint32_t line, int which) const;
  [[nodiscard]] Paragraph lost_update(const RaceToExplain& race);
  [[nodiscard]] bool looks_first_by(const vm::Site& store, const vm::Site& load);
  [[nodiscard]] bool steps_of_blocks(const RaceToExplain& race);
  [[nodiscard]] bool barrier_object_between(const RaceToExplain& race);
  [[nodiscard]] Paragraph two_stores(const RaceToExplain& race);
  /// How two accesses lie to each other in the text.
  struct Ways {
    bool to_reader = false, to_writer = false;  // one leads there without a barrier of the block
    bool in_loop = false;                       // round a loop without one
    bool by_turns = false;                      // the turn of a loop decides how far apart the two places are
    bool in_one_turn = true;                    // what is read comes before what is stored, in the turn of a loop that has both
    bool stores_elsewhere = false;              // other turns store to other places
    bool writer_divergent = false, reader_divergent = false;
  };
  void look_at_turns(const RaceSide& writer, const RaceSide& reader, Ways& ways);
  [[nodiscard]] Ways ways_between(const RaceSide& writer, const RaceSide& reader);
  [[nodiscard]] static Message about_branches(const Ways& ways, const RaceSide& writer, const RaceSide& reader);
  [[nodiscard]] Paragraph between_blocks(const RaceToExplain& race);

  const LaunchContext& context_;
  std::map<const ptx::Function*, std::unique_ptr<ptx::DataFlow>> flows_;
};

}  // namespace warpbook::gpu::watch
