#include "gpu/virtual/watch/races_advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "gpu/virtual/ptx/opcodes.h"

namespace warpbook::gpu::watch {
namespace {

using ptx::Between;
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

constexpr std::string_view after_a_look =
    ", and nothing orders the two: each thread looks at the place before it stores there, and several may find it as it was. Use "
    "one atomic that compares and stores: atomicMax or atomicMin where the largest or smallest integer must remain, atomicCAS "
    "where only the first thread may store, and a loop around atomicCAS for floats.";

std::uint32_t part(const Dim3& index, int which) { return which == 0 ? index.x : which == 1 ? index.y : index.z; }
constexpr std::string_view names = "xyz";
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

std::string RaceAdvice::atomic_for(const vm::Site& store) {
  switch (flow_of(store).update_of(store.pc)) {
    case ptx::Update::add:
      return "Use an atomic such as atomicAdd.";
    case ptx::Update::sub:
      return "Use an atomic such as atomicSub.";
    case ptx::Update::min:
      return "Use an atomic such as atomicMin.";
    case ptx::Update::max:
      return "Use an atomic such as atomicMax.";
    case ptx::Update::and_:
      return "Use an atomic such as atomicAnd.";
    case ptx::Update::or_:
      return "Use an atomic such as atomicOr.";
    case ptx::Update::xor_:
      return "Use an atomic such as atomicXor.";
    case ptx::Update::none:
      break;
  }
  return "Use an atomic: atomicAdd where something is added, a loop around atomicCAS for any other update.";
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
std::string RaceAdvice::if_meant(std::string_view meant, const vm::Site& store) {
  if (stored_by(store) != Stored::same_place) return {};
  std::string atomic = atomic_for(store);
  atomic.front() = 'u';
  return fmt::format(" If {}, {}", meant, atomic);
}

/// The threads' numbers are in the index, and yet two threads have the same one.
std::string RaceAdvice::about_equal_indices(const RaceToExplain& race) {
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
  const std::string where = writer.at.line ? fmt::format("line {}", writer.at.line) : std::string("this store");
  const bool one_result = race.same_warp && a.write && b.write && !in_loop;
  return fmt::format(
             ". Both have computed the same index. Look at how the index of {} is made{}: each thread should get {} of its own{}.",
             where, in_loop ? ", where its loop begins and how far each turn goes on" : "", in_loop ? "elements" : "an element",
             one_result ? " or, where they store one result of the warp, one lane should store it" : "") +
         (in_loop && race.same_block
              ? " Where one thread's turn is meant to follow another's, put __syncthreads() at the end of each "
                "turn of the loop."
              : "") +
         if_meant("several threads are meant to change one element", writer.site);
}

std::string RaceAdvice::about_index(const RaceToExplain& race) {
  const RaceSide& writer = race.now.write ? race.now : race.before;
  if (!race.others_write_it && !(race.now.write && race.before.write)) return {};
  Origin index;
  for (const RaceSide* side : {&race.now, &race.before}) {
    const Origin its = flow_of(side->site).address_of(side->site.pc);
    if (its.unknown || !its.loads.empty() || !its.uses_thread()) return {};
    index.indices |= its.indices;
  }
  const Dim3 grid = context_.grid(), block = context_.block();
  const Place &a = race.now.at, &b = race.before.at;
  const std::string line = writer.at.line ? fmt::format("line {}", writer.at.line) : std::string("this store");
  if (!race.shared_memory && a.block != b.block && !index.uses_block() && !adds_up_blocks(writer.site)) {
    const int which = a.block.x != b.block.x ? 0 : a.block.y != b.block.y ? 1 : 2;
    std::string whole = fmt::format("the thread's index in the whole grid, blockIdx.{0} * blockDim.{0} + threadIdx.{0}",
                                    names[static_cast<std::size_t>(which)]);
    if (flow_of(writer.site).address_changes_in_loop(writer.site.pc))
      whole += fmt::format(", and let the loop go on by gridDim.{0} * blockDim.{0}", names[static_cast<std::size_t>(which)]);
    const std::string text = fmt::format(
        ". The index of {} is made from threadIdx without blockIdx, so all {} blocks use the same "
        "elements. ",
        line, grid.count());
    if (stores_from_shared(writer.site))
      return text + "Where each block has elements of its own, use " + whole +
             "; where each block adds its part to the same elements, use atomicAdd.";
    return text + "Use " + whole + ", or launch one block." +
           if_meant("all blocks are meant to change the same elements", writer.site);
  }
  for (int d = 0; d < 3; ++d) {
    if (race.shared_memory || part(a.block, d) == part(b.block, d) || index.uses(blocks[d]) || !index.uses_block()) continue;
    if (adds_up_blocks(writer.site)) continue;
    return fmt::format(
        ". The index of {0} has no blockIdx.{1}, but the grid has {2} blocks in {1}: blocks that differ in nothing else use the "
        "same elements. Put blockIdx.{1} * blockDim.{1} + threadIdx.{1} into the index, or launch a grid with one block in {1}.",
        line, names[static_cast<std::size_t>(d)], part(grid, d));
  }
  for (int d = 0; d < 3; ++d) {
    if (part(a.thread, d) == part(b.thread, d) || index.uses(threads[d]) || part(block, d) == 1) continue;
    const std::string text = fmt::format(
        ". The index of {0} has no threadIdx.{1}, but a block has {2} threads in {1}: threads that differ in nothing else use the "
        "same element. Put threadIdx.{1} into the index, or launch blocks with one thread in {1}.",
        line, names[static_cast<std::size_t>(d)], part(block, d));
    return text + if_meant("all of them are meant to change the same element", writer.site);
  }
  return {};
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

std::string RaceAdvice::text(const RaceToExplain& race) {
  if (std::string index = about_index(race); !index.empty()) return index;
  if (std::string signal = about_signal(race); !signal.empty()) return signal;
  if (steps_of_blocks(race))
    return ", and nothing orders two blocks of one launch: __syncthreads() holds the threads of one block only. Let the host "
           "launch the kernel once for each step, or use a barrier of the whole grid: cooperative groups' grid.sync() in a "
           "cooperative launch.";
  if (barrier_object_between(race)) {
    const RaceSide& writer = race.now.write ? race.now : race.before;
    return fmt::format(
        ", and nothing orders the two: a barrier object orders what a thread did before its own arrival, and thread {} does not "
        "arrive behind its store. Let every thread that stores arrive, and count all of them where the barrier is initialised; "
        "or call __syncwarp() before one lane arrives for its warp.",
        to_string(writer.at.thread));
  }
  if (std::string equal = about_equal_indices(race); !equal.empty()) return equal;
  if (is_update(race)) {
    const vm::Site& update = race.now.write ? race.now.site : race.before.site;
    const std::string lost =
        fmt::format(", and nothing orders the two: each reads the place before it writes{}, so one of the two updates is lost. ",
                    update.instruction().order == ptx::Order::volatile_ ? ", which volatile does not make one step" : "");
    const std::string atomic = atomic_for(update);
    if (race.same_block || !race.atomics_used) return lost + atomic;
    return lost + atomic + " Where a lock guards the update, call __threadfence() after taking it and before giving it back.";
  }
  if (race.now.write != race.before.write) {
    const vm::Site &store = race.now.write ? race.now.site : race.before.site,
                   &load = race.now.write ? race.before.site : race.now.site;
    if (looks_first_by(store, load)) return std::string(after_a_look);
  }
  if (race.now.write && race.before.write) return two_stores(race);
  if (!race.same_block) return between_blocks(race);
  const std::string_view why = race.same_warp
                                   ? ", two lanes of one warp, and nothing orders them: a warp's lanes need not run in step. "
                                   : ", with no barrier between them. ";
  return std::string(why) + barrier_for(race);
}

bool RaceAdvice::is_update(const RaceToExplain& race) {
  const vm::Site &a = race.now.site, &b = race.before.site;
  if (race.now.write && race.before.write) return stored_by(a) == Stored::same_place || stored_by(b) == Stored::same_place;
  const vm::Site &store = race.now.write ? a : b, &load = race.now.write ? b : a;
  return comes_from(store, load) && flow_of(store).same_place(load.pc, store.pc);
}

std::string RaceAdvice::two_stores(const RaceToExplain& race) {
  if (looks_first(race.now.site) && looks_first(race.before.site)) return std::string(after_a_look);
  const bool by_index = flow_of(race.now.site).address_of(race.now.site.pc).uses_thread();
  if (race.same_block)
    return by_index
               ? ", with no barrier between them, so which value stays is chance. Give each thread an element of its own; where "
                 "the order of the two is clear, put __syncthreads() between them."
               : ", with no barrier between them, so which value stays is chance. Let one thread write it, as in "
                 "`if (threadIdx.x == 0)`, or give each thread an element of its own.";
  if (race.atomics_used)
    return ", and nothing orders them: blocks run in any order. Give each block an element of its own; behind a lock, call "
           "__threadfence() after taking it and before giving it back.";
  return ", and nothing orders them: blocks run in any order, so which value stays is chance. Let one block write it, give each "
         "block an element of its own, or use an atomic where the values should be combined.";
}

/// The compiler may have unrolled a loop, so that several loads and stores belong to one line: which of them are of one turn?
void RaceAdvice::look_at_turns(const RaceSide& writer, const RaceSide& reader, Ways& ways) {
  ptx::DataFlow& flow = flow_of(writer.site);
  const auto& code = writer.site.function->code;
  const std::uint32_t store = writer.site.pc;
  std::vector<std::uint32_t> other_stores, loads;
  for (std::uint32_t pc = 0; pc < code.size(); ++pc) {
    const ptx::Effect effect = ptx::row(code[pc].op).effect;
    const bool of_line = code[pc].line == code[store].line || code[pc].line == reader.site.instruction().line;
    if (code[pc].space != code[store].space || !of_line) continue;
    if (effect == ptx::Effect::store && pc != store) other_stores.push_back(pc);
    if (effect == ptx::Effect::load) loads.push_back(pc);
  }
  for (const std::uint32_t pc : other_stores) {
    if (!flow.reaches(store, pc, Between::no_barrier) && !flow.reaches(pc, store, Between::no_barrier)) continue;
    ways.in_loop = true;
    ways.stores_elsewhere |= !flow.same_place(pc, store);
  }
  ways.in_one_turn = std::ranges::any_of(loads, [&](std::uint32_t pc) {
    return flow.reaches_around(pc, store, other_stores) && (pc == reader.site.pc || flow.same_place(pc, reader.site.pc));
  });
}

RaceAdvice::Ways RaceAdvice::ways_between(const RaceSide& writer, const RaceSide& reader) {
  Ways ways;
  if (writer.site.function != reader.site.function) return ways;
  ptx::DataFlow& flow = flow_of(writer.site);
  const std::uint32_t store = writer.site.pc, load = reader.site.pc;
  ways.to_reader = flow.reaches(store, load, Between::no_barrier);
  ways.to_writer = flow.reaches(load, store, Between::no_barrier);
  ways.in_loop = flow.reaches(store, store, Between::no_barrier) || flow.reaches(load, load, Between::no_barrier);
  ways.by_turns = !flow.equally_far(load, store) && (flow.address_changes_in_loop(store) || flow.address_changes_in_loop(load));
  look_at_turns(writer, reader, ways);
  ways.writer_divergent = flow.in_divergent_branch(store);
  ways.reader_divergent = flow.in_divergent_branch(load);
  return ways;
}

/// Not all threads may come to the lines between which a barrier is missing.
std::string RaceAdvice::about_branches(const Ways& ways, const RaceSide& writer, const RaceSide& reader) {
  if (!ways.writer_divergent && !ways.reader_divergent) return {};
  const bool both = ways.writer_divergent && ways.reader_divergent, same = writer.at.line == reader.at.line;
  const std::string lines =
      both && !same ? "these lines, which stand"
                    : fmt::format("line {}, which stands", (ways.writer_divergent && writer.at.line ? writer : reader).at.line);
  return fmt::format(
      " Perhaps not every thread comes to {} in a branch, in a loop or behind a return: put the barrier where all threads of the "
      "block come to it.",
      lines);
}

std::string RaceAdvice::barrier_for(const RaceToExplain& race) {
  const RaceSide &writer = race.now.write ? race.now : race.before, &reader = race.now.write ? race.before : race.now;
  // What the compiler has moved out of a loop may have no line: it is taken for the line of the other.
  const bool known = writer.at.line != 0 && reader.at.line != 0;
  const bool same_line = !known || (writer.at.line == reader.at.line && writer.at.file == reader.at.file);
  const Ways ways = ways_between(writer, reader);
  // Mostly other warps share the data as well, and then a barrier of the warp would only move the race. In a branch that not all
  // threads take, it is the only one that may be called.
  const bool warp_alone = context_.warps_per_block() == 1 || ways.writer_divergent || ways.reader_divergent;
  const std::string barrier = !race.same_warp ? "__syncthreads()"
                              : warp_alone    ? "__syncwarp(), or __syncthreads() for the whole block,"
                                              : "__syncthreads(), or __syncwarp() where only lanes of one warp share the data,";
  const std::string outside = about_branches(ways, writer, reader);
  const std::uint32_t last = std::max(writer.at.line, reader.at.line);
  const std::uint32_t first = same_line ? last : std::min(writer.at.line, reader.at.line);
  // No barrier stands in the loop, and what a turn stores is what another turn reads.
  const bool by_turns = ways.by_turns && ways.in_loop && ways.to_writer && (same_line || reader.at.line < writer.at.line);
  if (ways.to_reader && (by_turns || (same_line && !ways.in_one_turn && !ways.stores_elsewhere)))
    return fmt::format(
        "The loop comes back{} while other threads are still in an earlier turn: put {} at the end of each turn of "
        "the loop, outside any `if`, so that every thread of the block comes to it.",
        first ? fmt::format(" to line {}", first) : std::string{}, barrier);
  if (same_line) {
    const std::string_view comma = race.same_warp ? "" : ",";
    const std::string in_place = fmt::format("ead into a variable first, call {}{} and only then write.", barrier, comma);
    if (!ways.in_loop) return "R" + in_place + outside;
    return fmt::format(
        "Put {} at the end of each turn of the loop, outside any `if`. Where a turn changes one array in place, "
        "also r{}",
        barrier, in_place);
  }
  const bool round_the_loop =
      writer.at.line < reader.at.line ? !ways.to_reader && ways.to_writer : !ways.to_writer && ways.to_reader;
  if (round_the_loop)
    return fmt::format(
               "The loop comes back to line {} while others are still at line {}: put {} behind line {}, at the end of the loop.",
               first, last, barrier, last) +
           outside;
  return fmt::format("Put {} between line {} and line {}.", barrier, first, last) + outside;
}

std::string RaceAdvice::between_blocks(const RaceToExplain& race) {
  const std::string why = ", and nothing orders two blocks of one launch. ";
  if (race.now.at.line == race.before.at.line) return why + "Read from one buffer and write to another.";
  if (race.signals_used)
    return why +
           "A flag or counter alone orders nothing: call __threadfence() before signalling and after seeing the signal, or split "
           "the kernel into two launches.";
  return why + "Read from one buffer and write to another, or split the kernel into two launches.";
}

}  // namespace warpbook::gpu::watch
