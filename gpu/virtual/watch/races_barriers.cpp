// Races' advice where a barrier is missing: which one, and between which lines or at the end of which loop.
#include <algorithm>
#include <vector>

#include "gpu/virtual/ptx/opcodes.h"
#include "gpu/virtual/watch/races_advice.h"

namespace warpbook::gpu::watch {

using ptx::Between;

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
Message RaceAdvice::about_branches(const Ways& ways, const RaceSide& writer, const RaceSide& reader) {
  if (!ways.writer_divergent && !ways.reader_divergent) return {};
  const bool both = ways.writer_divergent && ways.reader_divergent, same = writer.at.line == reader.at.line;
  if (both && !same)
    return to_say(
        "Perhaps not every thread comes to these lines, which stand in a branch, in a loop or behind a return: put the barrier "
        "where all threads of the block come to it.");
  return to_say(
      "Perhaps not every thread comes to line {line}, which stands in a branch, in a loop or behind a return: put the barrier "
      "where all threads of the block come to it.",
      "line"_a = (ways.writer_divergent && writer.at.line ? writer : reader).at.line);
}

namespace {

/// Which barrier is to be put somewhere.
enum class Missing : std::uint8_t {
  block,         // __syncthreads()
  warp,          // __syncwarp(), since not all warps may come there, or since there is one warp
  block_or_warp  // __syncthreads(), which is more than these two lanes need
};

/// At the end of a loop's turns, since the loop comes back to `line`; 0: it is not known.
Message where_loop_comes_back(Missing missing, std::uint32_t line) {
  const auto given = with("line"_a = line);
  switch (missing) {
    case Missing::block:
      break;
    case Missing::warp:
      return line ? given.to_say(
                        "The loop comes back to line {line} while other threads are still in an earlier turn: put __syncwarp(), or "
                        "__syncthreads() for the whole block, at the end of each turn of the loop, outside any `if`, so that every "
                        "thread of the block comes to it.")
                  : given.to_say(
                        "The loop comes back while other threads are still in an earlier turn: put __syncwarp(), or "
                        "__syncthreads() for the whole block, at the end of each turn of the loop, outside any `if`, so that every "
                        "thread of the block comes to it.");
    case Missing::block_or_warp:
      return line ? given.to_say(
                        "The loop comes back to line {line} while other threads are still in an earlier turn: put __syncthreads(), "
                        "or __syncwarp() where only lanes of one warp share the data, at the end of each turn of the loop, outside "
                        "any `if`, so that every thread of the block comes to it.")
                  : given.to_say(
                        "The loop comes back while other threads are still in an earlier turn: put __syncthreads(), or "
                        "__syncwarp() where only lanes of one warp share the data, at the end of each turn of the loop, outside "
                        "any `if`, so that every thread of the block comes to it.");
  }
  return line ? given.to_say(
                    "The loop comes back to line {line} while other threads are still in an earlier turn: put __syncthreads() at "
                    "the end of each turn of the loop, outside any `if`, so that every thread of the block comes to it.")
              : given.to_say(
                    "The loop comes back while other threads are still in an earlier turn: put __syncthreads() at the end of each "
                    "turn of the loop, outside any `if`, so that every thread of the block comes to it.");
}

/// Of two accesses in one line.
ToSay read_first(Missing missing) {
  switch (missing) {
    case Missing::block:
      break;
    case Missing::warp:
      return to_say("Read into a variable first, call __syncwarp(), or __syncthreads() for the whole block, and only then write.");
    case Missing::block_or_warp:
      return to_say(
          "Read into a variable first, call __syncthreads(), or __syncwarp() where only lanes of one warp share the data, and only "
          "then write.");
  }
  return to_say("Read into a variable first, call __syncthreads(), and only then write.");
}

/// The same in a loop.
Paragraph read_first_in_loop(Missing missing) {
  Paragraph text;
  switch (missing) {
    case Missing::block:
      text.add(to_say("Put __syncthreads() at the end of each turn of the loop, outside any `if`."));
      text.add(to_say(
          "Where a turn changes one array in place, also read into a variable first, call __syncthreads(), and only then write."));
      break;
    case Missing::warp:
      text.add(to_say(
          "Put __syncwarp(), or __syncthreads() for the whole block, at the end of each turn of the loop, outside any `if`."));
      text.add(
          to_say("Where a turn changes one array in place, also read into a variable first, call __syncwarp(), or __syncthreads() "
                 "for the whole block, and only then write."));
      break;
    case Missing::block_or_warp:
      text.add(
          to_say("Put __syncthreads(), or __syncwarp() where only lanes of one warp share the data, at the end of each turn of the "
                 "loop, outside any `if`."));
      text.add(
          to_say("Where a turn changes one array in place, also read into a variable first, call __syncthreads(), or __syncwarp() "
                 "where only lanes of one warp share the data, and only then write."));
      break;
  }
  return text;
}

/// Behind the later line, since the loop comes back to the earlier one.
Message behind_line(Missing missing, std::uint32_t first, std::uint32_t last) {
  const auto given = with("first"_a = first, "last"_a = last);
  switch (missing) {
    case Missing::block:
      break;
    case Missing::warp:
      return given.to_say(
          "The loop comes back to line {first} while others are still at line {last}: put __syncwarp(), or __syncthreads() for the "
          "whole block, behind line {last}, at the end of the loop.");
    case Missing::block_or_warp:
      return given.to_say(
          "The loop comes back to line {first} while others are still at line {last}: put __syncthreads(), or __syncwarp() where "
          "only lanes of one warp share the data, behind line {last}, at the end of the loop.");
  }
  return given.to_say(
      "The loop comes back to line {first} while others are still at line {last}: put __syncthreads() behind line {last}, at the "
      "end of the loop.");
}

Message between_lines(Missing missing, std::uint32_t first, std::uint32_t last) {
  const auto given = with("first"_a = first, "last"_a = last);
  switch (missing) {
    case Missing::block:
      break;
    case Missing::warp:
      return given.to_say("Put __syncwarp(), or __syncthreads() for the whole block, between line {first} and line {last}.");
    case Missing::block_or_warp:
      return given.to_say(
          "Put __syncthreads(), or __syncwarp() where only lanes of one warp share the data, between line {first} and line "
          "{last}.");
  }
  return given.to_say("Put __syncthreads() between line {first} and line {last}.");
}

}  // namespace

Paragraph RaceAdvice::barrier_for(const RaceToExplain& race) {
  const RaceSide &writer = race.now.write ? race.now : race.before, &reader = race.now.write ? race.before : race.now;
  // What the compiler has moved out of a loop may have no line: it is taken for the line of the other.
  const bool known = writer.at.line != 0 && reader.at.line != 0;
  const bool same_line = !known || (writer.at.line == reader.at.line && writer.at.file == reader.at.file);
  const Ways ways = ways_between(writer, reader);
  // Mostly other warps share the data as well, and then a barrier of the warp would only move the race. In a branch that not all
  // threads take, it is the only one that may be called.
  const bool warp_alone = context_.warps_per_block() == 1 || ways.writer_divergent || ways.reader_divergent;
  const Missing missing = !race.same_warp ? Missing::block : warp_alone ? Missing::warp : Missing::block_or_warp;
  const std::uint32_t last = std::max(writer.at.line, reader.at.line);
  const std::uint32_t first = same_line ? last : std::min(writer.at.line, reader.at.line);
  // No barrier stands in the loop, and what a turn stores is what another turn reads.
  const bool by_turns = ways.by_turns && ways.in_loop && ways.to_writer && (same_line || reader.at.line < writer.at.line);
  if (ways.to_reader && (by_turns || (same_line && !ways.in_one_turn && !ways.stores_elsewhere)))
    return where_loop_comes_back(missing, first);
  if (same_line && ways.in_loop) return read_first_in_loop(missing);
  const bool round_the_loop =
      writer.at.line < reader.at.line ? !ways.to_reader && ways.to_writer : !ways.to_writer && ways.to_reader;
  Paragraph text = same_line        ? Message(read_first(missing))
                   : round_the_loop ? behind_line(missing, first, last)
                                    : between_lines(missing, first, last);
  text.add(about_branches(ways, writer, reader));
  return text;
}

}  // namespace warpbook::gpu::watch
