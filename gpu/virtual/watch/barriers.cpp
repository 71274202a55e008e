#include "gpu/virtual/watch/barriers.h"

#include <fmt/format.h>

#include <bit>
#include <string>
#include <string_view>

namespace warpbook::gpu::watch {
namespace {

std::string lanes_text(std::uint32_t mask) {
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
  return (std::popcount(mask) == 1 ? "lane " : "lanes ") + text;
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

/// As CUDA C++ calls it.
std::string_view call_name(const vm::Site& site) {
  if (!site.function) return "this call";
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
    case ptx::Opcode::bar:
    case ptx::Opcode::barrier:
      return "a barrier of the block";
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

std::string barrier_sentence(const Told& told) {
  const vm::Misuse& misuse = told.misuse;
  if (told.exited && misuse.missing)
    return fmt::format(
        "{} waits at a barrier{}, but thread {} of its block has ended without reaching it. Let every thread reach "
        "__syncthreads(): move it out of the branch, let all threads make the same number of turns of a loop, and guard the "
        "work with an if instead of returning early.",
        who(told.at), at_line(told.at), to_string(told.other.thread));
  if (told.exited)
    return fmt::format(
        "{} waits at a barrier{}, but another thread of its block has ended without reaching it. Let every thread reach "
        "__syncthreads(): move it out of the branch, let all threads make the same number of turns of a loop, and guard the "
        "work with an if instead of returning early.",
        who(told.at), at_line(told.at));
  if (misuse.expected)
    return fmt::format(
        "{} waits at barrier {}{} for {} threads, of which {} have come, while thread {} waits elsewhere{}. Let all threads that "
        "meet name the same barrier and the same number of threads.",
        who(told.at), misuse.barrier, at_line(told.at), misuse.expected, misuse.arrived, to_string(told.other.thread),
        at_line(told.other));
  return fmt::format(
      "{} waits at a barrier{}, while thread {} waits elsewhere{}: not all threads of the block reach the same barrier. Move "
      "__syncthreads() out of the branch, so that every thread passes it.",
      who(told.at), at_line(told.at), to_string(told.other.thread), at_line(told.other));
}

std::string missing_sentence(const Told& told) {
  const vm::Misuse& misuse = told.misuse;
  const std::string_view call = call_name(misuse.site);
  if (told.exited)
    return fmt::format(
        "{} calls {}{} for {} of its warp, which have ended and never arrive there. Name in the mask only the lanes that make "
        "the call, or make the call where all of them are.",
        who(told.at), call, at_line(told.at), lanes_text(misuse.missing));
  if (misuse.other_members && misuse.other_members != misuse.members && call == call_name(misuse.other))
    return fmt::format(
        "{} calls {}{} with the mask {:#010x}, but thread {} of its warp calls it with the mask {:#010x}{}. Lanes meet only where "
        "all of them name the same lanes: work out the mask once, and give all of them the same.",
        who(told.at), call, at_line(told.at), misuse.members, to_string(told.other.thread), misuse.other_members,
        at_line(told.other));
  return fmt::format(
      "{} calls {}{} for {} of its warp, which wait elsewhere and do not arrive there: thread {} is at {}{}. Name in the mask only "
      "the lanes that make the call, or make the call where all of them are.",
      who(told.at), call, at_line(told.at), lanes_text(misuse.missing), to_string(told.other.thread), call_name(misuse.other),
      at_line(told.other));
}

std::string shuffle_sentence(const Told& told) {
  const vm::Misuse& misuse = told.misuse;
  const auto source = static_cast<unsigned>(std::countr_zero(misuse.missing));
  if (misuse.exited)
    return fmt::format(
        "{}, lane {} of its warp, reads by {}{} from lane {}, which has ended, was never started, or does not come to this call; "
        "the value is undefined. Let "
        "every lane that is read from make the call too.",
        who(told.at), told.lane, call_name(misuse.site), at_line(told.at), source);
  return fmt::format(
      "{}, lane {} of its warp, reads by {}{} from lane {}, which does not take part; the value is undefined. Let every lane that "
      "is read from make the call too, and name it in the mask.",
      who(told.at), told.lane, call_name(misuse.site), at_line(told.at), source);
}

std::string sentence(const Told& told) {
  const vm::Misuse& misuse = told.misuse;
  switch (misuse.kind) {
    case vm::Misuse::Kind::divergent_barrier:
      return barrier_sentence(told);
    case vm::Misuse::Kind::too_few_at_barrier:
      return fmt::format(
          "{} waits at barrier {}{} for {} threads, but no more than {} ever come. Give the barrier the number of threads that "
          "reach it, those that only arrive included.",
          who(told.at), misuse.barrier, at_line(told.at), misuse.expected, misuse.arrived);
    case vm::Misuse::Kind::counts_differ:
      return fmt::format(
          "{} comes to barrier {}{} as one of {} threads, but thread {} came to it as one of {}{}; what happens is undefined. Give "
          "one barrier the same number of threads wherever they wait or arrive.",
          who(told.at), misuse.barrier, at_line(told.at), misuse.expected, to_string(told.other.thread), misuse.arrived,
          at_line(told.other));
    case vm::Misuse::Kind::missing_lane:
      return missing_sentence(told);
    case vm::Misuse::Kind::caller_not_in_mask:
      return fmt::format(
          "{} calls {}{} with a mask that leaves its own lane {} out; the result is undefined. Set the bit of every lane that "
          "calls, 0xffffffff for a whole warp.",
          who(told.at), call_name(misuse.site), at_line(told.at), told.lane);
    case vm::Misuse::Kind::shuffle_from_inactive:
      break;
  }
  return shuffle_sentence(told);
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
    Finding finding{.space = {}, .message = sentence(told), .at = told.at, .buffer = {}, .index = {}, .other = {}};
    if (!told.exited) finding.other = told.other;
    return finding;
  });
}

}  // namespace warpbook::gpu::watch
