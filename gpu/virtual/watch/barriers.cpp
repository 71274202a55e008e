#include "gpu/virtual/watch/barriers.h"

#include <fmt/format.h>

#include <bit>
#include <string>
#include <string_view>

#include "gpu/virtual/watch/access_words.h"

namespace warpbook::gpu::watch {
namespace {

/// "3", "0–7, 9"
std::string lane_numbers(std::uint32_t mask) {
  std::string text;
  int named = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(mask >> lane & 1)) continue;
    unsigned last = lane;
    while (last + 1 < 32 && (mask >> (last + 1) & 1)) ++last;
    if (++named > 4) {
      text += " …";
      break;
    }
    if (!text.empty()) text += ", ";
    text += last == lane ? fmt::format("{}", lane) : fmt::format("{}–{}", lane, last);
    lane = last;
  }
  return text;
}

/// Of a reduction of all lanes, by its operation.
std::string_view reduction_name(ptx::AtomicOp operation) {
  switch (operation) {
    case ptx::AtomicOp::min:
      return "__reduce_min_sync";
    case ptx::AtomicOp::max:
      return "__reduce_max_sync";
    case ptx::AtomicOp::and_:
      return "__reduce_and_sync";
    case ptx::AtomicOp::or_:
      return "__reduce_or_sync";
    case ptx::AtomicOp::xor_:
      return "__reduce_xor_sync";
    default:
      return "__reduce_add_sync";
  }
}

bool waits_at_block_barrier(const vm::Site& site) {
  if (!site.function) return false;
  const ptx::Opcode op = site.instruction().op;
  return op == ptx::Opcode::bar || op == ptx::Opcode::barrier;
}

/// As CUDA C++ calls it: a call that the lanes of one warp make together.
std::string_view call_name(const vm::Site& site) {
  if (!site.function) return "__syncwarp";
  const ptx::Instruction& instruction = site.instruction();
  const ptx::Vote vote = instruction.vote;
  switch (instruction.op) {
    case ptx::Opcode::shfl:
      return instruction.shuffle == ptx::Shuffle::up     ? "__shfl_up_sync"
             : instruction.shuffle == ptx::Shuffle::down ? "__shfl_down_sync"
             : instruction.shuffle == ptx::Shuffle::bfly ? "__shfl_xor_sync"
                                                         : "__shfl_sync";
    case ptx::Opcode::vote:
      return vote == ptx::Vote::ballot ? "__ballot_sync"
             : vote == ptx::Vote::all  ? "__all_sync"
             : vote == ptx::Vote::any  ? "__any_sync"
                                       : "vote.sync.uni";
    case ptx::Opcode::match:
      return vote == ptx::Vote::all ? "__match_all_sync" : "__match_any_sync";
    case ptx::Opcode::redux:
      return reduction_name(instruction.atomic);
    case ptx::Opcode::elect:
      return "elect.sync";
    default:
      return "__syncwarp";
  }
}

/// Two places of a misuse: who waits or calls at one, and who is missing there and stands at the other.
struct Told {
  const vm::Misuse& misuse;
  Place at, other;
  unsigned lane = 0;    // of `at`
  bool exited = false;  // those who are missing have
};

Paragraph about_barrier(const Told& told) {
  const vm::Misuse& misuse = told.misuse;
  const auto given = with_thread(told.at, "other"_a = to_string(told.other.thread), "other_at"_a = at_line(told.other),
                                 "barrier"_a = misuse.barrier, "expected"_a = misuse.expected, "arrived"_a = misuse.arrived);
  if (told.exited) {
    Paragraph text = misuse.missing ? given.to_say(
                                          "Thread {thread} of block {block} waits at a barrier{at}, but thread {other} of its "
                                          "block has ended without reaching it.")
                                    : given.to_say(
                                          "Thread {thread} of block {block} waits at a barrier{at}, but another thread of its "
                                          "block has ended without reaching it.");
    text.add(
        to_say("Let every thread reach __syncthreads(): move it out of the branch, let all threads make the same number of turns "
               "of a loop, and guard the work with an if instead of returning early."));
    return text;
  }
  if (misuse.expected) {
    Paragraph text = given.to_say(
        "Thread {thread} of block {block} waits at barrier {barrier}{at} for {expected} threads, of which {arrived} have come, "
        "while thread {other} waits elsewhere{other_at}.");
    text.add(to_say("Let all threads that meet name the same barrier and the same number of threads."));
    return text;
  }
  Paragraph text = given.to_say(
      "Thread {thread} of block {block} waits at a barrier{at}, while thread {other} waits elsewhere{other_at}: not all threads of "
      "the block reach the same barrier.");
  text.add(to_say("Move __syncthreads() out of the branch, so that every thread passes it."));
  return text;
}

/// Lanes of the mask do not come, because they stand elsewhere.
Message elsewhere(const Told& told) {
  const vm::Misuse& misuse = told.misuse;
  const auto missing = static_cast<std::uint64_t>(std::popcount(misuse.missing));
  const auto given = with_thread(told.at, "call"_a = call_name(misuse.site), "lanes"_a = lane_numbers(misuse.missing),
                                 "other"_a = to_string(told.other.thread), "other_call"_a = call_name(misuse.other),
                                 "other_at"_a = at_line(told.other));
  if (waits_at_block_barrier(misuse.other))
    return given.to_say_many(missing,
                             "Thread {thread} of block {block} calls {call}{at} for lane {lanes} of its warp, which waits "
                             "elsewhere and does not arrive there: thread {other} is at a barrier of the block{other_at}.",
                             "Thread {thread} of block {block} calls {call}{at} for lanes {lanes} of its warp, which wait "
                             "elsewhere and do not arrive there: thread {other} is at a barrier of the block{other_at}.");
  return given.to_say_many(missing,
                           "Thread {thread} of block {block} calls {call}{at} for lane {lanes} of its warp, which waits elsewhere "
                           "and does not arrive there: thread {other} is at {other_call}{other_at}.",
                           "Thread {thread} of block {block} calls {call}{at} for lanes {lanes} of its warp, which wait elsewhere "
                           "and do not arrive there: thread {other} is at {other_call}{other_at}.");
}

Paragraph about_missing(const Told& told) {
  const vm::Misuse& misuse = told.misuse;
  const std::string_view call = call_name(misuse.site);
  const bool same_call = !waits_at_block_barrier(misuse.other) && call == call_name(misuse.other);
  if (!told.exited && misuse.other_members && misuse.other_members != misuse.members && same_call) {
    const auto given = with_thread(told.at, "call"_a = call, "mask"_a = misuse.members, "other"_a = to_string(told.other.thread),
                                   "other_mask"_a = misuse.other_members, "other_at"_a = at_line(told.other));
    Paragraph text = given.to_say(
        "Thread {thread} of block {block} calls {call}{at} with the mask {mask:#010x}, but thread {other} of its warp calls it "
        "with the mask {other_mask:#010x}{other_at}.");
    text.add(
        to_say("Lanes meet only where all of them name the same lanes: work out the mask once, and give all of them the same."));
    return text;
  }
  const auto given = with_thread(told.at, "call"_a = call, "lanes"_a = lane_numbers(misuse.missing));
  Paragraph text = told.exited ? given.to_say_many(static_cast<std::uint64_t>(std::popcount(misuse.missing)),
                                                   "Thread {thread} of block {block} calls {call}{at} for lane {lanes} of its "
                                                   "warp, which has ended and never arrives there.",
                                                   "Thread {thread} of block {block} calls {call}{at} for lanes {lanes} of its "
                                                   "warp, which have ended and never arrive there.")
                               : elsewhere(told);
  text.add(to_say("Name in the mask only the lanes that make the call, or make the call where all of them are."));
  return text;
}

Paragraph about_shuffle(const Told& told) {
  const vm::Misuse& misuse = told.misuse;
  const auto given =
      with_thread(told.at, "lane"_a = told.lane, "call"_a = call_name(misuse.site), "source"_a = std::countr_zero(misuse.missing));
  if (misuse.exited) {
    Paragraph text = given.to_say(
        "Thread {thread} of block {block}, lane {lane} of its warp, reads by {call}{at} from lane {source}, which has ended, was "
        "never started, or does not come to this call; the value is undefined.");
    text.add(to_say("Let every lane that is read from make the call too."));
    return text;
  }
  Paragraph text = given.to_say(
      "Thread {thread} of block {block}, lane {lane} of its warp, reads by {call}{at} from lane {source}, which does not take "
      "part; the value is undefined.");
  text.add(to_say("Let every lane that is read from make the call too, and name it in the mask."));
  return text;
}

Paragraph about_caller(const Told& told) {
  Paragraph text = with_thread(told.at, "call"_a = call_name(told.misuse.site), "lane"_a = told.lane)
                       .to_say(
                           "Thread {thread} of block {block} calls {call}{at} with a mask that leaves its own lane {lane} out; the "
                           "result is undefined.");
  text.add(to_say("Set the bit of every lane that calls, 0xffffffff for a whole warp."));
  return text;
}

Paragraph about(const Told& told) {
  const vm::Misuse& misuse = told.misuse;
  const auto given =
      with_thread(told.at, "barrier"_a = misuse.barrier, "expected"_a = misuse.expected, "arrived"_a = misuse.arrived,
                  "other"_a = to_string(told.other.thread), "other_at"_a = at_line(told.other));
  Paragraph text;
  switch (misuse.kind) {
    case vm::Misuse::Kind::divergent_barrier:
      return about_barrier(told);
    case vm::Misuse::Kind::too_few_at_barrier:
      text.add(
          given.to_say("Thread {thread} of block {block} waits at barrier {barrier}{at} for {expected} threads, but no more than "
                       "{arrived} ever come."));
      text.add(to_say("Give the barrier the number of threads that reach it, those that only arrive included."));
      return text;
    case vm::Misuse::Kind::counts_differ:
      text.add(
          given.to_say("Thread {thread} of block {block} comes to barrier {barrier}{at} as one of {expected} threads, but thread "
                       "{other} came to it as one of {arrived}{other_at}; what happens is undefined."));
      text.add(to_say("Give one barrier the same number of threads wherever they wait or arrive."));
      return text;
    case vm::Misuse::Kind::missing_lane:
      return about_missing(told);
    case vm::Misuse::Kind::caller_not_in_mask:
      return about_caller(told);
    case vm::Misuse::Kind::shuffle_from_inactive:
      break;
  }
  return about_shuffle(told);
}

}  // namespace

void Barriers::on_misuse(const vm::Misuse& misuse) {
  const FindingKey key{.kind = FindingKind::sync,
                       .line = LaunchContext::line_key(misuse.site),
                       .other_line = LaunchContext::line_key(misuse.other),
                       .space = {},
                       .buffer = {}};
  findings_.note(key, static_cast<std::uint64_t>(std::popcount(misuse.mask)), [&] {
    const auto first_of = [](std::uint32_t mask) { return mask ? static_cast<unsigned>(std::countr_zero(mask)) : 0; };
    const unsigned lane = first_of(misuse.mask);
    const Told told{.misuse = misuse,
                    .at = context_.place(misuse.site, misuse.warp, lane),
                    .other = context_.place(misuse.other, misuse.other_warp, first_of(misuse.missing)),
                    .lane = lane,
                    .exited = misuse.other.function == nullptr};
    Finding finding{.space = {}, .message = about(told), .at = told.at, .buffer = {}, .index = {}, .other = {}};
    if (!told.exited) finding.other = told.other;
    return finding;
  });
}

}  // namespace warpbook::gpu::watch
