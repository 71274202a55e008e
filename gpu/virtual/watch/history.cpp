#include "gpu/virtual/watch/history.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "gpu/virtual/ptx/printer.h"

namespace warpbook::gpu::watch {
namespace {

using ptx::Opcode;
using ptx::Type;

constexpr std::size_t words_a_chunk = std::size_t{1} << 18;  // 1 MiB
constexpr std::size_t fewest_chunks = 16;                    // of the limit: what is dropped at once is small beside what is kept

/// Registers declared without a sign, or as bits, are shown as instructions use them: floats where one computes with floats,
/// signed where one is signed.
Type use_of(Type known, Type use, unsigned bytes) {
  if (ptx::bytes_of(use) != bytes || use == Type::pred) return known;
  const auto rank = [](Type t) { return t == Type::f32 || t == Type::f64 ? 3 : ptx::is_signed(t) ? 2 : ptx::is_float(t) ? 1 : 0; };
  return rank(use) > rank(known) ? use : known;
}

HistoryFunction describe(const ptx::Function& function) {
  HistoryFunction described;
  described.name = function.name;
  described.text.resize(function.code.size());
  std::vector<Type> types;
  for (const ptx::Register& reg : function.registers) types.push_back(reg.type);
  for (const ptx::Instruction& inst : function.code) {
    // What only moves bits says nothing, and an address is no number to compute with.
    if (inst.op == Opcode::call) continue;
    for (std::size_t o = 0; o < inst.operands.size(); ++o) {
      const ptx::Operand& operand = inst.operands[o];
      const bool source_of_convert = o >= inst.destinations && (inst.op == Opcode::cvt || inst.op == Opcode::set);
      const Type use = source_of_convert || (inst.op == Opcode::slct && o + 1 == inst.operands.size()) ? inst.type2 : inst.type;
      const auto note = [&](const ptx::Operand& reg) {
        if (reg.kind != ptx::Operand::Kind::reg || types[reg.index] == Type::pred) return;
        types[reg.index] = use_of(types[reg.index], use, ptx::bytes_of(function.registers[reg.index].type));
      };
      note(operand);
      for (const ptx::Operand& element : operand.elements) note(element);
    }
  }
  for (std::size_t r = 0; r < function.registers.size(); ++r) {
    const Type declared = function.registers[r].type;
    const unsigned bytes = declared == Type::pred ? 0 : ptx::bytes_of(declared);
    described.registers.push_back({function.registers[r].name, std::string(ptx::name_of(types[r])), bytes, described.row_bytes});
    described.row_bytes += bytes ? std::max(4u, bytes * 32) : 4;
  }
  return described;
}

std::size_t bytes_of(const History::Frame& frame) {
  return sizeof frame + (frame.rows.size() + frame.written.size()) * sizeof(std::uint32_t);
}

}  // namespace

Recorder::Recorder(const Scene& scene, Findings& findings, std::size_t limit) : Detector(scene, findings), limit_(limit) {}

void Recorder::on_launch(const vm::LaunchInfo& launch) {
  module_ = launch.module;
  shared_words_ = (launch.shared_bytes + 3) / 4;
  warps_per_block_ = launch.warps_per_block;
  functions_.resize(module_->functions.size());
  for (const vm::Allocation& allocation : launch.allocations)
    if (!allocation.constant)
      arrays_.push_back({.name = allocation.name, .base = allocation.base, .bytes = allocation.bytes, .type = allocation.type});
  for (const vm::SharedVariable& variable : launch.shared_variables)
    arrays_.push_back({.name = variable.name, .shared = true, .base = variable.offset, .bytes = variable.bytes});
}

std::uint32_t Recorder::function_number(const vm::Site& site) const {
  return static_cast<std::uint32_t>(site.function - module_->functions.data());
}

Recorder::BlockSlot& Recorder::block_of(std::uint32_t block) {
  const auto [entry, fresh] = blocks_.try_emplace(block);
  BlockSlot& slot = entry->second;
  if (!fresh) return slot;
  slot.warps.resize(warps_per_block_);
  if (free_blocks_.empty()) {
    slot.shared = static_cast<std::uint32_t>(state_.blocks.size());
    state_.blocks.emplace_back();
  } else {
    slot.shared = free_blocks_.back();
    free_blocks_.pop_back();
  }
  History::Shared& shared = state_.blocks[slot.shared];
  shared.block = block;
  shared.words.assign(shared_words_, 0);
  shared.written.assign(shared_words_, 0);
  slot.bytes = shared_words_ * 5;
  bytes_ += slot.bytes;
  return slot;
}

std::uint32_t Recorder::new_frame(const vm::Site& site, vm::WarpId warp, BlockSlot& block) {
  std::uint32_t slot;
  if (free_frames_.empty()) {
    slot = static_cast<std::uint32_t>(state_.frames.size());
    state_.frames.emplace_back();
  } else {
    slot = free_frames_.back();
    free_frames_.pop_back();
  }
  History::Frame& frame = state_.frames[slot];
  frame.warp = {warp.block, warp.warp};
  frame.function = function_number(site);
  HistoryFunction& function = functions_[frame.function];
  if (function.text.empty()) function = describe(*site.function);
  frame.rows.assign(function.row_bytes / 4, 0);
  frame.written.assign(function.registers.size(), 0);
  block.bytes += bytes_of(frame);
  bytes_ += bytes_of(frame);
  return slot;
}

std::uint32_t Recorder::frame_of(const vm::Site& site, vm::WarpId warp, vm::FrameId id) {
  BlockSlot& block = block_of(warp.block);
  const std::uint32_t function = function_number(site);
  auto& frames = block.warps[warp.warp];
  for (FrameSlot& frame : frames) {
    if (frame.number != id.number || frame.function != function) continue;
    if (frame.activation != id.activation && !chunks_.empty()) {
      // Another call of the function: what the registers held is no longer theirs.
      frame.activation = id.activation;
      auto& written = state_.frames[frame.slot].written;
      std::uint32_t* words =
          add({.kind = History::ChangeKind::entered, .count = static_cast<std::uint32_t>(written.size()), .where = frame.slot});
      std::copy(written.begin(), written.end(), words);
      std::fill(written.begin(), written.end(), 0);
    }
    return frame.slot;
  }
  return frames.emplace_back(FrameSlot{id.number, id.activation, function, new_frame(site, warp, block)}).slot;
}

std::size_t Recorder::chunk_bytes() const {
  const Chunk& chunk = chunks_.back();
  return chunk.steps.size() * (sizeof(HistoryStep) + sizeof(std::uint32_t)) + chunk.changes.words.size() * sizeof(std::uint32_t);
}

void Recorder::on_issue(const vm::Issue& issue) {
  // A call that is entered belongs to the step before: here the warp stands in it already.
  const std::uint32_t frame = frame_of(issue.site, issue.warp, issue.frame);
  const std::size_t full = std::min(words_a_chunk * sizeof(std::uint32_t), limit_ / fewest_chunks);
  if (chunks_.empty() || chunk_bytes() >= full) {
    if (!chunks_.empty()) bytes_ += chunk_bytes();
    chunks_.emplace_back().changes.first = steps_;
    while (bytes_ > limit_ && chunks_.size() > 1) drop_oldest();
  }
  block_of(issue.warp.block).last_step = steps_++;
  const std::uint32_t function = function_number(issue.site);
  std::string& text = functions_[function].text[issue.site.pc];
  const ptx::Instruction& inst = issue.site.instruction();
  if (text.empty()) text = ptx::print(*issue.site.function, inst, *module_);
  Chunk& chunk = chunks_.back();
  chunk.changes.begins.push_back(static_cast<std::uint32_t>(chunk.changes.words.size()));
  chunk.steps.push_back({.warp = {issue.warp.block, issue.warp.warp},
                         .line = inst.line,
                         .function = function,
                         .pc = issue.site.pc,
                         .mask = issue.mask,
                         .frame = frame,
                         .barrier = (inst.op == Opcode::bar || inst.op == Opcode::barrier) && inst.barrier != ptx::Barrier::arrive,
                         .cycle = issue.cycle});
}

std::uint32_t* Recorder::add(History::ChangeHeader header) {
  Words& words = chunks_.back().changes.words;
  const std::size_t at = words.size();
  words.resize(at + History::header_words + header.count);
  std::memcpy(&words[at], &header, sizeof header);
  return words.data() + at + History::header_words;
}

void Recorder::on_change(const vm::Change& change) {
  if (chunks_.empty()) return;
  block_of(change.warp.block).last_step = steps_ - 1;
  if (!change.registers.empty()) keep_registers(change);
  if (change.memory.empty()) return;
  keep_shared(change);
  keep_global(change);
}

/// A shared variable's element type is nowhere in PTX: it is that of what is stored there.
void Recorder::note_type(const vm::Change& change) {
  const ptx::Instruction& inst = change.site.instruction();
  Type type = inst.type;
  if (inst.op == Opcode::st && !ptx::is_float(type)) {
    const ptx::Operand& data = inst.operands[1].elements.empty() ? inst.operands[1] : inst.operands[1].elements[0];
    if (data.kind == ptx::Operand::Kind::reg) {
      const std::string& shown = functions_[function_number(change.site)].registers[data.index].type;
      for (const Type t : {Type::f32, Type::f64})
        if (shown == ptx::name_of(t)) type = t;
    }
  }
  for (HistoryArray& array : arrays_)
    if (array.shared && change.memory[0].address - array.base < array.bytes) {
      array.type = type == Type::f32          ? ScalarType::float32
                   : type == Type::f64        ? ScalarType::float64
                   : ptx::bytes_of(type) == 8 ? ScalarType::int64
                   : ptx::bytes_of(type) == 1 ? ScalarType::uint8
                   : ptx::bytes_of(type) == 2 ? ScalarType::uint16
                                              : ScalarType::int32;
      return;
    }
}

void Recorder::keep_registers(const vm::Change& change) {
  const std::uint32_t slot = frame_of(change.site, change.warp, change.frame);
  History::Frame& frame = state_.frames[slot];
  const HistoryFunction& function = functions_[frame.function];
  for (const vm::Change::Value& value : change.registers) {
    const HistoryFunction::Register& reg = function.registers[value.reg];
    const std::uint32_t count = reg.bytes ? std::max(4u, reg.bytes * 32) / 4 : 1;
    const std::uint32_t fresh = change.mask & ~frame.written[value.reg];
    std::uint32_t* words = add({.kind = History::ChangeKind::registers,
                                .count = count,
                                .line = line_of(change.site),
                                .where = slot,
                                .reg = value.reg,
                                .written = fresh});
    frame.written[value.reg] |= fresh;
    std::uint32_t* now = &frame.rows[reg.offset / 4];
    if (reg.bytes == 0) {
      std::uint32_t bits;
      std::memcpy(&bits, value.lanes, sizeof bits);
      words[0] = (*now ^ bits) & change.mask;
      *now ^= words[0];
      continue;
    }
    if (change.mask == ~0u) {
      std::memcpy(words, value.lanes, std::size_t{count} * 4);
    } else {
      std::memcpy(words, now, std::size_t{count} * 4);
      auto* bytes = reinterpret_cast<std::byte*>(words);
      for (std::uint32_t left = change.mask; left; left &= left - 1) {
        const std::size_t at = static_cast<std::size_t>(std::countr_zero(left)) * reg.bytes;
        std::memcpy(bytes + at, value.lanes + at, reg.bytes);
      }
    }
    for (std::uint32_t w = 0; w < count; ++w) {
      const std::uint32_t old = now[w];
      now[w] = words[w];
      words[w] ^= old;
    }
  }
}

void Recorder::keep_shared(const vm::Change& change) {
  // Lanes may meet in one word: the last one's value counts, and each word stands in the change once.
  History::Shared& shared = state_.blocks[block_of(change.warp.block).shared];
  words_.clear();
  std::size_t at = 0;
  for (const vm::Change::Stored& stored : change.memory) {
    if (!stored.shared) continue;
    const auto first = static_cast<std::uint32_t>(stored.address);
    for (std::uint32_t word = first / 4; word <= (first + stored.bytes - 1) / 4; ++word) {
      if (word >= shared.words.size()) break;
      words_.emplace_back(word, 0);
    }
  }
  if (words_.empty()) return;
  note_type(change);
  std::sort(words_.begin(), words_.end());
  words_.erase(std::unique(words_.begin(), words_.end()), words_.end());
  for (auto& [word, old] : words_) old = shared.words[word];
  for (const vm::Change::Stored& stored : change.memory) {
    if (!stored.shared) continue;
    auto* bytes = reinterpret_cast<std::byte*>(shared.words.data());
    if (stored.address + stored.bytes <= shared.words.size() * 4)
      std::memcpy(bytes + stored.address, stored.after.data(), stored.bytes);
  }
  std::uint32_t* words = add({.kind = History::ChangeKind::shared,
                              .count = static_cast<std::uint32_t>(3 * words_.size()),
                              .line = line_of(change.site),
                              .where = block_of(change.warp.block).shared});
  for (const auto& [word, old] : words_) {
    words[at++] = word;
    words[at++] = old ^ shared.words[word];
    words[at++] = shared.written[word] ? 0 : 1;
    shared.written[word] = 1;
  }
}

void Recorder::keep_global(const vm::Change& change) {
  std::uint32_t count = 0;
  for (const vm::Change::Stored& stored : change.memory)
    if (!stored.shared) count += (static_cast<std::uint32_t>(stored.address % 4) + stored.bytes + 3) / 4;
  if (count == 0) return;
  std::uint32_t* words = add({.kind = History::ChangeKind::global,
                              .count = 4 * count,
                              .line = line_of(change.site),
                              .where = change.warp.block,
                              .reg = change.warp.warp});
  for (const vm::Change::Stored& stored : change.memory) {
    if (stored.shared) continue;
    for (std::uint32_t b = 0; b < stored.bytes;) {
      // Of a word that is written in part, the rest counts as zeros on both sides.
      const std::uint64_t address = stored.address + b;
      const auto within = static_cast<std::uint32_t>(address % 4);
      const std::uint32_t bytes = std::min(4 - within, stored.bytes - b);
      std::uint32_t before = 0, after = 0;
      std::memcpy(reinterpret_cast<std::byte*>(&before) + within, &stored.before[b], bytes);
      std::memcpy(reinterpret_cast<std::byte*>(&after) + within, &stored.after[b], bytes);
      *words++ = static_cast<std::uint32_t>(address - within);
      *words++ = static_cast<std::uint32_t>(address >> 32);
      *words++ = before;
      *words++ = after;
      b += bytes;
    }
  }
}

void Recorder::on_block_end(std::uint32_t block) {
  if (const auto found = blocks_.find(block); found != blocks_.end()) found->second.ended = true;
}

void Recorder::drop_oldest() {
  const Chunk& oldest = chunks_.front();
  const std::size_t steps = oldest.steps.size();
  bytes_ -= steps * (sizeof(HistoryStep) + sizeof(std::uint32_t)) + oldest.changes.words.size() * sizeof(std::uint32_t);
  dropped_ += steps;
  chunks_.pop_front();
  std::vector<std::uint32_t> gone;
  for (const auto& [index, block] : blocks_)
    if (block.ended && block.last_step < dropped_) gone.push_back(index);
  for (const std::uint32_t index : gone) forget(index);
}

void Recorder::forget(std::uint32_t block) {
  const BlockSlot& slot = blocks_.at(block);
  bytes_ -= slot.bytes;
  free_blocks_.push_back(slot.shared);
  for (const auto& frames : slot.warps)
    for (const FrameSlot& frame : frames) free_frames_.push_back(frame.slot);
  blocks_.erase(block);
}

std::shared_ptr<const History> Recorder::take() {
  History::Recording recording;
  for (Chunk& chunk : chunks_) {
    recording.steps.insert(recording.steps.end(), chunk.steps.begin(), chunk.steps.end());
    chunk.steps = {};
    chunk.changes.first -= dropped_;
    if (!chunk.changes.begins.empty()) recording.chunks.push_back(std::move(chunk.changes));
  }
  recording.functions = std::move(functions_);
  recording.arrays = std::move(arrays_);
  for (const std::uint32_t slot : free_frames_) state_.frames[slot] = {};
  for (const std::uint32_t slot : free_blocks_) state_.blocks[slot] = {.block = ~0u, .words = {}, .written = {}};
  recording.end = std::move(state_);
  recording.dropped = dropped_;
  return std::make_shared<const History>(std::move(recording));
}

}  // namespace warpbook::gpu::watch
