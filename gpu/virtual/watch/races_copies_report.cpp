// What the race detector says of asynchronous copies that are still under way: who touches what is copied, and which wait is
// missing.
#include <fmt/format.h>

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

std::string commit_first(CopiesWith with) {
  switch (with) {
    case CopiesWith::primitives:
      return "A wait ends committed copies only, and this one is not committed: call __pipeline_commit() before the wait.";
    case CopiesWith::instruction:
      return "A wait ends committed copies only, and this one is not committed: write cp.async.commit_group before the wait.";
    case CopiesWith::bulk_instruction:
      return "A wait ends committed copies only, and this one is not committed: write cp.async.bulk.commit_group before the wait.";
    default:
      return "A wait ends committed copies only, and this one is not committed: commit it before the wait.";
  }
}

std::string wait_for_more(CopiesWith with, std::uint32_t allowed) {
  const std::string fact =
      allowed == 1 ? "That thread has called a wait, but that wait lets the newest group be under way, and this copy is in it."
                   : fmt::format(
                         "That thread has called a wait, but that wait lets the {} newest groups be under way, and this copy "
                         "is in one of them.",
                         allowed);
  switch (with) {
    case CopiesWith::primitives:
      return fact + " Give __pipeline_wait_prior() a smaller number.";
    case CopiesWith::instruction:
      return fact + " Give cp.async.wait_group a smaller number.";
    case CopiesWith::bulk_instruction:
      return fact + " Give cp.async.bulk.wait_group a smaller number.";
    default:
      return fact + " Let fewer groups be under way.";
  }
}

std::string wait_at_all(CopiesWith with) {
  switch (with) {
    case CopiesWith::primitives:
      return "First, the thread that copies must call __pipeline_commit() and __pipeline_wait_prior(0).";
    case CopiesWith::group:
      return "First, all threads of the group must call cooperative_groups::wait(group), which is a barrier of the group, too.";
    case CopiesWith::pipeline:
      return "First, call producer_commit() and consumer_wait() of the pipeline that the copy was given.";
    case CopiesWith::barrier:
      return "First, every thread that uses the data must wait at the barrier object that the copy was given.";
    case CopiesWith::instruction:
      return "First, the thread that copies must execute cp.async.commit_group and cp.async.wait_group 0.";
    case CopiesWith::bulk_instruction:
      return "First, the thread that copies must execute cp.async.bulk.commit_group and cp.async.bulk.wait_group 0 (with .read, "
             "it waits only until the source has been read).";
    case CopiesWith::several:
      break;
  }
  return "First, the copy must be waited for, with the wait that belongs to the call that copies.";
}

}  // namespace

std::string Races::sentence_of_copy(const Race& race, const Finding& finding) const {
  const bool swapped = race.now.under_way;
  const Side &copy = swapped ? race.now : race.before, &other = swapped ? race.before : race.now;
  const Place &begun = swapped ? finding.at : *finding.other, &touched = swapped ? *finding.other : finding.at;
  const ptx::Space space = finding.space == "shared" ? ptx::Space::shared : ptx::Space::global;
  const std::string what = context_.element(space, race.address, other.site).text();
  const bool own = copy.thread == other.thread;
  const std::string copier = own ? "The same thread" : fmt::format("Thread {}", to_string(begun.thread));
  const std::string of_block = own || begun.block == touched.block ? "" : fmt::format(" of block {}", to_string(begun.block));

  std::string text;
  if (!other.write)
    text = fmt::format("{} reads {}{} while an asynchronous copy may still be writing it.", who(touched), what, at_line(touched));
  else if (copy.write)
    text = fmt::format("{} writes {}{} while an asynchronous copy may still be writing it.", who(touched), what, at_line(touched));
  else
    text = fmt::format("{} writes {}{} while an asynchronous copy may still be reading it.", who(touched), what, at_line(touched));
  const bool waits = race.copy.why != Why::no_wait;
  text += waits ? fmt::format(" {}{} began that copy{}. ", copier, of_block, at_line(begun))
                : fmt::format(" {}{} began that copy{} and has not waited for it. ", copier, of_block, at_line(begun));
  if (!race.begin_ordered)
    return text +
           "There is no barrier between the two. If others still use the old data, call __syncthreads() before the copy begins; if "
           "they want the new data, wait for the copy and then call __syncthreads().";

  const CopiesWith with = copies_with(context_, copy.site.instruction());
  text += race.copy.why == Why::not_committed ? commit_first(with)
          : race.copy.why == Why::allowed     ? wait_for_more(with, race.copy.allowed_groups)
                                              : wait_at_all(with);
  // These waits are made by all who use the data.
  if (own || with == CopiesWith::group || with == CopiesWith::barrier) return text;
  return text + " Then call __syncthreads(): a wait counts only for the thread that calls it.";
}

}  // namespace warpbook::gpu::watch
