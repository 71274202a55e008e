#include "gpu/virtual/watch/divergence.h"

#include <algorithm>
#include <bit>
#include <map>

#include "gpu/virtual/ptx/opcodes.h"
#include "gpu/virtual/watch/access_words.h"

namespace warpbook::gpu::watch {

void Divergence::on_launch(const vm::LaunchInfo& launch) {
  tallies_.assign(context_.site_count() + 1, {});
  grid_ = launch.grid;
  block_ = launch.block;
}

void Divergence::on_branch(const vm::Branch& branch) {
  Tally& tally = tallies_[context_.site_number(branch.site)];
  ++tally.came;
  tally.lanes += static_cast<std::uint64_t>(std::popcount(branch.mask));
  tally.all_lanes += static_cast<std::uint64_t>(std::popcount(context_.lanes_of(branch.warp.warp)));
  if (branch.taken == 0 || branch.taken == branch.mask) return;
  tally.at_grids_end = tally.at_grids_end && leaves_at_grids_end(branch, tally);
  if (tally.split == 0) {
    tally.first_split = branch.warp;
    tally.first_mask = branch.mask;
    tally.first_taken = branch.taken;
  } else if (branch.warp.block != tally.first_split.block || branch.warp.warp != tally.first_split.warp) {
    tally.several_warps = true;
  }
  if (!tally.several_warps && !tally.beyond_guard) tally.beyond_guard = !splits_like_guard(branch);
  note_work(branch, tally);
  ++tally.split;
}

namespace {
/// Whether the way from this instruction does something before it meets the other one. Some numbers that a compiler computes again,
/// rather than keep them, are nothing.
bool works(const vm::Site& branch, std::uint32_t pc) {
  constexpr int few = 4;
  const ptx::Function& function = *branch.function;
  for (int numbers = 0; numbers <= few;) {
    if (pc == function.reconverge[branch.pc] || pc >= function.code.size()) return false;
    const ptx::Instruction& inst = function.code[pc];
    if (inst.op == ptx::Opcode::ret || inst.op == ptx::Opcode::exit) return false;
    if (inst.op == ptx::Opcode::bra && !inst.guarded && inst.operands[0].index > pc) {
      pc = inst.operands[0].index;
      continue;
    }
    const bool real = inst.type == ptx::Type::f32 || inst.type == ptx::Type::f64;
    if (ptx::row(inst.op).effect != ptx::Effect::none || real) return true;
    ++pc;
    ++numbers;
  }
  return true;
}

/// Both ways do something before they meet, or are something else than an if.
bool both_ways_work(const vm::Site& site) {
  return site.instruction().op != ptx::Opcode::bra ||
         (works(site, site.pc + 1) && works(site, site.instruction().operands[0].index));
}

/// The lanes that the branch sends out of the kernel at once; 0 where it sends none.
std::uint32_t leaving(const vm::Branch& branch) {
  const vm::Site& site = branch.site;
  if (site.instruction().op != ptx::Opcode::bra || !site.function->entry) return 0;
  const auto leaves = [&](std::uint32_t pc) {
    const auto& code = site.function->code;
    return pc == code.size() || code[pc].op == ptx::Opcode::ret || code[pc].op == ptx::Opcode::exit;
  };
  if (leaves(site.instruction().operands[0].index)) return branch.taken;
  return leaves(site.pc + 1) ? branch.mask & ~branch.taken : 0;
}
}  // namespace

void Divergence::look_for_one_way(const vm::Site& site, Tally& tally) {
  if (site.instruction().op != ptx::Opcode::bra || both_ways_work(site)) return;
  const ptx::Function& function = *site.function;
  const std::uint32_t meet = function.reconverge[site.pc], target = site.instruction().operands[0].index;
  if (target <= site.pc || works(site, site.pc + 1) == works(site, target)) return;
  tally.way = works(site, target) ? Way::taken : Way::not_taken;
  const std::uint32_t first = tally.way == Way::taken ? target : site.pc + 1;
  std::uint32_t pc = first;
  for (; pc != meet && pc < function.code.size(); ++pc) {
    const ptx::Instruction& inst = function.code[pc];
    const ptx::Effect effect = ptx::row(inst.op).effect;
    if (effect == ptx::Effect::exit) break;
    if (effect == ptx::Effect::call || effect == ptx::Effect::barrier) return;
    if (effect == ptx::Effect::branch && (inst.op != ptx::Opcode::bra || inst.operands[0].index <= pc)) return;
  }
  tally.instructions = pc - first;
}

bool Divergence::leaves_at_grids_end(const vm::Branch& branch, const Tally& before) const {
  const std::uint32_t out = leaving(branch), stay = branch.mask & ~out;
  if (out == 0 || stay == 0) return false;
  const Dim3 block = context_.place(branch.site, branch.warp, 0).block;
  const bool last_x = block.x + 1 == grid_.x, last_y = block.y + 1 == grid_.y, last_z = block.z + 1 == grid_.z;
  // Along one dimension a guard splits a single warp of the launch.
  const bool line = block_.y == 1 && block_.z == 1 && grid_.y == 1 && grid_.z == 1;
  if (line && before.split > 0 && (branch.warp.block != before.first_split.block || branch.warp.warp != before.first_split.warp))
    return false;
  Dim3 high{0, 0, 0};  // of those that stay
  for (std::uint32_t rest = stay; rest; rest &= rest - 1) {
    const Dim3 t = context_.thread(branch.warp.warp, static_cast<unsigned>(std::countr_zero(rest)));
    high = {std::max(high.x, t.x), std::max(high.y, t.y), std::max(high.z, t.z)};
  }
  for (std::uint32_t rest = out; rest; rest &= rest - 1) {
    const Dim3 t = context_.thread(branch.warp.warp, static_cast<unsigned>(std::countr_zero(rest)));
    if (!(last_x && t.x > high.x) && !(last_y && t.y > high.y) && !(last_z && t.z > high.z)) return false;
  }
  return true;
}

bool Divergence::is_range(const vm::Branch& branch, std::uint32_t lanes) const {
  constexpr std::uint32_t all = ~0u;
  Dim3 low{all, all, all}, high{0, 0, 0};
  for (std::uint32_t rest = lanes; rest; rest &= rest - 1) {
    const Dim3 t = context_.thread(branch.warp.warp, static_cast<unsigned>(std::countr_zero(rest)));
    low = {std::min(low.x, t.x), std::min(low.y, t.y), std::min(low.z, t.z)};
    high = {std::max(high.x, t.x), std::max(high.y, t.y), std::max(high.z, t.z)};
  }
  for (std::uint32_t rest = branch.mask & ~lanes; rest; rest &= rest - 1) {
    const Dim3 t = context_.thread(branch.warp.warp, static_cast<unsigned>(std::countr_zero(rest)));
    if (low.x <= t.x && t.x <= high.x && low.y <= t.y && t.y <= high.y && low.z <= t.z && t.z <= high.z) return false;
  }
  return true;
}

bool Divergence::splits_like_guard(const vm::Branch& branch) const {
  const int one_way = std::popcount(branch.taken), other_way = std::popcount(branch.mask) - one_way;
  if (std::min(one_way, other_way) >= edge_lanes && both_ways_work(branch.site)) return false;
  return is_range(branch, branch.taken) || is_range(branch, branch.mask & ~branch.taken);
}

void Divergence::note_work(const vm::Branch& branch, Tally& tally) const {
  if (tally.split == 0) look_for_one_way(branch.site, tally);
  if (tally.way == Way::both) return;
  const std::uint32_t work = tally.way == Way::taken ? branch.taken : branch.mask & ~branch.taken;
  const bool one_lane = std::has_single_bit(work);
  tally.one_lane = tally.one_lane && one_lane;
  // Each warp comes once: in a loop the lanes that idle add up.
  tally.few_words = tally.few_words && tally.instructions <= most_for_words && tally.came <= context_.warps() &&
                    (one_lane || is_range(branch, work));
}

void Divergence::add_to(CountsByLine& lines) const {
  for (std::uint32_t number = 1; number < tallies_.size(); ++number) {
    const Tally& tally = tallies_[number];
    if (tally.came == 0) continue;
    LineCounts& line = lines[line_of(context_.site(number))];
    line.branches += tally.came;
    line.split_branches += tally.split;
  }
}

bool Divergence::waits_in_loop(const Tally& tally) const {
  return tally.came >= 2 * context_.warps() && (tally.all_lanes - tally.lanes) * one_in >= tally.all_lanes;
}

Paragraph Divergence::waits_for_last(const Place& at, const Tally& sum) {
  const auto each = [&](std::uint64_t lanes) { return static_cast<double>(lanes) / static_cast<double>(sum.came); };
  Paragraph text = to_say(
      "Lanes leave the loop{at} at different times, and those that have left wait for the last one of their warp: on average "
      "{lanes:.1f} of {all:.0f} lanes come to this branch.",
      "at"_a = at_line(at), "lanes"_a = each(sum.lanes), "all"_a = each(sum.all_lanes));
  text.add(to_say("Give neighbouring threads work of the same length."));
  return text;
}

/// `calls`: it is no branch, but a call through a pointer.
Paragraph Divergence::splits(const Place& at, const Tally& sum, bool calls) {
  const int one_way = std::popcount(sum.first_taken), all = std::popcount(sum.first_mask);
  const auto given = with("at"_a = at_line(at), "split"_a = sum.split, "warps"_a = sum.came,
                          "percent"_a = 100.0 * static_cast<double>(sum.split) / static_cast<double>(sum.came), "one"_a = one_way,
                          "others"_a = all - one_way);
  Paragraph text = calls ? given.to_say(
                               "The call through a pointer{at} splits {split} of the {warps} warps that come to it ({percent:.0f} "
                               "%); in the first, {one} lanes go one way and {others} the other, one after the other.")
                         : given.to_say(
                               "The branch{at} splits {split} of the {warps} warps that come to it ({percent:.0f} %); in the "
                               "first, {one} lanes go one way and {others} the other, one after the other.");
  text.add(sum.one_lane
               ? to_say("While the one lane works, the others of its warp wait: share its work among them, as a loop over the "
                        "elements can. Where one thread alone must do it, keep it short.")
               : to_say("Let whole warps take the same way: branch on something that is equal for 32 neighbouring threads."));
  return text;
}

void Divergence::finish() {
  struct Line {
    Tally sum;
    vm::Site site;
  };
  std::map<std::uint32_t, Line> lines;
  for (std::uint32_t number = 1; number < tallies_.size(); ++number) {
    const Tally& tally = tallies_[number];
    const vm::Site site = context_.site(number);
    if (tally.came == 0 || site.instruction().in_toolkit) continue;
    const bool needed = (tally.one_lane && tally.instructions <= most_for_one_lane) || tally.few_words;
    if (tally.split && tally.way != Way::both && needed) continue;
    Line& line = lines[LaunchContext::line_key(site)];
    if (tally.split && (line.sum.split == 0)) {
      line.site = site;
      line.sum.first_split = tally.first_split;
      line.sum.first_mask = tally.first_mask;
      line.sum.first_taken = tally.first_taken;
      line.sum.one_lane = tally.way != Way::both && tally.one_lane;
    } else if (tally.split &&
               (tally.first_split.block != line.sum.first_split.block || tally.first_split.warp != line.sum.first_split.warp)) {
      line.sum.several_warps = true;
    }
    line.sum.several_warps |= tally.several_warps;
    line.sum.beyond_guard |= tally.beyond_guard;
    line.sum.at_grids_end &= tally.split == 0 || tally.at_grids_end;
    line.sum.came += tally.came;
    line.sum.split += tally.split;
    line.sum.lanes += tally.lanes;
    line.sum.all_lanes += tally.all_lanes;
  }
  for (const auto& [key_line, line] : lines) {
    const Tally& sum = line.sum;
    const bool often = sum.split * one_in >= sum.came, waits = waits_in_loop(sum);
    if (sum.at_grids_end && sum.came <= context_.warps()) continue;  // not in a loop
    const bool more_than_guard = sum.several_warps || sum.beyond_guard || (waits && sum.split > 1);
    if (!more_than_guard || (!often && !waits)) continue;
    const FindingKey key{.kind = FindingKind::divergence, .line = key_line, .other_line = 0, .space = {}, .buffer = {}};
    findings_.note(key, sum.split, [&] {
      const auto lane = static_cast<unsigned>(std::countr_zero(sum.first_taken));
      Finding finding{.space = {},
                      .message = {},
                      .at = context_.place(line.site, sum.first_split, lane),
                      .buffer = {},
                      .index = {},
                      .other = {}};
      finding.message =
          often ? splits(finding.at, sum, line.site.instruction().op == ptx::Opcode::call) : waits_for_last(finding.at, sum);
      return finding;
    });
  }
}

}  // namespace warpbook::gpu::watch
