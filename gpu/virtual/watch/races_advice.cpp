#include "gpu/virtual/watch/races_advice.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "gpu/virtual/ptx/opcodes.h"

namespace warpbook::gpu::watch {
namespace {

using ptx::Origin;
using ptx::Special;

/// The arrivals at barrier objects in a function: mbarrier's own, and the toolkit's of older GPUs, which count in atomics.
std::vector<std::uint32_t> arrivals_in(const ptx::Function& function, const LaunchContext& context) {
  std::vector<std::uint32_t> arrivals;
  for (std::uint32_t pc = 0; pc < function.code.size(); ++pc) {
    const ptx::Instruction& inst = function.code[pc];
    using enum ptx::Opcode;
    const bool mbarrier = inst.op == mbarrier_arrive || inst.op == mbarrier_arrive_no_complete ||
                          inst.op == mbarrier_arrive_expect_tx || inst.op == mbarrier_arrive_drop ||
                          inst.op == mbarrier_arrive_drop_no_complete;
    // Warpbook's headers for clang leave no trace in the PTX but atomics at lines that write none.
    const bool of_library = inst.in_toolkit || context.source_line(inst.line).find("tomic") == std::string_view::npos;
    const bool counted = of_library && ptx::row(inst.op).effect == ptx::Effect::atomic && context.uses_barrier_objects();
    if (mbarrier || counted) arrivals.push_back(pc);
  }
  return arrivals;
}

Paragraph after_a_look() {
  Paragraph text(
      to_say("Nothing orders the two: each thread looks at the place before it stores there, and several may find it as it was."));
  text.add(
      to_say("Use one atomic that compares and stores: atomicMax or atomicMin where the largest or smallest integer must remain, "
             "atomicCAS where only the first thread may store, and a loop around atomicCAS for floats."));
  return text;
}

std::uint32_t part(const Dim3& index, int which) { return which == 0 ? index.x : which == 1 ? index.y : index.z; }
constexpr std::string_view names[3] = {"x", "y", "z"};
constexpr Special threads[3] = {Special::tid_x, Special::tid_y, Special::tid_z};
constexpr Special blocks[3] = {Special::ctaid_x, Special::ctaid_y, Special::ctaid_z};

}  // namespace

ptx::DataFlow& RaceAdvice::flow_of(const vm::Site& site) {
  auto& flow = flows_[site.function];
  if (!flow) flow = std::make_unique<ptx::DataFlow>(*site.function);
  return *flow;
}

RaceAdvice::Stored RaceAdvice::stored_by(const vm::Site& store) {
  ptx::DataFlow& flow = flow_of(store);
  const Origin value = flow.value_of(store.pc);
  const ptx::Instruction& inst = store.instruction();
  bool perhaps = value.unknown;
  for (const std::uint32_t load : value.loads) {
    const ptx::Instruction& from = store.function->code[load];
    if (from.space != inst.space && from.space != ptx::Space::generic && inst.space != ptx::Space::generic) continue;
    if (flow.same_place(load, store.pc)) return Stored::same_place;
    perhaps |= flow.perhaps_same_array(load, store.pc);
  }
  return perhaps ? Stored::perhaps : Stored::elsewhere;
}

bool RaceAdvice::looks_first(const vm::Site& store) {
  ptx::DataFlow& flow = flow_of(store);
  const Origin condition = flow.condition_of(store.pc);
  return std::ranges::any_of(condition.loads, [&](std::uint32_t load) { return flow.same_place(load, store.pc); });
}

bool RaceAdvice::looks_first_by(const vm::Site& store, const vm::Site& load) {
  if (store.function != load.function) return false;
  ptx::DataFlow& flow = flow_of(store);
  const Origin condition = flow.condition_of(store.pc);
  return std::ranges::find(condition.loads, load.pc) != condition.loads.end() && flow.same_place(load.pc, store.pc);
}

bool RaceAdvice::comes_from(const vm::Site& store, const vm::Site& load) {
  if (store.function != load.function) return false;
  const Origin value = flow_of(store).value_of(store.pc);
  return std::ranges::find(value.loads, load.pc) != value.loads.end();
}

/// CUDA's function for an update; empty: there is none for it.
std::string_view RaceAdvice::atomic_of(const vm::Site& store) {
  switch (flow_of(store).update_of(store.pc)) {
    case ptx::Update::add:
      return "atomicAdd";
    case ptx::Update::sub:
      return "atomicSub";
    case ptx::Update::min:
      return "atomicMin";
    case ptx::Update::max:
      return "atomicMax";
    case ptx::Update::and_:
      return "atomicAnd";
    case ptx::Update::or_:
      return "atomicOr";
    case ptx::Update::xor_:
      return "atomicXor";
    case ptx::Update::none:
      break;
  }
  return {};
}

Message RaceAdvice::atomic_for(const vm::Site& store) {
  const std::string_view atomic = atomic_of(store);
  if (atomic.empty())
    return to_say("Use an atomic: atomicAdd where something is added, a loop around atomicCAS for any other update.");
  return to_say("Use an atomic such as {atomic}.", "atomic"_a = atomic);
}

bool RaceAdvice::stores_constant(const vm::Site& store) {
  const Origin value = flow_of(store).value_of(store.pc);
  return !value.unknown && value.loads.empty() && value.indices == 0;
}

/// A block's own result, which lies in its shared memory.
bool RaceAdvice::stores_from_shared(const vm::Site& store) {
  const Origin value = flow_of(store).value_of(store.pc);
  return std::ranges::any_of(value.loads,
                             [&](std::uint32_t load) { return store.function->code[load].space == ptx::Space::shared; });
}

/// Each block adds something of its own to elements that all share: then it is meant so.
bool RaceAdvice::adds_up_blocks(const vm::Site& store) {
  if (stored_by(store) != Stored::same_place) return false;
  ptx::DataFlow& flow = flow_of(store);
  const Origin value = flow.value_of(store.pc);
  return value.uses_block() || stores_from_shared(store) || std::ranges::any_of(value.loads, [&](std::uint32_t load) {
           return !flow.same_place(load, store.pc) && flow.address_of(load).uses_block();
         });
}

/// For updates that are meant: "If all blocks are meant to change the same elements, use an atomic such as atomicAdd."
Message RaceAdvice::if_meant(Meant meant, const vm::Site& store) {
  if (stored_by(store) != Stored::same_place) return {};
  const std::string_view atomic = atomic_of(store);
  if (atomic.empty()) {
    switch (meant) {
      case Meant::by_threads:
        return to_say(
            "If several threads are meant to change one element, use an atomic: atomicAdd where something is added, a loop around "
            "atomicCAS for any other update.");
      case Meant::by_blocks:
        return to_say(
            "If all blocks are meant to change the same elements, use an atomic: atomicAdd where something is added, a loop around "
            "atomicCAS for any other update.");
      case Meant::by_all:
        break;
    }
    return to_say(
        "If all of them are meant to change the same element, use an atomic: atomicAdd where something is added, a loop around "
        "atomicCAS for any other update.");
  }
  const auto given = with("atomic"_a = atomic);
  switch (meant) {
    case Meant::by_threads:
      return given.to_say("If several threads are meant to change one element, use an atomic such as {atomic}.");
    case Meant::by_blocks:
      return given.to_say("If all blocks are meant to change the same elements, use an atomic such as {atomic}.");
    case Meant::by_all:
      break;
  }
  return given.to_say("If all of them are meant to change the same element, use an atomic such as {atomic}.");
}

namespace {
/// What to look at where an index has all its parts. `line`: 0: it is not known.
Message look_at_index(std::uint32_t line, bool in_loop, bool one_result) {
  const auto given = with("line"_a = line);
  if (in_loop)
    return line ? given.to_say(
                      "Look at how the index of line {line} is made, where its loop begins and how far each turn goes on: each "
                      "thread should get elements of its own.")
                : given.to_say(
                      "Look at how the index of this store is made, where its loop begins and how far each turn goes on: each "
                      "thread should get elements of its own.");
  if (one_result)
    return line ? given.to_say(
                      "Look at how the index of line {line} is made: each thread should get an element of its own or, where they "
                      "store one result of the warp, one lane should store it.")
                : given.to_say(
                      "Look at how the index of this store is made: each thread should get an element of its own or, where they "
                      "store one result of the warp, one lane should store it.");
  return line ? given.to_say("Look at how the index of line {line} is made: each thread should get an element of its own.")
              : given.to_say("Look at how the index of this store is made: each thread should get an element of its own.");
}

/// The index as it should be. `in_loop`: and the step of its loop; `adds_up`: perhaps each block adds its part to what all share.
Message whole_index(std::string_view dimension, bool in_loop, bool adds_up) {
  const auto given = with("d"_a = dimension);
  if (adds_up)
    return in_loop ? given.to_say(
                         "Where each block has elements of its own, use the thread's index in the whole grid, blockIdx.{d} * "
                         "blockDim.{d} + threadIdx.{d}, and let the loop go on by gridDim.{d} * blockDim.{d}; where each block "
                         "adds its part to the same elements, use atomicAdd.")
                   : given.to_say(
                         "Where each block has elements of its own, use the thread's index in the whole grid, blockIdx.{d} * "
                         "blockDim.{d} + threadIdx.{d}; where each block adds its part to the same elements, use atomicAdd.");
  return in_loop
             ? given.to_say(
                   "Use the thread's index in the whole grid, blockIdx.{d} * blockDim.{d} + threadIdx.{d}, and let the loop go on "
                   "by gridDim.{d} * blockDim.{d}, or launch one block.")
             : given.to_say(
                   "Use the thread's index in the whole grid, blockIdx.{d} * blockDim.{d} + threadIdx.{d}, or launch one block.");
}
}  // namespace

/// The threads' numbers are in the index, and yet two threads have the same one.
Paragraph RaceAdvice::about_equal_indices(const RaceToExplain& race) {
  const RaceSide &a = race.now, &b = race.before;
  if (a.site.function != b.site.function || a.at.line != b.at.line || a.at.file != b.at.file) return {};
  const RaceSide& writer = a.write ? a : b;
  if (!(a.write && b.write) && !is_update(race)) return {};
  bool in_loop = false;
  for (const RaceSide* side : {&a, &b}) {
    ptx::DataFlow& flow = flow_of(side->site);
    const Origin index = flow.address_of(side->site.pc);
    const bool by_block = index.uses_block() && a.at.block != b.at.block;
    if (index.unknown || !index.loads.empty() || !(index.uses_thread() || by_block)) return {};
    in_loop |= flow.address_changes_in_loop(side->site.pc);
  }
  if (adds_up_blocks(writer.site)) return {};
  const bool one_result = race.same_warp && a.write && b.write && !in_loop;
  Paragraph text(to_say("Both have computed the same index."));
  text.add(look_at_index(writer.at.line, in_loop, one_result));
  if (in_loop && race.same_block)
    text.add(
        to_say("Where one thread's turn is meant to follow another's, put __syncthreads() at the end of each turn of the loop."));
  text.add(if_meant(Meant::by_threads, writer.site));
  return text;
}

Paragraph RaceAdvice::about_index(const RaceToExplain& race) {
  const RaceSide& writer = race.now.write ? race.now : race.before;
  if (!race.others_write_it && !(race.now.write && race.before.write)) return {};
  Origin index;
  for (const RaceSide* side : {&race.now, &race.before}) {
    const Origin its = flow_of(side->site).address_of(side->site.pc);
    if (its.unknown || !its.loads.empty() || !its.uses_thread()) return {};
    index.indices |= its.indices;
  }
  const Place &a = race.now.at, &b = race.before.at;
  if (!race.shared_memory && a.block != b.block && !index.uses_block() && !adds_up_blocks(writer.site))
    return index_without_block(race, writer);
  for (int d = 0; d < 3; ++d) {
    if (race.shared_memory || part(a.block, d) == part(b.block, d) || index.uses(blocks[d]) || !index.uses_block()) continue;
    if (adds_up_blocks(writer.site)) continue;
    return index_without_part_of_block(writer.at.line, d);
  }
  for (int d = 0; d < 3; ++d) {
    if (part(a.thread, d) == part(b.thread, d) || index.uses(threads[d]) || part(context_.block(), d) == 1) continue;
    Paragraph text = index_without_part_of_thread(writer.at.line, d);
    text.add(if_meant(Meant::by_all, writer.site));
    return text;
  }
  return {};
}

Paragraph RaceAdvice::index_without_block(const RaceToExplain& race, const RaceSide& writer) {
  const Place &a = race.now.at, &b = race.before.at;
  const std::size_t d = a.block.x != b.block.x ? 0 : a.block.y != b.block.y ? 1 : 2;
  const auto given = with("line"_a = writer.at.line, "blocks"_a = context_.grid().count());
  Paragraph text =
      writer.at.line
          ? given.to_say(
                "The index of line {line} is made from threadIdx without blockIdx, so all {blocks} blocks use the same elements.")
          : given.to_say(
                "The index of this store is made from threadIdx without blockIdx, so all {blocks} blocks use the same elements.");
  const bool adds_up = stores_from_shared(writer.site);
  text.add(whole_index(names[d], flow_of(writer.site).address_changes_in_loop(writer.site.pc), adds_up));
  if (!adds_up) text.add(if_meant(Meant::by_blocks, writer.site));
  return text;
}

/// `line`: of the store; 0: it is not known. `which`: 0 for x, 1 for y, 2 for z.
Paragraph RaceAdvice::index_without_part_of_block(std::uint32_t line, int which) const {
  const auto given =
      with("line"_a = line, "d"_a = names[static_cast<std::size_t>(which)], "blocks"_a = part(context_.grid(), which));
  Paragraph text = line ? given.to_say(
                              "The index of line {line} has no blockIdx.{d}, but the grid has {blocks} blocks in {d}: blocks that "
                              "differ in nothing else use the same elements.")
                        : given.to_say(
                              "The index of this store has no blockIdx.{d}, but the grid has {blocks} blocks in {d}: blocks that "
                              "differ in nothing else use the same elements.");
  text.add(given.to_say("Put blockIdx.{d} * blockDim.{d} + threadIdx.{d} into the index, or launch a grid with one block in {d}."));
  return text;
}

Paragraph RaceAdvice::index_without_part_of_thread(std::uint32_t line, int which) const {
  const auto given =
      with("line"_a = line, "d"_a = names[static_cast<std::size_t>(which)], "threads"_a = part(context_.block(), which));
  Paragraph text = line ? given.to_say(
                              "The index of line {line} has no threadIdx.{d}, but a block has {threads} threads in {d}: threads "
                              "that differ in nothing else use the same element.")
                        : given.to_say(
                              "The index of this store has no threadIdx.{d}, but a block has {threads} threads in {d}: threads "
                              "that differ in nothing else use the same element.");
  text.add(given.to_say("Put threadIdx.{d} into the index, or launch blocks with one thread in {d}."));
  return text;
}

/// Blocks that work on elements of their own, of others too, and take a barrier for one of the whole grid.
bool RaceAdvice::steps_of_blocks(const RaceToExplain& race) {
  const vm::Site &a = race.now.site, &b = race.before.site;
  if (race.same_block || a.function != b.function) return false;
  ptx::DataFlow& flow = flow_of(a);
  const bool own = flow.address_of(a.pc).uses_block() || flow.address_of(b.pc).uses_block();
  return own && (flow.barrier_on_a_way(a.pc, b.pc) || flow.barrier_on_a_way(b.pc, a.pc));
}

bool RaceAdvice::barrier_object_between(const RaceToExplain& race) {
  const vm::Site &a = race.now.site, &b = race.before.site;
  if (!race.same_block || a.function != b.function || race.now.write == race.before.write) return false;
  const auto arrivals = arrivals_in(*a.function, context_);
  // The one that stores and the one that waits may stand in two sides of a branch: then no way leads from one to the other.
  const RaceSide& writer = race.now.write ? race.now : race.before;
  return flow_of(a).reaches_one_of(writer.site.pc, arrivals);
}

Paragraph RaceAdvice::text(const RaceToExplain& race) {
  if (Paragraph index = about_index(race); !index.empty()) return index;
  if (Paragraph signal = about_signal(race); !signal.empty()) return signal;
  if (steps_of_blocks(race)) {
    Paragraph text(to_say("Nothing orders two blocks of one launch: __syncthreads() holds the threads of one block only."));
    text.add(
        to_say("Let the host launch the kernel once for each step, or use a barrier of the whole grid: cooperative groups' "
               "grid.sync() in a cooperative launch."));
    return text;
  }
  if (barrier_object_between(race)) {
    const RaceSide& writer = race.now.write ? race.now : race.before;
    Paragraph text = to_say(
        "Nothing orders the two: a barrier object orders what a thread did before its own arrival, and thread {thread} does not "
        "arrive behind its store.",
        "thread"_a = to_string(writer.at.thread));
    text.add(
        to_say("Let every thread that stores arrive, and count all of them where the barrier is initialised; or call __syncwarp() "
               "before one lane arrives for its warp."));
    return text;
  }
  if (Paragraph equal = about_equal_indices(race); !equal.empty()) return equal;
  if (is_update(race)) return lost_update(race);
  if (race.now.write != race.before.write) {
    const vm::Site &store = race.now.write ? race.now.site : race.before.site,
                   &load = race.now.write ? race.before.site : race.now.site;
    if (looks_first_by(store, load)) return after_a_look();
  }
  if (race.now.write && race.before.write) return two_stores(race);
  if (!race.same_block) return between_blocks(race);
  Paragraph text(race.same_warp
                     ? to_say("They are two lanes of one warp, and nothing orders them: a warp's lanes need not run in step.")
                     : to_say("There is no barrier between them."));
  text.add(barrier_for(race));
  return text;
}

Paragraph RaceAdvice::lost_update(const RaceToExplain& race) {
  const vm::Site& update = race.now.write ? race.now.site : race.before.site;
  Paragraph text(update.instruction().order == ptx::Order::volatile_
                     ? to_say("Nothing orders the two: each reads the place before it writes, which volatile does not make one "
                              "step, so one of the two updates is lost.")
                     : to_say("Nothing orders the two: each reads the place before it writes, so one of the two updates is lost."));
  text.add(atomic_for(update));
  if (!race.same_block && race.atomics_used)
    text.add(to_say("Where a lock guards the update, call __threadfence() after taking it and before giving it back."));
  return text;
}

bool RaceAdvice::is_update(const RaceToExplain& race) {
  const vm::Site &a = race.now.site, &b = race.before.site;
  if (race.now.write && race.before.write) return stored_by(a) == Stored::same_place || stored_by(b) == Stored::same_place;
  const vm::Site &store = race.now.write ? a : b, &load = race.now.write ? b : a;
  return comes_from(store, load) && flow_of(store).same_place(load.pc, store.pc);
}

Paragraph RaceAdvice::two_stores(const RaceToExplain& race) {
  if (looks_first(race.now.site) && looks_first(race.before.site)) return after_a_look();
  const bool by_index = flow_of(race.now.site).address_of(race.now.site.pc).uses_thread();
  if (race.same_block) {
    Paragraph text(to_say("There is no barrier between them, so which value stays is chance."));
    text.add(
        by_index
            ? to_say(
                  "Give each thread an element of its own; where the order of the two is clear, put __syncthreads() between them.")
            : to_say("Let one thread write it, as in `if (threadIdx.x == 0)`, or give each thread an element of its own."));
    return text;
  }
  Paragraph text;
  if (race.atomics_used) {
    text.add(to_say("Nothing orders them: blocks run in any order."));
    text.add(to_say(
        "Give each block an element of its own; behind a lock, call __threadfence() after taking it and before giving it back."));
  } else {
    text.add(to_say("Nothing orders them: blocks run in any order, so which value stays is chance."));
    text.add(to_say(
        "Let one block write it, give each block an element of its own, or use an atomic where the values should be combined."));
  }
  return text;
}

Paragraph RaceAdvice::between_blocks(const RaceToExplain& race) {
  Paragraph text(to_say("Nothing orders two blocks of one launch."));
  if (race.now.at.line == race.before.at.line)
    text.add(to_say("Read from one buffer and write to another."));
  else if (race.signals_used)
    text.add(
        to_say("A flag or counter alone orders nothing: call __threadfence() before signalling and after seeing the signal, or "
               "split the kernel into two launches."));
  else
    text.add(to_say("Read from one buffer and write to another, or split the kernel into two launches."));
  return text;
}

}  // namespace warpbook::gpu::watch
