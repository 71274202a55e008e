#include "gpu/virtual/watch/barriers.h"

#include <fmt/format.h>

#include <bit>

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

std::string call_name(const vm::Site& site) {
  if (!site.function) return "this call";
  const ptx::Instruction& instruction = site.instruction();
  if (instruction.shuffle != ptx::Shuffle::none) return "the __shfl_sync";
  if (instruction.vote == ptx::Vote::ballot) return "the __ballot_sync";
  if (instruction.vote != ptx::Vote::none) return "the vote";
  return "__syncwarp";
}

}  // namespace

void Barriers::on_misuse(const vm::Misuse& misuse) {
  const unsigned lane = misuse.mask ? static_cast<unsigned>(std::countr_zero(misuse.mask)) : 0;
  const Place at = scene_.place(misuse.site, misuse.warp, lane);
  const bool exited = misuse.other.function == nullptr;
  const FindingKey key{.kind = FindingKind::sync,
                       .line = Scene::line_key(misuse.site),
                       .other_line = Scene::line_key(misuse.other),
                       .space = {},
                       .buffer = {}};
  findings_.note(key, static_cast<std::uint64_t>(std::popcount(misuse.mask)), [&] {
    Finding finding{.space = {}, .message = {}, .at = at, .buffer = {}, .index = {}, .other = {}};
    const unsigned other_lane = misuse.missing ? static_cast<unsigned>(std::countr_zero(misuse.missing)) : 0;
    const Place other = scene_.place(misuse.other, misuse.other_warp, other_lane);
    if (!exited) finding.other = other;
    switch (misuse.kind) {
      case vm::Misuse::Kind::divergent_barrier:
        finding.message =
            exited ? fmt::format(
                         "{} waits at a barrier{}, but {} of its block has returned without reaching it. Let every thread reach "
                         "__syncthreads(): move it out of the branch, and guard the work with an if instead of returning early.",
                         who(at), at_line(at), misuse.missing ? "thread " + to_string(other.thread) : std::string{"another thread"})
                   : fmt::format(
                         "{} waits at a barrier{}, while thread {} waits elsewhere{}: not all threads of the block reach the "
                         "same barrier. Move __syncthreads() out of the branch, so that every thread passes it.",
                         who(at), at_line(at), to_string(other.thread), at_line(other));
        break;
      case vm::Misuse::Kind::missing_lane:
        finding.message = fmt::format(
            "{} calls {}{} for {} of its warp, which {} there. Name in the mask only the lanes that make the call, or "
            "make the call where all of them are.",
            who(at), call_name(misuse.site), at_line(at), lanes_text(misuse.missing),
            exited ? "have returned and never arrive" : "wait elsewhere and do not arrive");
        break;
      case vm::Misuse::Kind::caller_not_in_mask:
        finding.message = fmt::format(
            "{} calls {}{} with a mask that leaves its own lane {} out; the result is undefined. Set the bit "
            "of every lane that calls, 0xffffffff for a whole warp.",
            who(at), call_name(misuse.site), at_line(at), lane);
        break;
      case vm::Misuse::Kind::shuffle_from_inactive:
        finding.message = fmt::format(
            "{} reads by shuffle from {}{}, which does not take part; the value is undefined. Let every lane "
            "that is read from make the call too.",
            who(at), misuse.missing ? lanes_text(misuse.missing) : "a lane of its warp", at_line(at));
        break;
    }
    return finding;
  });
}

}  // namespace warpbook::gpu::watch
