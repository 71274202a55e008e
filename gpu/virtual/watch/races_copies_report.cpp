// What the race detector says of asynchronous copies that are still under way: who touches what is copied, and which wait is
// missing.
#include "gpu/virtual/watch/access_words.h"
#include "gpu/virtual/watch/races.h"

namespace warpbook::gpu::watch {
namespace {

using Why = Copies::Why;

/// What the source copies with, as far as the toolkit's headers in the module tell, or what the source includes.
enum class CopiesWith { primitives, group, pipeline, barrier, instruction, bulk_instruction, several };

CopiesWith copies_with(const LaunchContext& context, const ptx::Instruction& copy) {
  if (copy.copy == ptx::Copy::counted) return CopiesWith::barrier;
  if (copy.copy == ptx::Copy::bulk_group) return CopiesWith::bulk_instruction;
  bool group = false, pipeline = false, barrier = false, primitives = false;
  if (copy.in_toolkit) {
    group = context.has_file("/cooperative_groups/details/async.h");
    pipeline = context.has_file("/cuda/pipeline");
    barrier = context.has_file("/memcpy_async_barrier.h");
    primitives = !group && context.has_file("/cuda_pipeline_primitives.h");  // groups are built on them
  } else if (!context.is_written("cp.async")) {
    // Warpbook's headers for clang leave no trace in the PTX.
    group = context.includes("cooperative_groups/memcpy_async.h");
    pipeline = context.includes("cuda/pipeline");
    barrier = !pipeline && context.includes("cuda/barrier");
    primitives = context.includes("cuda_pipeline.h") || context.includes("cuda_pipeline_primitives.h");
  }
  const int kinds = group + pipeline + barrier + primitives;
  if (kinds == 0 && !copy.in_toolkit) return CopiesWith::instruction;
  if (kinds != 1) return CopiesWith::several;
  return group ? CopiesWith::group : pipeline ? CopiesWith::pipeline : barrier ? CopiesWith::barrier : CopiesWith::primitives;
}

ToSay commit_first(CopiesWith with) {
  switch (with) {
    case CopiesWith::primitives:
      return to_say("A wait ends committed copies only, and this one is not committed: call __pipeline_commit() before the wait.");
    case CopiesWith::instruction:
      return to_say(
          "A wait ends committed copies only, and this one is not committed: write cp.async.commit_group before the wait.");
    case CopiesWith::bulk_instruction:
      return to_say(
          "A wait ends committed copies only, and this one is not committed: write cp.async.bulk.commit_group before the wait.");
    default:
      return to_say("A wait ends committed copies only, and this one is not committed: commit it before the wait.");
  }
}

ToSay fewer_groups(CopiesWith with) {
  switch (with) {
    case CopiesWith::primitives:
      return to_say("Give __pipeline_wait_prior() a smaller number.");
    case CopiesWith::instruction:
      return to_say("Give cp.async.wait_group a smaller number.");
    case CopiesWith::bulk_instruction:
      return to_say("Give cp.async.bulk.wait_group a smaller number.");
    default:
      return to_say("Let fewer groups be under way.");
  }
}

Paragraph wait_for_more(CopiesWith with, std::uint32_t allowed) {
  Paragraph text = to_say_many(
      allowed, "That thread has called a wait, but that wait lets the newest group be under way, and this copy is in it.",
      "That thread has called a wait, but that wait lets the {groups} newest groups be under way, and this copy is in one of them.",
      "groups"_a = allowed);
  text.add(fewer_groups(with));
  return text;
}

ToSay wait_at_all(CopiesWith with) {
  switch (with) {
    case CopiesWith::primitives:
      return to_say("First, the thread that copies must call __pipeline_commit() and __pipeline_wait_prior(0).");
    case CopiesWith::group:
      return to_say(
          "First, all threads of the group must call cooperative_groups::wait(group), which is a barrier of the group, too.");
    case CopiesWith::pipeline:
      return to_say("First, call producer_commit() and consumer_wait() of the pipeline that the copy was given.");
    case CopiesWith::barrier:
      return to_say("First, every thread that uses the data must wait at the barrier object that the copy was given.");
    case CopiesWith::instruction:
      return to_say("First, the thread that copies must execute cp.async.commit_group and cp.async.wait_group 0.");
    case CopiesWith::bulk_instruction:
      return to_say(
          "First, the thread that copies must execute cp.async.bulk.commit_group and cp.async.bulk.wait_group 0 (with .read, it "
          "waits only until the source has been read).");
    case CopiesWith::several:
      break;
  }
  return to_say("First, the copy must be waited for, with the wait that belongs to the call that copies.");
}

/// The first sentence about an element with a name, or two of them.
Paragraph touched_early(const Place& at, const Element& element, bool writes, bool copy_writes) {
  const auto given = with_thread(at, "element"_a = element.name());
  if (!element.is_named()) {
    Paragraph text = accessed(at, writes ? vm::Access::Kind::store : vm::Access::Kind::load, element);
    text.add(copy_writes ? to_say("An asynchronous copy may still be writing it.")
                         : to_say("An asynchronous copy may still be reading it."));
    return text;
  }
  if (!writes)
    return given.to_say("Thread {thread} of block {block} reads {element}{at} while an asynchronous copy may still be writing it.");
  return copy_writes
             ? given.to_say(
                   "Thread {thread} of block {block} writes {element}{at} while an asynchronous copy may still be writing it.")
             : given.to_say(
                   "Thread {thread} of block {block} writes {element}{at} while an asynchronous copy may still be reading it.");
}

/// `own`: it is the thread that reads or writes; `waits`: it has called a wait.
Message who_copies(const Place& begun, bool own, bool same_block, bool waits) {
  const auto given = with_thread(begun);
  if (own)
    return waits ? given.to_say("The same thread began that copy{at}.")
                 : given.to_say("The same thread began that copy{at} and has not waited for it.");
  if (same_block)
    return waits ? given.to_say("Thread {thread} began that copy{at}.")
                 : given.to_say("Thread {thread} began that copy{at} and has not waited for it.");
  return waits ? given.to_say("Thread {thread} of block {block} began that copy{at}.")
               : given.to_say("Thread {thread} of block {block} began that copy{at} and has not waited for it.");
}

}  // namespace

Paragraph Races::told_of_copy(const Race& race, const Finding& finding) const {
  const bool swapped = race.now.under_way;
  const Side &copy = swapped ? race.now : race.before, &other = swapped ? race.before : race.now;
  const Place &begun = swapped ? finding.at : *finding.other, &touched = swapped ? *finding.other : finding.at;
  const ptx::Space space = finding.space == "shared" ? ptx::Space::shared : ptx::Space::global;
  const bool own = copy.thread == other.thread, waits = race.copy.why != Why::no_wait;

  // A read races with a copy that writes.
  Paragraph text =
      touched_early(touched, context_.element(space, race.address, other.site), other.write, !other.write || copy.write);
  text.add(who_copies(begun, own, begun.block == touched.block, waits));
  if (!race.begin_ordered) {
    text.add(to_say("There is no barrier between the two."));
    text.add(
        to_say("If others still use the old data, call __syncthreads() before the copy begins; if they want the new data, wait for "
               "the copy and then call __syncthreads()."));
    return text;
  }

  const CopiesWith with = copies_with(context_, copy.site.instruction());
  text.add(race.copy.why == Why::not_committed ? Paragraph(commit_first(with))
           : race.copy.why == Why::allowed     ? wait_for_more(with, race.copy.allowed_groups)
                                               : Paragraph(wait_at_all(with)));
  // These waits are made by all who use the data.
  if (own || with == CopiesWith::group || with == CopiesWith::barrier) return text;
  text.add(to_say("Then call __syncthreads(): a wait counts only for the thread that calls it."));
  return text;
}

}  // namespace warpbook::gpu::watch
